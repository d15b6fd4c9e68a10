"""Scores that are not what they are passed as: decisions, percentages, odds, logs, distances."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from stakes._check.tensors import as_numpy
from stakes._errors import Action, InputError
from stakes._typing import BoolArray, FloatArray

FEWEST_DECIDED = 3  # rows of exact zeros and ones that are not chance where labels are there
FEWEST_UNLABELLED = 100  # in use, where a batch may be small and its answers all certain
_HEAD = 1024
_MOST = 0.9  # share of rows that tell what all are
_MOST_LABELS = 50  # of a run of whole numbers, above which they are percentages
_NEAR = 0.02  # how far sums may be from 1, or 100, in what only looks like it


def are_decided(values: FloatArray) -> bool:
    """Whether all values are exactly 0 or 1; mostly the first thousand tell."""
    head = values[:_HEAD]
    if not ((head == 0) | (head == 1)).all():
        return False
    return bool(((values == 0) | (values == 1)).all())


def refuse_decisions(
    given: Any,  # noqa: ANN401  as it came
    values: FloatArray,
    fewest: int = FEWEST_DECIDED,
    argument: str = "scores",
) -> None:
    """Refuse decisions, as `predict` gives them, where scores are needed.

    Truth values and whole numbers are labels. A column of the floats 0 and 1 may be of a tree, and
    needs the `fewest` rows; a table of them is what a tree gives for each class.
    """
    if len(values) < FEWEST_DECIDED or not are_decided(values):
        return
    some = given[:1] if isinstance(given, list | tuple) else as_numpy(given, argument)
    kind = np.asarray(some).dtype.kind
    typed = {"b": "truth values", "i": "integers 0 and 1", "u": "integers 0 and 1"}.get(kind)
    if typed is None and (values.ndim > 1 or len(values) < fewest):
        return
    got = f"{typed or 'exactly 0 or 1'} in all {len(values)} rows"
    raise decisions_error(got, argument, "typed_decisions")


def decisions_error(got: str, argument: str = "scores", action: str = "decisions") -> InputError:
    """Return the error for decisions in place of scores, with the call that was meant."""
    rule, code = "must not be decisions", "decisions_not_scores"
    return InputError(argument, rule, got, hint=Action(action, {"argument": argument}), code=code)


@contextmanager
def words_may_be_decisions(columns: Collection[str]) -> Iterator[None]:
    """Say what to do with decisions where columns of scores do not hold numbers."""
    try:
        yield
    except InputError as error:
        asked = error.code == "not_a_number" and error.place is not None
        if asked and not error.hint and error.place.column in columns:  # type: ignore[union-attr,operator]
            raise error.moved(hint=Action("named_decisions")) from error
        raise


def kind_of_numbers(p: FloatArray) -> str:
    """Return what numbers outside [0, 1] look like, as the code of what to do; "" if unknown.

    >>> kind_of_numbers(np.array([20.0, 80.0, 3.0])), kind_of_numbers(np.array([-0.1, -2.0]))
    ('percent', 'logs')
    """
    if p.ndim == 2:
        return _kind_of_rows(p)
    p = p[np.isfinite(p)]
    if not p.size:
        return ""
    low, high = float(p.min()), float(p.max())
    whole = bool((np.trunc(p) == p).all())
    inside = _mostly((p >= 0) & (p <= 1))  # so that only some values are wrong
    seems = {
        "decisions": whole and _are_labels(p),
        "logs": high <= 0,
        "distances": low < 0 and not inside,
        "odds": low >= 0 and high > 100 and not whole,
        "percent": low >= 0 and 2 < high <= 100 and (whole or _mostly(p >= 1)),
        "percent_or_odds": low >= 0 and 2 < high <= 100,
    }
    return next((name for name, found in seems.items() if found), "")


def _kind_of_rows(p: FloatArray) -> str:
    low, high, total = float(p.min()), float(p.max()), p.sum(axis=1)
    if low >= 0:
        return "percent" if _mostly(np.abs(total - 100) < 100 * _NEAR) else ""
    if _mostly((p >= 0) & (p <= 1)):
        return ""
    with np.errstate(under="ignore"):
        logs = high <= 0 and _mostly(np.abs(np.exp(p).sum(axis=1) - 1) < _NEAR)
    return "logs" if logs else "logits"


def _mostly(found: BoolArray) -> bool:
    return float(found.mean()) > _MOST


def _are_labels(p: FloatArray) -> bool:
    """Whether whole numbers are class labels: -1 and 1, or a run such as 0, 1, 2 or 1, 2."""
    found = np.unique(p)
    if found.tolist() in ([-1.0, 1.0], [-1.0, 0.0, 1.0]):
        return True
    run = found.size == found[-1] - found[0] + 1
    return bool(found[0] in (0, 1) and run and 1 < found.size < min(len(p), _MOST_LABELS))


def is_transposed(p: FloatArray) -> bool:
    """Whether classes are in rows: there are fewer rows than columns, which sum to 1."""
    if p.ndim != 2 or p.shape[0] < 2 or p.shape[0] >= p.shape[1]:
        return False
    return bool((np.abs(p.sum(axis=0) - 1) < _NEAR).all())


def are_names(values: Any) -> bool:  # noqa: ANN401
    """Whether all of the first values are strings without digits, as class names are."""
    return all(
        isinstance(v, str) and not any(map(str.isdigit, v)) and not _is_number(v)
        for v in _first(values)
    )


def are_labels_as_strings(values: Any) -> bool:  # noqa: ANN401
    """Whether the first values are strings "0" and "1", as a file of decisions has them."""
    found = {str(v) for v in _first(values)}
    return found in ({"0", "1"}, {"0.0", "1.0"}, {"-1", "1"}) and len(np.ravel(values)) > 2


def are_numbers_as_strings(values: Any) -> bool:  # noqa: ANN401
    """Whether the first values are strings that hold numbers."""
    return all(isinstance(v, str) and _is_number(v) for v in _first(values))


def hint_for_strings(values: Any, argument: str) -> str:  # noqa: ANN401
    """Return how the numbers that the first values spell become numbers; nothing if they do not."""
    if are_numbers_as_strings(values):
        return f"Convert the strings: pass numpy.asarray({argument}, dtype=float)."
    first = [v.strip() for v in _first(values) if isinstance(v, str)]
    if first and all(v.endswith("%") and _is_number(v[:-1]) for v in first):
        return "Remove the percent signs, convert the strings to numbers, and divide by 100."
    if first and all(_is_number(v.replace(",", ".", 1)) for v in first):
        return "Write points for decimal commas, and convert the strings to numbers."
    return ""


def _first(values: Any) -> list[Any]:  # noqa: ANN401
    return np.asarray(values).ravel()[:_HEAD].tolist()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
