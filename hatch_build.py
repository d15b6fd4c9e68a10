"""Compiles the kernels when the package is built or installed.

An editable install keeps a library that is newer than its sources, so that several environments of
one clone compile it once.

Without a C compiler the package is built all the same, and runs its numpy definitions. With
STAKES_PURE=1 in the environment nothing is compiled: that wheel is for any platform.
"""

import importlib.util
import os
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FOLDER = Path("src", "stakes", "_kernels")


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Puts the shared library beside its sources and tags the wheel for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library, or keep one that is up to date; warn if it cannot be built."""
        if self.target_name != "wheel" or os.environ.get("STAKES_PURE") == "1":
            return
        folder = Path(self.root, _FOLDER)
        builder = _load(folder / "build.py")
        keeps = version == "editable" and builder.is_up_to_date(folder)
        try:
            library = folder / builder.LIBRARY if keeps else builder.build(folder)
        except builder.BuildError as error:
            (folder / builder.LIBRARY).unlink(missing_ok=True)
            self.app.display_warning(
                f"stakes is installed without compiled kernels, and will be slower: {error}."
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"
        build_data["artifacts"].append(f"/{(_FOLDER / library.name).as_posix()}")


def _load(path: Path) -> ModuleType:
    """Load the builder by its path: the package cannot be imported before it is installed."""
    spec = importlib.util.spec_from_file_location("_stakes_kernels_build", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _platform() -> str:
    """Return this platform as a wheel's tag names it."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
