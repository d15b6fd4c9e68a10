"""The commands: what each is for, and its arguments; the rest is imported when one is run."""

import os
from importlib import import_module
from typing import Any

import click


def _refuse_path(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
    if value is not None:
        msg = f"--calibrator names a method: give --calibrator-file {value!r} for a file."
        raise click.UsageError(msg)


def _named_files(ctx: click.Context, _param: object, value: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Take the names off NAME=PATH; a file that is called like that is itself."""
    paths, names = [], {}
    for text in value:
        name, sign, path = text.partition("=")
        split = sign and name.strip() and path and not os.path.lexists(text)
        paths.append(path if split else text)
        if split:
            names[path] = name.strip()
    ctx.meta["stakes.model_names"] = names
    return paths[0] if len(paths) == 1 else tuple(paths)


_FILE = click.Argument(["file"])
_PATHS = click.Argument(
    ["file"], nargs=-1, required=True, metavar="PATH...",
    callback=lambda _context, _parameter, paths: paths[0] if len(paths) == 1 else paths,
)  # fmt: skip
_NAMED_FILES = click.Argument(
    ["file"], nargs=-1, required=True, metavar="[NAME=]FILE...", callback=_named_files
)
_SHELL = click.Argument(["shell"], type=click.Choice(("bash", "zsh", "fish")))
_CODES = click.Argument(["codes"], nargs=-1, metavar="[WORD]...")
_CALIBRATOR = click.Option(["--calibrator"], hidden=True, expose_value=False, callback=_refuse_path)
_PARAMETERS: dict[str, list[click.Parameter]] = {  # beside the options
    "answers": [_NAMED_FILES],
    "calibrate": [_FILE],
    "check": [_PATHS],
    "compare": [_FILE],
    "completion": [_SHELL],
    "decide": [_FILE, _CALIBRATOR],
    "evaluate": [_PATHS],
    "explain": [_CODES],
    "threshold": [_FILE],
}
# Commands by what people want; the list of commands has this order.
SECTIONS = {
    "First steps": ("demo",),
    "Evaluate": ("evaluate", "compare", "check", "answers"),
    "Decide": ("threshold", "calibrate", "decide"),
    "More": ("explain", "reproduce", "completion"),
}
HELP = {
    "answers": """
    Evaluate answers of a model that may abstain.

    Each row is a question: was the answer right, how confident was the model, did it abstain?
    Several files, or a column that names the model, are compared on the same questions. Tables
    are read whole: they must fit into memory.

    \b
    Examples:
      stakes answers answers.csv --right ok --confidence sure --target 0.75
      stakes answers simpleqa.jsonl --outcome grade --right-is CORRECT \\
          --wrong-is INCORRECT --abstained-is NOT_ATTEMPTED --target 75%
      stakes answers runs.csv --right ok --confidence sure \\
          --confidence-is words --words certain=0.95,likely=0.8,unsure=0.5
      stakes answers all.parquet --right ok --model model --question id
      stakes answers old=a.csv new=b.csv --right ok --question id \\
          --html page.html
    """,
    "calibrate": """
    Fit a calibrator to labelled scores, or apply one.

    \b
    Examples:
      stakes calibrate val.csv --label y --scores p_a,p_b \\
          --scores-are posteriors -o cal.json
      stakes calibrate new.csv --apply cal.json --scores p_a,p_b \\
          --scores-are posteriors -o out.csv
      stakes calibrate new.csv --apply cal.json --scores llr \\
          --scores-are llr --write llr -o out.csv
    """,
    "check": """
    Check metrics against limits: exit code 0 (pass) or 1 (fail).

    \b
    Examples:
      stakes check scores.csv --app screening.toml --max-nec 0.5 --min-auc 0.9
      stakes check scores.csv --app screening.toml --max cost.relative=0.1 \\
          --confident
      stakes check scores.csv --app screening.toml --max-loss-against p_old=0.02
      stakes check answers.csv --answers --right ok --target 0.75 \\
          --min-utility 0.2
    """,
    "compare": """
    Compare systems on the same samples.

    Shows paired differences, and which system is best at which odds.

    \b
    Example:
      stakes compare scores.csv --label y --system old=p_old \\
          --system new=p_new --scores-are posteriors --positive tumour \\
          --cost miss=5,false_alarm=1
    """,
    "completion": """
    Print the completion script for a shell.

    \b
    Examples:
      stakes completion bash >> ~/.bashrc
      stakes completion zsh >> ~/.zshrc
      stakes completion fish > ~/.config/fish/completions/stakes.fish
    """,
    "decide": """
    Add posteriors, Bayes decisions and expected costs to a table.

    \b
    Example:
      stakes decide new.csv --scores p_healthy,p_tumour \\
          --scores-are posteriors --cost miss=5,false_alarm=1 -o decided.csv
    """,
    "demo": """
    Evaluate ready-made predictions on three real data sets.

    Is a biopsy malignant? Which digit is it? Who will be severely ill in a year? The data come
    with scikit-learn, the predictions are for samples that the models have not seen, and the
    costs are our own choice.
    """,
    "evaluate": """
    Evaluate what a system's decisions cost.

    Makes Bayes decisions from scores, compares their cost with that of the best constant
    decision, measures calibration, and gives intervals and a verdict.

    \b
    Examples:
      stakes evaluate scores.csv --label y --scores p_healthy,p_tumour \\
          --scores-are posteriors --cost miss=5,false_alarm=1 \\
          --prior 0.02 --training-prior data
      stakes evaluate decided.csv --label y --decision d \\
          --cost miss=5,false_alarm=1
      stakes evaluate trials.txt --key key.txt --scores-are llr --dcf 10:1:0.01
      stakes evaluate 'parts/*.parquet' --app screening.toml --resume run.part
      stakes evaluate - --input-format csv --app screening.toml < scores.csv
    """,
    "explain": """
    Explain a code, a metric or a word of another library.

    Says what the code of a verdict or an error means, when it is used and what to do; what a
    metric rewards; what stakes calls log_loss, ECE or prevalence. Without a word, lists all codes.
    Verdicts and errors end with the command that explains them; JSON documents carry the codes.

    \b
    Examples:
      stakes explain few_errors
      stakes explain f1
      stakes explain "net benefit"
      stakes explain rows_do_not_sum_to_one --json
    """,
    "reproduce": """
    Recompute the tables and figures of the paper.

    Each cell shows the computed value, the printed digits, and = if they agree or ! if not.
    """,
    "threshold": """
    Choose the decision threshold for your costs.

    Also shows how the threshold does on labelled samples.

    \b
    Example:
      stakes threshold scores.csv --label y --scores p_fraud \\
          --scores-are posteriors --positive fraud \\
          --cost miss=amount,false_alarm=3 --review 0.02
    """,
}


def command(name: str) -> click.Command:
    """Return a command with its options."""
    from stakes.cli import options as declared  # noqa: PLC0415  not for the list of commands
    from stakes.cli.application_file import APP  # noqa: PLC0415
    from stakes.cli.option_effects import refuse_without_effect  # noqa: PLC0415
    from stakes.cli.option_groups import GroupedCommand  # noqa: PLC0415

    def run(**values: Any) -> None:  # noqa: ANN401
        meta = click.get_current_context().meta
        told = {"applications": "stakes.applications", "model_names": "stakes.model_names"}
        more = {name: meta.get(key, {}) for name, key in told.items()}
        options = declared.Options(**values, **more)
        refuse_without_effect(options)
        import_module(f"stakes.cli.{name}_command").run(options)

    app = [APP] if name in declared.APP_COMMANDS else []
    params = [*_PARAMETERS.get(name, []), *app, *declared.options_of(name)]
    return GroupedCommand(name, callback=run, params=params, help=HELP[name])
