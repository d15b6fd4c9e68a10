"""Arrow, which takes long to load: each of its modules is loaded where it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING

from stakes._check import MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv, ipc, parquet
else:

    class _Module:
        """A module that is loaded when something of it is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> object:
            try:
                value = getattr(import_module(self._name), name)
            except ImportError as error:
                msg = "files and Arrow streams need pyarrow: pip install 'stakes[cli]'"
                raise MissingExtraError(msg) from error
            setattr(self, name, value)
            return value

    pa, arrow_csv = _Module("pyarrow"), _Module("pyarrow.csv")
    ipc, parquet = _Module("pyarrow.ipc"), _Module("pyarrow.parquet")
