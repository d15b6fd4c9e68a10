"""stakes check: a gate for continuous integration, with a one-line reason."""

import math
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from stakes._text import number, plain, quoted
from stakes.cli.evaluate_command import (
    Facts,
    asked_for,
    evaluate_in_batches,
    evaluate_problem,
    facts_of,
    shared_arguments,
)
from stakes.cli.formats import Cell, Document, begin, publish
from stakes.cli.outputs import forget
from stakes.cli.score_columns import say_rounding
from stakes.cli.screen import head
from stakes.cli.table_request import Paths, Problem, prepare, read_request
from stakes.evaluation import Evaluation, compare
from stakes.evaluation.differences import RelativeCost
from stakes.results import Estimate, json_number

EXIT_GATE = 1
_REVERSED = "scores_reversed"
_SHORT = {
    "max_nec": ("nec", "max"),
    "max_cross_entropy": ("cross_entropy.normalized", "max"),
    "max_brier": ("brier_score.normalized", "max"),
    "max_calibration_loss": ("cross_entropy.relative", "max"),
    "min_auc": ("auc", "min"),
}


def run(*, file: Paths, confident: bool, max_loss_against: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401
    """Pass (exit code 0) or fail (1) by limits on metrics."""
    begin(options)
    limits = _limits(options)
    others = _others(max_loss_against, options)
    if not limits and not others:
        msg = "at least one limit must be given, such as --max-nec 0.5."
        raise click.UsageError(msg)
    systems = {options["scores"]: options["scores"]} | {name: name for name in others}
    asked = {**options, "systems": systems} if others else options
    request = prepare(asked_for(file, asked))
    judged = evaluate_in_batches(request, options)
    margins: list[dict[str, Any]] = []
    if judged is not None:
        facts = judged.facts
    else:
        problem = read_request(request)
        facts = facts_of(problem)
        for scores in problem.systems.values():
            say_rounding(scores.rounding)
        judged = evaluate_problem(problem, options) if limits else None
        for name, margin in others.items():
            margins += _margin_gates(problem, name, margin, options)
    evaluation = None if judged is None else judged.evaluation
    gates = _limit_gates(evaluation, limits, confident=confident) + margins
    publish(_document(gates, _notes(evaluation), facts, options), options)
    forget(options)
    if not all(gate["passed"] for gate in gates):
        click.get_current_context().exit(EXIT_GATE)


def _limit_gates(
    evaluation: Evaluation | None, limits: list[tuple[str, str, float]], *, confident: bool
) -> list[dict[str, Any]]:
    """Hold metrics against their limits."""
    if evaluation is None:
        return []
    return [
        _gate(evaluation, metric, kind, limit, confident=confident)
        for name, kind, limit in limits
        for metric in _meant(evaluation, name)
    ]


def _notes(evaluation: Evaluation | None) -> list[str]:
    """Return what must be known beside the gates."""
    verdicts = () if evaluation is None else evaluation.verdicts
    return [f"{v.text} {v.advice}" for v in verdicts if v.code == _REVERSED]


def _others(texts: tuple[str, ...], options: dict[str, Any]) -> dict[str, float]:
    """Read COLUMNS=SHARE pairs: other systems, and how much more than them may be lost."""
    found: dict[str, float] = {}
    for text in texts:
        columns, _, value = (part.strip() for part in text.rpartition("="))
        margin = _number(value)
        if not columns or not 0 < margin < math.inf or columns in found:
            msg = "--max-loss-against must be COLUMNS=SHARE with a share above 0, each once, such"
            raise click.UsageError(f"{msg} as p_old=0.02: got {text!r}.")
        found[columns] = margin
    if found and options["scores"] is None:
        msg = "--scores must name the columns that --max-loss-against is to compare."
        raise click.UsageError(msg)
    if options["scores"] in found:
        msg = (
            f"--max-loss-against must name other columns than --scores: got {options['scores']!r}."
        )
        raise click.UsageError(msg)
    return found


def _margin_gates(
    problem: Problem, other: str, margin: float, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """Hold the cost against that of another system, in every application.

    All applications must pass, so that none needs a correction for the others.
    """
    arguments = {**shared_arguments(problem, options), "resamples": 0, "calibrator": None}
    pair = {name: problem.systems[name] for name in (other, options["scores"])}
    with problem.told_in_place():
        found = compare(problem.y, pair, reference=other, margin=margin, **arguments)
    return [_margin_gate(relative, other) for relative in found.relative_costs]


def _margin_gate(found: RelativeCost, other: str) -> dict[str, Any]:
    """Hold a ratio of costs against its limit, by the upper end of its interval."""
    limit, ratio = 1 + found.margin, found.ratio
    end = math.nan if ratio.interval is None else ratio.interval.high
    passed = end <= limit
    name = f"{found.application}.relative_to.{other}"
    return {
        "metric": name,
        "kind": "max",
        "limit": limit,
        "confident": True,
        "estimate": ratio.to_dict(),
        "level": 2 * found.level - 1,
        "held_against": json_number(end),
        "passed": passed,
        "reason": _margin_reason(name, limit, ratio, passed=passed),
    }


def _margin_reason(name: str, limit: float, ratio: Estimate, *, passed: bool) -> str:
    """Say in one line why a ratio of costs passed or failed."""
    if ratio.interval is None:
        return f"FAILED: {plain(name)} is {ratio}, without an interval ({ratio.method})"
    verb, level = "ok" if passed else "FAILED", f"{100 * ratio.interval.level:g} % interval"
    value = f"{number(ratio.value)} ({level} {ratio.interval})"
    return f"{verb}: {plain(name)} is {value}, wanted at most {number(limit)} at its upper end"


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
        "level": evaluation.level,
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
        why = f" ({estimate.method})" if estimate.method else ", as this metric has none"
        return f"FAILED: {plain(name)} is {estimate}, without an interval{why}"
    return f"{verb}: {plain(name)} is {estimate}, wanted {sign} {number(limit)}{whole}"


def _document(
    gates: list[dict[str, Any]], notes: list[str], facts: Facts, options: dict[str, Any]
) -> Document:
    """Return the gates in every form."""
    rows: list[list[Cell]] = [["metric", "kind", "limit", "value", "passed"]]
    rows += [
        [g["metric"], g["kind"], g["limit"], g["estimate"]["value"], str(g["passed"]).lower()]
        for g in gates
    ]

    sentences = [*(g["reason"] for g in gates), *(f"Note: {note}" for note in notes)]

    def draw(screen: Console) -> None:
        for line in sentences:
            screen.print(Text(line), soft_wrap=True)

    source, n = facts.source, facts.samples
    return Document(
        command="check",
        body={
            "source": Path(source).name,
            "read": facts.read,
            "samples": n,
            "level": options["level"],
            "resamples": options["resamples"],
            "seed": options["seed"],
            "passed": all(g["passed"] for g in gates),
            "gates": gates,
            "notes": notes,
        },
        rows=rows,
        sentences=sentences,
        draw=draw,
        title=head(source, f"{n} samples, seed {options['seed']}"),
    )
