"""Differences between systems that have a closed form: sums of losses, and areas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from stakes._math import times
from stakes._text import key_of
from stakes._typing import FloatArray
from stakes.evaluation.systems import System
from stakes.intervals import auc_difference
from stakes.metrics.expected_losses import sample_losses
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, paired_difference, sample_shares
from stakes.samples import Samples

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class LossColumn:
    """The loss of each sample under one system, and what turns a sum of them into a metric."""

    samples: Samples
    losses: FloatArray
    naive: FloatArray | None = None  # of each sample, for a normalised metric
    largest: FloatArray | None = None  # possible difference of each sample, for decisions
    constant: bool = False  # every sample gets the same decision

    @property
    def expectation(self) -> float:
        """The expected loss."""
        s = self.samples
        share = sample_shares(s.y, len(s.classes), s.given_priors, s.weights, s.copies)
        return float(times(share, s.copies) @ self.losses)

    def minus(self, other: "LossColumn", factor: float = 1.0) -> PairedDifference:
        """Return the expected loss less a multiple of that of another system.

        Errors of decisions that were not seen are allowed for.
        """
        return self._paired(other, largest=self.largest, factor=factor)

    def against(self, other: "LossColumn") -> PairedDifference:
        """Return the difference to another system, tested as between exchangeable systems.

        A constant decision is not exchangeable with a system that looks at its input, and neither
        are losses of probabilities, whose t-test needs no such assumption.
        """
        robust = self.minus(other)
        if self.largest is None or self.constant or other.constant:
            return robust
        alike = self._paired(other, exchangeable=True)
        return robust if alike.spread is None else replace(alike, allowing=robust)

    def _paired(self, other: "LossColumn", **how: Any) -> PairedDifference:  # noqa: ANN401
        s = self.samples
        return paired_difference(
            s.y,
            self.losses,
            other.losses,
            n_classes=len(s.classes),
            priors=s.given_priors,
            weights=s.weights,
            copies=s.copies,
            unit=s.groups,
            naive=self.naive,
            **how,
        )


def loss_columns(system: System) -> dict[str, LossColumn]:
    """Return every metric of a system that is a sum of losses; infinite ones are left out."""
    out: dict[str, LossColumn] = {}
    for i, before in enumerate(system.decisions):
        after = None if system.stage is None else system.calibrated_decisions[i]
        column = LossColumn(
            before.samples,
            before.losses(),
            before.naive(),
            before.largest_difference(),
            constant=any((d.indices == d.indices[:1]).all() for d in (before, after) if d),
        )
        out |= _columns(before.use.name, "nec", column, None if after is None else after.losses())
    for i, rule in enumerate(system.rules):
        losses, samples = sample_losses(rule, system.samples), system.samples
        if np.isfinite(losses).all():
            loss = system.expected_losses[i]
            seen = loss.priors > 0
            mean = float(loss.priors[seen] @ loss.naive_losses[seen])
            scale = loss.naive / mean if mean > 0 else 1.0  # so that the mean is the naive loss
            naive = (np.where(seen, loss.naive_losses, 0.0) * scale)[samples.y]
            later = None if system.stage is None else sample_losses(rule, system.calibrated)
            column = LossColumn(samples, losses, naive)
            out |= _columns(key_of(rule.name), "normalized", column, later)
    return out


def _columns(
    name: str, short: str, column: LossColumn, after: FloatArray | None
) -> dict[str, LossColumn]:
    out = {f"{name}.value": replace(column, naive=None), f"{name}.{short}": column}
    if after is not None and np.isfinite(after).all():
        largest = None if column.largest is None else 2 * column.largest
        gain = replace(column, losses=column.losses - after, largest=largest)
        out[f"{name}.calibrated_{short}"] = replace(column, losses=after)
        out[f"{name}.calibration_loss"] = gain
    return out


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The differences of all pairs of systems, in every metric that has a closed form."""

    systems: Mapping[str, System]

    @cached_property
    def columns(self) -> dict[str, dict[str, LossColumn]]:
        """The sums of losses by system and metric."""
        return {name: loss_columns(system) for name, system in self.systems.items()}

    @cached_property
    def found(self) -> dict[str, dict[Pair, PairedDifference]]:
        """The difference of each pair by metric, the first system of a pair less the second."""
        shared = [list(columns) for columns in self.columns.values()]
        metrics = [m for m in shared[0] if all(m in others for others in shared)]
        pairs = list(combinations(self.systems, 2))
        out = {
            metric: {
                (a, b): self.columns[a][metric].against(self.columns[b][metric]) for a, b in pairs
            }
            for metric in metrics
        }
        samples = next(iter(self.systems.values())).samples
        if len(samples.classes) == 2 and samples.counts.all():
            own = {name: system.as_given.samples for name, system in self.systems.items()}
            ranks = {name: at.scores.ranks() for name, at in own.items()}
            at = own[next(iter(own))]
            out["auc"] = {
                (a, b): auc_difference(ranks[a], ranks[b], at.y, at.weights, at.groups, at.copies)
                for a, b in pairs
            }
        return out

    def difference(self, metric: str, system: str, reference: str) -> PairedDifference | None:
        """Return a metric of a system less that of another; None without a closed form."""
        pairs = self.found.get(metric)
        if pairs is None:
            return None
        if (system, reference) in pairs:
            return pairs[system, reference]
        return pairs[reference, system].turned()

    def adjusted(
        self, metrics: Sequence[str], *, unseen: bool = False
    ) -> dict[tuple[str, Pair], float]:
        """Return the p-values of all pairs in some metrics, corrected as one family by Holm.

        With `unseen`, those that allow for errors that were not seen.
        """
        keys = [(m, pair) for m in metrics for pair in self.found.get(m, {})]
        found = [self.found[m][pair] for m, pair in keys]
        if unseen:
            found = [f if f.allowing is None else f.allowing for f in found]
        out = dict(zip(keys, holm([f.p_value for f in found]), strict=True))
        return out | {(m, (b, a)): p for (m, (a, b)), p in out.items()}
