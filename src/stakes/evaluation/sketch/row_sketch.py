"""More than two classes as quantised posteriors of some samples.

A posterior p is kept as the rounded square root of -log p: fine near 1, where decisions are made,
and coarse near 0. Samples are drawn within classes, and ordered so that any first part of them
holds each class in proportion.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.evaluation.sketch.sketch_records import RowSketch, SketchedApplication
from stakes.samples import Samples
from stakes.scores import LogPosteriors
from stakes.statistics import LossSums

_BYTES = 1_400_000  # for all systems together
_MOST_ROWS = 100_000
_FEWEST = 50  # samples of a class that are kept, if there are so many
_MOST_SHUFFLED = 2**20  # samples of a class; of more some are drawn
_DEEPEST = 64.0  # -log p from which a posterior counts as 0


@dataclass(frozen=True, eq=False)
class Rows:
    """The samples that are kept."""

    kept: IntArray
    depth: type[np.unsignedinteger]  # of the codes

    @property
    def scale(self) -> float:
        """How many steps of the square root make a unit."""
        return (np.iinfo(self.depth).max - 1) / math.sqrt(_DEEPEST)


def choose_rows(samples: Samples, systems: int) -> Rows:
    """Return which samples are kept, and how finely."""
    n, cells = samples.n, len(samples.classes) * systems
    fine = 2 * n * cells <= _BYTES and n <= _MOST_ROWS
    most = n if fine else min(n, _MOST_ROWS, _BYTES // cells)
    return Rows(_spread(samples, most), np.uint16 if fine else np.uint8)


def _spread(samples: Samples, most: int) -> IntArray:
    """Return the rows of about `most` samples, drawn within classes, each class spread evenly."""
    rng, y = np.random.default_rng(0), samples.y
    parts, places = [], []
    for k in np.unique(y):
        size = int(samples.counts[k])
        share = max(math.floor(most * size / samples.n), min(_FEWEST, most // (y.max() + 1)))
        chosen = _drawn(samples, np.flatnonzero(y == k), max(share, 1), rng)
        parts.append(chosen)
        places.append(np.arange(chosen.size) / chosen.size)
    order = np.argsort(np.concatenate(places), kind="stable")
    return np.asarray(np.concatenate(parts)[order], dtype=np.int64)


def _drawn(samples: Samples, members: IntArray, most: int, rng: "np.random.Generator") -> IntArray:
    if samples.copies is None:
        return rng.permutation(members)[:most]
    last = np.cumsum(samples.copies[members])
    size = int(last[-1])
    few = size <= _MOST_SHUFFLED
    place = rng.permutation(size)[:most] if few else rng.choice(size, most, replace=False)
    return members[np.searchsorted(last, place, side="right")]


def row_sketch(name: str, samples: Samples, reference: FloatArray | None, rows: Rows) -> RowSketch:
    """Return the codes of the posteriors of one system."""
    at = samples.priors if reference is None else reference
    log_p = samples.scores.part(rows.kept).answers(at).log_p
    top = np.iinfo(rows.depth).max
    with np.errstate(invalid="ignore"):
        codes = np.round(rows.scale * np.sqrt(np.maximum(-log_p, 0)))
    codes = np.where(codes < top, codes, top).astype(rows.depth)
    return RowSketch(name, reference, codes)


def posteriors_of(codes: np.ndarray, scale: float) -> FloatArray:
    """Return the posteriors of codes: exp(-(code / scale)^2), and 0 for the largest code."""
    p = np.exp(-np.square(codes / scale))
    p[codes == np.iinfo(codes.dtype).max] = 0
    return np.asarray(p / p.sum(axis=1, keepdims=True), dtype=np.float64)


def row_error(
    sketches: Sequence[RowSketch],
    samples: Samples,
    rows: Rows,
    applications: Sequence[SketchedApplication],
) -> float:
    """Return the largest distance of the normalised costs of the rows from those of all samples."""
    part = samples.with_copies(rows.kept, None)
    worst = 0.0
    for i, sketch in enumerate(sketches):
        p = posteriors_of(sketch.codes, rows.scale)
        for a in applications:
            decided = a.costs.least_expected(_moved(p, sketch.reference, a.priors))
            losses = a.costs.at(part.y, decided)
            mean = LossSums.from_losses(part.y, losses, part.weights, a.priors.size).mean
            seen, naive = a.priors > 0, a.costs.naive(a.priors)[1]
            cost = math.fsum(a.priors[seen] * mean[seen])
            gap = abs(cost / naive - a.normalized[i]) if naive > 0 else math.nan
            worst = max(worst, gap) if math.isfinite(gap) else worst
    return worst


def _moved(p: FloatArray, reference: FloatArray | None, priors: FloatArray) -> FloatArray:
    if reference is None or np.array_equal(reference, priors):
        return p
    with np.errstate(divide="ignore"):
        scores = LogPosteriors.trusted(np.log(p), None)
    return scores.at_priors(reference, priors).answers(priors).p
