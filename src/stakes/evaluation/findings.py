"""What an evaluation tells: frozen records, plain to read and to write down."""

from __future__ import annotations

__all__ = [
    "ApplicationResult",
    "ClassResult",
    "DataSummary",
    "Evaluation",
    "LossResult",
    "SliceResult",
    "Verdict",
]

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np

from stakes._codes import CodeExplanation, explain_code
from stakes._files import write_text
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import key_of, number, plain, plain_list
from stakes._typing import FloatArray, Label, Names
from stakes.costs import CostMatrix, SampleCosts
from stakes.curves import OperatingPoint
from stakes.evaluation.python_calls import python_calls
from stakes.evaluation.score_thresholds import ScoreThreshold
from stakes.evaluation.sketch import Sketch
from stakes.evaluation.tracking import Carded, Tracked
from stakes.metrics import CalibrationError, ConfusionMatrix, Explanation
from stakes.results import Estimate, ExpectedLoss, Interval, json_number

_MOST_NAMES = 8  # of classes, in a text
_STANDINGS = {
    "useful": "useful",
    "worse_than_naive": "worse",
    "practically_equal": "the same",
    "not_distinguishable": "unclear",
    "too_few_samples": "too few",
    "no_interval": "no interval",
    "no_verdict": "none",
}


class Paged(Record):
    """A record with a page, made in a package above, by name so that no import goes up."""

    @answered
    def to_html(self, *, title: str = "", source: str = "", unit: str = "", date: str = "") -> str:
        """Return one interactive page that loads nothing from elsewhere, as HTML.

        Parameters
        ----------
        title, source, date : str, optional
            The heading, the name of the data, and a date below the heading.
        unit : str, optional
            The unit of cost, such as "EUR" or "250 EUR", for costs in money.
        """
        page: str = import_module("stakes.report").html_of(self, title, source, unit, date)
        return page

    @answered
    def save_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        source: str = "",
        unit: str = "",
        date: str = "",
    ) -> None:
        """Write the page of `to_html` to a file, replacing an existing one.

        Parameters
        ----------
        path : str or path
            The file to write.
        title : str, optional
            As in `to_html`.
        source : str, optional
            As in `to_html`.
        unit : str, optional
            As in `to_html`.
        date : str, optional
            As in `to_html`.
        """
        write_text(path, self.to_html(title=title, source=source, unit=unit, date=date))

    def _repr_html_(self) -> str:
        report = import_module("stakes.report")
        frame: str = report.notebook_frame(report.page_of(self))
        return frame

    def _repr_markdown_(self) -> str:
        """Return what was found as Markdown, for exports and viewers without frames."""
        report = import_module("stakes.report")
        text: str = report.notebook_text(self, report.page_of(self))
        return text


def plain_values(record: object, **names: str) -> dict[str, Any]:
    """Return the fields of a record as plain values, fit for JSON, some under other names."""
    fields_ = {name: value for name, value in vars(record).items() if name != "sketch"}
    return {names.get(name, name): plain_value(value) for name, value in fields_.items()}


def plain_value(value: Any) -> Any:  # noqa: ANN401
    """Return a value of a record, fit for JSON."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, np.ndarray):
        listed = value.tolist()
        plain_already = value.dtype.kind != "f" or np.isfinite(value).all()
        return listed if plain_already else [plain_value(each) for each in listed]
    if isinstance(value, list):  # a row of an array
        return [plain_value(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain_value(each) for name, each in value.items()}
    return [plain_value(each) for each in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, eq=False)
class DataSummary(Record):
    """The evaluated samples: their number, classes and priors.

    Attributes
    ----------
    n : int
        Number of samples.
    classes : tuple of names
    counts : tuple of int
        Number of samples of each class.
    priors : array
        Shares in the data, by weight.
    weighted : bool
        Whether samples have weights.
    groups : int or None
        Number of groups.
    scores : str
        What the scores are.
    adapted : bool
        Whether posteriors were adapted from training priors to deployment priors.

    See Also
    --------
    evaluate : returns it as `data`.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> found = stakes.evaluate(data.y, good, calibrator=None).data
    >>> found.n, min(found.counts) >= 30  # enough samples of each class
    (499, True)
    """

    n: int
    classes: Names
    counts: tuple[int, ...]
    priors: FloatArray  # shares in the data, by weight
    weighted: bool
    groups: int | None
    scores: str
    adapted: bool = False  # from the priors of training to those of use

    def __str__(self) -> str:
        counts = zip(self.classes, self.counts, strict=True)
        listed = plain_list([f"{name} {n}" for name, n in counts], _MOST_NAMES)
        more = [f"{self.groups} groups"] * (self.groups is not None) + ["weighted"] * self.weighted
        return ", ".join([f"{self.n} samples of {len(self.classes)} classes: {listed}", *more])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        names = {"classes": [str(c) for c in self.classes]}
        return plain_values(self, n="samples", counts="samples_per_class") | names


@dataclass(frozen=True, eq=False)
class LossResult(Record):
    """An expected loss before and after calibration, each with its interval.

    Attributes
    ----------
    raw : ExpectedLoss
        Loss of the uncalibrated scores.
    value : Estimate
    normalized : Estimate
        The loss divided by the naive loss.
    calibrated : ExpectedLoss or None
        Loss after calibration.
    calibrated_normalized : Estimate or None
    calibration_loss : Estimate or None
        What calibration recovers, normalised.
    relative : Estimate or None
        Calibration loss divided by the raw loss.

    See Also
    --------
    evaluate : returns it for costs and scoring rules.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> raw = data.posteriors([0.5, 0.5])
    >>> cost = stakes.evaluate(data.y, raw).main.cost
    >>> cost.calibrated_normalized.value < cost.normalized.value  # calibration helps
    True
    """

    raw: ExpectedLoss
    value: Estimate
    normalized: Estimate
    calibrated: ExpectedLoss | None = None
    calibrated_normalized: Estimate | None = None
    calibration_loss: Estimate | None = None  # normalised
    relative: Estimate | None = None  # calibration loss over the raw loss

    @property
    def instead(self) -> str:
        """The loss after calibration, if the uncalibrated one is infinite; empty elsewhere."""
        if self.calibrated_normalized is None or not math.isinf(self.raw.value):
            return ""
        return f", calibrated {self.calibrated_normalized}"

    def __str__(self) -> str:
        parts = [f"{self.raw.name} {self.value}", f"normalised {self.normalized} (naive 1)"]
        if self.calibrated_normalized is not None:
            parts.append(f"calibrated {self.calibrated_normalized}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        undefined = self.raw.undefined
        return {
            "name": self.raw.name,
            "value": self.value.to_dict(),
            "normalized": self.normalized.to_dict(),
            "naive": json_number(self.raw.naive),
            "naive_answer": str(self.raw.naive_answer),
            "undefined": None if undefined is None else vars(undefined),
            "infinite_samples": self.raw.infinite_samples,
            "by_class": {str(k): json_number(v) for k, v in self.raw.by_class.items()},
            "calibrated": plain_value(self.calibrated_normalized),
            "calibration_loss": plain_value(self.calibration_loss),
            "relative_calibration_loss": plain_value(self.relative),
        }


@dataclass(frozen=True, eq=False)
class ApplicationResult(Record):
    """The cost of Bayes decisions with the scores in one application.

    Attributes
    ----------
    name : str
    costs : CostMatrix or SampleCosts
    cost : LossResult
        Cost of the Bayes decisions.
    confusion : ConfusionMatrix
        Counts of the Bayes decisions.
    threshold : float or None
        Threshold on the posterior of the last of two classes.
    llr_threshold : float or None
        Threshold on the natural log likelihood ratio.
    abstention : Estimate or None
        Share of cases with a decision that is not a class.
    minimum : Estimate or None
        The least normalised cost of any threshold.
    minimum_point : OperatingPoint or None
        The point that reaches it.
    traditional : tuple of Explanation
    traditional_estimates : mapping from name to Estimate
    errors : mapping from kind to int
        Number of samples with each kind of error.
    score_threshold : ScoreThreshold or None
        Threshold on the scores as they were given.

    See Also
    --------
    evaluate : returns it for each application.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> costs = {"miss": 5, "false_alarm": 1}
    >>> use = stakes.evaluate(data.y, good, costs=costs, calibrator=None).main
    >>> round(use.threshold, 3), use.cost.normalized.interval.high < 1
    (0.167, True)

    The system is useful with the threshold 0.167.
    """

    name: str
    costs: CostMatrix | SampleCosts
    cost: LossResult
    confusion: ConfusionMatrix
    threshold: float | None
    llr_threshold: float | None
    abstention: Estimate | None
    minimum: Estimate | None  # the least normalised cost of any threshold
    minimum_point: OperatingPoint | None
    traditional: tuple[Explanation, ...]
    traditional_estimates: Mapping[str, Estimate]
    errors: Mapping[str, int] = field(default_factory=dict)  # how many samples, by kind
    score_threshold: ScoreThreshold | None = None  # on the scores as they were delivered

    @property
    def priors(self) -> FloatArray:
        """How often each class occurs in this application."""
        return self.cost.raw.priors

    def __str__(self) -> str:
        point = self.minimum_point
        where = "" if point is None else f" at threshold {number(point.threshold)}"
        facts = {
            "expected cost": self.cost.value,
            "normalised": f"{self.cost.normalized} (naive 1)",
            "calibrated": self.cost.calibrated_normalized,
            "best threshold": None if self.minimum is None else f"{self.minimum}{where}",
            "Bayes threshold": None if self.threshold is None else number(self.threshold),
            "abstains": self.abstention,
            "errors": ", ".join(f"{n} {kind}" for kind, n in self.errors.items()) or None,
            **self.traditional_estimates,
        }
        shown = {name: fact for name, fact in facts.items() if fact is not None}
        width = max(map(len, shown))
        lines = [f"  {name:<{width}}  {fact}" for name, fact in shown.items()]
        return "\n".join([plain(self.name), *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        costs = self.costs.to_lists() if isinstance(self.costs, CostMatrix) else None
        raw, point, known = self.cost.raw, self.minimum_point, self.traditional_estimates
        return {
            "name": self.name,
            "costs": costs,
            "decisions": [str(d) for d in self.costs.decisions],
            "priors": dict(zip(map(str, raw.classes), raw.priors.tolist(), strict=True)),
            "priors_from_data": raw.priors_from_data,
            "expected_cost": self.cost.to_dict(),
            "confusion_matrix": self.confusion.to_dict(),
            "errors": dict(self.errors),
            "threshold": plain_value(self.threshold),
            "llr_threshold": plain_value(self.llr_threshold),
            "score_threshold": plain_value(self.score_threshold),
            "abstention_rate": plain_value(self.abstention),
            "minimum_cost": plain_value(self.minimum),
            "minimum_threshold": plain_value(point and point.threshold),
            "traditional": [
                {**e.to_dict(), "estimate": plain_value(known.get(e.metric.name))}
                for e in self.traditional
            ],
        }


@dataclass(frozen=True, eq=False)
class ClassResult(Record):
    """One class: its number of samples, and the loss on it.

    Attributes
    ----------
    name : label
    samples : int
    prior : float
    cost : Estimate
        Mean cost of its samples.
    cross_entropy : Estimate
    recall : Estimate or None

    See Also
    --------
    evaluate : returns it for each class.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> settings = {"costs": {"miss": 5, "false_alarm": 1}, "calibrator": None}
    >>> classes = stakes.evaluate(data.y, good, **settings).by_class
    >>> max(classes, key=lambda each: each.cost.value).name  # look at errors of this class first
    1
    """

    name: Label
    samples: int
    prior: float
    cost: Estimate
    cross_entropy: Estimate
    recall: Estimate | None

    def __str__(self) -> str:
        recall = "" if self.recall is None else f", recall {self.recall}"
        losses = f"mean cost {self.cost}, mean cross-entropy {self.cross_entropy}"
        return f"{plain(self.name)}: {self.samples} samples, {losses}{recall}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        values = plain_values(self, cost="mean_cost", cross_entropy="mean_cross_entropy")
        return {"class": str(values.pop("name")), **values}


@dataclass(frozen=True, eq=False)
class SliceResult(Record):
    """The samples that share a value of a column.

    Attributes
    ----------
    column : str
    value : str
    samples : int
    counts : tuple of int
        Number of samples of each class.
    cost : Estimate or None
        Normalised cost.
    cross_entropy : Estimate or None
        Normalised cross-entropy.
    why : str
        Why there is no value.
    verdict : Verdict or None
        For the first application, corrected for the number of slices.
    auc : Estimate or None
    mean_score : float or None
        Mean posterior of the last of two classes; with more classes, mean confidence.
    rate : float or None
        How often that class, or the chosen class, was the true one.
    calibration_gap : Estimate or None
        Mean score minus rate.
    traditional : mapping from name to Estimate

    See Also
    --------
    evaluate : returns it for each value of `slices`.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> settings = {"slices": ["a", "b"] * 249 + ["a"], "calibrator": None}
    >>> slices = stakes.evaluate(data.y, good, **settings).slices
    >>> max(slices, key=lambda each: each.cost.value).value  # look at this site first
    'a'
    """

    column: str
    value: str
    samples: int
    counts: tuple[int, ...]
    cost: Estimate | None
    cross_entropy: Estimate | None
    why: str = ""  # there is none
    verdict: Verdict | None = None  # on the main application, corrected for how many slices
    auc: Estimate | None = None
    mean_score: float | None = None  # of the last of two classes; of more, the mean confidence
    rate: float | None = (
        None  # how often that class occurs; of more, how often that answer is right
    )
    calibration_gap: Estimate | None = None  # mean score less rate: 0 for calibrated scores
    traditional: Mapping[str, Estimate] = field(default_factory=dict)

    def __str__(self) -> str:
        cost = f"normalised cost {self.cost}" if self.cost is not None else f"no cost: {self.why}"
        standing = f" ({self.standing})" if self.standing else ""
        where = f"{plain(self.column)} = {plain(self.value)}"
        return f"{where}: {self.samples} samples, {cost}{standing}"

    @property
    def standing(self) -> str:
        """The verdict in a word or two, for tables."""
        return "" if self.verdict is None else _STANDINGS.get(self.verdict.code, "")

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        names = {"counts": "samples_per_class", "cost": "normalized_cost", "why": "undefined"}
        values = plain_values(self, cross_entropy="normalized_cross_entropy", **names)
        return values | {"undefined": self.why or None}


@dataclass(frozen=True)
class Verdict(Record):
    """A finding in one sentence, and what to do next.

    Attributes
    ----------
    code : str
        For programs; docs/verdicts.md states the rule of each.
    text : str
        What was found.
    advice : str
        What to do.
    action : str
        What to do as a code: `calibrate`, `check_classes` or `name_groups`; empty if there is no
        function for it.
    application : str
        The application it is about; empty if it is about all.

    See Also
    --------
    evaluate, compare, evaluate_decisions : return verdicts.
    explain_code : explains a code.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> verdict = stakes.evaluate(data.y, good, calibrator=None).verdicts[0]
    >>> verdict.code == "useful"  # let a program decide by the code
    True
    """

    code: str
    text: str
    advice: str = ""
    action: str = ""
    application: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.text, self.advice) if part)

    @property
    def explanation(self) -> CodeExplanation:
        """What the code means, when it is used, and what to do."""
        return explain_code(self.code)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return plain_values(self)


@dataclass(frozen=True, eq=False)
class Evaluation(Paged, Tracked, Carded):
    """Everything known about a system: its costs, the quality of its probabilities, intervals.

    Attributes
    ----------
    data : DataSummary
    applications : tuple of ApplicationResult
    rules : tuple of LossResult
        The scoring rules, the cross-entropy first.
    ranking : mapping from name to Estimate
        AUC and others.
    calibration_errors : mapping from name to CalibrationError
    by_class : tuple of ClassResult
    slices : tuple of SliceResult
    level : float
        Confidence level of the intervals.
    calibrator : str or None
    fitted : str
        What the calibrator was fitted on.
    seed : int
        Seed of the folds.
    slope : Estimate or None
        Calibration slope: 1 for calibrated scores.
    verdicts : tuple of Verdict
    notes : tuple of str
        What else a user should know.
    sketch : Sketch or None
        The scores in little memory, for the page.

    See Also
    --------
    evaluate : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> costs = {"miss": 5, "false_alarm": 1}
    >>> result = stakes.evaluate(data.y, good, costs=costs, calibrator=None)
    >>> result.verdicts[0].code  # so use it
    'useful'
    >>> result.metrics()["cost.nec"].interval.high < 1
    True
    """

    data: DataSummary
    applications: tuple[ApplicationResult, ...]
    rules: tuple[LossResult, ...]
    ranking: Mapping[str, Estimate]
    calibration_errors: Mapping[str, CalibrationError]
    by_class: tuple[ClassResult, ...]
    slices: tuple[SliceResult, ...]
    level: float
    calibrator: str | None
    fitted: str
    seed: int
    slope: Estimate | None = None  # of calibration: 1 for calibrated scores
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = field(default=())
    sketch: Sketch | None = field(default=None, repr=False)  # of the scores, for a page

    @property
    def main(self) -> ApplicationResult:
        """The first application."""
        return self.applications[0]

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name, such as `cost.nec`, `cross_entropy.relative` or `auc`."""
        out: dict[str, Estimate] = {}
        for a in self.applications:
            _add(out, a.name, a.cost, "nec")
            if a.minimum is not None:
                out[f"{a.name}.minimum_nec"] = a.minimum
            if a.abstention is not None:
                out[f"{a.name}.abstention_rate"] = a.abstention
            for name, estimate in a.traditional_estimates.items():
                out[f"{a.name}.{key_of(name)}"] = estimate
        for rule in self.rules:
            _add(out, key_of(rule.raw.name), rule, "normalized")
        out.update(self.ranking)
        for name, error in self.calibration_errors.items():
            out[name] = error.estimate(self.level)
            if error.model is not None:
                bare = "no interval of its own"
                out[f"{name}.debiased"] = Estimate(error.debiased, None, bare)
                expected = error.expected_if_calibrated
                out[f"{name}.expected_if_calibrated"] = Estimate(expected, None, bare)
        if self.slope is not None:
            out["calibration_slope"] = self.slope
        return out

    def _references(self) -> dict[str, float]:
        out: dict[str, float] = {"samples": self.data.n}
        for a in self.applications:
            out[f"{a.name}.value.naive"] = a.cost.raw.naive
            naive = {e.value.name: e.value.naive for e in a.traditional if e.value is not None}
            out |= {f"{a.name}.{key_of(n)}.naive": naive[n] for n in a.traditional_estimates}
        out |= {f"{key_of(rule.raw.name)}.value.naive": rule.raw.naive for rule in self.rules}
        return out | {f"{name}.naive": 0.5 for name in ("auc", "eer") if name in self.ranking}

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, ready for JSON; docs/schema has its format."""
        names = {"rules": "scoring_rules", "fitted": "calibrator_fitted"}
        values = plain_values(self, slope="calibration_slope", **names)
        errors = {name: e.to_dict(self.level) for name, e in self.calibration_errors.items()}
        return values | {"calibration_errors": errors}

    def _document(self) -> tuple[str, dict[str, Any]]:
        return "evaluate", self.to_dict()

    def frame(self) -> dict[str, np.ndarray]:
        """Return every number as columns: metric, value, low, high, method."""
        rows = self.metrics()
        nan = Interval(np.nan, np.nan, self.level)
        low, high = np.array([tuple(e.interval or nan) for e in rows.values()]).T
        return {
            "metric": np.array(list(rows), dtype=object),
            "value": np.array([e.value for e in rows.values()]),
            "low": low,
            "high": high,
            "method": np.array([e.method for e in rows.values()], dtype=object),
        }

    def __str__(self) -> str:
        several = len(self.applications) > 1
        lines = [
            f"{self.data.n} samples of {len(self.data.classes)} classes",
            *(
                f"{f'{plain(a.name)}: ' * several}normalised expected cost {a.cost.normalized}"
                " (naive 1)"
                for a in self.applications
            ),
            *(f"normalised {r.raw.name} {r.normalized} (naive 1){r.instead}" for r in self.rules),
        ]
        calls = python_calls(self)
        for verdict in self.verdicts:
            call = calls.get(verdict.action, "")
            lines += [f"- {verdict}", *([f"  {call}"] if call else [])]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


def _add(out: dict[str, Estimate], name: str, loss: LossResult, normalized: str) -> None:
    parts = {
        "value": loss.value,
        normalized: loss.normalized,
        f"calibrated_{normalized}": loss.calibrated_normalized,
        "calibration_loss": loss.calibration_loss,
        "relative": loss.relative,
    }
    out.update({f"{name}.{part}": e for part, e in parts.items() if e is not None})
