"""One system on checked samples: its losses uncalibrated and calibrated, ready to be resampled."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from stakes._check import InputError
from stakes._text import key_of
from stakes._typing import Column, FloatArray, IntArray
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import (
    CrossFit,
    DealtFolds,
    Folds,
    GivenSplits,
    HeldOut,
    TrainOnTest,
    cross_fitted,
    deal_samples,
    group_codes,
)
from stakes.costs import SampleCosts
from stakes.evaluation.applications import ApplicationSamples
from stakes.intervals import (
    CalibratedStatistic,
    LossStatistic,
    Odds,
    Priced,
    RankStatistic,
    Resampling,
    Statistic,
    Training,
    Weighing,
    by_groups,
    count_statistic,
    refitter,
)
from stakes.intervals.refit import Refit
from stakes.metrics import CalibrationError, ConfusionMatrix, DecisionMetric
from stakes.metrics.per_sample import expected_sample_cost
from stakes.metrics.scores import expectation, from_sums, losses_summed, sample_losses
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.scores import Answers
from stakes.scoring import BayesCost, LogLoss, ScoringRule


@dataclass(frozen=True, eq=False)
class ApplicationDecisions:
    """The Bayes decisions of a system in one application, and what they cost."""

    use: ApplicationSamples
    indices: IntArray
    cost: ExpectedLoss
    own_unit: IntArray | None = None  # groups of its rows, where they are not those of the system

    def unit(self, of_system: IntArray | None) -> IntArray | None:
        """Return the group of each row, from those of the system."""
        return of_system if self.own_unit is None else self.own_unit

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """How many samples of each class got each decision."""
        s, costs = self.use.samples, self.use.costs
        return ConfusionMatrix.from_codes(
            s.y, self.indices, s.weights, costs.classes, costs.decisions, s.copies
        )

    @cached_property
    def in_use(self) -> ConfusionMatrix:
        """The same at the priors of the application."""
        s = self.use.samples
        return self.confusion if s.priors_from_data else self.confusion.at_priors(s.priors)

    def losses(self) -> FloatArray:
        """Return the cost of each sample."""
        return self.use.costs.at(self.use.samples.y, self.indices)

    def naive_losses(self) -> FloatArray:
        """Return what the naive decision costs each sample."""
        costs, y = self.use.costs, self.use.samples.y
        best = costs.decisions.index(self.cost.naive_answer)
        return costs.at(y, np.full(y.size, best))


def bayes_decisions(use: ApplicationSamples) -> ApplicationDecisions:
    """Decide and price the samples of an application."""
    return price_decisions(use, use.decide())


def price_decisions(use: ApplicationSamples, decided: IntArray) -> ApplicationDecisions:
    """Price decisions that were made."""
    samples, costs = use.samples, use.costs
    if isinstance(costs, SampleCosts):
        costs = costs.constant() or costs
    if isinstance(costs, SampleCosts):
        given = None if samples.priors_from_data else samples.priors
        cost = expected_sample_cost(
            costs, samples.y, decided, samples.weights, given, samples.copies
        )
        return ApplicationDecisions(use, decided, replace(cost, name="Bayes expected cost"))
    sums = losses_summed(costs.at(samples.y, decided), samples)
    empty = np.empty(0, dtype=np.int64)
    return ApplicationDecisions(use, decided, from_sums(BayesCost(costs), sums, samples, empty))


@dataclass(frozen=True, eq=False)
class CalibrationStage:
    """A calibration stage: how it is fitted, and the parts it is fitted on."""

    calibrator: Calibrator
    folds: GivenSplits | DealtFolds | TrainOnTest | HeldOut
    groups: IntArray | None
    seed: int

    def fit(self, samples: Samples) -> CrossFit:
        """Return calibrated scores of samples at their priors."""
        return cross_fitted(self.calibrator, samples, self.folds, None, self.seed)

    def fit_to_all(self, samples: Samples) -> CrossFit | None:
        """Return scores calibrated by a fit to the same samples; None without folds."""
        if isinstance(self.folds, TrainOnTest | HeldOut):
            return None
        return cross_fitted(self.calibrator, samples, TrainOnTest(), None, self.seed)

    @property
    def text(self) -> str:
        """How the calibrator was fitted."""
        if isinstance(self.folds, TrainOnTest | HeldOut):
            return str(self.folds)
        kept = "" if self.groups is None else ", groups kept whole"
        return f"cross-fitted on {len(self.folds.pairs)} folds{kept}"


def with_calibration(
    system: "System", calibrator: Calibrator | None, folds: Folds, groups: Column | None, seed: int
) -> "System":
    """Return a system with a calibration stage, whose folds are dealt once for all uses.

    Rows whose copies come into several folds are parted, so that each has a calibrated score.
    """
    if calibrator is None:
        return system
    if not isinstance(calibrator, Calibrator):
        rule = "must be one, such as AffineCalibrator(), or None"
        raise InputError("calibrator", rule, repr(calibrator))
    unit = None if groups is None else group_codes(groups, system.samples)
    samples, uses, rules, of_all = system.samples, system.uses, system.rules, system.of_all
    if isinstance(folds, TrainOnTest | HeldOut):
        stage = CalibrationStage(calibrator, folds, unit, seed)
        return System(samples, uses, rules, stage, of_all=of_all)
    dealt = deal_samples(samples, folds, groups, seed)
    stage = CalibrationStage(calibrator, dealt.folds, unit, seed)
    if dealt.kept is None:
        return System(samples, uses, rules, stage, of_all=of_all)
    uses = tuple(_parted(use, samples, dealt.samples, dealt.kept) for use in uses)
    return System(dealt.samples, uses, rules, stage, system, dealt.kept, of_all)


def _parted(
    use: ApplicationSamples, samples: Samples, parted: Samples, kept: IntArray
) -> ApplicationSamples:
    """Return an application of samples whose rows were parted."""
    at = use.samples
    scores = parted.scores if at.scores is samples.scores else at.scores.part(kept)
    costs = use.costs.part(kept) if isinstance(use.costs, SampleCosts) else use.costs
    samples = replace(parted, scores=scores, priors=at.priors, priors_from_data=at.priors_from_data)
    return ApplicationSamples(use.name, costs, samples)


def read_units(groups: Column | None, samples: Samples) -> IntArray | None:
    """Return the group of each sample as a number, where groups are drawn whole."""
    if groups is None:
        return None
    unit = group_codes(groups, samples)
    if unit.max() == 0:
        rule = "must hold at least two groups"
        raise InputError("groups", rule, found="one cannot tell how others differ")
    return unit


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Samples of each class and group, and the mean of a loss over each of these rows."""

    samples: Samples
    unit: IntArray
    losses: FloatArray

    def applied(self, record: ExpectedLoss) -> ExpectedLoss:
        """Return an expected loss whose intervals take whole groups as what varies."""
        at = replace(self.samples, priors=record.priors, priors_from_data=record.priors_from_data)
        return by_groups(record, at, self.losses, self.unit, means=True)


@dataclass(frozen=True, eq=False)
class SumsOfAll:
    """What is known of all samples, where single ones are known of some only."""

    samples: Samples  # a row for each class and decision, with its number; no scores
    decisions: tuple[ApplicationDecisions, ...]
    losses: Mapping[ScoringRule, ExpectedLoss]  # with groups, where there are any
    errors: Mapping[str, CalibrationError]
    groups: Mapping[ScoringRule, GroupMeans]  # where samples come in groups


@dataclass(frozen=True, eq=False)
class System:
    """A system on checked samples, in some applications and by some scoring rules."""

    samples: Samples
    uses: tuple[ApplicationSamples, ...]
    rules: tuple[ScoringRule, ...]
    stage: CalibrationStage | None
    whole: "System | None" = None  # before copies of a row were dealt to several folds
    kept: IntArray | None = None  # and which row of it each row was
    of_all: SumsOfAll | None = None  # where the samples are only some of all
    _fits: dict[bytes, CrossFit] = field(default_factory=dict)
    _whole: dict[bytes, CrossFit] = field(default_factory=dict)  # of fits to all samples

    @property
    def as_given(self) -> "System":
        """The system with its rows as they were given, for what needs no calibrated scores."""
        return self if self.whole is None else self.whole

    def parted(self, given: Samples) -> Samples:
        """Return samples as they were given, with the rows of the system."""
        return given if self.kept is None else given.with_copies(self.kept, self.samples.copies)

    @cached_property
    def decisions(self) -> tuple[ApplicationDecisions, ...]:
        """The decisions of each application."""
        return tuple(bayes_decisions(use) for use in self.uses)

    @property
    def shown(self) -> tuple[ApplicationDecisions, ...]:
        """The decisions of each application, on all samples there are."""
        return self.decisions if self.of_all is None else self.of_all.decisions

    @property
    def raw_shown(self) -> tuple[ExpectedLoss, ...]:
        """The expected loss of each rule, on all samples there are."""
        if self.of_all is None:
            return self.raw
        return tuple(self.of_all.losses[rule] for rule in self.rules)

    @property
    def entropy(self) -> ExpectedLoss:
        """The cross-entropy at the priors of the main application."""
        if self.of_all is not None and LogLoss() in self.of_all.losses:
            return self.of_all.losses[LogLoss()]
        return expectation(LogLoss(), self.decisions[0].use.samples)

    @cached_property
    def raw(self) -> tuple[ExpectedLoss, ...]:
        """The expected loss of each rule."""
        return tuple(expectation(rule, self.samples) for rule in self.rules)

    @cached_property
    def after(self) -> tuple[ExpectedLoss, ...]:
        """The expected loss of each rule after calibration."""
        return tuple(expectation(rule, self.calibrated_samples) for rule in self.rules)

    @property
    def calibrated_samples(self) -> Samples:
        """The samples with calibrated scores."""
        return self.calibrated_at(self.samples)

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
        """What the fits of the calibrator had to say."""
        return tuple(dict.fromkeys(note for fit in self._fits.values() for note in fit.notes))

    @property
    def _stage(self) -> CalibrationStage:
        """The calibration stage, where there is one."""
        if self.stage is None:
            msg = "a calibrator must be given for calibrated losses."
            raise InputError(msg)
        return self.stage

    def calibrated_at(self, samples: Samples) -> Samples:
        """Return samples with calibrated scores; one fit for applications of the same priors."""
        key = samples.priors.tobytes()
        if key not in self._fits:
            self._fits[key] = self._stage.fit(samples)
        return samples.with_scores(self._fits[key].scores)

    def learning_cost(self, rule: ScoringRule, after: float) -> float:
        """Return what fitting to these samples costs compared with endless data.

        The loss on other folds exceeds that of the best fit as much as the loss on the samples of
        the fit falls short of it: half of the difference is the cost of learning.
        """
        better = self._fitted_to_all(self.samples)
        if better is None or not math.isfinite(after):
            return 0.0
        return max((after - expectation(rule, better).value) / 2, 0.0)

    def decision_learning_cost(self, i: int) -> float:
        """Return the same for the decisions of one application."""
        use = self.uses[i]
        better = self._fitted_to_all(use.samples)
        if better is None:
            return 0.0
        best = bayes_decisions(replace(use, samples=better)).cost.value
        return max((self.calibrated_decisions[i].cost.value - best) / 2, 0.0)

    def _fitted_to_all(self, samples: Samples) -> Samples | None:
        """Return samples with scores calibrated on themselves; None without folds."""
        key = samples.priors.tobytes()
        if key not in self._whole:
            found = self._stage.fit_to_all(samples)
            if found is None:
                return None
            self._whole[key] = found
        return samples.with_scores(self._whole[key].scores)

    def statistics(
        self, metrics: Sequence[Sequence[DecisionMetric]], prefix: str = "", *, losses: bool = True
    ) -> list[Statistic]:
        """Return all that is drawn again: losses, decisions, ranking, calibration.

        Samples are taken in the order of their classes, so that sums over a class need no copy.
        Losses can be left out where their intervals have a closed form.
        """
        out = self.loss_statistics(prefix) if losses else []
        if self.stage is not None:
            for samples, priced in self._prices(prefix):
                answers = self._refit(samples, self.order, _given(samples))
                out.append(CalibratedStatistic(self._weighing(samples), priced, answers))
        out += self.count_statistics(metrics, prefix)
        if len(self.samples.classes) == 2:
            out.append(self.ranking(prefix))
        return out

    def count_statistics(
        self, metrics: Sequence[Sequence[DecisionMetric]], prefix: str = ""
    ) -> list[Statistic]:
        """Return metrics of decisions that have no closed-form interval, ready to be resampled."""
        out: list[Statistic] = []
        for decisions, chosen in zip(self.decisions, metrics, strict=True):
            out += _counts(decisions, chosen, self.order, prefix)
        return out

    def loss_statistics(self, prefix: str = "") -> list[Statistic]:
        """Return expected losses and costs as they are drawn again; infinite ones are left out."""
        prices = self._prices(prefix)
        return [LossStatistic(self._weighing(samples), priced) for samples, priced in prices]

    @cached_property
    def order(self) -> IntArray:
        """The samples in the order of their classes."""
        few = len(self.samples.classes) < 2**15  # small whole numbers are sorted by their digits
        return np.argsort(self.samples.y.astype(np.int16) if few else self.samples.y, kind="stable")

    def _weighing(self, samples: Samples) -> Weighing:
        """Return how sums become expectations at the priors of some samples."""
        return Weighing(samples.y[self.order], len(samples.classes), _given(samples))

    def _prices(self, prefix: str) -> list[tuple[Samples, list[Priced]]]:
        """Return all losses by the priors they are had at, so that each needs one fit only."""
        order = self.order
        found: dict[bytes, tuple[Samples, list[Priced]]] = {}
        for decisions in self.decisions:
            _at_priors(found, decisions.use.samples).append(_cost_price(decisions, order, prefix))
        for rule in self.rules:
            losses = sample_losses(rule, self.samples)
            if np.isfinite(losses).all():
                name = f"{prefix}{key_of(rule.name)}"
                priced = Priced(
                    name, "normalized", losses[order], rule.losses, rule.naive, rule=rule
                )
                _at_priors(found, self.samples).append(priced)
        return list(found.values())

    def _refit(self, samples: Samples, order: IntArray, given: FloatArray | None) -> Refit:
        """Return how calibrated posteriors follow from weights."""
        stage = self._stage
        if isinstance(stage.folds, HeldOut):  # fitted elsewhere: no resample changes it
            fixed = self.calibrated_at(samples).scores.part(order).answers(samples.priors)
            return lambda _: fixed
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        every = np.arange(order.size)
        pairs = ((every, every),)
        if isinstance(stage.folds, GivenSplits | DealtFolds):
            pairs = tuple((place[train], place[test]) for train, test in stage.folds.pairs)  # type: ignore[assignment]
        log_p = samples.scores.part(order).answers(samples.priors).log_p
        mass = _scaled(self.samples.mass, order)
        data = Training(log_p, samples.y[order], pairs, given, mass)
        return refitter(stage.calibrator, data)

    def calibrated_values(self, prefix: str = "") -> dict[str, float]:
        """Return what `statistics` gives after calibration, by the fits themselves."""
        if self.stage is None:
            return {}
        names = [(key_of(rule.name), "normalized") for rule in self.rules]
        names += [(use.name, "nec") for use in self.uses]
        before = (*self.raw, *(j.cost for j in self.decisions))
        after = (*self.after, *(j.cost for j in self.calibrated_decisions))
        out = {}
        for (name, short), a, b in zip(names, before, after, strict=True):
            out[f"{prefix}{name}.calibrated_{short}"] = b.normalized
            out[f"{prefix}{name}.calibration_loss"] = a.normalized - b.normalized
            out[f"{prefix}{name}.relative"] = relative_loss(a, b)
        return out

    def ranking(self, prefix: str = "") -> RankStatistic:
        """Return what follows from the order of the scores."""
        odds = [
            Odds(f"{prefix}{t.name}", costs.values, _given(t.samples))
            for t in self.uses
            if (costs := t.binary_costs) is not None
        ]
        ranks = self.samples.scores.ranks()[self.order]
        return RankStatistic(ranks, self.samples.y[self.order], odds, prefix)

    def resampling(self, unit: IntArray | None, seed: int) -> Resampling:
        """Return how the samples are drawn again: class sizes are kept where priors are given."""
        order = self.order
        n, copies = len(self.samples), self.samples.copies
        if unit is not None:
            mass = _scaled(self.samples.mass, order)
            return Resampling(n, seed, unit=unit[order], weights=mass)
        kept = None if self.samples.priors_from_data else self.samples.y[order]
        copies = None if copies is None else copies[order]
        weights = _scaled(self.samples.weights, order)
        return Resampling(n, seed, strata=kept, weights=weights, copies=copies)


def relative_loss(raw: ExpectedLoss, after: ExpectedLoss) -> float:
    """Return the share of a loss that calibration recovers."""
    return (raw.value - after.value) / raw.value if raw.value > 0 else math.nan


def _at_priors(found: dict[bytes, tuple[Samples, list[Priced]]], samples: Samples) -> list[Priced]:
    """Return the losses that were gathered at the priors of some samples."""
    key = samples.priors.tobytes() + bytes([samples.priors_from_data])
    return found.setdefault(key, (samples, []))[1]


def _scaled(weights: FloatArray | None, order: IntArray) -> FloatArray | None:
    """Return weights in some order, of at most 1 so that their sums stay finite."""
    if weights is None:
        return None
    return np.asarray(weights[order] / weights.max(), dtype=np.float64)


def _given(samples: Samples) -> FloatArray | None:
    """Return the priors, unless they are those of the data."""
    return None if samples.priors_from_data else samples.priors


def _cost_price(decisions: ApplicationDecisions, order: IntArray, prefix: str) -> Priced:
    """Return the costs of Bayes decisions as losses."""
    use = decisions.use
    name, losses = f"{prefix}{use.name}", decisions.losses()[order]
    if not isinstance(use.costs, SampleCosts):
        rule = BayesCost(use.costs)
        return Priced(name, "nec", losses, rule.losses, rule.naive, rule=rule)
    costs = use.costs.part(order)
    y = use.samples.y[order]

    def priced(y: IntArray, answers: Answers) -> FloatArray:
        return costs.at(y, costs.least_expected(answers.p))

    constants = [costs.at(y, np.full(y.size, j)) for j in range(costs.shape[2])]
    return Priced(name, "nec", losses, priced, constants=np.column_stack(constants))


def _counts(
    decisions: ApplicationDecisions, metrics: Sequence[DecisionMetric], order: IntArray, prefix: str
) -> list[Statistic]:
    """Return the traditional metrics of the decisions."""
    if not metrics:
        return []
    use = decisions.use
    return [
        count_statistic(
            f"{prefix}{use.name}",
            use.samples.y[order],
            decisions.indices[order],
            (use.costs.classes, use.costs.decisions),
            metrics,
            _given(use.samples),
        )
    ]
