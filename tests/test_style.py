"""Words that docs/style.md tells us to avoid are nowhere that people read."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"

# What docs/style.md lists under "avoid", and how it is found. These are searched in all text,
# names in code included.
WORDS = {
    "told apart": r"(?:told|tells?|telling) (?:\w+ )?apart",
    "gives back": r"g(?:i|a)ves?n? back|given back",
    "too sure of itself": r"too sure",
    "had from, was had": r"had from|w(?:as|ere) had|how it was had|to be had",
    "dear, dearer": r"dear(?:er|est)?",
    "mend": r"mend(?:s|ed|ing)?",
    "has no say": r"ha(?:s|ve|d) no say",
    "speaks of": r"sp(?:eak|eaks|oke|eaking) of",
    "drawn again": r"drawn again|draws? (?:the )?samples again",
    "for want of": r"for want of",
    "so-manieth": r"so-manieth",
    "nobody looks back": r"nobody looks back",
    "room, house, road, door": r"rooms?|houses?|roads?|doors?",
    "whose form is a promise": r"is a promise|are promises",
}
# These are searched in what users of the package read: pages, messages, docstrings of public
# names. Inside the code some of them are fair names and comments.
PHRASES = {
    "is had, be had": r"(?:be|is|are) had",
    "told": r"told(?! otherwise|\()",
    "tells what": r"(?<!can )(?<!cannot )(?:tells?|telling) (?:what|how|which|whether|where|why|of|from)",
    "whatever": r"whatever",
    "of use": r"of use(?! cases?\b)",
    "as is, as they are": r"(?:scores?|posteriors|probabilities|systems?|ratios) as (?:is|it is|they are)",
    "an interval holds": r"intervals? holds?|holds? (?:less|more) often",
    "is no X": r"(?<!there )(?:is|are|was|were) no "
    r"(?!longer|more|less|worse|better|larger|smaller|greater|fewer|later|need|other)\w+",
    "is none": r"(?<!there )(?:is|are|was|were) (?-i:none)",
    "asked for, asked of": r"asked (?:for|of)",
    "the naive system answers": r"naive system (?:answers|says)",
    "beside": r"(?<!-)beside",
    "beneath": r"beneath",
    "anew": r"anew",
    "endless": r"endless",
    "reckon": r"reckon(?:s|ed|ing)?",
    "rising map": r"rising maps?",
    "turned round": r"turn(?:s|ed)? round",
    "one's own": r"one's own",
    "stands in": r"stands? (?:in|on|beside|below|beneath)(?! for\b)",
    "held together": r"h(?:old|olds|eld) (?:\w+ ){0,2}together",
    "held against": r"h(?:old|olds|eld) (?:\w+ )?against",
    "dealt": r"dealt|deals? (?:the )?folds",
    "to the bit": r"to the bit",
    "manner": r"manner",
    "much data": r"much data",
    "texts": r"(?:as|are|be|or|all|of) texts",
    "as with": r", as with",
    "where there is none": r"where there (?:is|are|was|were) none",
    "so that ..., so that": r"so that [^.|]*\bso that",
}
# Where such a word is the right one: text that must be in the line, and why.
ALLOWED = {
    "warehouse": "a store of data",
    "householders": "reflections of linear algebra",
    "| the f-score example has p_1": "a quotation",
}
# Where people read, and which files.
KINDS = {
    "README.md": "*.md",
    "CONTRIBUTING.md": "*.md",
    "SECURITY.md": "*.md",
    "CHANGELOG.md": "*.md",
    "Makefile": "Makefile",
    ".github": "*.yml",
    "docs": "*.md",
    "docs/notebooks": "*.ipynb",
    "paper": "*.md",
    "changelog.d": "*.md",
    "benchmarks": "*.*",
    "examples": "*.py",
    "release": "*.py",
    "src/stakes": "*.py*",
    "frontend/README.md": "*.md",
    "frontend/src": "*.ts",
}
ENDINGS = {".md", ".py", ".pyi", ".ts", ".yml", ".ipynb", ""}
TEXT_OF_SCRIPTS = re.compile(
    r"//[^\n]*|/\*.*?\*/|(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)", re.DOTALL
)


def _files(part: str) -> Iterator[Path]:
    path = ROOT / part
    every = [path] if path.is_file() else sorted(path.rglob(KINDS[part]))
    ours = (p for p in every if "node_modules" not in p.parts and p != STYLE)
    yield from (p for p in ours if p.suffix in ENDINGS and p.is_file())


def _search(words: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.values())})\b", re.IGNORECASE)


def _found(text: str, searched: re.Pattern[str]) -> list[tuple[int, str]]:
    """Return the lines with words to avoid; a sentence may go on in the next line."""
    found = []
    for match in searched.finditer(re.sub(r"\n[ \t]*(?:#|\*|//)?[ \t]*", _keep_length, text)):
        number = text.count("\n", 0, match.start()) + 1
        line = text.splitlines()[number - 1]
        if not any(word in line.lower() for word in ALLOWED):
            found.append((number, match[0].replace("\0", "")))
    return found


def _keep_length(gap: re.Match[str]) -> str:
    return " " + "\0" * (len(gap[0]) - 1)


def _read_by_users(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the parts of a file that users see, with the line before each."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        yield from ((0, "".join(cell["source"])) for cell in json.loads(text)["cells"])
    elif path.suffix == ".ts":
        for match in TEXT_OF_SCRIPTS.finditer(text):
            yield text.count("\n", 0, match.start()), match[1] or ""
    elif path.suffix in {".py", ".pyi"}:
        yield from _python_texts(ast.parse(text))
    else:
        yield 0, text


def _python_texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield messages, and docstrings of what a module exports."""
    seen = {id(_docstring(node)) for node in _exported(tree)}
    inside = {id(_docstring(node)) for node in ast.walk(tree)} - seen
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and id(node) not in inside
            and isinstance(node.value, str)
        ):
            yield node.lineno - 1, node.value


def _docstring(node: ast.AST) -> ast.AST | None:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    named = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    return first.value if named and isinstance(first, ast.Expr) else None


def _exported(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the names in `__all__`, and the members of its classes."""
    lists = (n.value for n in tree.body if isinstance(n, ast.Assign) and _is_all(n.targets[0]))
    names = {name for value in lists for name in ast.literal_eval(value)}
    for node in tree.body:
        if getattr(node, "name", None) in names:
            yield from (part for part in ast.walk(node) if not _private(part))


def _private(node: ast.AST) -> bool:
    name = getattr(node, "name", "")
    return isinstance(name, str) and name.startswith("_") and not name.endswith("__")


def _is_all(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "__all__"


def _hits(path: Path, words: dict[str, str]) -> list[tuple[int, str]]:
    """Return the lines of a file with such words, in all of it or in what users read."""
    parts = _read_by_users(path) if words is PHRASES else [(0, path.read_text(encoding="utf-8"))]
    searched = _search(words)
    return [(line + n, word) for line, text in parts for n, word in _found(text, searched)]


@pytest.mark.parametrize("words", [WORDS, PHRASES], ids=["words", "phrases"])
@pytest.mark.parametrize("part", KINDS)
def test_words_to_avoid_are_nowhere(part: str, words: dict[str, str]) -> None:
    every = {str(path.relative_to(ROOT)): _hits(path, words) for path in _files(part)}
    found = {name: hits for name, hits in every.items() if hits}
    assert every
    assert not found, f"{found}; see docs/style.md"


def _rows() -> list[list[str]]:
    """Return the rows of the table of words: avoid, write, before, after."""
    table = STYLE.read_text(encoding="utf-8").partition("\n| avoid |")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_the_style_page_lists_what_is_searched() -> None:
    assert [row[0] for row in _rows()] == [*WORDS, *PHRASES]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[0])
def test_the_search_finds_each_before_and_no_after(row: list[str]) -> None:
    avoid, _, before, after = row
    own = _search({avoid: {**WORDS, **PHRASES}[avoid]})
    assert _found(f"one\n{before}", own)[0][0] == 2
    assert not _found(after, _search(WORDS | PHRASES))


def test_messages_docstrings_and_scripts_are_searched(tmp_path: Path) -> None:
    source = '__all__ = ["a"]\n\n\ndef a():\n    """Told."""\n\n\ndef b(told):\n    """Told."""\n'
    source += '    return f"It was told {told}"  # told\n'
    script = "let told = 1; // told\nconst text = `It was\ntold`;\n"
    for name, text, lines in (("a.py", source, [5, 10]), ("a.ts", script, [3])):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert [line for line, _ in _hits(path, PHRASES)] == lines
