"""The metric as one of torchmetrics, for its collections and for what logs its metrics."""

from collections.abc import Callable
from typing import Any

from stakes._check import MissingExtraError
from stakes._text import plain
from stakes.torch.gathering import is_distributed
from stakes.torch.metric import Metric
from stakes.torch.torch_library import HINT, Tensor

try:
    import torchmetrics
except ImportError as error:
    msg = f"this needs torchmetrics, which cannot be imported ({plain(error, 100)})."
    raise MissingExtraError(f"{msg} {HINT} torchmetrics") from error


class TorchMetric(torchmetrics.Metric):
    """A metric of stakes with the type that torchmetrics and Lightning look for.

    It has no state of torchmetrics: the metric inside sums batches, and sums of processes. So no
    two metrics of a collection are taken for one, and what others do with states does nothing.
    """

    is_differentiable = False
    full_state_update = False
    _update_count: int  # that of torchmetrics

    def __init__(self, metric: Metric) -> None:
        super().__init__(process_group=metric.process_group, sync_on_compute=metric.sync_on_compute)
        self.metric = metric

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        """Whether more of it is better."""
        return self.metric.higher_is_better

    def update(self, preds: Tensor, target: Tensor, **columns: Any) -> None:
        """Add a batch, as `stakes.torch.Metric.update` does."""
        self.metric.update(preds, target, **columns)

    def compute(self) -> Any:
        """Return the value of all batches that it holds now, synced or not."""
        values = self.metric._measures.of_summary(self.metric.summary)
        return self.metric._measures.as_tensors(values, self.metric.device)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return its value."""
        self._forward_cache = self.metric(*args, **kwargs)
        self._computed, self._update_count = None, self._update_count + 1
        return self._forward_cache

    def evaluate(self, **settings: Any) -> Any:
        """Return the whole evaluation, as `stakes.torch.Metric.evaluate` does."""
        return self.metric.evaluate(**settings)

    def sync(
        self,
        dist_sync_fn: Callable[..., Any] | None = None,  # noqa: ARG002  bytes are gathered
        process_group: Any = None,
        should_sync: bool = True,  # noqa: FBT001, FBT002  as torchmetrics has it
        distributed_available: Callable[[], bool] | None = None,
    ) -> None:
        """Take the samples of all processes in the place of one's own."""
        available = distributed_available or is_distributed
        if should_sync and available():
            self.metric.sync(process_group)
            self._is_synced = True

    def unsync(self, should_unsync: bool = True) -> None:  # noqa: FBT001, FBT002
        """Take the samples of this process again."""
        if should_unsync:
            self.metric.unsync()
            self._is_synced = False

    def reset(self) -> None:
        """Forget all batches."""
        super().reset()
        self.metric.reset()

    def merge_state(self, incoming_state: Any) -> None:
        """Add the batches of another metric of this kind."""
        self.metric.merge_state(incoming_state.metric)
        self._computed = None
        self._update_count = self.metric.update_count

    def persistent(self, mode: bool = False) -> None:  # noqa: FBT001, FBT002
        """Say whether `state_dict` holds the batches so far."""
        self.metric.persistent(mode)
