"""What a kind of file declares, and what it can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, ClassVar

from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part
from stakes.io.streams import Limits

READERS: dict[str, "Reader"] = {}  # by name
Write = Callable[["pa.Table"], Any]
LazyBatch = tuple[int, Callable[[], Batch]]  # how many rows it has, and how it is read


class Reader(ABC):
    """A kind of file: what it is called, and how it is read, cut into units and written."""

    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]  # of files; without their dots they may be given as a kind
    columns: ClassVar[str]  # what the columns of such a file are, for the docs
    packable: ClassVar[bool] = False  # files may be packed with gzip: they are read forward
    written: ClassVar[bool] = False  # whether tables can be written, too
    sign: ClassVar[tuple[bytes, str]] = (b"", "")  # first bytes, and what a file that has them is
    memory: ClassVar[int] = 2  # bytes of columns for each byte of a file
    typed_by_values: ClassVar[bool] = False  # the values of a batch tell the types of its columns

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            READERS[cls.name] = cls()

    @abstractmethod
    def header(self, part: Part, limits: Limits) -> list[str]:
        """Return the names of the columns."""

    @abstractmethod
    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:
        """Cut a file into units: how many rows each has, and how it is read, in any thread.

        Units are of `most` rows at most where a file says how many there are. Those of text may
        say 0, since its rows are counted by lines.
        """

    def split(self, part: Part, limits: Limits, most: int) -> list[Part]:  # noqa: ARG002
        """Return a file in parts of about `most` rows, where one can be read without the others."""
        return [part]

    def rows(self, part: Part, limits: Limits) -> int | None:  # noqa: ARG002
        """Return how many rows a file declares, where it does."""
        return None

    def writer(self, stream: BinaryIO, schema: "pa.Schema") -> AbstractContextManager[Write]:
        """Give a function that writes the next rows, where `written` says that there is one."""
        raise NotImplementedError
