"""Scorers in scikit-learn's own tools give the numbers that stakes gives by hand."""

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import stakes
from stakes.sklearn import (
    BayesClassifier,
    auc_scorer,
    calibrated_loss_scorer,
    cost_scorer,
    loss_scorer,
)

X, CODES = make_classification(
    n_samples=300, n_features=5, flip_y=0.2, weights=[0.7], random_state=1
)
Y = np.array(["well", "ill"])[CODES]  # in sorted order "ill" is first, the class of interest last
CLASSES = ["well", "ill"]
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=CLASSES)
PRIORS = {"well": 0.9, "ill": 0.1}
AMOUNT = np.linspace(1, 20, Y.size)
BY_CASE = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=CLASSES)
CV = StratifiedKFold(4, shuffle=True, random_state=0)
MODEL = LogisticRegression()
X3, Y3 = make_classification(
    n_samples=240, n_features=5, n_informative=4, n_redundant=0, n_classes=3, random_state=2
)
WEIGHT = np.linspace(0.5, 2, Y.size)


def frame(model: Any, X: Any) -> pd.DataFrame:
    """Return posteriors with the names of the classes."""
    return pd.DataFrame(model.predict_proba(X), columns=list(model.classes_))


def by_fold(value: Any, X: Any = X, y: Any = Y, model: Any = MODEL, cv: Any = CV) -> list[float]:
    """Return a value of labels, posteriors by name and rows, for each fold, by hand."""
    found = []
    for train, test in cv.split(X, y):
        fitted = clone(model).fit(X[train], y[train])
        found.append(float(value(y[test], frame(fitted, X[test]), test)))
    return found


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


CASES: dict[str, tuple[Any, Any]] = {
    "normalised cost": (
        cost_scorer(COSTS),
        lambda y, p, _: -stakes.bayes_cost(y, p, costs=COSTS).normalized,
    ),
    "cost at priors": (
        cost_scorer(COSTS, priors=PRIORS, training_priors="deployment", normalized=False),
        lambda y, p, _: -stakes.bayes_cost(y, p, costs=COSTS, priors=PRIORS).value,
    ),
    "prices by word": (
        cost_scorer({"miss": 5, "false_alarm": 1}, classes=CLASSES),
        lambda y, p, _: -stakes.bayes_cost(y, p, costs=COSTS).normalized,
    ),
    "0-1 costs": (cost_scorer(), lambda y, p, _: -stakes.bayes_cost(y, p).normalized),
    "log loss": (
        loss_scorer(stakes.LogLoss(), normalized=False),
        lambda y, p, _: -stakes.cross_entropy(y, p).value,
    ),
    "Brier at priors": (
        loss_scorer(stakes.BrierLoss(), priors=PRIORS, training_priors="deployment"),
        lambda y, p, _: -stakes.brier_score(y, p, priors=PRIORS).normalized,
    ),
    "spherical": (
        loss_scorer(stakes.SphericalLoss()),
        lambda y, p, _: -stakes.expected_loss(stakes.SphericalLoss(), y, p).normalized,
    ),
    "Bayes cost as a rule": (
        loss_scorer(stakes.BayesCost(COSTS)),
        lambda y, p, _: -stakes.bayes_cost(y, p, costs=COSTS).normalized,
    ),
    "calibrated": (
        calibrated_loss_scorer(calibrator=stakes.TemperatureCalibrator(), folds=3),
        lambda y, p, _: (
            -stakes.calibration_loss(
                stakes.LogLoss(), y, p, calibrator=stakes.TemperatureCalibrator(), folds=3
            ).calibrated.normalized
        ),
    ),
    "calibrated cost": (
        calibrated_loss_scorer(stakes.BayesCost(COSTS)),
        lambda y, p, _: (
            -stakes.calibration_loss(
                stakes.BayesCost(COSTS), y, p, classes=CLASSES
            ).calibrated.normalized
        ),
    ),
    "AUC": (auc_scorer(), lambda y, p, _: stakes.auc(y, p)),
}


@pytest.mark.parametrize("name", CASES)
def test_each_scorer_gives_the_value_by_hand_in_every_fold(name: str) -> None:
    scorer, value = CASES[name]
    found = cross_val_score(MODEL, X, Y, scoring=scorer, cv=CV, error_score="raise")
    np.testing.assert_allclose(found, by_fold(value), rtol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_scorers_survive_pickles_and_copies(name: str) -> None:
    scorer, value = CASES[name]
    moved = copy.deepcopy(pickle.loads(pickle.dumps(scorer)))  # noqa: S301  our own
    found = cross_val_score(MODEL, X, Y, scoring=moved, cv=CV)
    np.testing.assert_allclose(found, by_fold(value), rtol=1e-9)


def in_processes() -> None:
    """Compare what two processes find with what one finds, for all scorers."""
    scoring = {name: scorer for name, (scorer, _) in CASES.items()}
    one, two = (cross_validate(MODEL, X, Y, scoring=scoring, cv=CV, n_jobs=n) for n in (1, 2))
    for name in CASES:
        np.testing.assert_array_equal(one[f"test_{name}"], two[f"test_{name}"])


def test_scorers_work_in_other_processes() -> None:
    code = "import test_sklearn_scorers; test_sklearn_scorers.in_processes()"
    done = subprocess.run(  # which ends the processes that joblib keeps
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_all_scorers_together_give_the_same_as_one_by_one() -> None:
    scoring = {name: scorer for name, (scorer, _) in CASES.items()} | {"roc": "roc_auc"}
    found = cross_validate(MODEL, X, Y, scoring=scoring, cv=CV, error_score="raise")
    for name, (_, value) in CASES.items():
        np.testing.assert_allclose(found[f"test_{name}"], by_fold(value), rtol=1e-9)
    np.testing.assert_allclose(found["test_roc"], found["test_AUC"], rtol=1e-9)


def test_scores_do_not_mix_with_those_of_another_positive_class() -> None:
    """scikit-learn caches one column by method alone, whatever the positive class."""
    other = sklearn.metrics.make_scorer(
        sklearn.metrics.brier_score_loss, response_method="predict_proba", pos_label="ill"
    )
    for order in (["other", "cost"], ["cost", "other"]):
        scorers = {"other": other, "cost": cost_scorer(COSTS)}
        scoring = {name: scorers[name] for name in order}
        found = cross_validate(MODEL, X, Y, scoring=scoring, cv=CV)
        expected = by_fold(CASES["normalised cost"][1])
        np.testing.assert_allclose(found["test_cost"], expected, rtol=1e-9)


class Counting(GaussianNB):  # type: ignore[misc]
    asked = 0

    def predict_proba(self, X: Any) -> Any:
        type(self).asked += 1
        return super().predict_proba(X)


def test_a_model_is_asked_once_for_all_scorers() -> None:
    Counting.asked = 0
    model = Counting().fit(X, Y)
    scoring = {
        "cost": cost_scorer(COSTS),
        "loss": loss_scorer(),
        "brier": loss_scorer(stakes.BrierLoss()),
    }
    cross_validate(model, X, Y, scoring=scoring, cv=CV)
    assert Counting.asked == CV.get_n_splits()


class Reversed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose `classes_` are not sorted."""

    def fit(self, X: Any, y: Any) -> Any:
        self.inner_ = LogisticRegression().fit(X, y)
        self.classes_ = self.inner_.classes_[::-1]
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)[:, ::-1]

    def predict(self, X: Any) -> Any:
        return self.inner_.predict(X)


@pytest.mark.parametrize("classes", [["well", "ill"], ["ill", "well"]])
@pytest.mark.parametrize("model", [MODEL, Reversed()])
def test_classes_are_matched_by_name_whatever_their_order(classes: list[str], model: Any) -> None:
    prices = COSTS.values if classes == CLASSES else COSTS.values[::-1, ::-1]
    costs = stakes.CostMatrix(prices, classes=classes)
    found = cross_val_score(model, X, Y, scoring=cost_scorer(costs), cv=CV)
    np.testing.assert_allclose(found, by_fold(CASES["normalised cost"][1]), rtol=1e-9)


def test_three_classes_with_abstention_and_columns_in_another_order() -> None:
    y = np.array(["c", "a", "b"])[Y3]
    costs = stakes.CostMatrix.zero_one(["b", "c", "a"], abstain=0.3)
    found = cross_val_score(MODEL, X3, y, scoring=cost_scorer(costs), cv=CV)

    def value(labels: Any, p: Any, _: Any) -> float:
        return -stakes.bayes_cost(labels, p, costs=costs).normalized

    np.testing.assert_allclose(found, by_fold(value, X3, y), rtol=1e-9)


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        (cost_scorer({"miss": 5, "false_alarm": 1}), "classes of the model must be among those that were declared, 0, 1: got 'ill', 'well'"),
        (cost_scorer([[0, 1], [5, 0]]), "classes of the model must be among those that were declared, 0, 1: got 'ill', 'well'"),
        (cost_scorer(stakes.CostMatrix.zero_one(["well", "sick"])), "must be among those that were declared, 'well', 'sick': got 'ill', 'well'"),
        (cost_scorer(priors=[0.9, 0.1]), "priors must name the classes of the model, 'ill', 'well'"),
    ],
)  # fmt: skip
def test_classes_that_cannot_be_matched_are_an_error(scorer: Any, said: str) -> None:
    with pytest.raises(stakes.InputError) as refused:
        scorer(MODEL.fit(X, Y), X, Y)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cost_scorer(stakes.SampleCosts(np.ones((2, 2, 2)))), "costs must hold for any samples, or name columns: got SampleCosts"),
        (lambda: cost_scorer(COSTS, classes=["a", "b"]), "classes must be those of costs, 'well', 'ill': got ['a', 'b']"),
        (lambda: cost_scorer(COSTS, response_method="transform"), "response_method must be one of"),
        (lambda: loss_scorer("brier"), "rule must be a scoring rule, such as LogLoss(): got 'brier'"),  # type: ignore[arg-type]
        (lambda: loss_scorer(response_method="predict"), "response_method must be one of 'predict_proba', 'predict_log_proba', 'decision_function': got 'predict'"),
        (lambda: calibrated_loss_scorer(calibrator="magic"), "calibrator must be a calibrator such as AffineCalibrator()"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_options_are_checked_when_a_scorer_is_made(make: Any, said: str) -> None:
    with pytest.raises(stakes.InputError) as refused:
        make()
    assert said in str(refused.value)


def test_a_model_without_probabilities_is_scored_by_its_decisions() -> None:
    model = LinearSVC().fit(X, Y)
    with pytest.raises(stakes.InputError, match=r"LinearSVC has no predict_proba. Its decision"):
        cost_scorer(COSTS)(model, X, Y)
    found = cost_scorer(COSTS, response_method="predict")(model, X, Y)
    assert found == -stakes.expected_cost(Y, model.predict(X), costs=COSTS).normalized
    found = cost_scorer(response_method="predict", normalized=False)(model, X, Y)
    assert found == pytest.approx(-(model.predict(X) != Y).mean())


class Abstaining(LogisticRegression):  # type: ignore[misc]
    """Decides by cost, and abstains where that is cheaper."""

    def predict(self, X: Any) -> Any:
        costs = COSTS.with_abstention(0.4)
        return costs.bayes_decisions(frame(self, X))


def test_decisions_need_not_be_classes() -> None:
    costs = COSTS.with_abstention(0.4)
    model = Abstaining().fit(X, Y)
    assert "abstain" in model.predict(X)
    found = cost_scorer(costs, response_method="predict")(model, X, Y)
    assert found == pytest.approx(cost_scorer(costs)(model, X, Y))


def test_a_classifier_that_decides_by_cost_is_scored_by_its_decisions() -> None:
    costs = COSTS.with_abstention(0.4)
    model = BayesClassifier(LogisticRegression(), costs=costs)
    found = cross_val_score(
        model, X, Y, scoring=cost_scorer(costs, response_method="predict"), cv=CV
    )
    assert "abstain" in model.fit(X, Y).predict(X)

    def value(y: Any, p: Any, _: Any) -> float:
        return -stakes.bayes_cost(y, p, costs=costs).normalized

    np.testing.assert_allclose(found, by_fold(value), rtol=1e-9)


def test_a_decision_function_is_read_as_logits_where_asked() -> None:
    model = LinearSVC().fit(X, Y)
    found = cost_scorer(COSTS, response_method="decision_function")(model, X, Y)
    scores = stakes.Logits(-model.decision_function(X))  # of the class "ill", the last of costs
    assert found == pytest.approx(-stakes.bayes_cost(Y, scores, costs=COSTS).normalized)
    assert auc_scorer()(model, X, Y) == pytest.approx(stakes.auc(Y, scores, classes=CLASSES))


def test_searches_find_the_model_of_least_cost() -> None:
    grid, scorer = {"C": [0.001, 0.01, 1.0]}, cost_scorer(COSTS)
    scoring = {"cost": scorer, "loss": loss_scorer()}
    search = GridSearchCV(MODEL, grid, scoring=scoring, refit="cost", cv=CV).fit(X, Y)
    by_hand = [
        np.mean(by_fold(CASES["normalised cost"][1], model=LogisticRegression(C=c)))
        for c in grid["C"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_cost"], by_hand, rtol=1e-9)
    assert search.best_params_["C"] == grid["C"][int(np.argmax(by_hand))]
    assert search.score(X, Y) == pytest.approx(scorer(search.best_estimator_, X, Y))
    drawn = RandomizedSearchCV(MODEL, grid, n_iter=3, scoring=scorer, cv=CV, random_state=0).fit(
        X, Y
    )
    np.testing.assert_allclose(np.sort(drawn.cv_results_["mean_test_score"]), np.sort(by_hand))
    halving = HalvingGridSearchCV(
        MODEL, grid, scoring=scorer, cv=CV, min_resources=150, random_state=0
    ).fit(X, Y)
    assert np.isfinite(halving.cv_results_["mean_test_score"]).all()
    clone(search)


def test_a_threshold_is_tuned_to_the_least_cost_of_its_decisions() -> None:
    model = GaussianNB().fit(X, Y)
    tuned = TunedThresholdClassifierCV(
        model, scoring=cost_scorer(COSTS), cv="prefit", refit=False, store_cv_results=True
    ).fit(X, Y)
    p = model.predict_proba(X)[:, 1]  # of "well"
    by_hand = [
        -stakes.expected_cost(Y, np.where(p >= t, "well", "ill"), costs=COSTS).normalized
        for t in tuned.cv_results_["thresholds"]
    ]
    np.testing.assert_allclose(tuned.cv_results_["scores"], by_hand, rtol=1e-9)
    assert tuned.best_score_ == max(by_hand)


def test_labels_that_are_whole_floats_are_decisions_for_a_threshold() -> None:
    y = CODES + 1.0
    scorer = cost_scorer([[0, 1], [5, 0]], classes=[1, 2])
    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=scorer, cv=CV).fit(X, y)
    assert -1.5 < tuned.best_score_ < 0


def test_a_rule_of_probabilities_cannot_tune_a_threshold() -> None:
    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=loss_scorer())
    with pytest.raises(
        stakes.InputError, match="must be probabilities for normalized_cross_entropy"
    ):
        tuned.fit(X, Y)


def test_importances_curves_and_feature_selection_take_scorers() -> None:
    scorer, model = cost_scorer(COSTS), LogisticRegression().fit(X, Y)
    found = permutation_importance(
        model, X, Y, scoring=scorer, n_repeats=2, random_state=0, sample_weight=WEIGHT
    )
    assert found.importances.shape == (5, 2)
    assert found.importances_mean.max() > 0.1
    many = permutation_importance(
        model, X, Y, scoring={"c": scorer, "l": loss_scorer()}, n_repeats=2, random_state=0
    )
    plain = permutation_importance(model, X, Y, scoring=scorer, n_repeats=2, random_state=0)
    np.testing.assert_array_equal(many["c"].importances, plain.importances)
    _, _, test = learning_curve(MODEL, X, Y, scoring=scorer, cv=CV, train_sizes=[1.0])
    np.testing.assert_allclose(test[0], by_fold(CASES["normalised cost"][1]), rtol=1e-9)
    chosen = RFECV(MODEL, scoring=scorer, cv=CV, min_features_to_select=5).fit(X, Y)
    by_hand = np.mean(by_fold(CASES["normalised cost"][1]))
    np.testing.assert_allclose(chosen.cv_results_["mean_test_score"], [by_hand], rtol=1e-9)


def test_weights_are_routed_to_the_scorer(routing: None) -> None:
    del routing
    scorer = cost_scorer(COSTS).set_score_request(sample_weight=True)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    scoring = {"cost": scorer, "loss": loss_scorer().set_score_request(sample_weight=True)}
    found = cross_validate(model, X, Y, scoring=scoring, cv=CV, params={"sample_weight": WEIGHT})

    def cost(y: Any, p: Any, rows: Any) -> float:
        return -stakes.bayes_cost(y, p, costs=COSTS, sample_weight=WEIGHT[rows]).normalized

    def loss(y: Any, p: Any, rows: Any) -> float:
        return -stakes.cross_entropy(y, p, sample_weight=WEIGHT[rows]).normalized

    np.testing.assert_allclose(found["test_cost"], by_fold(cost), rtol=1e-9)
    np.testing.assert_allclose(found["test_loss"], by_fold(loss), rtol=1e-9)


def cost_by_case(y: Any, p: Any, rows: Any) -> float:
    costs = BY_CASE.with_columns({"amount": AMOUNT[rows]})
    return -stakes.bayes_cost(y, p, costs=costs).normalized


def test_amounts_are_routed_to_the_scorer(routing: None) -> None:
    del routing
    scorer = cost_scorer(BY_CASE).set_score_request(amount=True)
    params = {"amount": AMOUNT}
    found = cross_validate(MODEL, X, Y, scoring=scorer, cv=CV, params=params)
    np.testing.assert_allclose(found["test_score"], by_fold(cost_by_case), rtol=1e-9)
    search = GridSearchCV(MODEL, {"C": [1.0]}, scoring=scorer, cv=CV).fit(X, Y, amount=AMOUNT)
    assert search.best_score_ == pytest.approx(np.mean(by_fold(cost_by_case)))
    tuned = TunedThresholdClassifierCV(MODEL, scoring=scorer, cv=CV).fit(X, Y, amount=AMOUNT)
    assert -2 < tuned.best_score_ < 0


def test_amounts_may_be_columns_of_the_data_frame() -> None:
    table = pd.DataFrame(X, columns=list("abcde")).assign(amount=AMOUNT)
    fitted = LogisticRegression().fit(table, Y)
    by_word = {"miss": "amount", "false_alarm": 3}
    found = cost_scorer(BY_CASE)(fitted, table, Y)
    assert cost_scorer(by_word, classes=CLASSES)(fitted, table, Y) == found
    assert found == pytest.approx(cost_by_case(Y, frame(fitted, table), np.arange(Y.size)))


def test_amounts_that_are_missing_are_an_error() -> None:
    with pytest.raises(stakes.InputError, match=r"there is no 'amount'. Request them with set_sc"):
        cost_scorer(BY_CASE)(MODEL.fit(X, Y), X, Y)


def test_groups_of_a_calibrated_loss_are_kept_whole(routing: None) -> None:
    del routing
    groups = np.arange(Y.size) // 4
    scorer = calibrated_loss_scorer(folds=3).set_score_request(groups=True)
    found = cross_validate(MODEL, X, Y, scoring=scorer, cv=CV, params={"groups": groups})

    def value(y: Any, p: Any, rows: Any) -> float:
        told = {"folds": 3, "groups": groups[rows]}
        return -stakes.calibration_loss(stakes.LogLoss(), y, p, **told).calibrated.normalized

    np.testing.assert_allclose(found["test_score"], by_fold(value), rtol=1e-9)


@pytest.mark.parametrize(
    "scorer",
    [
        cost_scorer(COSTS),
        cost_scorer(COSTS, priors=PRIORS, training_priors="deployment"),
        cost_scorer(COSTS, priors=PRIORS, training_priors="data"),
        auc_scorer(),
        loss_scorer(),
        calibrated_loss_scorer(),
    ],
)
def test_a_fold_with_one_class_is_nan_with_a_warning(scorer: Any) -> None:
    order = np.argsort(Y, kind="stable")
    with pytest.warns(stakes.UndefinedMetricWarning, match="is undefined: "):
        found = scorer(LogisticRegression().fit(X, Y), X[order][:20], Y[order][:20])
    assert math.isnan(found)


@pytest.mark.filterwarnings("ignore")
def test_a_search_goes_on_where_a_fold_is_undefined() -> None:
    order = np.argsort(Y3 == 2, kind="stable")
    y = np.where(Y3 == 2, 1, 0)[order]
    search = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 1e-3]},
        scoring=cost_scorer([[0, 1], [5, 0]]),
        cv=KFold(4),
    )
    search.fit(X3[order], y)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()


def test_a_class_that_the_model_never_saw_has_probability_0() -> None:
    model = LogisticRegression().fit(X3[Y3 < 2], Y3[Y3 < 2])
    with pytest.warns(UserWarning, match="fitted without samples of 2: their probability is 0"):
        found = cost_scorer(stakes.CostMatrix.zero_one(3), normalized=False)(model, X3, Y3)
    assert found == pytest.approx(-(model.predict(X3) != Y3).mean())
    with pytest.warns(UserWarning, match="fitted without samples of 2"):
        assert loss_scorer(classes=3)(model, X3, Y3) == -math.inf
    with pytest.raises(stakes.InputError, match="y_true must hold labels of the classes"):
        loss_scorer()(model, X3, Y3)


@pytest.mark.parametrize("name", [name for name in CASES if name != "0-1 costs"])
def test_the_function_alone_takes_columns_in_sorted_order(name: str) -> None:
    """As skore calls it, with what `predict_proba` gives, or one column of the last class."""
    scorer, value = CASES[name]
    model = LogisticRegression().fit(X, Y)
    table = model.predict_proba(X)
    sign = 1 if name == "AUC" else -1
    for given in (table, table[:, 1]):
        found = sign * scorer._score_func(Y, given)
        assert found == pytest.approx(value(Y, frame(model, X), None), rel=1e-9)


def test_records_are_what_make_scorer_may_return() -> None:
    scorer = sklearn.metrics.make_scorer(
        stakes.bayes_cost,
        response_method="predict_proba",
        greater_is_better=False,
        costs=[[0, 1], [5, 0]],
    )
    found = [float(each) for each in cross_val_score(MODEL, X, CODES, scoring=scorer, cv=CV)]

    def value(y: Any, p: Any, _: Any) -> float:
        return -stakes.bayes_cost(y, p, costs=[[0, 1], [5, 0]]).value

    np.testing.assert_allclose(found, by_fold(value, y=CODES), rtol=1e-9)
