"""Laws of the sketch of scores that a page carries: little, and right."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import ArrayLike

import stakes
from stakes.evaluation.sketch import LevelSketch, RowSketch, Sketch, posteriors_of

LEVELS = [-math.inf, -40.0, -3.0, -1.5, 0.0, 0.25, 2.0, 7.0, math.inf]
COSTS = {
    "even": [[0, 1], [1, 0]],
    "costly": [[0, 1], [20, 0]],
    "three": [[0, 1, 0.3], [4, 0, 0.3]],
}


def sketch_of(y: object, scores: object, **options: Any) -> Sketch:  # noqa: ANN401
    made = stakes.evaluate(y, scores, **options).sketch
    assert made is not None
    return made


def judged(system: LevelSketch, costs: list[list[float]], priors: ArrayLike) -> np.ndarray:
    """Return weights of either class by decision, from the levels alone."""
    moved, priors = 0.0, np.asarray(priors)
    if system.reference is not None:
        moved = np.log(priors[1] / priors[0]) - np.log(system.reference[1] / system.reference[0])
    p = stakes.Logits(system.level + moved).answers(None).p
    d = stakes.CostMatrix(costs).least_expected(p)
    out = np.zeros((2, len(costs[0])))
    for k, weight in enumerate((system.first, system.second)):
        np.add.at(out[k], d, weight)
    return out


@st.composite
def drawn(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[float] | None]:
    n = draw(st.integers(4, 60))
    z = draw(st.lists(st.sampled_from(LEVELS) | st.floats(-30, 30), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    y[:4] = [0, 0, 1, 1]
    weights = draw(st.none() | st.lists(st.floats(0.01, 100), min_size=n, max_size=n))
    return np.array(y), np.array(z), weights


TRAINED: dict[str, Any] = {"posteriors": "deployment", "adapted": [0.8, 0.2], "ratios": None}


@settings(max_examples=60, deadline=None)
@given(drawn(), st.sampled_from(sorted(COSTS)), st.floats(0.01, 0.99))
def test_few_levels_give_the_very_decisions(
    data: tuple[np.ndarray, np.ndarray, list[float] | None], name: str, prior: float
) -> None:
    y, z, weights = data
    priors = np.array([1 - prior, prior])
    sketch = sketch_of(y, stakes.Logits(z), sample_weight=weights, calibrator=None)
    (system,) = sketch.systems
    assert isinstance(system, LevelSketch)
    assert system.exact
    wanted = stakes.evaluate(
        y,
        stakes.Logits(z),
        costs=COSTS[name],
        priors=priors,
        training_priors="deployment",
        sample_weight=weights,
        calibrator=None,
    ).main.confusion
    found = judged(system, COSTS[name], priors)
    scale = 1 if weights is None else max(np.bincount(y, weights))
    np.testing.assert_allclose(
        found / found.sum(), wanted.counts / wanted.counts.sum(), atol=1e-12 * scale
    )
    if weights is None:
        np.testing.assert_array_equal(found, wanted.counts)


@pytest.mark.parametrize(("name", "prior"), [("even", 0.3), ("costly", 0.01), ("three", 0.5)])
@pytest.mark.parametrize("kind", ["posteriors", "ratios", "adapted"])
def test_a_grid_is_exact_where_it_was_asked(name: str, prior: float, kind: str) -> None:
    data = stakes.simulation.simulate(2, n=40_000)
    priors = [1 - prior, prior]
    scores = (
        data.log_likelihood_ratios() if kind == "ratios" else data.posteriors(np.array([0.8, 0.2]))
    )
    options = {"training_priors": TRAINED[kind]}
    made = stakes.evaluate(
        data.y,
        scores,
        costs=COSTS[name],
        priors=priors,
        calibrator=None,
        **options,
    )
    assert made.sketch is not None
    (system,) = made.sketch.systems
    assert isinstance(system, LevelSketch)
    assert not system.exact
    assert system.level.size < 9000
    np.testing.assert_array_equal(judged(system, COSTS[name], priors), made.main.confusion.counts)


@pytest.mark.parametrize("kind", ["posteriors", "ratios", "adapted"])
def test_scores_follow_the_priors_where_they_should(kind: str) -> None:
    data = stakes.simulation.simulate(2, n=500)
    scores = data.log_likelihood_ratios() if kind == "ratios" else data.posteriors([0.8, 0.2])
    options: dict[str, Any] = {"calibrator": None, "costs": COSTS["costly"]}
    options["training_priors"] = TRAINED[kind]
    first = stakes.evaluate(data.y, scores, priors=[0.5, 0.5], **options).sketch
    assert first is not None
    (system,) = first.systems
    assert isinstance(system, LevelSketch)
    other = stakes.evaluate(data.y, scores, priors=[0.98, 0.02], **options).main.confusion
    np.testing.assert_array_equal(judged(system, COSTS["costly"], [0.98, 0.02]), other.counts)


def test_certain_scores_keep_a_level_of_their_own() -> None:
    y = np.tile([0, 1], 20_000)
    z = np.random.default_rng(2).normal(size=y.size) + y
    z[:6] = [-np.inf, np.inf, np.inf, np.inf, -1000, 1000]
    (system,) = sketch_of(y, stakes.Logits(z), calibrator=None).systems
    assert isinstance(system, LevelSketch)
    assert not system.exact
    assert system.level[[0, -1]].tolist() == [-np.inf, np.inf]
    assert np.isfinite(system.level[1:-1]).all()
    assert (system.first[0], system.second[0]) == (1, 0)
    assert (system.first[-1], system.second[-1]) == (1, 2)
    assert (system.first.sum(), system.second.sum()) == (20_000, 20_000)


def test_ties_at_a_threshold_stay_below_it() -> None:
    y = np.tile([0, 1], 20_000)
    rng = np.random.default_rng(1)
    p = np.where(rng.random(y.size) < 0.2, 1 / 6, rng.random(y.size))
    costs = [[0, 1], [5, 0]]
    made = stakes.evaluate(y, p, costs=costs, calibrator=None)
    assert made.sketch is not None
    (system,) = made.sketch.systems
    assert isinstance(system, LevelSketch)
    np.testing.assert_array_equal(judged(system, costs, [0.5, 0.5]), made.main.confusion.counts)


@pytest.mark.parametrize("n", [300, 30_000, 300_000])
def test_rows_are_few_and_their_error_is_told(n: int) -> None:
    data = stakes.simulation.simulate(10, n=n)
    made = stakes.evaluate(data.y, data.posteriors(np.full(10, 0.1)), calibrator=None)
    sketch = made.sketch
    assert sketch is not None
    assert sketch.y is not None
    (system,) = sketch.systems
    assert isinstance(system, RowSketch)
    assert system.codes.nbytes <= 1_400_000
    assert len(system.codes) <= 100_000
    p = posteriors_of(system.codes, sketch.scale)
    found = stakes.bayes_cost(sketch.y, p, priors=sketch.priors).normalized
    nec = made.main.cost.normalized.value
    assert abs(found - nec) <= sketch.error + 1e-12
    assert sketch.error < (1e-3 if n == 300 else 0.02)


def test_the_first_rows_hold_every_class() -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([np.repeat(3, 3), rng.integers(0, 3, 200_000)])
    p = rng.dirichlet(np.ones(4), y.size)
    sketch = sketch_of(y, p, calibrator=None)
    assert sketch.y is not None
    assert set(sketch.y[:4].tolist()) == {0, 1, 2, 3}
    assert np.bincount(sketch.y)[3] == 3  # as many as there are
    half = np.bincount(sketch.y[: len(sketch.y) // 2], minlength=4)[:3] / (len(sketch.y) // 2)
    np.testing.assert_allclose(half, np.bincount(sketch.y)[:3] / len(sketch.y), atol=1e-3)


def test_posteriors_of_codes() -> None:
    codes = np.array([[0, 255], [10, 20]], dtype=np.uint8)
    p = posteriors_of(codes, 32.0)
    assert p[0].tolist() == [1, 0]
    a, b = math.exp(-((10 / 32) ** 2)), math.exp(-((20 / 32) ** 2))
    np.testing.assert_allclose(p[1], [a / (a + b), b / (a + b)])


def test_what_cannot_be_judged_again_says_why() -> None:
    y = np.arange(202) % 101
    many = sketch_of(y, np.full((202, 101), 1 / 101), calibrator=None)
    assert many.why_not == "there are more than 100 classes"
    costs = stakes.SampleCosts.from_columns(
        [[0, 1], ["loss", 0]], {"loss": np.array([1.0, 2, 3, 4])}, classes=[0, 1]
    )
    by_case = sketch_of([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9], costs=costs, calibrator=None)
    assert by_case.why_not == "costs differ from case to case"
    assert by_case.systems == ()


def test_calibrated_scores_are_kept_beside_those_given() -> None:
    data = stakes.simulation.simulate(2, n=600)
    made = stakes.evaluate(data.y, data.posteriors([0.2, 0.8]), costs=COSTS["costly"])
    assert made.sketch is not None
    raw, calibrated = made.sketch.systems
    assert (raw.name, calibrated.name) == ("uncalibrated", "calibrated")
    cost = made.main.cost
    assert cost.calibrated_normalized is not None
    assert cost.calibrated is not None
    both = (cost.normalized.value, cost.calibrated_normalized.value)
    assert made.sketch.applications[0].normalized == both
    assert isinstance(calibrated, LevelSketch)
    counts = judged(calibrated, COSTS["costly"], made.sketch.priors)
    share = (counts * COSTS["costly"]).sum() / counts.sum()
    assert share == pytest.approx(cost.calibrated.value, rel=1e-12)


@pytest.mark.parametrize("n", [500, 40_000])
@pytest.mark.parametrize("kind", ["posteriors", "ratios", "adapted", "close"])
def test_areas_and_least_costs_are_those_of_all_scores(n: int, kind: str) -> None:
    data = stakes.simulation.simulate(2, n=n)
    ratios = data.log_likelihood_ratios()
    scores: stakes.Scores = data.posteriors([0.8, 0.2])
    if kind in {"ratios", "close"}:
        scores = ratios if kind == "ratios" else stakes.Logits(1e-17 * ratios.values)
    at = {"adapted": [0.8, 0.2], "ratios": None}.get(kind, [0.5, 0.5])
    options = {"training_priors": at}
    uses = {
        "data": stakes.Application(COSTS["costly"], "data"),
        "rare": stakes.Application(COSTS["even"], [0.9, 0.1]),
        "three": COSTS["three"],
    }
    made = stakes.evaluate(
        data.y,
        scores,
        costs=uses,
        priors=[0.5, 0.5],
        calibrator=None,
        **options,
    )
    assert made.sketch is not None
    (system,) = made.sketch.systems
    assert isinstance(system, LevelSketch)
    assert system.exact == (n == 500 or kind == "close")  # which log odds cannot keep apart
    assert system.auc == made.ranking["auc"].value
    for application, result in zip(made.sketch.applications, made.applications, strict=True):
        (least,) = application.least
        if result.minimum is None:
            assert least is None
            continue
        assert least is not None
        assert least.value / result.cost.raw.naive == result.minimum.value
        if kind == "close":
            continue
        second = system.level > least.log_odds
        rates = [system.first[second].sum() / system.first.sum()]
        rates += [system.second[~second].sum() / system.second.sum()]
        costs = np.array([application.costs.values[0, 1], application.costs.values[1, 0]])
        cost = float((application.priors * costs * rates).sum())
        assert cost == pytest.approx(least.value, rel=1e-9 if n == 500 else 0.02)
