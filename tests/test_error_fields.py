"""Errors carry fields; nothing reads or edits the text of a message."""

import ast
import copy
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stakes
from command import call
from stakes._errors import (
    Action,
    FileError,
    InputError,
    MissingExtraError,
    Place,
    PlacedText,
    StakesError,
)
from stakes.cli.places import said, told_in_place
from stakes.io import read_columns
from test_errors import MESSAGES

SOURCE = Path(stakes.__file__).parent
CUTTING = {
    "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace",
    "rpartition", "rsplit", "split", "startswith", "translate",
}  # fmt: skip


@pytest.mark.parametrize(
    "call_it", [pytest.param(each, id=f"{i} {name}") for i, (name, each, _) in enumerate(MESSAGES)]
)
def test_a_message_that_begins_with_an_argument_carries_it(call_it: Callable[[], object]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call_it()
    error = caught.value
    begins = re.match(r"([a-z][a-z_0-9]*) (must|needs|are for|is for)\b", str(error))
    if begins is not None:
        assert error.argument == begins[1]
    if error.argument is not None:
        assert str(error).startswith(f"{error.argument} {error.rule}")
    row = re.search(r"\brow (\d+)", str(error))
    if row is not None and error.place is not None:
        assert error.place.row == int(row[1])
    _same(pickle.loads(pickle.dumps(error)), error)  # noqa: S301  our own bytes


def _same(one: StakesError, other: StakesError) -> None:
    assert (type(one), str(one), one.args) == (type(other), str(other), other.args)
    assert repr(vars(one)) == repr(vars(other))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InputError("A whole sentence."), "A whole sentence."),
        (InputError("level", "must be below 1", 3), "level must be below 1: got 3."),
        (InputError("w", "must be finite", "inf", row=3), "w must be finite: got inf at row 3."),
        (InputError("w", "must be so", hint="Do it."), "w must be so. Do it."),
        (InputError("w", "must add up", found="all are 0"), "w must add up: all are 0."),
        (
            InputError("w", "must be so", found="most of all", row=2, more=" with 1"),
            "w must be so: most of all row 2 with 1.",
        ),
        (
            InputError(None, "must be a number", "x", place=Place(file="t.csv", line=5, column="p")),
            "t.csv, line 5: column 'p' must be a number: got x.",
        ),
        (FileError("It is there.", hint=Action("replace_file")), "It is there. Pass force=True to replace it."),
        (MissingExtraError("It is not there."), "It is not there."),
    ],
)  # fmt: skip
def test_fields_make_the_message_and_survive(error: StakesError, text: str) -> None:
    assert str(error).startswith(text)
    assert error.args == (str(error),)
    _same(pickle.loads(pickle.dumps(error)), error)  # noqa: S301  our own bytes
    _same(copy.copy(error), error)
    with pytest.raises(StakesError) as caught:
        raise error.moved(source="here") from error
    assert str(caught.value) == f"here: {error}"
    assert str(error).startswith(text)


def test_an_edge_says_an_action_its_own_way() -> None:
    with pytest.raises(InputError) as caught:
        stakes.Posteriors([[0.5, 0.9]])
    assert isinstance(caught.value.hint, Action)
    assert caught.value.hint.code == "renormalize"
    assert "Posteriors(scores, renormalize=True)" in str(caught.value)
    assert "give --renormalize" in said(caught.value)
    assert "Posteriors" not in said(caught.value)


def test_a_text_about_a_place_can_be_said_of_another() -> None:
    text = PlacedText("at (", Place(row=3), "), and row 3 stays.")
    assert text == "at (row 3), and row 3 stays."
    moved = pickle.loads(pickle.dumps(text)).moved(Place(file="t.csv", line=5))  # noqa: S301
    assert moved == "at (t.csv, line 5), and row 3 stays."


def test_the_label_row_1_is_not_taken_for_a_row(tmp_path: Path) -> None:
    lines = ["y,p,w", "row 1,0.2,1", "row 0,0.4,1", "row 2,0.6,1"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    scores = ("--label", "y", "--scores", "p", "--scores-are", "posteriors")
    done = call("evaluate", "t.csv", *scores, "--classes", "row 1,row 0", cwd=tmp_path)
    assert done.returncode == 3
    assert "t.csv: column 'y' must hold labels of the classes" in done.stderr
    assert "'row 1', 'row 0'" in done.stderr
    assert "got 'row 2' at t.csv, line 4" in done.stderr
    table = read_columns(tmp_path / "t.csv", ("y",), ("p", "w"))
    with (
        pytest.raises(InputError) as caught,
        told_in_place(table, {"y_true": "y", "sample_weight": "w"}),
    ):
        stakes.confusion_matrix(table.texts("y"), table.texts("y"), classes=["row 1", "row 0"])
    assert caught.value.place == Place(file="t.csv", line=4)
    assert str(caught.value).startswith(
        "t.csv: column 'y' must hold labels of the classes 'row 1', 'row 0': got 'row 2' at t.csv, line 4."
    )


@cache
def _modules() -> list[tuple[Path, ast.Module]]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [(p.relative_to(SOURCE), ast.parse(p.read_text(encoding="utf-8"))) for p in paths]


def _texts_of_errors(tree: ast.Module) -> set[str]:
    """Return the expressions that are texts of caught errors."""
    names = {n.name for n in ast.walk(tree) if isinstance(n, ast.ExceptHandler) and n.name}
    if not names:
        return set()
    texts = {f"str({name})" for name in names} | {f"{name}.args[0]" for name in names}
    given = [n for n in ast.walk(tree) if isinstance(n, ast.Assign)]
    return texts | {
        ast.unparse(n.targets[0]) for n in given if ast.unparse(n.value) in texts
    }  # fmt: skip


def test_no_text_of_an_error_is_parsed_or_edited() -> None:
    found = []
    for path, tree in _modules():
        texts = _texts_of_errors(tree)
        for node in ast.walk(tree) if texts else ():
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) in texts:
                found.append(f"{path}:{node.lineno}")
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner = ast.unparse(node.func.value)
            cut = owner in texts and node.func.attr in CUTTING
            searched = owner == "re" and any(ast.unparse(a) in texts for a in node.args)
            if cut or searched:
                found.append(f"{path}:{node.lineno}")
    assert found == []


def test_the_library_names_no_option_of_the_command_line() -> None:
    found = []
    for path, tree in _modules():
        if path.parts[0] == "cli":
            continue
        nodes = list(ast.walk(tree))
        scopes = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docs = {ast.get_docstring(n, clean=False) for n in nodes if isinstance(n, scopes)}
        found += [
            f"{path}:{n.lineno}: {n.value}"
            for n in nodes
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value not in docs
            if re.search(r"(?<![-\w])--[a-z]", n.value)
        ]
    assert found == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("'abc'", "'abc'"),
        ("x" * 200, "x" * 200),
        ("x" * 201, f"{'x' * 30} … {'x' * 22}"),
        (repr(np.eye(2)), "array([[1., 0.], [0., 1.]])"),
        (
            repr(pd.DataFrame({"a": range(90)})),
            "a 0 0 1 1 2 2 3 3 4 4 .. .. 85 … [90 rows x 1 columns]",
        ),
    ],
)
def test_a_long_value_is_shown_by_its_ends(value: str, shown: str) -> None:
    assert InputError("scores", "must be numbers", value).value == shown


def test_a_wrong_container_does_not_print_itself() -> None:
    table: Any = np.arange(3000).reshape(-1, 2) % 2 == 0
    frame: Any = pd.DataFrame(table)
    for wrong in (table, frame, [[0.1] * 9] * 900, {"a": table}, table[:, 0]):
        asks: list[Callable[[Any], object]] = [
            stakes.evaluate_responses,
            lambda x: stakes.compare_responses({"m0": x, "m1": x}),
            lambda x: stakes.evaluate([0, 1], [0.2, 0.7], level=x),
            lambda x: stakes.evaluate([0, 1], [0.2, 0.7], calibrator=x),
            lambda x: stakes.expected_loss(x, [0, 1], [0.2, 0.7]),
            stakes.evaluate_decisions,
        ]
        for ask in asks:
            with pytest.raises(stakes.StakesError) as caught:
                ask(wrong)
            assert len(str(caught.value)) < 400
            assert "\n" not in str(caught.value)
