"""How often the nominal 95 % intervals of stakes include the value of the population.

    python -m benchmarks.coverage --jobs 2          # 1,000 replications, writes docs/intervals.md
    python -m benchmarks.coverage --quick           # 100 replications of a part, prints only

Two normal classes two standard deviations apart; posteriors are right, or overconfident with log
odds twice as large. Values of the population are by quadrature (`populations`); after calibration
they are those of a calibrator fitted on unlimited data. Class sizes are random, with priors from
the data, or fixed, with given priors. Scores of few values have their own population. Seeds are
not those of tests.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import stakes
from benchmarks.populations import RANKINGS, SPECIFICITY, FewValues, Gaussians, Payments
from stakes.curves.placements import Placements
from stakes.evaluation.ranking_results import ranking_of
from stakes.results import Estimate, Interval
from stakes.samples import read_samples
from stakes.statistics import ScoreLevels

SEED = 714_025  # with the cell and the number of the replication
COSTS = {"1:1": 1.0, "9:1": 9.0}  # what a miss costs, of a false alarm that costs 1
COSTLIEST = 50.0
PAGE = Path(__file__).parent.parent / "docs" / "intervals.md"
BEGIN, END = "<!-- coverage: begin -->\n", "<!-- coverage: end -->\n"
LIMIT = 92.0
_CHUNK = 25

Found = dict[str, Interval | None]


@dataclass(frozen=True)
class Cell:
    """Samples of one kind: how many, the share of positives, the scale of the log odds."""

    kind: str
    n: int
    share: float
    scale: float = 1.0
    fixed: bool = False
    spread: float = 0.0  # of the log amount
    groups: int = 0
    ranking: str = ""  # a name among RANKINGS

    @property
    def population(self) -> Gaussians:
        """The classes and the system."""
        return Gaussians(self.share, self.scale)

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of one replication."""
        parts = (self.n, round(1000 * self.share), round(10 * self.scale), self.fixed)
        extra = (round(10 * self.spread), self.groups, sum(map(ord, self.kind + self.ranking)))
        return np.random.default_rng([SEED, number, *parts, *extra])


def cells(*, quick: bool) -> Iterator[Cell]:
    """Yield the cells of the grid."""
    sizes = (100, 200, 1000) if quick else (100, 200, 1000, 5000)
    for scale, share, n, fixed in product((1.0, 2.0), (0.5, 0.1, 0.02), sizes, (False, True)):
        if n < 5000 or not fixed:
            yield Cell("scores", n, share, scale, fixed)
    for spread, share, n, fixed in product(
        (1.0, 1.5), (0.1, 0.02), (60, 200, 1000, 5000), (False, True)
    ):
        for scale in (1.0, 2.0):
            yield Cell("prices", n, share, scale, fixed, spread)
        yield Cell("tie", n, share, 1.0, fixed, spread)
    for share, n in product((0.5, 0.1), (200, 1000)):
        yield Cell("weights", n, share, 2.0)
    for scale, groups in product((1.0, 2.0), (15, 40)):
        yield Cell("groups", 25 * groups, 0.3, scale, groups=groups)
    for share in (0.3, 0.1):
        yield Cell("patients", 20 * 60, share, groups=60)
    for share, n in product((0.5, 0.1), (100, 1000)):
        yield Cell("ties", n, share)
    for name, ranking in RANKINGS.items():
        yield Cell("areas", ranking.n, ranking.share, ranking=name)


def replication(cell: Cell, number: int) -> Found:
    """Return the intervals of one set of samples, by metric."""
    rng, population = cell.rng(number), cell.population
    if cell.kind in ("ties", "areas"):
        return (_ties if cell.kind == "ties" else _areas)(cell, rng)
    y = population.labels(cell.n, rng, fixed=cell.fixed)
    x = rng.standard_normal(cell.n) + 2.0 * y
    if min(y.sum(), cell.n - y.sum()) < 1:
        return {}
    if cell.kind in ("prices", "tie"):
        return _prices(cell, y, x, rng)
    if cell.kind == "groups":
        return _groups(cell, rng)
    if cell.kind == "patients":
        return _patients(cell, rng)
    weights = rng.choice([1.0, 2.0, 4.0], cell.n) if cell.kind == "weights" else None
    return _scores(cell, y, x, weights, number)


def _scores(
    cell: Cell, y: np.ndarray, x: np.ndarray, weights: np.ndarray | None, number: int
) -> Found:
    """Return the intervals of posteriors; each replication has folds of its own."""
    population = cell.population
    priors = population.priors if cell.fixed else None
    scores = stakes.Logits(population.log_odds(x))
    options: dict[str, Any] = {"priors": priors, "sample_weight": weights}
    costs = {k: stakes.CostMatrix.binary(miss=m, false_alarm=1) for k, m in COSTS.items()}
    training = "deployment" if cell.fixed else None  # the log odds are those of the population
    result = stakes.evaluate(
        y,
        scores,
        costs=costs,
        training_priors=training,
        rng=number,
        **options,
    )
    found = {name: e.interval for name, e in result.metrics().items()}
    found["calibration slope"] = None if result.slope is None else result.slope.interval
    most = stakes.CostMatrix.binary(miss=COSTLIEST, false_alarm=1)
    found["50:1.nec"] = stakes.bayes_cost(y, scores, costs=most, **options).normalized_interval()
    for name, miss in (*COSTS.items(), ("50:1", COSTLIEST)):
        matrix = stakes.CostMatrix.binary(miss=miss, false_alarm=1)
        hard = stakes.expected_cost(y, (x > 1).astype(int), costs=matrix, **options)
        found[f"{name}.nec of hard decisions"] = hard.normalized_interval()
    if weights is None:
        found |= _ranks(cell, y, x)
    return found


def _ranks(cell: Cell, y: np.ndarray, x: np.ndarray) -> Found:
    """Return the intervals of what follows from the order of scores, and of likelihood ratios."""
    curve = stakes.RocCurve(ScoreLevels.from_scores(x, y, None), (0, 1))
    ratios = stakes.LogLikelihoodRatios(cell.population.ratios(x))
    samples = read_samples(y, ratios, priors=[0.5, 0.5])
    ranking: dict[str, Estimate] = ranking_of(samples, curve, 0.95)
    return {
        "sensitivity at fixed specificity": curve.sensitivity_estimate(SPECIFICITY).interval,
        **{name: ranking[name].interval for name in ("cllr", "minimum_cllr")},
    }


def _prices(cell: Cell, y: np.ndarray, x: np.ndarray, rng: np.random.Generator) -> Found:
    """Return the interval of prices by case; at a tie decisions are those of a coin."""
    payments = Payments(cell.population, cell.spread)
    review = payments.review
    if cell.kind == "tie":
        review = cell.share * payments.mean / (1 - cell.share)
    amounts = {"amount": payments.amounts(cell.n, rng)}
    costs = stakes.SampleCosts.from_columns([[0, review], ["amount", 0]], amounts)
    priors = cell.population.priors if cell.fixed else None
    options: dict[str, Any] = {"costs": costs, "priors": priors}
    if cell.kind == "tie":
        cost = stakes.expected_cost(y, (rng.random(cell.n) < 0.5).astype(int), **options)
    else:
        cost = stakes.bayes_cost(y, stakes.Logits(cell.population.log_odds(x)), **options)
    return {"NEC": cost.normalized_interval()}


def _ties(cell: Cell, rng: np.random.Generator) -> Found:
    """Return the intervals of what follows from the order of scores that have few values."""
    y, x = FewValues(cell.share).draw(cell.n, rng)
    if min(y.sum(), cell.n - y.sum()) < 1:
        return {}
    found = stakes.evaluate(y, stakes.Logits(x), calibrator=None).ranking
    fixed = stakes.roc_curve(y, x).sensitivity_estimate(SPECIFICITY)
    return {
        **{name: found[name].interval for name in ("auc", "eer")},
        "sensitivity at fixed specificity": fixed.interval,
    }


def _areas(cell: Cell, rng: np.random.Generator) -> Found:
    """Return the interval of the area under the ROC curve."""
    y, x, weights, unit = RANKINGS[cell.ranking].draw(rng)
    if np.unique(y).size < 2:
        return {}
    rows = Placements.from_scores(x, y, weights, unit)
    return {"auc": rows.estimate(rows.value, 0.95).interval}


def _groups(cell: Cell, rng: np.random.Generator) -> Found:
    """Return the intervals of samples in groups of one size, of both classes."""
    unit = np.arange(cell.n) // 25
    share = rng.beta(3, 7, cell.groups)[unit]  # of mean 0.3
    y = (rng.random(cell.n) < share).astype(np.int64)
    return _by_group(cell, y, unit, 0.3, rng)


def _patients(cell: Cell, rng: np.random.Generator) -> Found:
    """Return the intervals of groups of unequal size, each of one class."""
    unit = np.repeat(np.arange(cell.groups), rng.geometric(cell.groups / cell.n, cell.groups))
    y = (rng.random(cell.groups) < cell.share).astype(np.int64)[unit]
    if np.unique(y).size < 2:
        return {}
    found = _by_group(cell, y, unit, 0.5, rng)
    kept = ("auc", "eer", "calibration slope", "cross_entropy.normalized")
    return {k: band for k, band in found.items() if k in kept or k.endswith(":1.nec")}


def _by_group(
    cell: Cell, y: np.ndarray, unit: np.ndarray, part: float, rng: np.random.Generator
) -> Found:
    """Return the intervals of samples in groups, which share a part of the variance of scores."""
    shared = math.sqrt(part) * rng.standard_normal(cell.groups)[unit]
    x = shared + math.sqrt(1 - part) * rng.standard_normal(y.size) + 2.0 * y
    result = stakes.evaluate(
        y,
        stakes.Logits(cell.population.log_odds(x)),
        costs={k: stakes.CostMatrix.binary(miss=m, false_alarm=1) for k, m in COSTS.items()},
        groups=unit,
    )
    found = {name: e.interval for name, e in result.metrics().items()}
    found["calibration slope"] = None if result.slope is None else result.slope.interval
    return found


def truths(cell: Cell) -> dict[str, float]:
    """Return the values of the population, by metric."""
    if cell.kind == "tie":
        return {"NEC": 1.0}
    if cell.kind == "prices":
        return {"NEC": Payments(cell.population, cell.spread).nec()}
    if cell.kind == "ties":
        return FewValues(cell.share).truths()
    if cell.kind == "areas":
        return {"auc": RANKINGS[cell.ranking].auc()}
    out = cell.population.truths(COSTS)
    out["50:1.nec"] = cell.population.nec(COSTLIEST)
    right = cell.population.calibrated()
    rates = right.rates(float(right.log_odds(np.array(1.0))))
    for name, miss in (*COSTS.items(), ("50:1", COSTLIEST)):
        out[f"{name}.nec of hard decisions"] = cell.population.normalized(rates, miss)
    return out


@dataclass(frozen=True)
class Tally:
    """How often an interval was given, included the truth, and was below 1."""

    tried: int = 0
    given: int = 0
    covered: int = 0
    useful: int = 0
    short: int = 0  # of the truth, which lies above

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(a + b for a, b in zip(_parts(self), _parts(other), strict=True)))

    @property
    def percent(self) -> float:
        """Coverage in percent; NaN where hardly any interval was given."""
        return 100 * self.covered / self.given if self.given >= 0.05 * self.tried else math.nan

    def __str__(self) -> str:
        if self.given < 0.05 * self.tried:
            return "none"
        share = 100 * self.given / self.tried
        return f"{self.percent:.0f}" + ("" if share > 95 else f" ({share:.0f})")


def _parts(tally: Tally) -> tuple[int, ...]:
    return tally.tried, tally.given, tally.covered, tally.useful, tally.short


def count(cell: Cell, numbers: range) -> dict[str, Tally]:
    """Return what some replications of a cell add up to."""
    known = truths(cell)
    total: dict[str, Tally] = {}
    for number in numbers:
        found = replication(cell, number)
        for name, true in known.items():
            if found and name in found:
                total[name] = total.get(name, Tally()) + _judged(found[name], true)
    return total


def _judged(band: Interval | None, true: float) -> Tally:
    """Return one interval as a count; the truth may lie at its end up to rounding."""
    if band is None or math.isnan(band.low):
        return Tally(1)
    slack = 1e-9
    inside = band.low - slack <= true <= band.high + slack
    return Tally(1, 1, int(inside), int(band.high < 1), int(true > band.high + slack))


Results = dict[Cell, dict[str, Tally]]


def run(grid: list[Cell], replications: int, jobs: int) -> Results:
    """Return the counts of all cells, in parallel, and say how far they are."""
    tasks = [
        (cell, range(start, min(start + _CHUNK, replications)))
        for cell in sorted(grid, key=lambda c: -c.n)
        for start in range(0, replications, _CHUNK)
    ]
    results: Results = {cell: {} for cell in grid}
    began, done = time.monotonic(), 0
    with ProcessPoolExecutor(jobs) as pool:
        pending = {pool.submit(count, *task): task[0] for task in tasks}
        for future in as_completed(pending):
            mine = results[pending[future]]
            for name, tally in future.result().items():
                mine[name] = mine.get(name, Tally()) + tally
            done += 1
            if done % 20 == 0 or done == len(tasks):
                spent = time.monotonic() - began
                print(f"{done} of {len(tasks)} parts, {spent:.0f} s", flush=True)
    return results


def _heading(cell: Cell) -> str:
    """Return the title of a column."""
    return f"{cell.n}, {100 * cell.share:g} %"


def score_tables(results: Results) -> Iterator[str]:
    """Yield the tables of posteriors: one for each system and way to choose class sizes."""
    for scale, system in ((1.0, "Calibrated"), (2.0, "Overconfident")):
        for fixed, sizes in ((False, "priors of the data"), (True, "given priors")):
            mine = [
                c for c in results if c.kind == "scores" and (c.scale, c.fixed) == (scale, fixed)
            ]
            mine.sort(key=lambda c: (c.n, -c.share))
            yield f"**{system} posteriors, {sizes}** (samples and positives)"
            yield _table(mine, results, _heading)


def _table(columns: list[Cell], results: Results, heading: Callable[[Cell], str]) -> str:
    """Return a Markdown table with a row for each metric."""
    names = list(dict.fromkeys(name for c in columns for name in results[c]))
    titles = [heading(c) for c in columns]
    lines = [f"| metric | {' | '.join(titles)} |", f"|---|{'---|' * len(columns)}"]
    for name in names:
        row = " | ".join(str(results[c][name]) if name in results[c] else "" for c in columns)
        lines.append(f"| {name} | {row} |")
    return "\n".join(lines)


def price_table(results: Results) -> str:
    """Return the coverage of prices by case, and how often a coin at the naive tie is "useful"."""
    lines = [
        "| samples, frauds | amounts | priors | calibrated | overconfident | coin | coin below 1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for cell in sorted((c for c in results if c.kind == "tie"), key=lambda c: (c.spread, c.n)):
        right, over = (
            str(results[c]["NEC"])
            if (c := replace(cell, kind="prices", scale=s)) in results
            else ""
            for s in (1.0, 2.0)
        )
        tie = results[cell]["NEC"]
        useful = f"{100 * tie.useful / max(tie.given, 1):.1f}"
        priors = "given" if cell.fixed else "data"
        lines.append(
            f"| {_heading(cell)} | log-normal, {cell.spread:g} | {priors} | {right} | {over}"
            f" | {tie} | {useful} |"
        )
    return "\n".join(lines)


def area_table(results: Results) -> str:
    """Return how often intervals of areas cover, and on which side they do not."""
    lines = ["| samples | covered | below | above |", "|---|---|---|---|"]
    for cell in (c for c in results if c.kind == "areas"):
        tally = results[cell]["auc"]
        above = 100 * tally.short / max(tally.given, 1)
        below = 100 - tally.percent - above
        lines.append(f"| {cell.ranking} | {tally} | {below:.1f} | {above:.1f} |")
    return "\n".join(lines)


def document(results: Results, replications: int) -> str:
    """Return all tables, and the cells below the limit."""
    parts = list(score_tables(results))
    if any(c.kind == "tie" for c in results):
        parts += ["**Costs by case**: NEC of Bayes decisions", price_table(results)]
    weighted = [c for c in results if c.kind == "weights"]
    if weighted:
        parts += ["**Samples with weights of 1, 2 and 4**, overconfident, priors of the data"]
        parts.append(_table(weighted, results, _heading))
    grouped = [c for c in results if c.kind == "groups"]
    if grouped:
        parts.append("**Samples in groups** of 25 that share 30 % of the variance, 30 % positives")
        parts.append(
            _table(
                grouped,
                results,
                lambda c: f"{c.groups} groups, {'calibrated' if c.scale == 1 else 'overconfident'}",
            )
        )
    patients = [c for c in results if c.kind == "patients"]
    if patients:
        parts.append(
            "**Patients**: 60 groups of unequal size (geometric, mean 20), each of one class, that"
            " share half of the variance; calibrated, priors of the data"
        )
        parts.append(_table(patients, results, lambda c: f"{100 * c.share:g} % positive"))
    tied = [c for c in results if c.kind == "ties"]
    if tied:
        parts.append("**Scores of five values**, calibrated, priors of the data")
        parts.append(_table(tied, results, _heading))
    if any(c.kind == "areas" for c in results):
        parts.append(
            "**Areas under ROC curves**, and percent of truths below and above the interval"
        )
        parts.append(area_table(results))
    low = below(results)
    said = f"No cell is below {LIMIT:g} %." if not low else f"Below {LIMIT:g} %: {'; '.join(low)}."
    return "\n\n".join([f"{replications} replications of each cell. {said}", *parts])


def below(results: Results) -> list[str]:
    """Return the cells whose coverage is below the limit."""
    return [
        f"{name} ({cell.kind}, {_heading(cell)}, scale {cell.scale:g},"
        f" {'given' if cell.fixed else 'data'} priors) {tally.percent:.1f} %"
        for cell, found in results.items()
        for name, tally in found.items()
        if tally.percent < LIMIT
    ]


def written(text: str, tables: str) -> str:
    """Return the page with the tables between its marks."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{tables}\n\n{END}{tail}"


def main() -> None:
    """Run the grid; write the page unless only a part was run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer, and print only")
    parser.add_argument("--kind", help="only cells of this kind; print only")
    options = parser.parse_args()
    replications = options.replications or (100 if options.quick else 1000)
    grid = [c for c in cells(quick=options.quick) if options.kind in (None, c.kind)]
    results = run(grid, replications, options.jobs)
    tables = document(results, replications)
    print(tables)
    if not options.quick and options.kind is None:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
