"""Scorers in skore; models of XGBoost and LightGBM."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from test_sklearn_scorers import CASES, MODEL, X, Y, frame

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
