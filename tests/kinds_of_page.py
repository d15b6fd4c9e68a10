"""Every kind of page that reports can be, made once: for tests of what all of them must keep."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import stakes

CONDITIONS = [  # long names, some of one word, some of several
    "healthy", "pneumothorax", "cardiomegaly", "pleural effusion", "consolidation", "atelectasis",
    "pulmonary fibrosis", "bronchiectasis", "pneumoconiosis", "lung nodule",
]  # fmt: skip


def sample(classes: list[str], n: int = 400) -> dict[str, Any]:
    """Return labels and scores of a simulated system."""
    data = stakes.simulation.simulate(len(classes), n=n)
    share = np.full(len(classes), 1 / len(classes))
    return {
        "y_true": np.array(classes)[data.y],
        "scores": data.posteriors(share),
        "classes": classes,
    }


def evaluation(classes: list[str], n: int = 400) -> stakes.Evaluation:
    """Return the evaluation of a simulated system, with slices."""
    data = sample(classes, n)
    ward = np.where(np.arange(len(data["y_true"])) % 3 == 0, "intensive care", "outpatients")
    return stakes.evaluate(**data, slices={"ward": ward})


def comparison(count: int) -> stakes.Comparison:
    """Return a comparison of so many systems of two classes."""
    data = sample(["healthy", "pneumothorax"])
    p = np.exp(np.asarray(data["scores"].log_posteriors()))[:, 1]
    names = ["random forest", "logistic regression", *(f"network {k}" for k in range(3, count + 1))]
    systems = {name: np.clip(p ** (0.6 + 0.3 * k), 1e-6, 1) for k, name in enumerate(names)}
    return stakes.compare(data["y_true"], systems, classes=data["classes"])


def decisions() -> stakes.DecisionEvaluation:
    """Return an evaluation of decisions alone."""
    classes = ["healthy", "pneumothorax", "lung nodule"]
    y = np.array(classes)[np.arange(90) % 3]
    decided = np.where(np.arange(90) % 7 == 0, classes[0], y)
    counts = stakes.confusion_matrix(y, decided, classes=classes)
    return stakes.evaluation.evaluate_decisions(counts)


def by_case() -> stakes.Evaluation:
    """Return an evaluation in which the costs are those of each case."""
    data = sample(["good", "fraud"])
    amounts = np.linspace(5, 500, len(data["y_true"]))
    costs = stakes.SampleCosts.from_columns(
        [[0, 3], ["amount", 0]], {"amount": amounts}, classes=data["classes"]
    )
    return stakes.evaluate(**data, costs=costs)


def responses(model: int = 1, n: int = 400) -> stakes.Responses:
    """Return answers and abstentions of a simulated model; higher ones know less and abstain more."""
    rng = np.random.default_rng(model)
    chance = np.random.default_rng(0).random(n) ** (0.6 + 0.2 * model)
    sure = np.round(20 * np.sqrt(chance)) / 20
    silent = sure < 0.15 + 0.1 * model
    truth = np.where(silent & (np.arange(n) % 3 == 0), np.nan, rng.random(n) < chance)
    return stakes.Responses(truth, sure, silent)


def topics(n: int = 400) -> dict[str, Any]:
    """Return a column of slices for responses."""
    return {"topic": np.array(["constitutional law", "chemistry", "geography"])[np.arange(n) % 3]}


def answers() -> stakes.ResponseEvaluation:
    """Return an evaluation of answers and abstentions."""
    return stakes.evaluate_responses(responses(), 0.75, slices=topics())


def compared_answers() -> stakes.ResponseComparison:
    """Return models on the same questions."""
    names = ["large and bold", "small and humble", "middling"]
    systems = {name: responses(k + 1) for k, name in enumerate(names)}
    return stakes.compare_responses(systems, 0.75, slices=topics())


KINDS: dict[str, Callable[[], Any]] = {
    "two": lambda: evaluation(["healthy", "pneumothorax"]),
    "three": lambda: evaluation(CONDITIONS[:3]),
    "ten": lambda: evaluation(CONDITIONS, 2000),
    "fifty": lambda: evaluation([f"species {k}" for k in range(50)], 3000),
    "compare-two": lambda: comparison(2),
    "compare-eight": lambda: comparison(8),
    "decisions": decisions,
    "by-case": by_case,
    "answers": answers,
    "compare-answers": compared_answers,
    "not-live": lambda: replace(evaluation(["healthy", "pneumothorax"]), sketch=None),
}


def written(kind: str, folder: Path) -> Path:
    """Write the page of a kind, if it is not there yet."""
    path = folder / f"{kind}.html"
    if not path.exists():
        KINDS[kind]().save_html(path)
    return path
