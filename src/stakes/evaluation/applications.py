"""Applications: what errors cost, and how often each class will occur."""

from __future__ import annotations

__all__ = ["Application"]

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from stakes._check import InputError, read_priors
from stakes._errors import Action
from stakes._records import Record
from stakes._text import quoted
from stakes._typing import FloatArray, IntArray, Names, Prices, PriorsLike
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.costs.by_case import as_costs, check_samples, classes_named
from stakes.costs.price_words import is_prices, named_columns, with_price_columns
from stakes.samples import Samples
from stakes.scores import PosteriorScores

_CostTable = CostMatrix | SampleCosts | CostsByCase | FloatArray | list[list[float]]
CostsLike = _CostTable | Prices
_DEFAULT = "cost"
DEPLOYMENT = "deployment"  # training priors: those of deployment


@dataclass(frozen=True, eq=False)
class Application(Record):
    """An application of a system: its costs, and its priors if they differ from the others'.

    `evaluate(..., costs={"screening": Application(costs, [0.99, 0.01]), ...})` evaluates one system
    for several applications.

    Parameters
    ----------
    costs : CostMatrix, CostsByCase, SampleCosts, array, or dict of "miss" and "false_alarm"
    priors : float, array of K, or mapping by class, optional
        How often each class occurs in this application.

    See Also
    --------
    evaluate : evaluates a system for each application.

    Examples
    --------
    One system, evaluated for two applications; it is useful in both:

    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> uses = {
    ...     "screening": stakes.Application({"miss": 20, "false_alarm": 1}, [0.9, 0.1]),
    ...     "alarm": stakes.Application({"miss": 1, "false_alarm": 1}, [0.9, 0.1]),
    ... }
    >>> settings = {"costs": uses, "training_priors": "data"}
    >>> result = stakes.evaluate(data.y, data.posteriors([0.9, 0.1]), **settings)
    >>> [use.cost.normalized.value < 1 for use in result.applications]
    [True, True]
    """

    costs: CostsLike
    priors: PriorsLike | None = None


@dataclass(frozen=True, eq=False)
class ApplicationSamples:
    """An application of checked samples: its name, its costs and the samples at its priors."""

    name: str
    costs: CostMatrix | SampleCosts
    samples: Samples

    @cached_property
    def square(self) -> bool:
        """Whether the decisions are the classes."""
        return self.costs.decisions == self.costs.classes

    @property
    def binary_costs(self) -> CostMatrix | None:
        """The costs of two classes and two decisions, where they are that."""
        costs = self.costs
        return costs if isinstance(costs, CostMatrix) and costs.shape == (2, 2) else None

    def decide(self) -> IntArray:
        """Return the Bayes decision of each sample."""
        if isinstance(self.costs, SampleCosts):
            return self.costs.least_expected(self.samples.scores.answers(self.samples.priors).p)
        decided = np.empty(len(self.samples), dtype=np.int64)
        for part, _, answers in self.samples.blocks():
            decided[part] = self.costs.least_expected(answers.p)
        return decided

    def constant(self, decision: int) -> FloatArray:
        """Return what one decision for all costs each sample."""
        return self.costs.at(self.samples.y, np.full(len(self.samples), decision))

    def constants(self) -> FloatArray:
        """Return what each decision costs each sample, were it that of all."""
        return np.column_stack([self.constant(j) for j in range(len(self.costs.decisions))])

    def part(self, kept: IntArray) -> ApplicationSamples:
        """Return the application of some of the samples."""
        costs = self.costs.part(kept) if isinstance(self.costs, SampleCosts) else self.costs
        return ApplicationSamples(self.name, costs, self.samples.part(kept))


# A mapping holds prices by word, or applications by name.
Applications = _CostTable | Application | Mapping[str, Any]


def adapted(samples: Samples, old: FloatArray | None) -> Samples:
    """Return samples whose posteriors were moved from priors to those of the samples."""
    if old is None or np.array_equal(old, samples.priors):
        return samples
    scores = cast("PosteriorScores", samples.scores)  # nothing else has training priors
    moved = samples.with_scores(scores.at_priors(old, samples.priors))
    return replace(moved, known=samples.known)  # those of a summary are of the scores as adapted


def read_training(
    samples: Samples, uses: Sequence[ApplicationSamples], training: PriorsLike | None
) -> FloatArray | None:
    """Read the priors that posteriors are at; None where they are used as delivered.

    This alone decides for every entry point what must be said: nothing from outside shows whether
    posteriors already are at the priors that were given.
    """
    every = [samples, *(use.samples for use in uses)]
    stated = [each.priors for each in every if not each.priors_from_data]
    posteriors = isinstance(samples.scores, PosteriorScores)
    if training is None:
        if posteriors and stated:
            raise lacks_training()
        return None
    if not posteriors:
        rule = "are for posteriors"
        raise InputError("training_priors", rule, found="likelihoods have no priors")
    if isinstance(training, str) and training == DEPLOYMENT:
        return _deployed(samples, uses, stated)
    given = read_training_numbers(training, samples.classes)
    old = samples.data_priors() if given is None else given
    if not old.all():
        name = quoted([samples.classes[int(old.argmin())]])
        rule = "must be above 0 for every class"
        raise InputError("training_priors", rule, found=f"class {name} has 0")
    return old


def read_training_numbers(training: PriorsLike, classes: Names) -> FloatArray | None:
    """Read training priors that are numbers, or "data", which gives None."""
    if isinstance(training, str) and training != "data":
        rule = f'must be "data", "{DEPLOYMENT}" or probabilities'
        raise InputError("training_priors", rule, repr(training))
    try:
        return read_priors(training, classes)
    except InputError as error:
        raise error.moved(argument="training_priors") from error


def states_priors(costs: Applications | None, priors: PriorsLike | None) -> bool:
    """Whether any priors are given as numbers, for all applications or for one of them."""
    entries = by_name(costs).values()
    own = [entry.priors for entry in entries if isinstance(entry, Application)]
    return any(p is not None and not isinstance(p, str) for p in (priors, *own))


def lacks_training(found: str = "the posteriors alone do not tell") -> InputError:
    """Return the error for posteriors that meet priors, where nothing says what they are at."""
    rule = "must be given where posteriors meet priors"
    code, action = "training_priors_needed", Action("say_training_priors")
    return InputError("training_priors", rule, found=found, hint=action, code=code)


@contextmanager
def numbers_needed() -> Iterator[None]:
    """Ask for training priors as numbers, where there are no data that they could be those of."""
    try:
        yield
    except InputError as error:
        if error.code != "training_priors_needed":
            raise
        raise error.moved(hint=Action("say_training_numbers")) from None


def _deployed(
    samples: Samples, uses: Sequence[ApplicationSamples], stated: Sequence[FloatArray]
) -> FloatArray | None:
    """Return the priors that all applications share, unless they are those of the samples."""
    mixed = stated and any(use.samples.priors_from_data for use in uses)
    if mixed or any(not np.array_equal(each, stated[0]) for each in stated):
        rule = "must be numbers where applications have different priors"
        hint = "Posteriors are at one set of priors: pass that."
        raise InputError("training_priors", rule, repr(DEPLOYMENT), hint=hint)
    return stated[0] if stated and samples.priors_from_data else None


def read_applications(
    costs: Applications | None, samples: Samples
) -> tuple[ApplicationSamples, ...]:
    """Read one or several applications of the same samples, each at its own priors."""
    given = by_name(with_classes(costs, samples.classes))
    if not given:
        raise InputError("costs", "must name at least one application", "an empty mapping")
    return tuple(_samples_in_use(str(name), entry, samples) for name, entry in given.items())


def read_adapted(
    costs: Applications | None, samples: Samples, training: PriorsLike | None
) -> tuple[Samples, tuple[ApplicationSamples, ...], FloatArray | None]:
    """Return samples and applications at their priors, and the priors they were moved from."""
    uses = read_applications(costs, samples)
    old = read_training(samples, uses, training)
    moved = tuple(replace(use, samples=adapted(use.samples, old)) for use in uses)
    return adapted(samples, old), moved, old


def by_name(costs: Applications | None) -> Mapping[str, Any]:
    """Return applications by name; one alone, which may be prices by word, has the usual name."""
    if isinstance(costs, Mapping) and not is_prices(costs):
        return costs
    return {_DEFAULT: costs}


def _samples_in_use(
    name: str, entry: CostsLike | Application | None, samples: Samples
) -> ApplicationSamples:
    at = samples
    if isinstance(entry, Application):
        priors = read_priors(entry.priors, samples.classes)
        if priors is not None:
            at = replace(samples, priors=priors, priors_from_data=False)
        elif entry.priors is not None:  # "data", whatever all others have
            at = replace(samples, priors=samples.data_priors(), priors_from_data=True)
        entry = entry.costs
    if entry is None:
        return ApplicationSamples(name, CostMatrix.zero_one(samples.classes), at)
    if isinstance(entry, CostsByCase):
        rule = "must hold numbers for samples"
        hint = "Pass costs.with_columns(table), or a table with label=."
        raise InputError("costs", rule, found=f"{name!r} names columns", hint=hint)
    if not isinstance(entry, CostMatrix | SampleCosts):
        _refuse_turned(samples.classes)
        return ApplicationSamples(name, CostMatrix(entry, classes=samples.classes), at)
    if entry.classes != samples.classes:
        rule = f"must have the classes of the scores, {quoted(samples.classes)}, in their order"
        raise InputError("costs", rule, quoted(entry.classes))
    if isinstance(entry, CostMatrix):
        return ApplicationSamples(name, entry, at)
    check_samples(entry, samples.n_given)
    return ApplicationSamples(name, entry if samples.row is None else entry.part(samples.row), at)


def _refuse_turned(classes: Names) -> None:
    """Refuse a bare matrix for whole numbers out of order: its rows could be meant either way."""
    if set(classes) == set(range(len(classes))) and classes != tuple(range(len(classes))):
        rule = f"must name their classes where those of the scores are {quoted(classes)}"
        raise InputError("costs", rule, found="pass CostMatrix(costs, classes=[...])")


def with_columns(costs: Applications | None, columns: Any) -> Applications | None:  # noqa: ANN401
    """Return applications whose costs by case are those of the samples of some columns."""

    def bound(entry: Any) -> Any:  # noqa: ANN401
        if isinstance(entry, Application):
            return replace(entry, costs=bound(entry.costs))
        if is_prices(entry):
            return with_price_columns(entry, columns)
        return entry.with_columns(columns) if isinstance(entry, CostsByCase) else entry

    if isinstance(costs, Mapping) and not is_prices(costs):
        return {name: bound(entry) for name, entry in costs.items()}
    return bound(costs)


def _bare(costs: Applications | None) -> list[CostsLike | None]:
    """Return the costs of each application without its priors."""
    entries = by_name(costs).values()
    return [entry.costs if isinstance(entry, Application) else entry for entry in entries]


def columns_of_costs(costs: Applications | None) -> tuple[str, ...]:
    """Return the columns that costs by case name, each once."""
    named: list[str] = []
    for each in _bare(costs):
        if isinstance(each, CostsByCase):
            named += each.columns
        elif is_prices(each):
            named += named_columns(each)
    return tuple(dict.fromkeys(named))


def with_classes(costs: Applications | None, classes: Names) -> Applications | None:
    """Return applications whose prices by word are costs of these classes."""

    def spelt(entry: Any) -> Any:  # noqa: ANN401
        if isinstance(entry, Application):
            return replace(entry, costs=spelt(entry.costs))
        return as_costs(entry, classes) if is_prices(entry) else entry

    if isinstance(costs, Mapping) and not is_prices(costs):
        return {name: spelt(entry) for name, entry in costs.items()}
    return spelt(costs)


def classes_of(costs: Applications | None) -> Names | None:
    """Return the classes that costs name, if they do."""
    named = (classes_named(each) for each in _bare(costs))
    return next((names for names in named if names is not None), None)
