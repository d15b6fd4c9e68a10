"""The priors of posteriors: planted truth, where models weight classes and are deployed elsewhere."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import stakes
from stakes import displays
from stakes._check import InputError
from stakes.evaluation.model_priors import ClassCounts, PosteriorPriors, model_priors

SCALES_BY_TEMPERATURE = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)

COSTS = {"miss": 5, "false_alarm": 1}
USE = [0.98, 0.02]
CV = StratifiedKFold(5, shuffle=True, random_state=0)
QUICK: dict[str, Any] = {"calibrator": None}
SHARES = np.array([0.9, 0.1])


def draw(n: int, share: float, seed: int) -> tuple[Any, Any]:
    """Draw samples whose log odds are linear in the features, at a share of the second class."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int64)
    features = rng.normal(size=(n, 2))
    features[:, 0] += 2.0 * y
    features[:, 1] += 0.5 * y
    return features, y


X, Y = draw(6000, 0.1, 0)
X_USE, Y_USE = draw(200_000, 0.02, 1)
HEAVY = np.where(Y == 1, 9.0, 1.0)


def ideal(X: Any, share: float) -> Any:
    """Return the true posteriors of the second class at a share."""
    odds = np.exp(2 * X[:, 0] - 2 + 0.5 * X[:, 1] - 0.125) * share / (1 - share)
    return odds / (1 + odds)


class Weighted(LogisticRegression):  # type: ignore[misc]  # of a library without types
    """A logistic regression that weights the second class as boosted trees of XGBoost do."""

    def __init__(self, scale_pos_weight: float = 1) -> None:
        super().__init__()
        self.scale_pos_weight = scale_pos_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Weighted":
        """Fit with the weight."""
        given = np.ones(len(y)) if sample_weight is None else sample_weight
        found: Weighted = super().fit(X, y, given * np.where(y == 1, self.scale_pos_weight, 1.0))
        return found


MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "plain": (LogisticRegression(), {}),
    "balanced": (LogisticRegression(class_weight="balanced"), {}),
    "dict": (LogisticRegression(class_weight={0: 1, 1: 4}), {}),
    "scale_pos_weight": (Weighted(scale_pos_weight=9), {}),
    "sample weights": (GradientBoostingClassifier(max_depth=1), {"w": HEAVY}),
    "naive Bayes": (GaussianNB(priors=[0.5, 0.5]), {}),
    "discriminants": (LinearDiscriminantAnalysis(priors=[0.3, 0.7]), {}),
    "pipeline": (make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")), {}),
    "search": (GridSearchCV(LogisticRegression(class_weight="balanced"), {"C": [1.0]}, cv=2), {}),
    "decides": (stakes.sklearn.BayesClassifier(LogisticRegression(), priors=USE), {}),
    "decides elsewhere": (
        stakes.sklearn.BayesClassifier(
            LogisticRegression(class_weight="balanced"), priors=[0.6, 0.4]
        ),
        {},
    ),
    "calibrated": (
        stakes.sklearn.CalibratedClassifier(LogisticRegression(class_weight="balanced")),
        {},
    ),
    "calibrated by scikit-learn": (
        CalibratedClassifierCV(LogisticRegression(class_weight="balanced")),
        {},
    ),
}


def truth(share: float) -> float:
    """Return what decisions by the true posteriors cost where the model is used."""
    return float(stakes.bayes_cost(Y_USE, ideal(X_USE, share), costs=COSTS).normalized)


@pytest.mark.parametrize("name", MODELS)
def test_the_cost_said_is_that_where_the_model_is_used(name: str) -> None:
    model, told = MODELS[name]
    weights = told.get("w")
    found = stakes.evaluate_model(model, X, Y, cv=CV, costs=COSTS, priors=USE, **QUICK)
    if weights is not None:  # they weight classes in the fit alone
        shift = stakes.sklearn.BayesClassifier(model, costs=COSTS, priors=USE)
        fitted = shift.fit(X, Y, sample_weight=weights)
    else:
        fitted = stakes.sklearn.BayesClassifier(model, costs=COSTS, priors=USE).fit(X, Y)
    p = fitted.predict_proba(X_USE)
    used = stakes.bayes_cost(Y_USE, p, costs=COSTS).normalized
    assert used == pytest.approx(truth(0.02), abs=0.04)  # its decisions are those of the truth
    interval = found.main.cost.raw.normalized_interval(0.999)
    assert interval.low < used < interval.high
    entropy = stakes.cross_entropy(Y_USE, p).normalized
    best = stakes.cross_entropy(Y_USE, ideal(X_USE, 0.02)).normalized
    assert entropy == pytest.approx(best, abs=0.04)
    assert found.rules[0].raw.normalized == pytest.approx(best, abs=0.05)


def test_a_model_and_the_classifier_that_decides_with_it_have_one_cost() -> None:
    """The five calls of the first report, of which three were wrong."""
    model = LogisticRegression()
    decides = stakes.sklearn.BayesClassifier(model, costs=COSTS, priors=USE)
    told: dict[str, Any] = {"cv": CV, "costs": COSTS, "priors": USE, **QUICK}
    found = [
        stakes.evaluate_model(model, X, Y, **told),
        stakes.evaluate_model(model, X, Y, training_priors="data", **told),
        stakes.evaluate_model(decides, X, Y, **told),
        stakes.evaluate_model(decides, X, Y, training_priors="deployment", **told),
    ]
    costs = [each.main.cost.normalized.value for each in found]
    for values in (costs, [each.rules[0].raw.normalized for each in found]):
        assert values == pytest.approx([values[0]] * 4, abs=0.01)
    indices = np.empty(Y.size, dtype=np.int64)
    for train, test in CV.split(X, Y):
        indices[test] = clone(decides).fit(X[train], Y[train]).predict(X[test])
    cost = stakes.expected_cost(Y, indices, costs=COSTS, priors=USE).normalized
    assert found[2].main.cost.normalized.value == pytest.approx(cost, abs=1e-12)


def test_what_contradicts_the_model_is_said() -> None:
    told: dict[str, Any] = {"cv": CV, "costs": COSTS, "priors": USE, **QUICK}
    wrong = stakes.evaluate_model(
        stakes.sklearn.BayesClassifier(LogisticRegression(), priors=USE),
        X, Y, training_priors="data", **told,
    )  # fmt: skip
    assert "training_priors say 0: 0.8955, 1: 0.1045, which are used" in " ".join(wrong.notes)
    even = stakes.evaluate_model(
        LogisticRegression(class_weight="balanced"), X, Y, training_priors=[0.5, 0.5], **told
    )
    assert "training_priors say" not in " ".join(even.notes)
    with pytest.warns(UserWarning, match="training_priors say"):
        stakes.sklearn.BayesClassifier(
            LogisticRegression(class_weight="balanced"), training_priors="data"
        ).fit(X, Y)


PLAIN, BALANCED = LogisticRegression(), LogisticRegression(class_weight="balanced")
KNOWN: dict[str, tuple[Any, Any]] = {
    "frozen": (FrozenEstimator(LogisticRegression().fit(X, Y)), None),
    "frozen and balanced": (FrozenEstimator(clone(BALANCED).fit(X, Y)), [0.5, 0.5]),
    "bagged": (BaggingClassifier(BALANCED, n_estimators=3), [0.5, 0.5]),
    "stacked": (StackingClassifier([("a", BALANCED)], cv=2), SHARES),
    "averaged": (VotingClassifier([("a", PLAIN), ("b", GaussianNB())], voting="soft"), SHARES),
    "averaged at two": (VotingClassifier([("a", PLAIN), ("b", BALANCED)], voting="soft"), None),
    "forest": (RandomForestClassifier(10), SHARES),
    "balanced forest": (RandomForestClassifier(10, class_weight="balanced_subsample"), None),
    "balanced tree": (DecisionTreeClassifier(class_weight="balanced"), None),
    "one against the rest": (OneVsRestClassifier(BALANCED), None),
    "gradients": (SGDClassifier(loss="log_loss", class_weight="balanced"), [0.5, 0.5]),
    "threshold": (FixedThresholdClassifier(BALANCED), [0.5, 0.5]),
}
if SCALES_BY_TEMPERATURE:
    KNOWN["temperature"] = CalibratedClassifierCV(BALANCED, method="temperature"), None


@pytest.mark.parametrize("name", KNOWN)
def test_the_priors_of_a_model_are_known_or_unknown_with_a_reason(name: str) -> None:
    model, expected = KNOWN[name]
    fitted = clone(model).fit(X, Y)
    n = np.bincount(Y).astype(np.float64)
    found = model_priors(fitted, ClassCounts(n, n))
    if expected is None:
        assert found.values is None
        assert found.why
    else:
        assert found.values == pytest.approx(np.asarray(expected), abs=0.01)


def test_support_vectors_have_the_priors_of_their_data_whatever_classes_weigh() -> None:
    some = slice(0, 1500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of a parameter that goes
        fitted = SVC(probability=True, class_weight="balanced").fit(X[some], Y[some])
    n = np.bincount(Y[some]).astype(np.float64)
    found = model_priors(fitted, ClassCounts(n, n))
    assert found.values == pytest.approx(SHARES, abs=0.02)
    p = fitted.predict_proba(draw(20_000, 0.1, 3)[0])
    assert p[:, 1].mean() == pytest.approx(0.1, abs=0.03)


ASKED: dict[str, Callable[[Any], Any]] = {
    "evaluate_model": lambda model: stakes.evaluate_model(model, X, Y, priors=USE, **QUICK),
    "compare_models": lambda model: stakes.compare_models(
        {"a": model, "b": model}, X, Y, priors=USE
    ),
    "BayesClassifier": lambda model: stakes.sklearn.BayesClassifier(
        FrozenEstimator(model), priors=USE
    ).fit(X, Y),
    "cost_scorer": lambda model: stakes.sklearn.cost_scorer(COSTS, priors=USE)(model, X, Y),
    "loss_scorer": lambda model: stakes.sklearn.loss_scorer(priors=USE)(model, X, Y),
}


@pytest.mark.parametrize("entry", ASKED)
def test_a_model_that_does_not_show_its_priors_is_asked_for(entry: str) -> None:
    fitted = LogisticRegression().fit(X, Y)
    with pytest.raises(InputError, match="its training data are not seen") as caught:
        ASKED[entry](fitted)
    assert caught.value.code == "training_priors_needed"
    assert 'training_priors="data"' in str(caught.value)
    assert 'training_priors="deployment"' in str(caught.value)
    for shows in (GaussianNB(), clone(BALANCED), stakes.sklearn.CalibratedClassifier(PLAIN)):
        ASKED[entry](shows.fit(X, Y))


WEIGHTED: dict[str, tuple[Any, str]] = {
    "a mapping": (LogisticRegression(class_weight={0: 1, 1: 9}), "class_weight={0: 1, 1: 9}"),
    "trees": (
        DecisionTreeClassifier(min_samples_leaf=50, class_weight="balanced"),
        "class_weight='balanced'",
    ),
}
if SCALES_BY_TEMPERATURE:
    WEIGHTED["a temperature"] = (
        CalibratedClassifierCV(BALANCED, method="temperature", cv=3),
        "class_weight='balanced'",
    )


@pytest.mark.parametrize("entry", ASKED)
@pytest.mark.parametrize("name", WEIGHTED)
def test_the_priors_of_the_data_are_not_advised_for_a_model_that_weights_classes(
    entry: str, name: str
) -> None:
    model, weighting = WEIGHTED[name]
    with pytest.raises(InputError) as caught:
        ASKED[entry](clone(model).fit(X, Y))
    assert caught.value.code == "training_priors_needed"
    text = str(caught.value)
    assert f"It weights classes by {weighting}, so they are not at the priors of its data" in text
    assert "CalibratedClassifier(model)" in text
    assert 'training_priors="data"' not in text


@pytest.mark.parametrize("name", WEIGHTED)
def test_training_priors_of_the_data_are_doubted_for_a_model_that_weights_classes(
    name: str,
) -> None:
    model, weighting = WEIGHTED[name]
    fitted = clone(model).fit(X, Y)
    told: dict[str, Any] = {"priors": USE, **QUICK}
    found = stakes.evaluate_model(fitted, X, Y, training_priors="data", **told)
    doubts = [note for note in found.notes if f"weights classes by {weighting}" in note]
    assert len(doubts) == 1
    given = stakes.evaluate_model(fitted, X, Y, training_priors=[0.3, 0.7], **told)
    assert not any("training_priors say" in note for note in given.notes)
    scorer = stakes.sklearn.loss_scorer(priors=USE, training_priors="data")
    with pytest.warns(UserWarning, match="training_priors say 0: 0.8"):
        scorer(fitted, X, Y)
    decides = stakes.sklearn.BayesClassifier(
        FrozenEstimator(fitted), priors=USE, training_priors="data"
    )
    with pytest.warns(UserWarning, match="weights classes by"):
        decides.fit(X, Y)
    advised = stakes.sklearn.CalibratedClassifier(clone(model)).fit(X, Y)
    better = stakes.evaluate_model(advised, X_USE, Y_USE, costs=COSTS, **told)
    assert better.main.cost.normalized.value == pytest.approx(truth(0.02), abs=0.05)


def test_fitted_models_that_show_their_priors_are_adapted() -> None:
    shows = clone(BALANCED).fit(X, Y)
    found = stakes.evaluate_model(shows, X_USE, Y_USE, costs=COSTS, priors=USE, **QUICK)
    assert found.main.cost.normalized.value == pytest.approx(truth(0.02), abs=0.02)
    scorer = stakes.sklearn.cost_scorer(COSTS, priors=USE)
    assert -scorer(shows, X_USE, Y_USE) == pytest.approx(found.main.cost.normalized.value)
    told = stakes.sklearn.cost_scorer(COSTS, priors=USE, training_priors="data")
    value = -cross_val_score(PLAIN, X, Y, cv=CV, scoring=told).mean()
    assert value == pytest.approx(truth(0.02), abs=0.08)


def test_weights_of_classes_are_a_verdict_whose_advice_does_not_cost_more() -> None:
    told: dict[str, Any] = {"cv": CV, "costs": COSTS, **QUICK}
    found = stakes.evaluate_model(BALANCED, X, Y, **told)
    verdict = found.verdicts[0]
    assert verdict.code == "weighted_classes"
    assert "class_weight='balanced' moves them to 0: 0.5, 1: 0.5, as if all classes" in verdict.text
    assert "training_priors=[0.5, 0.5]" in verdict.advice
    assert "BayesClassifier(model, costs=costs)" in verdict.advice
    advised = stakes.evaluate_model(BALANCED, X, Y, training_priors=[0.5, 0.5], **told)
    decides = stakes.sklearn.BayesClassifier(BALANCED, costs=COSTS)
    with pytest.warns(UserWarning, match="class_weight='balanced'"):
        deployed = stakes.evaluate_model(decides, X, Y, **told)
    plain = stakes.evaluate_model(PLAIN, X, Y, **told)
    for each in (advised, deployed, plain):
        assert each.main.cost.normalized.value < found.main.cost.normalized.value
        assert each.main.cost.normalized.value == pytest.approx(
            plain.main.cost.normalized.value, abs=0.02
        )
        assert "weighted_classes" not in {v.code for v in each.verdicts}
    assert f"{advised.main.cost.normalized.value:.4g} adapted" in verdict.text


def test_weights_whose_effect_is_unknown_are_a_verdict_that_advises_calibration() -> None:
    forest = RandomForestClassifier(20, class_weight="balanced", random_state=0)
    found = stakes.evaluate_model(forest, X, Y, cv=3, costs=COSTS, **QUICK)
    verdict = next(v for v in found.verdicts if v.code == "weighted_classes")
    assert "trees take up class_weight='balanced' only where leaves are mixed" in verdict.text
    assert "CalibratedClassifier(model)" in verdict.advice


def test_each_entry_point_that_sees_a_model_notices_weights_of_classes() -> None:
    fitted = clone(BALANCED).fit(X, Y)
    one = stakes.evaluate_model(fitted, X, Y, costs=COSTS, **QUICK)
    assert one.verdicts[0].code == "weighted_classes"
    both = stakes.compare_models({"a": PLAIN, "b": BALANCED}, X, Y, cv=3)
    assert [v.text[:2] for v in both.verdicts if v.code == "weighted_classes"] == ["b:"]
    with pytest.warns(UserWarning, match="class_weight='balanced'"):
        stakes.sklearn.BayesClassifier(BALANCED).fit(X, Y)
    for scorer in (stakes.sklearn.cost_scorer(COSTS), stakes.sklearn.loss_scorer()):
        with pytest.warns(UserWarning, match="class_weight='balanced'"):
            scorer(fitted, X, Y)
    quiet = stakes.sklearn.CalibratedClassifier(BALANCED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet.fit(X, Y)
        stakes.sklearn.BayesClassifier(BALANCED, priors=USE).fit(X, Y)
        stakes.sklearn.BayesClassifier(BALANCED, calibrator=stakes.AffineCalibrator()).fit(X, Y)
    calm = stakes.evaluate_model(quiet, X, Y, costs=COSTS, **QUICK)
    assert "weighted_classes" not in {v.code for v in calm.verdicts}


TEMPERATURE = stakes.TemperatureCalibrator()


def test_a_temperature_does_not_hide_weights_of_classes() -> None:
    calm, weighted = (
        stakes.sklearn.CalibratedClassifier(m, calibrator=TEMPERATURE) for m in (PLAIN, BALANCED)
    )
    told: dict[str, Any] = {"cv": 3, "costs": COSTS, **QUICK}
    plain = stakes.evaluate_model(calm, X, Y, priors=USE, **told)
    assert plain.main.cost.normalized.value == pytest.approx(truth(0.02), abs=0.1)
    assert "weighted_classes" not in {v.code for v in plain.verdicts}
    verdict = stakes.evaluate_model(weighted, X, Y, **told).verdicts[0]
    assert verdict.code == "weighted_classes"
    assert "a temperature does not undo class_weight='balanced'" in verdict.text
    decides = stakes.sklearn.BayesClassifier(BALANCED, costs=COSTS, calibrator=TEMPERATURE)
    with pytest.warns(UserWarning, match="a temperature does not undo class_weight"):
        decides.fit(X, Y)
    own = stakes.sklearn.BayesClassifier(PLAIN, priors=[0.4, 0.6])
    for run in (
        lambda: stakes.evaluate_model(weighted, X, Y, priors=USE, **told),
        lambda: clone(decides).set_params(priors=USE).fit(X, Y),
        lambda: clone(decides).set_params(priors=USE, estimator=own).fit(X, Y),
        lambda: clone(decides).set_params(priors=USE, estimator=FrozenEstimator(PLAIN.fit(X, Y)))
        .fit(X, Y),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            run()
        assert caught.value.code == "training_priors_needed"
    advised = stakes.sklearn.BayesClassifier(
        stakes.sklearn.CalibratedClassifier(BALANCED), costs=COSTS, priors=USE
    )
    p = advised.fit(X, Y).predict_proba(X_USE)
    assert stakes.bayes_cost(Y_USE, p, costs=COSTS).normalized == pytest.approx(
        truth(0.02), abs=0.04
    )


def test_a_scorer_that_calibrates_by_a_temperature_notices_weights_of_classes() -> None:
    fitted = clone(BALANCED).fit(X, Y)
    scorer = stakes.sklearn.calibrated_loss_scorer(calibrator=TEMPERATURE)
    with pytest.warns(UserWarning, match="balanced'.*a calibrator with biases, such as"):
        scorer(fitted, X, Y)
    used = stakes.sklearn.calibrated_loss_scorer(calibrator=TEMPERATURE, priors=USE)
    best = stakes.cross_entropy(Y_USE, ideal(X_USE, 0.02)).normalized
    assert -used(fitted, X_USE, Y_USE) == pytest.approx(best, abs=0.02)
    with pytest.raises(InputError, match="Pass a calibrator with biases") as caught:
        used(clone(PLAIN).fit(X, Y), X, Y)
    assert caught.value.code == "training_priors_needed"


def test_trees_fitted_with_weights_of_samples_are_to_be_calibrated() -> None:
    forest = RandomForestClassifier(20, random_state=0)
    with pytest.raises(InputError) as caught:
        stakes.sklearn.BayesClassifier(forest, priors=USE).fit(X, Y, sample_weight=HEAVY)
    assert "CalibratedClassifier(model)" in str(caught.value)
    assert 'training_priors="data"' not in str(caught.value)
    with pytest.warns(UserWarning, match="trees take up sample_weight only where"):
        stakes.sklearn.BayesClassifier(forest).fit(X, Y, sample_weight=HEAVY)
    survey = np.exp(np.random.default_rng(0).normal(0, 0.5, Y.size))  # alike in each class
    quiet = stakes.sklearn.BayesClassifier(forest, priors=USE).fit(X, Y, sample_weight=survey)
    assert quiet.training_priors_ == pytest.approx(SHARES, abs=0.02)


def test_weights_of_samples_that_move_the_classes_are_said() -> None:
    decides = stakes.sklearn.BayesClassifier(PLAIN, costs=COSTS)
    with pytest.warns(UserWarning, match="sample_weight moves the shares of the classes to 0: 0.4"):
        decides.fit(X, Y, sample_weight=HEAVY)
    unweighted = stakes.sklearn.BayesClassifier(KNeighborsClassifier(50), costs=COSTS)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        unweighted.fit(X, Y, sample_weight=HEAVY)  # whose fit takes no weights
    texts = [str(each.message) for each in said]
    assert any("adapted from 0: 0.8955, 1: 0.1045 to 0: 0.4" in text for text in texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decides.fit(X, Y, sample_weight=np.ones(Y.size))
        clone(decides).set_params(priors="data").fit(X, Y, sample_weight=HEAVY)
        inner = stakes.sklearn.BayesClassifier(PLAIN, priors=USE)  # which says what it is for
        stakes.sklearn.BayesClassifier(inner, costs=COSTS).fit(X, Y)


def test_weights_of_a_step_before_the_model_are_not_its_own() -> None:
    decides = stakes.sklearn.BayesClassifier(make_pipeline(StandardScaler(), PLAIN), priors=USE)
    decides.fit(X, Y, standardscaler__sample_weight=HEAVY)
    assert decides.training_priors_ == pytest.approx(SHARES, abs=0.01)
    decides.fit(X, Y, logisticregression__sample_weight=HEAVY)
    assert decides.training_priors_ == pytest.approx(np.bincount(Y, HEAVY) / HEAVY.sum())


def test_balanced_models_inside_a_bag_are_known() -> None:
    """A bag weights samples by how often it drew them, which hardly changes the classes."""
    inner = stakes.sklearn.BayesClassifier(BALANCED, priors=[0.4, 0.6])
    bag = BaggingClassifier(inner, n_estimators=3, random_state=0).fit(X, Y)
    n = np.bincount(Y).astype(np.float64)
    assert model_priors(bag, ClassCounts(n, n)).values == pytest.approx([0.4, 0.6])


DRAWN = [
    kind
    for name, kind in displays.DISPLAYS.classes.items()
    if hasattr(kind, "from_estimator") and name != "TippettDisplay"
]


@pytest.mark.parametrize("display", DRAWN, ids=lambda kind: kind.__name__)
def test_a_display_of_a_model_notices_weights_of_classes(display: Any) -> None:
    some = slice(0, 800)
    several = display is displays.ComparisonDisplay

    def drawn(model: Any, **more: Any) -> list[str]:
        given = {"weighted": model, "plain": clone(PLAIN).fit(X, Y)} if several else model
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            display.from_estimator(given, X[some], Y[some], **more)
        return [str(each.message) for each in said if "priors of its data" in str(each.message)]

    for weights, better in [("balanced", "BayesClassifier"), ({1: 9}, "CalibratedClassifier")]:
        model = LogisticRegression(class_weight=weights).fit(X, Y)
        said = drawn(model)
        assert len(said) == (not display.ranks)
        assert all("class_weight=" in text and better in text for text in said)
        advised = getattr(stakes.sklearn, better)(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            advised.fit(X, Y)
        assert drawn(advised) == []
    if display is displays.RocDisplay:
        assert drawn(model, costs=[[0, 1], [5, 0]])


def test_likelihood_ratios_of_a_model_that_weights_classes_are_doubted() -> None:
    model = clone(BALANCED).fit(X, Y)
    draw_ = displays.TippettDisplay.from_estimator
    with pytest.warns(UserWarning, match="training_priors say"):
        draw_(model, X, Y, training_priors=[0.9, 0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_(model, X, Y, training_priors=[0.5, 0.5])


def test_a_classifier_without_priors_decides_for_its_data_also_where_it_weights_classes() -> None:
    decides = stakes.sklearn.BayesClassifier(BALANCED, costs=COSTS)
    with pytest.warns(UserWarning, match="adapted from 0: 0.5, 1: 0.5 to 0: 0.8955"):
        decides.fit(X, Y)
    positives = float(np.mean(decides.predict(X)))
    plain = stakes.sklearn.BayesClassifier(PLAIN, costs=COSTS).fit(X, Y)
    assert positives == pytest.approx(float(np.mean(plain.predict(X))), abs=0.02)


def test_a_classifier_evaluated_at_other_priors_than_its_own_is_noted() -> None:
    decides = stakes.sklearn.BayesClassifier(PLAIN, priors=USE)
    found = stakes.evaluate_model(decides, X, Y, cv=3, **QUICK)
    assert "decides for the priors 0: 0.98, 1: 0.02" in " ".join(found.notes)


def test_calibration_of_adapted_scores_is_at_the_priors_of_use() -> None:
    told: dict[str, Any] = {"cv": CV, "costs": COSTS, "priors": USE}
    for model in (PLAIN, BALANCED, GaussianNB(priors=[0.2, 0.8])):
        found = stakes.evaluate_model(model, X, Y, **told)
        assert found.main.cost.calibrated_normalized is not None
        after = found.main.cost.calibrated_normalized.value
        assert after == pytest.approx(found.main.cost.normalized.value, abs=0.05)
        assert found.slope is not None
        assert found.slope.value == pytest.approx(1, abs=0.15)


def test_models_of_one_comparison_have_priors_of_their_own() -> None:
    models = {"plain": PLAIN, "balanced": BALANCED, "told": GaussianNB(priors=[0.1, 0.9])}
    told: dict[str, Any] = {"cv": CV, "costs": COSTS, "priors": USE}
    found = stakes.compare_models(models, X, Y, **told)
    alone = [
        stakes.evaluate_model(m, X, Y, calibrator=None, **told).main.cost.normalized.value
        for m in models.values()
    ]
    values = [found.values[name]["cost.nec"] for name in models]
    assert values == pytest.approx(alone, abs=1e-3)


def test_unreadable_weights_are_unknown() -> None:
    class Odd(LogisticRegression):  # type: ignore[misc]
        def __init__(self, class_weight: Any = None) -> None:
            super().__init__()
            self.class_weight = class_weight

    fitted = Odd().fit(X, Y)
    fitted.class_weight = [1, 2]
    found = model_priors(fitted, ClassCounts(SHARES, SHARES))
    assert found.values is None
    assert "class_weight=[1, 2] cannot be read" in found.why
    assert isinstance(found, PosteriorPriors)


@pytest.mark.parametrize("stage", [None, stakes.AffineCalibrator()])
def test_priors_of_the_data_count_weights(stage: Any) -> None:
    model = stakes.sklearn.BayesClassifier(LogisticRegression(), priors="data", calibrator=stage)
    model.fit(X, Y, sample_weight=HEAVY)
    assert model.priors_ == pytest.approx(np.bincount(Y, HEAVY) / HEAVY.sum())
