"""scikit-learn's own checks of estimators, for the classifiers of stakes.sklearn."""

from collections.abc import Callable, Iterator
from functools import partial
from inspect import getsource
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import stakes
from stakes.sklearn import BayesClassifier, CalibratedClassifier

pytestmark = pytest.mark.filterwarnings("ignore")  # checks provoke many

ABSTAINS = "a decision to abstain is not the most likely class, which this check asks for"
SHUFFLED = (
    "scikit-learn 1.6 makes two classes of three by the first label, before and after a shuffle"
)
HALVES = (
    "a block without an event counts half an event of one sample; weights are relative, so that they"
    " do not say how many samples there are"
)
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
    BayesClassifier(LogisticRegression(), calibrator=stakes.IsotonicCalibrator(mix=0), cv=3),
]


def expected_failures(classifier: Any) -> dict[str, str]:
    return _by_design(classifier) | _by_defect(classifier)


def _by_defect(classifier: Any) -> dict[str, str]:
    two = not get_tags(classifier).classifier_tags.multi_class
    if two and "y.flat[0]" in getsource(estimator_checks._enforce_estimator_tags_y):
        kinds = ("dense", "sparse")
        return {f"check_sample_weight_equivalence_on_{kind}_data": SHUFFLED for kind in kinds}
    return {}


def _by_design(classifier: Any) -> dict[str, str]:
    if getattr(classifier, "abstain", None) is not None:
        return {"check_classifiers_train": ABSTAINS}
    found = {}
    if getattr(classifier, "cap", None) is not None:
        found["check_methods_subset_invariance"] = CAPPED
    if getattr(classifier.calibrator, "mix", 0) != 0:
        kinds = ("dense", "sparse")
        found |= {f"check_sample_weight_equivalence_on_{kind}_data": HALVES for kind in kinds}
    return found


def checks() -> Iterator[Any]:
    for classifier in CLASSIFIERS:
        failures = expected_failures(classifier)
        yield from estimator_checks_generator(
            classifier, expected_failed_checks=failures, mark="xfail"
        )


def name(value: Any) -> str:
    if isinstance(value, partial):
        options = ",".join(f"{k}={v}" for k, v in value.keywords.items())
        return f"{value.func.__name__}({options})"
    return str(value)


# A list: parametrize_with_checks of scikit-learn 1.6 hands pytest a generator, which it refuses.
@pytest.mark.parametrize(("estimator", "check"), list(checks()), ids=name)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
