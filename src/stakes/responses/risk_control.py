"""How many questions may be answered for a risk that one can bear, with a guarantee."""

from __future__ import annotations

__all__ = ["RiskLimit", "coverage_at_error_rate", "coverage_at_risk"]

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._quantiles import binomial_below
from stakes._records import Record
from stakes._text import number, percent
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.evaluation.findings import plain_values
from stakes.responses.response_samples import Responses

_STEPS = 20  # coverages that are tried
_STARTS = (1, 2, 4, 8, 16)  # steps from which the search begins, each at its share of the error


@dataclass(frozen=True, eq=False)
class RiskLimit(Record):
    """The least confidence to answer at, so that a risk stays below a limit, and the coverage.

    `threshold` is infinity if no threshold can be shown to keep the limit.

    Attributes
    ----------
    limit : float
    threshold : float
    coverage : float
        Share of all questions that are answered.
    risk : float
        The risk on these responses.
    guarantee : str
        What holds for new questions.

    See Also
    --------
    coverage_at_risk, coverage_at_error_rate : return it.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True] * 300 + [False] * 100, [0.9] * 300 + [0.2] * 100)
    >>> found = stakes.coverage_at_risk(said, risk=0.05)
    >>> found.threshold, found.coverage  # answer at this confidence or above
    (0.9, 0.75)
    """

    limit: float
    threshold: float
    coverage: float  # share of all questions that is answered
    risk: float  # as seen on these responses; NaN where none is answered
    guarantee: str

    def __str__(self) -> str:
        if math.isinf(self.threshold):
            return f"no threshold is shown to keep the risk at {percent(self.limit, 1)} %"
        return (
            f"answer at {number(self.threshold)} or more: {percent(self.coverage, 1)} % of the"
            f" questions, risk {percent(self.risk, 1)} % here; {self.guarantee}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return plain_values(self)


@answered
def coverage_at_risk(responses: Responses, risk: float, *, level: float = 0.95) -> RiskLimit:
    """Return how much can be answered if at most this share of the answers may be wrong.

    The threshold is valid for new questions of the same kind: with probability `level` over samples
    like this one, the share of wrong answers among those at the threshold or above is at most
    `risk`. Thresholds at twenty coverages are tested in sequence from several starts
    (fixed-sequence testing of exact binomial tails; of bounded means by group, after Hoeffding and
    Bentkus, if responses have groups). Weights raise an error: the guarantee is for questions drawn
    alike.

    Parameters
    ----------
    responses : Responses
        With a confidence. If the truth of abstentions is missing, the threshold is for questions
        that the system answers of its own accord.
    risk : float
        The largest share of wrong answers that is acceptable.
    level : float, default 0.95
        Probability that the limit is kept.

    Returns
    -------
    RiskLimit
        With `threshold`, `coverage` and the `guarantee`.

    See Also
    --------
    coverage_at_error_rate : a limit on the errors among all questions.
    evaluate_responses : everything about the responses at once.

    Examples
    --------
    >>> import numpy as np, stakes
    >>> rng = np.random.default_rng(0)
    >>> sure = rng.random(2000)
    >>> said = stakes.Responses(rng.random(2000) < sure, sure)
    >>> found = stakes.coverage_at_risk(said, 0.1)
    >>> found.risk <= 0.1, round(found.coverage, 1)
    (True, 0.1)

    Answer only the 10 % most confident questions.
    """
    limit = read_number(risk, "risk", 0, 1, closed=(False, False))
    alpha = (1 - read_level(level)) / len(_STARTS)
    data = _Data.from_responses(responses)
    thresholds = data.some_thresholds()
    n, best = thresholds.size, -1
    for start in _STARTS if n else ():
        for k in range(math.ceil(start * n / _STEPS) - 1, n):
            if data.p_value(thresholds[k], limit) > alpha:
                break
            best = max(best, k)
    text = f"with probability {_name(level)} at most {_name(limit)} of the answers to new questions"
    threshold = float(thresholds[best]) if best >= 0 else math.inf
    answered, wrong = data.shares(threshold)
    risk_seen = wrong / answered if answered else math.nan
    return RiskLimit(limit, threshold, answered, risk_seen, f"{text} are wrong")


@answered
def coverage_at_error_rate(responses: Responses, rate: float) -> RiskLimit:
    """Return how much can be answered if at most this share of all questions may go wrong.

    This is conformal risk control: over samples like this one and new questions, the expected
    share of questions with a wrong answer is at most `rate`. If there are groups, these are assumed
    to be exchangeable.

    Parameters
    ----------
    responses : Responses
        With a confidence. If the truth of abstentions is missing, the threshold is for questions
        that the system answers of its own accord.
    rate : float
        The largest share of all questions that may be answered wrongly.

    Returns
    -------
    RiskLimit
        With `threshold`, `coverage` and the `guarantee`.

    See Also
    --------
    coverage_at_risk : a limit on the errors among the answers.
    evaluate_responses : everything about the responses at once.

    Examples
    --------
    >>> import numpy as np, stakes
    >>> rng = np.random.default_rng(0)
    >>> sure = rng.random(2000)
    >>> said = stakes.Responses(rng.random(2000) < sure, sure)
    >>> found = stakes.coverage_at_error_rate(said, 0.1)
    >>> found.risk <= 0.1, round(found.coverage, 2)
    (True, 0.45)

    Answer the 45 % most confident questions.
    """
    limit = read_number(rate, "rate", 0, 1, closed=(False, False))
    data = _Data.from_responses(responses)
    levels = np.unique(data.confidence[np.isfinite(data.confidence)])
    low, high = 0, levels.size  # those from `high` on keep the limit
    while low < high:
        middle = (low + high) // 2
        kept = data.expected_errors(levels[middle]) <= limit
        low, high = (low, middle) if kept else (middle + 1, high)
    threshold = float(levels[high]) if high < levels.size else math.inf
    answered, wrong = data.shares(threshold)
    each = "of new questions" if responses.groups is None else "of the questions of a new group"
    text = f"in expectation at most {_name(limit)} {each} get a wrong answer"
    return RiskLimit(limit, threshold, answered, wrong if answered else math.nan, text)


@dataclass(frozen=True, eq=False)
class _Data:
    """Confidences, minus infinity where nothing can be answered, with the truth and the units."""

    confidence: FloatArray
    wrong: BoolArray
    unit: IntArray | None

    @classmethod
    def from_responses(cls, responses: Responses) -> _Data:
        if responses.confidence is None:
            raise InputError("responses", "must state a confidence", found="there is none")
        if responses.weights is not None:
            rule = "must have no weights here"
            raise InputError("responses", rule, found="the guarantee needs unweighted samples")
        confidence = np.where(responses.open, responses.confidence, -np.inf)
        unit = responses.groups
        if unit is not None:
            unit = np.unique(unit, return_inverse=True)[1]
        return cls(confidence, responses.right == 0, unit)

    def some_thresholds(self) -> FloatArray:
        """Return thresholds at some coverages, the highest first; truths play no part."""
        known = np.sort(self.confidence[np.isfinite(self.confidence)])[::-1]
        if not known.size:
            return known
        places = np.ceil(known.size * np.arange(1, _STEPS + 1) / _STEPS).astype(np.int64) - 1
        return np.unique(known[places])[::-1]

    def shares(self, threshold: float) -> tuple[float, float]:
        """Return the share of all questions that is answered, and answered wrongly."""
        answered = self.confidence >= threshold
        return float(answered.mean()), float((answered & self.wrong).mean())

    def p_value(self, threshold: float, limit: float) -> float:
        """Return the p-value of a share of wrong answers above the limit."""
        answered = self.confidence >= threshold
        wrong = answered & self.wrong
        if self.unit is None:
            return binomial_below(int(wrong.sum()), int(answered.sum()), limit)
        number = bincount(self.unit, answered)
        some = number > 0  # groups of which nothing is answered say nothing
        excess = bincount(self.unit, wrong - limit * answered)[some] / number.max()
        return _bounded_mean_test(float((excess + limit).mean()), excess.size, limit)

    def expected_errors(self, threshold: float) -> float:
        """Return the share of wrong answers with one more unit, which goes wrong as a whole."""
        wrong = ((self.confidence >= threshold) & self.wrong).astype(np.float64)
        if self.unit is not None:
            wrong = bincount(self.unit, wrong) / bincount(self.unit)
        return (math.fsum(wrong.tolist()) + 1) / (wrong.size + 1)


def _bounded_mean_test(mean: float, n: int, limit: float) -> float:
    """Return the p-value of a mean of n values between 0 and 1 whose expectation is the limit.

    It is the smaller one of the bounds of Hoeffding and Bentkus, valid for any n.
    """
    if mean >= limit:
        return 1.0
    low = max(mean, 0.0)
    parts = (
        low * math.log(low / limit) if low else 0.0,
        (1 - low) * math.log((1 - low) / (1 - limit)),
    )
    hoeffding = math.exp(-n * sum(parts))
    return min(hoeffding, math.e * binomial_below(math.ceil(n * low), n, limit))


def _name(share: float) -> str:
    return f"{percent(share, 1).removesuffix('.0')} %"
