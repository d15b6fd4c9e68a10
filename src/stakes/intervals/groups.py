"""Samples that come in groups: how much wider that makes the intervals of expected losses."""

from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.class_losses import Design
from stakes.results import ExpectedLoss
from stakes.samples import Samples

_LEAST = 0.1  # share that is left without a group; one that is nearly all has no other to compare


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
    effect = design_effect(share * residual, unit, share, stratum)
    relative = 1.0
    if record.undefined is None:
        about = record.normalized * reference
        if given:
            about = about + means - record.normalized * record.naive_losses[y]
        relative = design_effect(share * (losses - about), unit, share, stratum)
    groups = int(np.unique(unit).size)
    return replace(record, design=Design(groups, effect, relative))


def design_effect(
    influence: FloatArray, unit: IntArray, share: FloatArray, stratum: IntArray | None = None
) -> float:
    """Return the variance of a sum from whole groups over that from single samples, at least 1.

    It is that of the jackknife: what leaving out a group changes, which is more the larger its
    share, of all samples or within each stratum. Without any spread it cannot be known how alike
    the samples of a group are: each group then counts as one sample.
    """
    used = share > 0
    groups = int(np.unique(unit[used]).size)
    alone = float(np.square(influence).sum())
    if alone <= 0:
        return max(np.count_nonzero(used) / max(groups, 1), 1.0)
    sums = left_out_by_group(influence, unit, share, stratum)[np.bincount(unit, used) > 0]
    together = float(np.square(sums - sums.mean()).sum()) * (groups - 1) / groups
    return max(together / alone, 1.0)


def left_out_by_group(
    influence: FloatArray, unit: IntArray, share: FloatArray, stratum: IntArray | None = None
) -> FloatArray:
    """Return how much leaving out each group changes a sum."""
    code = unit if stratum is None else unit + (int(unit.max()) + 1) * stratum
    own = np.bincount(code, share)[code]
    whole = share.sum() if stratum is None else np.bincount(stratum, share)[stratum]
    left = np.maximum(1 - own / np.where(whole > 0, whole, 1.0), _LEAST)
    return np.bincount(unit, influence / left).astype(np.float64)
