"""How often intervals of summaries cover, where much was left out or taken together.

`python -m benchmarks.summaries` draws samples of populations whose truth is known from very many
samples, sums them in batches with limits so small that groups are taken in 256 parts, cells are
coarse and most rows are left out, and counts how often each interval covers the truth. `--write`
enters the table in docs/intervals.md.
"""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import stakes
from stakes.evaluation.summaries import summary_request, summed_rows
from stakes.summary import cells
from stakes.summary.decision_sums import DecisionPlan
from stakes.summary.tally import Tally

_PAGE = Path(__file__).parent.parent / "docs" / "intervals.md"
_BEGIN, _END = "<!-- summaries: begin -->", "<!-- summaries: end -->"
_MOST_KEYS, _KEPT = 4000, 900
_TRUTH = 1_500_000
_N = 8000
BY_CASE = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)


@dataclass(frozen=True)
class Population:
    """Samples in groups, with weights and amounts."""

    k: int = 2
    per_group: int = 10
    effect: float = 0.7
    weighted: bool = False
    costs: Any = None

    def draw(self, n: int, seed: int) -> dict[str, Any]:
        """Return samples and all that belongs to them."""
        rng = np.random.default_rng(seed)
        groups = max(n // self.per_group, 1)
        group = rng.integers(groups, size=n)
        y = rng.choice(self.k, size=n, p=self._priors())
        z = rng.normal(size=(n, self.k))
        z[np.arange(n), y] += 2
        z[:, -1] += self.effect * rng.normal(size=groups)[group]
        amount = np.exp(rng.normal(1, 1, size=n) + 0.3 * y)
        weight = np.exp(rng.normal(0, 0.7, size=n)) * (1 + 0.5 * (z[:, 0] > 0))
        return {"y": y, "z": 1.4 * z, "group": group, "amount": amount, "weight": weight}

    def _priors(self) -> Any:  # noqa: ANN401
        return [0.8, 0.2] if self.k == 2 else np.full(self.k, 1 / self.k)

    def summary(self, data: dict[str, Any], *, grouped: bool) -> stakes.Summary:
        """Return the summary of samples that come in batches."""
        by_case = isinstance(self.costs, stakes.CostsByCase)
        told = stakes.Summary(
            classes=range(self.k),
            scores=stakes.Logits,
            costs=self.costs,
            weighted=self.weighted,
            grouped=grouped,
        )
        for part in np.array_split(np.arange(data["y"].size), max(data["y"].size // 200_000, 2)):
            told.update(
                data["y"][part],
                data["z"][part],
                sample_weight=data["weight"][part] if self.weighted else None,
                groups=data["group"][part] if grouped else None,
                columns={"amount": data["amount"][part]} if by_case else None,
            )
        return told


POPULATIONS: dict[str, tuple[Population, bool]] = {
    "two classes, groups of 10": (Population(costs=BINARY), True),
    "two classes, groups of 10, weights": (Population(costs=BINARY, weighted=True), True),
    "two classes, weights": (Population(costs=BINARY, weighted=True, effect=0), False),
    "two classes, costs by case, groups of 10": (Population(costs=BY_CASE), True),
    "three classes, groups of 10": (Population(k=3), True),
    "three classes, weights": (Population(k=3, weighted=True, effect=0), False),
}
METRICS = (
    "cost.nec",
    "cost.calibrated_nec",
    "cost.calibration_loss",
    "cross_entropy.normalized",
    "cross_entropy.calibrated_normalized",
    "brier_score.normalized",
    "auc",
    "cost.sensitivity",
    "cost.accuracy",
    "calibration_slope",
)


def _values(name: str, n: int, seed: int, *, limits: bool) -> dict[str, Any]:
    """Return the metrics of one draw."""
    population, grouped = POPULATIONS[name]
    if limits:
        cells.Tally = partial(Tally, most=_MOST_KEYS)  # type: ignore[misc, assignment]
        summary_request.DecisionPlan = partial(DecisionPlan, most=_MOST_KEYS)  # type: ignore[misc, assignment]
        summed_rows._MOST_ROWS = summed_rows._MOST_OF_TWO = _KEPT
    made = population.summary(population.draw(n, seed), grouped=grouped and limits)
    found = made.evaluate().metrics()
    return {metric: found[metric] for metric in METRICS if metric in found}


def covered(job: tuple[str, int, dict[str, float]]) -> dict[str, bool]:
    """Return which intervals of one draw cover the truth."""
    name, seed, truth = job
    found = _values(name, _N, seed, limits=True)
    return {
        metric: e.interval.low <= truth[metric] <= e.interval.high
        for metric, e in found.items()
        if e.interval is not None and metric in truth
    }


def truth_of(name: str) -> dict[str, float]:
    """Return the metrics of very many samples."""
    found = _values(name, _TRUTH, 10**6, limits=False)
    return {metric: e.value for metric, e in found.items()}


def measure(replications: int, jobs: int, show: Callable[[str], None]) -> list[list[str]]:
    """Return a row for each population: how often intervals cover, in percent."""
    table = []
    for name in POPULATIONS:
        with ProcessPoolExecutor(jobs) as pool:
            truth = pool.submit(truth_of, name).result()
            work = [(name, seed, truth) for seed in range(replications)]
            found = list(pool.map(covered, work, chunksize=4))
        cells = []
        for metric in METRICS:
            hits = [row[metric] for row in found if metric in row]
            cells.append(f"{100 * np.mean(hits):.1f}" if len(hits) > replications / 2 else "")
        show(f"{name}: " + ", ".join(f"{m} {c}" for m, c in zip(METRICS, cells, strict=True) if c))
        table.append([name, *cells])
    return table


def main() -> None:
    """Measure, print, and write the table if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="enter the table in docs/intervals.md")
    options = parser.parse_args()
    table = measure(options.replications, options.jobs, lambda text: print(text, flush=True))
    head = ["population", *(f"`{metric}`" for metric in METRICS)]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *table]]
    if options.write:
        text = _PAGE.read_text(encoding="utf-8")
        before, rest = text.split(_BEGIN)
        after = rest.split(_END)[1]
        made = f"{_BEGIN}\n\n{options.replications} replications.\n\n" + "\n".join(lines)
        _PAGE.write_text(f"{before}{made}\n\n{_END}{after}", encoding="utf-8")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
