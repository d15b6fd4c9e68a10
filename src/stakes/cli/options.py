"""Options, each declared once: its type, its help, the commands that have it, its default.

The name of an option is its key in the application file, too (application_file.py).
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

import click

from stakes.calibration.registry import calibrator_names
from stakes.cli.memory import read_size
from stakes.cli.messages import refuse
from stakes.cli.option_kinds import FileKind, Number, resamples, unit

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
_STAGED = "evaluate check compare"  # with calibration and resampled intervals
_TABLES = f"{_JUDGING} calibrate decide"
_READING = f"{_TABLES} answers"
_PAGED = "evaluate compare answers demo"
_MEMORY = "Read tables in batches whose columns would take more memory than this: 2GB, 500MB;"
_MEMORY_OF_ONE = (
    f"{_MEMORY} by default 100MB for one column of scores and a quarter of the machine's memory for"
    " several, and 0 for always."
)


def _option(on: str, help_text: str = "", default: object = None, **more: Any) -> Any:  # noqa: ANN401
    """Declare an option: the commands that have it, its help, its default; for click the rest.

    `flags` are its names where they are not that of the field, `required` the commands that need
    it, `default_on` defaults of single commands; help for a single command is given by its name.
    """
    return field(default=default, metadata={"on": on.split(), "help": help_text, **more})


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
        "check demo", "Hold answers of a language model against the limits, as `stakes answers` "
        "reads them.", default=False,
        demo="Judge simulated answers of two language models instead, and write answers.csv.")
    right: str | None = _option(
        _ANSWERS, "Column that says whether the answer is right: true or false, 1 or 0; it may be "
        "missing where the model abstained.")
    abstained: str | None = _option(
        _ANSWERS, "Column that says whether the model gave no answer: true or false, 1 or 0. Of a "
        "harness's log: the field that marks it.")
    outcome: str | None = _option(
        _ANSWERS, "Column that says right, wrong or abstained, instead of --right and --abstained.")
    right_is: str = _option(
        _ANSWERS, "With --outcome: what the column calls a right answer.", "right", metavar="TEXT")
    wrong_is: str = _option(
        _ANSWERS, "With --outcome: what it calls a wrong answer.", "wrong", metavar="TEXT")
    abstained_is: str = _option(
        _ANSWERS, "With --outcome: what it calls an abstention. Of a harness's log: the score, or "
        "the value of --abstained, that marks one.", "abstained", metavar="TEXT")
    confidence: str | None = _option(
        _ANSWERS, "Column that says how sure the model was; it may be missing where it abstained. "
        "Of a harness's log: the field, by default `confidence` of the score's metadata.")
    confidence_is: str = _option(
        _ANSWERS, "What the confidence is: a probability, percent, words that --words declares, "
        "the natural logarithm of the answer's probability, or how many of --samples agree.",
        "probability", type=click.Choice(CONFIDENCES, case_sensitive=False))
    words: str | None = _option(
        _ANSWERS, "Probability that each word states, such as certain=0.95,likely=0.8, or a .toml "
        "or .json file of them.", metavar="WORD=NUMBER,...")
    agreement_samples: int | None = _option(
        _ANSWERS, "How many samples of the answer were drawn, for --confidence-is agreement.",
        flags=["--samples"], type=click.IntRange(1))
    target: str = _option(
        _ANSWERS, "Confidence target t, such as 0.75 or 75%: +1 for a right answer, -t/(1-t) for a "
        "wrong one, 0 for none.", "0.5", metavar="SHARE")
    risk: str | None = _option(
        "answers", "Share of wrong answers that is acceptable, such as 0.1 or 10%; by default "
        "1 - t.", metavar="SHARE")
    question: str | None = _option(
        _ANSWERS, "Column that names the question: it pairs the answers of several models. A "
        "question that is asked several times is a group.")
    model: str | None = _option(
        _ANSWERS, "Column that names the model, in a table with a row for each model and question.")
    common: bool = _option(
        "answers", "Keep only the questions that all models have.", default=False)
    scorer: str | None = _option(
        _ANSWERS, "Of a log of inspect: the scorer that says what is right, if there are several.")
    metric: str | None = _option(
        _ANSWERS, "Of a harness's log: the metric that says what is right, such as exact_match.")
    log_filter: str | None = _option(
        _ANSWERS, "Of a log of lm-eval: the filter that counts, where there are several.",
        flags=["--filter"])
    partial: str | None = _option(
        _ANSWERS, "Of a harness's log: how partial credit counts: right, wrong, or the least value "
        "that is right.")
    abstain_pattern: str | None = _option(
        _ANSWERS, "Of a harness's log: a regular expression that marks an abstention where it is "
        "found in what the model said.", metavar="REGEX")
    scores: str | None = _option(
        "evaluate check threshold calibrate decide",
        "Columns of scores, one per class; a single column is the score of the last class.",
        required="calibrate decide")
    decision: str | None = _option("evaluate", "Column of decisions, where there are no scores.")
    systems: tuple[str, ...] = _option(
        "compare",
        "A system and its columns of scores, such as A=p_a or B=q_0,q_1. Give two or more.", (),
        flags=["--system"], metavar="NAME=COLUMNS", required="compare")
    reference: str | None = _option("compare", "The system to compare with; by default the first.")
    margin: float | None = _option(
        "compare",
        "Share of the reference's cost that a system may cost more, such as 0.02: says which "
        "systems cost at most that much more, and which cost the same for practical purposes; "
        "two one-sided tests (TOST).", type=Number(0, min_open=True))
    max_nec: float | None = _option(
        "check", "Largest normalised expected cost, in every application.", type=Number())
    max_cross_entropy: float | None = _option(
        "check", "Largest normalised cross-entropy.", type=Number())
    max_brier: float | None = _option("check", "Largest normalised Brier score.", type=Number())
    max_calibration_loss: float | None = _option(
        "check", "Largest share of the cross-entropy that calibration would recover.",
        type=Number())
    min_auc: float | None = _option("check", "Smallest area under the ROC curve.", type=Number())
    min_utility: float | None = _option(
        "check", "With --answers: smallest mean utility at the target.", type=Number())
    max_hallucination_rate: float | None = _option(
        "check", "With --answers: largest share of wrong answers among responses that are not "
        "right.", type=Number())
    most: tuple[str, ...] = _option(
        "check", "Largest value of any metric that evaluate --format csv lists.", (),
        flags=["--max"], metavar="METRIC=NUMBER")
    least: tuple[str, ...] = _option(
        "check", "Smallest value.", (), flags=["--min"], metavar="METRIC=NUMBER")
    max_loss_against: tuple[str, ...] = _option(
        "check",
        "Largest share by which the scores may cost more than those in other columns, such as "
        "p_old=0.02, in every application; the upper end of the ratio's interval (90 % at --level "
        "0.95) must be within it, with or without --confident.", (), metavar="COLUMNS=SHARE")
    confident: bool = _option(
        "check", "The whole interval must pass, not the value alone.", default=False)
    label: str | None = _option(
        f"{_JUDGING} calibrate", "Column of the true classes.",
        calibrate="Column of the true classes; needed to learn.")
    scores_are: str | None = _option(
        _TABLES, "What the scores are; it is never guessed.", required="calibrate decide",
        type=click.Choice(KINDS, case_sensitive=False))
    renormalize: bool = _option(
        _TABLES, "Divide rows of posteriors by their sums, where these are off by more than "
        "rounding.", default=False)
    classes: str | None = _option(_TABLES, "Names in the order of the score columns, such as a,b.")
    positive: str | None = _option(_JUDGING, "The class of interest, which comes last.")
    weight: str | None = _option(f"{_PRINTED} calibrate", "Column of sample weights.")
    group: str | None = _option(
        f"{_PRINTED} calibrate", "Column of groups that belong together: patients, speakers.",
        calibrate="Column of groups that folds must not part.",
        answers="Column of groups that belong together, such as documents; by default questions "
        "that are asked several times.")
    slices: tuple[str, ...] = _option(
        "evaluate answers", "Column to break results down by.", (), flags=["--slice"])
    key: str | None = _option(
        "evaluate check", "Key file, for scores in lines `model segment score`.")
    sample: str | None = _option(
        _JUDGING, "Column that names the sample, in a table with a row for each sample and class.",
        flags=["--id"])
    class_column: str | None = _option(
        _JUDGING, "Column that names the class of a score in such a table.")
    cost: str | None = _option(
        f"{_JUDGING} decide", "miss=5,false_alarm=1; a .toml or .csv file; '[[0,1],[5,0]]'. "
        "Prices may be columns: miss=amount.",
        decide="What errors cost, as for evaluate.", required="decide")
    dcf: tuple[str, ...] = _option(
        _JUDGING, "Detection cost, miss:false_alarm:prior, such as 10:1:0.01.", ())
    abstain: str | None = _option(f"{_JUDGING} decide", "Price of not deciding, or its column.")
    prior: str | None = _option(
        _TABLES, "How often classes will occur: 0.02 (of the class of interest), "
        "healthy=0.98,tumour=0.02, 0.98,0.02, or data (the default).",
        calibrate="Priors to calibrate for, by default those of the data; with --apply the "
        "priors of use, by default those of the calibrator.",
        decide="Priors of use; needed for likelihoods without a calibrator.")
    training_prior: str | None = _option(
        f"{_JUDGING} decide", "Priors that the posteriors were trained with, in the same forms; "
        "they are adapted to --prior.",
        decide="Priors that posteriors were fitted with: they are adapted to --prior. A "
        "calibrator keeps its own.")
    rules: tuple[str, ...] = _option(
        _STAGED, "A scoring rule beside cross-entropy and Brier score, such as spherical or "
        "'threshold_range(0.1, 0.4)'.", (), flags=["--rule"], metavar="NAME")
    review: float | None = _option(
        "threshold decide", "The largest share of cases that can be reviewed, such as 0.05.",
        decide="The largest share of cases that can get the second of two decisions: the largest "
        "expected savings go first, and equal cases are decided alike.", type=Number(0, 1))
    method: str = _option(
        f"{_STAGED} answers", "Calibrator used to measure calibration loss.", "affine",
        flags=["--calibrator"], type=click.Choice((*METHODS, "none")),
        default_on={"compare": "none", "answers": "isotonic"},
        answers="Calibrator that turns confidence into the chance to be right.",
        check="Calibrator used to measure calibration loss; with --answers isotonic by default.")
    learner: str = _option(
        "calibrate", "How to calibrate.", "affine", flags=["--method"], type=click.Choice(METHODS))
    folds: int = _option(
        f"{_STAGED} calibrate answers", "Folds that calibrators are cross-fitted on.", 5,
        type=click.IntRange(2))
    level: float = _option(
        _PRINTED, "Level of the intervals.", 0.95, type=Number(0, 1, min_open=True, max_open=True))
    resamples: int = _option(
        _STAGED, "Number of bootstrap resamples, for metrics without a closed-form interval; 0 "
        "leaves those intervals out.", 1000, type=int, callback=resamples)
    seed: int = _option(
        f"{_STAGED} calibrate demo answers", "Seed of folds and resamples.", 0,
        type=click.IntRange(0), calibrate="Seed of the folds.", answers="Seed of the folds.")
    apply: str | None = _option("calibrate", "A calibrator file to apply instead of learning one.")
    write: str | None = _option(
        "calibrate", "With --apply: posteriors (the default), log odds, or log likelihood ratios, "
        "which serve any priors.", type=click.Choice(WRITTEN))
    prefix: str = _option("decide", "Put before the names of the new columns.", "")
    calibrator_file: str | None = _option("decide", "A calibrator file to apply first.")
    details: bool = _option(
        "evaluate compare answers", "Print all metrics and classes.", default=False,
        compare="Print the differences of all metrics.", answers="Print all metrics and slices.")
    html: str | None = _option(
        f"{_PAGED} reproduce", "Also write a live page: one file, to be opened in a "
        "browser and sent around.", metavar="PATH",
        reproduce="Also write all of it as one live page.",
        demo="Also write the live page of the biopsies.")
    title: str = _option(_PAGED, "With --html: heading of the page.", "")
    date: str = _option(
        _PAGED, "With --html: a date to stand under the heading, as you write it.", "",
        metavar="TEXT")
    unit: str = _option(
        "evaluate compare", "Unit of the costs, such as EUR, or what one unit of cost is, such as "
        "'250 EUR': costs are then also told in it.", "", metavar="UNIT", callback=unit)
    layout: str = _option(
        _PRINTED, "How to print; github adds Markdown to the summary of a step of GitHub Actions "
        "and annotates the run.", "table", flags=["--format"], type=click.Choice(LAYOUTS))
    as_json: bool = _option(
        f"{_READING} demo explain reproduce", "Print one JSON document.", default=False,
        flags=["--json"])
    list_codes: bool = _option(
        "explain", "List all codes, a line each.", default=False, flags=["--list"])
    output: str | None = _option(
        f"{_READING} reproduce", "Write there instead of to standard output.",
        flags=["-o", "--output"], required="calibrate decide",
        default_on={"reproduce": "reproduction"}, reproduce="Directory for the figures.",
        calibrate="Where to write: calibrator .json, or table.", decide="Table to write.")
    force: bool = _option(
        f"{_READING} demo reproduce", "Overwrite the output file.", default=False,
        reproduce="Replace the page if it exists.", demo="Replace the page if it exists.")
    no_file: bool = _option("demo", "Do not write stakes-demo.json, or answers.csv.", default=False)
    no_figures: bool = _option("reproduce", "Print the tables only.", default=False)
    memory: int | None = _option(
        _TABLES, f"{_MEMORY} by default a quarter of the machine's memory, and 0 for always.",
        metavar="SIZE", callback=read_size, evaluate=_MEMORY_OF_ONE, check=_MEMORY_OF_ONE)
    resume: str | None = _option(
        "evaluate check", "Read in batches and save every ten seconds in FILE how far that is; if "
        "FILE is there, go on from it. It is removed when the run succeeds.", metavar="FILE")
    engine: str | None = _option(
        _STAGED, "Read the table on the workers of an engine: Dask or Spark. Without an address it "
        "is started here.", type=click.Choice(ENGINES, case_sensitive=False))
    scheduler: str | None = _option(
        _STAGED, "Address of a scheduler of Dask, such as tcp://host:8786.", metavar="ADDRESS")
    master: str | None = _option(
        _STAGED, "Address of a master of Spark, such as spark://host:7077.", metavar="ADDRESS")
    remote: str | None = _option(
        _STAGED, "Address of a Spark Connect server, such as sc://host:15002.", metavar="ADDRESS")
    input_format: str | None = _option(
        _READING, "Kind of the file, such as csv or parquet, where its ending does not tell.",
        metavar="KIND", type=FileKind())
    max_bytes: int | None = _option(_READING, "Refuse longer input.", type=click.IntRange(1))
    timeout: float = _option(
        _READING, "Seconds to wait for the first byte of a pipe.", 60.0, type=Number(0))
    # fmt: on

    @property
    def reading(self) -> dict[str, Any]:
        """How a table is to be read."""
        return {"kind": self.input_format, "max_bytes": self.max_bytes, "patience": self.timeout}


_DECLARED = [declared for declared in fields(Options) if declared.metadata]
# What has an effect beside an option that asks for something else; all other options are refused.
_EFFECTIVE = {
    "decision": "label classes positive weight cost prior level resamples seed details html title"
    " date unit layout as_json output force memory resume input_format max_bytes timeout decision",
    "apply": "scores scores_are renormalize classes prior write as_json output force memory"
    " input_format max_bytes timeout apply",
    "answers": "answers right abstained outcome right_is wrong_is abstained_is confidence"
    " confidence_is words agreement_samples target question model scorer metric log_filter partial"
    " abstain_pattern weight group method folds level seed min_utility max_hallucination_rate most"
    " least confident layout as_json output force input_format max_bytes timeout html title date"
    " no_file",
}
_OF_ANSWERS = {"min_utility", "max_hallucination_rate"} | {
    declared.name for declared in _DECLARED if declared.metadata["on"] == _ANSWERS.split()
}


def options_of(command: str) -> list[click.Option]:
    """Return the options of a command for click, in the order of their declaration."""
    return [_for_click(d, command) for d in _DECLARED if command in d.metadata["on"]]


def application_keys() -> set[str]:
    """Return the keys that an application file may hold for any command that takes one."""
    some = [d for d in _DECLARED if APP_COMMANDS & set(d.metadata["on"])]
    return {_flags(declared)[-1].removeprefix("--") for declared in some}


def refuse_without_effect(options: Options) -> None:
    """Refuse options that change nothing beside others.

    What has a default may stand in an application file that serves other commands, too.
    """
    for other, effective in _EFFECTIVE.items():
        odd = [
            _flags(d)[-1]
            for d in _DECLARED
            if getattr(options, other) not in (None, False) and d.name not in effective.split()
            if typed(d.name) or (not d.default and getattr(options, d.name))
        ]
        _refuse_some(odd, f"with --{other}")
    if click.get_current_context().command.name == "check" and not options.answers:
        odd = [_flags(d)[-1] for d in _DECLARED if d.name in _OF_ANSWERS and typed(d.name)]
        _refuse_some(odd, "without --answers")


def _refuse_some(odd: list[str], where: str) -> None:
    """Refuse options that have no effect; none is no fault."""
    if odd:
        verb, them = ("has", "it") if len(odd) == 1 else ("have", "them")
        refuse(f"{', '.join(odd)} {verb} no effect {where}; remove {them}.")


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
    return next(_flags(declared)[-1] for declared in _DECLARED if declared.name == name)


def _flags(declared: "Field[Any]") -> list[str]:
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
        [*_flags(declared), declared.name],
        help=told.get(command, told["help"]),
        required=command in told.get("required", ""),
        **settings,
    )
