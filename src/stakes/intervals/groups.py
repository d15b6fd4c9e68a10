"""Samples that come in groups: how much wider that makes the intervals of expected losses."""

from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.class_losses import Design
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.statistics.group_effects import design_effect


def by_groups(
    record: ExpectedLoss,
    samples: Samples,
    losses: FloatArray,
    naive: FloatArray | None = None,
    *,
    means: bool = False,
) -> ExpectedLoss:
    """Return an expected loss whose intervals take whole groups as what varies.

    `losses` are those of each sample; `naive` is what the naive decision costs each sample, if it
    is not the same for all samples of a class. `means` where the loss of a row is the mean of its
    samples: how much single ones vary the record knows.
    """
    unit = samples.groups
    if unit is None or not np.isfinite(losses).all():
        return record
    share = replace(samples, priors=record.priors).balanced_weights()
    return with_design(record, samples.y, share, unit, losses, naive, samples.copies, means=means)


def with_design(  # noqa: PLR0913  a record, and what its samples lost
    record: ExpectedLoss,
    y: IntArray,
    share: FloatArray,
    unit: IntArray,
    losses: FloatArray,
    naive: FloatArray | None = None,
    copies: IntArray | None = None,
    *,
    means: bool = False,
) -> ExpectedLoss:
    """Return the same from the class, the share of the expectation and the group of each row."""
    given = not record.priors_from_data
    centre = record.losses.mean[y]
    reference = record.naive_losses[y] if naive is None else naive
    stratum = y if given else None

    def effect(about: FloatArray) -> float:
        alone = None
        if means:  # the variance from single samples about a value for each class
            centre_of = np.zeros(len(record.classes))
            centre_of[y] = about
            spread, size = record.losses.spread_about(centre_of), record.losses.size
            seen = size > 0
            alone = float((np.square(record.priors[seen]) * spread[seen] / size[seen]).sum())
        return design_effect(share * (losses - about), unit, share, stratum, copies, alone)

    value = effect(centre if given else np.full(y.size, record.value))
    relative = 1.0
    if record.undefined is None:
        about = record.normalized * reference
        if given:
            about = about + centre - record.normalized * record.naive_losses[y]
        relative = effect(about)
    groups = int(np.unique(unit).size)
    return replace(record, design=Design(groups, value, relative))
