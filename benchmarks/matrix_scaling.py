"""Structured matrix scaling beside probmetrics' (SMS): log loss on held-out samples.

    pip install probmetrics numba
    python -m benchmarks.matrix_scaling

Logits are those of Gaussian classes whose means lie in fewer dimensions than there are classes, so
that some classes are alike, seen through a matrix that mixes them; they are twice too large.
"""

from importlib.util import find_spec

import numpy as np

import stakes

PROBLEMS = ((3, 300), (3, 3000), (10, 1000), (10, 10_000), (50, 2000), (50, 20_000))
HELD_OUT = 20_000


def problem(k: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and posteriors of confusable classes."""
    rng = np.random.default_rng(seed)
    dimensions = 2 + k // 5
    means = rng.normal(size=(k, dimensions)) * 1.5
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    x = means[y] + rng.normal(size=(n, dimensions))
    logits = x @ means.T - np.square(means).sum(axis=1) / 2
    mixing = np.eye(k) + rng.normal(size=(k, k)) * 0.3 / np.sqrt(k)
    logits = 2 * logits @ mixing + rng.normal(size=k) * 0.5
    p = np.exp(logits - logits.max(axis=1, keepdims=True)) + 1e-12
    return y, p / p.sum(axis=1, keepdims=True)


def ours(
    calibrator: stakes.Calibrator, p: np.ndarray, y: np.ndarray, new: np.ndarray
) -> np.ndarray:
    """Return calibrated posteriors."""
    return np.exp(calibrator.fit(p, y).transform(new).values)


def theirs(p: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return those of probmetrics, with its defaults."""
    from probmetrics.calibrators import get_calibrator  # noqa: PLC0415

    fitted = get_calibrator("sms").fit(p, y)
    return np.asarray(fitted.predict_proba(new), dtype=np.float64)


def main() -> None:
    """Print the table of docs/calibration.md."""
    ways = {
        "temperature": lambda *a: ours(stakes.TemperatureCalibrator(), *a),
        "vector": lambda *a: ours(stakes.VectorCalibrator(), *a),
        "matrix": lambda *a: ours(stakes.MatrixCalibrator(), *a),
    }
    if find_spec("probmetrics"):
        ways["probmetrics SMS"] = theirs
    print("| K | n | uncalibrated |", " | ".join(ways), "|")
    print("|---|---|---|" + "---|" * len(ways))
    for k, n in PROBLEMS:
        y, p = problem(k, n + HELD_OUT, seed=k)
        true = np.arange(HELD_OUT), y[n:]
        found = [p[n:], *(way(p[:n], y[:n], p[n:]) for way in ways.values())]
        losses = [-np.log(np.maximum(q[true], 1e-300)).mean() for q in found]
        print(f"| {k} | {n:,} |", " | ".join(f"{loss:.4f}" for loss in losses), "|")


if __name__ == "__main__":
    main()
