"""Samples that come in groups: how much wider that makes the intervals of expected losses."""

from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.class_losses import Design
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.statistics.groups import design_effect


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
    stratum = y if given else None
    copies = samples.copies
    effect = design_effect(share * residual, unit, share, stratum, copies)
    relative = 1.0
    if record.undefined is None:
        about = record.normalized * reference
        if given:
            about = about + means - record.normalized * record.naive_losses[y]
        relative = design_effect(share * (losses - about), unit, share, stratum, copies)
    groups = int(np.unique(unit).size)
    return replace(record, design=Design(groups, effect, relative))
