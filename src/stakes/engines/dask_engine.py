"""Dask: data frames, arrays and delayed batches, summed by its workers and added on them."""

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

from stakes._check import Action, EngineError, InputError
from stakes._text import plain
from stakes._version import __version__
from stakes.engines.engine import Engine, Source, load
from stakes.engines.files import FileParts, FileSource, is_paths
from stakes.engines.partials import Job, Partial
from stakes.engines.remote import checked, is_unfit, remote_call
from stakes.engines.worker import partition
from stakes.io import Roles
from stakes.io.batches import Ask, check_present
from stakes.io.relations import pieces_of
from stakes.io.units import Piece

_JOINED = 4  # sums that one task adds: few, so that sums are added while others are made
_FEW_BYTES = 100_000  # of a job, which go with each task; a dependency would draw tasks to itself
_EXTRA = "dask"
_PATIENCE = 10  # seconds that a scheduler has to answer


class DaskEngine(Engine):
    """Dask, with the client that is running, or the scheduler that it is set to."""

    def source(self, table: Any, roles: Roles) -> tuple[Source, Roles]:  # noqa: ANN401
        """Return a data frame, an array, delayed batches, or files by their paths."""
        dask = load("dask", _EXTRA)
        if hasattr(table, "chunks") and hasattr(table, "to_delayed"):
            return _arrays(table, roles)
        roles = roles.named()
        if is_paths(table):
            return self.files(FileParts.find(table)), roles
        if hasattr(table, "npartitions") and hasattr(table, "columns"):
            check_present(roles.ask().names, list(table.columns), "table")
            return DaskPartitions(frame=table), roles
        if isinstance(table, list | tuple) and all(map(dask.is_dask_collection, table)):
            return DaskPartitions(list(table)), roles
        rule = "must be a data frame or array of Dask, a list of delayed batches, or paths"
        raise InputError("table", rule, type(table).__name__)

    def files(self, files: FileParts) -> Source:
        """Return files that the workers can read."""
        return FileSource(files, partial(summed, "sum_files"), self.slots())

    def address(self, url: str) -> Source:
        """Return Parquet files at an address that Dask knows."""
        return DaskPartitions(frame=load("dask.dataframe", _EXTRA).read_parquet(url))

    def slots(self) -> int:
        """Return how many tasks run at a time."""
        client = _client()
        return 1 if client is None else sum(client.nthreads().values())


class DaskPartitions(Source):
    """Partitions of which Dask knows how each is computed."""

    def __init__(self, partitions: Sequence[Any] = (), frame: Any = None) -> None:  # noqa: ANN401
        self._partitions, self._frame = partitions, frame

    def first(self, ask: Ask) -> Piece | None:
        """Return some rows of the first partition that has any."""
        for number, part in enumerate(self._columns(ask)):
            rows = run(_task("first_rows", ask, number, part))
            if rows is not None:
                return next(pieces_of(rows, ask, partition(number)))
        return None

    def total(self, job: Job) -> Partial:
        """Sum each partition, then some sums at a time."""
        return summed("sum_table", job, self._columns(job.ask))

    def _columns(self, ask: Ask) -> Sequence[Any]:
        """Return the partitions; of a data frame with no other columns than those asked for."""
        if self._frame is None:
            return self._partitions
        check_present(ask.names, list(self._frame.columns), "table")
        found: list[Any] = self._frame[list(ask.names)].to_delayed()
        return found


@contextmanager
def dask_cluster(scheduler: str | None, workers: int) -> Iterator[DaskEngine]:
    """Connect with a scheduler; without an address start that many processes here."""
    distributed = load("distributed", _EXTRA)
    warnings.filterwarnings("ignore", module="distributed")  # a dashboard is not asked for
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")  # of processes that ended
    with ExitStack() as stack:
        if scheduler is None:
            quiet = {"dashboard_address": None, "silence_logs": 50}
            local = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, **quiet
            )
            scheduler = stack.enter_context(local)
        try:
            stack.enter_context(distributed.Client(scheduler, timeout=_PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            msg = f"no Dask scheduler answers at '{plain(scheduler, 200)}': {plain(error, 200)}"
            raise EngineError(f"{msg}.", hint=Action("check_address")) from error
        yield DaskEngine()


def summed(name: str, job: Job, parts: Sequence[Any]) -> Partial:
    """Return the sum of parts by a function of the worker, added in a tree on the workers."""
    dask, data = load("dask", _EXTRA), load("cloudpickle", _EXTRA).dumps(job)
    check_workers()
    sent = data if len(data) <= _FEW_BYTES else dask.delayed(data)
    sums = [_task(name, sent, number, part) for number, part in enumerate(parts)]
    while len(sums) > 1:
        sums = [_task("join", *sums[i : i + _JOINED]) for i in range(0, len(sums), _JOINED)]
    found: Partial = run(sums[0]) if sums else Partial()
    return found


def run(task: Any) -> Any:  # noqa: ANN401
    """Return what a task gives, from the running client or the scheduler that Dask is set to."""
    client = _client()
    if client is None:
        return checked(task.compute(), __version__)
    future = client.compute(task)
    try:
        return checked(future.result(), __version__)
    except Exception as error:
        if not type(error).__module__.startswith(("distributed.", "concurrent.", "asyncio.")):
            raise
        msg = f"Dask gave up: {plain(error, 300).rstrip('.')}."
        hint = "A worker may lack memory: give it more, or make partitions smaller."
        raise EngineError(msg, hint=hint) from error
    finally:
        future.cancel()


def check_workers() -> None:
    """Refuse workers without stakes, or with another version, before any work."""
    client = _client()
    if client is None:
        return
    told = client.run(remote_call(__version__), "ready", on_error="ignore")  # of those that live
    for address, found in told.items():
        if is_unfit(found):
            checked((found[0], f"{found[1]} at {address}"), __version__)


def _task(name: str, *arguments: Any) -> Any:  # noqa: ANN401
    """Return a call of a function of the worker, to be done later."""
    return _delayed_call()(name, *arguments)


@cache
def _delayed_call() -> Any:  # noqa: ANN401
    return load("dask", _EXTRA).delayed(remote_call(__version__), pure=False)


def _client() -> Any:  # noqa: ANN401
    """Return the client that is running, if there is one."""
    try:
        return load("distributed", _EXTRA).get_client()
    except (ImportError, ValueError):
        return None


def _arrays(y: Any, roles: Roles) -> tuple[Source, Roles]:  # noqa: ANN401
    """Return arrays, in the places of names, as partitions of columns called by their roles."""
    slices: Any = roles.slices or {}
    if not isinstance(slices, dict):
        raise InputError("slices", "must be a mapping from names to arrays", plain(slices))
    arrays = {
        "y_true": y,
        **({"sample_weight": roles.weight} if roles.weight is not None else {}),
        **({"groups": roles.group} if roles.group is not None else {}),
        **{f"scores {name}".strip(): each for name, each in roles.systems.items()},
    }
    odd = arrays.keys() & slices.keys()
    if odd:
        raise InputError("slices", "must have other names than the other arrays", plain(min(odd)))
    arrays |= slices
    for name, array in arrays.items():
        if not hasattr(array, "to_delayed"):
            raise InputError(name, "must be an array of Dask, as y_true is", type(array).__name__)
        if array.shape[0] != y.shape[0] and not math.isnan(array.shape[0] + y.shape[0]):
            found = f"{array.shape[0]} for {y.shape[0]} labels"
            raise InputError(name, "must hold one row per label", found)
    if roles.amounts:
        raise InputError("table", "must have columns for costs by case", found="arrays have none")
    roles = replace(
        roles,
        label="y_true",
        systems={name: f"scores {name}".strip() for name in roles.systems},
        weight=None if roles.weight is None else "sample_weight",
        group=None if roles.group is None else "groups",
        slices=tuple(slices),
    )
    return DaskPartitions(list(_blocks(arrays, y))), roles


def _blocks(arrays: dict[str, Any], y: Any) -> Iterator[Any]:  # noqa: ANN401
    """Go through blocks of the same rows of all arrays."""
    dask = load("dask", _EXTRA)
    columns = {}
    for name, array in arrays.items():
        whole = {1: -1} if array.ndim == 2 else {}
        sized = not math.isnan(sum((*array.chunks[0], *y.chunks[0])))  # else blocks go as they are
        same = array.rechunk({**({0: y.chunks[0]} if sized else {}), **whole})
        columns[name] = same.to_delayed().reshape(-1)
    if len({len(blocks) for blocks in columns.values()}) > 1:
        found = {name: len(blocks) for name, blocks in columns.items()}
        rule = "must have as many blocks where their sizes are not known"
        raise InputError("arrays", rule, plain(found, 200))
    for blocks in zip(*columns.values(), strict=True):
        yield dask.delayed(dict)(list(zip(columns, blocks, strict=True)))
