"""How often calibrators are chosen without need, and estimated priors are wrong or doubted.

    python benchmarks/calibration.py [--replications 400] [--choice] [--priors]

prints the two tables of docs/calibration.md. Two classes, Gaussian with d' = 2; scores are the true
log odds times a factor (1: calibrated, 2: overconfident, 0.5: underconfident). The seeds are not
those of any test.
"""

import argparse
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import stakes
from stakes.calibration.choice import Selection
from stakes.calibration.crossfit import deal
from stakes.metrics.expected_losses import expectation
from stakes.samples import Samples, read_samples

SYSTEMS = {"calibrated": 1.0, "overconfident": 2.0, "underconfident": 0.5}
CANDIDATES = (
    stakes.TemperatureCalibrator(),
    stakes.AffineCalibrator(),
    stakes.BetaCalibrator(),
    stakes.IsotonicCalibrator(mix=1.0),
)
RULES: tuple[stakes.ScoringRule, ...] = (
    stakes.LogLoss(),
    stakes.BrierLoss(),
    stakes.BayesCost(stakes.CostMatrix.binary(miss=5, false_alarm=1)),
)
_SEED = 20_613


def draw(
    n: int, positives: float, trained: float, factor: float, rng: np.random.Generator
) -> tuple[np.ndarray, stakes.Logits]:
    """Return labels and log odds for some training priors, times a factor."""
    y = (rng.random(n) < positives).astype(int)
    y[:10] = np.arange(10) % 2 if positives > 0 else 0  # every fold shows both classes
    z = 2 * rng.normal(2 * y - 1, 1.0) + np.log(trained / (1 - trained))
    return y, stakes.Logits(factor * z)


def replaced(factor: float, n: int, replications: int) -> list[float]:
    """Return how often a calibrator replaces the scores as they are, by each rule."""
    rng = np.random.default_rng([_SEED, n, round(10 * factor)])
    counts = [0] * len(RULES)
    for _ in range(replications):
        samples = read_samples(*draw(n, 0.3, 0.3, factor, rng))
        selection = Selection(RULES[0], CANDIDATES, deal(samples, 5, None, 0), 0.95)
        for i, rule in enumerate(RULES):
            mine = replace(selection, rule=rule)
            chosen = mine.choose(mine.rank(samples, None))
            counts[i] += chosen.calibrator is not None
    return [count / replications for count in counts]


def biases(factor: float, n: int, replications: int) -> list[str]:
    """Return by how much two values of the chosen calibrator differ from the truth, in percent.

    The cross-fitted loss of the least candidate, as it was reported before there was a test, and
    the honest loss. The error of the uncalibrated loss, which has no bias, is taken off both.
    """
    rng = np.random.default_rng([_SEED, n, round(10 * factor), 7])
    rule = RULES[0]
    big = read_samples(*draw(30_000, 0.3, 0.3, factor, rng))

    def true(calibrator: stakes.Calibrator | None, seen: Samples) -> float:
        if calibrator is None:
            return expectation(rule, big).value
        after = calibrator.fresh().fit_samples(seen).transform(big.scores)
        return expectation(rule, big.with_scores(after)).value

    errors, truths = [], []
    for _ in range(replications):
        y, scores = draw(n, 0.3, 0.3, factor, rng)
        samples = read_samples(y, scores)
        choice = stakes.choose_calibrator(rule, y, scores, CANDIDATES)
        luck = expectation(rule, samples).value - true(None, samples)
        least = choice.candidates[0]
        chosen = true(choice.best, samples)
        honest = choice.honest.value if choice.honest is not None else np.nan
        errors.append([least.loss.value - true(least.calibrator, samples), honest - chosen])
        errors[-1] = [error - luck for error in errors[-1]]
        truths.append(chosen)
    mean = 100 * np.mean(errors, axis=0) / np.mean(truths)
    error = 100 * np.std(errors, axis=0) / np.mean(truths) / np.sqrt(replications)
    return [f"{m:+.1f} ± {e:.1f} %" for m, e in zip(mean, error, strict=True)]


def priors_row(
    factor: float, trained: float, positives: float, n: int, replications: int
) -> tuple[float, float, float]:
    """Return how often intervals cover without labels and with n, and how often they are doubted.

    500 samples have no label.
    """
    key = [_SEED, n, round(10 * factor), round(1000 * trained), round(1000 * positives)]
    rng = np.random.default_rng(key)
    counts = np.zeros(3)
    for _ in range(replications):
        labelled = stakes.HeldOut(*draw(n, trained, trained, factor, rng))
        y = (rng.random(500) < positives).astype(int)
        z = 2 * rng.normal(2 * y - 1, 1.0) + np.log(trained / (1 - trained))
        scores, priors = stakes.Logits(factor * z), [1 - trained, trained]
        alone = stakes.estimate_priors(scores, priors)
        found = stakes.estimate_priors(scores, priors, labelled=labelled)
        doubted = found.check is not None and found.check.disagrees
        counts += positives in alone.interval(1), positives in found.interval(1), doubted
    return tuple((counts / replications).tolist())  # type: ignore[return-value]


def print_choice(replications: int) -> None:
    """Print how often calibrators replace scores, and what the honest loss is worth."""
    print("| scores | n | cross-entropy | Brier score | cost 5:1 | least loss | honest loss |")
    print("|---|---|---|---|---|---|---|")
    for name, factor in SYSTEMS.items():
        times = replications if factor == 1 else replications // 3  # power needs fewer digits
        for n in (100, 500, 2000, 5000):
            cells = [f"{100 * rate:.1f} %" for rate in replaced(factor, n, times)]
            few = max(20, 2 * replications // 5)
            cells += biases(factor, n, few) if n <= 500 and factor >= 1 else ["", ""]
            print(f"| {name} | {n} | {' | '.join(cells)} |", flush=True)


def print_priors(replications: int) -> None:
    """Print how often intervals of estimated priors cover, and how often they are doubted."""
    print("| scores | training prior | prior | labelled | without labels | calibrated | doubted |")
    print("|---|---|---|---|---|---|---|")
    for name, factor in SYSTEMS.items():
        for trained, positives in ((0.5, 0.1), (0.2, 0.5)):
            for n in (100, 300):
                row = priors_row(factor, trained, positives, n, replications)
                cells = " | ".join(f"{100 * share:.1f} %" for share in row)
                print(f"| {name} | {trained} | {positives} | {n} | {cells} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--choice", action="store_true")
    parser.add_argument("--priors", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.choice or not given.priors:
        print_choice(given.replications)
    if given.priors or not given.choice:
        print_priors(given.replications)
