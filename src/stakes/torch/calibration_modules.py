"""Fitted calibrators as modules of torch: the same numbers, to be deployed with the network."""

__all__ = ["CalibrationModule", "module_of"]

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Self

import numpy as np

from stakes._check import InputError, read_priors
from stakes._foreign_calls import answered
from stakes._math import log
from stakes._text import number, quoted
from stakes._typing import FloatArray, PriorsLike
from stakes.calibration.beta_calibrator import BetaMap
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.histogram_calibrator import HistogramMap
from stakes.calibration.isotonic_calibrator import StepMap
from stakes.calibration.maps import AffineMap, CalibrationMap, FittedMap
from stakes.calibration.matrix_calibrator import MatrixMap
from stakes.calibration.threshold_calibrator import ShiftMap
from stakes.scores import ScoreMeaning
from stakes.torch.torch_library import Tensor, nn, torch

_SHORT = {torch.float16, torch.bfloat16}  # in which no calibrator is kept
_LISTED = 4  # numbers that a line shows


@answered
def module_of(
    calibrator: Calibrator,
    *,
    priors: PriorsLike | None = None,
    class_dim: int = -1,
    one_logit: bool = False,
) -> "CalibrationModule":
    """Return a fitted calibrator as a torch module, to put behind a network.

    The module turns the network's output into calibrated log posteriors, which are logits too: use
    them with argmax, softmax or cross-entropy. Its values are those of `calibrator.transform`. It
    computes in double precision and returns the dtype of its input, at least float32; after
    `.float()` it computes in single precision, for devices without double precision. It has no
    trainable parameters: the fitted values are buffers in `state_dict`.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, or read with `Calibrator.from_dict`. If it was fitted on posteriors or logits, the
        module takes logits or log posteriors; if it was fitted on likelihoods, it takes log
        likelihoods or their ratios.
    priors : float, array of K or mapping by class, optional
        Deployment priors, if they differ from those of the fit.
    class_dim : int, default -1
        The dimension of the classes: 1 for images, with logits of shape (N, K, height, width).
    one_logit : bool, default False
        Whether two classes have one number, the log odds of the second, as before a sigmoid. The
        module then returns one number too, the calibrated log odds, in any shape.

    Returns
    -------
    CalibrationModule
        An `nn.Module`, which `torch.export` accepts with any batch size.

    See Also
    --------
    Metric : metrics in a validation loop.
    calibrator_from_dict : reads a fitted calibrator.

    Examples
    --------
    Fit a temperature on the validation set, put it behind the network, and make the decisions of
    least expected cost:

    .. code-block:: python

        calibrator = stakes.TemperatureCalibrator().fit(stakes.Logits(logits), labels)
        model = torch.nn.Sequential(network, stakes.torch.module_of(calibrator))
        posteriors = model(x).exp()
        decisions = (posteriors @ torch.tensor(costs.values).float()).argmin(1)
    """
    fit = calibrator._fit_or_refuse()
    kind = _MODULES.get(type(fit.map))
    if kind is AffineModule and calibrator.name == "temperature":
        kind = TemperatureModule
    if kind is None:
        known = sorted(each.kind for each in _MODULES)
        rule = f"must be of a kind that has a module, one of {quoted(known, most=len(known))}"
        raise InputError("calibrator", rule, type(fit.map).__name__)
    if one_logit and len(fit.classes) != 2:
        raise InputError("one_logit", "needs two classes", len(fit.classes))
    return kind(fit, calibrator.name, _prior_shift(fit, priors), class_dim, one_logit)


def _prior_shift(fit: FittedMap, priors: PriorsLike | None) -> FloatArray | None:
    """Return what moves log posteriors to the priors of use; None where these are the fit's."""
    if priors is None:
        return None
    target = read_priors(priors, fit.classes)
    if target is None:
        rule, hint = (
            "must be numbers, there are no labels to take priors from",
            "Give the priors in deployment.",
        )
        raise InputError("priors", rule, repr(priors), hint=hint)
    if fit.priors is not None and (target == fit.priors).all():
        return None
    return log(target) - log(fit.known_priors())


class CalibrationModule(nn.Module):
    """A fitted calibrator as a torch module; use `module_of` to make one.

    Attributes
    ----------
    name : str
        Name of the calibrator, such as "temperature".
    classes : tuple of names
        In the order of the scores.

    See Also
    --------
    module_of : makes it.

    Examples
    --------
    .. code-block:: python

        module = stakes.torch.module_of(calibrator)
        posteriors = module(network(x)).exp()
        alarm = posteriors[:, 1] > costs.threshold()
    """

    _most: Tensor  # largest log odds that the map distinguishes
    _log_priors: Tensor | None  # that turn log likelihoods into posteriors
    _prior_shift: Tensor | None  # that moves calibrated posteriors to the priors of use

    def __init__(
        self,
        fit: FittedMap,
        name: str,
        prior_shift: FloatArray | None,
        class_dim: int,
        one_logit: bool,  # noqa: FBT001
    ) -> None:
        super().__init__()
        self.name, self.classes = name, fit.classes
        self.class_dim, self.one_logit = class_dim, one_logit
        likelihoods = fit.meaning is ScoreMeaning.LIKELIHOODS and fit.priors is not None
        self._keep("_log_priors", log(fit.priors) if likelihoods else None)  # type: ignore[arg-type]
        for field, value in self.learnt(fit.map).items():
            self._keep(field, value)
        self._keep("_most", np.array(fit.floor.most))
        self._keep("_prior_shift", prior_shift)

    def _keep(self, name: str, value: FloatArray | None) -> None:
        known = None if value is None else torch.tensor(np.array(value), dtype=torch.float64)
        self.register_buffer(name, known)

    @staticmethod
    def learnt(fitted: CalibrationMap) -> dict[str, FloatArray]:
        """Return the fitted numbers of a map by their names.

        Parameters
        ----------
        fitted : CalibrationMap
            What a calibrator learnt.
        """
        found = {f.name: getattr(fitted, f.name) for f in fields(fitted)}  # type: ignore[arg-type]
        return {name: value for name, value in found.items() if not isinstance(value, bool)}

    @abstractmethod
    def calibrated(self, log_p: Tensor) -> Tensor:
        """Return calibrated log posteriors for log posteriors.

        Parameters
        ----------
        log_p : Tensor
            Log posteriors, classes in the last dimension.
        """

    def forward(self, scores: Tensor) -> Tensor:
        """Return calibrated log posteriors, or calibrated log odds, in the shape of the scores.

        Parameters
        ----------
        scores : Tensor
            What the network gives, as `module_of` describes.
        """
        given = scores.to(next(self.buffers()).dtype)
        if self.one_logit:
            given = torch.minimum(torch.maximum(given, -self._most), self._most)
            if self._log_priors is not None:
                given = given + (self._log_priors[1] - self._log_priors[0])
            log_p = from_log_odds(given)
        else:
            table = given.movedim(self.class_dim, -1)
            table = torch.maximum(table, table.amax(-1, keepdim=True) - self._most)
            log_p = log_softmax(table if self._log_priors is None else table + self._log_priors)
        out = self.calibrated(log_p)
        if self._prior_shift is not None:
            out = log_softmax(out + self._prior_shift)
        out = _odds(out) if self.one_logit else out.movedim(-1, self.class_dim)
        return out.to(torch.promote_types(scores.dtype, torch.float32))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:  # noqa: FBT001, FBT002
        """Move buffers; in half precision they would lose what was fitted, and are only moved."""

        def kept(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            return tensor.to(moved.device) if moved.dtype in _SHORT else moved

        return super()._apply(kept, recurse)

    def extra_repr(self) -> str:
        """Return what was fitted, as `print` shows it."""
        moved = "" if self._prior_shift is None else ", at the deployment priors"
        return f"{self.name}, {len(self.classes)} classes, {self.fitted_text()}{moved}"

    @abstractmethod
    def fitted_text(self) -> str:
        """Return what was fitted as a short text."""


def log_softmax(x: Tensor) -> Tensor:
    """Return x less the log of its summed exponentials, as `stakes._math.log_softmax` does.

    The largest term is taken out of the sum, so that a near-certain answer keeps its digits.
    """
    less = x - x.amax(-1, keepdim=True)
    others = less.exp().scatter(-1, less.argmax(-1, keepdim=True), 0.0)
    return less - torch.log1p(others.sum(-1, keepdim=True))


def from_log_odds(odds: Tensor) -> Tensor:
    """Return log posteriors of two classes from the log odds of the second."""
    rest = torch.log1p(torch.exp(-odds.abs()))
    return torch.stack([-(odds.clamp(min=0) + rest), -((-odds).clamp(min=0) + rest)], -1)


def _odds(log_p: Tensor) -> Tensor:
    return log_p[..., 1] - log_p[..., 0]


def _scaled(log_p: Tensor, scale: Tensor) -> Tensor:
    """Return scale times log posteriors; a posterior of 0 stays 0, whatever the scale."""
    finite = log_p.isfinite()
    return torch.where(finite, torch.where(finite, log_p, 0.0) * scale, -torch.inf)


def _text(values: Tensor | float | Sequence[float]) -> str:
    """Return few numbers for people."""
    listed = np.atleast_1d(np.asarray(torch.as_tensor(values).cpu())).tolist()
    if len(listed) == 1:
        return number(listed[0])
    more = ", ..." if len(listed) > _LISTED else ""
    return f"[{', '.join(map(number, listed[:_LISTED]))}{more}]"


class AffineModule(CalibrationModule):
    """softmax(scale * log s + bias): affine, temperature, bias and vector scaling."""

    scale: Tensor
    bias: Tensor

    def calibrated(self, log_p: Tensor) -> Tensor:
        return log_softmax(_scaled(log_p, self.scale) + self.bias)

    def fitted_text(self) -> str:
        scale = self.scale[:1] if (self.scale == self.scale[0]).all() else self.scale
        shown = {"scale": scale, "bias": self.bias}
        if self.name == "bias":
            del shown["scale"]
        return ", ".join(f"{name}={_text(value)}" for name, value in shown.items())


class TemperatureModule(AffineModule):
    """softmax(log s / T)."""

    @property
    def temperature(self) -> float:
        """T, by which logits are divided."""
        return float(1 / self.scale[0])

    def fitted_text(self) -> str:
        return f"T={number(self.temperature)}"


class MatrixModule(CalibrationModule):
    """softmax(matrix @ log q + bias), where q = softmax(scale * log s)."""

    scale: Tensor
    matrix: Tensor
    bias: Tensor

    def calibrated(self, log_p: Tensor) -> Tensor:
        log_q = log_softmax(_scaled(log_p, self.scale))
        possible = log_q.isfinite()
        logits = torch.where(possible, log_q, 0.0) @ self.matrix.T + self.bias
        return log_softmax(torch.where(possible, logits, -torch.inf))

    def fitted_text(self) -> str:
        return f"T={number(float(1 / self.scale))}, diagonal={_text(self.matrix.diagonal())}"


class BetaModule(CalibrationModule):
    """Log odds a log p_2 - b log p_1 + c; a certain answer stays certain."""

    a: Tensor
    b: Tensor
    c: Tensor

    def calibrated(self, log_p: Tensor) -> Tensor:
        first, second = log_p[..., 0], log_p[..., 1]
        up = torch.where(self.a == 0, 0.0, self.a * second)
        down = torch.where(self.b == 0, 0.0, self.b * first)
        odds = torch.where(second.isneginf(), -torch.inf, up - down + self.c)
        return from_log_odds(torch.where(first.isneginf(), torch.inf, odds))

    def fitted_text(self) -> str:
        return ", ".join(f"{name}={number(float(getattr(self, name)))}" for name in "abc")


class ShiftModule(CalibrationModule):
    """Log odds of two classes, moved so that a tuned threshold is the Bayes threshold."""

    shift: Tensor

    def calibrated(self, log_p: Tensor) -> Tensor:
        return from_log_odds(_odds(log_p) + self.shift)

    def fitted_text(self) -> str:
        return f"shift={number(float(self.shift))}"


class StepModule(CalibrationModule):
    """Posteriors on blocks of log odds, straight lines between blocks."""

    low: Tensor
    high: Tensor
    share: Tensor  # of either class in each block

    @staticmethod
    def learnt(fitted: CalibrationMap) -> dict[str, FloatArray]:
        assert isinstance(fitted, StepMap)  # noqa: S101  for the type checker
        total = fitted.first + fitted.second
        share = np.column_stack([fitted.first / total, fitted.second / total])
        return {"low": fitted.low, "high": fitted.high, "share": share}

    def calibrated(self, log_p: Tensor) -> Tensor:
        odds, last = _odds(log_p), self.low.numel() - 1
        block = (torch.searchsorted(self.low, odds.contiguous(), right=True) - 1).clamp(0, last)
        after = (block + 1).clamp(max=last)
        way = (odds - self.high[block]) / (self.low[after] - self.high[block])
        between = (odds > self.high[block]) & (after > block) & way.isfinite()
        way = torch.where(between, way, 0.0).unsqueeze(-1)
        return torch.log((1 - way) * self.share[block] + way * self.share[after])

    def fitted_text(self) -> str:
        return f"{self.low.numel()} blocks"


class HistogramModule(CalibrationModule):
    """Posteriors by bin, class by class against the rest, rows divided by their sum."""

    edges: Tensor
    share: Tensor

    def calibrated(self, log_p: Tensor) -> Tensor:
        p = log_p.exp()
        by_class = p.movedim(-1, 0).flatten(1).contiguous()
        bins = torch.searchsorted(self.edges.contiguous(), by_class, right=True)
        table = self.share.gather(1, bins).T.reshape(p.shape)
        table = torch.where((table > 0).any(-1, keepdim=True), table, p)
        return torch.log(table / table.sum(-1, keepdim=True))

    def fitted_text(self) -> str:
        return f"{self.share.shape[1]} bins"


_MODULES: dict[type[CalibrationMap], type[CalibrationModule]] = {
    AffineMap: AffineModule,
    BetaMap: BetaModule,
    HistogramMap: HistogramModule,
    MatrixMap: MatrixModule,
    ShiftMap: ShiftModule,
    StepMap: StepModule,
}
