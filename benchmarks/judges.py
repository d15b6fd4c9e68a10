"""How often intervals cover where a judge labels all answers and people some.

    python -m benchmarks.judges [--replications 1000] [--jobs 2] [--write]

Answers are right with a known probability, in groups or not; some are withheld, in groups the more
the harder they are. A judge passes right answers with its sensitivity and fails wrong ones with its
specificity, or gives a probability. People label a random choice of the answers. Counted is how
often each nominal 95 % interval includes the value of the population, and how often sentences are
false. `--write` enters the tables in docs/intervals.md. The seeds are not those of any test.
"""

import argparse
import math
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import stakes
from stakes._quantiles import normal

PAGE = Path(__file__).parent.parent / "docs" / "intervals.md"
BEGIN, END = "<!-- judges: begin -->", "<!-- judges: end -->"
SEED = 190_613
TARGET = 0.75
LIMIT = 92.0
JUDGES = {  # share of right answers that it passes, of wrong ones that it fails
    "perfect": (1.0, 1.0),
    "good": (0.95, 0.95),
    "generous": (0.98, 0.5),
    "chance": (0.6, 0.4),
    "constant": (1.0, 0.0),
    "probability": (math.nan, math.nan),
}
HUMANS = (10, 20, 50, 100, 500)
ACCURACIES = (0.5, 0.8, 0.95, 0.99)
SPREAD = 0.15  # variance of the accuracy of groups, in units of accuracy (1 - accuracy)
COVERED = ("normal PPI++", "corrected", "human only", "bias", "utility", "hallucination rate")
FALSE = ("judge biased", "not random")
Counts = dict[str, tuple[int, int]]  # of intervals given, and of those that cover


@dataclass(frozen=True)
class Cell:
    """A judge, what it judges, and how many answers people see."""

    judge: str
    accuracy: float
    humans: int
    rows: int = 1000
    group: int = 1  # rows in a group
    answered: float = 1.0
    loss: bool = False  # a loss without a bound in place of right and wrong

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of a replication."""
        return np.random.default_rng([SEED, zlib.crc32(repr(astuple(self)).encode()), number])


def draw(cell: Cell, rng: np.random.Generator) -> dict[str, Any]:
    """Return labels of people and of the judge, abstentions and groups."""
    groups = math.ceil(cell.rows / cell.group)
    unit = np.arange(cell.rows) // cell.group
    p = np.full(groups, cell.accuracy)
    if cell.group > 1:
        k = 1 / SPREAD - 1
        p = rng.beta(k * cell.accuracy, k * (1 - cell.accuracy), groups)
    answers = np.full(groups, cell.answered)
    if cell.group > 1:
        answers = cell.answered + _slope(cell) * (p - cell.accuracy)
    right = rng.random(cell.rows) < p[unit]
    abstained = rng.random(cell.rows) >= answers[unit]
    human = right.astype(float)
    human[abstained] = math.nan
    places = np.flatnonzero(~abstained)
    hidden = rng.permutation(places)[cell.humans :]
    human[hidden] = math.nan
    return {
        "human": human,
        "judge": np.where(abstained, math.nan, _judged(cell, right, rng)),
        "abstained": abstained,
        "groups": unit if cell.group > 1 else None,
    }


def _slope(cell: Cell) -> float:
    return 0.0 if cell.answered == 1 else 0.3


def _judged(cell: Cell, right: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    passes, fails = JUDGES[cell.judge]
    if cell.judge == "probability":
        return 1 / (1 + np.exp(-(rng.normal(size=right.size) + np.where(right, 1.5, -0.5))))
    chance = np.where(right, passes, 1 - fails)
    return (rng.random(right.size) < chance).astype(float)


def truths(cell: Cell) -> dict[str, float]:
    """Return the values of the population."""
    p, a = cell.accuracy, cell.answered
    spread = p * (1 - p) * SPREAD if cell.group > 1 else 0.0
    both = a * p + _slope(cell) * spread
    q = both / a
    passes, fails = JUDGES[cell.judge]
    judged = q * passes + (1 - q) * (1 - fails)
    if cell.judge == "probability":
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        on_right, on_wrong = (
            float(weights @ (1 / (1 + np.exp(-(nodes + m))))) / math.sqrt(2 * math.pi)
            for m in (1.5, -0.5)
        )
        judged = q * on_right + (1 - q) * on_wrong
    return {
        "normal PPI++": q,
        "corrected": q,
        "human only": q,
        "bias": judged - q,
        "utility": (both - TARGET * a) / (1 - TARGET),
        "hallucination rate": (a - both) / (1 - both),
    }


def found_in(cell: Cell, number: int) -> tuple[dict[str, Any], dict[str, bool]]:
    """Return the intervals of a replication, and the sentences that would be false."""
    rng = cell.rng(number)
    if cell.loss:
        return _losses(cell, rng), {}
    result = stakes.judge_report(**draw(cell, rng), target=TARGET)
    answers = result.answers
    reach = normal(0.95) * answers.standard_error
    bands = {
        "normal PPI++": (answers.value - reach, answers.value + reach),
        "corrected": answers.interval,
        "human only": answers.human_only.interval,
        "bias": answers.bias.interval,
        "utility": result.utility.interval,
        "hallucination rate": result.hallucination_rate.interval,
    }
    codes = {verdict.code for verdict in result.verdicts}
    said = {"judge_generous": 1, "judge_strict": -1}
    side = sum(said.get(code, 0) for code in codes)
    true = truths(cell)["bias"]
    wrong = side != 0 and (abs(true) < 1e-12 or side * true < 0)
    return bands, {"judge biased": wrong, "not random": "human_rows_differ" in codes}


def _losses(cell: Cell, rng: np.random.Generator) -> dict[str, Any]:
    """Return the intervals of a log-normal loss that the judge knows up to a factor."""
    loss = np.exp(rng.normal(0, 0.7, cell.rows))
    judge = loss * np.exp(rng.normal(0, 0.3, cell.rows))
    human = loss.copy()
    human[cell.humans :] = math.nan
    found = stakes.judged_mean(human, judge)
    reach = normal(0.95) * found.standard_error
    return {
        "normal PPI++": (found.value - reach, found.value + reach),
        "corrected": found.interval,
        "human only": found.human_only.interval,
    }


def count(cell: Cell, numbers: range) -> Counts:
    """Return how often intervals were given and covered, and how often sentences were false."""
    known = truths(cell)
    if cell.loss:
        known = dict.fromkeys(known, math.exp(0.7**2 / 2))
    total: Counts = {}
    for number in numbers:
        bands, false = found_in(cell, number)
        for name, band in bands.items():
            if band is not None:
                low, high = band
                inside = low - 1e-9 <= known[name] <= high + 1e-9
                given, covered = total.get(name, (0, 0))
                total[name] = given + 1, covered + int(inside)
        for name, wrong in false.items():
            said, times = total.get(name, (0, 0))
            total[name] = said + 1, times + int(wrong)
    return total


def grid() -> list[Cell]:
    """Return all cells."""
    plain = [Cell(j, p, n) for j in JUDGES for p in ACCURACIES for n in HUMANS]
    few = [Cell(j, 0.8, n, rows=200, answered=0.7) for j in JUDGES for n in (10, 100)]
    grouped = [
        Cell(j, p, n, group=10, answered=0.7)
        for j in JUDGES
        for p in (0.5, 0.95)
        for n in (20, 100)
    ]
    wide = [Cell(j, 0.8, 100, group=50, answered=0.7) for j in JUDGES]
    return [*plain, *few, *grouped, *wide, *(Cell("good", 0.5, n, loss=True) for n in (30, 100))]


def run(cells: list[Cell], replications: int, jobs: int) -> dict[Cell, Counts]:
    """Return the counts of cells, in parallel.

    Cells below the limit are counted again with other random numbers, four times as many, which
    take the place of the first: of some hundred cells a few are below it by chance.
    """
    with ProcessPoolExecutor(jobs) as pool:
        found = dict(
            zip(cells, pool.map(count, cells, [range(replications)] * len(cells)), strict=True)
        )
        print("all cells are counted once", file=sys.stderr, flush=True)
        low = [cell for cell, counts in found.items() if below({cell: counts})]
        again = [range(replications, 5 * replications)] * len(low)
        return found | dict(zip(low, pool.map(count, low, again), strict=True))


def share(counts: Counts, name: str) -> float:
    """Return a share in percent; NaN where there was nothing."""
    given, times = counts.get(name, (0, 0))
    return 100 * times / given if given else math.nan


def _range(results: dict[Cell, Counts], cells: list[Cell], name: str, *, least: bool) -> str:
    found = [share(results[c], name) for c in cells]
    known = [x for x in found if not math.isnan(x)]
    if not known:
        return "none"
    return f"{min(known) if least else max(known):.0f}"


def tables(results: dict[Cell, Counts], replications: int) -> str:
    """Return the tables: least coverage over accuracies, largest share of false sentences."""
    head = ("rows", "judge", "human labels", *COVERED, "false: judge biased", "false: not random")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    kinds = dict.fromkeys((c.rows, c.group, c.answered, c.loss, c.judge, c.humans) for c in results)
    for kind in kinds:
        mine = [
            c for c in results if (c.rows, c.group, c.answered, c.loss, c.judge, c.humans) == kind
        ]
        rows, group, answered, loss, judge, humans = kind
        where = f"{rows}" + (f" in groups of {group}" if group > 1 else "")
        where += "" if answered == 1 else f", {100 * answered:g} % answered"
        cells = [_range(results, mine, name, least=True) for name in COVERED]
        cells += [_range(results, mine, name, least=False) for name in FALSE]
        name = "log-normal loss" if loss else judge
        lines.append(f"| {' | '.join([where, name, str(humans), *cells])} |")
    low = below(results)
    said = f"No cell is below {LIMIT:g} %." if not low else f"Below {LIMIT:g} %: {'; '.join(low)}."
    times = f"{replications} replications of each cell, {4 * replications} of those that seemed low"
    return f"{times}. {said}\n\n" + "\n".join(lines)


def below(results: dict[Cell, Counts]) -> list[str]:
    """Return where an interval covers less often than the limit, the normal one apart."""
    return [
        f"{name} ({cell.judge}, accuracy {cell.accuracy:g}, {cell.humans} labels,"
        f" {cell.rows} rows, groups of {cell.group}) {share(counts, name):.1f} %"
        for cell, counts in results.items()
        for name in COVERED[1:]
        if share(counts, name) < LIMIT
    ]


def written(text: str, made: str) -> str:
    """Return the page with the tables between its marks."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{made}\n\n{END}{tail}"


def main() -> None:
    """Run the grid; print it, or enter it in the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"enter the tables in {PAGE.name}")
    options = parser.parse_args()
    made = tables(run(grid(), options.replications, options.jobs), options.replications)
    print(made)
    if options.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
