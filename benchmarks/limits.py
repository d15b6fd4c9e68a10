"""What limits the figures that were missed: by how much, where our time goes, and in words.

The words stand in limits.md, a section for each job; they hold no numbers, which only the
benchmark may print.
"""

from pathlib import Path
from typing import Any

from benchmarks.profiles import told

TEXTS = Path(__file__).parent / "limits.md"
_UNTOLD = "Not looked into yet."

Row = dict[str, Any]


def texts() -> dict[str, str]:
    """Return the words by job."""
    parts = TEXTS.read_text(encoding="utf-8").split("\n## ")[1:]
    return {name.strip(): text.strip() for name, _, text in (p.partition("\n") for p in parts)}


def missed_ratios(results: Row) -> list[Row]:
    """Return the rows of peers whose wanted ratio was not reached."""
    return [row for row in results["jobs"] if row.get("met") is False]


def missed_peaks(results: Row) -> list[Row]:
    """Return our peaks of memory above what they may be."""
    return [
        row
        for row in results.get("memory", [])
        if row.get("most") is not None and row.get("share", 0) > row["most"]
    ]


def missed_starts(results: Row) -> list[Row]:
    """Return the commands that took longer than they may."""
    return [
        row
        for row in results.get("cold_start", [])
        if row.get("most") and row.get("cpu", 0) > row["most"]
    ]


def missed_jobs(results: Row) -> list[str]:
    """Return the names of jobs that missed something, each once, as limits.md knows them."""
    names = [row["job"] for row in missed_ratios(results)]
    names += [f"memory {row['job']}" for row in missed_peaks(results)]
    names += ["cold-start" for _ in missed_starts(results)]
    return list(dict.fromkeys(names))


def titles(results: Row) -> dict[str, str]:
    """Return what each job is called on the page."""
    found = {row["job"]: row["title"] for row in results["jobs"]}
    found |= {f"memory {r['job']}": f"memory of {r['title']}" for r in results.get("memory", [])}
    return {**found, "cold-start": "cold start"}


def profile_of(results: Row, row: Row) -> str:
    """Say where our time went in the job of a row."""
    for other in results["jobs"]:
        if not other["peer"] and all(other[key] == row[key] for key in ("job", "n", "k")):
            return told(other.get("profile") or ())
    return ""


def words(results: Row) -> str:
    """Return what limits each job that missed something, and what would be needed."""
    known, called = texts(), titles(results)
    told_of = ((called[name], known.get(name, _UNTOLD)) for name in missed_jobs(results))
    return "\n\n".join(f"**{job[0].upper()}{job[1:]}.** {text}" for job, text in told_of)
