"""What is written from the sources by `make exports`.

The stubs of the packages, from the `__all__` of their modules; and tables of the documentation,
from the registries.
"""

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
DOCS = SOURCE.parent / "docs"
HEAD = "# Written by `make exports` from the `__all__` of each module.\n"

# Packages and modules whose names are names of `stakes`, and its modules that users import.
TOP = (
    "_codes",
    "_errors",
    "_version",
    "answer_logs",
    "calibration",
    "costs",
    "curves",
    "displays",
    "evaluation",
    "metrics",
    "responses",
    "results",
    "scores",
    "scoring",
    "sklearn.model_evaluation",
)
MODULES = (
    *("dask", "displays", "inspect_ai", "lm_eval", "metrics", "mlflow", "simulation", "sklearn"),
    *("spark", "torch"),
)
# Modules whose functions are methods of an engine.
ENGINES = ("stakes.dask", "stakes.spark")
# What users ask these modules for: `stakes.metrics.Precision`, `stakes.displays.panels`.
BELOW = ("stakes.metrics.traditional", "stakes.displays.figures")


def stubs() -> dict[Path, str]:
    """Return what the stub of each package that imports its names lazily should hold."""
    inits = [p for p in SOURCE.rglob("__init__.py") if "= lazy_names(__name__)" in p.read_text()]
    return {init.with_suffix(".pyi"): _stub(_module(init)) for init in inits}


def public_names() -> list[tuple[str, str]]:
    """Return every public name with the module that defines it."""
    lines = [line.split() for text in stubs().values() for line in text.splitlines()]
    return sorted({(line[1], line[3]) for line in lines if line[0] == "from"})


def engine_stubs() -> dict[Path, str]:
    """Return what type checkers are told of the modules whose functions are methods of an engine."""
    imports = (n for n in _engine_tree().body if isinstance(n, ast.Import | ast.ImportFrom))
    lines = [line for line in map(ast.unparse, imports) if "__future__" not in line]
    for name in declared(SOURCE / "stakes" / "dask.py"):
        method = engine_method(name)
        method.args.args = method.args.args[1:]  # without self
        method.body = [ast.Expr(ast.Constant(...))]
        lines.append(ast.unparse(method))
    text = (
        HEAD.replace("the `__all__` of each module", "engines/engine.py") + "\n".join(lines) + "\n"
    )
    return {SOURCE / f"{name.replace('.', '/')}.pyi": text for name in ENGINES}


def engine_method(name: str) -> ast.FunctionDef:
    """Return the definition of a function of `stakes.dask` and `stakes.spark`."""
    kinds = (n for n in _engine_tree().body if isinstance(n, ast.ClassDef) and n.name == "Engine")
    return next(n for n in next(kinds).body if isinstance(n, ast.FunctionDef) and n.name == name)


def _engine_tree() -> ast.Module:
    return ast.parse((SOURCE / "stakes" / "engines" / "engine.py").read_text(encoding="utf-8"))


def tables() -> dict[Path, str]:
    """Return what each page with a table of a registry should hold."""
    from stakes.calibration.registry import (  # noqa: PLC0415  from the stubs, which come first
        calibrator_class,
        calibrator_names,
    )
    from stakes.displays import DISPLAYS  # noqa: PLC0415

    rows = [f"| `{d.__name__}` | {d.title} | {d.needs} |\n" for d in DISPLAYS.classes.values()]
    table = "| display | draws | needs |\n|---|---|---|\n" + "".join(rows)
    calibrators = (
        "| calibrator | options | classes | learns | use it when |\n|---|---|---|---|---|\n"
    )
    for kind in map(calibrator_class, calibrator_names()):
        options = ", ".join(f"`{f.name}`" for f in fields(kind))  # type: ignore[arg-type]
        classes = "two" if kind.two_classes else "any"
        calibrators += (
            f"| `{kind.__name__}` | {options} | {classes} | {kind.learns} | {kind.use} |\n"
        )
    gallery, calibration = DOCS / "gallery.md", DOCS / "calibration.md"
    return {
        gallery: _with_table(gallery, "displays", table),
        calibration: _with_table(calibration, "calibrators", calibrators),
    }


def _with_table(page: Path, name: str, table: str) -> str:
    """Return a page with the table between its two marks replaced."""
    before, begin, rest = page.read_text().partition(f"<!-- {name}: make exports -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->\n")
    return before + begin + "\n" + table + "\n" + end + after


def _stub(package: str) -> str:
    homes = _homes(package) if package != "stakes" else _homes_at_top()
    lines = (f"from {homes[n]} import {n} as {n}\n" for n in sorted(homes))
    return HEAD + "".join(lines)


def _homes_at_top() -> dict[str, str]:
    found = {name: module for part in TOP for name, module in _homes(f"stakes.{part}").items()}
    found = {name: module for name, module in found.items() if not module.startswith(BELOW)}
    return found | dict.fromkeys(MODULES, "stakes")


def _homes(package: str) -> dict[str, str]:
    """Return the module of each public name of a package, or of a module."""
    base = SOURCE / package.replace(".", "/")
    paths = sorted(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]
    return {name: _module(path) for path in paths for name in declared(path)}


def _module(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def declared(path: Path) -> list[str]:
    """Return the `__all__` that is written in a module, without importing it."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


if __name__ == "__main__":
    for make in (stubs, engine_stubs, tables):
        for path, text in make().items():
            path.write_text(text)
