"""Copy the documentation to where the site is built from, with what a site needs beside.

Links that leave `docs/` lead to pages made of those files, or become the path as text; pages of
the reference get what the docstrings say; the notebook becomes a page. `docs/` itself reads well
without any of that. Standard library only.
"""

import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
MODULES = {p.stem for p in (ROOT / "src" / "stakes").iterdir()}

_LINK = re.compile(r"(?<!!)\[((?:[^][]|\[[^]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FENCE_WITH_FILE = re.compile(r"^```(\w+) ([^\s{]\S*)$", re.MULTILINE)
_ROW = re.compile(r"^\| `(stakes(?:\.\w+)+)` \|", re.MULTILINE)
_CODE = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def stage(target: Path) -> None:
    """Write every page below a folder, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    ignored = shutil.ignore_patterns(
        "site", "*.py", "__pycache__", "*.ipynb", "package*.json", ".npmrc"
    )
    shutil.copytree(DOCS, target, ignore=ignored)
    (target / "assets").mkdir()
    shutil.copy(DOCS / "site" / "site.css", target / "assets")
    for page in DOCS.rglob("*.md"):
        place = page.relative_to(DOCS)
        (target / place).write_text(_fit(page.read_text(encoding="utf-8"), page), encoding="utf-8")
    for outside, inside in OUTSIDE.items():
        text = (ROOT / outside).read_text(encoding="utf-8")
        (target / inside).write_text(_fit(text, ROOT / outside), encoding="utf-8")
    for notebook in DOCS.rglob("*.ipynb"):
        page = target / notebook.relative_to(DOCS).with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_fit(_page_of(notebook), notebook), encoding="utf-8")
        shutil.copy(notebook, page.with_suffix(".ipynb"))


def _fit(text: str, source: Path) -> str:
    """Return a page fit for the site."""
    text = _outside_of_code(text, lambda part: _LINK.sub(lambda m: _link(m, source), part))
    text = _FENCE_WITH_FILE.sub(r'```\1 title="\2"', text)
    if source.parent == DOCS / "reference":
        names = _ROW.findall(text)
        text = _ROW.sub(lambda m: f"| [`{m[1]}`](#{m[1]}) |", text)
        text += "".join(map(_entry, names))
    return _anchored(text) if source.name in ("errors.md", "verdicts.md") else text


def _anchored(text: str) -> str:
    """Return the page with an anchor for each code and kind, where it first heads a row."""
    for code in dict.fromkeys(_CODE.findall(text)):
        text = text.replace(f"\n| `{code}` |", f'\n| <a id="{code}"></a>`{code}` |', 1)
    return text


def _entry(name: str) -> str:
    """Return what is filled with the docstring; the names of a module have entries of their own."""
    alone = name.removeprefix("stakes.") in MODULES
    return f"\n::: {name}\n" + ("    options:\n      members: false\n" if alone else "")


def _outside_of_code(text: str, change) -> str:  # noqa: ANN001
    parts, start = [], 0
    for block in _FENCE.finditer(text):
        parts += [change(text[start : block.start()]), block[0]]
        start = block.end()
    return "".join([*parts, change(text[start:])])


def _link(found: re.Match[str], source: Path) -> str:
    """Return a link that works on the site."""
    words, address, anchor = found[1], found[2], found[3] or ""
    goal = (source.parent / address).resolve()
    if not goal.exists():
        raise SystemExit(f"{source.relative_to(ROOT)}: link to {address}, which is not there")
    here = source.parent if source.is_relative_to(DOCS) else DOCS
    if goal.is_dir() and (goal / "README.md").exists():
        goal /= "README.md"
    if goal.is_relative_to(DOCS):
        page = goal.with_suffix(".md") if goal.suffix == ".ipynb" else goal
        return f"[{words}]({_relative(page, here)}{anchor})"
    path = goal.relative_to(ROOT).as_posix()
    if path in OUTSIDE:
        return f"[{words}]({_relative(DOCS / OUTSIDE[path], here)}{anchor})"
    return f"{words} (`{path}` in the source)"


def _relative(goal: Path, here: Path) -> str:
    up = 0
    while not goal.is_relative_to(here):
        here, up = here.parent, up + 1
    return "../" * up + goal.relative_to(here).as_posix()


def _page_of(notebook: Path) -> str:
    """Return the cells of a notebook as Markdown; outputs are not kept in the repository."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = (
        "".join(cell["source"]) if cell["cell_type"] == "markdown" else _code(cell["source"])
        for cell in cells
    )
    return "\n\n".join(texts) + f"\n\n[The notebook]({notebook.name}) to run.\n"


def _code(lines: list[str]) -> str:
    return f"```python\n{''.join(lines)}\n```"


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
