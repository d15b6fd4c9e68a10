"""Words that all verdicts share: shares, p-values, names, numbers of things."""

import math
from collections.abc import Sequence

from stakes._text import fixed, plain
from stakes.results import Estimate

_SMALLEST_P = 0.001


def name_of(name: object) -> str:
    """Return a class or decision as it stands in a sentence: texts in quotes."""
    return f"'{plain(name)}'" if isinstance(name, str) else plain(name)


def listed(parts: Sequence[str], most: int = 5) -> str:
    """Return a list in words: a, b and c; or a, b and 7 more."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > most:
        return f"{', '.join(parts[:most])} and {len(parts) - most} more"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def counted(n: int, kind: str) -> str:
    """Return a number of things, such as "1 miss" or "2 misses"."""
    singular = {"misses": "miss"}.get(kind, kind.removesuffix("s"))
    return f"{n} {singular if n == 1 else kind}"


def percent(share: float) -> str:
    """Return a share in percent, with a digit more where it would read as none or all of it."""
    near = min(abs(share - 1), abs(share)) < 0.01 and share not in (0, 1)
    return f"{fixed(100 * share, int(near))} %"


def percent_at_most(share: float) -> str:
    """Return an upper limit in percent, rounded up to two significant digits."""
    if share <= 0:
        return "0 %"
    digits = max(0, 1 - math.floor(math.log10(100 * share)))
    return f"{math.ceil(100 * share * 10**digits - 1e-9) / 10**digits:.{digits}f} %"


def with_interval(estimate: Estimate, level: float) -> str:
    """Return a number with its interval and the level of that."""
    return f"{Estimate(estimate.value)}, {100 * level:g} % interval {estimate.interval}"


def p_number(p_value: float) -> str:
    """Return a p-value for a table; nothing where there is no test.

    >>> p_number(0.0312), p_number(1e-9), p_number(1.0), p_number(float("nan"))
    ('0.031', '< 0.001', '1', '')
    """
    if math.isnan(p_value):
        return ""
    return f"< {_SMALLEST_P}" if p_value < _SMALLEST_P else f"{p_value:.2g}"


def p_text(p_value: float) -> str:
    """Return a p-value for a sentence."""
    return f"p {'' if p_value < _SMALLEST_P else '= '}{p_number(p_value)}"
