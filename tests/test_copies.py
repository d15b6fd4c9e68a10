"""A row that stands for several samples gives what these samples give one by one."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stakes
from stakes._math import turns
from stakes.calibration import crossfit
from stakes.curves import RocCurve
from stakes.evaluation import sketch, sketch_sources
from stakes.evaluation.entry import RULES, evaluate_samples
from stakes.evaluation.sketch import LevelSketch, RowSketch
from stakes.evaluation.system_comparison import compare_samples
from stakes.evaluation.systems import Settings
from stakes.metrics.paired import flipped
from stakes.samples import Samples, read_samples
from stakes.scores import PosteriorScores
from stakes.statistics import ConfusionCounts, ScoreLevels

DEFAULTS: dict[str, Any] = {
    "costs": None,
    "training_priors": None,
    "calibrator": stakes.AffineCalibrator(),
    "folds": 5,
    "level": 0.95,
    "groups": None,
    "slices": None,
    "rules": RULES,
    "rng": 3,
}
BY_ROW = ("groups", "slices", "folds")  # arguments that may be columns
UNEVEN = {2: [0.8, 0.2], 3: [0.2, 0.5, 0.3]}


def scored(k: int, n: int, seed: int, digits: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and posteriors; few digits make ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    logits = rng.normal(size=(n, k))
    logits[np.arange(n), y] += 1
    p = np.exp((logits - logits[:, :1]).round(digits))
    return y, p / p.sum(axis=1, keepdims=True)


def with_copies(samples: Samples, most: int, seed: int) -> Samples:
    """Return samples whose rows stand for up to so many."""
    copies = np.random.default_rng(seed).integers(1, most + 1, len(samples))
    made = replace(samples, copies=copies)
    return replace(made, priors=made.data_priors()) if samples.priors_from_data else made


def repeated(samples: Samples) -> tuple[Samples, np.ndarray]:
    """Return the samples one by one, and the row of each."""
    assert samples.copies is not None
    row = np.repeat(np.arange(len(samples)), samples.copies)
    return replace(samples.with_copies(row, None), row=None, n_given=row.size), row


def both(samples: Samples, **given: Any) -> tuple[stakes.Evaluation, stakes.Evaluation]:  # noqa: ANN401
    """Evaluate samples by rows and one by one."""
    one_by_one, row = repeated(samples)
    carry = isinstance(samples.scores, PosteriorScores)
    settings = DEFAULTS | {"training_priors": "data" if carry else None} | given
    each = {
        name: value[row]
        for name, value in settings.items()
        if name in BY_ROW and isinstance(value, np.ndarray)
    }
    return (
        evaluate_samples(samples, Settings(**settings)),
        evaluate_samples(one_by_one, Settings(**(settings | each))),
    )


def assert_alike(
    a: Any,  # noqa: ANN401
    b: Any,  # noqa: ANN401
    where: str = "",
    rel: float = 1e-9,
    ends: float = 1e-7,
) -> None:
    """Compare plain values in depth: texts and counts exactly, numbers up to rounding.

    Ends that are searched for agree to a share of the width.
    """
    if isinstance(a, Mapping):
        assert a.keys() == b.keys(), where
        searched = "likelihood" in str(a.get("method", "")) and b.get("interval") is not None
        for key in a:
            if searched and key == "interval" and "inf" not in b[key]:
                width = b[key][1] - b[key][0]
                assert a[key] == pytest.approx(b[key], abs=ends * width), where
            else:
                assert_alike(a[key], b[key], f"{where}.{key}", rel, ends)
    elif isinstance(a, Sequence) and not isinstance(a, str):
        assert len(a) == len(b), where
        for i, pair in enumerate(zip(a, b, strict=True)):
            assert_alike(*pair, f"{where}[{i}]", rel, ends)
    elif isinstance(a, float) and isinstance(b, float) and math.isfinite(b):
        root = "calibration_error" in where or where.endswith("p_value")
        near = 1e-7 if root else rel  # which are found that nearly
        assert a == pytest.approx(b, rel=near, abs=1e-12), where
    else:
        assert repr(a) == repr(b), where


def assert_same_sketch(
    a: stakes.Evaluation | stakes.Comparison, b: stakes.Evaluation | stakes.Comparison
) -> None:
    """Compare what a page is made of; samples of more than two classes come in any order."""
    one, other = a.sketch, b.sketch
    assert one is not None
    assert other is not None
    assert one.counts.tolist() == other.counts.tolist()
    assert one.total == other.total
    np.testing.assert_allclose(one.priors, other.priors)
    for i, (s, t) in enumerate(zip(one.systems, other.systems, strict=True)):
        if isinstance(s, RowSketch):
            assert isinstance(t, RowSketch)
            if i == 0 and one.weights is None:
                assert s.codes.tolist() == t.codes.tolist()
            assert np.sort(s.codes, axis=None).tolist() == np.sort(t.codes, axis=None).tolist()
            continue
        assert isinstance(s, LevelSketch)
        assert isinstance(t, LevelSketch)
        assert s.exact == t.exact
        first, second = np.argsort(s.level), np.argsort(t.level)
        np.testing.assert_allclose(s.level[first], t.level[second], rtol=1e-7, atol=1e-7)
        for part in ("first", "second"):
            np.testing.assert_allclose(getattr(s, part)[first], getattr(t, part)[second], rtol=1e-9)
        assert s.auc == pytest.approx(t.auc, rel=1e-9)


def assert_law(
    samples: Samples,
    *,
    rel: float = 1e-9,
    ends: float = 1e-7,
    **given: Any,  # noqa: ANN401
) -> stakes.Evaluation:
    """Hold an evaluation by rows against that of the samples one by one."""
    by_rows, one_by_one = both(samples, **given)
    assert_alike(by_rows.to_dict(), one_by_one.to_dict(), rel=rel, ends=ends)
    first, second = (
        {k: e.to_dict() for k, e in x.metrics().items()} for x in (by_rows, one_by_one)
    )
    assert_alike(first, second, rel=rel, ends=ends)
    assert_same_sketch(by_rows, one_by_one)
    return by_rows


COSTS: dict[str, Callable[[int], Any]] = {
    "errors": lambda _: None,
    "abstain": lambda k: stakes.CostMatrix.zero_one(k).with_abstention(0.2),
    "several": lambda k: {
        "plain": stakes.CostMatrix.zero_one(k),
        "uneven": stakes.Application(stakes.CostMatrix.zero_one(k), UNEVEN[k]),
    },
}


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_rows_stand_for_their_copies(k: int, *, weighted: bool, grouped: bool, costs: str) -> None:
    given = bool(k % 2) ^ weighted ^ grouped  # so that any three of the four meet in all ways
    y, p = scored(k, 300, k)
    rng = np.random.default_rng(7)
    weights = rng.integers(1, 9, y.size) / 4 if weighted else None
    samples = read_samples(y, p, priors=UNEVEN[k] if given else None, sample_weight=weights)
    groups = rng.integers(0, 40, y.size) if grouped else None
    assert_law(
        with_copies(samples, 50, 1),
        costs=COSTS[costs](k),
        groups=groups,
        slices=rng.integers(0, 3, y.size),
    )


KINDS: dict[str, Callable[[np.ndarray], Any]] = {
    "logits": lambda p: stakes.Logits(np.log(p[:, 1] / p[:, 0])),
    "ratios": lambda p: stakes.LogLikelihoodRatios(np.log(p[:, 1] / p[:, 0])),
    "likelihoods": lambda p: stakes.LogLikelihoods(np.log(p)),
    "one column": lambda p: p[:, 1],
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_any_kind_of_score(kind: str, *, weighted: bool) -> None:
    y, p = scored(2, 250, 5)
    weights = np.random.default_rng(8).integers(1, 9, y.size) / 4 if weighted else None
    samples = read_samples(y, KINDS[kind](p), priors=[0.7, 0.3], sample_weight=weights)
    found = assert_law(with_copies(samples, 20, 2))
    assert ("minimum_cllr" in found.ranking) == (kind == "ratios")


def test_ratios_at_the_priors_of_the_data_and_in_groups() -> None:
    y, p = scored(2, 250, 6)
    ratios = KINDS["ratios"](p)
    assert_law(with_copies(read_samples(y, ratios, priors="data"), 9, 2))
    groups = np.random.default_rng(9).integers(0, 50, y.size)
    assert_law(with_copies(read_samples(y, ratios, priors=[0.5, 0.5]), 9, 2), groups=groups)


STAGES: dict[str, Callable[[int], dict[str, Any]]] = {
    "none": lambda _: {"calibrator": None},
    "training priors": lambda _: {"training_priors": [0.6, 0.4]},
    "trained on test": lambda _: {"folds": stakes.TrainOnTest()},
    "held out": lambda _: {"folds": stakes.HeldOut(*scored(2, 200, 11))},
    "folds by row": lambda n: {"folds": np.arange(n) % 3},
    "two folds": lambda _: {"folds": 2},
    "isotonic": lambda _: {"calibrator": stakes.IsotonicCalibrator(mix=1.0)},
    "histogram": lambda _: {"calibrator": stakes.HistogramCalibrator(bins=5)},
    "beta": lambda _: {"calibrator": stakes.BetaCalibrator()},
    "vector": lambda _: {"calibrator": stakes.VectorCalibrator()},
}


@pytest.mark.parametrize("stage", STAGES)
def test_rows_in_any_calibration_stage(stage: str) -> None:
    y, p = scored(2, 250, 4)
    assert_law(with_copies(read_samples(y, p), 12, 3), **STAGES[stage](y.size))


@pytest.mark.parametrize("k", [2, 3])
def test_many_samples_are_fitted_together(k: int) -> None:
    y, p = scored(k, 2000, 12, digits=1)
    halves = np.arange(y.size) % 2
    near = {"ends": 1e-4}  # of more than 2^14 rows, those that are alike share a cell
    assert_law(with_copies(read_samples(y, p), 50, 4), slices=halves, **near)
    assert_law(with_copies(read_samples(y, p, priors=UNEVEN[k]), 50, 5), slices=halves, **near)


@pytest.mark.parametrize("n", [8, 14, 30])
@pytest.mark.parametrize("most", [1, 6])
@pytest.mark.parametrize("seed", range(4))
def test_few_rows(n: int, most: int, seed: int) -> None:
    near = {"rel": 1e-6}  # of classes that are nearly separable a flat loss leaves the fit digits
    y, p = scored(2, n, seed)
    assert_law(with_copies(read_samples(y, p), most, seed), **near)
    y, p = scored(3, n, seed)
    assert_law(with_copies(read_samples(y, p, priors=UNEVEN[3]), most, seed), **near)


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_costs_by_case(seed: int, *, rare: bool) -> None:
    y, p = scored(2, 150, seed)
    if rare:  # so that other cases show how large its prices can be
        kept = np.flatnonzero((y == 0) | (np.cumsum(y) <= 6))
        y, p = y[kept], p[kept]
    amounts = np.random.default_rng(seed).gamma(2.0, 20.0, y.size)
    samples = with_copies(read_samples(y, p), 5, seed)
    one_by_one, row = repeated(samples)

    def evaluated(some: Samples, amount: np.ndarray) -> dict[str, Any]:
        costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], {"amount": amount})
        return evaluate_samples(some, Settings(**(DEFAULTS | {"costs": costs}))).to_dict()

    assert_alike(evaluated(samples, amounts), evaluated(one_by_one, amounts[row]))


def test_certain_and_wrong_answers_are_counted_by_samples() -> None:
    y, p = scored(2, 200, 13)
    p[3], p[77] = [y[3], 1 - y[3]], [y[77], 1 - y[77]]
    samples = with_copies(read_samples(y, p), 9, 6)
    assert samples.copies is not None
    lost = int(samples.copies[[3, 77]].sum())
    by_rows, one_by_one = both(samples)
    for found in (by_rows, one_by_one):
        assert found.rules[0].raw.infinite_samples == lost
        text = next(v.text for v in found.verdicts if v.code == "infinite_loss")
        assert text.startswith(f"{lost} samples have posterior 0")
        assert "over the others it is" in text
    assert_alike(by_rows.main.to_dict(), one_by_one.main.to_dict())
    assert_alike(by_rows.rules[1].to_dict(), one_by_one.rules[1].to_dict())


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("calibrated", [False, True])
def test_systems_are_compared_as_sample_by_sample(
    *, calibrated: bool, weighted: bool, grouped: bool
) -> None:
    k = 2 + (calibrated ^ weighted ^ grouped)  # so that any three of the four meet in all ways
    y, p = scored(k, 300, 21)
    other = scored(k, 300, 21)[1] ** np.random.default_rng(3).uniform(0.3, 1.5, (y.size, 1))
    other /= other.sum(axis=1, keepdims=True)
    rng = np.random.default_rng(7)
    weights = rng.integers(1, 9, y.size) / 4 if weighted else None
    groups = rng.integers(0, 60, y.size) if grouped else None
    by_rows, one_by_one, row = {}, {}, np.arange(0)
    for name, scores in {"a": p, "b": other, "c": p**3 / (p**3).sum(1, keepdims=True)}.items():
        by_rows[name] = with_copies(
            read_samples(y, scores, priors=UNEVEN[k] if weighted else None, sample_weight=weights),
            8,
            4,
        )
        one_by_one[name], row = repeated(by_rows[name])
    calibrator = stakes.AffineCalibrator() if calibrated else None
    told = {"calibrator": calibrator, "groups": groups}
    settings = Settings(**(DEFAULTS | {"training_priors": "data"} | told))
    first = compare_samples(by_rows, settings, 0.1)
    each = None if groups is None else groups[row]
    second = compare_samples(one_by_one, replace(settings, groups=each), 0.1)
    assert_alike(first.to_dict(), second.to_dict(), rel=1e-6)  # ends are found that nearly
    assert_same_sketch(first, second)


@pytest.mark.parametrize(("n", "most"), [(3, 2), (4, 5), (40, 3)])
def test_signs_of_copies_are_flipped_one_by_one(n: int, most: int) -> None:
    rng = np.random.default_rng(n)
    parts, copies = rng.normal(size=n).round(1), rng.integers(1, most + 1, n)
    every = flipped(np.repeat(parts, copies))
    assert flipped(parts, copies) == pytest.approx(every, rel=1e-9)


def test_a_part_has_the_priors_of_its_samples() -> None:
    samples = with_copies(read_samples(*scored(2, 50, 3)), 9, 3)
    part = samples.part(np.arange(20))
    assert samples.copies is not None
    second = samples.copies[:20][samples.y[:20] == 1].sum() / samples.copies[:20].sum()
    assert part.priors == pytest.approx([1 - second, second])
    assert (part.priors != samples.priors).all()


def test_turns_are_those_of_samples_in_a_row() -> None:
    copies = np.array([3, 1, 7, 2])
    turn, row = np.arange(13) % 5, np.repeat(np.arange(4), copies)
    for number in range(5):
        each = np.bincount(row[turn == number], minlength=4)
        assert turns(copies, 5, number).tolist() == each.tolist()


def test_very_many_copies_are_dealt_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossfit, "_MOST_DEALT", 0)
    y, p = scored(2, 400, 3)
    samples = with_copies(read_samples(y, p), 50, 3)
    dealt = crossfit.deal_samples(samples, 5, None, 0)
    assert dealt.number is not None
    assert dealt.kept is not None
    assert samples.copies is not None
    assert dealt.samples.copies is not None
    assert (np.bincount(dealt.kept, dealt.samples.copies) == samples.copies).all()
    assert dealt.samples.y.tolist() == y[dealt.kept].tolist()
    shares = np.bincount(dealt.number, dealt.samples.copies) / samples.n
    assert shares == pytest.approx(np.full(5, 0.2), abs=0.02)
    assert dealt.samples.copies.min() > 0


def test_many_copies_cost_and_rank_as_few_do() -> None:
    y, p = scored(2, 300, 5)
    few = with_copies(read_samples(y, p), 9, 1)
    assert few.copies is not None
    many = replace(few, copies=few.copies * 10_000_000)
    small, large = (evaluate_samples(s, Settings(**DEFAULTS)) for s in (few, many))
    assert large.data.n == 10_000_000 * small.data.n
    assert large.ranking["auc"].value == pytest.approx(small.ranking["auc"].value, rel=1e-12)
    assert large.main.cost.value.value == pytest.approx(small.main.cost.value.value, rel=1e-12)
    band = large.main.cost.normalized.interval
    assert band is not None
    assert band.high - band.low < 1e-4


def test_areas_of_very_many_samples_do_not_overflow() -> None:
    levels = ScoreLevels.from_scores(
        np.array([0.1, 0.2, 0.2, 0.3]), np.array([0, 0, 1, 1]), None, np.full(4, 2**40)
    )
    assert RocCurve(levels, (0, 1)).auc() == 0.875


def test_rows_of_a_sketch_are_drawn_by_their_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketch_sources, "_MOST_SHUFFLED", 0)
    y, p = scored(3, 60, 5)
    samples = with_copies(read_samples(y, p), 900, 5)
    assert samples.copies is not None
    monkeypatch.setattr(sketch, "_MOST_ROWS", 9000)
    kept = sketch.choose_rows(samples, 1).kept
    often = np.bincount(kept, minlength=60) / kept.size
    assert often == pytest.approx(samples.copies / samples.n, abs=0.006)


@pytest.mark.parametrize("classes", [3, 200])
@pytest.mark.parametrize("weighted", [False, True])
def test_tables_count_copies(classes: int, *, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    y, d = rng.integers(0, classes, (2, 500))
    copies = rng.integers(1, 9, 500)
    weights = rng.integers(1, 9, 500) / 4 if weighted else None
    names = tuple(range(classes))
    found = ConfusionCounts.from_codes(y, d, weights, names, names, copies)
    each = None if weights is None else np.repeat(weights, copies)
    every = ConfusionCounts.from_codes(
        np.repeat(y, copies), np.repeat(d, copies), each, names, names
    )
    assert found == every
    assert found.whole != weighted
