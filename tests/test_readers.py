"""Kinds of files: all that is said of them anywhere follows from what their readers declare."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from command import environment
from stakes._check import InputError
from stakes.cli import group
from stakes.io import column_names, read_columns, read_whole, write_table
from stakes.io.readers import READERS, endings, file_kinds, kind_by_ending
from test_io import TABLE, WRITERS
from test_io_damage import KINDS as DAMAGED

DOCS = Path(__file__).parents[1] / "docs" / "files.md"


def table_of_kinds() -> str:
    """Return the table for docs/files.md; run this file to print it."""
    rows = ["| format | extensions | columns are | can be written |", "|---|---|---|---|"]
    for reader in READERS.values():
        shown = ", ".join(f"`{ending}`" for ending in reader.endings)
        shown += ", also with `.gz`" if reader.packable else ""
        written = "yes" if reader.written else "no"
        rows.append(f"| `{reader.name}` | {shown} | {reader.columns} | {written} |")
    return "\n".join(rows)


def test_the_docs_list_every_kind() -> None:
    assert table_of_kinds() in DOCS.read_text(encoding="utf-8")


def test_every_kind_is_under_the_laws_of_the_tests() -> None:
    for files in (WRITERS, DAMAGED):
        kinds = {kind_by_ending(name)[0] for name in files} | {"tsv"}  # csv with another sign
        assert kinds == set(READERS)


def test_endings_are_of_one_kind_each() -> None:
    listed = [ending for reader in READERS.values() for ending in endings(reader)]
    assert len(listed) == len(set(listed))
    for ending in listed:
        kind, packed = kind_by_ending(f"A.B{ending.upper()}")
        assert (kind in READERS, packed) == (True, ending.endswith(".gz"))
    assert kind_by_ending("t.xlsx") == kind_by_ending("t.parquet.gz") == (None, False)
    assert file_kinds() == [ending[1:] for ending in listed]


@pytest.mark.parametrize("kind", READERS)
def test_a_kind_is_read_by_its_name_whatever_the_ending(kind: str, tmp_path: Path) -> None:
    name = next(name for name in WRITERS if kind_by_ending(name) == (kind, False))
    path = tmp_path / name
    WRITERS[name](path)
    other = path.rename(tmp_path / "scores")
    assert read_columns(other, ("y",), ("p0",), kind=kind).texts("y").tolist() == ["a", "b"]
    assert column_names(other, kind) == TABLE.column_names
    with pytest.raises(InputError) as caught:
        read_columns(tmp_path / "t.docx", ("y",))
    assert all(ending in str(caught.value) for ending in READERS[kind].endings)
    with pytest.raises(InputError) as caught:
        read_columns(other, ("y",), kind="xlsx")
    assert f"{kind}" in str(caught.value)


@pytest.mark.parametrize("ending", [e for r in READERS.values() for e in endings(r)])
def test_tables_are_written_where_a_kind_says_so(ending: str, tmp_path: Path) -> None:
    kind, _ = kind_by_ending(f"t{ending}")
    path = tmp_path / f"out{ending}"
    if READERS[str(kind)].written:
        write_table(TABLE, path)
        assert read_whole(path).column_names == TABLE.column_names
    else:
        with pytest.raises(InputError, match=r"must end in \.csv"):
            write_table(TABLE, path)


def test_the_command_line_knows_every_kind() -> None:
    with pytest.raises(click.BadParameter) as caught:
        _parsed("evaluate t --input-format xlsx")
    for kind in file_kinds():
        assert re.search(rf"\b{re.escape(kind)}\b", caught.value.message)
        assert _parsed(f"evaluate t --input-format {kind.upper()}")["input_format"] == kind


def _parsed(line: str) -> dict[str, object]:
    """Return the options of a command line, without running it."""
    name, *words = shlex.split(line)
    with click.Context(group) as parent:
        command = group.get_command(parent, name)
        assert command is not None
        with click.Context(command, parent=parent) as context:
            found, _, _ = command.make_parser(context).parse_args(words)
            options = {p.name: p for p in command.get_params(context)}
            return {
                key: options[key].type_cast_value(context, value) for key, value in found.items()
            }


def test_the_commands_of_the_docs_can_be_parsed() -> None:
    text = DOCS.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert {kind for kind, _ in blocks} <= {"console", "pycon", "text"}
    commands = [
        command.removeprefix("$ stakes ").replace("\\\n", " ")
        for kind, body in blocks
        if kind == "console"
        for command in re.split(r"\n(?=\$ )", body)
    ]
    assert len(commands) > 1
    for command in commands:
        assert _parsed(command)
    unfenced = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert ">>>" not in unfenced


def test_kinds_are_known_before_arrow_is_loaded() -> None:
    code = "import sys, stakes.io.readers; print(sorted({'pyarrow', 'zipfile'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.strip() == "[]"


if __name__ == "__main__":
    print(table_of_kinds())  # noqa: T201
