"""The description on an index page: the README, whose links to files would not work there.

Links become the text and the path, pictures go. There is no public address to link to yet; once
there is one, links can lead there instead.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^]]*\]\((?!\w+:)[^)]*\)\n*")
_LINK = re.compile(r"\[([^]]*)\]\((?!\w+:|#)([^)#]*)[^)]*\)")


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc]
    """Fills in the readme of the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description and its kind."""
        text = index_page(Path(self.root, "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def index_page(readme: str) -> str:
    """Return a README fit for an index page: "the guide (`docs/guide.md`)" instead of a link."""
    text = _LINK.sub(r"\1 (`\2`)", _PICTURE.sub("", readme))
    return f"{text}\nFiles are those of the source distribution.\n"
