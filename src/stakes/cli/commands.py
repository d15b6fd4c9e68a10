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
_CODES = click.Argument(["codes"], nargs=-1, metavar="[CODE]...")
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
HELP = {
    "answers": """
    Tell what the answers of a model that may abstain are worth, and when it should abstain.

    A row is a question: was the answer right, how sure was the model, did it abstain. Several
    files, or a column that names the model, are compared on the same questions. Tables are read
    whole: they must fit into memory.

    \b
    stakes answers answers.csv --right ok --confidence sure --abstained idk --target 0.75
    stakes answers simpleqa.jsonl --outcome grade --right-is CORRECT --wrong-is INCORRECT \\
        --abstained-is NOT_ATTEMPTED --target 75%
    stakes answers runs.csv --right ok --confidence sure --confidence-is words \\
        --words certain=0.95,likely=0.8,unsure=0.5 --question id --slice topic
    stakes answers all.parquet --right ok --model model --question id --format md
    stakes answers old=a.csv new=b.csv --right ok --question id --html page.html
    """,
    "calibrate": """
    Learn from FILE how to turn its scores into better posteriors, or apply what was learnt.

    \b
    stakes calibrate val.csv --label y --scores p_a,p_b --scores-are posteriors -o cal.json
    stakes calibrate new.csv --apply cal.json --scores p_a,p_b --scores-are posteriors -o out.csv
    stakes calibrate new.csv --apply cal.json --scores llr --scores-are llr --write llr -o out.csv
    """,
    "check": """Pass (exit code 0) or fail (1) by limits on metrics.

    \b
    stakes check scores.csv --app screening.toml --max-nec 0.5 --min-auc 0.9
    stakes check scores.csv --app screening.toml --max cost.relative=0.1 --confident
    stakes check scores.csv --app screening.toml --max-loss-against p_old=0.02
    stakes check answers.csv --answers --right ok --target 0.75 --min-utility 0.2
    """,
    "compare": """
    Compare systems on the same rows: paired differences, and who is best at which odds.

    \b
    stakes compare scores.csv --label y --system old=p_old --system new=p_new \\
        --scores-are posteriors --positive tumour --cost miss=5,false_alarm=1
    """,
    "completion": """Print the completion script of a shell.

    \b
    stakes completion bash >> ~/.bashrc
    stakes completion zsh >> ~/.zshrc
    stakes completion fish > ~/.config/fish/completions/stakes.fish
    """,
    "decide": """Append posteriors, the Bayes decision and its expected cost to the rows of FILE.

    \b
    stakes decide new.csv --scores p_healthy,p_tumour --scores-are posteriors \\
        --cost miss=5,false_alarm=1 -o decided.csv
    """,
    "demo": """Judge models of three real problems, at costs of our own choice.

    Is a biopsy malignant, which digit is it, and who will be severely ill in a year: data sets
    that come with scikit-learn, and predictions for samples that the models had not seen.
    """,
    "evaluate": """
    Tell what a system costs: Bayes decisions, naive reference, calibration, intervals.

    \b
    stakes evaluate scores.csv --label y --scores p_healthy,p_tumour \\
        --scores-are posteriors --cost miss=5,false_alarm=1 --prior 0.02
    stakes evaluate decided.csv --label y --decision d --cost miss=5,false_alarm=1
    stakes evaluate trials.txt --key key.txt --scores-are llr --dcf 10:1:0.01
    stakes evaluate 'parts/*.parquet' --app screening.toml --memory 2GB --resume run.part
    stakes evaluate - --input-format csv --app screening.toml < scores.csv
    """,
    "explain": """
    Explain the code of a verdict, an undefined value or an error; without one, list all codes.

    Verdicts end with the command that explains them, and so do errors. JSON documents carry the
    same codes.

    \b
    stakes explain few_errors
    stakes explain rows_do_not_sum_to_one --json
    """,
    "reproduce": """
    Compute the paper's tables again, beside the printed digits, and draw its figures.

    A cell shows the computed value, the printed digits, and = where they agree or ! where not.
    """,
    "threshold": """
    Tell which threshold to use for these costs, and what it does on labelled samples.

    \b
    stakes threshold scores.csv --label y --scores p_fraud --scores-are posteriors \\
        --positive fraud --cost miss=amount,false_alarm=3 --review 0.02
    """,
}


def command(name: str) -> click.Command:
    """Return a command with its options."""
    from stakes.cli import options as declared  # noqa: PLC0415  not for the list of commands
    from stakes.cli.application_file import APP  # noqa: PLC0415

    def run(**values: Any) -> None:  # noqa: ANN401
        meta = click.get_current_context().meta
        told = {"applications": "stakes.applications", "model_names": "stakes.model_names"}
        more = {name: meta.get(key, {}) for name, key in told.items()}
        options = declared.Options(**values, **more)
        declared.refuse_without_effect(options)
        import_module(f"stakes.cli.{name}_command").run(options)

    app = [APP] if name in declared.APP_COMMANDS else []
    params = [*_PARAMETERS.get(name, []), *app, *declared.options_of(name)]
    return click.Command(name, callback=run, params=params, help=HELP[name])
