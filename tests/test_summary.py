"""Summaries: the same bytes for any order, values of all samples, bounds that include them."""

from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes.evaluation.application_decisions import curve_of
from stakes.evaluation.entry import evaluate_samples
from stakes.evaluation.summaries import summed_rows
from stakes.evaluation.summaries.two_classes import change_points, samples_in_cells
from stakes.evaluation.systems import Settings
from stakes.samples import read_samples
from stakes.summary.decision_sums import ConfidenceBins
from stakes.summary.kept_rows import KeptRows, hash_of
from stakes.summary.members import CheckedBatch

BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)
ABSTAIN = BINARY.with_abstention(0.4)
RULES = [stakes.LogLoss(), stakes.BrierLoss(), stakes.SphericalLoss()]


def binary(n: int, seed: int, *, ties: bool = False, scale: float = 1.3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    z = scale * (rng.normal(4 * y - 2, 2) - 0.8)
    z = np.round(z) if ties else z
    return y, 1 / (1 + np.exp(-z))


def many(n: int, k: int, seed: int) -> tuple[Any, stakes.Scores]:
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 2
    return y, stakes.Logits(1.4 * z)


def filled(y: Any, values: Any, cuts: Any, **told: Any) -> stakes.Summary:
    """Return the summary of samples in batches that end at the cuts."""
    total = stakes.Summary(**told)
    typed = values if isinstance(values, stakes.Scores) else stakes.Posteriors(values)
    for part in np.split(np.arange(y.size), cuts):
        if part.size:
            total.update(y[part], typed.part(part))
    return total


KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "two": (lambda seed: binary(700, seed), {"classes": [0, 1], "costs": BINARY}),
    "ties": (lambda seed: binary(700, seed, ties=True), {"classes": [0, 1], "rules": RULES}),
    "abstain": (lambda seed: binary(700, seed), {"classes": [0, 1], "costs": ABSTAIN}),
    "three": (lambda seed: many(600, 3, seed), {"classes": [0, 1, 2], "scores": stakes.Logits}),
}


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), data=st.data())
@settings(max_examples=15, deadline=None)
def test_order_batches_and_sums_change_no_byte(kind: Any, seed: Any, data: Any) -> None:
    make, told = KINDS[kind]
    y, scores = make(seed)
    typed = scores if isinstance(scores, stakes.Scores) else stakes.Posteriors(scores)
    cuts = sorted(data.draw(st.lists(st.integers(0, y.size), max_size=6)))
    order = np.random.default_rng(seed).permutation(y.size)
    whole = filled(y, typed, [], **told)
    parts = [filled(y[p], typed.part(p), [], **told) for p in np.split(order, cuts) if p.size]
    data.draw(st.randoms()).shuffle(parts)
    total = sum(parts[1:], parts[0])
    assert filled(y[order], typed.part(order), cuts, **told).to_bytes() == whole.to_bytes()
    assert total == whole
    assert total.to_bytes() == whole.to_bytes()
    again = stakes.Summary.from_bytes(whole.to_bytes())
    assert again == whole
    assert again.to_bytes() == whole.to_bytes()
    assert again.n == y.size


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_of_no_samples_changes_nothing(kind: str) -> None:
    make, told = KINDS[kind]
    y, scores = make(0)
    whole, none = filled(y, scores, [], **told), stakes.Summary(**told)
    assert none + whole == whole + none == whole
    assert (none + none).n == 0


def test_a_changed_row_changes_the_bytes() -> None:
    y, p = binary(500, 3)
    whole = filled(y, p, [], classes=[0, 1])
    other = p.copy()
    other[7] *= 0.9
    assert filled(y, other, [], classes=[0, 1]).to_bytes() != whole.to_bytes()
    assert filled(1 - y, p, [], classes=[0, 1]) != whole


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize("kind", ["two", "abstain", "ties"])
def test_costs_and_losses_are_those_of_all_samples(kind: Any, priors: Any) -> None:
    make, told = KINDS[kind]
    y, p = make(11)
    options: Any = {"calibrator": None}
    found = filled(y, p, [100, 350], priors=priors, training_priors="deployment", **told).evaluate(
        **options
    )
    costs, rules = told.get("costs"), told.get("rules", RULES[:2])
    exact = stakes.evaluate(
        y, p, costs=costs, priors=priors, training_priors="deployment", rules=rules, **options
    )
    for a, b in zip(found.applications, exact.applications, strict=True):
        assert a.cost.normalized.to_dict() == b.cost.normalized.to_dict()
        assert (a.confusion.counts == b.confusion.counts).all()
        assert a.errors == b.errors
    for ours, theirs in zip(found.rules, exact.rules, strict=True):
        assert ours.raw.value == pytest.approx(theirs.raw.value, rel=1e-15)
        assert ours.normalized.interval is not None
        assert tuple(ours.normalized.interval) == pytest.approx(
            tuple(theirs.normalized.interval),
            rel=1e-5,  # losses differ within a cell
        )
    for name, error in exact.calibration_errors.items():
        slack = 1e-9 if priors is None else 1e-5  # classes differ within a cell
        assert found.calibration_errors[name] == pytest.approx(float(error), abs=slack), name
    assert [v.code for v in found.verdicts] == [v.code for v in exact.verdicts]


@pytest.mark.parametrize("n", [400, 20_000])
def test_an_evaluation_is_that_of_all_samples(n: Any) -> None:
    y, p = binary(n, 5, scale=1.6)
    found = filled(y, p, [], classes=[0, 1], costs=BINARY).evaluate()
    exact = stakes.evaluate(y, p, costs=BINARY)
    ours, theirs = found.metrics(), exact.metrics()
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        chance = "calibrated" in name or "calibration_loss" in name or "relative" in name
        slack = 0.02 / np.sqrt(n / 400) if chance else 2e-4  # folds are dealt otherwise
        assert ours[name].value == pytest.approx(value.value, abs=slack), name
    assert found.data.n == n
    assert found.data.to_dict() == exact.data.to_dict()


@given(seed=st.integers(0, 10**6), ties=st.booleans(), single=st.booleans())
@settings(max_examples=40, deadline=None)
def test_bounds_include_the_value_of_all_samples(seed: Any, ties: Any, single: Any) -> None:
    y, p = binary(900, seed, ties=ties)
    p = p.astype(np.float32) if single else p
    p[::97], p[1::89] = 0, 1
    costs = {"a": BINARY, "b": stakes.Application(BINARY, [0.99, 0.01])}
    told: dict[str, Any] = {"priors": [0.7, 0.3], "training_priors": [0.7, 0.3]}
    bounds = filled(y, p, [], classes=[0, 1], costs=costs, **told).bounds()
    curve = stakes.roc_curve(y, p)
    exact = {
        "auc": curve.auc(),
        "eer": curve.eer(),
        "a.minimum_nec": curve.minimum_cost(BINARY, [0.7, 0.3]).normalized,
        "b.minimum_nec": curve.minimum_cost(BINARY, [0.99, 0.01]).normalized,
    }
    assert set(bounds) == set(exact)
    for name, (low, high) in bounds.items():
        assert low - 1e-12 <= exact[name] <= high + 1e-12, name


def test_bounds_are_near_for_many_samples() -> None:
    y, p = binary(200_000, 9)
    low, high = filled(y, p, [], classes=[0, 1]).bounds()["auc"]
    assert 0 < high - low < 1e-4


def test_likelihood_ratios_at_given_priors() -> None:
    y, p = binary(3000, 21)
    ratios = stakes.LogLikelihoodRatios(np.log(p) - np.log1p(-p))
    told: Any = {"classes": [0, 1], "scores": stakes.LogLikelihoodRatios, "priors": [0.95, 0.05]}
    found = filled(y, ratios, [50], costs=BINARY, **told).evaluate()
    exact = stakes.evaluate(y, ratios, priors=[0.95, 0.05], costs=BINARY)
    assert found.main.cost.normalized.to_dict() == exact.main.cost.normalized.to_dict()
    assert found.rules[0].raw.value == pytest.approx(exact.rules[0].raw.value, rel=1e-14)
    for name in ("cllr", "minimum_cllr", "auc"):
        assert found.ranking[name].value == pytest.approx(exact.ranking[name].value, abs=1e-4)


def test_adapted_posteriors() -> None:
    y, p = binary(3000, 22)
    told: Any = {"priors": [0.95, 0.05], "training_priors": [0.7, 0.3], "costs": BINARY}
    found = filled(y, p, [], classes=[0, 1], **told).evaluate(calibrator=None)
    exact = stakes.evaluate(y, p, **told, calibrator=None)
    assert found.main.cost.normalized.to_dict() == exact.main.cost.normalized.to_dict()
    assert found.rules[0].raw.value == pytest.approx(exact.rules[0].raw.value, rel=1e-13)
    error = exact.calibration_errors["calibration_error"]
    assert found.calibration_errors["calibration_error"] == pytest.approx(error, rel=1e-5)


@pytest.mark.parametrize(
    "form", [stakes.Posteriors, stakes.LogPosteriors, stakes.Logits, stakes.LogLikelihoods]
)
def test_two_columns_are_one_score(form: Any) -> None:
    y, p = binary(2000, 23)
    table = np.column_stack([1 - p, p])
    scores = form(table) if form is stakes.Posteriors else form(np.log(table))
    priors = [0.5, 0.5] if form is stakes.LogLikelihoods else None
    told: Any = {"classes": [0, 1], "scores": form, "costs": BINARY, "priors": priors}
    found = filled(y, scores, [], **told).evaluate()
    exact = stakes.evaluate(y, scores, costs=BINARY, priors=priors)
    assert found.main.cost.normalized.to_dict() == exact.main.cost.normalized.to_dict()
    assert found.data.scores == exact.data.scores == form.__name__


def test_infinite_losses_are_counted() -> None:
    y, p = np.array([0, 1, 0, 1] * 20), np.array([0.2, 0.0, 0.4, 0.9] * 20)
    found = filled(y, p, [], classes=[0, 1]).evaluate(calibrator=None)
    assert found.rules[0].raw.value == np.inf
    assert found.rules[1].raw.value == stakes.brier_score(y, p).value


@pytest.mark.parametrize("n", [20_000, 200_000])
def test_cells_have_the_values_and_intervals_of_single_samples(n: Any) -> None:
    y, p = binary(n, 31, scale=1.5)
    samples = read_samples(y, p)
    costs: Any = {"a": BINARY, "b": ABSTAIN}
    folds = stakes.TrainOnTest()  # others are dealt otherwise
    stage = stakes.AffineCalibrator(), folds, 0.95
    told = Settings(costs, None, *stage, None, None, RULES, 0)
    cells = samples_in_cells(samples, costs, None, RULES)
    assert cells is not None
    ours = evaluate_samples(cells, told, curve=curve_of(samples)).metrics()
    for name, exact in evaluate_samples(samples, told).metrics().items():
        found, width = ours[name], 0.0
        assert (found.interval is None) == (exact.interval is None), name
        if exact.interval is not None and found.interval is not None:
            width = exact.interval.high - exact.interval.low
            slack = 0.02 * width
            assert tuple(found.interval) == pytest.approx(tuple(exact.interval), abs=slack), name
        part = name.removeprefix("a.").removeprefix("b.")
        cut = part in ("calibrated_nec", "calibration_loss", "relative") and part != name
        slack = 0.01 * width if cut else 1e-6  # a threshold after calibration may cut a cell
        assert found.value == pytest.approx(exact.value, rel=1e-6, abs=slack), name


def test_very_many_samples_in_memory_are_judged_by_their_cells() -> None:
    y, p = binary(150_000, 33)
    whole = stakes.evaluate(y, p, costs=BINARY)
    order = np.random.default_rng(1).permutation(y.size)
    again = stakes.evaluate(y[order], p[order], costs=BINARY)
    assert again.to_dict() == whole.to_dict()
    assert whole.ranking["auc"].value == stakes.auc(y, p)
    assert whole.rules[0].raw.value == stakes.cross_entropy(y, p).value
    assert whole.rules[1].raw.value == stakes.brier_score(y, p).value
    assert whole.main.cost.raw.value == stakes.bayes_cost(y, p, costs=BINARY).value
    p[7] = 1.0 - y[7]
    certain = stakes.evaluate(y, p, calibrator=None)
    assert certain.rules[0].raw.infinite_rows.tolist() == [7]


def test_no_order_of_zeros_changes_a_byte() -> None:
    rows = np.array([[0.0, 1.0, 2.0], [-0.0, 1.0, 2.0], [-1.0, -0.0, 0.0]])
    told: Any = {"classes": 3, "scores": stakes.Logits}
    one, other = stakes.Summary(**told), stakes.Summary(**told)
    one.update([0, 0, 1], rows)
    other.update([1, 0, 0], rows[::-1])
    assert one.to_bytes() == other.to_bytes()


BAD: dict[str, Any] = {
    "label": ([0, 9], [0.5, 0.5]),
    "range": ([0, 1], [0.5, 1.5]),
    "NaN": ([0, 1], [0.5, np.nan]),
    "kind": ([0, 1], stakes.Logits([0.5, 0.5])),
    "rows": ([0, 1, 1], [0.5, 0.5]),
    "columns": ([0, 1], [[0.2, 0.3, 0.5]] * 2),
    "form": ([0, 1], [[0.2, 0.8]] * 2),
}
BAD_OF_MANY: dict[str, Any] = {
    "label": ([0, 9], [[0.2, 0.3, 0.5]] * 2),
    "range": ([0, 1], [[0.2, 0.3, 0.5], [0.5, 0.7, -0.2]]),
    "sum": ([0, 1], [[0.2, 0.3, 0.5], [0.5, 0.7, 0.2]]),
    "NaN": ([0, 1], [[0.2, 0.3, 0.5], [0.5, 0.5, np.nan]]),
    "kind": ([0, 1], stakes.LogPosteriors(np.log([[0.2, 0.3, 0.5]] * 2))),
    "columns": ([0, 1], [0.5, 0.5]),
}


@pytest.mark.parametrize("classes", [2, 3])
def test_a_batch_that_is_refused_changes_nothing(classes: int) -> None:
    total = stakes.Summary(classes=classes, rules=RULES)
    p = [0.3, 0.4] if classes == 2 else [[0.3, 0.3, 0.4]] * 2
    total.update([0, 1], p)
    before = total.to_bytes()
    for name, batch in (BAD if classes == 2 else BAD_OF_MANY).items():
        with pytest.raises(stakes.InputError):
            total.update(*batch)
        assert total.to_bytes() == before, name


class Tensor:
    """What a loop of torch hands over, on a device that numpy cannot read."""

    def __init__(self, values: Any, device: str = "cuda") -> None:
        self.values, self.device = np.asarray(values), device
        self.dtype = self.values.dtype

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return Tensor(self.values, "cpu")

    def float(self) -> "Tensor":
        return Tensor(self.values.astype(np.float32), self.device)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        assert self.device == "cpu"
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)


@pytest.mark.parametrize("kind", ["two", "three"])
def test_tensors_and_lists_are_batches(kind: Any) -> None:
    make, told = KINDS[kind]
    y, scores = make(4)
    values = scores.values if isinstance(scores, stakes.Scores) else scores
    whole = filled(y, scores, [], **told)
    for form in (Tensor, list, np.ndarray.tolist):
        total = stakes.Summary(**told)
        for start in range(0, y.size, 256):
            part = slice(start, start + 256)
            total.update(form(y[part]), form(values[part]))
        assert total.to_bytes() == whole.to_bytes()


def test_confidences_of_a_large_batch_are_summed_exactly() -> None:
    n = 2**23 + 5
    p = np.broadcast_to([1 - 2.0**-28, 2.0**-29, 2.0**-29], (n, 3))
    bins = ConfidenceBins(3)
    bins.add(CheckedBatch(np.zeros(n, dtype=np.int64)), p)
    weight, square, chance = bins.table().sum(axis=(1, 2, 3))
    assert weight == square == n
    assert chance == n * (2**28 - 1) / 2**28


def impossible(n: int) -> tuple[Any, Any]:
    y, scores = many(n, 3, 6)
    p = np.exp(scores.values)
    p /= p.sum(axis=1, keepdims=True)
    p[5], y[5] = [0, 0.5, 0.5], 0
    return y, p


@pytest.mark.parametrize("n", [400, 30_000])
def test_an_infinite_loss_is_told_without_a_row(n: int) -> None:
    y, p = impossible(n)
    found = filled(y, p, [], classes=3).evaluate()
    (text,) = [v.text for v in found.verdicts if v.code == "infinite_loss"]
    assert text.startswith("1 sample has posterior 0 for the true class, so")
    assert found.rules[0].raw.value == np.inf
    exact = stakes.evaluate(y, p)
    (other,) = [v.text for v in exact.verdicts if v.code == "infinite_loss"]
    assert "(row 5)" in other
    assert text.split("; ")[1] == other.split("; ")[1]  # the loss over the others


@pytest.mark.parametrize("classes", [2, 3])
def test_more_samples_than_can_be_kept_are_refused(classes: int) -> None:
    total = stakes.Summary(classes=classes)
    total.update([0, 1], [0.3, 0.4] if classes == 2 else [[0.3, 0.3, 0.4]] * 2)
    with pytest.raises(stakes.InputError, match=r"at most 2\*\*3[38] samples"):
        reduce(lambda both, _: both + both, range(40), total)


def test_a_hash_leaves_out_more_rows_than_are_kept() -> None:
    rng = np.random.default_rng(8)
    y, values = rng.integers(2, size=3000), rng.normal(size=(3000, 2)).round(2)
    whole = KeptRows(2, 2, 40)
    whole.add(y, values)
    parts = [KeptRows(2, 2, 40) for _ in range(3)]
    for part, rows in zip(parts, np.split(rng.permutation(3000), [5, 700]), strict=True):
        part.add(y[rows], values[rows])
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        first, second, third = (parts[i] for i in order)
        assert first + second + third == whole == first + (second + third)
    least = np.sort(hash_of(y, values)[y == 0])
    kept = whole.settled()
    assert kept.full.all()
    assert (np.bincount(kept.y) == 40).all()
    assert (kept.hash[kept.y == 0] == np.unique(least)[:40]).all()
    assert kept.copies[0] == (least == kept.hash[0]).sum()


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_sums_of_all_beside_some_rows(priors: Any) -> None:
    y, scores = many(60_000, 3, 12)
    some = np.flatnonzero((y == 0) | (np.arange(y.size) % 3 == 0))
    y, scores = y[some], scores.part(some)
    told: Any = {
        "priors": priors,
        "training_priors": "deployment",
        "costs": stakes.CostMatrix.zero_one(3).with_abstention(0.3),
    }
    found = filled(y, scores, [9_000], classes=3, scores=stakes.Logits, **told)
    ours = found.evaluate()
    exact = stakes.evaluate(y, scores, **told)
    assert "rest on" in ours.notes[-1]
    assert ours.data.counts == exact.data.counts
    assert ours.main.cost.value.value == pytest.approx(exact.main.cost.value.value, rel=1e-14)
    assert (ours.main.confusion.counts == exact.main.confusion.counts).all()
    for a, b in zip(ours.rules, exact.rules, strict=True):
        assert a.raw.value == pytest.approx(b.raw.value, rel=1e-13)
    name = "confidence_calibration_error"
    error, other = ours.calibration_errors[name], exact.calibration_errors[name]
    assert float(error) == pytest.approx(float(other), abs=1e-8)
    if priors is None:
        chance = other.expected_if_calibrated
        assert error.expected_if_calibrated == pytest.approx(chance, rel=1e-6)
        assert tuple(error.interval()) == pytest.approx(tuple(other.interval()), abs=1e-6)
    else:
        assert error.interval() is None
        assert "needs every sample" in error.method
    for name in ("calibration_slope", "cost.calibrated_nec", "cross_entropy.calibrated_normalized"):
        expected = exact.metrics()[name].value
        assert ours.metrics()[name].value == pytest.approx(expected, abs=0.03), name
    auc = ours.ranking["auc"].value
    assert auc == pytest.approx(exact.ranking["auc"].value, abs=0.005)


def test_edges_are_found_to_the_last_bit() -> None:
    cuts = np.array([-1.5, 0.1, 0.1 + 1e-9, 7.0])
    found = change_points(
        lambda x: np.searchsorted(cuts, x, "right"), np.array([-2.0, 0.0, 3.0, 9.0])
    )
    assert found.tolist() == cuts.tolist()


def test_cubes_that_overflow_are_not_known() -> None:
    y, z = np.array([0, 1, 0, 1]), np.array([-1e120, 2.0, 1e120, -2.0])
    total = stakes.Summary(classes=2, scores=stakes.Logits)
    total.update(y, z)
    state: Any = total._kept
    sums = state.loss_sums()[stakes.LogLoss()]
    assert np.isnan(sums.square_cube[0])
    assert np.isfinite(sums.square_cube[1])


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_summary_adds_nothing(kind: Any) -> None:
    make, told = KINDS[kind]
    y, scores = make(3)
    whole, empty = filled(y, scores, [], **told), stakes.Summary(**told)
    assert empty + empty == empty
    assert stakes.Summary.from_bytes(empty.to_bytes()) == empty != whole
    assert (empty + whole).to_bytes() == (whole + empty).to_bytes() == whole.to_bytes()
    assert empty.bounds() == {}


@pytest.mark.parametrize("kind", [stakes.Posteriors, stakes.Logits])
@pytest.mark.parametrize("miss", [5, 3, 0.7])
def test_scores_beside_a_threshold_are_decided_one_by_one(kind: Any, miss: float) -> None:
    costs = stakes.CostMatrix.binary(miss=miss, false_alarm=1)
    cut = 1 / (1 + miss) if kind is stakes.Posteriors else -np.log(miss)
    steps = np.arange(-40, 41)
    scores = cut + np.abs(cut) * steps * 2.0**-48  # all in one cell of the grid
    y = np.arange(steps.size) % 2
    found = stakes.Summary(classes=2, scores=kind, costs=costs)
    found.update(y, scores)
    exact = stakes.evaluate(y, kind(scores), costs=costs)
    ours = found.evaluate()
    assert ours.main.confusion.counts.tolist() == exact.main.confusion.counts.tolist()
    assert ours.main.confusion.counts.all()


def test_rows_of_each_class_count_as_all_of_its_samples() -> None:
    rng = np.random.default_rng(2)
    y = rng.choice(3, size=40_000, p=[0.7, 0.25, 0.05])
    z = rng.normal(size=(y.size, 3))
    z[np.arange(y.size), y] += 2
    y = np.where(rng.random(y.size) < np.array([0.02, 0.1, 0.3])[y], (y + 1) % 3, y)
    scores = stakes.Logits(1.5 * z)
    total = filled(y, scores, [20_000], classes=[0, 1, 2], scores=stakes.Logits)
    found, exact = total.evaluate(), stakes.evaluate(y, scores)
    assert "rest on" in found.notes[-1]
    assert found.sketch is not None
    assert (found.sketch.total, found.sketch.counts.tolist()) == (y.size, list(exact.data.counts))
    assert found.slope is not None
    assert exact.slope is not None
    assert found.slope.value == pytest.approx(exact.slope.value, abs=0.015)
    for name in ("auc.0", "auc.1", "auc.2"):
        assert found.ranking[name].value == pytest.approx(exact.ranking[name].value, abs=0.01)
    ours, theirs = (e.metrics()["cost.matthews_correlation"] for e in (found, exact))
    assert ours.value == theirs.value
    assert tuple(ours.interval) == tuple(theirs.interval)


def test_weights_groups_and_slices_of_very_many_samples_count() -> None:
    y, p = binary(140_000, 35)
    weights = np.where(np.arange(y.size) % 2, 1.0, 3.0)
    unit = np.arange(y.size) // 50
    few: Any = {"costs": BINARY, "calibrator": None}
    weighed = stakes.evaluate(y, p, sample_weight=weights, **few)
    exact = stakes.bayes_cost(y, p, costs=BINARY, sample_weight=weights)
    assert weighed.main.cost.raw.value == exact.value
    assert stakes.evaluate(y, p, groups=unit, **few).data.groups == 2800
    assert len(stakes.evaluate(y, p, slices={"part": unit % 3}, **few).slices) == 3


def test_more_samples_of_a_class_than_can_be_summed_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    y, scores = many(30, 3, 4)
    part = filled(y, scores, [30], classes=3, scores=stakes.Logits)
    monkeypatch.setattr(summed_rows, "_MOST_SAMPLES", int(np.bincount(y).max()) + 1)
    with pytest.raises(stakes.InputError, match="at most"):
        part.update(y, scores)
    assert part.n == 30
    with pytest.raises(stakes.InputError, match="at most"):
        part + filled(y, scores, [30], classes=3, scores=stakes.Logits)
