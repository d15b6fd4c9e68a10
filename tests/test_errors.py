"""One row per message: what was handed over, and the words the error must hold."""

import decimal
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stakes
from stakes import metrics

nan, inf = math.nan, math.inf
ZERO_ONE = [[0, 1], [1, 0]]
EXPLAIN: Any = stakes.explain


def ec(y: Any, d: Any, **more: Any) -> float:  # noqa: ANN401
    """Return the expected cost, with the short names of the cases."""
    names = {"cost": "costs", "w": "sample_weight"}
    return stakes.expected_cost(y, d, **{names.get(k, k): v for k, v in more.items()}).value


def cm(**more: Any) -> stakes.ConfusionMatrix:  # noqa: ANN401
    """Return a small confusion matrix."""
    return stakes.confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1], **more)


def told(classes: Any = None, **more: Any) -> stakes.Summary:  # noqa: ANN401
    """Return a summary of no samples."""
    return stakes.Summary(classes=classes, **more)


def updated(summary: stakes.Summary, *batches: Any) -> stakes.Summary:  # noqa: ANN401
    """Return a summary after batches of two samples."""
    for scores in batches:
        summary.update([0, 1], scores)
    return summary


def mean(human: Any, judge: Any = (1, 0, 1), **more: Any) -> float:  # noqa: ANN401
    """Return a mean of three rows."""
    return stakes.judged_mean(human, judge, **more).value


def report(human: Any, judge: Any = (1, 0, 1), **more: Any) -> object:  # noqa: ANN401
    """Return a report on three answers."""
    return stakes.judge_report(human, judge, **{"target": 0.5, **more})


MESSAGES: list[tuple[str, Callable[[], object], list[str]]] = [
    # labels of a judge and of people
    ("human text", lambda: mean("abc"), ["human", "1-D", "'abc'"]),
    ("human words", lambda: mean(["yes", None, "no"]), ["human", "numbers", "'yes'", "row 0"]),
    ("human table", lambda: mean([[1, 0], [0, 1], [1, 1]]), ["human", "1-D", "(3, 2)"]),
    ("human empty", lambda: mean([], []), ["human", "at least one", "empty"]),
    ("human infinite", lambda: mean([1, inf, None]), ["human", "finite", "inf", "row 1"]),
    ("human masked", lambda: mean(np.ma.array([0, 1, 1], mask=[0, 1, 0])), ["human", "masked"]),
    (
        "judge shorter",
        lambda: mean([1, 0, None], [1, 0]),
        ["judge", "one value per row", "2 for 3"],
    ),
    (
        "judge missing",
        lambda: mean([1, 0, None], [1, 0, nan]),
        ["judge", "missing", "row 2", "all rows"],
    ),
    ("groups shorter", lambda: mean([1, 0, 1], groups=[1, 2]), ["groups", "2 for 3 rows"]),
    (
        "weights of a judge",
        lambda: mean([1, 0, 1], sample_weight=[1, -1, 1]),
        ["sample_weight", "-1", "row 1"],
    ),
    (
        "chance of 0",
        lambda: mean([1, 0, None], inclusion=[0.5, 0, 1]),
        ["inclusion", "above 0", "row 1"],
    ),
    (
        "chance above 1",
        lambda: mean([1, 0, None], inclusion=[0.5, 2, 1]),
        ["inclusion", "between 0 and 1", "2", "row 1"],
    ),
    (
        "chance missing",
        lambda: mean([1, 0, None], inclusion=[0.5, nan, 1]),
        ["inclusion", "missing", "row 1"],
    ),
    (
        "bounds turned",
        lambda: mean([1, 0, None], bounds=(1, 0)),
        ["bounds", "lower one first", "(1, 0)"],
    ),
    ("bounds of one", lambda: mean([1, 0, None], bounds=3), ["bounds", "two numbers", "3"]),
    (
        "outside of bounds",
        lambda: mean([1, 5, None], bounds=(0, 4)),
        ["human", "between 0 and 4", "5", "row 1"],
    ),
    ("tuning above 1", lambda: mean([1, 0, None], tuning=1.5), ["tuning", "[0, 1]", "1.5"]),
    ("level of a judge", lambda: mean([1, 0, None], level=95), ["level", "95"]),
    (
        "right by half",
        lambda: report([1, 0.5, None]),
        ["human", "1 for right, 0 for wrong", "0.5", "row 1"],
    ),
    (
        "judge in percent",
        lambda: report([1, 0, None], [90, 10, 80]),
        ["judge", "between 0 and 1", "90", "row 0", "probability"],
    ),
    (
        "abstained by word",
        lambda: report([1, 0, 1], abstained=[0, 2, 1]),
        ["abstained", "true or false", "2", "row 1"],
    ),
    (
        "abstained missing",
        lambda: report([1, 0, 1], abstained=[False, None, True]),
        ["abstained", "missing", "row 1"],
    ),
    ("target of 1", lambda: report([1, 0, 1], target=1), ["target", "[0, 1)", "1"]),
    # labels
    ("empty", lambda: ec([], []), ["y_true", "empty"]),
    ("lengths", lambda: ec([0, 1], [0]), ["y_true", "y_pred", "2", "1"]),
    ("lengths with costs", lambda: ec([0, 1], [0], cost=ZERO_ONE), ["y_true", "2", "1"]),
    ("scalar", lambda: ec(0, [0]), ["y_true", "1-D"]),
    ("text", lambda: ec("abc", ["a"]), ["y_true", "1-D"]),
    ("generator", lambda: ec((i for i in [0, 1]), [0, 1]), ["y_true", "generator", "list("]),
    ("one-hot", lambda: ec([[1, 0], [0, 1]], [0, 1]), ["y_true", "2-D", "one-hot"]),
    ("three axes", lambda: ec(np.zeros((2, 2, 2)), [0, 1]), ["y_true", "3-D"]),
    ("masked", lambda: ec(np.ma.array([0, 1], mask=[0, 1]), [0, 1]), ["y_true", "masked"]),
    ("none", lambda: ec([0, None], [0, 1]), ["y_true", "row 1", "missing"]),
    ("NaN label", lambda: ec([0.0, nan], [0, 1]), ["y_true", "row 1", "missing"]),
    ("pandas NA", lambda: ec(pd.array([0, None], dtype="Int64"), [0, 1]), ["y_true", "row 1"]),
    ("polars null", lambda: ec(pl.Series(["a", None]), ["a", "a"]), ["y_true", "row 1", "null"]),
    ("fraction", lambda: ec([0.5, 1.0], [0, 1]), ["y_true", "0.5", "row 0", "scores"]),
    ("bytes", lambda: ec([b"a"], ["a"], classes=["a", "b"]), ["y_true", "bytes"]),
    ("bytes array", lambda: ec(np.array([b"a"]), ["a"]), ["y_true", "bytes"]),
    ("mixed", lambda: ec([0, "a"], [0, 1]), ["y_true", "int", "str"]),
    ("decimal", lambda: ec([decimal.Decimal(1)], [1]), ["y_true", "Decimal"]),
    ("dates", lambda: ec(np.array(["2020"], "M8[D]"), [1]), ["y_true", "datetime64"]),
    (
        "pandas dates",
        lambda: ec(pd.Series(pd.to_datetime(["2020-01-01"])), [1]),
        ["y_true", "timestamp"],
    ),
    ("too large", lambda: ec(np.array([2**63], dtype=np.uint64), [1]), ["y_true", "2**63"]),
    ("too large in a list", lambda: ec([2**70], [1]), ["y_true", "2**63"]),
    ("kinds differ", lambda: ec(["a"], [1]), ["y_true", "y_pred", "str", "int"]),
    (
        "text for number",
        lambda: ec(["0", "1"], ["0", "1"], classes=[0, 1]),
        ["y_true", "'0'", "str", "int"],
    ),
    (
        "texts and unnamed costs",
        lambda: ec(["a", "b"], ["a", "b"], cost=ZERO_ONE),
        ["y_true", "'a'", "classes=[...]"],
    ),
    (
        "one-based",
        lambda: ec([1, 2], [1, 2], cost=ZERO_ONE),
        ["y_true", "label 2", "0..1", "1-based", "classes=[1, 2]"],
    ),
    ("negative", lambda: ec([-1, 1], [0, 1], cost=ZERO_ONE), ["y_true", "-1", "row 0"]),
    (
        "whitespace",
        lambda: ec(["cat ", "dog"], ["cat", "dog"], classes=["cat", "dog"]),
        ["y_true", "'cat '", "whitespace", "row 0"],
    ),
    (
        "case",
        lambda: ec(["Cat", "dog"], ["cat", "dog"], classes=["cat", "dog"]),
        ["y_true", "Cat", "case"],
    ),
    (
        "unicode",
        lambda: ec(["e\u0301", "b"], ["b", "b"], classes=["\u00e9", "b"]),
        ["y_true", "normalis"],
    ),
    (
        "undeclared decision",
        lambda: ec(["a"], ["abstain"], classes=["a", "b"], cost=ZERO_ONE),
        ["y_pred", "abstain", "decisions", "row 0"],
    ),
    # names
    ("duplicate", lambda: ec(["a"], ["a"], classes=["a", "a"]), ["classes", "duplicate", "a"]),
    ("empty name", lambda: ec(["b"], ["b"], classes=["", "b"]), ["empty class name"]),
    ("names as text", lambda: ec(["a"], ["a"], classes="ab"), ["classes", "'ab'"]),
    ("no classes", lambda: stakes.CostMatrix.zero_one(0), ["classes", "0"]),
    (
        "other classes",
        lambda: ec([0], [0], cost=stakes.CostMatrix(ZERO_ONE), classes=[1, 2]),
        ["classes", "(0, 1)", "[1, 2]"],
    ),
    # weights
    ("weight NaN", lambda: ec([0, 1], [0, 1], w=[1, nan]), ["weight", "row 1", "NaN"]),
    ("weight below 0", lambda: ec([0, 1], [0, 1], w=[1, -2]), ["weight", "row 1", "-2"]),
    ("weight inf", lambda: ec([0, 1], [0, 1], w=[inf, 1]), ["weight", "row 0", "inf"]),
    ("weight scalar", lambda: ec([0, 1], [0, 1], w=2), ["weight", "1-D"]),
    ("weight texts", lambda: ec([0, 1], [0, 1], w=["1", "2"]), ["weight", "str"]),
    ("weight length", lambda: ec([0, 1], [0, 1], w=[1, 2, 3]), ["weight", "3", "2"]),
    ("weight none", lambda: ec([0, 1], [0, 1], w=[1, None]), ["weight", "None", "row 1"]),
    ("weights all 0", lambda: ec([0, 1], [0, 1], w=[0, 0]), ["weight", "all 2 weights are 0"]),
    ("ragged", lambda: ec([0, 1], [0, 1], w=[[1], [1, 2]]), ["weight", "ragged"]),
    # costs
    (
        "cost below 0",
        lambda: ec([0], [0], cost=[[0, -1], [1, 0]]),
        ["cost", "(0, 1)", "-1", "utilities"],
    ),
    ("cost NaN", lambda: ec([0], [0], cost=[[0, nan], [1, 0]]), ["cost", "(0, 1)", "NaN"]),
    ("cost inf", lambda: ec([0], [0], cost=[[0, inf], [1, 0]]), ["cost", "(0, 1)", "inf"]),
    (
        "transposed",
        lambda: ec([0, 1], [0, 2], cost=[[0, 1], [1, 0], [0.1, 0.1]]),
        ["cost", "3 rows", "2 classes", "columns are decisions", "transposed"],
    ),
    ("cost 1-D", lambda: ec([0, 1], [0, 1], cost=[1, 5]), ["cost", "2-D"]),
    ("cost text", lambda: ec([0, 1], [0, 1], cost="0,1;5,0"), ["cost", "str"]),
    (
        "rows and classes",
        lambda: stakes.CostMatrix(ZERO_ONE, classes=["a", "b", "c"]),
        ["cost", "2 rows", "3 classes", "columns are decisions"],
    ),
    (
        "columns and decisions",
        lambda: stakes.CostMatrix(ZERO_ONE, decisions=["a", "b", "c"]),
        ["cost", "2 columns", "3 decisions"],
    ),
    (
        "unnamed decisions",
        lambda: stakes.CostMatrix([[0, 1, 2], [1, 0, 2]], classes=["a", "b"]),
        ["decisions", "3 columns", "decisions=[...]"],
    ),
    (
        "frame with other names",
        lambda: stakes.CostMatrix(
            pd.DataFrame(ZERO_ONE, index=["a", "b"], columns=["a", "b"]), classes=["a", "c"]
        ),
        ["classes", "'c'", "'b'"],
    ),
    (
        "costs of other classes",
        lambda: cm().expected_cost(stakes.CostMatrix(ZERO_ONE, classes=["a", "b"])),
        ["costs", "classes", "'a'"],
    ),
    ("abstain below 0", lambda: stakes.CostMatrix.zero_one(2, abstain=-1), ["abstain", "-1"]),
    (
        "abstain is a class",
        lambda: stakes.CostMatrix.zero_one(["abstain", "b"], abstain=1),
        ["abstain"],
    ),
    ("binary costs", lambda: stakes.CostMatrix.binary(miss=-1, false_alarm=1), ["cost", "-1"]),
    ("utilities", lambda: stakes.CostMatrix.from_utilities([[1, nan]]), ["values", "finite"]),
    ("threshold of three", lambda: stakes.CostMatrix.zero_one(3).threshold(), ["(3, 3)", "two"]),
    (
        "threshold with a diagonal",
        lambda: stakes.CostMatrix([[1, 2], [3, 0]]).threshold(),
        ["right answers", "1.0", "regret()"],
    ),
    ("threshold of nothing", lambda: stakes.CostMatrix([[0, 0], [0, 0]]).threshold(), ["0 only"]),
    ("odds of nothing", lambda: stakes.CostMatrix([[0, 0], [1, 0]]).odds([1, 0]), ["odds", "0"]),
    ("cost priors", lambda: stakes.CostMatrix(ZERO_ONE).naive("data"), ["priors", "'data'"]),
    ("balanced", lambda: stakes.CostMatrix.balanced(2, [1, 0]), ["priors", "class 1"]),
    # priors
    ("prior sum", lambda: ec([0, 1], [0, 1], priors=[0.5, 0.6]), ["priors", "1.1"]),
    ("prior counts", lambda: ec([0, 1], [0, 1], priors=[900, 100]), ["priors", "1000", "counts"]),
    ("prior NaN", lambda: ec([0, 1], [0, 1], priors=[nan, 1]), ["priors", "NaN", "class 0"]),
    ("prior below 0", lambda: ec([0, 1], [0, 1], priors=[-0.5, 1.5]), ["priors", "-0.5"]),
    (
        "one prior",
        lambda: ec([0, 1, 2], [0, 1, 2], priors=0.1),
        ["priors", "0.1", "3 classes", "each"],
    ),
    ("prior percent", lambda: ec([0, 1], [0, 1], priors=5), ["priors", "got 5", "0.05"]),
    ("prior text", lambda: ec([0, 1], [0, 1], priors="train"), ["priors", "'train'", '"data"']),
    ("prior name", lambda: ec([0, 1], [0, 1], priors={0: 0.5, 2: 0.5}), ["priors", "unknown 2"]),
    ("prior lacks", lambda: ec([0, 1], [0, 1], priors={0: 1}), ["priors", "none for 1"]),
    (
        "prior without samples",
        lambda: ec([0, 0], [0, 1], cost=ZERO_ONE, priors=[0.5, 0.5]),
        ["class 1", "prior 0.5", "no samples"],
    ),
    # metrics
    ("beta", lambda: cm().f_score(-1), ["beta", "-1"]),
    ("beta NaN", lambda: cm().f_score(nan), ["beta", "nan"]),
    ("threshold 1", lambda: cm().net_benefit(1.0), ["threshold", "1.0"]),
    ("level", lambda: cm().expected_cost().interval(95), ["level", "95"]),
    ("positive", lambda: cm().f_score(positive=7), ["positive", "7", "0, 1"]),
    (
        "three classes",
        lambda: stakes.confusion_matrix([0, 1, 2], [0, 1, 2]).f_score(),
        ["F1 score", "two classes", "positive="],
    ),
    (
        "abstentions",
        lambda: stakes.confusion_matrix([0, 1], [0, 2], classes=2, decisions=3).error_rate(),
        ["error rate", "decisions", "expected_cost"],
    ),
    (
        "no costs for abstentions",
        lambda: stakes.confusion_matrix([0, 1], [0, 2], classes=2, decisions=3).expected_cost(),
        ["expected_cost", "decisions"],
    ),
    (
        "balanced without a class",
        lambda: stakes.confusion_matrix([1, 1], [1, 2], classes=[1, 2]).balanced_error_rate(),
        ["balanced error rate", "class 2"],
    ),
    ("explain", lambda: stakes.explain("f7"), ["metric", "'f7'", "'mcc'"]),
    ("explain a number", lambda: EXPLAIN(3, cm()), ["metric", "3"]),
    ("explain a table", lambda: EXPLAIN("f1", [[1, 2], [3, 4]]), ["confusion", "list"]),
    (
        "one class",
        lambda: stakes.confusion_matrix([1, 1], [1, 1]).f_score(positive=1),
        ["two classes"],
    ),
    (
        "numbered classes and a third decision",
        lambda: ec([1, 2], [1, 2], cost=[[0, 1, 0.1], [1, 0, 0.1]], classes=[1, 2]),
        ["decisions=[...]", "3 columns"],
    ),
    ("ragged labels", lambda: ec([[0], [1, 2]], [0, 1]), ["labels", "lengths"]),
    ("empty text", lambda: ec(["a", ""], ["a", "a"]), ["y_true", "row 1", "empty"]),
    (
        "infinite label",
        lambda: ec(np.array([inf, 1], np.float16), [0, 1]),
        ["y_true", "inf", "row 0"],
    ),
    ("surrogate", lambda: ec(["a"], ["a"], classes=["a", "\ud800"]), ["classes", "UTF-8"]),
    ("weight too large", lambda: ec([0, 1], [0, 1], w=[1, 10**400]), ["weight", "double"]),
    (
        "complex weight",
        lambda: ec([0, 1], [0, 1], w=np.array([1, 2j], dtype=object)),
        ["weight", "complex"],
    ),
    (
        "series of other names",
        lambda: ec(["a", "b"], ["a", "b"], priors=pd.Series({"a": 0.5, "c": 0.5})),
        ["priors", "'c'"],
    ),
    (
        "masked utilities",
        lambda: stakes.CostMatrix.from_utilities(np.ma.array([[1, 2]], mask=[[0, 1]])),
        ["masked"],
    ),
    ("huge utilities", lambda: stakes.CostMatrix.from_utilities([[1e308, -1e308]]), ["finite"]),
    ("level near 1", lambda: cm().expected_cost().interval(0.9999999999999999), ["level"]),
    (
        "sum with a number",
        lambda: stakes.ConfusionMatrix.from_counts([[1, 2]], classes=["a"]),
        ["decisions=[...]"],
    ),
    # counts
    ("counts 1-D", lambda: stakes.ConfusionMatrix.from_counts([1, 2]), ["counts", "2-D"]),
    (
        "counts below 0",
        lambda: stakes.ConfusionMatrix.from_counts([[1, -2]]),
        ["counts", "-2", "(0, 1)"],
    ),
    ("counts NaN", lambda: stakes.ConfusionMatrix.from_counts([[1, nan]]), ["counts", "(0, 1)"]),
    ("counts of nothing", lambda: stakes.ConfusionMatrix.from_counts([[0, 0]]), ["counts", "0"]),
    (
        "counts and names",
        lambda: stakes.ConfusionMatrix.from_counts(ZERO_ONE, classes=["a"]),
        ["2 columns", "'a'"],
    ),
    ("sum of unlike", lambda: cm() + cm(classes=[1, 0]), ["classes", "0, 1", "1, 0"]),
    # summaries
    ("no classes", told, ["classes", "classes=[0, 1]"]),
    ("one class", lambda: told(["a"]), ["classes", "two", "'a'"]),
    ("too many classes", lambda: told(10_001), ["classes", "10000", "10001"]),
    ("far too many classes", lambda: told(10**6), ["classes", "10000", "1000000"]),
    ("no kind", lambda: told([0, 1], scores=3), ["scores", "stakes.Logits", "3"]),
    ("a kind of kinds", lambda: told([0, 1], scores=stakes.Scores), ["stakes.Logits"]),
    (
        "ratios of three classes",
        lambda: told(3, scores=stakes.LogLikelihoodRatios, priors=[0.2, 0.3, 0.5]),
        ["two classes", "3", "LogLikelihoods"],
    ),
    (
        "likelihoods without priors",
        lambda: told([0, 1], scores=stakes.LogLikelihoodRatios),
        ["priors", "numbers", "priors=[...]"],
    ),
    (
        "likelihoods at the priors of the data",
        lambda: told([0, 1], scores=stakes.LogLikelihoodRatios, priors="data"),
        ["priors", "numbers", "priors=[...]"],
    ),
    (
        "adapted to the data",
        lambda: told([0, 1], training_priors=[0.5, 0.5]),
        ["priors", "numbers", "training_priors"],
    ),
    (
        "trained where a class never was",
        lambda: stakes.evaluate([0, 1], [0.2, 0.7], training_priors=[1, 0]),
        ["training_priors", "above 0", "class 1"],
    ),
    (
        "trained on the data",
        lambda: told([0, 1], priors=[0.9, 0.1], training_priors="data"),
        ["training_priors", "numbers"],
    ),
    (
        "likelihoods of a class that never is",
        lambda: told([0, 1], scores=stakes.LogLikelihoodRatios, priors=[1, 0]),
        ["priors", "above 0", "class 1"],
    ),
    (
        "summary of costs by case",
        lambda: told([0, 1], costs=stakes.SampleCosts(np.ones((2, 2, 2)), classes=[0, 1])),
        ["costs", "by case", "stakes.CostsByCase"],
    ),
    ("summary of no rules", lambda: told([0, 1], rules=[3]), ["rules", "LogLoss()", "3"]),
    (
        "a rule of two classes",
        lambda: told(3, rules=[stakes.ThresholdRange(0.1, 0.2)]),
        ["ThresholdRange", "two classes", "3"],
    ),
    ("unknown label", lambda: told([0, 1]).update([0, 2], [0.1, 0.2]), ["y_true", "2", "row 1"]),
    (
        "label of another kind",
        lambda: told(["a", "b"]).update([0, 1], [0.1, 0.2]),
        ["y_true", "row 0", "int", "str"],
    ),
    ("above 1", lambda: told([0, 1]).update([0, 1], [0.1, 1.2]), ["scores", "1.2", "row 1"]),
    ("NaN", lambda: told([0, 1]).update([0, 1], [0.1, nan]), ["scores", "NaN", "row 1"]),
    (
        "another kind of scores",
        lambda: told([0, 1]).update([0, 1], stakes.Logits([0.1, 0.2])),
        ["scores", "Posteriors", "Logits"],
    ),
    (
        "logs of probabilities of three classes",
        lambda: told(3).update([0, 1], stakes.LogPosteriors(np.log(np.full((2, 3), 1 / 3)))),
        ["scores", "Posteriors", "LogPosteriors"],
    ),
    ("three columns", lambda: told(2).update([0, 1], np.full((2, 3), 1 / 3)), ["2", "3 columns"]),
    ("one column of three", lambda: told(3).update([0, 1], [0.1, 0.2]), ["scores", "1-D", "3"]),
    ("rows", lambda: told(2).update([0, 1, 1], [0.1, 0.2]), ["scores", "2 rows", "3 labels"]),
    ("nothing", lambda: told(2).update([], []), ["y_true", "empty"]),
    (
        "another form",
        lambda: updated(told(2), [0.1, 0.2], [[0.1, 0.9], [1, 0]]),
        ["scores", "one form", "probabilities", "log odds"],
    ),
    ("evaluation of nothing", lambda: told(2).evaluate(), ["summary", "update"]),
    ("evaluation of nothing of three", lambda: told(3).evaluate(), ["summary", "update"]),
    ("unlike summaries", lambda: told([0, 1]) + told([1, 0]), ["classes", "[0, 1]", "[1, 0]"]),
]


@pytest.mark.parametrize(
    ("call", "words"),
    [pytest.param(call, words, id=name) for name, call, words in MESSAGES],
)
def test_message(call: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    message = str(caught.value)
    assert [w for w in words if w.lower() not in message.lower()] == [], message
    assert isinstance(caught.value, ValueError)
    assert len(message) < 400


UNDEFINED: list[tuple[str, Callable[[], Any], str, list[str]]] = [
    ("Matthews of one class", lambda: stakes.confusion_matrix([1, 1], [1, 1]).matthews(), "zero_margin", ["same class"]),
    ("precision of silence", lambda: stakes.confusion_matrix([0, 1], [0, 0]).precision(), "zero_over_zero", ["decided as 1"]),
    ("LR+ of silence", lambda: stakes.confusion_matrix([0, 1, 1], [0, 0, 0]).positive_likelihood_ratio(), "zero_over_zero", ["decided as 1"]),
    ("recall of an absent class", lambda: stakes.confusion_matrix([0, 0], [0, 1]).recall(), "no_samples", ["class 1"]),
    ("F of nothing", lambda: stakes.confusion_matrix([0, 0], [0, 0], classes=2).f_score(), "zero_over_zero", ["decided as 1"]),
    ("no cost at all", lambda: stakes.expected_cost([0, 1], [0, 1], costs=[[0, 0], [0, 0]]), "zero_naive_cost", ["cost"]),
    ("a free decision", lambda: stakes.expected_cost([0, 1], [0, 1], costs=[[0, 1], [0, 1]]), "zero_naive_cost", ["decision 0"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "code", "words"), [pytest.param(*rest, id=name) for name, *rest in UNDEFINED]
)
def test_undefined_is_nan_with_a_reason(
    call: Callable[[], Any], code: str, words: list[str]
) -> None:
    record = call()
    value = record.normalized if isinstance(record, stakes.ExpectedLoss) else record.value
    assert math.isnan(value)
    assert record.undefined.code == code
    assert all(word in record.undefined.text for word in words), record.undefined.text
    assert "undefined" in str(record)
    assert record.to_dict()["undefined"]["code"] == code
    if isinstance(record, stakes.MetricValue):
        with pytest.warns(stakes.UndefinedMetricWarning, match="undefined"):
            assert math.isnan(float(record))


VALUES: list[tuple[str, Callable[[], float], float]] = [
    ("column of labels", lambda: ec([[0], [1]], [0, 0]), 0.5),
    ("floats", lambda: ec([0.0, 1.0], [0, 0]), 0.5),
    ("truth values", lambda: ec([True, False], [True, True]), 0.5),
    ("True is 1", lambda: ec([True, 0], [1, 1], classes=[0, 1]), 0.5),
    ("Int64", lambda: ec(pd.array([0, 1], dtype="Int64"), [0, 0]), 0.5),
    ("uint8", lambda: ec(np.array([0, 255], np.uint8), np.array([0, 255], np.uint8), classes=[0, 255]), 0.0),
    ("huge label", lambda: ec([0, 10**12], [0, 10**12], classes=[0, 10**12]), 0.0),
    ("huge label unseen", lambda: ec([0, 10**12], [10**12, 10**12]), 0.5),
    ("near 2**53", lambda: ec([2**53, 2**53 + 1], [2**53, 2**53]), 0.5),
    ("many classes", lambda: ec(np.arange(200_000), np.arange(200_000)), 0.0),
    ("truth weights", lambda: ec([0, 1], [1, 1], w=[True, False]), 1.0),
    ("largest weights", lambda: ec([0, 0, 0, 1, 1], [0, 1, 0, 1, 0], w=[1e308] * 5), 0.4),
    ("least weights", lambda: ec([0, 0, 0, 1, 1], [0, 1, 0, 1, 0], w=[5e-324] * 5), 0.4),
    ("largest whole weights", lambda: ec([0, 1], [0, 0], w=np.array([2**63 - 1] * 2)), 0.5),
    ("priors by name", lambda: ec(["a", "b"], ["b", "b"], classes=["a", "b"], cost=[[0, 1], [5, 0]], priors={"b": 0.1, "a": 0.9}), 0.9),
    ("priors in order", lambda: ec([0, 0, 0, 1], [0, 1, 0, 0], cost=[[0, 1], [5, 0]], priors=np.array([0.9, 0.1])), 0.8),
    ("prior 0 for a class without samples", lambda: ec([0, 0], [0, 1], cost=ZERO_ONE, priors=[1.0, 0.0]), 0.5),
    ("costs by name", lambda: ec(["a", "b"], ["b", "b"], classes=["a", "b"], cost=pd.DataFrame([[0, 1], [5, 0]], index=["b", "a"], columns=["b", "a"])), 2.5),
    ("F of infinite beta", lambda: stakes.confusion_matrix([0, 1, 1, 1], [1, 1, 0, 1]).f_score(inf).value, 2 / 3),
    ("F of beta 0", lambda: cm().f_score(0).value, 2 / 3),
    ("F of a large beta", lambda: stakes.confusion_matrix([0, 1, 1, 1], [1, 1, 0, 1]).f_score(1e200).value, 2 / 3),
    ("infinite LR+", lambda: stakes.confusion_matrix([0, 1, 1], [0, 1, 0]).positive_likelihood_ratio().value, inf),
    ("huge counts", lambda: stakes.ConfusionMatrix.from_counts([[10**18, 10**18], [10**18, 2]]).matthews().value, -0.5),
    ("counts that overflow", lambda: stakes.ConfusionMatrix.from_counts([[1e308, 1e308], [0, 1e308]]).f_score().value, 2 / 3),
    ("priors of a series by name", lambda: ec(["a", "b"], ["b", "b"], priors=pd.Series({"b": 0.1, "a": 0.9})), 0.9),
    ("priors of a plain series", lambda: ec([0, 1], [1, 1], priors=pd.Series([0.9, 0.1])), 0.9),
    ("undeclared label of weight 0", lambda: ec([0, 1, 7], [0, 0, 1], w=[1, 1, 0], classes=2), 0.5),
    ("seen only with weight 0", lambda: stakes.confusion_matrix([0, 1, 2], [0, 1, 2], sample_weight=[1, 1, 0]).balanced_error_rate().value, 0.0),
    ("huge whole counts", lambda: stakes.ConfusionMatrix.from_counts([[2**62] * 2] * 2).n, 2.0**64),
    ("tiny correlation", lambda: stakes.ConfusionMatrix.from_counts([[1.0, 1e-200], [0.0, 1e-200]]).matthews().value, 0.5**0.5),
    ("F of a huge beta explained", lambda: float(len(str(stakes.explain(metrics.FScore(1e200), cm())))) * 0, 0.0),
    ("huge thresholds", lambda: stakes.CostMatrix.binary(miss=1e308, false_alarm=1e308).threshold(), 0.5),
    ("sum of many", lambda: (0 + cm() + cm() + cm()).n, 12.0),
    ("utilities of a frame", lambda: float(stakes.CostMatrix.from_utilities(pd.DataFrame([[5, 0], [0, 9]], index=["b", "a"], columns=["b", "a"]), classes=["a", "b"]).values[0, 1]), 9.0),
    ("positive class first", lambda: cm().recall(positive=0).value, 0.5),
    ("one class against others", lambda: stakes.confusion_matrix(list("abca"), list("abba")).precision(positive="b").value, 0.5),
    ("classes on other scales", lambda: metrics.PositiveLikelihoodRatio().evaluate(stakes.confusion_matrix([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[3e-300, 1e-300, 1e300, 3e300])).value, 3.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "value"), [pytest.param(*rest, id=name) for name, *rest in VALUES]
)
def test_odd_but_good_input(call: Callable[[], float], value: float) -> None:
    assert call() == pytest.approx(value, rel=1e-15)


def test_read_only_arrays_are_welcome() -> None:
    y, d, w = np.array([0, 1]), np.array([0, 0]), np.array([1.0, 3.0])
    for array in (y, d, w):
        array.setflags(write=False)
    assert ec(y, d, w=w) == 0.75


def test_a_cost_matrix_keeps_its_own_copy_of_the_values() -> None:
    values = np.array([[0.0, 1.0], [5.0, 0.0]])
    costs = stakes.CostMatrix(values)
    values[0, 1] = 99
    assert costs.values[0, 1] == 1
    with pytest.raises(ValueError, match="read-only"):
        costs.values[0, 1] = 99
