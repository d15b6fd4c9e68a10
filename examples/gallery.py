"""Draw every display from the demo data into a folder, as PNG.

Run it from the top of the project: python examples/gallery.py [folder]
With docs/images/gallery it draws those that docs/gallery.md shows.
"""

import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
from pyarrow import csv

import stakes
from stakes.displays import Display
from stakes.displays.figures import png

DOCS = Path(__file__).parents[1] / "docs"
KINDS = ["benign", "malignant"]
COSTS = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=KINDS)


def main() -> None:
    """Write all pictures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery")
    folder.mkdir(parents=True, exist_ok=True)
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    all_of_them = folder.resolve() != (DOCS / "images" / "gallery").resolve()
    for name, display in pictures():
        if not all_of_them and f"gallery/{name}.png" not in page:
            continue
        path = folder / f"{name}.png"
        path.write_bytes(png(display, dpi=90))
        print(f"{path.name}: {path.stat().st_size} bytes")


def pictures() -> Iterator[tuple[str, Display]]:
    """Yield each display by name."""
    yield from breast()
    yield from diabetes()
    yield from digits()
    yield from simulated()
    yield from responses()


def load(name: str) -> dict[str, np.ndarray]:
    """Return the columns of a file that ships with stakes."""
    table = csv.read_csv(str(files("stakes") / "data" / name))
    return {c: table[c].to_numpy(zero_copy_only=False) for c in table.column_names}


def breast() -> Iterator[tuple[str, Display]]:
    """Yield displays of an overconfident detector."""
    data = load("breast.csv")
    y, scores = data["diagnosis"], stakes.Logits(data["log_odds"])
    better = stakes.cross_calibrate(stakes.AffineCalibrator(), y, scores, classes=KINDS)
    p = np.exp(better.log_posteriors())
    of = {"classes": KINDS}
    yield "roc", stakes.RocDisplay.from_predictions(y, scores, costs=COSTS, **of)
    yield "det", stakes.DetDisplay.from_predictions(y, scores, **of)
    yield "precision-recall", stakes.PrecisionRecallDisplay.from_predictions(y, scores, **of)
    metrics = [stakes.metrics.FScore(), stakes.metrics.Sensitivity(), stakes.metrics.Specificity()]
    yield (
        "threshold-sweep",
        stakes.ThresholdSweepDisplay.from_predictions(y, p, costs=COSTS, metrics=metrics, **of),
    )
    yield (
        "threshold-sweep-log-odds",
        stakes.ThresholdSweepDisplay.from_predictions(y, scores, costs=COSTS, **of),
    )
    yield "reliability", stakes.ReliabilityDisplay.from_predictions(y, scores, **of)
    yield (
        "reliability-isotonic",
        stakes.IsotonicReliabilityDisplay.from_predictions(y, scores, **of),
    )
    yield (
        "reliability-isotonic-calibrated",
        stakes.IsotonicReliabilityDisplay.from_predictions(y, better, **of),
    )
    yield (
        "score-distribution",
        stakes.ScoreDistributionDisplay.from_predictions(y, better, costs=COSTS, **of),
    )
    yield (
        "score-distribution-posterior",
        stakes.ScoreDistributionDisplay.from_predictions(y, p, costs=COSTS, **of),
    )
    yield "confusion", stakes.ConfusionDisplay.from_predictions(y, scores, costs=COSTS)
    review = COSTS.with_abstention(0.5, "second look")
    yield "confusion-abstain", stakes.ConfusionDisplay.from_predictions(y, better, costs=review)
    yield "abstention", stakes.AbstentionDisplay.from_predictions(y, better, **of)
    yield "risk-coverage", stakes.RiskCoverageDisplay.from_predictions(y, scores, **of)
    yield from dialects(y, scores)
    pair = {"uncalibrated": scores, "calibrated": better}
    yield (
        "comparison",
        stakes.ComparisonDisplay.from_predictions(y, pair, costs=COSTS),
    )


def dialects(y: np.ndarray, scores: stakes.Scores) -> Iterator[tuple[str, Display]]:
    """Yield the risk curve on the axes of each field."""
    curve = stakes.risk_curve(y, scores, classes=KINDS, calibrator=stakes.AffineCalibrator())
    views = {
        "decision-curve": curve.decision_curve(),
        "interventions-avoided": curve.interventions_avoided(),
        "normalized-bayes-error": curve.normalized_bayes_error(),
        "ape": curve.ape(),
        "cost-curve": curve.cost_curve(),
        "murphy": curve.murphy(),
        "relative-value": curve.relative_value(),
        "empirical-cross-entropy": curve.empirical_cross_entropy(),
        "calibration-loss": curve.calibration_loss(),
    }
    for name, view in views.items():
        yield f"risk-{name}", stakes.RiskDisplay(view)


def diabetes() -> Iterator[tuple[str, Display]]:
    """Yield displays of two models that rank alike."""
    data = load("diabetes.csv")
    y, a, b = data["outcome"], data["p_severe_a"], data["p_severe_b"]
    of = {"classes": ["usual", "severe"]}
    costs = stakes.CostMatrix.binary(miss=10, false_alarm=1, classes=["usual", "severe"])
    yield "roc-diabetes", stakes.RocDisplay.from_predictions(y, a, costs=costs, **of)
    yield "precision-recall-diabetes", stakes.PrecisionRecallDisplay.from_predictions(y, a, **of)
    yield "det-diabetes", stakes.DetDisplay.from_predictions(y, a, **of)
    yield "reliability-diabetes", stakes.ReliabilityDisplay.from_predictions(y, a, **of)
    mass = stakes.EqualMass(8)
    yield (
        "reliability-mass-diabetes",
        stakes.ReliabilityDisplay.from_predictions(y, b, bins=mass, **of),
    )
    yield (
        "reliability-isotonic-diabetes",
        stakes.IsotonicReliabilityDisplay.from_predictions(y, b, **of),
    )
    sweep = stakes.ThresholdSweepDisplay.from_predictions
    both = {"miss 10": costs, "even": stakes.CostMatrix.zero_one(["usual", "severe"])}
    yield "threshold-sweep-diabetes", sweep(y, a, costs=both, **of)
    systems = {"A": a, "B": b, "0.6 A": 0.6 * a}
    yield (
        "comparison-diabetes",
        stakes.ComparisonDisplay.from_predictions(y, systems, costs=costs),
    )


def digits() -> Iterator[tuple[str, Display]]:
    """Yield displays of ten classes."""
    data = load("digits.csv")
    y = data["digit"]
    p = np.column_stack([data[f"q_{k}"] for k in range(10)])
    scores = stakes.Posteriors(p, renormalize=True)
    yield "confusion-digits", stakes.ConfusionDisplay.from_predictions(y, scores)
    yield "reliability-digits", stakes.ReliabilityDisplay.from_confidences(y, scores)
    yield "abstention-digits", stakes.AbstentionDisplay.from_predictions(y, scores)
    yield "risk-coverage-digits", stakes.RiskCoverageDisplay.from_predictions(y, scores)


def responses() -> Iterator[tuple[str, Display]]:
    """Yield displays of a simulated model that states more than it knows."""
    rng = np.random.default_rng(1)
    chance = rng.random(2000)
    stated = np.round(chance**0.4, 1)
    said = stakes.Responses(rng.random(2000) < chance, stated, abstained=stated < 0.4)
    found = stakes.evaluate_responses(said, 0.75)
    yield "target-curve", stakes.TargetCurveDisplay.from_responses(found)
    yield "risk-coverage-responses", stakes.RiskCoverageDisplay.from_responses(found)
    yield "reliability-responses", stakes.ReliabilityDisplay.from_responses(found)


def simulated() -> Iterator[tuple[str, Display]]:
    """Yield displays of the paper's data."""
    data = stakes.simulation.simulate(2, n=20_000)
    llr = data.log_likelihood_ratios()
    yield "det-simulated", stakes.DetDisplay.from_predictions(data.y, llr)
    yield "tippett", stakes.TippettDisplay.from_predictions(data.y, llr)
    yield (
        "score-distribution-simulated",
        stakes.ScoreDistributionDisplay.from_predictions(
            data.y, llr, costs=stakes.CostMatrix.binary(miss=5, false_alarm=1)
        ),
    )


if __name__ == "__main__":
    main()
