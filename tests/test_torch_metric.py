"""The metric of validation loops, in one process: the numbers of `evaluate`, whatever the batches."""

import copy
import io
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stakes
from stakes.scoring import SphericalLoss

torch = pytest.importorskip("torch")

COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
SIZES = (30, 1, 64, 105)


def data(classes: int = 2, n: int = 200, seed: int = 0) -> tuple[Any, Any]:
    """Return logits and labels, float32 as networks give them."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.randint(0, classes, (n,), generator=generator)
    z = torch.randn(n, classes, generator=generator)
    return z + 1.5 * torch.nn.functional.one_hot(y, classes), y


def filled(metric: Any, z: Any, y: Any, **columns: Any) -> Any:
    """Fill a metric batch by batch."""
    for rows in torch.arange(len(y)).split(SIZES):
        own = {name: column[rows] for name, column in columns.items()}
        metric.update(z[rows], y[rows], **own)
    return metric


TOLD: dict[str, dict[str, Any]] = {
    "costs": {"costs": COSTS},
    "costs and priors": {"costs": COSTS, "priors": [0.9, 0.1], "training_priors": "deployment"},
    "adapted": {"costs": COSTS, "priors": [0.9, 0.1], "training_priors": [0.5, 0.5]},
    "applications": {"costs": {"one": COSTS, "two": COSTS.values.T}, "classes": 2},
    "three classes": {"classes": 3},
    "an own rule": {"classes": 3, "rules": [SphericalLoss()]},
}


@pytest.mark.parametrize("case", TOLD)
def test_every_number_is_that_of_evaluate(case: str) -> None:
    told = TOLD[case]
    z, y = data(3 if told.get("classes") == 3 else 2)
    whole = stakes.evaluate(y, stakes.Logits(z), **told)
    want = {name: e.value for name, e in whole.metrics().items() if "alibrat" not in name}
    want = {name: v for name, v in want.items() if not name.endswith((".relative", "minimum_nec"))}
    metric = filled(stakes.torch.Metric(list(want), kind=stakes.Logits, **told), z, y)
    found = metric.compute()
    assert list(found) == list(want)
    for name, value in want.items():
        near = 1e-3 if name.partition(".")[0] in {"auc", "eer"} else 1e-6  # from cells of the score
        assert float(found[name]) == pytest.approx(value, rel=near, abs=1e-7, nan_ok=True)
    assert metric.evaluate().data.n == len(y)


def test_a_single_name_gives_a_number() -> None:
    z, y = data()
    metric = filled(stakes.torch.Metric("cost.nec", costs=COSTS, kind=stakes.Logits), z, y)
    value = metric.compute()
    assert (value.shape, value.dtype) == ((), torch.float32)
    assert float(value) == pytest.approx(
        stakes.bayes_cost(y, stakes.Logits(z), costs=COSTS).normalized
    )
    loss = filled(
        stakes.torch.Metric("cost.calibration_loss", costs=COSTS, kind=stakes.Logits), z, y
    )
    want = loss.summary.evaluate().metrics()["cost.calibration_loss"].value
    assert float(loss.compute()) == pytest.approx(want, rel=1e-6)


def test_the_order_of_batches_changes_no_bit() -> None:
    z, y = data(3)
    told: dict[str, Any] = {"classes": 3, "kind": stakes.Logits}
    one = filled(stakes.torch.Metric(**told), z, y)
    two = stakes.torch.Metric(**told)
    two.update(z[100:].flip(0), y[100:].flip(0))
    other = stakes.torch.Metric(**told)
    other(z[:100], y[:100])
    two.merge_state(other)
    assert one.summary.to_bytes() == two.summary.to_bytes()
    assert one.compute() == two.compute()
    assert (one.update_count, two.update_count) == (4, 2)


QUICK = ["cost.value", "cost.nec", "cross_entropy.normalized", "brier_score.value"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("names", [QUICK, [*QUICK, "cost.accuracy"]], ids=["quick", "evaluated"])
def test_forward_adds_a_batch_and_returns_its_value(classes: int, names: list[str]) -> None:
    z, y = data(classes)
    told: dict[str, Any] = {"classes": classes, "kind": stakes.Logits, "ignore_index": -100}
    y[3] = -100
    metric = stakes.torch.Metric(names, **told)
    for rows in torch.arange(len(y)).split(50):
        value = metric(z[rows], y[rows])
        alone = stakes.torch.Metric(names, **told)
        alone.update(z[rows], y[rows])
        want = alone.compute()
        for name in names:
            assert float(value[name]) == pytest.approx(float(want[name]), rel=1e-6)
    whole = filled(stakes.torch.Metric(names, **told), z, y)
    assert metric.summary.to_bytes() == whole.summary.to_bytes()
    assert metric.summary.ignored == 1


@pytest.mark.parametrize("case", [name for name in TOLD if name != "an own rule"])
def test_a_batch_is_evaluated_as_all_batches_are(case: str) -> None:
    z, y = data(3 if TOLD[case].get("classes") == 3 else 2)
    name = "one.nec" if case == "applications" else "cost.nec"
    metric = stakes.torch.Metric([name, "brier_score.normalized"], kind=stakes.Logits, **TOLD[case])
    found, want = metric(z, y), metric.compute()
    assert all(float(found[n]) == pytest.approx(float(want[n]), rel=1e-6) for n in want)


def test_what_is_undefined_is_nan_with_a_reason() -> None:
    metric = stakes.torch.Metric(
        "cost.nec", costs=COSTS, priors=[0.5, 0.5], training_priors="deployment"
    )
    with pytest.warns(stakes.UndefinedMetricWarning, match=r"'cost.nec' of 0 samples is undefined"):
        assert metric.compute().isnan()
    p, y = torch.tensor([0.1, 0.6, 0.3]), torch.zeros(3, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metric(p, y).isnan()  # of a batch this is to be expected
        assert metric(p[:0], y[:0]).isnan()
    with pytest.warns(
        stakes.UndefinedMetricWarning, match="class '?1'? has prior 0.5 but no samples"
    ):
        assert metric.compute().isnan()
    metric.update(p, y + 1)
    want = stakes.bayes_cost(
        torch.cat([y, y + 1]), torch.cat([p, p]), costs=COSTS, priors=[0.5, 0.5]
    )
    assert float(metric.compute()) == pytest.approx(want.normalized, rel=1e-6)


SHAPES: list[tuple[str, dict[str, Any], Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("images", {"classes": 3}, lambda z: z.reshape(2, 10, 10, 3).movedim(-1, 1), lambda y: y.reshape(2, 10, 10)),
    ("volumes", {"classes": 3}, lambda z: z.reshape(2, 4, 5, 5, 3).movedim(-1, 1), lambda y: y.reshape(2, 4, 5, 5)),
    ("sentences", {"classes": 3, "class_dim": -1}, lambda z: z.reshape(4, 50, 3), lambda y: y.reshape(4, 50)),
    ("classes first", {"classes": 3, "class_dim": 0}, lambda z: z.T, lambda y: y),
    ("rows", {"classes": 3}, lambda z: z, lambda y: y),
    ("labels as floats", {"classes": 3}, lambda z: z, lambda y: y.float()),
    ("bfloat16", {"classes": 3}, lambda z: z.bfloat16(), lambda y: y.to(torch.uint8)),
]  # fmt: skip


@pytest.mark.parametrize("case", SHAPES, ids=lambda case: case[0])
def test_scores_and_labels_have_the_shapes_of_torch(case: Any) -> None:
    _, told, scores, labels = case
    z, y = data(3)
    z = z.bfloat16().float()
    plain = stakes.Summary(classes=3, scores=stakes.Logits)
    plain.update(y, z)
    metric = stakes.torch.Metric(kind=stakes.Logits, **told)
    metric.update(scores(z).requires_grad_(), labels(y))
    assert metric.summary.to_bytes() == plain.to_bytes()


def test_labels_are_positions_of_classes_with_names() -> None:
    z, y = data(3)
    names = ["cat", "dog", "bird"]
    y[:5] = -100
    metric = stakes.torch.Metric(classes=names, kind=stakes.Logits, ignore_index=-100)
    for labels in (y, y.to(torch.int8).float()):
        metric.reset()
        metric.update(z, labels)
        plain = stakes.Summary(classes=names, scores=stakes.Logits)
        plain.update([names[i] for i in y[5:]], z[5:])
        assert metric.summary.n == plain.n == 195
        assert metric.summary.ignored == 5
        want = plain.evaluate(calibrator=None).metrics()["cost.nec"].value
        assert float(metric.compute()) == pytest.approx(want, rel=1e-6)
        assert float(metric(z, labels)) == pytest.approx(want, rel=1e-6)
    for wrong in (-1, 3):
        y[7] = wrong
        with pytest.raises(
            stakes.InputError, match=rf"target must hold positions .* got {wrong} at row 7"
        ):
            metric.update(z, y)


def test_one_number_for_each_label_is_that_of_the_second_class() -> None:
    z, y = data()
    odds = z[:, 1] - z[:, 0]
    plain = stakes.Summary(classes=2, scores=stakes.Logits)
    plain.update(y, odds)
    for scores, labels in [
        (odds, y),
        (odds[:, None], y),
        (odds[:, None], y[:, None].float()),
        (odds.reshape(2, 10, 10), y.reshape(2, 10, 10)),
        (odds.reshape(2, 1, 10, 10), y.reshape(2, 10, 10)),
    ]:
        metric = stakes.torch.Metric(classes=2, kind=stakes.Logits)
        metric.update(scores, labels)
        assert metric.summary.to_bytes() == plain.to_bytes()


@pytest.mark.parametrize(
    ("scores", "labels", "said"),
    [
        ((4, 7, 3), (4, 7), r"got \(4, 7, 3\) for \(4, 7\) with class_dim=1. Pass class_dim=-1."),
        ((4, 3), (5,), r"got \(4, 3\) for \(5,\)"),
        ((4, 3, 2, 2), (4, 2), r"got \(4, 3, 2, 2\) for \(4, 2\)"),
        ((), (1,), "preds must have the shape of target"),
    ],
)
def test_other_shapes_are_refused(scores: Any, labels: Any, said: str) -> None:
    metric = stakes.torch.Metric(classes=3, kind=stakes.Logits)
    with pytest.raises(stakes.InputError, match=said):
        metric.update(torch.zeros(scores), torch.zeros(labels, dtype=torch.long))
    assert (metric.summary.n, metric.update_count) == (0, 0)


def test_a_value_for_each_image_is_that_of_its_pixels() -> None:
    z, y = data(3)
    told: dict[str, Any] = {"classes": 3, "weighted": True, "grouped": True, "slices": ["site"]}
    image, weight = torch.arange(8).repeat_interleave(25), torch.arange(1, 9)
    sites = ["north", "south"] * 4
    plain = stakes.Summary(scores=stakes.Logits, **told)
    own = {"sample_weight": weight[image], "groups": image}
    plain.update(y, z, **own, slices={"site": [sites[i] for i in image]})
    metric = stakes.torch.Metric(kind=stakes.Logits, **told)
    images, labels = z.reshape(8, 5, 5, 3).movedim(-1, 1), y.reshape(8, 5, 5)
    groups = torch.arange(8).reshape(8, 1, 1).expand(8, 5, 5)  # per pixel, or per image
    metric.update(images, labels, sample_weight=weight, groups=groups, slices={"site": sites})
    assert metric.summary.to_bytes() == plain.to_bytes()
    with pytest.raises(
        stakes.InputError, match=r"groups must have the shape of target, \(8, 5, 5\)"
    ):
        metric.update(images, labels, sample_weight=weight, groups=[1, 2], slices={"site": sites})


def test_prices_of_cases_are_columns() -> None:
    costs = stakes.CostsByCase([[0, 3], ["amount", 0]])
    metric = stakes.torch.Metric("cost.value", classes=2, costs=costs, kind=stakes.Logits)
    z, y = data()
    amount = torch.rand(200) * 10
    metric.update(z, y, columns={"amount": amount})
    whole = stakes.Summary(classes=2, costs=costs, scores=stakes.Logits)
    whole.update(y, z, columns={"amount": amount})
    want = whole.evaluate(calibrator=None).main.cost.value.value
    assert float(metric.compute()) == pytest.approx(want, rel=1e-6)
    assert metric(z, y, columns={"amount": amount}) == metric.compute()
    with pytest.raises(stakes.InputError, match="must be arguments of update"):
        metric(z, y, amount=amount)


def test_names_and_kinds_are_declared() -> None:
    with pytest.raises(stakes.InputError, match=r"got 'cost.necc'. Did you mean 'cost.nec'\?"):
        stakes.torch.Metric("cost.necc", classes=2)
    with pytest.raises(stakes.InputError, match="measure must be a name"):
        stakes.torch.Metric([], classes=2)
    with pytest.raises(stakes.InputError, match="classes must name the classes"):
        stakes.torch.Metric("cost.nec")
    z, y = data()
    with pytest.raises(stakes.InputError, match="scores must be posteriors"):
        stakes.torch.Metric(classes=2).update(z, y)  # logits are never guessed
    better: dict[str, bool | None] = {
        "auc": True,
        "auc.1": True,
        "cost.accuracy": True,
        "cost.nec": False,
    }
    better |= {"cross_entropy.relative": False, "calibration_slope": None}
    for name, higher in better.items():
        assert stakes.torch.Metric(name, classes=3).higher_is_better is higher
    assert stakes.torch.Metric(["auc"], classes=2).higher_is_better is None
    assert repr(stakes.torch.Metric("auc", classes=2)) == "Metric(auc of 0, 1, 0 samples)"


def test_many_classes_need_no_probe() -> None:
    metric = stakes.torch.Metric("cost.accuracy", classes=300, kind=stakes.Logits)
    z, y = data(300, 600)
    metric.update(z, y)
    want = float((z.argmax(1) == y).float().mean())
    assert float(metric.compute()) == pytest.approx(want, abs=1e-6)


def test_reset_forgets_everything() -> None:
    z, y = data()
    metric = filled(stakes.torch.Metric(classes=2, kind=stakes.Logits), z, y)
    first = metric.compute()
    metric.reset()
    assert (metric.summary.n, metric.update_count) == (0, 0)
    metric.update(z[:50], y[:50])
    assert metric.compute() != first
    with metric.sync_context():  # of one process alone
        assert metric.summary.n == 50
    metric.sync()
    with pytest.raises(stakes.InputError, match="call sync first"):
        metric.unsync()


def test_dtypes_and_devices_change_nothing_of_what_was_summed() -> None:
    z, y = data()
    metric = filled(stakes.torch.Metric(classes=2, kind=stakes.Logits), z, y)
    before, value = metric.summary.to_bytes(), metric.compute()
    for change in (torch.nn.Module.half, torch.nn.Module.double, torch.nn.Module.bfloat16):
        change(metric)
        assert metric.summary.to_bytes() == before
        assert metric.compute().dtype == torch.float32
        assert metric.compute() == value
    metric.to("meta")
    assert metric.device.type == metric.compute().device.type == "meta"
    metric.to("cpu")
    assert metric.summary.to_bytes() == before


def test_copies_and_pickles_are_of_their_own() -> None:
    z, y = data()
    metric = filled(stakes.torch.Metric(["auc", "cost.nec"], classes=2, kind=stakes.Logits), z, y)
    value = metric.compute()
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301  our own
        assert other.compute() == value
        other.update(z, y)
        assert (metric.summary.n, other.summary.n) == (200, 400)


def test_a_checkpoint_holds_the_batches_if_told() -> None:
    z, y = data()
    metric = filled(stakes.torch.Metric(classes=2, kind=stakes.Logits), z, y)
    model = torch.nn.ModuleDict({"net": torch.nn.Linear(2, 2), "nec": metric})
    assert set(model.state_dict()) == {"net.weight", "net.bias"}
    metric.persistent(True)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    state = torch.load(io.BytesIO(file.getvalue()), weights_only=True)
    fresh = stakes.torch.Metric(classes=2, kind=stakes.Logits)
    again = torch.nn.ModuleDict({"net": torch.nn.Linear(2, 2), "nec": fresh})
    again.load_state_dict(state)
    assert fresh.summary.to_bytes() == metric.summary.to_bytes()
    fresh.persistent(True)
    with pytest.raises(RuntimeError, match=r"Missing key.*nec.summary"):
        again.load_state_dict({k: v for k, v in state.items() if "nec" not in k})
    other = stakes.torch.Metric(classes=2, kind=stakes.Logits, costs=COSTS)
    with pytest.raises(
        stakes.InputError, match="must be created with the same arguments to be added"
    ):
        other.load_state_dict({"summary": state["nec.summary"]})


def test_numpy_arrays_are_batches_too() -> None:
    z, y = data()
    metric = stakes.torch.Metric(classes=2, kind=stakes.Logits)
    metric.update(z.numpy(), y.numpy())
    other = stakes.torch.Metric(classes=2, kind=stakes.Logits)
    other.update(z.numpy().tolist(), y.numpy().tolist())
    assert metric.summary.n == other.summary.n == 200
    assert np.isclose(float(metric.compute()), float(other.compute()))


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_package_alone_loads_no_torch() -> None:
    done = run("import stakes, sys; stakes.torch; assert 'torch' not in sys.modules")
    assert done.returncode == 0, done.stderr
    last = run("import sys; sys.modules['torch'] = None; import stakes; stakes.torch.Metric")
    said = last.stderr.splitlines()[-1]
    assert said.startswith("stakes._errors.MissingExtraError: stakes.torch needs torch, which")
    assert said.endswith("Install it with: pip install 'stakes[torch]'")
