"""Calibrators as modules of torch: the numbers of stakes, exported, moved, saved."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from stakes._typing import FloatArray
from stakes.calibration.beta_calibrator import BetaMap
from stakes.calibration.histogram_calibrator import HistogramMap
from stakes.calibration.isotonic_calibrator import StepMap
from stakes.calibration.maps import AffineMap, CalibrationMap, FittedMap
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.scores import ScoreMeaning

torch = pytest.importorskip("torch")

N = 300
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
OPTIONS: dict[str, dict[str, Any]] = {"threshold": {"costs": COSTS}, "histogram": {"bins": 8}}
KINDS: dict[str, Any] = {
    "logits": stakes.Logits,
    "log posteriors": lambda x: stakes.LogPosteriors(log_softmax(x)),
    "likelihoods": stakes.LogLikelihoods,
}
# Logits that no network gives, and that a module must get right all the same.
EXTREME = [-np.inf, -1e300, -800.0, -40.0, -1e-300, 0.0, 1e-9, 36.0, 709.0, 1e300]


def log_softmax(x: FloatArray) -> FloatArray:
    return stakes.Logits(x).log_posteriors()


def logits(classes: int, n: int = N, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.minimum(np.arange(n) % (2 * classes - 1), classes - 1)[::-1]  # the last is frequent
    return y, rng.normal(0, 2, (n, classes)) + 2.5 * np.eye(classes)[y]


@cache
def fitted(name: str, classes: int, kind: Callable[[Any], Any] = stakes.Logits) -> Any:
    y, z = logits(classes)
    calibrator = calibrator_class(name)(**OPTIONS.get(name, {}))
    return calibrator.fit(kind(z), y, priors="data")


CASES = [
    (name, classes)
    for name in calibrator_names()
    for classes in ((2,) if calibrator_class(name).two_classes else (2, 5))
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "classes"), CASES)
def test_every_calibrator_has_a_module_with_its_numbers(name: str, classes: int, kind: str) -> None:
    calibrator = fitted(name, classes, KINDS[kind])
    z = logits(classes, 500, seed=1)[1]
    given = log_softmax(z) if kind == "log posteriors" else z
    for priors in (None, [0.7, 0.3] if classes == 2 else [0.1, 0.2, 0.3, 0.15, 0.25]):
        want = calibrator.transform(KINDS[kind](z), priors).values
        module = stakes.torch.module_of(calibrator, priors=priors)
        found = module(torch.tensor(given)).numpy()
        finite = np.isfinite(want)
        assert (np.isfinite(found) == finite).all()
        assert np.abs(found[finite] - want[finite]).max() < 1e-12
        single = module(torch.tensor(given, dtype=torch.float32))
        assert single.dtype == torch.float32
        gap = np.abs(single.numpy()[finite] - want[finite]) / np.maximum(1, -want[finite])
        assert np.quantile(gap, 0.99) < 1e-6  # bins and blocks have edges, which float32 may cross
        assert name in {"histogram", "isotonic"} or gap.max() < 1e-6


@pytest.mark.parametrize(
    "name", [n for n in calibrator_names() if n not in {"histogram", "isotonic"}]
)
def test_single_precision_is_enough_for_smooth_maps(name: str) -> None:
    calibrator = fitted(name, 2)
    z = logits(2, 500, seed=1)[1].astype(np.float32)
    want = calibrator.transform(stakes.Logits(z)).values
    module = stakes.torch.module_of(calibrator).float()
    assert {b.dtype for b in module.buffers()} == {torch.float32}
    found = module(torch.tensor(z)).numpy()
    assert (np.abs(found - want) / np.maximum(1, np.abs(want))).max() < 1e-6


@pytest.mark.parametrize("name", calibrator_names())
@pytest.mark.parametrize("kind", [stakes.Logits, stakes.LogLikelihoodRatios])
def test_one_logit_stays_one_logit(name: str, kind: Any) -> None:
    y, z = logits(2)
    odds = z[:, 1] - z[:, 0]
    calibrator = calibrator_class(name)(**OPTIONS.get(name, {})).fit(kind(odds), y, priors="data")
    x = np.concatenate([np.random.default_rng(2).normal(0, 4, 198), [np.inf, -np.inf]])
    want = calibrator.transform(kind(x), [0.9, 0.1]).ranks()
    module = stakes.torch.module_of(calibrator, priors=[0.9, 0.1], one_logit=True)
    for shape in ((200,), (200, 1), (2, 4, 25)):
        found = module(torch.tensor(x).reshape(shape))
        assert found.shape == shape
        assert np.allclose(found.numpy().ravel(), want, rtol=1e-11, atol=1e-11)
    with pytest.raises(stakes.InputError, match="one_logit needs two classes: got 5"):
        stakes.torch.module_of(fitted("affine", 5), one_logit=True)


@pytest.mark.parametrize(("name", "classes"), CASES)
def test_extreme_logits_give_what_stakes_gives(name: str, classes: int) -> None:
    calibrator = fitted(name, classes)
    rng = np.random.default_rng(3)
    z = rng.choice(EXTREME, (400, classes))
    z = z[np.isfinite(z).any(axis=1)]
    want = calibrator.transform(stakes.Logits(z)).values
    found = stakes.torch.module_of(calibrator)(torch.tensor(z)).numpy()
    assert not np.isnan(found).any()
    assert np.allclose(found, want, rtol=1e-12, atol=1e-12)
    rough = torch.tensor(np.where(np.isfinite(z), np.clip(z, -1e30, 1e30), z)).float()
    assert not stakes.torch.module_of(calibrator).float()(rough).isnan().any()


def made(fitted_map: CalibrationMap, kind: type[stakes.Calibrator]) -> Any:
    """Return a calibrator that has learnt this."""
    calibrator = kind()
    calibrator._fit = FittedMap(fitted_map, (0, 1), ScoreMeaning.LOGITS, np.array([0.5, 0.5]))
    return calibrator


CORNERS: dict[str, tuple[Any, Any]] = {
    "a negative scale": (AffineMap(np.array([-0.5, -0.5]), np.array([0.1, -0.1])), stakes.AffineCalibrator),
    "one power of beta": (BetaMap(1.5, 0.0, 0.2), stakes.BetaCalibrator),
    "the other power": (BetaMap(0.0, 1.5, 0.2), stakes.BetaCalibrator),
    "bins without either class": (
        HistogramMap(np.full((2, 1), 0.6), np.array([[0.0, 0.9], [0.0, 0.8]])),
        stakes.HistogramCalibrator,
    ),
    "a block that begins below all": (
        StepMap(np.array([-np.inf, 1.0]), np.array([-1.0, np.inf]), np.array([3.0, 1.0]), np.array([1.0, 4.0])),
        stakes.IsotonicCalibrator,
    ),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_corners_of_maps_are_those_of_stakes(corner: str) -> None:
    calibrator = made(*CORNERS[corner])
    z = np.array([[0, -np.inf], [-np.inf, 0], [0.1, 0.2], [2.0, -1.0], [-3.0, 0.0], [0.0, 1.0]])
    want = calibrator.transform(stakes.Logits(z)).values
    found = stakes.torch.module_of(calibrator)(torch.tensor(z)).numpy()
    assert np.allclose(found, want, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore:You are using .torch.load.")  # what torch 2.4 says of itself
@pytest.mark.parametrize(("name", "classes"), CASES)
def test_torch_exports_every_module(name: str, classes: int, tmp_path: Path) -> None:
    module = stakes.torch.module_of(fitted(name, classes), priors=np.full(classes, 1 / classes))
    batch = torch.export.Dim("batch", min=2)
    example = (torch.tensor(logits(classes, 8)[1], dtype=torch.float32),)
    program = torch.export.export(module, example, dynamic_shapes=({0: batch},))
    torch.export.save(program, tmp_path / "calibrator.pt2")
    run = torch.export.load(tmp_path / "calibrator.pt2").module()
    for n in (2, 31, 500):
        z = torch.tensor(logits(classes, n, seed=n)[1], dtype=torch.float32)
        assert torch.equal(run(z), module(z))


def test_a_network_is_exported_with_its_calibrator() -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    model = torch.nn.Sequential(network, stakes.torch.module_of(fitted("vector", 3))).eval()
    x = torch.randn(9, 4)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    assert torch.equal(program.module()(x[:5]), model(x[:5]))
    want = fitted("vector", 3).transform(stakes.Logits(network(x))).values
    assert np.abs(model(x).detach().numpy() - want).max() < 1e-6
    loss = torch.nn.functional.nll_loss(model(x), torch.arange(9) % 3)
    loss.backward()  # what is behind a calibrator can still learn
    assert network[0].weight.grad.abs().sum() > 0
    assert list(model[1].parameters()) == []


def test_classes_may_be_in_any_dimension() -> None:
    calibrator = fitted("affine", 5)
    images = torch.randn(2, 5, 3, 4, dtype=torch.float64)
    found = stakes.torch.module_of(calibrator, class_dim=1)(images)
    flat = images.movedim(1, -1).reshape(-1, 5)
    want = stakes.torch.module_of(calibrator)(flat).reshape(2, 3, 4, 5).movedim(-1, 1)
    assert torch.equal(found, want)


def test_the_temperature_is_shown_as_one() -> None:
    calibrator = fitted("temperature", 3)
    scale = calibrator.fitted.scale[0]
    module = stakes.torch.module_of(calibrator)
    assert module.temperature == pytest.approx(1 / scale, rel=1e-15)
    assert f"temperature, 3 classes, T={1 / scale:.4g}"[:-1] in repr(module)
    z = logits(3)[1]
    want = torch.log_softmax(torch.tensor(z) / module.temperature, 1)
    assert torch.allclose(module(torch.tensor(z)), want, rtol=0, atol=1e-12)
    other = stakes.torch.module_of(fitted("affine", 3), priors=[0.2, 0.3, 0.5])
    assert "affine, 3 classes, scale=" in repr(other)
    assert repr(other).endswith("at the deployment priors)")
    assert not hasattr(other, "temperature")
    for name, classes in CASES:
        assert f"({name}, {classes} classes, " in repr(
            stakes.torch.module_of(fitted(name, classes))
        )


@pytest.mark.parametrize(("name", "classes"), CASES)
def test_what_was_fitted_is_saved_and_not_rounded(name: str, classes: int, tmp_path: Path) -> None:
    module = stakes.torch.module_of(fitted(name, classes))
    z = torch.tensor(logits(classes)[1])
    want = module(z)
    torch.save(module.state_dict(), tmp_path / "state.pt")
    y, other = logits(classes, seed=5)
    blank = calibrator_class(name)(**OPTIONS.get(name, {})).fit(stakes.Logits(other), y)
    again = stakes.torch.module_of(blank)
    if name != "isotonic":  # whose number of blocks is another
        again.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
        assert torch.equal(again(z), want)
    assert torch.equal(module.half()(z), want)
    assert torch.equal(module.to(torch.bfloat16)(z), want)
    rough = module(z.half())
    assert rough.dtype == torch.float32
    assert torch.equal(rough, module(z.half().double()).float())


def test_a_calibrator_from_a_file_is_a_module() -> None:
    calibrator = fitted("temperature", 3)
    again = stakes.TemperatureCalibrator.from_dict(calibrator.to_dict())
    assert repr(stakes.torch.module_of(again)) == repr(stakes.torch.module_of(calibrator))


@dataclass(frozen=True, eq=False)
class OwnMap(CalibrationMap):
    kind = "own map of a test"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        return log_p


class OwnCalibrator(stakes.Calibrator):
    name = "own"

    def learn(self, log_p: Any, y: Any, weights: Any) -> CalibrationMap:  # noqa: ARG002
        return OwnMap()


def test_what_has_no_module_is_refused() -> None:
    y, z = logits(2)
    own = OwnCalibrator().fit(stakes.Logits(z), y)
    with pytest.raises(stakes.InputError, match=r"calibrator must be of a kind .*: got OwnMap"):
        stakes.torch.module_of(own)
    with pytest.raises(stakes.InputError, match="must be fitted"):
        stakes.torch.module_of(stakes.AffineCalibrator())
    with pytest.raises(stakes.InputError, match="priors must be numbers"):
        stakes.torch.module_of(fitted("affine", 2), priors="data")
    with pytest.raises(stakes.InputError, match="priors must be at least 0 and sum to 1"):
        stakes.torch.module_of(fitted("affine", 2), priors=[0.5, 0.6])
