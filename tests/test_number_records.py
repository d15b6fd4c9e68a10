"""Records about one number are that number: laws over all of them."""

import copy
import dataclasses
import inspect
import json
import math
import operator
import pickle
import statistics
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

import stakes
from stakes._records import NumberRecord

RNG = np.random.default_rng(17)
Y = (RNG.random(400) < 0.3).astype(int)
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1)))
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
CM = stakes.confusion_matrix(Y, P > 0.5)
ROC = stakes.roc_curve(Y, P)
SOME = np.where(np.arange(Y.size) < 80, Y, np.nan)
JUDGED = stakes.judge_report(SOME, P, target=0.75)

# Of each class two records with different numbers.
RECORDS: dict[str, tuple[NumberRecord, NumberRecord]] = {
    "CalibrationError": (
        stakes.calibration_error(Y, P),
        stakes.calibration_error(Y, np.sqrt(P)),
    ),
    "CalibrationLoss": (
        stakes.calibration_loss(stakes.LogLoss(), Y, P),
        stakes.calibration_loss(stakes.LogLoss(), Y, np.sqrt(P)),
    ),
    "Coefficient": (
        stakes.AffineCalibrator().fit(P, Y).slope,
        stakes.TemperatureCalibrator().fit(P, Y).slope,
    ),
    "CurveArea": (
        stakes.risk_curve(Y, P).brier(),
        stakes.risk_curve(Y, P).cross_entropy(),
    ),
    "CorrectedEstimate": (JUDGED.cost, JUDGED.hallucination_rate),
    "Estimate": (
        stakes.Estimate(0.25, stakes.Interval(0.2, 0.3, 0.95), "by hand"),
        stakes.auc(Y, P).estimate(),
    ),
    "ExpectedLoss": (
        stakes.bayes_cost(Y, P, costs=COSTS),
        stakes.cross_entropy(Y, P),
    ),
    "JudgedMean": (stakes.judged_mean(SOME, P), stakes.judged_mean(SOME, np.sqrt(P))),
    "MetricValue": (CM.f_score(), CM.matthews()),
    "MinimumCost": (
        ROC.minimum_cost(COSTS),
        ROC.minimum_cost(stakes.CostMatrix.zero_one(2)),
    ),
    "OptionAccuracy": (
        stakes.OptionScores(np.column_stack([1 - P, P]), Y).accuracy(),
        stakes.OptionScores(np.column_stack([P, 1 - P]), Y).accuracy(),
    ),
    "RankingValue": (stakes.auc(Y, P), stakes.average_precision(Y, P)),
}
UNDEFINED = {
    "MetricValue": stakes.ConfusionMatrix.from_counts([[5, 0], [5, 0]]).precision(),
    "Estimate": stakes.Estimate(math.nan, None, "the reference costs nothing"),
}
over_records = pytest.mark.parametrize("pair", RECORDS.values(), ids=RECORDS)
over_undefined = pytest.mark.parametrize("record", UNDEFINED.values(), ids=UNDEFINED)


def plain(record: NumberRecord) -> float:
    number: Any = record
    value: float = number.actual if isinstance(record, stakes.CurveArea) else number.value
    assert type(value) is float
    return value


def test_every_public_record_with_a_float_is_here() -> None:
    public = {name: getattr(stakes, name) for name in dir(stakes)}
    classes = {name: c for name, c in public.items() if inspect.isclass(c)}
    assert {name for name, c in classes.items() if hasattr(c, "__float__")} == set(RECORDS)
    for name, (first, second) in RECORDS.items():
        assert type(first) is type(second) is classes[name]
        assert plain(first) != plain(second)


BY_ONE: list[Callable[[Any], Any]] = [
    operator.neg,
    operator.pos,
    abs,
    float,
    int,
    round,
    math.floor,
    math.ceil,
    math.trunc,
    math.sqrt,
    math.isnan,
    math.isfinite,
    lambda r: round(r, 3),
    lambda r: f"{r:.3f}",
    lambda r: f"{r:10.2%}",
    lambda r: f"{r:e}",
    lambda r: 1 - r,
    lambda r: r + 1,
    lambda r: 2 * r,
    lambda r: r / 4,
    lambda r: 4 / r,
    lambda r: r**2,
    lambda r: 2**r,
    lambda r: r // 0.1,
    lambda r: r % 0.1,
    lambda r: divmod(r, 0.1),
    lambda r: (r < 0.5, r <= 0.5, r > 0.5, r >= 0.5, r == 0.5, r != 0.5),
    lambda r: [compare(0.5, r) for compare in (operator.lt, operator.le, operator.gt, operator.ge)],
    lambda r: r in (0.1, r),
    hash,
    bool,
    json.dumps,
    np.float64,
    np.isnan,
    lambda r: (np.array([1.0, 2.0]) * r).tolist(),
    lambda r: (r * np.array([1.0, 2.0])).tolist(),
]
BY_TWO: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    max,
    min,
    lambda r, s: sorted([r, s, 0.3]),
    lambda r, s: sum([r, s]),
    lambda r, s: math.fsum([r, s]),
    lambda r, s: np.mean([r, s]),
    lambda r, s: np.max([r, s, 0.1]),
    lambda r, s: np.argsort([r, s]).tolist(),
    lambda r, s: statistics.mean([r, s]),
    lambda r, s: statistics.mean([r, s, 0.5, 1]),
    lambda r, s: statistics.fmean([r, s]),
    lambda r, s: statistics.stdev([r, s]),
    lambda r, s: statistics.median([r, s]),
    lambda r, s: pd.Series([r, s]).describe().tolist(),
]


@over_records
def test_what_is_calculated_from_a_record_is_what_its_value_gives(
    pair: tuple[NumberRecord, NumberRecord],
) -> None:
    for record in pair:
        for calculate in BY_ONE:
            assert calculate(record) == calculate(plain(record))
    values = tuple(plain(record) for record in pair)
    for combine in BY_TWO:
        for r, s in (pair, pair[::-1], (pair[0], values[1]), (values[0], pair[1])):
            wanted = combine(float(r), float(s))
            assert np.array_equal(combine(r, s), wanted, equal_nan=True)


@over_records
def test_what_is_calculated_is_a_plain_float(pair: tuple[NumberRecord, NumberRecord]) -> None:
    r, s = pair
    made = [-r, +r, abs(r), r + 1, 1 - r, 2 * r, r / s, s % r, r**2, round(r, 3), float(r)]
    made += [sum([r, s]), statistics.mean([r, s]), statistics.variance([r, s])]
    assert {type(number) for number in made} == {float}
    assert type(round(r)) is int
    assert type(max(r, s)) is type(r)  # which of them, with its fields


@over_records
def test_arrays_and_series_of_records_are_of_floats(
    pair: tuple[NumberRecord, NumberRecord],
) -> None:
    values = [plain(record) for record in pair]
    for made in (np.asarray(pair), pd.Series(list(pair)), np.array([pair, pair])[1]):
        assert made.dtype == np.float64
        assert made.tolist() == values
    frame = pd.DataFrame({"system": ["a", "b"], "value": list(pair)})
    assert frame["value"].dtype == np.float64
    assert frame.groupby("system")["value"].mean().tolist() == values


@over_records
def test_records_are_equal_as_numbers_are_and_hash_so(
    pair: tuple[NumberRecord, NumberRecord],
) -> None:
    record, other = pair
    assert record == plain(record) != other
    assert len({record, plain(record), copy.copy(record)}) == 1
    assert {plain(record): "found"}[record] == "found"


@over_records
def test_records_keep_their_fields_when_copied(pair: tuple[NumberRecord, NumberRecord]) -> None:
    record: Any = pair[0]
    copies = [copy.copy(record), copy.deepcopy(record), dataclasses.replace(record)]
    copies += [pickle.loads(pickle.dumps(record, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301  our own
    for made in copies:
        assert type(made) is type(record)
        assert made == record
        assert str(made) == str(record)
        assert made.to_dict() == record.to_dict()
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.extra = 1


@over_records
def test_records_as_json_are_their_number(pair: tuple[NumberRecord, NumberRecord]) -> None:
    record: Any = pair[0]
    assert json.loads(json.dumps({"metric": record})) == {"metric": plain(record)}
    json.dumps(record.to_dict(), allow_nan=False)


@over_records
def test_a_bare_format_is_what_print_gives(pair: tuple[NumberRecord, NumberRecord]) -> None:
    assert format(pair[0]) == f"{pair[0]}" == str(pair[0]) != str(plain(pair[0]))


def test_a_replaced_value_is_the_new_number() -> None:
    moved = dataclasses.replace(RECORDS["Estimate"][0], value=0.5)  # type: ignore[type-var]
    assert moved == 0.5
    loss = RECORDS["ExpectedLoss"][0]
    assert dataclasses.replace(loss, value=2.0) + 1 == 3  # type: ignore[type-var]


def test_a_record_without_its_fields_is_refused() -> None:
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'naive'"):
        stakes.MetricValue("accuracy", 0.5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing"):
        stakes.CalibrationLoss()  # type: ignore[call-arg]


USES: list[Callable[[Any], Any]] = [
    float,
    operator.neg,
    abs,
    lambda r: round(r, 2),
    lambda r: r + 1,
    lambda r: 1 - r,
    lambda r: r < 0.5,
    lambda r: operator.lt(0.5, r),
    lambda r: max(0.5, r),
    lambda r: sorted([r, RECORDS["ExpectedLoss"][0]]),
    lambda r: sorted([RECORDS["ExpectedLoss"][0], r]),
    lambda r: sum([1.0, r]),
    lambda r: np.asarray([r]),
    lambda r: np.mean([1.0, r]),
]


@over_undefined
@pytest.mark.parametrize("use", USES)
def test_an_undefined_number_says_why_when_it_is_used(
    record: NumberRecord, use: Callable[[Any], Any]
) -> None:
    why = record.method if isinstance(record, stakes.Estimate) else "no sample was decided as 1"
    with pytest.warns(stakes.UndefinedMetricWarning, match=why):
        use(record)


@over_undefined
def test_an_undefined_number_stays_silent_where_its_reason_stays_with_it(
    record: stakes.Estimate | stakes.MetricValue,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(record)
        assert math.isnan(record.value)
        assert record != record  # noqa: PLR0124  as NaN is
        assert record in [0.5, record]
        assert copy.copy(record).to_dict() == record.to_dict()
        assert "nan" not in str(record)
        assert json.loads(json.dumps(record.to_dict()))["value"] is None


X = np.column_stack([RNG.normal(Y, 1), RNG.normal(size=400)])


def test_scores_of_scikit_learn() -> None:
    scorer = make_scorer(
        stakes.bayes_cost, response_method="predict_proba", greater_is_better=False, costs=COSTS
    )
    found = cross_val_score(LogisticRegression(), X, Y, scoring=scorer, cv=3, error_score="raise")
    assert found.dtype == np.float64
    model = LogisticRegression().fit(X, Y)
    right = stakes.bayes_cost(Y, model.predict_proba(X), costs=COSTS).value
    assert scorer(model, X, Y) == -right
    assert type(scorer(model, X, Y)) is float


@pytest.mark.parametrize(
    "metric",
    [stakes.bayes_cost, stakes.cross_entropy, stakes.brier_score, stakes.calibration_error],
)
def test_a_grid_search_over_any_metric(metric: Callable[..., float]) -> None:
    scorer = make_scorer(metric, response_method="predict_proba", greater_is_better=False)
    grid = GridSearchCV(
        LogisticRegression(), {"C": [1e-4, 1]}, scoring=scorer, cv=3, error_score="raise"
    ).fit(X, Y)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    if metric is not stakes.calibration_error:
        assert grid.best_params_ == {"C": 1}


def test_decisions_are_scored_too() -> None:
    scorer = make_scorer(stakes.expected_cost, greater_is_better=False, costs=COSTS)
    found = cross_val_score(LogisticRegression(), X, Y, scoring=scorer, cv=3, error_score="raise")
    assert (found < 0).all()


def test_a_metric_of_0_keeps_its_interval() -> None:
    found = stakes.evaluate(Y, 0.4 * P, calibrator=None).main
    sensitivity = next(e for e in found.traditional if e.metric.name == "sensitivity")
    assert sensitivity.value is not None
    assert sensitivity.value.value == 0
    shown = {e["metric"]: e["estimate"] for e in found.to_dict()["traditional"]}
    assert shown["sensitivity"] == found.traditional_estimates["sensitivity"].to_dict()
