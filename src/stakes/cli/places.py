"""Errors and advice of the library in words of a command line: files, options, commands."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from stakes._errors import Action, InputError, Place, PlacedText, StakesError
from stakes._text import plain

if TYPE_CHECKING:
    from stakes.evaluation import Verdict

_OPTIONS = {  # what to do, by code
    "add_bytes": "If this is intended, allow more with --max-bytes.",
    "agreement_share": "For shares give --confidence-is probability.",
    "check_address": "Check --scheduler, --master or --remote.",
    "choose_prefix": "Rename it, or give --prefix.",
    "decisions": "They look like class labels. stakes evaluate takes decisions: give --decision in"
    " place of --scores.",
    "distances": "Log odds? Give --scores-are logits. Distances, such as an SVM's, are not log"
    " odds: calibrate them with --scores-are logits.",
    "give_losses": "For gains give the loss of each decision against the best one.",
    "limit_file": "--max-bytes limits the whole file.",
    "logits": "Values before a softmax? Give --scores-are logits.",
    "logs": "Log probabilities? Give --scores-are log-posteriors.",
    "name_any_kind": "For a file with another ending give --input-format.",
    "name_decisions": 'Name them: --cost \'{{"matrix": [...], "decisions": [...]}}\'.',
    "name_kind": "Give one with --input-format, such as csv ({kinds}).",
    "name_packed_kind": "Let its name end in .gz, or give --input-format csv.gz.",
    "name_outcomes": "Give the values of the column: --right-is, --wrong-is, --abstained-is.",
    "odds": "Odds? Take their logarithm, and give --scores-are logits.",
    "percent": "Percent? Divide by 100. For other scores give --scores-are.",
    "percent_or_odds": "Percent? Divide by 100. Odds? Take their logarithm, and give --scores-are"
    " logits.",
    "empty_row": "All classes have posterior 0 there, so the row does not answer: drop it, or fill"
    " it in.",
    "renormalize": "To divide rows by their sums give --renormalize."
    " For other scores give --scores-are.",
    "replace_file": "Give --force to replace it.",
    "named_decisions": "If it holds decisions, give --decision in place of --scores.",
    "say_abstained": "It may be missing only where the model abstained: name that column with"
    " --abstained.",
    "say_abstentions": "Name the value that means an abstention with --abstained-is.",
    "say_partial": "Say how partial credit counts: --partial right, wrong, or the lowest score"
    " that is right.",
    "say_confidence": "For percent give --confidence-is percent, for log probabilities logprob.",
    "say_kind": "For other scores give --scores-are.",
    "say_training_priors": "\nTrained on data like these, so adapt them:"
    " --training-prior data.\nAlready for these priors: --training-prior deployment.",
    "say_training_numbers": "\nTrained at other priors, so adapt them:"
    " --training-prior PRIORS.\nAlready for these priors: --training-prior deployment.",
    "typed_decisions": "stakes evaluate takes decisions: give --decision in place of --scores. If"
    " they are posteriors of exactly 0 and 1, name a column for each class.",
    "transpose": "Write a row for each sample, with a column for each class.",
    "use_likelihoods": "For {k} classes give --scores-are log-likelihoods.",
    "use_logits": "For unnormalised scores give --scores-are logits.",
    "use_ratios": "For log p(x|H_2) - log p(x|H_1) give --scores-are llr.",
}
_ARGUMENTS = {"priors": "--prior", "training_priors": "--training-prior"}

COMMANDS = {  # by the action of a verdict
    "calibrate": "stakes calibrate FILE --label LABEL --scores SCORES --scores-are KIND"
    " --classes CLASSES -o calibrator.json",
}
_ADVICE = {
    "check_classes": "Check whether columns are swapped, labels are inverted, or the scores are"
    " those of the other class (--positive).",
    "name_groups": "Drop what was joined twice. If rows of one case belong together, name the case"
    " with --group, or the intervals are too narrow.",
}


def said(error: StakesError) -> str:
    """Return the message of an error with options where Python has arguments."""
    option = _ARGUMENTS.get(error.argument or "", error.argument)
    return error.moved(argument=option).said(_OPTIONS)


def said_in_lines(error: StakesError) -> list[str]:
    """Return the message, and what to do on lines of its own where there are several ways."""
    ways = error.hint.said(_OPTIONS) if isinstance(error.hint, Action) else ""
    if not ways.startswith("\n"):
        return [said(error)]
    return [said(error.moved(hint="")), *ways.strip().split("\n")]


class Rows(Protocol):
    """Rows that know where they stand in a file."""

    @property
    def source(self) -> str:
        """The table by name."""

    def __len__(self) -> int: ...

    def place(self, row: int) -> Place:
        """Return where a row came from."""


@contextmanager
def told_in_place(table: Rows, columns: Mapping[str, str | None]) -> Iterator[None]:
    """Say columns and lines of a file; `columns` are those that stand for arguments."""
    try:
        yield
    except InputError as error:
        moved = error.moved(place=in_file(error.place, table))
        column = columns.get(error.argument or "")
        if column is not None:
            moved = moved.moved(source=plain(table.source), argument=f"column {plain(column)!r}")
        raise moved from error


def in_file(place: Place | None, table: Rows) -> Place | None:
    """Return a place in a table's file for a row of arguments; any other place as it is."""
    if place is None or place.file is not None or not 0 <= (place.row or 0) < len(table):
        return place
    return place if place.row is None else replace(table.place(place.row), column=place.column)


def text_in_file(text: str, table: Rows) -> str:
    """Return a text about a row of arguments as one about its place in a table's file."""
    if not isinstance(text, PlacedText):
        return text
    return text.moved(in_file(text.place, table) or text.place)


def with_options(verdicts: Iterable["Verdict"]) -> tuple["Verdict", ...]:
    """Return verdicts whose advice names options."""
    return tuple(replace(v, advice=_ADVICE.get(v.action, v.advice)) for v in verdicts)


def verdicts_in_file(verdicts: Iterable["Verdict"], table: Rows) -> tuple["Verdict", ...]:
    """Return verdicts whose advice names options and whose rows are places in a table's file."""
    told = with_options(verdicts)
    return tuple(replace(v, text=text_in_file(v.text, table)) for v in told)
