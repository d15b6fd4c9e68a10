"""What a metric measures: numbers of an evaluation by their names, as tensors."""

import difflib
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, UndefinedMetricError, UndefinedMetricWarning
from stakes._text import key_of, quoted
from stakes.calibration import Calibrator
from stakes.costs import CostMatrix
from stakes.evaluation import Summary
from stakes.metrics.scorecards import Scorecard, scorecard
from stakes.metrics.traditional import METRICS
from stakes.scores import Logits, LogPosteriors, Posteriors
from stakes.torch.torch_library import Tensor, torch

Values = dict[str, float]
_MOST_PROBED = 100  # classes of which an evaluation is a matter of milliseconds
_PROBED = 8  # samples of each class
_NO_DIRECTION = {"calibration_slope", "abstention_rate", "expected_if_calibrated"}
_CALIBRATED = ("calibrated_", "calibration_loss", "relative")
_QUICK = (Posteriors, LogPosteriors, Logits)


@dataclass(frozen=True)
class Measures:
    """Names of `Evaluation.metrics()`, and the calibrator that some of them need."""

    names: tuple[str, ...]
    single: bool  # one number rather than numbers by name
    calibrator: Calibrator | None

    @classmethod
    def read(cls, measure: "str | Sequence[str]", calibrator: Calibrator) -> "Measures":
        """Read one name or several."""
        single = isinstance(measure, str)
        names = (measure,) if isinstance(measure, str) else tuple(measure)
        if not names or not all(isinstance(name, str) for name in names):
            rule = 'must be a name of Evaluation.metrics(), such as "cost.nec", or several'
            raise InputError("measure", rule, repr(measure))
        needed = any(name.rpartition(".")[2].startswith(_CALIBRATED) for name in names)
        return cls(names, single, calibrator if needed else None)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether more of it is better; None of several numbers, and where neither is."""
        name = self.names[0]
        if not self.single or name.rpartition(".")[2] in _NO_DIRECTION:
            return None
        rising = {key_of(each.name) for each in METRICS.classes.values() if each.better == "higher"}
        return name.partition(".")[0] == "auc" or name.partition(".")[2] in rising

    def check(self, told: Mapping[str, Any]) -> None:
        """Refuse names that no evaluation of such a summary has."""
        probe = Summary(**told)
        k = len(probe.classes)
        if k > _MOST_PROBED:
            return
        y, turn = np.repeat(np.arange(k), _PROBED), np.arange(k * _PROBED) % _PROBED
        p = 1 + np.eye(k)[(y + (turn == 0)) % k] * (turn + 1)[:, None]  # with errors
        p /= p.sum(axis=1, keepdims=True)
        columns = dict.fromkeys(probe._request.members.columns, np.ones(y.size))
        own = {name: np.zeros(y.size, dtype=int) for name in told["slices"]}
        more: dict[str, Any] = {"columns": columns, "slices": own}
        more |= {"sample_weight": np.ones(y.size)} if told["weighted"] else {}
        more |= {"groups": np.arange(y.size)} if told["grouped"] else {}
        probe.update([probe.classes[i] for i in y], _scores_of(p, told["scores"]), **more)
        found = list(probe.evaluate(calibrator=self.calibrator, folds=2).metrics())
        for name in self.names:
            if name not in found:
                near = difflib.get_close_matches(name, found, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else ""
                rule = f"must be a name of Evaluation.metrics(), one of {quoted(found, most=40)}"
                raise InputError("measure", rule, repr(name), hint=hint)

    def of_summary(self, summary: Summary, *, warn: bool = True) -> Values:
        """Return the numbers of all samples; NaN, with a warning, where they are undefined."""
        found, why = {}, ""
        try:
            if summary.n:
                found = summary.evaluate(calibrator=self.calibrator).metrics()
        except UndefinedMetricError as error:
            why = f" ({error})"
        values = {name: _value(found, name) for name in self.names}
        lost = [name for name, value in values.items() if math.isnan(value)]
        if lost and warn:
            text = f"{quoted(lost)} of {summary.n} samples is undefined{why}: NaN is returned."
            warnings.warn(text, UndefinedMetricWarning, stacklevel=2)
        return values

    def of_batch(self, batch: Mapping[str, Any], told: Mapping[str, Any]) -> Values:
        """Return the numbers of a batch by itself, NaN where they are undefined."""
        try:
            if self._quick(told):
                names = "y_true", "scores", "sample_weight", "ignore_index"
                given = {name: batch[name] for name in names}
                given["scores"] = told["scores"](given["scores"])
                about = {name: told[name] for name in ("costs", "priors", "classes")}
                values = _of_card(scorecard(**given, **about))
                return {name: values[name] for name in self.names}
            summary = Summary(**told)
            summary.update(**batch)
            return self.of_summary(summary, warn=False)
        except InputError:  # the batch was added before, so that it is one without some class
            return dict.fromkeys(self.names, math.nan)

    def _quick(self, told: Mapping[str, Any]) -> bool:
        """Whether a scorecard, in a fraction of the time, has all numbers."""
        plain = told["costs"] is None or isinstance(told["costs"], CostMatrix)
        known = plain and told["training_priors"] is None and told["scores"] in _QUICK
        return known and set(self.names) <= set(_of_card(None))

    def as_tensors(self, values: Values, device: torch.device) -> "Tensor | dict[str, Tensor]":
        """Return numbers as tensors of the default dtype."""
        made = {name: torch.tensor(value, device=device) for name, value in values.items()}
        return made[self.names[0]] if self.single else made


def _value(found: Mapping[str, Any], name: str) -> float:
    """Return a number by name; one that these samples do not have is undefined."""
    return float(found[name].value) if name in found else math.nan


def _of_card(card: Scorecard | None) -> Values:
    """Return the numbers of a scorecard by the names of an evaluation; NaN where there is none."""
    out: Values = {}
    for name, part in (
        ("cost", "nec"),
        ("cross_entropy", "normalized"),
        ("brier_score", "normalized"),
    ):
        loss = None if card is None else getattr(card, name)
        out[f"{name}.value"] = math.nan if loss is None else loss.value
        out[f"{name}.{part}"] = math.nan if loss is None else loss.normalized
    for name in ("calibration_error", "confidence_calibration_error"):
        error = None if card is None else getattr(card, name)
        out[name] = math.nan if error is None else float(error)
    return out


def _scores_of(p: Any, kind: Any) -> Any:
    """Return probabilities as scores of a kind."""
    if kind is Posteriors:
        return kind(p)
    log_p = np.log(p)
    return kind(log_p if kind.__name__ != "LogLikelihoodRatios" else log_p[:, 1] - log_p[:, 0])
