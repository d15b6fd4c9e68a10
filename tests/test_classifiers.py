"""Every classifier that gives probabilities works with every public call, or is refused rightly.

The rows are the classifiers of scikit-learn with `predict_proba`, and those of XGBoost and LightGBM
where they are installed; the columns are the calls that take a model, or what it predicts.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import stakes
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.displays import DISPLAYS, ComparisonDisplay, TippettDisplay
from stakes.displays.figures import ScoreDisplay

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the libraries

NAMES = {2: ["healthy", "ill"], 3: ["cat", "dog", "fox"]}
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
WRAPPING = {
    "ClassifierChain",
    "FixedThresholdClassifier",
    "MultiOutputClassifier",
    "OneVsRestClassifier",
    "SelfTrainingClassifier",
    "TunedThresholdClassifierCV",
}
SET = {
    "CategoricalNB": CategoricalNB(min_categories=8),
    "GaussianProcessClassifier": GaussianProcessClassifier(max_iter_predict=20),
    "NuSVC": NuSVC(nu=0.2, probability=True, random_state=0),
    "RadiusNeighborsClassifier": RadiusNeighborsClassifier(4.0, outlier_label="most_frequent"),
    "SGDClassifier": SGDClassifier(loss="log_loss", random_state=0),
    "SVC": SVC(probability=True, random_state=0),
}
SEVERAL_OUTPUTS = {"ClassifierChain", "MultiOutputClassifier"}
BINARY = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}


def made(name: str, kind: Any) -> Any:  # noqa: ANN401
    """Return a classifier of this kind, small enough to be fitted often."""
    if name in SET:
        return SET[name]
    if name in WRAPPING:
        return kind(TREE)
    if name in {"StackingClassifier", "VotingClassifier"}:
        more = {"voting": "soft"} if name == "VotingClassifier" else {"cv": 3}
        return kind([("tree", TREE), ("logistic", LogisticRegression())], **more)
    model, few = kind(), {"n_estimators": 15, "max_iter": 60, "random_state": 0}
    return model.set_params(**{key: few[key] for key in few.keys() & model.get_params().keys()})


def boosted() -> dict[str, Any]:
    """Return the classifiers of XGBoost and LightGBM, where they are installed."""
    found = {}
    for library, name, quiet in [("xgboost", "XGB", 0), ("lightgbm", "LGBM", -1)]:
        try:
            kind = getattr(__import__(library), f"{name}Classifier")
        except ImportError:
            continue
        found[library] = kind(n_estimators=10, n_jobs=1, verbosity=quiet)
    return found


MODELS = {
    name: made(name, kind)
    for name, kind in all_estimators(type_filter="classifier")
    if hasattr(kind, "predict_proba")
} | boosted()
CALIBRATED_INSIDE = "OneVsRestClassifier of calibrated models"
MODELS[CALIBRATED_INSIDE] = OneVsRestClassifier(stakes.sklearn.CalibratedClassifier(TREE, cv=3))
REFUSED = {("OneVsRestClassifier", 3)}  # where all of its trees say no, no class has a posterior
ROWS = [
    (name, k)
    for name in sorted(MODELS.keys() - SEVERAL_OUTPUTS)
    for k in (2, 3)
    if k == 2 or name not in BINARY
]


class Case:
    """A classifier with samples of whole numbers, which every classifier takes."""

    def __init__(self, name: str, k: int) -> None:
        rng = np.random.default_rng(k)
        codes = np.sort(rng.choice(k, p=[0.7, 0.3] if k == 2 else [0.5, 0.3, 0.2], size=240))
        x = np.clip(rng.poisson(1.5 + codes[:, None] * rng.random(5), (240, 5)), 0, 7)
        spelt = codes if name == "xgboost" else np.array(NAMES[k], dtype=object)[codes]
        self.names = list(range(k)) if name == "xgboost" else NAMES[k]
        self.model, self.k = MODELS[name], k
        self.X, self.y = x[order := rng.permutation(240)], spelt[order]
        self.costs = stakes.CostMatrix(
            [[0, 1], [5, 0]] if k == 2 else [[0, 1, 2], [1, 0, 1], [8, 2, 0]], classes=self.names
        )
        self.priors = dict(zip(self.names, [0.9, 0.1] if k == 2 else [0.7, 0.2, 0.1], strict=True))
        parts = train_test_split(self.X, self.y, test_size=0.5, stratify=self.y, random_state=0)
        self.seen, self.unseen, self.y_seen, self.y_unseen = parts

    @property
    def fitted(self) -> Any:  # noqa: ANN401
        return clone(self.model).fit(self.seen, self.y_seen)

    @property
    def p(self) -> Any:  # noqa: ANN401
        """Posteriors of samples that the model has not seen."""
        return self.fitted.predict_proba(self.unseen)

    @property
    def used(self) -> dict[str, Any]:
        return {"costs": self.costs, "classes": self.names}


def whole(evaluation: stakes.Evaluation) -> None:
    """Check that an evaluation has every part, before and after calibration."""
    losses = [evaluation.main.cost, *(rule for rule in evaluation.rules)]
    for loss in losses:
        assert not np.isnan(loss.raw), loss.raw.undefined
        assert loss.calibrated is not None, evaluation.notes
        assert np.isfinite(loss.calibrated), loss
        assert loss.calibration_loss is not None
        assert np.isfinite(loss.calibration_loss.value) == np.isfinite(loss.raw)
    assert evaluation.verdicts


def with_folds(case: Case, _: Path) -> None:
    whole(stakes.evaluate_model(case.model, case.X, case.y, cv=3, costs=case.costs))


def fitted(case: Case, folder: Path) -> None:
    found = stakes.evaluate_model(case.fitted, case.unseen, case.y_unseen, costs=case.costs)
    whole(found)
    found.save_html(folder / "page.html")
    assert (folder / "page.html").stat().st_size > 10_000


def compared(case: Case, _: Path) -> None:
    models = {"tree": TREE, "model": case.model, "logistic": LogisticRegression()}
    found = stakes.compare_models(
        models,
        case.X,
        case.y,
        cv=3,
        costs=case.costs,
        calibrator=stakes.AffineCalibrator(),
    )
    assert found.verdicts
    for name in ("model", "logistic"):
        for number in ("cost.nec", "cost.calibrated_nec"):
            assert np.isfinite(found.of(name, number).difference.value), found.notes


def calibrated(case: Case, _: Path) -> None:
    model = stakes.sklearn.CalibratedClassifier(case.model, cv=3).fit(case.seen, case.y_seen)
    p = model.predict_proba(case.unseen)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.isfinite(stakes.cross_entropy(case.y_unseen, p, classes=case.names))


def decides(case: Case, _: Path) -> None:
    model = stakes.sklearn.BayesClassifier(
        case.model, costs=case.costs, calibrator=stakes.AffineCalibrator(), priors=case.priors, cv=3
    ).fit(case.seen, case.y_seen)
    assert set(model.predict(case.unseen).tolist()) <= set(case.names)
    assert np.isfinite(model.score(case.unseen, case.y_unseen))


def scored(case: Case, _: Path) -> None:
    for scorer in (
        stakes.sklearn.cost_scorer(case.costs),
        stakes.sklearn.loss_scorer(stakes.BrierLoss()),
        stakes.sklearn.calibrated_loss_scorer(),
    ):
        found = cross_val_score(case.model, case.X, case.y, cv=3, scoring=scorer)
        assert np.isfinite(found).all(), scorer


def evaluated(case: Case, _: Path) -> None:
    for kind in map(calibrator_class, calibrator_names()):
        if kind.two_classes and case.k > 2:
            continue
        calibrator = kind(case.costs) if kind is stakes.ThresholdCalibrator else kind()
        found = stakes.evaluate(case.y_unseen, case.p, calibrator=calibrator, **case.used)
        whole(found)


def streamed(case: Case, _: Path) -> None:
    summary = stakes.Summary(costs=case.costs, classes=case.names)
    for part in np.array_split(np.arange(len(case.unseen)), 3):
        summary.update(case.y_unseen[part], case.p[part])
    whole(summary.evaluate())


def thresholds(case: Case, _: Path) -> None:
    scores = stakes.Posteriors(case.p).named(tuple(case.names))
    assert len(stakes.decide(scores, case.costs).names) == len(case.unseen)
    loss = stakes.calibration_loss(stakes.BrierLoss(), case.y_unseen, scores)
    assert np.isfinite(loss)
    candidates = [stakes.AffineCalibrator(), stakes.BiasCalibrator()]
    chosen = stakes.choose_calibrator(stakes.LogLoss(), case.y_unseen, scores, candidates)
    assert str(chosen)
    if case.k == 2:
        assert stakes.choose_threshold(case.y_unseen, scores, costs=case.costs)
        assert 0 <= stakes.roc_curve(case.y_unseen, scores).auc() <= 1


def drawn(case: Case, _: Path) -> None:
    model, kinds = case.fitted, list[Any](DISPLAYS.classes.values())
    for kind in kinds:
        of_a_model = issubclass(kind, ScoreDisplay) and kind is not ComparisonDisplay
        if of_a_model and kind is not TippettDisplay and (case.k == 2 or kind.needs == "scores"):
            shown = kind.from_estimator(model, case.unseen, case.y_unseen)
            assert shown.frame(), kind


CALLS: list[Callable[[Case, Path], None]] = [
    with_folds,
    fitted,
    compared,
    calibrated,
    decides,
    scored,
    evaluated,
    streamed,
    thresholds,
    drawn,
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
@pytest.mark.parametrize(("name", "k"), ROWS, ids=str)
def test_a_classifier_works_with_a_call(
    name: str, k: int, call: Callable[[Case, Path], None], tmp_path: Path
) -> None:
    if (name, k) not in REFUSED or call is scored:  # of other folds, where no row is all 0
        call(Case(name, k), tmp_path)
        return
    with pytest.raises(stakes.InputError, match=r"got row \d+ with sum 0\. All classes") as said:
        call(Case(name, k), tmp_path)
    assert "OneVsRestClassifier(CalibratedClassifier(model))" in str(said.value)


@pytest.mark.parametrize("name", sorted(SEVERAL_OUTPUTS))
def test_a_classifier_of_several_outputs_is_refused(name: str) -> None:
    case = Case("LogisticRegression", 2)
    y = np.column_stack([case.y_seen == "ill", case.seen[:, 0] > 1]).astype(int)
    model = clone(MODELS[name]).fit(case.seen, y)
    with pytest.raises(stakes.InputError, match="one output"):
        stakes.evaluate_model(model, case.unseen, case.y_unseen)
