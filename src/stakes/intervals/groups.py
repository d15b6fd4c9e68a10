"""Samples that come in groups: how much wider that makes the intervals of expected losses."""

from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.class_losses import Design
from stakes.results import ExpectedLoss
from stakes.samples import Samples


def by_groups(
    record: ExpectedLoss,
    samples: Samples,
    losses: FloatArray,
    unit: IntArray | None,
    naive: FloatArray | None = None,
) -> ExpectedLoss:
    """Return an expected loss whose intervals take whole groups as what varies.

    `losses` are those of each sample, `unit` its group, coded from 0; `naive` is what the naive
    decision costs each sample, if it is not the same for all samples of a class.
    """
    if unit is None or not np.isfinite(losses).all():
        return record
    share, y = samples.balanced_weights(), samples.y
    given = not record.priors_from_data
    means = record.losses.mean[y]
    reference = record.naive_losses[y] if naive is None else naive
    residual = losses - (means if given else record.value)
    effect = design_effect(share * residual, unit)
    relative = 1.0
    if record.undefined is None:
        about = record.normalized * reference
        if given:
            about = about + means - record.normalized * record.naive_losses[y]
        relative = design_effect(share * (losses - about), unit)
    groups = int(np.unique(unit).size)
    return replace(record, design=Design(groups, effect, relative))


def design_effect(influence: FloatArray, unit: IntArray) -> float:
    """Return the variance of a sum from whole groups over that from single samples, at least 1.

    Without any spread it cannot be known how alike the samples of a group are: each group then
    counts as one sample.
    """
    alone, counts = float(np.square(influence).sum()), np.bincount(unit)
    sums = np.bincount(unit, influence)[counts > 0]
    groups = sums.size
    if alone <= 0:
        return unit.size / groups
    together = float(np.square(sums - sums.mean()).sum()) * groups / max(groups - 1, 1)
    return max(together / alone, 1.0)
