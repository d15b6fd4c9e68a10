"""What responses are worth at every confidence target."""

from __future__ import annotations

__all__ = ["TargetCurve"]

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._math import cumulative
from stakes._records import Record
from stakes._text import number, percent, table
from stakes._typing import FloatArray
from stakes.costs.confidence_target import ConfidenceTarget
from stakes.evaluation.findings import plain_values
from stakes.responses.abstention_rules import CALIBRATED, OWN, STATED, Rules
from stakes.responses.response_samples import Responses
from stakes.statistics import ScoreLevels

TARGETS = (*(k / 20 for k in range(20)), 0.98, 0.99)
SHOWN_TARGETS = (0.0, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, eq=False)
class TargetCurve(Record):
    """Utility and share answered at each target, by rule: own, stated, calibrated, best.

    `best` is the best threshold on the stated confidence in hindsight: no rule of this form could
    have been better on these responses, and on new questions it is not as good. `regret` is how far
    the system's own abstentions fall short of another rule.

    Attributes
    ----------
    targets : array
    utility : dict from rule to array
    answered : dict from rule to array
    best_threshold : array or None
        Infinity if nothing is answered.

    See Also
    --------
    evaluate_responses : returns it as `curve`.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True, True, False] * 40, [0.9, 0.9, 0.3] * 40)
    >>> curve = stakes.evaluate_responses(said, 0.75).curve
    >>> bool(curve.regret("stated").max() > 0)  # abstaining by stated confidence would pay
    True
    """

    targets: FloatArray
    utility: dict[str, FloatArray]
    answered: dict[str, FloatArray]
    best_threshold: FloatArray | None  # infinity where nothing is answered

    def regret(self, rule: str = "best") -> FloatArray:
        """Return the utility of a rule minus that of the system's own abstentions.

        Parameters
        ----------
        rule : {"stated", "calibrated", "best"}, default "best"
            The rule to compare with.
        """
        return self.utility[rule] - self.utility[OWN]

    def __str__(self) -> str:
        shown = [k for k, t in enumerate(self.targets.tolist()) if t in SHOWN_TARGETS]
        head = ["target", *self.utility, "answered"]
        rows = [
            [
                f"{percent(float(self.targets[k]))} %",
                *(number(float(values[k])) for values in self.utility.values()),
                f"{percent(float(self.answered[OWN][k]))} %",
            ]
            for k in shown
        ]
        return "\n".join(["utility by rule at some targets", table([head, *rows])])

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain values, ready for JSON."""
        return plain_values(self)


def target_curve(rules: Rules, targets: Sequence[float] = TARGETS) -> TargetCurve:
    """Return the curve of responses for targets in rising order."""
    listed = [ConfidenceTarget(t) for t in targets]
    utility: dict[str, FloatArray] = {}
    answered: dict[str, FloatArray] = {}
    for name in (OWN, STATED, CALIBRATED):
        if rules.answers(name, listed[0]) is None:
            continue
        found = [_worth(rules, name, target) for target in listed]
        utility[name], answered[name] = (np.array(column) for column in zip(*found, strict=True))
    threshold = None
    if rules.responses.open.any():
        hindsight = Hindsight.from_responses(rules.responses)
        best = [hindsight.best(target) for target in listed]
        utility["best"], answered["best"], threshold = (
            np.array(column) for column in zip(*best, strict=True)
        )
    return TargetCurve(np.array(targets, dtype=np.float64), utility, answered, threshold)


def _worth(rules: Rules, name: str, target: ConfidenceTarget) -> tuple[float, float]:
    """Return utility and share answered, without intervals."""
    found = rules.measures(name, target)
    assert found is not None  # noqa: S101  the rule has something to go by
    abstained, wrong, right = map(float, found.totals)
    total = abstained + wrong + right
    return (right - target.penalty * wrong) / total, (wrong + right) / total


@dataclass(frozen=True, eq=False)
class Hindsight:
    """Shares of all questions answered wrongly and rightly, for each threshold, highest first."""

    thresholds: FloatArray  # the first is infinity: nothing is answered
    wrong: FloatArray
    right: FloatArray

    @classmethod
    def from_responses(cls, responses: Responses) -> Hindsight:
        """Return every threshold on the stated confidence."""
        kept = np.flatnonzero(responses.open)
        part = responses.part(kept)
        assert part.confidence is not None  # noqa: S101  it is known
        codes = part.right.astype(np.int64)
        levels = ScoreLevels.from_scores(part.confidence, codes, responses.shares[kept])
        wrong, right = levels.on_one_scale()
        scale = float(responses.shares[kept].sum()) / float((wrong + right).sum())
        below, above = (cumulative(scale * column[::-1]) for column in (wrong, right))
        thresholds = np.concatenate([[math.inf], levels.level[::-1]])
        return cls(thresholds, np.asarray(below, np.float64), np.asarray(above, np.float64))

    def best(self, target: ConfidenceTarget) -> tuple[float, float, float]:
        """Return the largest utility, its share answered and its threshold."""
        utility = self.right - target.penalty * self.wrong
        # of equal ones that which answers most: at a target of 0 all of them
        k = int(utility.size - 1 - utility[::-1].argmax())
        answered = float(self.right[k] + self.wrong[k])
        return float(utility[k]), answered, float(self.thresholds[k])
