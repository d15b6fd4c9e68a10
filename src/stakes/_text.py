"""Text for people: names made harmless, numbers made short, tables made straight."""

import math
import unicodedata
from collections.abc import Iterable, Sequence

_LONGEST_NAME = 60
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}  # kinds of characters that do not show
_JOINERS = "\u200c\u200d"
_VIRAMA = 9  # the combining class of signs that join consonants of Indic scripts


def plain(name: object, longest: int = _LONGEST_NAME) -> str:
    r"""Return a name fit for any terminal or page: one line, no control or bidi characters.

    >>> plain("tu\x1b[2Jmour")
    'tu\\x1b[2Jmour'
    """
    given = str(name)
    text = "".join(
        c.encode("unicode_escape", "surrogatepass").decode("ascii")
        if unicodedata.category(c) in _HIDDEN and not _joins(given, at)
        else c
        for at, c in enumerate(given)
    )
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip(_JOINERS)}…"


def _joins(text: str, at: int) -> bool:
    """Tell whether a joiner stands where spelling needs it: in an emoji, in Persian, in Hindi."""
    if text[at] not in _JOINERS or not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after) == "Lo"
    if text[at] == "\u200c":
        return _is_arabic(before) and _is_arabic(after)
    shaped = before == "\ufe0f" or unicodedata.category(before) in ("So", "Sk")
    return shaped and unicodedata.category(after) == "So"


def _is_arabic(c: str) -> bool:
    return unicodedata.category(c) == "Lo" and unicodedata.bidirectional(c) == "AL"


def key_of(name: str) -> str:
    """Return a name fit for a key: lower case, no blanks.

    >>> key_of("Brier score"), key_of("net benefit at 0.05")
    ('brier_score', 'net_benefit_at_0_05')
    """
    kept = "".join(c if c.isalnum() else "_" for c in name.lower())
    return "_".join(part for part in kept.split("_") if part)


def quoted(names: Iterable[object], most: int = 8) -> str:
    """Return names as a short list for a message: 'a', 'b' and 3 more."""
    listed = list(names)
    shown = ", ".join(repr(n) if isinstance(n, str) else str(n) for n in listed[:most])
    more = len(listed) - most
    return f"{shown} and {more} more" if more > 0 else shown


def plain_list(names: Iterable[object], most: int = 1000) -> str:
    """Return names made harmless as a list: a, b and 3 more."""
    listed = list(names)
    shown = ", ".join(plain(name) for name in listed[:most])
    return f"{shown} and {len(listed) - most} more" if len(listed) > most else shown


def number(value: float, digits: int = 4) -> str:
    """Return a number for people, with a sensible count of digits; the page has the same function.

    >>> number(0.46674), number(1200.0), number(3.14e-7), number(float("nan"))
    ('0.4667', '1200', '3.14e-07', 'undefined')
    >>> number(-0.25), number(float("-inf")), number(-1e-20, 3)
    ('−0.2500', '−∞', '−1.0e-20')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 1e15 and math.isclose(value, round(value), rel_tol=1e-12):
        return fixed(value, 0)
    if 1e-3 <= abs(value) < 1e6:
        decimals = max(0, digits - max(1, math.floor(math.log10(abs(value))) + 1))
        return fixed(value, max(decimals, 1) if abs(value) >= 1 else digits)
    return signed(_scientific(value, digits - 2))


def signed(text: str) -> str:
    """Return the text of a number with a true minus sign; exponents stay as programs read them.

    >>> signed("-2.5e-07")
    '−2.5e-07'
    """
    return f"−{text[1:]}" if text.startswith("-") else text


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals; ties are rounded away from 0, and 0 has no sign.

    >>> fixed(0.15625, 4), fixed(-2.5, 0), fixed(0.00015, 4), fixed(-0.01, 1)
    ('0.1563', '−3', '0.0001', '0.0')
    """
    text = f"{value:.{decimals}f}"
    if 2 * 10**decimals * value % 2 == 1:  # a tie, or within rounding of one
        text = _rounded(value, -decimals)
    return signed(text.removeprefix("-") if not float(text) else text)


def _scientific(value: float, decimals: int) -> str:
    """Return a number with an exponent; ties are rounded away from 0."""
    text = f"{value:.{decimals}e}"
    last = int(text.partition("e")[2]) - decimals
    if abs(value) >= 1e15:  # only whole numbers can be ties
        text = f"{float(_rounded(value, last)):.{decimals}e}"
    return text


def _rounded(value: float, place: int) -> str:
    """Return a number rounded to a power of ten, ties away from 0."""
    from decimal import ROUND_HALF_UP, Decimal, localcontext  # noqa: PLC0415  seldom needed

    with localcontext(prec=400):
        return str(Decimal(value).quantize(Decimal(1).scaleb(place), ROUND_HALF_UP))


def percent(share: float, decimals: int = 0) -> str:
    """Return a share in percent, without its sign.

    >>> percent(0.125), percent(0.0666, 1), percent(-0.001)
    ('13', '6.7', '0')
    """
    return fixed(100 * share, decimals) if math.isfinite(share) else number(share)


def interval_name(level: float) -> str:
    """Return what an interval of a level is called."""
    return f"{100 * level:g} % interval"


def table(rows: Sequence[Sequence[str]], *, names: int = 1) -> str:
    """Return rows as aligned columns: the first `names` to the left, the others to the right."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if c < names else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


MOST_SHOWN = 20  # rows and columns of a matrix


def matrix_rows(
    names: Sequence[object], heads: Sequence[object], columns: Iterable[Iterable[float]]
) -> list[list[str]]:
    """Return a matrix with names of its rows and columns, cut where it is too large to read."""
    rows = zip(names[:MOST_SHOWN], *columns, strict=False)
    body = [[plain(name, 20), *map(number, values)] for name, *values in rows]
    return [["", *(plain(head, 20) for head in heads)], *body]


def matrix_text(rows: Sequence[Sequence[str]], shape: tuple[int, int]) -> str:
    """Return a matrix of classes and decisions as lines of text."""
    cut = f" (first {MOST_SHOWN} of {shape})" if max(shape) > MOST_SHOWN else ""
    return f"truth in rows, decision in columns{cut}\n{table(rows)}"


def html_table(rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return rows as an HTML table: first row and first column are headings."""
    import html  # noqa: PLC0415  few commands write it

    head = "".join(f"<th scope='col'>{html.escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        f"<tr><th scope='row'>{html.escape(row[0])}</th>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows[1:]
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


_SPELLED = {"−": "-", "∞": "inf", "…": "...", "×": "x", "–": "-", "→": "->"}


def spelled_errors() -> str:
    """Return how a stream of another encoding writes what it lacks: signs as ASCII, the rest as ?.

    >>> "−5 to ∞, é".encode("ascii", spelled_errors())
    b'-5 to inf, ?'
    """
    import codecs  # noqa: PLC0415

    def spell(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        lost = error.object[error.start : error.end]
        return "".join(_SPELLED.get(c, "?") for c in lost), error.end

    codecs.register_error("stakes.spelled", spell)
    return "stakes.spelled"
