"""stakes check --answers: limits on answers of a language model, each model for itself."""

from collections.abc import Mapping
from typing import Any

from stakes._text import number, plain
from stakes.cli.answer_models import read_models
from stakes.cli.answer_request import answer_request
from stakes.cli.answers_command import evaluated
from stakes.cli.check_command import gate_document, metric_gate, read_limits
from stakes.cli.gate_advice import meets
from stakes.cli.messages import refuse
from stakes.cli.options import Options
from stakes.cli.outputs import Document
from stakes.cli.table_request import WHOLE
from stakes.results import Estimate

SHORT = {
    "min_utility": ("utility", "min"),
    "max_hallucination_rate": ("hallucination_rate", "max"),
}


def check_answers(options: Options) -> Document:
    """Hold the answers of each model against the limits."""
    limits = read_limits(options, SHORT)
    if not limits:
        refuse("at least one limit must be given, such as --min-utility 0.2.")
    request = answer_request(options)
    models = read_models(request, paired=False)
    several = len(models.responses) > 1
    gates, fixes, samples = [], [], 0
    for model in models.responses:
        made = evaluated(models, request, model)
        samples += len(made.responses)
        found = made.metrics()
        named = {f"{model}/{name}" if several else name: e for name, e in found.items()}
        for metric, kind, limit in limits:
            name = f"{model}/{metric}" if several and metric in found else metric
            gate = metric_gate(
                named, name, (kind, limit), options.level, confident=options.confident
            )
            gates.append(gate)
            fixes.append(_advice(gate, metric, found))
    return gate_document(
        gates, fixes, list(models.notes), options, samples=samples, source=models.source, read=WHOLE
    )


def _advice(gate: Mapping[str, Any], metric: str, found: Mapping[str, Estimate]) -> str:
    """Return how a limit could be met."""
    value, kind, limit = gate["estimate"]["value"], gate["kind"], gate["limit"]
    if value is None:
        return "It is undefined on these answers, so it meets no limit: see stakes answers."
    if gate["confident"] and gate["estimate"]["interval"] is None:
        return "Choose a metric that has an interval, or leave out --confident."
    if gate["confident"] and meets(value, kind, limit):
        return "The value alone would pass. More questions narrow the interval."
    other = found.get(f"calibrated.{metric}")
    if other is not None and meets(other.value, kind, limit):
        rule = "With abstention by calibrated confidence"
        return f"{rule} it would be {number(other.value)}, which passes: see stakes answers."
    flag = next((name for name, short in SHORT.items() if short == (metric, kind)), None)
    shown = f"--{kind} {plain(metric)}=NUMBER" if flag is None else f"--{flag.replace('_', '-')}"
    return f"Let it abstain if its confidence is low, or change the limit: {shown}."
