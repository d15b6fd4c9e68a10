"""Names that MLflow takes for metrics and tags."""

import hashlib
import re
from collections.abc import Iterable

LONGEST = 250
_REFUSED = re.compile(r"[^/\w.\- ]")  # a colon is refused on Windows only, and so mapped anywhere
_NO_SEGMENT = frozenset({"", ".", ".."})  # names may become paths of files


def accepted_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name that MLflow takes for each name; most are their own.

    A sign that it refuses becomes an underscore, as does an empty part of a path. Where two names
    would become one, or a name is too long, 8 digits of the SHA-256 of the name are added.
    """
    given = list(names)
    out = {name: name for name in given if _accepted(name) == name}
    taken = set(out)
    for name in given:
        if name not in out:
            short = _accepted(name)
            out[name] = short if short not in taken else _marked(short, name)
            taken.add(out[name])
    return {name: out[name] for name in given}


def _accepted(name: str) -> str:
    segments = _REFUSED.sub("_", name).split("/")
    safe = "/".join("_" if each in _NO_SEGMENT else each for each in segments)
    safe = f"_{safe[1:]}" if safe.startswith("..") else safe
    return safe if len(safe) <= LONGEST else _marked(safe, name)


def _marked(short: str, name: str) -> str:
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{short[: LONGEST - 9]}-{mark}"
