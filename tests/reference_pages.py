"""The reference: each public name is on the page of the module that defines it.

`make exports` writes the pages as tables; `make docs` adds what the docstrings say. A public name
of a module that no page covers is an error.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import exports

FOLDER = exports.DOCS / "reference"
VALUES = {  # public names without a docstring of their own
    "CALIBRATED": "No distortion: the true likelihoods.",
    "DISPLAYS": "Every display, by its name.",
    "Drawing": "What `save_figure` and `png` take: a display or a matplotlib figure.",
    "MISCALIBRATED": "The paper's distortion mc1: half the scale, and a shift of the first class.",
    "__version__": "The version of stakes, as text.",
}


class Page(NamedTuple):
    """A page of the reference: what it is called, what it is for, which modules it covers."""

    title: str
    about: str
    modules: tuple[str, ...]


PAGES: Mapping[str, Page] = MappingProxyType(
    {
        "evaluate": Page(
            "Evaluate and compare",
            "Everything about one system, or about several on the same samples. Start with"
            " `stakes.evaluate`, or with `stakes.evaluate_decisions` if you have no scores."
            " [Verdicts](../verdicts.md) and [comparisons](../comparisons.md) state the rules.",
            ("evaluation", "_version"),
        ),
        "costs": Page(
            "Costs",
            "The cost of each decision for each class. [Cost files](../cost-files.md) have the same"
            " as text.",
            ("costs", "evaluation.applications"),
        ),
        "scores": Page(
            "Scores",
            "The kinds of scores. A plain array is read as posteriors; wrap anything else in its"
            " kind. The [glossary](../glossary.md) defines the terms.",
            ("scores", "simulation"),
        ),
        "metrics": Page(
            "Metrics",
            "Metrics of decisions and of scores. [Which metric do I need?](../which-metric.md) helps"
            " to choose.",
            ("metrics",),
        ),
        "scoring-rules": Page(
            "Scoring rules",
            "The loss of predicted probabilities, given the true class. Pass a rule to"
            " `stakes.expected_loss`, `stakes.calibration_loss` or `stakes.evaluate`.",
            ("scoring", "metrics.expected_losses"),
        ),
        "curves": Page(
            "Curves and thresholds",
            "Every threshold at once; the [risk curve](../risk-curve.md) covers every ratio of"
            " costs.",
            ("curves", "evaluation.threshold_choice", "evaluation.odds"),
        ),
        "calibration": Page(
            "Calibration",
            "What poor probabilities cost, and how to fix them. [Calibration](../calibration.md)"
            " helps to choose a calibrator.",
            ("calibration", "metrics.calibration_errors", "metrics.probability_bins"),
        ),
        "intervals": Page(
            "Values and intervals",
            "Values with their intervals. [Intervals](../intervals.md) states which interval is"
            " used for what, and how often it covers.",
            ("results", "evaluation.own_metrics"),
        ),
        "displays": Page(
            "Displays",
            "One for each curve, in the style of scikit-learn; the [gallery](../gallery.md) shows"
            " them all. They need matplotlib: `pip install 'stakes[plot]'`.",
            ("displays",),
        ),
        "files": Page(
            "Files",
            "Tables of labels and scores, read in bounded memory. [Files](../files.md) lists the"
            " kinds and the limits.",
            ("io",),
        ),
        "responses": Page(
            "Language models",
            "Answers of a language model, with confidence and abstentions, and scores of"
            " multiple-choice options.",
            ("responses", "answer_logs"),
        ),
        "integrations": Page(
            "Integrations",
            "scikit-learn, torch, MLflow, Dask, Spark, Inspect and lm-eval. Each needs its extra:"
            " `pip install 'stakes[sklearn]'`.",
            ("sklearn", "torch", "mlflow", "dask", "spark", "inspect_ai", "lm_eval"),
        ),
        "errors": Page(
            "Errors",
            "Every error that stakes raises on purpose; [errors](../errors.md) says what to do.",
            ("_errors", "_codes"),
        ),
    }
)


def pages() -> dict[Path, str]:
    """Return what each page of the reference, and their list, should hold."""
    names = by_page()
    made = {FOLDER / f"{key}.md": _page(page, names[key]) for key, page in PAGES.items()}
    rows = "".join(f"| [{p.title}]({key}.md) | {len(names[key])} |\n" for key, p in PAGES.items())
    about = "Every public name, by topic. Each page lists its names; on the site, which"
    about += " `make docs` builds, each name has its full documentation."
    table = f"| page | names |\n|---|---|\n{rows}"
    return made | {FOLDER / "README.md": f"# Reference\n\n{about}\n\n{table}"}


def by_page() -> dict[str, list[tuple[str, str, str]]]:
    """Return for each page its names: as users write them, the module, and the name there."""
    found: dict[str, list[tuple[str, str, str]]] = {key: [] for key in PAGES}
    for name, module, own in public_paths():
        found[_page_of(module if module != "stakes" else f"stakes.{own}")].append(
            (name, module, own)
        )
    return {key: sorted(names, key=_order) for key, names in found.items()}


def public_paths() -> Iterator[tuple[str, str, str]]:
    """Yield every public name as users write it, with the module that defines it."""
    shortest: dict[tuple[str, str], str] = {}
    for path, text in exports.stubs().items():
        package = ".".join(path.parent.relative_to(exports.SOURCE).parts)
        for line in text.splitlines():
            if line.startswith("from "):
                _, module, _, own, *_ = line.split()
                name = f"{package}.{own}"
                shortest[module, own] = min(name, shortest.get((module, own), name), key=_depth)
    for (module, own), name in shortest.items():
        yield name, module, own
    for part in exports.MODULES:  # modules that are no packages have no stub with their names
        path = (exports.SOURCE / "stakes" / part).with_suffix(".py")
        for own in exports.declared(path) if path.exists() else ():
            yield f"stakes.{part}.{own}", f"stakes.{part}", own


def definition(module: str, own: str) -> ast.AST:
    """Return the definition of a public name, without importing its module."""
    if module == "stakes":
        return _tree(f"stakes.{own}")
    if module in exports.ENGINES:
        return exports.engine_method(own)
    for node in reversed(_tree(module).body):  # the last of overloads
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == own:
            return node
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target) == own:
                return node
    raise LookupError(module, own)


def docstring(module: str, own: str) -> str:
    """Return the docstring of a public name, without importing its module."""
    node = definition(module, own)
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
        return ast.get_docstring(node) or ""
    return VALUES[own]


def _page_of(module: str) -> str:
    fits = [
        (len(part), key)
        for key, page in PAGES.items()
        for part in page.modules
        if f"{module}.".startswith(f"stakes.{part}.")
    ]
    if not fits:
        where = "tests/reference_pages.py"
        raise LookupError(f"{module} is on no page of the reference: add it to {where}")
    return max(fits)[1]


def _page(page: Page, names: list[tuple[str, str, str]]) -> str:
    rows = [f"| `{name}` | {_first_line(module, own)} |\n" for name, module, own in names]
    table = "| name | what it is |\n|---|---|\n" + "".join(rows)
    return f"# {page.title}\n\n{page.about}\n\n{table}"


def _first_line(module: str, own: str) -> str:
    return docstring(module, own).splitlines()[0].replace("|", "\\|")


def _order(names: tuple[str, str, str]) -> tuple[str, int, str]:
    """By package, that of all first; functions, then classes, then modules."""
    name, module, own = names
    kind = 2 if module == "stakes" or own[0] == "_" else int(own[0].isupper())
    return name.rpartition(".")[0], kind, own.lower()


def _depth(name: str) -> tuple[int, str]:
    return name.count("."), name


@cache
def _tree(module: str) -> ast.Module:
    base = exports.SOURCE / module.replace(".", "/")
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
