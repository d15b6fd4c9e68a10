"""Change the source in one small place at a time, and count how often the tests notice.

`python tests/mutants.py --map` runs the suite once and notes which tests run which lines;
`python tests/mutants.py` then tries a random sample of changes (mutants) in the packages that hold
the glue, each with the tests that run its line, the quickest first. A mutant that no test notices
is printed. Mutants that change no behaviour (a tolerance, the size of a block, the order of two
equal things) are listed in EQUIVALENT with the reason, and do not count.
"""

import argparse
import ast
import contextlib
import importlib
import io
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from equivalent_mutants import EQUIVALENT

TOP = Path(__file__).parent.parent
SOURCE = TOP / "src" / "stakes"
PACKAGES = ("evaluation", "inference", "calibration", "cli", "io", "metrics")
FOLDER = TOP / ".mutants"  # the map of lines and the results, not part of the project
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W",
         "ignore:Module already imported:pytest.PytestAssertRewriteWarning")  # fmt: skip
FILES, EACH = 3, 6  # files of tests of the first round, and tests of each
SECONDS = 80  # of all tests of a mutant
HEAVY = ("numpy", "hypothesis", "pandas", "polars", "pyarrow.parquet", "matplotlib.pyplot",
         "sklearn.metrics", "pytest", "numpy.testing", "click")  # fmt: skip

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
OPPOSITE = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "floor": "ceil", "ceil": "floor",
    "low": "high", "high": "low",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one place."""

    file: str
    line: int
    start: int
    end: int
    right: str
    wrong: str
    stands: str  # the line that the place begins in
    imported: bool = False  # whether the place is run when the module is loaded

    def applied(self, text: str) -> str:
        """Return the source with the change."""
        return text[: self.start] + self.wrong + text[self.end :]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {' '.join(self.right.split())}  ->  {self.wrong}"


class Sites(ast.NodeVisitor):
    """All mutants of a module; annotations, texts and what only type checkers see are left alone."""

    def __init__(self, file: Path) -> None:
        self.text = file.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()
        self.file = file.relative_to(SOURCE).as_posix()
        ends = [0]
        for line in self.text.encode().splitlines(keepends=True):
            ends.append(ends[-1] + len(line))
        self.ends = ends
        self.found: list[Mutant] = []
        self.depth = 0
        self.visit(ast.parse(self.text))

    def _place(self, line: int, column: int) -> int:
        return len(self.text.encode()[: self.ends[line - 1] + column].decode())

    def note(self, node: ast.AST, new: ast.AST | str) -> None:
        """Add the mutant that writes one node anew."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._place(node.lineno, node.col_offset)
        end = self._place(node.end_lineno, node.end_col_offset)
        wrong = new if isinstance(new, str) else f"({ast.unparse(new)})"
        right, line = self.text[start:end], self.lines[node.lineno - 1].strip()
        place = self.file, node.lineno, start, end
        self.found.append(Mutant(*place, right, wrong, line, self.depth == 0))

    def visit_Compare(self, node: ast.Compare) -> None:
        other = COMPARED[type(node.ops[0])]()
        self.note(node, ast.Compare(node.left, [other, *node.ops[1:]], node.comparators))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = any(isinstance(x, ast.JoinedStr) for x in (node.left, node.right))
        if not texts and type(node.op) in COMPUTED and not _is_type(node):
            self.note(node, ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.note(node, ast.BoolOp(other, node.values))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.note(node, node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.note(node, ast.Constant(not node.value))
        elif isinstance(node.value, int | float):
            self.note(node, ast.Constant(node.value + 1))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in OPPOSITE and isinstance(node.ctx, ast.Load):
            self.note(node, OPPOSITE[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in OPPOSITE and isinstance(node.ctx, ast.Load):
            self.note(node, ast.Attribute(node.value, OPPOSITE[node.attr]))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.note(node, ast.IfExp(node.test, node.orelse, node.body))
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for part in node.orelse:
                self.visit(part)
            return
        if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            self.note(node.test, ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":  # of zip, which only guards
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        for i, keyword in enumerate(node.keywords):
            if keyword.arg not in {None, "strict"}:
                left = [k for j, k in enumerate(node.keywords) if j != i]
                self.note(node, ast.Call(node.func, node.args, left))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.note(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.note(node, "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
            self.note(node, "return None")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not (isinstance(node.targets[0], ast.Name) and node.targets[0].id.startswith("__")):
            self.visit(node.value)

    def visit_arguments(self, node: ast.arguments) -> None:
        for default in (*node.defaults, *node.kw_defaults):
            if default is not None:
                self.visit(default)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in {"__repr__", "__dir__"}:
            return
        self.visit(node.args)
        self.depth += 1
        for part in node.body:
            self.visit(part)
        self.depth -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave errors alone: whether they are raised is the condition above them."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave alone what only type checkers need."""


def _is_type(node: ast.BinOp) -> bool:
    """Tell a union of types from an alternative of bits."""
    sides = [node.left, node.right]
    return isinstance(node.op, ast.BitOr) and any(
        (isinstance(x, ast.Name) and x.id in {"str", "int", "float", "bool", "dict", "list"})
        or (isinstance(x, ast.Constant) and x.value is None)
        for x in sides
    )


def mutants(packages: Sequence[str]) -> list[Mutant]:
    """Return all mutants of some packages, each of which Python can read."""
    found = []
    for package in packages:
        for file in sorted((SOURCE / package).rglob("*.py")):
            sites = Sites(file)
            for mutant in sites.found:
                with contextlib.suppress(SyntaxError):
                    ast.parse(mutant.applied(sites.text))
                    found.append(mutant)
    return found


class LineNotes:
    """A plugin of pytest that notes which test runs which lines, and how long it takes."""

    def __init__(self, coverage: Any) -> None:  # noqa: ANN401
        self.coverage = coverage
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401
        """Note how long a part of a test took."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration


def note_lines(part: int, of: int) -> None:
    """Run each `of`-th file of tests and write which of them run which lines."""
    import coverage  # noqa: PLC0415
    import pytest  # noqa: PLC0415

    os.chdir(TOP)
    files = sorted(
        str(f.relative_to(TOP)) for f in (TOP / "tests").glob("test_*.py")
        if not f.name.startswith(("test_browser", "test_frontend", "test_benchmarks"))
    )  # fmt: skip
    files += [f"src/stakes/{package}" for package in PACKAGES]
    FOLDER.mkdir(exist_ok=True)
    data = coverage.Coverage(data_file=FOLDER / f"lines.{part}", source=[str(SOURCE)])
    notes = LineNotes(data)
    data.start()
    pytest.main([*QUIET, *files[part::of]], [notes])
    data.stop()
    data.save()
    (FOLDER / f"seconds.{part}.json").write_text(json.dumps(notes.seconds))


def map_lines(workers: int) -> None:
    """Run the suite once, in some processes."""
    jobs = [
        multiprocessing.Process(target=note_lines, args=(part, workers)) for part in range(workers)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()


class LineMap:
    """Which tests run a line, the quickest first."""

    def __init__(self) -> None:
        import coverage  # noqa: PLC0415

        self.data = []
        self.seconds: dict[str, float] = {}
        for file in sorted(FOLDER.glob("seconds.*.json")):
            self.seconds.update(json.loads(file.read_text()))
            lines = coverage.CoverageData(FOLDER / f"lines.{file.name.split('.')[1]}")
            lines.read()
            self.data.append(lines)
        if not self.data:
            sys.exit("no map of lines: run with --map first")
        self.known: dict[str, dict[int, set[str]]] = {}

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the lines of a mutant."""
        if mutant.file not in self.known:
            lines: dict[int, set[str]] = {}
            for data in self.data:
                for line, names in data.contexts_by_lineno(str(SOURCE / mutant.file)).items():
                    lines.setdefault(line, set()).update(names)
            self.known[mutant.file] = lines
        lines = self.known[mutant.file]
        span: Iterable[int] = range(mutant.line, mutant.line + mutant.right.count("\n") + 1)
        if mutant.imported:
            span = lines
        tests = {name for line in span for name in lines.get(line, ()) if name in self.seconds}
        if not tests and mutant.imported:  # a class that only declares: the tests of its package
            start = f"tests/test_{mutant.file.partition('/')[0]}"
            tests = {name for name in self.seconds if name.startswith(start)}
        return sorted(tests, key=lambda name: (self.seconds[name], name))


def rounds(tests: Sequence[str]) -> Iterator[list[str]]:
    """Yield the quickest tests of few files, then of all files, then the rest."""
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.partition("::")[0], []).append(test)
    often = sorted(files, key=lambda file: -len(files[file]))
    first = [test for file in often[:FILES] for test in files[file][:EACH]]
    second = [test for file in often for test in files[file][:EACH]]
    tried: set[str] = set()
    for part in (first, second, tests):
        yield [test for test in part if test not in tried]
        tried.update(part)


def _trial(source: Path, tests: Sequence[str], seconds: float) -> None:
    """Run some tests on a copy of the source, in this process, which then ends."""
    sys.path.insert(0, str(source))
    os.environ["PYTHONPATH"] = str(source)
    os.chdir(TOP)
    import pytest  # noqa: PLC0415

    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    import faulthandler  # noqa: PLC0415

    faulthandler.dump_traceback_later(seconds, exit=True)
    # Examples are tests of the copy: those of the source itself would bring it in.
    names = [str(source.parent / name) if name.startswith("src/") else name for name in tests]
    where = ("--rootdir", str(TOP), "-c", str(TOP / "pyproject.toml"))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pytest.main([*QUIET, "-x", *where, *names])
    os._exit(int(code))


def dies(mutant: Mutant | None, tests: Sequence[str], seconds: float) -> bool:
    """Tell whether some test fails on a mutant; one that does not end counts as failed."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(TOP / "src", source)
        if mutant is not None:
            target = source / "stakes" / mutant.file
            target.write_text(mutant.applied(target.read_text(encoding="utf-8")), encoding="utf-8")
        return any(part and _ended(source, part, seconds) for part in rounds(tests))


def _ended(source: Path, tests: Sequence[str], seconds: float) -> bool:
    pid = os.fork()
    if pid == 0:
        _trial(source, tests, seconds)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) != 0


def work(jobs: Any, results: Any, seed: int) -> None:  # noqa: ANN401
    """Try mutants until there are none left; each trial is a fork with the heavy packages loaded."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    lines = LineMap()
    some = random.Random(seed).sample(sorted(lines.seconds), min(50, len(lines.seconds)))
    if dies(None, some, 600):
        results.put(None)
        return
    for number, mutant in iter(jobs.get, None):
        tests, started = lines.tests(mutant), time.monotonic()
        total, kept = 0.0, []
        for test in tests:  # quickest first, until they would take too long
            total += lines.seconds[test]
            if total > SECONDS:
                break
            kept.append(test)
        dead = bool(kept) and dies(mutant, kept, 3 * total + 60)
        results.put((number, dead, len(kept), time.monotonic() - started))


def tried(sample: Sequence[Mutant], workers: int, seed: int) -> Iterator[tuple[Mutant, bool, int]]:
    """Yield each mutant, whether it died, and how many tests run its line."""
    jobs: Any = multiprocessing.Queue()
    results: Any = multiprocessing.Queue()
    for number, mutant in enumerate(sample):
        jobs.put((number, mutant))
    crew = [
        multiprocessing.Process(target=work, args=(jobs, results, seed), daemon=True)
        for _ in range(workers)
    ]
    for worker in crew:
        jobs.put(None)
        worker.start()
    for _ in sample:
        result = results.get()
        if result is None:
            sys.exit("tests fail without any mutant: map the lines again")
        number, dead, tests, seconds = result
        sys.stdout.write(f"{'dead ' if dead else 'ALIVE'} {seconds:6.1f} s {sample[number]}\n")
        sys.stdout.flush()
        yield sample[number], dead, tests
    wait([worker.sentinel for worker in crew], 10)


def equivalent(mutant: Mutant) -> bool:
    """Tell whether a mutant is listed as one that changes no behaviour."""
    change = mutant.file, mutant.stands, " ".join(mutant.right.split()), mutant.wrong
    return any(change == row[:4] for row in EQUIVALENT)


def table(results: Sequence[tuple[Mutant, bool, int]]) -> str:
    """Return how many died in each package, as a table of Markdown."""
    dead, all_ = Counter[str](), Counter[str]()
    for mutant, died, _ in results:
        for name in (mutant.file.partition("/")[0], "all"):
            all_[name] += 1
            dead[name] += died
    lines = ["| package | mutants | die | share |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {n} | {dead[name]} | {100 * dead[name] / n:.0f} % |"
        for name, n in sorted(all_.items(), key=lambda item: (item[0] == "all", item[0]))
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try a sample of mutants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--map", action="store_true", help="note which tests run which lines")
    parser.add_argument("--number", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.map:
        map_lines(options.workers)
        return
    every = mutants(options.packages)
    random.Random(options.seed).shuffle(every)  # first, so that a new row of EQUIVALENT moves none
    sample = [m for m in every if not equivalent(m)][: options.number]
    results = list(tried(sample, options.workers, options.seed))
    alive = [asdict(m) for m, dead, _ in results if not dead]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "alive.json").write_text(json.dumps(alive, indent=1))
    sys.stdout.write(f"\n{len(every)} mutants, {len(sample)} tried\n{table(results)}")
    sys.exit(sum(dead for _, dead, _ in results) < 0.9 * len(results))


if __name__ == "__main__":
    main()
