"""Every call that advises must be told which priors posteriors are at, wherever priors are given."""

import inspect
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import stakes
from command import call
from stakes import displays
from stakes._check import InputError
from stakes.mlflow.evaluator_work import evaluated
from stakes.mlflow.model_outputs import Inputs

DATA = stakes.simulation.simulate(2, n=600)
Y, P = DATA.y, np.exp(DATA.posteriors([0.8, 0.2]).values[:, 1])
LLR = DATA.log_likelihood_ratios()
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
USE = [0.98, 0.02]
X = P[:, None]
MODEL = LogisticRegression().fit(X, Y)
TABLE = pa.table({"y": Y, "p": P, "r": P**1.1})
FEW: dict[str, Any] = {"calibrator": None}


def summary(**told: Any) -> stakes.Evaluation:  # noqa: ANN401
    """Return the evaluation of a summary."""
    made = stakes.Summary(classes=[0, 1], costs=COSTS, **told)
    made.update(Y, P)
    return made.evaluate(**FEW)


ENTRIES: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **t: stakes.evaluate(Y, P, costs=COSTS, **t, **FEW),
    "compare": lambda **t: stakes.compare(Y, {"a": P, "b": P**1.1}, costs=COSTS, **t),
    "choose_threshold": lambda **t: stakes.choose_threshold(Y, P, costs=COSTS, **t),
    "decide": lambda **t: stakes.decide(P, COSTS, **t),
    "Summary": summary,
    "Summary.of": lambda **t: stakes.Summary.of(TABLE, label="y", scores="p", **t),
    "ComparisonDisplay.compute": lambda **t: displays.ComparisonDisplay.compute(
        Y, {"a": P, "b": P**1.1}, **t
    ),
    "evaluate_model": lambda **t: stakes.evaluate_model(MODEL, X, Y, costs=COSTS, **t, **FEW),
    "compare_models": lambda **t: stakes.compare_models({"a": MODEL, "b": MODEL}, X, Y, **t),
    "BayesClassifier": lambda **t: stakes.sklearn.BayesClassifier(FrozenEstimator(MODEL), **t).fit(
        X, Y
    ),
    "cost_scorer": lambda **t: stakes.sklearn.cost_scorer(COSTS, **t)(MODEL, X, Y),
    "loss_scorer": lambda **t: stakes.sklearn.loss_scorer(**t)(MODEL, X, Y),
}
NUMBERS = {"decide", "Summary", "Summary.of"}  # without data that training priors could be those of
OPTIONAL = {"torch": "torch", "dask": "dask", "spark": "pyspark", "mlflow": "mlflow"}
if find_spec("torch"):
    ENTRIES["torch.Metric"] = lambda **t: stakes.torch.Metric("cost.nec", costs=COSTS, **t)
    NUMBERS.add("torch.Metric")


@pytest.mark.parametrize("entry", ENTRIES)
def test_priors_and_posteriors_need_a_word_on_what_they_are_at(entry: str) -> None:
    run = ENTRIES[entry]
    with pytest.raises(InputError) as caught:
        run(priors=USE)
    error = caught.value
    assert (error.argument, error.code) == ("training_priors", "training_priors_needed")
    first, *ways = str(error).split("\n")
    assert first.startswith("training_priors must be given where posteriors meet priors: ")
    adapt = "training_priors=[...]" if entry in NUMBERS else 'training_priors="data"'
    assert [way.partition(": ")[2].rstrip(".") for way in ways] == [
        adapt,
        'training_priors="deployment"',
    ]
    run(priors=USE, training_priors="deployment")
    run(priors=USE, training_priors=[0.8, 0.2])
    run()
    if entry not in NUMBERS:
        run(priors=USE, training_priors="data")
        run(priors="data")


def test_the_evaluator_of_mlflow_sees_the_model() -> None:
    plain = LogisticRegression().fit(X, Y)
    even = LogisticRegression(class_weight="balanced").fit(X, Y)
    asked, shown = (Inputs(Y, X, None, model) for model in (plain, even))
    with pytest.raises(InputError) as caught:
        evaluated(asked, {"priors": USE, **FEW})
    assert caught.value.code == "training_priors_needed"
    evaluated(asked, {"priors": USE, "training_priors": "data", **FEW})
    found = evaluated(shown, {"priors": USE, **FEW})
    told = stakes.evaluate_model(even, X, Y, priors=USE, **FEW)
    assert isinstance(found, stakes.Evaluation)
    assert found.main.cost.normalized.value == told.main.cost.normalized.value
    weighted = evaluated(shown, FEW)
    assert weighted.verdicts[0].code == "weighted_classes"


def test_every_public_call_with_both_arguments_is_in_the_table() -> None:
    """Classes and functions that take priors and training priors, wherever they are exported."""
    found = set()
    for where in (stakes, stakes.sklearn, displays):
        for name in where.__all__:
            thing = getattr(where, name)
            calls = {name: thing}
            if isinstance(thing, type):
                calls |= {f"{name}.{n}": getattr(thing, n) for n in vars(thing) if n[0] != "_"}
            for path, each in calls.items():
                if callable(each) and each is not dict:
                    try:
                        names = set(inspect.signature(each).parameters)
                    except (TypeError, ValueError):
                        continue
                    if {"priors", "training_priors"} <= names:
                        found.add(path)
    assert found <= set(ENTRIES), found - set(ENTRIES)
    assert len(found) >= 9


def test_likelihoods_and_decisions_need_no_word_and_take_none() -> None:
    stakes.evaluate(Y, LLR, priors=USE, **FEW)
    stakes.decide(LLR, COSTS, priors=USE)
    stakes.choose_threshold(Y, LLR, priors=USE)
    stakes.evaluate_decisions(stakes.confusion_matrix(Y, P > 0.5), priors=USE)
    for word in ("data", "deployment", [0.8, 0.2]):
        with pytest.raises(InputError, match="are for posteriors"):
            stakes.evaluate(Y, LLR, priors=USE, training_priors=word, **FEW)


def test_likelihoods_and_posteriors_are_compared_at_priors() -> None:
    told: dict[str, Any] = {"priors": USE, "training_priors": [0.8, 0.2]}
    found = stakes.compare(Y, {"p": DATA.posteriors([0.8, 0.2]), "r": LLR}, costs=COSTS, **told)
    assert found.values["p"]["cost.nec"] == pytest.approx(found.values["r"]["cost.nec"])


def test_a_summary_says_which_words_it_takes() -> None:
    with pytest.raises(InputError, match='must be numbers or "deployment" for a summary'):
        summary(priors=USE, training_priors="data")


def test_the_words_are_priors() -> None:
    shares = np.bincount(Y) / Y.size
    told: dict[str, Any] = {"costs": COSTS, "priors": USE, **FEW}
    cost = {
        str(at): stakes.evaluate(Y, P, training_priors=at, **told).main.cost.raw.value
        for at in ("data", "deployment", USE)
    }
    by_hand = stakes.Posteriors(P).at_priors(shares, USE)
    assert cost["data"] == stakes.bayes_cost(Y, by_hand, costs=COSTS, priors=USE).value
    assert cost["deployment"] == stakes.bayes_cost(Y, P, costs=COSTS, priors=USE).value
    assert cost[str(USE)] == cost["deployment"]
    with pytest.raises(InputError, match='must be "data", "deployment" or probabilities'):
        stakes.evaluate(Y, P, training_priors="train", **told)


def test_posteriors_are_at_deployment_only_where_applications_agree() -> None:
    rare, often = stakes.Application(COSTS, USE), stakes.Application(COSTS, [0.5, 0.5])
    here = stakes.Application(COSTS, "data")
    alike: dict[str, Any] = {"a": rare, "b": stakes.Application(COSTS, USE)}
    found = stakes.evaluate(Y, P, costs=alike, training_priors="deployment", **FEW)
    expected = stakes.bayes_cost(Y, P, costs=COSTS, priors=USE)
    assert found.main.cost.raw.value == pytest.approx(expected.value, rel=1e-12)
    back = stakes.Posteriors(P).at_priors(USE, found.data.priors)  # rules are at the data's priors
    assert found.rules[0].raw.value == pytest.approx(stakes.cross_entropy(Y, back).value)
    for costs, priors in (
        ({"a": rare, "b": often}, None),
        ({"a": rare, "b": here}, None),
        ({"a": rare}, [0.5, 0.5]),
        ({"a": COSTS, "b": here}, USE),
    ):
        with pytest.raises(InputError, match="must be numbers where applications have different"):
            stakes.evaluate(Y, P, costs=costs, priors=priors, training_priors="deployment", **FEW)


def test_priors_of_0_are_no_obstacle_to_posteriors_that_are_there() -> None:
    three = stakes.simulation.simulate(3, n=300)
    p = np.exp(three.posteriors([0.5, 0.25, 0.25]).values)
    told: dict[str, Any] = {"priors": [0.5, 0.5, 0.0], "training_priors": "deployment", **FEW}
    found = stakes.evaluate(three.y, p, **told)
    expected = stakes.cross_entropy(three.y, p, priors=[0.5, 0.5, 0.0])
    assert found.rules[0].raw.value == pytest.approx(expected.value)


COMMON = ("--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1")
QUICK = ("--calibrator", "none")
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "t.csv", *COMMON, *QUICK),
    "evaluate in batches": ("evaluate", "t.csv", *COMMON, *QUICK, "--memory", "0"),
    "detection cost": ("evaluate", "t.csv", *COMMON, *QUICK, "--dcf", "10:1:0.01"),
    "check": ("check", "t.csv", *COMMON, *QUICK, "--max-nec", "9"),
    "threshold": ("threshold", "t.csv", *COMMON),
    "compare": (
        "compare", "t.csv", "--label", "y", "--system", "a=p", "--system", "b=r", "--scores-are",
        "posteriors", "--positive", "1", *QUICK,
    ),
    "decide": (
        "decide", "t.csv", "--scores", "p", "--scores-are", "posteriors", "--classes", "0,1",
        "--cost", "miss=5,false_alarm=1", "-o", "out.csv", "--force",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table."""
    csv.write_csv(TABLE, tmp_path / "t.csv")
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_must_be_told_too(name: str, folder: Path) -> None:
    words = COMMANDS[name]
    prior = () if "--dcf" in words else ("--prior", "0.02")
    done = call(*words, *prior, cwd=folder)
    assert done.returncode == 3, done.stdout
    lines = done.stderr.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("stakes: "))
    assert lines[start].startswith("stakes: --training-prior must be given where posteriors meet")
    alone = name in {"decide", "evaluate in batches"}
    adapt = "--training-prior PRIORS." if alone else "--training-prior data."
    assert lines[start + 1].endswith(adapt)
    assert lines[start + 2].endswith("--training-prior deployment.")
    assert lines[start + 3] == "See: stakes explain training_priors_needed"
    for word in ("deployment", "0.2", *(() if alone else ("data",))):
        done = call(*words, *prior, "--training-prior", word, cwd=folder)
        assert done.returncode in {0, 1}, done.stderr
    assert call(*words[: words.index("--dcf")] if not prior else words, cwd=folder).returncode < 2


def test_an_application_file_says_it_once(folder: Path) -> None:
    text = '\nlabel = "y"\nscores = "p"\nscores-are = "posteriors"\npositive = "1"\nprior = 0.02\n'
    (folder / "app.toml").write_text(text + 'cost = "miss=5,false_alarm=1"\n')
    words = ("evaluate", "t.csv", "--app", "app.toml", *QUICK, "--json")
    assert call(*words, cwd=folder).returncode == 3
    more = 'cost = "miss=5,false_alarm=1"\ntraining-prior = "deployment"\n'
    (folder / "app.toml").write_text(text + more)
    done = call(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["applications"][0]["expected_cost"]["value"]["value"]
    assert found == pytest.approx(stakes.bayes_cost(Y, P, costs=COSTS, priors=0.02).value)


def test_the_code_is_explained_with_both_ways() -> None:
    told = str(stakes.explain_code("training_priors_needed"))
    for word in ("data", "deployment"):
        assert f'training_priors="{word}"' in told
        assert f"--training-prior {word}" in told.replace("\n           ", " ")


def test_calibration_takes_scores_as_delivered(folder: Path) -> None:
    words = ["calibrate", "t.csv", *COMMON[:-2], "--classes", "0,1", "-o", "c.json"]
    words += ["--prior", "0.02"]
    for memory in ((), ("--memory", "0")):
        done = call(*words, *memory, "--force", cwd=folder)
        assert done.returncode == 0, done.stderr
