"""Systems that a page is to judge, and which of their samples it keeps."""

import math
from dataclasses import dataclass, replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.systems import System
from stakes.samples import Samples
from stakes.scores import PosteriorScores

_FEWEST = 50  # samples of a class that are kept, if there are so many
_MOST_SHUFFLED = 2**20  # samples of a class; of more some are drawn


@dataclass(frozen=True, eq=False)
class Source:
    """A system: its samples, the priors that its scores move with, and its decisions."""

    name: str
    system: System
    samples: Samples
    reference: FloatArray | None
    decisions: tuple[ApplicationDecisions, ...]
    ranked: Samples  # with the scores that areas and least costs are computed from

    @classmethod
    def given(cls, name: str, system: System) -> "Source":
        """Return a system as it came, before its posteriors were adapted."""
        samples, reference = system.given, system.training
        if not isinstance(samples.scores, PosteriorScores):
            k = len(samples.classes)
            reference = np.full(k, 1 / k)
        return cls(name, system, samples, reference, system.decisions, system.samples)

    @classmethod
    def calibrated(cls, name: str, system: System) -> "Source":
        """Return a system with calibrated scores, which hold at the priors of the main use."""
        judged = system.calibrated_decisions
        samples = judged[0].use.samples
        fits = bool(samples.priors.all())
        return cls(name, system, samples, samples.priors if fits else None, judged, samples)


def log_odds_of(source: Source) -> FloatArray:
    """Return the log odds of the second of two classes, at the priors that they hold at."""
    samples = source.samples
    at = samples.priors if source.reference is None else source.reference
    out = np.empty(len(samples))
    for part, _, answers in replace(samples, priors=at).blocks():
        log_p = answers.log_p
        out[part] = log_p[:, 1] - log_p[:, 0]
    return out


def spread(samples: Samples, most: int) -> IntArray:
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
