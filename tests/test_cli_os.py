"""The command line among other processes: pipes, signals, full disks, odd environments."""

import json
import os
import pty
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import (
    QUICK,
    SCORED,
    SCORES,
    STAKES,
    call,
    environment,
    run,
    shell,
    wait_for_work,
    write_scores,
)

ROOT = os.geteuid() == 0
LINE = shlex.join(("evaluate", *QUICK))
COMPARE = (
    "compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_alarm",
    "--scores-are", "posteriors", "--positive", "alarm",
)  # fmt: skip
COSTS = ("--cost", "miss=5,false_alarm=1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_scores(tmp_path / "scores.csv").parent


def left(folder: Path) -> list[str]:
    """Return what a run left behind, hidden files too."""
    return sorted(p.name for p in folder.iterdir() if p.name != "scores.csv")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("evaluate", *QUICK), 0, "cost (NEC)"),
        ((*COMPARE,), 0, "reference: a"),
        (("threshold", *SCORED), 0, "Decide alarm"),
        (("check", *QUICK, "--max-nec", "9"), 0, "ok: cost.nec"),
        (("check", *QUICK, "--max-nec", "0"), 1, "FAILED: cost.nec"),
        (("calibrate", *SCORED, "-o", "out.json"), 0, "recovers"),
        (("decide", "scores.csv", *SCORES, *COSTS, "-o", "out.csv"), 0, "mean expected cost"),
        (("completion", "fish"), 0, "stakes"),
        (("demo", "--no-file"), 0, "three real problems"),
    ],
)
def test_every_command_as_a_process(
    arguments: tuple[str, ...], code: int, words: str, folder: Path
) -> None:
    whole = shell(f"stakes {shlex.join(arguments)}", folder)
    assert whole.returncode == code, whole.stderr
    assert words in whole.stdout
    assert "\x1b" not in whole.stdout + whole.stderr
    told = [n for n in whole.stderr.splitlines() if not n.startswith(("Note: classes", "wrote "))]
    assert told == []
    for file in left(folder):
        (folder / file).unlink()
    if arguments[0] == "demo":
        return
    closed = shell(f"stakes {shlex.join(arguments)} >&-", folder)
    assert closed.returncode == 4
    assert "stdout" in closed.stderr
    assert left(folder) == []


@pytest.mark.parametrize("more", ["", "--json", "--format csv", "--details"])
def test_a_reader_that_stops_early_is_no_error(more: str, folder: Path) -> None:
    done = shell(f"stakes {LINE} {more} | head -c 1", folder)
    assert done.returncode in (0, 141)
    assert [n for n in done.stderr.splitlines() if not n.startswith("Note: ")] == []


@pytest.mark.parametrize("more", [(), ("--json",), ("--format", "csv"), ("--format", "github")])
def test_a_reader_that_has_gone_loses_neither_the_page_nor_the_answer_of_a_gate(
    more: tuple[str, ...], folder: Path
) -> None:
    evaluated = unread(folder, "evaluate", *QUICK, "--html", "page.html", *more)
    assert (evaluated.returncode, left(folder)) == (0, ["page.html"])
    assert "page.html" in evaluated.stderr
    for most, code in (("9", 0), ("0", 1)):
        gate = unread(folder, "check", *QUICK, "--max-nec", most, *more)
        assert gate.returncode == code
        assert "Traceback" not in gate.stderr


def unread(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command whose standard output nobody reads."""
    end, start = os.pipe()
    os.close(end)
    try:
        return subprocess.run(
            [*STAKES, *arguments], cwd=folder, env=environment(), check=False, text=True,
            stdout=start, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        os.close(start)


def test_standard_input_is_read_once(folder: Path) -> None:
    line = LINE.replace("scores.csv", "- --input-format csv")
    piped = json.loads(shell(f"stakes {line} --json < scores.csv", folder).stdout)
    plain = json.loads(call("evaluate", *QUICK, "--json", cwd=folder).stdout)
    assert (piped.pop("source"), plain.pop("source")) == ("standard input", "scores.csv")
    assert piped == plain
    closed = shell(f"stakes {line} <&-", folder)
    assert closed.returncode in (3, 4)
    assert "standard input" in closed.stderr
    assert "Traceback" not in closed.stderr


def test_a_full_disk_behind_standard_output(folder: Path) -> None:
    done = shell(f"stakes {LINE} > /dev/full", folder)
    assert done.returncode == 4
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def small_files() -> None:
    """Let no file grow beyond a few bytes; the signal is ignored, so that writing fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", *QUICK, "--json", "-o", "old", "--force"),
        ("calibrate", *SCORED, "-o", "old", "--force"),
        ("decide", "scores.csv", *SCORES, *COSTS, "-o", "old.csv", "--force"),
    ],
)
def test_a_full_disk_leaves_the_old_file_whole(arguments: tuple[str, ...], folder: Path) -> None:
    old = folder / arguments[arguments.index("-o") + 1]
    old.write_text("old")
    done = run(*arguments, cwd=folder, preexec_fn=small_files)
    assert done.returncode == 4, done.stderr
    assert "File too large" in done.stderr
    assert old.name in done.stderr
    assert left(folder) == [old.name]
    assert old.read_text() == "old"


def test_an_output_that_is_there_needs_force(folder: Path) -> None:
    asked = ("evaluate", *QUICK, "--json", "-o", "out.json")
    (folder / "target").write_text("old")
    (folder / "out.json").symlink_to("target")
    done = call(*asked, cwd=folder)
    assert done.returncode == 4
    assert "out.json" in done.stderr
    assert "--force" in done.stderr
    done = call(*asked, "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out.json").is_symlink()
    assert json.loads((folder / "target").read_text())["command"] == "evaluate"
    (folder / "dir").mkdir()
    for more in ((), ("--force",)):
        done = call("evaluate", *QUICK, "-o", "dir", *more, cwd=folder)
        assert done.returncode == 4
        assert "directory" in done.stderr


def test_a_directory_that_may_not_be_written(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o555)
    asked = ("evaluate", *QUICK, "-o")
    assert call(*asked, "first.txt", cwd=folder).returncode == 0  # all modules are imported now
    if ROOT:  # whom no mode of a directory stops
        for path in (folder, *folder.parents[:3]):
            path.chmod(0o755)
        os.seteuid(65534)
    try:
        done = call(*asked, "closed/out.txt", cwd=folder)
    finally:
        if ROOT:
            os.seteuid(0)
    assert done.returncode == 4, done.stderr
    assert "closed/out.txt" in done.stderr
    assert "Permission denied" in done.stderr


@pytest.mark.parametrize(
    ("command", "sign", "code", "word"),
    [
        (("evaluate", *SCORED, "--weight", "price"), signal.SIGINT, 130, "interrupted"),
        (COMPARE, signal.SIGTERM, 143, "terminated"),
    ],
)
def test_signals_end_long_work_in_one_line(
    command: tuple[str, ...], sign: signal.Signals, code: int, word: str, folder: Path
) -> None:
    (folder / "out.json").write_text("old")
    head, *rows = (folder / "scores.csv").read_text().splitlines(keepends=True)
    (folder / "scores.csv").write_text(head + 3000 * "".join(rows))
    command = (*command, "--classes", "calm,alarm") if "--positive" not in command else command
    process = subprocess.Popen(
        [*STAKES, *command, "-o", "out.json", "--force"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
    )
    try:
        wait_for_work(process)
        process.send_signal(sign)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (code, "", f"stakes: {word}.\n")
    assert left(folder) == ["out.json"]
    assert (folder / "out.json").read_text() == "old"


def test_two_processes_write_one_output(folder: Path) -> None:
    asked = [
        [*STAKES, "evaluate", *QUICK, "--json", "-o", "out.json", "--force", "--seed", str(seed)]
        for seed in (1, 2)
    ]
    both = [
        subprocess.Popen(a, cwd=folder, env=environment(), stderr=subprocess.DEVNULL) for a in asked
    ]
    assert [process.wait(60) for process in both] == [0, 0]
    assert json.loads((folder / "out.json").read_text())["seed"] in (1, 2)
    assert left(folder) == ["out.json"]


def test_the_hash_seed_changes_nothing(folder: Path) -> None:
    asked = ("evaluate", *SCORED, "--slice", "ward", "--json")
    seen = {
        run(*asked, cwd=folder, env=environment(PYTHONHASHSEED=seed)).stdout
        for seed in ("0", "1", "random")
    }
    assert len(seen) == 1


def test_good_data_give_no_warning_and_need_no_home(folder: Path) -> None:
    env = environment(TMPDIR="/nonexistent", PYTHONWARNINGS="error")
    env.pop("HOME", None)
    done = run("evaluate", *SCORED, "--json", "-o", "out.json", cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    text = (folder / "out.json").read_text()
    assert str(folder) not in text
    assert "/home" not in text


def test_debug_alone_gives_the_traceback(folder: Path) -> None:
    asked = ("evaluate", "none.csv", "--label", "y", *SCORES)
    assert "Traceback" not in call(*asked, cwd=folder).stderr
    done = call(*asked, "--debug", cwd=folder)
    assert "Traceback (most recent call last)" in done.stderr
    message = "stakes: cannot read 'none.csv': No such file or directory.\n"
    assert done.stderr.endswith(f"{message}See: stakes explain file_not_found\n")
    assert done.returncode == 4


NAMES = "\u202e\x1b[2Jpwn", "=1+1", '"new\nline"', "<script>[red]é</script>"


@pytest.mark.parametrize("layout", ["table", "csv", "md", "json", "github"])
def test_odd_names_are_harmless_in_any_locale(layout: str, tmp_path: Path) -> None:
    rows = "".join(f"{name},{name},{name}\n" for name in NAMES for _ in range(3))
    (tmp_path / "t.csv").write_text(f"y,d,s\n{rows}", encoding="utf-8")
    decided = run(
        "evaluate", "t.csv", "--label", "y", "--decision", "d", "--format", layout, cwd=tmp_path,
        env=environment(LC_ALL="C", PYTHONIOENCODING="ascii"),
    )  # fmt: skip
    assert decided.returncode == 0, decided.stderr
    assert "\x1b" not in decided.stdout
    if layout == "table":
        assert "\\x1b[2Jpwn" in decided.stdout
        assert "new\\nline" in decided.stdout
        assert "[red]" in decided.stdout


def test_names_of_systems_cannot_run_in_a_spreadsheet(folder: Path) -> None:
    asked = [a.replace("b=p_alarm", "@b<i>|=p_alarm") for a in COMPARE]
    done = call(*asked, "--format", "csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "\n'@b<i>|,cost.nec" in done.stdout
    done = call(*asked, "--format", "md", cwd=folder)
    assert r"@b\<i\>\|" in done.stdout


@pytest.mark.parametrize("quiet", [True, False])
def test_colour_only_on_a_terminal_that_wants_it(quiet: bool, folder: Path) -> None:  # noqa: FBT001
    env = environment(TERM="xterm-256color")
    if not quiet:
        env.pop("NO_COLOR")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*STAKES, "evaluate", *QUICK],
        stdout=follower,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=env,
    )
    os.close(follower)
    printed = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        printed += data
    os.close(leader)
    assert process.wait(60) == 0
    assert (b"\x1b[3" in printed) is False or not quiet


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_completion_scripts(kind: str, tmp_path: Path) -> None:
    done = call("completion", kind, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_STAKES_COMPLETE={kind}_complete" in done.stdout


@pytest.mark.parametrize(
    ("words", "index", "found"),
    [
        ("stakes eva", "1", "plain,evaluate\n"),
        ("stakes evaluate --calib", "2", "plain,--calibrator\n"),
        ("stakes completion z", "2", "plain,zsh\n"),
    ],
)
def test_completion_in_bash(words: str, index: str, found: str) -> None:
    env = environment(_STAKES_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=index)
    done = subprocess.run(
        [sys.executable, "-c", "from stakes.cli import main; main()"],
        capture_output=True, text=True, check=False, env=env,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (found, "")


ABORTS_WHEN_TAKEN_DOWN = """
import atexit, ctypes, sys
import pyarrow

library = ctypes.CDLL(None)
library.on_exit(library.abort, None)  # called as the destructors of C++ libraries are
atexit.register(print, "the end", flush=True)
sys.argv = ["stakes", *sys.argv[1:]]
from stakes.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="on_exit is of the GNU library")
def test_a_library_that_aborts_as_it_is_taken_down_changes_no_exit_code(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ABORTS_WHEN_TAKEN_DOWN, "evaluate", *QUICK],
        capture_output=True, text=True, check=False, cwd=folder, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cost (NEC)" in done.stdout
    assert done.stdout.endswith("the end\n")
