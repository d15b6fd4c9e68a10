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
from stakes.inference.cells import Cells, Unseen, effective_number
from stakes.inference.law import Problem
from stakes.inference.totals import Totals
from stakes.responses.response_samples import Responses

_GROWTH = 1.1  # from one number of answers that is tried to the next
_LONGEST = 2**11  # walk that is followed exactly; errors of later tests are added up
_HALVINGS = 20  # of the logarithm of a level


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
    `risk`. Thresholds of more and more answers are tested together, by exact binomial tails (by the
    law of intervals on sums of groups, if responses have groups). The level of each test follows
    from how a row of answers at the limit would go: the tests are of the same answers, so they fail
    together (step-down tests after Romano and Wolf). Weights raise an error: the guarantee is for
    questions drawn alike.

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
    (True, 0.2)

    Answer only the 20 % most confident questions.
    """
    limit = read_number(risk, "risk", 0, 1, closed=(False, False))
    alpha = 1 - read_level(level)
    data = _Data.from_responses(responses)
    thresholds = data.some_thresholds(_fewest(limit, alpha))
    shown = _shown(
        np.array([data.p_value(t, limit) for t in thresholds]),
        np.array([data.answers(t) for t in thresholds], dtype=np.int64),
        limit,
        alpha,
    )
    best = int(np.flatnonzero(shown)[-1]) if shown.any() else -1
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

    def some_thresholds(self, fewest: int) -> FloatArray:
        """Return thresholds for more and more answers, from the fewest; truths play no part."""
        known = np.sort(self.confidence[np.isfinite(self.confidence)])[::-1]
        places = [known.size] if known.size >= fewest else []
        while places and places[-1] / _GROWTH >= fewest:
            places.append(min(int(places[-1] / _GROWTH), places[-1] - 1))
        return np.unique(known[np.array(places, dtype=np.int64) - 1])[::-1]

    def answers(self, threshold: float) -> int:
        """Return how many questions are answered."""
        return int(np.count_nonzero(self.confidence >= threshold))

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
        both = [bincount(self.unit, each) for each in (wrong, answered)]
        sums = np.column_stack(both).astype(np.float64)
        sums = sums[sums[:, 1] > 0]  # other groups say nothing
        rows = Unseen.candidates(np.array([[0.0, 1.0], [1.0, 1.0]]))
        groups = float(len(sums)), effective_number(sums[:, 1])
        cells = Cells.from_rows(sums, rows + Unseen.candidates(sums, kind=1), groups=groups)
        problem = Problem.single(
            cells, Totals(cells.all_columns, [lambda s: s[..., 0] / s[..., 1]])
        )
        p = problem.p_value(0, limit)  # two-sided: sums of few groups are skewed
        return p if problem.values[0] < limit else 1.0

    def expected_errors(self, threshold: float) -> float:
        """Return the share of wrong answers with one more unit, which goes wrong as a whole."""
        wrong = ((self.confidence >= threshold) & self.wrong).astype(np.float64)
        if self.unit is not None:
            wrong = bincount(self.unit, wrong) / bincount(self.unit)
        return (math.fsum(wrong.tolist()) + 1) / (wrong.size + 1)


def _fewest(limit: float, alpha: float) -> int:
    """Return how many answers without an error show a limit."""
    return math.ceil(math.log(alpha) / math.log1p(-limit))


def _shown(p: FloatArray, sizes: IntArray, limit: float, alpha: float) -> BoolArray:
    """Return which p-values are small enough; those that are make the others' level larger."""
    shown = np.zeros(p.size, dtype=np.bool_)
    while not shown.all():
        left = np.flatnonzero(~shown)
        new = left[p[left] <= _levels(sizes[left], limit, alpha)]
        if not new.size:
            break
        shown[new] = True
    return shown


def _levels(sizes: IntArray, limit: float, alpha: float) -> FloatArray:
    """Return levels at which all tests of first answers together have an error of alpha.

    They are in inverse proportion to the sizes: tests of few answers need more.
    """
    parts = sizes[0] / sizes
    low, high = math.log(alpha / sizes.size), math.log(alpha)
    for _ in range(_HALVINGS if sizes.size > 1 else 0):
        middle = (low + high) / 2
        kept = _crossing(sizes, limit, math.exp(middle) * parts) <= alpha
        low, high = (middle, high) if kept else (low, middle)
    return np.asarray(parts * math.exp(low))


def _crossing(sizes: IntArray, limit: float, levels: FloatArray) -> float:
    """Return how often answers at the limit have p-values below the level of any of the sizes."""
    from scipy.special import bdtr  # noqa: PLC0415  slow to import

    late = sizes > _LONGEST
    rest, sizes, levels = float(levels[late].sum()), sizes[~late], levels[~late]
    if not sizes.size:
        return rest
    most = int(sizes[-1] * limit) + 1
    errors = np.arange(most + 1)
    ends = [
        int(np.searchsorted(bdtr(errors[: n + 1], n, limit), level, side="right"))
        for n, level in zip(sizes, levels, strict=True)
    ]
    share, found, before = np.ones(1), rest, 0  # of walks by errors so far
    for n, end in zip(sizes, ends, strict=True):
        new = int(n) - before
        step = np.diff(bdtr(errors[: new + 1], new, limit), prepend=0.0)
        share = np.convolve(share, step)[: max(ends) or 1]
        found += float(share[:end].sum())
        share[:end] = 0.0
        before = int(n)
    return found


def _name(share: float) -> str:
    return f"{percent(share, 1).removesuffix('.0')} %"
