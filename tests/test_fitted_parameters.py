"""What fitted calibrators show: parameters, and slope and intercept with standard errors."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import stakes

RNG = np.random.default_rng(11)


def simulated(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return labels and log odds that are twice too extreme and one too high."""
    true = rng.normal(-0.5, 1.5, n)
    return (rng.random(n) < 1 / (1 + np.exp(-true))).astype(int), 2 * (true + 0.5)


Y, Z = simulated(2000, RNG)
SCORES = stakes.Logits(Z)


def fisher(design: Any, q: Any) -> Any:  # noqa: ANN401
    """Return standard errors of a logistic regression: roots of the inverse information."""
    information = (design * (q * (1 - q))[:, None]).T @ design
    return np.sqrt(np.diagonal(np.linalg.inv(information)))


def test_slope_and_intercept_are_those_of_a_logistic_regression() -> None:
    calibrator = stakes.AffineCalibrator().fit(SCORES, Y)
    model = LogisticRegression(C=1e12, tol=1e-12, max_iter=1000).fit(Z[:, None], Y)
    assert calibrator.slope == pytest.approx(model.coef_[0, 0], rel=1e-5)
    assert calibrator.intercept == pytest.approx(model.intercept_[0], rel=1e-4)
    q = model.predict_proba(Z[:, None])[:, 1]
    wanted = fisher(np.column_stack([Z, np.ones(Z.size)]), q)
    found = [calibrator.slope.standard_error, calibrator.intercept.standard_error]
    assert found == pytest.approx(wanted, rel=1e-4)


def test_one_parameter_alone() -> None:
    cooled = stakes.TemperatureCalibrator().fit(SCORES, Y)
    q = cooled.transform(SCORES).posteriors()[:, 1]
    assert cooled.slope.standard_error == pytest.approx(fisher(Z[:, None], q)[0], rel=1e-9)
    assert [cooled.intercept.value, cooled.intercept.standard_error] == [0, 0]
    moved = stakes.BiasCalibrator().fit(SCORES, Y)
    q = moved.transform(SCORES).posteriors()[:, 1]
    wanted = fisher(np.ones((Z.size, 1)), q)[0]
    assert moved.intercept.standard_error == pytest.approx(wanted, rel=1e-9)
    assert [moved.slope.value, moved.slope.standard_error] == [1, 0]


@pytest.mark.parametrize("form", ["plain", "weights", "priors"])
def test_refits_spread_as_the_standard_errors_say(form: str) -> None:
    rng = np.random.default_rng(5)
    fits, errors = [], []
    for _ in range(400):
        y, z = simulated(500, rng)
        weight = np.where(rng.random(500) < 0.5, 1.0, 4.0) if form == "weights" else None
        priors = [0.9, 0.1] if form == "priors" else None
        made = stakes.AffineCalibrator().fit(
            stakes.Logits(z), y, sample_weight=weight, priors=priors
        )
        fits.append([made.slope, made.intercept])
        errors.append([made.slope.standard_error, made.intercept.standard_error])
    spread, told = np.std(fits, axis=0), np.median(errors, axis=0)
    assert told == pytest.approx(spread, rel=0.12)  # the spread of 400 has an error of 3.5 %


def test_equal_weights_and_many_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    right = stakes.AffineCalibrator().fit(SCORES, Y)
    weighted = stakes.AffineCalibrator().fit(SCORES, Y, sample_weight=np.full(Y.size, 3.0))
    monkeypatch.setattr("stakes.calibration.fitted_line._BLOCK", 77)
    parted = stakes.AffineCalibrator().fit(SCORES, Y)
    for made in (weighted, parted):
        for name in ("slope", "intercept"):
            mine, wanted = getattr(made, name), getattr(right, name)
            assert mine == pytest.approx(wanted, rel=1e-9)
            assert mine.standard_error == pytest.approx(wanted.standard_error, rel=1e-9)


def test_what_is_not_known_is_not_claimed() -> None:
    separable = stakes.AffineCalibrator().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert math.isnan(separable.slope.standard_error)
    assert "standard error unknown" in str(separable.slope)
    brier = stakes.AffineCalibrator(stakes.BrierLoss()).fit(SCORES, Y)
    assert math.isnan(brier.slope.standard_error)
    y = RNG.integers(0, 3, 300)
    three = stakes.AffineCalibrator().fit(RNG.dirichlet(np.ones(3), 300), y)
    with pytest.raises(stakes.InputError, match="two classes"):
        _ = three.slope
    with pytest.raises(stakes.InputError, match="fitted before"):
        _ = stakes.AffineCalibrator().slope
    fresh = stakes.AffineCalibrator().fit(SCORES, Y).fresh()
    assert str(fresh) == "AffineCalibrator()"


def test_parameters_by_name() -> None:
    names = ["a", "b", "c"]
    y = np.array(names)[RNG.integers(0, 3, 600)]
    p = RNG.dirichlet(np.ones(3), 600)
    affine = stakes.AffineCalibrator().fit(p, y, classes=names)
    assert affine.scale == affine.fitted.scale[0]  # type: ignore[attr-defined]
    assert affine.bias == dict(zip(names, affine.fitted.bias.tolist(), strict=True))  # type: ignore[attr-defined]
    vector = stakes.VectorCalibrator().fit(p, y, classes=names)
    assert isinstance(vector.scale, dict)
    assert list(vector.scale) == names
    cooled = stakes.TemperatureCalibrator().fit(p, y, classes=names)
    assert cooled.scale == pytest.approx(1 / cooled.T)
    by_hand = np.log(p) / cooled.T
    by_hand = np.exp(by_hand) / np.exp(by_hand).sum(axis=1, keepdims=True)
    assert cooled.transform(p).posteriors() == pytest.approx(by_hand)


def test_texts_of_fits() -> None:
    p = 1 / (1 + np.exp(-Z))
    told = {
        stakes.AffineCalibrator(): ["scale 0.5", "bias 0 ", "slope 0.5", "(standard error 0.0"],
        stakes.TemperatureCalibrator(): ["T 2.0", "(scale 0.4"],
        stakes.BetaCalibrator(): ["a 0.", "b 0.", "c −0."],
        stakes.HistogramCalibrator(bins=7): ["bins=7", "7 bins for each of 2 classes"],
        stakes.IsotonicCalibrator(): ["steps of the posterior of 1"],
        stakes.AffineCalibrator(stakes.BrierLoss()): ["rule=BrierLoss()", "scale"],
    }
    for calibrator, words in told.items():
        assert "scale 0" not in repr(calibrator)
        text = repr(calibrator.fit(p, Y))
        assert [word for word in words if word not in text] == [], text
    again = stakes.calibrator_from_dict(stakes.TemperatureCalibrator().fit(p, Y).to_dict())
    assert repr(again).startswith("temperature calibrator, read: T 2.0")


def test_posteriors_of_every_kind_of_scores() -> None:
    p = RNG.dirichlet(np.ones(3), 50)
    priors = np.array([0.5, 0.3, 0.2])
    kinds = {
        stakes.Posteriors(p): None,
        stakes.LogPosteriors(np.log(p)): None,
        stakes.Logits(np.log(p) + 3): None,
        stakes.LogLikelihoods(np.log(p / priors)): priors,
    }
    for scores, at in kinds.items():
        assert scores.posteriors(at) == pytest.approx(p, rel=1e-12)
    two = np.column_stack([1 - p[:, 0], p[:, 0]])
    assert stakes.Posteriors(p[:, 0]).posteriors() == pytest.approx(two)
    ratios = stakes.LogLikelihoodRatios(np.log(p[:, 0] / (1 - p[:, 0])))
    assert ratios.posteriors([0.5, 0.5]) == pytest.approx(two)
    with pytest.raises(stakes.InputError, match="priors must be given"):
        ratios.posteriors()
    found = stakes.Posteriors(p).posteriors()
    found[:] = 0  # a copy of one's own
    assert stakes.Posteriors(p).posteriors() == pytest.approx(p)
