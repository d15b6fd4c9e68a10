"""A metric for validation loops: batches are summed, also over processes, and evaluated."""

__all__ = ["Metric"]

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._text import quoted
from stakes._typing import Label, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.evaluation import Evaluation, Summary
from stakes.evaluation.applications import Applications
from stakes.evaluation.entry import RULES
from stakes.scores import Posteriors, Scores
from stakes.scoring import ScoringRule
from stakes.torch.gathering import as_bytes, as_tensor, gathered, is_distributed
from stakes.torch.measures import Measures
from stakes.torch.torch_library import Tensor, nn, torch
from stakes.torch.validation_batches import (
    as_rows,
    columns_for_each_label,
    for_each_label,
    named_labels,
)

_STATE = "summary"


class Metric(nn.Module):
    """A metric of an evaluation over all batches of a validation loop and all processes.

    It has the methods of a torchmetrics metric: `update(preds, target)` for batches, `compute()` at
    the end of an epoch, `reset()` before the next. It keeps a `stakes.Summary`: memory does not
    grow, and neither the order of batches nor their distribution over processes changes the result.
    `evaluate()` returns the whole evaluation, with intervals and verdicts.

    Parameters
    ----------
    measure : str, or list of str, default "cost.nec"
        Names of `Evaluation.metrics()`, such as "cost.nec", "cross_entropy.normalized" or "auc".
        With a list, `compute` returns a mapping from these names.
    classes : sequence of names, or how many, optional
        In the order of the scores; may be left out if `costs` name them. If names are strings,
        labels are their positions, from 0.
    kind : type of scores, default Posteriors
        What `preds` are: `stakes.Posteriors`, `stakes.Logits`, ... It is never guessed.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        As in `evaluate`.
    priors : float, array of K, mapping by class, or "data", optional
        As in `evaluate`.
    training_priors : float, array of K, mapping by class, or "deployment", optional
        The priors that the posteriors are at, required where posteriors meet `priors`, as in
        `Summary`.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    weighted : bool, default False
        Whether samples have weights, which `update` then takes.
    grouped : bool, default False
        Whether samples come in groups, which `update` then takes.
    slices : sequence of str, optional
        Names of columns for whose values results are given, which `update` then takes.
    ignore_index : label, optional
        Rows with this label, such as -100, are left out and counted: `metric.summary.ignored`.
    class_dim : int, default 1
        The dimension of the classes in `preds`: 1 as in torch's losses, -1 for (N, length, K).
    calibrator : Calibrator, default AffineCalibrator()
        Used for measures that need one, such as "cost.calibration_loss".
    sync_on_compute : bool, default True
        Whether `compute` and `evaluate` use the batches of all processes.
    process_group : process group, optional
        By default all processes.

    See Also
    --------
    Summary : what it keeps.
    module_of : a calibrator behind a network.

    Examples
    --------
    .. code-block:: python

        metric = stakes.torch.Metric("cost.nec", costs=costs, kind=stakes.Logits)
        for x, y in batches:
            metric.update(model(x), y)
        if metric.compute() < 1:  # below 1, the model is worth using
            ...
    """

    is_differentiable = False
    full_state_update = False

    @answered
    def __init__(  # noqa: PLR0913  what is measured, of what, and over which processes
        self,
        measure: "str | Sequence[str]" = "cost.nec",
        *,
        classes: NamesLike | None = None,
        kind: type[Scores] = Posteriors,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        weighted: bool = False,
        grouped: bool = False,
        slices: Sequence[str] = (),
        ignore_index: Label | None = None,
        class_dim: int = 1,
        calibrator: Calibrator = AffineCalibrator(),  # noqa: B008  never fitted itself
        sync_on_compute: bool = True,
        process_group: Any = None,
    ) -> None:
        super().__init__()
        self._told: dict[str, Any] = {
            "classes": classes,
            "scores": kind,
            "costs": costs,
            "priors": priors,
            "training_priors": training_priors,
            "rules": rules,
            "weighted": weighted,
            "grouped": grouped,
            "slices": slices,
        }
        self._summary = Summary(**self._told)
        self._told["classes"] = self._summary.classes
        self._measures, self._calibrator = Measures.read(measure, calibrator), calibrator
        self._measures.check(self._told)
        self.ignore_index, self.class_dim = ignore_index, class_dim
        self.sync_on_compute, self.process_group = sync_on_compute, process_group
        self._own: Summary | None = None  # that of this process, while that of all is in its place
        self._computed: Tensor | dict[str, Tensor] | None = None
        self._count, self._persistent = 0, False
        self._device = torch.get_default_device()

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher is better; None for several measures, or if neither is better."""
        return self._measures.higher_is_better

    @property
    def device(self) -> torch.device:
        """The device of computed values; batches may be on any device."""
        return self._device

    @property
    def summary(self) -> Summary:
        """The summary of the samples so far."""
        return self._summary

    @property
    def update_count(self) -> int:
        """Number of batches since the last reset."""
        return self._count

    def update(
        self,
        preds: Any,
        target: Any,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        slices: Mapping[str, Any] | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a batch; a batch that raises an error changes nothing.

        Parameters
        ----------
        preds : tensor of shape (N, K), (N, K, ...) or of the shape of target
            Scores of the declared kind; in the shape of target, those of the second class.
        target : tensor of shape (N,) or (N, ...)
            Labels.
        sample_weight, groups : tensor, optional
            In the shape of target, or one value per sample.
        slices, columns : mapping from name to such columns, optional
            As in `stakes.Summary.update`.
        """
        self._add(self._batch(preds, target, sample_weight, groups, slices, columns))

    def forward(self, preds: Any, target: Any, **columns: Any) -> Any:
        """Add a batch, and return the value of that batch alone.

        The value is NaN if the batch does not define it, for example because it lacks a class.
        Costs, scoring rules and calibration errors take a millisecond; others need an evaluation of
        the batch, so `update` alone is faster.

        Parameters
        ----------
        preds : tensor
            As in `update`.
        target : tensor
            As in `update`.

        Returns
        -------
        Tensor, or mapping from name to Tensor
            As in `compute`, for this batch.
        """
        named = (columns.pop(n, None) for n in ("sample_weight", "groups", "slices", "columns"))
        batch = self._batch(preds, target, *named)
        if columns:
            raise InputError("columns", "must be arguments of update", quoted(list(columns)))
        self._add(batch)
        values = self._measures.of_batch(batch, self._told)
        return self._measures.as_tensors(values, self._device)

    def _batch(
        self, preds: Any, target: Any, weights: Any, groups: Any, slices: Any, columns: Any
    ) -> dict[str, Any]:
        """Return a batch as arguments of a summary."""
        shape = tuple(getattr(target, "shape", ()))
        scores, places = as_rows(preds, target, self.class_dim)
        labels, ignored = named_labels(places, self._summary.classes, self.ignore_index)
        return {
            "y_true": labels,
            "scores": scores,
            "sample_weight": for_each_label(weights, shape, "sample_weight"),
            "groups": for_each_label(groups, shape, "groups"),
            "slices": columns_for_each_label(slices, shape, "slices"),
            "columns": columns_for_each_label(columns, shape, "columns"),
            "ignore_index": ignored,
        }

    def _add(self, batch: Mapping[str, Any]) -> None:
        if self._own is not None:
            msg = "a synced metric holds the samples of all processes: call unsync before update."
            raise InputError(msg)
        if len(batch["y_true"]):
            self._summary.update(**batch)
        self._computed = None
        self._count += 1

    def compute(self) -> Any:
        """Return the value of all batches of all processes; every process must call it.

        It is a scalar tensor, or a mapping from names to such tensors if there are several
        measures. NaN, with a warning that says why, if the samples do not define it.
        """
        if self._computed is None:
            with self.sync_context():
                values = self._measures.of_summary(self._summary)
            self._computed = self._measures.as_tensors(values, self._device)
        return _each(self._computed, torch.clone)

    def evaluate(self, **settings: Any) -> Evaluation:
        """Return the whole evaluation of all batches of all processes; every process must call it.

        Options are those of `stakes.Summary.evaluate`.
        """
        with self.sync_context():
            return self._summary.evaluate(**{"calibrator": self._calibrator, **settings})

    def reset(self) -> None:
        """Forget all batches."""
        self._summary, self._own = Summary(**self._told), None
        self._computed, self._count = None, 0

    def sync(self, process_group: Any = None) -> None:
        """Use the samples of all processes; every process must call it.

        Without torch.distributed, nothing changes.

        Parameters
        ----------
        process_group : process group, optional
            The processes; by default all.
        """
        if self._own is not None:
            raise InputError("the metric is synced already: call unsync first.")
        if not is_distributed():
            return
        group = self.process_group if process_group is None else process_group
        parts = gathered(self._summary.to_bytes(), group, self._device)
        rules = self._summary._request.own_rules
        total = Summary(**self._told)
        for part in parts:
            total = total + Summary.from_bytes(part, rules=rules)
        self._own, self._summary = self._summary, total

    def unsync(self) -> None:
        """Use only the samples of this process again."""
        if self._own is None:
            raise InputError("the metric is not synced: call sync first.")
        self._summary, self._own = self._own, None

    @contextmanager
    def sync_context(self) -> Iterator[None]:
        """Use the samples of all processes within a `with` block, if `sync_on_compute`."""
        needed = self.sync_on_compute and self._own is None and is_distributed()
        if needed:
            self.sync()
        try:
            yield
        finally:
            if needed:
                self.unsync()

    def merge_state(self, incoming: "Metric") -> None:
        """Add the batches of another metric with the same settings.

        Parameters
        ----------
        incoming : Metric
            A metric with the same settings.
        """
        self._summary = self._summary + incoming._summary
        self._computed, self._count = None, self._count + incoming._count

    def persistent(self, mode: bool = False) -> None:  # noqa: FBT001, FBT002  as in torchmetrics
        """Set whether `state_dict` includes the batches so far; by default it does not.

        Parameters
        ----------
        mode : bool, default False
            Whether `state_dict` includes the batches.
        """
        self._persistent = mode

    def as_torchmetric(self) -> Any:
        """Return the metric as a torchmetrics metric, for `MetricCollection` and Lightning's `log`.

        The two share their samples.
        """
        from stakes.torch.torchmetrics_adapter import TorchMetric  # noqa: PLC0415  a heavy library

        return TorchMetric(self)

    def extra_repr(self) -> str:
        """Return what is measured and the number of samples, as `print` shows it."""
        names = ", ".join(self._measures.names)
        return f"{names} of {quoted(self._summary.classes)}, {self._summary.n} samples"

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:  # noqa: FBT001, FBT002
        """Move values to a device; a dtype changes nothing of what was summed."""
        before, nowhere = self._device, self._device.type == "meta"  # from which nothing is moved
        self._device = fn(torch.zeros(1, device="cpu" if nowhere else before)).device
        if nowhere:
            self._computed = None
        if self._computed is not None:
            self._computed = _each(self._computed, lambda value: value.to(self._device))
        return super()._apply(fn, recurse)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:  # noqa: FBT001
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if self._persistent:
            destination[prefix + _STATE] = as_tensor(self._summary.to_bytes())

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,  # noqa: FBT001
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        data = state_dict.pop(prefix + _STATE, None)
        if data is not None:
            rules = self._summary._request.own_rules
            found = Summary.from_bytes(as_bytes(data), rules=rules)
            self.reset()
            self._summary = self._summary + found
        elif self._persistent and strict:
            missing_keys.append(prefix + _STATE)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _each(value: "Tensor | dict[str, Tensor]", change: Callable[[Tensor], Tensor]) -> Any:
    """Change a tensor, or each of several."""
    if isinstance(value, dict):
        return {name: change(each) for name, each in value.items()}
    return change(value)
