"""What a risk curve shows: one record for each dialect, for areas, and for the worst use."""

from __future__ import annotations

__all__ = ["CalibrationLossView", "CurveArea", "CurveView", "WorstApplication"]

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stakes._records import NumberRecord, Record
from stakes._text import number
from stakes._typing import FloatArray, Names
from stakes.costs import CostMatrix
from stakes.results import Direction, json_number


@dataclass(frozen=True, eq=False)
class CurveView(Record):
    """A risk curve on the axes of one field.

    `actual` is the system at the Bayes threshold; `minimum` is at the best threshold on the same
    data; `cross_fitted` is after cross-fitted calibration. `references` are systems that see no
    input. `low` and `high` are the ends of a pointwise interval of `actual`.

    Attributes
    ----------
    name : str
        Name of the view, such as "decision curve".
    x_name : str
        Name of the column of x.
    x : array
    x_label, y_label : str
        Labels of the axes.
    better : {"higher", "lower"}
    thresholds : array
        Threshold on the posterior for each x.
    actual : array
    minimum : array or None
    cross_fitted : array or None
    references : dict from name to array
        Systems that see no input.
    low, high : array or None
    level : float or None
        Confidence level of the pointwise interval.

    See Also
    --------
    risk_curve : its methods return views.
    RiskDisplay : draws one.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 0, 0, 0, 1, 1], [0.02, 0.05, 0.1, 0.1, 0.15, 0.4, 0.3, 0.7]
    >>> view = stakes.risk_curve(y, p).decision_curve([0.2], level=None)
    >>> bool(view.actual[0] > max(line[0] for line in view.references.values()))
    True

    At a threshold of 20 % the model has more net benefit than treating all or none.
    """

    name: str
    x_name: str
    x: FloatArray
    x_label: str
    y_label: str
    better: Direction
    thresholds: FloatArray
    actual: FloatArray
    minimum: FloatArray | None = None
    cross_fitted: FloatArray | None = None
    references: dict[str, FloatArray] = field(default_factory=dict)
    low: FloatArray | None = None
    high: FloatArray | None = None
    level: float | None = None

    def frame(self) -> dict[str, FloatArray]:
        """Return the columns by name, ready for any data frame."""
        columns = {
            self.x_name: self.x,
            "threshold": self.thresholds,
            "actual": self.actual,
            "low": self.low,
            "high": self.high,
            "minimum": self.minimum,
            "cross_fitted": self.cross_fitted,
            **self.references,
        }
        return {name: column for name, column in columns.items() if column is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return the view as plain values, ready for JSON."""
        columns = {
            name: [json_number(value) for value in column.tolist()]
            for name, column in self.frame().items()
        }
        labels = {"name": self.name, "x": self.x_name, "x_label": self.x_label}
        more = {"y_label": self.y_label, "better": self.better, "level": self.level}
        return {**labels, **more, "columns": columns}

    def __str__(self) -> str:
        span = f"{number(self.x[0])} to {number(self.x[-1])}"
        return f"{type(self).__name__}({self.name}, {self.x.size} points, {self.x_name} {span})"


@dataclass(frozen=True)
class WorstApplication(Record):
    """The threshold with the greatest calibration loss: the costs that suit these scores least.

    `value` is `actual` minus `minimum`. Both jump at the scores of samples; if the greatest loss
    lies just below a jump, so does `threshold`. If a certain answer was wrong, the normalised loss
    has no bound: the value is infinite and the threshold is 0 or 1.

    Attributes
    ----------
    threshold : float
    value : float
    actual : float
    minimum : float
    normalized : bool
        Whether values are divided by the naive cost.
    classes : tuple of names

    See Also
    --------
    RiskCurve.calibration_loss : returns it in its view.
    risk_curve : the curve.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.risk_curve([0, 0, 0, 1, 1], [0.1, 0.6, 0.7, 0.4, 0.9])
    >>> worst = curve.calibration_loss().worst
    >>> worst.value > 0, 0 < worst.threshold < 1
    (True, True)

    Do not use these scores near that threshold without calibration.
    """

    threshold: float
    value: float
    actual: float
    minimum: float
    normalized: bool
    classes: Names = field(repr=False)

    @property
    def ratio(self) -> float:
        """The cost of a miss in false alarms, at that threshold."""
        return (1 - self.threshold) / self.threshold if self.threshold > 0 else math.inf

    @property
    def costs(self) -> CostMatrix:
        """The costs of that application: t for a false alarm, 1 - t for a miss."""
        return CostMatrix.binary(
            miss=1 - self.threshold, false_alarm=self.threshold, classes=self.classes
        )

    def __str__(self) -> str:
        if self.value <= 0:
            return "calibration loses nothing: at every threshold the actual cost is the minimum"
        unit = "of the naive cost" if self.normalized else "where c_FP + c_FN = 1"
        return (
            f"worst at threshold {number(self.threshold)}, a miss worth {number(self.ratio)} false "
            f"alarms: calibration loses {number(self.value)} {unit}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationLossView(CurveView):
    """The calibration loss at each threshold, with the application where it is worst.

    `actual` is the loss relative to the minimum, `cross_fitted` that relative to the cross-fitted
    line, which is negative if calibration makes things worse.

    Attributes
    ----------
    worst : WorstApplication
        The application with the greatest loss.

    See Also
    --------
    RiskCurve.calibration_loss : returns it.
    risk_curve : the curve.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.risk_curve([0, 0, 0, 1, 1], [0.1, 0.6, 0.7, 0.4, 0.9])
    >>> view = curve.calibration_loss([0.2, 0.5])
    >>> view.actual.round(2).tolist()
    [0.0, 0.2]

    Calibrate before deciding at 0.5; at 0.2 there is nothing to gain.
    """

    worst: WorstApplication = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class CurveArea(NumberRecord):
    """A proper scoring rule as the area under a risk curve: actual, minimum and naive.

    It is a float: `actual`, the area for the uncalibrated scores.

    Attributes
    ----------
    name : str
    actual : float
    minimum : float
        After the best monotone map on the same data.
    cross_fitted : float or None
        After cross-fitted calibration.
    naive : float

    See Also
    --------
    RiskCurve.brier, RiskCurve.cross_entropy : return it.
    risk_curve : the curve.

    Examples
    --------
    >>> import stakes
    >>> area = stakes.risk_curve([0, 0, 0, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.9]).brier()
    >>> float(area) < area.naive, area.calibration_loss > 0
    (True, True)

    Better than answering the priors, and calibration could improve it.
    """

    name: str
    actual: float
    minimum: float
    cross_fitted: float | None
    naive: float

    @property
    def calibration_loss(self) -> float:
        """Actual minus minimum."""
        return self.actual - self.minimum if math.isfinite(self.actual) else math.inf

    @classmethod
    def _number(cls, fields: Mapping[str, Any]) -> float:
        area: float = fields["actual"]
        return area

    def __str__(self) -> str:
        stage = self.cross_fitted
        calibrated = "" if stage is None else f", {number(stage)} calibrated (cross-fitted)"
        return (
            f"{self.name} {number(self.actual)}, {number(self.minimum)} at the best thresholds"
            f"{calibrated}, naive {number(self.naive)}; lower is better"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        lines = {"actual": self.actual, "minimum": self.minimum, "naive": self.naive}
        stage = None if self.cross_fitted is None else json_number(self.cross_fitted)
        numbers = {name: json_number(value) for name, value in lines.items()}
        return {"name": self.name, **numbers, "cross_fitted": stage}
