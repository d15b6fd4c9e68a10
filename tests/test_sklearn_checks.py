"""scikit-learn's own checks of estimators, for the classifiers of stakes.sklearn."""

from collections.abc import Callable
from typing import Any

import pytest
import stakes
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from stakes.sklearn import BayesClassifier, CalibratedClassifier

pytestmark = pytest.mark.filterwarnings("ignore")  # checks provoke many

ABSTAINS = "a decision to abstain is not the most likely class, which this check asks for"
CAPPED = "a cap is a share of the batch, so that a part of it has other decisions than the whole"

CLASSIFIERS = [
    CalibratedClassifier(),
    CalibratedClassifier(LinearSVC(random_state=0), cv=3),
    CalibratedClassifier(
        LogisticRegression(),
        calibrator=stakes.VectorCalibrator(),
        response_method="predict_proba",
        cv=3,
    ),
    CalibratedClassifier(calibrator=stakes.TemperatureCalibrator(), cv=3),
    CalibratedClassifier(calibrator=stakes.BetaCalibrator(), cv=3),  # two classes alone
    BayesClassifier(LogisticRegression()),
    BayesClassifier(LogisticRegression(), abstain={9: 0.45}),
    BayesClassifier(
        LogisticRegression(), calibrator=stakes.AffineCalibrator(), priors="data", cv=3
    ),
    BayesClassifier(LogisticRegression(), calibrator=stakes.IsotonicCalibrator(), cap=0.9, cv=3),
]


def expected_failures(classifier: Any) -> dict[str, str]:  # noqa: ANN401
    if getattr(classifier, "abstain", None) is not None:
        return {"check_classifiers_train": ABSTAINS}
    if getattr(classifier, "cap", None) is not None:
        return {"check_methods_subset_invariance": CAPPED}
    return {}


@parametrize_with_checks(CLASSIFIERS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:  # noqa: ANN401
    check(estimator)
