"""Advice in Python: every call that a verdict shows runs with the arguments of `evaluate`."""

import html
import re
from typing import Any

import numpy as np
import pytest

import stakes
from command import call
from stakes.evaluation import evaluate_decisions
from stakes.evaluation.python_calls import python_calls

RNG = np.random.default_rng(7)
N = 1500
Y = (RNG.random(N) < 0.3).astype(int)
Z = RNG.normal(2 * Y - 1, 1.0) + np.log(0.3 / 0.7) / 2
OVERCONFIDENT = 1 / (1 + np.exp(-6 * Z - 1.5))
NAMES = np.array(["well", "ill"])
THREE = RNG.integers(0, 3, N)
LOGITS = RNG.normal(size=(N, 3)) * 4 + 3 * np.eye(3)[THREE] + [0.0, 3.0, 0.0]
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "costs": {"costs": COSTS},
    "priors": {"priors": [0.95, 0.05], "training_priors": "deployment"},
    "costs and priors": {"costs": COSTS, "priors": [0.95, 0.05], "training_priors": "deployment"},
    "names": {
        "y_true": NAMES[Y],
        "classes": ["well", "ill"],
        "priors": {"well": 0.9, "ill": 0.1},
        "training_priors": "deployment",
    },
    "named costs": {
        "y_true": NAMES[Y],
        "costs": stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["well", "ill"]),
        "priors": [0.9, 0.1],
        "training_priors": "deployment",
    },
    "weights": {
        "sample_weight": RNG.random(N) + 0.5,
        "priors": [0.95, 0.05],
        "training_priors": "deployment",
    },
    "groups": {
        "groups": np.arange(N) // 3,
        "priors": [0.95, 0.05],
        "training_priors": "deployment",
    },
    "slices": {
        "slices": {"site": np.arange(N) % 2},
        "priors": [0.95, 0.05],
        "training_priors": "deployment",
    },
    "several": {
        "costs": {"miss": COSTS, "even": [[0, 1], [1, 0]]},
        "priors": [0.95, 0.05],
        "training_priors": "deployment",
    },
    "applications": {
        "costs": {
            "rare": stakes.Application(COSTS, [0.95, 0.05]),
            "often": stakes.Application(COSTS, [0.1, 0.9]),
        },
        "training_priors": "data",
    },
    "abstaining": {
        "costs": COSTS.with_abstention(0.3),
        "priors": [0.95, 0.05],
        "training_priors": "deployment",
    },
    "by case": {
        "costs": stakes.SampleCosts.from_columns(
            [[0, 1], ["amount", 0]], {"amount": RNG.random(N) + 4.5}
        )
    },
    "three classes": {
        "y_true": THREE,
        "scores": stakes.Logits(LOGITS),
        "priors": [0.1, 0.8, 0.1],
        "training_priors": "deployment",
    },
    "temperature": {"calibrator": stakes.TemperatureCalibrator()},
    "booleans": {"y_true": Y.astype(bool), "priors": [0.95, 0.05], "training_priors": "deployment"},
}


def judged(name: str) -> tuple[dict[str, Any], stakes.Evaluation]:
    given = {"y_true": Y, "scores": OVERCONFIDENT, **CASES[name]}
    return given, stakes.evaluate(**given)


@pytest.mark.parametrize("name", CASES)
def test_advised_calls_run(name: str) -> None:
    given, made = judged(name)
    calls = python_calls(made)
    names: dict[str, Any] = {"stakes": stakes, **given}
    exec(calls["calibrate"], names)  # noqa: S102  what users would type
    fitted = names["calibrator"]
    assert isinstance(fitted, type(given.get("calibrator", stakes.AffineCalibrator())))
    better = fitted.transform(given["scores"])
    classes = None if made.data.classes == (0, 1) else made.data.classes
    after = stakes.cross_entropy(given["y_true"], better, classes=classes).normalized
    assert after < made.rules[0].normalized.value


def test_cases_lead_to_the_advice() -> None:
    """The calls are shown by verdicts: each action comes up in some case."""
    found = {v.action for name in CASES for v in judged(name)[1].verdicts}
    assert "calibrate" in found


def test_text_page_and_notebook_show_python_calls_and_no_commands() -> None:
    made = judged("names")[1]
    calls = python_calls(made)
    shown = {v.action for v in made.verdicts} & set(calls)
    assert shown == {"calibrate"}
    forms = {
        "text": str(made),
        "page": html.unescape(made.to_html()),
        "frame": html.unescape(html.unescape(made._repr_html_())),
        "markdown": made._repr_markdown_(),
    }
    for form, text in forms.items():
        for action in shown:
            assert calls[action] in text, (form, action)
    counts = stakes.confusion_matrix(Y, (OVERCONFIDENT > 0.5).astype(int))
    decided = evaluate_decisions(counts)
    compared = stakes.compare(Y, {"a": OVERCONFIDENT, "b": OVERCONFIDENT**2})
    choice = stakes.choose_threshold(Y, OVERCONFIDENT, costs=COSTS)
    command = re.compile(r"(?<![\w.-])--[a-z][a-z-]+|\bstakes [a-z]+ |\bFILE\b")
    texts = [str(choice)]
    for record in (made, decided, compared):
        texts += [str(record), record._repr_markdown_(), *(str(v) for v in record.verdicts)]
        said = re.findall(r'<li class="verdict.*?</li>', record.to_html(), re.DOTALL)
        assert said
        texts += said
    assert not [found for text in texts for found in command.findall(text)]


def test_the_command_line_shows_commands(tmp_path: Any) -> None:  # noqa: ANN401
    table = tmp_path / "scored.csv"
    rows = zip(NAMES[Y], OVERCONFIDENT.tolist(), strict=True)
    table.write_text("truth,p\n" + "".join(f"{y},{p!r}\n" for y, p in rows))
    page = tmp_path / "page.html"
    words = ["evaluate", str(table), "--label", "truth", "--scores", "p", "--positive", "ill"]
    words += ["--scores-are", "posteriors"]
    words += [
        "--prior",
        "well=0.95,ill=0.05",
        "--training-prior",
        "deployment",
        "--html",
        str(page),
    ]
    done = call(*words)
    assert "stakes calibrate" in done.stdout
    for text in (done.stdout, page.read_text()):
        assert "stakes.AffineCalibrator" not in text
