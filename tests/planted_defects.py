"""Plant known defects in a copy of the source, one by one, and see that a test catches each.

Run by `make planted`; it fails if any defect survives. Beginnings of file names choose some of
them: `python tests/planted_defects.py calibration/`. Each row: file, right code, wrong code, and
the tests that must fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[1]

DEFECTS = [
    # sums
    ("_math.py", "limb = np.trunc(rest)", "limb = rest.copy()", "test_math"),
    ("_math.py", "rest -= limb", "rest *= 0", "test_math"),
    ("_math.py", "return bool(np.abs(values).sum() < _EXACT)", "return True", "test_math"),
    ("_math.py", "return np.array([math.fsum(part) for part in parts])", "return np.array([sum(part) for part in parts], dtype=float)", "test_math"),
    ("_math.py", "exponent if (np.abs(exponent) > _SAFE_EXPONENT).any() else", "0 * exponent if True else", "reference or odd_but_good"),
    ("_math.py", "(high_1 - high_2) + (low_1 - low_2)", "high_1 - high_2", "test_math"),
    ("_math.py", "others[rows, top] = 0", "others[rows, top] = 1", "every_kind_of_score"),
    ("_kernels/sums.py", "np.frexp(peak[0])[1]", "np.frexp(peak[-1])[1]", "any_order or compiled_sums"),
    ("_kernels/sums.py", "if status == _OTHER_ROAD:", "if status == -1:", "compiled_sums"),
    ("io/gather.py", "(wide - wide.dtype.type(low))", "(values - low)", "become_their_own_texts"),
    # counting
    ("statistics/confusion.py", "y * len(decisions) + d", "d * len(decisions) + y", "test_oracles or rates"),
    ("statistics/confusion.py", "for part, power in ((weight, 1), (square, 2))", "for part, power in ((weight, 1), (square, 1))", "parts_add_up"),
    ("statistics/confusion.py", "weight=np.concatenate([s.weight for s in both])", "weight=np.concatenate([self.weight, other.weight * 0.5])", "parts_add_up"),
    ("statistics/confusion.py", "scaled = np.ldexp(weights, -exponent[y])", "scaled = np.sqrt(weights)", "test_common and repetition"),
    ("statistics/confusion.py", "scaled = np.ldexp(weights, -exponent[y])", "scaled = weights + 1e-9", "test_common and power_of_two"),
    ("statistics/confusion.py", "scaled = np.ldexp(weights, -exponent[y])", "scaled = np.cumsum(weights)", "test_common and order"),
    ("metrics/decisions.py", "kept = np.flatnonzero(weights)", "weights = weights + 1; kept = np.flatnonzero(weights)", "test_common and weight_zero"),
    # expected cost
    ("_math.py", "math.fsum((priors[seen] * means[seen]).tolist())", "math.fsum((priors[seen] * means[seen]).tolist()) * 0.999", "reweighting"),
    ("metrics/confusion.py", "self.weight * cost", "cost", "reweighting"),
    ("metrics/confusion.py", "scale = p[row] / self.class_weight[row]", "scale = p[row]", "reweighting"),
    ("metrics/confusion.py", "(weight * cost).tolist()", "(weight * np.sqrt(cost)).tolist()", "test_common and constant_per_row"),
    ("costs/tables.py", "totals.index(min(totals))", "totals.index(max(totals))", "best_constant"),
    ("costs/tables.py", "int(np.argmax(priors * self.error))", "int(np.argmax(priors))", "error_costs"),
    ("results.py", "return self.value / self.naive", "return self.value / (self.naive + 1)", "scale_of_costs"),
    ("results.py", "np.square(self.priors[seen]) / losses.size[seen]", "self.priors[seen] / losses.size[seen]", "standard_errors"),
    ("results.py", "padded = losses.padded(amount)", "padded = losses", "claims_no_certainty"),
    ("results.py", "return [z * z * even, z * z * np.maximum(share, even)]", "return [z * z * even]", "one_class_decides"),
    ("results.py", "few = seen & (size < needed)", "few = seen & (size < 0)", "few_samples_of_a_class"),
    ("results.py", "cubes / variance**1.5", "0.0", "that_of_hall"),
    ("results.py", "* size / np.maximum(size - 1, 1)", "", "that_of_hall"),
    ("metrics/per_sample.py", "low, high, naive = _costly_prices(costs, y, d, best)", "low, high, naive = np.zeros(k), np.zeros(k), means[best]", "prices_by_case_is_not_certainty"),
    ("metrics/decisions.py", "if same is not None:", "if False:", "constant_prices"),
    ("costs/dominance.py", "game_value(gaps) >= -tie", "True", "never_optimal or linear_programs"),
    ("costs/matrix.py", "kept[taken] = True", "pass", "never_optimal"),
    ("costs/per_sample.py", "found[:, j] &= low <= high", "pass", "nobody_pays or by_case_that"),
    ("intervals/groups.py", "if unit is None or", "if True or", "groups_widen"),
    ("statistics/groups.py", "return max(np.count_nonzero(used) / max(groups, 1), 1.0)", "return 1.0", "groups_widen"),
    ("intervals/calibrated.py", "band.high + more", "band.high", "cost_of_learning"),
    ("evaluation/ranking.py", "max(first.interval.high, second.interval.high)", "first.interval.high", "thresholds_of_other_folds"),
    ("_quantiles.py", "(z**3 + z) / 4", "(z**3 - z) / 4", "quantile_of_t or student"),
    ("results.py", "if absolute else (0.0, math.inf)", "if True else (0.0, math.inf)", "naive_cost_varies"),
    # traditional metrics
    ("metrics/traditional/general.py", "above = right * total", "above = right * total + 1", "matthews or oracles"),
    ("metrics/traditional/general.py", "return normalized * (1 - 1 / len(counts.classes))", "return normalized", "identity"),
    ("_kernels/definitions/sweeps.py", "often, seldom = (n21, n12) if beta <= 1", "often, seldom = (n12, n21) if beta <= 1", "f_score or oracles"),
    ("_kernels/definitions/sweeps.py", "return ratio(benefit, total * q)", "return ratio(benefit, total)", "net_benefit"),
    ("metrics/traditional/detection.py", "return float(ratio(1 + self.beta * self.beta - f, f))", "return self.beta**2", "exchange"),
    ("metrics/traditional/detection.py", "return float(ratio((1 + inverse) * positive, positive + inverse))", "return positive", "naive_values"),
    ("_kernels/definitions/sweeps.py", "np.divide(above, below)", "np.nan_to_num(np.divide(above, below))", "undefined or odd_but_good"),
    ("metrics/traditional/base.py", "np.ldexp(self.n21, second - top)", "self.n21", "different_scales"),
    # the border
    ("_check/labels.py", "order = np.argsort(listed)", "order = np.arange(listed.size)", "order or names or confusion"),
    ("_check/numbers.py", "return [priors[name] for name in names]", "return list(priors.values())", "odd_but_good"),
    ("_check/precision.py", "return bool((gap <= self.bound).all())", "return bool((gap <= 1 + self.bound).all())", "score_errors"),
    ("costs/matrix.py", "array = np.array(array, dtype=np.float64)", "array = np.asarray(array, dtype=np.float64)", "own_copy"),
    ("paper/tables.py", "unit / 2 * (1 + 1e-9)", "unit * 2", "off_by_a_digit"),
    # scores and rules
    ("scores/types.py", "joint = self._values + log(priors)", "joint = self._values", "change_of_priors"),
    ("scores/types.py", "(log(new) - log(old))", "(log(old) - log(new))", "change_of_priors"),
    ("scores/answers.py", "return 1 - self.p[np.arange(y.size), y]", "return self.p[np.arange(y.size), y]", "true_posteriors"),
    ("scoring.py", "np.square(distance, out=distance).sum(axis=1)", "np.abs(distance).sum(axis=1)", "true_posteriors"),
    ("scoring.py", "return rest / (length * (length + p[rows, y]))", "return 1 - p[rows, y]", "true_posteriors"),
    ("scoring.py", "return self.costs.at(y, self.costs.least_expected(answers.p))", "return self.costs.at(y, answers.p.argmax(axis=1))", "true_posteriors"),
    ("scoring.py", "miss = (down - (1 - self.high))", "miss = (down - self.low)", "threshold_range"),
    ("costs/tables.py", "lower = cost < best - tie", "lower = cost < best + tie", "ties"),
    ("statistics/losses.py", "return np.where(self.infinite > 0, np.inf, mean)", "return mean", "infinite"),
    ("statistics/losses.py", "self.infinite + other.infinite", "self.infinite", "scoring_laws and parts"),
    ("samples.py", "kept = np.flatnonzero(weights)", "weights = weights + 1; kept = np.flatnonzero(weights)", "scoring_laws and weight_zero"),
    # curves
    ("statistics/levels.py", "level, code = np.unique(scores, return_inverse=True)", "level, code = np.unique(scores + 1e-9 * np.arange(scores.size), return_inverse=True)", "ranking"),
    ("curves/roc.py", "2 * below + first", "2 * below", "pairs_in_order"),
    ("curves/roc.py", "width = (alarm_1 - alarm_2) + (miss_2 - miss_1)", "width = Fraction(1)", "equal_error_rate"),
    ("curves/roc.py", "place = int(np.flatnonzero(self.sensitivity[hull] >= wanted)[-1])", "place = int(np.flatnonzero(self.sensitivity[hull] >= wanted)[0])", "target_odds"),
    ("curves/roc.py", 'side="right"', 'side="left"', "sweep"),
    ("curves/likelihood_ratios.py", "np.log1p(alarms / misses)", "np.log1p(misses / alarms)", "minimum_cllr"),
    ("curves/selective.py", "choice != y", "choice == y", "selective"),
    ("statistics/bins.py", 'side="right"', 'side="left"', "reliability_by_bin"),
    ("metrics/reliability.py", "weights = samples.weights_at_priors()", "weights = samples.weights", "counts_m_times"),
    ("metrics/onepass.py", "sums if self.factors is None or not two else sums.scaled(self.factors)", "sums", "scorecard_has"),
    ("metrics/onepass.py", "factors=factors,", "factors=None,", "scorecard_has"),
    ("_kernels/definitions/passes.py", "units = w if factors is None else w * factors[code]", "units = w", "rows_pass"),
    ("metrics/calibration_errors.py", "sums.scaled(factors) if late and factors is not None else sums", "sums", "resampled_to_them or in_blocks"),
    ("metrics/binned_error.py", "u0 * u1 * p * (1 - p) * self._even", "u0 * p * (1 - p) * self._even", "calibration_errors"),
    ("metrics/binned_error.py", "return np.maximum(np.maximum(seen, mixed) - means, 0.0)", "return np.maximum(seen - means, 0.0) / 4", "cover_the_error"),
    ("metrics/binned_error.py", "terms = terms * np.sqrt(np.maximum(1 - share, 0.0))", "terms = terms * 1.0", "at_the_priors_have_no_error"),
    ("curves/reliability.py", "first, second = f1 * first, f2 * second", "first, second = 1 * first, 1 * second", "counts_m_times"),
    ("curves/roc.py", "places[0] / n1 / max(n1 - 1, 1) / n2 / n2", "places[0] / n1 / max(n1 - 1, 1) / n1 / n2", "interval_of_its_curve"),
    ("_kernels/definitions/ranks.py", "((a + b) / 2 for a, b in", "(a for a, b in", "spread_of_places"),
    ("costs/matrix.py", "if costs.classes not in (classes, tuple(range(len(classes)))):", "if False:", "class_order_of_named_costs"),
    # calibration
    ("calibration/newton.py", "excess[np.arange(y.size), y] -= w", "excess[np.arange(y.size), y] += w", "gradient"),
    ("calibration/newton.py", "hessian -= both.T @ weighted", "hessian -= 0.5 * (both.T @ weighted)", "gradient"),
    ("calibration/fitted.py", "return output.at_priors(self._known_priors(), target)", "return output", "test_calibration_priors"),
    ("calibration/fitted.py", "typed.answers(self.priors).log_p", "typed.answers(self.priors if priors is None else read_priors(priors, self.classes)).log_p", "test_calibration_priors"),
    ("calibration/fitted.py", "else scores.meaning == self.meaning", "else True", "test_calibration_priors"),
    ("calibration/fitted.py", "found.values - log(self._known_priors())", "found.values", "test_calibration_priors"),
    ("calibration/crossfit.py", "at = samples.priors if samples.scores.needs_priors else None", "at = None", "test_calibration_priors"),
    ("calibration/steps.py", "used = totals / totals.sum() if given is None else given", "used = totals / totals.sum()", "test_calibration_priors or test_order"),
    ("calibration/choice.py", "adjusted = holm([c.p_value for c in found])", "adjusted = [0.01 for c in found]", "test_calibrator_choice"),
    ("calibration/choice.py", "better = [c for c in table if c.p_value < 1 - self.level]", "better = list(table)", "test_calibrator_choice"),
    ("calibration/choice.py", "seen = samples.part(train)", "seen = samples", "test_calibrator_choice"),
    ("calibration/crossfit.py", "seen = samples.part(train)", "seen = samples", "saw_it or noise"),
    ("calibration/crossfit.py", "fold_of[g] = int(np.argmin(spread))", "fold_of[g] = 0", "groups"),
    ("samples.py", "_data_priors(y, weights, self.priors.size) if", "self.priors if", "saw_it"),
    ("calibration/steps.py", "ShiftMap(bayes - threshold)", "ShiftMap(threshold - bayes)", "tuned"),
    ("calibration/maps.py", "for part in (one, two)]", "for part in (two, one)]", "isotonic"),
    ("calibration/mixture.py", "2 * slope - 1", "slope", "priors_of_use or test_estimated_priors"),
    ("calibration/prior_check.py", "- new.influence @ rates", "", "test_estimated_priors"),
    ("calibration/prior_check.py", "- np.square(mean))", ")", "test_estimated_priors"),
    ("calibration/prior_check.py", "spread += p**2 * variance", "pass", "test_estimated_priors"),
    ("calibration/prior_check.py", "return self.p_value < DOUBT or", "return False and", "test_estimated_priors"),
    ("calibration/loss.py", "return self.raw.value - self.calibrated.value", "return self.calibrated.value - self.raw.value", "raw_is"),
    ("metrics/binned_error.py", "        chance = self._rate * (1 - self._rate)", "        chance = 0 * self._rate", "test_calibration_errors"),
    ("simulation.py", "np.sqrt(width) * noise", "width * noise", "published or simulated"),
    # intervals
    ("intervals/resampling.py", "times = times[self.place]", "times = times[: self.n]", "drawn_whole or keep_class_sizes"),
    ("intervals/resampling.py", "np.bincount(self.strata) if by_class", "np.array([self.n]) if by_class", "keep_class_sizes"),
    ("intervals/resampling.py", "np.where(self.parts[None, :] == np.array(rows)[:, None], 0.0, base)", "np.where(self.parts[None, :] <= np.array(rows)[:, None], 0.0, base)", "test_intervals and parts_cover"),
    ("intervals/resampling.py", "multinomial_counts(self.sizes, self.key, index)", "multinomial_counts(self.sizes, self.key, 0)", "test_intervals and others"),
    ("intervals/resampling.py", "if self.seed < 2**64:", "if True:", "more_than_64_bits"),
    ("intervals/sums.py", "[part @ row for row in mine]", "list(mine @ part.T)", "blocks_and_threads"),
    ("intervals/sums.py", "np.where(many == many.sum(axis=0), 0.0, rest)", "rest + 0 * many", "left_out_whole"),
    ("intervals/sums.py", "sums if plan.weights is not None else np.dstack", "np.dstack([sums[:, :, :-1], weight]) if plan.weights is not None else np.dstack", "streams_see"),
    ("intervals/sums.py", "cell = self.y * plan.units + (", "cell = 0 * self.y + (", "streams_see"),
    ("intervals/losses.py", "np.where((totals == 0) & (self.priors > 0), np.nan, self.priors)", "self.priors + 0 * totals", "not_drawn"),
    ("intervals/sums.py", "slice(int(r[0]), int(r[-1]) + 1) if r.size", "slice(int(r[0]), int(r[-1]) + 1) if r.size or", "test_intervals and every_class"),
    ("intervals/pass_sums.py", "if log.infinite.any():", "if False:", "infinite or other_calibrators"),
    ("scoring.py", "p * np.where(p > 0, losses, 0.0)", "p * losses", "naive_loss_of_many"),
    ("_kernels/definitions/reweighted.py", "- float(up @ down) / 2)", "* 1.0)", "ranking_metrics_under_weights"),
    ("_kernels/definitions/reweighted.py", "high, last = share, at", "high, last = share, at - 1", "ranking_metrics_under_weights"),
    ("_kernels/draws.py", "KERNELS is None or (ranking.rises < 0).any():\n        return", "KERNELS is None:\n        return", "errors_that_pay"),
    ("intervals/bootstrap.py", "float((gap**3) @ w) / (6 * spread**1.5)", "0.0", "ends_are_those_of_scipy or skewed"),
    ("intervals/bootstrap.py", "shift = _NORMAL.inv_cdf(below)", "shift = -_NORMAL.inv_cdf(below)", "ends_are_those_of_scipy or skewed"),
    ("intervals/bootstrap.py", "0.9 * drawn.size", "0.8 * drawn.size", "without_enough"),
    ("intervals/bootstrap.py", "np.mean(gap == 0) / 2", "np.mean(gap == 0)", "itself or paired"),
    ("intervals/ranking.py", "rises if self.priors is None else", "rises if True else", "that_of_the_curve"),
    ("intervals/counts.py", "without[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1", "without[:, cells[0, 0], cells[0, 1]] -= 1", "parts_of_counts"),
    ("intervals/counts.py", "if not by_class:", "if True:", "keep_class_sizes"),
    ("intervals/counts.py", "np.where((total == 0) & (priors[:, None] == 0), 0.0, shares)", "shares", "class_of_prior_0"),
    ("curves/delong.py", "second / 2) / n2", "second) / n2", "all_pairs"),
    ("curves/delong.py", "left_out_by_group(_influence(scores, y, auc, w), unit, w, y)", "_influence(scores, y, auc, w)", "areas_of_groups"),
    ("curves/delong.py", "pairs = (n1 + n2) / 2 - 1", "pairs = n1 + n2 - 2", "newcombes"),
    ("intervals/refit.py", "data.factors(totals.sum(axis=0) - totals[fold])", "data.factors(totals.sum(axis=0))", "has_a_say"),
    ("intervals/refit.py", "(sums.sum(axis=0) - sums[fold])", "sums.sum(axis=0)", "by_the_start_alone"),
    ("intervals/refit.py", "np.ones(data.y.size) if data.weights is None else data.weights", "np.ones(data.y.size)", "weighted_fit"),
    ("intervals/refit.py", "rows = train[kept]", "rows = np.arange(data.y.size)[: balanced.size][kept]", "has_a_say"),
    # displays and the numbers behind them
    ("displays/looks.py", 'plain(name, longest).replace("$", r"\\$")', "plain(name, longest)", "dollars_stay"),
    ("displays/looks.py", 'return f"\\u2009{text}" if text.startswith("_") else text', "return text", "underscore"),
    ("displays/looks.py", "for extreme in (np.fmin, np.fmax):", "for extreme in (np.fmin,):", "outline"),
    ("displays/looks.py", "sum(line.get_gid() == _SYSTEM for line in axes.lines)", "0", "looks_different"),
    ("displays/roc.py", "on_hull[curve.hull_points] = True", "on_hull[:] = True", "frames_hold"),
    ("displays/figures.py", "with mpl.rc_context(STYLE):\n        yield", "mpl.rcParams.update(STYLE)\n    yield", "style_of_others"),
    ("displays/figures.py", 'metadata={"Date": None}', "metadata=None", "figures_repeat or same_every_time"),
    ("curves/thresholds.py", "return gap.llr_threshold([0.5, 0.5])", "return gap.threshold()", "scale_of_the_scores"),
    ("curves/thresholds.py", "self.roc.priors if given is None else given", "self.roc.priors", "scale_of_the_scores or likelihood"),
    ("curves/thresholds.py", "return Posteriors(1 - scores.values)", "return scores", "other_class"),
    ("curves/reliability.py", "rng.binomial(n, in_file, ", "rng.binomial(n, 0.5 + 0 * in_file, ", "the_band_holds"),
    ("curves/reliability.py", "frequency=np.divide(two, one + two,", "frequency=np.divide(one, one + two,", "map_of_pooled"),
    ("curves/distributions.py", "weights /= np.array(found.roc.levels.totals)[:, None]", "weights /= weights.sum()", "shares_of_the_distribution"),
    ("curves/likelihood_ratios.py", 'np.searchsorted(self.roc.levels.level, 0.0, side="left")', 'np.searchsorted(self.roc.levels.level, 0.0, side="right")', "misleading"),
    ("metrics/confusion.py", "return matrix.values * p[:, None] * rates", "return matrix.values * rates", "cells_cost"),
    ("metrics/reliability.py", "rate * (1 - rate) / n + np.square", "rate / n + np.square", "wilson"),
    # evaluation
    ("evaluation/systems.py", "kept = None if self.samples.priors_from_data else self.samples.y[order]", "kept = self.samples.y[order]", "where_priors_are_given"),
    ("evaluation/systems.py", "place[order] = np.arange(order.size)", "place = order", "of_the_fits"),
    ("evaluation/parts.py", "curve.minimum_cost(costs, None if task.samples.priors_from_data else task.samples.priors)", "curve.minimum_cost(costs)", "single_functions"),
    ("evaluation/applications.py", "self.costs.part(kept) if", "self.costs.part(kept[::-1]) if", "own_amounts"),
    ("metrics/spreads.py", "+ q * q * unseen / 3", "+ 0 * unseen", "traded or not_seen"),
    ("metrics/spreads.py", "math.sqrt(float(rest @ rest)), total - least", "math.sqrt(float(rest @ rest)), total", "mcnemar"),
    ("metrics/paired.py", "p_value = flip_test(shared, shift)", "p_value = spread.p_value(value)", "exact_test or four"),
    ("metrics/paired.py", "(inward < abs(self.value)) != (self.p_value < alpha)", "self.p_value >= alpha", "does_not_widen"),
    ("metrics/paired.py", "allowing = None if self.allowing is None else self.allowing.turned()", "allowing = self.allowing", "turning_a_comparison or reserve"),
    ("evaluation/contrasts.py", "if self.largest is None or self.constant or other.constant:", "if self.largest is None:", "better_than_never"),
    ("evaluation/differences.py", "return self.distinguishable and band is not None and 0 in band", "return False", "reserve"),
    ("evaluation/odds.py", "(1 * (first > second) - (first < second))", "np.sign(first - second)", "0_and_1"),
    ("intervals/calibrated.py", "high=min(band.high, 1.0)", "high=band.high", "stay_where_values_can_be"),
    ("intervals/calibrated.py", "if counts.sum() < FEWEST_SAMPLES:", "if counts.sum() < 0:", "too_few_in_all"),
    ("results.py", "above = max(half, reach(centre + half))", "above = half", "naive_cost_that_varies"),
    ("metrics/per_sample.py", "if mine.size < _MANY or total <= 0:", "if True:", "typical_costly_case"),
    ("evaluation/losses.py", "        if not fixed:", "        if True:", "live_page_shows"),
    ("_text.py", "if 2 * 10**decimals * value % 2 == 1:", "if False:", "ties_are_rounded"),
    ("metrics/paired.py", "part - share * naive * value", "part", "test_paired"),
    ("intervals/areas.py", "np.square(np.bincount(unit, part))", "np.square(part)", "weights_and_copies"),
    ("metrics/multiplicity.py", "np.arange(order.size, 0, -1)", "np.ones(order.size)", "ten_equal or holm"),
    ("metrics/paired.py", "else value - float(flipped.sum())", "else 0.0", "by_a_hair"),
    ("evaluation/differences.py", "one = _p_below(system.minus(reference, unit, 1 + margin))", "one = _p_below(system.minus(reference, unit, 1 + 2 * margin))", "margin or ratio"),
    ("evaluation/comparison.py", "fits.get(metric, value)", "value", "values_are_those_of_evaluate"),
    ("evaluation/odds.py", "- math.log(p[1] / p[0])", "+ math.log(p[1] / p[0])", "named_system"),
    ("evaluation/odds.py", "unseen = self.unseen[k] *", "unseen = 0 *", "never_worse"),
    ("evaluation/odds.py", "less[i] &= _beats_naive(one, ratios[i], grid)", "pass", "worse_than_naive"),
    ("evaluation/verdicts/usefulness.py", "return -1 if band.high < 1 else 1 if band.low > 1 else 0", "return -1 if band.high <= 1 else 1 if band.low > 1 else 0", "usefulness"),
    ("evaluation/verdicts/usefulness.py", "return -1 if band.high < 1 else 1 if band.low > 1 else 0", "return -1 if band.high < 1 else 1 if band.low >= 1 else 0", "usefulness"),
    ("evaluation/verdicts/usefulness.py", "return shown if self.p_value < 1 - level else 0", "return shown", "usefulness"),
    ("evaluation/verdicts/families.py", "own = level_among(len(waiting), level)", "own = level", "several_claims"),
    ("evaluation/verdicts/families.py", "return 1 - (1 - level) / claims", "return level", "several_claims"),
    ("evaluation/verdicts/calibration.py", "not share.value >= GAIN", "not share.value > GAIN", "calibration_is_advised"),
    ("evaluation/verdicts/calibration.py", "after.interval.high < 1 and corrected.high < 1", "after.value < 1", "makes_useful"),
    ("evaluation/verdicts/calibration.py", "(a, most) for a, most in fine if most <= GAIN", "(a, most) for a, most in fine", "poor_probabilities"),
    ("evaluation/verdicts/calibration.py", "if slope is None or band is None or 1 in band:", "if slope is None or band is None:", "confidence"),
    ("evaluation/verdicts/rules.py", "if not reversed_:  # a calibrator", "if True:  # a calibrator", "swapped_columns"),
    ("evaluation/verdicts/rules.py", "if p_value < 1 - evaluation.level:", "if p_value <= 1:", "priors_differ"),
    ("evaluation/verdicts/rules.py", "float(max(ratio[worst], 1 / ratio[worst]))", "float(ratio[worst])", "priors_that_differ"),
    ("evaluation/verdicts/rules.py", "if len(made) > 1:", "if len(made) > 0:", "always_decides"),
    ("evaluation/verdicts/rules.py", "errors.high >= 1 if side > 0 else errors.low <= 1", "errors.low >= 1 if side > 0 else errors.high <= 1", "disagree"),
    ("evaluation/slices.py", "return tuple(replace(s, verdict=v)", "return tuple(s", "every_slice"),
    ("evaluation/verdicts/usefulness.py", "and _hopeless(c, level) else v", "and False else v", "every_slice"),
    ("calibration/slope.py", "influence / (1 - np.minimum(leverage, _LARGEST_LEVERAGE))", "influence", "slope"),
    ("curves/reading.py", "if positive is None and isinstance(seen[0], str):", "if False:", "texts_as_labels"),
    ("evaluation/verdicts/small_samples.py", "in errors.items() if n < FEWEST_ERRORS", "in errors.items() if n <= FEWEST_ERRORS", "few_errors"),
    ("evaluation/verdicts/small_samples.py", "if n < FEWEST_SAMPLES", "if n <= FEWEST_SAMPLES", "small_classes"),
    ("calibration/crossfit.py", "names if samples.row is None else names[samples.row], return_inverse=True)[1]", "names, return_inverse=True)[1][: samples.y.size]", "weight_0_are_absent"),
    ("evaluation/applications.py", "samples.scores.at_priors(old, samples.priors)", "samples.scores.at_priors(samples.priors, old)", "adapted_to_the_priors"),
    ("evaluation/applications.py", "replace(task, samples=adapted(task.samples, training))", "task", "adapted_to_the_priors"),
    ("evaluation/thresholds.py", "max(bayes, capped_threshold(value, share, cap))", "capped_threshold(value, share, cap)", "cap_is_kept"),
    ("evaluation/thresholds.py", "above <= cap + 1e-12", "above < 2 * cap", "cap_is_kept"),
    ("evaluation/thresholds.py", "w * (first - second)", "first - second", "best_on_the_data"),
    ("evaluation/thresholds.py", "return first - second,", "return second - first,", "expected_saving or largest_expected"),
    ("curves/likelihood_ratios.py", "LogLoss().of(y, answers) / math.log(2)", "LogLoss().of(y, answers)", "cllr_is_normalised"),
    # the risk curve
    ("curves/steps.py", 'thresholds, side="right")', 'thresholds, side="left")', "test_risk and mean_cost"),
    ("curves/steps.py", "np.where(first < _ROUND, -logit(first), logit(second))", "logit(second)", "test_risk and same_curve"),
    ("curves/steps.py", "return scores.ranks() + (second - first)", "return scores.ranks()", "test_risk and likelihood_ratios"),
    ("curves/steps.py", "- log(first / n1) + prior_log_odds", "- log(first / n1)", "test_risk and least_cost"),
    ("curves/steps.py", "drift=costs * (squared - rate)", "drift=0 * costs", "test_risk and record_of"),
    ("curves/steps.py", "loss(against_2 - shift)", "loss(against_2 + shift)", "test_risk and cllr_at_even"),
    ("curves/dialects.py", "effective = np.column_stack([sigmoid(margin), sigmoid(-margin)])", "effective = np.column_stack([sigmoid(-margin), sigmoid(margin)])", "test_risk and dialect"),
    ("curves/dialects.py", "np.ones(at.value.size), (0.0, -1.0))", "np.ones(at.value.size), (-1.0, 0.0))", "test_risk and net_benefit"),
    ("curves/dialects.py", "np.array(offsets), priors.from_data", "np.array(offsets), False", "test_risk and prevalence_vary"),
    ("curves/worst.py", "[jumps, below, bends, [prior, low, high]]", "[jumps, bends, [prior, low, high]]", "test_risk and worse_than"),
    ("curves/risk.py", "dialect.normalized else record.interval", "False else record.interval", "test_risk and as_given"),
    ("cli/decide.py", "kept = chosen * (value > cut)", "kept = chosen * (value >= cut)", "test_cli_decide"),
    # the sketch
    ("evaluation/sketch/levels.py", "found.append(z + _SLACK * (1 + abs(z)))", "pass", "test_sketch"),
    ("evaluation/sketch/levels.py", "z + _SLACK * (1 + abs(z))", "z - _SLACK * (1 + abs(z))", "test_sketch"),
    ("evaluation/sketch/levels.py", "math.log(rise / fall) - moved", "math.log(rise / fall)", "test_sketch"),
    ("evaluation/sketch/levels.py", "np.where(inside, brief, middle)", "np.round(middle)", "test_sketch"),
    ("evaluation/sketch/levels.py", "cell[np.isneginf(full.level)] = 0", "pass", "test_sketch"),
    ("evaluation/sketch/rows.py", "np.arange(chosen.size) / chosen.size", "np.arange(chosen.size)", "test_sketch"),
    ("evaluation/sketch/rows.py", "gap = abs(nec - a.normalized[i])", "gap = 0.0", "test_sketch"),
    ("evaluation/sketch/rows.py", "min(_FEWEST, most // (y.max() + 1))", "0", "test_sketch"),
    ("evaluation/sketch/make.py", "reference = np.full(k, 1 / k)", "reference = None", "test_sketch"),
    # one pass
    ("_kernels/definitions/ranks.py", "parts = scores[~second], scores[second]", "parts = scores[second], scores[~second]", "test_order"),
    ("_kernels/keys.py", "if unknown or other:", "if unknown:", "test_order"),
    ("_kernels/keys.py", "    if outside:\n        return", "    if False:\n        return", "test_order"),
    ("_kernels/sweeps.py", "sum(at.totals) < _MOST", "sum(at.totals) < 2.0**63", "test_order"),
    ("curves/reading.py", "positive != names[-1]", "positive not in names", "test_order"),
    ("calibration/steps.py", "not (high[:-1] < low[1:]).all()", "not (high[:-1] <= low[1:]).all()", "test_order"),
    ("calibration/steps.py", "blocks.limits[1] <= 1", "blocks.limits[1] <= 2", "test_order"),
    ("calibration/steps.py", "each = priors / totals", "each = (totals / n) / totals", "test_order"),
    ("scoring.py", "others[top] = rest", "pass", "naive_losses"),
    ("statistics/losses.py", "if self.square is self.weight:", "if True:", "test_scorecard"),
    ("_kernels/definitions/passes.py", "weight = square = count.astype(np.float64)", "weight = square = np.ones(used.size)", "test_kernels"),
    ("metrics/onepass.py", "limits.largest <= 1 and not limits.unknown", "limits.largest <= 2 and not limits.unknown", "test_scorecard"),
    ("metrics/onepass.py", "return limits.gap <= slack(unit, data.values.shape[1])", "return True", "test_scorecard"),
    # words and names
    ("_kernels/arrays.py", "return array if array.flags.aligned else array.copy()", "return array", "test_kernels and forbids"),
    ("_check/numbers.py", '    if w.ndim != 1:\n        msg = f"{argument} must be 1-D', '    if w.ndim > 2:\n        msg = f"{argument} must be 1-D', "test_score_errors"),
    ("costs/forms.py", "if set(known) <= set(decisions):", "if False:", "test_costs"),
    ("_check/labels.py", "else i if places else", "else i if True else", "test_costs"),
    # files
    ("cli/outputs.py", "return Path(path).samefile(other)", "return path == other", "test_cli_files"),
    ("cli/outputs.py", "            yield from (part.path for part in parts)\n", "            pass\n", "test_cli_files"),
    ("io/sources.py", "if first is not part:", "if False:", "test_cli_files"),
    ("_files.py", "    finally:\n        _discard(temporary)", "    finally:\n        pass", "full_disk_leaves"),
    ("_signals.py", "    if now - _last[0] >= _LEAVING:", "    if True:", "test_cli_files"),
    ("cli/__init__.py", "    if short_of_memory(error):", "    if False:", "test_cli_files"),
    ("io/patterns.py", "count.add()", "pass", "test_cli_files"),
    ("io/arrays.py", "if size > _LONGEST_CONTENTS:", "if False:", "test_cli_files"),
    ("io/arrays.py", "((codes >> 11) == _SURROGATES)).any()", "((codes >> 11) == _SURROGATES)).all()", "test_io_damage"),
    ("io/columns.py", "except (ValueError, OverflowError, NotImplementedError)", "except (OverflowError, NotImplementedError)", "test_io_damage"),
    # precision of rows
    ("_check/precision.py", "_capped(bound * (1 - _MARGIN))", "_capped(bound * (1 + _MARGIN))", "test_precision"),
    ("_check/precision.py", "return np.minimum(bound, NEVER * (1 - _MARGIN))", "return bound", "test_precision"),
    ("_check/precision.py", "return not few or 2 * used > total", "return True", "test_precision"),
    ("_check/precision.py", "_capped(bound * (1 + _MARGIN) + computed)", "_capped(bound * (1 - _MARGIN))", "test_precision"),
    ("_check/tables.py", "p = p / total[:, None]", "pass", "test_precision"),
    ("_check/tables.py", "row = int(gap.argmax())\n    count", "row = 0\n    count", "test_precision"),
    ("scores/types.py", "np.column_stack([self._values, 1 - self._values])", "1 - self._values", "test_cli_rounding"),
    ("metrics/card.py", "            yield as_scores(scores)\n", "            return\n", "test_precision"),
    ("costs/matrix.py", "(-tie if j < best else tie)", "tie", "lie_on_intervals"),
    ("calibration/newton.py", "return gradient[kept], hessian[np.ix_(kept, kept)]", "return gradient[kept], hessian[: kept.size, : kept.size]", "test_calibration and gradient"),
    ("calibration/newton.py", "scale = problem.held_scale + float(theta[0])", "scale = float(theta[0])", "test_calibration and gradient"),
    ("calibration/crossfit.py", "return bool(seen[other].any())", "return False", "test_calibration"),
    ("calibration/newton.py", "0.5 * math.exp(reach + away) * reach", "0.005 * math.exp(reach + away) * reach", "test_fits and bound"),
    ("calibration/newton.py", "math.expm1(away) + 0.5", "0.5", "test_fits and bound"),
    ("calibration/newton.py", "_BOUND = 1e-9", "_BOUND = 1e-5", "test_fits and optimum"),
    ("calibration/pooled.py", "size[0] /= self.unit", "size[0] /= 2 * self.unit", "test_fits and unit"),
    ("calibration/pooled.py", "if folded and scores.needs_priors and samples.priors_from_data", "if False", "test_fits and likelihoods"),
    ("calibration/pooled.py", "others = [slopes for i, slopes in enumerate(found) if i != part]", "others = found", "test_fits and share"),
    ("calibration/affine.py", "learns = type(self).learn is LinearCalibrator.learn", "learns = True", "test_fits and own"),
    ("calibration/affine.py", "_FEW = 20_000", "_FEW = 0", "test_calibration and saw_it"),
    ("calibration/quasi.py", "_GRADIENT = 3e-9", "_GRADIENT = 3e-6", "test_fits and optimum"),
    ("calibration/quasi.py", "left -= share * bend", "left += share * bend", "test_fits and optimum"),
    ("calibration/crossfit.py", "turns[start : start + last - first]", "turns[: last - first]", "test_fits and dealt"),
    ("_kernels/definitions/affine.py", "w * each[y[part]]", "w", "test_kernels and slopes"),
    ("_kernels/definitions/folds.py", "scale[groups, None]", "scale[0]", "test_kernels and affine_answers"),
    ("calibration/steps.py", "scale = (1.0, 1.0) if each is None else each * y.size", "scale = (1.0, 1.0)", "test_calibration or test_risk"),
    # the page
    ("report/markup.py", "return html.escape(plain(content, _LONGEST))", "return content", "test_report and not room"),
    ("report/markup.py", '="{html.escape(value)}"', "='{value}'", "test_report and not room"),
    ("report/payload.py", 'text.replace("<", "\\\\u003c")', "text", "test_report and not room"),
    ("report/payload.py", '"dataPriors": sketch.priors.tolist()', '"dataPriors": sketch.priors.tolist()[::-1]', "test_browser"),
    ("report/payload.py", "inv_cdf((1 + level) / 2)", "inv_cdf(level)", "test_browser"),
    ("report/page.py", "script-src", "script-src-old", "test_report and not room"),
    ("report/page.py", 'sandbox="allow-scripts"', 'sandbox="allow-scripts allow-same-origin"', "test_report and not room"),
]  # fmt: skip


CAUGHT, NOT_CAUGHT = 1, 0  # pytest's exit codes: tests failed, all passed


def survives(file: str, right: str, wrong: str, tests: str) -> bool:
    """Tell whether no test fails with the defect planted; only failing tests count as caught."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(TOP / "src", source)
        target = source / "stakes" / file
        text = target.read_text(encoding="utf-8")
        if right not in text:
            sys.exit(f"{file} no longer holds {right!r}: mend the list of defects")
        target.write_text(text.replace(right, wrong, 1), encoding="utf-8")
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                "-k",
                tests,
                "tests",
            ],
            cwd=TOP,
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            check=False,
        )
        if done.returncode not in {CAUGHT, NOT_CAUGHT}:
            sys.exit(f"pytest could not run -k {tests!r}:\n{done.stdout.decode()[-2000:]}")
        return done.returncode == NOT_CAUGHT


def main() -> None:
    """Plant every defect and count the survivors."""
    alive = 0
    if not survives("_math.py", "import math", "import math", "test_math"):
        sys.exit("the tests fail without any defect planted")
    chosen = [row for row in DEFECTS if row[0].startswith(tuple(sys.argv[1:]) or ("",))]
    for file, right, wrong, tests in chosen:
        lives = survives(file, right, wrong, tests)
        alive += lives
        sys.stdout.write(f"{'SURVIVES' if lives else 'caught':<9} {file}: {wrong}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - alive} of {len(chosen)} planted defects were caught\n")
    sys.exit(alive > 0)


if __name__ == "__main__":
    main()
