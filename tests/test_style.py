"""Words that docs/style.md tells us to avoid are nowhere that people read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"

AVOIDED = re.compile(
    r"\b("
    r"(?:told|tells?|telling) (?:\w+ )?apart"
    r"|g(?:i|a)ves?n? back|given back"
    r"|too sure"
    r"|had from|w(?:as|ere) had|how it was had|to be had"
    r"|dear(?:er|est)?"
    r"|mend(?:s|ed|ing)?"
    r"|ha(?:s|ve|d) no say"
    r"|sp(?:eak|eaks|oke|eaking) of"
    r"|drawn again|draws? (?:the )?samples again"
    r"|for want of|so-manieth|nobody looks back"
    r"|rooms?|houses?|roads?|doors?"
    r"|is a promise|are promises"
    r"|the naive system answers so"
    r")\b",
    re.IGNORECASE,
)
# Where such a word is the right one: text that must be in the line, and why.
ALLOWED = {
    "warehouse": "a store of data",
    "householders": "reflections of linear algebra",
}
KINDS = {
    "README.md": "*.md",
    "CONTRIBUTING.md": "*.md",
    "docs": "*.md",
    "src/stakes": "*.py",
    "frontend/src": "*.ts",
    "changelog.d": "*.md",
}


def _files(part: str) -> Iterator[Path]:
    path = ROOT / part
    yield from [path] if path.is_file() else sorted(path.rglob(KINDS[part]))


def _found(text: str) -> list[tuple[int, str]]:
    """Return the lines with words to avoid; a sentence may go on in the next line."""
    found = []
    for match in AVOIDED.finditer(re.sub(r"\n[ \t]*(?:#|\*|//)?[ \t]*", _keep_length, text)):
        number = text.count("\n", 0, match.start()) + 1
        line = text.splitlines()[number - 1]
        if not any(word in line.lower() for word in ALLOWED):
            found.append((number, match[0]))
    return found


def _keep_length(gap: re.Match[str]) -> str:
    return " " + "\0" * (len(gap[0]) - 1)


@pytest.mark.parametrize("part", KINDS)
def test_words_to_avoid_are_nowhere(part: str) -> None:
    for path in _files(part):
        if path != STYLE:
            found = _found(path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(ROOT)}: {found}; see docs/style.md"


@pytest.mark.parametrize(
    "text",
    ["The two are not told apart.", "a road", "It gives back 5 %.", "errors are dear", "Mend it."],
)
def test_the_search_finds_them(text: str) -> None:
    assert _found(f"one\n{text}")[0][0] == 2


def test_the_style_page_lists_what_is_searched() -> None:
    rows = [line for line in STYLE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    words = {row.split(" | ")[0][2:].split(", ")[0] for row in rows[1:]}
    unknown = {word for word in words if not AVOIDED.search(word)}
    assert len(words) > 10
    assert unknown <= {"whose form is a promise", "drawn again"}, unknown
