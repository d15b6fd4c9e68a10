"""Fail where the search of the built site does not find a public name.

The pages of the reference list every public name. Each must be the title of an entry of the search
index, with a link to its own anchor. Standard library only.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parents[1] / "reference"
_ROW = re.compile(r"^\| `(stakes(?:\.\w+)+)` \|", re.MULTILINE)
_TAG = re.compile(r"<[^>]+>")


def faults(site: Path, reference: Path = REFERENCE) -> Iterator[str]:
    """Yield the public names that a search does not find, one sentence each."""
    titles = _titles(json.loads((site / "search.json").read_text(encoding="utf-8"))["items"])
    for page in sorted(reference.glob("*.md")):
        for name in _ROW.findall(page.read_text(encoding="utf-8")):
            if titles.get(f"reference/{page.stem}.html#{name}") != name:
                yield f"{page.name}: a search does not find {name}"


def _titles(items: list[dict[str, Any]]) -> dict[str, str]:
    """Return the title of each entry, without the kind that follows it, by where it leads."""
    plain = ((item["location"], _TAG.sub(" ", item["title"]).split()) for item in items)
    return {where: words[0] for where, words in plain if words}


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1])))
    print("\n".join(found) or "the search finds every public name")
    sys.exit(bool(found))
