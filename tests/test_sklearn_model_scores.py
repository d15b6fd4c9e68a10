"""Scores of fitted models: kinds, class names, and what is not a classifier."""

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import stakes
from stakes.scores import model_classes, model_scores

X, Y = make_classification(
    n_samples=120, n_features=5, n_informative=3, n_classes=3, random_state=0
)
TEXTS = np.array(["ham", "spam", "egg"])[Y]
MODEL = LogisticRegression().fit(X, TEXTS)


def test_posteriors_have_the_names_of_the_classes() -> None:
    scores = model_scores(MODEL, X)
    assert isinstance(scores, stakes.Posteriors)
    assert scores.names == ("egg", "ham", "spam")
    np.testing.assert_array_equal(scores.values, MODEL.predict_proba(X))


@pytest.mark.parametrize(
    ("method", "kind"),
    [("predict_log_proba", stakes.LogPosteriors), ("decision_function", stakes.Logits)],
)
def test_other_methods_are_read_as_what_they_are(method: str, kind: type[stakes.Scores]) -> None:
    scores = model_scores(MODEL, X, response_method=method)
    assert isinstance(scores, kind)
    np.testing.assert_allclose(
        np.exp(scores.log_posteriors()), MODEL.predict_proba(X), rtol=0, atol=1e-12
    )


def test_a_decision_function_of_two_classes_is_the_log_odds_of_the_second() -> None:
    model = LogisticRegression().fit(X, Y > 0)
    scores = model_scores(model, X, response_method="decision_function")
    assert scores.names == (False, True)
    np.testing.assert_allclose(np.exp(scores.log_posteriors()), model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", [float, np.int8, bool])
def test_numbers_of_any_type_are_the_same_classes(kind: Any) -> None:
    model = LogisticRegression().fit(X, (Y > 0).astype(kind))
    assert model_classes(model) == (0, 1)


def two_outputs() -> Any:
    return RandomForestClassifier(n_estimators=2).fit(X, np.column_stack([Y, Y > 0]))


@pytest.mark.parametrize(
    ("model", "method", "said"),
    [
        (LogisticRegression, "predict_proba", "must be a model: got the class LogisticRegression. Pass LogisticRegression(...), fitted."),
        (LogisticRegression(), "predict_proba", "must be a fitted classifier with predict_proba and classes_: LogisticRegression has no classes_. Fit it first."),
        (make_pipeline(StandardScaler(), LogisticRegression()), "predict_proba", "Pipeline has no classes_. Fit it first."),
        (LinearRegression().fit(X, Y), "predict_proba", "must be a fitted classifier with predict_proba and classes_: LinearRegression has no predict_proba."),
        (KMeans(2, n_init=1).fit(X), "predict_proba", "KMeans has no predict_proba."),
        (GaussianMixture().fit(X), "predict_proba", "GaussianMixture has no classes_."),
        (LinearSVC().fit(X, Y), "predict_proba", 'must have predict_proba: LinearSVC has no predict_proba. Its decision_function is not a probability: calibrate it, or pass response_method="decision_function" to read its values as logits.'),
        (SVC(decision_function_shape="ovo").fit(X, np.arange(120) % 3), "decision_function", 'model must score classes, not pairs: SVC has decision_function_shape="ovo". Pairwise'),
        (MODEL, "predict", "response_method must be one of 'predict_proba', 'predict_log_proba', 'decision_function': got 'predict'."),
        (two_outputs(), "predict_proba", "must have one output: RandomForestClassifier has 2."),
        (RandomForestClassifier(2).fit(X, Y * 0), "predict_proba", "RandomForestClassifier must know two classes or more: got one, 0."),
    ],
)  # fmt: skip
def test_what_gives_no_posteriors_is_refused(model: Any, method: str, said: str) -> None:
    with pytest.raises(stakes.InputError) as refused:
        model_scores(model, X, response_method=method)
    assert said in str(refused.value)
