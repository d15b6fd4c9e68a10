"""Hard numerical cases with 30 digits, met at 4 units in the last place."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes

CASES = json.loads((Path(__file__).parent / "golden" / "references.json").read_text())["cases"]
ULPS = 4


def counted(given: dict[str, Any]) -> stakes.ConfusionMatrix:
    """Return the confusion matrix of a case, from counts or from samples."""
    if "cm" in given:
        return stakes.ConfusionMatrix.from_counts(given["cm"])
    return stakes.confusion_matrix(given["y"], given["d"], sample_weight=given.get("w"))


def cost(given: dict[str, Any], params: dict[str, Any]) -> stakes.ExpectedLoss:
    """Return the expected cost of a case."""
    return stakes.expected_cost(
        given["y"],
        given["d"],
        costs=params["cost"],
        priors=params.get("priors"),
        sample_weight=given.get("w"),
    )


def scores_of(given: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the scores of a case as what they are."""
    if "post" in given:
        return given["post"]
    if "post_uniform" in given:
        k = given["post_uniform"]
        return np.full((len(given["y"]), k), 1 / k)
    if "logpost" in given:  # rows of the cases need not be normalised
        return stakes.Logits(given["logpost"])
    if "llr" in given:
        return stakes.LogLikelihoodRatios(numbers(given["llr"]))
    return numbers(given["s2"]) if "s2" in given else numbers(given["s"])


def numbers(values: list[Any]) -> list[float]:
    """Return numbers, some of which JSON can only write as texts."""
    return [float(v) for v in values]


def loss(rule: stakes.ScoringRule, given: dict[str, Any], params: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the expected loss of a case."""
    return stakes.expected_loss(
        rule,
        given["y"],
        scores_of(given),
        priors=params.get("priors"),
        sample_weight=given.get("w"),
    )


def bayes(given: dict[str, Any], params: dict[str, Any]) -> stakes.ExpectedLoss:
    """Return the Bayes expected cost of a case."""
    return stakes.bayes_cost(
        given["y"],
        scores_of(given),
        costs=params["cost"],
        priors=params.get("priors"),
        sample_weight=given.get("w"),
    )


def roc(given: dict[str, Any]) -> stakes.RocCurve:
    """Return the ROC curve of a case."""
    return stakes.roc_curve(given["y"], scores_of(given), sample_weight=given.get("w"))


def pooled(given: dict[str, Any]) -> list[float]:
    """Return the isotonic fit of a case, sample by sample."""
    levels = roc(given).levels
    starts = levels.blocks()
    first, second = (np.add.reduceat(c, starts[:-1]) for c in (levels.first, levels.second))
    fit = np.repeat(second / (first + second), np.diff(starts))
    return [float(fit[i]) for i in np.searchsorted(levels.level, scores_of(given))]


# The one place that maps the neutral names of the cases to calls.
CALLS: dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]] = {
    "ec": lambda i, p: cost(i, p).value,
    "nec": lambda i, p: cost(i, p).normalized,
    "mcc": lambda i, _: counted(i).matthews().value,
    "fbeta": lambda i, p: counted(i).f_score(p["beta"]).value,
    "lrplus": lambda i, _: counted(i).positive_likelihood_ratio().value,
    "nb": lambda i, p: counted(i).net_benefit(p["p"]).value,
    "bayes_ec": lambda i, p: bayes(i, p).value,
    "bayes_nec": lambda i, p: bayes(i, p).normalized,
    "xe": lambda i, p: loss(stakes.LogLoss(), i, p).value,
    "nxe": lambda i, p: loss(stakes.LogLoss(), i, p).normalized,
    "brier": lambda i, p: loss(stakes.BrierLoss(), i, p).value,
    "nbrier": lambda i, p: loss(stakes.BrierLoss(), i, p).normalized,
    "ece": lambda i, p: stakes.calibration_error(i["y"], scores_of(i), p["M"]),
    "ecemc": lambda i, p: stakes.confidence_calibration_error(i["y"], scores_of(i), p["M"]),
    "auc": lambda i, _: roc(i).auc(),
    "eer": lambda i, _: roc(i).eer(),
    "pav": lambda i, _: pooled(i),
    "cllr": lambda i, _: stakes.cllr(i["y"], scores_of(i)).normalized,
    "mincllr": lambda i, _: stakes.minimum_cllr(i["y"], scores_of(i)),
}


def ulps_off(value: float, expected: str) -> float:
    """Return how many units in the last place a value lies from its 30-digit truth."""
    truth = Fraction(expected)
    if float(truth) == 0:  # the truth may lie below the least double
        return 0 if value == 0 else math.inf
    return float(abs(Fraction(value) - truth) / Fraction(math.ulp(float(truth))))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_reference_value(case: dict[str, Any]) -> None:
    value = CALLS[case["metric"]](case["input"], case["params"])
    if case["expected"] == "undefined":
        assert math.isnan(value)
        return
    expected = case["expected"]
    pairs = zip(value, expected, strict=True) if isinstance(expected, list) else [(value, expected)]
    for ours, truth in pairs:
        assert ulps_off(ours, truth) <= ULPS


def test_a_value_that_is_wrong_in_the_15th_digit_is_caught() -> None:
    assert ulps_off(0.7916666666666666, "0.791666666666666666666666666667") <= ULPS
    assert ulps_off(0.7916666666666606, "0.791666666666666666666666666667") > ULPS
