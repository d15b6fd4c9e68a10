"""Refusals of every entry point: what was handed over, and what the error says of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import stakes
from command import TABLE, call
from stakes.calibration.registry import read_calibrator

nan = float("nan")
ZERO_ONE: Any = [[0, 1], [1, 0]]
NO_METRIC: Any = "auc"
Y, P = [0, 1, 0, 1], [0.2, 0.7, 0.4, 0.9]
R = stakes.Responses([1, 0, 1, 1], [0.9, 0.4, 0.7, 0.8])


def _evaluate(**more: Any) -> Callable[[], object]:
    asked = {"y_true": Y, "scores": P, **more}
    return lambda: stakes.evaluate(asked.pop("y_true"), asked.pop("scores"), **asked)


def _compare(systems: Any = None, **more: Any) -> Callable[[], object]:
    found = {"a": P, "b": P[::-1]} if systems is None else systems
    return lambda: stakes.compare(Y, found, **more)


def _summary(
    *batch: Any, told: Mapping[str, Any] | None = None, **more: Any
) -> Callable[[], object]:
    def run() -> object:
        total = stakes.Summary(**{"classes": [0, 1], **(told or {})})
        return total.update(*batch, **more)

    return run


def _merged() -> object:
    return stakes.Summary(classes=[0, 1]) + stakes.Summary(classes=["a", "b"])


CALLS: dict[str, Callable[[], object]] = {
    # one system
    "evaluate: lengths": _evaluate(scores=P[:3]),
    "evaluate: a label that is missing": _evaluate(y_true=[0, None, 1, 1]),
    "evaluate: labels one-hot": _evaluate(y_true=np.eye(2)[Y]),
    "evaluate: no rows": _evaluate(y_true=[], scores=[]),
    "evaluate: a posterior above 1": _evaluate(scores=[0.2, 1.7, 0.4, 0.9]),
    "evaluate: a posterior that is NaN": _evaluate(scores=[0.2, nan, 0.4, 0.9]),
    "evaluate: posteriors that do not sum to 1": _evaluate(scores=[[0.5, 0.4]] * 4),
    "evaluate: classes in another number": _evaluate(classes=["a", "b", "c"]),
    "evaluate: costs below 0": _evaluate(costs=[[0, -1], [1, 0]]),
    "evaluate: costs transposed": _evaluate(costs=[[0, 1], [1, 0], [0.1, 0.1]]),
    "evaluate: costs of a name": _evaluate(costs={"mis": 5, "false_alarm": 1}),
    "evaluate: priors above 1": _evaluate(priors=1.5),
    "evaluate: priors without training priors": _evaluate(priors=0.1),
    "evaluate: priors of another class": _evaluate(priors={0: 0.5, 7: 0.5}),
    "evaluate: level": _evaluate(level=95),
    "evaluate: folds": _evaluate(folds=1),
    "evaluate: a weight below 0": _evaluate(sample_weight=[1, 1, -1, 1]),
    "evaluate: weights all 0": _evaluate(sample_weight=[0, 0, 0, 0]),
    "evaluate: groups shorter": _evaluate(groups=["a", "b"]),
    "evaluate: one group": _evaluate(groups=["a"] * 4),
    "evaluate: slices shorter": _evaluate(slices={"site": ["x", "y"]}),
    "evaluate: a calibrator": _evaluate(calibrator="afine"),
    "evaluate: a rule": _evaluate(rules=["log"]),
    "evaluate: amounts of other rows": _evaluate(
        costs=stakes.SampleCosts.from_columns([[0, 3], ["a", 0]], {"a": [1.0, 2.0]})
    ),
    # several systems
    "compare: one system": _compare({"a": P}),
    "compare: a reference": _compare(reference="c"),
    "compare: lengths": _compare({"a": P, "b": P[:3]}),
    "compare: a score": _compare({"a": P, "b": [0.1, 0.2, 3, 0.4]}),
    "compare: margin": _compare(margin=-1),
    # summaries
    "Summary: no classes": stakes.Summary,
    "Summary: another class": _summary([0, 2], [0.1, 0.2]),
    "Summary: no weights": _summary(Y, P, told={"weighted": True}),
    "Summary: weights not told": _summary(Y, P, sample_weight=[1, 1, 1, 1]),
    "Summary: no groups": _summary(Y, P, told={"grouped": True}),
    "Summary: no slices": _summary(Y, P, told={"slices": ["site"]}),
    "Summary: no rows": lambda: stakes.Summary(classes=[0, 1]).evaluate(),
    "Summary: merged with another": _merged,
    "Summary: damaged bytes": lambda: stakes.Summary.from_bytes(b"stakes"),
    "Summary: training priors of the data": lambda: stakes.Summary(
        classes=[0, 1], priors=0.1, training_priors="data"
    ),
    # decisions, thresholds
    "expected_cost: a decision that costs nothing": lambda: stakes.expected_cost(
        ["a"], ["abstain"], classes=["a", "b"], costs=ZERO_ONE
    ),
    "confusion_matrix: lengths": lambda: stakes.confusion_matrix([0, 1], [0]),
    "evaluate_decisions: costs of other classes": lambda: stakes.evaluate_decisions(
        stakes.confusion_matrix([0, 1], [0, 1]), stakes.CostMatrix(ZERO_ONE, classes=["a", "b"])
    ),
    "evaluate_decisions: level": lambda: stakes.evaluate_decisions(
        stakes.confusion_matrix([0, 1], [0, 1]), level=2
    ),
    "choose_threshold: three classes": lambda: stakes.choose_threshold(
        [0, 1, 2], np.eye(3) * 0.7 + 0.1
    ),
    "choose_threshold: cap": lambda: stakes.choose_threshold(Y, P, review=3),
    "choose_threshold: a useless decision": lambda: stakes.choose_threshold(
        Y, P, costs=[[0, 0], [1, 1]]
    ),
    "decide: a score": lambda: stakes.decide([0.2, 1.2], ZERO_ONE),
    "CostMatrix: 1-D": lambda: stakes.CostMatrix([1, 5]),
    # single numbers
    "auc: one class": lambda: stakes.auc([1, 1], [0.1, 0.2]),
    "auc: three classes": lambda: stakes.auc([0, 1, 2], [0.1, 0.2, 0.3]),
    "cross_entropy: text": lambda: stakes.cross_entropy(Y, ["a", "b", "c", "d"]),
    "cllr: NaN": lambda: stakes.cllr(Y, [0.1, nan, 1, 2]),
    "detection_cost: a prior": lambda: stakes.detection_cost(Y, P, target_prior=2),
    "calibration_error: bins": lambda: stakes.calibration_error(Y, P, bins=0),
    "calibration_loss: few samples": lambda: stakes.calibration_loss(stakes.LogLoss(), Y, P),
    "estimate_priors: training priors": lambda: stakes.estimate_priors(P, [0.5, 0.6]),
    "calibrators: one class": lambda: stakes.AffineCalibrator().fit(P, [1, 1, 1, 1]),
    "calibrators: a name": lambda: read_calibrator("afine"),
    "explain: a word": lambda: stakes.explain("f11"),
    "calibrator_from_dict: no such": lambda: stakes.calibrator_from_dict({"calibrator": "none"}),
    "evaluate_model: not a classifier": lambda: stakes.evaluate_model(3, [[1.0]] * 4, Y),
    "evaluate_model: not fitted": lambda: stakes.evaluate_model(
        LogisticRegression(), [[1.0]] * 4, Y
    ),
    "estimate: no function": lambda: stakes.estimate(NO_METRIC, [[1.0], [2.0]]),
    # answers
    "read_answer_log: no file": lambda: stakes.read_answer_log("no-such-folder/log.json"),
    "Responses: neither right nor abstained": lambda: stakes.Responses([1, None]),
    "Responses: a confidence": lambda: stakes.Responses([1, 0], [0.9, 90]),
    "evaluate_responses: a target": lambda: stakes.evaluate_responses(R, 1),
    "evaluate_responses: percent": lambda: stakes.evaluate_responses(R, 75),
    "compare_responses: one system": lambda: stakes.compare_responses({"a": R}),
    "judge_report: lengths": lambda: stakes.judge_report([1, 0], [1], target=0.5),
    "judged_mean: a chance of 0": lambda: stakes.judged_mean([1, 0], [1, 1], inclusion=[0, 1]),
    "OptionScores: one option": lambda: stakes.OptionScores(
        [[0.1]], [0], kind=stakes.LogLikelihoods
    ),
    "OptionScores: no such option": lambda: stakes.OptionScores(
        [[0.1, 0.2]], [2], kind=stakes.LogLikelihoods
    ),
    "coverage_at_risk: risk": lambda: stakes.coverage_at_risk(R, 2),
}  # fmt: skip
SCORED = "id,y,p\n1,a,0.2\n2,b,0.7\n3,a,0.4\n"
GIVEN = ("t.csv", "--label", "y", "--scores", "p", "--scores-are", "posteriors")
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "evaluate, no file": (SCORED, ("evaluate", "u.csv", *GIVEN[1:])),
    "evaluate, no label": (SCORED, ("evaluate", "t.csv", *GIVEN[3:])),
    "evaluate, no column": (SCORED, ("evaluate", "t.csv", "--label", "yy", *GIVEN[3:])),
    "evaluate, kind of scores": (SCORED, ("evaluate", *GIVEN[:-1], "odds", "--positive", "b")),
    "evaluate, a score": (SCORED.replace("0.7", "7"), ("evaluate", *GIVEN, "--positive", "b")),
    "evaluate, a number": (SCORED.replace("0.7", "x"), ("evaluate", *GIVEN, "--positive", "b")),
    "evaluate, a line too short": (SCORED + "4,b\n", ("evaluate", *GIVEN, "--positive", "b")),
    "evaluate, costs": (SCORED, ("evaluate", *GIVEN, "--cost", "miss=5,alarm=1")),
    "evaluate, priors": (SCORED, ("evaluate", *GIVEN, "--positive", "b", "--prior", "0.1")),
    "evaluate, an option": (SCORED, ("evaluate", *GIVEN, "--costs", "miss=5")),
    "compare, one system": (SCORED, ("compare", "t.csv", "--label", "y", "--system", "a=p")),
    "check, no limit": (SCORED, ("check", *GIVEN, "--positive", "b")),
    "answers, nothing right": (TABLE, ("answers", "t.csv", "--confidence", "weight")),
    "explain, a word": (SCORED, ("explain", "f11")),
}  # fmt: skip


def refusals() -> dict[str, dict[str, Any]]:
    """Return what every refusal says: of calls, and of commands."""
    return {
        "calls": {name: refused(run) for name, run in CALLS.items()},
        "commands": {name: refused_command(*given) for name, given in COMMANDS.items()},
    }


def refused(run: Callable[[], object]) -> dict[str, Any]:
    """Return what an error says, and what it tells programs."""
    try:
        run()
    except stakes.StakesError as error:
        return {
            "error": type(error).__name__,
            "code": error.code,
            "argument": error.argument,
            "place": None if error.place is None else str(error.place),
            "text": str(error),
        }
    raise AssertionError("nothing was refused")


def refused_command(table: str, words: tuple[str, ...]) -> dict[str, Any]:
    """Return the exit code and the message of a command on a small table."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.csv").write_text(table, "utf-8")
        done = call(*words, cwd=Path(folder))
    text = done.stderr.replace(folder, "FOLDER")
    return {"exit code": done.returncode, "text": " ".join(text.split())}
