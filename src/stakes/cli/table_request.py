"""What a command line asks for: the columns of a table, made ready for the library."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import click

from stakes._text import plain, quoted
from stakes.cli.cost_text import CostText, read_costs, read_detection_cost
from stakes.cli.parsing import listed_classes, order_classes, parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.progress import progress_bar
from stakes.cli.score_columns import KINDS, class_names, class_part, score_columns, typed
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.evaluation import Application
from stakes.io import Columns, LongColumns, column_names, read_columns
from stakes.io.batches import Ask
from stakes.scores import Scores

Paths = str | tuple[str, ...]  # one file, directory or pattern, or several
_LABELS = ("label", "y", "y_true", "target", "truth", "class")
_PREFIX = "p_"


@dataclass(frozen=True)
class Asked:
    """The options that say what is in a table and what it is for."""

    file: Paths
    label: str | None = None
    scores: str | None = None
    systems: Mapping[str, str] = field(default_factory=dict)  # columns by name, to be compared
    scores_are: str | None = None
    renormalize: bool = False
    classes: str | None = None
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    slices: tuple[str, ...] = ()
    key: str | None = None
    sample: str | None = None  # both are told of a table with a row for each sample and class
    class_column: str | None = None
    cost: str | None = None
    dcf: tuple[str, ...] = ()
    abstain: str | None = None
    prior: str | None = None
    training_prior: str | None = None
    input_format: str | None = None
    max_bytes: int | None = None
    timeout: float = 60.0
    applications: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked for, with all columns named and costs read."""

    asked: Asked
    costs: Mapping[str, CostText | None]
    table: Columns | None = None  # trials are joined at once

    @property
    def score_columns(self) -> list[str]:
        """The columns of scores of all systems."""
        return [c for part in self.asked.systems.values() for c in score_columns(part)]

    @property
    def prices(self) -> list[str]:
        """The columns of prices."""
        return [c for text in self.costs.values() if text is not None for c in text.columns]

    @property
    def columns(self) -> Ask:
        """All columns that are needed."""
        asked = self.asked
        weight = [asked.weight] if asked.weight else []
        more = [name for name in (asked.group, asked.sample, asked.class_column) if name]
        texts = dict.fromkeys([str(asked.label), *more, *asked.slices])
        numbers = dict.fromkeys([*self.score_columns, *self.prices, *weight])
        posteriors = asked.scores_are == "posteriors"
        finite = [*(self.score_columns if posteriors else []), *self.prices]
        return Ask(tuple(texts), tuple(numbers), tuple(finite))


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting:
    """Classes, applications and priors."""

    asked: Asked
    classes: list[str]  # that of interest last
    columns: list[str]  # the same in the order of the columns of scores
    costs: Any  # one or several applications
    priors: dict[str, float] | str | None
    training_priors: dict[str, float] | str | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(Setting):
    """Labels, scores and applications, ready for `evaluate` and `compare`."""

    table: Columns
    y: Any
    systems: Mapping[str, Scores]
    weights: Any
    groups: Any
    slices: dict[str, Any]

    @property
    def scores(self) -> Scores:
        """The scores, where there is one system."""
        return next(iter(self.systems.values()))

    def told_in_place(self) -> AbstractContextManager[None]:
        """Say columns and lines of the file where the library says arguments and rows."""
        asked = self.asked
        return told_in_place(
            self.table,
            {"y_true": asked.label, "sample_weight": asked.weight, "groups": asked.group},
        )


def _by_detection_cost(asked: Asked) -> Asked:
    """Return several detection costs as several applications."""
    if len(asked.dcf) < 2:
        return asked
    if asked.prior or asked.applications:
        msg = "--dcf given several times makes several applications: leave out --prior and"
        raise click.UsageError(f"{msg} [applications].")
    abstain = {} if asked.abstain is None else {"abstain": asked.abstain}
    several = {f"dcf {text}": {"dcf": text, **abstain} for text in asked.dcf}
    return replace(asked, dcf=(), abstain=None, applications=several)


def read_problem(asked: Asked) -> Problem:
    """Read the table and all that is said about it."""
    return read_request(prepare(asked))


def prepare(asked: Asked) -> Request:
    """Name all columns and read the costs; the table is not read yet."""
    asked = _by_detection_cost(asked)
    if (asked.sample is None) != (asked.class_column is None):
        msg = "--id and --class-column must be given together, for a row per sample and class."
        raise click.UsageError(msg)
    if asked.key is not None:
        asked, table = _trials(asked)
    else:
        asked = _guessed(asked)
        table = None
    if asked.scores_are is None:
        msg = f"--scores-are must say what the scores are, one of {quoted(KINDS, most=9)}."
        raise click.UsageError(msg)
    _refuse_label_as_score(asked)
    return Request(asked, _costs_of(asked), table)


def read_request(request: Request) -> Problem:
    """Read the table, whole."""
    asked = request.asked
    table = request.table
    if table is None:
        table = _table(request)
        if asked.sample is not None:
            table = LongColumns(table, asked.sample, str(asked.class_column))
    y = table.texts(str(asked.label))
    names = class_order(request, sorted(set(y.tolist())), table)
    systems = {
        name: system_scores(table, columns, asked, names) for name, columns in asked.systems.items()
    }
    needs = any(s.needs_priors for s in systems.values())
    setting = read_setting(request, names, table, needs_priors=needs)
    return Problem(
        **vars(setting),
        table=table,
        y=y,
        systems={n: turned(s, names, setting.classes) for n, s in systems.items()},
        weights=None if asked.weight is None else table.numbers(asked.weight),
        groups=None if asked.group is None else table.texts(asked.group),
        slices={name: table.texts(name) for name in asked.slices},
    )


def read_setting(
    request: Request,
    names: list[str],
    table: Columns,
    *,
    needs_priors: bool,
    by_name: bool = False,
) -> Setting:
    """Read costs and priors for classes that are in the order of the columns of scores.

    `by_name` where costs by case name their columns, as rows are still to come.
    """
    asked = request.asked
    ordered = _ordered(names, asked.positive)
    if isinstance(table, LongColumns) and asked.classes is not None:
        ordered = _ordered(listed_classes(asked.classes), asked.positive)
    priors = _priors(asked.prior, asked.dcf[0] if asked.dcf else None, ordered)
    return Setting(
        asked=asked,
        classes=ordered,
        columns=names,
        costs=_applications(request.costs, ordered, None if by_name else table, asked),
        priors="data" if priors is None and needs_priors else priors,
        training_priors=_training(asked.training_prior, ordered, likelihoods=needs_priors),
    )


def system_scores(table: Columns, columns: str, asked: Asked, names: list[str]) -> Scores:
    """Return the scores of a system in the order of the classes, by the names of its columns."""
    kind, sums = str(asked.scores_are), {"renormalize": asked.renormalize}
    own = class_part(score_columns(columns))
    if len(own) > 1 and set(own) == set(names) and own != names:
        return typed(table, columns, kind, own, **sums).named(tuple(own)).ordered(tuple(names))
    spoken = columns.strip().removeprefix(_PREFIX)
    if len(own) == 1 and spoken in names[:-1]:
        msg = f"--scores {columns!r} seems to be the score of class {spoken!r}, but a single column"
        msg = f"{msg} is the score of {names[-1]!r} here: give --positive {spoken!r}."
        raise click.UsageError(msg)
    return typed(table, columns, kind, names, **sums)


def _refuse_label_as_score(asked: Asked) -> None:
    """Refuse a column that is both the truth and what is judged by it."""
    if any(asked.label in score_columns(columns) for columns in asked.systems.values()):
        msg = f"--label must not be a column of scores: {asked.label!r} is."
        raise click.UsageError(msg)


def _trials(asked: Asked) -> tuple[Asked, Columns]:
    """Read scores of trials and their key."""
    from stakes.io import join_keys  # noqa: PLC0415  the only use of it

    if not isinstance(asked.file, str):
        msg = f"--key needs one file of scores: got {len(asked.file)} paths."
        raise click.UsageError(msg)
    odd = {asked.group, *asked.slices} - {None, "model", "segment"}
    if asked.label or asked.scores or asked.weight or odd:
        msg = "--key joins lines `model segment score` with their key: the only columns that can be"
        raise click.UsageError(f"{msg} named are model and segment, for --group and --slice.")
    table = join_keys(asked.file, str(asked.key), max_bytes=asked.max_bytes, patience=asked.timeout)
    named = replace(
        asked,
        label="label",
        systems={"score": "score"},
        classes="nontarget,target",
        scores_are=asked.scores_are or "llr",
    )
    if asked.scores_are is None:
        _note("scores taken as natural log likelihood ratios; say --scores-are for others.")
    return named, table


def _guessed(asked: Asked) -> Asked:
    """Fill in columns that were not named, and say which were taken."""
    if asked.label is not None and (asked.scores is not None or asked.systems):
        systems = asked.systems or {"system": str(asked.scores)}
        return replace(asked, systems=systems)
    if asked.file == "-":
        msg = "--label and --scores must be named for standard input, which is read only once."
        raise click.UsageError(msg)
    there = column_names(asked.file, asked.input_format, max_bytes=asked.max_bytes)
    label = asked.label or _only(
        [name for name in there if name.lower() in _LABELS], "--label", there
    )
    scores = asked.scores
    if scores is None and not asked.systems:
        found = [name for name in there if name.startswith(_PREFIX)]
        scores = ",".join(found) if found else _only(
            [name for name in there if name.lower() in ("score", "scores", "llr", "logit")],
            "--scores", there,
        )  # fmt: skip
    _note(f"guessed: --label {label}" + (f" --scores {scores}" if scores else "") + ".")
    return replace(asked, label=label, systems=asked.systems or {"system": str(scores)})


def _only(found: Sequence[str], option: str, there: Sequence[str]) -> str:
    """Return the one column that an option can mean."""
    if len(found) == 1:
        return found[0]
    listed = ", ".join(plain(name) for name in there)
    msg = f"{option} must name a column; the columns are: {listed}."
    raise click.UsageError(msg)


def _costs_of(asked: Asked) -> dict[str, CostText | None]:
    """Read the costs of each application."""
    if not asked.applications:
        dcf = asked.dcf[0] if asked.dcf else None
        return {"cost": _cost_text(asked.cost, dcf, asked.abstain)}
    if asked.cost or asked.dcf or asked.abstain:
        msg = "--cost, --dcf and --abstain must stand in the application file when it has several."
        raise click.UsageError(msg)
    return {
        name: _cost_text(entry.get("cost"), entry.get("dcf"), entry.get("abstain"))
        for name, entry in asked.applications.items()
    }


def _cost_text(cost: str | None, dcf: str | None, abstain: str | None) -> CostText | None:
    """Read the costs of one application."""
    if dcf is None:
        return read_costs(cost, abstain)
    if cost is not None:
        msg = "--dcf holds costs and a prior: leave --cost out."
        raise click.UsageError(msg)
    priced = read_costs(None, abstain)
    return replace(read_detection_cost(dcf)[0], abstain=None if priced is None else priced.abstain)


def _priors(prior: str | None, dcf: str | None, classes: Sequence[str]) -> dict[str, float] | None:
    """Read the priors of an application."""
    if dcf is None:
        return None if prior is None else parse_priors(prior, classes)
    if prior is not None:
        msg = "--dcf holds a prior: leave --prior out."
        raise click.UsageError(msg)
    return parse_priors(str(read_detection_cost(dcf)[1]), classes)


def _training(
    prior: str | None, classes: Sequence[str], *, likelihoods: bool
) -> dict[str, float] | str | None:
    """Read the priors that posteriors were trained with."""
    if prior is None:
        return None
    if likelihoods:
        msg = "--training-prior is for posteriors: likelihoods carry no priors."
        raise click.UsageError(msg)
    return parse_priors(prior, classes, "--training-prior") or "data"


def _table(request: Request) -> Columns:
    """Read all columns that are needed, once."""
    asked, columns = request.asked, request.columns
    with progress_bar() as progress:
        return read_columns(
            asked.file,
            columns.texts,
            columns.numbers,
            finite=columns.finite,
            kind=asked.input_format,
            max_bytes=asked.max_bytes,
            patience=asked.timeout,
            progress=progress,
        )


def class_order(request: Request, seen: list[str], table: Columns) -> list[str]:
    """Return the classes in the order of the columns of scores; `seen` are the labels, sorted."""
    asked, known = request.asked, known_classes(request)
    if isinstance(table, LongColumns):
        return _long_classes(asked, [str(name) for name in table.classes], seen)
    columns = next(iter(asked.systems.values()))
    single = len(score_columns(columns)) == 1
    if asked.classes is None and known is None and single:
        width = table.matrix(score_columns(columns)).shape[1:]
        if width and set(seen) <= {str(k) for k in range(width[0])}:
            _note(f"classes taken as 0 to {width[0] - 1}, the places in column {columns}.")
            return [str(k) for k in range(width[0])]
        if asked.positive is None and len(seen) > 1:
            msg = "--positive must name the class that the scores are for, or --classes both:"
            raise click.UsageError(f"{msg} the labels are {quoted(seen)}.")
        if asked.positive is not None and len(seen) <= 2:
            alone = {asked.positive} if len(seen) < 2 else set()
            return order_classes(set(seen), alone, None, asked.positive)
    return class_names(asked.classes, columns, seen, known)


def known_classes(request: Request) -> list[str] | None:
    """Return the classes that a cost file names."""
    texts = request.costs.values()
    return next((t.classes for t in texts if t is not None and t.classes), None)


def _long_classes(asked: Asked, found: list[str], seen: list[str]) -> list[str]:
    """Return the classes of a long table, as its scores have them; others are refused."""
    typed_in = None if asked.classes is None else set(listed_classes(asked.classes))
    if (typed_in is not None and typed_in != set(found)) or not set(seen) <= set(found):
        msg = f"--class-column must hold all classes: it holds {quoted(found)}, the labels are"
        raise click.UsageError(f"{msg} {quoted(seen)}.")
    return found


def _ordered(names: list[str], positive: str | None) -> list[str]:
    """Return the classes with that of interest last."""
    return (
        names if positive is None else order_classes(set(names), set(), ",".join(names), positive)
    )


def turned(scores: Scores, names: Sequence[str], ordered: Sequence[str]) -> Scores:
    """Return scores with the class of interest last."""
    if list(names) == list(ordered):
        return scores.named(tuple(names))
    if scores.values.ndim == 1:
        return scores.swapped().named(tuple(ordered))
    return scores.named(tuple(names)).ordered(tuple(ordered))


def _applications(
    texts: Mapping[str, CostText | None], classes: list[str], table: Columns | None, asked: Asked
) -> Any:  # noqa: ANN401
    """Return the costs of one application, or several with their priors."""
    built: dict[str, CostMatrix | SampleCosts | CostsByCase] = {}
    for name, text in texts.items():
        typed_in = text or CostText()
        costs = typed_in.named(classes) if table is None else typed_in.build(classes, table)
        if [str(c) for c in costs.classes] != classes:
            msg = f"--cost must have the classes {quoted(classes)}, in that order: got"
            raise click.UsageError(f"{msg} {quoted(costs.classes)}.")
        built[name] = costs
    if not asked.applications:
        return built["cost"]
    return {
        name: Application(costs, _own_priors(asked.applications[name], classes))
        for name, costs in built.items()
    }


def _own_priors(entry: Mapping[str, str], classes: Sequence[str]) -> dict[str, float] | str | None:
    """Return the priors of one application; those of the data where it says so."""
    if entry.get("prior") == "data":
        return "data"
    return _priors(entry.get("prior"), entry.get("dcf"), classes)


def _note(text: str) -> None:
    """Say what was taken for granted."""
    click.echo(f"Note: {text}", err=True)
