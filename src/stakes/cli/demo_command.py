"""stakes demo: three real problems, on data that ship with the package."""

from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path

import click
import numpy as np

from stakes._check import FileError
from stakes._files import write_text
from stakes._text import interval_name, number
from stakes.calibration import AffineCalibrator
from stakes.cli.messages import wrote
from stakes.cli.options import Options
from stakes.cli.outputs import Document, check_outputs, page_text, show
from stakes.cli.screen import Screen
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import Comparison, Evaluation, compare, evaluate
from stakes.io import Columns, read_columns
from stakes.scores import Logits, Posteriors

Story = tuple[str, str, list[tuple[str, ...]], list[str]]  # title, text, table, conclusions
_FILE = "stakes-demo.json"
_DIGITS = [str(k) for k in range(10)]
_TOLD = (  # the verdicts on the biopsies; others are in the file
    *("useful", "worse_than_naive", "practically_equal", "not_distinguishable"),
    *("calibration_would_help", "overconfident", "underconfident"),
)


def run(options: Options) -> None:
    """Judge models of three real problems, at costs of our own choice."""
    if options.answers:
        from stakes.cli import demo_answers  # noqa: PLC0415  another story

        demo_answers.run(options)
        return
    seed = options.seed
    check_outputs(options)
    biopsies, digits, patients = _biopsies(seed), _digits(seed), _patients(seed)
    body = {
        "seed": seed,
        "breast": biopsies.to_dict(),
        "digits": digits.to_dict(),
        "diabetes": patients.to_dict(),
    }

    def draw(screen: Screen) -> None:
        screen.head("demo", f"three real problems, seed {seed}")
        stories = _on_biopsies(biopsies), _on_digits(digits), _on_patients(patients)
        for title, text, rows, conclusions in stories:
            screen.print()
            screen.put(title, "bold")
            screen.say(text)
            screen.print()
            screen.table(rows[0], rows[1:])
            for conclusion in conclusions:
                screen.say(conclusion, "bold", "=> ")
        screen.print()
        screen.put(
            "Next: stakes evaluate YOUR.csv --label Y --scores P --scores-are posteriors \\\n"
            "          --positive CLASS --cost miss=20,false_alarm=1"
        )

    document = Document("demo", body, draw=draw)
    show(document, options)
    if options.html is not None:
        write_text(options.html, page_text(biopsies, options, "breast.csv", "log_odds"))
        wrote(options.html, ": open it in a browser")
    if options.as_json or options.no_file:
        return
    if Path(_FILE).exists():
        click.echo(f"{_FILE} exists and was not changed.", err=True)
        return
    try:
        write_text(_FILE, document.json())
    except FileError as error:
        click.echo(f"All numbers are in stakes demo --json ({error})", err=True)
        return
    wrote(_FILE, ": all numbers")


def _read(name: str, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Columns:
    with as_file(files("stakes") / "data" / name) as path:
        return read_columns(str(path), texts, numbers)


def _biopsies(seed: int) -> Evaluation:
    table = _read("breast.csv", ("diagnosis", "size"), ("log_odds",))
    costs = CostMatrix.binary(miss=20, false_alarm=1, classes=["benign", "malignant"])
    return evaluate(
        table.texts("diagnosis"),
        Logits(table.numbers("log_odds")),
        costs=costs,
        slices={"size": table.texts("size")},
        rng=seed,
    )


def _digits(seed: int) -> Comparison:
    names = {letter: tuple(f"{letter}_{k}" for k in _DIGITS) for letter in "pq"}
    table = _read("digits.csv", ("digit",), (*names["p"], *names["q"]))
    return compare(
        table.texts("digit"),
        {
            "naive Bayes": Posteriors(table.matrix(names["p"])),
            "logistic": Posteriors(table.matrix(names["q"])),
        },
        calibrator=AffineCalibrator(),
        classes=_DIGITS,
        rng=seed,
    )


def _patients(seed: int) -> Comparison:
    models = ("p_severe_a", "p_severe_b")
    table = _read("diabetes.csv", ("outcome",), (*models, "years_to_80"))
    costs = SampleCosts.from_columns(
        [[0, 5], ["years_to_80", 0]],
        {"years_to_80": table.numbers("years_to_80")},
        classes=["usual", "severe"],
        decisions=["usual care", "close care"],
    )
    return compare(
        table.texts("outcome"),
        {"balanced": table.numbers(models[0]), "plain": table.numbers(models[1])},
        costs=costs,
        rng=seed,
    )


def _on_biopsies(e: Evaluation) -> Story:
    cost = e.main.cost
    estimates = {
        "AUC": e.ranking["auc"],
        "cost of decisions (naive = 1)": cost.normalized,
        "the same, calibrated": cost.calibrated_normalized,
    }
    rows = [
        (name, number(found.value), str(found.interval or ""), "0.5" if name == "AUC" else "1")
        for name, found in estimates.items()
        if found is not None
    ]
    return (
        "1. breast.csv: is this biopsy malignant?",
        (
            f"Naive Bayes on {e.data.n} biopsies it has not seen. We assume that a missed cancer"
            " costs 20 times as much as a needless second look."
        ),
        [("", "value", "95 % interval", "naive"), *rows],
        [v.text for v in e.verdicts if v.code in _TOLD],
    )


def _on_digits(c: Comparison) -> Story:
    _, counts = np.unique(_read("digits.csv", ("digit",), ()).texts("digit"), return_counts=True)
    metrics = {
        "accuracy": ("cost.accuracy", number(counts.max() / counts.sum())),
        "cross-entropy (naive = 1)": ("cross_entropy.normalized", "1"),
        "the same, calibrated": ("cross_entropy.calibrated_normalized", "1"),
    }
    return (
        "2. digits.csv: which digit is it?",
        f"Two models on {c.n} images they have not seen. Each error costs 1.",
        _side_by_side(c, metrics),
        [
            _compared(c, "cross_entropy.normalized", "Uncalibrated"),
            _compared(c, "cross_entropy.calibrated_normalized", "Calibrated"),
        ],
    )


def _on_patients(c: Comparison) -> Story:
    metrics = {"AUC": ("auc", "0.5"), "cost of decisions (naive = 1)": ("cost.nec", "1")}
    return (
        "3. diabetes.csv: who will be severely ill in a year?",
        (
            f"Two models on {c.n} patients, 10 % of them severe. Close care costs 5, a missed"
            " severe case the years the patient has left until 80: each case has its own price."
        ),
        _side_by_side(c, metrics),
        [_compared(c, "auc", "By AUC"), *(v.text for v in c.verdicts[:1])],
    )


def _side_by_side(c: Comparison, metrics: Mapping[str, tuple[str, str]]) -> list[tuple[str, ...]]:
    rows = [
        (name, *(number(c.values[s][metric]) for s in c.systems), naive)
        for name, (metric, naive) in metrics.items()
    ]
    return [("", *c.systems, "naive"), *rows]


def _compared(c: Comparison, metric: str, how: str) -> str:
    """Say which of two systems is better by a metric, if that is beyond chance."""
    (name,) = (system for system in c.systems if system != c.reference)
    found = c.of(name, metric)
    gap = f"difference {number(found.difference.value)}, {interval_name(c.level)}"
    seen = f"({gap} {found.difference.interval})"
    if found.difference.interval is None or not found.distinguishable:
        return f"{how}, {name} and {c.reference} are not distinguishable {seen}."
    best = name if found.wins else c.reference
    return f"{how}, {best} is better {seen}."
