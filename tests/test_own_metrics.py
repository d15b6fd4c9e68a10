"""A metric of one's own: its value, its interval beside those of `evaluate`, and what is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from stakes._typing import FloatArray, IntArray

N = 300


def decided(n: int = N, seed: int = 0) -> tuple[IntArray, IntArray]:
    """Return classes and decisions of two classes that are often right."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    return y, np.where(rng.random(n) < 0.8, y, 1 - y)


def tables(y: IntArray, d: IntArray) -> FloatArray:
    """Return a column for each class and decision."""
    return ((2 * y + d)[:, None] == np.arange(4)).astype(np.float64)


def f1(t: Any) -> Any:  # noqa: ANN401  also complex
    return 2 * t[3] / (2 * t[3] + t[1] + t[2])


def precision(t: Any) -> Any:  # noqa: ANN401
    return t[3] / (t[1] + t[3])


def matthews(t: Any) -> Any:  # noqa: ANN401
    sides = (t[0] + t[1]) * (t[2] + t[3]) * (t[0] + t[2]) * (t[1] + t[3])
    return (t[0] * t[3] - t[1] * t[2]) / np.sqrt(sides)


METRICS: dict[str, Callable[[Any], Any]] = {
    "F1 score": f1,
    "precision": precision,
    "Matthews correlation": matthews,
}


def ends(found: stakes.Estimate) -> list[float]:
    assert found.interval is not None
    return list(found.interval)


@pytest.mark.parametrize("name", METRICS)
def test_numbers_are_those_of_evaluate(name: str) -> None:
    y, d = decided()
    shown = stakes.evaluate_decisions(stakes.confusion_matrix(y, d)).estimates[name]
    found = stakes.estimate(METRICS[name], tables(y, d))
    assert found.value == pytest.approx(shown.value, rel=1e-12)
    assert ends(found) == pytest.approx(ends(shown), rel=1e-6)
    assert found.method == shown.method == "likelihood"


@pytest.mark.parametrize("name", METRICS)
def test_groups_are_those_of_evaluate(name: str) -> None:
    y, d = decided()
    groups, p = np.arange(N) // 6, np.where(d == 1, 0.9, 0.1)
    shown = stakes.evaluate(y, p, groups=groups, calibrator=None).main.traditional_estimates[name]
    found = stakes.estimate(METRICS[name], tables(y, d), groups=groups)
    assert found.value == pytest.approx(shown.value, rel=1e-12)
    # the unseen row and the effective number of groups of the rarer class are known there
    wide = [high - low for low, high in (ends(found), ends(shown))]
    assert wide[0] == pytest.approx(wide[1], rel=0.15)
    assert found.method == shown.method == "likelihood, by group"


@pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
def test_the_correlation_of_many_classes_is_that_of_its_formula(
    priors: list[float] | None,
) -> None:
    rng = np.random.default_rng(2)
    y, d = rng.integers(0, 3, N), rng.integers(0, 3, N)
    d[: N // 2] = y[: N // 2]
    shown = stakes.evaluate_decisions(stakes.confusion_matrix(y, d), priors=priors)

    def correlation(t: Any) -> Any:  # noqa: ANN401
        n = t.reshape(3, 3, *t.shape[1:])
        if priors is not None:
            n = at(n)
        truth, given, right = n.sum(axis=1), n.sum(axis=0), n[0, 0] + n[1, 1] + n[2, 2]
        total = truth.sum(axis=0)
        above = right * total - (truth * given).sum(axis=0)
        spread = total**2 - (truth**2).sum(axis=0), total**2 - (given**2).sum(axis=0)
        return above / np.sqrt(spread[0] * spread[1])

    def at(n: Any) -> Any:  # noqa: ANN401
        return np.stack([share * n[k] / n[k].sum(axis=0) for k, share in enumerate(priors or ())])

    table = ((3 * y + d)[:, None] == np.arange(9)).astype(np.float64)
    found = stakes.estimate(correlation, table, strata=None if priors is None else y)
    matthews = shown.estimates["Matthews correlation"]
    assert found.value == pytest.approx(matthews.value, rel=1e-12)
    assert ends(found) == pytest.approx(ends(matthews), rel=1e-6)


def test_strata_are_classes_at_given_priors() -> None:
    y, d = decided()
    share = np.array([0.9, 0.1])
    matrix = stakes.confusion_matrix(y, d)
    shown = stakes.evaluate_decisions(matrix, priors=share).estimates["precision"]

    def at_priors(t: Any) -> Any:  # noqa: ANN401
        alarms = share[0] * t[1] / (t[0] + t[1])
        right = share[1] * t[3] / (t[2] + t[3])
        return right / (right + alarms)

    found = stakes.estimate(at_priors, tables(y, d), strata=y)
    assert found.value == pytest.approx(shown.value, rel=1e-12)
    assert ends(found) == pytest.approx(ends(shown), rel=1e-6)
    fixed, free = (ends(stakes.estimate(f1, tables(y, d), strata=s)) for s in (y, None))
    assert fixed[1] - fixed[0] < 0.99 * (free[1] - free[0])  # class frequencies do not vary


@given(st.integers(0, 10**6))
def test_order_copies_and_scale_of_weights_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    columns, weights = rng.gamma(1.0, size=(n, 2)).round(1) + 0.1, rng.integers(1, 5, n)

    def ratio(t: Any) -> Any:  # noqa: ANN401
        return t[0] / t[1]

    found = stakes.estimate(ratio, columns)
    turned = stakes.estimate(ratio, columns[rng.permutation(n)])
    assert (found.value, ends(found)) == (turned.value, ends(turned))
    first = stakes.estimate(ratio, columns, sample_weight=weights)
    scaled = stakes.estimate(ratio, columns, sample_weight=weights * 3)
    assert (first.value, ends(first)) == (scaled.value, ends(scaled))
    low, high = ends(found)
    assert low <= found.value <= high
    single = stakes.estimate(ratio, columns, level=0.8)
    assert low <= ends(single)[0] <= ends(single)[1] <= high


def test_a_mean_is_near_that_of_student() -> None:
    x = np.random.default_rng(3).normal(10, 2, 400)
    found = stakes.estimate(lambda t: t[0] / t[1], np.column_stack([x, np.ones(400)]))
    half = 1.96 * x.std(ddof=1) / 20
    assert found.value == pytest.approx(x.mean(), rel=1e-12)
    assert ends(found) == pytest.approx([x.mean() - half, x.mean() + half], abs=0.15 * half)


def test_a_class_of_few_groups_widens_intervals() -> None:
    rng = np.random.default_rng(4)
    groups = np.arange(600) // 10
    y = ((groups < 6) & (rng.random(600) < 0.8)).astype(np.int64)
    d = np.where(rng.random(600) < 0.8, y, 1 - y)
    told: dict[str, Any] = {"groups": groups, "calibrator": None}
    shown = stakes.evaluate(y, np.where(d == 1, 0.9, 0.1), **told).main.traditional_estimates
    rare, every = ends(shown["F1 score"]), ends(stakes.estimate(f1, tables(y, d), groups=groups))
    assert rare[1] - rare[0] > 1.15 * (every[1] - every[0])  # t of 5 degrees of freedom, not 59


def test_few_groups_have_no_interval() -> None:
    y, d = decided()
    found = stakes.estimate(f1, tables(y, d), groups=np.arange(N) % 4)
    assert found.interval is None
    assert found.method == "needs 5 groups: got 4"


GOOD = np.ones((4, 2))
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "formula": (lambda: stakes.estimate("auc", GOOD), "formula must be a function"),  # type: ignore[arg-type]
    "no table": (lambda: stakes.estimate(f1, np.ones(4)), "columns must be a table of rows"),
    "no rows": (lambda: stakes.estimate(f1, np.ones((0, 4))), "columns must be a table of rows"),
    "a hole": (
        lambda: stakes.estimate(f1, [[1.0, 2.0], [np.nan, 1.0]]),
        "columns must hold finite numbers: got nan in row 1, column 0",
    ),
    "not a number": (
        lambda: stakes.estimate(lambda t: t, GOOD),
        "formula must return a number from an array of totals",
    ),
    "undefined": (
        lambda: stakes.estimate(lambda t: t[0] / (t[0] - t[1]), GOOD),
        "formula must return a number from an array of totals",
    ),
    "a corner": (
        lambda: stakes.estimate(lambda t: abs(t[0] - t[1] - 1) / t[1], GOOD),
        r"formula must have slopes along the imaginary axis: .*Use arithmetic, numpy.sqrt and",
    ),
    "rounded": (
        lambda: stakes.estimate(lambda t: np.real(t[0] / t[1]), GOOD),
        "formula must have slopes along the imaginary axis",
    ),
    "strata": (
        lambda: stakes.estimate(f1, np.ones((4, 4)), strata=["a", "b"]),
        "strata must hold one name per row: got 2 for 4",
    ),
    "groups": (lambda: stakes.estimate(f1, np.ones((4, 4)), groups=[1, 2]), "groups"),
    "weights": (
        lambda: stakes.estimate(f1, np.ones((4, 4)), sample_weight=[1, 2]),
        "sample_weight",
    ),
    "level": (lambda: stakes.estimate(f1, np.ones((4, 4)), level=95), "level"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_estimated_is_refused(name: str) -> None:
    run, said = REFUSED[name]
    with pytest.raises(stakes.InputError, match=said):
        run()
