"""Spark: data frames of a classic or a Connect session, summed by its executors and added there."""

import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from stakes._check import Action, EngineError, InputError
from stakes._text import plain
from stakes._version import __version__
from stakes.engines.engine import Engine, Source, load
from stakes.engines.files import FileParts, FileSource, is_paths
from stakes.engines.partials import Job, Partial
from stakes.engines.remote import checked, remote_call
from stakes.engines.worker import FEW, join, partition
from stakes.io import Roles
from stakes.io.batches import Ask, Batch, check_present
from stakes.io.units import Piece

_MOST_JOINERS = 64  # tasks that add the sums of all partitions; the driver adds what they give
_EXTRA = "spark"
_SCHEMA = "data binary"
_JAVA = 17
_UNKNOWN_SLOTS = 64
_UNKNOWN_PARTITIONS = 64
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
          "spark.log.level": "ERROR"}  # fmt: skip
Batches = Iterable[Any]  # of Arrow


class SparkEngine(Engine):
    """Spark, with the session of the data frame; for files the one given, or the active one."""

    def __init__(self, session: Any = None) -> None:  # noqa: ANN401
        self._session = session

    def source(self, table: Any, roles: Roles) -> tuple[Source, Roles]:  # noqa: ANN401
        """Return a data frame, or files by their paths."""
        roles = roles.named()
        if is_paths(table):
            return self.files(FileParts.find(table)), roles
        if not hasattr(table, "mapInArrow"):
            rule = "must be a DataFrame of Spark, or paths"
            raise InputError("table", rule, type(table).__name__)
        check_present(roles.ask().names, table.columns, "table")
        return SparkFrame(table), roles

    def files(self, files: FileParts) -> Source:
        """Return files that the executors can read."""
        session = self._active()
        if session is None:
            rule = "must be a DataFrame where no session of Spark is active"
            raise InputError("table", rule, "a path")

        def total(job: Job, tasks: Sequence[bytes]) -> Partial:
            numbers = session.range(0, len(tasks), 1, max(len(tasks), 1))
            return summed(numbers, _pickled(job), tasks)

        return FileSource(files, total, self.slots())

    def _active(self) -> Any:  # noqa: ANN401
        """Return the session that was given, else the active one, if there is one."""
        return self._session or load("pyspark.sql", _EXTRA).SparkSession.getActiveSession()

    def address(self, url: str) -> Source:
        """Return Parquet files at an address that Spark knows."""
        with _said():
            return SparkFrame(self._session.read.parquet(url))

    def slots(self) -> int:
        """Return how many tasks run at a time, as far as a session of Connect tells."""
        context = getattr(self._active(), "_sc", None)
        return _UNKNOWN_SLOTS if context is None else int(context.defaultParallelism)


class SparkFrame(Source):
    """A data frame of which only the columns that are needed are read."""

    def __init__(self, frame: Any) -> None:  # noqa: ANN401
        self._frame = frame

    def first(self, ask: Ask) -> Piece | None:
        """Return some rows."""
        with _said():
            rows = self.columns(ask).limit(FEW).toArrow().rename_columns(list(ask.names))
        return Piece("table", partition(0), Batch(rows), 0, ask, {}) if rows.num_rows else None

    def total(self, job: Job) -> Partial:
        """Sum each partition on its executor, and add the sums on some."""
        return summed(self.columns(job.ask), _pickled(job))

    def columns(self, ask: Ask) -> Any:  # noqa: ANN401
        """Return no other columns than those asked for, numbered: Spark misreads odd names."""
        frame = self._frame
        check_present(ask.names, frame.columns, "table")
        return frame.select(*(_column(frame, n).alias(f"c{i}") for i, n in enumerate(ask.names)))


@contextmanager
def spark_session(master: str | None, remote: str | None, workers: int) -> Iterator[SparkEngine]:
    """Connect with Spark; without an address start it here, with that many threads."""
    sql = load("pyspark.sql", _EXTRA)
    _prepare(local=not (master or remote))
    builder = sql.SparkSession.builder.appName("stakes")
    if remote is None:
        check_java()
        for name, value in _QUIET.items():
            builder = builder.config(name, value)
        builder = builder.master(master or f"local[{workers}]")
    else:
        builder = builder.remote(remote)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        where = f"'{plain(remote or master or 'local', 200)}'"
        msg = f"Spark cannot be started or reached at {where}: {_shortened(str(error))}."
        raise EngineError(msg, hint=Action("check_address")) from error
    try:
        yield SparkEngine(session)
    finally:
        with suppress(Exception), warnings.catch_warnings():  # it may have gone away before us
            warnings.simplefilter("ignore")
            session.stop()


def _prepare(*, local: bool) -> None:
    """Set what Spark reads from the environment, where nobody has set it."""
    log = f"-Dlog4j2.configurationFile={Path(__file__).with_name('spark-log.properties')}"
    told = {"PYSPARK_PYTHON": sys.executable, "SPARK_SUBMIT_OPTS": log}
    for name, value in (told | ({"SPARK_LOCAL_IP": "127.0.0.1"} if local else {})).items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)


def check_java() -> None:
    """Refuse to start Spark without the Java that it needs, and say how to get it."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    hint = "On Debian: apt-get install openjdk-17-jre-headless"
    if java is None:
        raise EngineError(f"Spark needs Java {_JAVA} or newer, and none is installed. {hint}")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is not None and int(found[1]) < _JAVA:
        raise EngineError(f"Spark needs Java {_JAVA} or newer: {java} is {found[1]}. {hint}")


def summed(frame: Any, job: bytes, files: Sequence[bytes] | None = None) -> Partial:  # noqa: ANN401
    """Return the sum of a frame; or of files, of which its rows are the numbers."""
    call = remote_call(__version__)
    sums = frame.mapInArrow(_partition_sums(call, job, files), _SCHEMA)
    joined = sums.repartition(_joiners(frame)).mapInArrow(_joined_sums(call), _SCHEMA)
    session, tag = frame.sparkSession, f"stakes-{uuid4()}"
    session.addTag(tag)
    try:
        with _said():
            rows = joined.collect()
    except BaseException:
        session.interruptTag(tag)
        raise
    finally:
        session.removeTag(tag)
    found: Partial = checked(join(*(pickle.loads(row.data) for row in rows)), __version__)  # noqa: S301
    return found


def _joiners(frame: Any) -> int:  # noqa: ANN401
    """Return how many tasks add sums: each adds as many as the driver does after it.

    Connect does not tell how many partitions a frame has.
    """
    rdd = None if "connect" in type(frame).__module__ else frame.rdd
    partitions = _UNKNOWN_PARTITIONS if rdd is None else rdd.getNumPartitions()
    return min(math.isqrt(max(partitions - 1, 0)) + 1, _MOST_JOINERS)


def _partition_sums(
    call: Callable[..., Any], job: bytes, files: Sequence[bytes] | None
) -> Callable[[Batches], Iterator[Any]]:
    """Return what sums the rows of a partition; it is pickled by value, as `call` is."""

    def sums(batches: Batches) -> Iterator[Any]:
        import pickle  # noqa: PLC0415
        from importlib import import_module  # noqa: PLC0415

        if files is None:
            number = import_module("pyspark").TaskContext.get().partitionId()
            found = [call("pickled_sum", job, number, batches)]
        else:
            numbers = [n for batch in batches for n in batch.column(0).to_pylist()]
            found = [call("pickled_file_sum", job, n, files[n]) for n in numbers]
        batch_of = import_module("pyarrow").RecordBatch.from_pydict
        for each in found:
            if each is not None:
                yield batch_of({"data": [each if isinstance(each, bytes) else pickle.dumps(each)]})

    return sums


def _joined_sums(call: Callable[..., Any]) -> Callable[[Batches], Iterator[Any]]:
    """Return what adds sums of partitions."""

    def joined(batches: Batches) -> Iterator[Any]:
        import pickle  # noqa: PLC0415
        from importlib import import_module  # noqa: PLC0415

        found = [data for batch in batches for data in batch.column(0).to_pylist()]
        if found:
            each = call("pickled_join", found)
            data = each if isinstance(each, bytes) else pickle.dumps(each)
            yield import_module("pyarrow").RecordBatch.from_pydict({"data": [data]})

    return joined


def _pickled(job: Job) -> bytes:
    data: bytes = load("pyspark.cloudpickle", _EXTRA).dumps(job)
    return data


def _column(frame: Any, name: str) -> Any:  # noqa: ANN401
    """Return a column by its very name; vectors of Spark's ML as arrays."""
    quoted = "`" + name.replace("`", "``") + "`"
    if type(frame.schema[name].dataType).__name__ == "VectorUDT":
        to_array = load("pyspark.ml.functions", _EXTRA).vector_to_array
        return to_array(frame[quoted])
    return frame[quoted]


@contextmanager
def _said() -> Iterator[None]:
    """Say in one sentence what Spark says in a page."""
    try:
        yield
    except Exception as error:
        theirs = type(error).__module__.startswith(("pyspark.", "py4j.", "grpc."))
        if not theirs and not isinstance(error, ConnectionError):  # Java is gone
            raise
        told, hint = _shortened(str(error)), ""
        if told.startswith("ModuleNotFoundError"):
            hint = "Set PYSPARK_PYTHON to a Python that has stakes, on every worker."
        raise EngineError(f"Spark gave up: {told}.", hint=hint) from error


def _shortened(text: str) -> str:
    """Return the last line that says something, of a page with the stacks of Python and Java."""
    lines = [line.strip() for line in text.partition("JVM stacktrace")[0].splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "File ", "^"))]
    return plain(told[-1] if told else text, 400).rstrip(".")
