"""Input that is legal and perhaps not meant is said once; ordinary data are left alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import stakes
from command import call

CODES = {
    "right_decision_costs_more",
    "uneven_weights",
    "scores_equal",
    "classes_separated",
    "rows_repeated",
    "out_of_step",
    "same_scores",
}
RNG = np.random.default_rng(3)
N = 500
Y = RNG.integers(0, 2, N)
P = 1 / (1 + np.exp(-(RNG.normal(size=N) + 1.2 * (2 * Y - 1))))
Y3 = RNG.integers(0, 3, N)
Z3 = RNG.normal(size=(N, 3)) + 1.0 * np.eye(3)[Y3]
P3 = np.exp(Z3) / np.exp(Z3).sum(axis=1, keepdims=True)


def found(result: Any) -> dict[str, str]:  # noqa: ANN401
    """Return what is said of the input, by code; each code once for an application."""
    listed = [(v.code, v.application, str(v)) for v in result.verdicts if v.code in CODES]
    return {code: text for code, _, text in listed}


def said(y: Any, scores: Any, **more: Any) -> dict[str, str]:  # noqa: ANN401
    result = stakes.evaluate(y, scores, calibrator=None, **more)
    codes = [v.code for v in result.verdicts if v.code in CODES]
    assert len(set(codes)) == len(codes)
    assert all(code in str(result.to_dict()) for code in codes)
    assert all(v.text in str(result) for v in result.verdicts if v.code in codes)
    return found(result)


def test_ordinary_samples_are_left_alone() -> None:
    assert said(Y, P) == {}
    assert said(Y3, P3) == {}
    assert said(Y, P.round(2), costs={"miss": 5, "false_alarm": 1}) == {}
    assert said(Y, stakes.Logits(np.log(P / (1 - P)))) == {}
    assert found(stakes.compare(Y, {"a": P, "b": P**2})) == {}


@pytest.mark.parametrize("values", [[[1, 0], [0, 5]], [[0, 1], [5, 6]], [[2, 3], [1, 2]]])
def test_a_right_decision_that_costs_more_is_said(values: list[list[float]]) -> None:
    costs = stakes.CostMatrix(values, classes=[0, 1])
    (text,) = said(Y, P, costs=costs).values()
    assert "A right decision costs more than a wrong one" in text
    assert "transposed" in text
    found_ = stakes.evaluate(Y, P, costs={"x": costs, "y": [[0, 1], [1, 0]]})
    assert [v.text[:3] for v in found_.verdicts if v.code in CODES] == ["x: "]
    decided = stakes.confusion_matrix(Y, (P > 0.5).astype(int))
    assert found(stakes.evaluate_decisions(decided, costs))
    assert found(stakes.compare(Y, {"a": P, "b": P**2}, costs=costs))


@pytest.mark.parametrize(
    "values", [[[0, 1], [5, 0]], [[1, 3], [5, 2]], [[0, 1, 0.3], [1, 0, 0.3]], [[2, 2], [3, 1]]]
)
def test_costs_in_order_are_not_doubted(values: list[list[float]]) -> None:
    every: list[int | str] = [0, 1, "abstain"]
    names = every[: len(values[0])]
    assert said(Y, P, costs=stakes.CostMatrix(values, classes=[0, 1], decisions=names)) == {}


def test_one_weight_above_all_others_is_said_with_its_row() -> None:
    w = np.ones(N)
    w[7] = 1e4
    (text,) = said(Y, P, sample_weight=w).values()
    count = int((Y[7] == Y).sum())
    effective = (1e4 + count - 1) ** 2 / (1e8 + count - 1)
    assert f"the {count} samples of {Y[7]} count as {effective:.3g} " in text
    assert "(row 7) is 98 % of the class" in text


def test_weights_over_orders_of_magnitude_are_said() -> None:
    w = 10 ** RNG.uniform(-6, 3, N)
    assert list(said(Y, P, sample_weight=w)) == ["uneven_weights"]
    balanced = np.where(Y == 1, 900.0, 0.01)  # classes may weigh what they like
    survey = np.exp(RNG.normal(0, 0.8, N))
    for good in (balanced, survey, balanced * survey):
        assert said(Y, P, sample_weight=good) == {}


@pytest.mark.parametrize("scores", [np.full(N, 0.3), np.tile([0.4, 0.6], (N, 1))])
def test_equal_scores_are_said(scores: Any) -> None:  # noqa: ANN401
    assert "the same for all 500 samples" in said(Y, scores)["scores_equal"]
    both = found(stakes.compare(Y, {"new": P, "old": scores}))
    assert "The scores of old are the same" in both["scores_equal"]
    nearly = np.array(scores)
    nearly[-1] = nearly[-1, ::-1] if nearly.ndim > 1 else 0.31
    assert said(Y, nearly) == {}


def test_classes_without_an_error_are_said_of_many_rows() -> None:
    p = np.where(Y == 1, 0.9, 0.1) + RNG.normal(0, 0.01, N)
    assert "AUC 1" in said(Y, p)["classes_separated"]
    few = np.r_[np.flatnonzero(Y == 1)[:40], np.flatnonzero(Y == 0)[:200]]
    assert said(Y[few], p[few]) == {}
    p[np.flatnonzero(Y == 1)[0]] = p[Y == 0].max()  # a tie
    assert said(Y, p) == {}


@pytest.mark.parametrize(("y", "p"), [(Y, P), (Y3, P3)])
def test_repeated_rows_are_said(y: Any, p: Any) -> None:  # noqa: ANN401
    for rows in (
        np.r_[:N, RNG.choice(N, 100)],
        np.tile(np.arange(N), 2),
        np.repeat(np.arange(N), 5),
    ):
        assert list(said(y[rows], p[rows])) == ["rows_repeated"]
        assert said(y[rows], p[rows], groups=rows) == {}
    spare = np.unique(np.r_[:N, :60], return_counts=True)[1].sum() - N
    assert (
        f"{spare} of {N + 60} rows repeat"
        in said(y[np.r_[:N, :60]], p[np.r_[:N, :60]])["rows_repeated"]
    )


@pytest.mark.parametrize(("y", "p"), [(Y, P), (Y3, P3)])
@pytest.mark.parametrize("lag", [-1, 1])
def test_rows_out_of_step_are_said(y: Any, p: Any, lag: int) -> None:  # noqa: ANN401
    text = said(np.roll(y, lag), p)["out_of_step"]
    assert ("before" if lag < 0 else "after") in text
    assert said(RNG.permutation(y), p) == {}


@pytest.mark.parametrize("name", ["old", "new"])
def test_a_system_out_of_step_is_named(name: str) -> None:
    systems = {"old": P, "new": P**1.5} | {name: np.roll(P, 1)}
    text = found(stakes.compare(Y, systems))["out_of_step"]
    assert text.startswith(f"Labels and scores of {name} are out of step")


def test_labels_out_of_step_with_all_systems_are_said_once() -> None:
    result = stakes.compare(np.roll(Y, 1), {"old": P, "new": P**1.5})
    (text,) = (v.text for v in result.verdicts if v.code == "out_of_step")
    assert text.startswith("Labels and scores are out of step")


def test_many_rows_out_of_step_are_said() -> None:
    n = 2**17 + 1
    y = RNG.integers(0, 2, n)
    p = 1 / (1 + np.exp(-(RNG.normal(size=n) + y - 0.5)))
    assert "row before" in said(y, np.roll(p, 1))["out_of_step"]
    assert said(y, p) == {}


@pytest.mark.parametrize(
    "twin",
    [P, stakes.Posteriors(P), np.column_stack([1 - P, P]), stakes.Logits(np.log(P / (1 - P)))],
)
def test_systems_that_are_the_same_need_no_more_samples(twin: Any) -> None:  # noqa: ANN401
    result = stakes.compare(Y, {"old": P, "new": twin, "other": P**2})
    assert "The scores of new are those of old in all 500" in found(result)["same_scores"]
    assert [
        v for v in result.verdicts if "gather more" in v.advice.lower() and " new " in v.text
    ] == []
    ratios = stakes.LogLikelihoodRatios(np.log(P / (1 - P)))
    systems = {"old": ratios, "new": stakes.LogLikelihoodRatios(ratios.values)}
    again = stakes.compare(Y, systems, priors="data")
    assert list(found(again)) == ["same_scores"]


MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(10, random_state=0),
    "logistic regression": lambda: LogisticRegression(max_iter=500),
    "tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
    "neighbours": lambda: KNeighborsClassifier(5),
    "naive Bayes": GaussianNB,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_models_on_ordinary_data_are_left_alone(name: str, k: int, kind: str) -> None:
    wrong = 0
    for n in (80, 600):
        rng = np.random.default_rng(n)
        x = rng.normal(size=(2 * n, 4)) if kind == "numbers" else rng.integers(0, 3, (2 * n, 4))
        z = x @ rng.normal(size=(4, k))
        y = (z + rng.gumbel(size=z.shape)).argmax(axis=1)
        y[:k] = y[n : n + k] = np.arange(k)
        p = MODELS[name]().fit(x[:n], y[:n]).predict_proba(x[n:])
        for scores in (p, p.round(2)):
            given = stakes.Posteriors(scores, renormalize=True)
            wrong += bool(said(y[n:], given))
    assert wrong == 0


def test_the_place_of_a_weight_is_that_of_the_table() -> None:
    w = np.ones(N)
    w[:20], w[33] = 0, 1e6  # rows of weight 0 are absent
    assert "(row 33)" in said(Y, P, sample_weight=w)["uneven_weights"]


def test_the_choice_of_a_threshold_says_what_is_suspicious() -> None:
    costs = {"miss": 5, "false_alarm": 1}
    w = np.ones(N)
    w[7] = 1e4
    cases: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "scores_equal": (Y, np.full(N, 0.3), {"costs": costs}),
        "classes_separated": (Y, np.where(Y == 1, 0.8, 0.2) + P / 100, {"costs": costs}),
        "uneven_weights": (Y, P, {"costs": costs, "sample_weight": w}),
        "out_of_step": (np.roll(Y, 1), P, {"costs": costs}),
    }
    for code, (y, p, more) in cases.items():
        choice = stakes.choose_threshold(y, p, **more)
        assert list(found(choice)) == [code]
        assert found(choice)[code] in choice.notes
    assert found(stakes.choose_threshold(Y, P, costs=costs)) == {}


def test_commands_that_hold_limits_or_choose_say_what_is_suspicious(tmp_path: Path) -> None:
    leak = np.where(Y == 1, 0.8, 0.2) + P / 100
    w = np.where(np.arange(N) == 7, 1e4, 1.0)
    rows = "".join(f"{y},{p:.4f},{v}\n" for y, p, v in zip(Y, leak, w, strict=True))
    (tmp_path / "t.csv").write_text(f"y,p,w\n{rows}")
    words = ["t.csv", "--label", "y", "--scores", "p", "--scores-are", "posteriors"]
    words += ["--positive", "1", "--weight", "w"]
    for command in (("check", *words, "--max-nec", "1"), ("threshold", *words)):
        done = call(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        text = " ".join(done.stdout.split())
        assert "separate the classes without an error" in text
        assert "t.csv, line 9" in text
