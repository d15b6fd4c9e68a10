"""How often the intervals of calibration errors cover the error of the population.

    python benchmarks/calibration_errors.py [--replications 200] [--smooth 100] [--jobs 2] [--write]

Two classes, Gaussian with d' = 2; the log odds of a system are the true log likelihood ratio times
a slope, plus a shift, at the priors of use. Population values are integrals, in the same 15 bins,
or the cells of the smooth error.
`--write` enters the table in docs/calibration.md. The seeds are not those of any test.
"""

import argparse
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import stakes
from stakes.metrics.smooth_error import GRID, smooth_error

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
BEGIN, END = "<!-- calibration errors -->\n", "<!-- end of calibration errors -->\n"
SYSTEMS = {
    "calibrated": (1.0, 0.0),
    "overconfident": (2.0, 0.0),
    "a little overconfident": (1.3, 0.0),
    "underconfident": (0.5, 0.0),
    "shifted": (1.0, 1.0),
}
USES = ((0.3, None), (0.3, 0.02), (0.05, None), (0.05, 0.3))  # share in the data, prior of use
SIZES = (100, 500, 2000, 5000)
SHOWN = 500  # samples, for the mean values
MOST_MEANS = 15  # replications of a smooth error, for the mean values: they take longest
BINS = 15
KINDS = {  # of error: whether it is smooth, whether it is of confidences
    "P(H_2)": (False, False),
    "confidence": (False, True),
    "smooth P(H_2)": (True, False),
    "smooth confidence": (True, True),
}
_SEED = 915_264


def truth(slope: float, shift: float, prior: float, kind: str) -> float:
    """Return the calibration error of the population."""
    smooth, confidence = KINDS[kind]
    ratio = np.linspace(-40, 40, 400_001)
    step = (ratio[1] - ratio[0]) / math.sqrt(8 * math.pi)
    first, second = (np.exp(-np.square(ratio - mean) / 8) * step for mean in (-2, 2))
    p = expit(slope * ratio + shift + logit(prior))
    hit = prior * second
    if confidence:
        chosen = p > 0.5
        hit, p = np.where(chosen, hit, (1 - prior) * first), np.where(chosen, p, 1 - p)
    gap = hit - (prior * second + (1 - prior) * first) * p
    cells = GRID if smooth else BINS
    code = np.searchsorted(np.arange(1, cells) / cells, p, side="right")
    found = np.bincount(code, gap, cells)
    if not smooth:
        return float(np.abs(found).sum())
    return 0.0 if np.abs(found).sum() < 1 / GRID else smooth_error(found)


def error_of(kind: str, y: Any, p: Any, prior: float | None) -> stakes.CalibrationError:  # noqa: ANN401
    """Return the calibration error of samples."""
    smooth, confidence = KINDS[kind]
    priors = None if prior is None else [1 - prior, prior]
    if smooth:
        return stakes.smooth_calibration_error(y, p, confidence=confidence, priors=priors)
    error = stakes.confidence_calibration_error if confidence else stakes.calibration_error
    return error(y, p, BINS, priors=priors)


def draw(n: int, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return labels, both of which occur, and true log likelihood ratios."""
    while True:
        y = (rng.random(n) < share).astype(np.int64)
        if 0 < y.sum() < n:
            return y, rng.normal(4 * y - 2, 2.0)


def cell(
    system: str,
    use: tuple[float, float | None],
    n: int,
    replications: int,
    kind: str,
    seed: int = _SEED,
) -> dict[str, float]:
    """Return mean values and how often the interval covers, in percent of those given."""
    (slope, shift), (share, prior) = SYSTEMS[system], use
    at = share if prior is None else prior
    wanted = truth(slope, shift, at, kind)
    rows, covered = [], []
    place = [list(SYSTEMS).index(system), USES.index(use), n, list(KINDS).index(kind)]
    rng = np.random.default_rng([seed, *place])
    means = (MOST_MEANS if KINDS[kind][0] else replications) if n == SHOWN else 0
    for _ in range(replications):
        y, ratio = draw(n, share, rng)
        found = error_of(kind, y, expit(slope * ratio + shift + logit(at)), prior)
        if len(rows) < means:
            rows.append((found.value, found.expected_if_calibrated, found.debiased))
        band = found.interval()
        if band is not None:
            covered.append(band.low <= wanted + 1e-12 and wanted <= band.high)
    value, expected, debiased = np.mean(rows, axis=0).tolist() if rows else [math.nan] * 3
    return {
        "truth": wanted,
        "value": value,
        "expected": expected,
        "debiased": debiased,
        "covered": 100 * float(np.mean(covered)) if covered else math.nan,
        "given": len(covered) / replications,
    }


def table(binned: int, smooth: int, jobs: int) -> str:
    """Return the Markdown table: mean values at one size, coverage at all."""
    lines = head()
    with ProcessPoolExecutor(jobs) as pool:
        rows = [
            (system, use, kind, {n: pool.submit(cell, system, use, n, times, kind) for n in SIZES})
            for kind, (slow, _) in KINDS.items()
            for times in [smooth if slow else binned]
            for system in SYSTEMS
            for use in USES
        ]
        for system, use, kind, cells in rows:
            done = {n: found.result() for n, found in cells.items()}
            lines.append(line(system, use, done, kind))
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def head() -> list[str]:
    """Return the first lines."""
    values = ("population", "value", "expected if calibrated", "debiased")
    names = ("system", "error", "positives, priors", *values, *(f"covers, n = {n}" for n in SIZES))
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def line(
    system: str,
    use: tuple[float, float | None],
    cells: dict[int, dict[str, float]],
    kind: str,
) -> str:
    """Return a row; coverage in percent, in brackets where some samples had no interval."""
    where = f"{100 * use[0]:g} %, " + ("data" if use[1] is None else f"{use[1]:g}")
    means = [f"{cells[SHOWN][name]:.4f}" for name in ("truth", "value", "expected", "debiased")]
    covered = []
    for found in cells.values():
        text = "none" if math.isnan(found["covered"]) else f"{found['covered']:.1f}"
        covered.append(text if found["given"] in (0, 1) else f"({text})")
    return f"| {' | '.join([system, kind, where, *means, *covered])} |"


def main() -> None:
    """Run the grid; print it, or enter it in the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=200, help="of binned errors")
    parser.add_argument("--smooth", type=int, default=100, help="replications of smooth errors")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--write", action="store_true", help=f"enter the table in {PAGE.name}")
    asked = parser.parse_args()
    text = table(asked.replications, asked.smooth, asked.jobs)
    if not asked.write:
        print(text)
        return
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
