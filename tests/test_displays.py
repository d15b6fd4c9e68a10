"""Displays: they draw the numbers of the curves, on any axes, whatever the names are."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.figure import Figure

import stakes
from stakes.displays import DISPLAYS, Display, panels, save_figure
from stakes.displays.figures import ScoreDisplay, png, svg
from stakes.displays.looks import legend, shown, thinned
from stakes.metrics import FScore

DATA = stakes.simulation.simulate(2, n=400)
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
P = DATA.posteriors([0.9, 0.1])
LLR = DATA.log_likelihood_ratios()
CURVE = stakes.risk_curve(DATA.y, P, calibrator=stakes.AffineCalibrator())
VIEWS = {
    "murphy": CURVE.murphy(),
    "relative value": CURVE.relative_value(),
    "decision curve": CURVE.decision_curve(),
    "interventions avoided": CURVE.interventions_avoided(),
    "APE": CURVE.ape(),
    "normalised Bayes error": CURVE.normalized_bayes_error(),
    "cost curve": CURVE.cost_curve(),
    "empirical cross-entropy": CURVE.empirical_cross_entropy(),
    "calibration loss": CURVE.calibration_loss(),
}
SURE = np.exp(P.log_posteriors()).max(axis=1)
SAID = stakes.Responses(np.exp(P.log_posteriors()).argmax(axis=1) == DATA.y, SURE, SURE < 0.6)
ANSWERS = stakes.evaluate_responses(SAID, 0.9)
SYSTEMS = {"A": P, "B": DATA.posteriors([0.5, 0.5])}
# What displays are made of, by what they say that they need; a display that needs anything else
# brings its data here.
NEEDED: dict[str, tuple[Any, ...]] = {
    "scores": (DATA.y, P),
    "scores of two classes": (DATA.y, P),
    "likelihood ratios of two classes": (DATA.y, LLR),
    "scores of several systems": (DATA.y, SYSTEMS),
    "responses": (ANSWERS.curve, 0.9),
    "costs and values of systems": (np.array([0.3, 1.2]), np.array([0.9, 0.1])),
}
# Every display of the scores of one system, and some with options.
OF_ONE_SYSTEM: dict[str, Callable[..., Display]] = {
    name: kind.from_predictions
    for name, kind in DISPLAYS.classes.items()
    if issubclass(kind, ScoreDisplay)
    and kind.needs.startswith("scores")
    and "several" not in kind.needs
}
MAKERS = OF_ONE_SYSTEM | {
    "roc with costs": partial(stakes.RocDisplay.from_predictions, costs=[[0, 1], [5, 0]]),
    "metrics": partial(stakes.ThresholdSweepDisplay.from_predictions, metrics=[FScore()]),
    "confidences": stakes.ReliabilityDisplay.from_confidences,
    "distribution with costs": partial(
        stakes.ScoreDistributionDisplay.from_predictions, costs=[[0, 1], [5, 0]]
    ),
    "prices": partial(stakes.AbstentionDisplay.from_predictions, prices=[0.0, 0.1, 0.3]),
}


class Model:
    """A classifier as scikit-learn makes them, fitted: the features are the posteriors."""

    def __init__(self, classes: list[Any]) -> None:
        self.classes_ = np.array(classes)

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        return x


def drawn_text(figure: Figure) -> list[str]:
    return [t.get_text() for t in figure.findobj(lambda a: hasattr(a, "get_text")) if t.get_text()]  # type: ignore[attr-defined]


def render(figure: Figure) -> None:
    """Draw every point and text as pixels, where they lie without a layout."""
    figure.set_layout_engine("none")
    assert png(figure, dpi=40).startswith(b"\x89PNG")


def made(name: str) -> Display:
    if name in VIEWS:
        return stakes.RiskDisplay(VIEWS[name])
    if name in MAKERS:
        return MAKERS[name](DATA.y, P)
    kind = DISPLAYS.classes[name]
    make = kind.from_predictions if issubclass(kind, ScoreDisplay) else kind
    return make(*NEEDED[kind.needs])


@pytest.fixture(params=[*dict.fromkeys([*DISPLAYS.classes, *MAKERS]), *VIEWS])
def display(request: pytest.FixtureRequest) -> Display:
    return made(request.param)


@pytest.mark.parametrize("kind", DISPLAYS.classes.values())
def test_a_display_says_what_it_draws_and_from_what(kind: type[Display]) -> None:
    assert kind.title
    assert kind.needs in NEEDED
    assert getattr(stakes, kind.__name__) is kind


def test_draws_without_a_warning_and_the_style_of_others_is_left_alone(display: Display) -> None:
    import matplotlib as mpl  # noqa: PLC0415

    before = dict(mpl.rcParams)
    assert display.plot() is display
    assert display.ax_.figure is display.figure_
    assert (display._repr_png_() or b"").startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_draws_on_given_axes(display: Display) -> None:
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert display.plot(axes[1]).ax_ is axes[1]
    assert display.figure_ is figure
    assert axes[1].has_data()
    assert not axes[0].has_data()


def test_gives_what_it_draws_as_columns_of_equal_length(display: Display) -> None:
    columns = display.frame()
    assert columns
    assert len({len(column) for column in columns.values()}) == 1


def test_axes_are_named(display: Display) -> None:
    axes = display.plot().ax_
    assert axes.get_xlabel()
    assert axes.get_ylabel() or axes.get_yticklabels()


@pytest.mark.parametrize("name", MAKERS)
def test_an_estimator_gives_the_display_of_its_posteriors(name: str) -> None:
    rng = np.random.default_rng(1)
    second = rng.random(60)
    table = np.column_stack([1 - second, second])
    y = np.where(second > rng.random(60), "yes", "no")
    model = Model(["no", "yes"])
    kind = type(MAKERS[name](y, table, classes=["no", "yes"]))
    own = kind.from_estimator(model, table, y)  # type: ignore[attr-defined]
    other = kind.from_predictions(y, table, classes=["no", "yes"])  # type: ignore[attr-defined]
    for column, values in own.frame().items():
        np.testing.assert_array_equal(values, other.frame()[column])


def test_estimators_are_compared_by_name() -> None:
    table = np.exp(P.log_posteriors())
    models = {"A": Model([0, 1]), "B": Model([0, 1])}
    own = stakes.ComparisonDisplay.from_estimator(models, table, DATA.y)
    assert own.frame()["difference"].tolist() == [0.0] * len(own.differences)
    with pytest.raises(stakes.InputError, match="same classes"):
        stakes.ComparisonDisplay.from_estimator(
            {"A": Model([0, 1]), "B": Model([1, 0])}, table, DATA.y
        )


def test_posteriors_of_an_estimator_become_likelihood_ratios() -> None:
    table = np.exp(P.log_posteriors())
    own = stakes.TippettDisplay.from_estimator(
        Model([0, 1]), table, DATA.y, training_priors=[0.9, 0.1]
    )
    other = stakes.TippettDisplay.from_predictions(DATA.y, LLR)
    for column, values in own.frame().items():
        np.testing.assert_allclose(values, other.frame()[column], atol=1e-9)


def test_a_model_without_probabilities_is_refused() -> None:
    with pytest.raises(
        stakes.InputError, match=r"predict_proba and classes_: int has no predict_proba"
    ):
        stakes.RocDisplay.from_estimator(3, [[1.0]], [1])


def test_responses_are_drawn_from_themselves_or_from_their_evaluation() -> None:
    for kind in (stakes.TargetCurveDisplay, stakes.RiskCoverageDisplay, stakes.ReliabilityDisplay):
        one, other = kind.from_responses(SAID), kind.from_responses(ANSWERS, name="model")
        for column, values in one.frame().items():
            if column in ("target", "own", "stated", "calibrated", "best"):
                continue  # the targets of an evaluation have its own among them
            np.testing.assert_array_equal(values, other.frame()[column])
        assert any("model: " in text for text in drawn_text(other.plot().figure_))
    curve = stakes.TargetCurveDisplay.from_responses(SAID, 0.9)
    assert curve.frame()["own"] is curve.curve.utility["own"]
    np.testing.assert_array_equal(curve.frame()["best"], ANSWERS.curve.utility["best"])
    assert stakes.TargetCurveDisplay.from_responses(ANSWERS).target == 0.9


def test_risk_and_reliability_of_responses_are_those_of_right_and_wrong() -> None:
    risk = stakes.RiskCoverageDisplay.from_responses(SAID)
    right = SAID.right == 1
    assert risk.frame()["risk"][-1] == pytest.approx(1 - right.mean(), rel=1e-12)
    assert risk.naive == risk.frame()["risk"][-1]
    answered = ~SAID.abstained
    own = answered.mean(), 1 - right[answered].mean()
    assert risk.own == pytest.approx(own, rel=1e-12)
    columns = stakes.ReliabilityDisplay.from_responses(SAID, bins=7).frame()
    np.testing.assert_array_equal(
        columns["frequency"], stakes.reliability(right, SURE, 7).frequency
    )
    bare = stakes.Responses.from_counts(right=5, wrong=3)
    for kind in (stakes.RiskCoverageDisplay, stakes.ReliabilityDisplay):
        with pytest.raises(
            stakes.InputError, match="must have answers of which truth and confidence are known"
        ):
            kind.from_responses(bare)


def test_frames_hold_the_numbers_of_the_curves() -> None:
    y, s = DATA.y, P
    roc = stakes.roc_curve(y, s)
    columns = stakes.RocDisplay.from_predictions(y, s).frame()
    np.testing.assert_array_equal(columns["sensitivity"], roc.sensitivity)
    np.testing.assert_array_equal(np.flatnonzero(columns["on_hull"]), roc.hull_points)
    columns = stakes.DetDisplay.from_predictions(y, s).frame()
    np.testing.assert_array_equal(columns["miss_probit"], roc.det()[1])
    columns = stakes.ThresholdSweepDisplay.from_predictions(y, s, costs={"mine": COSTS}).frame()
    np.testing.assert_array_equal(columns["mine"], roc.normalized_costs(COSTS))
    columns = stakes.ReliabilityDisplay.from_predictions(y, s, bins=7).frame()
    bins = stakes.reliability(y, s, 7)
    np.testing.assert_array_equal(columns["frequency"], bins.frequency)
    for name, view in VIEWS.items():
        columns = stakes.RiskDisplay(view).frame()
        assert all(columns[c] is values for c, values in view.frame().items()), name
    columns = stakes.RiskCoverageDisplay.from_predictions(y, s).frame()
    np.testing.assert_array_equal(columns["risk"], stakes.risk_coverage_curve(y, s).risk)
    columns = stakes.AbstentionDisplay.from_predictions(y, s, prices=[0.1]).frame()
    curve = stakes.abstention_curve(y, s, [0.1])
    assert columns["normalized"][0] == curve.costs[0].normalized
    assert columns["abstention_rate"][0] == curve.abstention_rates[0]


def test_the_area_is_drawn_with_its_interval() -> None:
    display = stakes.RocDisplay.from_predictions(DATA.y, P).plot()
    assert display.auc.interval is not None
    low = f"{display.auc.interval.low:.3f}"
    assert any(low in text for text in drawn_text(display.figure_))
    weights = np.linspace(1, 2, DATA.y.size)
    weighted = stakes.RocDisplay.from_predictions(DATA.y, P, sample_weight=weights)
    assert weighted.auc == stakes.auc(DATA.y, P, sample_weight=weights).estimate()


def test_operating_points_are_where_the_curve_puts_them() -> None:
    display = stakes.RocDisplay.from_predictions(DATA.y, P, costs=COSTS)
    bayes, best = display.points["Bayes"], display.points["best"]
    first, second = display.curve.priors
    value = first * bayes.false_alarm_rate + 5 * second * bayes.miss_rate
    assert value == pytest.approx(stakes.bayes_cost(DATA.y, P, costs=COSTS).value)
    assert best == display.curve.minimum_cost(COSTS).point
    marks = {
        (line.get_xdata()[0], line.get_ydata()[0])  # type: ignore[index]
        for line in display.plot().ax_.lines
        if len(line.get_xdata()) == 1  # type: ignore[arg-type]
    }
    assert marks == {(p.false_alarm_rate, p.sensitivity) for p in (bayes, best)}


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        (P, "log odds"),
        (stakes.Posteriors(np.exp(P.log_posteriors())), "posterior"),
        (stakes.LogPosteriors(P.log_posteriors()[:, 1]), "log posterior"),
        (LLR, "log likelihood ratio"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_the_bayes_threshold_is_on_the_scale_of_the_scores(
    scores: stakes.Scores, scale: str
) -> None:
    """Whatever the kind of score, the same cases are decided, at the same cost."""
    priors = [0.9, 0.1]
    sweep = stakes.threshold_sweep(DATA.y, scores, costs=COSTS, priors=priors)
    assert sweep.scale == scale
    (swept,) = sweep.metrics
    assert swept.bayes is not None
    expected = stakes.bayes_cost(DATA.y, P, costs=COSTS, priors=priors).normalized
    assert swept.bayes[1] == pytest.approx(expected, rel=1e-9)
    assert swept.best[1] <= swept.bayes[1]


def test_likelihood_ratios_are_decided_at_the_priors_of_use() -> None:
    for priors in ([0.3, 0.7], [0.99, 0.01]):
        (swept,) = stakes.threshold_sweep(DATA.y, LLR, costs=COSTS, priors=priors).metrics
        expected = stakes.bayes_cost(DATA.y, LLR, costs=COSTS, priors=priors).normalized
        assert swept.bayes == pytest.approx((COSTS.llr_threshold(priors), expected))


@pytest.mark.parametrize("kind", ["table", "column", "logits", "ratios", "logs"])
def test_the_other_class_may_be_the_one_of_interest(kind: str) -> None:
    table = np.exp(P.log_posteriors())
    scores: Any = {
        "table": table,
        "column": stakes.Posteriors(table[:, 1]),
        "logits": stakes.Logits(LLR.values),
        "ratios": LLR,
        "logs": stakes.LogPosteriors(P.log_posteriors()[:, 1]),
    }[kind]
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=[1, 0])
    turned = stakes.threshold_sweep(DATA.y, scores, costs=costs, positive=0).metrics[0]
    plain = stakes.threshold_sweep(
        DATA.y, scores, costs=stakes.CostMatrix([[0, 5], [1, 0]])
    ).metrics[0]
    assert turned.best[1] == pytest.approx(plain.best[1])
    assert turned.bayes is not None
    assert plain.bayes is not None
    assert turned.bayes[1] == pytest.approx(plain.bayes[1])


def test_cells_cost_what_the_whole_costs() -> None:
    for priors in (None, [0.3, 0.7]):
        display = stakes.ConfusionDisplay.from_predictions(DATA.y, P, costs=COSTS, priors=priors)
        assert display.frame()["cost"].sum() == pytest.approx(display.cost.value)
    decided = COSTS.bayes_decisions(P)
    other = stakes.ConfusionDisplay.from_decisions(DATA.y, decided, costs=COSTS)
    same = stakes.ConfusionDisplay.from_predictions(DATA.y, P, costs=COSTS)
    np.testing.assert_array_equal(other.frame()["count"], same.frame()["count"])


def test_a_class_that_never_occurs_has_cells_without_a_rate() -> None:
    display = stakes.ConfusionDisplay.from_decisions(
        [0, 0, 1], [0, 1, 1], classes=[0, 1, 2], decisions=[0, 1, 2]
    )
    assert np.isnan(display.frame()["rate"][6:]).all()
    assert display.frame()["cost"].sum() == pytest.approx(1 / 3)
    assert "no samples" in "".join(drawn_text(display.plot().figure_))


def test_many_classes_are_drawn_without_words() -> None:
    y = np.arange(200) % 50
    figure = stakes.ConfusionDisplay.from_decisions(y, y).plot().figure_
    png(figure)
    assert len(drawn_text(figure)) < 200


def test_shares_of_the_distribution_add_up() -> None:
    scores = stakes.LogLikelihoodRatios([-np.inf, -1.0, 0.0, 1.0, np.inf, np.inf])
    found = stakes.score_distribution([0, 0, 0, 1, 1, 0], scores, bins=4)
    total = found.shares.sum(axis=1) + found.below + found.above
    np.testing.assert_allclose(total, 1)
    np.testing.assert_allclose(found.above, [0.25, 0.5])
    texts = "\n".join(drawn_text(stakes.ScoreDistributionDisplay(found).plot().figure_))
    assert "25 % of class 0 at plus infinity" in texts


def test_infinite_evidence_is_told() -> None:
    scores = stakes.LogLikelihoodRatios([-np.inf, -1.0, 0.5, 1.0, np.inf, np.inf])
    y = [0, 0, 1, 1, 1, 0]
    display = stakes.TippettDisplay.from_predictions(y, scores).plot()
    assert "2 at plus infinity" in display.ax_.get_xlabel()
    curve = stakes.risk_curve(y, scores, priors="data")
    risk = stakes.RiskDisplay(curve.empirical_cross_entropy()).plot()
    assert "actual is infinite" in risk.ax_.get_xlabel()
    png(risk.figure_)


def test_rates_of_misleading_evidence() -> None:
    curve = stakes.tippett_curve([0, 0, 0, 0, 1, 1], [-1.0, 0.0, 1.0, 2.0, 0.0, -3.0])
    assert curve.misleading == (0.5, 0.5)
    np.testing.assert_allclose(
        curve.log10_ratios[1:], np.array([-3.0, -1.0, 0.0, 1.0, 2.0]) / np.log(10)
    )


def test_thresholds_outside_the_picture_are_told() -> None:
    backwards = stakes.LogLikelihoodRatios(-LLR.values)
    costly = stakes.CostMatrix.binary(miss=1, false_alarm=30)
    axes = stakes.ThresholdSweepDisplay.from_predictions(DATA.y, backwards, costs=costly).plot().ax_
    assert "above the picture" in axes.get_xlabel()
    assert axes.get_ylim()[1] < 3
    costly = stakes.CostMatrix.binary(miss=30, false_alarm=1)
    axes = stakes.ThresholdSweepDisplay.from_predictions(DATA.y, backwards, costs=costly).plot().ax_
    assert "best threshold of normalised cost: below all scores" in axes.get_xlabel()


def test_an_undefined_normalised_cost_is_told() -> None:
    display = stakes.ConfusionDisplay.from_decisions(
        [0, 1], [0, 1], costs=[[0, 0], [0, 0]], classes=[0, 1]
    )
    assert "undefined" in display.plot().ax_.get_xlabel()


def test_the_naive_system_is_always_drawn(display: Display) -> None:
    words = " ".join(drawn_text(display.plot().figure_)).lower()
    words += " ".join(str(line.get_label()) for line in display.ax_.lines)
    if isinstance(display, stakes.ScoreDistributionDisplay | stakes.ComparisonDisplay):
        return  # they show scores and differences, for which there is none
    assert "naive" in words or "treat none" in words


def test_the_isotonic_curve_is_the_map_of_pooled_samples() -> None:
    p = np.exp(P.log_posteriors())[:, 1]
    curve = stakes.reliability_curve(DATA.y, p, resamples=20)
    block = np.searchsorted(curve.low, p, side="right") - 1
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    order = np.argsort(p, kind="stable")
    oracle = isotonic_regression(DATA.y[order].astype(float)).x
    np.testing.assert_allclose(curve.frequency[block][order], oracle, atol=1e-12)
    assert (np.diff(curve.frequency) > 0).all()


def test_the_band_holds_calibrated_scores_and_leaves_out_others() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(3000)
    y = (rng.random(3000) < p).astype(int)
    inside = []
    for scores in (p, p**3):
        curve = stakes.reliability_curve(y, scores, level=0.9, rng=1)
        block = np.clip(np.searchsorted(curve.low, curve.band_at, side="right") - 1, 0, None)
        value = curve.frequency[block]
        inside.append(float(np.mean((value >= curve.band_low) & (value <= curve.band_high))))
    assert inside[0] > 0.75
    assert inside[1] < 0.3


def test_wilson_intervals_of_bins_are_those_of_the_book() -> None:
    """Ten events among 100: 0.0552 to 0.1744 (Wilson)."""
    y = np.r_[np.ones(10), np.zeros(90)].astype(int)
    bins = stakes.reliability(y, np.full(100, 0.2), 1)
    low, high = bins.interval(0.95)
    assert (low[0], high[0]) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    heavy = stakes.reliability(y, np.full(100, 0.2), 1, sample_weight=np.full(100, 7.0))
    np.testing.assert_allclose(heavy.interval(0.95), bins.interval(0.95))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_thinned_line_keeps_its_outline(seed: int, falling: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=3000))
    x = x[::-1] if falling else x
    y = rng.normal(size=3000)
    kept = thinned(x, y, columns=50)
    assert kept.size <= 4 * 51
    assert {0, 2999, int(y.argmin()), int(y.argmax())} <= set(kept.tolist())
    code = ((x - x.min()) * (50 / (x.max() - x.min()))).astype(int)
    for column in range(50):
        there = code == column
        if there.any():
            assert y[kept][code[kept] == column].max() == y[there].max()
            assert y[kept][code[kept] == column].min() == y[there].min()


def test_large_data_are_drawn_with_few_points() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100_000)
    p = 1 / (1 + np.exp(-rng.normal(size=y.size) - y))
    for make in (
        stakes.RocDisplay,
        stakes.DetDisplay,
        stakes.PrecisionRecallDisplay,
        stakes.RiskCoverageDisplay,
    ):
        display = make.from_predictions(y, stakes.Posteriors(p)).plot()
        assert max(len(line.get_xdata()) for line in display.ax_.lines) < 6100  # type: ignore[arg-type]
        assert len(next(iter(display.frame().values()))) > 90_000


ODD = {
    "certain and right": [-np.inf, -np.inf, np.inf, np.inf],
    "certain and wrong": [np.inf, -np.inf, np.inf, -np.inf],
    "perfect": [-2.0, -1.0, 1.0, 2.0],
    "constant": [0.0, 0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("scores", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", MAKERS)
def test_odd_scores_are_drawn(name: str, scores: list[float]) -> None:
    p = np.exp(stakes.LogLikelihoodRatios(scores).log_posteriors([0.5, 0.5]))
    y, weights = [0, 0, 1, 1], [1.0, 2.0, 0.5, 3.0]
    render(MAKERS[name](y, p, sample_weight=weights).plot().figure_)
    logs = stakes.Logits(scores) if np.isfinite(scores).all() else stakes.LogPosteriors(_log(p))
    assert MAKERS[name](y, logs).frame()


def _log(p: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(p)


HOSTILE = ["<script>alert(1)</script>", "$\\frac{1}{0}$ and $"]
WORSE = ["_hidden\u202e\x1b[2J", "x" * 10_000]


@pytest.mark.parametrize(
    "classes", [HOSTILE, WORSE], ids=["markup and formulas", "bidi, control, long"]
)
@pytest.mark.parametrize("name", [n for n in MAKERS if n != "confidences"])
def test_hostile_names_are_shown_harmlessly(name: str, classes: list[str]) -> None:
    y = np.array(classes, dtype=object)[DATA.y]
    display = MAKERS[name](y, np.exp(P.log_posteriors()), classes=classes).plot()
    display.figure_.set_layout_engine("none")  # where the texts lie does not matter
    svg(display.figure_)
    texts = "".join(drawn_text(display.figure_))
    assert "\x1b" not in texts
    assert "\u202e" not in texts
    assert "x" * 100 not in texts


def test_dollars_stay_dollars() -> None:
    from matplotlib.text import Text  # noqa: PLC0415

    for name in ("$x$", "a $ b", "$$", "\\$x$"):
        text, math = Text()._preprocess_math(shown(name))  # type: ignore[attr-defined]
        assert (text, math) == (name, False)


def test_names_that_begin_with_an_underscore_are_in_the_legend() -> None:
    y = np.array(["_a", "_b"])[DATA.y]
    axes = stakes.ScoreDistributionDisplay.from_predictions(y, LLR, classes=["_a", "_b"]).plot().ax_
    assert [t.get_text().strip() for t in axes.get_legend().get_texts()][:2] == ["_a", "_b"]  # type: ignore[union-attr]


def test_a_second_system_looks_different() -> None:
    first = stakes.RocDisplay.from_predictions(DATA.y, P, name="A").plot()
    second = stakes.RocDisplay.from_predictions(DATA.y, -LLR.values, name="B").plot(first.ax_)
    main = [line for line in second.ax_.lines if line.get_gid() == "stakes-system"]
    assert len({line.get_color() for line in main}) == 2
    assert len({line.get_linestyle() for line in main}) == 2
    names = [t.get_text() for t in second.ax_.get_legend().get_texts()]  # type: ignore[union-attr]
    assert len(names) == len(set(names))
    assert sum(name.startswith("naive") for name in names) == 1


def test_panels_share_one_legend_and_name_each() -> None:
    sweep = stakes.ThresholdSweepDisplay.from_predictions(DATA.y, P)
    figure = panels([[sweep, sweep]], [["left", "right"]])
    assert len(figure.legends) == 1
    assert all(axes.get_legend() is None for axes in figure.axes)
    roc, rel = (
        k.from_predictions(DATA.y, P) for k in (stakes.RocDisplay, stakes.ReliabilityDisplay)
    )
    mixed = panels([[roc, rel], [sweep]], [["a", "b"], ["c"]])
    assert not mixed.legends
    assert [axes.get_title() for axes in mixed.axes] == ["a", "b", "c"]


def test_saved_figures_repeat(tmp_path: Path) -> None:
    display = stakes.RocDisplay.from_predictions(DATA.y, P).plot()
    first = [path.read_bytes() for path in save_figure(display, tmp_path / "one")]
    again = stakes.RocDisplay.from_predictions(DATA.y, P).plot()
    assert first == [path.read_bytes() for path in save_figure(again.figure_, tmp_path / "two")]


def test_unknown_metrics_of_a_comparison_are_refused() -> None:
    result = stakes.compare(DATA.y, {"A": P, "B": P})
    with pytest.raises(stakes.InputError, match=r"metrics must be some of .* got 'nonsense'"):
        stakes.ComparisonDisplay(result, ["nonsense"]).plot()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: stakes.reliability_curve([0, 1], [0.2, 0.7], resamples=0),
            "resamples must be a whole number",
        ),
        (lambda: stakes.reliability_curve([0, 1], [0.2, 0.7], level=2), "level must"),
        (
            lambda: stakes.reliability_curve([0, 1, 2], np.full((3, 3), 1 / 3)),
            "reliability_curve needs two classes",
        ),
        (
            lambda: stakes.score_distribution([0, 1], [0.2, 0.7], bins=0),
            "bins must be a whole number",
        ),
        (
            lambda: stakes.threshold_sweep([0, 1], [0.2, 0.7], costs={}),
            "costs must hold at least one",
        ),
        (lambda: stakes.threshold_sweep([0, 1], [-2.0, 7.0]), "must be posteriors"),
        (lambda: stakes.RocDisplay.from_predictions([0, 1], [0.2, 0.7], level=0), "level must"),
    ],
)
def test_what_is_wrong_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(stakes.InputError, match=message):
        call()


def test_numbers_are_there_without_matplotlib_and_drawing_says_what_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    script = (
        "import stakes\n"
        "display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])\n"
        "print(len(display.frame()['threshold']))\n"
        "try: display.plot()\n"
        "except stakes.MissingExtraError as error: print(error)\n"
    )
    top = str(Path(stakes.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), top])},
        timeout=60,
    )
    assert done.stdout.splitlines() == ["5", "drawing needs matplotlib: pip install 'stakes[plot]'"]


def test_legends_name_a_shared_line_once() -> None:
    axes = Figure().subplots()
    for _ in range(2):
        axes.plot([0, 1], [0, 1], label="same")
    legend(axes)
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["same"]  # type: ignore[union-attr]


WITH_COSTS = [
    stakes.AbstentionDisplay,
    stakes.ConfusionDisplay,
    stakes.RocDisplay,
    stakes.ScoreDistributionDisplay,
    stakes.ThresholdSweepDisplay,
]


@pytest.mark.parametrize("display", WITH_COSTS)
@pytest.mark.parametrize("names", [("well", "ill"), ("ill", "well"), ("a", "b"), (7, 3)])
@pytest.mark.parametrize("table", [False, True])
def test_displays_keep_to_the_class_order_of_named_costs(
    display: Any,  # noqa: ANN401
    names: tuple[Any, Any],
    table: bool,  # noqa: FBT001
) -> None:
    p = np.exp(P.log_posteriors())
    scores = p if table else p[:, 1]
    y = np.array(names, dtype=object)[DATA.y].tolist()
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=names)
    plain = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    wanted = display.from_predictions(DATA.y, scores, costs=plain)
    for kinds in ({}, {"classes": names}):
        found = display.from_predictions(y, scores, costs=costs, **kinds)
        for a, b in zip(found.frame().values(), wanted.frame().values(), strict=True):
            if b.dtype != object:
                np.testing.assert_array_equal(a, b)
        for part in ("points", "thresholds"):
            assert getattr(found, part, None) == getattr(wanted, part, None)
    with pytest.raises(stakes.InputError, match="in their order"):
        display.from_predictions(y, scores, costs=costs, classes=names[::-1])
