"""Options that commands share, and the application file that can hold them all."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from stakes._files import read_text
from stakes._text import plain, quoted
from stakes.calibration.registry import calibrator_names
from stakes.cli.memory import read_size

KINDS = ("posteriors", "log-posteriors", "logits", "log-likelihoods", "llr", "log10-lr", "lr")
METHODS = tuple(name for name in calibrator_names() if name != "threshold")  # that needs costs
WRITTEN = ("posteriors", "log-odds", "llr")  # what calibrate --apply can write
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 50, 1_000_000
# Options that some commands have and others pass over, so that one application file serves all.
ELSEWHERE = frozenset(
    [
        "scores",
        "decision",
        "slice",
        "key",
        "system",
        "reference",
        "margin",
        "review",
        "details",
        "html",
        "calibrator",
        "folds",
        "level",
        "resamples",
        "seed",
        "confident",
        "max",
        "min",
        "max-nec",
        "max-cross-entropy",
        "max-brier",
        "max-calibration-loss",
        "min-auc",
        "max-loss-against",
        "memory",
        "resume",
    ]
)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FileKind(click.ParamType[str]):
    """A kind of file; kinds take long to load, so that they are looked up where one is given."""

    name = "kind"

    def _choice(self) -> click.Choice[str]:
        """Return the choice among all kinds."""
        from stakes.io.readers import file_kinds  # noqa: PLC0415

        return click.Choice(file_kinds(), case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a kind."""
        return self._choice().convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete a kind."""
        return self._choice().shell_complete(ctx, param, incomplete)


class Number(click.FloatRange):
    """A number in a range; NaN, which no range of click refuses, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a number."""
        try:
            known = float(value)
        except ValueError:
            known = math.nan
        if math.isnan(known):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return super().convert(value, param, ctx)

    def _describe_range(self) -> str:
        """Return the range for the help; nothing where there is none."""
        return "" if self.min is None and self.max is None else super()._describe_range()


LEVEL = Number(0, 1, min_open=True, max_open=True)


def _read_application(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
    """Take values for options from a TOML file; what is typed goes before it."""
    if value is None:
        return
    entries = _entries(value)
    known = _by_option(ctx.command)
    ctx.meta["stakes.app"] = value
    given: dict[str, Any] = {}
    for key, entry in entries.items():
        parameter = known.get(key.replace("_", "-"))
        if key == "applications":
            ctx.meta["stakes.applications"] = _applications(entry, value)
        elif parameter is not None:
            given[str(parameter.name)] = _default(parameter, entry)
        elif key.replace("_", "-") not in ELSEWHERE:
            listed = quoted(sorted(known), most=40)
            msg = f"--app {plain(value)!r}: there is no option {key!r} here; those are {listed}."
            raise click.UsageError(msg)
    ctx.default_map = {**(ctx.default_map or {}), **given}


def _by_option(command: click.Command) -> dict[str, click.Parameter]:
    """Return the options of a command by their long names."""
    options = [p for p in command.params if isinstance(p, click.Option) and p.expose_value]
    return {o.removeprefix("--"): p for p in options for o in p.opts if o.startswith("--")}


def _entries(path: str) -> dict[str, Any]:
    """Read an application file, TOML or JSON."""
    import tomllib  # noqa: PLC0415  slow to load, and seldom asked for

    try:
        text = read_text(path)
        if path.lower().endswith(".json"):
            entries = json.loads(text, object_pairs_hook=_each_once)
        else:
            entries = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # InputError is a ValueError
        msg = f"--app {plain(path)!r} must be a TOML or JSON file: {error}"
        raise click.UsageError(msg.rstrip(".") + ".") from error
    if not isinstance(entries, dict):
        msg = f"--app {plain(path)!r} must hold options by name, such as label and cost."
        raise click.UsageError(msg)
    return entries


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; a name that is there twice is refused."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"{plain(twice)!r} is there twice"
        raise ValueError(msg)
    return dict(pairs)


def _default(parameter: click.Parameter, entry: object) -> str | list[str]:
    """Return a value as it would be typed; a list of them where an option may be repeated."""
    if not getattr(parameter, "multiple", False):
        return _text(entry)
    return [_text(e) for e in entry] if isinstance(entry, list) else [_text(entry)]


def _applications(entry: object, source: str) -> dict[str, dict[str, str]]:
    """Read the tables [applications.NAME] with cost, prior, abstain or dcf."""
    allowed = {"cost", "prior", "abstain", "dcf"}
    if not isinstance(entry, dict) or not all(isinstance(v, dict) for v in entry.values()):
        msg = f"--app {plain(source)!r}: applications must be tables, [applications.NAME]."
        raise click.UsageError(msg)
    for name, table in entry.items():
        odd = set(table) - allowed
        if odd:
            msg = f"--app {plain(source)!r}: application {plain(name)!r} may hold"
            raise click.UsageError(f"{msg} {quoted(sorted(allowed))}: got {quoted(sorted(odd))}.")
    return {name: {k: _text(v) for k, v in table.items()} for name, table in entry.items()}


def _text(entry: object) -> str:
    """Return a value of a TOML file as it would be typed."""
    if isinstance(entry, bool):
        return str(entry).lower()
    if isinstance(entry, dict):
        if "matrix" in entry or any("," in name or name != name.strip() for name in entry):
            return json.dumps(entry)  # as such names cannot be typed
        return ",".join(f"{name}={_text(value)}" for name, value in entry.items())
    if isinstance(entry, list):
        nested = any(isinstance(e, list) for e in entry)
        return json.dumps(entry) if nested else ",".join(_text(e) for e in entry)
    return str(entry)


def _resamples(ctx: click.Context, param: click.Parameter, value: int) -> int:  # noqa: ARG001
    """Refuse numbers of resamples that give no interval, or no end."""
    if value and not _FEWEST_RESAMPLES <= value <= _MOST_RESAMPLES:
        msg = f"--resamples must be 0, or from {_FEWEST_RESAMPLES} to {_MOST_RESAMPLES}:"
        raise click.UsageError(f"{msg} got {value}.")
    return value


_APP = click.option(
    "--app", is_eager=True, expose_value=False, callback=_read_application, metavar="FILE",
    help="A TOML or JSON file that holds any of these options.",
)  # fmt: skip
_TABLE = [
    click.option("--input-format", type=FileKind(), metavar="KIND",
                 help="Kind of the file, such as csv or parquet, where its ending does not tell."),
    click.option("--max-bytes", type=click.IntRange(1), help="Refuse longer input."),
    click.option("--timeout", type=Number(0), default=60.0, show_default=True,
                 help="Seconds to wait for the first byte of a pipe."),
]  # fmt: skip
_RENORMALIZE = "Divide rows of posteriors by their sums, where these are off by more than rounding."
_COLUMNS = [
    click.option("--label", help="Column of the true classes."),
    click.option("--scores-are", type=click.Choice(KINDS),
                 help="What the scores are; it is never guessed."),
    click.option("--renormalize", is_flag=True, help=_RENORMALIZE),
    click.option("--classes", help="Names in the order of the score columns, such as a,b."),
    click.option("--positive", help="The class of interest, which comes last."),
    click.option("--weight", help="Column of sample weights."),
    click.option("--group", help="Column of groups that belong together: patients, speakers."),
    click.option("--id", "sample", help="Column that names the sample, in a table with a row for "
                 "each sample and class."),
    click.option("--class-column", help="Column that names the class of a score in such a table."),
]  # fmt: skip
_SCORES = [
    click.option("--scores", required=True,
                 help="Columns of scores, one per class; a single column is the score of the last "
                 "class."),
    click.option("--scores-are", type=click.Choice(KINDS), required=True,
                 help="What the scores are; it is never guessed."),
    click.option("--renormalize", is_flag=True, help=_RENORMALIZE),
    click.option("--classes", help="Names in the order of the score columns."),
]  # fmt: skip
_PROBLEM = [
    click.option("--cost", help="miss=5,false_alarm=1; a .toml or .csv file; '[[0,1],[5,0]]'. "
                 "Prices may be columns: miss=amount."),
    click.option("--dcf", multiple=True,
                 help="Detection cost, miss:false_alarm:prior, such as 10:1:0.01."),
    click.option("--abstain", help="Price of not deciding, or its column."),
    click.option("--prior", help="How often classes will occur: 0.02 (of the class of interest), "
                 "healthy=0.98,tumour=0.02, 0.98,0.02, or data (the default)."),
    click.option("--training-prior", help="Priors that the posteriors were trained with, in the "
                 "same forms; they are adapted to --prior."),
]  # fmt: skip
_INTERVALS = [
    click.option("--level", default=0.95, show_default=True, help="Level of the intervals.",
                 type=LEVEL),
    click.option("--resamples", type=int, default=1000, show_default=True, callback=_resamples,
                 help="Number of bootstrap resamples, for metrics without a closed-form interval; "
                 "0 leaves those intervals out."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                 help="Seed of folds and resamples."),
]  # fmt: skip
_CALIBRATION = [
    click.option("--calibrator", "method", type=click.Choice((*METHODS, "none")), default="affine",
                 show_default=True, help="Calibrator used to measure calibration loss."),
    click.option("--folds", type=click.IntRange(2), default=5, show_default=True),
]  # fmt: skip
_OUTPUT = [
    click.option("--format", "layout", type=click.Choice(("table", "md", "csv", "json")),
                 default="table", show_default=True, help="How to print."),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option("-o", "--output", help="Write there instead of to standard output."),
    click.option("--force", is_flag=True, help="Overwrite the output file."),
]  # fmt: skip


def refuse_typed(options: dict[str, str], reason: str) -> None:
    """Refuse options that were typed though they have no effect."""
    ctx = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    odd = [flag for name, flag in options.items() if ctx.get_parameter_source(name) is typed]
    if odd:
        raise click.UsageError(without_effect(odd, f"with {reason}"))


def without_effect(flags: Sequence[str], where: str) -> str:
    """Return the error about options that change nothing there."""
    verb, them = ("has", "it") if len(flags) == 1 else ("have", "them")
    return f"{', '.join(flags)} {verb} no effect {where}; remove {them}."


def _all(options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds options in their order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_MEMORY = "Read tables in batches whose columns would take more memory than this: 2GB, 500MB;"
memory_option = click.option(
    "--memory", metavar="SIZE", callback=read_size,
    help=f"{_MEMORY} by default a quarter of the machine's memory, and 0 for always.",
)  # fmt: skip
_memory_of_one = click.option(
    "--memory", metavar="SIZE", callback=read_size,
    help=f"{_MEMORY} by default 100MB for one column of scores and a quarter of the machine's"
    " memory for several, and 0 for always.",
)  # fmt: skip
_STREAM = [
    _memory_of_one,
    click.option("--resume", metavar="FILE",
                 help="Read in batches and save every ten seconds in FILE how far that is; if FILE "
                 "is there, go on from it. It is removed when the run succeeds."),
]  # fmt: skip


def _one_or_several(
    ctx: click.Context,  # noqa: ARG001
    param: click.Parameter,  # noqa: ARG001
    value: tuple[str, ...],
) -> str | tuple[str, ...]:
    """Return a single path as it is."""
    return value[0] if len(value) == 1 else value


paths_argument = click.argument(
    "file", nargs=-1, required=True, metavar="PATH...", callback=_one_or_several
)
stream_options = _all(_STREAM)
table_options = _all([*_TABLE, _APP])
reading_options = _all(_TABLE)
score_options = _all(_SCORES)
column_options = _all(_COLUMNS)
problem_options = _all(_PROBLEM)
interval_options = _all(_INTERVALS)
calibration_options = _all(_CALIBRATION)
output_options = _all(_OUTPUT)
page_option = click.option(
    "--html", metavar="PATH",
    help="Also write a live page: one file, to be opened in a browser and sent around.",
)  # fmt: skip
scores_option = click.option(
    "--scores",
    help="Columns of scores, one per class; a single column is the score of the last class.",
)
