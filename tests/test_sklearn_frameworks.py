"""Scorers in skore; models of XGBoost and LightGBM."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import stakes
from test_sklearn_scorers import CASES, CODES, COSTS, MODEL, X, Y, frame

skore = pytest.importorskip("skore")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the libraries


@pytest.mark.parametrize("positive", [None, "ill", "well"])
def test_scorers_are_metrics_of_a_skore_report(positive: str | None) -> None:
    model = LogisticRegression().fit(X, Y)
    report = skore.EstimatorReport(model, X_test=X, y_test=Y, pos_label=positive)
    for name, (scorer, _) in CASES.items():
        report.metrics.add(scorer, name=name)
    found = report.metrics.summarize(metric=list(CASES)).frame()
    by_hand = [abs(float(value(Y, frame(model, X), None))) for _, value in CASES.values()]
    np.testing.assert_allclose(np.asarray(found, dtype=float).ravel(), by_hand, rtol=1e-9)


def test_scorers_are_metrics_of_a_skore_cross_validation() -> None:
    report = skore.CrossValidationReport(MODEL, X, Y, splitter=3)
    scorer, value = CASES["normalised cost"]
    report.metrics.add(scorer, name="cost")
    found = report.metrics.summarize(metric=["cost"]).frame(aggregate=None)
    by_hand = [
        -value(each.y_test, frame(each.estimator_, each.X_test), None) for each in report.reports_
    ]
    np.testing.assert_allclose(np.asarray(found, dtype=float).ravel(), by_hand, rtol=1e-9)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("labels", [CODES, Y])
def test_boosted_trees_are_evaluated_fitted_and_with_folds(library: str, labels: Any) -> None:
    module = pytest.importorskip(library)
    if library == "xgboost" and labels is Y:
        labels = CODES  # it takes whole numbers alone
    kind, told = (
        (module.XGBClassifier, {"verbosity": 0})
        if library == "xgboost"
        else (module.LGBMClassifier, {"verbose": -1})
    )
    model = kind(n_estimators=20, n_jobs=1, **told)
    costs = COSTS if labels is Y else stakes.CostMatrix.binary(miss=5, false_alarm=1)
    fitted = clone(model).fit(X, labels)
    found = stakes.evaluate_model(fitted, X, labels, costs=costs)
    p = pd.DataFrame(fitted.predict_proba(X), columns=list(fitted.classes_))
    expected = stakes.bayes_cost(labels, p, costs=costs).normalized
    assert found.main.cost.normalized.value == pytest.approx(expected)
    with_folds = stakes.evaluate_model(model, X, labels, cv=3, costs=costs)
    assert with_folds.main.cost.normalized.value > found.main.cost.normalized.value
    scores = cross_val_score(model, X, labels, scoring=stakes.sklearn.cost_scorer(costs), cv=3)
    assert np.isfinite(scores).all()
    models = {library: model, "logistic": LogisticRegression()}
    assert stakes.compare_models(models, X, labels, cv=3, costs=costs).verdicts


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_boosted_trees_are_calibrated_and_decide(library: str) -> None:
    module = pytest.importorskip(library)
    kind = module.XGBClassifier if library == "xgboost" else module.LGBMClassifier
    model = kind(n_estimators=20, n_jobs=1, verbosity=0 if library == "xgboost" else -1)
    prices = {"miss": 5, "false_alarm": 1}
    bayes = stakes.sklearn.BayesClassifier(model, costs=prices, priors=[0.9, 0.1])
    p = clone(model).fit(X, CODES).predict_proba(X)
    shares = np.bincount(CODES) / CODES.size
    by_hand = stakes.decide(p, prices, priors=[0.9, 0.1], training_priors=shares)
    assert bayes.fit(X, CODES).predict(X).tolist() == by_hand.names.tolist()
    weighing = clone(bayes).set_params(estimator__scale_pos_weight=3)
    heavy = shares * [1, 3] / (shares @ [1, 3])  # the priors that the weight makes
    assert weighing.fit(X, CODES).training_priors_ == pytest.approx(heavy)
    p = clone(model).set_params(scale_pos_weight=3).fit(X, CODES).predict_proba(X)
    by_hand = stakes.decide(p, prices, priors=[0.9, 0.1], training_priors=heavy)
    assert weighing.predict(X).tolist() == by_hand.names.tolist()
    weighing.set_params(calibrator=stakes.AffineCalibrator(), cv=3).fit(X, CODES)
    assert weighing.training_priors_ == pytest.approx(shares)
    calibrated = stakes.sklearn.CalibratedClassifier(model, cv=3).fit(X, CODES)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(CODES.size))
