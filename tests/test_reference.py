"""Every public name is on a page of the reference, and its docstring has what a reader needs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

import exports
import reference_pages
import stakes

NAMES = {name: (module, own) for name, module, own in reference_pages.public_paths()}
OWN = {own: (module, own) for module, own in NAMES.values()}
DOCS = exports.DOCS
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?: : .*)?$")

# Constructors that users do not call: what they take is not for them.
BY_OTHERS = {
    ("stakes._errors", "StakesError"),
    ("stakes.torch.calibration_modules", "CalibrationModule"),
}


def _sections(text: str) -> dict[str, str]:
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _entries(section: str) -> set[str]:
    """Return the names that a section of a docstring describes."""
    found = (ENTRY.match(line) for line in section.splitlines())
    return {name.lstrip("*") for each in found if each for name in each[1].split(", ")}


def _arguments(node: ast.AST) -> set[str]:
    """Return the arguments of a function, or of the constructor of a class."""
    if isinstance(node, ast.FunctionDef):
        inner = node.args
        return {a.arg for a in inner.posonlyargs + inner.args + inner.kwonlyargs} - {"self"}
    assert isinstance(node, ast.ClassDef)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return _arguments(part)
    if not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
        return set()
    fields = (part for part in node.body if isinstance(part, ast.AnnAssign))
    return {
        ast.unparse(part.target)
        for part in fields
        if "ClassVar" not in ast.unparse(part.annotation)
        and "init=False" not in ast.unparse(part)
        and not ast.unparse(part.target).startswith("_")
    }


def _faults(name: str) -> Iterator[str]:
    module, own = NAMES[name]
    node = reference_pages.definition(module, own)
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return
    found = _sections(ast.get_docstring(node) or "")
    told = _entries(found.get("Parameters", "")) | _entries(found.get("Attributes", ""))
    if (module, own) not in BY_OTHERS:
        for argument in sorted(_arguments(node) - told):
            yield f"{argument} is not described"
    if isinstance(node, ast.FunctionDef):
        for extra in sorted(told - _arguments(node)):
            yield f"{extra} is described, and is not an argument"
        if ast.unparse(node.returns or ast.Constant(None)) != "None" and "Returns" not in found:
            yield "what it returns is not described"
    others = _entries(found.get("See Also", ""))
    if not others:
        yield "See Also is missing"
    yield from (f"See Also: {other} is not public" for other in sorted(others) if not _is(other))
    if ">>>" not in found.get("Examples", "") and not any(_has_example(o) for o in others):
        yield "there is no example, here or where See Also leads"


def _is(other: str) -> bool:
    return other.partition(".")[0] in OWN


def _has_example(other: str) -> bool:
    place = OWN.get(other.partition(".")[0])
    examples = "" if place is None else _sections(reference_pages.docstring(*place))
    return "Examples" in examples


@pytest.mark.parametrize("name", sorted(NAMES))
def test_docstring_has_what_a_reader_needs(name: str) -> None:
    assert not list(_faults(name))


@pytest.mark.parametrize(("path", "text"), reference_pages.pages().items(), ids=str)
def test_every_public_name_is_on_a_page(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run `make exports`"


def test_a_module_without_a_page_is_an_error() -> None:
    with pytest.raises(LookupError, match="is on no page"):
        reference_pages._page_of("stakes.elsewhere")


def test_navigation_has_every_page() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (DOCS.parent / "mkdocs.yml").read_text()))
    pages = {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}
    notebooks = {p.relative_to(DOCS).with_suffix(".md").as_posix() for p in DOCS.rglob("*.ipynb")}
    assert listed == pages | notebooks | {"contributing.md", "changelog.md"}


def _verdict_codes() -> set[str]:
    """Return the codes of all verdicts: first arguments that are texts, or chosen among texts."""
    codes = set()
    for path in (exports.SOURCE / "stakes").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Verdict":
                values = _texts(call.args[0], tree) if call.args else set()
                assert values, f"{path.name}, line {call.lineno}: a code that no reader can find"
                codes |= values
    return codes


def _texts(node: ast.expr, tree: ast.Module) -> set[str]:
    """Return the texts that an expression, or what is assigned to a name of it, can be."""
    if isinstance(node, ast.Name):
        targets = (
            (target, part.value)
            for part in ast.walk(tree)
            if isinstance(part, ast.Assign)
            for target in part.targets
        )
        values = [v for t, v in targets if node.id in ast.unparse(t).strip("()").split(", ")]
        return set().union(*(_texts(value, tree) for value in values))
    if isinstance(node, ast.Constant):
        return {str(node.value)} if re.fullmatch("[a-z_]+", str(node.value)) else set()
    if isinstance(node, ast.IfExp):
        return _texts(node.body, tree) | _texts(node.orelse, tree)
    if isinstance(node, ast.Tuple):
        return _texts(node.elts[0], tree)
    return set()


def test_every_verdict_has_an_entry() -> None:
    page = (DOCS / "verdicts.md").read_text(encoding="utf-8")
    entries = set(re.findall(r"^\| \[`([a-z_]+)`\]", page, re.MULTILINE))
    codes = _verdict_codes()
    assert {"useful", "answer_more", "abstain_more", "more_right_but_worse", "worse"} <= codes
    assert codes <= entries, sorted(codes - entries)


def test_every_reason_of_an_undefined_value_has_an_entry() -> None:
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    sources = [p.read_text() for p in (exports.SOURCE / "stakes").rglob("*.py")]
    codes = {c for text in sources for c in re.findall(r'Undefined\(\s*"([a-z_]+)"', text)}
    assert len(codes) >= 4
    assert codes <= set(re.findall(r"^\| \[`([a-z_]+)`\]", page, re.MULTILINE))


def test_every_kind_of_error_has_an_entry() -> None:
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    kinds = [own for module, own in NAMES.values() if module == "stakes._errors"]
    for kind in kinds:
        assert f"`{kind}`" in page


def test_calls_of_the_cheat_sheet_run() -> None:
    page = (DOCS / "cheat-sheet.md").read_text(encoding="utf-8")
    data = stakes.simulation.simulate(2, n=200)
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    p, q = data.posteriors([0.9, 0.1]), data.posteriors([0.5, 0.5])
    model = LogisticRegression().fit(data.x[:, None], data.y)
    names = {"y": data.y, "p": p, "q": q, "costs": costs, "model": model, "X": data.x[:, None]}
    names |= {name: getattr(stakes, name) for name in dir(stakes)}
    names |= {"d": stakes.decide(p, costs=costs).names, "result": stakes.evaluate(data.y, p)}
    calls = [call for call in re.findall(r"`([^`]*\))`", page) if "..." not in call]
    assert len(calls) > 15
    for call in calls:
        if "save_html" not in call:
            eval(call.replace("`", ""), names)  # noqa: S307  our own page
