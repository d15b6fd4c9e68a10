"""Laws of the intervals of decision metrics, and of their differences, in public calls."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._typing import FloatArray, IntArray

LIMITS = {
    "F1 score": (0, 1),
    "Matthews correlation": (-1, 1),
    "precision": (0, 1),
    "positive likelihood ratio": (0, math.inf),
}
SHARES = {"accuracy", "balanced accuracy", "sensitivity", "specificity"}  # which are not of the law


def drawn(n: int, k: int, seed: int, right: float = 0.7) -> tuple[IntArray, FloatArray]:
    """Return classes and posteriors whose decisions are often right, all classes among them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    d = np.where(rng.random(n) < right, y, rng.integers(0, k, n))
    p = np.full((n, k), 0.2 / (k - 1))
    p[np.arange(n), d] = 0.8
    return y, p


def bands(result: Any) -> dict[str, tuple[float, ...]]:  # noqa: ANN401
    """Return value and ends of the metrics that the law gives."""
    held = result.main.traditional_estimates if hasattr(result, "main") else result.estimates
    return {
        name: (e.value, *([math.nan] * 2 if e.interval is None else e.interval))
        for name, e in held.items()
        if name not in SHARES
    }


def evaluated(y: Any, p: Any, **more: Any) -> dict[str, tuple[float, ...]]:  # noqa: ANN401
    return bands(stakes.evaluate(y, stakes.Posteriors(p), calibrator=None, rules=[], **more))


def near(
    one: dict[str, tuple[float, ...]], two: dict[str, tuple[float, ...]], rel: float = 1e-7
) -> None:
    assert one.keys() == two.keys()
    for name, numbers in one.items():
        assert numbers == pytest.approx(two[name], rel=rel, abs=1e-9, nan_ok=True), name


def cases(n: int, k: int) -> Iterator[dict[str, Any]]:
    """Yield what changes which rows are reweighted."""
    rng = np.random.default_rng(9)
    weights, groups = rng.integers(1, 5, n) / 4, rng.integers(0, 12, n)
    priors = np.arange(1.0, k + 1) / (k * (k + 1) / 2)
    yield {}
    yield {"sample_weight": weights}
    yield {"groups": groups}
    yield {"groups": groups, "sample_weight": weights}
    yield {"priors": priors, "training_priors": "deployment"}
    yield {"priors": priors, "training_priors": "deployment", "sample_weight": weights}
    yield {"priors": priors, "training_priors": "deployment", "groups": groups}


BY_ROW = ("sample_weight", "groups")


def at(rows: IntArray, told: dict[str, Any]) -> dict[str, Any]:
    return {name: v[rows] if name in BY_ROW else v for name, v in told.items()}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", range(7))
def test_the_order_of_rows_changes_no_bit(k: int, case: int) -> None:
    y, p = drawn(90, k, 1)
    told = list(cases(90, k))[case]
    rows = np.random.default_rng(2).permutation(90)
    one, two = evaluated(y, p, **told), evaluated(y[rows], p[rows], **at(rows, told))
    if "groups" not in told and "sample_weight" not in told:
        assert one == two
    near(one, two, 1e-9)  # sums of weights, and of groups, are added in another order


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", range(7))
def test_rescaled_weights_change_nothing(k: int, case: int) -> None:
    y, p = drawn(90, k, 3)
    told = list(cases(90, k))[case]
    weights = told.get("sample_weight", np.ones(90))
    near(evaluated(y, p, **told), evaluated(y, p, **told | {"sample_weight": 8 * weights}), 1e-9)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("priors", [False, True])
def test_each_row_a_group_is_nearly_as_without_groups(k: int, *, priors: bool) -> None:
    y, p = drawn(400, k, 4)
    told = list(cases(400, k))[4 if priors else 0]
    rows, groups = evaluated(y, p, **told), evaluated(y, p, groups=np.arange(400), **told)
    for name, (value, low, high) in rows.items():
        own = groups[name]
        assert own[0] == pytest.approx(value, rel=1e-9)
        if math.isfinite(high):
            assert own[2] - own[1] == pytest.approx(high - low, rel=0.1), name
            assert own[2] - own[1] >= 0.999 * (high - low), name  # t, and an unseen group


def test_groups_that_agree_inside_are_as_few_as_they_are() -> None:
    y, p = drawn(60, 2, 5)
    every = np.repeat(np.arange(60), 5)
    single = evaluated(y, p, groups=np.arange(60))
    copied = evaluated(y[every], p[every], groups=every)
    for name, (_, low, high) in copied.items():  # an unseen row is a fifth of a group there
        if math.isfinite(single[name][2]):
            wide = single[name][2] - single[name][1]
            assert high - low == pytest.approx(wide, rel=0.15), name
            assert high - low <= wide, name
    for name, (_, low, high) in evaluated(y[every], p[every]).items():
        if math.isfinite(single[name][2]):
            assert single[name][2] - single[name][1] > 1.8 * (high - low), name


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("priors", [None, "given"])
def test_decisions_have_one_interval_wherever_they_come_from(k: int, priors: str | None) -> None:
    y, p = drawn(400, k, 6)
    told = {} if priors is None else list(cases(400, k))[4]
    result = stakes.evaluate(y, stakes.Posteriors(p), calibrator=None, **told)
    direct = stakes.evaluate_decisions(result.main.confusion, priors=told.get("priors"))
    shown = bands(direct)
    near(bands(result), {name: shown[name] for name in bands(result)})
    total = stakes.Summary(classes=list(range(k)), **told)
    for rows in np.array_split(np.arange(400), 3):
        total.update(y[rows], stakes.Posteriors(p[rows]))
    near(bands(total.evaluate(calibrator=None)), bands(result))


def test_weighted_counts_are_nearly_weighted_rows() -> None:
    y, p = drawn(400, 2, 7)
    weights = np.random.default_rng(1).integers(1, 5, 400) / 4
    result = stakes.evaluate(y, stakes.Posteriors(p), calibrator=None, sample_weight=weights)
    counted = bands(stakes.evaluate_decisions(result.main.confusion))
    for name, (value, low, high) in bands(result).items():
        assert counted[name][0] == pytest.approx(value, rel=1e-12)
        wide = counted[name][2] - counted[name][1]
        assert wide == pytest.approx(high - low, rel=0.08), name


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 12), min_size=4, max_size=4).filter(
        lambda c: min(c[0] + c[1], c[2] + c[3]) > 0
    ),
    st.sampled_from([None, [0.9, 0.1], [0.5, 0.5]]),
)
def test_intervals_lie_in_range_and_grow_with_the_level(
    counts: list[int], priors: list[float] | None
) -> None:
    """Without errors, with one positive, with one decision for all: whatever is counted."""
    matrix = stakes.confusion_matrix(
        np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts), classes=[0, 1]
    )
    inner, outer = (
        bands(stakes.evaluate_decisions(matrix, priors=priors, level=level))
        for level in (0.8, 0.95)
    )
    for name, (value, low, high) in outer.items():
        if math.isnan(low):
            continue
        assert low <= value <= high, name
        assert low <= inner[name][1] + 1e-9, name
        assert inner[name][2] <= high + 1e-9 or high == math.inf, name
        least, most = LIMITS.get(name, (-math.inf, math.inf))
        assert least <= low <= high <= most, name
        assert low < high, name  # nothing is certain, not even without an error


def test_a_system_without_errors_may_have_some() -> None:
    y = np.repeat([0, 1], [60, 20])
    found = bands(stakes.evaluate_decisions(stakes.confusion_matrix(y, y)))
    for name in ("F1 score", "precision", "Matthews correlation"):
        value, low, high = found[name]
        assert (value, high) == (1, 1)
        assert 0.8 < low < 0.99
    ratio = found["positive likelihood ratio"]
    assert ratio[0] == ratio[2] == math.inf
    assert 5 < ratio[1] < 100


def test_one_positive_says_little() -> None:
    y, d = np.repeat([0, 1], [80, 1]), np.repeat([0, 1], [78, 3])
    value, low, high = bands(stakes.evaluate_decisions(stakes.confusion_matrix(y, d)))["F1 score"]
    assert value == 0.5
    assert low < 0.1
    assert high > 0.9


@pytest.mark.parametrize("k", [2, 3])
def test_decisions_that_abstain_have_intervals(k: int) -> None:
    y, p = drawn(200, k, 8)
    p[::5] = 1 / k
    costs = stakes.CostMatrix.zero_one(k, abstain=0.3)
    result = stakes.evaluate(y, stakes.Posteriors(p), costs=costs, calibrator=None)
    for name, (value, low, high) in bands(result).items():
        assert low < value < high, name
    direct = bands(stakes.evaluate_decisions(result.main.confusion, costs))
    near(bands(result), {name: direct[name] for name in bands(result)})


# --- differences ---


def compared(y: Any, one: Any, two: Any, **more: Any) -> stakes.Comparison:  # noqa: ANN401
    systems = {"a": stakes.Posteriors(one), "b": stakes.Posteriors(two)}
    return stakes.compare(y, systems, rules=[], **more)


def of_law(result: stakes.Comparison) -> list[Any]:
    return [d for d in result.differences if d.difference.method.startswith("likelihood")]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", range(7))
def test_the_interval_of_a_difference_excludes_0_where_its_p_value_is_small(
    k: int, case: int
) -> None:
    told = list(cases(120, k))[case]
    for seed in range(4):
        y, one = drawn(120, k, seed, 0.75)
        two = drawn(120, k, seed + 50, 0.0)[1]
        keep = np.random.default_rng(seed).random(120) < 0.8
        two[keep] = one[keep]  # most decisions are the same
        found = of_law(compared(y, one, two, **told))
        assert found
        for d in found:
            band = d.difference.interval
            assert band is not None, d.metric
            assert band.low <= d.difference.value <= band.high, d.metric
            assert (0 not in band) == (d.p_value < 0.05), d.metric


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", range(7))
def test_systems_that_change_names_change_signs(k: int, case: int) -> None:
    told = list(cases(80, k))[case]
    (y, one), two = drawn(80, k, 1, 0.8), drawn(80, k, 2, 0.3)[1]
    back = {d.metric: d for d in of_law(compared(y, two, one, **told))}
    for d in of_law(compared(y, one, two, **told)):
        other, band = back[d.metric], d.difference.interval
        assert d.difference.value == pytest.approx(-other.difference.value, rel=1e-9)
        turned = other.difference.interval
        assert list(band) == pytest.approx([-turned.high, -turned.low], rel=1e-6, abs=1e-7)
        assert d.p_value == pytest.approx(other.p_value, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("case", range(7))
def test_the_order_of_rows_changes_no_difference(case: int) -> None:
    told = list(cases(80, 2))[case]
    (y, one), two = drawn(80, 2, 1, 0.8), drawn(80, 2, 2, 0.3)[1]
    rows = np.random.default_rng(2).permutation(80)
    turned = of_law(compared(y[rows], one[rows], two[rows], **at(rows, told)))
    for d, other in zip(of_law(compared(y, one, two, **told)), turned, strict=True):
        assert list(d.difference.interval) == pytest.approx(list(other.difference.interval))
        assert d.p_value == pytest.approx(other.p_value, rel=1e-6, abs=1e-12)


def test_equal_decisions_do_not_differ() -> None:
    y, one = drawn(100, 2, 1)
    for d in of_law(compared(y, one, one * 0.9 + 0.05)):
        band = d.difference.interval
        assert d.difference.value == 0
        assert band.low < 0 < band.high  # they may differ on rows that were not seen
        assert d.p_value == 1
