"""The playground without a browser: its page's functions in node, its Python, its assembly."""

import csv
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stakes
from stakes._errors import _PYTHON_HINTS

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "playground"
NODE = shutil.which("node")


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bridge() -> ModuleType:
    return loaded(PAGE / "bridge.py")


def request_of(name: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what the page asks for a table of the package."""
    text = (Path(stakes.__file__).parent / "data" / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    columns = {key: [row[i] for row in rows[1:]] for i, key in enumerate(rows[0])}
    lines = list(range(2, len(rows) + 1))
    return {
        "name": f"{name}.csv", "delimiter": ",", "columns": columns, "lines": lines,
        "label": "diagnosis", "scores": ["log_odds"], "kind": "Logits",
        "classes": ["benign", "malignant"], "costs": [[0, 1], [20, 0]], "priors": None, "training": None,
        "groups": None, "slices": [],
    } | fields  # fmt: skip


def test_the_page_reads_tables() -> None:
    if NODE is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is needed to test the playground")
        pytest.skip("node is needed to test the playground")
    done = subprocess.run(
        [NODE, "--test", TOP / "tests" / "playground_table.test.mjs"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_answer_is_that_of_evaluate(bridge: ModuleType) -> None:
    request = request_of("breast", slices=["size"], priors=[0.9, 0.1], training="data")
    found = json.loads(bridge.evaluate(json.dumps(request)))
    columns = request["columns"]
    expected = stakes.evaluate(
        columns["diagnosis"], stakes.Logits([float(x) for x in columns["log_odds"]]),
        classes=["benign", "malignant"], costs=[[0, 1], [20, 0]], priors=[0.9, 0.1], training_priors="data",
        slices={"size": columns["size"]},
    )  # fmt: skip
    assert [v["text"] for v in found["verdicts"]] == [v.text for v in expected.verdicts]
    assert [name for name, _, _ in found["numbers"]] == list(expected.metrics())
    assert found["report"] == expected.to_html()
    assert bridge.namespace["evaluation"].metrics() == expected.metrics()


def test_columns_of_all_classes_and_groups(bridge: ModuleType) -> None:
    digits = [str(k) for k in range(10)]
    request = request_of(
        "digits", label="digit", scores=[f"p_{k}" for k in digits], kind="Posteriors",
        classes=digits, costs=None, groups="image",
    )  # fmt: skip
    assert "error" not in json.loads(bridge.evaluate(json.dumps(request)))


@pytest.mark.parametrize(
    ("column", "text", "sentence"),
    [
        ("log_odds", "much", "Column 'log_odds' must hold numbers: got 'much' at line 5."),
        ("log_odds", "1_0", "Column 'log_odds' must hold numbers: got '1_0' at line 5."),
        ("log_odds", "", "Column 'log_odds' must hold numbers: got '' at line 5."),
        ("log_odds", "nan", "Column 'log_odds' must "),
        ("diagnosis", "maligant", "Column 'diagnosis' must hold labels of the classes"),
    ],
)
def test_a_mistake_is_shown_with_its_line(
    bridge: ModuleType, column: str, text: str, sentence: str
) -> None:
    request = request_of("breast")
    request["columns"][column][3] = text
    error = json.loads(bridge.evaluate(json.dumps(request)))["error"]
    assert error["text"].startswith(sentence)
    assert "line 5" in error["text"]
    assert error["line"] == 5


def test_hints_are_words_of_the_page(bridge: ModuleType) -> None:
    request = request_of("breast", kind="Posteriors")
    error = json.loads(bridge.evaluate(json.dumps(request)))["error"]
    assert error["text"].endswith(" are not log odds: calibrate them first.")
    priors = json.loads(bridge.evaluate(json.dumps(request_of("breast", priors=[0.9, 0.9]))))
    assert priors["error"]["text"].startswith("The priors must ")
    assert priors["error"]["line"] is None


@pytest.mark.parametrize(
    ("low", "high", "hint"),
    [
        (0.01, 1.5, "If they are not probabilities, choose what they are."),
        (0, 100, "Percent? Divide by 100. "),
        (0.01, 3, "Percent? Divide by 100. Odds? Take their logarithm, and choose log odds."),
        (0.01, 4000.5, "Odds? Take their logarithm, and choose log odds."),
        (-9, -0.01, "Log probabilities? Turn them into probabilities."),
        (-9, 9.5, "Log odds? Choose them. "),
    ],
)
def test_scores_of_other_kinds_are_named_in_words_of_the_page(
    bridge: ModuleType, low: float, high: float, hint: str
) -> None:
    request = request_of("breast", kind="Posteriors")
    n = len(request["lines"])
    request["columns"]["log_odds"] = [repr(low + (high - low) * i / n) for i in range(1, n + 1)]
    error = json.loads(bridge.evaluate(json.dumps(request)))["error"]
    assert hint in error["text"]
    assert "Pass" not in error["text"]
    assert "stakes." not in error["text"]


def test_every_hint_of_the_page_is_of_an_action(bridge: ModuleType) -> None:
    assert set(bridge._HINTS) <= set(_PYTHON_HINTS)


def test_the_code_does_the_same(bridge: ModuleType, tmp_path: Path) -> None:
    request = request_of(
        "breast", slices=["size"], groups="patient", priors=[0.8, 0.2], training="data"
    )
    found = json.loads(bridge.evaluate(json.dumps(request)))
    source = Path(stakes.__file__).parent / "data" / "breast.csv"
    shutil.copy(source, tmp_path)
    command = [sys.executable, "-c", found["code"]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(bridge.namespace["evaluation"]).strip()
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found["report"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("1 + 1", "2\n"),
        ("x = 3\nprint(x)", "3\n"),
        ("'text'", "text\n"),
        ("None", ""),
        ("", ""),
        ("stakes.__name__", "stakes\n"),
    ],
)
def test_a_cell_prints_and_shows_its_last_value(bridge: ModuleType, code: str, shown: str) -> None:
    assert json.loads(bridge.run(code)) == {"text": shown, "failed": False}


def test_a_cell_keeps_names_and_shows_its_own_errors(bridge: ModuleType) -> None:
    bridge.run("x = 3")
    assert json.loads(bridge.run("x"))["text"] == "3\n"
    failed = json.loads(bridge.run("print('before')\n1 / 0"))
    assert failed["failed"]
    assert failed["text"].startswith("before\nTraceback")
    assert "bridge.py" not in failed["text"]
    refused = json.loads(bridge.run("stakes.cross_entropy([0, 1], [0.2, 1.4])"))
    assert refused["text"].startswith("InputError: scores must be posteriors: got 1.4 at row 1")
    assert json.loads(bridge.run("import sys; sys.exit()"))["failed"]
    assert json.loads(bridge.run("1 +"))["failed"]


def test_without_the_runtime_there_is_a_page_that_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = loaded(TOP / "docs" / "site" / "playground.py")

    def build(folder: Path) -> Path:
        wheel = folder / "stakes-0.1.0-py3-none-any.whl"
        wheel.write_bytes(b"wheel")
        return wheel

    monkeypatch.setattr(script, "build_wheel", build)
    script.assemble(tmp_path / "page", runtime=False)
    manifest = json.loads((tmp_path / "page" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["numpy"] is None
    assert manifest["wheel"] == "stakes-0.1.0-py3-none-any.whl"
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert {"index.html", "playground.mjs", "worker.js", "bridge.py", "data"} <= names
    assert not names & {"package.json", "package-lock.json", "pyodide"}


def test_versions_are_pinned_and_name_no_host() -> None:
    lock = json.loads((PAGE / "package-lock.json").read_text(encoding="utf-8"))
    wanted = json.loads((PAGE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    packages = lock["packages"]
    for name, version in wanted.items():
        assert packages[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in each for path, each in packages.items() if path)
    assert "://" not in json.dumps(lock)


def test_the_page_may_reach_its_own_address_only() -> None:
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "connect-src 'self';" in page
    for path in filter(Path.is_file, PAGE.iterdir()):
        assert "https://" not in path.read_text(encoding="utf-8"), path.name
