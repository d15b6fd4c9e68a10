"""stakes threshold: which threshold for these costs, also under a cap on reviews."""

from dataclasses import replace

from stakes._text import interval_name, number, percent, plain
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options, typed
from stakes.cli.outputs import Cell, Document, check_outputs, ends, publish
from stakes.cli.places import verdicts_in_file
from stakes.cli.read_mode import read_table
from stakes.cli.screen import Screen
from stakes.cli.table_request import prepare
from stakes.evaluation import ThresholdChoice
from stakes.evaluation.threshold_choice import choose_threshold_samples


def run(options: Options) -> None:
    """Tell which threshold to use for these costs, and what it does on labelled samples."""
    check_outputs(options)
    reason = "its intervals take cases one by one"
    if typed("group"):
        refuse(f"--group has no effect on a threshold: {reason}. Remove it.")
    if options.group is not None:  # of an application file, which is for other commands, too
        note(f"group has no effect on a threshold: {reason}.")
    request = prepare(replace(options, group=None))
    if len(request.costs) > 1:
        refuse("a threshold needs one application: --app or --dcf gives several.")
    table = read_table(request, cells=True)
    with table.told_in_place():
        choice = choose_threshold_samples(
            table.samples(),
            costs=table.costs,
            training_priors=table.training_priors,
            review=options.review,
            level=options.level,
        )
    warned = map(str, verdicts_in_file(choice.verdicts, table.table))
    more = (f"{note}." for note in table.notes("Thresholds lie"))
    choice = replace(choice, notes=(*warned, *choice.notes[len(choice.verdicts) :], *more))
    publish(_document(choice, table.source, table.read), options)


def _document(choice: ThresholdChoice, source: str, read: str) -> Document:
    rows: list[list[Cell]] = [
        ["rule", "threshold", "reviewed", "sensitivity", "specificity", "cost", "nec", "low",
         "high"]
    ]  # fmt: skip
    rows += [
        [r.rule, r.threshold, r.reviewed, r.sensitivity, r.specificity, r.value,
         r.normalized.value, *ends(r.normalized)]
        for r in choice.results
    ]  # fmt: skip
    return Document(
        command="threshold",
        body={"level": choice.level, "seed": None, **choice.to_dict()},
        source=source,
        read=read,
        facts=f"{choice.n} samples",
        rows=rows,
        sentences=[*choice.notes, _sentence(choice)],
        draw=lambda screen: _print(screen, choice, source),
    )


def _sentence(choice: ThresholdChoice) -> str:
    r = choice.chosen
    more = f" {choice.on_scores}" if choice.on_scores else ""
    return (
        f"Decide {plain(choice.second)} where {choice.of} is above {number(r.threshold)}"
        f" ({r.rule}): {percent(r.reviewed, 1)} % of cases, {percent(r.normalized.value)} % of the"
        f" cost of always answering {plain(choice.naive_answer)}.{more}"
    )


def _print(screen: Screen, choice: ThresholdChoice, source: str) -> None:
    screen.head(source, f"{choice.n} samples")
    screen.print()
    for text in (*choice.notes, _sentence(choice)):
        screen.say(text, "bold")
    screen.print()
    screen.table(
        ("", "threshold", "reviewed", "found", "spared", "NEC", interval_name(choice.level)),
        [
            (r.rule, number(r.threshold), f"{percent(r.reviewed, 1)} %", number(r.sensitivity),
             number(r.specificity), number(r.normalized.value), str(r.normalized.interval))
            for r in choice.results
        ],
    )  # fmt: skip
    screen.say(
        f"Found: share of the class of interest that is decided {plain(choice.second)}. Spared:"
        " share of the other class that is not. The best threshold was chosen on the data it"
        " is evaluated on, so its cost is optimistic; its interval allows for that.",
        "dim",
    )
