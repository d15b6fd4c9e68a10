"""How often the nominal 95 % intervals of `stakes.evaluate` hold, on the paper's Gaussian data.

    python benchmarks/coverage.py --replications 200 150 50 --resamples 200

Two classes of variance 0.15 at means 0 and 1, shares 0.9 and 0.1, posteriors distorted as the
paper's mc1. The truth is the value of the whole population; for what comes after calibration, the
value with a calibrator trained on infinite data, which undoes the distortion. Class sizes are
random (priors from the data, plain resampling) or fixed (priors given, resampling within classes).
Prints a Markdown table: the share of replications whose interval holds the truth, in percent.
"""

import argparse
import math

import numpy as np
from scipy.special import ndtri

import stakes
from stakes.simulation import MISCALIBRATED, Simulation

PRIORS = np.array([0.9, 0.1])
VARIANCE = 0.15
SIZES = (200, 1000, 5000)
METRICS = (
    "cost.nec",
    "cross_entropy.normalized",
    "brier_score.normalized",
    "auc",
    "cost.accuracy",
    "cost.f1_score",
    "cost.matthews_correlation",
    "cost.calibrated_nec",
    "cost.calibration_loss",
    "cross_entropy.calibrated_normalized",
    "cross_entropy.calibration_loss",
    "cross_entropy.relative",
    "eer",
    "cost.minimum_nec",
)


def truth(points: int = 200_000) -> dict[str, float]:
    """Return the population values, from evenly spaced quantiles of each class."""
    noise = ndtri((np.arange(points) + 0.5) / points)
    y = np.repeat([0, 1], points)
    whole = Simulation(y, y + math.sqrt(VARIANCE) * np.tile(noise, 2), 2, VARIANCE)
    result = stakes.evaluate(
        y,
        whole.posteriors(PRIORS, MISCALIBRATED),
        priors=PRIORS,
        folds=stakes.TrainOnTest(),
        resamples=0,
    )
    found = result.metrics()
    return {name: found[name].value for name in METRICS}


def replication(n: int, number: int, resamples: int, *, fixed: bool) -> stakes.Evaluation:
    """Evaluate one set of samples."""
    rng = np.random.default_rng([n, number, fixed])
    if fixed:
        y = np.repeat([0, 1], np.rint(n * PRIORS).astype(int))
    else:
        y = (rng.random(n) < PRIORS[1]).astype(int)
    x = y + math.sqrt(VARIANCE) * rng.standard_normal(n)
    scores = Simulation(y, x, 2, VARIANCE).posteriors(PRIORS, MISCALIBRATED)
    priors = PRIORS if fixed else None
    return stakes.evaluate(y, scores, priors=priors, resamples=resamples, rng=number)


def coverage(
    true: dict[str, float], n: int, count: int, resamples: int, *, fixed: bool
) -> dict[str, float]:
    """Return for each metric the share of intervals that hold the truth."""
    held: dict[str, list[bool]] = {name: [] for name in METRICS}
    for number in range(count):
        found = replication(n, number, resamples, fixed=fixed).metrics()
        for name in METRICS:
            band = found[name].interval if name in found else None
            if band is not None:
                held[name].append(true[name] in band)
    return {name: float(np.mean(h)) if h else math.nan for name, h in held.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--replications", type=int, nargs="+", default=(200, 150, 50))
    parser.add_argument("--resamples", type=int, default=200)
    options = parser.parse_args()
    true = truth()
    columns: dict[str, dict[str, float]] = {}
    for n, count in zip(options.sizes, options.replications, strict=True):
        for fixed in (False, True):
            title = f"{n} {'fixed' if fixed else 'random'} ({count})"
            columns[title] = coverage(true, n, count, options.resamples, fixed=fixed)
            print(f"<!-- {title}: done -->", flush=True)
    print(f"| metric | truth | {' | '.join(columns)} |")
    print(f"|---|---|{'---|' * len(columns)}")
    for name in METRICS:
        cells = " | ".join(f"{100 * column[name]:.0f}" for column in columns.values())
        print(f"| `{name}` | {true[name]:.4f} | {cells} |")


if __name__ == "__main__":
    main()
