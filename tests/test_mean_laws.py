"""Laws of expected losses: what their intervals and tests do not depend on, and what they mean."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.inference.law import Problem, radius_of
from stakes.inference.means import MeanRows, Means, problem_of_means
from stakes.loss_rows import LossRows, rows_of_moments

LEVELS = [0.5, 0.8, 0.95, 0.999]
seeds = st.integers(0, 2**32)


@dataclass(frozen=True, eq=False)
class Data:
    """Samples of K classes with scores, weights and amounts."""

    y: IntArray
    p: FloatArray
    w: FloatArray
    amount: FloatArray

    @property
    def k(self) -> int:
        return self.p.shape[1]

    def part(self, rows: IntArray) -> "Data":
        return Data(self.y[rows], self.p[rows], self.w[rows], self.amount[rows])

    def options(self, priors: FloatArray | None, *, weighted: bool) -> dict[str, Any]:
        return {"priors": priors, "sample_weight": self.w if weighted else None}


def made(seed: int, k: int = 2, n: int = 40) -> Data:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), np.arange(k), rng.integers(0, k, n - 2 * k)])
    z = 1.5 * rng.normal(size=(n, k))
    z[np.arange(n), y] += rng.choice([0.5, 2, 5])
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return Data(y, p, rng.lognormal(0, 0.7, n), np.round(rng.lognormal(1, 1, n), 2))


def priors_of(seed: int, k: int) -> FloatArray | None:
    if seed % 2:
        return None
    return np.random.default_rng(seed).dirichlet(np.full(k, 3.0))


def table_of(k: int) -> FloatArray:
    """Costs of the decisions to name each class, and to abstain."""
    return np.column_stack([(1 - np.eye(k)) * np.arange(2.0, k + 2)[:, None], np.full(k, 0.8)])


def matrix_of(k: int) -> stakes.CostMatrix:
    return stakes.CostMatrix(table_of(k), decisions=k + 1)


def by_case(data: Data) -> stakes.SampleCosts:
    rows: list[list[float | str]] = [
        [0.0 if i == j else "amount" if i else 2.0 for j in range(data.k)] for i in range(data.k)
    ]
    return stakes.SampleCosts.from_columns(rows, {"amount": data.amount})


def hard(data: Data, **options: Any) -> stakes.ExpectedLoss:  # noqa: ANN401
    costs = matrix_of(data.k)
    return stakes.expected_cost(data.y, costs.bayes_decisions(data.p), costs=costs, **options)


def case(data: Data, **options: Any) -> stakes.ExpectedLoss:  # noqa: ANN401
    return stakes.expected_cost(data.y, data.p.argmax(axis=1), costs=by_case(data), **options)


def bayes(data: Data, **options: Any) -> stakes.ExpectedLoss:  # noqa: ANN401
    return stakes.bayes_cost(data.y, data.p, costs=matrix_of(data.k), **options)


CALLS: dict[str, Callable[..., stakes.ExpectedLoss]] = {
    "expected cost": hard,
    "costs by case": case,
    "Bayes cost": bayes,
    "cross-entropy": lambda data, **options: stakes.cross_entropy(data.y, data.p, **options),
    "Brier score": lambda data, **options: stakes.brier_score(data.y, data.p, **options),
}
each_call = pytest.mark.parametrize("name", CALLS)
with_rows = pytest.mark.parametrize("name", [name for name in CALLS if name != "expected cost"])


def ends(record: stakes.ExpectedLoss, level: float = 0.95) -> list[float]:
    """Return both intervals of a record."""
    return [*record.interval(level), *record.normalized_interval(level)]


@each_call
@given(seeds, st.integers(2, 4), st.booleans())
@settings(max_examples=15)
def test_permuted_rows_have_the_same_bits(name: str, seed: int, k: int, weighted: Any) -> None:  # noqa: ANN401
    data, priors = made(seed, k), priors_of(seed, k)
    other = data.part(np.random.default_rng(seed).permutation(data.y.size))
    one, two = (CALLS[name](d, **d.options(priors, weighted=weighted)) for d in (data, other))
    assert ends(one) == ends(two)
    assert one.p_value == two.p_value
    assert one.standard_error == two.standard_error


@given(seeds)
@settings(max_examples=5)
def test_permuted_rows_in_groups_have_the_same_bits(seed: int) -> None:
    data, priors = made(seed, 3, 60), priors_of(seed, 3)
    groups = np.random.default_rng(seed).integers(0, 12, 60)
    order = np.random.default_rng(seed).permutation(60)
    both = []
    for rows, unit in ((np.arange(60), groups), (order, (100 - groups)[order])):
        part = data.part(rows)
        found = stakes.evaluate(
            part.y,
            part.p,
            costs=matrix_of(3),
            priors=priors,
            training_priors="deployment",
            sample_weight=part.w,
            groups=unit,
            calibrator=None,
        )
        both.append([ends(x.raw) for x in (found.main.cost, *found.rules)])
    assert both[0] == both[1]


@each_call
@given(seeds, st.integers(2, 4), st.booleans())
@settings(max_examples=15)
def test_intervals_grow_with_the_level_and_include_the_value(
    name: str,
    seed: int,
    k: int,
    weighted: Any,  # noqa: ANN401
) -> None:
    data = made(seed, k)
    found = CALLS[name](data, **data.options(priors_of(seed, k), weighted=weighted))
    bands = np.array([ends(found, level) for level in LEVELS])
    for low, high, value in ((0, 1, found.value), (2, 3, found.normalized)):
        assert (np.diff(bands[:, low]) <= 0).all()
        assert (np.diff(bands[:, high]) > 0).all()
        assert (bands[:, low] <= value).all()
        assert (value <= bands[:, high]).all()
        assert (bands[:, low] >= 0).all()


@each_call
@given(seeds, st.booleans(), st.floats(0.01, 100))
@settings(max_examples=15)
def test_only_ratios_of_weights_matter(
    name: str,
    seed: int,
    given_priors: Any,  # noqa: ANN401
    factor: float,
) -> None:
    """With given priors those within a class."""
    data = made(seed, 3)
    scale = np.full(3, factor)
    priors = None
    if given_priors:
        priors, scale = np.array([0.2, 0.5, 0.3]), np.array([1, factor, 0.3])
    other = replace(data, w=data.w * scale[data.y])
    one, two = (CALLS[name](d, **d.options(priors, weighted=True)) for d in (data, other))
    assert ends(two) == pytest.approx(ends(one), rel=1e-6, abs=1e-12)
    assert two.p_value == pytest.approx(one.p_value, rel=1e-5, abs=1e-12)


@each_call
@given(seeds, st.booleans())
@settings(max_examples=15)
def test_names_of_classes_change_nothing(name: str, seed: int, weighted: Any) -> None:  # noqa: ANN401
    data, turned = made(seed, 2, 41), priors_of(seed, 2)  # of equal classes either may come first
    priors = None if turned is None else turned[::-1]
    told = data.options(turned, weighted=weighted)
    mirrored = {**told, "priors": priors}
    y, p = 1 - data.y, data.p[:, ::-1]
    costs = stakes.CostMatrix(table_of(2), decisions=3)
    swapped = stakes.CostMatrix(table_of(2)[::-1, [1, 0, 2]], decisions=3)
    rows: list[list[float | str]] = [[0.0, "amount"], [2.0, 0.0]]
    cases = stakes.SampleCosts.from_columns(rows, {"amount": data.amount})
    other = {
        "expected cost": lambda: stakes.expected_cost(
            y, np.array([1, 0, 2])[costs.bayes_decisions(data.p)], costs=swapped, **mirrored
        ),
        "costs by case": lambda: stakes.expected_cost(y, p.argmax(axis=1), costs=cases, **mirrored),
        "Bayes cost": lambda: stakes.bayes_cost(y, p, costs=swapped, **mirrored),
        "cross-entropy": lambda: stakes.cross_entropy(y, p, **mirrored),
        "Brier score": lambda: stakes.brier_score(y, p, **mirrored),
    }[name]()
    one = CALLS[name](data, **told)
    assert ends(other) == pytest.approx(ends(one), rel=1e-7, abs=1e-12)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-6, abs=1e-12)


@each_call
@given(seeds, st.booleans())
@settings(max_examples=15)
def test_at_given_priors_the_normalised_interval_is_a_multiple(
    name: str,
    seed: int,
    weighted: Any,  # noqa: ANN401
) -> None:
    data = made(seed, 3)
    found = CALLS[name](data, **data.options(np.array([0.5, 0.2, 0.3]), weighted=weighted))
    low, high, *normalized = ends(found)
    if name == "costs by case":  # whose naive cost is known from the same samples
        assert normalized != pytest.approx([low / found.naive, high / found.naive], rel=1e-3)
    else:
        assert normalized == pytest.approx([low / found.naive, high / found.naive], rel=1e-7)


def scaled(record: stakes.ExpectedLoss, factor: float) -> stakes.ExpectedLoss:
    """Return the record with constant answers that cost `factor` times as much."""
    losses, naive = record.losses, record.naive_at
    for part in ("losses", "possible"):
        rows = losses if part == "losses" else losses.possible
        if rows is not None and rows.bases is not None:
            more = replace(rows, bases=rows.bases * factor)
            losses = more if part == "losses" else replace(losses, possible=more)
    return replace(
        record,
        losses=losses,
        naive=record.naive * factor,
        naive_losses=record.naive_losses * factor,
        rivals=tuple(rival * factor for rival in record.rivals),
        naive_at=None if naive is None else lambda shares: naive(shares) * factor,
    )


@each_call
@given(seeds, st.booleans(), st.sampled_from([0.8, 0.95, 0.999]))
@settings(max_examples=15)
def test_p_at_an_end_is_that_of_the_level(
    name: str,
    seed: int,
    weighted: Any,  # noqa: ANN401
    level: float,
) -> None:
    """Against constant answers as expensive as an end of the normalised interval."""
    data = made(seed, 2 + seed % 3)
    found = CALLS[name](data, **data.options(priors_of(seed, data.k), weighted=weighted))
    for end in found.normalized_interval(level):
        if abs(end - found.normalized) > 1e-9 and end > 1e-9:
            assert scaled(found, end).p_value == pytest.approx(1 - level, abs=1e-6)


@each_call
@given(seeds)
@settings(max_examples=10)
def test_the_interval_leaves_out_1_where_the_test_says_so(name: str, seed: int) -> None:
    data = made(seed, 2, 20)
    found = CALLS[name](data, **data.options(priors_of(seed, 2), weighted=False))
    for level in LEVELS:
        band = found.normalized_interval(level)
        if min(abs(band.low - 1), abs(band.high - 1)) > 1e-6:
            assert (1 in band) == (found.p_value > 1 - level)


@given(seeds)
@settings(max_examples=10)
def test_counts_are_repeated_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts, priors = rng.integers(1, 30, (3, 4)), priors_of(seed, 3)
    y, d = (
        np.repeat(np.arange(12) // 4, counts.ravel()),
        np.repeat(np.arange(12) % 4, counts.ravel()),
    )
    table = matrix_of(3)
    counted = stakes.ConfusionMatrix.from_counts(counts, decisions=table.decisions)
    one = counted.expected_cost(table, priors)
    two = stakes.expected_cost(y, d, costs=table, priors=priors)
    assert ends(one) == ends(two)
    data = made(seed, 3, 30)
    number = rng.integers(1, 5, 30)
    loss = -np.log(data.p[np.arange(30), data.y])
    limits = np.zeros(3), np.full(3, 9.0)
    whole = number.astype(np.float64)
    single = LossRows(np.zeros(3), data.y, loss, data.w, whole).between(*limits)
    rows = np.repeat(np.arange(30), number)
    many = np.ones(rows.size)
    again = LossRows(np.zeros(3), data.y[rows], loss[rows], data.w[rows], many).between(*limits)
    constants = np.array([[1.0, 2.0, 0.5], [0.5, 1.0, 2.0]])
    bands = [x.problem(priors, constants).intervals(0.95) for x in (single, again)]
    np.testing.assert_allclose(bands[0], bands[1], rtol=1e-9)


@with_rows
@given(seeds)
@settings(max_examples=5)
def test_a_group_for_each_sample_is_nearly_no_groups(name: str, seed: int) -> None:
    data, priors = made(seed, 2, 200), priors_of(seed, 2)
    record = CALLS[name](data, **data.options(priors, weighted=False))
    grouped = replace(record, losses=replace(record.losses, unit=np.arange(200)))
    for one, other in zip(
        (record.interval(), record.normalized_interval()),
        (grouped.interval(), grouped.normalized_interval()),
        strict=True,
    ):
        assert 1 - 1e-6 < (other.high - other.low) / (one.high - one.low) < 1.25
    assert grouped.standard_error == pytest.approx(record.standard_error, rel=0.02)


@with_rows
def test_few_groups_have_no_interval(name: str) -> None:
    data = made(3, 2, 40)
    record = CALLS[name](data)
    grouped = replace(record, losses=replace(record.losses, unit=np.arange(40) % 4))
    assert grouped.no_interval == "needs 5 groups: got 4"
    assert math.isnan(grouped.interval().low)
    assert math.isnan(grouped.p_value)


# -- the ball, without the method that finds its ends


def on_the_ball(problem: Problem, side: float, metric: int, rng: np.random.Generator) -> FloatArray:
    """Return random reweightings that are as likely as those at the ends of the interval."""
    which, counts = np.array([metric]), problem._augmented(np.array([metric]), np.array([side]))[0]
    stratum, radius = problem.cells.all_strata, radius_of(0.95, problem.cells.groups)
    slope = problem.statistic.slopes(counts[None], which)[0]
    spread = np.sqrt(
        np.average(np.square(slope - np.average(slope, weights=counts)), weights=counts)
    )
    pull = rng.normal(size=(2000, counts.size))
    pull[1000:] *= 0.2
    pull[1000:] += side * slope / max(float(spread), 1e-300)  # most of the others change nothing

    def at(size: FloatArray) -> FloatArray:
        power = np.exp(np.clip(size[:, None] * pull, -600, 600))
        weights = counts * power
        for k in range(int(stratum.max()) + 1):
            own = stratum == k
            weights[:, own] *= counts[own].sum() / weights[:, own].sum(axis=1, keepdims=True)
        return weights

    def far(weights: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return 2 * (counts * np.log(counts / np.maximum(weights, 1e-300))).sum(axis=1)

    low, high = np.zeros(2000), np.full(2000, 50.0)
    for _ in range(40):
        middle = (low + high) / 2
        inside = far(at(middle)) <= radius**2
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return at(low)


@each_call
@pytest.mark.parametrize("fixed", [False, True])
def test_no_reweighting_of_the_ball_is_beyond_the_ends(name: str, fixed: Any) -> None:  # noqa: ANN401
    data = made(5, 3, 30)
    priors = np.array([0.5, 0.2, 0.3]) if fixed else None
    problem = CALLS[name](data, **data.options(priors, weighted=True))._problem
    rng, whole = np.random.default_rng(5), problem.intervals(0.95)
    assert problem.values[0] > 0
    for number, members in enumerate(problem.members):
        for side, end in ((-1.0, whole[number, 0]), (1.0, whole[number, 1])):
            reached = []
            for metric in members:
                weights = on_the_ball(problem, side, metric, rng)
                values = problem.statistic.values(weights, np.full(2000, metric))
                reached.append(float((side * values).max()))
            best = side * (max(reached) if side > 0 or len(members) == 1 else min(reached))
            value = problem.values[number]
            assert side * (end - best) >= -1e-9 * abs(end)
            assert side * (best - value) >= 0.5 * side * (end - value)  # and some come near


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", ["alone", "constants", "naive", "bases"])
@pytest.mark.parametrize("fixed", [False, True])
def test_values_are_ratios_and_slopes_their_derivatives(
    kind: str,
    grouped: Any,  # noqa: ANN401
    fixed: Any,  # noqa: ANN401
) -> None:
    rng = np.random.default_rng(7)
    n, k = 24, 3
    y, weight = np.arange(n) % k, rng.lognormal(0, 0.5, n)
    unit = rng.permutation(n) // 2 if grouped else None
    bases = rng.random((n, 2)) * weight[:, None] if kind == "bases" else None
    own = np.arange(n) if unit is None else unit
    rows = MeanRows(y, weight * rng.random(n), weight, np.ones(n), bases, unit)
    priors = np.array([0.5, 0.0, 0.5]) if fixed else None  # a class that does not count
    constants = rng.random((2, k)) if kind == "constants" else None
    naive = (lambda shares: -np.log(shares)) if kind == "naive" and not fixed else None
    means = Means(rows, own, int(own.max()) + 1, priors, k, constants, naive)
    at, step = rng.random(means.n_units) + 0.5, 1e-6
    sizes = np.bincount(y, at[own] * weight)
    scale = at[own] * (1 / sizes.sum() if priors is None else (priors / sizes)[y])
    units = [] if bases is None else list(bases.T)
    units += [] if constants is None else [weight * c[y] for c in constants]
    units += [] if naive is None else [weight * naive(sizes / sizes.sum())[y]]
    wanted = [scale @ rows.amount, *(scale @ rows.amount / (scale @ unit) for unit in units)]
    every = np.arange(means.size)
    assert means.values(np.tile(at, (means.size, 1)), every) == pytest.approx(wanted)
    for metric in range(means.size):
        which = np.full(means.n_units, metric)
        found = means.slopes(at[None], which[:1])[0]
        moved = step * np.eye(means.n_units)
        change = means.values(at + moved, which) - means.values(at - moved, which)
        np.testing.assert_allclose(found, change / (2 * step), atol=1e-8)
    assert means.size == {"alone": 1, "naive": 1 if fixed else 2}.get(kind, 3)
    assert len(wanted) == means.size


# -- what rows may occur, and rows that stand for many


def test_rows_unseen_are_as_heavy_as_those_seen() -> None:
    """By squared weight, in each class where priors are given."""
    y, w = np.array([0, 0, 0, 1, 1]), np.array([1.0, 1.0, 4.0, 10.0, 10.0])
    zero = np.zeros(2)
    rows = LossRows(zero, y, np.zeros(5), w, np.ones(5)).between(zero, np.array([1.0, 3.0]))
    free = rows.unseen(None)
    assert free.weight == pytest.approx(np.full(4, np.square(w).sum() / w.sum()))
    assert free.loss.tolist() == [0, 0, 1, 3]
    fixed = rows.unseen(np.array([0.5, 0.5]))
    relative = np.array([0.5, 0.5, 2.0, 1.0, 1.0])
    usual = np.square(relative).sum() / relative.sum()
    assert fixed.weight == pytest.approx(np.array([2, 10, 2, 10]) * usual)


@given(seeds)
def test_two_rows_have_the_moments_of_many(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    loss, w = rng.gamma(0.5, 1, n), rng.lognormal(0, 0.3, n)
    mean = float(w @ loss / w.sum())
    size = float(w.sum() ** 2 / (w @ w))
    by_square = [float((w * w) @ (loss - mean) ** j / (w @ w)) for j in (1, 2, 3)]
    moments = tuple(np.array([m]) for m in by_square)
    rows = rows_of_moments(np.array([size]), np.array([w.sum()]), np.array([mean]), moments)  # type: ignore[arg-type]
    mass = rows.number * rows.weight
    assert mass.sum() == pytest.approx(w.sum())
    assert mass @ rows.loss == pytest.approx(mean * w.sum())
    square = mass * rows.weight
    assert square.sum() == pytest.approx(w @ w)
    spread = square @ np.square(rows.loss - mean) / square.sum()
    assert spread == pytest.approx(by_square[1])
    if rows.y.size == 2 and np.ptp(square) > 1e-9 * square.max():
        drift = square @ (rows.loss - mean) / square.sum()
        third = square @ (rows.loss - mean) ** 3 / square.sum()
        assert [drift, third] == pytest.approx([by_square[0], by_square[2]], abs=1e-9)


def test_many_rows_are_merged_and_keep_their_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made(5, 2, 4000)
    for priors in (None, np.array([0.7, 0.3])):
        for call, slack in ((CALLS["cross-entropy"], 0.005), (case, 1e-6)):
            exact = ends(call(data, **data.options(priors, weighted=False)))
            monkeypatch.setattr("stakes.inference.means.MOST_ROWS", 100)
            merged = call(data, **data.options(priors, weighted=False))
            assert len(merged._problem.cells.counts) < 2000
            wide, normalized = exact[1] - exact[0], exact[3] - exact[2]
            assert ends(merged)[:2] == pytest.approx(exact[:2], abs=slack * wide)
            assert ends(merged)[2:] == pytest.approx(exact[2:], abs=slack * normalized)
            monkeypatch.undo()


def test_a_mean_of_zeros_and_ones_is_that_of_a_share() -> None:
    """Reference: the likelihood of a binomial share, of n rows and half an unseen one."""
    hits, misses, q = 12.0, 3.0, 1.959963984540054
    rows = MeanRows(np.zeros(2, int), np.array([0.0, 1.0]), np.ones(2), np.array([hits, misses]))
    possible = replace(rows, counts=np.ones(2))
    low, high = problem_of_means(rows, possible, 1, None).intervals(0.95)[0]
    for share, a, b in ((low, hits + 0.5, misses), (high, hits, misses + 0.5)):
        n = hits + misses + 0.5
        depth = 2 * (a * math.log(a / (n * (1 - share))) + b * math.log(b / (n * share)))
        assert depth == pytest.approx(q * q, rel=1e-6)
