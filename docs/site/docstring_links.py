"""Extensions of griffe: names in docstrings become links, and functions of engines have entries."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from griffe import Docstring, Extension, Function, Module, Object, Parameters

SOURCE = Path(__file__).parents[2] / "src" / "stakes"
_SEE_ALSO = re.compile(r"^See Also\n-{8}\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
_ENTRIES = re.compile(
    r"^(Parameters|Attributes)\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL
)
_ENTRY = re.compile(r"^(\w+(?:, \w+)+)( : .*)?\n((?: +.*\n?|\n)*)", re.MULTILINE)
_NAME = re.compile(r"(?<![\[`\w])`((?:stakes\.)?[A-Za-z_]\w*(?:\.\w+)*)`(?!`)")


class DocstringLinks(Extension):
    """Rewrites the docstrings of every object once it is loaded."""

    def on_object(self, *, obj: Object, **_: Any) -> None:  # noqa: ANN401
        """Turn names of the package into links."""
        if isinstance(obj.docstring, Docstring):
            obj.docstring.value = linked(obj.docstring.value, obj.name)


class EngineFunctions(Extension):
    """Shows the functions of `stakes.dask` and `stakes.spark`, which are methods of an engine."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:  # noqa: ANN401
        """Put a function in the place of each name that is bound to a method."""
        if pkg.name != "stakes":
            return
        for module in (pkg["dask"], pkg["spark"]):
            for name in module.exports:
                method = pkg[f"engines.engine.Engine.{name}"]
                own = [each for each in method.parameters if each.name != "self"]
                function = Function(
                    name, parameters=Parameters(*own), returns=method.returns, parent=module
                )
                text = method.docstring.value
                function.docstring = Docstring(
                    text, parent=function, parser=method.docstring.parser
                )
                module.set_member(name, function)


def linked(text: str, own: str) -> str:
    """Return a docstring with links; examples are left as they are."""
    text = _SEE_ALSO.sub(lambda found: f"See Also\n--------\n{_listed(found[1])}\n", text)
    text = _ENTRIES.sub(lambda found: _ENTRY.sub(_each_by_itself, found[0]), text)
    lines = text.split("\n")
    return "\n".join(
        line if ">>>" in line else _NAME.sub(lambda m: _link(m, own), line) for line in lines
    )


def _each_by_itself(entry: re.Match[str]) -> str:
    """Return an entry of several names as one for each, with its own type and default."""
    told = entry[3] if entry[3].endswith("\n") or not entry[3] else entry[3] + "\n"
    return "".join(f"{name}{entry[2] or ''}\n{told}" for name in entry[1].split(", "))


def _listed(entries: str) -> str:
    rows = []
    for line in filter(str.strip, entries.splitlines()):
        if line.startswith(" "):
            rows[-1] += " " + line.strip()
        else:
            names, _, about = line.partition(" : ")
            marked = ", ".join(f"`{name.strip()}`" for name in names.split(","))
            rows.append(f"- {marked}: {about}" if about else f"- {marked}")
    return "\n".join(rows) + "\n"


def _link(found: re.Match[str], own: str) -> str:
    name = found[1].removeprefix("stakes.")
    path = public_names().get(name.split(".")[-1] if "." not in name else name)
    return found[0] if path is None or name == own else f"[`{found[1]}`][{path}]"


@cache
def public_names() -> dict[str, str]:
    """Return where each public name is, by its name and by its name within its package."""
    found: dict[str, str] = {}
    for stub in sorted(SOURCE.rglob("__init__.pyi"), key=lambda p: -len(p.parts)):
        package = ".".join(stub.parent.relative_to(SOURCE.parent).parts)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module != "stakes":
                own = str(node.names[0].asname)
                found[own] = f"{package}.{own}"
    return found | {path.removeprefix("stakes."): path for path in found.values()}
