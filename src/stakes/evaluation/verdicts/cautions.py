"""Cautions, for evaluate, compare and others: what rests on little data, scores that look reversed.

Reversed scores rank a class below the others: columns, labels or the class of the scores may be
swapped.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._text import plain
from stakes._typing import Label, Names
from stakes.evaluation.findings import Verdict
from stakes.evaluation.ranking_results import area_of, class_areas
from stakes.evaluation.verdicts.wording import counted, listed, name_of, percent, with_interval
from stakes.metrics.multiplicity import level_among
from stakes.results import Estimate
from stakes.samples import Samples
from stakes.scoring import BrierLoss
from stakes.statistics.group_effects import effective_groups, groups_of_classes

FEWEST_ERRORS = 30  # Doddington's rule: with fewer, an error rate is uncertain by 30 % or more
FEWEST_SAMPLES = 60  # of a class: 1.96 sqrt(1/4 / 60) = 0.13 is the most a rate is uncertain by
FEWEST_GROUPS = 50  # effective, below which some intervals cover less often than stated
UNTESTED_GROUPS = 15  # effective, below which not all intervals were tested
MOST_OF_ONE = 0.1  # of the curvature of a fit, that one sample may have without a caution
_ADVICE = (
    "Check whether columns are swapped, labels are inverted, or the scores are those of the other"
    " class."
)


@dataclass(frozen=True)
class Groups:
    """The groups that samples come in."""

    number: int
    effective: float  # equal groups that would be as precise for the class with fewest
    holding: tuple[int, ...]  # how many hold each class

    @classmethod
    def from_samples(cls, samples: Samples) -> Self | None:
        """Return the groups of samples, where they come in groups."""
        unit = samples.groups
        if unit is None:
            return None
        w = np.ones(len(samples)) if samples.mass is None else samples.mass
        holding = groups_of_classes(unit, samples.y, len(samples.classes))
        effective = effective_groups(unit, w, samples.y)
        return cls(int(np.unique(unit).size), effective, tuple(holding.tolist()))


def few_errors(few: str, where: str = "") -> Iterator[Verdict]:
    """Warn where decisions rest on few errors, such as "4 misses"; nothing if none are few."""
    if few:
        yield Verdict(
            "few_errors",
            f"{where}The decisions rest on {few}. With fewer than {FEWEST_ERRORS}, an"
            " error rate is uncertain by 30 % or more either way.",
            "Use more labelled samples, or quote the interval.",
        )


def few_kinds(errors: Mapping[str, int]) -> str:
    """Name the errors that are few, of kinds such as {"misses": 4}."""
    return " and ".join(counted(n, kind) for kind, n in errors.items() if n < FEWEST_ERRORS)


def small_classes(
    classes: Sequence[Label],
    counts: Sequence[int],
    groups: Groups | None = None,
    *,
    scored: bool = True,  # losses of scores have intervals too
    calibrated: Sequence[str] = (),  # scoring rules whose calibration loss has one
) -> Iterator[Verdict]:
    """Warn of classes with few samples, or in few groups where samples come in groups."""
    pairs = zip(classes, counts if groups is None else groups.holding, strict=True)
    small = [f"{name_of(name)}: {n}" for name, n in pairs if n < FEWEST_SAMPLES]
    if small:
        named = ["the AUC", "the cross-entropy"]
        if calibrated:
            brier = BrierLoss().name
            also = f" (also that of the {brier})" if brier in calibrated else ""
            named.append(f"the calibration loss{also}")
        losses = (
            f" A rare large loss may not have been seen, so the intervals of {listed(named)} may"
            " cover less often than stated."
        )
        yield Verdict(
            "small_class",
            f"Some classes {'have few samples' if groups is None else 'occur in few groups'}"
            f" ({listed(small)}). With fewer than {FEWEST_SAMPLES}, the error"
            " rate of a class can be uncertain by 13 percentage points or more either way."
            f"{losses if scored else ''}",
            f"Add {'samples of' if groups is None else 'groups with'} these classes.",
        )


def few_groups(
    groups: Groups | None, *, loss: bool, slope: bool = False, area: bool = False
) -> Iterator[Verdict]:
    """Warn where intervals rest on few groups, or on few that count for some class.

    `loss`, `slope` and `area`: whether intervals of the calibration loss, of the slope and of the
    AUC are shown, which need more groups than others.
    """
    named = ["of the AUC"] * area + ["of calibration loss"] * loss
    named += ["of the calibration slope"] * slope
    if groups is None or groups.effective >= (FEWEST_GROUPS if named else UNTESTED_GROUPS) - 1e-9:
        return
    few = []
    if named:
        those = f"those {listed(named)}"
        few += [f"with fewer than {FEWEST_GROUPS}, {those} may cover less often than stated"]
    if groups.effective < UNTESTED_GROUPS - 1e-9:
        all_ = "all may" if named else "all may cover less often than stated"
        few += [f"with fewer than {UNTESTED_GROUPS}, {all_}"]
    least, precise = math.floor(groups.effective + 1e-9), ""
    if least < groups.number:
        precise = f", which for the rarest class are as precise as {least} groups of equal size"
    yield Verdict(
        "few_groups",
        f"The intervals rest on {groups.number} groups{precise}."
        f" {few[0][0].upper()}{'; '.join(few)[1:]}.",
        "Add groups, not samples of the same groups.",
    )


def few_rows(largest_part: float) -> Iterator[Verdict]:
    """Warn where what a calibrator learns rests on one sample to a tenth or more."""
    if largest_part > MOST_OF_ONE:
        yield Verdict(
            "few_rows",
            f"The calibration rests on few samples: one alone has {percent(largest_part)} of the"
            " information that the fit is made of. A sample like it may be missing, so the"
            " intervals of calibrated losses and of the calibration slope may cover less often"
            " than stated.",
            "Check the sample with the largest weight or the most extreme score, or add labelled"
            " samples.",
        )


def reversed_verdict(found: Sequence[str], system: str = "") -> Verdict:
    """Return the verdict on scores that rank some class below the others."""
    whose = f"The scores of {plain(system)}" if system else "The scores"
    text = f"{whose} look reversed: they {listed(found)}."
    return Verdict("scores_reversed", text, _ADVICE, "check_classes")


def wrong_ranks(
    classes: Names, area: Estimate, class_areas: Mapping[Label, Estimate], level: float
) -> Iterator[str]:
    """Name the classes that are ranked below the others, by the intervals of their areas."""
    if len(classes) > 2:
        for name, estimate in class_areas.items():
            if below(estimate, 0.5):
                yield f"rank {name_of(name)} below the other classes (AUC {estimate})"
    elif below(area, 0.5):
        order = f"{name_of(classes[-1])} below {name_of(classes[0])}"
        yield f"rank {order} (AUC {with_interval(area, level)})"


def below(estimate: Estimate, value: float) -> bool:
    """Whether an interval lies below a value."""
    return estimate.interval is not None and estimate.interval.high < value


def areas_among_classes(samples: Samples, level: float) -> dict[Label, Estimate]:
    """Return the AUC of each of several classes against all others, corrected for how many."""
    k = len(samples.classes)
    return {} if k == 2 else class_areas(samples, level_among(k, level))


def reversed_systems(
    systems: Mapping[str, Samples], level: float, *, among: int = 1
) -> Iterator[Verdict]:
    """Say of which systems the scores look reversed, corrected for how many there are."""
    own = level_among(among, level)
    for name, samples in systems.items():
        two = len(samples.classes) == 2
        area = area_of(samples, own) if two else Estimate(math.nan)
        areas = areas_among_classes(samples, own)
        found = list(wrong_ranks(samples.classes, area, areas, own))
        if found:
            yield reversed_verdict(found, name)
