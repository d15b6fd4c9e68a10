"""One number for priors, the prior of the last of two classes, wherever priors are taken."""

import inspect
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import stakes
from command import call
from stakes import displays, simulation
from stakes.sklearn import BayesClassifier

RNG = np.random.default_rng(7)
Y = (RNG.random(300) < 0.3).astype(int)
P = np.round(1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1))), 6)
D = (P > 0.4).astype(int)
LLR = stakes.LogLikelihoodRatios(np.log(P / (1 - P)) + 0.8)
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
BY_CASE = stakes.SampleCosts.from_columns([[0, 3], ["a", 0]], {"a": 1 + 9 * P})
CM = stakes.confusion_matrix(Y, D)
ROC = stakes.roc_curve(Y, P)
FITTED = stakes.AffineCalibrator().fit(LLR, Y, priors=[0.5, 0.5])
HELD = stakes.HeldOut(Y, P)
X = np.column_stack([P, RNG.random(300)])
MODEL = LogisticRegression().fit(X, Y)
OTHER = LogisticRegression(C=0.01).fit(X, Y)
FEW: dict[str, Any] = {"calibrator": None}
TABLE = pl.DataFrame({"y": Y, "p": P})
PAIR = {"a": P, "b": P**2}
HALF = [0.5, 0.5]


def counted(**told: Any) -> bytes:  # noqa: ANN401
    made = stakes.Summary(classes=[0, 1], **told)
    made.update(Y, P)
    return made.to_bytes()


def page(drawn: Any) -> str:  # noqa: ANN401
    """Return all that a display holds."""
    return str({k: np.asarray(v).tolist() if isinstance(v, np.ndarray) else v
                for k, v in vars(drawn).items() if not k.startswith("_")})  # fmt: skip


# For every public callable and its argument, what it gives for priors, as plain values.
TAKERS: dict[str, Callable[[Any], Any]] = {
    "AbstentionDisplay.compute priors": lambda p: displays.AbstentionDisplay.compute(
        Y, P, costs=COSTS, priors=p
    ).costs[0],
    "Application priors": lambda p: stakes.evaluate(
        Y, P, costs=stakes.Application(COSTS, p), training_priors="deployment", **FEW
    ).metrics(),
    "BayesClassifier priors": lambda p: np.asarray(
        BayesClassifier(LogisticRegression(), costs=COSTS, priors=p).fit(X, Y).priors_
    ).tolist(),
    "BayesClassifier training_priors": lambda p: (
        BayesClassifier(FrozenEstimator(MODEL), costs=COSTS, priors=HALF, training_priors=p)
        .fit(X, Y)
        .predict_proba(X)
        .tolist()
    ),
    "ComparisonDisplay.compute priors": lambda p: str(
        displays.ComparisonDisplay.compute(
            Y, PAIR, costs=COSTS, priors=p, training_priors="deployment"
        )
    ),
    "ComparisonDisplay.compute training_priors": lambda p: str(
        displays.ComparisonDisplay.compute(Y, PAIR, costs=COSTS, training_priors=p)
    ),
    "ConfusionDisplay.from_decisions priors": lambda p: (
        displays.ConfusionDisplay.from_decisions(Y, D, costs=COSTS, priors=p).cost
    ),
    "ConfusionDisplay.from_predictions priors": lambda p: (
        displays.ConfusionDisplay.from_predictions(Y, P, costs=COSTS, priors=p).cost
    ),
    "ConfusionMatrix.at_priors priors": lambda p: CM.at_priors(p).counts.tolist(),
    "ConfusionMatrix.cell_costs priors": lambda p: CM.cell_costs(COSTS, p).tolist(),
    "ConfusionMatrix.expected_cost priors": lambda p: CM.expected_cost(COSTS, p),
    "CostMatrix.balanced priors": lambda p: stakes.CostMatrix.balanced(2, p).to_lists(),
    "CostMatrix.bayes_decisions priors": lambda p: COSTS.bayes_decisions(LLR, p).tolist(),
    "CostMatrix.effective_prior priors": COSTS.effective_prior,
    "CostMatrix.llr_threshold priors": COSTS.llr_threshold,
    "CostMatrix.naive priors": COSTS.naive,
    "CostMatrix.odds priors": COSTS.odds,
    "IsotonicReliabilityDisplay.from_predictions priors": lambda p: page(
        displays.IsotonicReliabilityDisplay.from_predictions(Y, P, priors=p)
    ),
    "ReliabilityDisplay.from_predictions priors": lambda p: page(
        displays.ReliabilityDisplay.from_predictions(Y, P, priors=p)
    ),
    "RocCurve.expected_costs priors": lambda p: ROC.expected_costs(COSTS, p).tolist(),
    "RocCurve.minimum_cost priors": lambda p: ROC.minimum_cost(COSTS, p),
    "RocCurve.normalized_costs priors": lambda p: ROC.normalized_costs(COSTS, p).tolist(),
    "RocCurve.odds_for priors": lambda p: str(ROC.odds_for(0.8, p)),
    "RocDisplay.from_predictions priors": lambda p: (
        displays.RocDisplay.from_predictions(Y, P, costs=COSTS, priors=p).points
    ),
    "SampleCosts.bayes_decisions priors": lambda p: BY_CASE.bayes_decisions(LLR, p).tolist(),
    "ScoreDistributionDisplay.from_predictions priors": lambda p: (
        displays.ScoreDistributionDisplay.from_predictions(Y, LLR, costs=COSTS, priors=p).thresholds
    ),
    "Summary priors": lambda p: counted(priors=p, training_priors="deployment"),
    "Summary training_priors": lambda p: counted(priors=HALF, training_priors=p),
    "Summary.of priors": lambda p: stakes.Summary.of(
        TABLE, label="y", scores="p", priors=p, training_priors="deployment"
    ).to_bytes(),
    "Summary.of training_priors": lambda p: stakes.Summary.of(
        TABLE, label="y", scores="p", priors=HALF, training_priors=p
    ).to_bytes(),
    "ThresholdSweepDisplay.compute priors": lambda p: (
        displays.ThresholdSweepDisplay.compute(Y, P, costs=COSTS, priors=p).metrics[0].values
    ).tolist(),
    "TippettDisplay.from_estimator training_priors": lambda p: page(
        displays.TippettDisplay.from_estimator(MODEL, X, Y, training_priors=p)
    ),
    "abstention_curve priors": lambda p: (
        stakes.abstention_curve(Y, P, [0.2], costs=COSTS, priors=p).costs
    ),
    "bayes_cost priors": lambda p: stakes.bayes_cost(Y, P, costs=COSTS, priors=p),
    "brier_score priors": lambda p: stakes.brier_score(Y, P, priors=p),
    "calibration_error priors": lambda p: stakes.calibration_error(Y, P, priors=p),
    "calibration_loss priors": lambda p: stakes.calibration_loss(stakes.LogLoss(), Y, P, priors=p),
    "choose_calibrator priors": lambda p: str(
        stakes.choose_calibrator(stakes.LogLoss(), Y, P, [stakes.BiasCalibrator()], priors=p)
    ),
    "choose_threshold priors": lambda p: str(
        stakes.choose_threshold(Y, P, costs=COSTS, priors=p, training_priors="deployment")
    ),
    "choose_threshold training_priors": lambda p: str(
        stakes.choose_threshold(Y, P, costs=COSTS, training_priors=p)
    ),
    "class_detectors priors": lambda p: page(stakes.class_detectors(Y, LLR, priors=p).curves[1]),
    "compare priors": lambda p: str(
        stakes.compare(Y, PAIR, costs=COSTS, priors=p, training_priors="deployment")
    ),
    "compare training_priors": lambda p: str(
        stakes.compare(Y, PAIR, costs=COSTS, training_priors=p)
    ),
    "compare_models priors": lambda p: str(
        stakes.compare_models(
            {"a": MODEL, "b": OTHER}, X, Y, priors=p, training_priors="deployment"
        )
    ),
    "compare_models training_priors": lambda p: str(
        stakes.compare_models({"a": MODEL, "b": OTHER}, X, Y, training_priors=p)
    ),
    "confidence_calibration_error priors": lambda p: stakes.confidence_calibration_error(
        Y, P, priors=p
    ),
    "cross_calibrate priors": lambda p: stakes.cross_calibrate(
        stakes.BiasCalibrator(), Y, P, priors=p
    ).values.tolist(),
    "cross_entropy priors": lambda p: stakes.cross_entropy(Y, P, priors=p),
    "decide priors": lambda p: stakes.decide(LLR, COSTS, priors=p).posteriors.tolist(),
    "decide training_priors": lambda p: stakes.decide(
        P, COSTS, priors=HALF, training_priors=p
    ).posteriors.tolist(),
    "decompose priors": lambda p: str(stakes.decompose(stakes.LogLoss(), Y, P, priors=p)),
    "estimate_priors training_priors": lambda p: stakes.estimate_priors(P, p).priors.tolist(),
    "evaluate priors": lambda p: stakes.evaluate(
        Y, P, costs=COSTS, priors=p, training_priors="deployment", **FEW
    ).metrics(),
    "evaluate training_priors": lambda p: stakes.evaluate(
        Y, P, costs=COSTS, training_priors=p, **FEW
    ).metrics(),
    "evaluate_decisions priors": lambda p: str(
        stakes.evaluate_decisions(CM, COSTS, priors=p).to_dict()
    ),
    "evaluate_model priors": lambda p: stakes.evaluate_model(
        MODEL, X, Y, costs=COSTS, priors=p, training_priors="deployment", **FEW
    ).metrics(),
    "evaluate_model training_priors": lambda p: stakes.evaluate_model(
        MODEL, X, Y, costs=COSTS, training_priors=p, **FEW
    ).metrics(),
    "expected_cost priors": lambda p: stakes.expected_cost(Y, D, costs=COSTS, priors=p),
    "expected_loss priors": lambda p: stakes.expected_loss(stakes.LogLoss(), Y, P, priors=p),
    "reliability priors": lambda p: str(stakes.reliability(Y, P, priors=p)),
    "reliability_curve priors": lambda p: page(stakes.reliability_curve(Y, P, priors=p)),
    "risk_coverage_curve priors": lambda p: str(
        stakes.risk_coverage_curve(Y, stakes.Posteriors(P), priors=p)
    ),
    "risk_curve priors": lambda p: str(stakes.risk_curve(Y, P, priors=p)),
    "scorecard priors": lambda p: stakes.scorecard(Y, P, priors=p).cross_entropy,
    "smooth_calibration_error priors": lambda p: stakes.smooth_calibration_error(Y, P, priors=p),
    "threshold_sweep priors": lambda p: (
        stakes.threshold_sweep(Y, P, costs=COSTS, priors=p).metrics[0].values.tolist()
    ),
}
CALIBRATORS = {
    "AffineCalibrator": stakes.AffineCalibrator(),
    "BetaCalibrator": stakes.BetaCalibrator(),
    "BiasCalibrator": stakes.BiasCalibrator(),
    "HistogramCalibrator": stakes.HistogramCalibrator(),
    "IsotonicCalibrator": stakes.IsotonicCalibrator(),
    "MatrixCalibrator": stakes.MatrixCalibrator(),
    "TemperatureCalibrator": stakes.TemperatureCalibrator(),
    "ThresholdCalibrator": stakes.ThresholdCalibrator(COSTS),
    "VectorCalibrator": stakes.VectorCalibrator(),
}
for name, stage in CALIBRATORS.items():
    TAKERS[f"{name}.fit priors"] = lambda p, stage=stage: (  # type: ignore[misc]
        stage.fit(P, Y, priors=p).transform(P).values.tolist()
    )
    TAKERS[f"{name}.transform priors"] = lambda p, stage=stage: (  # type: ignore[misc]
        stage.fit(P, Y, priors=HALF).transform(P, p).values.tolist()
    )
for ratios in (LLR, stakes.LogLikelihoods(np.column_stack([0 * P, np.log(P)]))):
    for method in ("posteriors", "log_posteriors"):
        TAKERS[f"{type(ratios).__name__}.{method} priors"] = lambda p, s=ratios, m=method: (  # type: ignore[misc]
            getattr(s, m)(p).tolist()
        )
# Records, which users do not build; bases and kinds that need no priors.
OTHERS = {
    "Calibrator.fit", "Calibrator.transform", "ExpectedLoss", "IsotonicCalibrator.learn_plain",
    "DataSummary", "PriorEstimate", "RiskCurve", "TargetOdds",
    *(f"{kind}.{method}" for kind in ("LogPosteriors", "Logits", "Posteriors", "Scores")
      for method in ("posteriors", "log_posteriors")),
}  # fmt: skip


def takes_priors() -> set[str]:
    """Return the public callables with arguments called priors or training_priors."""
    out = set()
    for name in dir(stakes):
        thing = getattr(stakes, name)
        if not callable(thing):
            continue
        members = inspect.getmembers(thing, callable) if inspect.isclass(thing) else []
        named = {name: thing, **{f"{name}.{m}": f for m, f in members if not m.startswith("_")}}
        for path, each in named.items():
            try:
                arguments = inspect.signature(each).parameters
            except (TypeError, ValueError):
                continue
            internal = path.rpartition(".")[2] in ("answers", "naive_losses")
            if path not in OTHERS and not internal and not issubclass_of(thing, stakes.ScoringRule):
                out |= {f"{path} {a}" for a in ("priors", "training_priors") if a in arguments}
    return out


def issubclass_of(thing: object, kind: type) -> bool:
    return inspect.isclass(thing) and issubclass(thing, kind)


def test_everything_that_takes_priors_is_here() -> None:
    assert takes_priors() == {name for name in TAKERS if "BayesClassifier" not in name}


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_one_number_is_the_prior_of_the_last_class(taker: Callable[[Any], Any]) -> None:
    wanted = taker([0.95, 0.05])
    assert str(taker(0.05)) == str(wanted)  # undefined values are equal as texts
    assert str(taker([0.05, 0.95])) != str(wanted)


def test_one_number_may_be_of_any_kind() -> None:
    wanted = stakes.brier_score(Y, P, priors=[0.75, 0.25])
    kinds: tuple[Callable[[float], Any], ...] = (float, np.float64, np.float32, np.array, Decimal)
    for kind in kinds:
        assert stakes.brier_score(Y, P, priors=kind(0.25)) == wanted
    assert stakes.brier_score(Y, P, priors=1).priors.tolist() == [0, 1]
    assert stakes.brier_score(Y, 1 - P, priors=0.25, classes=[1, 0]) == stakes.brier_score(
        1 - Y, 1 - P, priors=0.25
    )


def test_adapting_and_simulating_take_one_number_too() -> None:
    moved = stakes.Posteriors(P).at_priors(0.5, 0.05)
    assert (moved.values == stakes.Posteriors(P).at_priors(HALF, [0.95, 0.05]).values).all()
    assert simulation.simulate(2, n=40, priors=0.25).y.sum() == 10


@pytest.mark.parametrize(
    ("priors", "classes", "words"),
    [
        (0.1, [0, 1, 2], ["priors must hold", "3 classes", "got 0.1", "last of two classes"]),
        (5, [0, 1], ["priors must be from 0 to 1", "got 5", "5 % is 0.05"]),
        (-0.1, [0, 1], ["priors must be from 0 to 1", "got -0.1"]),
        (float("nan"), [0, 1], ["priors must be from 0 to 1", "got nan"]),
        (True, [0, 1], ["priors must be", "got True"]),
    ],
)
def test_what_one_number_cannot_be(priors: Any, classes: list[int], words: list[str]) -> None:  # noqa: ANN401
    with pytest.raises(stakes.InputError) as caught:
        stakes.expected_cost(classes, classes, priors=priors)
    assert [word for word in words if word not in str(caught.value)] == []
    assert caught.value.argument == "priors"


def test_the_command_line_and_python_read_the_same(tmp_path: Any) -> None:  # noqa: ANN401
    TABLE.write_csv(tmp_path / "t.csv")
    told = ("evaluate", "t.csv", "--label", "y", "--positive", "1", "--scores", "p")
    more = (
        "--scores-are",
        "posteriors",
        "--calibrator",
        "none",
        "--json",
        "--training-prior",
        "deployment",
        "--prior",
    )
    made = [
        call(*told, *more, prior, cwd=tmp_path) for prior in ("0.05", "0.95,0.05", "0=0.95,1=0.05")
    ]
    assert made[0].stdout == made[1].stdout == made[2].stdout
    found = stakes.evaluate(Y, P, priors=0.05, training_priors="deployment", **FEW).main.cost.raw
    assert json.loads(made[0].stdout)["applications"][0]["expected_cost"]["value"][
        "value"
    ] == float(found)
