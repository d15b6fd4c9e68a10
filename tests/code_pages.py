"""The pages of codes: `make exports` writes one for each entry of the registry, and their list."""

from itertools import groupby
from pathlib import Path
from textwrap import wrap

import exports

FOLDER = exports.DOCS / "codes"
_ERRORS = exports.DOCS / "errors.md"
_NAV = exports.DOCS.parent / "mkdocs.yml"
_START, _END = "      # codes: make exports\n", "      # end of codes\n"
_OVERVIEWS = {  # the page that lists the codes of a kind with their rules
    "verdict": "[Verdicts](../verdicts.md)",
    "undefined value": "[Errors](../errors.md#undefined-values)",
    "kind of error": "[Errors](../errors.md#kinds)",
    "error": "[Errors](../errors.md#codes)",
}
_PLURALS = {
    "verdict": "Verdicts",
    "undefined value": "Undefined values",
    "kind of error": "Kinds of error",
    "error": "Errors",
}


def pages() -> dict[Path, str]:
    """Return what each page, their list and the navigation should hold."""
    from stakes._codes import CodeExplanation, codes  # noqa: PLC0415  from the stubs

    def page(each: CodeExplanation) -> str:
        parts = [
            f"# {each.code}",
            each.meaning,
            f"A code of a {each.kind}; {_OVERVIEWS[each.kind]} has them all.",
            f"## When\n\n{each.rule}",
            f"## What to do\n\n{each.advice}",
        ]
        parts += [f"```python\n{each.python}\n```"] if each.python else []
        command = _wrapped(each.command, " \\\n    ")
        parts += [f"```sh\n{command}\n```"] if command else []
        parts.append(f"## Example\n\n```text\n{_wrapped(each.example)}\n```")
        return "\n\n".join(parts) + "\n"

    about = (
        "# Codes\n\nEvery verdict, undefined value and error carries a code, which says what it"
        " means to a program. `stakes explain CODE` prints the same on the command line, and"
        " `stakes.explain_code` in Python; records and errors have it as `explanation`.\n"
    )
    for kind, entries in groupby(codes().values(), key=lambda each: each.kind):
        rows = "".join(f"| [`{e.code}`]({e.code}.md) | {e.meaning} |\n" for e in entries)
        about += f"\n## {_PLURALS[kind]}\n\n| code | what it means |\n|---|---|\n{rows}"
    overview = _ERRORS.read_text(encoding="utf-8")
    for kind in ("error", "undefined value"):
        some = [e for e in codes().values() if e.kind == kind]
        table = "".join(
            f"| [`{e.code}`](codes/{e.code}.md) | {e.meaning} | {e.advice} |\n" for e in some
        )
        head = "| code | what it means | what to do |\n|---|---|---|\n"
        marks = f"<!-- {kind}: make exports -->\n", f"<!-- end of {kind} -->\n"
        overview = _between(overview, *marks, f"\n{head}{table}\n")
    made = {FOLDER / f"{each.code}.md": page(each) for each in codes().values()}
    lists = {FOLDER / "README.md": about, _ERRORS: overview, _NAV: _navigation(list(codes()))}
    return made | lists


def _wrapped(text: str, between: str = "\n") -> str:
    """Return a text in lines that a page shows without scrolling; no name in it is broken."""
    return "\n".join(
        between.join(wrap(line, 76, break_on_hyphens=False, break_long_words=False))
        for line in text.splitlines()
    )


def _navigation(names: list[str]) -> str:
    """Return the configuration of the site with a line for each code."""
    lines = "".join(f"          - {name}: codes/{name}.md\n" for name in names)
    lines = f"      - Codes:\n          - codes/README.md\n{lines}"
    return _between(_NAV.read_text(encoding="utf-8"), _START, _END, lines)


def _between(text: str, start: str, end: str, new: str) -> str:
    """Return a text with what stands between two marks replaced."""
    before, _, rest = text.partition(start)
    return before + start + new + end + rest.partition(end)[2]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in set(FOLDER.glob("*.md")) - set(made):
        old.unlink()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
