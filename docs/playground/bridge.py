"""What the playground runs in the browser: columns of text to an evaluation, and a Python cell.

Requests and answers are JSON. Standard library beside stakes, and no pyarrow: the page reads CSV.
"""

import ast
import contextlib
import io
import json
import sys
import traceback
from typing import Any

import stakes
from stakes._errors import Place
from stakes._text import interval_name, number

KINDS = {
    kind.__name__: kind for kind in (stakes.Posteriors, stakes.Logits, stakes.LogLikelihoodRatios)
}
_HINTS = {  # what to do, by code, in words of the page
    "decisions": "They look like class labels: choose a column of scores.",
    "distances": "Log odds? Choose them. Distances, such as an SVM's, are not log odds: calibrate"
    " them first.",
    "logits": "Values before a softmax? Turn them into probabilities.",
    "logs": "Log probabilities? Turn them into probabilities.",
    "odds": "Odds? Take their logarithm, and choose log odds.",
    "percent": "Percent? Divide by 100. For other scores choose what they are.",
    "percent_or_odds": "Percent? Divide by 100. Odds? Take their logarithm, and choose log odds.",
    "renormalize": "To divide rows by their sum, install stakes."
    " For other scores choose what they are.",
    "transpose": "Classes are in its rows: turn the table, so that each sample has a row.",
    "typed_decisions": "They look like class labels: choose a column of scores.",
    "say_kind": "If they are not probabilities, choose what they are.",
    "say_training_priors": "Choose how the model was trained.",
    "use_logits": "For log odds or logits, choose them.",
    "use_ratios": "For log-likelihood ratios, choose them.",
}
_ARGUMENTS = {
    "priors": "The priors",
    "training_priors": "How the model was trained",
    "costs": "The costs",
    "classes": "The classes",
}
namespace: dict[str, Any] = {"__name__": "__main__", "stakes": stakes}


def evaluate(text: str) -> str:
    """Return verdicts, numbers, the report and code for a request, or what is wrong with it."""
    request = json.loads(text)
    try:
        found = _evaluation(request)
    except stakes.StakesError as error:
        return json.dumps({"error": _in_file(error, request)})
    return json.dumps(
        {
            "verdicts": [{"text": v.text, "advice": v.advice} for v in found.verdicts],
            "notes": [str(note) for note in found.notes],
            "interval": interval_name(found.level),
            "numbers": _numbers(found),
            "report": found.to_html(),
            "code": code_of(request),
        }
    )


def _numbers(found: stakes.Evaluation) -> list[tuple[str, str, str]]:
    return [
        (name, number(each.value), "" if each.interval is None else str(each.interval))
        for name, each in found.metrics().items()
    ]


def _evaluation(request: dict[str, Any]) -> stakes.Evaluation:
    columns = request["columns"]
    labels = columns[request["label"]]
    values = [_floats(columns[name], name) for name in request["scores"]]
    table = values[0] if len(values) == 1 else [list(row) for row in zip(*values, strict=True)]
    given = {
        "labels": labels,
        "scores": KINDS[request["kind"]](table),
        "classes": request["classes"],
    }
    more = {
        "costs": request["costs"],
        "priors": request["priors"],
        "training_priors": request["training"],
        "groups": None if request["groups"] is None else columns[request["groups"]],
        "slices": {name: columns[name] for name in request["slices"]} or None,
    }
    found = stakes.evaluate(labels, given["scores"], classes=given["classes"], **more)
    namespace.update({"table": columns, "evaluation": found}, **given, **more)
    return found


def _floats(column: list[str], name: str) -> list[float]:
    numbers = []
    for row, text in enumerate(column):
        try:
            if "_" in text:  # which Python takes within a number
                raise ValueError  # noqa: TRY301
            numbers.append(float(text))
        except ValueError:
            rule = "must hold numbers"
            raise stakes.InputError(f"Column {name!r}", rule, repr(text), row=row) from None
    return numbers


def _in_file(error: stakes.StakesError, request: dict[str, Any]) -> dict[str, Any]:
    """Return an error in words of the page, with the line of the text that was pasted."""
    names = {
        "y_true": [request["label"]],
        "scores": request["scores"],
        "groups": [request["groups"]],
    }
    columns = names.get(error.argument or "", [])
    argument = _ARGUMENTS.get(error.argument or "", error.argument)
    if columns:
        listed = ", ".join(map(repr, columns))
        argument = f"Column{'s' if len(columns) > 1 else ''} {listed}"
    row = None if error.place is None else error.place.row
    line = request["lines"][row] if row is not None and row < len(request["lines"]) else None
    place = error.place if line is None else Place(line=line)
    moved = error.moved(argument=argument, place=place)
    return {"text": moved.said(_HINTS), "line": line, "argument": error.argument}


def code_of(request: dict[str, Any]) -> str:
    """Return Python code that evaluates the same file with an installed stakes."""
    scores = ", ".join(f"float(row[{name!r}])" for name in request["scores"])
    each = scores if len(request["scores"]) == 1 else f"[{scores}]"
    more = "".join(
        f"    {name}={request[name]!r},\n" for name in ("classes", "costs", "priors")
        if request[name] is not None
    )  # fmt: skip
    if request["training"] is not None:
        more += f"    training_priors={request['training']!r},\n"
    if request["groups"] is not None:
        more += f"    groups=[row[{request['groups']!r}] for row in rows],\n"
    if request["slices"]:
        listed = ", ".join(f"{s!r}: [row[{s!r}] for row in rows]" for s in request["slices"])
        more += f"    slices={{{listed}}},\n"
    return (
        "import csv\n\nimport stakes\n\n"
        f'with open({request["name"]!r}, newline="", encoding="utf-8-sig") as file:\n'
        f"    rows = list(csv.DictReader(file, delimiter={request['delimiter']!r}))\n"
        "evaluation = stakes.evaluate(\n"
        f"    [row[{request['label']!r}] for row in rows],\n"
        f"    stakes.{request['kind']}([{each} for row in rows]),\n{more}"
        ")\n"
        "print(evaluation)\n"
        'evaluation.save_html("report.html")\n'
    )


def run(code: str) -> str:
    """Run a cell; return what it printed and the value of its last line, or its error."""
    out = io.StringIO()
    failed = False
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            _run_cell(code)
        except stakes.StakesError as error:
            failed = True
            out.write(f"{type(error).__name__}: {error}\n")
        except BaseException as error:  # noqa: BLE001  a cell may raise anything
            failed = True
            out.write(_own_traceback(error))
    return json.dumps({"text": out.getvalue(), "failed": failed})


def _run_cell(code: str) -> None:
    tree = ast.parse(code, "<cell>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)  # noqa: S102  that is what a cell is for
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)  # noqa: S307
        if value is not None:
            text = value if isinstance(value, str) else repr(value)
            sys.stdout.write(f"{text}\n")


def _own_traceback(error: BaseException) -> str:
    """Return the traceback from the cell on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != "<cell>":
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))
