"""Laws of the intervals: what holds for every problem, and values known from elsewhere."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize

from stakes._kernels.definitions import reweighting
from stakes._kernels.tilt import tilted
from stakes._quantiles import normal
from stakes._typing import FloatArray
from stakes.inference.cells import HALF, TRACE, Cells, Unseen, effective_number
from stakes.inference.law import Pick, Problem
from stakes.inference.tilting import depth_of, likeliest, most, radius_at
from stakes.inference.totals import Formula, Totals

Values = NDArray[Any]
LEVELS = [0.5, 0.8, 0.95, 0.999]
seeds = st.integers(0, 2**32)


def matthews(t: Values) -> Values:
    a, b, c, d = (t[..., j] for j in range(4))
    return (a * d - b * c) / np.sqrt((a + b) * (a + c) * (d + b) * (d + c))


TABLE: dict[str, tuple[Formula, float, float]] = {  # of true negatives, false alarms, misses, hits
    "accuracy": (lambda t: (t[..., 0] + t[..., 3]) / t.sum(axis=-1), 0, 1),
    "sensitivity": (lambda t: t[..., 3] / (t[..., 2] + t[..., 3]), 0, 1),
    "precision": (lambda t: t[..., 3] / (t[..., 1] + t[..., 3]), 0, 1),
    "f1": (lambda t: 2 * t[..., 3] / (2 * t[..., 3] + t[..., 1] + t[..., 2]), 0, 1),
    "benefit": (lambda t: (t[..., 3] - 0.2 * t[..., 1]) / t.sum(axis=-1), -0.2, 1),
    "matthews": (matthews, -1, 1),
}
FORMULAS = [formula for formula, _, _ in TABLE.values()]


def table_problem(counts: Values, scale: float = 1.0) -> Problem:
    """Return six metrics of a 2 x 2 table whose rows weigh `scale`."""
    columns = scale * np.eye(4)
    cells = Cells.from_rows(columns, Unseen.candidates(columns), counts=counts)
    return Problem.single(cells, Totals(cells.all_columns, FORMULAS))


def mean_rows(seed: int, strata: int) -> tuple[FloatArray, Values, FloatArray]:
    """Return losses in 0..1 with weights, their strata and the share of each stratum."""
    rng = np.random.default_rng(seed)
    stratum = np.concatenate([np.arange(strata), rng.integers(0, strata, rng.integers(3, 30))])
    weight = rng.lognormal(0, rng.choice([0.0, 0.7]), stratum.size)
    loss = rng.choice([rng.random(stratum.size), rng.integers(0, 2, stratum.size)])
    each = np.equal.outer(stratum, np.arange(strata))
    columns = np.concatenate([each * (weight * loss)[:, None], each * weight[:, None]], axis=1)
    return columns, stratum, rng.dirichlet(np.ones(strata))


def mean_of(share: FloatArray) -> Formula:
    """Return the mean of the classes' mean losses."""
    k = share.size
    return lambda t: (t[..., :k] / t[..., k:] * share).sum(axis=-1)


def mean_problem(
    rows: tuple[FloatArray, Values, FloatArray],
    counts: Values | float = 1.0,
    groups: tuple[float, float] | None = None,
) -> Problem:
    """Return a mean loss at given priors; the unseen row loses 0 or 1."""
    columns, stratum, share = rows
    k = share.size
    largest = columns[:, k:].max()
    ends = np.concatenate(
        [np.hstack([bound * np.eye(k), np.eye(k)]) * largest for bound in (0.0, 1.0)]
    )
    unseen = Unseen.candidates(ends, np.tile(np.arange(k), 2))
    cells = Cells.from_rows(columns, unseen, stratum, counts, groups)
    return Problem.single(cells, Totals(cells.all_columns, [mean_of(share)]))


def difference_of(gaps: FloatArray, rows: float, scale: float = 1.0) -> Problem:
    """Return the mean of what two systems differ by in each of so many rows."""
    counts = np.append(np.ones(len(gaps)), max(rows - len(gaps), 0))
    columns = np.column_stack([np.append(gaps, 0.0), np.full(counts.size, scale)])
    share = Unseen.swapped(columns[:, :1], counts, np.zeros(counts.size, dtype=np.int64))
    swapped = np.column_stack([share.columns, np.full(share.mass.size, scale)])
    unseen = Unseen(swapped, share.stratum, share.kind, share.mass)
    cells = Cells.from_rows(columns, unseen, counts=counts)
    return Problem.single(cells, Totals(cells.all_columns, [lambda t: t[..., 0] / t[..., 1]]))


tables = st.lists(st.integers(1, 200), min_size=4, max_size=4).map(np.array)
any_tables = st.lists(st.integers(0, 60), min_size=4, max_size=4).map(np.array)


@given(any_tables, st.sampled_from(LEVELS))
@example(np.array([30, 0, 0, 30]), 0.95)
@example(np.array([50, 0, 0, 0]), 0.95)
def test_intervals_lie_in_the_range_and_contain_the_value(counts: FloatArray, level: float) -> None:
    assume(counts.sum() > 0)
    problem = table_problem(counts)
    ends = problem.intervals(level)
    for (_, low, high), value, (bottom, top) in zip(
        TABLE.values(), problem.values, ends, strict=True
    ):
        if math.isnan(value):
            assert math.isnan(bottom)
            assert math.isnan(top)
            continue
        assert low - 1e-12 <= bottom <= top <= high + 1e-12
        assert bottom <= value <= top


@given(tables)
def test_intervals_grow_with_the_level(counts: FloatArray) -> None:
    problem = table_problem(counts)
    ends = np.array([problem.intervals(level) for level in LEVELS])
    assert (np.diff(ends[:, :, 0], axis=0) < 0).all()
    assert (np.diff(ends[:, :, 1], axis=0) > 0).all()


@given(tables, st.integers(-990, 990))
@example(np.array([40, 3, 7, 20]), -996)
@example(np.array([40, 3, 7, 20]), 980)
def test_rescaled_weights_change_nothing(counts: FloatArray, power: int) -> None:
    simple = [k for k, name in enumerate(TABLE) if name != "matthews"]  # whose products overflow
    one, other = (table_problem(counts, scale).intervals(0.95)[simple] for scale in (1, 2.0**power))
    np.testing.assert_allclose(one, other, rtol=1e-9)


@given(seeds, st.integers(1, 5))
def test_permuted_rows_have_the_same_bits(seed: int, strata: int) -> None:
    columns, stratum, share = mean_rows(seed, strata)
    order = np.random.default_rng(seed).permutation(stratum.size)
    one = mean_problem((columns, stratum, share))
    other = mean_problem((columns[order], stratum[order], share))
    assert one.intervals(0.95).tobytes() == other.intervals(0.95).tobytes()
    assert one.p_value(0, 0.4) == other.p_value(0, 0.4)


@given(seeds)
def test_permuted_differences_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gaps = rng.choice([rng.normal(size=9), rng.integers(-2, 3, 9).astype(float)])
    one, other = (difference_of(rows, 40) for rows in (gaps, rng.permutation(gaps)))
    assert one.intervals(0.95).tobytes() == other.intervals(0.95).tobytes()


@given(seeds, st.integers(1, 5))
def test_merged_and_split_cells_agree(seed: int, strata: int) -> None:
    columns, stratum, share = mean_rows(seed, strata)
    copies = np.random.default_rng(seed).integers(1, 5, stratum.size)
    repeated = np.repeat(columns, copies, axis=0), np.repeat(stratum, copies)
    whole = mean_problem((columns, stratum, share), copies)
    split = mean_problem((*repeated, share))
    apart = half_rows(*repeated, split.cells.unseen)
    for other in (split, Problem.single(apart, Totals(apart.all_columns, [mean_of(share)]))):
        width = np.ptp(whole.intervals(0.95))
        assert np.abs(whole.intervals(0.95) - other.intervals(0.95)).max() < 1e-9 * width
        assert whole.p_value(0, 0.4) == pytest.approx(other.p_value(0, 0.4), rel=1e-7, abs=1e-300)


def half_rows(columns: FloatArray, stratum: Values, unseen: Unseen) -> Cells:
    """Return rows as two cells of half a row each, not merged."""
    counts = np.full(2 * len(columns), 0.5)
    return Cells(np.repeat(columns, 2, axis=0), counts, np.repeat(stratum, 2), unseen)


@given(seeds)
def test_exchanged_systems_change_the_sign(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gaps = rng.choice([rng.normal(size=12), rng.integers(-3, 4, 12).astype(float)])
    assume(gaps.any())
    one, other = difference_of(gaps, 60), difference_of(-gaps, 60)
    low, high = one.intervals(0.95)[0]
    assert other.intervals(0.95)[0] == pytest.approx([-high, -low], abs=1e-12 * (high - low))
    assert one.p_value() == pytest.approx(other.p_value(), rel=1e-9)


@given(tables, st.floats(0.1, 50), st.floats(-3, 3))
def test_multiples_of_one_quantity_agree(counts: FloatArray, factor: float, more: float) -> None:
    cells = table_problem(counts).cells
    f1 = TABLE["f1"][0]
    both = [f1, lambda t: more - factor * f1(t)]
    problem = Problem.single(cells, Totals(cells.all_columns, both))
    one, (low, high) = problem.intervals(0.95)
    np.testing.assert_allclose([(more - high) / factor, (more - low) / factor], one, rtol=1e-9)
    null = 0.9 * problem.values[0]
    p = [problem.p_value(0, null), problem.p_value(1, more - factor * null)]
    assert p[0] == pytest.approx(p[1], rel=1e-7)


@given(tables, st.sampled_from(LEVELS))
@example(np.array([855, 45, 5, 95]), 0.95)
@example(np.array([900, 1, 1, 900]), 0.999)
def test_p_at_an_end_of_a_table_metric(counts: FloatArray, level: float) -> None:
    problem = table_problem(counts)
    for number, ends in enumerate(problem.intervals(level)):
        for end in ends:
            assert problem.p_value(number, end) == pytest.approx(1 - level, abs=1e-8)


@given(seeds, st.integers(1, 5), st.sampled_from(LEVELS), st.sampled_from([None, 5, 40]))
def test_p_at_an_end_of_a_mean(seed: int, strata: int, level: float, groups: int | None) -> None:
    number = None if groups is None else (float(groups), groups / 1.3)
    problem = mean_problem(mean_rows(seed, strata), groups=number)
    low, high = problem.intervals(level)[0]
    for end in (low, high):
        if 1e-6 < end < 1 - 1e-6:  # beyond it traces alone can reach
            assert problem.p_value(0, end) == pytest.approx(1 - level, abs=1e-8)


@pytest.mark.parametrize("size", [1, 1e4, 1e8, 1e12, 1e15])
def test_counts_of_any_size(size: float) -> None:
    problem = table_problem(np.array([3.0, 1.0, 2.0, 4.0]) * size)
    (low, high), *_, (least, most_) = ends = problem.intervals(0.95)
    assert np.isfinite(ends).all()
    if size > 1:
        assert (high - low) * math.sqrt(10 * size) == pytest.approx(
            2 * normal(0.95) * math.sqrt(0.21), rel=2e-3
        )
    for number, pair in enumerate(ends):
        for end in pair:
            assert problem.p_value(number, end) == pytest.approx(0.05, abs=1e-8), (number, end)
    assert least < problem.values[-1] < most_


@pytest.mark.parametrize("pick", ["one", "max", "min", "hull"])
@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_p_at_the_ends_of_a_pick(pick: Pick, shift: float) -> None:
    cells = table_problem(np.array([20, 4, 6, 9])).cells
    family = Totals(cells.all_columns, [TABLE[name][0] for name in ("accuracy", "f1", "precision")])
    members = [(0,)] if pick == "one" else [(0, 1, 2)]
    problem = Problem(cells, family, members, [pick], shift)
    for end in problem.intervals(0.9)[0]:
        assert problem.p_value(0, end) == pytest.approx(0.1, abs=1e-8)
    assert problem.p_value(0, problem.values[0]) == 1


def test_what_is_undefined_has_no_p_value() -> None:
    problem = table_problem(np.array([50, 4, 0, 0]))
    assert math.isnan(problem.values[1])
    assert math.isnan(problem.p_value(1, 0.5))
    few = mean_problem(mean_rows(1, 2), groups=(4.0, 4.0))
    assert np.isnan(few.intervals(0.95)).all()
    assert math.isnan(few.p_value(0, 0.5))


def random_tilts(
    seed: int, powers: tuple[int, ...] = (1, 3, 6), far: float = 0.5
) -> tuple[FloatArray, FloatArray, Any, FloatArray]:
    """Return slopes, counts and strata of eight problems, with traces and far slopes."""
    rng = np.random.default_rng(seed)
    strata = int(rng.integers(1, 21))
    rows = strata + int(rng.integers(1, 40))
    stratum = np.sort(np.concatenate([np.arange(strata), rng.integers(0, strata, rows - strata)]))
    counts = 10.0 ** rng.uniform(0, rng.choice(powers), (8, rows))
    counts[rng.random((8, rows)) < 0.2] = TRACE
    slopes = rng.normal(size=(8, rows))
    if rng.random() < far:
        slopes *= 10.0 ** rng.uniform(-12, 12, (8, rows))
    if rng.random() < 0.3:
        slopes = np.round(slopes)
    return slopes, counts, stratum, rng.choice([0.1, 1.0, 1.96, 3.3, 8.0], 8)


def exact_radius(weights: FloatArray, counts: FloatArray) -> float:
    """Return the radius of weights whose sums are those of the counts, in long doubles."""
    m, w = np.asarray(counts, dtype=np.longdouble), np.asarray(weights, dtype=np.longdouble)
    more = (w - m) / m
    log = np.where(more > -0.5, np.log1p(np.maximum(more, -0.5)), np.log(w / m))
    return float(np.sqrt(2 * (m * (more - log)).sum()))


def test_weights_lie_on_the_ball_with_the_sums_of_their_strata() -> None:
    seen = 0
    for seed in range(400):
        slopes, counts, stratum, radius = random_tilts(seed)
        weights = most(slopes, counts, stratum, radius)
        assert (weights >= 0).all()
        for k in range(stratum[-1] + 1):
            sums = weights[:, stratum == k].sum(axis=1)
            np.testing.assert_allclose(sums, counts[:, stratum == k].sum(axis=1), rtol=1e-12)
        for w, m, q, d in zip(weights, counts, radius, slopes, strict=True):
            real = m > 1e-3
            if any(np.ptp(d[real & (stratum == k)]) > 0 for k in stratum[real]):
                assert exact_radius(w, m) == pytest.approx(q, rel=1e-8), seed
                seen += 1
    assert seen > 2000


def test_no_search_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    at, calls = reweighting._Tilt.at, [0]

    def counted(*said: Any) -> Any:  # noqa: ANN401
        calls[0] += 1
        return at(*said)

    monkeypatch.setattr(reweighting._Tilt, "at", counted)
    for seed in range(150):
        calls[0] = 0
        reweighting.tilted(*random_tilts(seed), of_radius=True)
        assert calls[0] <= 60, seed


def test_the_likeliest_weights_are_the_best_of_their_radius() -> None:
    for seed in range(100):
        slopes, counts, stratum, radius = random_tilts(seed, (1, 3), far=0)
        weights = most(slopes, counts, stratum, radius)
        ahead = ((weights - counts) * slopes).sum(axis=1)
        reach = (depth_of(slopes, stratum) * counts).sum(axis=1)
        some = (ahead > 1e-6 * reach) & (ahead < 0.99 * reach)
        back = likeliest(slopes[some], counts[some], stratum, ahead[some])
        np.testing.assert_allclose(radius_at(back, counts[some]), radius[some], rtol=1e-5)


def moved(rng: np.random.Generator, cells: Cells, counts: FloatArray, q: float) -> FloatArray:
    """Return random weights at a radius."""
    z = rng.normal(size=counts.size) * counts ** rng.choice([0.0, -0.5])
    z[rng.random(counts.size) < rng.random()] = 0
    low, high, stratum = 0.0, 1.0, cells.all_strata

    def at(far: float) -> FloatArray:
        w = counts * np.exp(np.clip(far * z, -40, 40))
        for k in range(stratum.max() + 1):
            w[stratum == k] *= counts[stratum == k].sum() / w[stratum == k].sum()
        return np.asarray(w)

    while exact_radius(at(high), counts) < q and high < 20:
        high *= 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if exact_radius(at(middle), counts) < q else (low, middle)
    return at(low)


def problems(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    if rng.random() < 0.5:
        return table_problem(rng.integers(1, 40, 4))
    return mean_problem(mean_rows(seed, int(rng.integers(1, 6))))


@pytest.mark.parametrize("seed", range(12))
def test_no_random_point_of_the_ball_beats_an_end(seed: int) -> None:
    problem, rng, q = problems(seed), np.random.default_rng(seed), normal(0.95)
    n = problem.statistic.size
    ends, which = problem.intervals(0.95), np.arange(n)
    for side, column in ((-1.0, 0), (1.0, 1)):
        counts = problem._augmented(which, np.full(n, side))
        for number in range(n):
            points = np.array([moved(rng, problem.cells, counts[number], q) for _ in range(60)])
            values = problem.statistic.values(points, np.full(60, number))
            past = (side * (values - ends[number, column])).max()
            assert past < 0.002 * np.ptp(ends[number])


def profile_end(top: FloatArray, under: FloatArray, m: FloatArray, side: float) -> float:
    """Return the end of a ratio of two sums at 95 % by the empirical likelihood of its value."""

    def past(theta: float) -> float:
        z = top - theta * under  # weights m / (1 + x z) have sum 0 of z
        if z.min() >= 0 or z.max() <= 0:
            return math.inf
        edge = 1 - 1e-14
        x = brentq(
            lambda x: float((m * z / (1 + x * z)).sum()),
            -edge / z.max(),
            -edge / z.min(),
            xtol=1e-300,
            rtol=1e-15,
            maxiter=5000,
        )
        return 2 * float((m * np.log1p(x * z)).sum()) - normal(0.95) ** 2

    inside = float((m * top).sum() / (m * under).sum())
    far = inside
    while past(far) < 0:
        far += side * 0.02
    return float(brentq(lambda t: min(past(t), 1e3), inside, far, xtol=1e-14))


RATIOS: dict[str, tuple[list[float], list[float]]] = {
    "accuracy": ([1, 0, 0, 1], [1, 1, 1, 1]),
    "sensitivity": ([0, 0, 0, 1], [0, 0, 1, 1]),
    "precision": ([0, 0, 0, 1], [0, 1, 0, 1]),
    "f1": ([0, 0, 0, 2], [0, 1, 1, 2]),
    "benefit": ([0, -0.2, 0, 1], [1, 1, 1, 1]),
}


@given(tables)
def test_ends_of_ratios_are_those_of_their_profile(counts: FloatArray) -> None:
    problem = table_problem(counts)
    ends = problem.intervals(0.95)
    for number, (top, under) in enumerate(RATIOS.values()):
        for side, end in zip((-1.0, 1.0), ends[number], strict=True):
            m = problem._augmented(np.array([number]), np.array([side]))[0]
            columns = problem.cells.all_columns
            found = profile_end(columns @ top, columns @ under, m, side)
            assert found == pytest.approx(end, abs=1e-7)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ends_are_those_of_a_general_optimiser(seed: int) -> None:
    problem = problems(seed)
    for number in range(problem.statistic.size)[-1:]:  # the correlation: others have a profile
        for side, end in zip((-1.0, 1.0), problem.intervals(0.95)[number], strict=True):
            counts = problem._augmented(np.array([number]), np.array([side]))[0]
            found = maximum(problem, np.array([number]), side, counts)
            assert side * found == pytest.approx(side * end, abs=2e-6 * max(1, abs(end)))


def maximum(problem: Problem, which: NDArray[Any], side: float, counts: FloatArray) -> float:
    """Return the end by sequential quadratic programming on log(w / m)."""
    trace, stratum = counts < 1e-3, problem.cells.all_strata

    def weights(x: FloatArray) -> FloatArray:
        w = np.where(
            trace, counts + np.square(x), counts * np.exp(np.clip(x / np.sqrt(counts), -40, 40))
        )
        for k in range(stratum.max() + 1):
            w[stratum == k] *= counts[stratum == k].sum() / w[stratum == k].sum()
        return w

    def value(x: FloatArray) -> float:
        return -side * float(problem.statistic.values(weights(x)[None], which)[0]) * 10

    def slack(x: FloatArray) -> float:
        return normal(0.95) ** 2 - 2 * float((counts * np.log(counts / weights(x))).sum())

    limits = {"type": "ineq", "fun": slack}
    options = {"ftol": 1e-14, "maxiter": 1000}
    best = math.inf
    for start in (0.1,):
        x = np.where(trace, 0.3, start * np.linspace(0, 1, counts.size))
        for _ in range(2):  # anew from where it ended
            done = minimize(value, x, method="SLSQP", constraints=limits, options=options)
            x = done.x
        if slack(done.x) > -1e-7:
            best = min(best, done.fun)
    return -side * best / 10


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(5, 0, 0.039), (6, 0, 0.019), (8, 1, 0.024), (10, 2, 0.025), (15, 5, 0.028)],
)
@pytest.mark.parametrize("rows", [200, 1e9])
def test_discordant_pairs(first: int, second: int, p: float, rows: float) -> None:
    gaps = np.append(np.ones(first), -np.ones(second))
    assert difference_of(gaps, rows).p_value() == pytest.approx(p, abs=0.0011)


@pytest.mark.parametrize("n", [200, 1000, 1e6, 1e15])
def test_no_errors_of_so_many(n: int) -> None:
    problem = mean_problem((np.array([[0.0, 1.0]]), np.array([0]), np.ones(1)), n)
    low, high = problem.intervals(0.95)[0]
    assert low == 0
    assert high == pytest.approx(3.4 / n, rel=0.03)


def test_the_worst_unseen_row_of_each_kind_counts_half() -> None:
    unseen = Unseen.candidates(np.array([[0.0], [1.0], [3.0], [2.0]]), 0, np.array([0, 0, 1, 1]))
    own = Unseen(np.ones((1, 1)), np.zeros(1, np.int64), np.full(1, -1), np.full(1, 0.25))
    cells = Cells.from_rows(np.array([[1.0], [1.0], [0.0]]), unseen + own)
    assert cells.counts.tolist() == [1, 2]
    assert cells.unseen.columns[:, 0].tolist() == [1, 0, 1, 2, 3]
    harm = np.array([[5.0, 5.0, 9, 0, 1, 2, 3], [5.0, 5.0, -9, 0, -1, -2, -3]])
    found = cells.augmented(harm)[:, 2:]
    assert found[0].tolist() == [0.25, TRACE, HALF, TRACE, HALF]
    assert found[1].tolist() == [0.25, HALF, TRACE, HALF, TRACE]


def test_rows_that_count_nothing_are_left_out() -> None:
    none = Unseen.candidates(np.empty((0, 1)))
    cells = Cells.from_rows(np.arange(3.0)[:, None], none, 0, np.array([1, 0, 2]))
    assert cells.columns[:, 0].tolist() == [0, 2]
    assert cells.counts.tolist() == [1, 2]


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=30))
def test_the_effective_number_of_groups(sizes: list[float]) -> None:
    n = effective_number(np.array(sizes))
    assert 1 - 1e-12 <= n <= len(sizes) + 1e-9
    assert effective_number(np.array(sizes) * 1e200) == pytest.approx(n)
    assert effective_number(np.full(7, 3.0)) == 7


def test_strata_without_rows_change_nothing() -> None:
    """As where priors are given and a class does not count: in the kernel and its definition."""
    rng = np.random.default_rng(5)
    slopes, counts = rng.normal(size=(3, 12)), rng.random((3, 12)) + 0.5
    stratum, radius = np.repeat([0, 1], 6), np.full(3, 1.5)
    for function in (tilted, reweighting.tilted):
        one, other = (
            function(slopes, counts, which, radius, of_radius=True)
            for which in (stratum, 3 * stratum + 1)
        )
        np.testing.assert_array_equal(one, other)
