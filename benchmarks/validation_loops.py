"""What a batch of a validation loop costs, beside torchmetrics, in one process and in turn.

    python -m benchmarks.validation_loops [--quick] [--write]

needs torch and torchmetrics (`.venv-frameworks`). Each batch is of float32 logits on the CPU.
`stakes.torch.Metric` keeps what costs, scoring rules, areas and calibration errors need. Of
torchmetrics one accuracy alone is timed, and a collection for the same numbers: confusion matrix,
area under the curve, calibration error, means of the two scoring rules; with its defaults, which
keep every score until the end, and with a curve of 200 thresholds.
`--write` enters the table in docs/performance.md.
"""

import argparse
import itertools
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torchmetrics
from torchmetrics import classification

import stakes
from benchmarks.timing import interleaved

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN = "<!-- validation loops: python -m benchmarks.validation_loops --write -->\n"
END = "<!-- end of validation loops -->\n"
HEAD = ("batch", "stakes.torch.Metric", "accuracy alone", "", "collection", "", "binned", "")
KEPT = 20  # batches that a metric with growing memory keeps at most
SHAPES = ((64, 2), (1024, 2), (65536, 2), (64, 10), (1024, 10), (65536, 10), (256, 1000))


class Losses(torch.nn.Module):
    """Means of cross-entropy and Brier score, as metrics of torchmetrics."""

    def __init__(self) -> None:
        super().__init__()
        self.entropy, self.brier = torchmetrics.MeanMetric(), torchmetrics.MeanMetric()

    def update(self, logits: torch.Tensor, y: torch.Tensor) -> None:
        """Add a batch."""
        self.entropy.update(torch.nn.functional.cross_entropy(logits, y), len(y))
        p = torch.softmax(logits, 1)
        gaps = p - torch.nn.functional.one_hot(y, logits.shape[1])
        self.brier.update(gaps.square().sum(1).mean(), len(y))


def collection(
    classes: int, thresholds: int | None
) -> Callable[[torch.Tensor, torch.Tensor], None]:
    """Return the update of metrics of torchmetrics for the same numbers."""
    told: dict[str, Any] = {"num_classes": classes, "validate_args": False}
    metrics = torchmetrics.MetricCollection(
        {
            "confusion": classification.MulticlassConfusionMatrix(**told),
            "auc": classification.MulticlassAUROC(**told, thresholds=thresholds),
            "error": classification.MulticlassCalibrationError(**told, n_bins=15),
        },
        compute_groups=False,
    )
    losses, count = Losses(), itertools.count()

    def update(logits: torch.Tensor, y: torch.Tensor) -> None:
        if next(count) % KEPT == 0:
            metrics.reset()
        metrics.update(logits, y)
        losses.update(logits, y)

    return update


def measured(rows: int, classes: int, *, quick: bool) -> list[float]:
    """Return seconds of processor time of an update: ours, then those of torchmetrics."""
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(0, classes, (rows,), generator=generator)
    logits = torch.randn(rows, classes, generator=generator)
    logits += 2 * torch.nn.functional.one_hot(y, classes)
    ours = stakes.torch.Metric("cost.nec", classes=classes, kind=stakes.Logits)
    accuracy = classification.MulticlassAccuracy(classes, average="micro", validate_args=False)
    both = (collection(classes, thresholds) for thresholds in (None, 200))
    updates = [ours.update, accuracy.update, *both]
    calls = [lambda update=update: update(logits, y) for update in updates]
    first = []
    for call in calls:
        call()
        began = time.perf_counter()
        call()
        first.append(time.perf_counter() - began)
    found = interleaved(calls, first, *((0.2, 5) if quick else (1.5, 15)))
    return [times.medians[0] for times in found]


def shown(seconds: float) -> str:
    """Return a time for people."""
    return f"{seconds * 1e3:.2f} ms"


def ratio(value: float) -> str:
    """Return how many times as long others take."""
    return f"{value:.0f} x" if value >= 10 else f"{value:.2g} x"


def table(*, quick: bool) -> str:
    """Return the table of all sizes."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for rows, classes in SHAPES:
        ours, *theirs = measured(rows, classes, quick=quick)
        pairs = [(shown(each), ratio(each / ours)) for each in theirs]
        cells = (f"{rows:,} x {classes:,}", shown(ours), *itertools.chain(*pairs))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--write", action="store_true", help=f"enter the table in {PAGE.name}")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # of the peers
    torch.set_num_threads(1)
    text = table(quick=asked.quick)
    if not asked.write:
        print(text, end="")
        return
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
