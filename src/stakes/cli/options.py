"""Options, each declared once: its type, its help, the commands that have it, its default.

The name of an option is its key in the application file, too (application_file.py).
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

import click

from stakes.calibration.registry import calibrator_names
from stakes.cli.memory import read_size
from stakes.cli.option_kinds import Choice, FileKind, Number, Whole, either, unit

METHODS = tuple(name for name in calibrator_names() if name != "threshold")  # that needs costs
# Of scores, as their registry has them, which would load numpy; a law holds them together.
KINDS = ("posteriors", "log-posteriors", "logits", "log-likelihoods", "llr", "log10-lr", "lr")
CONFIDENCES = ("probability", "percent", "words", "logprob", "agreement")
LAYOUTS = ("table", "md", "csv", "json", "github")
ENGINES = ("dask", "spark")
WRITTEN = ("posteriors", "log-odds", "llr")  # what calibrate --apply can write
Paths = str | tuple[str, ...]  # one file, directory or pattern, or several
_JUDGING = "evaluate check compare threshold"  # labelled samples
_ANSWERS = "answers check"  # answers to questions; `check` with --answers
_PRINTED = f"{_JUDGING} answers"  # in several forms; these take an application file
APP_COMMANDS = frozenset(_PRINTED.split())
_STAGED = "evaluate check compare"  # with calibration
_TABLES = f"{_JUDGING} calibrate decide"
_READING = f"{_TABLES} answers"
_PAGED = "evaluate compare answers demo"
_MEANT = dict.fromkeys(("percent", "%"), "Divide percentages by 100, and give posteriors.")
_MEMORY = "Read tables that need more memory than this in batches, such as 2GB or 500MB; 0: always."
_MEMORY_OF_ONE = (
    f"{_MEMORY} Default: 100MB for one column of scores, a quarter of the machine's memory for"
    " several."
)


def _option(on: str, help_text: str = "", default: object = None, **more: Any) -> Any:  # noqa: ANN401
    """Declare an option: the commands that have it, its help, its default; for click the rest.

    `flags` are its names where they are not that of the field, `required` the commands that need
    it, `default_on` defaults of single commands; help for a single command is given by its name.
    It is `read` or `written` if it names a file, or may, that the command reads or writes.
    """
    return field(default=default, metadata={"on": on.split(), "help": help_text, **more})


def _column(on: str, help_text: str, default: object = None, **more: Any) -> Any:  # noqa: ANN401
    """Declare an option that names a column."""
    return _option(on, help_text, default, metavar="COLUMN", **more)


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Options:
    """What was typed on a command line, or stands in its application file."""

    file: Paths = ""
    shell: str = ""
    codes: tuple[str, ...] = ()
    applications: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    model_names: Mapping[str, str] = field(default_factory=dict)  # by path

    answers: bool = _option(
        "check demo", "Check answers of a language model, read as by `stakes answers`.",
        default=False,
        demo="Evaluate simulated answers of two language models instead, and write answers.csv.")
    right: str | None = _column(
        _ANSWERS, "Column: is the answer right? true or false, 1 or 0. May be empty if the "
        "model abstained.")
    abstained: str | None = _column(
        _ANSWERS, "Column: did the model abstain? true or false, 1 or 0. In a harness log: the "
        "field that marks an abstention.")
    outcome: str | None = _column(
        _ANSWERS, "Column with right, wrong or abstained. Replaces --right and --abstained.")
    right_is: str = _option(
        _ANSWERS, "With --outcome: the value for a right answer.", "right", metavar="VALUE")
    wrong_is: str = _option(
        _ANSWERS, "With --outcome: the value for a wrong answer.", "wrong", metavar="VALUE")
    abstained_is: str = _option(
        _ANSWERS, "With --outcome: the value for an abstention. In a harness log: the score, or "
        "the value of --abstained, that marks one.", "abstained", metavar="VALUE")
    confidence: str | None = _column(
        _ANSWERS, "Column with the confidence of the model. May be empty if it abstained. In "
        "a harness log: a field, by default `confidence` in the metadata of the score.")
    confidence_is: str = _option(
        _ANSWERS, "What the confidence is: probability, percent, words (see --words), logprob (the "
        "natural logarithm of the answer's probability) or agreement (how many of --samples "
        "agree).", "probability", metavar="KIND", type=Choice(CONFIDENCES))
    words: str | None = _option(
        _ANSWERS, "Probability that each word stands for, such as certain=0.95,likely=0.8, or a "
        ".toml or .json file.", metavar="WORD=NUMBER,...", read=True)
    agreement_samples: int | None = _option(
        _ANSWERS, "With --confidence-is agreement: number of sampled answers.",
        flags=["--samples"], type=Whole(1))
    target: str = _option(
        _ANSWERS, "Confidence target t, such as 0.75 or 75%. A right answer scores 1, a wrong one "
        "-t/(1-t), an abstention 0.", "0.5", metavar="SHARE")
    risk: str | None = _option(
        "answers", "Acceptable share of wrong answers, such as 0.1 or 10%. Default: 1 - t.",
        metavar="SHARE")
    question: str | None = _column(
        _ANSWERS, "Column that identifies the question, to pair the answers of several models. "
        "Repeats of a question are treated as a group.")
    model: str | None = _column(
        _ANSWERS, "Column with the model, in a table with one row per model and question.")
    common: bool = _option(
        "answers", "Keep only questions that all models have.", default=False)
    scorer: str | None = _option(
        _ANSWERS, "inspect: the scorer to use, if there are several.", metavar="NAME")
    metric: str | None = _option(
        _ANSWERS, "The metric that says what is right, such as exact_match.", metavar="NAME")
    log_filter: str | None = _option(
        _ANSWERS, "lm-eval: the filter to use, if there are several.", flags=["--filter"],
        metavar="NAME")
    partial: str | None = _option(
        _ANSWERS, "How to count partial credit: right, wrong, or the lowest score that is right.",
        metavar="RULE")
    abstain_pattern: str | None = _option(
        _ANSWERS, "Regular expression: an answer that matches is an abstention.", metavar="REGEX")
    scores: str | None = _option(
        "evaluate check threshold calibrate decide",
        "Columns with scores, one per class. A single column holds the score of the last class.",
        metavar="COLUMNS", required="calibrate decide")
    decision: str | None = _column("evaluate", "Column with decisions, for a table without scores.")
    systems: tuple[str, ...] = _option(
        "compare", "A system and its columns of scores, such as A=p_a or B=q_0,q_1. Repeat for "
        "each system.", (), flags=["--system"], metavar="NAME=COLUMNS", required="compare")
    reference: str | None = _option(
        "compare", "System to compare the others with. Default: the first.", metavar="NAME")
    margin: float | None = _option(
        "compare", "Non-inferiority margin: the share of the reference's cost that a system may "
        "cost more, such as 0.02. Also tests equivalence (TOST, two one-sided tests).",
        type=Number(0, min_open=True))
    max_nec: float | None = _option(
        "check", "Highest normalised expected cost, in every application.", type=Number())
    max_cross_entropy: float | None = _option(
        "check", "Highest normalised cross-entropy.", type=Number())
    max_brier: float | None = _option("check", "Highest normalised Brier score.", type=Number())
    max_calibration_loss: float | None = _option(
        "check", "Highest share of the cross-entropy that calibration would recover.",
        type=Number())
    min_auc: float | None = _option("check", "Lowest area under the ROC curve.", type=Number())
    min_utility: float | None = _option(
        "check", "With --answers: lowest mean utility at the target.", type=Number())
    max_hallucination_rate: float | None = _option(
        "check", "With --answers: highest share of wrong answers among responses that are not "
        "right.", type=Number())
    most: tuple[str, ...] = _option(
        "check", "Highest value of a metric, by its name in `evaluate --format csv`. Repeatable.",
        (), flags=["--max"], metavar="METRIC=NUMBER")
    least: tuple[str, ...] = _option(
        "check", "Lowest value of a metric. Repeatable.", (), flags=["--min"],
        metavar="METRIC=NUMBER")
    max_loss_against: tuple[str, ...] = _option(
        "check", "Highest share by which the scores may cost more than those in other columns, "
        "such as p_old=0.02, in every application. The upper end of the interval of the ratio (90 "
        "% at --level 0.95) must be within it, with or without --confident.", (),
        metavar="COLUMNS=SHARE")
    confident: bool = _option(
        "check", "Require the whole interval to pass, not just the value.", default=False)
    label: str | None = _column(
        f"{_JUDGING} calibrate", "Column with the true class.",
        calibrate="Column with the true class. Required to fit a calibrator.")
    scores_are: str | None = _option(
        _TABLES, f"What the scores are: {either(KINDS)}. Never guessed.", metavar="KIND",
        required="calibrate decide", type=Choice(KINDS, _MEANT))
    renormalize: bool = _option(
        _TABLES, "Divide each row of posteriors by its sum if it is off by more than rounding.",
        default=False)
    classes: str | None = _option(
        _TABLES, "Classes in the order of the score columns.", metavar="A,B,...")
    positive: str | None = _option(
        _JUDGING, "Class of interest. It becomes the last class.", metavar="CLASS")
    weight: str | None = _column(f"{_PRINTED} calibrate", "Column with sample weights.")
    group: str | None = _column(
        f"{_PRINTED} calibrate", "Column with groups of dependent samples, such as "
        "patients or speakers.",
        calibrate="Column with groups to keep together in folds.",
        answers="Column with groups of dependent questions, such as documents. Default: repeats of "
        "a question.")
    slices: tuple[str, ...] = _column(
        "evaluate answers", "Column to break results down by. Repeatable.", (),
        flags=["--slice"])
    key: str | None = _option(
        "evaluate check", "Key file, for scores in lines `model segment score`.", metavar="FILE",
        read=True)
    sample: str | None = _column(
        _JUDGING, "Column that identifies the sample, in a table with one row per sample and "
        "class.", flags=["--id"])
    class_column: str | None = _column(
        _JUDGING, "Column with the class of each score, in such a table.")
    cost: str | None = _option(
        f"{_JUDGING} decide", "Costs of errors: miss=5,false_alarm=1; a .toml or .csv file; or a "
        "matrix '[[0,1],[5,0]]'. A price may be a column: miss=amount.",
        decide="Costs of errors, as for evaluate.", metavar="COSTS", required="decide", read=True)
    dcf: tuple[str, ...] = _option(
        _JUDGING, "Detection cost function: miss:false_alarm:prior, such as 10:1:0.01. "
        "Repeatable.", (), metavar="COSTS")
    abstain: str | None = _option(
        f"{_JUDGING} decide", "Price of abstaining, or the column that holds it.", metavar="PRICE")
    prior: str | None = _option(
        _TABLES, "Class frequencies in deployment: 0.02 (for the class of interest), "
        "healthy=0.98,tumour=0.02, 0.98,0.02, or data (the default: as in the data).",
        metavar="PRIORS",
        calibrate="Priors to calibrate for. Default: as in the data. With --apply: priors in "
        "deployment. Default: those of the calibrator.",
        decide="Priors in deployment. Required for likelihoods without a calibrator.")
    training_prior: str | None = _option(
        f"{_JUDGING} decide", "Priors that the posteriors are at, required where posteriors meet "
        "--prior: data (trained on data like these; they are adapted), deployment (already at "
        "--prior), or numbers.", metavar="PRIORS",
        decide="Priors that the posteriors are at: deployment (already at --prior), or numbers; "
        "then they are adapted to --prior. A calibrator knows its own.")
    rules: tuple[str, ...] = _option(
        _STAGED, "Another scoring rule, in addition to cross-entropy and Brier score, such as "
        "spherical or 'threshold_range(0.1, 0.4)'. Repeatable.", (), flags=["--rule"],
        metavar="NAME")
    review: float | None = _option(
        "threshold decide", "Largest share of cases that can be reviewed, such as 0.05.",
        decide="Largest share of cases that may get the second of two decisions. Cases with the "
        "largest expected savings go first; ties are decided alike.", type=Number(0, 1))
    method: str = _option(
        f"{_STAGED} answers", f"Calibrator used to measure calibration loss: "
        f"{either((*METHODS, 'none'))}.", "affine", flags=["--calibrator"], metavar="NAME",
        type=Choice((*METHODS, "none")), default_on={"compare": "none", "answers": "isotonic"},
        answers="Calibrator that maps confidence to the probability of a right answer: "
        f"{either((*METHODS, 'none'))}.",
        check=f"Calibrator used to measure calibration loss: {either((*METHODS, 'none'))}. With "
        "--answers isotonic by default.")
    learner: str = _option(
        "calibrate", f"Calibrator to fit: {either(METHODS)}.", "affine", flags=["--method"],
        metavar="NAME", type=Choice(METHODS))
    folds: int = _option(
        f"{_STAGED} calibrate answers", "Number of folds for cross-fitting the calibrator.", 5,
        type=Whole(2))
    level: float = _option(
        _PRINTED, "Confidence level of intervals.", 0.95,
        type=Number(0, 1, min_open=True, max_open=True))
    seed: int = _option(
        f"{_STAGED} calibrate demo answers", "Random seed for folds.", 0,
        type=Whole(0))
    apply: str | None = _option(
        "calibrate", "Apply this calibrator file instead of fitting one.", metavar="FILE",
        read=True)
    write: str | None = _option(
        "calibrate", "With --apply: write posteriors (the default), log-odds, or llr (log "
        "likelihood ratios, which serve any priors).", metavar="KIND", type=Choice(WRITTEN))
    prefix: str = _option("decide", "Prefix for the names of the new columns.", "", metavar="TEXT")
    calibrator_file: str | None = _option(
        "decide", "Calibrator file to apply to the scores first.", metavar="FILE", read=True)
    details: bool = _option(
        "evaluate compare answers", "Print all metrics and classes.", default=False,
        compare="Print the differences in all metrics.", answers="Print all metrics and slices.")
    html: str | None = _option(
        f"{_PAGED} reproduce", "Also write an interactive report: one self-contained HTML "
        "file.", metavar="PATH", written=True,
        reproduce="Also write everything as one HTML page.",
        demo="Also write the interactive report on the biopsies.")
    title: str = _option(_PAGED, "With --html: title of the page.", "", metavar="TEXT")
    date: str = _option(
        _PAGED, "With --html: date below the title, shown as written.", "", metavar="TEXT")
    unit: str = _option(
        "evaluate compare", "Unit of the costs, such as EUR, or what one unit of cost is worth, "
        "such as '250 EUR'. Costs are then also shown in it.", "", metavar="UNIT", callback=unit,
        compare="With --html: unit of the costs, such as EUR, or what one unit of cost is worth, "
        "such as '250 EUR'. Costs on the page are then also shown in it.")
    layout: str = _option(
        _PRINTED, f"Output format: {either(LAYOUTS)}. github adds Markdown to the job summary of "
        "GitHub Actions and annotates the run.", "table", flags=["--format"], metavar="NAME",
        type=Choice(LAYOUTS, {"html": "For a page give --html PATH."}))
    as_json: bool = _option(
        f"{_READING} demo explain reproduce", "Print JSON; short for --format json.", default=False,
        flags=["--json"], demo="Print JSON.", explain="Print JSON.", reproduce="Print JSON.",
        calibrate="Print JSON.", decide="Print JSON.")
    list_codes: bool = _option(
        "explain", "List all codes, one per line.", default=False, flags=["--list"])
    output: str | None = _option(
        f"{_READING} reproduce", "Write to this file instead of standard output.",
        flags=["-o", "--output"], metavar="PATH", required="calibrate decide", written=True,
        default_on={"reproduce": "reproduction"}, reproduce="Directory for the figures.",
        calibrate="File to write: the calibrator (.json) or, with --apply, the table.",
        decide="Table to write.")
    force: bool = _option(
        f"{_READING} demo reproduce", "Overwrite existing files.", default=False,
        reproduce="Overwrite the page if it exists.", demo="Overwrite the page if it exists.")
    no_file: bool = _option("demo", "Do not write stakes-demo.json or answers.csv.", default=False)
    no_figures: bool = _option("reproduce", "Print the tables only.", default=False)
    memory: int | None = _option(
        _TABLES, f"{_MEMORY} Default: a quarter of the machine's memory.",
        metavar="SIZE", callback=read_size, evaluate=_MEMORY_OF_ONE, check=_MEMORY_OF_ONE)
    resume: str | None = _option(
        "evaluate check", "Read in batches and save progress to FILE every ten seconds. If FILE "
        "exists, continue from it. It is removed when the run succeeds.", metavar="FILE",
        written=True)
    engine: str | None = _option(
        _STAGED, "Read the table with the workers of dask or spark, by default on this machine.",
        metavar="NAME", type=Choice(ENGINES))
    scheduler: str | None = _option(
        _STAGED, "Address of a Dask scheduler, such as tcp://host:8786.", metavar="ADDRESS")
    master: str | None = _option(
        _STAGED, "Address of a Spark master, such as spark://host:7077.", metavar="ADDRESS")
    remote: str | None = _option(
        _STAGED, "Address of a Spark Connect server, such as sc://host:15002.", metavar="ADDRESS")
    input_format: str | None = _option(
        _READING, "File format, such as csv or parquet. Default: by the file's extension.",
        metavar="FORMAT", type=FileKind())
    max_bytes: int | None = _option(
        _READING, "Refuse input larger than this.", type=Whole(1))
    timeout: float = _option(
        _READING, "Seconds to wait for the first byte of a pipe.", 60.0, type=Number(0))
    # fmt: on

    @property
    def reading(self) -> dict[str, Any]:
        """How a table is to be read."""
        return {"kind": self.input_format, "max_bytes": self.max_bytes, "patience": self.timeout}


DECLARED = [declared for declared in fields(Options) if declared.metadata]


def options_of(command: str) -> list[click.Option]:
    """Return the options of a command for click, in the order of their declaration."""
    return [_for_click(d, command) for d in DECLARED if command in d.metadata["on"]]


def commands_with(flag: str) -> list[str]:
    """Return the commands that have an option."""
    return next((sorted(d.metadata["on"]) for d in DECLARED if flag in flags_of(d)), [])


def application_keys() -> set[str]:
    """Return the keys that an application file may hold for any command that takes one."""
    some = [d for d in DECLARED if APP_COMMANDS & set(d.metadata["on"])]
    return {flags_of(declared)[-1].removeprefix("--") for declared in some}


def files_read(options: Options) -> list[Any]:
    """Return what stands in options that may name a file to read; FILE itself is none of them."""
    return [getattr(options, d.name) for d in DECLARED if d.metadata.get("read")]


def files_written(options: Options) -> dict[str, str]:
    """Return the files to write, by option."""
    written = (d for d in DECLARED if d.metadata.get("written"))
    found = {flag_of(d.name): getattr(options, d.name) for d in written}
    return {flag: path for flag, path in found.items() if path is not None}


def typed(name: str) -> bool:
    """Whether an option was typed, and does not come from an application file."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def is_default(name: str) -> bool:
    """Whether an option was neither typed nor given by an application file."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT


def flag_of(name: str) -> str:
    """Return how an option is typed."""
    return next(flags_of(declared)[-1] for declared in DECLARED if declared.name == name)


def flags_of(declared: "Field[Any]") -> list[str]:
    """Return the names of an option, the long one last."""
    found: list[str] = declared.metadata.get("flags", [f"--{declared.name.replace('_', '-')}"])
    return found


def _for_click(declared: "Field[Any]", command: str) -> click.Option:
    told = declared.metadata
    default = told.get("default_on", {}).get(command, declared.default)
    settings = {name: told[name] for name in ("type", "metavar", "callback") if name in told}
    if default == ():
        settings["multiple"] = True
    elif default is False:
        settings["is_flag"] = True
    elif default is not None:
        settings.update(default=default, show_default=default != "")
    return click.Option(
        [*flags_of(declared), declared.name],
        help=told.get(command, told["help"]),
        required=command in told.get("required", ""),
        **settings,
    )
