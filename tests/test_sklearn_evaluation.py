"""Models in one call: the numbers of `evaluate`, and no label that reaches its own score."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import stakes
from stakes.calibration.crossfit import ModelFolds, cross_fitted
from stakes.samples import read_samples
from stakes.scores import Scores
from stakes.sklearn.model_evaluation import _Data
from stakes.sklearn.out_of_fold import weight_argument

X, CODES = make_classification(
    n_samples=240, n_features=5, flip_y=0.2, weights=[0.7], random_state=1
)
Y = np.array(["well", "ill"])[CODES]
CLASSES = ["well", "ill"]
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=CLASSES)
CV = StratifiedKFold(4, shuffle=True, random_state=0)
MODEL = GaussianNB()
FITTED = GaussianNB().fit(X, Y)
WEIGHT = np.linspace(0.5, 3, Y.size)
FRAME = pd.DataFrame(X, columns=list("abcde")).assign(
    ward=np.arange(Y.size) // 4,
    site=np.arange(Y.size) % 2,
    amount=np.linspace(1, 20, Y.size),
    weight=WEIGHT,
)
QUICK: dict[str, Any] = {}
CALIBRATORS = [
    stakes.AffineCalibrator(),
    stakes.TemperatureCalibrator(),
    stakes.IsotonicCalibrator(),
]


def table(p: Any, classes: Any = ("ill", "well")) -> pd.DataFrame:
    return pd.DataFrame(p, columns=list(classes))


def after_calibration(result: Any) -> float:
    """Return the normalised loss after calibration."""
    return float(result.calibrated_normalized.value)


def same(one: Any, other: Any) -> None:
    """Compare every number of two evaluations, NaN with NaN."""
    first, second = one.metrics(), other.metrics()
    assert first.keys() == second.keys()
    np.testing.assert_allclose(list(first.values()), list(second.values()), rtol=1e-9, atol=1e-12)


def test_a_fitted_model_is_evaluated_as_its_posteriors_are() -> None:
    found = stakes.evaluate_model(
        FITTED, X, Y, costs=COSTS, priors={"well": 0.9, "ill": 0.1}, **QUICK
    )
    p = table(FITTED.predict_proba(X))
    same(
        found,
        stakes.evaluate(
            Y,
            p,
            costs=COSTS,
            priors={"well": 0.9, "ill": 0.1},
            training_priors=dict(zip(FITTED.classes_, FITTED.class_prior_, strict=True)),
            **QUICK,
        ),
    )
    assert found.data.classes == ("well", "ill")


def test_scores_of_cross_validation_are_those_of_models_that_did_not_see_the_sample() -> None:
    found = stakes.evaluate_model(MODEL, X, Y, cv=CV, costs=COSTS, calibrator=None, **QUICK)
    p = table(cross_val_predict(MODEL, X, Y, cv=CV, method="predict_proba"))
    same(found, stakes.evaluate(Y, p, costs=COSTS, calibrator=None, **QUICK))
    assert "out-of-fold" in found.notes[-1]
    assert not hasattr(MODEL, "classes_")


def out_of_fold(
    y: Any, cv: Any, model: Any = MODEL, calibrator: Any = CALIBRATORS[0], **options: Any
) -> tuple[Scores, Any]:
    data = _Data.read(X, y, None, CLASSES, options.get("groups"), None)
    told: tuple[Any, ...] = ({"m": model}, {"m": "predict_proba"}, cv, 0, calibrator, None, None)
    found = data.out_of_fold(*told, weighted=True)["m"]
    return found.scores(None), found.folds(None)


def calibrated(y: Any, cv: Any, calibrator: Any, *, shared: bool = False) -> tuple[Any, Any]:
    """Return scores of each sample and their calibrated ones, on the scores of other folds."""
    scores, folds = out_of_fold(y, cv)
    samples = read_samples(y, scores, classes=CLASSES)
    fit = cross_fitted(calibrator, samples, folds.number if shared else folds, None, 0)
    return scores.values, fit.scores.values


FOLD = np.arange(Y.size) * 7 % 4


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=lambda c: c.name)
@pytest.mark.parametrize("sample", [0, 17, 101])
def test_no_label_reaches_its_own_score_nor_its_calibrated_score(
    calibrator: Any, sample: int
) -> None:
    other = Y.copy()
    other[sample] = "ill" if Y[sample] == "well" else "well"
    cv = PredefinedSplit(FOLD)
    (before, after), (before_2, after_2) = (calibrated(y, cv, calibrator) for y in (Y, other))
    fold = FOLD[sample] == FOLD
    np.testing.assert_array_equal(before[fold], before_2[fold])
    np.testing.assert_array_equal(after[sample], after_2[sample])
    assert not np.array_equal(before[~fold], before_2[~fold])


def test_folds_shared_without_nesting_would_let_labels_through() -> None:
    other = Y.copy()
    other[0] = "ill" if Y[0] == "well" else "well"
    cv = PredefinedSplit(FOLD)
    found = [calibrated(y, cv, CALIBRATORS[0], shared=True)[1][0] for y in (Y, other)]
    assert not np.array_equal(*found)


def test_calibrators_are_fitted_on_scores_of_models_that_saw_neither_fold() -> None:
    """By hand: three folds, a model for each pair of them."""
    fold = np.arange(Y.size) % 3
    found = calibrated(Y, PredefinedSplit(fold), stakes.AffineCalibrator())[1]
    for k in range(3):
        i, j = (f for f in range(3) if f != k)
        p = np.empty((Y.size, 2))
        for own, other in ((i, j), (j, i), (k, None)):
            train = (fold != k) & (fold != own) if other is not None else fold != k
            p[fold == own] = clone(MODEL).fit(X[train], Y[train]).predict_proba(X[fold == own])
        seen, scores = fold != k, table(p)[CLASSES]
        fitted = stakes.AffineCalibrator().fit(scores[seen], Y[seen])
        expected = fitted.transform(scores[fold == k]).values
        np.testing.assert_allclose(found[fold == k], expected, rtol=1e-6)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=lambda c: c.name)
def test_calibrated_results_are_those_of_the_nested_fits(calibrator: Any) -> None:
    found = stakes.evaluate_model(
        MODEL, X, Y, cv=PredefinedSplit(FOLD), costs=COSTS, calibrator=calibrator, **QUICK
    )
    after = stakes.LogPosteriors(calibrated(Y, PredefinedSplit(FOLD), calibrator)[1])
    assert after_calibration(found.main.cost) == pytest.approx(
        stakes.bayes_cost(Y, after, costs=COSTS).normalized
    )
    entropy = stakes.cross_entropy(Y, after, classes=CLASSES).normalized
    assert after_calibration(found.rules[0]) == pytest.approx(entropy)
    assert "cross-fitted on 4 folds" in found.fitted


def test_scores_to_calibrate_on_are_moved_to_the_priors_of_use_too() -> None:
    told: dict[str, Any] = {"training_priors": [0.5, 0.5], "priors": [0.9, 0.1], "classes": CLASSES}
    cv, calibrator = PredefinedSplit(FOLD), stakes.TemperatureCalibrator()
    found = stakes.evaluate_model(MODEL, X, Y, cv=cv, calibrator=calibrator, **told, **QUICK)
    scores, folds = out_of_fold(Y, cv)
    moved = scores.at_priors([0.5, 0.5], [0.9, 0.1])  # type: ignore[attr-defined]
    inner = tuple(each.at_priors([0.5, 0.5], [0.9, 0.1]) for each in folds.scores)
    samples = read_samples(Y, moved, [0.9, 0.1], classes=CLASSES)
    fit = cross_fitted(calibrator, samples, replace(folds, scores=inner), None, 0)
    entropy = stakes.cross_entropy(Y, fit.scores, priors=[0.9, 0.1], classes=CLASSES)
    assert after_calibration(found.rules[0]) == pytest.approx(entropy.normalized)


def test_a_model_that_memorises_noise_does_not_look_good() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = KNeighborsClassifier(1)
    itself = stakes.evaluate_model(clone(model).fit(x, y), x, y, calibrator=None, **QUICK)
    assert itself.main.cost.normalized.value == 0
    found = stakes.evaluate_model(model, x, y, cv=5, calibrator=None, **QUICK)
    assert found.main.cost.normalized.value > 0.8
    assert "useful" not in [verdict.code for verdict in found.verdicts]


def test_groups_are_kept_whole_so_that_twins_do_not_leak() -> None:
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(100), 4)
    x, y = rng.normal(size=(100, 3))[patient], rng.integers(0, 2, 100)[patient]
    model = KNeighborsClassifier(1)
    leaks = stakes.evaluate_model(model, x, y, cv=5, calibrator=None, **QUICK)
    kept = stakes.evaluate_model(model, x, y, cv=5, groups=patient, calibrator=None, **QUICK)
    assert leaks.main.cost.normalized.value < 0.05
    assert kept.main.cost.normalized.value > 0.7
    assert kept.data.groups == 100


def test_columns_of_the_frame_are_named() -> None:
    by_case = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=CLASSES)
    named: dict[str, Any] = {
        "groups": "ward", "slices": ["site"], "sample_weight": "weight", "costs": by_case,
    }  # fmt: skip
    found = stakes.evaluate_model(MODEL, FRAME, Y, cv=GroupKFold(4), **named, **QUICK)
    columns: dict[str, Any] = {
        "groups": FRAME["ward"],
        "slices": {"site": FRAME["site"]},
        "sample_weight": WEIGHT,
        "costs": by_case.with_columns(FRAME),
    }
    same(found, stakes.evaluate_model(MODEL, FRAME, Y, cv=GroupKFold(4), **columns, **QUICK))
    assert [s.column for s in found.slices] == ["site", "site"]
    fitted = GaussianNB().fit(FRAME, Y)
    one = stakes.evaluate_model(fitted, FRAME, Y, slices="site", **QUICK)
    assert len(one.slices) == 2


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]}),
    ],
)  # fmt: skip
def test_weights_are_given_to_fit(model: Any) -> None:
    found = stakes.evaluate_model(
        model, X, Y, cv=CV, sample_weight=WEIGHT, costs=COSTS, calibrator=None, **QUICK
    )
    p = np.empty((Y.size, 2))
    for train, test in CV.split(X, Y):
        fitted = clone(model).fit(X[train], Y[train], **{weight_argument(model): WEIGHT[train]})
        p[test] = fitted.predict_proba(X[test])
    expected = stakes.bayes_cost(Y, table(p), costs=COSTS, sample_weight=WEIGHT)
    assert found.main.cost.normalized.value == pytest.approx(expected.normalized)
    plain = stakes.evaluate_model(
        model, X, Y, cv=CV, sample_weight=WEIGHT, weighted_fit=False, calibrator=None, **QUICK
    )
    assert plain.rules[0].normalized.value != found.rules[0].normalized.value


def test_samples_of_weight_0_are_absent_from_calibration_too() -> None:
    weight = np.where(np.arange(Y.size) % 5 == 0, 0.0, 1.0)
    told: dict[str, Any] = {"weighted_fit": False, "sample_weight": weight, "costs": COSTS}
    found = stakes.evaluate_model(MODEL, X, Y, cv=PredefinedSplit(FOLD), **told, **QUICK)
    assert found.data.n == int(weight.sum())
    scores, folds = out_of_fold(Y, PredefinedSplit(FOLD))
    kept = np.flatnonzero(weight)
    some = ModelFolds(folds.number[kept], tuple(each.part(kept) for each in folds.scores))
    expected = stakes.evaluate(Y[kept], scores.part(kept), folds=some, costs=COSTS, **QUICK)
    assert after_calibration(found.main.cost) == after_calibration(expected.main.cost)


def test_models_are_compared_on_the_same_folds() -> None:
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
    told: dict[str, Any] = {"costs": COSTS, "reference": "logistic", "margin": 0.1, **QUICK}
    found = stakes.compare_models(models, X, Y, cv=CV, **told)
    systems = {
        name: table(cross_val_predict(model, X, Y, cv=CV, method="predict_proba"))
        for name, model in models.items()
    }
    expected = stakes.compare(Y, systems, **told)
    assert found.values == expected.values
    assert found.to_dict()["differences"] == expected.to_dict()["differences"]
    fitted = {name: clone(model).fit(X, Y) for name, model in models.items()}
    direct = stakes.compare_models(fitted, X, Y, **told)
    systems = {name: table(model.predict_proba(X)) for name, model in fitted.items()}
    assert direct.values == stakes.compare(Y, systems, **told).values


def test_calibrated_losses_of_compared_models_are_nested() -> None:
    calibrator, cv = stakes.AffineCalibrator(), PredefinedSplit(FOLD)
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
    found = stakes.compare_models(models, X, Y, cv=cv, costs=COSTS, calibrator=calibrator, **QUICK)
    for name, model in models.items():
        alone = stakes.evaluate_model(
            model, X, Y, cv=cv, costs=COSTS, calibrator=calibrator, **QUICK
        )
        value = found.values[name]["cost.calibrated_nec"]
        assert value == pytest.approx(after_calibration(alone.main.cost))


def test_a_decision_function_is_compared_once_it_is_calibrated() -> None:
    models = {"svm": LinearSVC(), "logistic": LogisticRegression()}
    methods = {"svm": "decision_function", "logistic": "predict_proba"}
    found = stakes.compare_models(
        models, X, Y, cv=4, costs=COSTS, response_method=methods, calibrator=CALIBRATORS[0], **QUICK
    )
    costs = {name: found.values[name]["cost.calibrated_nec"] for name in models}
    assert abs(costs["svm"] - costs["logistic"]) < 0.1


@pytest.mark.parametrize("cv", [None, 4])
def test_costs_without_names_need_an_order_of_the_classes(cv: Any) -> None:
    model = FITTED if cv is None else MODEL
    with pytest.raises(stakes.InputError, match=r"costs must name the classes of the model, 'ill'"):
        stakes.evaluate_model(model, X, Y, cv=cv, costs=[[0, 1], [5, 0]])
    found = stakes.evaluate_model(
        model, X, Y, cv=cv, costs=[[0, 1], [5, 0]], classes=CLASSES, **QUICK
    )
    same(found, stakes.evaluate_model(model, X, Y, cv=cv, costs=COSTS, **QUICK))
    words = {"miss": 5, "false_alarm": 1}
    found = stakes.evaluate_model(model, X, Y, cv=cv, costs=words, classes=CLASSES, **QUICK)
    same(found, stakes.evaluate_model(model, X, Y, cv=cv, costs=COSTS, **QUICK))
    for costs in (words, {"one": words, "two": COSTS.values}):
        with pytest.raises(stakes.InputError, match=r"must name the classes of the model, 'ill'"):
            stakes.evaluate_model(model, X, Y, cv=cv, costs=costs)
    fitted = GaussianNB().fit(X, CODES)
    assert stakes.evaluate_model(fitted, X, CODES, costs=[[0, 1], [5, 0]], **QUICK)


def test_a_class_that_a_fold_lacks_has_probability_0_there() -> None:
    y = np.where(np.arange(Y.size) < 3, "rare", Y)
    cv = PredefinedSplit(np.arange(Y.size) // 60)  # all of the rare ones are in the first fold
    with pytest.warns(UserWarning, match="fitted without samples of 'rare'"):
        found = stakes.evaluate_model(MODEL, X, y, cv=cv, calibrator=None, **QUICK)
    assert found.data.classes == ("ill", "rare", "well")
    assert np.isinf(found.rules[0].value.value)


class Plain:
    """Nothing of scikit-learn: probabilities and names."""

    classes_ = ("well", "ill")

    def predict_proba(self, X: Any) -> Any:
        return FITTED.predict_proba(X)[:, ::-1].astype(np.float32)


def test_any_model_with_probabilities_and_names_will_do() -> None:
    found = stakes.evaluate_model(Plain(), X, Y, costs=COSTS, **QUICK)
    expected = stakes.evaluate_model(FITTED, X, Y, costs=COSTS, **QUICK)
    assert found.main.cost.normalized.value == expected.main.cost.normalized.value


def test_progress_counts_the_fits() -> None:
    seen: list[tuple[int, int]] = []
    stakes.evaluate_model(MODEL, X, Y, cv=4, progress=lambda *n: seen.append(n), **QUICK)
    assert seen[:10] == [(k + 1, 10) for k in range(10)]
    seen.clear()
    stakes.evaluate_model(
        MODEL, X, Y, cv=4, calibrator=None, progress=lambda *n: seen.append(n), **QUICK
    )
    assert seen[:4] == [(k + 1, 4) for k in range(4)]


def in_processes() -> None:
    for n in (2, -1):
        one, two = (
            stakes.evaluate_model(MODEL, X, Y, cv=CV, costs=COSTS, n_jobs=jobs, **QUICK)
            for jobs in (None, n)
        )
        same(one, two)


WITHOUT = """
import sys; sys.modules['sklearn'] = None
import numpy as np, stakes
class Model:
    classes_ = (0, 1)
    def fit(self, X, y): return self
    def get_params(self, deep=True): return {}
    def predict_proba(self, X): return np.tile([0.25, 0.75], (len(X), 1))
stakes.evaluate_model(Model(), [[0]] * 40, [0, 1] * 20)
try:
    stakes.evaluate_model(Model(), [[0]] * 40, [0, 1] * 20, cv=3)
except stakes.MissingExtraError as error:
    assert str(error).endswith("pip install 'stakes[sklearn]'"), error
else:
    raise AssertionError
"""


@pytest.mark.parametrize(
    "code", ["import test_sklearn_evaluation as t; t.in_processes()", WITHOUT],
    ids=["other processes", "without scikit-learn"],
)  # fmt: skip
def test_models_are_evaluated(code: str) -> None:
    done = subprocess.run(  # which ends the processes that joblib keeps
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stakes.evaluate_model(MODEL, X, Y), "model must be a fitted classifier with predict_proba and classes_: GaussianNB has no classes_. Fit it first, or pass cv=5"),
        (lambda: stakes.evaluate_model(LinearSVC().fit(X, Y), X, Y), "model must have predict_proba: LinearSVC has no predict_proba. Its decision_function is not a probability"),
        (lambda: stakes.evaluate_model(LinearSVC(), X, Y, cv=3), "model must have predict_proba: LinearSVC has no predict_proba. Its decision_function is not a probability"),
        (lambda: stakes.evaluate_model(LinearRegression().fit(X, CODES), X, CODES), "must be a fitted classifier with predict_proba and classes_: LinearRegression has no predict_proba"),
        (lambda: stakes.evaluate_model(LinearRegression(), X, CODES, cv=3), "model must be a classifier: got LinearRegression"),
        (lambda: stakes.evaluate_model(KMeans(2), X, CODES, cv=3), "model must be a classifier: got KMeans"),
        (lambda: stakes.evaluate_model(GaussianNB, X, Y, cv=3), "model must be a model: got the class GaussianNB. Pass GaussianNB(...)."),
        (lambda: stakes.evaluate_model(Plain(), X, Y, cv=3), "model must be an estimator of scikit-learn for cross-validation: got Plain. Leave cv out where it is fitted."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=2), "cv must have three folds or more where scores are calibrated: got 2."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=1), "cv must be at least 2: got 1."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv="five"), "cv must be a number of folds, a splitter or pairs of rows to train and test on: got 'five'"),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=RepeatedKFold(n_splits=3, n_repeats=2)), "cv must test every sample once: row 0 is tested 2 times"),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=TimeSeriesSplit(3)), "is tested 0 times"),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=KFold(4), groups=np.arange(Y.size) % 9), "cv must keep each group on one side: one is trained on and tested on."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=[(np.arange(240), np.arange(240))]), "cv must keep each sample on one side"),
        (lambda: stakes.evaluate_model(MODEL, X, np.arange(Y.size) % 100, cv=5), "class 0 has 3 samples, too few for 5 folds."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=3, groups=np.arange(9)), "groups must hold one name per sample: got 9 for 240 samples."),
        (lambda: stakes.evaluate_model(MODEL, X, Y, cv=3, folds=5), "folds must be left out with cv"),
        (lambda: stakes.evaluate_model(FITTED, X, Y, groups="ward"), "groups must be a column, or the name of one of X: got 'ward', where X has none."),
        (lambda: stakes.evaluate_model(FITTED, FRAME, Y, sample_weight="w"), "sample_weight must be a column, or the name of one of X: got 'w', where X has 'a', 'b'"),
        (lambda: stakes.evaluate_model(KNeighborsClassifier(), X, Y, cv=3, sample_weight=WEIGHT), "sample_weight must be taken by fit of the model: KNeighborsClassifier.fit takes none. Pass weighted_fit=False"),
        (lambda: stakes.evaluate_model(FITTED, X, np.where(Y == "ill", "sick", Y)), "y_true must hold labels of the classes"),
        (lambda: stakes.compare_models([MODEL], X, Y), "models must map names to classifiers: got a list of 1"),  # type: ignore[arg-type]
        (lambda: stakes.compare_models({"a": FITTED, "b": MODEL}, X, Y), "model 'b' must be a fitted classifier"),
        (lambda: stakes.compare_models({"a": FITTED, "b": GaussianNB().fit(X, CODES)}, X, Y), "model 'b' must have the classes of the first, 'ill', 'well': got 0, 1."),
        (lambda: stakes.compare_models({"a": FITTED}, X, Y, response_method={"b": "predict_proba"}), "response_method must name the method of each model, 'a': got 'b'."),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_what_cannot_be_evaluated_says_why(call: Any, said: str) -> None:
    with pytest.raises(stakes.InputError) as refused:
        call()
    assert said in str(refused.value)
