"""Hard numerical cases with 30 digits, met at 4 units in the last place."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

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


# The one place that maps the neutral names of the cases to calls.
CALLS: dict[str, Callable[[dict[str, Any], dict[str, Any]], float]] = {
    "ec": lambda i, p: cost(i, p).value,
    "nec": lambda i, p: cost(i, p).normalized,
    "mcc": lambda i, _: counted(i).matthews().value,
    "fbeta": lambda i, p: counted(i).f_score(p["beta"]).value,
    "lrplus": lambda i, _: counted(i).positive_likelihood_ratio().value,
    "nb": lambda i, p: counted(i).net_benefit(p["p"]).value,
}


def ulps_off(value: float, expected: str) -> float:
    """Return how many units in the last place a value lies from its 30-digit truth."""
    truth = Fraction(expected)
    return float(abs(Fraction(value) - truth) / Fraction(math.ulp(float(truth))))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_reference_value(case: dict[str, Any]) -> None:
    value = CALLS[case["metric"]](case["input"], case["params"])
    if case["expected"] == "undefined":
        assert math.isnan(value)
    else:
        assert ulps_off(value, case["expected"]) <= ULPS


def test_a_value_that_is_wrong_in_the_15th_digit_is_caught() -> None:
    assert ulps_off(0.7916666666666666, "0.791666666666666666666666666667") <= ULPS
    assert ulps_off(0.7916666666666606, "0.791666666666666666666666666667") > ULPS
