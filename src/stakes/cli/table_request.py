"""What a command line asks of a table: its columns, made ready for the library."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stakes._check import refuse_decisions
from stakes._errors import InputError, told_of
from stakes._text import plain, plain_list, quoted
from stakes.cli import parsing
from stakes.cli.cost_text import CostText, read_application
from stakes.cli.messages import note, progress_bar, refuse
from stakes.cli.option_kinds import either
from stakes.cli.options import Options
from stakes.cli.places import said, told_in_place
from stakes.evaluation import Application, Evaluation, evaluate
from stakes.evaluation.entry import RULES as USUAL_RULES
from stakes.io import Columns, LongColumns, column_names, read_columns
from stakes.io.batches import Ask
from stakes.io.sources import is_address
from stakes.samples import Samples, read_samples
from stakes.scores import Posteriors, Scores
from stakes.scoring import RULES, ScoringRule

if TYPE_CHECKING:
    from stakes.evaluation import Comparison

WHOLE = "whole"  # how a table was read
_LABELS = ("label", "y", "y_true", "target", "truth", "class")
_SCORES = ("score", "scores", "llr", "logit")


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of a table, with all columns named and costs read."""

    options: Options
    systems: Mapping[str, str]  # columns of scores by the name of a system
    costs: Mapping[str, CostText]  # with the prior of each application
    table: Columns | None = None  # trials are joined at once

    @property
    def score_columns(self) -> list[str]:
        """The columns of scores of all systems."""
        return [c for part in self.systems.values() for c in parsing.score_columns(part)]

    @property
    def prices(self) -> list[str]:
        """The columns of prices."""
        return [c for text in self.costs.values() for c in text.columns]

    @property
    def columns(self) -> Ask:
        """All columns that are needed."""
        o = self.options
        texts = (o.label, o.group, o.sample, o.class_column)
        numbers = (*self.score_columns, *self.prices, *([o.weight] if o.weight else []))
        posteriors = self.score_columns if o.scores_are == "posteriors" else []
        return Ask(
            tuple(dict.fromkeys(name for name in texts if name)),
            tuple(dict.fromkeys(numbers)),
            (*posteriors, *self.prices),
        ).with_slices(o.slices)

    @property
    def argument_columns(self) -> dict[str, str | None]:
        """The columns that stand for arguments of the library."""
        o = self.options
        return {"y_true": o.label, "sample_weight": o.weight, "groups": o.group}

    @property
    def known_classes(self) -> list[str] | None:
        """The classes that a cost file names."""
        return next((t.classes for t in self.costs.values() if t.classes), None)

    def scores(self, table: Columns, names: list[str]) -> dict[str, Scores]:
        """Return the scores of each system for classes in the order of the columns."""
        found = {}
        for name, columns in self.systems.items():
            with told_of(f"system {name!r}" if len(self.systems) > 1 else ""):
                scores = parsing.system_scores(table, columns, self.options, names)
                if isinstance(scores, Posteriors):
                    column = f"{plain(table.source)}: column {plain(columns)!r}"
                    refuse_decisions(scores.values, scores.values, argument=column)
                found[name] = scores
        return found

    @property
    def rules(self) -> tuple[ScoringRule, ...]:
        """The scoring rules: the usual ones, and those that are named."""
        named = {}
        for text in self.options.rules:
            try:
                rule = RULES.read(text)
            except InputError as error:
                refuse(said(error.moved(argument="--rule")))
            named[rule.name] = rule
        return tuple(({rule.name: rule for rule in USUAL_RULES} | named).values())


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting:
    """Classes, applications and priors."""

    request: Request
    classes: list[str]  # that of interest last
    columns: list[str]  # the same in the order of the columns of scores
    costs: Any  # one or several applications
    priors: dict[str, float] | str | None
    training_priors: dict[str, float] | str | None

    @property
    def arguments(self) -> dict[str, Any]:
        """What the library is told, by name."""
        return {
            "costs": self.costs,
            "priors": self.priors,
            "training_priors": self.training_priors,
            "rules": self.request.rules,
        }

    def turned(self, systems: Mapping[str, Scores]) -> dict[str, Scores]:
        """Return scores with the class of interest last."""
        columns, classes = tuple(self.columns), tuple(self.classes)
        if columns == classes:
            return {n: s.named(columns) for n, s in systems.items()}
        return {
            n: s.swapped().named(classes)
            if s.values.ndim == 1
            else s.named(columns).ordered(classes)
            for n, s in systems.items()
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledTable(Setting):
    """Labels, scores and applications of a table, and where its rows came from."""

    table: Columns  # without rows where these were summed
    read: str
    n: int
    groups: Any = None

    @property
    def source(self) -> str:
        """The table by name."""
        return self.table.source

    def told_in_place(self) -> AbstractContextManager[None]:
        """Say columns and lines of the file where the library says arguments and rows."""
        return told_in_place(self.table, self.request.argument_columns)

    def notes(self, what: str) -> list[str]:
        """Say that something was found from cells of the score, where it was."""
        if self.read == WHOLE:
            return []
        return [f"{what} on cells of the score, of which a table read in batches keeps about 80000"]


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeTable(LabelledTable):
    """A table in memory."""

    read: str = WHOLE
    y: Any
    systems: Mapping[str, Scores]
    weights: Any
    slices: dict[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the library is told, by name."""
        own = {"groups": self.groups, "sample_weight": self.weights, "classes": self.classes}
        return super().arguments | own

    def evaluate(self, **told: Any) -> Evaluation:  # noqa: ANN401
        """Evaluate the first system."""
        scores = next(iter(self.systems.values()))
        return evaluate(self.y, scores, slices=self.slices, **self.arguments, **told)

    def compare(self, *names: str, **told: Any) -> "Comparison":  # noqa: ANN401
        """Compare systems, all or those that are named."""
        from stakes.evaluation import compare  # noqa: PLC0415  not for other commands

        systems = {name: self.systems[name] for name in names or self.systems}
        return compare(self.y, systems, **self.arguments, **told)

    def samples(self) -> Samples:
        """Return the rows as samples of the first system."""
        scores = next(iter(self.systems.values()))
        note(scores.rounding)
        told = {"priors": self.priors, "classes": self.classes, "sample_weight": self.weights}
        return read_samples(self.y, scores, **told)


def prepare(options: Options, systems: Mapping[str, str] | None = None) -> Request:
    """Name all columns and read the costs; the table is not read yet."""
    options, table, guess = _by_detection_cost(options), None, None
    if (options.sample is None) != (options.class_column is None):
        refuse("--id and --class-column must be given together, for one row per sample and class.")
    if options.key is not None:
        options, table = _trials(options)
    else:
        options, guess = _guessed(options, named=bool(systems))
    if options.scores_are is None:
        rule = f"--scores-are must say what the scores are: {either(tuple(parsing.KINDS))}"
        refuse(f"{rule}. For probabilities give posteriors.")
    note(guess)
    systems = systems or {"system": str(options.scores)}
    if any(options.label in parsing.score_columns(columns) for columns in systems.values()):
        refuse(f"--label must not be a column of scores: {options.label!r} is.")
    o, several = options, options.applications
    if several and (o.cost or o.dcf or o.abstain):
        msg = "--cost, --dcf and --abstain must be in the application file if it has several."
        refuse(msg)
    alone = {"cost": o.cost, "dcf": next(iter(o.dcf), None), "abstain": o.abstain, "prior": o.prior}
    applications: Mapping[str, Mapping[str, Any]] = several or {"cost": alone}
    costs = {
        name: read_application(*(entry.get(key) for key in alone))
        for name, entry in applications.items()
    }
    return Request(options, systems, costs, table)


def read_request(request: Request) -> WholeTable:
    """Read the table, whole."""
    o, table = request.options, request.table
    if table is None:
        ask = request.columns
        with progress_bar() as progress:
            told = {"finite": ask.finite, "blank": ask.blank, "progress": progress, **o.reading}
            table = read_columns(o.file, ask.texts, ask.numbers, **told)
        if o.sample is not None:
            table = LongColumns(table, o.sample, str(o.class_column))
    y = table.texts(str(o.label))
    setting, systems = read_setting(request, sorted(set(y.tolist())), table)
    return WholeTable(
        **vars(setting),
        table=table,
        n=len(y),
        y=y,
        systems=systems,
        weights=None if o.weight is None else table.numbers(o.weight),
        groups=None if o.group is None else table.texts(o.group),
        slices={name: table.texts(name) for name in o.slices},
    )


def read_setting(
    request: Request, seen: list[str], table: Columns, *, by_name: bool = False
) -> tuple[Setting, dict[str, Scores]]:
    """Read classes, costs and priors, and scores of each system; `seen` are the labels, sorted.

    `by_name` where costs by case name their columns, as rows are still to come.
    """
    names = _class_order(request, seen, table)
    systems = request.scores(table, names)
    o, ordered = request.options, names
    needs_priors = any(scores.needs_priors for scores in systems.values())
    if isinstance(table, LongColumns) and o.classes is not None:
        ordered = parsing.listed_names(o.classes)
    ordered = parsing.positive_last(ordered, o.positive)
    prior = o.prior if o.applications else request.costs["cost"].prior
    priors = None if prior is None else parsing.parse_priors(prior, ordered)
    training = o.training_prior
    if training is not None and needs_priors:
        refuse("--training-prior is for posteriors: likelihoods have no priors.")
    setting = Setting(
        request=request,
        classes=ordered,
        columns=names,
        costs=_applications(request, ordered, None if by_name else table),
        priors="data" if priors is None and needs_priors else priors,
        training_priors=None if training is None else parsing.training_priors(training, ordered),
    )
    return setting, setting.turned(systems)


def _by_detection_cost(options: Options) -> Options:
    if len(options.dcf) < 2:
        return options
    if options.prior or options.applications:
        msg = "--dcf given several times makes several applications: leave out --prior and"
        refuse(f"{msg} [applications].")
    abstain = {} if options.abstain is None else {"abstain": options.abstain}
    several = {f"dcf {text}": {"dcf": text, **abstain} for text in options.dcf}
    return replace(options, dcf=(), abstain=None, applications=several)


def _trials(options: Options) -> tuple[Options, Columns]:
    from stakes.io import join_keys  # noqa: PLC0415  the only use of it

    if not isinstance(options.file, str):
        refuse(f"--key needs one file of scores: got {len(options.file)} paths.")
    odd = {options.group, *options.slices} - {None, "model", "segment"}
    if options.label or options.scores or options.weight or odd:
        msg = "--key reads lines `model segment score`: only the columns model and segment can be"
        refuse(f"{msg} named, with --group and --slice.")
    table = join_keys(
        options.file, str(options.key), max_bytes=options.max_bytes, patience=options.timeout
    )
    if options.scores_are is None:
        note("scores are read as natural log likelihood ratios; for others give --scores-are.")
    kind, names = options.scores_are or "llr", "nontarget,target"
    return replace(options, label="label", scores="score", classes=names, scores_are=kind), table


def _guessed(options: Options, *, named: bool) -> tuple[Options, str | None]:
    """Fill in columns that were not named, and return which were taken; systems may be `named`."""
    scores = options.scores
    if options.label is not None and "," in options.label and isinstance(options.file, str):
        _refuse_labels(options)
    if options.label is not None and (scores is not None or named):
        return options, None
    if options.engine is not None and is_address(options.file):
        refuse("--label and --scores must be given for a table at an address.")
    if options.file == "-":
        refuse("--label and --scores must be given for standard input, which is read only once.")
    there = column_names(options.file, options.input_format, max_bytes=options.max_bytes)
    several = [name for name in there if f"p_{name}" in there]
    if options.label is None and len(several) > 1:
        refuse(_one_at_a_time("--label must name a column", several))
    label = options.label or _only(_LABELS, "--label", there)
    if scores is None and not named:
        found = [name for name in there if name.startswith("p_")]
        scores = ",".join(found) if found else _only(_SCORES, "--scores", there)
    guess = f"guessed: --label {label}" + (f" --scores {scores}" if scores else "") + "."
    return replace(options, label=label, scores=scores), guess


def _refuse_labels(options: Options) -> None:
    """Refuse several columns of labels, unless there is one of such a name."""
    if options.file == "-" or is_address(options.file):
        return
    there = column_names(options.file, options.input_format, max_bytes=options.max_bytes)
    listed = [name.strip() for name in str(options.label).split(",")]
    if options.label not in there and set(listed) <= set(there):
        rule = f"--label must name one column: got {options.label!r}"
        refuse(_one_at_a_time(rule, listed, (options.scores or "").split(",")))


def _one_at_a_time(rule: str, labels: Sequence[str], scores: Sequence[str] = ()) -> str:
    """Return how labels that do not exclude each other are evaluated."""
    first = plain(labels[0])
    score = plain(scores[0].strip()) if len(scores) == len(labels) else f"p_{first}"
    each = f"stakes evaluate FILE --label {first} --scores {score} --positive 1"
    return f"{rule}. Labels that do not exclude each other are evaluated one by one: {each}."


def _only(usual: Sequence[str], option: str, there: Sequence[str]) -> str:
    """Return the one column that an option can mean, by usual names."""
    found = [name for name in there if name.lower() in usual]
    if len(found) != 1:
        refuse(f"{option} must name a column; the columns are: {plain_list(there)}.")
    return found[0]


def _class_order(request: Request, seen: list[str], table: Columns) -> list[str]:
    """Return the classes in the order of the columns of scores."""
    o, known = request.options, request.known_classes
    if isinstance(table, LongColumns):
        found = [str(name) for name in table.classes]
        listed = found if o.classes is None else parsing.listed_names(o.classes)
        if set(listed) != set(found) or not set(seen) <= set(found):
            msg = f"--class-column must hold all classes: it holds {quoted(found)}, the labels are"
            refuse(f"{msg} {quoted(seen)}.")
        return found
    columns = next(iter(request.systems.values()))
    single = len(parsing.score_columns(columns)) == 1
    if o.classes is None and known is None and single:
        width = table.matrix(parsing.score_columns(columns)).shape[1:]
        if width and set(seen) <= {str(k) for k in range(width[0])}:
            note(f"classes are 0 to {width[0] - 1}, the positions in column {columns}.")
            return [str(k) for k in range(width[0])]
        if o.positive is None and len(seen) > 1:
            if len(seen) > 2:
                rule = f"--scores must name a column for each of the classes {quoted(seen)}"
                refuse(f"{rule}: got {columns!r}.")
            rule = f"--positive must name the class that column {columns!r} is the score of"
            meant = parsing.likely_positive(columns, seen)
            give = " or ".join(f"--positive {name}" for name in ([meant] if meant else seen))
            refuse(f"{rule}: the labels are {quoted(seen)}. Give {give}.")
        if o.positive is not None and len(seen) <= 2:
            alone = {o.positive} if len(seen) < 2 else set()
            return parsing.order_classes({*seen, *alone}, None, o.positive)
    return parsing.class_names(o.classes, columns, seen, known)


def _applications(request: Request, classes: list[str], table: Columns | None) -> Any:  # noqa: ANN401
    built: dict[str, Any] = {}
    for name, text in request.costs.items():
        costs = text.named(classes) if table is None else text.build(classes, table)
        if [str(c) for c in costs.classes] != classes:
            msg = f"--cost must have the classes {quoted(classes)}, in that order: got"
            refuse(f"{msg} {quoted(costs.classes)}.")
        priors = None if text.prior is None else parsing.parse_priors(text.prior, classes) or "data"
        built[name] = Application(costs, priors)
    return built if request.options.applications else built["cost"].costs
