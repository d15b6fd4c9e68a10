"""First days with scikit-learn, files and language models, from the first call to its answer."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import stakes
from command import call
from stakes.sklearn import BayesClassifier, CalibratedClassifier

FIVE = {"miss": 5, "false_alarm": 1}
RARE = {"miss": 20, "false_alarm": 1}
X, Y = make_classification(3000, 8, weights=[0.85], flip_y=0.05, random_state=3)
FIT, NEW = slice(0, 1500), slice(1500, 3000)


def test_three_systems_one_of_which_called_the_truth_impossible() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    a, b = (np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0.02, 0.98) for _ in range(2))
    z = b.copy()
    z[np.flatnonzero(y == 1)[0]] = 0.0
    for names in (("a", "z", "b"), ("z", "a", "b"), ("a", "b", "z")):
        found = stakes.compare(y, {name: {"a": a, "z": z, "b": b}[name] for name in names})
        assert "1 of 500" in str(found) or "infinite" in str(found)
        assert len([d for d in found.differences if d.metric == "cost.nec"]) >= 2


def test_a_forest_is_calibrated_without_an_option() -> None:
    forest = RandomForestClassifier(30, random_state=0).fit(X[FIT], Y[FIT])
    p = forest.predict_proba(X[NEW])
    assert (p == 0).any()
    found = stakes.evaluate(Y[NEW], p, costs=FIVE)
    assert found.main.cost.calibrated_normalized is not None
    assert "calibrat" in str(found)
    model = CalibratedClassifier(RandomForestClassifier(30, random_state=0)).fit(X[FIT], Y[FIT])
    assert np.isfinite(stakes.cross_entropy(Y[NEW], model.predict_proba(X[NEW])).value)
    crossed = stakes.evaluate_model(
        RandomForestClassifier(20, random_state=0), X[FIT], Y[FIT], cv=3, costs=FIVE
    )
    assert crossed.main.cost.calibrated_normalized is not None


def test_priors_mean_the_same_for_a_model_and_its_evaluation() -> None:
    priors, plain = [0.98, 0.02], LogisticRegression().fit(X[FIT], Y[FIT])
    decided = BayesClassifier(LogisticRegression(), costs=RARE, priors=priors).fit(X[FIT], Y[FIT])
    options: dict[str, Any] = {"costs": RARE, "priors": priors, "calibrator": None}
    data: dict[str, Any] = {
        "training_priors": "data"
    }  # a fitted model does not tell what it was fitted to
    one = stakes.evaluate_model(plain, X[NEW], Y[NEW], **data, **options).main.cost.normalized
    other = stakes.evaluate_model(decided, X[NEW], Y[NEW], **options).main.cost.normalized
    told = stakes.evaluate(
        Y[NEW], plain.predict_proba(X[NEW]), **data, **options
    ).main.cost.normalized
    assert one.value == pytest.approx(told.value)
    assert other.value == pytest.approx(one.value, abs=0.02)
    with pytest.raises(stakes.InputError, match="training_priors") as asked:
        stakes.evaluate(Y[NEW], plain.predict_proba(X[NEW]), costs=RARE, priors=priors)
    assert '"data"' in str(asked.value)
    assert '"deployment"' in str(asked.value)


def test_weights_of_classes_are_named_with_their_effect() -> None:
    model = LogisticRegression(class_weight="balanced").fit(X[FIT], Y[FIT])
    found = stakes.evaluate_model(model, X[NEW], Y[NEW], costs=FIVE)
    said = [v for v in found.verdicts if v.code == "weighted_classes"]
    assert len(said) == 1
    assert said[0].advice


def test_costs_in_pairs_and_several_applications() -> None:
    p = LogisticRegression().fit(X[FIT], Y[FIT]).predict_proba(X[NEW])
    with pytest.raises(stakes.InputError, match="miss"):
        stakes.evaluate(Y[NEW], p, costs={"miss": (10, 50), "false_alarm": 1})
    ward, clinic = (stakes.CostMatrix.binary(miss=m, false_alarm=1) for m in (10, 50))
    text = str(stakes.evaluate(Y[NEW], p, costs={"ward": ward, "clinic": clinic}))
    assert "ward" in text
    assert "clinic" in text


def test_no_one_is_told_to_calibrate_where_that_recovers_nothing() -> None:
    data = stakes.simulation.simulate(2, n=4000)
    found = stakes.evaluate(data.y, data.posteriors([0.9, 0.1]))
    assert found.rules[0].relative is not None
    assert abs(found.rules[0].relative.value) < 0.02
    assert not [v for v in found.verdicts if v.code in ("overconfident", "underconfident")]


def test_decisions_in_the_place_of_scores() -> None:
    decided = LogisticRegression().fit(X[FIT], Y[FIT]).predict(X[NEW])
    for given in (decided, decided.astype(float), decided.astype(bool)):
        with pytest.raises(stakes.InputError, match="evaluate_decisions"):
            stakes.evaluate(Y[NEW], given)


def test_confidence_in_percent(tmp_path: Path) -> None:
    rows = [f"{i % 2},{60 + i}%" for i in range(40)]
    (tmp_path / "answers.csv").write_text("\n".join(["right,sure", *rows, "1,100%"]) + "\n")
    done = call(
        "answers", "answers.csv", "--right", "right", "--confidence", "sure",
        "--confidence-is", "percent", "--target", "0.75", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "41" in done.stdout


def test_columns_that_suggest_a_class_and_columns_of_two_models(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    table = pd.DataFrame({
        "truth": np.array(["usual", "severe"])[y],
        "p_severe_a": np.round(np.clip(y * 0.3 + rng.uniform(0, 0.7, 60), 0, 1), 3),
        "p_severe_b": np.round(np.clip(y * 0.4 + rng.uniform(0, 0.6, 60), 0, 1), 3),
    })  # fmt: skip
    table.to_csv(tmp_path / "scores.csv", index=False)
    done = call("evaluate", "scores.csv", "--label", "truth", "--scores", "p_severe_b",
                "--scores-are", "posteriors", cwd=tmp_path)  # fmt: skip
    assert done.returncode != 0
    assert "--positive severe" in done.stderr
    done = call("evaluate", "scores.csv", "--label", "truth", cwd=tmp_path)
    assert done.returncode != 0
    assert "p_severe_a,p_severe_b" not in done.stderr  # two models are no two classes


def test_words_of_scikit_learn_are_understood() -> None:
    p = LogisticRegression().fit(X[FIT], Y[FIT]).predict_proba(X[NEW])
    plain = stakes.evaluate(Y[NEW], p, costs=FIVE)
    words = stakes.evaluate(Y[NEW], p, costs={"fn": 5, "fp": 1})
    assert words.main.cost.normalized == plain.main.cost.normalized
    word: Any = "isotonic"
    assert stakes.evaluate(Y[NEW], p, calibrator=word).calibrator is not None
    assert stakes.confusion_matrix(Y[NEW], p.argmax(axis=1)).f_score() > 0
