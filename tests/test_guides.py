"""The README and the how-to guides: every command is run as it is written, and prints what is shown.

Blocks of a page are run from top to bottom in one empty directory. `pycon` blocks are doctests,
`console` blocks are commands, each with what it prints; a line of three dots stands for lines that
were cut, three dots behind a blank for the rest of their line. A block with a file name behind its language is written to that file.

`python tests/test_guides.py docs/how-to/PAGE.md` writes what commands and Python examples print
into a page, where that is not what the page shows.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stakes
from stakes.cli import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
DATA = Path("src", "stakes", "data")  # of a clone, where the README reads it
NEEDED = {
    "cluster": ("distributed", "pyspark"),
    "harnesses": ("inspect_ai", "lm_eval"),
    "torch": ("torch", "lightning"),
    "trackers": ("mlflow",),
}
BLOCK = re.compile(
    r"^```(?P<kind>\w+)(?: (?P<name>\S+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)


class Shell:
    """The few commands that guides need, run in this process."""

    def __init__(self) -> None:
        self.code = 0

    def run(self, command: str) -> str:
        """Return what a command prints, errors too."""
        words = shlex.split(command.replace("\\\n", " "))
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        if words[0] == "head":
            lines = Path(words[2]).read_text(encoding="utf-8").splitlines(keepends=True)
            return "".join(lines[: -int(words[1])])
        if words[0] == "torchrun":  # as a process, since it starts others
            run = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *words[1:]]
            source = {"PYTHONPATH": str(Path(stakes.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
            told = {**os.environ, **source, "TORCH_CPP_LOG_LEVEL": "ERROR"}
            return subprocess.run(run, env=told, stdout=-1, text=True, check=True).stdout
        assert words[0] == "stakes", command
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                main(words[1:])
            except SystemExit as end:
                self.code = int(end.code or 0)
        return printed.getvalue()


class Recorder(doctest.DocTestRunner):
    """Runs examples, and notes what those print that print something else than is shown."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self,
        out: Any,  # noqa: ANN401
        test: doctest.DocTest,
        example: doctest.Example,
        got: str,
    ) -> None:
        super().report_failure(out, test, example, got)
        self.printed.append((example, got))

    def report_unexpected_exception(
        self,
        out: Any,  # noqa: ANN401
        test: doctest.DocTest,
        example: doctest.Example,
        exc_info: Any,  # noqa: ANN401
    ) -> None:
        super().report_unexpected_exception(out, test, example, exc_info)
        self.printed.append((example, f"{exc_info[0].__name__}: {exc_info[1]}\n"))

    def corrected(self, body: str) -> str:
        """Return the block with what its examples print."""
        lines = body.splitlines(keepends=True)
        for example, got in reversed(self.printed):
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = [got]
        return "".join(lines)


def runs(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each command of a page, what is shown and what it prints."""
    shell, names = Shell(), {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        if block["name"]:
            Path(block["name"]).write_text(block["body"], encoding="utf-8")
        elif block["kind"] == "pycon":
            test = doctest.DocTestParser().get_doctest(block["body"], names, "page", None, 0)
            failed, runner = io.StringIO(), Recorder(verbose=False)
            runner.run(test, out=failed.write, clear_globs=False)
            names = test.globs
            yield block["body"], "", runner.corrected(block["body"]) if failed.getvalue() else ""
        elif block["kind"] == "console":
            for found in COMMAND.finditer(block["body"]):
                yield found["command"], found["shown"], shell.run(found["command"])


def tidy(text: str) -> str:
    """Return lines without blanks at their ends."""
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


def fits(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, but for the lines it cuts."""
    parts = (re.escape(part) for part in re.split(r"^\.\.\.$", tidy(shown), flags=re.MULTILINE))
    pattern = r"(?:.*\n)*?.*".join(parts)
    pattern = re.sub(r"\\ \\\.\\\.\\\.(?=\\\n|$)", r"\\ .*", pattern)
    return re.fullmatch(pattern, tidy(printed)) is not None


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.filterwarnings(  # PySpark 4.0 leaves sockets open
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.filterwarnings("ignore:.*does not have many workers")  # advice of Lightning
@pytest.mark.filterwarnings("ignore:.*LeafSpec")  # Lightning with a newer torch
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_guide_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in NEEDED.get(page.stem, ()):
        pytest.importorskip(library)
    if page.stem in ("harnesses", "trackers"):
        warnings.simplefilter("ignore")  # those of the libraries and what they load
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / DATA, DATA)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    count = 0
    for command, shown, printed in runs(page.read_text(encoding="utf-8")):
        assert fits(shown, printed), f"{command}\n{printed}"
        count += 1
    assert count > (2 if page == README else 3)


def test_a_guide_that_shows_something_else_is_caught() -> None:
    assert fits("a\n...\nd\n", "a\nb\nc\nd \n")
    assert fits("...\nd\n", "a\nd\n")
    assert fits("a\n...\n", "a\nb\n")
    assert not fits("a\n...\nd\n", "a\nb\nc\n")
    assert not fits("a\nd\n", "a\nb\nd\n")
    assert not fits("", "a\n")
    assert fits("a b ...\nd\n", "a b c c\nd\n")
    assert not fits("a b ...\nd\n", "a b c\nc\nd\n")
    wrong = "```pycon\n>>> 1 + 1\n3\n\n```\n"
    assert [fits(shown, printed) for _, shown, printed in runs(wrong)] == [False]
    assert [printed for _, _, printed in runs(wrong)] == [">>> 1 + 1\n2\n\n"]


def update(page: Path) -> None:
    """Write into a page what its commands print."""
    text = page.read_text(encoding="utf-8")
    for command, shown, printed in runs(text):
        if not fits(shown, printed) and command.startswith(("stakes", "head", "echo", "torchrun")):
            old, new = f"$ {command}\n{shown}", f"$ {command}\n{tidy(printed)}\n"
            text = text.replace(old, new, 1)
        elif printed and not fits(shown, printed):
            text = text.replace(command, printed, 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    for name in sys.argv[1:]:
        here = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            shutil.copytree(ROOT / DATA, DATA)
            update(here)
