"""Write the tables of docs/performance.md from benchmarks/results.json.

python -m benchmarks.report            write them
python -m benchmarks.report --check    fail if the page is not that of the results
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"

Row = dict[str, Any]


def main() -> None:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=HERE / "results.json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    results = json.loads(options.json.read_text(encoding="utf-8"))
    old = PAGE.read_text(encoding="utf-8")
    new = page(old, results)
    if options.check:
        sys.exit(0 if new == old else "docs/performance.md is not that of the results.")
    PAGE.write_text(new, encoding="utf-8")


def page(text: str, results: Row) -> str:
    """Return the page with the tables of some results between its marks."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    parts = [setting(results), wanted(results), speed(results), growth(results)]
    parts += [solutions(results), memory(results), cold_start(results), peers(results)]
    body = "\n\n".join(part for part in parts if part)
    return f"{head}{BEGIN}\n\n{body}\n\n{END}{tail}"


def setting(results: Row) -> str:
    """Say where and how the times were taken."""
    m = results["machine"]
    load = "" if m["load"] is None else f", load {m['load']:.1f} at the start"
    said = f"{m['processor']}, {m['cores']} cores{load}; {m['system']}, Python {m['python']}"
    kind = " A quick run: few rounds." if results["quick"] else ""
    return f"{m['stakes']} on {said}.{kind}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; nothing without rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return ""
    return "\n".join(["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *lines])


def section(title: str, text: str, *said: str) -> str:
    """Return a section, or nothing where there is nothing to show."""
    return "\n\n".join([f"## {title}", *said, text]) if text else ""


def wanted(results: Row) -> str:
    """Return the jobs with a wanted ratio."""
    heads = ("job", "N x K", "stakes", "peer", "its time", "ratio", "user time", "wanted", "met")
    said = "Ratio: the peer's processor time over ours. User time: the same without what the "
    said += "system does for the process, mostly fresh pages for temporary arrays."
    rows = [row for row in _peer_rows(results) if row.get("wanted")]
    first, second = (
        table(heads, (_wanted(results, row) for row in rows if (row["family"] == "small") is few))
        for few in (False, True)
    )
    return "\n\n".join(
        part
        for part in (
            section("Wanted and found", first, said),
            section("Few samples", second, "Single metrics, where the cost of a call counts."),
        )
        if part
    )


def _wanted(results: Row, row: Row) -> tuple[str, ...]:
    """Return one line of a wanted ratio."""
    return (
        row["title"],
        size(row),
        seconds(_ours(results, row)["cpu"]),
        row["side"] + _scaled(row),
        seconds(row["cpu"]),
        times(row["ratio"]),
        times(row["user_ratio"]),
        f"{row['wanted']:g} x",
        "yes" if row["met"] else "no",
    )


def speed(results: Row) -> str:
    """Return the ratios at every size, a row for each job and peer."""
    every = _peer_rows(results)
    sizes = sorted({(r["k"], r["n"]) for r in every if r["family"] != "small"})
    parts = []
    for k in sorted({k for k, _ in sizes}):
        columns = [n for kk, n in sizes if kk == k]
        found: dict[tuple[str, str], dict[int, str]] = {}
        for row in every:
            if row["k"] == k and row["family"] != "small":
                key = row["title"], row["side"] + _scaled(row)
                found.setdefault(key, {})[row["n"]] = times(row["ratio"])
        heads = ("job", "peer", *(f"N = {n:,}" for n in columns))
        body = table(heads, ((*key, *(f.get(n, "") for n in columns)) for key, f in found.items()))
        parts.append(f"K = {k}:\n\n{body}")
    return section("Ratios at every size", "\n\n".join(parts))


def growth(results: Row) -> str:
    """Return our time per row or cell at every size: even, where growth is linear."""
    rows = []
    for row in results["jobs"]:
        if not row["peer"] and "cpu" in row and row["family"] != "small":
            cells = row["n"] * (row["k"] if row["unit"] == "cell" else 1)
            each = f"{1e9 * row['cpu'] / cells:.3g} ns per {row['unit']}"
            rows.append((row["title"], size(row), seconds(row["cpu"]), each))
    heads = ("job", "N x K", "processor time", "growth")
    return section("Growth", table(heads, rows), "The time of stakes alone.")


def memory(results: Row) -> str:
    """Return peaks above the input."""
    rows = [
        (
            row["title"],
            size(row),
            row["side"],
            row["failed"]
            if "failed" in row
            else f"{row['extra_bytes'] / 1e6:.0f} MB, {row['share']:.2f} of the input",
            f"{row['most']:g}" if row.get("most") is not None else "",
        )
        for row in results.get("memory", [])
    ]
    heads = ("job", "N x K", "side", "peak above the input", "at most")
    said = "Each in a fresh process, after a call with little data; results are counted."
    return section("Memory", table(heads, rows), said)


def cold_start(results: Row) -> str:
    """Return the times of whole commands."""
    rows = [
        (
            f"`{row['command']}`",
            row["failed"] if "failed" in row else f"{row['cpu']:.3f} s",
            f"{row['most']:g} s" if row.get("most") else "",
        )
        for row in results.get("cold_start", [])
    ]
    return section("Cold start", table(("command", "processor time", "at most"), rows))


def peers(results: Row) -> str:
    """Return versions, what was mended, what is missing, what failed, what differed."""
    rows = [
        (
            name,
            ", ".join(f"{package} {version}" for package, version in p["versions"].items()),
            p["missing"] or p["mended"],
        )
        for name, p in results["peers"].items()
    ]
    notes = []
    for row in results["jobs"]:
        where = f"{row['side']}, {row['title']}, {size(row)}"
        if "failed" in row and not results["peers"][row["peer"]]["missing"]:
            notes.append(f"- {where}: failed, {row['failed']}")
        elif not row.get("agrees", True):
            gaps = ", ".join(f"{name} by {gap:.1e}" for name, gap in row["far"].items())
            notes.append(f"- {where}: differs from ours, {gaps} (relative)")
    body = table(("peer", "versions", "missing, or mended at run time"), rows)
    return section("Peers", "\n\n".join(part for part in (body, "\n".join(notes)) if part))


def solutions(results: Row) -> str:
    """Return how steep the loss still was where each side stopped."""
    rows = [
        (row["title"], size(row), row["side"], f"{row['noted']['gradient']:.1e}")
        for row in results["jobs"]
        if "gradient" in row.get("noted", {})
    ]
    heads = ("job", "N x K", "side", "gradient")
    said = "The largest slope of the mean loss where each fit stopped; 0 at the optimum."
    return section("Solutions of the fits", table(heads, rows), said)


def size(row: Row) -> str:
    """Say how large a job was."""
    return f"{row['n']:,} x {row['k']}"


def seconds(value: float) -> str:
    """Say a time."""
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def times(ratio: float | None) -> str:
    """Say a ratio."""
    if ratio is None:
        return ""
    return f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.2g} x"


def _peer_rows(results: Row) -> list[Row]:
    """Return the rows of peers that ran."""
    return [row for row in results["jobs"] if row["peer"] and "ratio" in row]


def _ours(results: Row, row: Row) -> Row:
    """Return our row of the same job and size."""
    same = ("job", "n", "k")
    return next(
        r for r in results["jobs"] if not r["peer"] and all(r[key] == row[key] for key in same)
    )


def _scaled(row: Row) -> str:
    """Say from how many resamples a time was scaled."""
    return f" (scaled from {row['scaled_from']} resamples)" if row.get("scaled_from") else ""


if __name__ == "__main__":
    main()
