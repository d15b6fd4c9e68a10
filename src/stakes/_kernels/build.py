"""Builds the kernels in place: `python -m stakes._kernels`. Standard library only."""

import os
import platform
import shlex
import sys
import zlib
from itertools import takewhile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LIBRARY = "_kernels.dll" if sys.platform == "win32" else "_kernels.so"
_FLAGS = (
    "-O3",
    "-std=c11",
    "-fopenmp-simd",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-signed-zeros",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fPIC",
)
_OF_SOME = ("-fno-thread-jumps",)  # gcc would write out both sides of a choice, and slowly
_WIDER = {3: "x86-64-v3", 4: "x86-64-v4"}


class BuildError(Exception):
    """The kernels could not be built; the message says why."""


def source_number(folder: Path = FOLDER) -> int | None:
    """Return a checksum of the C sources, which a library built from them carries; None without."""
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
    if not sources:
        return None
    number = 0
    for path in sources:
        number = zlib.crc32(path.read_bytes().replace(b"\r\n", b"\n"), number)
    return number


def is_up_to_date(folder: Path = FOLDER) -> bool:
    """Whether the library is newer than its sources and this file; never with another compiler."""
    library = folder / LIBRARY
    if "CC" in os.environ or not library.exists():
        return False
    sources = [*folder.glob("*.c"), *folder.glob("*.h"), folder / "build.py"]
    return library.stat().st_mtime_ns > max(path.stat().st_mtime_ns for path in sources)


def compiler() -> list[str]:
    """Return the command of the system's C compiler: CC if it is set, else the first found."""
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    import shutil  # noqa: PLC0415  only where something is built, as below

    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    msg = "no C compiler was found (cc, gcc or clang; CC names another)"
    raise BuildError(msg)


def build(folder: Path = FOLDER, extra: tuple[str, ...] = ()) -> Path:
    """Compile the sources in `folder` to a shared library there, one version per vector width."""
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    command = [*compiler(), *_FLAGS, *extra]
    command += [flag for flag in _OF_SOME if _known(flag, command)]
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch) / LIBRARY
        objects, levels = _wider_objects(command, folder, Path(scratch))
        base = Path(scratch) / "base.o"
        number = f"-DSTAKES_SOURCE={source_number(folder)}u"
        whole = ["-DLEVEL=base", "-DSTAKES_BASE", number, f"-DSTAKES_LEVELS={levels}"]
        _run([*command, *whole, "-c", str(folder / "kernels.c"), "-o", str(base)])
        _run([*command, "-shared", str(base), *objects, "-lm", "-o", str(built)])
        target = folder / LIBRARY
        partial = folder / f"{LIBRARY}.{os.getpid()}"
        shutil.copyfile(built, partial)
        partial.replace(target)  # a process that has the old one loaded keeps it
    return target


def _wider_objects(command: list[str], folder: Path, scratch: Path) -> tuple[list[str], int]:
    """Compile for wider vectors, as far as the compiler knows them; also the widest level."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return [], 1

    def compiled(level: int) -> str | None:
        out = str(scratch / f"v{level}.o")
        wide = [f"-march={_WIDER[level]}", f"-DLEVEL=v{level}"]
        try:
            _run([*command, *wide, "-c", str(folder / "kernels.c"), "-o", out])
        except BuildError:
            return None
        return out

    with ThreadPoolExecutor(len(_WIDER)) as pool:
        made = list(takewhile(bool, pool.map(compiled, _WIDER)))
    return [out for out in made if out], [1, *_WIDER][len(made)]


def _known(flag: str, command: list[str]) -> bool:
    """Whether the compiler takes a flag that only some have."""
    try:
        _run([*command, "-Werror", flag, "-E", "-x", "c", os.devnull, "-o", os.devnull])
    except BuildError:
        return False
    return True


def _run(command: list[str]) -> None:
    """Run the compiler; its last words become the error."""
    import subprocess  # noqa: PLC0415

    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        msg = f"the C compiler {command[0]!r} did not start: {error.strerror}"
        raise BuildError(msg) from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        msg = f"the C compiler {command[0]!r} failed: {said[-1] if said else done.returncode}"
        raise BuildError(msg)


def main() -> int:
    """Build in place and say where."""
    try:
        sys.stdout.write(f"{build(extra=tuple(sys.argv[1:]))}\n")
    except BuildError as error:
        sys.stderr.write(f"{error}.\n")
        return 1
    return 0
