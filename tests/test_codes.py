"""Every code in the source has an entry, and every entry is complete, true and runs."""

import ast
import copy
import inspect
import json
import pickle
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import code_pages
import exports
import stakes
from command import DECIDED, QUICK, TABLE as DECISIONS, call, write_answers, write_scores
from stakes._check import read_number
from stakes._codes import FILES, CodeExplanation, codes, explain_code
from stakes._errors import AddressError, EngineError, InputError, ResourceError, StakesError
from stakes._files import refuse_taken
from stakes.cli.commands import command
from stakes.io import read_columns
from test_reference import _verdict_codes

SOURCE = exports.SOURCE / "stakes"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
OF_KIND = {kind: {c for c, e in codes().items() if e.kind == kind} for kind in FILES.values()}
NO_COMMAND = {"judge_generous", "judge_strict", "judge_bias_unclear", "human_rows_differ"}


def kinds_of_error(kind: type[StakesError] = StakesError) -> Iterator[type[StakesError]]:
    """Yield the kinds of error that `_errors` declares."""
    for each in kind.__subclasses__():
        if each.__module__ == "stakes._errors":
            yield each
        yield from kinds_of_error(each)


def error_codes() -> set[str]:
    """Return the codes that errors are given where they are raised: texts of `code=`."""
    found: set[str] = set()
    for tree in TREES.values():
        names = {
            str(value)
            for call_ in ast.walk(tree)
            if isinstance(call_, ast.Call)
            for word in call_.keywords
            if word.arg == "code"
            for value in _texts(word.value, tree)
        }
        found |= names
    return found


def _texts(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, tree)
        yield from _texts(node.orelse, tree)
    elif isinstance(node, ast.Name):
        for part in ast.walk(tree):
            if isinstance(part, ast.Assign):
                for target in part.targets:
                    yield from _assigned(node.id, target, part.value, tree)


def _assigned(name: str, target: ast.expr, value: ast.expr, tree: ast.Module) -> Iterator[str]:
    if isinstance(target, ast.Name) and target.id == name:
        yield from _texts(value, tree)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, own in zip(target.elts, value.elts, strict=True):
            yield from _assigned(name, each, own, tree)


def undefined_codes() -> set[str]:
    """Return the codes of undefined values."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in TREES)
    return set(re.findall(r'Undefined\(\s*"([a-z_]+)"', text))


def test_codes_of_the_source_are_those_of_the_registry() -> None:
    assert _verdict_codes() == OF_KIND["verdict"]
    assert undefined_codes() == OF_KIND["undefined value"]
    assert {kind.code for kind in kinds_of_error()} == OF_KIND["kind of error"]
    assert error_codes() == OF_KIND["error"]


def test_no_code_is_there_twice() -> None:
    folder = SOURCE / "_codes"
    assert {path.stem for path in folder.glob("*.toml")} == set(FILES)
    tables = [tomllib.loads((folder / f"{name}.toml").read_text("utf-8")) for name in FILES]
    counts = Counter(code for table in tables for code in table)
    assert [code for code, n in counts.items() if n > 1] == []
    assert set(counts) == set(codes())


@pytest.mark.parametrize("code", codes())
def test_an_entry_is_complete(code: str) -> None:
    entry = codes()[code]
    assert re.fullmatch("[a-z_]+", code)
    for name in ("meaning", "rule", "advice"):
        text = getattr(entry, name)
        assert text.endswith("."), name
        assert text[0].isupper() or text[0] == "`", name
    assert entry.example.strip()
    assert (entry.python == "") == (code == "missing_extra")
    assert (entry.command == "") == (code in NO_COMMAND)
    assert max(map(len, str(entry).splitlines())) <= 80


@pytest.mark.parametrize("code", codes())
def test_what_an_entry_advises_can_be_typed(code: str) -> None:
    entry = codes()[code]
    for node in ast.walk(ast.parse(entry.python)):
        if isinstance(node, ast.Attribute) and _is_ours(node):
            _public(ast.unparse(node))
        if isinstance(node, ast.ImportFrom):
            module = import_module(str(node.module))
            assert all(hasattr(module, each.name) for each in node.names)
        if isinstance(node, ast.Call) and _is_ours(node.func):
            _takes(_public(ast.unparse(node.func)), node)
    words = shlex.split(entry.command)
    if words[:1] == ["stakes"]:
        known = command(words[1])
        options = {name for each in known.params for name in each.opts}
        assert {w for w in words if w.startswith("-") and w != "-"} <= options | {"--help"}


def _is_ours(node: ast.expr) -> bool:
    return re.fullmatch(r"stakes\.[\w.]+", ast.unparse(node)) is not None


def _public(name: str) -> Any:  # noqa: ANN401
    found: Any = stakes
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def _takes(function: Any, call_: ast.Call) -> None:  # noqa: ANN401
    given = inspect.signature(function).parameters
    if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in given.values()):
        assert {word.arg for word in call_.keywords} <= set(given)


def literals() -> list[str]:
    """Return the texts of the modules that make verdicts, the longest first."""
    names = [
        p for part in ("evaluation", "responses", "sklearn") for p in (SOURCE / part).rglob("*.py")
    ]
    nodes = [n for path in [*names, SOURCE / "results.py"] for n in ast.walk(TREES[path])]
    texts = {
        n.value.strip() for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    texts |= {text[:1].upper() + text[1:] for text in texts}  # sentences begin with capitals
    return sorted((text for text in texts if len(text) > 1), key=len, reverse=True)


LITERALS = literals()
NAMES = re.compile(r"'[\w ]+'|\b(?:new|old|site [A-Z]|topic law)\b")


@pytest.mark.parametrize("code", sorted(OF_KIND["verdict"]))
def test_an_example_of_a_verdict_has_the_words_of_its_sentence(code: str) -> None:
    left = NAMES.sub(" ", codes()[code].example)
    for text in LITERALS:
        left = left.replace(text, "\0")
    assert set(re.findall(r"[A-Za-z-]{3,}", left)) <= {"cross-entropy"}  # the name of a rule


Y, P = np.array([0, 1, 1]), np.array([0.2, 0.7, 0.9])
RAISED: dict[str, Callable[[], object]] = {
    "input_error": lambda: read_number(3, "level", 0, 1, closed=(False, False)),
    "not_posteriors": lambda: stakes.cross_entropy([0, 1], [0.2, 1.4]),
    "percent_not_probability": lambda: stakes.cross_entropy([0, 1], [[60, 40], [30, 70]]),
    "decisions_not_scores": lambda: stakes.cross_entropy([0, 1] * 100, [0, 1] * 100),
    "rows_do_not_sum_to_one": lambda: stakes.cross_entropy([0, 1], [[0.5, 0.5], [0.5, 0.6]]),
    "not_log_posteriors": lambda: stakes.LogPosteriors([[-0.1, -2.4], [0.5, -1]]),
    "missing_score": lambda: stakes.cross_entropy([0, 1], [0.2, np.nan]),
    "not_a_number": lambda: stakes.cross_entropy([0, 1], np.array([0.2, "0,7"], dtype=object)),
    "missing_label": lambda: stakes.cross_entropy(["a", None], [0.2, 0.7]),
    "unknown_label": lambda: stakes.cross_entropy(["a", "B"], [0.2, 0.7], classes=["a", "b"]),
    "labels_of_two_kinds": lambda: stakes.confusion_matrix(["a", "b"], [0, 1]),
    "lengths_differ": lambda: stakes.cross_entropy([0, 1, 1], [0.2, 0.7]),
    "columns_per_class": lambda: stakes.cross_entropy([0, 1, 2], [0.2, 0.7, 0.8]),
    "class_without_samples": lambda: stakes.cross_entropy([0, 0], [0.2, 0.7], priors=[0.5, 0.5]),
    "two_classes_needed": lambda: stakes.confusion_matrix([0, 1, 2], [0, 1, 2]).precision(),
    "priors_do_not_sum_to_one": lambda: stakes.cross_entropy(Y, P, priors=[0.5, 0.6]),
    "training_priors_needed": lambda: stakes.evaluate(Y, P, priors=[0.5, 0.5]),
    "priors_of_other_classes": lambda: stakes.cross_entropy(Y, P, priors=[0.5, 0.3, 0.2]),
    "cost_matrix_shape": lambda: stakes.CostMatrix([0, 1]),
    "negative_cost": lambda: stakes.CostMatrix([[0, 1], [-1, 0]]),
    "arguments_swapped": lambda: stakes.AffineCalibrator().fit(Y, P),
    "confidence_not_probability": lambda: stakes.Responses([1, 0], [90, 55]),
    "file_not_found": lambda: read_columns("none.csv", texts=["y"], numbers=["p"]),
    "unknown_file_kind": lambda: read_columns("t.dat", texts=["y"], numbers=["p"]),
    "file_exists": lambda: refuse_taken("there.html", force=False),
    "column_not_found": lambda: read_columns("t.csv", texts=["z"], numbers=["p"]),
    "empty_table": lambda: read_columns("empty.csv", texts=["y"], numbers=["p"]),
    "not_utf_eight": lambda: read_columns("latin.csv", texts=["y"], numbers=["p"]),
    "fields_differ": lambda: read_columns("ragged.csv", texts=["y"], numbers=["p"]),
    "unsafe_file": lambda: read_columns("scores.pkl", texts=["y"], numbers=["p"]),
    "file_too_large": lambda: read_columns(
        "scores.csv", texts=["y"], numbers=["p"], max_bytes=1000
    ),
    "file_error": lambda: refuse_taken("out/report.html", force=False),
    "address_not_supported": lambda: read_columns("https://host/scores.csv", texts=["y"]),
    "undefined_metric": lambda: stakes.CostMatrix([[0, 0], [0, 0]]).threshold(),
}
ELSEWHERE = {"missing_extra", "engine_error", "damaged_file"}  # need an engine, or a damaged file


def test_every_error_is_raised_here() -> None:
    assert OF_KIND["error"] | OF_KIND["kind of error"] == set(RAISED) | ELSEWHERE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "t.csv": "y,p\na,0.5\n",
        "t.dat": "y,p\na,0.5\n",
        "empty.csv": "y,p\n",
        "ragged.csv": "y,p\na,0.5,1\n",
        "there.html": "",
        "scores.csv": "y,p\n" + "a,0.5\n" * 200,
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("latin.csv").write_bytes("y,p\ncafé,0.5\n".encode("latin-1"))
    return tmp_path


@pytest.mark.parametrize("code", RAISED)
def test_an_error_has_its_code_and_the_example_is_its_message(code: str, folder: Path) -> None:
    assert folder.is_dir()
    with pytest.raises(StakesError) as caught:
        RAISED[code]()
    error = caught.value
    assert error.code == code
    assert str(error) == codes()[code].example
    assert vars(error.explanation) == vars(codes()[code])
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), error.moved(source="t")):  # noqa: S301
        assert same.code == code


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (stakes.ConfusionMatrix.from_counts([[9, 0], [1, 0]]).precision, "zero_over_zero"),
        (stakes.ConfusionMatrix.from_counts([[9, 0], [1, 0]]).matthews, "zero_margin"),
        (stakes.ConfusionMatrix.from_counts([[9, 1], [0, 0]]).sensitivity, "no_samples"),
    ],
)
def test_an_undefined_value_has_the_text_of_the_example(made: Callable[[], Any], code: str) -> None:
    found = made().undefined
    assert (found.code, found.text) == (code, codes()[code].example)
    assert found.explanation is codes()[code]


def test_no_naive_cost_has_the_text_of_the_example() -> None:
    found = stakes.bayes_cost(Y, P, priors=[0, 1]).undefined
    assert found is not None
    assert found.text == found.explanation.example


def test_a_verdict_offers_its_explanation() -> None:
    data = stakes.simulation.simulate(2, n=300)
    for verdict in stakes.evaluate(data.y, data.posteriors([0.1, 0.9])).verdicts:
        assert verdict.explanation == explain_code(verdict.code)
        assert verdict.explanation.kind == "verdict"


def test_an_unknown_code_is_refused_with_near_ones() -> None:
    with pytest.raises(InputError, match=r"got 'few_error'. Did you mean 'few_errors'"):
        explain_code("few_error")
    with pytest.raises(InputError, match="must be one of 'useful', "):
        explain_code("xyzzy")


@pytest.mark.parametrize(
    ("path", "text"), code_pages.pages().items(), ids=lambda each: str(each)[-40:]
)
def test_every_code_has_a_page(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run `make exports`"


def test_there_is_no_page_without_a_code() -> None:
    assert {path.stem for path in code_pages.FOLDER.glob("*.md")} == {*codes(), "README"}


def test_overviews_link_to_every_page() -> None:
    for page, kinds in (
        ("verdicts", ["verdict"]),
        ("errors", [k for k in OF_KIND if k != "verdict"]),
    ):
        text = (exports.DOCS / f"{page}.md").read_text(encoding="utf-8")
        linked = set(re.findall(r"\[`([a-z_]+)`\]\(codes/\1\.md\)", text))
        assert linked == set().union(*(OF_KIND[kind] for kind in kinds))


def test_the_command_prints_entries() -> None:
    done = call("explain", "few_errors", "useful", "few_errors")
    assert done.returncode == 0
    assert done.stdout == f"{codes()['few_errors']}\n\n{codes()['useful']}\n"
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [("explain",), ("explain", "--list")])
def test_the_command_lists_all_codes(arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert done.returncode == 0
    assert re.findall(r"^  ([a-z_]+): ", done.stdout, re.MULTILINE) == list(codes())
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_command_refuses_an_unknown_code() -> None:
    done = call("explain", "few_error")
    assert (done.returncode, done.stdout) == (2, "")
    assert "got 'few_error'. Did you mean 'few_errors'" in done.stderr
    assert call("explain", "--list", "useful").returncode == 2


def test_an_error_on_the_command_line_points_to_its_page(folder: Path) -> None:
    done = call("evaluate", "none.csv", "--label", "y", "--decision", "d", cwd=folder)
    assert done.stderr.splitlines()[-1] == "See: stakes explain file_not_found"
    done = call("evaluate", "t.csv", "--label", "z", "--decision", "p", cwd=folder)
    assert done.stderr.splitlines()[-1] == "See: stakes explain column_not_found"
    done = call("evaluate", "t.csv", "--no-such-option", cwd=folder)
    assert "stakes explain" not in done.stderr  # it points to the help


COMPARED = (
    *("compare", "scores.csv", "--label", "y"),
    *("--system", "a=p_alarm", "--system", "b=p_calm,p_alarm"),
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", *QUICK),
        ("evaluate", "table.csv", *DECIDED),
        (*COMPARED, "--scores-are", "posteriors", "--positive", "alarm"),
        ("answers", "answers.csv", "--outcome", "outcome"),
        ("answers", "answers.csv", "--outcome", "outcome", "--model", "model", "--question", "id"),
    ],
)
def test_a_screen_ends_with_what_explains_its_verdicts(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    write_answers(tmp_path / "answers.csv")
    (tmp_path / "table.csv").write_text(DECISIONS)
    document = json.loads(call(*arguments, "--json", cwd=tmp_path).stdout)
    shown = call(*arguments, cwd=tmp_path).stdout.replace(" \\\n     ", "")
    typed = re.findall(r"^  why: stakes explain (.*)$", shown, re.MULTILINE)
    said = dict.fromkeys(verdict["code"] for verdict in document["verdicts"])
    assert [line.split() for line in typed] == [list(said)]


def test_an_explanation_is_a_record() -> None:
    entry = codes()["few_errors"]
    assert entry.to_dict() == vars(entry)
    assert CodeExplanation(**entry.to_dict()) == entry


def test_kinds_without_a_code_of_their_own_have_that_of_their_kind() -> None:
    assert InputError("x", "must be so").code == "input_error"
    assert ResourceError("It is large.").code == "file_too_large"
    assert EngineError("It failed.").explanation.kind == "kind of error"
    assert AddressError("It is one.", code="unknown_label").code == "unknown_label"
