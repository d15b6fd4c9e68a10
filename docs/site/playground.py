"""Put the playground together: python docs/site/playground.py FOLDER [--runtime].

FOLDER gets the page, the pure wheel of these sources, the example data and a manifest. With
`--runtime` npm installs Python and numpy for the browser, pinned and checked by the lock file in
`docs/playground`, and they go into FOLDER/pyodide. Without it the page says that they are missing.
Standard library only, beside hatchling, which builds the wheel.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "playground"
DATA = ROOT / "src" / "stakes" / "data"
DEMOS = ("breast", "diabetes", "digits")
NODE = ROOT / "build" / "playground"  # where npm installs
PYODIDE = (  # of its npm package, what a browser loads
    "pyodide.js",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
# Scripts are loaded by the worker itself, which cannot be watched.
_NOT_COUNTED = {"pyodide.js", "pyodide.asm.js"}
_EPOCH = "1577836800"  # of files in the wheel, so that the same sources give the same bytes


def assemble(folder: Path, *, runtime: bool) -> None:
    """Write the page and what it loads into a folder."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for path in PAGE.iterdir():
        if path.suffix in {".html", ".css", ".js", ".mjs", ".py"}:
            shutil.copy(path, folder)
    for name in DEMOS:
        shutil.copy(DATA / f"{name}.csv", folder / "data")
    wheel = build_wheel(folder)
    numpy = copy_runtime(folder / "pyodide") if runtime else None
    counted = [folder / "bridge.py", wheel]
    counted += [p for p in folder.glob("pyodide/*") if p.name not in _NOT_COUNTED]
    manifest = {
        "wheel": wheel.name,
        "numpy": numpy,
        "bytes": sum(path.stat().st_size for path in counted),
    }
    text = json.dumps(manifest, indent=2)
    (folder / "manifest.json").write_text(f"{text}\n", encoding="utf-8")


def build_wheel(folder: Path) -> Path:
    """Return the wheel without compiled kernels, built by the hatchling of this environment."""
    for old in folder.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    environment = {**os.environ, "STAKES_PURE": "1", "SOURCE_DATE_EPOCH": _EPOCH}
    run([*command, "--directory", str(folder.resolve())], ROOT, environment)
    (wheel,) = folder.glob("*-none-any.whl")
    return wheel


def copy_runtime(folder: Path) -> str:
    """Install Python and numpy for the browser with npm; return the name of numpy's archive."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to install Python for the browser")
    NODE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(PAGE / name, NODE)
    run([npm, "ci", "--silent", "--ignore-scripts"], NODE, dict(os.environ))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in PYODIDE:
        shutil.copy(NODE / "node_modules" / "pyodide" / name, folder)
    (archive,) = (NODE / "node_modules" / "@emscripten-forge" / "numpy" / "pkg").glob("*.tar.gz")
    shutil.copy(archive, folder)
    return archive.name


def run(command: list[str], place: Path, environment: dict[str, str]) -> None:
    """Run a command; its output is shown if it fails."""
    done = subprocess.run(
        command, cwd=place, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="such as site/playground")
    parser.add_argument("--runtime", action="store_true", help="with Python and numpy, from npm")
    options = parser.parse_args()
    assemble(options.folder, runtime=options.runtime)
    return 0


if __name__ == "__main__":
    sys.exit(main())
