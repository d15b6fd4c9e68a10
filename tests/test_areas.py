"""Areas under ROC curves: placements, intervals and differences by the law."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq

import stakes
from stakes._quantiles import normal
from stakes._typing import FloatArray, IntArray
from stakes.curves import placements
from stakes.curves.area_difference import AreaDifference
from stakes.curves.placements import Placements
from stakes.inference.merging import merged
from stakes.statistics import ScoreLevels


def drawn(
    n: int, seed: int, *, decimals: int = 1, share: float = 0.4
) -> tuple[IntArray, FloatArray]:
    """Return classes, both of which occur, and scores with ties."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int64)
    y[:2] = [0, 1]
    return y, (rng.normal(size=n) + y).round(decimals)


def ends(area: stakes.RankingValue, level: float = 0.95) -> list[float]:
    """Return the ends of an interval."""
    band = area.interval(level)
    assert band is not None
    return [band.low, band.high]


def gaps_of(
    a: FloatArray,
    b: FloatArray,
    y: IntArray,
    weights: FloatArray | None = None,
    unit: IntArray | None = None,
    copies: IntArray | None = None,
) -> AreaDifference:
    """Return the area of one score less that of another."""
    first, second = (Placements.from_scores(s, y, weights, unit, copies) for s in (a, b))
    return AreaDifference(first.less(second))


# -- placements


@given(st.integers(2, 20), st.integers(0, 10**6))
def test_placements_are_shares_of_pairs(n: int, seed: int) -> None:
    y, s = drawn(n, seed, decimals=0)
    rows = Placements.from_scores(s, y)
    for k, place, score in zip(y, rows.place, s, strict=True):
        gap = (score - s[y != k]) * (1 if k else -1)
        assert place == pytest.approx(((gap > 0) + (gap == 0) / 2).mean(), abs=1e-14)
    assert rows.value == pytest.approx(stakes.roc_curve(y, s).auc(), abs=1e-14)
    few = Placements.from_levels(ScoreLevels.from_scores(s, y, None))
    assert few.value == pytest.approx(rows.value, abs=1e-14)
    assert few.best == rows.best
    assert few.number.sum() == n


@given(st.integers(5, 40), st.integers(0, 10**6))
def test_weighted_placements_are_shares_of_weights(n: int, seed: int) -> None:
    y, s = drawn(n, seed)
    w = np.random.default_rng(seed).exponential(size=n)
    rows = Placements.from_scores(s, y, w)
    for k, place, score in zip(y, rows.place, s, strict=True):
        gap = (score - s[y != k]) * (1 if k else -1)
        share = ((gap > 0) + (gap == 0) / 2) @ w[y != k] / w[y != k].sum()
        assert place == pytest.approx(share, abs=1e-12)
    assert rows.value == pytest.approx(float(stakes.auc(y, s, sample_weight=w)), abs=1e-12)


# -- intervals


def end_by_hand(place: list[FloatArray], mass: list[FloatArray], side: int, radius: float) -> float:
    """Return the range of mean + mean - area over reweightings, by nested bisection."""

    def tilted(s: float) -> tuple[float, float]:
        value = depth = 0.0
        for v, m in zip(place, mass, strict=True):
            d = side * v / m.sum()

            def excess(h: float, d: FloatArray = d, m: FloatArray = m) -> float:
                return float((m / (1 + s * (d.max() - d + h))).sum() - m.sum())

            h = brentq(excess, -1 / s + 1e-15, 0) if s > 0 else 0.0
            w = m / (1 + s * (d.max() - d + h))
            value += float(w @ v) / m.sum()
            depth += 2 * float(m @ np.log(m / w))
        return value, depth

    s = brentq(lambda t: tilted(t)[1] - radius**2, 1e-9, 1e6)
    return tilted(s)[0]


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_an_interval_by_hand(level: float) -> None:
    # 0: scores 1, 3; 1: scores 2, 4, 5. Placements 1, 2/3 and 1/2, 1, 1.
    found = stakes.auc([0, 0, 1, 1, 1], [1.0, 3, 2, 4, 5])
    first, second = np.array([2 / 3, 1.0]), np.array([0.5, 1.0, 1.0])
    trace, half = 1e-9, 0.5
    # half a sample at 1/2 of class 0 pulls down most, as its class has the fewest; 1 is the best
    low = [np.append(first, [0.5, 1.0]), np.append(second, [0.5, 1.0])]
    low_mass = [np.array([1, 1, half, trace]), np.array([1, 1, 1, trace, trace])]
    high_mass = [np.array([1, 1, trace, half]), np.array([1, 1, 1, trace, trace])]
    radius = normal(level)
    wanted = [
        end_by_hand(low, low_mass, -1, radius) - 5 / 6,
        min(end_by_hand(low, high_mass, 1, radius) - 5 / 6, 1.0),
    ]
    assert ends(found, level) == pytest.approx(wanted, abs=1e-6)


def test_few_scores_do_not_look_reversed() -> None:
    """One class has 9 of 90 alarms, the other 0 of 10: by Fisher's test p = 0.59."""
    y = np.repeat([0, 1], [90, 10])
    scores = np.concatenate([np.ones(9), np.zeros(91)]) - 2
    area = stakes.auc(y, scores)
    assert area == pytest.approx(0.45)
    low, high = ends(area)
    assert low < 0.5 < high
    codes = {v.code for v in stakes.evaluate(y, stakes.Logits(scores), calibrator=None).verdicts}
    assert "scores_reversed" not in codes


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (3, 40), (500, 2)])
def test_perfect_areas_have_intervals(n1: int, n2: int, turned: bool) -> None:  # noqa: FBT001
    y = np.repeat([0, 1], [n1, n2])
    area = stakes.auc(y, (1.0 - 2 * turned) * y + 0.5)
    low, high = ends(area)
    assert (low if turned else high) == float(area)
    edge = high if turned else 1 - low
    assert 1 / (3 * min(n1, n2) + 2) < edge < 1


@given(st.integers(2, 60), st.integers(0, 10**6))
def test_levels_are_nested_within_0_and_1(n: int, seed: int) -> None:
    y, s = drawn(n, seed)
    area = stakes.auc(y, s)
    found = [ends(area, level) for level in (0.5, 0.9, 0.95, 0.999, 0.999999)]
    lows, highs = zip(*found, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    assert 0 <= lows[-1] <= lows[0] <= area <= highs[0] <= highs[-1] <= 1


@given(st.integers(4, 60), st.integers(0, 10**6), st.sampled_from([1.0, 1e-200, 1e200]))
def test_equal_intervals_of_equal_samples(n: int, seed: int, scale: float) -> None:
    y, s = drawn(n, seed)
    order = np.random.default_rng(seed).permutation(n)
    wanted = ends(stakes.auc(y, s))
    assert ends(stakes.auc(y[order], s[order])) == wanted
    assert ends(stakes.auc(y, np.exp(s))) == wanted
    equal = stakes.auc(y, s, sample_weight=np.full(n, 3 * scale))
    assert ends(equal) == pytest.approx(wanted, abs=1e-9)
    if 2 * y.sum() != n:  # an unseen sample of either class would be as bad
        assert ends(stakes.auc(1 - y, -s)) == pytest.approx(wanted, abs=1e-9)
    w = np.random.default_rng(seed).exponential(size=n)
    one, other = (ends(stakes.auc(y, s, sample_weight=scale * w)) for scale in (1.0, scale))
    assert one == pytest.approx(other, abs=1e-9)
    assert ends(stakes.auc(y[order], s[order], sample_weight=w[order])) == one


@given(st.integers(10, 30), st.integers(0, 10**6))
def test_copies_are_samples(n: int, seed: int) -> None:
    y, s = drawn(n, seed)
    copies = np.random.default_rng(seed).integers(1, 5, n)
    whole = Placements.from_scores(np.repeat(s, copies), np.repeat(y, copies))
    counted = Placements.from_scores(s, y, copies=copies)
    assert counted.value == pytest.approx(whole.value, abs=1e-14)
    wanted = whole.problem.intervals(0.95)
    assert counted.problem.intervals(0.95) == pytest.approx(wanted, abs=1e-9)
    weights = np.arange(1.0, n + 1)
    unit = np.arange(n) % 7
    copied = Placements.from_scores(*(np.repeat(x, copies) for x in (s, y, weights, unit)))
    counted = Placements.from_scores(s, y, weights, unit, copies)
    wanted = copied.problem.intervals(0.95)
    assert counted.problem.intervals(0.95) == pytest.approx(wanted, abs=1e-9)


def test_groups_of_copies_are_as_wide_as_what_was_copied() -> None:
    y, s = drawn(80, 3)
    nine, unit = (np.repeat(s, 9), np.repeat(y, 9)), np.arange(80)
    alone, grouped, single = (
        np.diff(rows.problem.intervals(0.95)[0])
        for rows in (
            Placements.from_scores(s, y, None, unit),
            Placements.from_scores(*nine, None, np.repeat(unit, 9)),
            Placements.from_scores(*nine),
        )
    )
    assert grouped == pytest.approx(alone, rel=0.15)
    assert grouped > 2.5 * single


def test_few_groups_give_no_interval() -> None:
    y, s = drawn(40, 1)
    logits = stakes.Logits(s)
    found = stakes.evaluate(y, logits, groups=np.arange(40) % 4).ranking["auc"]
    assert (found.interval, found.method) == (None, "needs 5 groups: got 4")


@pytest.mark.parametrize("how", ["weights", "groups"])
def test_a_class_ranked_below_the_others_is_named_with_weights_and_groups(how: str) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 400)
    table = rng.normal(size=(400, 3)) + 2.0 * np.eye(3)[(y + 1) % 3]
    kinds: dict[str, Any] = {
        "weights": {"sample_weight": rng.exponential(size=400)},
        "groups": {"groups": np.arange(400) // 4},
    }
    result = stakes.evaluate(y, stakes.Logits(table), calibrator=None, **kinds[how])
    (found,) = [v for v in result.verdicts if v.code == "scores_reversed"]
    assert "1 below the other classes" in found.text
    assert all(result.ranking[f"auc.{k}"].interval is not None for k in range(3))


# -- differences


def test_a_difference_and_its_turn() -> None:
    y, a = drawn(80, 5)
    b = a + np.random.default_rng(6).normal(size=80)
    forth, none = gaps_of(a, b, y), gaps_of(a, 2 * a, y)
    areas = [stakes.roc_curve(y, s).auc() for s in (a, b)]
    assert forth.value == pytest.approx(areas[0] - areas[1], abs=1e-14)
    band, back = forth.interval(), forth.turned().interval()
    assert band is not None
    assert back is not None
    assert (back.low, back.high) == (-band.high, -band.low)
    assert forth.turned().p_value == forth.p_value
    other = gaps_of(b, a, y)
    assert other.p_value == pytest.approx(forth.p_value, rel=1e-6)
    assert other.interval().low == pytest.approx(back.low, abs=1e-9)  # type: ignore[union-attr]
    assert (none.value, none.interval(), none.p_value) == (0.0, None, 1.0)
    assert none.estimate().method == "the systems rank all samples alike"


def test_one_sample_shows_no_difference() -> None:
    """Unseen, the systems may change places on a sample."""
    y = np.repeat([0, 1], 20)
    a = np.arange(40.0)
    b = a.copy()
    b[30] = 5.5
    found = gaps_of(a, b, y)
    band = found.interval()
    assert found.value > 0
    assert found.p_value > 0.1
    assert band is not None
    assert band.low < 0


@given(st.integers(20, 60), st.integers(0, 10**6), st.booleans())
def test_a_p_value_is_where_the_interval_ends_at_0(n: int, seed: int, grouped: bool) -> None:  # noqa: FBT001
    y, a = drawn(n, seed, decimals=2)
    b = a + np.random.default_rng(seed + 1).normal(size=n)
    found = gaps_of(a, b, y, None, np.arange(n) % 12 if grouped else None)
    p = found.p_value
    assert 0 <= p <= 1
    if found.why or not 1e-6 < p < 0.999:
        return
    band = found.interval(1 - p)
    assert band is not None
    nearest = band.low if found.value > 0 else band.high
    assert nearest == pytest.approx(0, abs=1e-6)


@given(st.integers(10, 40), st.integers(0, 10**6), st.booleans())
def test_differences_of_copies_and_of_permuted_samples(n: int, seed: int, grouped: bool) -> None:  # noqa: FBT001
    y, a = drawn(n, seed)
    rng = np.random.default_rng(seed)
    b, copies = a + rng.normal(size=n).round(1), rng.integers(1, 4, n)
    unit = np.arange(n) % 9 if grouped else None
    if not gaps_of(a, b, y).gaps.place.any():
        return
    each = [None if x is None else np.repeat(x, copies) for x in (a, b, y, None, unit)]
    whole, counted = gaps_of(*each), gaps_of(a, b, y, None, unit, copies)  # type: ignore[arg-type]
    assert counted.value == pytest.approx(whole.value, abs=1e-13)
    assert counted.p_value == pytest.approx(whole.p_value, rel=1e-6, abs=1e-9)
    order = rng.permutation(n)
    parts = [None if x is None else x[order] for x in (a, b, y, None, unit, copies)]
    permuted = gaps_of(*parts)  # type: ignore[arg-type]
    assert (permuted.value, permuted.p_value) == (counted.value, counted.p_value)
    assert permuted.estimate() == counted.estimate()


def test_comparisons_state_the_difference() -> None:
    y, a = drawn(300, 8, decimals=3)
    systems = {
        "a": stakes.Logits(a),
        "b": stakes.Logits(a + np.random.default_rng(1).normal(size=300)),
    }
    found = stakes.compare(y, systems, calibrator=None).of("b", "auc")
    turned = gaps_of(a, systems["b"].values, y).turned()
    assert found.difference == turned.estimate()
    assert found.p_value == turned.p_value
    assert found.difference.method == "likelihood"
    few = stakes.compare(y, systems, calibrator=None, groups=np.arange(300) % 4).of("b", "auc")
    assert (few.difference.interval, few.difference.method) == (None, "needs 5 groups: got 4")
    assert math.isnan(few.p_value)


# -- many rows


@pytest.mark.parametrize("how", ["alone", "weights", "groups", "difference"])
def test_cells_of_many_rows_have_nearly_the_same_ends(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    n = 40_000
    y, s = drawn(n, 11, decimals=17, share=0.1)
    w = rng.lognormal(size=n) if how == "weights" else None
    unit = np.arange(n) // 2 if how == "groups" else None

    def bands() -> FloatArray:
        rows = Placements.from_scores(s, y, w, unit)
        if how == "difference":
            return rows.less(Placements.from_scores(s + noise, y)).difference.intervals(0.95)[0]
        if how == "alone":
            rows = Placements.from_levels(ScoreLevels.from_scores(s, y, None))
        return rows.problem.intervals(0.95)[0]

    noise = rng.normal(size=n)
    cells = bands()
    monkeypatch.setattr(placements, "MOST_ROWS", 10**9)
    rows = bands()
    assert np.abs(cells - rows).max() < 1e-4 * (rows[1] - rows[0])


@given(st.integers(1, 200), st.integers(0, 10**6))
def test_cells_keep_sums_in_any_order(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns, counts = rng.normal(size=(n, 2)), rng.integers(1, 5, n).astype(float)
    stratum, influence = rng.integers(0, 2, n), rng.normal(size=n).round(1)
    found = merged(columns, counts, stratum, influence)
    assert found[1].sum() == counts.sum()
    for k, column in itertools.product((0, 1), (0, 1)):
        mine, cell = stratum == k, found[2] == k
        total = found[1][cell] @ found[0][cell, column]
        assert total == pytest.approx(counts[mine] @ columns[mine, column], abs=1e-9)
    order = rng.permutation(n)
    again = merged(columns[order], counts[order], stratum[order], influence[order])
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, other)
