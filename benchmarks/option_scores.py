"""How often the intervals of multiple-choice numbers cover: `python -m benchmarks.option_scores`.

Questions have 2 to 6 options; questions of a group (a text, a question asked again) share how hard
they are and, for half of the groups, their number of options.
"""

import argparse
from collections.abc import Callable

import numpy as np

import stakes
from stakes._typing import FloatArray, IntArray

SHARED, OWN = 1.5, 1.0  # deviation of how hard a question is, by group and by question
SHARPNESS = 1.3  # above 1: the model is overconfident
NUMBERS: dict[str, Callable[[stakes.OptionScores], stakes.Interval]] = {
    "accuracy": lambda s: s.accuracy().interval(),
    "skill": lambda s: s.accuracy().skill_interval(),
    "log score": lambda s: s.log_score().interval(),
    "log score, normalised": lambda s: s.log_score().normalized_interval(),
    "Brier score": lambda s: s.brier_score().interval(),
    "Brier score, normalised": lambda s: s.brier_score().normalized_interval(),
    "cost at 0.75": lambda s: s.cost_at(0.75).interval(),
    "cost at 0.75, normalised": lambda s: s.cost_at(0.75).normalized_interval(),
}
VALUES: dict[str, Callable[[stakes.OptionScores], float]] = {
    "accuracy": lambda s: s.accuracy().value,
    "skill": lambda s: s.accuracy().skill,
    "log score": lambda s: s.log_score().value,
    "log score, normalised": lambda s: s.log_score().normalized,
    "Brier score": lambda s: s.brier_score().value,
    "Brier score, normalised": lambda s: s.brier_score().normalized,
    "cost at 0.75": lambda s: s.cost_at(0.75).value,
    "cost at 0.75, normalised": lambda s: s.cost_at(0.75).normalized,
}


def draw(rng: np.random.Generator, groups: int, mean_size: float) -> tuple[IntArray, ...]:
    """Return group, number of options and signal of questions; sizes of groups differ."""
    sizes = np.ones(groups, dtype=int) if mean_size == 1 else rng.geometric(1 / mean_size, groups)
    unit = np.repeat(np.arange(groups), sizes)
    own = rng.integers(2, 7, unit.size)
    shared = rng.integers(2, 7, groups)[unit]
    k = np.where((rng.random(groups) < 0.5)[unit], shared, own)
    ease = SHARED * rng.normal(size=groups)[unit] + OWN * rng.normal(size=unit.size)
    return unit, k, ease + 1.0


def questions(
    rng: np.random.Generator, groups: int, mean_size: float, *, grouped: bool
) -> stakes.OptionScores:
    """Return questions whose scores are those of noise plus a signal for the right option."""
    unit, k, ease = draw(rng, groups, mean_size)
    starts = np.concatenate([[0], np.cumsum(k)])
    flat: FloatArray = rng.normal(size=int(starts[-1]))
    right = rng.integers(0, k)
    flat[starts[:-1] + right] += ease
    rows = np.split(SHARPNESS * flat, starts[1:-1])
    return stakes.OptionScores(rows, right, kind=stakes.Logits, groups=unit if grouped else None)


def main() -> None:
    """Print a table of shares covered."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--truth", type=int, default=150_000, help="groups of the population")
    options = parser.parse_args()
    print(f"| groups | questions each | {' | '.join(NUMBERS)} |")
    print("|" + "---|" * (2 + len(NUMBERS)))
    for mean_size, counts in ((1.0, (30, 100, 400)), (6.0, (20, 50, 200))):
        population = questions(np.random.default_rng(0), options.truth, mean_size, grouped=False)
        truth = {name: value(population) for name, value in VALUES.items()}
        for groups in counts:
            covered = dict.fromkeys(NUMBERS, 0)
            for seed in range(options.replications):
                rng = np.random.default_rng([1, groups, seed])
                scores = questions(rng, groups, mean_size, grouped=mean_size > 1)
                for name, interval in NUMBERS.items():
                    covered[name] += truth[name] in interval(scores)
            shares = (f"{100 * n / options.replications:.1f}" for n in covered.values())
            print(f"| {groups} | {mean_size:g} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
