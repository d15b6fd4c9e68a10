"""One system on checked samples: its losses uncalibrated and calibrated."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_level, read_seed
from stakes._text import key_of, quoted
from stakes._typing import Column, FloatArray, IntArray, PriorsLike
from stakes.calibration import Calibrator
from stakes.calibration.calibrators import CrossFit
from stakes.calibration.crossfit import (
    DealtFolds,
    Folds,
    HeldOut,
    TrainOnTest,
    cross_fitted,
    deal_samples,
    group_codes,
)
from stakes.calibration.refits import Refit
from stakes.calibration.registry import read_calibrator
from stakes.costs import SampleCosts
from stakes.evaluation.application_decisions import (
    ApplicationDecisions,
    bayes_decisions,
)
from stakes.evaluation.applications import (
    Applications,
    ApplicationSamples,
    read_adapted,
)
from stakes.evaluation.calibrated_losses import CalibratedLoss, calibrated_cost, calibrated_rule
from stakes.metrics import CalibrationError
from stakes.metrics.expected_losses import (
    expectation,
)
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.scores import PosteriorScores
from stakes.scoring import LogLoss, ScoringRule


@dataclass(frozen=True, eq=False)
class CalibrationStage:
    """A calibration stage: how it is fitted, and the parts it is fitted on."""

    calibrator: Calibrator
    folds: DealtFolds | TrainOnTest | HeldOut
    seed: int
    grouped: bool

    @property
    def text(self) -> str:
        """How the calibrator was fitted."""
        if isinstance(self.folds, TrainOnTest | HeldOut):
            return str(self.folds)
        kept = ", groups kept whole" if self.grouped else ""
        return f"cross-fitted on {len(self.folds.pairs)} folds{kept}"


@dataclass(frozen=True, eq=False)
class Settings:
    """How samples are evaluated or compared: arguments of `evaluate`, in their order.

    Groups, slices and folds that are columns have a value for each row.
    """

    costs: Applications | None
    training_priors: PriorsLike | None
    calibrator: Calibrator | None
    folds: Folds
    level: float
    groups: Column | None
    slices: Any  # columns, or slices that were decided before
    rules: Sequence[ScoringRule]
    rng: "int | np.random.Generator"

    def __post_init__(self) -> None:
        read_level(self.level)
        object.__setattr__(self, "calibrator", read_calibrator(self.calibrator))

    @cached_property
    def seed(self) -> int:
        """The seed of the folds."""
        return read_seed(self.rng)

    def for_system(self, system: str, every: "Mapping[str, Samples]") -> "Settings":
        """Return the settings of one system of several, which may have folds of its own.

        Training priors are for those systems of posteriors among them.
        """
        posteriors = {name: isinstance(s.scores, PosteriorScores) for name, s in every.items()}
        own = self
        if any(posteriors.values()) and not posteriors[system]:
            own = replace(own, training_priors=None)
        if not isinstance(own.folds, Mapping):
            return own
        return replace(own, folds=own.folds[system], rng=own.seed)


def read_system(given: Samples, settings: Settings, of_all: "SumsOfAll | None" = None) -> "System":
    """Return a system on checked samples, with its calibration stage."""
    given, training = with_groups(given, settings.groups), settings.training_priors
    samples, uses, old = read_adapted(settings.costs, given, training)
    system = System(
        samples,
        uses,
        read_rules(settings.rules, uses),
        of_all=of_all,
        training=old,
        unadapted=given,
    )
    return with_calibration(system, settings)


def with_calibration(plain: "System", settings: Settings) -> "System":
    """Return a system with a calibration stage, unless that cannot be fitted, which is noted."""
    calibrator, folds, groups = settings.calibrator, settings.folds, settings.groups
    if calibrator is None:
        return plain
    system, seed, grouped = plain, settings.seed, groups is not None
    try:
        if isinstance(folds, TrainOnTest | HeldOut):
            system = replace(plain, stage=CalibrationStage(calibrator, folds, seed, grouped))
        else:  # the samples are dealt once for all uses
            dealt = deal_samples(plain.samples, folds, groups, seed)
            system = replace(plain, stage=CalibrationStage(calibrator, dealt, seed, grouped))
            if (kept := dealt.kept) is not None:  # copies of a row came into several folds
                samples = dealt.samples
                uses = tuple(_parted(use, plain.samples, samples, kept) for use in plain.uses)
                given = plain.given.with_copies(kept, samples.copies)
                system = replace(system, samples=samples, uses=uses, whole=plain, unadapted=given)
        _ = system.calibrated_losses, system.calibrated_decisions
    except UndefinedMetricError as error:  # the data are too few or too odd to fit on
        why = error.note("Calibration was left out: ")
        return replace(system, stage=None, why_uncalibrated=(why,), _fits={})
    return system


def _parted(
    use: ApplicationSamples, samples: Samples, parted: Samples, kept: IntArray
) -> ApplicationSamples:
    at = use.samples
    scores = parted.scores if at.scores is samples.scores else at.scores.part(kept)
    costs = use.costs.part(kept) if isinstance(use.costs, SampleCosts) else use.costs
    samples = replace(parted, scores=scores, priors=at.priors, priors_from_data=at.priors_from_data)
    return ApplicationSamples(use.name, costs, samples)


def read_rules(
    rules: Sequence[ScoringRule], uses: Sequence[ApplicationSamples] = ()
) -> tuple[ScoringRule, ...]:
    """Read several scoring rules; two things of one name are refused, as their numbers collide."""
    if isinstance(rules, ScoringRule | str) or not isinstance(rules, Sequence):
        rule = "must be a list of scoring rules, such as [LogLoss()]"
        raise InputError("rules", rule, repr(rules))
    for each in rules:
        if not isinstance(each, ScoringRule):
            raise InputError("rules", "must be scoring rules, such as [LogLoss()]", repr(each))
    names = [*(key_of(rule.name) for rule in rules), *(use.name for use in uses)]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        found = f"{quoted(twice)} stands for several"
        raise InputError("rules and costs", "must have names of their own", found=found)
    return tuple(rules)


def with_groups(samples: Samples, groups: Column | None) -> Samples:
    """Return samples that know their groups, where these vary as a whole."""
    if groups is None:
        return samples
    codes = group_codes(groups, samples)
    if codes.max() == 0:
        rule = "must hold at least two groups"
        raise InputError(
            "groups", rule, found="with one group the spread between groups is unknown"
        )
    return replace(samples, groups=codes)


@dataclass(frozen=True, eq=False)
class SumsOfAll:
    """What is known of all samples, where single ones are known of some only."""

    samples: Samples  # a row for each class and decision, with its number; no scores
    decisions: tuple[ApplicationDecisions, ...]
    losses: Mapping[ScoringRule, ExpectedLoss]
    errors: Mapping[str, CalibrationError]


@dataclass(frozen=True, eq=False)
class System:
    """A system on checked samples, in some applications and by some scoring rules."""

    samples: Samples
    uses: tuple[ApplicationSamples, ...]
    rules: tuple[ScoringRule, ...]
    stage: CalibrationStage | None = None
    whole: "System | None" = None  # before copies of a row were dealt to several folds
    of_all: SumsOfAll | None = None  # where the samples are only some of all
    training: FloatArray | None = None  # priors that posteriors were moved from
    unadapted: Samples | None = None  # the samples before that
    why_uncalibrated: tuple[str, ...] = ()  # where a stage could not be fitted
    _fits: dict[tuple[bytes, bool], CrossFit] = field(default_factory=dict)  # by priors, to all
    _refits: dict[bytes, Refit] = field(default_factory=dict)  # by priors
    _calibrated: dict[tuple[str, int], CalibratedLoss] = field(default_factory=dict)

    @property
    def as_given(self) -> "System":
        """The system with its rows as they were given, for what needs no calibrated scores."""
        return self if self.whole is None else self.whole

    @property
    def given(self) -> Samples:
        """The samples, with scores as they were given."""
        return self.samples if self.unadapted is None else self.unadapted

    @cached_property
    def decisions(self) -> tuple[ApplicationDecisions, ...]:
        """The decisions of each application."""
        return tuple(bayes_decisions(use) for use in self.uses)

    @property
    def decisions_of_all(self) -> tuple[ApplicationDecisions, ...]:
        """The decisions of each application, on all samples there are."""
        return self.decisions if self.of_all is None else self.of_all.decisions

    @property
    def entropy(self) -> ExpectedLoss:
        """The cross-entropy at the priors of the main application."""
        if self.of_all is not None and LogLoss() in self.of_all.losses:
            return self.of_all.losses[LogLoss()]
        return expectation(LogLoss(), self.decisions[0].use.samples)

    @cached_property
    def expected_losses(self) -> tuple[ExpectedLoss, ...]:
        """The expected loss of each rule."""
        return tuple(expectation(rule, self.samples) for rule in self.rules)

    @cached_property
    def calibrated_losses(self) -> tuple[ExpectedLoss, ...]:
        """The expected loss of each rule after calibration."""
        return tuple(expectation(rule, self.calibrated) for rule in self.rules)

    @property
    def calibrated(self) -> Samples:
        """The samples with calibrated scores."""
        return self.calibrated_at(self.samples)

    @cached_property
    def calibrated_decisions(self) -> tuple[ApplicationDecisions, ...]:
        """The decisions of each application after calibration."""
        uses = (replace(t, samples=self.calibrated_at(t.samples)) for t in self.uses)
        return tuple(bayes_decisions(use) for use in uses)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the calibration stage had to say."""
        fits = [fit for (_, to_all), fit in self._fits.items() if not to_all]
        said = dict.fromkeys(note for fit in fits for note in fit.notes)
        return (*self.why_uncalibrated, *said)

    @property
    def _stage(self) -> CalibrationStage:
        assert self.stage is not None  # noqa: S101  there are calibrated losses
        return self.stage

    def calibrated_at(self, samples: Samples, *, to_all: bool = False) -> Samples:
        """Return samples with calibrated scores, by one fit for each priors; to all if told."""
        key, stage = (samples.priors.tobytes(), to_all), self._stage
        if key not in self._fits:
            folds = TrainOnTest() if to_all else stage.folds
            if isinstance(folds, DealtFolds):
                folds = folds.adapted(self.training, samples.priors)
            self._fits[key] = cross_fitted(stage.calibrator, samples, folds, None, stage.seed)
        return samples.with_scores(self._fits[key].scores)

    def calibrated_rule(self, i: int) -> CalibratedLoss:
        """Return a scoring rule before and after calibration."""
        if ("rule", i) not in self._calibrated:
            losses = self.expected_losses[i], self.calibrated_losses[i]
            found = calibrated_rule(self._refit(self.samples), self.rules[i], *losses)
            self._calibrated["rule", i] = found
        return self._calibrated["rule", i]

    def calibrated_cost(self, i: int) -> CalibratedLoss:
        """Return the cost of decisions in one application before and after calibration."""
        if ("cost", i) not in self._calibrated:
            refit, before = self._refit(self.uses[i].samples), self.decisions[i]
            found = calibrated_cost(refit, before, self.calibrated_decisions[i].cost)
            self._calibrated["cost", i] = found
        return self._calibrated["cost", i]

    def _refit(self, samples: Samples) -> Refit:
        """Return the calibrator fitted to all samples, once for each priors."""
        key, stage = samples.priors.tobytes(), self._stage
        if key not in self._refits:
            kept = isinstance(stage.folds, HeldOut)
            _ = self.calibrated_at(samples, to_all=not kept)
            fit = self._fits[key, not kept]
            keys = [
                c for t in self.uses if isinstance(t.costs, SampleCosts) for c in t.costs.varying()
            ]
            known = samples, stage.calibrator, fit.maps[0], fit.floor, keys
            found = Refit.from_samples(*known, kept=kept)
            self._refits[key] = found
        return self._refits[key]

    def calibrated_values(self) -> dict[str, float]:
        """Return every loss after calibration and what it recovers, by the fits themselves."""
        if self.stage is None:
            return {}
        names = [(use.name, "nec") for use in self.uses]
        names += [(key_of(rule.name), "normalized") for rule in self.rules]
        before = (*(d.cost for d in self.decisions), *self.expected_losses)
        after = (*(d.cost for d in self.calibrated_decisions), *self.calibrated_losses)
        out = {}
        for (name, short), a, b in zip(names, before, after, strict=True):
            out[f"{name}.calibrated_{short}"] = b.normalized
            out[f"{name}.calibration_loss"] = a.normalized - b.normalized
            out[f"{name}.relative"] = (a.value - b.value) / a.value if a.value > 0 else math.nan
        return out
