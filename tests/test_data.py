"""The data that ship with the package: there, accepted, and what their page says of them."""

import csv
import io
import math
import runpy
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import stakes
from command import call

TOP = Path(__file__).parents[1]
DATA = files("stakes") / "data"
KINDS = ["benign", "malignant"]
OUTCOMES = ["usual", "severe"]
DIGITS = list(range(10))
COLUMNS = {
    "breast": "patient,diagnosis,decision,p_malignant,log_odds,size",
    "digits": ",".join(["image,digit", *(f"{m}_{k}" for m in "pq" for k in DIGITS)]),
    "diabetes": "patient,outcome,p_severe_a,p_severe_b,sex,age_band,years_to_80,progression",
}
ROWS = {"breast": 569, "digits": 1797, "diabetes": 442}
SHARES = [
    ("breast", "diagnosis", {"benign": 357, "malignant": 212}),
    ("breast", "size", {"large": 284, "small": 285}),
    ("diabetes", "outcome", {"usual": 398, "severe": 44}),
    ("diabetes", "sex", {"1": 235, "2": 207}),
    ("diabetes", "age_band", {"under_40": 117, "40_to_59": 222, "60_up": 103}),
    (
        "digits",
        "digit",
        dict(zip("0123456789", [178, 182, 177, 183, 181, 182, 181, 179, 174, 180], strict=True)),
    ),
]


def text_of(name: str) -> str:
    """Return the text of a file."""
    return (DATA / f"{name}.csv").read_text(encoding="ascii")


def column(name: str, field: str) -> list[str]:
    """Return a column as it is written."""
    return [row[field] for row in csv.DictReader(io.StringIO(text_of(name)))]


def numbers(name: str, *fields: str) -> np.ndarray:
    """Return columns of numbers, side by side if there are several."""
    table = np.array([column(name, field) for field in fields], dtype=np.float64)
    return table[0] if len(fields) == 1 else table.T


def digits_of(model: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the digits and the posteriors of a model."""
    return numbers("digits", "digit").astype(int), numbers(
        "digits", *(f"{model}_{k}" for k in DIGITS)
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_files_are_whole_and_small(name: str) -> None:
    text = text_of(name)
    rows = list(csv.reader(io.StringIO(text)))
    assert ",".join(rows[0]) == COLUMNS[name]
    assert [int(row[0]) for row in rows[1:]] == list(range(ROWS[name]))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert all(field for row in rows for field in row)
    assert len(text) < 250_000


@pytest.mark.parametrize(("name", "field", "shares"), SHARES)
def test_classes_and_slices_have_the_stated_shares(
    name: str, field: str, shares: dict[str, int]
) -> None:
    values = column(name, field)
    assert {value: values.count(value) for value in set(values)} == shares


def test_the_script_makes_the_breast_file() -> None:
    script = runpy.run_path(str(TOP / "examples" / "make_demo_data.py"))
    assert script["breast"]() == text_of("breast")


def test_the_breast_model_is_over_confident() -> None:
    y = column("breast", "diagnosis")
    scores = stakes.Logits(numbers("breast", "log_odds"))
    assert stakes.roc_curve(y, scores, classes=KINDS).auc() > 0.97
    loss = stakes.calibration_loss(stakes.LogLoss(), y, scores, classes=KINDS)
    assert 0.3 < loss.relative < 1
    p = numbers("breast", "p_malignant")
    right = np.mean(np.array(y) == column("breast", "decision"))
    assert np.maximum(p, 1 - p).mean() > right + 0.05


def test_rounded_breast_posteriors_are_the_log_odds_but_for_two_that_became_certain() -> None:
    y, p = column("breast", "diagnosis"), numbers("breast", "p_malignant")
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-numbers("breast", "log_odds"))), rtol=1e-4)
    decided = [KINDS[int(x > 0.5)] for x in p]
    assert decided == column("breast", "decision")
    assert stakes.brier_score(y, p, classes=KINDS).normalized < 1
    assert stakes.cross_entropy(y, p, classes=KINDS).value == math.inf
    certain = [i for i, truth in enumerate(y) if truth == "benign" and p[i] == 1]
    assert certain == [112, 152]


@pytest.mark.parametrize(
    ("model", "as_is", "calibrated"), [("p", 0.292, 0.157), ("q", 0.447, 0.108)]
)
def test_the_better_digit_model_is_the_other_one_once_both_are_calibrated(
    model: str, as_is: float, calibrated: float
) -> None:
    y, posteriors = digits_of(model)
    loss = stakes.calibration_loss(stakes.LogLoss(), y, posteriors, classes=DIGITS)
    assert loss.raw.normalized == pytest.approx(as_is, abs=2e-3)
    assert loss.calibrated.normalized == pytest.approx(calibrated, abs=2e-3)


@pytest.mark.parametrize(("model", "excess"), [("p", 0.07), ("q", -0.52)])
def test_one_digit_model_is_too_sure_and_one_not_sure_enough(model: str, excess: float) -> None:
    y, posteriors = digits_of(model)
    assert posteriors.min() > 0
    assert np.abs(posteriors.sum(axis=1) - 1).max() < 1e-12
    right = np.mean(posteriors.argmax(axis=1) == y)
    assert posteriors.max(axis=1).mean() - right == pytest.approx(excess, abs=0.01)


def test_diabetes_models_rank_alike_and_only_one_knows_how_rare_the_class_is() -> None:
    y = column("diabetes", "outcome")
    a, b = numbers("diabetes", "p_severe_a"), numbers("diabetes", "p_severe_b")
    first, second = (stakes.roc_curve(y, p, classes=OUTCOMES).auc() for p in (a, b))
    assert abs(first - second) < 0.01
    balanced, plain = (stakes.cross_entropy(y, p, classes=OUTCOMES).normalized for p in (a, b))
    assert plain < 1 < balanced < math.inf


def test_severe_is_the_worst_tenth_of_the_progressions() -> None:
    severe = np.array(column("diabetes", "outcome")) == "severe"
    progression = numbers("diabetes", "progression")
    assert progression[severe].min() > 265 >= progression[~severe].max()


def test_years_serve_as_an_amount_per_case() -> None:
    y, p = column("diabetes", "outcome"), numbers("diabetes", "p_severe_b")
    years = {"years": numbers("diabetes", "years_to_80")}
    costs = stakes.SampleCosts.from_columns([[0, 5], ["years", 0]], years, classes=OUTCOMES)
    assert stakes.bayes_cost(y, p, costs=costs).normalized < 0.5


# -- answers, which are simulated


def answers_of(model: str) -> stakes.Responses:
    """Return the responses of a model."""
    rows = [row for row in csv.DictReader(io.StringIO(text_of("answers"))) if row["model"] == model]
    right, sure, silent = (
        [row[name] for row in rows] for name in ("right", "confidence", "abstained")
    )
    return stakes.Responses(right, sure, silent)


def test_the_script_makes_the_answers() -> None:
    script = runpy.run_path(str(TOP / "examples" / "make_answers.py"))
    assert script["answers"]() == text_of("answers")
    assert len(text_of("answers")) < 100_000
    assert column("answers", "question") == [str(k // 2 + 1) for k in range(1000)]


def test_the_more_accurate_model_is_worth_less() -> None:
    bold, careful = answers_of("bold"), answers_of("careful")
    assert bold.right.mean() > careful.right.mean()
    assert not bold.abstained.any()
    first, second = (stakes.evaluate_responses(said, 0.75) for said in (bold, careful))
    assert first.verdicts[0].code == "worse_than_naive"
    assert second.verdicts[0].code == "useful"
    codes = {verdict.code for verdict in first.verdicts}
    assert {"abstain_more", "overconfident"} <= codes


def test_demo_of_answers(tmp_path: Path) -> None:
    done = call("demo", "--answers", cwd=tmp_path)
    assert done.returncode == 0
    assert "careful is worth more than bold" in done.stdout
    assert (tmp_path / "answers.csv").read_text(encoding="ascii") == text_of("answers")
    command = next(line for line in done.stdout.splitlines() if line.startswith("$ stakes "))
    again = call(*command.split()[2:], cwd=tmp_path)
    assert again.stdout in done.stdout
    kept = call("demo", "--answers", "--no-file", "--json", cwd=tmp_path / "..")
    assert '"command": "answers"' in kept.stdout


def test_the_demo_of_answers_neither_reads_nor_replaces_a_file_of_yours(tmp_path: Path) -> None:
    mine = tmp_path / "answers.csv"
    mine.write_text("name,score\nme,1\n")
    done = call("demo", "--answers", cwd=tmp_path)
    assert done.returncode == 4
    assert "'answers.csv' already exists." in done.stderr
    assert mine.read_text() == "name,score\nme,1\n"
    assert call("demo", "--answers", "--no-file", cwd=tmp_path).returncode == 0
    assert call("demo", "--answers", "--force", cwd=tmp_path).returncode == 0
    assert call("demo", "--answers", cwd=tmp_path).returncode == 0  # its own file is there
    assert mine.read_text() == (TOP / "src" / "stakes" / "data" / "answers.csv").read_text()
