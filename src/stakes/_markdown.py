"""Markdown in which names of users stay names: no markup, no markers of tables, one line."""

from collections.abc import Iterable, Sequence

from stakes._text import plain

_MARKUP = frozenset(r"\`*_{}[]<>#|!~")
_LONGEST = 400


def escaped(text: object, longest: int = _LONGEST) -> str:
    r"""Return a text as one line of Markdown that shows the text itself.

    >>> escaped("a|b <i>*c*</i>")
    'a\\|b \\<i\\>\\*c\\*\\</i\\>'
    """
    safe = "".join(f"\\{c}" if c in _MARKUP else c for c in plain(text, longest))
    return safe.replace("&", "&amp;")


def table_lines(header: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table."""
    lines = [_row(header), "|" + "---|" * len(header)]
    return lines + [_row(row) for row in rows]


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"
