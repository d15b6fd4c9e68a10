"""What is not what it seems is recognised by every entry point, and answered in a short line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import stakes
from command import call
from stakes._errors import InputError, StakesError

RNG = np.random.default_rng(11)
N = 240
Y = np.arange(N) % 2
P = np.clip(1 / (1 + np.exp(-(RNG.normal(size=N) + 1.3 * (2 * Y - 1)))), 0.02, 0.98)
TWO = np.column_stack([1 - P, P])
D = (P > 0.5).astype(int)
THREE = RNG.dirichlet([1, 1, 1], N)
Made = Callable[[], Any]

DECISIONS = ("must not be decisions", "evaluate_decisions(")
PERCENT = ("must be posteriors", "Percent? Divide by 100")
LOOKALIKES: dict[str, tuple[Made, tuple[str, ...]]] = {
    "integers": (lambda: D, DECISIONS),
    "a list of integers": (D.tolist, DECISIONS),
    "truth values": (lambda: D == 1, DECISIONS),
    "floats of 0 and 1": (lambda: D.astype(float), DECISIONS),
    "single precision": (lambda: D.astype(np.float32), DECISIONS),
    "a column of pandas": (lambda: pd.Series(D == 1), DECISIONS),
    "a column of polars": (lambda: pl.Series(D), DECISIONS),
    "one column": (lambda: D[:, None], DECISIONS),
    "class names": (lambda: np.where(D == 1, "spam", "ham"), (*DECISIONS, "such as")),
    "a list of class names": (lambda: np.where(D == 1, "spam", "ham").tolist(), DECISIONS),
    "labels as texts": (lambda: D.astype(str), (*DECISIONS, "such as")),
    "floats as texts": (lambda: D.astype(float).astype(str).tolist(), DECISIONS),
    "one-hot rows": (lambda: np.eye(2, dtype=int)[D], DECISIONS),
    "number texts": (lambda: [f"{p:.3f}" for p in P], ("must hold numbers", "Convert the strings")),
    "texts of several lengths": (lambda: ["0.5", "0.25"] * (N // 2), ("Convert the strings",)),
    "percentages as texts": (lambda: [f"{100 * p:.0f} %" for p in P], ("divide by 100",)),
    "decimal commas": (lambda: [f"{p:.2f}".replace(".", ",") for p in P], ("decimal commas",)),
    "bytes": (lambda: np.array([b"%.3f" % p for p in P]), ("bytes", "astype(float)")),
    "tables of texts": (lambda: [[str(q), str(p)] for q, p in TWO], ("Convert the strings",)),
    "a sparse matrix": (lambda: sp.csr_matrix(TWO), ("must be dense", "scores.toarray()")),
    "a sparse array": (lambda: sp.coo_array(TWO), ("must be dense", "scores.toarray()")),
    "a sparse mapping": (lambda: sp.dok_array(TWO), ("must be dense", "scores.toarray()")),
    "a range": (lambda: range(10**12), ("must be at most 134217728 values",)),
    "a sparse column": (lambda: pd.Series(P, dtype="Sparse[float]"), ("must be dense", "to_dense")),
    "sparse columns": (lambda: pd.DataFrame(TWO).astype("Sparse[float]"), ("must be dense",)),
    "values of a dict": (lambda: dict(enumerate(P)).values(), ("dict_values", "pass list(scores)")),
    "keys of a dict": (lambda: dict.fromkeys(P).keys(), ("dict_keys", "pass list(scores)")),
    "a dict": (lambda: dict(enumerate(P)), ("a dict", "list(scores.values())")),
    "a set": (lambda: set(P), ("a set", "no order")),
    "a frozen set": (lambda: frozenset(P), ("a frozenset", "no order")),
    "a generator": (lambda: (p for p in P), ("a generator", "Pass list(scores)")),
    "zip": (lambda: zip(1 - P, P, strict=True), ("an iterator (zip)", "Pass list(scores)")),
    "map": (lambda: map(float, P), ("an iterator (map)", "Pass list(scores)")),
}
OF_POSTERIORS: dict[str, tuple[Made, tuple[str, ...]]] = {  # where numbers have to be in [0, 1]
    "percent": (lambda: 100 * P, PERCENT),
    "percent in columns": (lambda: 100 * TWO, PERCENT),
    "whole percent": (lambda: np.round(100 * P), PERCENT),
    "every percent": (lambda: np.arange(N) % 101, PERCENT),
    "odds": (
        lambda: 20 * P / (1 - P),
        ("must be posteriors", "Odds?", "Logits(numpy.log(scores))"),
    ),
    "log odds, or distances": (lambda: np.log(P / (1 - P)), ("Log odds?", "Logits", "SVM")),
    "log probabilities": (lambda: np.log(P), ("Log probabilities?", "LogPosteriors(scores)")),
    "logs in columns": (lambda: np.log(TWO), ("Log probabilities?", "LogPosteriors(scores)")),
    "logits": (lambda: np.column_stack([-P, 3 * P]), ("before a softmax?", "Logits(scores)")),
    "labels of -1 and 1": (lambda: 2 * D - 1, ("class labels", "evaluate_decisions(")),
    "several class labels": (lambda: np.arange(N) % 4, ("class labels", "evaluate_decisions(")),
    "ratings": (lambda: 300 + np.arange(N), ("must be posteriors", "say what they are: Logits")),
    "a transposed table": (TWO.T.copy, ("Classes are in its rows", "scores.T")),
}
COSTS = {"miss": 5, "false_alarm": 1}


def _added(scores: Any) -> None:  # noqa: ANN401
    stakes.Summary(classes=[0, 1]).update(Y, scores)


ENTRIES: dict[str, Callable[[Any], object]] = {
    "evaluate": lambda s: stakes.evaluate(Y, s),
    "compare": lambda s: stakes.compare(Y, {"a": TWO, "b": s}),
    "expected_loss": lambda s: stakes.expected_loss(stakes.LogLoss(), Y, s),
    "bayes_cost": lambda s: stakes.bayes_cost(Y, s, costs=COSTS),
    "cross_entropy": lambda s: stakes.cross_entropy(Y, s),
    "brier_score": lambda s: stakes.brier_score(Y, s),
    "calibration_error": lambda s: stakes.calibration_error(Y, s),
    "calibration_loss": lambda s: stakes.calibration_loss(stakes.LogLoss(), Y, s),
    "reliability": lambda s: stakes.reliability(Y, s),
    "reliability_curve": lambda s: stakes.reliability_curve(Y, s, resamples=1),
    "risk_curve": lambda s: stakes.risk_curve(Y, s),
    "scorecard": lambda s: stakes.scorecard(Y, s),
    "choose_threshold": lambda s: stakes.choose_threshold(Y, s, costs=COSTS),
    "cross_calibrate": lambda s: stakes.cross_calibrate(stakes.AffineCalibrator(), Y, s),
    "choose_calibrator": lambda s: stakes.choose_calibrator(
        stakes.LogLoss(), Y, s, [stakes.AffineCalibrator(), stakes.BetaCalibrator()]
    ),
    "fit": lambda s: stakes.AffineCalibrator().fit(s, Y),
    "isotonic fit": lambda s: stakes.IsotonicCalibrator().fit(s, Y),
    "transform": lambda s: stakes.AffineCalibrator().fit(TWO, Y).transform(s),
    "decide": lambda s: stakes.decide(s, COSTS),
    "bayes_decisions": lambda s: stakes.CostMatrix.zero_one(2).bayes_decisions(s),
    "Summary": _added,
    "threshold_sweep": lambda s: stakes.threshold_sweep(Y, s, costs=COSTS),
}
RANKING: dict[str, Callable[[Any], object]] = {  # which takes any numbers
    "auc": lambda s: stakes.auc(Y, s),
    "roc_curve": lambda s: stakes.roc_curve(Y, s),
    "precision_recall_curve": lambda s: stakes.precision_recall_curve(Y, s),
}


def message(run: Callable[[Any], object], made: Made) -> str:
    with pytest.raises(StakesError) as caught:
        run(made())
    return str(caught.value)


def check(text: str, said: tuple[str, ...]) -> None:
    assert [part for part in said if part not in text] == []
    assert "\n" not in text
    assert len(text) < 450


@pytest.mark.parametrize("entry", [*ENTRIES, *RANKING])
@pytest.mark.parametrize("name", LOOKALIKES)
def test_what_is_no_column_of_scores_is_named_everywhere(entry: str, name: str) -> None:
    made, said = LOOKALIKES[name]
    check(message((ENTRIES | RANKING)[entry], made), said)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", OF_POSTERIORS)
def test_other_scores_than_posteriors_are_named_everywhere(entry: str, name: str) -> None:
    made, said = OF_POSTERIORS[name]
    check(message(ENTRIES[entry], made), said)


def test_infinite_values_are_not_taken_for_odds() -> None:
    scores = P.copy()
    scores[5] = np.inf
    text = message(ENTRIES["evaluate"], lambda: scores)
    check(text, ("must be posteriors: got inf at row 5", "say what they are"))
    check(message(ENTRIES["evaluate"], lambda: P / (1 - P) * (scores / P) * 99), ("Odds?",))


WORDS = {"words": np.where(D == 1, "spam", "ham"), "truth values": D == 1}


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_decisions_is_answered_with_the_call(name: str, library: Any) -> None:  # noqa: ANN401
    table = library({"y": Y, "p": P, "d": WORDS[name]})
    runs: list[Callable[[], object]] = [
        lambda: stakes.evaluate(table, "d", label="y"),
        lambda: stakes.compare(table, {"a": "p", "b": "d"}, label="y"),
        lambda: stakes.Summary.of(table, label="y", scores="d"),
    ]
    for run in runs:
        with pytest.raises(InputError, match=r"'d' must hold numbers.*evaluate_decisions\("):
            run()


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_column_of_decisions_is_answered_with_the_option(
    tmp_path: Path, name: str, form: str
) -> None:
    table = pd.DataFrame({"y": Y, "p": P, "d": WORDS[name]})
    getattr(table, f"to_{form}")(tmp_path / f"t.{form}", index=False)
    some = ("--label", "y", "--scores-are", "posteriors", "--positive", "1")
    for command in (
        ("evaluate", f"t.{form}", *some, "--scores", "d"),
        ("evaluate", f"t.{form}", *some, "--scores", "d", "--memory", "0"),
        ("compare", f"t.{form}", *some, "--system", "a=p", "--system", "b=d"),
        ("check", f"t.{form}", *some, "--scores", "d", "--max-nec", "1"),
        ("threshold", f"t.{form}", *some, "--scores", "d"),
    ):
        done = call(*command, cwd=tmp_path)
        assert done.returncode == 3
        assert "give --decision in place of --scores" in done.stderr


def test_a_few_values_outside_are_not_taken_for_another_kind() -> None:
    for scores in (P.copy(), TWO.copy()):
        scores[5] = -0.2
        text = message(ENTRIES["evaluate"], lambda given=scores: given)  # type: ignore[misc]
        check(text, ("must be posteriors: got -0.2 at row 5", "say what they are"))
        assert "Log" not in text.partition("Logits")[0]


@pytest.mark.parametrize("name", ["integers", "floats of 0 and 1", "truth values"])
def test_a_metric_of_torch_names_decisions(name: str) -> None:
    torch = pytest.importorskip("torch")
    import stakes.torch as ours  # noqa: PLC0415  needs torch

    made, said = LOOKALIKES[name]
    scores, labels = torch.tensor(np.asarray(made())), torch.tensor(Y)
    metric = ours.Metric("cost.nec", classes=[0, 1])
    check(message(lambda s: metric.update(s, labels), lambda: scores), said)
    check(message(lambda s: stakes.evaluate(Y, s), lambda: scores), said)


@pytest.mark.parametrize("entry", ENTRIES)
def test_posteriors_of_a_tree_are_taken_in_two_columns_and_typed(entry: str) -> None:
    hard = np.eye(2)[np.where(np.arange(N) % 9, Y, 1 - Y)]  # some are wrong
    if "fit" in entry or "cal" in entry:
        pytest.skip("zeros have rules of their own there")
    ENTRIES[entry](hard)
    ENTRIES[entry](stakes.Posteriors(hard[:, 1]))


def test_few_rows_in_use_may_all_be_certain() -> None:
    few = np.array([0.0, 1.0, 1.0, 0.0])
    assert stakes.decide(few, COSTS).names.tolist() == [0, 1, 1, 0]
    stakes.AffineCalibrator().fit(TWO, Y).transform(few)
    with pytest.raises(InputError, match="evaluate_decisions"):
        stakes.cross_entropy([0, 1, 1, 0], few)


def test_ordinary_scores_are_not_taken_for_anything_else() -> None:
    rounded = np.clip(P.round(1), 0.1, 0.9)
    for scores in (P, TWO, rounded, np.where(Y == 1, 1.0, 0.3), P.astype(np.float32), TWO.tolist()):
        for run in ENTRIES.values():
            run(scores)
    stakes.cross_entropy(np.arange(3), np.eye(3))  # as many rows as classes
    assert stakes.auc(Y, 3 * P - 1).value == stakes.auc(Y, P).value


@pytest.mark.parametrize("name", ["values of a dict", "a set", "a generator", "zip", "a dict"])
@pytest.mark.parametrize("argument", ["y_true", "sample_weight", "groups", "classes"])
def test_other_columns_name_their_container(name: str, argument: str) -> None:
    found: dict[str, Any] = {"y_true": Y, "scores": P} | {argument: LOOKALIKES[name][0]()}
    with pytest.raises(InputError) as caught:
        stakes.evaluate(**found)
    check(str(caught.value), (argument,))
    assert "D," not in str(caught.value)


@pytest.mark.parametrize("kind", [stakes.Logits, stakes.LogPosteriors, stakes.LogLikelihoodRatios])
def test_the_kind_of_an_array_is_honoured(kind: type[Any]) -> None:
    values = np.log(P) if kind is stakes.LogPosteriors else np.log(P / (1 - P))
    priors = "data" if kind.needs_priors else None
    one = stakes.evaluate(Y, values, kind=kind, priors=priors)
    typed = stakes.evaluate(Y, kind(values), priors=priors)
    assert one.data.scores == kind.__name__
    assert one.metrics() == typed.metrics()
    systems = {"a": values, "b": values / 2 if kind is not stakes.LogPosteriors else values * 2}
    two = stakes.compare(Y, systems, kind=kind, priors=priors)
    again = {name: kind(each) for name, each in systems.items()}
    assert two.values == stakes.compare(Y, again, priors=priors).values


def test_a_kind_that_contradicts_typed_scores_is_refused() -> None:
    for run in (
        lambda **k: stakes.evaluate(Y, stakes.Posteriors(P), **k),
        lambda **k: stakes.compare(Y, {"a": stakes.Posteriors(P), "b": P}, **k),
    ):
        with pytest.raises(InputError, match="kind must be that of typed scores: got Logits"):
            run(kind=stakes.Logits)
        with pytest.raises(InputError, match="kind must be that of typed scores: got Logits"):
            run(kind="logits")
        with pytest.raises(InputError, match="kind must be a kind of scores"):
            run(kind="distances")
        for same in (stakes.Posteriors, "probabilities"):
            run(kind=same)


HUGE: dict[str, tuple[Callable[[int], object], str]] = {
    "classes": (lambda n: stakes.cross_entropy(Y, P, classes=n), "classes"),
    "zero_one": (stakes.CostMatrix.zero_one, "classes"),
    "Summary": (lambda n: stakes.Summary(classes=n), "classes"),
    "confusion_matrix": (lambda n: stakes.confusion_matrix(Y, D, classes=n), "classes"),
    "band": (lambda n: stakes.reliability_curve(Y, P, resamples=n), "resamples"),
    "folds": (lambda n: stakes.evaluate(Y, P, folds=n), "folds"),
    "cross_calibrate": (
        lambda n: stakes.cross_calibrate(stakes.AffineCalibrator(), Y, P, folds=n),
        "folds",
    ),
    "scorecard": (lambda n: stakes.scorecard(Y, P, bins=n), "bins"),
    "reliability": (lambda n: stakes.reliability(Y, P, n), "bins"),
    "EqualMass": (stakes.EqualMass, "bins"),
    "score_distribution": (lambda n: stakes.score_distribution(Y, P, bins=n), "bins"),
    "histogram": (lambda n: stakes.HistogramCalibrator(bins=n).fit(P, Y), "bins"),
    "simulate classes": (stakes.simulation.simulate, "n_classes"),
    "simulate": (lambda n: stakes.simulation.simulate(2, n=n), "n "),
    "skewed_priors": (stakes.simulation.skewed_priors, "n_classes"),
    "from_counts": (lambda n: stakes.Responses.from_counts(right=n, wrong=1), "right"),
}


@pytest.mark.parametrize("length", [10**9, 10**30])
def test_names_of_absurdly_many_classes_are_refused_before_memory_is_taken(length: int) -> None:
    with pytest.raises(InputError, match=r"^classes must be at most 1048576 names: got range"):
        stakes.evaluate(Y, P, classes=range(length))
    with pytest.raises(InputError, match=r"^priors must be at most 134217728 values: got range"):
        stakes.evaluate(Y, P, priors=range(length))


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("size", [10**9, 10**12, 10**30])
def test_absurd_numbers_are_refused_before_memory_is_taken(name: str, size: int) -> None:
    run, argument = HUGE[name]
    with pytest.raises(InputError, match=f"^{argument}.*must be.*: got {size}"):
        run(size)


SHOWN: dict[str, Callable[[], object]] = {
    "calibrator": lambda: stakes.evaluate(Y, P, calibrator=np.arange(10**5)),  # type: ignore[arg-type]
    "level": lambda: stakes.evaluate(Y, P, level=np.arange(10**5)),  # type: ignore[arg-type]
    "rng": lambda: stakes.evaluate(Y, P, rng=np.arange(10**5)),  # type: ignore[arg-type]
    "priors": lambda: stakes.evaluate(Y, P, priors=np.ones(10**5)),
    "folds": lambda: stakes.evaluate(Y, P, folds=np.ones((9, 9)) / 3),
    "rules": lambda: stakes.evaluate(Y, P, rules=np.ones((99, 9))),  # type: ignore[arg-type]
    "label": lambda: stakes.evaluate(["x" * 10**5, "y"], TWO[:2], classes=["a", "b"]),
    "positive": lambda: stakes.roc_curve(Y, P, positive="x" * 9999),
    "at_priors": lambda: stakes.Posteriors(P).at_priors("data", np.ones((40, 40))),
}


@pytest.mark.parametrize("name", SHOWN)
def test_no_message_prints_what_it_was_given(name: str) -> None:
    with pytest.raises(InputError) as caught:
        SHOWN[name]()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 450


def test_a_table_of_several_labels_is_several_problems() -> None:
    several = RNG.integers(0, 2, (N, 3))
    for y in (several, pd.DataFrame(several), several.astype(bool), several.tolist()):
        with pytest.raises(InputError, match=r"3 problems of two classes.*y_true\[:, 0\]"):
            stakes.evaluate(y, RNG.random((N, 3)))
    with pytest.raises(InputError, match=r"one-hot rows pass y_true.argmax\(axis=1\)"):
        stakes.evaluate(np.eye(3, dtype=int)[np.arange(N) % 3], THREE)


def test_labels_of_minus_one_and_one_are_two_classes() -> None:
    signs = 2 * Y - 1
    for scores in (P, TWO, stakes.Logits(np.log(P / (1 - P)))):
        found = stakes.evaluate(signs, scores, costs=COSTS)
        assert found.data.classes == (-1, 1)
        same = stakes.evaluate(Y, scores, costs=COSTS)
        assert found.main.cost.normalized.value == same.main.cost.normalized.value
    assert stakes.scorecard(signs, P).cost.value == stakes.scorecard(Y, P).cost.value
    with pytest.raises(InputError, match=r"classes must be named: got labels 1, 2.*classes=\[1, 2"):
        stakes.evaluate(Y + 1, P)


def test_labels_of_minus_one_and_one_on_the_command_line(tmp_path: Path) -> None:
    rows = "".join(f"{2 * y - 1},{p:.4f}\n" for y, p in zip(Y, P, strict=True))
    (tmp_path / "t.csv").write_text(f"y,p\n{rows}")
    words = ("--label", "y", "--scores", "p", "--scores-are", "posteriors")
    done = call("evaluate", "t.csv", *words, "--positive", "1", cwd=tmp_path)
    assert done.returncode == 0
    assert "-1 0.5000, 1 0.5000" in done.stdout
    done = call("evaluate", "t.csv", *words, cwd=tmp_path)
    assert "--positive 1" in done.stderr


def test_decisions_on_the_command_line(tmp_path: Path) -> None:
    rows = "".join(f"{y},{d},{100 * p:.2f}\n" for y, d, p in zip(Y, D, P, strict=True))
    (tmp_path / "t.csv").write_text(f"y,d,pct\n{rows}")
    words = ("t.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "1")
    for more in ((), ("--memory", "0")):
        done = call("evaluate", *words, "--scores", "d", *more, cwd=tmp_path)
        assert "column 'd' must not be decisions" in done.stderr
        assert "give --decision in place of --scores" in done.stderr
    done = call("evaluate", *words, "--scores", "pct", cwd=tmp_path)
    assert "Percent? Divide by 100" in done.stderr


def test_a_frame_of_costs_names_the_classes() -> None:
    y = np.where(Y == 1, "ill", "well")
    costs = pd.DataFrame([[0, 5], [1, 0]], index=["ill", "well"], columns=["ill", "well"])
    turned = costs.loc[["well", "ill"], ["well", "ill"]]
    found = stakes.evaluate(y, P, costs=turned)
    assert found.data.classes == ("well", "ill")
    named = stakes.CostMatrix([[0, 1], [5, 0]], classes=["well", "ill"])
    assert found.metrics() == stakes.evaluate(y, P, costs=named).metrics()
    assert stakes.bayes_cost(y, P, costs=turned).value == found.main.cost.raw.value
    assert stakes.scorecard(y, P, costs=turned).cost.value == found.main.cost.raw.value
    assert set(stakes.decide(P, turned).names) == {"well", "ill"}
    several = stakes.evaluate(y, P, costs={"a": turned, "b": 2 * turned})
    assert several.data.classes == ("well", "ill")
    unnamed = stakes.evaluate(Y, P, costs=pd.DataFrame([[0, 1], [5, 0]]))
    assert unnamed.main.cost.raw.value == found.main.cost.raw.value


@pytest.mark.parametrize(
    "run",
    [
        lambda costs: stakes.evaluate(Y, P, costs=costs),
        lambda costs: stakes.compare(Y, {"a": P, "b": P**2}, costs=costs),
        lambda costs: stakes.bayes_cost(Y, P, costs=costs),
        lambda costs: stakes.decide(P, costs),
        lambda costs: stakes.expected_cost(Y, D, costs=costs),
    ],
)
@pytest.mark.parametrize("several", [(10, 50), [10, 20, 50], np.array([10.0, 50.0])])
def test_a_range_of_costs_is_several_applications(
    run: Callable[[Any], object],
    several: Any,  # noqa: ANN401
) -> None:
    with pytest.raises(InputError, match=r"got [23] for 240.*applications by name"):
        run({"miss": several, "false_alarm": 1})


def test_percent_signs_are_read_where_confidence_is_percent(tmp_path: Path) -> None:
    right, sure = [True, False, True, True], ["100%", "95 %", " 80% ", "70"]
    found = stakes.Responses(right, stakes.StatedPercent(sure))
    assert found.confidence is not None
    assert found.confidence.tolist() == [1.0, 0.95, 0.8, 0.7]
    with pytest.raises(InputError, match=r"got '100%' at row 0. For percent use StatedPercent"):
        stakes.Responses(right, sure)
    with pytest.raises(InputError, match="got 120 at row 1"):
        stakes.Responses(right, stakes.StatedPercent(["5%", "120%", "1%", "2%"]))
    rows = "".join(f"{int(r)},{s}\n" for r, s in zip(right * 9, sure * 9, strict=True))
    (tmp_path / "a.csv").write_text(f"ok,sure\n{rows}")
    words = ("answers", "a.csv", "--right", "ok", "--confidence", "sure")
    assert call(*words, "--confidence-is", "percent", cwd=tmp_path).returncode == 0
    assert "--confidence-is percent" in call(*words, cwd=tmp_path).stderr


def test_decisions_are_evaluated_from_their_matrix() -> None:
    with pytest.raises(InputError, match=r"evaluate_decisions\(confusion_matrix\(y_true, y_pred\)"):
        stakes.evaluate_decisions(D)  # type: ignore[arg-type]
