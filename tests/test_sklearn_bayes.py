"""BayesClassifier: the decision of least expected cost, wherever scikit-learn goes."""

import pickle
from io import BytesIO
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import stakes
from stakes.sklearn import BayesClassifier, CalibratedClassifier

COSTS = stakes.CostMatrix(
    [[0, 1, 0.4], [8, 0, 2]], classes=["healthy", "ill"], decisions=["home", "operate", "test"]
)
BY_AMOUNT = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=["fine", "fraud"])


def blobs(n: int = 200, k: int = 2, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 3)) + np.eye(max(k, 3))[y][:, :3], y


def uneven() -> tuple[Any, Any]:
    x, y = blobs()
    kept = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:30]])
    return x[kept], y[kept]


def patients(n: int = 200, seed: int = 0) -> tuple[Any, Any]:
    x, y = blobs(n, seed=seed)
    return x, np.array(["healthy", "ill"])[y]


def payments(n: int = 300, seed: int = 0) -> tuple[Any, Any]:
    x, y = blobs(n, seed=seed)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    frame["amount"] = np.random.default_rng(seed).lognormal(1, 2, n)
    return frame, np.array(["fine", "fraud"])[y]


def scaled() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


class LastFirst(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted model with its classes in the reverse order, as others may have them."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes_ = model.classes_[::-1]

    def fit(self, *_: Any) -> Any:
        return self

    def predict_proba(self, features: Any) -> Any:
        return self.model.predict_proba(features)[:, ::-1]


class TestDecisions:
    def test_decisions_are_those_of_decide(self) -> None:
        x, y = patients()
        model = BayesClassifier(LogisticRegression(), costs=COSTS).fit(x, y)
        by_hand = stakes.decide(LogisticRegression().fit(x, y).predict_proba(x), COSTS)
        assert model.predict(x).tolist() == by_hand.names.tolist()
        assert set(model.predict(x)) == {"home", "operate", "test"}
        assert model.decisions_.tolist() == ["home", "operate", "test"]
        assert np.array_equal(model.decide(x).expected, by_hand.expected)

    @settings(max_examples=25, deadline=None)
    @given(data=st.data())
    def test_any_costs_priors_and_prices_agree_with_decide(self, data: st.DataObject) -> None:
        k = data.draw(st.integers(2, 4))
        m = data.draw(st.integers(1, 4))
        price = st.floats(0, 10).map(lambda v: round(v, 3))
        table = data.draw(st.lists(st.lists(price, min_size=m, max_size=m), min_size=k, max_size=k))
        names = data.draw(st.permutations(["a", "b", "c", "d"][:k]))
        costs = stakes.CostMatrix(table, classes=names, decisions=[f"do {j}" for j in range(m)])
        raw = np.array(data.draw(st.lists(st.integers(1, 9), min_size=k, max_size=k)))
        priors = dict(zip(names, (raw / raw.sum()).tolist(), strict=True))
        abstain = data.draw(st.none() | price)
        x, y = blobs(60, k=k, seed=data.draw(st.integers(0, 3)))
        y = np.array(["a", "b", "c", "d"])[y]
        inner = LinearDiscriminantAnalysis()
        model = BayesClassifier(inner, costs=costs, priors=priors, abstain=abstain).fit(x, y)
        p = pd.DataFrame(clone(inner).fit(x, y).predict_proba(x), columns=sorted(names))
        at = {name: float((y == name).mean()) for name in names}
        table_of_all = costs if abstain is None else costs.with_abstention(abstain)
        by_hand = stakes.decide(p, table_of_all, priors=priors, training_priors=at)
        assert model.predict(x).tolist() == by_hand.names.tolist()

    @pytest.mark.parametrize("k", [2, 3, 5])
    @pytest.mark.parametrize("calibrator", [None, stakes.AffineCalibrator()], ids=str)
    def test_without_costs_it_predicts_as_the_model(self, k: int, calibrator: Any) -> None:
        x, y = blobs(k=k)
        model = BayesClassifier(LogisticRegression(), calibrator=calibrator).fit(x, y)
        inner = LogisticRegression().fit(x, y)
        if calibrator is not None:
            inner = CalibratedClassifier(LogisticRegression()).fit(x, y)
        assert np.array_equal(model.predict(x), inner.predict(x))
        assert np.array_equal(model.predict_proba(x), inner.predict_proba(x))
        assert model.predict(x).dtype == y.dtype

    def test_decisions_cost_less_than_those_of_the_model_where_the_truth_is_known(self) -> None:
        rng = np.random.default_rng(0)
        y = (rng.random(20_000) < 0.2).astype(int)
        x = rng.normal(2.0 * y, 1.0)[:, None]
        truth = 1 / (1 + np.exp(-(2 * x[:, 0] - 2 + np.log(0.2 / 0.8))))
        costs = stakes.CostMatrix.binary(miss=10, false_alarm=1)
        often = np.hstack([x] * 4)  # naive Bayes takes each copy for new evidence
        fit, use = slice(0, 10_000), slice(10_000, None)

        def cost(decisions: Any) -> float:
            return stakes.expected_cost(y[use], decisions, costs=costs).value

        best = cost((truth[use] > costs.threshold()).astype(int))
        inner = GaussianNB().fit(often[fit], y[fit])
        raw = BayesClassifier(GaussianNB(), costs=costs).fit(often[fit], y[fit])
        model = clone(raw).set_params(calibrator=stakes.AffineCalibrator()).fit(often[fit], y[fit])
        assert best <= cost(model.predict(often[use])) < 1.02 * best
        assert cost(model.predict(often[use])) < 0.95 * cost(raw.predict(often[use]))
        assert cost(raw.predict(often[use])) < 0.95 * cost(inner.predict(often[use]))

    def test_calibrated_is_the_calibrated_classifier_inside(self) -> None:
        x, y = patients()
        stage = stakes.TemperatureCalibrator()
        one = BayesClassifier(LinearSVC(random_state=0), costs=COSTS, calibrator=stage).fit(x, y)
        inner = CalibratedClassifier(LinearSVC(random_state=0), calibrator=stage)
        two = BayesClassifier(inner, costs=COSTS).fit(x, y)
        assert np.array_equal(one.predict_proba(x), two.predict_proba(x))
        assert one.predict(x).tolist() == two.predict(x).tolist()


class TestNames:
    def test_costs_in_another_order_decide_the_same(self) -> None:
        x, y = patients()
        turned = stakes.CostMatrix(
            [[8, 0, 2], [0, 1, 0.4]], classes=["ill", "healthy"], decisions=COSTS.decisions
        )
        frame = pd.DataFrame([[8, 0, 2], [0, 1, 0.4]], ["ill", "healthy"], COSTS.decisions)
        first, *others = (
            BayesClassifier(LogisticRegression(), costs=costs).fit(x, y).predict(x).tolist()
            for costs in (COSTS, turned, frame)
        )
        assert all(other == first for other in others)
        assert len(set(first)) == 3

    @pytest.mark.parametrize(
        ("labels", "costs"),
        [
            (np.array([0, 1]), [[0, 1], [8, 0]]),
            (np.array([False, True]), [[0, 1], [8, 0]]),
            (np.array([0, 1]), {"miss": 8, "false_alarm": 1}),
            (np.array([0.0, 1.0]), np.array([[0, 1], [8, 0]])),
            (np.array([-1, 1]), stakes.CostMatrix([[0, 1], [8, 0]], classes=[-1, 1])),
            (np.array([1.0, 2.0]), stakes.CostMatrix([[0, 8], [1, 0]], classes=[2, 1])),
            (np.array(["ill", "healthy"]), stakes.CostMatrix([[0, 8], [1, 0]], classes=["healthy", "ill"])),
        ],
        ids=str,
    )  # fmt: skip
    def test_labels_of_every_kind_come_back(self, labels: Any, costs: Any) -> None:
        x, y = blobs()
        model = BayesClassifier(LogisticRegression(), costs=costs).fit(x, labels[y])
        p = model.predict_proba(x)[:, labels.argsort().argsort()[1]]
        low = stakes.CostMatrix.binary(miss=8, false_alarm=1).threshold()
        expected = p > low  # missing the second label costs 8, in whatever order they stand
        assert model.predict(x).tolist() == labels[expected.astype(int)].tolist()
        assert model.predict(x).dtype == labels.dtype

    @pytest.mark.parametrize(
        ("labels", "abstain", "kind"),
        [
            ([0, 1], 0.3, "O"),
            ([0, 1], {-1: 0.3}, "i"),
            (["no", "yes"], 0.3, "U"),
            (["no", "yes"], {"ask": 0.3, "wait": 0.2}, "U"),
            ([False, True], 0.3, "O"),
        ],
    )
    def test_abstention_has_a_name_and_a_price(self, labels: Any, abstain: Any, kind: str) -> None:
        x, y = blobs()
        model = BayesClassifier(LogisticRegression(), abstain=abstain)
        found = model.fit(x, np.array(labels)[y]).predict(x)
        names = list(abstain) if isinstance(abstain, dict) else ["abstain"]
        least = min(abstain.values()) if isinstance(abstain, dict) else abstain
        assert model.decisions_.tolist() == [*labels, *names]
        assert found.dtype.kind == kind
        unsure = model.predict_proba(x).max(axis=1) < 1 - least
        assert unsure.any()
        assert np.isin(found, names).tolist() == unsure.tolist()

    @settings(max_examples=15, deadline=None)
    @given(names=st.permutations(["a", "b", "c"]))
    def test_other_names_change_nothing_but_names(self, names: list[str]) -> None:
        x, y = blobs(90, k=3)
        table, priors = [[0, 1, 4], [2, 0, 1], [9, 3, 0]], [0.2, 0.5, 0.3]
        inner = LinearDiscriminantAnalysis()
        plain = BayesClassifier(inner, costs=table, priors=priors).fit(x, y).predict(x)
        costs = stakes.CostMatrix(table, classes=names)
        model = BayesClassifier(inner, costs=costs, priors=dict(zip(names, priors, strict=True)))
        named = np.array(names)
        assert model.fit(x, named[y]).predict(x).tolist() == named[plain].tolist()


class TestCodes:
    """cross_val_predict fits on codes of sorted labels where it is asked for probabilities."""

    def test_posteriors_out_of_fold_need_no_costs(self) -> None:
        x, y = patients()
        model = BayesClassifier(LogisticRegression(), costs=COSTS)
        p = cross_val_predict(model, x, y, method="predict_proba")
        by_hand = cross_val_predict(LogisticRegression(), x, y, method="predict_proba")
        assert np.array_equal(p, by_hand)

    def test_decisions_for_codes_are_refused(self) -> None:
        x, y = blobs()
        model = BayesClassifier(LogisticRegression(), costs=COSTS).fit(x, y)
        assert model.predict_proba(x).shape == (200, 2)
        for use in (model.predict, model.decide, lambda x: model.score(x, y)):
            with pytest.raises(stakes.InputError, match="costs must have the classes 0, 1"):
                use(x)

    def test_named_priors_follow_the_codes_and_that_is_said(self) -> None:
        x, y = patients()
        priors = {"ill": 0.1, "healthy": 0.9}
        model = BayesClassifier(LogisticRegression(), priors=priors)
        with pytest.warns(UserWarning, match="labels are 0, 1 and priors name 'healthy', 'ill'"):
            p = cross_val_predict(model, x, y, method="predict_proba")
        raw = cross_val_predict(LogisticRegression(), x, y, method="predict_proba")
        share = np.mean(y == "ill")  # folds are stratified: each has about this share
        moved = raw * [0.9 / (1 - share), 0.1 / share]
        assert p == pytest.approx(moved / moved.sum(axis=1, keepdims=True), abs=0.01)
        assert model.fit(x, y).predict_proba(x)[:, 1].mean() < 0.3


class TestPriors:
    def test_posteriors_move_from_those_of_the_data_by_bayes_rule(self) -> None:
        x, y = blobs(k=3)
        w = 1.0 + y
        model = BayesClassifier(LogisticRegression(), priors=[0.7, 0.2, 0.1])
        model.fit(x, y, sample_weight=w)
        p = LogisticRegression().fit(x, y, sample_weight=w).predict_proba(x)
        shares = np.bincount(y, w) / w.sum()
        moved = p * [0.7, 0.2, 0.1] / shares
        expected = moved / moved.sum(axis=1, keepdims=True)
        assert model.predict_proba(x) == pytest.approx(expected, rel=1e-12)
        assert np.exp(model.predict_log_proba(x)) == pytest.approx(expected, rel=1e-12)
        assert model.training_priors_ == pytest.approx(shares)
        assert np.array_equal(np.array([0.7, 0.2, 0.1]), model.priors_)  # type: ignore[arg-type]

    def test_those_of_the_data_change_nothing(self) -> None:
        x, y = blobs()
        for stage in (None, stakes.AffineCalibrator()):
            same = BayesClassifier(LogisticRegression(), calibrator=stage)
            moved = clone(same).set_params(priors="data")
            p = [model.fit(x, y).predict_proba(x) for model in (same, moved)]
            assert p[0] == pytest.approx(p[1], rel=1e-12)

    @pytest.mark.parametrize(
        ("inner", "why"),
        [
            (LogisticRegression(class_weight="balanced"), "class_weight='balanced'"),
            (make_pipeline(StandardScaler(), GaussianNB(priors=[0.5, 0.5])), "priors=[0.5, 0.5]"),
        ],
        ids=["logistic", "bayes"],
    )
    def test_a_model_that_weighs_classes_is_known_to_be_at_other_priors(
        self, inner: Any, why: str
    ) -> None:
        x, y = uneven()
        here = np.bincount(y) / y.size
        model = BayesClassifier(inner, priors=[0.9, 0.1]).fit(x, y)
        assert model.training_priors_ == pytest.approx([0.5, 0.5])
        delivered = clone(inner).fit(x, y).predict_proba(x)

        def at(priors: Any) -> Any:
            odds = delivered * priors
            return pytest.approx(odds / odds.sum(axis=1, keepdims=True))

        assert model.predict_proba(x) == at([0.9, 0.1])
        told = clone(model).set_params(training_priors=[0.5, 0.5]).fit(x, y)
        assert told.predict_proba(x) == at([0.9, 0.1])
        unsaid = clone(model).set_params(priors=None)
        with pytest.warns(UserWarning, match="not give posteriors at the priors of") as noticed:
            unsaid.fit(x, y)
        assert why in str(noticed[0].message)
        assert unsaid.predict_proba(x) == at(here)
        self.learns_the_priors_of_the_data(model, x, y)

    def test_a_forest_that_weighs_classes_must_say_at_which_priors_it_is(self) -> None:
        x, y = blobs()
        forest = RandomForestClassifier(5, class_weight={0: 1, 1: 3})
        model = BayesClassifier(make_pipeline(StandardScaler(), forest), priors=[0.9, 0.1])
        with pytest.raises(stakes.InputError, match="training_priors must be given where") as said:
            model.fit(x, y)
        assert "trees take up class_weight={0: 1, 1: 3} only where leaves" in str(said.value)
        clone(model).set_params(training_priors=[0.25, 0.75]).fit(x, y)
        unsaid = clone(model).set_params(priors=None)
        with pytest.warns(UserWarning, match="where they are is unknown"):
            assert unsaid.fit(x, y).training_priors_ is None
        self.learns_the_priors_of_the_data(model, x, y)

    @staticmethod
    def learns_the_priors_of_the_data(model: Any, x: Any, y: Any) -> None:
        """Check that a calibrator undoes what a model weighs."""
        stage = stakes.IsotonicCalibrator(mix=1)
        learnt = clone(model).set_params(calibrator=stage).fit(x, y).training_priors_
        assert learnt == pytest.approx(np.bincount(y) / y.size)

    def test_what_is_calibrated_inside_is_at_the_priors_of_the_data(self) -> None:
        x, y = blobs()
        weighing = LogisticRegression(class_weight="balanced")
        for inner in (
            CalibratedClassifier(weighing),
            CalibratedClassifierCV(weighing, ensemble=False),
            make_pipeline(StandardScaler(), CalibratedClassifier(weighing)),
        ):
            model = BayesClassifier(inner, priors=[0.9, 0.1]).fit(x, y)
            assert model.training_priors_ == pytest.approx(np.bincount(y) / y.size)

    def test_a_naive_bayes_without_learnt_priors_is_at_others(self) -> None:
        x, y = uneven()
        inner = MultinomialNB(fit_prior=False)
        model = BayesClassifier(inner, priors="data").fit(np.abs(x), y)
        assert model.training_priors_ == pytest.approx([0.5, 0.5])
        odds = clone(inner).fit(np.abs(x), y).predict_proba(np.abs(x)) * np.bincount(y)
        expected = odds / odds.sum(axis=1, keepdims=True)
        assert model.predict_proba(np.abs(x)) == pytest.approx(expected)
        with pytest.warns(UserWarning, match="fit_prior=False"):
            clone(model).set_params(priors=None).fit(np.abs(x), y)

    def test_classes_of_a_frozen_model_in_an_order_of_its_own(self) -> None:
        x, y = patients()
        inner = LogisticRegression().fit(x, y)
        at = {name: float(np.mean(y == name)) for name in ("healthy", "ill")}
        turned = FrozenEstimator(LastFirst(inner))
        use: dict[str, Any] = {"priors": {"healthy": 0.9, "ill": 0.1}, "costs": COSTS}
        model = BayesClassifier(turned, training_priors="data", **use).fit(x, y)
        plain = BayesClassifier(FrozenEstimator(inner), training_priors=at, **use).fit(x, y)
        assert model.classes_.tolist() == ["ill", "healthy"]
        assert model.predict_proba(x)[:, ::-1] == pytest.approx(plain.predict_proba(x))
        assert model.predict(x).tolist() == plain.predict(x).tolist()
        assert model.score(x, y) == pytest.approx(plain.score(x, y))

    def test_a_frozen_model_must_be_told(self) -> None:
        x, y = blobs()
        inner = FrozenEstimator(LogisticRegression().fit(x[:100], y[:100]))
        with pytest.raises(stakes.InputError, match=r"must be given where .* are not seen"):
            BayesClassifier(inner, priors=[0.9, 0.1]).fit(x[100:], y[100:])
        shares = np.bincount(y[:100]) / 100
        model = BayesClassifier(inner, priors=[0.9, 0.1], training_priors=shares).fit(
            x[100:], y[100:]
        )
        moved = inner.predict_proba(x) * [0.9, 0.1] / shares
        assert model.predict_proba(x) == pytest.approx(moved / moved.sum(axis=1, keepdims=True))
        assert model.estimator_.estimator is inner.estimator
        some = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20]])
        here = np.bincount(y[some]) / some.size  # the priors of the data, where few are positive
        model.set_params(priors="data").fit(x[some], y[some])
        moved = inner.predict_proba(x) * here / shares
        assert model.predict_proba(x) == pytest.approx(moved / moved.sum(axis=1, keepdims=True))
        assert BayesClassifier(inner).fit(x, y).predict(x).tolist() == inner.predict(x).tolist()


class TestCases:
    def by_hand(self, frame: Any, y: Any, amount: Any = None) -> list[str]:
        p = (
            LogisticRegression()
            .fit(frame[["a", "b", "c"]], y)
            .predict_proba(frame[["a", "b", "c"]])
        )
        amounts = frame["amount"] if amount is None else amount
        return np.where(p[:, 1] * amounts > 3 * p[:, 0], "fraud", "fine").tolist()

    @staticmethod
    def on_features() -> Any:
        chosen = make_column_transformer(("passthrough", ["a", "b", "c"]))
        return make_pipeline(chosen, LogisticRegression())

    def test_amounts_come_from_columns_of_the_features(self) -> None:
        frame, y = payments()
        model = BayesClassifier(self.on_features(), costs=BY_AMOUNT).fit(frame, y)
        assert model.predict(frame).tolist() == self.by_hand(frame, y)

    def test_frames_of_other_libraries_have_columns_too(self) -> None:
        frame, y = payments()
        other = pl.from_pandas(frame)
        model = BayesClassifier(scaled(), costs=BY_AMOUNT).fit(other, y)
        by_hand = BayesClassifier(scaled(), costs=BY_AMOUNT).fit(frame, y)
        assert model.predict(other).tolist() == by_hand.predict(frame).tolist()

    def test_amounts_are_passed_to_predict(self) -> None:
        frame, y = payments()
        x, amount = frame[["a", "b", "c"]], frame["amount"].to_numpy()
        model = BayesClassifier(LogisticRegression(), costs=BY_AMOUNT).fit(x, y)
        zero = np.zeros(len(amount))
        table = np.stack([[zero, zero + 3], [amount, zero]]).transpose(2, 0, 1)
        for costs in (
            amount,
            frame["amount"],
            frame[["amount"]],
            amount[:, None],
            {"amount": amount.tolist()},
            pl.from_pandas(frame),
            BY_AMOUNT.with_columns(frame),
            table,
        ):
            assert model.predict(x, costs=costs).tolist() == self.by_hand(frame, y)
        plain = BayesClassifier(LogisticRegression()).fit(x, y)
        assert plain.predict(x, costs=table).tolist() == self.by_hand(frame, y)
        assert plain.predict(x, costs=BY_AMOUNT.with_columns(frame)).tolist() == self.by_hand(
            frame, y
        )
        words = BayesClassifier(LogisticRegression(), costs={"miss": "amount", "false_alarm": 3})
        words.fit(x, (y == "fraud").astype(int))
        by_words = words.predict(x, costs=amount)
        assert np.where(by_words == 1, "fraud", "fine").tolist() == self.by_hand(frame, y)
        with pytest.raises(stakes.InputError, match="they name 'amount', which X does not have"):
            model.predict(x)
        with pytest.raises(stakes.InputError, match="300 for 5"):
            model.predict(x[:5], costs=amount)
        with pytest.raises(stakes.InputError, match="costs must have the columns 'amount'"):
            model.predict(x, costs=frame[["amount", "a"]].to_numpy())
        other = stakes.SampleCosts(table, classes=["fine", "fraud"], decisions=["pass", "stop"])
        with pytest.raises(stakes.InputError, match="and the decisions 'fine', 'fraud'"):
            model.predict(x, costs=other)

    @pytest.mark.parametrize("given", [False, True])
    def test_amounts_with_abstention(self, given: bool) -> None:  # noqa: FBT001
        frame, y = payments()
        model = BayesClassifier(self.on_features(), costs=BY_AMOUNT, abstain={"ask": 0.5})
        found = model.fit(frame, y).decide(frame, BY_AMOUNT.with_columns(frame) if given else None)
        p = model.predict_proba(frame)
        least = np.minimum(p[:, 1] * frame["amount"], 3 * p[:, 0])
        assert ((found.names == "ask") == (least > 0.5)).all()
        assert found.expected == pytest.approx(np.minimum(least, 0.5))

    @pytest.mark.parametrize("routing", [False, True])
    def test_in_a_pipeline_with_and_without_routing(self, routing: bool) -> None:  # noqa: FBT001
        frame, y = payments()
        x, amount = frame[["a", "b", "c"]], frame["amount"]
        with sklearn.config_context(enable_metadata_routing=routing):
            bayes = BayesClassifier(LogisticRegression(), costs=BY_AMOUNT)
            pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), bayes).fit(x, y)
            assert pipe.predict(x, costs=amount).tolist() == self.by_hand(frame, y)

    def test_in_cross_validation(self) -> None:
        frame, y = payments()
        model = BayesClassifier(self.on_features(), costs=BY_AMOUNT)
        found = cross_val_predict(model, frame, y, cv=3)
        p = cross_val_predict(self.on_features(), frame, y, cv=3, method="predict_proba")
        by_hand = stakes.decide(p, BY_AMOUNT.with_columns(frame))
        assert found.tolist() == by_hand.names.tolist()

    def test_a_search_routes_costs_to_the_score(self) -> None:
        frame, y = payments()
        x, amount = frame[["a", "b", "c"]], frame["amount"].to_numpy()
        grid = {"estimator__C": [1e-4, 1.0]}
        with sklearn.config_context(enable_metadata_routing=True):
            model = BayesClassifier(LogisticRegression(), costs=BY_AMOUNT)
            search = GridSearchCV(model, grid, cv=3).fit(x, y, costs=amount)
        in_columns = BayesClassifier(self.on_features(), costs=BY_AMOUNT)
        grid = {"estimator__logisticregression__C": [1e-4, 1.0]}
        same = GridSearchCV(in_columns, grid, cv=3).fit(frame, y)
        scores = [each.cv_results_["mean_test_score"] for each in (search, same)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-9)
        assert scores[0][0] != scores[0][1]


class TestCap:
    @pytest.mark.parametrize("cap", [0.0, 0.05, 0.3, 1.0])
    def test_reviews_are_a_share_of_the_batch_where_they_save_most(self, cap: float) -> None:
        frame, y = payments()
        model = BayesClassifier(TestCases.on_features(), costs=BY_AMOUNT, cap=cap).fit(frame, y)
        p = model.predict_proba(frame)
        by_hand = stakes.decide(p, BY_AMOUNT.with_columns(frame), cap=cap)
        found = model.predict(frame)
        assert found.tolist() == by_hand.names.tolist()
        assert (found == "fraud").mean() <= cap

    def test_the_decision_that_is_capped_is_the_last_of_the_costs(self) -> None:
        x, y = patients()
        for last in ("ill", "healthy"):
            first = "healthy" if last == "ill" else "ill"
            costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=[first, last])
            model = BayesClassifier(LogisticRegression(), costs=costs, cap=0.1).fit(x, y)
            assert 0 < (model.predict(x) == last).mean() <= 0.1


class TestScore:
    def test_it_is_the_share_of_the_naive_cost_that_is_saved(self) -> None:
        x, y = patients()
        w = np.linspace(1, 2, 200)
        priors = {"healthy": 0.9, "ill": 0.1}
        for use in (None, priors):
            model = BayesClassifier(LogisticRegression(), costs=COSTS, priors=use).fit(x, y)
            cost = stakes.expected_cost(
                y, model.predict(x), costs=COSTS, priors=use, sample_weight=w
            )
            assert model.score(x, y, sample_weight=w) == pytest.approx(1 - cost.normalized)
        assert 0 < model.score(x, y) < 1

    def test_with_equal_costs_it_orders_as_accuracy_does(self) -> None:
        x, y = blobs(k=3)
        models = [LogisticRegression(C=c).fit(x, y) for c in (1e-3, 1e-2, 1e-1, 1)]
        scores = [BayesClassifier(FrozenEstimator(m)).fit(x, y).score(x, y) for m in models]
        naive = 1 - np.bincount(y).max() / y.size
        assert scores == pytest.approx([1 - (1 - m.score(x, y)) / naive for m in models])

    def test_it_is_undefined_for_one_class(self) -> None:
        x, y = patients()
        model = BayesClassifier(LogisticRegression()).fit(x, y)
        with pytest.warns(stakes.UndefinedMetricWarning, match="naive cost"):
            assert np.isnan(model.score(x[y == "ill"], y[y == "ill"]))

    def test_a_search_chooses_by_it(self) -> None:
        x, y = patients()
        grid = {
            "bayesclassifier__estimator__C": [1e-4, 1.0],
            "bayesclassifier__costs": [None, COSTS],
            "bayesclassifier__priors": [None, {"healthy": 0.8, "ill": 0.2}],
            "bayesclassifier__calibrator": [None, stakes.BetaCalibrator()],
        }
        bayes = BayesClassifier(LogisticRegression(), cv=3)
        pipe = make_pipeline(StandardScaler(), bayes).set_output(transform="pandas")
        search = GridSearchCV(pipe, grid, cv=3).fit(x, y)
        assert len(search.cv_results_["params"]) == 16
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        best = search.best_estimator_
        assert search.best_score_ == pytest.approx(cross_val_score(best, x, y, cv=3).mean())


class TestScikitLearn:
    def test_copies_clones_and_files_are_the_same(self) -> None:
        x, y = patients()
        model = BayesClassifier(
            LogisticRegression(), costs=COSTS, calibrator=stakes.AffineCalibrator(), abstain=0.3
        )
        found = model.fit(x, y).predict(x).tolist()
        file = BytesIO()
        joblib.dump(model, file)
        file.seek(0)
        for copy in (pickle.loads(pickle.dumps(model)), joblib.load(file)):  # noqa: S301  our own
            assert copy.predict(x).tolist() == found
        again = clone(model)
        assert again.get_params()["costs"] == COSTS
        assert not hasattr(again, "costs_")
        assert again.fit(x, y).predict(x).tolist() == found

    @pytest.mark.parametrize("costs", [COSTS, BY_AMOUNT, [[0, 1], [5, 0]], np.eye(2)], ids=str)
    def test_it_is_shown_whatever_the_costs(self, costs: Any) -> None:
        model = BayesClassifier(LogisticRegression(), costs=costs, priors=np.array([0.5, 0.5]))
        assert repr(model).startswith("BayesClassifier(")
        assert "LogisticRegression" in model._repr_html_()
        assert "BayesClassifier" in make_pipeline(StandardScaler(), model)._repr_html_()

    def test_groups_stay_together_in_the_calibrator(self) -> None:
        x, y = patients()
        group = np.arange(200) // 4
        stage = stakes.AffineCalibrator()
        model = BayesClassifier(
            LogisticRegression(), costs=COSTS, calibrator=stage, cv=GroupKFold(4)
        )
        by_hand = CalibratedClassifier(LogisticRegression(), cv=GroupKFold(4))
        p = by_hand.fit(x, y, groups=group).predict_proba(x)
        assert np.array_equal(model.fit(x, y, groups=group).predict_proba(x), p)
        with sklearn.config_context(enable_metadata_routing=True):
            assert np.array_equal(model.fit(x, y, groups=group).predict_proba(x), p)
            GridSearchCV(model, {"estimator__C": [1.0]}, cv=GroupKFold(2)).fit(x, y, groups=group)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"costs": [[0, 1], [5, 0]]}, "costs must name the classes 'healthy', 'ill': got numbers without names. Pass CostMatrix(costs, classes=[...])."),
        ({"costs": {"miss": 5, "false_alarm": 1}}, "costs must name the classes 'healthy', 'ill': got numbers without names. Pass CostMatrix.binary(..., classes=['healthy', 'ill'])."),
        ({"costs": {"miss": 5}}, "costs must"),
        ({"costs": stakes.CostMatrix([[0, 1], [5, 0]])}, "costs must have the classes 'healthy', 'ill': got 0, 1. Name them with classes=[...]."),
        ({"costs": stakes.CostMatrix.zero_one(["well", "ill"])}, "costs must have the classes 'healthy', 'ill': got 'well', 'ill'."),
        ({"costs": stakes.SampleCosts(np.ones((4, 2, 2)))}, "costs must be those of any case: got those of 4 cases. Pass CostsByCase"),
        ({"priors": [0.9, 0.1]}, "priors must name the classes 'healthy', 'ill': got numbers without names. Pass a mapping from class to prior."),
        ({"training_priors": np.array([0.9, 0.1])}, "training_priors must name the classes 'healthy', 'ill'"),
        ({"priors": {"healthy": 0.9}}, "priors must"),
        ({"training_priors": {"healthy": 0.9, "ill": 0.2}}, "training_priors must be at least 0 and sum to 1"),
        ({"cap": 0.1, "abstain": 0.2}, "cap needs two decisions: there are 3, 'healthy', 'ill', 'abstain'."),
        ({"cap": 1.5}, "cap must be"),
        ({"abstain": -1}, "abstain must be"),
        ({"abstain": {"ill": 0.1}}, "decisions must be distinct: got a duplicate 'ill'"),
        ({"estimator": LinearSVC()}, "estimator must have predict_proba: LinearSVC has no predict_proba. Its decision_function is not a probability: calibrate it"),
        ({"calibrator": "magic"}, "calibrator must be a calibrator"),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(settings: dict[str, Any], said: str) -> None:
    x, y = patients()
    with pytest.raises(stakes.InputError) as refused:
        BayesClassifier(**{"estimator": LogisticRegression(), **settings}).fit(x, y)
    assert said in str(refused.value)


def test_pipelines_inside_and_outside_decide_the_same() -> None:
    x, y = patients()
    inside = BayesClassifier(scaled(), costs=COSTS).fit(x, y)
    bayes = BayesClassifier(LogisticRegression(), costs=COSTS)
    outside = make_pipeline(StandardScaler(), bayes).fit(x, y)
    assert inside.predict(x).tolist() == outside.predict(x).tolist()
    assert inside.n_features_in_ == 3
