"""Scores of models at known priors: moved where priors are given, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from stakes._check import read_priors
from stakes._text import number
from stakes._typing import FloatArray, Names, PriorsLike
from stakes.evaluation import Application, Verdict
from stakes.evaluation.applications import (
    DEPLOYMENT,
    Applications,
    by_name,
    read_training_numbers,
    states_priors,
)
from stakes.evaluation.model_priors import (
    PosteriorPriors,
    contradiction,
    in_order,
    lacks_model_priors,
    moved,
    priors_text,
)
from stakes.metrics.expected_losses import bayes_cost_of
from stakes.samples import Samples
from stakes.scores import PosteriorScores


class ScoredModel(Protocol):
    """Scores of a model by itself or fold by fold, and the priors that its posteriors are at."""

    def known(self, classes: Names) -> tuple[PosteriorPriors, ...]:
        """Return the priors of the posteriors of each fit, in the order of some classes."""

    def scores(self, target: FloatArray | None) -> PosteriorScores:
        """Return the scores of all samples, moved to priors of the classes if these are given."""

    def folds(self, target: FloatArray | None) -> Any:
        """Return the folds to calibrate on, if there are any."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Scores of a model that was fitted elsewhere."""

    posteriors: PosteriorScores
    priors: PosteriorPriors
    declared: Names = ()  # the order of classes of the evaluation

    @property
    def own(self) -> Names:
        """The classes of the model in its order."""
        return self.posteriors.names or ()

    def known(self, classes: Names) -> tuple[PosteriorPriors, ...]:
        """Return the priors of the posteriors, in the order of some classes."""
        return (in_order(self.priors, self.own, classes),)

    def scores(self, target: FloatArray | None) -> PosteriorScores:
        """Return the scores, moved to priors if these are given."""
        old = self.priors.values
        if target is None or old is None or not set(self.own) <= set(self.declared):
            return self.posteriors
        new = target[[self.declared.index(name) for name in self.own]]
        return moved(self.posteriors, old, new / new.sum())

    def folds(self, target: FloatArray | None) -> Any:  # noqa: ARG002  fitted elsewhere
        """Return no folds."""
        return None


@dataclass(frozen=True, eq=False)
class Placed:
    """Where posteriors are moved to before they are evaluated, and what they are said to be at."""

    target: FloatArray | None  # None: as delivered
    training: PriorsLike | None
    notes: tuple[str, ...] = field(default=())


def placed(
    systems: Mapping[str, ScoredModel],
    classes: Names,
    shares: FloatArray,
    costs: Applications | None,
    priors: PriorsLike | None,
    training: PriorsLike | None,
) -> Placed:
    """Return what is known of the priors of models; what the user says of them is used."""
    every = {name: system.known(classes) for name, system in systems.items()}
    if training is not None:
        return Placed(None, training, tuple(_doubts(every, classes, shares, priors, training)))
    if not states_priors(costs, priors):
        return Placed(None, None, tuple(_stated(every, classes, shares)))
    for name, found in every.items():
        unknown = next((each for each in found if each.values is None), None)
        if unknown is not None:
            raise lacks_model_priors(name, unknown)
    known = [each.values for found in every.values() for each in found]
    alike = all(np.array_equal(each, known[0]) for each in known)  # type: ignore[arg-type]  # known
    target = known[0] if alike else shares
    notes = tuple(
        f"Posteriors of the {name} were adapted from the priors that it gives them at:"
        f" {_of_fits(found, classes)}."
        for name, found in every.items()
    )
    given = None if priors is None else read_priors(priors, classes)
    stays = given is not None and np.array_equal(given, target)  # type: ignore[arg-type]  # known
    own = any(isinstance(e, Application) and e.priors is not None for e in by_name(costs).values())
    if stays and not own:
        return Placed(target, DEPLOYMENT)
    return Placed(target, target, notes)


def _stated(
    every: Mapping[str, tuple[PosteriorPriors, ...]], classes: Names, shares: FloatArray
) -> Iterator[str]:
    """Say so where a model decides for other priors than those it is evaluated at."""
    for name, (first, *_) in every.items():
        if first.stated and first.differ(shares):
            yield (
                f"The {name} decides for the priors {first.text(classes)}, and is evaluated at"
                " those of the data: pass them as priors= to evaluate it where it will be used."
            )


def _of_fits(found: tuple[PosteriorPriors, ...], classes: Names) -> str:
    by = f" ({found[0].weighting})" if found[0].weighting else ""
    if any(each.differ(found[0].values) for each in found):  # type: ignore[arg-type]  # known
        return f"those of each fit{by}"
    return f"{found[0].text(classes)}{by}"


def _doubts(
    every: Mapping[str, tuple[PosteriorPriors, ...]],
    classes: Names,
    shares: FloatArray,
    priors: PriorsLike | None,
    training: PriorsLike,
) -> Iterator[str]:
    """Say so where the priors that were given are not those of a model."""
    if isinstance(training, str) and training == DEPLOYMENT:
        given = None if priors is None else read_priors(priors, classes)
    else:
        numbers = read_training_numbers(training, classes)
        given = shares if numbers is None else numbers
    for name, found in every.items():
        text = "" if given is None else contradiction(found[0], given, classes, shares)
        if text:
            yield f"{name}: {text}."


def weighted_classes(
    name: str,
    system: ScoredModel,
    samples: Samples,
    costs: Applications | None,
    *,
    several: bool,
) -> Verdict | None:
    """Say so where a model weights classes, so that its posteriors are not those of its data."""
    found = system.known(samples.classes)
    weighting = next((each.weighting for each in found if each.weighting), "")
    if not weighting:
        return None
    where = f"{name}: " if several else ""
    start = f"{where}The model does not give posteriors at the priors of its data: {weighting}"
    why = next((each.why for each in found if each.values is None), None)
    if why is not None:
        text = f"{start}, and where they are is unknown ({why})."
        return Verdict("weighted_classes", text, f"Calibrate them: {_CALIBRATE}.")
    first, shares = found[0], samples.data_priors()
    if all(not each.differ(shares) for each in found):
        return None
    uniform = first.values is not None and bool(np.ptp(first.values) < 1e-9)
    even = ", as if all classes were equally frequent" if uniform else ""
    text = (
        f"{start} moves them to {first.text(samples.classes)}{even}; in the data the classes have"
        f" {priors_text(samples.classes, shares)}."
    )
    before, after = (
        _cost(samples.with_scores(each), costs)
        for each in (samples.scores, _part(system.scores(shares), samples))
    )
    costs_text = f"The normalised cost is {number(before)} as delivered, {number(after)} adapted"
    text = f"{text} {costs_text} to the data."
    if not after <= before:
        advice = f"Do not adapt them, but calibrate them: {_CALIBRATE}."
        return Verdict("weighted_classes", text, advice)
    numbers = ", ".join(f"{p:.4g}" for p in np.asarray(first.values).tolist())
    advice = f"Decide by {_DECIDE}, which adapts them; training_priors=[{numbers}] evaluates that."
    return Verdict("weighted_classes", text, advice)


_CALIBRATE = "stakes.sklearn.CalibratedClassifier(model)"
_DECIDE = "stakes.sklearn.BayesClassifier(model, costs=costs)"


def _part(scores: PosteriorScores, samples: Samples) -> PosteriorScores:
    """Return the scores of the samples that count, in the order of their classes."""
    kept = scores if samples.row is None else scores.part(samples.row)
    return kept.ordered(samples.classes)


def _cost(samples: Samples, costs: Applications | None) -> float:
    """Return the normalised cost in the first application."""
    entry = next(iter(by_name(costs).values()))
    own: Any = entry.costs if isinstance(entry, Application) else entry
    return float(bayes_cost_of(samples, own).normalized)
