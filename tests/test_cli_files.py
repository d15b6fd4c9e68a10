"""What is read is never lost and never counted twice; what is half written never stays."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import stakes
from command import QUICK, SCORED, SCORES, STAKES, call, environment, run, write_scores
from stakes.io import read_columns

COSTS = ("--cost", "miss=5,false_alarm=1")
COMPARED = (
    "compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_alarm",
    "--scores-are", "posteriors", "--positive", "alarm" )  # fmt: skip
WRITERS = {
    "evaluate -o": (("evaluate", *QUICK), "-o"),
    "evaluate --html": (("evaluate", *QUICK), "--html"),
    "compare -o": (COMPARED, "-o"),
    "compare --html": (COMPARED, "--html"),
    "check -o": (("check", *QUICK, "--max-nec", "9"), "-o"),
    "threshold -o": (("threshold", *SCORED), "-o"),
    "calibrate -o": (("calibrate", *SCORED), "-o"),
    "decide -o": (("decide", "scores.csv", *SCORES, *COSTS), "-o"),
}
NAMES = {
    "itself": "scores.csv",
    "another spelling": "../{0.name}/./scores.csv",
    "its full path": "{0}/scores.csv",
    "a symbolic link": "link.csv",
    "a hard link": "hard.csv",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_scores(tmp_path / "scores.csv")
    (tmp_path / "link.csv").symlink_to("scores.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "scores.csv")
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_no_output_goes_onto_the_input(
    writer: str, name: str, force: tuple[str, ...], folder: Path
) -> None:
    before = (folder / "scores.csv").read_bytes()
    arguments, option = WRITERS[writer]
    done = call(*arguments, option, NAMES[name].format(folder), *force, cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "would be lost" in done.stderr
    assert (folder / "scores.csv").read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == ["hard.csv", "link.csv", "scores.csv"]
    assert (folder / "link.csv").is_symlink()
    assert (folder / "hard.csv").samefile(folder / "scores.csv")


def test_no_output_goes_onto_any_other_file_that_is_read(folder: Path) -> None:
    (folder / "app.toml").write_text('cost = "costs.toml"\n')
    stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["calm", "alarm"]).write(
        folder / "costs.toml"
    )
    assert call("calibrate", *SCORED, "-o", "cal.json", cwd=folder).returncode == 0
    (folder / "parts").mkdir()
    (folder / "scores.csv").rename(folder / "parts" / "a.csv")
    (folder / "hard.csv").unlink()
    decide = ("decide", "parts", *SCORES, *COSTS)
    asked = ("--label", "y", *SCORES, "--calibrator", "none")
    for arguments, output in (
        (("evaluate", "parts", *asked), "parts/a.csv"),
        (("evaluate", "parts/*.csv", *asked), "parts/a.csv"),
        (("evaluate", "parts", *asked, "--app", "app.toml"), "app.toml"),
        (("evaluate", "parts", *asked, "--app", "app.toml"), "costs.toml"),
        (("evaluate", "parts", *asked, "--cost", "costs.toml"), "costs.toml"),
        ((*decide, "--calibrator-file", "cal.json"), "cal.json"),
    ):
        before = (folder / output).read_bytes()
        done = call(*arguments, "-o", output, "--force", cwd=folder)
        assert done.returncode == 4, (arguments, done.stderr)
        assert "would be lost" in done.stderr
        assert (folder / output).read_bytes() == before


@pytest.mark.parametrize(
    ("writer", "name"),
    [
        (writer, ["scores.csv", "hard.csv"][i % 2])
        for i, writer in enumerate(w for w in WRITERS if w != "decide -o")
    ],
)
def test_no_output_goes_onto_standard_input(writer: str, name: str, folder: Path) -> None:
    before = (folder / "scores.csv").read_bytes()
    arguments, option = WRITERS[writer]
    asked = ["-" if a == "scores.csv" else a for a in arguments]
    more = ("--input-format", "csv", option, name, "--force")
    with (folder / "scores.csv").open("rb") as stream:
        done = run(*asked, *more, cwd=folder, stdin=stream)
    assert done.returncode == 4, done.stderr
    assert "read as standard input" in done.stderr
    assert (folder / "scores.csv").read_bytes() == before


def test_page_and_output_are_two_files_by_any_spelling(folder: Path) -> None:
    done = call("evaluate", *QUICK, "-o", "new.html", "--html", "./new.html", cwd=folder)
    assert done.returncode == 2
    assert "two files" in done.stderr


@pytest.mark.parametrize("more", ["link.csv", "hard.csv"])
def test_one_file_under_two_names_is_refused(more: str, folder: Path) -> None:
    asked = ("--label", "y", *SCORES, "--calibrator", "none")
    for name in {"link.csv", "hard.csv"} - {more}:
        (folder / name).unlink()
    done = call("evaluate", "*.csv", *asked, cwd=folder)
    assert done.returncode == 3
    assert "same file as" in done.stderr
    assert "count twice" in done.stderr
    with pytest.raises(stakes.InputError, match="same file as"):
        read_columns([folder / "scores.csv", folder / more], texts=["y"])
    with pytest.raises(stakes.InputError, match="same file as"):
        read_columns(folder, texts=["y"])
    with pytest.raises(stakes.InputError, match="listed twice"):
        read_columns([folder / "scores.csv", f"{folder}/./scores.csv"], texts=["y"])


@pytest.mark.parametrize("option", ["-o", "--html"])
@pytest.mark.parametrize("name", ["a\0b.txt", "x" * 300, "x" * 5000, "scores.csv/y"])
def test_names_that_no_file_can_have(name: str, option: str, folder: Path) -> None:
    done = call("evaluate", *QUICK, option, name, "--force", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert "cannot write" in done.stderr


def test_a_long_name_that_a_file_can_have(folder: Path) -> None:
    name = "x" * 250 + ".txt"
    assert call("evaluate", *QUICK, "-o", name, cwd=folder).returncode == 0
    assert (folder / name).exists()


def test_a_pattern_over_too_many_names_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stakes.io.sources._MOST_NAMES", 2)
    done = call("evaluate", "*.csv", "--label", "y", *SCORES, cwd=folder)
    assert done.returncode == 5
    assert "more than 2 names" in done.stderr


def test_an_archive_of_very_many_arrays_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(20_000):
            archive.writestr(f"a_rather_long_name_of_an_array_{i}.npy", b"")
    started = time.monotonic()
    with pytest.raises(stakes.InputError, match="too many arrays"):
        read_columns(path, texts=["y"])
    assert time.monotonic() - started < 5


def test_out_of_memory_is_one_line(tmp_path: Path) -> None:
    row = np.dtype([("y", "i4"), ("p", "f8")])
    header = np.lib.format.header_data_from_array_1_0(np.empty(0, row))
    header["shape"] = (80_000_000,)
    with (tmp_path / "big.npy").open("wb") as file:  # a sparse file
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 80_000_000 * row.itemsize)

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (700 * 2**20, 700 * 2**20))

    asked = ("--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1")
    done = run("evaluate", "big.npy", *asked, cwd=tmp_path, preexec_fn=little)
    assert done.returncode == 5, done.stderr
    lines = [n for n in done.stderr.splitlines() if not n.startswith("Note: ")]
    assert len(lines) == 1
    assert "out of memory" in lines[0]
    assert "916. MiB" in lines[0]
    assert "700 MiB" in lines[0]


def test_out_of_memory_within_arrow_is_told_as_such(tmp_path: Path) -> None:
    table = pa.table({"y": np.arange(400_000) % 2, "p": np.linspace(0, 1, 400_000)})
    parquet.write_table(table, tmp_path / "big.parquet")
    asked = ("--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1")
    code = (
        "import sys, pyarrow as pa, pyarrow.parquet as parquet\n"
        "def short(*_, **__): raise pa.ArrowMemoryError('malloc of size 1048576 failed')\n"
        "parquet.ParquetFile.iter_batches = short\n"
        "sys.argv[0] = 'stakes'\n"
        "from stakes.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "evaluate", "big.parquet", *asked],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    assert done.returncode == 5, done.stderr
    assert done.stderr.startswith("stakes: out of memory")


LIBRARY_GIVES_UP = """
import ctypes, sys
import stakes.cli
stakes.cli.main = lambda: {end}
from stakes.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="exit functions of the GNU library")
@pytest.mark.parametrize(
    ("end", "limited", "code"),
    [
        ("ctypes.CDLL(None).exit(1)", True, 5),  # as OpenBLAS does without memory
        ("ctypes.CDLL(None).exit(1)", False, 1),
        ("sys.exit(1)", True, 1),  # a gate that failed
        ("sys.exit(0)", True, 0),
        ("1 / 0", True, 1),
    ],
)
def test_a_library_that_gives_up_for_want_of_memory_fails_no_gate(
    end: str, *, limited: bool, code: int
) -> None:
    def limit() -> None:
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))

    done = subprocess.run(
        [sys.executable, "-c", LIBRARY_GIVES_UP.format(end=end)],
        capture_output=True, text=True, check=False, preexec_fn=limit, env=environment(),
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert ("ZeroDivisionError" in done.stderr) == (end == "1 / 0")


WRITING = """
import signal, sys
from stakes._files import discard_temporary_files, write_bytes
from stakes._signals import Ended, ignore_signals, raise_on_signals
try:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background would ignore it
    raise_on_signals()
    print("ready", flush=True)
    for i in range(10**5):
        write_bytes("out.bin", bytes([i % 256]) * 300_000)
except Ended as end:
    ignore_signals()
    discard_temporary_files()
    sys.exit(end.code)
"""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_no_signal_leaves_a_temporary_file(sign: signal.Signals, tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    for _ in range(15):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITING], stdout=subprocess.PIPE, cwd=tmp_path
        )
        with process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.02 * chance.random())
            process.send_signal(sign)
            time.sleep(0.0005 * chance.random())
            process.send_signal(sign)  # also while it is leaving
        assert process.returncode == 128 + sign
        assert {p.name for p in tmp_path.iterdir()} <= {"out.bin"}
        if (tmp_path / "out.bin").exists():
            assert len(set((tmp_path / "out.bin").read_bytes())) == 1
            assert (tmp_path / "out.bin").stat().st_size == 300_000


LOST = """
import os, signal, sys, time, weakref
from stakes._signals import Ended, ignore_signals, raise_on_signals
signal.signal(signal.SIGINT, signal.SIG_DFL)
raise_on_signals()
class Thing: pass
try:
    thing = Thing()
    watch = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del thing  # Python drops what is raised in here
    time.sleep(60)
except Ended as end:
    ignore_signals()
    sys.exit(end.code)
"""


def test_an_end_that_python_drops_is_asked_for_again(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOST], cwd=tmp_path, check=False, timeout=30, capture_output=True
    )
    assert (done.returncode, done.stderr) == (130, b"")


def test_a_signal_at_any_moment_leaves_all_or_nothing(folder: Path) -> None:
    (folder / "hard.csv").unlink()
    (folder / "link.csv").unlink()
    command = [*STAKES, "evaluate", *QUICK, "--json", "-o", "out.json", "--force"]
    for delay in np.linspace(0.1, 0.8, 4):
        process = subprocess.Popen(
            command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True
        )
        time.sleep(delay)
        process.terminate()
        _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 143, -15), err  # -15: Python itself was starting
        assert "Traceback" not in err
        assert {p.name for p in folder.iterdir()} <= {"scores.csv", "out.json"}
        if (folder / "out.json").exists():
            json.loads((folder / "out.json").read_text())


SWALLOWED = """
import os, signal, sys
sys.argv = ["stakes", "evaluate", "scores.csv"]
import stakes.cli
def run(*arguments, **options):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException:  # as libraries do while they are imported
        raise AttributeError("partially initialized module")
stakes.cli.group.main = run
from stakes.__main__ import main
main()
"""


def test_an_end_is_known_whatever_becomes_of_its_exception() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (143, "stakes: terminated.\n")


def test_signals_are_looked_after_before_the_command_line_is_loaded() -> None:
    code = (
        "import os, signal, sys\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'stakes.cli':\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "from stakes.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (143, "stakes: terminated.\n")
