"""Put a built site among the published versions: python docs/site/publish.py 0.1.0 FOLDER.

FOLDER then holds the site of each version in a folder of its own, a copy of the newest release as
`stable/`, a list that fills the menu of versions, and a first page that leads to `stable/`. With
`latest` in place of a version, the site is that of the main branch. Standard library only.
"""

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

LATEST, STABLE = "latest", "stable"
_RELEASE = re.compile(r"\d+(\.\d+)*")
_FIRST_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>stakes</title>
<meta http-equiv="refresh" content="0; url={goal}/index.html">
<p><a href="{goal}/index.html">stakes</a></p>
</html>
"""


def publish(site: Path, version: str, folder: Path) -> None:
    """Copy the site as a version, and bring the list, `stable/` and the first page up to date."""
    if version != LATEST and not _RELEASE.fullmatch(version):
        message = f"{version!r} is neither a version such as 0.1.0 nor {LATEST!r}"
        raise ValueError(message)
    if not (site / "index.html").is_file():
        message = f"{site} holds no site: run make docs first"
        raise ValueError(message)
    _replace(site, folder / version)
    held = [path.name for path in folder.iterdir() if (path / "index.html").is_file()]
    releases = sorted(filter(_RELEASE.fullmatch, held), key=_order, reverse=True)
    if releases and releases[0] == version:
        _replace(site, folder / STABLE)
    listed = [
        {"version": name, "title": name, "aliases": [STABLE] if name == releases[0] else []}
        for name in releases
    ]
    if LATEST in held:
        listed.append({"version": LATEST, "title": "main branch", "aliases": []})
    text = json.dumps(listed, indent=2)
    (folder / "versions.json").write_text(f"{text}\n", encoding="utf-8")
    goal = STABLE if releases else LATEST
    (folder / "index.html").write_text(_FIRST_PAGE.format(goal=goal), encoding="utf-8")


def _order(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


def _replace(source: Path, goal: Path) -> None:
    shutil.rmtree(goal, ignore_errors=True)
    shutil.copytree(source, goal)


def main() -> int:
    """Publish what `make docs` built."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", help=f"such as 0.1.0, or {LATEST}")
    parser.add_argument("folder", type=Path, help="where all versions are published")
    parser.add_argument("--site", type=Path, default=Path("site"), help="what make docs built")
    options = parser.parse_args()
    try:
        publish(options.site, options.version, options.folder)
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
