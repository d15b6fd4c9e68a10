"""Fields of a logged sample by their path, such as scores.match.metadata.confidence."""

from collections.abc import Mapping, Sequence
from typing import Any

from stakes._check import InputError
from stakes._text import plain, quoted

MISSING = object()


def field_at(sample: Any, path: str) -> Any:  # noqa: ANN401
    """Return what stands at a path, MISSING where nothing does; names may have dots."""
    if isinstance(sample, Mapping):
        if path in sample:
            return sample[path]
        parts = path.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            head = ".".join(parts[:cut])
            if head in sample:
                return field_at(sample[head], ".".join(parts[cut:]))
        return MISSING
    head, _, rest = path.partition(".")
    if isinstance(sample, Sequence) and not isinstance(sample, str) and head.isdecimal():
        if int(head) >= len(sample):
            return MISSING
        return field_at(sample[int(head)], rest) if rest else sample[int(head)]
    return MISSING


def place_of(sample: Any, name: str, homes: Sequence[str], argument: str) -> str | None:  # noqa: ANN401
    """Return the path of a field that is named in full, or by its name in one of some places."""
    if field_at(sample, name) is not MISSING:
        return name
    paths = [f"{home}.{name}" for home in homes]
    found = [path for path in paths if field_at(sample, path) is not MISSING]
    if len(found) > 1:
        rule = "must name one field"
        raise InputError(argument, rule, repr(name), hint=f"Name one of {quoted(found)}.")
    return found[0] if found else None


def names_at(sample: Any, homes: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return the paths of what there is to name, for a message."""
    found = []
    for home in homes:
        inside = field_at(sample, home)
        if isinstance(inside, Mapping):
            found += [f"{home}.{plain(name)}" for name in inside]
    return found
