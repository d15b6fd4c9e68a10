"""Scores that look reversed: columns, labels or the class of the scores may be swapped."""

import math
from collections.abc import Iterator, Mapping, Sequence

from stakes._text import plain
from stakes._typing import Label, Names
from stakes.curves.detectors import detectors_of
from stakes.evaluation.findings import Verdict
from stakes.evaluation.ranking_results import area_of
from stakes.evaluation.verdicts.wording import listed, name_of, with_interval
from stakes.intervals import auc_interval
from stakes.metrics.multiplicity import level_among
from stakes.results import Estimate
from stakes.samples import Samples

_ADVICE = (
    "Check whether columns are swapped, labels are inverted, or the class of the scores is the"
    " other one."
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


def class_areas(samples: Samples, level: float) -> dict[Label, Estimate]:
    """Return the AUC of each of several classes against all others."""
    k = len(samples.classes)
    if k == 2 or samples.weights is not None or samples.groups is not None:
        return {}
    own = level_among(k, level)
    return {
        name: auc_interval(curve.levels, curve.auc(), own)
        for name, curve in detectors_of(samples).items()
    }


def reversed_systems(
    systems: Mapping[str, Samples], level: float, *, among: int = 1
) -> Iterator[Verdict]:
    """Say of which systems the scores look reversed, corrected for how many there are."""
    own = level_among(among, level)
    for name, samples in systems.items():
        two = len(samples.classes) == 2
        area = area_of(samples, own) if two else Estimate(math.nan)
        areas = {} if two else class_areas(samples, own)
        found = list(wrong_ranks(samples.classes, area, areas, own))
        if found:
            yield reversed_verdict(found, name)
