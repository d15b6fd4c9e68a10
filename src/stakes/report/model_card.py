"""Model cards: Markdown for people, and above it the fields that the Hugging Face Hub reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stakes._check import InputError
from stakes._markdown import escaped, table_lines
from stakes._text import interval_name, key_of, number, percent, plain
from stakes._version import __version__
from stakes.costs import CostMatrix
from stakes.evaluation import DecisionEvaluation, Evaluation
from stakes.report.card_results import main_results, naive_value, results_of
from stakes.results import ExpectedLoss, json_number

_MOST_SHOWN = 20  # classes and decisions of a table of costs
_MOST_SLICES = 500
# What the Hub calls metrics that are computed from the samples as they are.
_HUB = {
    "accuracy": "accuracy",
    "auc": "roc_auc",
    "brier_score.value": "brier_score",
    "f1_score": "f1",
    "matthews_correlation": "matthews_correlation",
    "precision": "precision",
    "sensitivity": "recall",
}
_ANY_CLASSES = ("accuracy", "matthews_correlation")  # the others are of two classes
Record = Evaluation | DecisionEvaluation


@dataclass(frozen=True)
class Card:
    """What cannot be known from an evaluation."""

    model_name: str
    dataset: str = ""
    task: str = ""
    dataset_id: str = ""
    split: str = ""
    licence: str = ""
    language: str | Sequence[str] = ()
    tags: Sequence[str] = ()
    library: str = ""
    intended_use: str = ""
    limitations: str = ""

    def __post_init__(self) -> None:
        for name in ("model_name", "dataset", "task"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                hint = "A card needs dataset='...' and task='tabular-classification' or another"
                raise InputError(name, "must be a text", repr(value), hint=f"{hint} of the Hub.")
        if isinstance(self.tags, str):
            hint = f"Pass [{self.tags!r}]."
            raise InputError("tags", "must be a list of strings", repr(self.tags), hint=hint)


def model_card_of(record: Record, card: Card) -> str:
    """Return a model card: front matter and sections."""
    lines = [*_front_matter(record, card), "", f"# {escaped(card.model_name)}", ""]
    for title, part in (
        ("Intended use", _intended_use(record, card)),
        ("Results", _results(record, card)),
        ("What the numbers say", [f"- {escaped(v, 4000)}" for v in record.verdicts]),
        ("Slices", _slices(record)),
        ("Caveats", _caveats(record, card)),
        ("How this was computed", _method(record)),
    ):
        if part:
            lines += [f"## {title}", "", *part, ""]
    return "\n".join(lines)


def _front_matter(record: Record, card: Card) -> Iterable[str]:
    """Yield the fields that the Hub reads, as YAML whose values are JSON."""
    language = [card.language] if isinstance(card.language, str) else list(card.language)
    fields = {
        "license": card.licence,
        "language": [each for each in language if each],
        "library_name": card.library,
        "tags": list(card.tags),
        "datasets": [card.dataset_id] if card.dataset_id else [],
    }
    yield "---"
    yield from (f"{name}: {_json(value)}" for name, value in fields.items() if value)
    dataset = {"type": card.dataset_id or key_of(card.dataset) or "unknown", "name": card.dataset}
    yield "model-index:"
    yield f"- name: {_json(card.model_name)}"
    yield "  results:"
    yield f"  - task: {_json({'type': card.task})}"
    yield f"    dataset: {_json(dataset | ({'split': card.split} if card.split else {}))}"
    yield "    metrics:"
    yield from (f"    - {_json(metric)}" for metric in _hub_metrics(record))
    yield "---"


def _hub_metrics(record: Record) -> Iterable[dict[str, Any]]:
    """Yield every number with its interval and the naive value; what is none is a text."""
    references = record._references()
    for name, estimate in record.metrics().items():
        args: dict[str, Any] = {}
        if estimate.interval is not None:
            low, high = estimate.interval
            args = {"level": estimate.interval.level, "low": _value(low), "high": _value(high)}
        naive = naive_value(name, references)
        if naive is not None:
            args["naive"] = _value(naive)
        metric = {"type": _hub_type(name, record), "value": _value(estimate.value), "name": name}
        yield metric | ({"args": args} if args else {})


def _hub_type(name: str, record: Record) -> str:
    """Return what the Hub calls a metric; its own name where it is not quite the same."""
    losses = [loss for _, _, loss in results_of(record)]
    weighted = isinstance(record, Evaluation) and record.data.weighted
    as_sampled = all(loss.priors_from_data for loss in losses) and not weighted
    short = name.removeprefix(f"{results_of(record)[0][0]}.") if len(losses) == 1 else name
    same = as_sampled and (len(losses[0].classes) == 2 or short in _ANY_CLASSES)
    return _HUB.get(short, name) if same else name


def _value(value: float) -> float | str:
    found = json_number(float(value))
    return "undefined" if found is None else found


def _json(value: object) -> str:
    """Return a value as JSON that YAML reads the same: no signs that YAML refuses or unfolds."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:  # noqa: ANN401  any plain value
    if isinstance(value, str):
        return plain(value, 1000)
    if isinstance(value, Mapping):
        return {plain(name, 1000): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _intended_use(record: Record, card: Card) -> list[str]:
    lines = [card.intended_use.strip(), ""] if card.intended_use.strip() else []
    found = results_of(record)
    for name, costs, loss in found:
        where = f"{escaped(name)}: " if len(found) > 1 else ""
        lines += [
            f"{where}Decisions are evaluated at these costs and class shares:",
            "",
        ]
        lines += [*_cost_lines(costs, loss), ""]
    origins = {name: _origin(loss) for name, _, loss in found}
    origin = next(iter(origins.values()))
    if len(set(origins.values())) > 1:
        origin = ", ".join(f"{escaped(name)}: {each}" for name, each in origins.items())
    return [*lines, f"Rows are true classes, columns are decisions; class shares are {origin}."]


def _origin(loss: ExpectedLoss) -> str:
    return "those of the data" if loss.priors_from_data else "as specified"


def _cost_lines(costs: object, loss: ExpectedLoss) -> list[str]:
    classes, priors = loss.classes[:_MOST_SHOWN], loss.priors.tolist()
    if not isinstance(costs, CostMatrix):
        rows = [[c, number(p), "vary by case"] for c, p in zip(classes, priors, strict=False)]
        return table_lines(["class", "share", "costs"], rows)
    if len(costs.classes) > _MOST_SHOWN or len(costs.decisions) > _MOST_SHOWN:
        size = f"{len(costs.classes)} classes, {len(costs.decisions)} decisions"
        return [f"{size}: too many to show; they are in the JSON document."]
    rows = [
        [name, number(prior), *map(number, row)]
        for name, prior, row in zip(costs.classes, priors, costs.values.tolist(), strict=True)
    ]
    return table_lines(["class", "share", *map(str, costs.decisions)], rows)


def _results(record: Record, card: Card) -> list[str]:
    if isinstance(record, Evaluation):
        data = record.data
        of = "" if data.groups is None else f" in {data.groups} groups"
        counts = zip(data.classes, data.counts, strict=True)
        listed = ", ".join(f"{escaped(c)} {n}" for c, n in list(counts)[:_MOST_SHOWN])
        size = f"{data.n} samples{of} ({listed}{', ...' if len(data.counts) > _MOST_SHOWN else ''})"
    else:
        unit = "samples" if record.confusion.whole else "total weight"
        size = f"{number(record.confusion.n, 6)} {unit}"
    split = f", {escaped(card.split)}" if card.split else ""
    header = ["", "value", interval_name(record.level), "naive", "better"]
    every = [
        [name, number(e.value), str(e.interval or ""), e.method]
        for name, e in record.metrics().items()
    ]
    columns = ["metric", "value", interval_name(record.level), "interval method"]
    naive = "Naive is the best constant decision, made without looking at the input."
    return [
        f"{escaped(card.dataset)}{split}: {size}. {naive}",
        "",
        *table_lines(header, main_results(record)),
        "",
        f"<details><summary>All {len(every)} numbers</summary>",
        "",
        *table_lines(columns, every),
        "",
        "</details>",
    ]


def _slices(record: Record) -> list[str]:
    if not isinstance(record, Evaluation) or not record.slices:
        return []
    rows = []
    for s in record.slices[:_MOST_SLICES]:
        cells = ["undefined", s.why, "", ""]
        if s.cost is not None and s.cross_entropy is not None:
            band = str(s.cost.interval or "")
            cells = [number(s.cost.value), band, number(s.cross_entropy.value), s.standing]
        rows.append([s.column, s.value, str(s.samples), *cells])
    level = interval_name(record.level)
    lines = table_lines(
        ["column", "value", "samples", "NEC", level, "cross-entropy", "verdict"], rows
    )
    if len(record.slices) > _MOST_SLICES:
        lines += ["", f"Shows the first {_MOST_SLICES} of {len(record.slices)} slices."]
    return lines


def _caveats(record: Record, card: Card) -> list[str]:
    lines = [card.limitations.strip(), ""] if card.limitations.strip() else []
    shares = "The cost holds for the class shares given above."
    if any(loss.priors_from_data for _, _, loss in results_of(record)):
        shares = "Class shares are those of the data; where they differ, so does the cost."
    level = percent(record.level, 1).removesuffix(".0")
    sampled = f"Intervals ({level} %) apply to the population that the samples were drawn from."
    notes = record.notes if isinstance(record, Evaluation) else record.reasons
    return [*lines, *(f"- {escaped(each, 4000)}" for each in (shares, sampled, *notes))]


def _method(record: Record) -> list[str]:
    parts = [f"stakes {__version__}"]
    if isinstance(record, Evaluation):
        parts.append(f"seed {record.seed}")
        parts.append(f"scores: {record.data.scores}")
        if record.calibrator is not None:
            parts.append(
                f"calibration measured with the {record.calibrator} calibrator, {record.fitted}"
            )
        if record.data.adapted:
            parts.append("posteriors adapted from training priors to deployment priors")
    said = "; ".join(parts)
    nec = "NEC is the expected cost divided by that of the naive system: below 1 is useful."
    return [f"{escaped(said, 1000)}. {nec}"]
