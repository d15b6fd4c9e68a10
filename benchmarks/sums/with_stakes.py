"""Ours: what `stakes evaluate` does with a table in batches before it evaluates."""

from typing import Any

import numpy as np

from benchmarks.sums import BINS
from stakes.cli.cost_text import CostText
from stakes.cli.options import Options
from stakes.cli.read_mode import IN_BATCHES, Choice
from stakes.cli.table_request import Request
from stakes.cli.table_streams import Stream, summarize
from stakes.evaluation import Summary
from stakes.io.sources import find_parts
from stakes.scoring import BrierLoss, LogLoss
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width


def scan(path: str) -> Summary:
    """Sum the file on all processors."""
    told = {"label": "y", "scores_are": "posteriors", "classes": "0,1", "positive": "1"}
    request = Request(Options(file=path, **told), {"p": "p"}, {"cost": CostText()})
    source, parts = find_parts(path, None)
    found: Summary = summarize(Stream(request, Choice(IN_BATCHES, source, tuple(parts))))
    return found


def numbers(found: Summary) -> dict[str, Any]:
    """Read the sums off the summary, whose cells change where decisions and bins do."""
    samples = found.samples()
    y, p, copies = samples.y, samples.scores.values, samples.copies
    losses = [samples.known.loss_sums(rule, samples.priors) for rule in (LogLoss(), BrierLoss())]
    decision, confidence = (p > 0.5).astype(int), np.maximum(p, 1 - p)
    edges = equal_width(BINS)
    bins = BinSums.from_probabilities(p, y, None, edges, copies)
    sure = BinSums.from_probabilities(confidence, (decision == y).astype(int), None, edges, copies)
    powers = [part for s in losses for part in (s.loss, s.square_square, s.square_cube)]
    return {
        "losses": powers,
        "decided": np.bincount(2 * y + decision, copies, 4),
        "bins": bins.weight_by,
        "bin_sums": bins.probability_by,
        "confidences": sure.weight_by,
        "confidence_sums": sure.probability_by,
    }
