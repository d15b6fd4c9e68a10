"""The data sets of the nets, made from seeds, and the ways that each can be given.

Scores are rounded, so that a last bit of `exp` decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

import stakes
from stakes.calibration.registry import read_calibrator

Column = np.ndarray[Any, Any]
Path = Callable[[], Any]
FIVE_TO_ONE = {"miss": 5, "false_alarm": 1}


@dataclass(frozen=True)
class Rows:
    """Labels and scores, and what else belongs to each row."""

    y: Column
    scores: Column
    weight: Column | None = None
    group: Column | None = None
    slices: Mapping[str, Column] = field(default_factory=dict)
    amounts: Mapping[str, Column] = field(default_factory=dict)

    def part(self, rows: Any) -> Rows:
        """Return some rows, or all in another order."""
        return Rows(
            self.y[rows],
            self.scores[rows],
            None if self.weight is None else self.weight[rows],
            None if self.group is None else self.group[rows],
            {name: column[rows] for name, column in self.slices.items()},
            {name: column[rows] for name, column in self.amounts.items()},
        )


def permuted(n: int) -> Column:
    """Return the order in which rows are given a second time."""
    return np.random.default_rng(n).permutation(n)


def thirds(rows: Rows) -> list[Rows]:
    """Return three batches of different sizes."""
    n = rows.y.size
    cuts = [0, max(1, n // 6), n // 2, n]
    return [rows.part(slice(*ends)) for ends in pairwise(cuts)]


@dataclass(frozen=True)
class Evaluated:
    """One system, by `evaluate` and by `Summary`."""

    rows: Rows
    costs: Any = None
    kind: type[stakes.Scores] = stakes.Posteriors
    classes: Sequence[Any] | None = None
    priors: Any = None
    training_priors: Any = None
    summed_training: Any = None  # where a summary needs it in numbers
    rules: tuple[stakes.ScoringRule, ...] = (stakes.LogLoss(), stakes.BrierLoss())
    calibrator: str = "affine"
    ignore_index: Any = None

    def paths(self) -> dict[str, Path]:
        """Return how the rows can be given; all should give the same."""
        order = permuted(self.rows.y.size)
        return {
            "arrays": lambda: self.evaluated(self.rows),
            "permuted": lambda: self.evaluated(self.rows.part(order)),
            "batches": lambda: self._finished(self.summed(thirds(self.rows))),
            "merged": self._merged,
        }

    def evaluated(self, rows: Rows) -> stakes.Evaluation:
        """Evaluate arrays."""
        by_case = isinstance(self.costs, stakes.CostsByCase)
        return stakes.evaluate(
            rows.y, self.kind(rows.scores),
            costs=self.costs.with_columns(rows.amounts) if by_case else self.costs,
            priors=self.priors, training_priors=self.training_priors, groups=rows.group,
            slices=dict(rows.slices) or None, sample_weight=rows.weight, classes=self.classes,
            rules=self.rules, calibrator=read_calibrator(self.calibrator),
            ignore_index=self.ignore_index,
        )  # fmt: skip

    def summed(self, batches: Sequence[Rows]) -> stakes.Summary:
        """Return the summary of batches."""
        training = self.summed_training
        named = self.classes
        if named is None and not isinstance(self.costs, stakes.CostMatrix | stakes.CostsByCase):
            named = np.unique(self.rows.y[self.rows.y != self.ignore_index]).tolist()
        total = stakes.Summary(
            classes=named, scores=self.kind, costs=self.costs, priors=self.priors,
            training_priors=self.training_priors if training is None else training,
            rules=self.rules, weighted=self.rows.weight is not None,
            grouped=self.rows.group is not None, slices=tuple(self.rows.slices),
        )  # fmt: skip
        for rows in batches:
            total.update(
                rows.y, rows.scores, sample_weight=rows.weight, groups=rows.group,
                slices=dict(rows.slices) or None, columns=dict(rows.amounts) or None,
                ignore_index=self.ignore_index,
            )  # fmt: skip
        return total

    def _merged(self) -> stakes.Evaluation:
        """Evaluate summaries of parts, merged in another order and through bytes."""
        first, *others = (self.summed([rows]) for rows in thirds(self.rows))
        for each in others:
            first = stakes.Summary.from_bytes(each.to_bytes(), rules=self.rules) + first
        return self._finished(first)

    def _finished(self, total: stakes.Summary) -> stakes.Evaluation:
        return total.evaluate(calibrator=read_calibrator(self.calibrator))


@dataclass(frozen=True)
class Compared:
    """Several systems on the same rows: a column of scores for each class and system."""

    rows: Rows  # scores of shape (N, systems, classes)
    names: tuple[str, ...]
    asked: Mapping[str, Any]
    kind: type[stakes.Scores] = stakes.Posteriors

    def paths(self) -> dict[str, Path]:
        """Return how the rows can be given."""
        order = permuted(self.rows.y.size)
        return {
            "arrays": lambda: self.compared(self.rows),
            "permuted": lambda: self.compared(self.rows.part(order)),
        }

    def compared(self, rows: Rows) -> stakes.Comparison:
        """Compare arrays."""
        columns = zip(self.names, np.moveaxis(rows.scores, 1, 0), strict=True)
        systems = {name: self.kind(scores) for name, scores in columns}
        asked = {"groups": rows.group, "sample_weight": rows.weight, **self.asked}
        return stakes.compare(rows.y, systems, **asked)


@dataclass(frozen=True)
class Called:
    """Any call that takes columns by name, with the rows in two orders."""

    columns: Mapping[str, Column]
    call: Callable[[Mapping[str, Column]], Any]
    also: Mapping[str, Path] = field(default_factory=dict)

    def paths(self) -> dict[str, Path]:
        """Return how the rows can be given."""
        order = permuted(len(next(iter(self.columns.values()))))
        moved = {name: column[order] for name, column in self.columns.items()}
        both = {"arrays": lambda: self.call(self.columns), "permuted": lambda: self.call(moved)}
        return {**both, **self.also}


Net = Evaluated | Compared | Called


# Rows


def logit_rows(seed: int, n: int, share: float = 0.3, strength: float = 1.0) -> Rows:
    """Return two classes with logits of the last, which are too extreme."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int64)
    z = strength * (2 * y - 1) * 1.5 + rng.normal(0, 1.5, n) + np.log(share / (1 - share))
    return Rows(y, np.round(1.4 * z, 3))


def two_classes(seed: int, n: int, share: float = 0.3, strength: float = 1.0) -> Rows:
    """Return two classes with posteriors of the last, in six decimals."""
    rows = logit_rows(seed, n, share, strength)
    return replace(rows, scores=np.round(1 / (1 + np.exp(-rows.scores)), 6))


def many_classes(seed: int, n: int, k: int, decimals: int = 3) -> Rows:
    """Return classes of falling shares with posteriors that are a little too flat."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, k + 1)
    y = rng.choice(k, n, p=shares / shares.sum())
    y[:k] = np.arange(k)
    z = rng.normal(0, 1, (n, k)) + 1.8 * np.eye(k)[y]
    return Rows(y, hundredths(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), decimals))


def hundredths(p: Column, decimals: int) -> Column:
    """Return posteriors that are whole numbers of some last decimal and sum to 1."""
    one = 10**decimals
    found = np.floor(p * one)
    found[np.arange(len(p)), p.argmax(axis=1)] += one - found.sum(axis=1)
    return found / one


def weights_of(n: int) -> Column:
    """Return uneven weights."""
    return 0.5 + (np.arange(n) * 7 % 11) / 4


def groups_of(n: int, size: int = 4) -> Column:
    """Return names of groups of different sizes."""
    return np.array([f"p{(i * i) % (n // size):03d}" for i in range(n)])


def sites_of(n: int) -> dict[str, Column]:
    """Return two columns of slices."""
    site = np.array(["north", "south", "west"])[np.arange(n) * 5 % 7 % 3]
    return {"site": site, "round": np.arange(n) * 3 % 5 % 2}


def amounts_of(n: int) -> dict[str, Column]:
    """Return amounts with a long tail, and a fee."""
    rng = np.random.default_rng(n)
    amount = np.round(np.exp(rng.normal(3, 1, n)), 2)
    return {"amount": amount, "fee": np.round(rng.uniform(0.5, 3, n), 1)}


def zeroed(rows: Rows, *, wrong: bool) -> Rows:
    """Return posteriors of which many are 0 or 1; where `wrong`, some of these are wrong."""
    p = rows.scores.copy()
    p[(rows.y == 0) & (p < 0.3)] = 0
    p[(rows.y == 1) & (p > 0.8)] = 1
    if wrong:
        p[np.flatnonzero(rows.y == 1)[:2]] = 0
    return replace(rows, scores=p)


def several(rows: Rows, *strengths: float) -> Rows:
    """Return a system for each strength of the scores, with noise of its own."""
    rng = np.random.default_rng(rows.y.size)
    z = np.log(rows.scores / (1 - rows.scores))
    columns = []
    for strength in strengths:
        own = strength * z + rng.normal(0, 1, z.size)
        p = np.round(1 / (1 + np.exp(-own)), 5)
        columns.append(np.column_stack([1 - p, p]))
    return replace(rows, scores=np.stack(columns, axis=1))


def three_systems(seed: int, n: int, k: int) -> Rows:
    """Return systems for more than two classes, of which the last is the first blurred."""
    first, second = many_classes(seed, n, k), many_classes(seed + 1, n, k)
    blurred = hundredths(0.5 * first.scores + 0.5 / k, 3)
    worse = hundredths((first.scores + second.scores) / 2, 3)
    return replace(first, scores=np.stack([first.scores, worse, blurred], axis=1))


def answer_columns(seed: int, n: int) -> dict[str, Column]:
    """Return answers that were right or wrong, how sure they were, and abstentions."""
    rng = np.random.default_rng(seed)
    known = rng.beta(2, 1, n)
    right = rng.random(n) < known
    return {
        "right": right,
        "sure": np.round(known**0.6, 2),
        "silent": (known < 0.4) & (rng.random(n) < 0.8),
        "blurred": np.round(np.clip(known + rng.normal(0, 0.2, n), 0.01, 0.99), 2),
        "other": rng.random(n) < np.sqrt(known),
        "topic": np.array(["law", "sport", "art"])[np.arange(n) % 3],
        "question": groups_of(n, 3),
        "weight": weights_of(n),
    }


def judged_columns(seed: int, n: int) -> dict[str, Column]:
    """Return labels of a judge for all rows and of people for some."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.65
    judge = np.where(rng.random(n) < 0.85, truth, ~truth).astype(np.float64)
    human = np.where(rng.random(n) < 0.4, truth.astype(np.float64), np.nan)
    return {
        "human": human, "judge": judge, "silent": rng.random(n) < 0.1,
        "group": groups_of(n, 3), "chance": np.where(judge == 1, 0.5, 0.3),
    }  # fmt: skip


# Calls whose results have numbers of their own


def thresholds(costs: Any, **more: Any) -> Callable[[Mapping[str, Column]], Any]:
    """Return a call that chooses a threshold."""

    def call(at: Mapping[str, Column]) -> Any:
        own = costs.with_columns(at) if isinstance(costs, stakes.CostsByCase) else costs
        weight = at.get("weight")
        return stakes.choose_threshold(at["y"], at["p"], costs=own, sample_weight=weight, **more)

    return call


def decided(
    costs: Any, priors: Any = None, **names: Any
) -> Callable[[Mapping[str, Column]], stakes.DecisionEvaluation]:
    """Return a call that evaluates hard decisions."""

    def call(at: Mapping[str, Column]) -> stakes.DecisionEvaluation:
        counted = stakes.confusion_matrix(at["y"], at["d"], sample_weight=at.get("weight"), **names)
        return stakes.evaluate_decisions(counted, costs, priors)

    return call


def decided_by_case(at: Mapping[str, Column]) -> stakes.DecisionEvaluation:
    """Evaluate hard decisions at costs that differ from case to case."""
    costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], at)
    counted = stakes.confusion_matrix(at["y"], at["d"])
    priced = stakes.expected_cost(at["y"], at["d"], costs=costs)
    return stakes.evaluate_decisions(counted, priced=priced)


def responses_of(at: Mapping[str, Column], sure: str = "sure", right: str = "right") -> Any:
    """Return answers with weights and questions where there are such columns."""
    return stakes.Responses(
        at[right],
        at.get(sure),
        at.get("silent") if right == "right" else None,
        groups=at.get("question"),
        sample_weight=at.get("weight"),
    )


def answered(target: float, **more: Any) -> Callable[[Mapping[str, Column]], Any]:
    """Return a call that evaluates answers."""

    def call(at: Mapping[str, Column]) -> Any:
        slices = {"topic": at["topic"]} if "topic" in at else None
        return stakes.evaluate_responses(responses_of(at), target, slices=slices, **more)

    return call


def worded(at: Mapping[str, Column]) -> Any:
    """Evaluate answers whose confidence is said in words."""
    words = np.array(["unsure", "likely", "certain"])[np.digitize(at["sure"], [0.6, 0.85])]
    said = stakes.VerbalConfidence(words, {"unsure": 0.5, "likely": 0.8, "certain": 0.97})
    return stakes.evaluate_responses(stakes.Responses(at["right"], said), 0.75)


def answers_compared(at: Mapping[str, Column]) -> Any:
    """Compare three systems that answered the same questions."""
    systems = {
        "bold": stakes.Responses(at["right"], at["sure"]),
        "humble": stakes.Responses(at["right"], at["sure"], at["silent"]),
        "other": stakes.Responses(at["other"], at["blurred"]),
    }
    return stakes.compare_responses(systems, 0.7, slices={"topic": at["topic"]})


def judged(**more: Any) -> Callable[[Mapping[str, Column]], Any]:
    """Return a call that reports on judged answers."""

    def call(at: Mapping[str, Column]) -> Any:
        named: dict[str, Any] = {name: at[column] for name, column in more.items()}
        return stakes.judge_report(at["human"], at["judge"], at["silent"], target=0.6, **named)

    return call


def options(at: Mapping[str, Column]) -> dict[str, Any]:
    """Return the numbers of multiple-choice questions of different sizes."""
    sizes = 2 + at["right"] % 3
    rows = [list(row[:size]) for row, size in zip(at["scores"], sizes, strict=True)]
    found = stakes.OptionScores(
        rows, [int(r) for r in at["right"]], kind=stakes.LogLikelihoods,
        lengths=[[float(3 + j) for j in range(size)] for size in sizes],
    )  # fmt: skip
    at_target = {str(t): _loss(found.cost_at(t)) for t in (0.5, 0.75, 0.9)}
    accuracy = found.accuracy()
    return {
        "accuracy": {"value": accuracy.value, "naive": accuracy.naive, "skill": accuracy.skill},
        "per length": float(found.per_length().accuracy()),
        "error rate": _loss(found.error_rate()),
        "log score": _loss(found.log_score()),
        "Brier score": _loss(found.brier_score()),
        "spherical": _loss(found.expected_loss(stakes.SphericalLoss())),
        "calibration error": float(found.calibration_error()),
        "cost at": at_target,
        "answers": stakes.evaluate_responses(found.responses(0.75), 0.75).to_dict()["numbers"],
    }


def _loss(found: stakes.ExpectedLoss) -> dict[str, Any]:
    """Return the numbers of a loss that need no interval."""
    return {
        "value": found.value, "normalized": found.normalized, "naive": found.naive,
        "naive_answer": str(found.naive_answer), "by_class": found.by_class,
    }  # fmt: skip


def measures(at: Mapping[str, Column]) -> dict[str, Any]:
    """Return what the functions of one number or one curve give for two classes."""
    y, p, weight = at["y"], at["p"], at.get("weight")
    llr = stakes.LogLikelihoodRatios(at["llr"])
    own: dict[str, Any] = {} if weight is None else {"sample_weight": weight}
    log = stakes.LogLoss()
    roc, sweep = stakes.roc_curve(y, p, **own), stakes.threshold_sweep(y, p, **own)
    detection = stakes.detection_cost(y, llr, target_prior=0.05, miss=10, **own)
    abstaining = stakes.abstention_curve(y, p, [0.05, 0.1, 0.3], **own)
    errors = (stakes.calibration_error, stakes.confidence_calibration_error)
    split, lost = stakes.decompose(log, y, p, **own), stakes.calibration_loss(log, y, p, **own)
    return {
        "bayes cost": _loss(stakes.bayes_cost(y, p, costs=FIVE_TO_ONE, **own)),
        "cross-entropy": _loss(stakes.cross_entropy(y, p, **own)),
        "cross-entropy at 0.1": _loss(stakes.cross_entropy(y, p, priors=0.1, **own)),
        "Brier score": _loss(stakes.brier_score(y, p, **own)),
        "auc": float(stakes.auc(y, p, **own)),
        "average precision": float(stakes.average_precision(y, p, **own)),
        "cllr": _loss(stakes.cllr(y, llr, **own)),
        "minimum cllr": float(stakes.minimum_cllr(y, llr, **own)),
        "detection cost": {
            "actual": _loss(detection.actual), "minimum": detection.minimum.value,
            "effective prior": detection.effective_prior, "threshold": detection.threshold,
        },
        "binned errors": {e.__name__: float(e(y, p, **own)) for e in errors},
        "smooth error": float(stakes.smooth_calibration_error(y, p, **own)),
        "decomposition": {
            "miscalibration": split.miscalibration, "discrimination": split.discrimination,
            "uncertainty": split.uncertainty,
        },
        "calibration loss": {
            "raw": lost.raw.value, "calibrated": lost.calibrated.value,
            "divergence": lost.divergence, "refinement": lost.refinement,
        },
        "roc": {"auc": roc.auc, "thresholds": len(roc.thresholds)},
        "sweep": {m.name: np.asarray(m.values)[:: max(1, len(m.values) // 8)] for m in sweep.metrics},
        "abstention": {
            "costs": [c.value for c in abstaining.costs], "rates": abstaining.abstention_rates,
        },
        "reliability": {
            name: getattr(stakes.reliability(y, p, **own), name)
            for name in ("probability", "frequency", "share")
        },
    }  # fmt: skip


def calibrators(at: Mapping[str, Column]) -> dict[str, Any]:
    """Return what every calibrator learns, as probabilities of a few scores."""
    found: dict[str, Any] = {}
    few = np.column_stack([1 - FEW, FEW])
    three = np.column_stack([FEW / 2, 1 - FEW, FEW / 2])
    for name in ("affine", "beta", "bias", "histogram", "isotonic", "temperature", "vector"):
        fitted = _calibrator(name).fit(np.column_stack([1 - at["p"], at["p"]]), at["y"])
        found[name] = np.round(np.exp(fitted.transform(few).log_posteriors())[:, 1], 9)
    for name in ("affine", "bias", "matrix", "temperature", "vector"):
        fitted = _calibrator(name).fit(at["q"], at["third"])
        found[f"{name}, three classes"] = np.round(
            np.exp(fitted.transform(three).log_posteriors()), 9
        )
    return found


FEW = np.array([0.001, 0.05, 0.2, 0.5, 0.7, 0.9, 0.995])


def _calibrator(name: str) -> stakes.Calibrator:
    found = read_calibrator(name)
    assert found is not None
    return found


def several_measures(at: Mapping[str, Column]) -> dict[str, Any]:
    """Return means of judged rows, shares of answers and estimated priors."""
    mean = stakes.judged_mean(at["human"], at["judge"])
    chances = stakes.judged_mean(at["human"], at["judge"], inclusion=at["chance"])
    estimated = stakes.estimate_priors(np.column_stack([1 - at["p"], at["p"]]), [0.7, 0.3])
    card = stakes.scorecard(at["y"], at["p"], costs=FIVE_TO_ONE)
    return {
        "judged mean": mean.value,
        "judged mean, chances": chances.value,
        "estimated priors": estimated.priors,
        "scorecard": {
            "cost": _loss(card.cost), "cross-entropy": _loss(card.cross_entropy),
            "Brier score": _loss(card.brier_score),
        },
    }  # fmt: skip


# The sets


def _plain(n: int = 400) -> Rows:
    return two_classes(1, n)


def _evaluations() -> dict[str, Net]:
    """Return sets of one system with scores."""
    two, three, ten = _plain(), many_classes(2, 450, 3), many_classes(3, 600, 10, 2)
    n = two.y.size
    named = replace(two, y=np.array(["calm", "alarm"])[two.y])
    by_case = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
    fees = stakes.CostsByCase(
        [[0, 3, "fee"], ["amount", 0, "fee"]], classes=[0, 1], decisions=[0, 1, "review"]
    )
    steps = [[0, 1, 4, 0.6], [2, 0, 1, 0.6], [9, 3, 0, 0.6]]
    answers = stakes.CostMatrix(steps, decisions=["a", "b", "c", "abstain"])
    uses = {
        "screening": stakes.Application({"miss": 40, "false_alarm": 1}, [0.98, 0.02]),
        "clinic": stakes.Application({"miss": 4, "false_alarm": 1}, [0.6, 0.4]),
    }
    both = replace(two, weight=weights_of(n), group=groups_of(n))
    tied = replace(two, scores=np.round(two.scores, 1) * 0.98 + 0.01)
    shares = (np.bincount(two.y) / n).tolist()
    every = (
        stakes.LogLoss(), stakes.BrierLoss(), stakes.SphericalLoss(),
        stakes.ThresholdRange(0.1, 0.4), stakes.BayesCost(stakes.CostMatrix.zero_one(2)),
    )  # fmt: skip
    logs = np.log(np.maximum(three.scores, 1e-4))
    ignored = np.where(np.arange(n) % 9 == 4, -100, two.y)
    return {
        "two_classes": Evaluated(two, FIVE_TO_ONE),
        "two_classes_no_costs": Evaluated(two),
        "named_classes": Evaluated(named, FIVE_TO_ONE, classes=["calm", "alarm"]),
        "three_classes": Evaluated(three),
        "ten_classes": Evaluated(ten),
        "weights": Evaluated(replace(two, weight=weights_of(n)), FIVE_TO_ONE),
        "weights_three_classes": Evaluated(replace(three, weight=weights_of(450))),
        "groups": Evaluated(replace(two, group=groups_of(n)), FIVE_TO_ONE),
        "groups_three_classes": Evaluated(replace(three, group=groups_of(450))),
        "slices": Evaluated(replace(two, slices=sites_of(n)), FIVE_TO_ONE),
        "weights_groups_slices": Evaluated(replace(both, slices=sites_of(n)), FIVE_TO_ONE),
        "costs_by_case": Evaluated(replace(two, amounts=amounts_of(n)), by_case),
        "costs_by_case_abstain": Evaluated(replace(two, amounts=amounts_of(n)), fees),
        "costs_by_case_weights": Evaluated(replace(both, amounts=amounts_of(n)), by_case),
        "abstain": Evaluated(two, stakes.CostMatrix.zero_one(2, abstain=0.15)),
        "abstain_three_classes": Evaluated(three, answers),
        "applications": Evaluated(two, uses, priors=[0.7, 0.3], training_priors=shares),
        "priors_deployment": Evaluated(two, FIVE_TO_ONE, priors=0.1, training_priors="deployment"),
        "priors_from_data": Evaluated(
            two, FIVE_TO_ONE, priors=0.1, training_priors="data", summed_training=shares
        ),
        "priors_in_numbers": Evaluated(
            three, priors=[0.2, 0.2, 0.6], training_priors=[0.5, 0.3, 0.2]
        ),
        "zeros_finite": Evaluated(zeroed(two, wrong=False), FIVE_TO_ONE),
        "zeros_infinite": Evaluated(zeroed(two, wrong=True), FIVE_TO_ONE),
        "likelihood_ratios": Evaluated(
            logit_rows(4, 300), FIVE_TO_ONE, stakes.LogLikelihoodRatios, priors=0.2
        ),
        "logits": Evaluated(logit_rows(5, 300), FIVE_TO_ONE, stakes.Logits),
        "logits_three_classes": Evaluated(replace(three, scores=2 * logs), None, stakes.Logits),
        "log_posteriors": Evaluated(
            replace(three, scores=np.log(many_classes(2, 450, 3, 9).scores)), None, stakes.LogPosteriors
        ),
        "log_likelihoods": Evaluated(
            replace(three, scores=logs), None, stakes.LogLikelihoods, priors=[0.5, 0.3, 0.2]
        ),
        "perfect": Evaluated(replace(two, scores=0.05 + 0.9 * two.y), FIVE_TO_ONE),
        "useless": Evaluated(replace(two, scores=np.full(n, 0.3)), FIVE_TO_ONE),
        "worse_than_naive": Evaluated(replace(two, scores=1 - two.scores), FIVE_TO_ONE),
        "tiny": Evaluated(Rows(np.array([0, 1, 0, 1, 0]), np.array([0.2, 0.9, 0.6, 0.4, 0.1]))),
        "absent_class": Evaluated(
            Rows(np.array([0, 0, 1, 1, 0, 1] * 3), many_classes(6, 18, 3).scores), None,
            classes=[0, 1, 2],
        ),
        "ties": Evaluated(tied, FIVE_TO_ONE),
        "rules": Evaluated(two, FIVE_TO_ONE, rules=every),
        "isotonic": Evaluated(two, FIVE_TO_ONE, calibrator="isotonic"),
        "temperature_three_classes": Evaluated(three, calibrator="temperature"),
        "no_calibrator": Evaluated(two, FIVE_TO_ONE, calibrator="none"),
        "ignored_rows": Evaluated(replace(two, y=ignored), FIVE_TO_ONE, classes=[0, 1], ignore_index=-100),
        "above_2_to_17": Evaluated(two_classes(7, 140_000, 0.1), FIVE_TO_ONE),
    }  # fmt: skip


def _comparisons() -> dict[str, Net]:
    """Return sets of several systems."""
    pair, four = several(_plain(), 1.0, 0.6), several(_plain(360), 1.0, 0.6, 0.2, 1.5)
    n = four.y.size
    heavy = replace(four, weight=weights_of(n), group=groups_of(n))
    uses = {
        "screening": stakes.Application({"miss": 40, "false_alarm": 1}, [0.98, 0.02]),
        "clinic": stakes.Application({"miss": 4, "false_alarm": 1}, [0.6, 0.4]),
    }
    same = replace(pair, scores=pair.scores[:, [0, 0]])
    certain = pair.scores.copy()
    certain[np.flatnonzero(pair.y == 1)[:2], 1] = [1, 0]
    five: dict[str, Any] = {"costs": FIVE_TO_ONE}
    adapted = {"costs": uses, "training_priors": "data"}
    return {
        "compare_two": Compared(pair, ("old", "new"), five),
        "compare_two_calibrated": Compared(
            pair, ("old", "new"), {**five, "calibrator": stakes.AffineCalibrator()}
        ),
        "compare_margin": Compared(pair, ("old", "new"), {**five, "margin": 0.1}),
        "compare_four": Compared(four, ("a", "b", "c", "d"), five),
        "compare_four_groups": Compared(heavy, ("a", "b", "c", "d"), {**five, "reference": "c"}),
        "compare_applications": Compared(pair, ("old", "new"), adapted),
        "compare_three_classes": Compared(three_systems(8, 400, 3), ("a", "b", "c"), {}),
        "compare_same_scores": Compared(same, ("one", "two"), five),
        "compare_infinite": Compared(
            replace(pair, scores=certain), ("certain", "humble"), five
        ),
    }  # fmt: skip


def _decisions() -> dict[str, Net]:
    """Return sets of decisions and of thresholds."""
    two, three = _plain(), many_classes(2, 450, 3)
    y, p, n = two.y, two.scores, two.y.size
    at: dict[str, Column] = {"y": y, "d": (p > 0.4).astype(np.int64)}
    weighted = {**at, "weight": weights_of(n)}
    amounts = {**at, "amount": amounts_of(n)["amount"]}
    unsure = np.where(three.scores.max(axis=1) < 0.5, 3, three.scores.argmax(axis=1))
    named = {"y": np.array(list("abc"))[three.y], "d": np.array([*"abc", "abstain"])[unsure]}
    abstain = stakes.CostMatrix.zero_one(list("abc"), abstain=0.3)
    by_case = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
    five = stakes.CostMatrix.binary(**FIVE_TO_ONE)
    odd = slice(0, 397)  # no share is a tie of its first decimal
    scored = {"y": y[odd], "p": p[odd]}
    n = 397
    return {
        "decisions": Called(at, decided(five)),
        "decisions_weights_priors": Called(weighted, decided(five, [0.9, 0.1])),
        "decisions_abstain": Called(
            named, decided(abstain, classes=list("abc"), decisions=[*"abc", "abstain"])
        ),
        "decisions_by_case": Called(amounts, decided_by_case),
        "threshold": Called(scored, thresholds(FIVE_TO_ONE, review=0.1)),
        "threshold_weights_priors": Called(
            {**scored, "weight": weights_of(n)},
            thresholds(FIVE_TO_ONE, priors=0.05, training_priors="data"),
        ),
        "threshold_by_case": Called({**scored, **amounts_of(n)}, thresholds(by_case, review=0.05)),
    }  # fmt: skip


def _answers() -> dict[str, Net]:
    """Return sets of answers of language models."""
    columns = answer_columns(9, 300)
    plain = {name: columns[name] for name in ("right", "sure", "silent")}
    judged_rows = judged_columns(10, 400)
    rng = np.random.default_rng(11)
    right = rng.integers(0, 4, 150) % 2
    scores = np.round(rng.normal(-3, 1.5, (150, 4)) + 2 * np.eye(4)[right], 2)
    paired = {name: columns[name] for name in columns if name not in ("question", "weight")}
    return {
        "answers": Called(plain, answered(0.75)),
        "answers_no_confidence": Called(
            {name: columns[name] for name in ("right", "silent")}, answered(0.6)
        ),
        "answers_weights_questions_topics": Called(columns, answered(0.5)),
        "answers_in_words": Called({name: columns[name] for name in ("right", "sure")}, worded),
        "answers_compared": Called(paired, answers_compared),
        "judged": Called(judged_rows, judged()),
        "judged_groups_chances": Called(judged_rows, judged(groups="group", inclusion="chance")),
        "options": Called({"right": right, "scores": scores}, options),
    }


def _measures() -> dict[str, Net]:
    """Return sets of single functions."""
    two, three = _plain(), many_classes(2, 400, 3)
    at: dict[str, Column] = {
        "y": two.y, "p": two.scores, "q": three.scores, "third": three.y,
        "llr": np.round(logit_rows(1, 400).scores + 0.847, 3),
    }  # fmt: skip
    some = {name: column for name, column in judged_columns(10, 400).items() if name != "silent"}
    return {
        "measures": Called(at, measures),
        "measures_weights": Called({**at, "weight": weights_of(400)}, measures),
        "measures_ties": Called({**at, "p": np.round(two.scores, 1) * 0.98 + 0.01}, measures),
        "measures_judged_estimated": Called({**at, **some}, several_measures),
        "calibrators": Called(at, calibrators),
    }


def all_nets() -> dict[str, Net]:
    """Return every set by name."""
    parts = (_evaluations, _comparisons, _decisions, _answers, _measures)
    return {name: net for make in parts for name, net in make().items()}
