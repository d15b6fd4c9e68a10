"""Costs by word, {"miss": 5, "false_alarm": 1}, wherever costs are taken."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import stakes
from command import run
from stakes import dask, displays, spark

RNG = np.random.default_rng(5)
Y = (RNG.random(300) < 0.3).astype(int)
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1)))
AMOUNT = np.round(np.exp(RNG.normal(1, 1, 300)), 2)
NAMES = np.array(["fine", "fraud"])
PRICES = {"miss": 5, "false_alarm": 1}
MATRIX = stakes.CostMatrix.binary(miss=5, false_alarm=1)
CM = stakes.confusion_matrix(Y, (P > 0.5).astype(int))
ROC = stakes.roc_curve(Y, P)
X = np.column_stack([P, RNG.random(300)])
MODEL = LogisticRegression().fit(X, Y)
OTHER = LogisticRegression(C=0.01).fit(X, Y)
FEW: dict[str, Any] = {"calibrator": None}


def counted(costs: Any) -> Any:  # noqa: ANN401
    made = stakes.Summary(classes=[0, 1], costs=costs)
    made.update(Y, P)
    return made.to_bytes()


# For every public callable with costs, what it gives, as plain values.
TAKERS: dict[str, Callable[[Any], Any]] = {
    "AbstentionDisplay.compute": lambda c: displays.AbstentionDisplay.compute(Y, P, costs=c).costs[
        0
    ],
    "Application": lambda c: stakes.evaluate(Y, P, costs=stakes.Application(c), **FEW).metrics(),
    "BayesCost": lambda c: stakes.expected_loss(stakes.BayesCost(c), Y, P),
    "ComparisonDisplay.compute": lambda c: str(
        displays.ComparisonDisplay.compute(Y, {"a": P, "b": P**2}, costs=c)
    ),
    "ConfusionDisplay.from_decisions": lambda c: (
        displays.ConfusionDisplay.from_decisions(Y, (P > 0.5).astype(int), costs=c).cost
    ),
    "ConfusionDisplay.from_predictions": lambda c: (
        displays.ConfusionDisplay.from_predictions(Y, P, costs=c).cost
    ),
    "ConfusionMatrix.cell_costs": lambda c: CM.cell_costs(c).tolist(),
    "ConfusionMatrix.expected_cost": CM.expected_cost,
    "ConfusionMatrix.read_costs": lambda c: CM.read_costs(c).to_lists(),
    "RocCurve.expected_costs": lambda c: ROC.expected_costs(c).tolist(),
    "RocCurve.minimum_cost": ROC.minimum_cost,
    "RocCurve.normalized_costs": lambda c: ROC.normalized_costs(c).tolist(),
    "RocDisplay.from_predictions": lambda c: (
        displays.RocDisplay.from_predictions(Y, P, costs=c).points
    ),
    "ScoreDistributionDisplay.from_predictions": lambda c: (
        displays.ScoreDistributionDisplay.from_predictions(Y, P, costs=c).thresholds
    ),
    "Summary": counted,
    "Summary.of": lambda c: stakes.Summary.of(
        pl.DataFrame({"y": Y, "p": P}), label="y", scores="p", costs=c
    ).to_bytes(),
    "ThresholdCalibrator": lambda c: (
        stakes.ThresholdCalibrator(c).fit(P, Y).transform(P).values.tolist()
    ),
    "ThresholdSweepDisplay.compute": lambda c: (
        displays.ThresholdSweepDisplay.compute(Y, P, costs=c).metrics[0].bayes
    ),
    "abstention_curve": lambda c: stakes.abstention_curve(Y, P, [0.2], costs=c).costs,
    "bayes_cost": lambda c: stakes.bayes_cost(Y, P, costs=c),
    "choose_threshold": lambda c: str(stakes.choose_threshold(Y, P, costs=c)),
    "compare_models": lambda c: str(stakes.compare_models({"a": MODEL, "b": OTHER}, X, Y, costs=c)),
    "evaluate_model": lambda c: stakes.evaluate_model(MODEL, X, Y, costs=c, **FEW).metrics(),
    "compare": lambda c: str(stakes.compare(Y, {"a": P, "b": P**2}, costs=c)),
    "decide": lambda c: stakes.decide(P, c).indices.tolist(),
    "evaluate": lambda c: stakes.evaluate(Y, P, costs=c, **FEW).metrics(),
    "evaluate_decisions": lambda c: str(stakes.evaluate_decisions(CM, c).to_dict()),
    "expected_cost": lambda c: stakes.expected_cost(Y, (P > 0.5).astype(int), costs=c),
    "scorecard": lambda c: stakes.scorecard(Y, P, costs=c).cost,
    "threshold_sweep": lambda c: stakes.threshold_sweep(Y, P, costs=c).metrics[0].bayes,
}
RESULTS = {  # records that hold costs, which users do not build
    "AbstentionCurve", "ApplicationResult", "ConfusionDisplay", "DecisionEvaluation", "Decisions",
    "Explanation", "MetricScatterDisplay",
}  # fmt: skip


def takes_costs() -> set[str]:
    """Return the public callables with an argument called costs."""
    out = set()
    for name in dir(stakes):
        thing = getattr(stakes, name)
        if not callable(thing):
            continue
        members = inspect.getmembers(thing, callable) if inspect.isclass(thing) else []
        named = {name: thing, **{f"{name}.{m}": f for m, f in members if not m.startswith("_")}}
        for path, each in named.items():
            try:
                signature = inspect.signature(each)
            except (TypeError, ValueError):
                continue
            if "costs" in signature.parameters:
                out.add(path)
    return out


def test_everything_that_takes_costs_is_here() -> None:
    assert takes_costs() - RESULTS == set(TAKERS)
    for module in (dask, spark):  # tested where these libraries are
        assert "costs" in inspect.signature(module.evaluate).parameters


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_prices_by_word_are_the_matrix(taker: Callable[[Any], Any]) -> None:
    wanted = taker(MATRIX)
    assert taker(PRICES) == wanted
    assert taker({"false_alarm": np.float64(1), "miss": np.int64(5)}) == wanted
    assert taker({"miss": 1, "false_alarm": 5}) != wanted


def test_a_matrix_by_word() -> None:
    names = ["healthy", "tumour"]
    made = stakes.CostMatrix(PRICES, classes=names)
    assert made == stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=names)
    other = stakes.CostMatrix(PRICES, classes=names, decisions=["home", "operate"])
    assert other.decisions == ("home", "operate")
    assert stakes.CostMatrix(PRICES | {"abstain": 0.5}) == MATRIX.with_abstention(0.5)


def test_a_price_of_abstaining_is_one_more_decision() -> None:
    found = stakes.decide(P, PRICES | {"abstain": 0.3})
    assert found.decisions == (0, 1, "abstain")
    right = stakes.decide(P, MATRIX.with_abstention(0.3))
    assert (found.indices == right.indices).all()
    assert stakes.evaluate(Y, P, costs=PRICES | {"abstain": 0.3}, **FEW).main.abstention is not None


def test_applications_by_name_may_have_prices_by_word() -> None:
    both = {
        "screening": stakes.Application(PRICES, [0.9, 0.1]),
        "clinic": {"miss": 2, "false_alarm": 1},
        "miss": MATRIX,  # a name of an application, since this is no price
    }
    found = stakes.evaluate(Y, P, costs=both, training_priors="data", **FEW)
    assert [a.name for a in found.applications] == ["screening", "clinic", "miss"]
    assert found.applications[0].costs == found.applications[2].costs == MATRIX
    assert found.applications[0].priors.tolist() == [0.9, 0.1]
    assert found.applications[1].costs == stakes.CostMatrix.binary(miss=2, false_alarm=1)
    one = stakes.evaluate(Y, P, costs=PRICES, **FEW)
    assert [a.name for a in one.applications] == ["cost"]


def test_text_labels_need_their_order_as_they_do_for_a_matrix() -> None:
    with pytest.raises(stakes.InputError, match="classes"):
        stakes.bayes_cost(NAMES[Y], P, costs=PRICES)
    found = stakes.bayes_cost(NAMES[Y], P, costs=PRICES, classes=["fine", "fraud"])
    assert found == stakes.bayes_cost(Y, P, costs=MATRIX)
    turned = stakes.bayes_cost(Y, 1 - P, costs=PRICES, classes=[1, 0])  # 0 is what is missed
    assert turned == stakes.bayes_cost(1 - Y, 1 - P, costs=MATRIX)


BY_CASE = {"miss": "amount", "false_alarm": 3}
TABLE = pd.DataFrame({"y": NAMES[Y], "p": P, "q": P**2, "amount": AMOUNT})
SAMPLED = stakes.SampleCosts.from_columns(
    [[0, 3], ["amount", 0]], {"amount": AMOUNT}, classes=["fine", "fraud"]
)


def test_prices_may_name_columns_of_a_table() -> None:
    options: dict[str, Any] = {"label": "y", "classes": ["fine", "fraud"]}
    wanted = stakes.evaluate(NAMES[Y], P, costs=SAMPLED, **FEW).metrics()
    assert stakes.evaluate(TABLE, "p", costs=BY_CASE, **options, **FEW).metrics() == wanted
    named = stakes.evaluate(TABLE, "p", costs={"card": BY_CASE}, **options, **FEW)
    assert named.main.name == "card"
    assert named.metrics()["card.nec"] == wanted["cost.nec"]
    pairs: Any = {"a": "p", "b": "q"}
    found = stakes.compare(TABLE, pairs, costs=BY_CASE, **options)
    arrays: Any = {"a": P, "b": P**2}
    right = stakes.compare(NAMES[Y], arrays, costs=SAMPLED)
    assert str(found) == str(right)
    template = stakes.CostsByCase([[0.0, 3.0], ["amount", 0.0]], classes=["fine", "fraud"])
    summaries = [
        stakes.Summary.of(TABLE, label="y", scores="p", costs=costs, classes=["fine", "fraud"])
        for costs in (BY_CASE, template)
    ]
    assert summaries[0].to_bytes() == summaries[1].to_bytes()
    assert stakes.CostsByCase(BY_CASE, classes=["fine", "fraud"]).entries == template.entries


@pytest.mark.parametrize("column", [AMOUNT, AMOUNT.tolist(), pd.Series(AMOUNT), pl.Series(AMOUNT)])
def test_prices_may_be_columns(column: Any) -> None:  # noqa: ANN401
    costs: Any = {"miss": column, "false_alarm": 3}
    classes = ["fine", "fraud"]
    right = stakes.bayes_cost(NAMES[Y], P, costs=SAMPLED)
    assert stakes.bayes_cost(NAMES[Y], P, costs=costs, classes=classes) == right
    assert (stakes.decide(P, costs).indices == stakes.decide(P, SAMPLED).indices).all()
    guess = NAMES[(P > 0.5).astype(int)]
    paid = stakes.expected_cost(NAMES[Y], guess, costs=costs, classes=classes)
    assert paid == stakes.expected_cost(NAMES[Y], guess, costs=SAMPLED)
    found = stakes.evaluate(NAMES[Y], P, costs=costs, classes=classes, **FEW)
    assert found.main.cost.raw == right


BAD: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "misspelt": (
        lambda: stakes.evaluate(Y, P, costs={"mis": 5, "false_alarm": 1}),
        ["costs must give miss and false_alarm", "may give abstain", "'mis'", "no 'miss'"],
    ),
    "one word": (lambda: stakes.bayes_cost(Y, P, costs={"miss": 5}), ["no 'false_alarm'"]),
    "one word more": (
        lambda: stakes.decide(P, {"miss": 5, "false_alarm": 1, "hit": 0}),
        ["must give miss and false_alarm", "got 'hit'"],
    ),
    "three classes": (
        lambda: stakes.bayes_cost([0, 1, 2], np.eye(3), costs=PRICES),
        ["two classes", "there are 3", "CostMatrix"],
    ),
    "negative": (
        lambda: stakes.CostMatrix({"miss": -5, "false_alarm": 1}),
        ["costs['miss']", "[0, inf)", "-5"],
    ),
    "not a number": (
        lambda: stakes.CostMatrix({"miss": None, "false_alarm": 1}),
        ["costs['miss']", "None"],
    ),
    "a column without a table": (
        lambda: stakes.bayes_cost(Y, P, costs=BY_CASE),
        ["must hold numbers", "'amount'", "with_columns"],
    ),
    "a column in evaluate without a table": (
        lambda: stakes.evaluate(Y, P, costs=BY_CASE),
        ["must hold numbers", "with label="],
    ),
    "a column for one matrix": (
        lambda: stakes.CostMatrix(BY_CASE),
        ["must be one number for each error", "'amount'"],
    ),
    "a curve by case": (
        lambda: ROC.minimum_cost({"miss": AMOUNT, "false_alarm": 3}),
        ["must be one number for each error", "a number for each case"],
    ),
    "columns of another length": (
        lambda: stakes.bayes_cost(Y, P, costs={"miss": [1.0, 2.0], "false_alarm": 3}),
        ["same samples", "2 for 300"],
    ),
    "a price beside an application": (
        lambda: stakes.evaluate(Y, P, costs={"screening": MATRIX, "miss": 5}),
        ["must give miss and false_alarm", "got 'screening'", "no 'false_alarm'"],
    ),
}


@pytest.mark.parametrize(("call", "words"), BAD.values(), ids=BAD)
def test_prices_that_are_refused(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_the_command_line_takes_the_same_words(tmp_path: Any) -> None:  # noqa: ANN401
    path = tmp_path / "scores.csv"
    path.write_text("p\n" + "\n".join(f"{p:.17g}" for p in P[:20]) + "\n")
    out = tmp_path / "out.csv"
    common = ["decide", str(path), "--scores", "p", "--scores-are", "posteriors"]
    common += ["--classes", "0,1", "--force", "-o", str(out)]
    typed = run(*common, "--cost", "miss=5,false_alarm=1,abstain=0.3")
    assert typed.returncode == 0, typed.stderr
    wanted = stakes.decide(P[:20], PRICES | {"abstain": 0.3}).names.tolist()
    assert pd.read_csv(out)["decision"].astype(str).tolist() == [str(name) for name in wanted]
    wrong = run(*common, "--cost", "mis=5,false_alarm=1")
    assert "--cost must give miss and false_alarm, and may give abstain" in wrong.stderr
    twice = run(*common, "--cost", "miss=5,false_alarm=1,abstain=0.3", "--abstain", "0.2")
    assert "leave one out" in twice.stderr
