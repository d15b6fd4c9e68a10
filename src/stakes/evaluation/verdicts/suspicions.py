"""Input that is legal and perhaps not what was meant: costs, weights, scores and repeated rows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from stakes._check import Place, PlacedText
from stakes._math import count_by, times
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray
from stakes.costs import CostMatrix
from stakes.curves import RocCurve
from stakes.evaluation.applications import ApplicationSamples
from stakes.evaluation.findings import Verdict
from stakes.evaluation.verdicts.wording import name_of, percent
from stakes.samples import Samples
from stakes.scores import Scores

DOUBTS = frozenset({  # codes of what is said of the input, not of the system
    "classes_separated",
    "out_of_step",
    "right_decision_costs_more",
    "rows_repeated",
    "scores_equal",
    "scores_reversed",
    "uneven_weights",
})  # fmt: skip
UNEVEN = 0.1  # effective number of samples over their number, below which weights are uneven
HEAVIEST = 0.5  # share of a class in one sample, from which on it outweighs all others together
FEWEST_SEPARATED = 50  # samples of each class from which on an AUC of 1 is worth a question
FEWEST_REPEATED = 20  # groups of equal rows
CHANCE = 1e-6  # of what is said of rows, were they independent
_NEIGHBOURS = 10  # levels on each side
_MOST_CELLS = 2**20  # samples times classes that are looked at by themselves
_ASSOCIATED, _OUT_OF_STEP = 3.0, 6.0  # standard deviations


def turned_costs(costs: CostMatrix, where: str = "") -> Iterator[Verdict]:
    """Say so where deciding for the true class costs more than deciding for another."""
    names, decisions = costs.classes, costs.decisions
    if costs.shape[0] * costs.shape[1] > _MOST_CELLS or not set(names) <= set(decisions):
        return
    table = costs.values[:, [decisions.index(name) for name in names]]
    right = table.diagonal()[:, None]
    bad = np.argwhere(table < right)
    if not bad.size:
        return
    i, j = bad[0].tolist()
    more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
    yield Verdict(
        "right_decision_costs_more",
        f"{where}A right decision costs more than a wrong one: where {name_of(names[i])} is true,"
        f" deciding {name_of(names[i])} costs {number(table[i, i])}, but deciding"
        f" {name_of(names[j])} costs {number(table[i, j])}{more}.",
        "Check whether the cost matrix is transposed or in another order: rows are true classes,"
        " columns are decisions.",
    )


def uneven_weights(samples: Samples) -> Iterator[Verdict]:
    """Say so where few samples of a class outweigh the others; weights by class are no matter."""
    if samples.weights is None:
        return
    y, w, k = samples.y, samples.scaled_weights(), len(samples.classes)
    for code in range(k):
        rows = np.flatnonzero(y == code)
        count = samples.counts[code]
        if count < FEWEST_REPEATED:
            continue
        own = w[rows] / w[rows].max()
        copies = None if samples.copies is None else samples.copies[rows]
        total = float(times(own, copies).sum())
        effective = total**2 / float(times(own**2, copies).sum())
        if effective >= UNEVEN * count and 1 / total < HEAVIEST:
            continue
        heaviest = int(own.argmax())
        start = (
            f"Weights are uneven: the {count} samples of {name_of(samples.classes[code])} count as"
            f" {effective:.3g} (effective number, the squared sum of weights over the sum of their"
            " squares); the largest weight"
        )
        text = f"{start} is {percent(1 / total)} of the class."
        if samples.copies is None:
            place = Place(row=int(samples.rows(rows)[heaviest]))
            text = PlacedText(f"{start} (", place, f") is {percent(1 / total)} of the class.")
        yield Verdict(
            "uneven_weights",
            text,
            "Check the largest weights. If they are meant, read intervals as those of so few"
            " samples.",
        )
        return


def odd_scores(samples: Samples, curve: RocCurve | None, whose: str = "") -> Iterator[Verdict]:
    """Say so where scores are all equal, or separate the classes without an error."""
    scores = f"The scores{whose}"
    if _all_equal(samples.scores.values):
        yield Verdict(
            "scores_equal",
            f"{scores} are the same for all {samples.n} samples.",
            "Check whether this is the right column, and whether the model failed or was never"
            " fitted.",
        )
    elif _separated(samples, curve):
        yield Verdict(
            "classes_separated",
            f"{scores} separate the classes without an error in {samples.n} samples (AUC 1).",
            "Check whether the label, or what follows from it, is among the features, and whether"
            " the model was trained on these samples.",
        )


def _all_equal(values: FloatArray) -> bool:
    few_then_all = (values[:100], values)
    return len(values) > 1 and all(bool((part == values[0]).all()) for part in few_then_all)


def _separated(samples: Samples, curve: RocCurve | None) -> bool:
    """Whether all scores of the first class lie below those of the second, in many samples."""
    if curve is None or min(samples.counts) < FEWEST_SEPARATED:
        return False
    first, second = curve.levels.first > 0, curve.levels.second > 0
    return first.size - int(first[::-1].argmax()) <= int(second.argmax())


def repeated_rows(samples: Samples, curve: RocCurve | None) -> Iterator[Verdict]:
    """Say so where equal scores come with equal labels, more often than neighbouring scores do.

    Different cases may share a score, as in forests, but then their labels differ as often as those
    of its neighbours. The rows of one case that is there several times have one label.
    """
    if samples.weights is not None or samples.groups is not None:
        return
    found = _levels(samples, curve)
    if found is None:
        return
    size, label = found
    tied = size > 1
    agree = _agreement_of_neighbours(label)[tied]
    with np.errstate(divide="ignore"):
        chance = float(np.log(agree).sum())
    if chance < math.log(CHANCE):
        rows, spare = samples.n, int((size - 1).sum())
        yield Verdict(
            "rows_repeated",
            f"{spare} of {rows} rows repeat the label and the scores of another row, where rows of"
            " nearly the same scores often differ in their label: samples seem to be there several"
            " times.",
            "Drop what was joined twice. If rows of one case belong together, name it with"
            " groups=..., or the intervals are too narrow.",
            "name_groups",
        )


def _levels(samples: Samples, curve: RocCurve | None) -> tuple[IntArray, IntArray] | None:
    """Return how many samples share each score, in its order, and their label.

    None where few scores are shared, or samples of different labels share one.
    """
    if curve is not None and curve.levels.whole:
        first, second = curve.levels.first, curve.levels.second
        size, mixed = first + second, (first > 0) & (second > 0)
        few = int((size > 1).sum()) < FEWEST_REPEATED
        return None if few or mixed.any() else (np.asarray(size), np.asarray(second > 0))
    k = len(samples.classes)
    if k == 2 or samples.n * k > _MOST_CELLS:
        return None
    p = samples.scores.answers(samples.priors).p
    mark = (p * np.sqrt(np.arange(2, k + 2))).sum(axis=1)  # the same for equal rows alone
    _, first, code = np.unique(mark, return_index=True, return_inverse=True)
    size = count_by(code, samples.copies, first.size)
    if int((size > 1).sum()) < FEWEST_REPEATED or (samples.y[first][code] != samples.y).any():
        return None
    order = np.lexsort((p[first].max(axis=1), p[first].argmax(axis=1)))
    return size[order], samples.y[first][order]


def _agreement_of_neighbours(label: IntArray) -> FloatArray:
    """Return how often neighbouring levels agree in their label, around each level."""
    same = np.concatenate([[0], np.cumsum(label[1:] == label[:-1])]).astype(np.float64)
    at = np.arange(label.size)
    low = np.maximum(at - _NEIGHBOURS, 0)
    high = np.minimum(at + _NEIGHBOURS, label.size - 1)
    return (same[high] - same[low]) / np.maximum(high - low, 1)


def out_of_step(samples: Samples, whose: str = "") -> Iterator[Verdict]:
    """Say so where scores tell nothing of their own label, and much of that of the next row.

    Of many samples the first tell.
    """
    n, k = len(samples), len(samples.classes)
    plain_rows = samples.weights is None and samples.copies is None and samples.row is None
    first = slice(0, _MOST_CELLS // k)
    if not plain_rows or min(n, first.stop) < 2 * FEWEST_SEPARATED:
        return
    p, y = samples.scores.part(first).answers(samples.priors).p, samples.y[first]
    own, *shifted = (_association(p, y, lag) for lag in (0, -1, 1))
    lag = (-1, 1)[int(np.argmax(shifted))]
    if abs(own) < _ASSOCIATED and max(shifted) > _OUT_OF_STEP:
        side = "before" if lag < 0 else "after"
        yield Verdict(
            "out_of_step",
            f"Labels and scores{whose} are out of step: the scores tell nothing of the label of"
            f" their own row, and much of that of the row {side} it.",
            "Check whether a row was dropped or a header counted in one of the two columns.",
        )


def _association(p: FloatArray, y: IntArray, lag: int) -> float:
    """Return how far the posteriors of the true classes exceed those of permuted labels.

    In standard deviations of a permutation; the labels are those `lag` rows later.
    """
    rows = slice(max(-lag, 0), len(y) - max(lag, 0))
    later = slice(max(lag, 0), len(y) - max(-lag, 0))
    p, y = p[rows] - p[rows].mean(axis=0), y[later]
    truth = np.eye(p.shape[1])[y]
    truth -= truth.mean(axis=0)
    variance = float(((p.T @ p) * (truth.T @ truth)).sum()) / (len(y) - 1)
    return float((p * truth).sum()) / math.sqrt(variance) if variance > 0 else 0.0


def same_scores(systems: Mapping[str, Samples]) -> list[tuple[str, str]]:
    """Return pairs of systems that have the same posteriors in every row, each with the first."""
    out: list[tuple[str, str]] = []
    kept: dict[str, Samples] = {}
    for name, samples in systems.items():
        twin = next((other for other, its in kept.items() if _same(samples, its)), None)
        if twin is None:
            kept[name] = samples
        else:
            out.append((twin, name))
    return out


def _same(one: Samples, other: Samples) -> bool:
    a, b = one.scores, other.scores
    if len(one) != len(other) or a.needs_priors != b.needs_priors:
        return False
    few_then_all = (slice(0, 100), slice(None))
    return all(_equal(a.part(rows), b.part(rows)) for rows in few_then_all)


def _equal(a: Scores, b: Scores) -> bool:
    if type(a) is type(b) and a.values.shape == b.values.shape:
        return np.array_equal(a.values, b.values)
    return not a.needs_priors and np.allclose(a.answers(None).p, b.answers(None).p, 0, 1e-12)


def twins(pairs: Iterable[tuple[str, str]], n: int) -> Iterator[Verdict]:
    """Say which systems are the same."""
    for one, other in pairs:
        yield Verdict(
            "same_scores",
            f"The scores of {plain(other)} are those of {plain(one)} in all {n} samples, so there"
            " is no difference to find.",
            "Check whether one column was given for both.",
        )


def odd_costs(uses: Sequence[ApplicationSamples]) -> Iterator[Verdict]:
    """Say so where costs of some application look wrong."""
    for use in uses:
        if isinstance(use.costs, CostMatrix):
            where = f"{plain(use.name)}: " if len(uses) > 1 else ""
            yield from turned_costs(use.costs, where)


def odd_rows(samples: Samples, curve: RocCurve | None) -> Iterator[Verdict]:
    """Say so where weights or rows look wrong."""
    yield from uneven_weights(samples)
    yield from repeated_rows(samples, curve)
