"""Dask: real workers give the bytes of one process, or say what is wrong."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import stakes
from command import call
from engine_cases import BINARY, CASES, COMMAND, TABLE, N, local, parts, write_files

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Dask and what it loads


@contextmanager
def cluster(workers: int = 2, **options: Any) -> Iterator[Any]:
    """Start workers that are processes, and use them."""
    told = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(
            n_workers=workers, silence_logs=50, **told, **options
        ) as local_cluster,
        distributed.Client(local_cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster() as client:
        yield client


def frames(table: pa.Table = TABLE) -> Any:
    """Return the rows as a data frame of Dask in odd partitions."""
    frame = table.to_pandas()
    made = [dask.delayed(part) for part in parts(frame)]
    return dd.from_delayed(made, meta=frame.iloc[:0], verify_meta=False)


def changed(number: int, change: Any) -> Any:
    """Return a data frame one partition of which was changed."""
    some = parts(TABLE.to_pandas())
    some[number] = change(some[number].copy())
    return dd.from_delayed(
        [dask.delayed(part) for part in some], meta=some[0].iloc[:0], verify_meta=False
    )


@pytest.mark.parametrize("case", CASES)
def test_workers_give_the_bytes_of_one_process(client: Any, case: str) -> None:
    batches = [dask.delayed(part) for part in parts(TABLE)]
    assert stakes.dask.summarize(batches, **CASES[case]).to_bytes() == local(case)
    if "list" not in case:  # which Dask's data frames turn into texts
        found = stakes.dask.summarize(frames().repartition(npartitions=2), **CASES[case])
        assert found.to_bytes() == local(case)


def test_every_form_of_a_table_gives_the_same_bytes(client: Any, tmp_path: Path) -> None:
    frame, want = TABLE.to_pandas(), local("binary")
    forms = {
        "delayed tables": [dask.delayed(part) for part in parts(TABLE)],
        "delayed frames": [dask.delayed(part) for part in parts(frame)],
        "texts of Arrow": dd.from_pandas(frame.convert_dtypes(dtype_backend="pyarrow"), npartitions=3),
        "files": str(write_files(tmp_path)),
        "a pattern": tmp_path / "*.parquet",
        "files that Dask reads": dd.read_parquet(tmp_path),
    }  # fmt: skip
    for name, table in forms.items():
        found = stakes.dask.summarize(table, **CASES["binary"])
        assert found.to_bytes() == want, name


def test_arrays_give_the_bytes_of_columns(client: Any) -> None:
    da = pytest.importorskip("dask.array")
    column = {name: TABLE.column(name).to_numpy() for name in ("y", "p", "w", "digit")}
    arrays = {name: da.from_array(values, chunks=1700) for name, values in column.items()}
    arrays["p"] = arrays["p"].rechunk(999)
    found = stakes.dask.summarize(arrays["y"], arrays["p"], costs=BINARY, sample_weight=arrays["w"])
    assert found.to_bytes() == local("weights")
    ten = np.stack(TABLE.column("list").to_pylist())
    found = stakes.dask.summarize(arrays["digit"], da.from_array(ten, chunks=(2500, 3)))
    assert found.to_bytes() == local("ten classes in a list")
    with pytest.raises(stakes.InputError, match="scores must be an array of Dask"):
        stakes.dask.summarize(arrays["y"], column["p"])
    with pytest.raises(stakes.InputError, match="must hold one row per label: got 10 for 6000"):
        stakes.dask.summarize(arrays["y"], arrays["p"][:10])
    unknown = arrays["y"][arrays["y"] >= 0], arrays["p"].rechunk(1700)[arrays["y"] >= 0]
    assert stakes.dask.summarize(*unknown, costs=BINARY).to_bytes() == local("binary")
    short = arrays["p"].rechunk(1700)[arrays["p"].rechunk(1700) > 0.5]
    with pytest.raises(stakes.InputError, match="arrays must have as many rows"):
        stakes.dask.summarize(unknown[0], short)


def test_slices_and_groups_may_be_arrays(client: Any) -> None:
    da = pytest.importorskip("dask.array")
    array = {
        n: da.from_array(TABLE.column(n).to_numpy(zero_copy_only=False), chunks=2100)
        for n in ("y", "p", "s", "g")
    }
    found = stakes.dask.summarize(
        array["y"], array["p"], costs=BINARY, groups=array["g"], slices={"s": array["s"]}
    )
    here = stakes.Summary.of(TABLE, label="y", scores="p", costs=BINARY, group="g", slices=["s"])
    assert found.to_bytes() == here.to_bytes()
    with pytest.raises(stakes.InputError, match="must be a mapping from names to arrays"):
        stakes.dask.summarize(array["y"], array["p"], slices=["s"])


def test_without_workers_the_threads_of_dask_do_it() -> None:
    assert stakes.dask.summarize(frames(), **CASES["binary"]).to_bytes() == local("binary")


def test_an_evaluation_and_a_comparison_are_those_of_one_process(client: Any) -> None:
    told: dict[str, Any] = {**CASES["binary"]}
    found = stakes.dask.evaluate(frames(), **told, slices="s", groups="g")
    summary = stakes.Summary.of(TABLE, **CASES["binary"], slices=["s"], group="g")
    assert found.to_dict() == summary.evaluate().to_dict()
    told = {"label": "y", "costs": BINARY, "sample_weight": "w"}
    systems = {"old": "q", "new": "p"}
    compared = stakes.dask.compare(frames(), systems, **told)
    again = stakes.dask.compare(frames().repartition(npartitions=1), systems, **told)
    assert compared.to_dict() == again.to_dict()
    whole = stakes.compare(TABLE, systems, **told)
    assert [v.code for v in compared.verdicts] == [v.code for v in whole.verdicts]
    for one, two in zip(compared.differences, whole.differences, strict=True):
        assert one.difference.value == pytest.approx(two.difference.value, rel=1e-9, abs=1e-12)


def test_only_columns_that_are_needed_are_computed(client: Any) -> None:
    def fail(part: Any) -> Any:
        raise AssertionError(part)

    frame = frames()
    column = frame["q"].map_partitions(fail, meta=("unused", float))
    found = stakes.dask.summarize(frame.assign(unused=column), **CASES["binary"])
    assert found.to_bytes() == local("binary")


def with_value(column: str, row: int, value: Any) -> Any:
    def change(part: Any) -> Any:
        part[column] = part[column].astype(object) if isinstance(value, str) else part[column]
        part.iloc[row, part.columns.get_loc(column)] = value
        return part

    return change


BAD: dict[str, tuple[int, Any, str]] = {
    "a score beyond 1": (2, with_value("p", 7, 1.5), r"column 'p' .*got 1.5 at partition 2, row 7"),
    "a missing score": (4, with_value("p", 3, np.nan), r"partition 4, row 3: column 'p' must hold numbers: got null"),
    "an unknown label": (2, with_value("y", 5, 7), r"column 'y' must hold labels of the classes 0, 1: got 7 at partition 2, row 5"),
    "a negative weight": (2, with_value("w", 9, -1.0), r"sample_weight .*-1.* at partition 2, row 9"),
    "labels of another type": (2, lambda part: part.assign(y=part["y"].astype(str)), r"partition 2|whole numbers"),
    "a column that is gone": (2, lambda part: part.drop(columns="p"), r"'p'"),
    "scores that are texts": (4, lambda part: part.assign(p="high"), r"partition 4.*'p' must hold numbers"),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD)
def test_what_is_wrong_with_a_partition_is_said_with_its_place(client: Any, fault: str) -> None:
    number, change, message = BAD[fault]
    with pytest.raises((stakes.InputError, KeyError), match=message):
        stakes.dask.summarize(changed(number, change), **CASES["weights"])


def test_of_several_bad_partitions_the_first_is_named(client: Any) -> None:
    some = parts(TABLE.to_pandas())
    for number in (4, 2, 0):
        some[number] = with_value("p", 1, 2.0)(some[number].copy())
    for order in (1, -1):
        made = [dask.delayed(part) for part in some[::order]]
        frame = dd.from_delayed(made, meta=some[0].iloc[:0], verify_meta=False)
        with pytest.raises(stakes.InputError, match="partition 0, row 1"):
            stakes.dask.summarize(frame, **CASES["binary"])


def test_categories_may_be_in_some_partitions_only(client: Any) -> None:
    rows = TABLE.to_pandas().sort_values("name")
    some = [part.assign(name=part["name"].astype(str).astype("category")) for part in parts(rows)]
    assert len({tuple(part["name"].cat.categories) for part in some}) > 1
    frame = dd.from_delayed(
        [dask.delayed(p) for p in some], meta=some[0].iloc[:0], verify_meta=False
    )
    assert stakes.dask.summarize(frame, **CASES["names"]).to_bytes() == local("names")
    with pytest.raises(stakes.InputError, match="must name the classes"):
        stakes.dask.summarize(frame, label="name", scores="p")


def test_no_rows_and_no_weights_are_refused(client: Any) -> None:
    frame = TABLE.to_pandas()
    with pytest.raises(stakes.InputError, match="must hold samples"):
        stakes.dask.summarize(dd.from_pandas(frame.iloc[:0], npartitions=1), **CASES["binary"])
    with pytest.raises(stakes.InputError, match="all 6000 weights are 0"):
        stakes.dask.summarize(
            dd.from_pandas(frame.assign(w=0.0), npartitions=2), **CASES["weights"]
        )


def test_rows_rounded_to_digits_are_not_judged_by_partition(client: Any) -> None:
    frame = TABLE.to_pandas()
    frame[[f"p{k}" for k in range(10)]] = frame[[f"p{k}" for k in range(10)]].round(3)
    with pytest.raises(stakes.InputError, match="Divide each row by its sum"):
        stakes.dask.summarize(dd.from_pandas(frame, npartitions=3), **CASES["ten classes"])
    single = TABLE.to_pandas().astype({f"p{k}": "float32" for k in range(10)})
    found = stakes.dask.evaluate(dd.from_pandas(single, npartitions=3), **CASES["ten classes"])
    assert any("float32" in note for note in found.notes)


def worker_process(scheduler: str, code: str = "", *flags: str) -> "subprocess.Popen[bytes]":
    """Start a worker as a process of its own, after some code has run in it."""
    run = f"{code}\nfrom distributed.cli.dask_worker import main\nmain()"
    options = ("--no-dashboard", "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
    path = os.pathsep.join(sys.path)  # without what .pth files add, such as stakes itself
    return subprocess.Popen(
        [sys.executable, *flags, "-c", run, scheduler, *options],
        env={**os.environ, "PYTHONPATH": path.replace(str(Path(stakes.__file__).parents[1]), "")},
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("code", "flags", "message"),
    [
        ("", ("-S",), r"a worker has no stakes .*No module named 'stakes'"),
        ("import stakes._version as v; v.__version__ = '0.0.9'", (), r"a worker has stakes 0\.0\.9 .* this process has 0\.1\.0"),
    ],
)  # fmt: skip
def test_a_worker_that_does_not_fit_is_refused(code: str, flags: Any, message: str) -> None:
    with cluster(0) as client:
        process = worker_process(client.scheduler.address, code, *flags)
        try:
            client.wait_for_workers(1, timeout=30)
            with pytest.raises(stakes.EngineError, match=message) as caught:
                stakes.dask.summarize(frames(), **CASES["binary"])
            assert "pip install stakes==" in str(caught.value)
        finally:
            process.kill()
            process.wait()


def slow(part: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return part


def kill_some(client: Any, moments: list[float]) -> None:
    for wait in moments:
        time.sleep(wait)
        pids = list(client.run(os.getpid, on_error="ignore").values())
        if pids:
            os.kill(random.choice(pids), signal.SIGKILL)  # noqa: S311


def test_killed_workers_change_no_byte() -> None:
    made = [dask.delayed(slow)(part, 0.15) for part in parts(TABLE.to_pandas(), (1000,) * 6)]
    frame = dd.from_delayed(made, meta=TABLE.to_pandas().iloc[:0], verify_meta=False)
    with cluster() as client:
        killer = threading.Thread(target=kill_some, args=(client, [0.35]))
        killer.start()
        try:
            assert stakes.dask.summarize(frame, **CASES["binary"]).to_bytes() == local("binary")
        finally:
            killer.join()


def die(part: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_partition_that_kills_every_worker_is_an_error() -> None:
    some = [dask.delayed(part) for part in parts(TABLE.to_pandas())]
    some[2] = dask.delayed(die)(some[2])
    frame = dd.from_delayed(some, meta=TABLE.to_pandas().iloc[:0], verify_meta=False)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster(1),
        pytest.raises(stakes.EngineError, match="Dask gave up"),
    ):
        stakes.dask.summarize(frame, **CASES["binary"])


def result(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = call(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def days(tmp_path: Path) -> Path:
    (tmp_path / "days").mkdir()
    write_files(tmp_path / "days")
    return tmp_path


@pytest.mark.parametrize("more", [(), ("--weight", "w", "--group", "g", "--slice", "s")])
def test_the_command_prints_what_it_prints_for_files(client: Any, days: Path, more: Any) -> None:
    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    there = result("evaluate", "days", *COMMAND, *more, *engine, cwd=days)
    assert there == result("evaluate", "days", *COMMAND, *more, "--memory", "0", cwd=days)


def test_the_command_compares_and_checks(client: Any, days: Path) -> None:
    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    columns = ("--label", "y", "--scores-are", "posteriors", "--positive", "1")
    systems = ("--system", "a=p", "--system", "b=q", *columns, "--json")
    there = result("compare", "days", *systems, *engine, cwd=days)
    assert there == result("compare", "days", *systems, "--memory", "0", cwd=days)
    gate = ("check", "days", *columns, "--scores", "p", *engine, "--max-nec")
    assert [call(*gate, limit, cwd=days).returncode for limit in ("2", "0.01")] == [0, 1]


def test_the_command_finds_labels_that_come_late(client: Any, tmp_path: Path) -> None:
    from pyarrow import csv  # noqa: PLC0415

    (tmp_path / "sorted").mkdir()
    rows = TABLE.select(["name", "p"]).sort_by("name")
    csv.write_csv(rows[:2500], tmp_path / "sorted" / "a.csv")
    csv.write_csv(rows[2500:], tmp_path / "sorted" / "b.csv")
    told = (
        "--label",
        "name",
        "--scores",
        "p",
        "--scores-are",
        "posteriors",
        "--positive",
        "malignant",
    )
    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    there = result("evaluate", "sorted", *told, "--json", *engine, cwd=tmp_path)
    assert there["data"]["classes"] == ["benign", "malignant"]
    assert there["data"]["samples"] == N


def test_the_command_reads_an_address(client: Any, days: Path) -> None:
    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    there = result("evaluate", f"file://{days}/days", *COMMAND, *engine, cwd=days)
    here = result("evaluate", "days", *COMMAND, "--memory", "0", cwd=days)
    for verdict in (*there["verdicts"], *here["verdicts"]):
        del verdict["command"]  # it names the file
    assert there == here


def test_the_command_goes_on_where_it_stopped(client: Any, days: Path) -> None:
    from stakes.cli import engine_tables, table_streams  # noqa: PLC0415

    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    arguments = ("evaluate", "days", *COMMAND, "--resume", "run.part", *engine)
    whole = result("evaluate", "days", *COMMAND, "--memory", "0", cwd=days)
    taken: list[int] = []

    class Interrupted(table_streams.Saved):
        def take(self, part: Any, units: Any) -> None:
            super().take(part, units)
            taken.append(part.n)
            if len(taken) == 2:
                msg = "all workers are gone."
                raise stakes.EngineError(msg)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_tables, "_FEWEST", 1)
        patch.setattr(engine_tables, "_PER_SLOT", 1)
        patch.setattr(engine_tables, "Saved", Interrupted)
        assert call(*arguments, cwd=days).returncode == 4
    other = call(*arguments[:-4], "--memory", "0", cwd=days)
    assert other.returncode == 3
    assert "it was written for --engine dask, not none" in other.stderr
    done = call(*arguments, cwd=days)
    assert f"{sum(taken)} rows were read before" in done.stderr
    assert json.loads(done.stdout) == whole
    assert not (days / "run.part").exists()


def test_an_interrupted_command_leaves_nothing_behind(days: Path) -> None:
    command = [sys.executable, "-m", "stakes", "evaluate", "days", *COMMAND, "--engine", "dask"]
    for wait in (1.2,):
        process = subprocess.Popen(
            command,
            cwd=days,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            continue  # it was ready before
        assert process.returncode == 130, err
        assert out == b""
        assert err.endswith(b"stakes: interrupted.\n"), err
        deadline = time.monotonic() + 10
        while in_session(process.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert in_session(process.pid) == []


def in_session(leader: int) -> list[int]:
    """Return the processes of a session that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


REFUSED = {
    "--scheduler is for --engine dask": ("--scheduler", "tcp://127.0.0.1:1"),
    "--master is for --engine spark": ("--engine", "dask", "--master", "local[2]"),
    "--memory has no effect with --engine": ("--engine", "dask", "--memory", "0"),
    "cannot be given together": ("--engine", "spark", "--master", "local", "--remote", "sc://x"),
    "--id cannot yet": ("--engine", "dask", "--id", "g", "--class-column", "s"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_options_that_make_no_sense_are_refused(days: Path, message: str) -> None:
    done = call("evaluate", "days", *COMMAND, *REFUSED[message], cwd=days)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_scheduler_that_does_not_answer_is_named(days: Path, monkeypatch: Any) -> None:
    from stakes.engines import dask_engine  # noqa: PLC0415

    monkeypatch.setattr(dask_engine, "_PATIENCE", 1)
    done = call(
        "evaluate",
        "days",
        *COMMAND,
        "--engine",
        "dask",
        "--scheduler",
        "tcp://127.0.0.1:1",
        cwd=days,
    )
    assert done.returncode == 4
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:1'" in done.stderr


def test_a_file_that_workers_cannot_read_is_named(client: Any, days: Path) -> None:
    (days / "days" / "2.parquet").write_bytes(b"PAR1 and nothing else")
    engine = ("--engine", "dask", "--scheduler", client.scheduler.address)
    done = call("evaluate", "days", *COMMAND, *engine, cwd=days)
    assert done.returncode == 3
    assert "2.parquet" in done.stderr
