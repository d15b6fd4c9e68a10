"""Numbers for trackers: flat names, nothing lost, and the JSON document of the command line."""

import csv
import json
import math
import subprocess
import sys
import tomllib
import types
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import stakes
from command import call, write_scores
from stakes.evaluation.tracking import Tracked
from stakes.mlflow.evaluator import OF_MLFLOW, StakesEvaluator
from stakes.mlflow.metric_names import LONGEST, accepted_names

SCHEMA = json.loads((Path(__file__).parents[1] / "docs/schema/stakes-1.json").read_text())
COSTS = stakes.CostMatrix([[0, 1], [5, 0]], classes=("well", "ill"))


def labels(n: int = 400) -> tuple[Any, Any, Any]:
    """Return labels and the scores of two systems."""
    rng = np.random.default_rng(1)
    y = rng.random(n) < 0.3
    z = 2.0 * y - 1 + rng.normal(size=n)
    names = np.where(y, "ill", "well")
    return names, 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-3 * z))


@cache
def records() -> Mapping[str, Tracked]:
    y, p, q = labels()
    decided = np.where(p > 0.5, "ill", "well")
    counts = stakes.confusion_matrix(y, decided, classes=("well", "ill"))
    return {
        "evaluation": stakes.evaluate(y, p, costs=COSTS),
        "several": stakes.evaluate(
            y, p, costs={"ward": stakes.Application(COSTS), "home": stakes.Application(COSTS, {"well": 0.9, "ill": 0.1})}, training_priors="data"
        ),
        "comparison": stakes.compare(y, {"old": p, "new": q}, costs=COSTS, margin=0.02),
        "decisions": stakes.evaluate_decisions(counts, COSTS),
    }  # fmt: skip


KINDS = ("evaluation", "several", "comparison", "decisions")


@pytest.mark.parametrize("kind", KINDS)
def test_every_metric_is_flat_with_the_ends_of_its_interval(kind: str) -> None:
    record = records()[kind]
    flat = record.flat_metrics()
    expected = dict(record._references())
    for name, estimate in record.metrics().items():
        expected[name] = estimate.value
        if estimate.interval is not None:
            expected[f"{name}.low"], expected[f"{name}.high"] = estimate.interval
    assert flat == expected
    assert all(type(value) is float for value in flat.values())
    assert sum(name.endswith(".low") for name in flat) >= 6
    assert flat["samples"] == 400


def test_naive_references_are_those_of_the_record() -> None:
    found = records()["evaluation"]
    assert isinstance(found, stakes.Evaluation)
    flat = found.flat_metrics()
    assert flat["cost.value.naive"] == found.main.cost.raw.naive
    assert flat["cost.value"] / flat["cost.value.naive"] == pytest.approx(flat["cost.nec"])
    by_name = {e.value.name: e.value for e in found.main.traditional if e.value is not None}
    assert flat["cost.accuracy.naive"] == by_name["accuracy"].naive
    entropy = found.rules[0].raw
    assert flat["cross_entropy.value.naive"] == entropy.naive
    assert (flat["auc.naive"], flat["eer.naive"]) == (0.5, 0.5)
    assert "cost.nec.naive" not in flat
    made = records()["decisions"].flat_metrics()
    assert made["cost.value"] / made["cost.value.naive"] == pytest.approx(made["cost.nec"])
    assert {"cost.accuracy.naive", "cost.sensitivity.naive"} <= made.keys()


def test_a_comparison_names_systems_differences_and_relative_costs() -> None:
    found = records()["comparison"]
    assert isinstance(found, stakes.Comparison)
    flat = found.flat_metrics()
    assert flat["old/cost.nec"] == found.values["old"]["cost.nec"]
    difference = found.of("new", "cost.nec")
    assert flat["new/cost.nec.difference"] == difference.difference.value
    assert difference.difference.interval is not None
    assert flat["new/cost.nec.difference.high"] == difference.difference.interval.high
    assert flat["new/cost.nec.difference.adjusted_p_value"] == difference.adjusted_p_value
    assert flat["new/cost.relative_cost"] == found.relative_costs[0].ratio.value
    assert flat["new/cost.accuracy.difference.adjusted_p_value"] <= 1
    assert "new/eer.difference.adjusted_p_value" not in flat  # has no test
    assert not any(name.startswith("old/") and "difference" in name for name in flat)


def test_two_numbers_of_one_name_are_refused() -> None:
    y, p, q = labels(60)
    uses = {"cost": stakes.Application(COSTS), "x/cost": stakes.Application(COSTS)}
    both = stakes.compare(y, {"a": p, "a/x": q}, costs=uses)
    with pytest.raises(stakes.InputError, match=r"'a/x/cost\.value' stands for several"):
        both.flat_metrics()


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_logged_one_by_one_or_together(kind: str) -> None:
    record = records()[kind]
    calls: list[tuple[Any, ...]] = []
    logged = record.log_to(lambda *args: calls.append(args), prefix="val/")
    assert calls == [(f"val/{name}", value) for name, value in record.flat_metrics().items()]
    assert logged == dict(calls)
    calls.clear()
    record.log_to(lambda *args: calls.append(args), step=3)
    assert calls == [(name, value, 3) for name, value in record.flat_metrics().items()]
    calls.clear()
    logged = record.log_to(lambda *args: calls.append(args), together=True, step=0)
    assert calls == [(record.flat_metrics(), 0)]
    calls[0][0].clear()  # as some trackers do
    assert logged == record.flat_metrics()
    calls.clear()
    record.log_to(lambda *args: calls.append(args), together=True)
    assert calls == [(record.flat_metrics(),)]


def test_undefined_and_infinite_numbers_are_handed_over() -> None:
    y = np.array(["well"] * 20 + ["ill"] * 20)
    counts = stakes.confusion_matrix(y, y, classes=("well", "ill"))
    free = stakes.evaluate_decisions(counts, COSTS, {"well": 1.0, "ill": 0.0})
    seen: dict[str, float] = {}
    free.log_to(seen.__setitem__)
    assert math.isnan(seen["cost.nec"])
    assert "cost.nec.low" not in seen
    seen.clear()
    stakes.evaluate_decisions(counts, COSTS).log_to(seen.__setitem__)
    assert seen["cost.positive_likelihood_ratio"] == math.inf


def test_what_cannot_log_is_refused() -> None:
    with pytest.raises(stakes.InputError, match=r"log must be a function .* got 'run'"):
        records()["decisions"].log_to("run")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_is_that_of_the_schema(kind: str) -> None:
    document = json.loads(records()[kind].to_json(source="test set"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["source"] == "test set"
    assert document["stakes"] == stakes.__version__
    assert document["command"] == ("compare" if kind == "comparison" else "evaluate")


def test_the_document_has_the_numbers_of_the_command(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    printed = call(
        "evaluate", "scores.csv", "--label", "y", "--scores", "p_alarm", "--scores-are", "posteriors",
        "--positive", "alarm", "--json", cwd=tmp_path,
    )  # fmt: skip
    with (tmp_path / "scores.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    y, p = np.array([r["y"] for r in rows]), np.array([float(r["p_alarm"]) for r in rows])
    made = stakes.evaluate(y, p, classes=("calm", "alarm"))
    mine, theirs = json.loads(made.to_json(source="scores.csv")), json.loads(printed.stdout)
    for each in (mine, theirs):
        for verdict in each["verdicts"]:
            verdict.pop("command")
    assert mine == theirs


def test_long_names_are_cut_and_marked() -> None:
    long = ["x" * 300, "x" * 299 + "y", "x" * LONGEST]
    found = accepted_names(long)
    assert found[long[2]] == long[2]
    assert {len(new) for new in found.values()} == {LONGEST}
    assert len(set(found.values())) == 3


@pytest.mark.parametrize(
    "config",
    [
        {}, None, {"log_model_explainability": False}, {"pos_label": 1}, {"sample_weights": [1]},
        {"metric_prefix": "x"}, {"average": "macro"}, {"label_list": [0, 1]}, {"col_mapping": {}},
        {"explainability_algorithm": "exact"}, {"log_explainer": True}, {"retriever_k": 3},
        {"max_classes_for_multiclass_roc_pr": 3}, {"log_metrics_with_dataset_info": False},
        {"explainability_nsamples": 10}, {"explainability_kernel_link": "logit"},
    ],
)  # fmt: skip
def test_keys_of_mlflow_do_not_ask_for_stakes(config: dict[str, Any] | None) -> None:
    assert not StakesEvaluator.can_evaluate(model_type="classifier", evaluator_config=config)


def test_keys_of_ours_and_slips_of_them_do() -> None:
    for key in ("costs", "cost", "prior", "scores", "sample_weight", "decision"):
        assert StakesEvaluator.can_evaluate(model_type="classifier", evaluator_config={key: 1})
    assert {"sample_weights"} == OF_MLFLOW


def test_names_stay_apart_where_one_becomes_another() -> None:
    found = accepted_names(["a_b", "a:b", "a;b", "/a//b/", "..a", "."])
    assert found["a_b"] == "a_b"
    assert len(set(found.values())) == 6
    assert found["/a//b/"] == "_/a/_/b/_"
    assert (found["..a"], found["."]) == ("_.a", "_")
    assert found["a:b"].startswith("a_b-")


def test_without_mlflow_the_line_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(stakes.MissingExtraError, match=r"pip install 'stakes\[mlflow\]'"):
        stakes.mlflow.log_evaluation(records()["decisions"])  # type: ignore[arg-type]
    old = types.ModuleType("mlflow")
    old.__version__ = "2.22.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlflow", old)
    with pytest.raises(stakes.MissingExtraError, match=r"MLflow 3 or newer: got 2\.22\.1"):
        stakes.mlflow.log_evaluation(records()["decisions"])  # type: ignore[arg-type]


def test_the_entry_point_names_the_evaluator() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    (named,) = project["project"]["entry-points"]["mlflow.model_evaluator"].items()
    module, _, name = named[1].partition(":")
    assert (named[0], getattr(import_module(module), name)) == ("stakes", StakesEvaluator)


def test_the_evaluator_loads_nothing_with_mlflow() -> None:
    code = "import sys, stakes.mlflow.evaluator; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_metrics_are_selected_by_name_or_pattern() -> None:
    record = next(iter(records().values()))
    every, name = record.flat_metrics(), next(n for n in record.metrics() if n.endswith(".nec"))
    own = {n: value for n, value in every.items() if n in (name, f"{name}.low", f"{name}.high")}
    assert len(own) == 3
    assert record.flat_metrics(name) == record.flat_metrics([name]) == own
    assert own.items() <= record.flat_metrics("*.nec").items() <= every.items()
    assert repr(record.flat_metrics("*")) == repr(every)
    seen: dict[str, float] = {}
    logged = record.log_to(seen.update, together=True, prefix="val/", metrics=[name])
    assert logged == seen == {f"val/{n}": value for n, value in own.items()}


def test_a_metric_that_is_not_there_is_refused() -> None:
    record = next(iter(records().values()))
    name = next(n for n in record.metrics() if n.endswith(".nec"))
    for pattern, meant in (("nec", f"{name!r}"), (f"{name}k", f"mean {name!r}"), ("", "''")):
        _refused(record, pattern, meant)


def _refused(record: Tracked, pattern: str, meant: str) -> None:
    with pytest.raises(stakes.InputError, match="metrics must be names of flat_metrics") as caught:
        record.log_to(print, metrics=[pattern])
    assert meant in str(caught.value)
