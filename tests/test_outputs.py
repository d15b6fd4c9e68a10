"""No output destroys what is not a plain file of ours, whatever the command that writes it."""

import ast
import itertools
import json
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pytest

import stakes
from command import QUICK, SCORED, SCORES, STAKES, call, environment, run, write_scores
from stakes import _files
from stakes._files import refuse_taken, whole_file, write_text
from stakes.cli import group
from stakes.cli.commands import _PARAMETERS
from stakes.cli.options import DECLARED, flag_of
from stakes.io import write_table

ROOT = os.geteuid() == 0
COSTS = ("--cost", "miss=5,false_alarm=1")
COMPARED = (
    "compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_alarm",
    "--scores-are", "posteriors", "--positive", "alarm" )  # fmt: skip
BASE: dict[str, list[tuple[str, ...]]] = {  # calls of each command, short of its output
    "evaluate": [("evaluate", *QUICK)],
    "compare": [COMPARED],
    "check": [("check", *QUICK, "--max-nec", "9")],
    "threshold": [("threshold", *SCORED)],
    "calibrate": [
        ("calibrate", *SCORED),
        ("calibrate", "scores.csv", "--apply", "cal.json", *SCORES),
    ],
    "decide": [("decide", "scores.csv", *SCORES, *COSTS)],
    "answers": [("answers", "answers.csv", "--right", "right", "--confidence", "sure")],
    "demo": [("demo",), ("demo", "--answers")],
    "reproduce": [("reproduce",)],
}
SLOW = {"demo", "reproduce"}  # seconds to minutes: these are only refused
FOLDERS = {("reproduce", "output")}  # outputs that are directories


def _outputs() -> Iterator[tuple[tuple[str, ...], str]]:
    """Go through every call of every command with each option that names an output."""
    for declared in DECLARED:
        if declared.metadata.get("written"):
            for command in sorted(declared.metadata["on"]):
                for asked in BASE[command]:  # a new command needs a row above
                    if (command, declared.name) in FOLDERS:
                        continue
                    if declared.name == "html" and asked == ("demo", "--answers"):
                        continue  # its pages are those of `answers`
                    yield asked, flag_of(declared.name)


OUTPUTS = list(_outputs())
WRITERS = [(a, o) for a, o in OUTPUTS if a[0] not in SLOW and o != "--resume"]


def shown(case: tuple[tuple[str, ...], str]) -> str:
    applied = " --apply" if "--apply" in case[0] else ""
    return f"{case[0][0]}{applied} {case[1]}"


def of_each(cases: list[tuple[tuple[str, ...], str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=map(shown, cases))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write_scores(folder / "scores.csv")
    lines = [f"{i % 3 > 0},{0.3 + 0.6 * (i % 7) / 7}" for i in range(60)]
    (folder / "answers.csv").write_text("\n".join(["right,sure", *lines]))
    done = call("calibrate", *SCORED, "-o", "cal.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "work"))


def test_every_option_that_names_a_file_is_known() -> None:
    """A new option for a file must say whether it is read or written."""
    known = {d.name for d in DECLARED if d.metadata.get("read") or d.metadata.get("written")}
    for declared in DECLARED:
        if declared.metadata.get("metavar") in ("FILE", "PATH"):
            assert declared.name in known
        told = " ".join(str(v) for k, v in declared.metadata.items() if k in ("help", *BASE))
        names_one = any(word in told for word in (".toml", ".json", "Directory", "File to"))
        flag = declared.default is False
        assert flag or not names_one or declared.name in known, declared.name
    with click.Context(group) as context:
        there = {
            name
            for name in group.list_commands(context)
            for parameter in group.get_command(context, name).params  # type: ignore[union-attr]
            if parameter.name in known
        }
    assert there <= set(BASE)
    assert set(_PARAMETERS) <= set(BASE) | {"completion", "explain"}


# what cannot be written


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _node(kind: int, major: int, minor: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        if not ROOT:
            pytest.skip("only root can make a device")
        try:
            os.mknod(path, kind | 0o666, os.makedev(major, minor))
        except PermissionError:
            pytest.skip("no device can be made here")

    return make


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "directory": (Path.mkdir, "it is a directory"),
    "socket": (_socket, "it is a socket"),
    "block device": (_node(stat.S_IFBLK, 7, 250), "it is a block device"),
    "loop": (_loop, "Too many levels"),
}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def signature(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    return stat.S_IFMT(found.st_mode), found.st_ino, found.st_rdev


@pytest.mark.parametrize("kind", REFUSED)
@of_each(OUTPUTS)
def test_what_is_neither_a_file_nor_a_device_is_refused(
    case: tuple[tuple[str, ...], str], kind: str, folder: Path
) -> None:
    asked, option = case
    make, said = REFUSED[kind]
    there = folder / "there.csv"
    make(there)
    (folder / "link.csv").symlink_to("there.csv")
    before, left = signature(there), names(folder)
    for name, *force in (("there.csv",), ("link.csv", "--force")):
        done = call(*asked, option, name, *force, cwd=folder)
        assert done.returncode == 4, done.stderr
        assert said in done.stderr
        assert name in done.stderr
        assert "--force" not in done.stderr
    assert signature(there) == before
    assert names(folder) == left


# devices and pipes


@of_each(WRITERS)
def test_a_device_is_written_to_and_stays(case: tuple[tuple[str, ...], str], folder: Path) -> None:
    asked, option = case
    there = folder / "null"
    _node(stat.S_IFCHR, 1, 3)(there)
    (folder / "link").symlink_to("null")
    before, left = signature(there), names(folder)
    for name, *force in (("null",), ("link", "--force")):
        done = call(*asked, option, name, *force, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert f"wrote {name}" in done.stderr
        assert signature(there) == before
        assert names(folder) == left


def test_a_device_may_be_two_outputs(folder: Path) -> None:
    _node(stat.S_IFCHR, 1, 3)(folder / "null")
    done = call("evaluate", *QUICK, "-o", "null", "--html", "null", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert stat.S_ISCHR((folder / "null").lstat().st_mode)


def written(asked: tuple[str, ...], option: str, folder: Path) -> bytes:
    """Return what goes to a plain file, which any other kind of output must get too."""
    table = asked[0] == "decide" or "--apply" in asked
    name = "plain.csv" if table else "plain"
    done = call(*asked, option, name, cwd=folder)
    assert done.returncode == 0, done.stderr
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    return data


@of_each(WRITERS)
def test_a_pipe_with_a_reader_gets_everything(
    case: tuple[tuple[str, ...], str], folder: Path
) -> None:
    asked, option = case
    expected, found = written(asked, option, folder), list[bytes]()
    os.mkfifo(folder / "pipe")
    reader = threading.Thread(target=lambda: found.append((folder / "pipe").read_bytes()))
    reader.start()
    done = call(*asked, option, "pipe", cwd=folder)
    reader.join(30)
    assert done.returncode == 0, done.stderr
    assert found == [expected]
    assert stat.S_ISFIFO((folder / "pipe").lstat().st_mode)


@of_each(WRITERS)
def test_descriptors_get_everything(case: tuple[tuple[str, ...], str], folder: Path) -> None:
    asked, option = case
    expected = written(asked, option, folder)
    with (folder / "out").open("wb") as stream:
        done = call(*asked, option, f"/dev/fd/{stream.fileno()}", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out").read_bytes() == expected


def test_standard_output_as_a_pipe(folder: Path) -> None:
    asked = ("decide", "scores.csv", *SCORES, *COSTS)
    expected = written(asked, "-o", folder)
    done = run(*asked, "-o", "/dev/stdout", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert expected.decode() in done.stdout


def test_standard_output_in_a_file_keeps_its_order(folder: Path) -> None:
    (folder / "out.txt").write_text("before\n")
    with (folder / "out.txt").open("ab") as stream:
        done = subprocess.run(
            [*STAKES, "evaluate", *QUICK, "--format", "csv", "-o", "/dev/stdout"],
            cwd=folder, stdout=stream, stderr=subprocess.PIPE, check=False, env=environment(),
        )  # fmt: skip
        stream.write(b"after\n")
    assert done.returncode == 0, done.stderr
    lines = (folder / "out.txt").read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "cost.nec" in "\n".join(lines)


def test_a_file_that_standard_output_goes_to_is_no_other_output(folder: Path) -> None:
    for stream, name in (("stdout", "standard output"), ("stderr", "standard error")):
        with (folder / "out.txt").open("wb") as sink:
            other = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: sink}
            done = subprocess.run(
                [*STAKES, "calibrate", *SCORED, "-o", "out.txt"],
                cwd=folder, check=False, env=environment(), **other,  # type: ignore[call-overload]
            )  # fmt: skip
        assert done.returncode == 4
        said = (done.stderr or b"") + (folder / "out.txt").read_bytes()
        assert f"{name} goes there" in said.decode()


def test_a_pipe_that_nobody_reads_is_not_waited_for_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "PATIENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(stakes.FileError, match="no process has read from this pipe"):
        write_text(tmp_path / "pipe", "text")


def test_a_reader_that_leaves_early_is_no_failure(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def read_one() -> None:
        with (tmp_path / "pipe").open("rb") as stream:
            stream.read(1)

    reader = threading.Thread(target=read_one)
    reader.start()
    write_text(tmp_path / "pipe", "x" * 10**6)
    reader.join(30)


def test_a_descriptor_that_is_not_open_for_writing(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("old")
    with (tmp_path / "t").open("rb") as stream:
        path = f"/dev/fd/{stream.fileno()}"
        with pytest.raises(stakes.FileError, match="open for reading only"):
            write_text(path, "x")
        with pytest.raises(stakes.FileError, match="open for reading only"):
            refuse_taken(path, force=True)
    with pytest.raises(stakes.FileError, match="cannot write"):
        refuse_taken("/dev/fd/987", force=True)
    assert (tmp_path / "t").read_text() == "old"


def half(path: str) -> None:
    with whole_file(path) as stream:
        stream.write(b"half")
        raise ZeroDivisionError


def test_an_error_sends_nothing_to_a_device() -> None:
    read, write = os.pipe()
    with pytest.raises(ZeroDivisionError):
        half(f"/dev/fd/{write}")
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert stream.read() == b""


def test_a_full_device_is_told(folder: Path) -> None:
    _node(stat.S_IFCHR, 1, 7)(folder / "full")
    done = call("evaluate", *QUICK, "-o", "full", cwd=folder)
    assert done.returncode == 4
    assert "No space left" in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_run_is_resumed_from_a_plain_file_only(kind: str, folder: Path) -> None:
    name = "there"
    (os.mkfifo if kind == "pipe" else _node(stat.S_IFCHR, 1, 3))(folder / name)
    for command in (("evaluate", *QUICK), ("check", *QUICK, "--max-nec", "9")):
        done = call(*command, "--resume", name, cwd=folder)
        assert done.returncode == 4
        assert "--resume needs a plain file" in done.stderr


# inputs


NAMES = {
    "itself": "{0}",
    "another spelling": "../{folder.name}/./{0}",
    "its full path": "{folder}/{0}",
    "a symbolic link": "link.csv",
    "a hard link": "hard.csv",
}
READING = [(a, o) for a, o in OUTPUTS if a[0] in _PARAMETERS]


@pytest.mark.parametrize("name", NAMES)
@of_each(READING)
def test_no_output_goes_onto_an_input(
    case: tuple[tuple[str, ...], str], name: str, folder: Path
) -> None:
    asked, option = case
    source = next(word for word in asked if word.endswith(".csv"))
    (folder / "link.csv").symlink_to(source)
    (folder / "hard.csv").hardlink_to(folder / source)
    before = (folder / source).read_bytes()
    target = NAMES[name].format(source, folder=folder)
    for given, *force in ((source,), ("link.csv", "--force"), (f"./{source}", "--force")):
        words = [given if word == source else word for word in asked]
        done = call(*words, option, target, *force, cwd=folder)
        assert done.returncode == 4, done.stderr
        assert "would be lost" in done.stderr
        assert "--force to replace" not in done.stderr
    assert (folder / source).read_bytes() == before
    assert (folder / "link.csv").is_symlink()


@pytest.mark.parametrize("given", ["parts", "parts/*.csv", "p*/[a-z]*.csv"])
@of_each(READING)
def test_no_output_goes_onto_a_part_of_an_input(
    case: tuple[tuple[str, ...], str], given: str, folder: Path
) -> None:
    asked, option = case
    source = next(word for word in asked if word.endswith(".csv"))
    (folder / "parts").mkdir()
    part = (folder / source).rename(folder / "parts" / "part.csv")
    (folder / "link").symlink_to("parts/part.csv")
    (folder / "hard").hardlink_to(part)
    before = part.read_bytes()
    words = [given if word == source else word for word in asked]
    for target in ("parts/part.csv", "./parts/../parts/part.csv", "link", "hard"):
        done = call(*words, option, target, "--force", cwd=folder)
        assert done.returncode == 4, done.stderr
        assert "would be lost" in done.stderr
    assert part.read_bytes() == before


FILES = {  # further files that a command reads, and what is in them
    "app.toml": ("--app", 'label = "y"\n'),
    "costs.toml": (
        "--cost",
        'classes = ["calm", "alarm"]\ncosts = [[0, 1], [5, 0]]\n',
    ),
    "cal.json": ("--calibrator-file", ""),
}


@pytest.mark.parametrize("file", FILES)
@of_each([(a, o) for a, o in READING if a[0] != "answers"])
def test_no_output_goes_onto_any_other_file_that_is_read(
    case: tuple[tuple[str, ...], str], file: str, folder: Path
) -> None:
    asked, option = case
    flag, text = FILES[file]
    with click.Context(group) as context:
        command = group.get_command(context, asked[0])
    assert command is not None
    if not any(flag in p.opts for p in command.params) or "--apply" in asked:
        pytest.skip(f"{asked[0]} has no {flag}")
    if text:
        (folder / file).write_text(text)
    before = (folder / file).read_bytes()
    words = list(asked)
    if flag in words:
        del words[words.index(flag) : words.index(flag) + 2]
    for target in (file, f"./{file}", "link"):
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(file)
        done = call(*words, flag, file, option, target, "--force", cwd=folder)
        assert done.returncode == 4, done.stderr
        assert "would be lost" in done.stderr
        assert (folder / file).read_bytes() == before


@pytest.mark.parametrize("asked", [("evaluate", *QUICK), ("check", *QUICK, "--max-nec", "9")])
def test_the_summary_of_a_step_is_not_added_to_an_input(
    asked: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "scores.csv").read_bytes()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "scores.csv"))
    done = call(*asked, "--format", "github", cwd=folder)
    assert done.returncode == 4
    assert "would be lost" in done.stderr
    assert (folder / "scores.csv").read_bytes() == before


def test_the_page_does_not_go_onto_the_summary_of_a_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "summary.md").write_text("earlier\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    page = ("--format", "github", "--html", "./summary.md", "--force")
    done = call("evaluate", *QUICK, *page, cwd=folder)
    assert done.returncode == 2, done.stderr
    assert "--html and GITHUB_STEP_SUMMARY must be two files" in done.stderr
    assert (folder / "summary.md").read_text() == "earlier\n"


def test_the_summary_of_a_step_may_go_to_a_pipe(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("evaluate", *QUICK, "--format", "github")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert call(*asked, cwd=folder).returncode == 0
    expected, found = (folder / "summary.md").read_bytes(), list[bytes]()
    os.mkfifo(folder / "pipe")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "pipe")
    reader = threading.Thread(target=lambda: found.append((folder / "pipe").read_bytes()))
    reader.start()
    done = call(*asked, cwd=folder)
    reader.join(30)
    assert done.returncode == 0, done.stderr
    assert found == [expected]


@pytest.mark.parametrize("name", ["new/", "scores.csv/", "./"])
def test_a_name_that_ends_in_a_slash_is_a_directory(name: str, folder: Path) -> None:
    before = names(folder)
    done = call("evaluate", *QUICK, "-o", name, "--force", cwd=folder)
    assert done.returncode == 4
    assert "cannot write" in done.stderr
    assert names(folder) == before


def test_results_beside_a_log_are_read_too(folder: Path) -> None:
    log = "samples_task_2026-01-02T03-04-05.jsonl"
    lines = [
        {"doc_id": i, "doc": {}, "target": "a", "arguments": [["q", "a"]], "resps": [["a"]],
         "filtered_resps": ["a"], "filter": "none", "metrics": ["acc"], "acc": i % 2}
        for i in range(20)
    ]  # fmt: skip
    (folder / log).write_text("\n".join(map(json.dumps, lines)))
    beside = folder / "results_2026-01-02T03-04-05.json"
    beside.write_text("{}")
    done = call("answers", log, "-o", beside.name, "--force", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "would be lost" in done.stderr
    assert beside.read_text() == "{}"


def test_the_page_of_the_demo_does_not_go_onto_its_answers(folder: Path) -> None:
    (folder / "answers.csv").unlink()
    done = call("demo", "--answers", "--html", "answers.csv", "--force", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "would be lost" in done.stderr
    assert (folder / "answers.csv").read_text().startswith("question,")


PAIRS = [
    (asked, pair)
    for asked in (BASE[c][0] for c in BASE if c not in SLOW)
    for pair in itertools.combinations([o for a, o in OUTPUTS if a == asked], 2)
]


@pytest.mark.parametrize(("asked", "pair"), PAIRS, ids=str)
def test_two_outputs_are_two_files(
    asked: tuple[str, ...], pair: tuple[str, str], folder: Path
) -> None:
    (folder / "there").write_text("old")
    (folder / "hard").hardlink_to(folder / "there")
    (folder / "link").symlink_to("there")
    for one, two in (("new", "./new"), ("there", "hard"), ("link", "there")):
        done = call(*asked, pair[0], one, pair[1], two, "--force", cwd=folder)
        assert done.returncode == 2, done.stderr
        assert "must be two files" in done.stderr
    assert (folder / "there").read_text() == "old"


def test_a_page_is_no_figure(tmp_path: Path) -> None:
    html = "figures/metrics_vs_thr.svg"
    done = call("reproduce", "-o", "figures", "--html", html, "--force", cwd=tmp_path)
    assert done.returncode == 4 or "must be another file than a figure" in done.stderr
    (tmp_path / "figures").mkdir(exist_ok=True)
    done = call("reproduce", "-o", "figures", "--html", html, "--force", cwd=tmp_path)
    assert done.returncode == 2
    assert "must be another file than a figure" in done.stderr


def test_figures_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "figures" / "metrics_vs_thr.png").mkdir(parents=True)
    done = call("reproduce", "-o", "figures", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "it is a directory" in done.stderr
    assert names(tmp_path / "figures") == ["metrics_vs_thr.png"]
    assert not done.stdout


# permissions and links


@of_each(WRITERS)
def test_a_file_keeps_its_permissions_and_a_new_one_follows_the_umask(
    case: tuple[tuple[str, ...], str], folder: Path
) -> None:
    asked, option = case
    before = os.umask(0o077)
    try:
        done = call(*asked, option, "t.csv", cwd=folder)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    path = folder / "t.csv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    if ROOT:
        os.chown(path, 1234, 4321)
    was, expected = path.stat(), path.read_bytes()
    path.write_text("old")
    done = call(*asked, option, "t.csv", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = path.stat()
    assert (found.st_mode, found.st_uid, found.st_gid) == (was.st_mode, was.st_uid, was.st_gid)
    assert path.read_bytes() == expected


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o664])
def test_every_mode_is_kept(mode: int, tmp_path: Path) -> None:
    (tmp_path / "t").touch()
    (tmp_path / "t").chmod(mode)
    write_text(tmp_path / "t", "new")
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == mode


@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022])
def test_a_new_file_follows_the_umask(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "t", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o000, None])
def test_nothing_is_more_readable_while_it_is_written(mode: int | None, tmp_path: Path) -> None:
    path, mask = tmp_path / "t", os.umask(0o022)
    try:
        allowed = 0o644
        if mode is not None:
            allowed = mode
            path.write_text("old")
            path.chmod(mode)
        with whole_file(path) as stream:
            stream.write(b"new")
            for file in tmp_path.iterdir():
                assert not stat.S_IMODE(file.stat().st_mode) & 0o444 & ~allowed
        assert stat.S_IMODE(path.stat().st_mode) == allowed
    finally:
        os.umask(mask)
    assert names(tmp_path) == ["t"]


@pytest.mark.skipif(not ROOT, reason="only root can be another user")
def test_another_group_gets_nothing_of_a_file_of_one_group(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:3]:
        parent.chmod(0o755)
    path = tmp_path / "t"
    path.write_text("old")
    os.chown(path, 4321, 4321)
    path.chmod(0o660)
    os.setegid(65534)
    os.seteuid(65534)
    try:
        write_text(path, "new")
    finally:
        os.seteuid(0)
        os.setegid(0)
    found = path.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_gid) == (0o600, 65534)


ACCESS, GIVEN = "system.posix_acl_access", "system.posix_acl_default"


def _access_list(path: Path, name: str, group: int) -> None:
    """Let user 4321 read and write, and a file's group as `group` says."""
    entries = [(1, 6, -1), (2, 6, 4321), (4, group, -1), (16, 6, -1), (32, 0, -1)]
    packed = (struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(path, name, struct.pack("<I", 2) + b"".join(packed))
    except (OSError, AttributeError):
        pytest.skip("no access lists here")


def test_an_access_list_is_kept_and_none_is_taken_from_the_directory(tmp_path: Path) -> None:
    _access_list(tmp_path, GIVEN, 4)
    path = tmp_path / "t"
    path.write_text("old")
    with suppress(OSError):
        os.removexattr(path, ACCESS)
    path.chmod(0o640)
    write_text(path, "new")
    assert ACCESS not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    _access_list(path, ACCESS, 4)
    before = os.getxattr(path, ACCESS)
    write_text(path, "newer")
    assert os.getxattr(path, ACCESS) == before


@pytest.mark.skipif(not ROOT, reason="only root can be another user")
def test_another_group_gets_nothing_by_an_access_list(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("old")
    os.chown(path, 4321, 4321)
    _access_list(path, ACCESS, 6)
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:3]:
        parent.chmod(0o755)
    os.setegid(65534)
    os.seteuid(65534)
    try:
        write_text(path, "new")
    finally:
        os.seteuid(0)
        os.setegid(0)
    assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_gid) == (0o600, 65534)
    assert ACCESS not in os.listxattr(path)


@of_each(WRITERS)
def test_a_link_stays_and_its_file_is_replaced(
    case: tuple[tuple[str, ...], str], folder: Path
) -> None:
    asked, option = case
    expected = written(asked, option, folder)
    (folder / "else").mkdir()
    (folder / "else" / "old.csv").write_text("old")
    (folder / "first.csv").symlink_to("second.csv")
    (folder / "second.csv").symlink_to("else/old.csv")
    done = call(*asked, option, "first.csv", cwd=folder)
    assert done.returncode == 4
    assert "already exists" in done.stderr
    done = call(*asked, option, "first.csv", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "first.csv").is_symlink()
    assert (folder / "second.csv").is_symlink()
    assert (folder / "else" / "old.csv").read_bytes() == expected
    assert names(folder / "else") == ["old.csv"]
    (folder / "else" / "old.csv").unlink()  # now it leads nowhere, and a file is made there
    done = call(*asked, option, "first.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "else" / "old.csv").read_bytes() == expected


def test_a_link_into_no_directory_says_which(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("none/t.csv")
    with pytest.raises(stakes.FileError, match=f"there is no directory '{tmp_path}/none'"):
        write_text(tmp_path / "link", "x")


def test_a_finished_run_removes_its_file_and_keeps_the_link(folder: Path) -> None:
    (folder / "link").symlink_to("run.part")
    done = call("evaluate", *QUICK, "--resume", "link", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "link").is_symlink()
    assert not (folder / "run.part").exists()


# Python


def _evaluation() -> stakes.Evaluation:
    data = stakes.simulation.simulate(2, n=60)
    return stakes.evaluate(data.y, data.posteriors([0.5, 0.5]))


def _figure(path: Path) -> None:
    display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    stakes.displays.save_figure(display, path.with_suffix(""))


CARD: Any = {"dataset": "d", "task": "tabular-classification"}
PYTHON: dict[str, tuple[str, Callable[[Path], object]]] = {
    "save_html": ("t.html", lambda path: _evaluation().save_html(path)),
    "save_model_card": ("t.md", lambda path: _evaluation().save_model_card(path, "m", **CARD)),
    "CostMatrix.write": ("t.toml", lambda path: stakes.CostMatrix.zero_one([0, 1]).write(path)),
    "write_table": ("t.csv", lambda p: write_table(pa.table({"p": [0.5]}), p, force=True)),
    "a Parquet table": (
        "t.parquet", lambda p: write_table(pa.table({"p": [0.5]}), p, force=True)
    ),
    "save_figure": ("t.svg", _figure),
}  # fmt: skip


@pytest.mark.parametrize("writer", PYTHON)
def test_writers_of_python_follow_the_same_rules(writer: str, tmp_path: Path) -> None:
    name, write = PYTHON[writer]
    path = tmp_path / name
    path.write_text("old")
    path.chmod(0o600)
    (tmp_path / "real").mkdir()
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    expected = path.read_bytes()
    path.rename(tmp_path / "real" / name)
    path.symlink_to(f"real/{name}")
    write(path)
    assert path.is_symlink()
    assert path.read_bytes() == expected
    path.unlink()
    path.mkdir()
    with pytest.raises(stakes.FileError, match="it is a directory"):
        write(path)
    path.rmdir()
    _socket(path)
    with pytest.raises(stakes.FileError, match="it is a socket"):
        write(path)
    assert stat.S_ISSOCK(path.lstat().st_mode)
    path.unlink()
    os.mkfifo(path)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join(30)
    assert found == [expected]


def test_a_table_without_an_ending_goes_to_a_pipe_as_csv() -> None:
    read, write = os.pipe()
    write_table(pa.table({"p": [0.5]}), f"/dev/fd/{write}")
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert stream.read().split() == [b"p", b"0.5"]


def test_python_writes_to_a_device_without_force(tmp_path: Path) -> None:
    _node(stat.S_IFCHR, 1, 3)(tmp_path / "null.csv")
    write_table(pa.table({"p": [0.5]}), tmp_path / "null.csv")
    assert stat.S_ISCHR((tmp_path / "null.csv").lstat().st_mode)


# one writer


OPENING = {"write_text", "write_bytes", "savefig", "mkstemp", "NamedTemporaryFile", "copyfile"}
ELSEWHERE = {  # a file and what it may do there
    "_files.py": "the one writer",
    "cli/github.py": "adds to the summary of a step, which belongs to the machine",
    "cli/screen.py": "opens the null device in place of a closed output",
    "_kernels/build.py": "compiles into a directory of its own",
}


def _writes(node: ast.AST) -> bool:
    """Whether a call opens a file for writing or replaces one."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    modes = [a.value for a in [*node.args, *(k.value for k in node.keywords)]
             if isinstance(a, ast.Constant) and isinstance(a.value, str)]  # fmt: skip
    if name == "open":
        flags = ast.unparse(node)
        return any(set(m) <= set("rwxabt+") and set(m) & set("wxa+") for m in modes) or (
            "O_WRONLY" in flags or "O_RDWR" in flags
        )
    if name in ("replace", "rename") and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value) == "os"
    ours = isinstance(node.func, ast.Name)  # the functions of _files
    return name in OPENING and not ours and ast.unparse(node.func) != "figure.savefig"


def test_nothing_else_opens_a_file_for_writing() -> None:
    root = Path(stakes.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if _writes(node)
    }
    assert found <= set(ELSEWHERE), found - set(ELSEWHERE)
    assert "_files.py" in found


KILLED = """
import sys
from stakes._files import whole_file
with whole_file("out.bin") as stream:
    stream.write(b"new" * 10**6)
    stream.flush()
    print("half", flush=True)
    sys.stdin.read()
"""


def test_a_killed_process_leaves_the_old_file_whole(tmp_path: Path) -> None:
    (tmp_path / "out.bin").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert (tmp_path / "out.bin").read_text() == "old"
