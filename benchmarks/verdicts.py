"""How often the verdicts of `stakes.evaluate` are false, on data whose truth is known.

    python -m benchmarks.verdicts --replications 1000 --jobs 2 --write

Log odds of the second class are normal with one variance in both classes, so that costs,
cross-entropies, calibration losses, slopes and areas of the population follow by the normal law
and by quadrature; 30 % of the samples are of the second class. A verdict is false where the
population contradicts it; an evaluation is counted once for each code, however many applications
or slices it was false about. `--write` enters the tables in docs/verdicts.md.
"""

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

import stakes
from stakes.evaluation.verdicts.evaluation_verdicts import GAIN
from stakes.evaluation.verdicts.usefulness import MARGIN

SHARE = 0.3  # of the second class, in the data
SIZES = (60, 200, 500, 2000, 5000)
SEED = 20_261_116
SLICES = 4
PAGE = Path(__file__).parents[1] / "docs" / "verdicts.md"
_NODES, _MASS = np.polynomial.hermite_e.hermegauss(120)
_NEVER = (  # false: they make no claim about the population
    *("not_distinguishable", "no_interval", "no_verdict", "too_few_samples"),
    *("few_errors", "small_class", "few_groups", "few_rows", "infinite_loss"),
)


@dataclass(frozen=True)
class System:
    """Log odds that are normal: a mean for each class, one standard deviation."""

    name: str
    first: float
    second: float
    deviation: float

    def scores(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return posteriors of the second class."""
        return expit(
            np.where(y == 1, self.second, self.first) + self.deviation * rng.normal(size=y.size)
        )

    def above(self, threshold: float, truth: int) -> float:
        """Return how often the log odds of a class are above a threshold."""
        mean = self.second if truth else self.first
        if self.deviation == 0:
            return float(mean > threshold)
        return float(ndtr((mean - threshold) / self.deviation))

    @property
    def slope(self) -> float:
        """The slope of the map from these log odds to true ones."""
        return (self.second - self.first) / self.deviation**2 if self.deviation else 0.0

    @property
    def area(self) -> float:
        """The area under the ROC curve."""
        if self.deviation == 0:
            return 0.5
        return float(ndtr((self.second - self.first) / self.deviation / math.sqrt(2)))

    def true_odds(self, prior: float) -> "System":
        """Return the system with the log odds that its scores deserve."""
        if self.slope == 0:
            return System("", float(logit(prior)), float(logit(prior)), 0.0)
        middle = (self.first + self.second) / 2
        first, second = (
            self.slope * (m - middle) + float(logit(prior)) for m in (self.first, self.second)
        )
        return System("", first, second, abs(self.slope) * self.deviation)

    def cross_entropy(self, prior: float) -> float:
        """Return the expected log loss at a prior."""
        losses = [
            float(_MASS @ np.logaddexp(0, sign * (mean + self.deviation * _NODES)))
            / math.sqrt(2 * math.pi)
            for sign, mean in ((1, self.first), (-1, self.second))
        ]
        return (1 - prior) * losses[0] + prior * losses[1]


def scaled(name: str, scale: float, shift: float, distance: float = 2.0) -> System:
    """Return a system whose calibrated log odds were scaled and shifted."""
    base, half = float(logit(SHARE)), distance**2 / 2
    first, second = (scale * (base + side * half) + shift for side in (-1, 1))
    return System(name, first, second, abs(scale) * distance)


def _break_even() -> System:
    """Return a system whose decisions cost as much as the best constant answer, at costs 1:1."""
    one = Application("1:1", 1, 1, SHARE)
    return scaled("break-even", 1, float(brentq(lambda b: one.cost(scaled("", 1, b)) - 1, 0.5, 9)))


@dataclass(frozen=True)
class Application:
    """What a miss and a false alarm cost, and how often the second class occurs."""

    name: str
    miss: float
    alarm: float
    prior: float

    def cost(self, system: System) -> float:
        """Return the normalised cost of the Bayes decisions of a system."""
        threshold = math.log(self.alarm / self.miss)
        missed = self.prior * self.miss * (1 - system.above(threshold, 1))
        alarms = (1 - self.prior) * self.alarm * system.above(threshold, 0)
        return (missed + alarms) / min(self.prior * self.miss, (1 - self.prior) * self.alarm)

    def errors(self, system: System) -> float:
        """Return the error rate of the same decisions over that of the best constant answer."""
        threshold = math.log(self.alarm / self.miss)
        missed = self.prior * (1 - system.above(threshold, 1))
        alarms = (1 - self.prior) * system.above(threshold, 0)
        return (missed + alarms) / min(self.prior, 1 - self.prior)

    def recovered(self, system: System) -> float:
        """Return the share of the cost that calibration recovers."""
        cost = self.cost(system)
        return 1 - self.cost(system.true_odds(self.prior)) / cost if cost > 0 else 0.0

    def another(self, system: System) -> float:
        """Return how often the rarer decision is made, in cases like those of the data."""
        threshold = math.log(self.alarm / self.miss)
        share = SHARE * system.above(threshold, 1) + (1 - SHARE) * system.above(threshold, 0)
        return min(share, 1 - share)


_EQUAL = "three, prior 0.3 given"
_AT_EQUAL_PRIORS = ("calibrated", "useless", "break-even")  # the others differ little from "three"
_THREE = (("1:1", 1.0, 1.0), ("5:1", 5.0, 1.0), ("1:5", 1.0, 5.0))
SETS: dict[str, tuple[tuple[Application, ...], float | None]] = {
    "one": ((Application("1:1", 1, 1, SHARE),), None),
    "three": (tuple(Application(*a, SHARE) for a in _THREE), None),
    _EQUAL: (tuple(Application(*a, SHARE) for a in _THREE), SHARE),
    "three, prior 0.1 given": (tuple(Application(*a, 0.1) for a in _THREE), 0.1),
}


@cache
def systems() -> dict[str, System]:
    """Return the systems by name."""
    base = float(logit(SHARE))
    listed = [
        scaled("calibrated", 1, 0),
        scaled("overconfident", 2, 0),
        scaled("underconfident", 0.5, 0),
        scaled("shifted", 1, 1.5),
        System("useless", base, base, 1.0),
        scaled("perfect", 1, 0, distance=8),
        System("constant", base, base, 0.0),
        System("reversed", base + 2, base - 2, 2.0),
        _break_even(),
    ]
    return {system.name: system for system in listed}


def evaluated(system: System, n: int, kind: str, number: int) -> stakes.Evaluation:
    """Return the evaluation of one sample of a system."""
    places = [list(systems()).index(system.name), n, list(SETS).index(kind), number]
    rng = np.random.default_rng([SEED, *places])
    while True:
        y = (rng.random(n) < SHARE).astype(np.int64)
        if 0 < y.sum() < n:
            break
    applications, prior = SETS[kind]
    costs = {
        a.name: stakes.CostMatrix.binary(miss=a.miss, false_alarm=a.alarm) for a in applications
    }
    return stakes.evaluate(
        y,
        system.scores(y, rng),
        costs=costs,
        priors=None if prior is None else [1 - prior, prior],
        training_priors="deployment",
        slices={"part": rng.integers(SLICES, size=n)} if kind == "three" else None,
    )


def falsehoods(system: System, kind: str, found: stakes.Evaluation) -> Iterator[str]:
    """Yield the code of each verdict that the population contradicts."""
    applications = {a.name: a for a in SETS[kind][0]}
    for verdict in found.verdicts:
        named = [a for name, a in applications.items() if name == verdict.application]
        named = named or [a for name, a in applications.items() if f" {name}" in verdict.text]
        if contradicted(system, verdict, named or list(applications.values())):
            yield verdict.code
        if (
            "makes it useful" in verdict.text
            and named[0].cost(system.true_odds(named[0].prior)) >= 1
        ):
            yield "makes it useful"
    main = next(iter(applications.values()))
    for part in found.slices:
        if part.verdict is not None and contradicted(system, part.verdict, [main]):
            yield "slice: " + part.verdict.code


def contradicted(  # noqa: C901, PLR0911, PLR0912  one line for each code
    system: System, verdict: stakes.Verdict, about: list[Application]
) -> bool:
    """Whether a verdict is false of the population."""
    first = about[0]
    cost = first.cost(system)
    match verdict.code:
        case "useful":
            return cost >= 1 - 1e-9
        case "worse_than_naive":
            return cost <= 1 + 1e-9
        case "slice_worse_than_naive":
            return cost <= 1 + 1e-9
        case "practically_equal":
            return abs(cost - 1) > MARGIN
        case "always_the_same":
            limit = re.search(r"at most ([\d.]+) %", verdict.text)
            return limit is None or 100 * first.another(system) > float(limit[1])
        case "calibration_would_help":
            return first.recovered(system) <= 1e-9
        case "metrics_disagree":
            return (cost - 1) * (first.errors(system) - 1) >= 0
        case "decisions_fine_probabilities_not":
            return any(a.cost(system) >= 1 or a.recovered(system) > GAIN for a in about)
        case "probabilities_not_calibrated":
            better = system.true_odds(first.prior)
            return better.cross_entropy(first.prior) >= system.cross_entropy(first.prior) - 1e-9
        case "overconfident":
            return system.slope >= 1 - 1e-9
        case "underconfident":
            return system.slope <= 1 + 1e-9
        case "scores_reversed":
            return system.area >= 0.5
        case "scores_equal":
            return system.deviation > 0
        case "classes_separated":
            return system.area < 1 - 1e-6
        case "rows_repeated" | "out_of_step":
            return True  # samples are independent
    if verdict.code not in _NEVER:
        msg = f"no truth is known for {verdict.code}"
        raise ValueError(msg)
    return False


Cell = tuple[str, int, str]  # system, samples, applications


@dataclass(frozen=True)
class Tally:
    """In how many of the replications of a cell a code was said, and in how many falsely."""

    replications: int
    said: Counter[str]
    false: Counter[str]

    def worst(self) -> tuple[str, float]:
        """Return the code that is false most often, and in which share."""
        code, count = max(self.false.items(), key=lambda pair: pair[1], default=("", 0))
        return code, count / self.replications


def tally(cell: Cell, replications: int) -> Tally:
    """Count verdicts over the replications of a cell."""
    name, n, kind = cell
    said: Counter[str] = Counter()
    false: Counter[str] = Counter()
    for number in range(replications):
        found = evaluated(systems()[name], n, kind, number)
        said.update({v.code for v in found.verdicts})
        said.update({"slice: " + s.verdict.code for s in found.slices if s.verdict is not None})
        false.update(set(falsehoods(systems()[name], kind, found)))
    return Tally(replications, said, false)


def _tally(arguments: tuple[Cell, int]) -> Tally:
    return tally(*arguments)


def report(found: dict[Cell, Tally]) -> str:
    """Return the tables in Markdown."""
    replications = next(iter(found.values())).replications
    error = 100 * math.sqrt(0.05 * 0.95 / replications)
    sizes = list(dict.fromkeys(n for _, n, _ in found))
    lines = [
        f"{replications} replications of each cell; 5 % have a standard error of {error:.1f} %.",
        "",
        "The largest share of evaluations, in percent, in which each code was false, and where:",
        "",
        f"| code | {' | '.join(f'n = {n}' for n in sizes)} |",
        f"|---|{'---|' * len(sizes)}",
    ]
    codes = sorted({code for t in found.values() for code in t.said} - set(_NEVER))
    codes = [c for c in codes if c.removeprefix("slice: ") not in _NEVER] + ["makes it useful"]
    for code in codes:
        largest = [_largest(found, code, n) for n in sizes]
        lines += [f"| {code} | {' | '.join(largest)} |"]
    lines += ["", "For each system and set of applications the code that was false most often:", ""]
    lines += [f"| system | applications | {' | '.join(f'n = {n}' for n in sizes)} |"]
    lines += [f"|---|---|{'---|' * len(sizes)}"]
    for name, kind in dict.fromkeys((name, kind) for name, _, kind in found):
        cells = [_worst(found[name, n, kind]) if (name, n, kind) in found else "" for n in sizes]
        lines.append(f"| {name} | {kind} | {' | '.join(cells)} |")
    lines += ["", *_said(found, codes, 500 if 500 in sizes else sizes[-1])]
    return "\n".join(lines)


def _largest(found: dict[Cell, Tally], code: str, n: int) -> str:
    """Return the largest share in which a code was false at a size, and of which system."""
    shares = {c: t.false[code] / t.replications for c, t in found.items() if c[1] == n}
    cell = max(shares, key=lambda c: shares[c])
    return f"{100 * shares[cell]:.1f} ({cell[0]})" if shares[cell] else "0"


def _worst(counts: Tally) -> str:
    """Return the code that was false most often."""
    code, share = counts.worst()
    return f"{100 * share:.1f} {code}" if share else "0"


def _said(found: dict[Cell, Tally], codes: list[str], n: int) -> list[str]:
    """Return how often each code was said of each system, true or false."""
    names = list(dict.fromkeys(name for name, _, _ in found))
    lines = [f"How often each was said at n = {n} in three applications, in percent:", ""]
    lines += [f"| code | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for code in [*codes[:-1], "not_distinguishable"]:
        rows = [found.get((name, n, "three")) for name in names]
        cells = ["" if t is None else f"{100 * t.said[code] / t.replications:.0f}" for t in rows]
        lines.append(f"| {code} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Count false verdicts, and print or enter the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--systems", nargs="+", default=list(systems()))
    parser.add_argument("--applications", nargs="+", default=list(SETS))
    parser.add_argument("--write", action="store_true", help="enter the tables in docs/verdicts.md")
    asked = parser.parse_args()
    every = (
        (name, n, kind) for n, name, kind in product(asked.sizes, asked.systems, asked.applications)
    )
    cells = [c for c in every if c[2] != _EQUAL or c[0] in _AT_EQUAL_PRIORS]
    found: dict[Cell, Tally] = {}
    with ProcessPoolExecutor(asked.jobs) as pool:
        counts = pool.map(_tally, [(cell, asked.replications) for cell in cells])
        for cell, count in zip(cells, counts, strict=True):
            found[cell] = count
            print(*cell, _worst(count), sep="; ", file=sys.stderr)
    text = report(found)
    if not asked.write:
        print(text)
        return
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
