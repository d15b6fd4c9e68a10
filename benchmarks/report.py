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

from benchmarks import limits, profiles

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
    parts = [setting(results), wanted(results), missed(results), speed(results), growth(results)]
    parts += [solutions(results), memory(results), cold_start(results), peers(results)]
    body = "\n\n".join(part for part in parts if part)
    return f"{head}{BEGIN}\n\n{body}\n\n{END}{tail}"


def setting(results: Row) -> str:
    """Say where and how the times were taken."""
    m = results["machine"]
    load = "" if m["load"] is None else f", load {m['load']:.1f} at the start"
    said = f"{m['processor']}, {m['cores']} cores{load}; {m['system']}, Python {m['python']}"
    kind = " A quick run: few rounds." if results["quick"] else ""
    return f"{m['stakes']} on {said}.{kind} The run took {results['minutes']:.0f} minutes."


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
    heads = ("job", "N x K", "stakes", "peer", "its time", "ratio", "user time", "target", "met")
    said = "Ratio: the peer's processor time divided by ours. User time: the same ratio without "
    said += "system time, which is mostly the allocation of pages for temporary arrays."
    rows = [row for row in _peer_rows(results) if row.get("wanted")]
    first, second = (
        table(heads, (_wanted(results, row) for row in rows if (row["family"] == "small") is few))
        for few in (False, True)
    )
    return "\n\n".join(
        part
        for part in (
            section("Targets and results", first, said),
            section("Few samples", second, "Single metrics, where call overhead matters."),
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


def missed(results: Row) -> str:
    """Return by how much figures were missed, where our time goes, and what limits it."""
    rows = [
        (
            row["title"],
            size(row),
            row["side"],
            f"{times(row['ratio'])} of {row['wanted']:g} x",
            f"{row['wanted'] / row['ratio']:.3g} x less time",
            limits.profile_of(results, row),
        )
        for row in limits.missed_ratios(results)
    ]
    rows += [
        (
            f"memory of {row['title']}",
            size(row),
            "",
            f"{row['share']:.2f} of {row['most']:g} inputs",
            f"{row['share'] / row['most']:.3g} x less memory",
            "",
        )
        for row in limits.missed_peaks(results)
    ]
    rows += [
        (
            f"`{row['command']}`",
            "",
            "",
            f"{row['cpu']:.2f} s of {row['most']:g} s",
            f"{row['cpu'] / row['most']:.3g} x less time",
            profiles.told(row.get("profile") or ()),
        )
        for row in limits.missed_starts(results)
    ]
    heads = ("job", "N x K", "peer", "result", "what would be needed", "where our time goes")
    said = "The last column is the share of our time spent in each step, from a profiler; a "
    said += "compiled loop counts towards the function that calls it."
    body = "\n\n".join(part for part in (table(heads, rows), limits.words(results)) if part)
    return section("What limits the missed targets", body, said)


def growth(results: Row) -> str:
    """Return our time per row or cell at every size: even, where growth is linear."""
    found = [r for r in results["jobs"] if not r["peer"] and "cpu" in r and r["family"] != "small"]
    said = "The time of stakes alone, in nanoseconds per row (two classes) or cell (samples times "
    said += "classes): constant along a row if growth is linear. On the left, the fixed cost of a "
    said += "call is spread over few rows."
    parts = (_growth(found, "k", "n", "N"), _growth(found, "n", "k", "K"))
    return section("Growth", "\n\n".join(part for part in parts if part), said)


def _growth(rows: list[Row], fixed: str, grows: str, letter: str) -> str:
    """Return a line for each job and fixed size, with a column for each size of the other kind."""
    lines: dict[tuple[str, int], dict[int, float]] = {}
    for row in rows:
        cells = row["n"] * (row["k"] if row["unit"] == "cell" else 1)
        line = lines.setdefault((f"{row['title']}, per {row['unit']}", row[fixed]), {})
        line[row[grows]] = 1e9 * row["cpu"] / cells
    several = {key: line for key, line in lines.items() if len(line) > 1}
    sizes = sorted({size for line in several.values() for size in line})
    other = "K" if letter == "N" else "N"
    heads = ("job", other, *(f"{letter} = {size:,}" for size in sizes))
    return table(
        heads,
        (
            (title, f"{at:,}", *(f"{line[s]:.3g}" if s in line else "" for s in sizes))
            for (title, at), line in several.items()
        ),
    )


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
    said = "Each job runs in a fresh process, after a call with little data; results are included."
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
    """Return versions, what was fixed, what is missing, what failed, what differed."""
    rows = [
        (
            name,
            ", ".join(f"{package} {version}" for package, version in p["versions"].items()),
            p["missing"] or p["fixed"],
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
    body = table(("peer", "versions", "missing, or fixed at run time"), rows)
    return section("Peers", "\n\n".join(part for part in (body, "\n".join(notes)) if part))


def solutions(results: Row) -> str:
    """Return how steep the loss still was where each side stopped."""
    rows = [
        (row["title"], size(row), row["side"], f"{row['noted']['gradient']:.1e}")
        for row in results["jobs"]
        if "gradient" in row.get("noted", {})
    ]
    heads = ("job", "N x K", "side", "gradient")
    said = "The largest component of the gradient of the mean loss where each fit stopped; 0 at "
    said += "the optimum."
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
