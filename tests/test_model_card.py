"""Model cards: the numbers of the evaluation, names that stay names, sections that people read."""

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes

NAMES = ("we|ll: #1", "---\nill \"' <b>*é*</b> 😀\u202e")
GIVEN: dict[str, Any] = {"dataset": "Test: 'set' | 1", "task": "tabular-classification"}
FULL = GIVEN | {
    "dataset_id": "org/data", "split": "test", "licence": "apache-2.0", "language": ["en", "de"],
    "tags": ["a: b", "#c"], "library": "sklearn", "intended_use": "For **triage** only.",
    "limitations": "Not for children.",
}  # fmt: skip
CELL = re.compile(r"(?<!\\)\|")


@cache
def evaluation(classes: tuple[str, str] = NAMES, priors: tuple[float, float] | None = None) -> Any:  # noqa: ANN401
    rng = np.random.default_rng(4)
    ill = rng.random(240) < 0.4
    p = 1 / (1 + np.exp(-(2 * ill - 1 + rng.normal(size=240))))
    costs = stakes.CostMatrix([[0, 1], [5, 0]], classes=classes)
    y = np.array(classes, dtype=object)[ill.astype(int)]
    wards = {"wa|rd": rng.choice(["n|1", "s"], 240)}
    return stakes.evaluate(
        y, p, costs=costs, priors=priors, training_priors="deployment", slices=wards
    )


@cache
def decisions() -> Any:  # noqa: ANN401
    y = np.array(["well"] * 20 + ["ill"] * 20)
    counts = stakes.confusion_matrix(y, y, classes=("well", "ill"))
    return stakes.evaluate_decisions(counts)


def front(card: str) -> dict[str, Any]:
    """Return the values of the front matter, each of which is JSON on one line."""
    _, matter, _ = re.split(r"^---$", card, maxsplit=2, flags=re.MULTILINE)
    out: dict[str, Any] = {"metrics": []}
    for line in matter.strip().splitlines():
        key, _, value = line.strip().removeprefix("- ").partition(": ")
        if line.startswith("    - "):
            out["metrics"].append(json.loads(line.removeprefix("    - ")))
        elif value:
            out[key] = json.loads(value)
    return out


def body(card: str) -> str:
    return re.split(r"^---$", card, maxsplit=2, flags=re.MULTILINE)[2]


def sections(card: str) -> dict[str, str]:
    parts = re.split(r"^## (.*)\n", body(card), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("record", [evaluation, decisions])
def test_every_number_is_in_the_model_index(record: Any) -> None:  # noqa: ANN401
    made = record()
    found = {m["name"]: m for m in front(made.to_model_card("m", **GIVEN))["metrics"]}
    assert list(found) == list(made.metrics())
    flat = made.flat_metrics()

    def number_of(end: float | None) -> float | str | None:
        return "inf" if end == math.inf else end

    for name, metric in found.items():
        if math.isfinite(flat[name]):
            assert metric["value"] == flat[name]
        else:
            assert metric["value"] in {"inf", "-inf", "undefined"}
        args = metric.get("args", {})
        assert args.get("low") == number_of(flat.get(f"{name}.low"))
        assert args.get("high") == number_of(flat.get(f"{name}.high"))
        if f"{name}.naive" in flat:
            assert args["naive"] == flat[f"{name}.naive"]
        assert ("level" in args) == (f"{name}.low" in flat)
    assert found["cost.nec"]["args"]["naive"] == 1
    if made is decisions():
        assert found["cost.positive_likelihood_ratio"]["value"] == "inf"


def test_the_hub_has_its_own_names_for_the_same_metrics_only() -> None:
    def types(made: Any) -> dict[str, str]:  # noqa: ANN401
        return {m["name"]: m["type"] for m in front(made.to_model_card("m", **GIVEN))["metrics"]}

    plain = types(evaluation())
    assert (plain["cost.accuracy"], plain["auc"]) == ("accuracy", "roc_auc")
    assert (plain["cost.sensitivity"], plain["cost.f1_score"]) == ("recall", "f1")
    assert plain["cost.nec"] == "cost.nec"
    moved = types(evaluation(NAMES, (0.9, 0.1)))  # accuracy at other priors is another number
    assert all(name == kind for name, kind in moved.items())
    y = np.arange(90) % 3
    three = types(stakes.evaluate(y, np.eye(3)[y] * 0.7 + 0.1))
    assert three["cost.accuracy"] == "accuracy"
    assert three["brier_score.value"] == "brier_score.value"


def test_fields_of_the_hub_are_those_that_are_given() -> None:
    found = front(evaluation().to_model_card("My model", **FULL))
    assert found["name"] == "My model"
    assert (found["license"], found["library_name"]) == ("apache-2.0", "sklearn")
    assert (found["language"], found["tags"]) == (["en", "de"], ["a: b", "#c"])
    assert found["datasets"] == ["org/data"]
    assert found["task"] == {"type": "tabular-classification"}
    assert found["dataset"] == {"type": "org/data", "name": "Test: 'set' | 1", "split": "test"}
    bare = front(evaluation().to_model_card("m", **GIVEN))
    assert bare.keys() == {"name", "task", "dataset", "metrics"}
    assert bare["dataset"] == {"type": "test_set_1", "name": "Test: 'set' | 1"}
    assert front(evaluation().to_model_card("m", language="en", **GIVEN))["language"] == ["en"]


def test_sections_say_what_people_ask() -> None:
    made = evaluation(NAMES, (0.9, 0.1))
    found = sections(made.to_model_card("m", **FULL))
    assert list(found) == [
        "Intended use", "Results", "What the numbers say", "Slices", "Caveats",
        "How this was computed",
    ]  # fmt: skip
    use = found["Intended use"]
    assert use.startswith("\nFor **triage** only.\n")
    assert "| 0.9000 | 0 | 1 |" in use
    assert "| 0.1000 | 5 | 0 |" in use
    assert "shares are as specified" in use
    nec, naive = made.main.cost.normalized, made.main.cost.raw.naive
    results = found["Results"]
    assert f"| normalised expected cost (NEC) | {str(nec).split()[0]} |" in results
    assert str(nec.interval) in results
    row = next(line for line in results.splitlines() if "expected cost per case" in line)
    assert row.endswith(f"| {stakes._text.number(naive)} | lower |")
    said = [line for line in found["What the numbers say"].splitlines() if line]
    assert len(said) == len(made.verdicts)
    assert found["Slices"].count("\n| wa\\|rd |") == 2
    assert "Not for children." in found["Caveats"]
    assert "given above" in found["Caveats"]
    assert f"stakes {stakes.__version__}; seed 0;" in found["How this was computed"]
    assert "affine calibrator" in found["How this was computed"]
    short = sections(decisions().to_model_card("m", **GIVEN))
    assert "Slices" not in short
    assert "those of the data" in short["Intended use"]


def test_names_break_no_table_and_run_nothing() -> None:
    card = evaluation().to_model_card("<script>|x\u202e\x85", **FULL)
    text = body(card)
    assert "<script>" not in text
    assert "<b>" not in text
    assert not {"\u202e", "\x85"} & set(card)  # which YAML refuses, or which turn a line around
    widths: list[int] = []
    for line in text.splitlines():
        if line.startswith("|"):
            widths.append(len(CELL.findall(line)))
        elif widths:
            assert len(set(widths)) == 1, line
            widths = []
    assert re.search(r"^---", text, re.MULTILINE) is None
    assert front(card)["name"] == "<script>|x\\u202e\\x85"


def test_several_applications_stand_beside_each_other() -> None:
    y = np.arange(60) % 2
    p = np.where(y == 1, 0.8, 0.3)
    uses = {
        "home": stakes.Application([[0, 1], [5, 0]]),
        "ward": stakes.Application([[0, 1], [9, 0]], [0.9, 0.1]),
    }
    made = stakes.evaluate(y, p, costs=uses, training_priors="data")
    card = made.to_model_card("m", **GIVEN)
    types = {m["name"]: m["type"] for m in front(card)["metrics"]}
    assert types["ward.nec"] == "ward.nec"
    results = sections(card)["Results"]
    assert "normalised expected cost (NEC), home" in results
    assert "accuracy, ward" in results
    use = sections(card)["Intended use"]
    assert "home: Decisions are evaluated" in use
    assert "| 1 | 0.1000 | 9 | 0 |" in use
    assert "home: those of the data, ward: as specified" in use


def test_many_classes_are_not_laid_out() -> None:
    y = np.arange(250) % 25
    made = stakes.evaluate(y, np.eye(25)[y] * 0.5 + 0.02, calibrator=None)
    use = sections(made.to_model_card("m", **GIVEN))["Intended use"]
    assert "25 classes, 25 decisions: too many to show" in use


def test_costs_by_case_are_said() -> None:
    y = np.arange(60) % 2
    table = np.tile(np.array([[0.0, 1.0], [5.0, 0.0]]), (60, 1, 1))
    table[:, 1, 0] += np.arange(60)
    costs = stakes.SampleCosts(table)
    made = stakes.evaluate(y, np.where(y == 1, 0.8, 0.3), costs=costs)
    assert "vary by case" in sections(made.to_model_card("m", **GIVEN))["Intended use"]


def test_a_card_is_saved_whole(tmp_path: Path) -> None:
    made = decisions()
    file = tmp_path / "README.md"
    file.write_text("older and longer " * 10_000)
    made.save_model_card(file, "m", **GIVEN)
    assert file.read_text(encoding="utf-8") == made.to_model_card("m", **GIVEN)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dataset": ""}, r"dataset must be a text: got ''\."),
        ({"task": None}, r"task must be a text: got None\."),
        ({"tags": "a"}, r"tags must be a list of strings: got 'a'\. Pass \['a'\]\."),
    ],
)
def test_what_is_missing_is_said(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(stakes.InputError, match=message):
        decisions().to_model_card("m", **(GIVEN | fields))
    with pytest.raises(stakes.InputError, match="dataset"):
        decisions().to_model_card("m", task="x")


def test_a_card_says_which_of_its_fields_are_missing() -> None:
    record = evaluation()
    for given in ({}, {"dataset": "d"}, {"task": "tabular-classification"}):
        with pytest.raises(stakes.InputError, match=r"dataset='...' and task='tabular") as caught:
            record.to_model_card("org/churn", **given)
        assert caught.value.argument not in given
    with pytest.raises(stakes.InputError, match=r"got license. Did you mean 'licence'"):
        record.to_model_card("org/churn", **GIVEN, license="mit")
