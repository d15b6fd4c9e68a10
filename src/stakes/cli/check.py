"""stakes check: a gate for continuous integration, with a one-line reason."""

import math
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from stakes._text import number, plain, quoted
from stakes.cli.evaluate import evaluate_table
from stakes.cli.formats import Cell, Document, begin, publish
from stakes.cli.scoring import say_rounding
from stakes.cli.screen import head
from stakes.evaluation import Evaluation
from stakes.results import Estimate, json_number

EXIT_GATE = 1
_SHORT = {
    "max_nec": ("nec", "max"),
    "max_cross_entropy": ("cross_entropy.normalized", "max"),
    "max_brier": ("brier_score.normalized", "max"),
    "max_calibration_loss": ("cross_entropy.relative", "max"),
    "min_auc": ("auc", "min"),
}


def run(*, file: str, confident: bool, **options: Any) -> None:  # noqa: ANN401
    """Pass (exit code 0) or fail (1) by limits on metrics."""
    begin(options)
    limits = _limits(options)
    if not limits:
        msg = "at least one limit must be given, such as --max-nec 0.5."
        raise click.UsageError(msg)
    problem, evaluation = evaluate_table(file, options)
    say_rounding(problem.scores)
    gates = [
        _gate(evaluation, metric, kind, limit, confident=confident)
        for name, kind, limit in limits
        for metric in _meant(evaluation, name)
    ]
    publish(_document(gates, evaluation, problem.table.source), options)
    if not all(gate["passed"] for gate in gates):
        click.get_current_context().exit(EXIT_GATE)


def _limits(options: dict[str, Any]) -> list[tuple[str, str, float]]:
    """Return metric, kind and limit of each gate."""
    found = [
        (metric, kind, options[name])
        for name, (metric, kind) in _SHORT.items()
        if options[name] is not None
    ]
    for kind, option in (("max", "most"), ("min", "least")):
        for text in options[option]:
            metric, _, value = (part.strip() for part in text.rpartition("="))
            limit = _number(value)
            if not metric or math.isnan(limit):
                msg = f"--{kind} must be METRIC=NUMBER: got {text!r}."
                raise click.UsageError(msg)
            found.append((metric, kind, limit))
    return found


def _number(text: str) -> float:
    """Return a number; NaN for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _meant(evaluation: Evaluation, metric: str) -> list[str]:
    """Return the metrics that a limit is for: the cost of every application, or the one named."""
    if metric == "nec":
        return [f"{application.name}.nec" for application in evaluation.applications]
    return [metric]


def _gate(
    evaluation: Evaluation, metric: str, kind: str, limit: float, *, confident: bool
) -> dict[str, Any]:
    """Hold one metric against its limit; what is undefined does not pass."""
    metrics = evaluation.metrics()
    name = metric
    if name not in metrics:
        msg = f"there is no metric {metric!r}; those are {quoted(metrics, most=60)}."
        raise click.UsageError(msg)
    estimate = metrics[name]
    value = _held(estimate, kind) if confident else estimate.value
    passed = value <= limit if kind == "max" else value >= limit
    return {
        "metric": name,
        "kind": kind,
        "limit": limit,
        "confident": confident,
        "estimate": estimate.to_dict(),
        "held_against": json_number(value),
        "passed": bool(passed),
        "reason": _reason(name, kind, limit, estimate, confident=confident, passed=bool(passed)),
    }


def _held(estimate: Estimate, kind: str) -> float:
    """Return the end of the interval that is worst for the gate; NaN without one."""
    if estimate.interval is None:
        return float("nan")
    return estimate.interval.high if kind == "max" else estimate.interval.low


def _reason(
    name: str, kind: str, limit: float, estimate: Estimate, *, confident: bool, passed: bool
) -> str:
    """Say in one line why a gate passed or failed."""
    sign = "at most" if kind == "max" else "at least"
    whole = " with its whole interval" if confident else ""
    verb = "ok" if passed else "FAILED"
    if confident and estimate.interval is None:
        return f"FAILED: {plain(name)} is {estimate}, without an interval ({estimate.method})"
    return f"{verb}: {plain(name)} is {estimate}, wanted {sign} {number(limit)}{whole}"


def _document(gates: list[dict[str, Any]], evaluation: Evaluation, source: str) -> Document:
    """Return the gates in every form."""
    rows: list[list[Cell]] = [["metric", "kind", "limit", "value", "passed"]]
    rows += [
        [g["metric"], g["kind"], g["limit"], g["estimate"]["value"], str(g["passed"]).lower()]
        for g in gates
    ]

    def draw(screen: Console) -> None:
        for gate in gates:
            screen.print(Text(gate["reason"]), soft_wrap=True)

    return Document(
        command="check",
        body={
            "source": Path(source).name,
            "samples": evaluation.data.n,
            "level": evaluation.level,
            "resamples": evaluation.resamples,
            "seed": evaluation.seed,
            "passed": all(g["passed"] for g in gates),
            "gates": gates,
        },
        rows=rows,
        sentences=[g["reason"] for g in gates],
        draw=draw,
        title=head(source, f"{evaluation.data.n} samples, seed {evaluation.seed}"),
    )
