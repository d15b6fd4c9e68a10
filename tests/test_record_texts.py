"""What people see of public records: short texts without arrays, and harmless HTML."""

import inspect
import re
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from stakes import displays
from stakes._records import Record
from stakes._typing import IntArray

LOGS = Path(__file__).parent / "answer_logs"
HOSTILE = "<script>alert('x')</script>\x1b[2J"
RNG = np.random.default_rng(3)
N = 500
Y = (RNG.random(N) < 0.3).astype(int)
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1)))
MANY = 104  # classes


def names_of(y: IntArray, names: list[str]) -> list[str]:
    return [names[k] for k in y]


def build(names: list[str]) -> dict[str, Callable[[], Any]]:
    """Return for each public class how to make an instance, with two classes of these names."""
    y = names_of(Y, names)
    ratios = stakes.LogLikelihoodRatios(np.log(P) - np.log1p(-P))
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=names)
    told: dict[str, Any] = {"classes": names}
    few: dict[str, Any] = {"costs": costs, "slices": {"site": names_of(Y, names)}}
    cm = stakes.confusion_matrix(y, names_of((P > 0.5).astype(int), names), classes=names)
    roc = stakes.roc_curve(y, P, **told)
    risk = stakes.risk_curve(y, P, **told)
    by_case = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=names)
    loss = stakes.LogLoss()
    options = stakes.OptionScores(np.column_stack([1 - P, P]), Y)

    def evaluation() -> stakes.Evaluation:
        return stakes.evaluate(y, P, **few)

    def comparison() -> stakes.Comparison:
        systems = {names[1]: P, "b": P**2}
        return stakes.compare(y, systems, costs=costs, margin=0.1)

    def summary() -> stakes.Summary:
        made = stakes.Summary(classes=names, costs=costs)
        made.update(y, P)
        return made

    def judged() -> stakes.JudgedResponses:
        return stakes.judge_report(np.where(np.arange(N) < 60, Y, np.nan), P, target=0.75)

    def responses() -> stakes.Responses:
        return stakes.Responses(Y == 1, P, P < 0.2, groups=np.arange(N) // 2)

    def answers() -> stakes.ResponseEvaluation:
        topics = {names[0]: names_of(Y, names)}
        return stakes.evaluate_responses(responses(), 0.75, slices=topics)

    def compared() -> stakes.ResponseComparison:
        topics = {names[0]: names_of(Y, names)}
        systems = {names[1]: responses(), "b": stakes.Responses(Y == 1, groups=np.arange(N) // 2)}
        return stakes.compare_responses(systems, 0.75, slices=topics)

    fitted = {
        name: partial(getattr(stakes, name)().fit, P, y, classes=names)
        for name in (
            "AffineCalibrator", "BetaCalibrator", "BiasCalibrator", "HistogramCalibrator",
            "IsotonicCalibrator", "MatrixCalibrator", "TemperatureCalibrator", "VectorCalibrator",
        )
    }  # fmt: skip
    scores = {
        "Posteriors": lambda: stakes.Posteriors(P),
        "LogPosteriors": lambda: stakes.AffineCalibrator().fit(P, y, classes=names).transform(P),
        "Logits": lambda: stakes.Logits(ratios.values),
        "LogLikelihoods": lambda: stakes.LogLikelihoods(np.log(np.column_stack([1 - P, P]))),
        "LogLikelihoodRatios": lambda: ratios,
    }
    return {
        **fitted,
        **scores,
        "AbstentionRule": lambda: answers().rules[1],
        "Agreement": lambda: stakes.Agreement([8, 5], samples=10),
        "AnswerLogProbability": lambda: stakes.AnswerLogProbability([-0.1, -2.0]),
        "ConfidenceTarget": lambda: stakes.ConfidenceTarget(0.75),
        "ResponseComparison": compared,
        "ResponseDifference": lambda: compared().differences[0],
        "ResponseEvaluation": answers,
        "ResponseSlice": lambda: answers().slices[1],
        "Responses": responses,
        "RiskLimit": lambda: stakes.coverage_at_risk(responses(), 0.4),
        "SliceComparison": lambda: compared().slices[1],
        "StatedPercent": lambda: stakes.StatedPercent([90, 55]),
        "StatedProbability": lambda: stakes.StatedProbability([0.9, None]),
        "TargetCurve": lambda: answers().curve,
        "VerbalConfidence": lambda: stakes.VerbalConfidence(names, dict.fromkeys(names, 0.5)),
        "AnswerLog": lambda: stakes.read_answer_log(LOGS / "capitals.eval", scorer="includes"),
        "LeftOut": lambda: stakes.LeftOut(names[1], 1, "error", names[1]),
        "LoggedOptions": lambda: stakes.LoggedOptions((-1.0, -2.0), tuple(names), (0,)),
        "AbstentionCurve": lambda: stakes.abstention_curve(y, P, costs=costs),
        "Application": lambda: stakes.Application(costs, [0.9, 0.1]),
        "ApplicationResult": lambda: evaluation().main,
        "CalibrationError": lambda: stakes.calibration_error(y, P, **told),
        "CalibrationLoss": lambda: stakes.calibration_loss(loss, y, P, **told),
        "CalibrationLossView": risk.calibration_loss,
        "CalibratorChoice": lambda: stakes.choose_calibrator(
            loss, y, P, [stakes.AffineCalibrator(), stakes.BetaCalibrator()], **told
        ),
        "CodeExplanation": lambda: stakes.explain_code("few_errors"),
        "ClassDetectors": lambda: stakes.class_detectors(y, P, **told),
        "ClassResult": lambda: evaluation().by_class[0],
        "Comparison": comparison,
        "ConfusionMatrix": lambda: cm,
        "CorrectedEstimate": lambda: judged().utility,
        "CostMatrix": lambda: costs,
        "CostsByCase": lambda: by_case,
        "CurveArea": risk.brier,
        "CurveView": risk.murphy,
        "DataSummary": lambda: evaluation().data,
        "DecisionEvaluation": lambda: stakes.evaluate_decisions(cm, costs),
        "Decisions": lambda: stakes.decide(P, costs),
        "DetectionCost": lambda: stakes.detection_cost(y, ratios, target_prior=0.1, **told),
        "Difference": lambda: comparison().of("b", "cost.nec"),
        "Estimate": lambda: evaluation().ranking["auc"],
        "Evaluation": evaluation,
        "ExpectedLoss": lambda: stakes.bayes_cost(y, P, costs=costs),
        "Explanation": lambda: stakes.explain("f1", cm),
        "Coefficient": lambda: fitted["AffineCalibrator"]().slope,
        "HeldOut": lambda: stakes.HeldOut(y, P),
        "TrainOnTest": stakes.TrainOnTest,
        "Interval": lambda: stakes.Interval(0.1, 0.2, 0.95),
        "JudgedMean": lambda: stakes.judged_mean(np.where(P > 0.3, Y, np.nan), P),
        "JudgedResponses": judged,
        "LossResult": lambda: evaluation().rules[0],
        "MetricValue": cm.f_score,
        "MinimumCost": lambda: roc.minimum_cost(costs),
        "OddsRange": lambda: comparison().odds[0],
        "OptionAccuracy": options.accuracy,
        "OptionScores": lambda: options,
        "OperatingPoint": lambda: roc.at_threshold(0.5),
        "PrecisionRecallCurve": lambda: stakes.precision_recall_curve(y, P, **told),
        "PriorEstimate": lambda: stakes.estimate_priors(stakes.Posteriors(P), [0.7, 0.3], **told),
        "RankingValue": lambda: stakes.auc(y, P, **told),
        "RelativeCost": lambda: comparison().relative_costs[0],
        "Reliability": lambda: stakes.reliability(y, P, **told),
        "ReliabilityCurve": lambda: stakes.reliability_curve(y, P, **told),
        "RiskCoverageCurve": lambda: stakes.risk_coverage_curve(y, stakes.Posteriors(P), **told),
        "RiskCurve": lambda: risk,
        "RocCurve": lambda: roc,
        "SampleCosts": lambda: by_case.with_columns({"amount": np.ones(N)}),
        "ScoreDecomposition": lambda: stakes.decompose(loss, y, P, **told),
        "ScoreDistribution": lambda: stakes.score_distribution(y, P, **told),
        "Scorecard": lambda: stakes.scorecard(y, P, costs=costs),
        "SliceResult": lambda: evaluation().slices[0],
        "Summary": summary,
        "SweptMetric": lambda: stakes.threshold_sweep(y, P, costs=costs).metrics[0],
        "TargetOdds": lambda: roc.odds_for(0.9),
        "ThresholdCalibrator": lambda: stakes.ThresholdCalibrator(costs).fit(P, y, classes=names),
        "ThresholdChoice": lambda: stakes.choose_threshold(y, P, costs=costs),
        "ThresholdResult": lambda: stakes.choose_threshold(y, P, costs=costs).results[0],
        "ThresholdSweep": lambda: stakes.threshold_sweep(y, P, costs=costs),
        "TippettCurve": lambda: stakes.tippett_curve(y, ratios, **told),
        "Undefined": lambda: stakes.Undefined("zero_over_zero", "0/0"),
        "Verdict": lambda: evaluation().verdicts[0],
        "WordExplanation": lambda: stakes.explain("log_loss"),
        "WorstApplication": lambda: risk.calibration_loss().worst,
    }


PLAIN = build(["fine", "fraud"])
ODD = build(["fine", HOSTILE])
SETTINGS = {  # what users choose, which shows how it is built
    "BayesCost", "BrierLoss", "EqualMass", "EqualWidth", "LogLoss", "SphericalLoss", "StatedIn",
    "ThresholdRange",
}  # fmt: skip
ABSTRACT = {"Answers", "Calibrator", "Confidence", "Scores", "ScoringRule"}
PAGES = {  # live, in a frame of their own
    "Comparison", "DecisionEvaluation", "Evaluation", "ResponseComparison", "ResponseEvaluation",
}  # fmt: skip


class Tags(HTMLParser):
    """The tags and attributes of a piece of HTML, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_public_record_is_here() -> None:
    public = {name: getattr(stakes, name) for name in dir(stakes)}
    classes = {
        name
        for name, c in public.items()
        if inspect.isclass(c) and not issubclass(c, BaseException | displays.Display)
    }
    assert classes - SETTINGS - ABSTRACT == set(PLAIN)
    for name in PLAIN:
        assert issubclass(public[name], Record)


@pytest.mark.parametrize("name", PLAIN)
def test_a_record_shows_its_text(name: str) -> None:
    record = PLAIN[name]()
    assert type(record).__name__ == name
    text = repr(record)
    assert text == str(record)
    lines = text.splitlines()
    assert 1 <= len(lines) <= 30
    assert max(map(len, lines)) <= 600
    assert not re.search(r"array\(|dtype=|\bobject at 0x|\bnan\b", text)
    assert record._repr_html_()


@pytest.mark.parametrize("name", sorted(set(PLAIN) - PAGES))
def test_a_record_in_a_notebook_is_harmless(name: str) -> None:
    for cases in (PLAIN, ODD):
        record = cases[name]()
        tags = Tags(record._repr_html_())
        assert not tags.open
        assert tags.seen <= {"pre", "table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert tags.attributes <= {"scope", "style"}
    assert "\x1b" not in str(record)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_names_of_a_page_are_escaped(name: str) -> None:
    assert HOSTILE[:20] not in ODD[name]()._repr_html_()
    assert "\x1b" not in str(ODD[name]())


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_settings_show_how_they_are_built(name: str) -> None:
    given = {"BayesCost": ([[0, 1], [5, 0]],), "EqualMass": (5,), "EqualWidth": (5,)}
    made = getattr(stakes, name)(*given.get(name, ()))
    assert name in repr(made)
    assert len(repr(made)) < 300


def test_many_classes_are_cut() -> None:
    p = RNG.dirichlet(np.ones(MANY), 3000)
    y = RNG.integers(0, MANY, 3000)
    y[:MANY] = np.arange(MANY)
    names = [f"class {k}" for k in range(MANY)]
    found = stakes.evaluate(names_of(y, names), p, classes=names, calibrator=None)
    assert str(found.data).endswith("class 7 " + str((y == 7).sum()) + " and 96 more")
    calibrator = stakes.BiasCalibrator().fit(p, names_of(y, names), classes=names)
    detectors = stakes.class_detectors(names_of(y, names), p, classes=names)
    records = [found, found.main, found.main.costs, found.main.confusion, calibrator, detectors]
    records += [stakes.Posteriors(p).named(tuple(names)), found.by_class[0]]
    for record in records:
        assert len(str(record)) < 6000
        assert len(str(record).splitlines()) <= 30
    assert "and 96 more" in str(calibrator)


def test_a_record_without_a_text_has_a_line_for_each_field() -> None:
    text = str(stakes.Application(stakes.CostMatrix.zero_one(2), [0.9, 0.1]))
    assert text.splitlines() == [
        "Application",
        "  costs   2 classes, 2 decisions",
        "  priors  0.9000, 0.1000",
    ]
