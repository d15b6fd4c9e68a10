"""Words of other libraries and fields: none ends without naming ours, and every answer is true."""

import copy
import importlib
import inspect
import json
import pickle
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import stakes
from command import call
from stakes import _foreign_words
from stakes._foreign_calls import answered
from stakes._foreign_words import answer_to, entry_of, foreign_words, near, own_name
from stakes._records import Record
from stakes.cli.commands import HELP, command

TABLE = tomllib.loads(Path(_foreign_words.__file__).with_suffix(".toml").read_text("utf-8"))
RNG = np.random.default_rng(3)
N = 300
Y = (RNG.random(N) < 0.4).astype(int)
P = np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0.01, 0.99)
LLR = np.log(P / (1 - P)) + 0.4
X = np.column_stack([P, RNG.random(N)])
MODEL = LogisticRegression().fit(X, Y)
DECISIONS = (P > 0.5).astype(int)
COSTS = {"miss": 5, "false_alarm": 1}
FEW: dict[str, Any] = {}
WORDS = np.array(["bad", "good"])[Y]
RESULT = stakes.evaluate(Y, P, **FEW)
RIGHT = RNG.random(N) < P


def space() -> dict[str, Any]:
    """Return what the calls of the table are made with."""
    return {
        "stakes": stakes, "np": np, "pd": pd, "y": Y, "p": P, "q": P**2, "X": X, "model": MODEL,
        "other": LogisticRegression(C=0.01).fit(X, Y), "decisions": DECISIONS, "costs": COSTS,
        "table": np.column_stack([1 - P, P]), "logits": LLR, "llr": LLR, "amounts": 1 + P,
        "site": np.where(P < 0.3, "a", "b"), "result": RESULT, "right": RIGHT, "confidence": P,
        "answers": stakes.Responses(RIGHT, P), "answers_b": stakes.Responses(RIGHT, P**2),
        "frame": pd.DataFrame({"y": Y, "p": P}), "history": {},
    }  # fmt: skip


def said_by(ask: Callable[[], object]) -> str:
    """Return the message of the error that a question ends in."""
    with pytest.raises((AttributeError, ImportError, TypeError, ValueError)) as caught:
        ask()
    return str(caught.value)


def pickled(thing: Any) -> Any:  # noqa: ANN401
    """Return a thing that was pickled."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301  our own


# The table itself.


def test_the_table_is_large_and_every_word_is_there_once() -> None:
    words = [word for name, entry in TABLE.items() for word in (name, *entry.get("also", ()))]
    assert len(TABLE) >= 120
    assert len(words) == len(set(words)) == len(foreign_words())


@pytest.mark.parametrize("word", list(TABLE))
def test_every_call_runs_and_names_what_is_there(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = TABLE[word]
    monkeypatch.chdir(tmp_path)
    exec(entry["call"], space())  # noqa: S102
    plt.close("all")
    for name in re.findall(r"^[\w.]+|(?<=, )[\w.]+(?=$|,)", entry["ours"].partition(", with")[0]):
        assert is_ours(name), name


def is_ours(name: str) -> bool:
    """Whether a name is public, a method of a result, or an argument of a main call."""
    where: Any = stakes
    parts = name.split(".")
    main = (stakes.evaluate, stakes.calibration_error)
    arguments = {each for function in main for each in inspect.signature(function).parameters}
    if len(parts) == 1 and (name in arguments or hasattr(RESULT, name)):
        return True
    for part in parts:
        fields = getattr(where, "__dataclass_fields__", {})
        if not hasattr(where, part):
            return part in fields
        where = getattr(where, part)
    return True


@pytest.mark.parametrize("word", [name for name, entry in TABLE.items() if "command" in entry])
def test_every_command_has_its_options(word: str) -> None:
    typed = shlex.split(TABLE[word]["command"])
    assert typed[0] == "stakes"
    assert typed[1] in HELP
    here: Any = command(typed[1])
    known = {flag for each in here.params for flag in each.opts}
    assert [flag for flag in typed if flag.startswith("-") and flag not in known] == []


# Names of modules.

NAMES = [
    "log_loss", "brier_score_loss", "roc_auc_score", "ece", "net_benefit", "decision_curve",
    "cost_curve", "classification_report", "make_scorer", "datasets", "f1_score", "accuracy_score",
    "plot_roc_curve", "calibration_curve", "EER", "min_dcf", "CalibratedClassifierCV", "nll",
    "TemperatureScaling", "cohen_kappa_score", "gains", "rev", "npv", "load", "aurc",
    "ReliabilityDiagram", "ComparisonReport", "empc_score", "hmeasure", "ppi_mean", "leaderboard",
    "BayesClassifier", "FScore", "log_evaluation", "evaluat", "Evaluate", "brier_scor", "costmatrix",
    "BinaryAccuracy", "MulticlassF1Score", "MulticlassAUROC", "binary_precision", "roc_auc_vec",
    "BinaryCohenKappa", "SpecificityAtSensitivity", "RecallAtFixedPrecision", "MetricCollection",
    "gini_coefficient", "mcnemar_test", "friedman", "bal_accuracy", "j_index", "kap", "conf_mat",
    "threshold_perf", "pav_plot", "standardized_net_benefit", "train_test_split", "smote",
    "ColumnMapping", "profit_curve", "cost_benefit_matrix", "BER", "partial_auc", "CSBoostClassifier",
    "hinge_loss", "ndcg_score", "mean_absolute_error", "learning_curve", "label_binarize", "StatScores",
    "precision_recall_fscore_support", "top_k_accuracy_score", "KLDivergence", "HammingDistance", "MMCE",
    "JaccardIndex", "LogAUC", "PICP", "KDECalibrator", "ELUBbounder", "calculate_cllr", "calculate_lr",
    "odds_ratio", "pretest_probability", "concordance_index", "coords", "EO", "E90", "ks_stat", "lift_at",
    "value_detection_rate", "capture_rate", "BayesMinimumRiskClassifier", "load_test_data",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_not_there_is_answered(name: str) -> None:
    said = said_by(lambda: getattr(stakes, name))
    assert said.startswith(f"module 'stakes' has no attribute {name!r}")
    assert re.search(r"use \w.*: |Did you mean '\w+'\?|: it is stakes\.", said), said


@pytest.mark.parametrize("module", ["sklearn", "displays", "metrics", "mlflow"])
def test_modules_below_answer_too(module: str) -> None:
    package = importlib.import_module(f"stakes.{module}")
    assert "use cross_entropy" in said_by(lambda: package.log_loss)
    assert said_by(lambda: package.evaluate).endswith("it is stakes.evaluate")


def test_an_import_that_fails_says_what_to_import() -> None:
    for name, meant in {"log_loss": "use cross_entropy", "evaluat": "mean 'evaluate'"}.items():
        with pytest.raises(ImportError, match=f"cannot import name '{name}' .*{meant}") as caught:
            exec(f"from stakes import {name}")  # noqa: S102
        assert caught.value.name == "stakes"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("stakes.log_loss")


def test_a_word_that_nobody_knows_gets_no_guess_but_a_beginning() -> None:
    said = said_by(lambda: getattr(stakes, "xyzzy"))  # noqa: B009  type checkers know better
    assert said.startswith("module 'stakes' has no attribute 'xyzzy'. Scores go into stakes.eval")
    assert "'cost_scorer'" in said_by(lambda: stakes.sklearn.xyzzy)  # type: ignore[attr-defined]
    names = said_by(lambda: RESULT.xyzzy)  # type: ignore[attr-defined]
    assert "Its names are 'applications'" in names
    assert "'verdicts'" in names


CLASSES = [
    name
    for name in dir(stakes)
    if inspect.isclass(cls := getattr(stakes, name)) and not issubclass(cls, BaseException | tuple)
]


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_answers_for_its_names_and_arguments(name: str) -> None:
    cls: Any = getattr(stakes, name)
    assert inspect.signature(cls).parameters.keys() != {"args", "named"}
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
        return
    said = said_by(lambda: cls(xyzzy=1))
    assert "has no argument 'xyzzy'" in said or "is not called like this. For '" in said, said
    names = [each for each in dir(cls) if not each.startswith("_") and each not in dir(float)]
    assert not names or "Its names are '" in said_by(lambda: cls.xyzzy)


def test_probing_for_names_loads_nothing() -> None:
    script = (
        "import sys, stakes, copy\n"
        "assert not hasattr(stakes, 'log_loss') and not hasattr(stakes, '__wrapped__')\n"
        "assert getattr(stakes, 'nothing', 1) == 1\n"
        "assert 'tomllib' not in sys.modules and 'numpy' not in sys.modules\n"
        "assert not hasattr(stakes, '_repr_html_') and 'difflib' not in sys.modules\n"
        "try:\n    stakes.log_loss\nexcept AttributeError as error:\n    assert 'cross' in str(error)\n"
        "assert 'tomllib' in sys.modules and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_an_error_of_a_name_can_be_pickled() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = stakes.log_loss  # type: ignore[attr-defined]
    assert str(pickled(caught.value)) == str(caught.value)
    assert "cross_entropy" in repr(caught.value)


# Attributes of results and records.

ATTRIBUTES = [
    "plot", "to_frame", "summary", "save", "to_pandas", "to_csv", "show", "export", "describe",
    "savefig", "to_df", "log_metrics", "as_dict", "json", "get_metric", "push_to_hub", "checks",
    "to_htm", "verdict_s", "evaluate", "compute", "f1_score", "roc_auc", "auc", "nec", "ci", "lower",
    "cm", "confusion_matrix", "n_samples", "classes", "priors", "threshold", "costs", "p_value",
    "to_markdown", "to_excel", "keys", "items", "passed", "next_steps",
]  # fmt: skip


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_a_result_is_answered(name: str) -> None:
    said = said_by(lambda: getattr(RESULT, name))
    assert said.startswith(f"'Evaluation' object has no attribute {name!r}")
    assert re.search(r"use \w.*: |Did you mean '\w+'\?|: it is stakes\.", said), said


OF_CLASSES: dict[str, tuple[object, str]] = {
    "tn": (stakes.confusion_matrix(Y, DECISIONS), "use ConfusionMatrix.counts: (tn, fp), (fn, tp)"),
    "ravel": (stakes.confusion_matrix(Y, DECISIONS), "use ConfusionMatrix.counts"),
    "shape": (stakes.confusion_matrix(Y, DECISIONS), "use ConfusionMatrix.counts"),
    "normalize": (stakes.confusion_matrix(Y, DECISIONS), "use ConfusionMatrix.rates"),
    "cost": (stakes.confusion_matrix(Y, DECISIONS), "use ConfusionMatrix.expected_cost"),
    "fpr": (stakes.roc_curve(Y, P), "use RocCurve.false_alarm_rate"),
    "tpr": (stakes.roc_curve(Y, P), "use RocCurve.miss_rate: 1 - "),
    "roc_auc": (stakes.roc_curve(Y, P), "use RocCurve.auc"),
    "ci": (stakes.auc(Y, P), "use RankingValue.interval"),
    "low": (RESULT.main.cost.normalized, "use Estimate.interval"),
    "p_value": (stakes.compare(Y, {"a": P, "b": P**2}, **FEW), "use Comparison.differences"),
    "winner": (stakes.compare(Y, {"a": P, "b": P**2}, **FEW), "use Comparison.may_be_best"),
    "to_frame": (stakes.compare(Y, {"a": P, "b": P**2}, **FEW), "use Comparison.metrics"),
    "auc": (RESULT, "use Evaluation.metrics: result.metrics()['auc']"),
    "n_samples": (RESULT, "use Evaluation.data: "),
    "coef_": (stakes.AffineCalibrator().fit(P, Y), "use AffineCalibrator.slope"),
}


@pytest.mark.parametrize("name", list(OF_CLASSES))
def test_a_word_is_answered_as_the_class_means_it(name: str) -> None:
    thing, meant = OF_CLASSES[name]
    assert meant in said_by(lambda: getattr(thing, name))


def test_items_of_a_record_are_answered() -> None:
    result: Any = RESULT
    curve: Any = stakes.roc_curve(Y, P)
    assert said_by(lambda: result["auc"]).endswith("by name are .metrics()['auc'].")
    for ask in (lambda: list(result), lambda: dict(result), lambda: 3 in result):
        assert "'Evaluation' object has no items" in said_by(ask)

    def unpacked() -> None:
        _fpr, _tpr, _at = curve

    assert "'false_alarm_rate'" in said_by(unpacked)
    assert np.asarray(RESULT, dtype=object).shape == ()  # a record is no sequence


@pytest.mark.parametrize(
    "record", [stakes.confusion_matrix(Y, DECISIONS), stakes.auc(Y, P), stakes.decide(P, COSTS)]
)
def test_every_record_answers_and_stays_a_record(record: Record) -> None:
    assert "save_html" in said_by(lambda: record.savefig)  # type: ignore[attr-defined]
    assert not hasattr(record, "plot")
    assert getattr(record, "summary", 3) == 3
    assert not hasattr(record, "__array_interface__")
    for same in (copy.copy(record), copy.deepcopy(record), pickled(record)):
        assert str(same) == str(record)


def test_a_property_that_fails_says_why() -> None:
    class Odd(Record):
        __slots__ = ()

        @property
        def broken(self) -> int:
            return (1).nothing  # type: ignore[attr-defined]

    assert said_by(lambda: Odd().broken) == "'int' object has no attribute 'nothing'"


def test_a_page_is_not_written_by_to_html() -> None:
    result: Any = RESULT
    assert "save_html('page.html')" in said_by(lambda: result.to_html("page.html"))


# Arguments.

ARGUMENTS = [
    "y_pred", "y_score", "y_proba", "threshold", "prevalence", "cost_matrix", "fp", "fn", "labels",
    "weights", "average", "n_bins", "random_state", "from_logits", "pos_lable", "cost", "prior",
    "class_weight", "alpha", "n_boot", "stratify", "y_hat", "target_names", "utility", "p_target",
    "normalize", "cv", "seed", "metric", "groupss", "sensitive_features", "probas_pred", "estimate",
    "pos_class", "neg_label", "target_prevalence", "source_priors", "estimator", "df", "data",
    "reference_data", "column_mapping", "save_path", "max_fpr", "n_iter",
]  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_of_others_is_answered(name: str) -> None:
    evaluate: Any = stakes.evaluate
    said = said_by(lambda: evaluate(Y, P, **{name: 1}))
    assert said.startswith(f"evaluate() has no argument {name!r}")
    assert re.search(r"use \w.*: |Did you mean '\w+'\?", said), said


CALLS: dict[str, tuple[Callable[[Any], object], str]] = {
    "evaluate(model, X, y)": (lambda s: s.evaluate(MODEL, X, Y), "evaluate_model(model, X, y)"),
    "evaluate(Model, X, y)": (
        lambda s: s.evaluate(LogisticRegression, X, Y),
        "got LogisticRegression. For a fitted model call stakes.evaluate_model(model, X, y)",
    ),
    "evaluate(y, model)": (lambda s: s.evaluate(Y, MODEL), "evaluate_model(model, X, y)"),
    "evaluate(X, y)": (lambda s: s.evaluate(X, Y), "evaluate_model(model, X, y)"),
    "evaluate(y_true=, y_pred=)": (
        lambda s: s.evaluate(y_true=Y, y_pred=DECISIONS),
        "evaluate_decisions(stakes.confusion_matrix(y, decisions), costs)",
    ),
    "evaluate(y, p, costs)": (lambda s: s.evaluate(Y, P, COSTS), "costs=..."),
    "compare of models": (lambda s: s.compare(Y, {"a": MODEL, "b": MODEL}), "compare_models("),
    "auc(y, model)": (lambda s: s.auc(Y, MODEL), "stakes.auc(y, model.predict_proba(X))"),
    "expected_cost(y, model)": (
        lambda s: s.expected_cost(Y, MODEL, costs=COSTS),
        "stakes.expected_cost(y, model.predict(X))",
    ),
    "evaluate_decisions(model)": (lambda s: s.evaluate_decisions(MODEL), "model.predict(X)"),
    "confusion_matrix(labels=)": (
        lambda s: s.confusion_matrix(Y, DECISIONS, labels=[0, 1]),
        "classes=[0, 1]",
    ),
    "CostMatrix.binary(fn, fp)": (lambda s: s.CostMatrix.binary(fn=5, fp=1), "'miss': 5"),
    "CostMatrix(fp=)": (lambda s: s.CostMatrix(fp=1, fn=2), "'miss': 5"),
    "Summary(costs, y_score)": (lambda s: s.Summary(classes=[0, 1], y_score=1), "scores"),
    "summary.update(model)": (
        lambda s: s.Summary(classes=[0, 1]).update(MODEL, X),
        "summary.update(y, model.predict_proba(X))",
    ),
    "decide(cutoff=)": (lambda s: s.decide(P, cutoff=0.5), "stakes.decide(p, threshold=0.5)"),
    "RiskDisplay(costs=)": (
        lambda s: s.RiskDisplay.from_predictions(Y, P, costs=COSTS),
        "costs={'miss': 5, 'false_alarm': 1}",
    ),
    "RocDisplay(y_score=)": (lambda s: s.RocDisplay.from_predictions(Y, y_score=P), "scores"),
    "RocDisplay(pos=)": (
        lambda s: s.RocDisplay.from_predictions(Y, P, drop_intermediate=True),
        "from_predictions() has no argument 'drop_intermediate'",
    ),
    "evaluate_model(model, y, X)": (
        lambda s: s.evaluate_model(MODEL, Y, X),
        "y must be labels, one for each row of X: got a table of 300 x 2. X comes before y",
    ),
    "evaluate_model(scoring=)": (
        lambda s: s.evaluate_model(MODEL, X, Y, scoring="f1"),
        "result.metrics()['auc']",
    ),
    "cost_scorer(threshold=)": (
        lambda s: s.sklearn.cost_scorer(COSTS, threshold=0.5),
        "choose_threshold",
    ),
    "roc_curve(y_true=, y_prob=)": (lambda s: s.roc_curve(y_true=Y, y_prob=P), "scores"),
    "ConfusionMatrix(table)": (
        lambda s: s.ConfusionMatrix([[8, 2], [1, 9]]),
        "ConfusionMatrix() is not called like this. For ",
    ),
    "CalibrationError(task=)": (
        lambda s: s.CalibrationError(task="binary"),
        "use calibration_error: stakes.calibration_error(y, p)",
    ),
    "Accuracy(task=)": (
        lambda s: s.metrics.Accuracy(task="multiclass", num_classes=3),
        "use ConfusionMatrix.accuracy",
    ),
    "LogLoss(y, p)": (lambda s: s.LogLoss(Y, P), "use cross_entropy: stakes.cross_entropy(y, p)"),
    "EqualMass(n_bins=)": (lambda s: s.EqualMass(n_bins=5), "stakes.EqualMass(15)"),
    "CostMatrix.from_costs": (lambda s: s.CostMatrix.from_costs(5, 1), "use CostMatrix.binary"),
    "RocDisplay.from_cv_results": (lambda s: s.RocDisplay.from_cv_results, "cv=5)"),
    "ConfusionMatrix.from_array": (lambda s: s.ConfusionMatrix.from_array, "from_counts([["),
    "TemperatureCalibrator.temperature": (
        lambda s: s.TemperatureCalibrator().fit(P, Y).temperature,
        "use TemperatureCalibrator.T",
    ),
    "evaluate_model(y_true=)": (
        lambda s: s.evaluate_model(MODEL, X=X, y_true=Y),
        "stakes.evaluate_model(model, X, y)",
    ),
    "evaluate_model(X, y, model)": (
        lambda s: s.evaluate_model(X, Y, MODEL),
        "The model comes first: evaluate_model(model, X, y).",
    ),
    "evaluate(method=)": (lambda s: s.evaluate(Y, P, method="isotonic"), "calibrator='isotonic'"),
    "choose_threshold(metric=)": (
        lambda s: s.choose_threshold(Y, P, metric="f1"),
        "stakes.choose_threshold(y, p, costs=costs)",
    ),
    "Responses(correct=)": (
        lambda s: s.Responses(correct=RIGHT, confidence=P),
        "stakes.Responses(right, confidence)",
    ),
    "evaluate_responses(y, p)": (
        lambda s: s.evaluate_responses(RIGHT, P),
        "must be Responses(right, confidence, ...): got an array of 300.",
    ),
    "expected_cost(y, d, costs)": (
        lambda s: s.expected_cost(Y, DECISIONS, COSTS),
        "takes 'y_true', 'y_pred' without names; the others by name: costs=...",
    ),
    "compare of a list": (lambda s: s.compare(Y, [P, P**2]), "{'A': p_a, 'B': p_b}: got a list of"),
    "compare_models of a list": (
        lambda s: s.compare_models([MODEL, MODEL], X, Y),
        "got a list of 2. Call compare_models({'old': model, 'new': other}, X, y).",
    ),
    "evaluate of one row": (lambda s: s.evaluate(Y, [P]), "300 samples, pass scores[0]."),
    "evaluate of one key": (
        lambda s: s.evaluate(Y, {"p": P}),
        "got a dict with 1 key. Pass scores['p'].",
    ),
    "ConfusionMatrix(tp=)": (
        lambda s: s.ConfusionMatrix(tp=1, fp=2, fn=3, tn=4),
        "From counts: ConfusionMatrix.from_counts([[tn, fp], [fn, tp]])",
    ),
    "confusion_matrix(tn=)": (
        lambda s: s.confusion_matrix(tn=4, fp=2, fn=3, tp=1),
        "use ConfusionMatrix.from_counts",
    ),
    "confusion_matrix(normalize=)": (
        lambda s: s.confusion_matrix(Y, DECISIONS, normalize="true"),
        "use ConfusionMatrix.rates",
    ),
    "AffineCalibrator(method=)": (
        lambda s: s.AffineCalibrator(method="sigmoid"),
        "AffineCalibrator() has no argument 'method'",
    ),
    "AffineCalibrator(y, p)": (
        lambda s: s.AffineCalibrator(Y, P),
        "AffineCalibrator() takes ",
    ),
    "HistogramCalibrator(n_bins=)": (
        lambda s: s.HistogramCalibrator(n_bins=10),
        "Did you mean 'bins'?",
    ),
    "Posteriors(p, y)": (lambda s: s.Posteriors(P, Y), "Posteriors() takes 'values' without"),
    "Logits(from_logits=)": (lambda s: s.Logits(LLR, from_logits=True), "Logits() has no argument"),
    "RiskDisplay(y, p)": (lambda s: s.RiskDisplay(Y, P), "RiskDisplay() takes "),
    "plot(title=)": (
        lambda s: s.RocDisplay.from_predictions(Y, P).plot(title="x"),
        "plot() has no argument 'title'",
    ),
    "CalibratedClassifier(method=)": (
        lambda s: s.sklearn.CalibratedClassifier(MODEL, method="isotonic"),
        "calibrator='isotonic'",
    ),
    "evaluate_model(progress=True)": (
        lambda s: s.evaluate_model(MODEL, X, Y, cv=3, progress=True),
        "progress must be a function",
    ),
    "evaluate of a file": (
        lambda s: s.evaluate("t.csv", "p", label="y"),
        "Read the file first: frame = pandas.read_csv(path).",
    ),
    "Responses(right, result)": (
        lambda s: s.Responses(RIGHT, RESULT),
        "confidence must be a column, one value per row: got Evaluation",
    ),
    "evaluate of several matrices": (
        lambda s: s.evaluate(Y, P, costs=[s.CostMatrix(COSTS), s.CostMatrix(COSTS)]),
        "costs={'low': ",
    ),
    "evaluate(costs=(5, 1))": (
        lambda s: s.evaluate(Y, P, costs=(5, 1)),
        "got shape (2,). For two classes pass costs={'miss': 5, 'false_alarm': 1}.",
    ),
    "evaluate of columns": (
        lambda s: s.evaluate({"y": Y, "p": P}, "p", label="y"),
        "pandas.DataFrame(columns)",
    ),
    "precision(average=)": (
        lambda s: s.confusion_matrix(Y, DECISIONS).precision(average="macro"),
        "balanced",
    ),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_a_call_of_others_is_answered(name: str) -> None:
    ask, meant = CALLS[name]
    assert meant in said_by(lambda: ask(stakes))


def test_enough_words_are_tried() -> None:
    tried = len(NAMES) + len(ATTRIBUTES) + len(ARGUMENTS) + len(CALLS) + len(OPTIONS)
    assert tried + len(COMMANDS) >= 80


# What is understood.


@pytest.mark.parametrize("word", ["pos_label", "positive"])
@pytest.mark.parametrize(("positive", "scores"), [("good", P), ("bad", 1 - P)])
def test_the_class_of_interest_is_understood(word: str, positive: str, scores: Any) -> None:  # noqa: ANN401
    evaluate: Any = stakes.evaluate
    other = {"good": "bad", "bad": "good"}[positive]
    found = evaluate(WORDS, scores, costs=COSTS, **FEW, **{word: positive})
    ours = evaluate(WORDS, scores, costs=COSTS, classes=[other, positive], **FEW)
    assert found.to_dict() == ours.to_dict()


def test_the_class_of_interest_is_not_guessed() -> None:
    evaluate, table = stakes.evaluate, np.column_stack([1 - P, P])
    ask: Any = evaluate
    assert ask(WORDS, table, pos_label="good", **FEW).data.classes == ("bad", "good")
    assert "classes=[0, 1]" in said_by(lambda: ask(WORDS, table, pos_label="bad", **FEW))
    assert "classes=[0, 1]" in said_by(lambda: ask(WORDS, P, pos_label="ugly", **FEW))
    three = np.array(["a", "b", "c"])[np.arange(N) % 3]
    assert "classes=[0, 1]" in said_by(lambda: ask(three, P, pos_label="a", **FEW))
    frame = pd.DataFrame({"bad": 1 - P, "good": P})
    assert ask(WORDS, frame, pos_label="bad", **FEW).data.classes == ("good", "bad")


def test_functions_of_one_class_take_it_too() -> None:
    s: Any = stakes
    assert s.auc(Y, P, pos_label=1) == stakes.auc(Y, P, positive=1)
    matrix = s.confusion_matrix(WORDS, np.where(P > 0.5, "good", "bad"), pos_label="bad")
    assert matrix.classes == ("good", "bad")
    assert matrix.precision(pos_label="good") == matrix.precision(positive="good")


SPELLINGS: list[dict[str, Any]] = [
    {"fn": 5, "fp": 1},
    {"FP": 1, "FN": 5},
    {"false_negative": 5, "false_positive": 1},
    {"c_miss": 5, "c_fa": 1},
    {"False Negative": 5, "fp_cost": 1},
]


@pytest.mark.parametrize("costs", SPELLINGS, ids=str)
def test_costs_are_understood_in_the_words_of_others(costs: dict[str, Any]) -> None:
    found = stakes.evaluate(Y, P, costs=costs, **FEW)
    assert found.to_dict() == stakes.evaluate(Y, P, costs=COSTS, **FEW).to_dict()
    assert str(stakes.CostMatrix(costs)) == str(stakes.CostMatrix(COSTS))
    columns = {word: P if price == 5 else price for word, price in costs.items()}
    own = {"miss": P, "false_alarm": 1}
    assert stakes.bayes_cost(Y, P, costs=columns) == stakes.bayes_cost(Y, P, costs=own)


def test_costs_in_two_spellings_are_refused() -> None:
    assert "each price once" in said_by(lambda: stakes.CostMatrix({"fn": 5, "miss": 5, "fp": 1}))
    assert "'tp'" in said_by(lambda: stakes.CostMatrix({"fn": 5, "fp": 1, "tp": 0}))


@pytest.mark.parametrize(
    ("name", "meant"),
    [("isotonic", "isotonic"), ("Platt", "affine"), ("sigmoid", "affine"), ("none", None)],
)
def test_calibrators_are_named_everywhere(name: Any, meant: str | None) -> None:  # noqa: ANN401
    made: Any = None if meant is None else stakes.calibration.registry.calibrator_class(meant)()
    assert stakes.evaluate(Y, P, calibrator=name, **FEW).calibrator == meant
    systems = {"a": P, "b": P**2}
    found, own = (
        str(stakes.compare(Y, systems, calibrator=each, **FEW).metrics()) for each in (name, made)
    )
    assert found == own
    assert stakes.evaluate_model(MODEL, X, Y, cv=3, calibrator=name, **FEW).calibrator == meant
    total = stakes.Summary(classes=[0, 1])
    total.update(Y, P)
    assert total.evaluate(calibrator=name, **FEW).calibrator == meant
    assert (
        stakes.evaluate_responses(stakes.Responses(RIGHT, P), calibrator=name).calibrator == meant
    )
    fitted = stakes.sklearn.BayesClassifier(MODEL, costs=COSTS, calibrator=name).fit(X, Y)
    assert getattr(fitted.calibrator_, "name", None) == meant
    assert np.array_equal(
        stakes.risk_curve(Y, P, calibrator=name).murphy(level=None).actual,
        stakes.risk_curve(Y, P, calibrator=made).murphy(level=None).actual,
    )
    if made is not None:
        one, two = (stakes.cross_calibrate(each, Y, P).values for each in (name, made))
        assert np.array_equal(one, two)
        rule = stakes.LogLoss()
        losses = {stakes.calibration_loss(rule, Y, P, calibrator=each) for each in (name, made)}
        assert len(losses) == 1
        assert stakes.choose_calibrator(rule, Y, P, [name]).names == (
            stakes.choose_calibrator(rule, Y, P, [made]).names
        )
        classifier = stakes.sklearn.CalibratedClassifier(MODEL, calibrator=name).fit(X, Y)
        assert classifier.calibrator_.name == meant
        assert classifier.get_params()["calibrator"] == name


def test_a_calibrator_that_is_not_there_is_refused_with_the_names() -> None:
    ask: Any = stakes.evaluate
    said = said_by(lambda: ask(Y, P, calibrator="magic"))
    assert "calibrator must be" in said
    assert "'isotonic'" in said
    assert "Pass AffineCalibrator()." in said_by(
        lambda: ask(Y, P, calibrator=stakes.AffineCalibrator)
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("posteriors", stakes.Posteriors),
        ("probabilities", stakes.Posteriors),
        ("logits", stakes.Logits),
        ("log-odds", stakes.Logits),
        ("log_posteriors", stakes.LogPosteriors),
        ("llr", stakes.LogLikelihoodRatios),
    ],
)
def test_kinds_of_scores_are_named(name: Any, kind: Any) -> None:  # noqa: ANN401
    values = P if kind is stakes.Posteriors else np.log(P) - np.log1p(-P)
    if kind is stakes.LogPosteriors:
        values = np.log(P)
    frame = pd.DataFrame({"y": Y, "p": values})
    told: dict[str, Any] = {"label": "y", "priors": "data", **FEW}
    one, two = (stakes.evaluate(frame, ["p"], kind=each, **told) for each in (name, kind))
    assert one.to_dict() == two.to_dict()
    at: dict[str, Any] = {"priors": [0.6, 0.4]}
    if kind is not stakes.LogLikelihoodRatios:  # which have no priors
        at["training_priors"] = "deployment"
    summaries = (
        stakes.Summary.of(frame, label="y", scores="p", kind=each, **at) for each in (name, kind)
    )
    assert len({each.to_bytes() for each in summaries}) == 1


def test_a_kind_that_is_not_there_is_refused_with_the_names() -> None:
    ask: Any = stakes.evaluate
    said = said_by(lambda: ask(pd.DataFrame({"y": Y, "p": P}), ["p"], label="y", kind="odds"))
    assert "'Logits'" in said


# Explanations.

EXPLAINED = [
    "NEC", "f1", "F1", "ECE", "few_errors", "Few_Errors", "sensitivity", "balanced accuracy",
    "log loss", "Brier Skill Score", "lr+", "minDCF", "net-benefit", "prevalence", "AUROC",
]  # fmt: skip


@pytest.mark.parametrize("word", EXPLAINED)
def test_one_lookup_explains_metrics_codes_and_foreign_words(word: str) -> None:
    found = stakes.explain(word)
    assert len(str(found).splitlines()) > 2
    done = call("explain", word)
    assert (done.returncode, done.stdout) == (0, f"{found}\n")
    assert pickled(found).to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("word", "meant"), [("few_eror", "few_errors"), ("sensitivit", "sensitivity"), ("f3", "f1")]
)
def test_a_slip_is_refused_with_near_words(word: str, meant: str) -> None:
    assert repr(meant) in said_by(lambda: stakes.explain(word))
    done = call("explain", word)
    assert done.returncode == 2
    assert repr(meant) in done.stderr


def test_the_document_of_explanations_has_a_list_of_each_kind() -> None:
    done = call("explain", "f1", "few_errors", "nec", "--json")
    document = json.loads(done.stdout)
    assert [len(document[name]) for name in ("codes", "metrics", "words")] == [1, 1, 1]


# The command line.

OPTIONS = [
    "--pos-label", "--threshold", "--prevalence", "--y-true", "--fp", "--y-pred", "--label-column",
    "--costs", "--scors", "--plot", "--n-bins", "--weights", "--confidence-level", "--random-state",
    "--n-bootstrap", "--base-rate", "--positive-class", "--y-score", "--top-k", "--by", "--output-html",
    "--target", "--metric", "--sample-weight",
]  # fmt: skip
COMMANDS = [
    "score", "report", "plot", "eval", "comparee", "metrics", "roc", "predict", "serve", "fit",
    "diff", "gate", "test", "dashboard", "run", "leaderboard", "summary", "drift",
]  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_others_is_answered(option: str) -> None:
    done = call("evaluate", "t.csv", option, "1")
    assert done.returncode == 2
    assert re.search(
        r"give: stakes \w+|in Python: \w|did you mean '--\w+|see the command", done.stderr
    ), done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_others_is_answered(name: str) -> None:
    done = call(name, "t.csv")
    assert done.returncode == 2
    assert re.search(r"give: stakes \w+|in Python: \w|did you mean '\w+", done.stderr), done.stderr


def test_what_an_option_is_called_here_comes_before_commands_that_have_it() -> None:
    assert (
        "give: stakes evaluate FILE --label COLUMN. "
        in call("evaluate", "t.csv", "--target", "y").stderr
    )
    assert "give --classes OTHER,CLASS" in call("calibrate", "t.csv", "--positive", "1").stderr
    assert "must be given: --system NAME=COLUMNS. " in call("compare", "t.csv", "u.csv").stderr
    assert call("monitor", "t.csv").stderr.endswith("not measured here.\n")


def test_a_file_in_the_place_of_a_command_is_answered(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,p\n0,0.1\n")
    assert "give: stakes evaluate t.csv" in call("t.csv", cwd=tmp_path).stderr


def test_values_of_options_are_understood(tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": Y, "p": P})
    frame.to_csv(tmp_path / "t.csv", index=False)
    told = ("--label", "y", "--scores", "p", "--positive", "1", "--json")
    ours = (
        "--scores-are",
        "posteriors",
        "--cost",
        "miss=5,false_alarm=1",
        "--calibrator",
        "affine",
    )
    theirs = ("--scores-are", "probabilities", "--cost", "fn=5,fp=1", "--calibrator", "Platt")
    one, two = (call("evaluate", "t.csv", *told, *each, cwd=tmp_path) for each in (ours, theirs))
    assert one.returncode == two.returncode == 0
    assert one.stdout == two.stdout


# The wrapper.


def test_the_wrapper_keeps_what_a_function_is() -> None:
    for function in (stakes.evaluate, stakes.auc, stakes.CostMatrix.binary):
        assert function.__doc__
        assert "args" not in inspect.signature(function).parameters
        assert pickled(function) == function
    assert list(inspect.signature(stakes.auc).parameters)[:2] == ["y_true", "scores"]


def test_an_error_of_the_function_itself_is_not_touched() -> None:
    broken = ValueError("of its own")

    @answered
    def fail(value: int) -> int:
        if value:
            raise broken
        return value

    with pytest.raises(ValueError, match="of its own") as caught:
        fail(1)
    assert caught.value is broken
    assert caught.value.__cause__ is None
    assert fail(0) == 0


def test_words_are_found_however_they_are_written() -> None:
    assert entry_of("Log-Loss") == entry_of("log loss") == entry_of("log_loss")
    found = answer_to("prevalance")
    assert found is not None
    assert found.ours == "priors"
    assert answer_to("xyzzy") is None
    assert near("Evaluate", ["evaluate", "evaluate_model"]) == ["evaluate"]
    assert own_name("nothing", ["affine"]) is None
