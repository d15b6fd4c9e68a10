"""Every public name is on a page of the reference, and its docstring has what a reader needs."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

import docstring_rules
import exports
import reference_pages
import stakes

NAMES = {name: (module, own) for name, module, own in reference_pages.public_paths()}
OWN = {own for _, own in NAMES.values()}
DOCS = exports.DOCS


def _node(name: str) -> ast.AST:
    return reference_pages.definition(*NAMES[name])


@pytest.mark.parametrize("name", sorted(NAMES))
def test_docstring_has_what_a_reader_needs(name: str) -> None:
    node = _node(name)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        assert not list(docstring_rules.faults(name, node, OWN))


@pytest.mark.parametrize(
    "name", sorted(name for name in NAMES if isinstance(_node(name), ast.ClassDef))
)
def test_docstrings_of_members_have_what_a_reader_needs(name: str) -> None:
    node = _node(name)
    assert isinstance(node, ast.ClassDef)
    assert not list(docstring_rules.member_faults(node))


@pytest.mark.parametrize(
    ("argument", "said", "fault"),
    [
        ("x: float", "float", ""),
        ("x: float", "float, optional", "is said to have one"),
        ("x: float = 0.95", "float, default 0.95", ""),
        ("x: float = 0.95", "float, default 0.9", "is 0.95, not 0.9"),
        ("x: float = 0.95", "float", "which is not said"),
        ("x: float = 0.95", "float, optional", "0.95, is not said"),
        ("x: float | None = None", "float, optional", ""),
        ("x: str = 'auto'", '{"auto", "all"}, default "auto"', ""),
        ("x: str = 'auto'", '{"auto", "all"}, default "all"', "is 'auto', not"),
        ("x: Any = Affine()", "calibrator, default Affine()", ""),
        ("x: Any = Affine()", "calibrator, optional", ""),
        ("x: int", None, "the type of x is not said"),
        ("y: int", "int", "y is not described"),
    ],
)
def test_the_law_sees_types_and_defaults(argument: str, said: str | None, fault: str) -> None:
    entry = "x" if said is None else f"x : {said}"
    text = f"Do it.\n\n    Parameters\n    ----------\n    {entry}\n    "
    (node,) = ast.parse(f'def f({argument}) -> None:\n    """{text}"""').body
    assert isinstance(node, ast.FunctionDef)
    found = [*docstring_rules.faults("stakes.f", node, OWN)]
    assert found[-2:] == ["See Also is missing", "there is no example"]
    assert (fault in found[0]) if fault else len(found) == 2


def test_the_law_sees_members() -> None:
    source = """class A:
    def bare(self): ...
    def takes(self, x: int) -> int:
        'Return x.'
    def gives(self) -> int:
        'Do it.'
    @property
    def fine(self) -> int:
        'How many.'
    """
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)
    assert list(docstring_rules.member_faults(node)) == [
        "bare: there is no docstring",
        "takes: x is not described",
        "gives: what it returns is not described",
    ]


# Modules that `help` can load here; the types of others are those of their libraries.
LOADED = [n for n in sorted(NAMES) if not n.startswith(("stakes.inspect_ai", "stakes.torch"))]


@pytest.mark.parametrize("name", LOADED)
def test_types_that_help_shows_are_short_names(name: str) -> None:
    module, own = NAMES[name]
    value = getattr(importlib.import_module(module), own)
    if not callable(value) or (isinstance(value, type) and issubclass(value, Exception)):
        return
    made = {} if not isinstance(value, type) else vars(value)
    functions = [f for n, f in made.items() if not n.startswith("_") and inspect.isfunction(f)]
    for each in (value, *functions):
        shown = str(inspect.signature(each))
        for path in ("collections.abc.", "typing.", "stakes._typing."):
            assert path not in shown, f"{each}: {path}"


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
