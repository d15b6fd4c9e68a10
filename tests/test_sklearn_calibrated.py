"""CalibratedClassifier: calibrated on scores of unseen samples, wherever scikit-learn goes."""

import pickle
from io import BytesIO
from typing import Any, ClassVar

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags

import stakes
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.sklearn import CalibratedClassifier


def blobs(n: int = 150, k: int = 2, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 3)) + 1.5 * np.eye(max(k, 3))[y][:, :3], y


def calibrators(k: int) -> list[stakes.Calibrator]:
    kinds: list[Any] = [calibrator_class(name) for name in calibrator_names()]
    made = []
    for kind in kinds:
        if kind.name == "threshold":
            made += [kind(stakes.CostMatrix.binary(miss=3, false_alarm=1))] if k == 2 else []
        elif k == 2 or not kind.two_classes:
            made.append(kind())
    return made


class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers the first feature of what it is fitted on and of what it scores."""

    seen: ClassVar[list[tuple[set[int], set[int]]]] = []

    def fit(self, x: Any, y: Any) -> Any:
        self.classes_, self.ids_ = np.unique(y), set(x[:, 0].astype(int).tolist())
        self.n_features_in_ = x.shape[1]
        return self

    def predict_proba(self, x: Any) -> Any:
        self.seen.append((self.ids_, set(x[:, 0].astype(int).tolist())))
        p = 0.3 + 0.4 * (x[:, 0] % 2)
        return np.column_stack([1 - p, p])


class TestCrossFitting:
    @pytest.mark.parametrize(
        ("k", "calibrator"), [(k, c) for k in (2, 3) for c in calibrators(k)], ids=str
    )
    def test_one_calibrator_of_out_of_fold_scores_and_a_model_of_all_data(
        self, k: int, calibrator: stakes.Calibrator
    ) -> None:
        x, y = blobs(k=k)
        model = CalibratedClassifier(LogisticRegression(), calibrator=calibrator, cv=4).fit(x, y)
        folds = StratifiedKFold(4)
        unseen = cross_val_predict(LogisticRegression(), x, y, cv=folds, method="decision_function")
        by_hand = calibrator.fresh().fit(stakes.Logits(unseen), y)
        whole = LogisticRegression().fit(x, y).decision_function(x)
        expected = by_hand.transform(stakes.Logits(whole)).log_posteriors()
        assert np.array_equal(model.predict_log_proba(x), expected)
        assert np.array_equal(model.predict(x), expected.argmax(axis=1))
        assert calibrator._fit is None  # what was passed is not changed

    def test_every_calibrator_is_among_those_tried(self) -> None:
        assert {c.name for c in calibrators(2)} == set(calibrator_names())

    @pytest.mark.parametrize(
        "cv",
        [
            3,
            KFold(4),
            StratifiedShuffleSplit(1, test_size=0.3, random_state=0),
            RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ],
        ids=str,
    )
    def test_no_clone_scores_what_it_was_fitted_on(self, cv: Any) -> None:
        y = np.arange(60) % 2
        x = np.column_stack([np.arange(60), y])
        Recorder.seen.clear()
        CalibratedClassifier(Recorder(), cv=cv, calibrator=stakes.BiasCalibrator()).fit(x, y)
        assert Recorder.seen
        for fitted, scored in Recorder.seen:
            assert fitted
            assert scored
            assert not fitted & scored

    def test_every_score_of_a_splitter_counts_and_those_left_out_do_not(self) -> None:
        x, y = blobs()
        splits = [(np.arange(50, 150), np.arange(0, 50)), (np.arange(20, 150), np.arange(0, 20))]
        model = CalibratedClassifier(LogisticRegression(), cv=splits).fit(x, y)
        parts = [
            (LogisticRegression().fit(x[a], y[a]).decision_function(x[b]), y[b]) for a, b in splits
        ]
        scores, labels = (np.concatenate(each) for each in zip(*parts, strict=True))
        by_hand = stakes.AffineCalibrator().fit(stakes.Logits(scores), labels)
        found, expected = (c.fitted.to_dict() for c in (model.calibrator_, by_hand))
        assert found["scale"] == pytest.approx(expected["scale"], rel=1e-9)
        assert found["bias"] == pytest.approx(expected["bias"], rel=1e-9, abs=1e-12)

    def test_a_model_that_memorises_labels_learns_nothing_about_noise(self) -> None:
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
        model = CalibratedClassifier(
            KNeighborsClassifier(1), calibrator=stakes.IsotonicCalibrator()
        )
        p = model.fit(x, y).predict_proba(x)[:, 1]
        assert np.abs(p - 0.5).max() < 0.1  # of its own training data it would be sure

    @pytest.mark.parametrize("cv", [4, GroupKFold(4)], ids=str)
    def test_groups_are_never_parted(self, cv: Any) -> None:
        group = np.repeat(np.arange(30), 4)
        y = np.tile([0, 1, 0, 1], 30)
        x = np.column_stack([group, y])
        Recorder.seen.clear()
        model = CalibratedClassifier(Recorder(), cv=cv, calibrator=stakes.BiasCalibrator())
        model.fit(x, y, groups=group)
        assert len(Recorder.seen) == 4
        assert not any(fitted & scored for fitted, scored in Recorder.seen)

    def test_folds_in_parallel_are_the_same(self) -> None:
        x, y = blobs()
        with joblib.parallel_config(backend="threading"):  # no process stays behind
            one, two = (CalibratedClassifier(n_jobs=n).fit(x, y).predict_proba(x) for n in (1, 2))
        assert np.array_equal(one, two)


class TestFrozen:
    def test_nothing_is_refitted(self) -> None:
        x, y = blobs()
        inner = LogisticRegression().fit(x[:70], y[:70])
        before = inner.coef_.copy()
        model = CalibratedClassifier(FrozenEstimator(inner)).fit(x[70:], y[70:])
        assert model.estimator_.estimator is inner
        assert np.array_equal(inner.coef_, before)
        scores = stakes.Logits(inner.decision_function(x[70:]))
        by_hand = stakes.AffineCalibrator().fit(scores, y[70:]).transform(scores)
        assert np.array_equal(model.predict_log_proba(x[70:]), by_hand.log_posteriors())

    def test_a_model_that_was_not_fitted_is_refused(self) -> None:
        x, y = blobs()
        with pytest.raises(sklearn.exceptions.NotFittedError):
            CalibratedClassifier(FrozenEstimator(LogisticRegression())).fit(x, y)

    def test_labels_that_the_model_does_not_know_are_refused(self) -> None:
        x, y = blobs()
        inner = FrozenEstimator(LogisticRegression().fit(x, y))
        with pytest.raises(stakes.InputError, match="y must hold classes of the estimator, 0, 1"):
            CalibratedClassifier(inner).fit(x, y + 1)

    def test_a_class_without_samples_is_refused(self) -> None:
        x, y = blobs(k=3)
        inner = FrozenEstimator(LogisticRegression().fit(x, y))
        with pytest.raises(stakes.UndefinedMetricError, match="class 2 has 0 samples"):
            CalibratedClassifier(inner).fit(x[y < 2], y[y < 2])


class TestScores:
    def test_posteriors_come_near_the_truth_that_naive_bayes_misses(self) -> None:
        rng = np.random.default_rng(1)
        y = (rng.random(20_000) < 0.2).astype(int)
        x = rng.normal(2.0 * y, 1.0)[:, None]
        truth = 1 / (1 + np.exp(-(2 * x[:, 0] - 2 + np.log(0.2 / 0.8))))
        often = np.hstack([x] * 4)  # naive Bayes takes each copy for new evidence
        raw = GaussianNB().fit(often, y).predict_proba(often)[:, 1]
        assert np.abs(raw - truth).mean() > 0.03
        for calibrator in (stakes.AffineCalibrator(), stakes.BetaCalibrator()):
            model = CalibratedClassifier(GaussianNB(), calibrator=calibrator).fit(often, y)
            p = model.predict_proba(often)[:, 1]
            assert np.abs(p - truth).mean() < 0.01  # five standard errors of the fit

    @pytest.mark.parametrize(
        ("inner", "method"),
        [
            (LinearSVC(random_state=0), "decision_function"),
            (SVC(random_state=0), "decision_function"),
            (GaussianNB(), "predict_log_proba"),
            (KNeighborsClassifier(), "predict_proba"),
        ],
        ids=str,
    )
    def test_the_scores_that_keep_most_are_taken(self, inner: Any, method: str) -> None:
        x, y = blobs(k=3)
        stage = stakes.HistogramCalibrator() if method == "predict_proba" else None
        auto = CalibratedClassifier(inner, calibrator=stage).fit(x, y).predict_proba(x)
        model = CalibratedClassifier(inner, calibrator=stage, response_method=method).fit(x, y)
        assert np.array_equal(auto, model.predict_proba(x))

    def test_naive_bayes_that_is_too_sure_can_be_calibrated(self) -> None:
        x, y = blobs(400, seed=3)
        wide = np.hstack([x] * 400)  # posteriors of 0 for the true class
        assert (GaussianNB().fit(wide, y).predict_proba(wide)[np.arange(400), y] == 0).any()
        p = CalibratedClassifier(GaussianNB()).fit(wide, y).predict_proba(wide)
        assert stakes.cross_entropy(y, p).normalized < 0.9

    @pytest.mark.parametrize("trees", [5, 50])
    def test_a_forest_that_is_sure_and_wrong_is_calibrated(self, trees: int) -> None:
        x, y = blobs(300)
        forest = RandomForestClassifier(trees, random_state=0)
        for stage in (None, stakes.IsotonicCalibrator(), stakes.HistogramCalibrator()):
            model = CalibratedClassifier(forest, calibrator=stage).fit(x, y)
            assert np.isfinite(model.predict_log_proba(x)).all()


class TestLabels:
    @settings(max_examples=15, deadline=None)
    @given(names=st.permutations(["a", "b", "c"]), k=st.sampled_from([2, 3]))
    def test_other_names_change_nothing_but_names(self, names: list[str], k: int) -> None:
        x, y = blobs(90, k=k)
        plain = CalibratedClassifier(LinearDiscriminantAnalysis(), cv=3).fit(x, y)
        named = np.array(names[:k])
        model = CalibratedClassifier(LinearDiscriminantAnalysis(), cv=3).fit(x, named[y])
        order = np.argsort(named)
        assert model.classes_.tolist() == sorted(names[:k])
        assert model.predict_proba(x) == pytest.approx(plain.predict_proba(x)[:, order], abs=1e-7)
        assert model.predict(x).tolist() == named[plain.predict(x)].tolist()

    @pytest.mark.parametrize(
        "labels",
        [
            np.array([False, True]),
            np.array([-1, 1]),
            np.array([1.0, 2.0]),
            np.array(["no", "yes"], dtype=object),
            np.array(["no", "yes"]),
        ],
        ids=str,
    )
    def test_labels_of_every_kind_come_back(self, labels: Any) -> None:
        x, y = blobs()
        model = CalibratedClassifier(LogisticRegression()).fit(x, labels[y])
        assert model.predict(x).dtype == model.estimator_.predict(x).dtype
        assert set(model.predict(x).tolist()) == set(labels.tolist())
        assert model.classes_.tolist() == labels.tolist()
        assert list(model.calibrator_.classes) == labels.tolist()

    def test_a_categorical_column_of_pandas(self) -> None:
        x, y = blobs()
        labels = pd.Series(np.array(["no", "yes"])[y], dtype="category")
        model = CalibratedClassifier(LogisticRegression()).fit(pd.DataFrame(x), labels)
        assert model.score(pd.DataFrame(x), labels) > 0.8


class TestData:
    def test_frames_keep_their_feature_names(self) -> None:
        x, y = blobs()
        frame = pd.DataFrame(x, columns=["a", "b", "c"])
        model = CalibratedClassifier(LogisticRegression()).fit(frame, y)
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.n_features_in_ == 3
        plain = CalibratedClassifier(LogisticRegression()).fit(x, y).predict_proba(x)
        assert model.predict_proba(frame) == pytest.approx(plain, abs=1e-9)

    def test_names_of_an_earlier_fit_are_forgotten(self) -> None:
        x, y = blobs()
        model = CalibratedClassifier(LogisticRegression()).fit(pd.DataFrame(x, columns=[*"abc"]), y)
        assert not hasattr(model.fit(x, y), "feature_names_in_")

    def test_sparse_features_and_texts(self) -> None:
        x, y = blobs()
        p = CalibratedClassifier(LogisticRegression()).fit(sparse.csr_array(x), y).predict_proba(x)
        assert p == pytest.approx(CalibratedClassifier().fit(x, y).predict_proba(x), abs=1e-5)
        texts = [f"{'bad' if label else 'good'} word{i % 7}" for i, label in enumerate(y)]
        pipe = make_pipeline(CountVectorizer(), LogisticRegression())
        assert CalibratedClassifier(pipe).fit(texts, y).score(texts, y) == 1

    def test_missing_features_where_the_model_takes_them(self) -> None:
        x, y = blobs(300)
        x[::7, 1] = np.nan
        boosted = HistGradientBoostingClassifier(max_iter=10, random_state=0)
        model = CalibratedClassifier(boosted).fit(x, y)
        assert np.isfinite(model.predict_proba(x)).all()
        assert get_tags(model).input_tags.allow_nan
        assert not get_tags(CalibratedClassifier()).input_tags.allow_nan

    def test_tags_are_those_of_the_model_and_the_calibrator(self) -> None:
        for inner in (LogisticRegression(), LinearDiscriminantAnalysis(), SVC()):
            own = get_tags(inner).input_tags.sparse  # scikit-learn 1.6.0 says no of the first
            assert get_tags(CalibratedClassifier(inner)).input_tags.sparse == own
        assert get_tags(CalibratedClassifier(SVC(kernel="precomputed"))).input_tags.pairwise
        beta = CalibratedClassifier(calibrator=stakes.BetaCalibrator())
        assert not get_tags(beta).classifier_tags.multi_class
        assert get_tags(CalibratedClassifier()).classifier_tags.multi_class
        assert sklearn.base.is_classifier(beta)

    def test_a_precomputed_kernel_is_split_on_both_sides(self) -> None:
        x, y = blobs(100)
        kernel = CalibratedClassifier(SVC(kernel="precomputed")).fit(x @ x.T, y)
        linear = CalibratedClassifier(SVC(kernel="linear")).fit(x, y)
        assert kernel.predict_proba(x @ x.T) == pytest.approx(linear.predict_proba(x), abs=1e-6)


class TestWeights:
    def test_weights_reach_the_model_and_the_calibrator(self) -> None:
        x, y = blobs()
        w = np.where(y == 1, 9.0, 1.0)
        model = CalibratedClassifier(LogisticRegression(), cv=3).fit(x, y, sample_weight=w)
        inner = LogisticRegression().fit(x, y, sample_weight=w)
        assert np.array_equal(model.estimator_.coef_, inner.coef_)
        assert model.calibrator_.training_priors == pytest.approx(
            [w[y == 0].sum() / w.sum(), w[y == 1].sum() / w.sum()]
        )

    def test_a_pipeline_gives_weights_to_its_last_step(self) -> None:
        x, y = blobs()
        w = np.where(y == 1, 9.0, 1.0)
        pipe = make_pipeline(StandardScaler(), LogisticRegression())
        model = CalibratedClassifier(pipe, cv=3).fit(x, y, sample_weight=w)
        by_hand = clone(pipe).fit(x, y, logisticregression__sample_weight=w)
        assert np.array_equal(model.estimator_[-1].coef_, by_hand[-1].coef_)

    def test_weights_below_0_are_refused(self) -> None:
        x, y = blobs()
        with pytest.raises(ValueError, match="Negative values"):
            CalibratedClassifier().fit(x, y, sample_weight=np.where(y == 1, -1.0, 1.0))

    def test_a_model_without_weights_is_told_of(self) -> None:
        x, y = blobs()
        model = CalibratedClassifier(
            KNeighborsClassifier(), calibrator=stakes.HistogramCalibrator()
        )
        with pytest.warns(UserWarning, match="KNeighborsClassifier does not take sample_weight"):
            model.fit(x, y, sample_weight=np.ones(150))


class TestRouting:
    def test_groups_and_weights_are_routed(self) -> None:
        group = np.repeat(np.arange(30), 4)
        y = np.tile([0, 1, 0, 1], 30)
        x = np.column_stack([group, y])
        for cv in (3, GroupKFold(3)):
            model = CalibratedClassifier(Recorder(), cv=cv, calibrator=stakes.BiasCalibrator())
            Recorder.seen.clear()
            with sklearn.config_context(enable_metadata_routing=True):
                cross_validate(model, x, y, cv=GroupKFold(2), params={"groups": group})
            inner = [pair for pair in Recorder.seen if len(pair[1]) < 15]
            assert len(inner) == 2 * 3
            assert not any(fitted & scored for fitted, scored in inner)

    def test_weights_need_a_request_as_everywhere(self) -> None:
        x, y = blobs()
        w = np.where(y == 1, 9.0, 1.0)
        plain = CalibratedClassifier(LogisticRegression()).fit(x, y, sample_weight=w)
        with sklearn.config_context(enable_metadata_routing=True):
            inner = LogisticRegression().set_fit_request(sample_weight=True)
            model = CalibratedClassifier(inner).fit(x, y, sample_weight=w)
            with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
                CalibratedClassifier(LogisticRegression()).fit(x, y, sample_weight=w)
        assert np.array_equal(plain.predict_proba(x), model.predict_proba(x))

    def test_weights_of_a_step_of_a_pipeline(self) -> None:
        x, y = blobs()
        w = np.where(y == 1, 9.0, 1.0)
        pipe = make_pipeline(StandardScaler(), LogisticRegression())
        model = CalibratedClassifier(pipe)
        model.fit(x, y, logisticregression__sample_weight=w)
        by_hand = clone(pipe).fit(x, y, logisticregression__sample_weight=w)
        assert np.array_equal(model.estimator_[-1].coef_, by_hand[-1].coef_)


class TestScikitLearn:
    def test_a_search_reaches_the_model_and_the_calibrator(self) -> None:
        x, y = blobs()
        grid = {
            "calibratedclassifier__estimator__C": [0.01, 1.0],
            "calibratedclassifier__calibrator": [None, stakes.BetaCalibrator()],
        }
        pipe = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), cv=3))
        pipe.set_output(transform="pandas")
        search = GridSearchCV(pipe, grid, cv=3, scoring="neg_log_loss").fit(x, y)
        assert len(search.cv_results_["params"]) == 4
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_estimator_[-1].feature_names_in_.tolist() == ["x0", "x1", "x2"]

    def test_copies_clones_and_files_are_the_same(self) -> None:
        x, y = blobs()
        model = CalibratedClassifier(LogisticRegression(), calibrator=stakes.BetaCalibrator())
        p = model.fit(x, y).predict_proba(x)
        file = BytesIO()
        joblib.dump(model, file)
        file.seek(0)
        for copy in (pickle.loads(pickle.dumps(model)), joblib.load(file)):  # noqa: S301  our own
            assert np.array_equal(copy.predict_proba(x), p)
        again = clone(model)
        assert not hasattr(again, "classes_")
        assert np.array_equal(again.fit(x, y).predict_proba(x), p)

    def test_the_calibrator_can_be_written_and_used_elsewhere(self) -> None:
        x, y = blobs()
        model = CalibratedClassifier(LogisticRegression()).fit(x, np.array(["a", "b"])[y])
        read = stakes.Calibrator.from_dict(model.calibrator_.to_dict())
        scores = stakes.Logits(model.estimator_.decision_function(x))
        assert np.array_equal(read.transform(scores).values, model.predict_log_proba(x))

    def test_it_is_shown(self) -> None:
        model = CalibratedClassifier(SVC(), calibrator=stakes.TemperatureCalibrator())
        assert "TemperatureCalibrator" in repr(model)
        assert "SVC" in model._repr_html_()
        x, y = blobs()
        assert "TemperatureCalibrator" in model.fit(x, y)._repr_html_()


PARTED = np.repeat(np.arange(75), 2)


@pytest.mark.parametrize(
    ("settings", "fit", "said"),
    [
        ({"calibrator": "magic"}, {}, "calibrator must be a calibrator such as AffineCalibrator(), its name, or None: got 'magic'."),
        ({"response_method": "predict"}, {}, "response_method must be one of"),
        ({"estimator": KNeighborsClassifier(), "response_method": "decision_function"}, {}, "estimator must have decision_function: KNeighborsClassifier has no decision_function."),
        ({"cv": KFold(5)}, {"groups": PARTED, "y": np.arange(150) % 2}, None),
        ({"cv": KFold(3, shuffle=True, random_state=0)}, {"groups": PARTED}, "cv must keep each group on one side: one is trained on and tested on."),
        ({"cv": [(np.arange(100), np.arange(90, 150))]}, {}, "cv must keep each sample on one side: one is trained on and tested on."),
        ({"cv": [(np.arange(75), np.arange(75, 150))]}, {"y": np.repeat([0, 1], 75)}, "cv must leave every class in each training part: one has no sample of class 1. Use fewer folds, or more data of it."),
        ({"calibrator": stakes.BetaCalibrator()}, {"y": np.arange(150) % 3}, "Only binary classification is supported. The type of the target is multiclass. BetaCalibrator is for two classes."),
        ({"estimator": KNeighborsClassifier()}, {"y": np.zeros(150)}, "y must hold two classes or more: got one class, 0.0."),
        ({"calibrator": stakes.ThresholdCalibrator(stakes.CostMatrix([[0, 5], [1, 0]], classes=["b", "a"]))}, {"y": np.repeat(["a", "b"], 75)}, "costs must have the classes of the scores, 'a', 'b', in their order: got 'b', 'a'."),
        ({"estimator": SVC(decision_function_shape="ovo")}, {"y": np.arange(150) % 3}, "must score classes, not pairs"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_errors_say_what_to_do(
    settings: dict[str, Any], fit: dict[str, Any], said: str | None
) -> None:
    x, y = blobs()
    model = CalibratedClassifier(**settings)
    if said is None:
        model.fit(x, **{"y": y, **fit})
        return
    with pytest.raises(stakes.StakesError) as refused:
        model.fit(x, **{"y": y, **fit})
    assert said in str(refused.value)
