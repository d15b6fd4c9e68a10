"""Responses at a confidence target: their worth, when to abstain, whether confidence is true."""

from __future__ import annotations

__all__ = ["ResponseEvaluation", "evaluate_responses"]

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_seed
from stakes._errors import kind_of
from stakes._foreign_calls import answered
from stakes._text import table
from stakes._typing import Column
from stakes.calibration import Calibrator, IsotonicCalibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.registry import read_calibrator
from stakes.costs.confidence_target import CHOICES, TRUTHS, ConfidenceTarget, as_target
from stakes.curves import RiskCoverageCurve
from stakes.evaluation.entry import evaluate
from stakes.evaluation.findings import Evaluation, Paged, Verdict, plain_values
from stakes.evaluation.tracking import Tracked
from stakes.responses.abstention_rules import (
    AbstentionRule,
    Rules,
    calibrate_confidence,
    no_calibration,
    open_folds,
    open_samples,
)
from stakes.responses.bounded_means import bounded_mean
from stakes.responses.constant_rules import always_answering, beside_constants
from stakes.responses.response_measures import NAMES, own_measures
from stakes.responses.response_samples import Responses
from stakes.responses.response_sketch import ResponseSketch, response_sketch
from stakes.responses.response_slices import ResponseSlice, response_slices
from stakes.responses.response_verdicts import (
    confidence_verdict,
    response_cautions,
    rule_verdict,
    slice_verdicts_of,
    worth_verdict,
)
from stakes.responses.risk_control import RiskLimit, coverage_at_risk
from stakes.responses.selective_areas import curve_of_confidence, selective_areas
from stakes.responses.target_curves import TARGETS, TargetCurve, target_curve
from stakes.results import Estimate, value_of

CALIBRATOR = IsotonicCalibrator(mix=1.0)  # never fitted itself


CONSTANTS = {CHOICES[0]: "always answering", CHOICES[1]: "never answering"}


@dataclass(frozen=True, eq=False)
class ResponseEvaluation(Paged, Tracked):
    """Everything known about responses at a confidence target.

    `numbers` has utility, cost, shares and rates with intervals; `rules` has the results of other
    rules on the confidence; `curve` has the utility at every target; `confidence` evaluates the
    stated confidences, as an evaluation of "right" against "wrong".

    Attributes
    ----------
    responses : Responses
    target : ConfidenceTarget
    naive : tuple of str and float
        The better constant rule, and its utility.
    numbers : mapping from name to Estimate
    rules : tuple of AbstentionRule
    curve : TargetCurve
    areas : mapping from name to Estimate
        AURC and AUGRC of the confidence.
    risk_coverage : RiskCoverageCurve or None
    risk_limit : RiskLimit or None
    confidence : Evaluation or None
    why_no_confidence : str
        Empty if there is one.
    overconfidence : Estimate or None
        Mean confidence minus accuracy.
    slices : tuple of ResponseSlice
    level : float
        Confidence level of the intervals.
    seed : int
        Seed of the folds.
    calibrator : str or None
    verdicts : tuple of Verdict
    notes : tuple of str
    calibrated : array or None
        Calibrated confidences, for the page.
    constants : mapping from rule to float
        Utility of never and always answering.
    sketch : ResponseSketch or None
        The responses in little memory, for the page.

    See Also
    --------
    evaluate_responses : returns it.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True, False] * 100, [0.9] * 200)
    >>> found = stakes.evaluate_responses(said, 0.75, calibrator=None)
    >>> found.numbers["utility"].interval.high < 0  # worse than never answering: abstain more
    True
    """

    responses: Responses = field(repr=False)
    target: ConfidenceTarget
    naive: tuple[str, float]  # the better constant rule, and its utility
    constants: Mapping[str, float]  # utility of answering never and always, by rule
    numbers: Mapping[str, Estimate]
    rules: tuple[AbstentionRule, ...]
    curve: TargetCurve
    areas: Mapping[str, Estimate]  # AURC and AUGRC of the confidence
    risk_coverage: RiskCoverageCurve | None
    risk_limit: RiskLimit | None
    confidence: Evaluation | None
    why_no_confidence: str
    overconfidence: Estimate | None  # mean confidence less accuracy
    slices: tuple[ResponseSlice, ...]
    level: float
    seed: int
    calibrator: str | None
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    sketch: ResponseSketch | None = field(default=None, repr=False)  # for the page

    @property
    def verdict(self) -> str:
        """One sentence: whether the responses are useful."""
        return self.verdicts[0].text

    @cached_property
    def rule(self) -> Mapping[str, AbstentionRule]:
        """The rules by name: own, stated, calibrated."""
        return {rule.name: rule for rule in self.rules}

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name, such as `utility` or `confidence.brier_score.value`."""
        out = dict(self.numbers)
        for rule in self.rules[1:]:
            out[f"{rule.name}.utility"] = rule.utility
            out[f"{rule.name}.answered"] = rule.answered
            if rule.gain is not None:
                out[f"{rule.name}.gain"] = rule.gain
        out |= self.areas
        if self.overconfidence is not None:
            out["overconfidence"] = self.overconfidence
        if self.confidence is not None:
            out |= {f"confidence.{k}": e for k, e in self.confidence.metrics().items()}
        return out

    def _references(self) -> dict[str, float]:
        return {"responses": float(len(self.responses)), "utility.naive": self.naive[1]}

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, ready for JSON."""
        said = self.responses
        values = {
            "responses": len(said),
            "right": int(said.is_right.sum()),
            "wrong": int(said.is_wrong.sum()),
            "abstained": int(said.abstained.sum()),
            "unknown_abstentions": said.unknown,
            "groups": None if said.groups is None else int(np.unique(said.groups).size),
            "target": self.target.t,
            "penalty": self.target.penalty,
            "naive": {"rule": CONSTANTS[self.naive[0]], "utility": self.naive[1]},
            "constants": {CONSTANTS[rule]: points for rule, points in self.constants.items()},
        }
        skipped = {*values, "risk_coverage"}
        rest = {k: v for k, v in plain_values(self).items() if k not in skipped}
        return values | rest

    def _document(self) -> tuple[str, dict[str, Any]]:
        return "answers", self.to_dict()

    def __str__(self) -> str:
        rows = [[NAMES[name], str(e)] for name, e in self.numbers.items()]
        lines = [str(self.responses), str(self.target), table(rows, names=2), str(self.curve)]
        return "\n".join([*lines, *(f"- {verdict}" for verdict in self.verdicts)])


@answered
def evaluate_responses(  # noqa: PLR0913  the data, the target, the calibrator, the intervals
    responses: Responses,
    target: ConfidenceTarget | float = 0.5,
    *,
    risk: float | None = None,
    calibrator: Calibrator | None = CALIBRATOR,
    folds: Folds = 5,
    slices: Mapping[str, Column] | Column | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> ResponseEvaluation:
    """Evaluate answers and abstentions: their utility, and when the system should abstain.

    Parameters
    ----------
    responses : Responses
        The answers and abstentions.
    target : ConfidenceTarget or float, default 0.5
        +1 for a right answer, -t/(1-t) for a wrong one, 0 for none.
    risk : float, optional
        The acceptable share of wrong answers, for the coverage at a risk; by default 1 - t.
    calibrator : Calibrator or None, optional
        Turns stated confidence into the probability of being right; by default isotonic regression,
        which suits confidences with few distinct values, including 0 and 1.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`. Groups are never split.
    slices : data frame, mapping from name to column, or one column, optional
        Columns for whose values to give results, such as topics.
    level : float, default 0.95
        Confidence level of the intervals.
    rng : int or Generator, default 0
        Seed of the folds.

    Returns
    -------
    ResponseEvaluation
        With `numbers`, `rules`, `curve`, `confidence`, `verdicts`, `metrics()`, `to_dict()`.

    See Also
    --------
    compare_responses : several systems on the same questions.
    coverage_at_risk : how much can be answered at an acceptable risk.

    Examples
    --------
    A model that always states 90 %, and is right in half of its answers, should abstain more:

    >>> import stakes
    >>> said = stakes.Responses([True, False] * 100, [0.9] * 200)
    >>> found = stakes.evaluate_responses(said, 0.75)
    >>> found.numbers["utility"].value, [verdict.code for verdict in found.verdicts]
    (-1.0, ['worse_than_naive', 'abstain_more', 'overconfident'])
    """
    if not isinstance(responses, Responses):
        rule = "must be Responses(right, confidence, ...)"
        raise InputError("responses", rule, kind_of(responses))
    responses = responses.in_order()
    target, level, seed = as_target(target), read_level(level), read_seed(rng)
    own, calibrator = own_measures(responses, level), read_calibrator(calibrator)
    fitted = calibrate_confidence(responses, calibrator, folds, seed)
    rules = Rules(responses, fitted, level)
    found = tuple(rules.at(target))
    record, normalized = own.normalized(target)
    naive = str(record.naive_answer), target.utility(record.naive)
    why = no_calibration(responses)
    confidence = None if why else _confidence(responses, target, calibrator, folds, level, seed)
    gap = None if why else _overconfidence(responses, level)
    evaluation = ResponseEvaluation(
        responses=responses,
        target=target,
        naive=naive,
        constants={CHOICES[1]: 0.0, CHOICES[0]: always_answering(responses, target)},
        numbers=own.all_of(target),
        rules=found,
        curve=target_curve(rules, sorted({*TARGETS, target.t})),
        areas=selective_areas(responses, level),
        risk_coverage=curve_of_confidence(responses),
        risk_limit=_risk_limit(responses, risk, target, level),
        confidence=confidence,
        why_no_confidence=why,
        overconfidence=gap,
        slices=response_slices(responses, slices, target, level),
        level=level,
        seed=seed,
        calibrator=None if fitted.calibrator is None else fitted.calibrator.name,
        notes=(f"No calibrated rule: {fitted.why}.",) if fitted.why else (),
        sketch=response_sketch(responses, fitted),
    )
    worth = worth_verdict(
        target,
        evaluation.numbers["utility"],
        normalized,
        naive,
        beside_constants(own, target),
        level,
    )
    return replace(evaluation, verdicts=tuple(_verdicts(evaluation, worth, normalized)))


def _verdicts(found: ResponseEvaluation, worth: Verdict, normalized: Estimate) -> list[Verdict]:
    said = found.responses
    out = [worth, *rule_verdict(found.target, found.rule, found.level)]
    if found.overconfidence is not None and said.confidence is not None:
        kept, share = said.open, said.shares
        weight = share[kept] / share[kept].sum()
        stated, right = float(weight @ said.confidence[kept]), float(weight @ said.right[kept])
        out += confidence_verdict(found.overconfidence, stated, right, found.level)
    names = [f"{part.column} {part.value}" for part in found.slices]
    out += slice_verdicts_of([part.verdict for part in found.slices], names)
    bounded = normalized.method.startswith("largest possible")
    return out + list(response_cautions(int(said.is_wrong.sum()), said.unknown, bounded=bounded))


def _confidence(
    responses: Responses,
    target: ConfidenceTarget,
    calibrator: Calibrator | None,
    folds: Folds,
    level: float,
    seed: int,
) -> Evaluation:
    """Evaluate confidences as probabilities of right answers, at the costs of the target."""
    samples = open_samples(responses)
    return evaluate(
        np.array(TRUTHS)[samples.y], samples.scores, costs=target.costs(), classes=TRUTHS,
        calibrator=calibrator, folds=open_folds(responses, folds), level=level,
        groups=samples.groups, sample_weight=samples.weights, rng=seed,
    )  # fmt: skip


def _overconfidence(responses: Responses, level: float) -> Estimate:
    """Return mean confidence less accuracy, on answers of which both are known."""
    part = responses.part(np.flatnonzero(responses.open))
    assert part.confidence is not None  # noqa: S101  it is known
    gap = part.confidence - part.right
    return value_of(
        bounded_mean("overconfidence", gap, part.shares, (-1.0, 1.0), part.groups), level
    )


def _risk_limit(
    responses: Responses, risk: float | None, target: ConfidenceTarget, level: float
) -> RiskLimit | None:
    if risk is None:
        risk = target.abstention
        if responses.confidence is None or responses.weights is not None or risk == 1:
            return None
    return coverage_at_risk(responses, risk, level=level)
