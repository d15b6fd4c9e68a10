"""The metric in torchmetrics' collections and in Lightning's loops."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stakes

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
lightning = pytest.importorskip("lightning")

COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
TOLD: dict[str, Any] = {"costs": COSTS, "kind": stakes.Logits}


def data(n: int = 192) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(3)
    y = torch.randint(0, 2, (n,), generator=generator)
    return torch.randn(n, 2, generator=generator) + 1.5 * torch.nn.functional.one_hot(y, 2), y


def test_a_collection_takes_it_beside_others() -> None:
    z, y = data()
    nec, entropy = (
        stakes.torch.Metric(n, **TOLD) for n in ("cost.nec", "cross_entropy.normalized")
    )
    accuracy = torchmetrics.classification.MulticlassAccuracy(2, average="micro")
    collection = torchmetrics.MetricCollection(
        {"nec": nec.as_torchmetric(), "entropy": entropy.as_torchmetric(), "accuracy": accuracy},
        prefix="val/",
    )
    for rows in torch.arange(len(y)).split(50):
        step = collection(z[rows], y[rows])
    assert set(step) == {"val/nec", "val/entropy", "val/accuracy"}
    found = collection.compute()
    card = stakes.scorecard(y, stakes.Logits(z), costs=COSTS)
    assert float(found["val/nec"]) == pytest.approx(card.cost.normalized, rel=1e-6)
    assert float(found["val/entropy"]) == pytest.approx(card.cross_entropy.normalized, rel=1e-6)
    assert float(found["val/accuracy"]) == pytest.approx(float((z.argmax(1) == y).float().mean()))
    assert collection["nec"].evaluate().data.n == len(y)
    clone = collection.clone(prefix="test/")
    collection.reset()
    assert nec.summary.n == 0
    assert float(clone.compute()["test/nec"]) == pytest.approx(card.cost.normalized, rel=1e-6)


def test_it_keeps_the_contract_of_torchmetrics() -> None:
    z, y = data()
    metric = stakes.torch.Metric("cost.nec", **TOLD).as_torchmetric()
    assert isinstance(metric, torchmetrics.Metric)
    assert (metric.higher_is_better, metric.is_differentiable) == (False, False)
    with (
        pytest.warns(UserWarning, match="before the ``update`` method"),
        pytest.warns(stakes.UndefinedMetricWarning, match="of 0 samples is undefined"),
    ):
        assert metric.compute().isnan()
    for rows in torch.arange(len(y)).split(64):
        metric.update(z[rows], y[rows])
    assert (metric.update_called, metric.update_count) == (True, 3)
    value = metric.compute()
    assert metric.compute() is value  # from the cache
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301  our own
        other.update(z, y)
        assert (metric.metric.summary.n, other.metric.summary.n) == (len(y), 2 * len(y))
    further = copy.deepcopy(metric)
    further(z[:64], 1 - y[:64])
    assert further.compute() != value  # not that of the cache
    assert further.update_count == 4
    half = copy.deepcopy(metric).half()
    assert half.metric.summary.to_bytes() == metric.metric.summary.to_bytes()
    merged = copy.deepcopy(metric)
    merged.merge_state(metric)
    assert merged.metric.summary.n == 2 * len(y)
    assert merged.compute() == value
    metric.persistent(True)
    again = stakes.torch.Metric("cost.nec", **TOLD).as_torchmetric()
    again.load_state_dict(metric.state_dict())
    assert again.metric.summary.to_bytes() == metric.metric.summary.to_bytes()
    metric.reset()
    assert (metric.update_count, metric.metric.summary.n) == (0, 0)


def test_wrappers_of_torchmetrics_take_it() -> None:
    z, y = data()
    metric = stakes.torch.Metric("cost.nec", **TOLD).as_torchmetric()
    tracker = torchmetrics.MetricTracker(metric, maximize=metric.higher_is_better)
    want = []
    for factor in (-1.0, 1.5, 0.2):
        tracker.increment()
        tracker.update(factor * z, y)
        want.append(stakes.bayes_cost(y, stakes.Logits(factor * z), costs=COSTS).normalized)
    best, step = tracker.best_metric(return_step=True)
    assert (step, best) == (want.index(min(want)), pytest.approx(min(want), rel=1e-6))


class Classifier(lightning.LightningModule):  # type: ignore[name-defined, misc]
    """A linear classifier whose normalised cost is logged at the end of each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.network = torch.nn.Linear(2, 2)
        self.nec = stakes.torch.Metric("cost.nec", **TOLD).as_torchmetric()
        self.entropy = stakes.torch.Metric("cross_entropy.normalized", **TOLD).as_torchmetric()
        self.seen: list[Any] = []
        self.last: Any = None

    def training_step(self, batch: Any, _: int) -> Any:
        x, y = batch
        z = self.network(x)
        self.entropy(z, y)  # a value for each batch too
        self.log("train", self.entropy, on_step=True, on_epoch=True)
        self.last = z.detach(), y
        return torch.nn.functional.cross_entropy(z, y)

    def validation_step(self, batch: Any, _: int) -> None:
        x, y = batch
        z = self.network(x)
        self.nec.update(z, y)
        self.log("nec", self.nec)
        self.seen.append((z.detach(), y))

    def on_validation_epoch_start(self) -> None:
        self.seen = []

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.5)


@pytest.mark.filterwarnings("ignore:.*does not have many workers")
@pytest.mark.filterwarnings("ignore:.*LeafSpec")  # Lightning with this torch
def test_lightning_logs_it_at_the_end_of_each_epoch(tmp_path: Path) -> None:
    x, y = data()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=50)
    model = Classifier()
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
        num_sanity_val_steps=2,
        log_every_n_steps=1,
    )
    trainer.fit(model, loader, loader)
    z, labels = (torch.cat(part) for part in zip(*model.seen, strict=True))
    card = stakes.scorecard(labels, stakes.Logits(z), costs=COSTS)
    logged = trainer.callback_metrics
    assert float(logged["nec"]) == pytest.approx(card.cost.normalized, rel=1e-6)
    last = stakes.cross_entropy(model.last[1], stakes.Logits(model.last[0])).normalized
    assert float(logged["train_step"]) == pytest.approx(last, rel=1e-6)
    assert logged["train_epoch"] > 0
    assert model.nec.metric.summary.n == 0  # reset for the next epoch, the sanity check left out
    again = trainer.validate(model, loader, verbose=False)
    assert again[0]["nec"] == pytest.approx(card.cost.normalized, rel=1e-6)


def test_without_torchmetrics_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['torchmetrics'] = None; import stakes"
    code = f"{code}; stakes.torch.Metric(classes=2).as_torchmetric()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("Install it with: pip install torchmetrics")
