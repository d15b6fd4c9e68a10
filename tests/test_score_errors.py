"""One row per message about scores: what was handed over, and the words the error must hold."""

import decimal
import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import stakes
from stakes._check.frames import is_masked

nan, inf = math.nan, math.inf
GOOD = [[0.9, 0.1], [0.2, 0.8]]


def xe(y: Any, scores: Any, **more: Any) -> float:  # noqa: ANN401
    """Return the cross-entropy."""
    return stakes.cross_entropy(y, scores, **more).value


def auc(y: Any, scores: Any, **more: Any) -> float:  # noqa: ANN401
    """Return the area under the curve."""
    return stakes.roc_curve(y, scores, **more).auc()


MESSAGES: list[tuple[str, Callable[[], object], list[str]]] = [
    ("no samples", lambda: xe([], np.zeros((0, 2))), ["y_true", "empty"]),
    ("no scores", lambda: xe([0, 1], np.zeros((0, 2))), ["scores", "0 rows", "2 labels"]),
    ("weights", lambda: xe([0, 1], GOOD, sample_weight=[1, 2, 3]), ["weight", "3", "2"]),
    ("2-D weights", lambda: xe([0, 1], GOOD, sample_weight=[[1, 2], [3, 4]]), ["sample_weight", "1-D", "(2, 2)"]),
    ("a column of weights", lambda: xe([0, 1], GOOD, sample_weight=[[1], [3]]), ["sample_weight", "(2, 1)", "[:, 0]"]),
    ("2-D weights of a curve", lambda: auc([0, 1], [0.1, 0.2], sample_weight=np.ones((2, 1))), ["sample_weight", "(2, 1)"]),
    ("2-D weights of decisions", lambda: stakes.expected_cost([0, 1], [0, 1], sample_weight=np.ones((2, 1))), ["sample_weight", "(2, 1)"]),
    ("2-D weights of a card", lambda: stakes.scorecard(np.array([0, 1]), np.array(GOOD), sample_weight=np.ones((2, 1))), ["sample_weight", "(2, 1)"]),
    ("columns that are no classes", lambda: xe([0, 1], pd.DataFrame(GOOD, columns=["p0", "p1"])), ["'p0'", "columns of scores", "rename", "to_numpy()"]),
    ("columns that are no texts of classes", lambda: xe(["a", "b"], pd.DataFrame(GOOD, columns=["p_a", "p_b"])), ["'p_a'", "columns of scores", "rename"]),
    ("columns beside classes", lambda: xe([0, 1], pd.DataFrame(GOOD, columns=["p0", "p1"]), classes=[0, 1]), ["'p0'", "Rename", "to_numpy()"]),
    ("numbers as slices", lambda: stakes.evaluate([0, 1] * 150, GOOD * 150, slices=np.arange(300) / 7), ["slices", "got 300", "pandas.cut"]),
    ("a frame of slices with numbers", lambda: stakes.evaluate([0, 1] * 150, GOOD * 150, slices=pd.DataFrame({"site": ["a", "b"] * 150, "age": np.arange(300) / 7})), ["slices 'age'", "pandas.qcut"]),
    ("scores as decisions", lambda: stakes.expected_cost([0, 1], [0.2, 0.7]), ["y_pred", "0.2", "bayes_cost"]),
    ("1-D for three", lambda: xe([0, 1, 2], [0.1, 0.2, 0.3], classes=[0, 1, 2]), ["scores", "1-D", "3 classes"]),
    ("1-D for three labels", lambda: xe([0, 1, 2], [0.1, 0.2, 0.3]), ["scores", "1-D", "3 classes"]),
    ("3-D", lambda: xe([0, 1], np.ones((2, 2, 1)) / 2), ["scores", "3 dimensions"]),
    ("row vector", lambda: xe([0, 1], [[0.9, 0.1, 0.0, 0.0]]), ["scores", "rows"]),
    ("ragged", lambda: xe([0, 1], [[0.9, 0.1], [0.2, 0.3, 0.5]]), ["scores", "row 1", "ragged"]),
    ("scalar label", lambda: xe(0, [0.9, 0.1]), ["y_true"]),
    ("one-hot", lambda: xe([[1, 0], [0, 1]], GOOD), ["y_true", "2-D"]),
    ("fewer columns", lambda: xe([0, 1, 2], [*GOOD, [0.5, 0.5]]), ["2 columns", "class", "label 2"]),
    ("generator of labels", lambda: xe((i for i in [0, 1]), GOOD), ["y_true", "generator"]),
    ("generator of scores", lambda: xe([0, 1], (r for r in GOOD)), ["scores", "generator"]),
    ("NaN", lambda: xe([0, 1], [[0.9, 0.1], [nan, 0.8]]), ["scores", "row 1", "NaN"]),
    ("many NaN", lambda: xe([0] * 1000, np.full((1000, 2), nan)), ["1000 rows", "first", "row 0"]),
    ("below 0", lambda: xe([0, 1], [[1.1, -0.1], [0.2, 0.8]]), ["scores", "row 0", "outside [0, 1]"]),
    ("more than a few ulps above 1", lambda: xe([0, 1], [[1.000000000000002, 0.0], [0.2, 0.8]]), ["1.000000000000002", "outside [0, 1]"]),
    ("half", lambda: xe([0, 1], [[0.2, 0.3], [0.3, 0.4]]), ["row 0", "sum", "0.5", "renormalize=True"]),
    ("a millionth off", lambda: xe([0, 1], [[0.9, 0.100001], [0.2, 0.8]]), ["row 0", "1.000001"]),
    ("percent", lambda: xe([0, 1], [[90, 10], [20, 80]]), ["row 0", "100", "percent"]),
    ("texts", lambda: xe([0, 1], [["0.9", "0.1"], ["0.2", "0.8"]]), ["scores", "str"]),
    ("masked", lambda: xe([0, 1], np.ma.array(GOOD, mask=[[False, False], [True, True]])), ["masked"]),
    ("sparse", lambda: xe([0, 1], sparse.csr_matrix(GOOD)), ["sparse"]),
    ("dates", lambda: auc([0, 1], np.array(["2020", "2021"], dtype="M8[D]")), ["scores", "datetime64"]),
    ("impossible row", lambda: xe([0], stakes.Logits([[-inf, -inf]])), ["row 0", "-inf"]),
    ("impossible log posterior", lambda: xe([0], stakes.LogPosteriors([[-inf, -inf]])), ["row 0", "-inf"]),
    ("infinite log posterior", lambda: xe([0], stakes.LogPosteriors([[inf, 0.0]])), ["row 0", "inf"]),
    ("positive log posterior", lambda: stakes.LogPosteriors([[0.1, -3]]), ["row 0", "0.1", "Logits"]),
    ("log posteriors off", lambda: stakes.LogPosteriors([[-1.0, -1.0]]), ["row 0", "sum", "Logits"]),
    ("infinite logit", lambda: xe([0], stakes.Logits([[inf, 0.0]])), ["row 0", "inf"]),
    ("NaN ratio", lambda: stakes.cllr([0, 1], [nan, 0.0]), ["llr", "row 0", "NaN"]),
    ("ratios of three", lambda: stakes.cllr([0, 1, 2], [0.0, 1.0, 2.0]), ["3 classes", "binary"]),
    ("table of ratios", lambda: stakes.LogLikelihoodRatios(GOOD), ["one column", "LogLikelihoods"]),
    ("other scores as ratios", lambda: stakes.cllr([0, 1], stakes.Posteriors(GOOD)), ["llr", "Posteriors"]),
    ("negative ratio", lambda: stakes.LogLikelihoodRatios.from_ratio([1, -2]), ["-2", "row 1"]),
    ("column of likelihoods", lambda: stakes.LogLikelihoods([1, 2]), ["LogLikelihoodRatios"]),
    ("ratios without priors", lambda: xe([0, 1], stakes.LogLikelihoodRatios([-1.0, 1.0])), ["priors", '"data"']),
    ("likelihoods without priors", lambda: stakes.LogLikelihoods(GOOD).log_posteriors(), ["priors"]),
    ("decisions without priors", lambda: stakes.CostMatrix.zero_one(2).bayes_decisions(stakes.LogLikelihoodRatios([1.0])), ["priors"]),
    ("certain of the impossible", lambda: stakes.LogLikelihoodRatios([inf]).log_posteriors([1, 0]), ["priors", "row 0", "inf"]),
    ("likelihood of the impossible", lambda: stakes.LogLikelihoods([[-inf, 0.0]]).log_posteriors([1, 0]), ["priors", "row 0"]),
    ("texts without classes", lambda: xe(["dog", "cat"], [[1, 0], [0, 1]]), ["classes", "string labels"]),
    ("one-based", lambda: xe([1, 2], GOOD), ["label 2", "0..1", "1-based"]),
    ("negative label", lambda: xe([-1, 0], GOOD), ["-1"]),
    ("missing label", lambda: xe([0, None], GOOD), ["y_true", "row 1", "missing"]),
    ("text for number", lambda: xe(["0", "1"], GOOD, classes=[0, 1]), ["'0'", "str", "int"]),
    ("bytes", lambda: xe([b"a", b"b"], GOOD, classes=["a", "b"]), ["bytes"]),
    ("whitespace", lambda: xe(["cat ", "dog"], GOOD, classes=["cat", "dog"]), ["'cat '", "whitespace"]),
    ("duplicate classes", lambda: xe(["a"], [[0.5, 0.5]], classes=["a", "a"]), ["duplicate", "a"]),
    ("too many classes", lambda: xe([0], [[0.5, 0.5]], classes=[0, 1, 2]), ["3", "2 columns"]),
    ("frame of other classes", lambda: xe(["a", "b"], pl.DataFrame({"a": [1.0, 0.0], "c": [0.0, 1.0]}), classes=["a", "b"]), ["columns", "'b'", "'c'"]),
    ("frame with a gap", lambda: xe(["a", "b"], pl.DataFrame({"a": [1.0, None], "b": [0.0, 1.0]})), ["row 1", "'a'"]),
    ("class without samples", lambda: xe([0, 0], GOOD, priors=[0.5, 0.5]), ["class 1", "prior 0.5", "no samples"]),
    ("priors of the text", lambda: xe([0, 1], GOOD, priors=[0.5, 0.6]), ["priors", "1.1"]),
    ("bins", lambda: stakes.calibration_error([0, 1], [0.2, 0.8], bins=2.5), ["bins", "2.5"]),
    ("no bins", lambda: stakes.calibration_error([0, 1], [0.2, 0.8], bins=0), ["bins", "0"]),
    ("bins of three classes", lambda: stakes.calibration_error([0], [[0.2, 0.3, 0.5]]), ["two classes", "confidence_calibration_error"]),
    ("NaN rank", lambda: auc([0, 1, 1], [0.1, nan, 0.9]), ["scores", "row 1", "NaN"]),
    ("ranks of three classes", lambda: auc([0, 1, 2], [0.1, 0.2, 0.9]), ["3 classes", "class_detectors"]),
    ("columns of three classes", lambda: auc([0, 1, 2], [[0.1, 0.2, 0.7]] * 3), ["3 columns", "class_detectors"]),
    ("ranks of one class", lambda: auc([1, 1], [0.1, 0.2]), ["both classes", "class 0"]),
    ("positive", lambda: auc([0, 1], [0.1, 0.2], positive=7), ["positive", "7"]),
    ("sensitivity", lambda: stakes.roc_curve([0, 1], [0, 1]).specificity_at(1.5), ["sensitivity", "1.5"]),
    ("three decisions", lambda: stakes.roc_curve([0, 1], [0, 1]).minimum_cost([[0, 1, 0.1], [1, 0, 0.1]]), ["two decisions"]),
    ("threshold range", lambda: stakes.ThresholdRange(0.5, 0.5), ["high", "0.5"]),
    ("threshold range of three", lambda: stakes.expected_loss(stakes.ThresholdRange(), [0], [[0.2, 0.3, 0.5]]), ["two classes", "3"]),
    ("no decisions", lambda: stakes.ScoringRule.from_cost(lambda *_: 0.0, []), ["decisions"]),
    ("costs of other classes", lambda: stakes.bayes_cost([0, 1], GOOD, costs=stakes.CostMatrix.zero_one(3)), ["3", "2 columns"]),
    ("costs and columns", lambda: stakes.CostMatrix.zero_one(3).bayes_decisions(GOOD), ["2 columns"]),
    ("target prior", lambda: stakes.detection_cost([0, 1], [0.0, 1.0], target_prior=1), ["target_prior", "1"]),
    ("per-sample shape", lambda: stakes.SampleCosts([[0, 1], [1, 0]]), ["costs", "(2, 2)"]),
    ("per-sample negative", lambda: stakes.SampleCosts([[[0, -1], [1, 0]]]), ["-1", "row 0", "(0, 1)"]),
    ("per-sample column", lambda: stakes.SampleCosts.from_columns([[0, "x"], [1, 0]], {"amount": [1.0]}), ["'x'", "'amount'"]),
    ("per-sample lengths", lambda: stakes.SampleCosts.from_columns([[0, "x"], ["y", 0]], {"x": [1.0], "y": [1.0, 2.0]}), ["[1, 2]"]),
    ("per-sample numbers", lambda: stakes.SampleCosts.from_columns([[0, 1], [1, 0]], {}), ["CostMatrix"]),
    ("per-sample rows", lambda: stakes.SampleCosts([[[0, 1], [1, 0]]]).bayes_decisions(GOOD), ["1 rows", "2 rows"]),
    ("per-sample labels", lambda: stakes.expected_cost([0, 1], [0, 1], costs=stakes.SampleCosts([[[0, 1], [1, 0]]])), ["costs must be of the same samples", "1 for 2"]),
    ("renormalized", lambda: stakes.Posteriors([[0, 0]], renormalize=True), ["above 0"]),
    ("prior shift", lambda: stakes.Posteriors(GOOD).at_priors([1, 0], [0.5, 0.5]), ["training", "above 0"]),
    ("simulation", lambda: stakes.simulation.simulate(3, n=9).log_likelihood_ratios(), ["two classes", "3"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"), [pytest.param(call, words, id=name) for name, call, words in MESSAGES]
)
def test_message(call: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    message = str(caught.value)
    assert [w for w in words if w.lower() not in message.lower()] == [], message
    assert len(message) < 400


D = decimal.Decimal
XE = 0.16425203348601802
VALUES: list[tuple[str, Callable[[], float], float]] = [
    ("column of labels", lambda: xe([[0], [1]], GOOD), XE),
    ("one sample", lambda: xe([1], [[0.25, 0.75]]), 0.2876820724517809),
    ("column vector", lambda: stakes.brier_score([0, 1], [[0.1], [0.8]], classes=[0, 1]).value, 0.025),
    ("whole numbers", lambda: xe([0, 1], [[1, 0], [0, 1]]), 0.0),
    ("truth values", lambda: stakes.brier_score([0, 1], [[True, False], [False, True]]).value, 0.0),
    ("objects", lambda: xe([0, 1], np.array(GOOD, dtype=object)), XE),
    ("decimals", lambda: xe([0, 1], [[D("0.9"), D("0.1")], [D("0.2"), D("0.8")]]), XE),
    ("columns of a frame", lambda: xe(["dog", "cat"], pd.DataFrame([[1, 0], [0, 1]], columns=["dog", "cat"]), classes=["cat", "dog"]), 0.0),
    ("columns of a polars frame", lambda: xe(["dog", "cat"], pl.DataFrame({"dog": [1.0, 0.0], "cat": [0.0, 1.0]})), 0.0),
    ("numbers as column names", lambda: xe([0, 1], pd.DataFrame(GOOD)), XE),
    ("Int64 labels", lambda: xe(pd.array([0, 1], dtype="Int64"), GOOD), XE),
    ("truth labels", lambda: xe([False, True], [0.1, 0.8]), XE),
    ("zero weight of an infinite loss", lambda: xe([0, 1], [[1, 0], [1, 0]], sample_weight=[1, 0]), 0.0),
    ("logits within [0, 1]", lambda: xe([0, 1], stakes.Logits([[0.2, 0.3], [0.9, 0.4]])), 0.8592368221268389),
    ("certain log posteriors", lambda: xe([0, 1], stakes.LogPosteriors([[0.0, -inf], [-inf, 0.0]])), 0.0),
    ("infinite ratios", lambda: stakes.cllr([0, 1], [-inf, inf]).value, 0.0),
    ("a wrong infinite ratio", lambda: stakes.cllr([0, 1], [inf, 0.0]).value, inf),
    ("data priors for ratios", lambda: xe([0, 1], stakes.LogLikelihoodRatios([0.0, 0.0]), priors="data"), math.log(2)),
    ("thirds", lambda: stakes.cross_entropy([0, 1, 2], np.full((3, 3), 1 / 3), priors=[1 / 3] * 3).normalized, 1.0),
    ("fortran order", lambda: xe(np.arange(4)[::2] // 2, np.asfortranarray(GOOD)), XE),
    ("big-endian", lambda: xe([0, 1], np.array(GOOD, dtype=">f8")), XE),
    ("constant scores", lambda: auc([0, 1, 0], [0.3, 0.3, 0.3]), 0.5),
    ("two zeros", lambda: auc([0, 1], [-0.0, 0.0]), 0.5),
    ("infinite scores", lambda: auc([0, 1, 1], [-inf, 0.3, inf]), 1.0),
    ("texts for two classes", lambda: auc(["no", "yes"], [0.1, 0.2], classes=["no", "yes"]), 1.0),
    ("the other class", lambda: auc(["no", "yes"], [0.2, 0.1], positive="no"), 1.0),
    ("two columns", lambda: auc([0, 1], [[0.9, 0.1], [0.2, 0.8]]), 1.0),
    ("typed ranks", lambda: auc([0, 1], stakes.Logits([[0.0, 1.0], [0.0, 2.0]])), 1.0),
    ("certain typed ranks", lambda: auc([0, 1], stakes.LogPosteriors([[0.0, -inf], [-inf, 0.0]])), 1.0),
    ("tied minimum", lambda: stakes.roc_curve([0, 0, 0, 1], [0.5] * 4).minimum_cost([[0, 1], [5, 0]]).value, 0.75),
    ("both ends in bins", lambda: float(stakes.calibration_error([0, 1], [0.0, 1.0], bins=15)), 0.0),
    ("one class", lambda: stakes.brier_score([1], [[0.6, 0.4]]).value, 0.36),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "value"), [pytest.param(*rest, id=name) for name, *rest in VALUES]
)
def test_odd_but_good_input(call: Callable[[], float], value: float) -> None:
    assert call() == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(("kind", "value"), [(np.float32, 0.16425204), (np.float16, 0.16442838)])
def test_narrow_floats_are_read_and_computed_in_double(kind: type, value: float) -> None:
    assert xe([0, 1], np.array(GOOD, dtype=kind)) == pytest.approx(value, abs=1e-7)


def test_one_class_has_no_normalised_value() -> None:
    loss = stakes.cross_entropy([0, 0], [[0.9, 0.1], [0.6, 0.4]])
    assert math.isnan(loss.normalized)
    assert loss.undefined is not None
    assert "prior" in loss.undefined.text


def test_kinds_of_score_show_themselves() -> None:
    assert repr(stakes.Logits([[0, 1, 2]])) == "Logits(1 samples, 3 classes)"
    assert "AUC 1" in repr(stakes.roc_curve([0, 1], [0, 1]))


def test_a_module_that_another_thread_imports_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy.ma", ModuleType("numpy.ma"))
    assert not is_masked(np.array([1.0]))
