"""How often intervals of responses cover, and how often their verdicts are false.

    python -m benchmarks.responses --jobs 2 --write   # 200 replications; two pages get their tables
    python -m benchmarks.responses --quick            # 40 replications of a part, prints only

Questions have a normal difficulty, which sets the chance of a right answer and the confidence
that is stated; numbers of the population are sums over a fine grid (`response_populations`).
Documents of ten questions share half of the variance of the difficulty; runs ask each question
five times. Where a threshold was found on the samples, the truth is that of this very threshold
on the population. Seeds are not those of tests.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

import stakes
from benchmarks.response_populations import SYSTEMS, System, draw
from stakes.results import Interval

SEED = 826_103
SLICES = 4
TARGETS = (0.5, 0.9)
SIZES = (20, 100, 1000)
DOCS = Path(__file__).parents[1] / "docs"
LIMIT = 92.0
_EVEN = ("break-even", "noise")  # where every claim about slices is false
_SILENT = (  # codes that claim nothing about the population
    *("not_distinguishable", "no_verdict", "few_errors", "unknown_abstentions"),
    "own_abstentions",
)


@dataclass(frozen=True)
class Cell:
    """Responses of one kind: the system, how many, the target, how they were drawn."""

    name: str
    n: int
    t: float
    kind: str = "independent"

    @property
    def system(self) -> System:
        """The system at the target."""
        return _system(self.name, self.t)

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of one replication."""
        place = list(SYSTEMS).index(self.name)
        return np.random.default_rng(
            [SEED, number, place, self.n, round(1000 * self.t), sum(map(ord, self.kind))]
        )


@cache
def _system(name: str, t: float) -> System:
    return SYSTEMS[name](t)


def cells(*, quick: bool = False) -> Iterator[Cell]:
    """Yield the cells of the grid."""
    names = list(SYSTEMS)[:: 3 if quick else 1]
    for name, n, t in product(names, (100,) if quick else SIZES, TARGETS):
        yield Cell(name, n, t)
    for name, kind in product(names, ("documents", "runs", "weights", "unknown")):
        yield Cell(name, 200, 0.75, kind)
        if kind in ("documents", "runs") and not quick:
            yield Cell(name, 1000, 0.75, kind)


@dataclass
class Tally:
    """What the replications of a cell add up to."""

    replications: int = 0
    given: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    error_rate: float = 0.0  # of the population at the thresholds for an expected one

    def judge(self, name: str, band: Interval | None, true: float) -> None:
        """Count an interval; the truth may lie at its end up to rounding."""
        if band is None:
            return
        self.given[name] += 1
        self.covered[name] += band.low - 1e-9 <= true <= band.high + 1e-9

    def percent(self, name: str) -> float:
        """Return the coverage in percent; NaN where hardly any interval was given."""
        if self.given[name] < 0.05 * self.replications:
            return math.nan
        return 100 * self.covered[name] / self.given[name]

    def shown(self, name: str) -> str:
        """Return the coverage, and how often there is an interval where that is not always."""
        if math.isnan(found := self.percent(name)):
            return "none"
        share = 100 * self.given[name] / self.replications
        return f"{found:.0f}" + ("" if share > 95 else f" ({share:.0f})")


def tally(cell: Cell, replications: int) -> Tally:
    """Count the intervals and verdicts of a cell."""
    total, one = Tally(), cell.system
    known = one.truths(cell.t, held_back=cell.kind != "unknown")
    for number in range(replications):
        rng = cell.rng(number)
        said = draw(one, cell.n, cell.kind, rng)
        part = {"part": rng.integers(SLICES, size=cell.n)} if cell.name in _EVEN else None
        found = stakes.evaluate_responses(said, cell.t, slices=part, rng=number)
        total.replications += 1
        _intervals(total, cell, found, known)
        _sentences(total, cell, found)
        if said.weights is None:
            _limits(total, cell, found)
    return total


def _intervals(
    total: Tally, cell: Cell, found: stakes.ResponseEvaluation, known: dict[str, float]
) -> None:
    metrics = found.metrics()
    for name, true in known.items():
        if name in metrics:
            total.judge(name, metrics[name].interval, true)
    rule = found.rule.get("calibrated")
    if rule is not None and rule.gain is not None and cell.kind != "unknown":
        total.judge("calibrated.gain", rule.gain.interval, _gain(cell, rule))


def _gain(cell: Cell, rule: stakes.AbstentionRule) -> float:
    """Return what the threshold of a rule gains on the population."""
    return cell.system.gain(cell.t, math.inf if rule.threshold is None else rule.threshold)


def _sentences(total: Tally, cell: Cell, found: stakes.ResponseEvaluation) -> None:
    """Count each code once, however many slices it was said of."""
    said = [v for v in found.verdicts if v.code not in _SILENT]
    slices = [s.verdict for s in found.slices if s.verdict.code not in _SILENT]
    total.said.update({v.code for v in said} | {f"slice: {v.code}" for v in slices})
    false = {v.code for v in said if contradicted(cell, found, v.code)}
    false |= {f"slice: {v.code}" for v in slices if contradicted(cell, found, v.code)}
    total.false.update(false)


def contradicted(cell: Cell, found: stakes.ResponseEvaluation, code: str) -> bool:
    """Whether a verdict is false of the population."""
    one = cell.system
    nec, right_wrong = one.nec(cell.t), one.own
    utility = right_wrong[0] - cell.t / (1 - cell.t) * right_wrong[1]
    gap = one.truths(cell.t, held_back=cell.kind != "unknown")["overconfidence"]
    match code:
        case "useful":
            return nec >= 1 - 1e-6
        case "worse_than_naive" | "slice_worse_than_naive":
            return nec <= 1 + 1e-6
        case "better_than_never":
            return utility <= 1e-6
        case "abstain_more" | "answer_more":
            return _gain(cell, found.rule["calibrated"]) <= 1e-6
        case "overconfident":
            return gap <= 1e-6
        case "underconfident":
            return gap >= -1e-6
    msg = f"no truth is known for {code}"
    raise ValueError(msg)


def _limits(total: Tally, cell: Cell, found: stakes.ResponseEvaluation) -> None:
    """Count a risk above its limit, and add up the expected error rate."""
    limit = 1 - cell.t
    if found.risk_limit is not None:
        right, wrong = cell.system.above(_least(cell, found.risk_limit.threshold))
        total.said["risk limit"] += right + wrong > 0
        total.false["risk limit"] += right + wrong > 0 and wrong / (right + wrong) > limit
    rate = stakes.coverage_at_error_rate(found.responses, limit / 2)
    total.error_rate += cell.system.above(_least(cell, rate.threshold))[1] / (limit / 2)


def _least(cell: Cell, threshold: float) -> float:
    """Return the threshold on the population: where truths are withheld, it abstains as before."""
    return max(threshold, cell.system.least) if cell.kind == "unknown" else threshold


Results = dict[Cell, Tally]


def coverage_text(found: Results) -> str:
    """Return the tables of intervals in Markdown."""
    replications = next(iter(found.values())).replications
    low = [
        f"{name} ({cell.name}, {cell.kind}, n = {cell.n}, target {100 * cell.t:g} %)"
        f" {counts.percent(name):.1f} %"
        for cell, counts in found.items()
        for name in counts.given
        if counts.percent(name) < LIMIT
    ]
    lines = [f"{replications} replications of each cell. Below {LIMIT:g} %: "]
    lines[0] += f"{'; '.join(low) or 'none'}."
    kinds = dict.fromkeys((c.kind, c.n) for c in found)
    lines += ["", "Least coverage over systems and targets, in percent:", ""]
    lines += [f"| number | {' | '.join(f'{k}, {n}' for k, n in kinds)} |"]
    lines += [f"|---|{'---|' * len(kinds)}"]
    for name in dict.fromkeys(name for counts in found.values() for name in counts.given):
        cells_ = " | ".join(_least_coverage(found, name, kind, n) for kind, n in kinds)
        lines.append(f"| {name} | {cells_} |")
    for n in dict.fromkeys(c.n for c in found if c.kind == "independent"):
        lines += ["", f"**{n} independent responses** (system and target)", ""]
        lines += _table({c: k for c, k in found.items() if (c.kind, c.n) == ("independent", n)})
    return "\n".join(lines)


def _least_coverage(found: Results, name: str, kind: str, n: int) -> str:
    mine = [counts for c, counts in found.items() if (c.kind, c.n) == (kind, n)]
    shares = [counts.percent(name) for counts in mine if name in counts.given]
    shares = [share for share in shares if not math.isnan(share)]
    return f"{min(shares):.0f}" if shares else ""


def _table(found: Results) -> list[str]:
    names = dict.fromkeys(name for counts in found.values() for name in counts.given)
    lines = [f"| system | target | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    for cell, counts in found.items():
        row = " | ".join(counts.shown(name) if name in counts.given else "" for name in names)
        lines.append(f"| {cell.name} | {100 * cell.t:g} % | {row} |")
    return lines


def verdict_text(found: Results) -> str:
    """Return the tables of verdicts in Markdown."""
    replications = next(iter(found.values())).replications
    error = 100 * math.sqrt(0.05 * 0.95 / replications)
    kinds = list(dict.fromkeys((c.kind, c.n) for c in found))
    head = " | ".join(f"{kind}, {n}" for kind, n in kinds)
    lines = [
        f"{replications} replications of each cell; 5 % have a standard error of {error:.1f} %.",
        "",
        "The largest share of evaluations, in percent, in which each code was false:",
        "",
        f"| code | {head} |",
        f"|---|{'---|' * len(kinds)}",
    ]
    for code in sorted({code for counts in found.values() for code in counts.said}):
        row = " | ".join(_largest(found, code, *kind) for kind in kinds)
        lines.append(f"| {code} | {row} |")
    ratios = " | ".join(_error_rate(found, *kind) for kind in kinds)
    lines.append(f"| expected error rate, in percent of its limit | {ratios} |")
    return "\n".join(lines)


def _largest(found: Results, code: str, kind: str, n: int) -> str:
    shares = {
        c: counts.false[code] / counts.replications
        for c, counts in found.items()
        if (c.kind, c.n) == (kind, n)
    }
    cell = max(shares, key=lambda c: shares[c])
    place = f" ({cell.name}, {100 * cell.t:g} %)"
    return f"{100 * shares[cell]:.1f}{place}" if shares[cell] else "0"


def _error_rate(found: Results, kind: str, n: int) -> str:
    mine = [k.error_rate / k.replications for c, k in found.items() if (c.kind, c.n) == (kind, n)]
    return f"{100 * max(mine):.0f}" if max(mine) else ""


def _enter(page: Path, name: str, text: str) -> None:
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


def _tally(task: tuple[Cell, int]) -> Tally:
    return tally(*task)


def main() -> None:
    """Count, and print or enter the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a part of the grid")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--write", action="store_true", help="enter the tables in the pages")
    asked = parser.parse_args()
    replications = asked.replications or (40 if asked.quick else 200)
    grid = [cell for cell in cells(quick=asked.quick) if cell.name in asked.systems]
    found: Results = {}
    with ProcessPoolExecutor(asked.jobs) as pool:
        counted = pool.map(_tally, [(cell, replications) for cell in grid])
        for cell, counts in zip(grid, counted, strict=True):
            found[cell] = counts
            print(*vars(cell).values(), dict(counts.false), sep="; ", file=sys.stderr)
    texts = coverage_text(found), verdict_text(found)
    if not asked.write:
        print(*texts, sep="\n\n")
        return
    _enter(DOCS / "intervals.md", "coverage of responses", texts[0])
    _enter(DOCS / "verdicts.md", "verdicts on responses", texts[1])


if __name__ == "__main__":
    main()
