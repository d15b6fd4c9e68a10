"""The kinds of error; every error that the library raises on purpose is one of them.

An error carries fields: a code, the argument, the rule that it breaks, the value as shown, its
place and what to do. `str(error)` joins them for Python; the command line and the page put their
own options and files in place of arguments and rows with `moved` and `said`. Nothing parses a text.
"""

from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, Self

__all__ = [
    "EngineError",
    "FileError",
    "InputError",
    "MissingExtraError",
    "StakesError",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
]

_DECIDED = (
    "For decisions, such as those of model.predict, call"
    " evaluate_decisions(confusion_matrix(y_true, y_pred)). Scores are what model.predict_proba(X)"
    " gives."
)
_PYTHON_HINTS = {  # what to do, by code, in words of Python
    "add_bytes": "If that is intended, raise the limit with max_bytes=...",
    "agreement_share": "For shares use StatedProbability.",
    "check_address": "Check the address.",
    "choose_prefix": "Rename it, or choose another prefix.",
    "give_losses": "For gains use CostMatrix.from_utilities.",
    "limit_file": "max_bytes limits the whole file.",
    "name_any_kind": "Name the kind of the file with kind=...",
    "name_decisions": "Pass decisions=[...].",
    "name_kind": "Name it with kind=..., such as kind='csv' ({kinds}).",
    "name_packed_kind": "Rename it to end in .gz, or pass kind='csv.gz'.",
    "replace_file": "Pass force=True to replace it.",
    "named_decisions": "If it holds decisions, such as those of model.predict, call"
    " evaluate_decisions(confusion_matrix(y_true, y_pred)).",
    "decisions": f"They look like class labels. {_DECIDED}",
    "typed_decisions": f"{_DECIDED} If they are posteriors of exactly 0 and 1, pass"
    " Posteriors({argument}).",
    "distances": "Log odds? Pass Logits({argument}). Distances of decision_function, such as an"
    " SVM's, are not log odds: calibrate them as Logits, with AffineCalibrator().fit.",
    "logits": "Values before a softmax? Pass Logits({argument}). For others: {kinds}, ...",
    "logs": "Log probabilities? Pass LogPosteriors({argument}).",
    "odds": "Odds? Pass Logits(numpy.log({argument})).",
    "percent": "Percent? Divide by 100. For other scores say what they are: {kinds}, ...",
    "percent_or_odds": "Percent? Divide by 100. Odds? Pass Logits(numpy.log({argument})).",
    "one_row": "If these are values of {columns} samples, pass {argument}[0].",
    "transpose": "Classes are in its rows: pass {argument}.T, with a row for each sample.",
    "empty_row": "All classes have posterior 0 there, so the row does not answer."
    " OneVsRestClassifier gives it where all its models say no; with calibrated models it does not:"
    " OneVsRestClassifier(CalibratedClassifier(model)).",
    "renormalize": "To divide rows by their sum use Posteriors(scores, renormalize=True)."
    " For other scores say what they are: {kinds}, ...",
    "name_outcomes": "Say what the column calls them: right=..., wrong=..., abstained=...",
    "say_abstained": "It may be missing only where abstained is true: pass abstained=...",
    "say_abstentions": "Name the values that mean an abstention with abstain_values=...",
    "say_partial": "Say how partial credit counts: partial='right', 'wrong', or the smallest"
    " value that counts as right.",
    "say_confidence": "For percent use StatedPercent; for log probabilities AnswerLogProbability.",
    "say_kind": "For other scores say what they are: {kinds}, ...",
    "say_training_priors": "\nTrained on data like these, so adapt them:"
    ' training_priors="data".\nAlready for these priors: training_priors="deployment".',
    "say_training_numbers": "\nTrained at other priors, so adapt them:"
    ' training_priors=[...].\nAlready for these priors: training_priors="deployment".',
    "say_weighted_priors": "\nIt weights classes by {weighting}, so they are not at the priors of"
    " its data: calibrate it by stakes.sklearn.CalibratedClassifier(model).\nAlready for these"
    ' priors: training_priors="deployment".',
    "use_likelihoods": "For {k} classes use LogLikelihoods.",
    "use_logits": "For unnormalised scores use Logits.",
    "use_ratios": "For log p(x|H_2) - log p(x|H_1) use LogLikelihoodRatios.",
}


_VALUE, _TEXT = (200, 30, 22), (300, 200, 97)  # characters: at most, and of the two ends


def in_a_line(value: object, lengths: tuple[int, int, int] = _VALUE) -> str:
    r"""Return a value as one short line: of a long one, or of a table in lines, its two ends.

    >>> in_a_line("[1,\n       2]"), in_a_line("1" * 200 + "2" * 100)
    ('[1, 2]', '111111111111111111111111111111 … 2222222222222222222222')
    """
    text, (longest, head, tail) = str(value), lengths
    if "\n" in text:
        text, longest = " ".join(text.split()), head + tail
    return text if len(text) <= longest else f"{text[:head].rstrip()} … {text[-tail:].lstrip()}"


def kind_of(value: object) -> str:
    """Return what a value is, and how large, in place of its contents.

    >>> kind_of([1, 2]), kind_of({}), kind_of(3.0)
    ('a list of 2', 'a dict of 0', 'a float')
    """
    name = type(value).__name__.removeprefix("nd")  # an array of numpy
    said = f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"
    shape = getattr(value, "shape", (len(value),) if isinstance(value, Sized) else ())
    sizes = " x ".join(map(str, shape)) if isinstance(shape, tuple) else ""
    return f"{said} of {sizes}" if sizes and not isinstance(value, str | bytes) else said


@dataclass(frozen=True)
class Place:
    """Where a value is: a row of the arguments, or a line or row of a file."""

    row: int | None = None
    file: str | None = None
    line: int | None = None
    column: str | None = None
    part: str | None = None  # the file of a table in several files

    def __str__(self) -> str:
        column = None if self.column is None else f"column {self.column!r}"
        return ", ".join(text for text in (self.sample, column) if text)

    @property
    def sample(self) -> str:
        """The sample without the column: "row 3" or "t.csv, line 5"."""
        row = None if self.row is None else f"row {self.row}"
        line = row if self.line is None else f"line {self.line}"
        return ", ".join(text for text in (self.part or self.file, line) if text)


class PlacedText(str):
    """A text that names a place, which can be replaced."""

    __slots__ = ("after", "before", "place")
    before: str
    place: Place
    after: str

    def __new__(cls, before: str, place: Place, after: str) -> Self:
        """Return the text with the place between its two parts."""
        text = super().__new__(cls, f"{before}{place}{after}")
        text.before, text.place, text.after = before, place, after
        return text

    def moved(self, place: Place) -> "PlacedText":
        """Return the same text with another place."""
        return PlacedText(self.before, place, self.after)

    def __getnewargs__(self) -> tuple[str, Place, str]:  # type: ignore[override]
        return self.before, self.place, self.after


@dataclass(frozen=True)
class Action:
    """What to do, as a code with fields; Python and the command line have their own sentences."""

    code: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def said(self, texts: Mapping[str, str]) -> str:
        """Return its sentence from these texts, else that for Python."""
        return texts.get(self.code, _PYTHON_HINTS[self.code]).format(**self.fields)


class Explained(Protocol):
    """The fields of a `CodeExplanation`, whose module is above this one."""

    code: str
    kind: str
    meaning: str
    rule: str
    advice: str
    python: str
    command: str
    example: str


class StakesError(Exception):
    """Any error that stakes raises on purpose.

    It is built from a whole sentence, or from an argument and its rule, as

        <source>: <argument> <rule>: got <value> at <place><more>. <hint>

    where parts that are missing are left out. `found` replaces "got <value> at". Without an
    argument (None) the sentence begins with the place: "t.csv, line 5: column 'p' must hold
    numbers".

    Attributes
    ----------
    argument : str or None
        The argument that breaks a rule.
    rule : str
        The rule, such as "must be posteriors".
    value : str or None
        The value, as shown.
    place : Place or None
        Its row, or its file and line.
    hint : str or Action
        What to do.
    source : str or None
        The file or table of the argument, which begins the message.
    code : str
        For programs: what went wrong, else the kind of the error.
    explanation : CodeExplanation
        What the code means, and what to do.

    See Also
    --------
    InputError, FileError, EngineError, MissingExtraError : its kinds.
    explain_code : explains a code.

    Examples
    --------
    >>> import stakes
    >>> try:
    ...     stakes.cross_entropy([0, 1], [0.2, 1.4])
    ... except stakes.StakesError as error:
    ...     error.argument, error.rule, error.value, str(error.place), error.code
    ('scores', 'must be posteriors', '1.4', 'row 1', 'not_posteriors')
    """

    code: str = "input_error"  # of the kind; an error may have one of its own
    source: str | None = None  # of the argument: a file or table, which begins the message

    def __init__(  # noqa: PLR0913  one argument per field
        self,
        argument: str | None,
        rule: str | None = None,
        value: object = None,
        *,
        found: object = None,
        row: int | None = None,
        place: Place | None = None,
        more: str = "",
        hint: str | Action = "",
        code: str | None = None,
    ) -> None:
        self.argument: str | None = None if rule is None else argument
        self.rule: str = rule or argument or ""
        self.value: str | None = None if value is None else in_a_line(value)
        self.place: Place | None = place if row is None else Place(row=int(row))
        self.hint = hint
        if code is not None:
            self.code = code
        self._found = None if found is None else in_a_line(found, _TEXT)
        self._more, self._whole = more, rule is None
        super().__init__(str(self))

    def __str__(self) -> str:
        return self.said({})

    def said(self, hints: Mapping[str, str]) -> str:
        """Return the message with these sentences for actions, by code."""
        before, place, after = self._parts(hints)
        return f"{before}{place or ''}{after}"

    @property
    def explanation(self) -> Explained:
        """What the code means, when it is used, and what to do: a `CodeExplanation`."""
        codes = import_module("stakes._codes")  # by name: it is above this module
        found: Explained = codes.explain_code(self.code)
        return found

    def note(self, start: str) -> str:
        """Return the message as a note that begins with `start` and keeps its place."""
        before, place, after = self._parts({})
        return start + before + after if place is None else PlacedText(start + before, place, after)

    def _parts(self, hints: Mapping[str, str]) -> tuple[str, Place | None, str]:
        """Return the text before the place, the place, and the text after it."""
        before, after = f"{self._subject}{self.rule}", self._more
        if self.value is not None:
            before += f": got {self.value}"
        elif self._found is not None:
            before += f": {self._found}".rstrip()
        place = self.place if self._whole or self.argument is not None else None
        if place is not None:
            before += " " if self.value is None else " at "
        if not self._whole or place is not None or after:
            after += "."
        hint = self.hint.said(hints) if isinstance(self.hint, Action) else self.hint
        gap = " " if hint and not hint.startswith("\n") else ""
        return before, place, f"{after}{gap}{hint}"

    @property
    def _subject(self) -> str:
        """What breaks the rule: an argument, else a place; a whole sentence has its own subject."""
        source = "" if self.source is None else f"{self.source}: "
        if self.argument is not None:
            return f"{source}{self.argument} "
        if self._whole or self.place is None:
            return source
        column = "" if self.place.column is None else f": column {self.place.column!r}"
        return f"{source}{self.place.sample}{column} "

    def moved(self, **fields: Any) -> Self:  # noqa: ANN401
        """Return the same error with another source, argument, place or hint."""
        error = copy(self)
        vars(error).update(fields)
        error.args = (str(error),)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, vars(self))


def _restored(
    kind: type[StakesError], args: tuple[Any, ...], fields: dict[str, Any]
) -> StakesError:
    """Return an error from its fields, without calling its constructor."""
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(fields)
    return error


class InputError(StakesError, ValueError):
    """An argument breaks a rule; the message names it, its value, its place and what to do.

    See Also
    --------
    StakesError : its fields, and an example.
    """

    code = "input_error"


class UndefinedMetricError(InputError):
    """The data do not define the requested quantity.

    See Also
    --------
    StakesError : its fields, and an example.
    Undefined : a value that is NaN, with its reason.
    """

    code = "undefined_metric"


class AddressError(InputError):
    """An address such as https://... was given instead of a file on this machine."""

    code = "address_not_supported"


class UnsafeFileError(InputError):
    """Reading the file could run code, so it is not read."""

    code = "unsafe_file"


class ChecksumError(InputError):
    """A file is damaged: its contents do not match its checksum."""

    code = "damaged_file"


class ResourceError(InputError):
    """A file is larger than the limit; the message names the size and the limit."""

    code = "file_too_large"


class FileError(StakesError, OSError):
    """A file cannot be read or written.

    See Also
    --------
    StakesError : its fields, and an example.
    """

    code = "file_error"


class MissingExtraError(StakesError, ImportError):
    """A feature needs an optional dependency that is not installed.

    See Also
    --------
    StakesError : its fields, and an example.
    """

    code = "missing_extra"


class EngineError(StakesError, RuntimeError):
    """An engine such as Dask or Spark failed, or its workers cannot do the work.

    See Also
    --------
    StakesError : its fields, and an example.
    """

    code = "engine_error"


@contextmanager
def told_of(which: str) -> Iterator[None]:
    """Say in errors which of several systems or models they are about; "" is the only one.

    >>> try:
    ...     with told_of("system 'new'"):
    ...         raise InputError("scores", "must hold numbers", "NaN", row=3)
    ... except InputError as error:
    ...     print(error)
    system 'new': scores must hold numbers: got NaN at row 3.
    """
    try:
        yield
    except InputError as error:
        if which in ("", error.argument):
            raise
        source = which if error.source is None else f"{error.source}: {which}"
        raise error.moved(source=source) from error


class UndefinedMetricWarning(UserWarning):
    """An undefined value was turned into a bare NaN, which cannot carry its reason.

    See Also
    --------
    MetricValue : a number that carries the reason.

    Examples
    --------
    >>> import warnings
    >>> import stakes
    >>> found = stakes.ConfusionMatrix.from_counts([[9, 0], [1, 0]]).precision()
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     _ = found + 0.0
    >>> said[0].category.__name__, found.undefined.code
    ('UndefinedMetricWarning', 'zero_over_zero')
    """
