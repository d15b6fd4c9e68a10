"""What the docstring of a public name, or of a public member of a class, must have.

numpydoc's sections: a summary of one line, each argument with its type and its default, what is
returned, See Also, and an example. Read from the source, so that no optional library is needed.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache

import exports

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?: : (.*))?$")
_DEFAULT = re.compile(r", default (.+)$")
_OPTIONAL = re.compile(r"[,;] optional$")

# Their libraries are not installed where doctests run: an example may be code that is shown.
WITHOUT_DOCTESTS = (
    *("stakes.dask", "stakes.inspect_ai", "stakes.mlflow", "stakes.spark", "stakes.torch"),
)
# Kinds of one error, which users do not make: they share the example of `StakesError`.
SHARED_EXAMPLE = {
    *("EngineError", "FileError", "InputError", "MissingExtraError", "UndefinedMetricError"),
}
# Constructors that users do not call, and members that the command line calls: what they take is
# not for users.
MADE_BY_OTHERS = {"CalibrationModule", "StakesError"}
FOR_THE_COMMAND_LINE = {"note", "said"}

Definition = ast.FunctionDef | ast.ClassDef


def sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring by their titles."""
    parts = _SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> dict[str, str | None]:
    """Return the names that a section describes, with what stands behind the colon."""
    found = (_ENTRY.match(line) for line in section.splitlines())
    return {name.lstrip("*"): each[2] for each in found if each for name in each[1].split(", ")}


def faults(name: str, node: Definition, public: set[str]) -> Iterator[str]:
    """Yield what the docstring of a public class or function lacks, one sentence each."""
    text = ast.get_docstring(node) or ""
    found = sections(text)
    yield from _summary(text)
    yield from _described(node, found)
    others = entries(found.get("See Also", ""))
    if not others:
        yield "See Also is missing"
    for other in others:
        if other.partition(".")[0] not in public:
            yield f"See Also: {other} is not public"
    examples = found.get("Examples", "")
    shown = ">>>" in examples or (name.startswith(WITHOUT_DOCTESTS) and "    " in examples)
    if not shown and node.name not in SHARED_EXAMPLE:
        yield "there is no example"


def member_faults(node: ast.ClassDef) -> Iterator[str]:
    """Yield what the docstrings of the public members of a class lack."""
    for name, member in members(node).items():
        text = ast.get_docstring(member)
        lacks = ["there is no docstring"] if text is None else []
        if text is not None:
            lacks += [*_summary(text), *_described(member, sections(text))]
        yield from (f"{name}: {fault}" for fault in lacks)


def members(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the public methods and properties of a class and of its bases, as `help` shows them.

    One without a docstring has that of the first base that has one.
    """
    found: dict[str, ast.FunctionDef] = {}
    for kind in _line(node):
        for part in kind.body:
            if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                first = found.setdefault(part.name, part)
                if ast.get_docstring(first) is None:
                    found[part.name] = part
    return found


def arguments(node: Definition) -> dict[str, ast.expr | None]:
    """Return the arguments of a function, or of the constructor of a class, with their defaults."""
    if isinstance(node, ast.FunctionDef):
        return _of_function(node)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return _of_function(part)
    if not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
        return {}
    fields = (part for part in node.body if isinstance(part, ast.AnnAssign))
    return {
        ast.unparse(part.target): _default_of_field(part.value)
        for part in fields
        if "ClassVar" not in ast.unparse(part.annotation)
        and "init=False" not in ast.unparse(part)
        and not ast.unparse(part.target).startswith("_")
    }


def default_faults(name: str, said: str, default: ast.expr | None) -> Iterator[str]:
    """Yield where what is said of an argument's default is not what the signature has."""
    stated, optional = _DEFAULT.search(said), _OPTIONAL.search(said)
    if default is None:
        if stated or optional:
            yield f"{name} has no default, and is said to have one"
    elif stated:
        if _same(stated[1], default) is False:
            yield f"the default of {name} is {ast.unparse(default)}, not {stated[1]}"
    elif not optional:
        yield f"{name} has the default {ast.unparse(default)}, which is not said"
    elif isinstance(default, ast.Constant) and default.value not in (None, ""):
        yield f"the default of {name}, {ast.unparse(default)}, is not said"


def _summary(text: str) -> Iterator[str]:
    first, _, rest = text.partition("\n")
    if not first.endswith((".", "?")) or (rest and not rest.startswith("\n")):
        yield "the summary is not one sentence on one line"


def _described(node: Definition, found: Mapping[str, str]) -> Iterator[str]:
    """Yield arguments that are not described as they are, and a missing Returns."""
    parameters = entries(found.get("Parameters", ""))
    told = parameters | entries(found.get("Attributes", ""))
    takes = {} if node.name in MADE_BY_OTHERS | FOR_THE_COMMAND_LINE else arguments(node)
    yield from (f"{each} is not described" for each in sorted(takes.keys() - told.keys()))
    for name, said in told.items():
        if said is None and name not in _caught(node):
            yield f"the type of {name} is not said"
        elif name in parameters and name in takes and said is not None:
            yield from default_faults(name, said, takes[name])
    if isinstance(node, ast.FunctionDef):
        known = takes.keys() | (parameters.keys() if node.args.kwarg else _caught(node))
        for extra in sorted(parameters.keys() - known):
            yield f"{extra} is described, and is not an argument"
        if not _says_what_it_returns(node, found):
            yield "what it returns is not described"


def _says_what_it_returns(node: ast.FunctionDef, found: Mapping[str, str]) -> bool:
    """Say whether a reader knows what is returned: for a method, the summary may be enough."""
    returned = ast.unparse(node.returns or ast.Constant(None)).strip("'")
    if returned == "None" or "Returns" in found:
        return True
    method = bool(node.args.args) and node.args.args[0].arg in ("self", "cls")
    kinds = {ast.unparse(each) for each in node.decorator_list}
    if kinds & {"property", "cached_property", "contextmanager"} or returned == "Self":
        return True
    begins = (ast.get_docstring(node) or "").startswith(("Return", "Whether"))
    return (method or "staticmethod" in kinds) and begins


def _of_function(node: ast.FunctionDef) -> dict[str, ast.expr | None]:
    inner = node.args
    plain = [*inner.posonlyargs, *inner.args]
    missing: list[ast.expr | None] = [None] * (len(plain) - len(inner.defaults))
    pairs = [*zip(plain, [*missing, *inner.defaults], strict=True)]
    pairs += zip(inner.kwonlyargs, inner.kw_defaults, strict=True)
    return {a.arg: default for a, default in pairs if a.arg not in ("self", "cls")}


def _caught(node: Definition) -> set[str]:
    """Return the names of `*args` and `**options`, whose type need not be said."""
    if isinstance(node, ast.ClassDef):
        inits = [p for p in node.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"]
        return set().union(*(_caught(each) for each in inits))
    return {each.arg for each in (node.args.vararg, node.args.kwarg) if each is not None}


def _default_of_field(value: ast.expr | None) -> ast.expr | None:
    """Return the default of a dataclass's field; that of `field` and `option` is inside."""
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in ("field", "option"):
        return value
    if ast.unparse(value.func) == "option":
        return value.args[0]
    named = {each.arg: each.value for each in value.keywords}
    return named.get("default", named.get("default_factory"))


def _same(stated: str, default: ast.expr) -> bool:
    try:
        return ast.dump(ast.parse(stated, mode="eval").body) == ast.dump(default)
    except SyntaxError:
        return False


def _line(node: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """Yield a class and its bases in this project, the nearest first."""
    yield node
    for base in node.bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        if name in _classes():
            yield from _line(_classes()[name])


@cache
def _classes() -> dict[str, ast.ClassDef]:
    trees = (ast.parse(p.read_text("utf-8")) for p in sorted(exports.SOURCE.rglob("*.py")))
    return {
        node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)
    }
