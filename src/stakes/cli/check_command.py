"""stakes check: a gate for continuous integration, with a one-line reason."""

import math
from collections.abc import Mapping
from typing import Any

import click

from stakes._text import interval_name, number, plain, quoted
from stakes.cli.evaluate_command import calibrate_command, evaluated, stage_arguments
from stakes.cli.gate_advice import SHORT, advice_on_limit, advice_on_margin
from stakes.cli.github import Annotation
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.outputs import Cell, Document, check_outputs, forget, publish
from stakes.cli.read_mode import read_table
from stakes.cli.table_request import WholeTable, prepare
from stakes.evaluation import Evaluation
from stakes.evaluation.verdicts.suspicions import DOUBTS
from stakes.results import Estimate, json_number

EXIT_GATE = 1
_INFINITE = "infinite_loss"


def run(options: Options) -> None:
    """Pass (exit code 0) or fail (1) by limits on metrics."""
    check_outputs(options)
    if options.answers:
        from stakes.cli.check_answers import check_answers  # noqa: PLC0415  another way

        end_by(check_answers(options), options)
        return
    limits, others = read_limits(options, SHORT), _others(options)
    if not limits and not others:
        refuse("at least one limit must be given, such as --max-nec 0.5.")
    scores = str(options.scores)
    request = prepare(options, {name: name for name in (scores, *others)} if others else None)
    table = read_table(request)
    if isinstance(table, WholeTable):
        for each in table.systems.values():
            note(each.rounding)
    gates, notes, fixes = [], [], []
    if limits:
        found = evaluated(table)
        gates = _limit_gates(found, limits, confident=options.confident)
        finite = all(isinstance(gate["estimate"]["value"], float) for gate in gates)
        codes = set(DOUBTS) if finite else {*DOUBTS, _INFINITE}
        notes = [f"{v.text} {v.advice}" for v in found.verdicts if v.code in codes]
        calibrate = calibrate_command(table, found)
        fixes = [advice_on_limit(gate, found, calibrate) for gate in gates]
    if isinstance(table, WholeTable):
        for other, margin in others.items():
            more = _margin_gates(table, scores, other, margin)
            gates += more
            fixes += [advice_on_margin(gate, other) for gate in more]
    document = gate_document(
        gates, fixes, notes, options, samples=table.n, source=table.source, read=table.read
    )
    end_by(document, options)


def end_by(document: Document, options: Options) -> None:
    """Print what was found, and leave by whether all limits are met."""
    publish(document, options)
    forget(options)
    if not document.body["passed"]:
        click.get_current_context().exit(EXIT_GATE)


def _others(options: Options) -> dict[str, float]:
    """Read COLUMNS=SHARE pairs: other systems, and how much more than them may be lost."""
    found: dict[str, float] = {}
    for text in options.max_loss_against:
        columns, _, value = (part.strip() for part in text.rpartition("="))
        margin = _number(value)
        if not columns or not 0 < margin < math.inf or columns in found:
            msg = "--max-loss-against must be COLUMNS=SHARE with a share above 0, each once, such"
            refuse(f"{msg} as p_old=0.02: got {text!r}.")
        found[columns] = margin
    if found and options.scores is None:
        refuse("--scores must name the columns to compare with those of --max-loss-against.")
    if options.scores in found:
        refuse(f"--max-loss-against must name other columns than --scores: got {options.scores!r}.")
    return found


def read_limits(
    options: Options, short: Mapping[str, tuple[str, str]]
) -> list[tuple[str, str, float]]:
    """Return metric, kind and limit of each gate; `short` are options for single metrics."""
    found = [
        (metric, kind, limit)
        for name, (metric, kind) in short.items()
        if (limit := getattr(options, name)) is not None
    ]
    for kind, texts in (("max", options.most), ("min", options.least)):
        for text in texts:
            metric, _, value = (part.strip() for part in text.rpartition("="))
            limit = _number(value)
            if not metric or math.isnan(limit):
                refuse(f"--{kind} must be METRIC=NUMBER: got {text!r}.")
            found.append((metric, kind, limit))
    return found


def _number(text: str) -> float:
    """Return a number; NaN for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _limit_gates(
    evaluation: Evaluation, limits: list[tuple[str, str, float]], *, confident: bool
) -> list[dict[str, Any]]:
    """Hold metrics against their limits: the cost of every application, or the metric named."""
    metrics, gates = evaluation.metrics(), []
    for given, kind, limit in limits:
        names = [f"{a.name}.nec" for a in evaluation.applications] if given == "nec" else [given]
        gates += [
            metric_gate(metrics, name, (kind, limit), evaluation.level, confident=confident)
            for name in names
        ]
    return gates


def metric_gate(
    metrics: Mapping[str, Estimate],
    name: str,
    wanted: tuple[str, float],
    level: float,
    *,
    confident: bool,
) -> dict[str, Any]:
    """Hold a metric, which must be there, against its limit."""
    kind, limit = wanted
    if name not in metrics:
        refuse(f"there is no metric {name!r}. Metrics are {quoted(metrics, most=60)}.")
    found, sign = metrics[name], "at most" if kind == "max" else "at least"
    where = " for the whole interval" if confident else ""
    why = f" ({found.method})" if math.isnan(found) else ""
    text = f"{found}{why}, limit {sign} {number(limit)}{where}"
    return _gate(name, kind, limit, found, level, text, confident=confident)


def _margin_gates(
    table: WholeTable, scores: str, other: str, margin: float
) -> list[dict[str, Any]]:
    """Hold the cost against that of another system, in every application.

    It is the upper end of the ratio's interval that must be within the limit. All applications
    must pass, so that none needs a correction for the others.
    """
    told = {**stage_arguments(table.request.options), "calibrator": None}
    with table.told_in_place():
        found = table.compare(other, scores, reference=other, margin=margin, **told)
    gates = []
    for relative in found.relative_costs:
        ratio, limit = relative.ratio, 1 + relative.margin
        band = ratio.interval
        shown = "" if band is None else f" ({interval_name(band.level)} {band})"
        text = f"{number(ratio.value)}{shown}, limit {number(limit)} at the upper end"
        name, level = f"{relative.application}.relative_to.{other}", 2 * relative.level - 1
        gates.append(_gate(name, "max", limit, ratio, level, text, confident=True))
    return gates


def _gate(
    name: str, kind: str, limit: float, estimate: Estimate, level: float, text: str, *,
    confident: bool,
) -> dict[str, Any]:  # fmt: skip
    """Hold one metric against its limit; what is undefined does not pass.

    The text says what was found and what is wanted.
    """
    value, band = estimate.value, estimate.interval
    if confident:  # the end that is worst for the gate counts
        value = math.nan if band is None else band.high if kind == "max" else band.low
    passed = bool(value <= limit if kind == "max" else value >= limit)
    if confident and band is None:
        why = f" ({estimate.method})" if estimate.method else ", as this metric has none"
        text = f"{estimate}, without an interval{why}"
    return {
        "metric": name,
        "kind": kind,
        "limit": limit,
        "confident": confident,
        "estimate": estimate.to_dict(),
        "level": level,
        "held_against": json_number(value),
        "passed": passed,
        "reason": f"{'ok' if passed else 'FAILED'}: {plain(name)} is {text}",
    }


def _annotations(
    gates: list[dict[str, Any]], fixes: list[str], notes: list[str]
) -> list[Annotation]:
    """Return an error for each gate that fails, with its fix; a notice where all pass."""
    found = [
        Annotation("error", f"stakes check: {plain(gate['metric'])}", gate["reason"], fix)
        for gate, fix in zip(gates, fixes, strict=True)
        if not gate["passed"]
    ]
    if not found:
        said = "; ".join(gate["reason"].removeprefix("ok: ") for gate in gates[:5])
        more = f"; and {len(gates) - 5} more" if len(gates) > 5 else ""
        found = [Annotation("notice", "stakes check: passed", f"{said}{more}")]
    return found + [Annotation("warning", "stakes check", f"Note: {text}") for text in notes]


def gate_document(
    gates: list[dict[str, Any]],
    fixes: list[str],
    notes: list[str],
    options: Options,
    *,
    samples: int,
    source: str,
    read: str,
) -> Document:
    """Return gates in every form; `fixes` say how each could be met."""
    rows: list[list[Cell]] = [["metric", "kind", "limit", "value", "passed"]]
    rows += [
        [g["metric"], g["kind"], g["limit"], g["estimate"]["value"], str(g["passed"]).lower()]
        for g in gates
    ]
    return Document(
        command="check",
        body={
            "samples": samples,
            "level": options.level,
            "seed": options.seed,
            "passed": all(g["passed"] for g in gates),
            "gates": gates,
            "notes": notes,
        },
        source=source,
        read=read,
        facts=f"{samples} samples, seed {options.seed}",
        rows=rows,
        sentences=[*(g["reason"] for g in gates), *(f"Note: {note}" for note in notes)],
        annotations=_annotations(gates, fixes, notes),
    )
