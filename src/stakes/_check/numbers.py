"""Numbers from users: weights, priors, costs, levels."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._check.frames import is_masked
from stakes._check.lookalikes import (
    are_labels_as_strings,
    are_names,
    decisions_error,
    hint_for_strings,
)
from stakes._check.tensors import as_numpy, as_one_array, is_small_float
from stakes._errors import Action, InputError, UndefinedMetricError
from stakes._text import quoted
from stakes._typing import ArrayLike, Column, FloatArray, Names, PriorsLike

MOST_BINS = 10**6
MOST_RESAMPLES = 10**6
SUM_TOLERANCE = 1e-9  # how far priors may be from adding up to 1: rounding, not a slip
_FOR_TWO = "A single number is the prior of the last of two classes: give one for each class."


def read_array(values: Any, argument: str) -> FloatArray:  # noqa: ANN401
    """Read numbers of any kind as float64, without a copy where they are float64 already."""
    if is_masked(values):
        raise InputError(argument, "must not be a masked array", found="its mask would be lost")
    try:
        array = np.asarray(as_numpy(values, argument))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(argument, "must be a regular array", f"ragged rows ({error})") from error
    if array.dtype.kind in "biuf" or is_small_float(array.dtype):  # of ml_dtypes
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "OUT":
        return _from_objects(array, argument)
    kind, hint = str(array.dtype), ""
    if array.dtype.kind == "S":
        kind, hint = "bytes", f"Convert them: pass numpy.asarray({argument}).astype(float)."
    raise InputError(argument, "must hold numbers", kind, hint=hint, code="not_a_number")


def _from_objects(array: np.ndarray[Any, Any], argument: str) -> FloatArray:
    """Read Python numbers, such as Decimal and Fraction; texts and nulls are none."""
    for place, value in np.ndenumerate(array):
        odd = isinstance(value, str | bytes | complex | np.complexfloating) or value is None
        if odd or not hasattr(value, "__float__"):
            raise _not_a_number(array, place, value, argument)
    try:
        return array.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        rule = "must hold numbers that a double can hold"
        raise InputError(argument, rule, found=error) from error


def _not_a_number(
    array: np.ndarray[Any, Any],
    place: tuple[int, ...],
    value: object,
    argument: str,
) -> InputError:
    """Return the error for a value that is no number, such as a string of one or a class label."""
    value = value.item() if isinstance(value, np.generic) else value
    got, code = f"{value!r} ({type(value).__name__})", "not_a_number"
    labels = argument == "scores" and array.ndim == 1
    if labels and (are_names(array) or are_labels_as_strings(array)):
        return decisions_error(f"strings such as {value!r}")
    hint = hint_for_strings(array, argument)
    if not place:
        return InputError(argument, "must hold numbers", got, hint=hint, code=code)
    more = "" if len(place) == 1 else f", column {place[1]}"
    rule = "must hold numbers"
    return InputError(argument, rule, got, row=place[0], more=more, hint=hint, code=code)


def read_weights(weights: Column | None, n: int, *, some: bool = True) -> FloatArray | None:
    """Read one weight of at least 0 per sample; None where none were given.

    `some` where at least one must be above 0.
    """
    if weights is None:
        return None
    argument = "sample_weight"
    w = read_array(as_one_array(weights, argument, ndim=1), argument)
    if w.ndim != 1:
        hint = f"Pass {argument}[:, 0]." if w.ndim == 2 and w.shape[1] == 1 else ""
        rule = "must be 1-D, one weight per sample"
        raise InputError(argument, rule, f"shape {w.shape}", hint=hint)
    if w.size != n:
        rule, got = "must hold one weight per sample", f"{w.size} for {n} samples"
        raise InputError(argument, rule, got, code="lengths_differ")
    bad = ~(w >= 0) | np.isinf(w)
    if bad.any():
        row = int(bad.argmax())
        shown = "NaN" if np.isnan(w[row]) else f"{w[row]}"
        raise InputError(argument, "must be finite and at least 0", shown, row=row)
    if some and not w.any():
        rule = "must be above 0 for some sample"
        raise InputError(argument, rule, found=f"all {n} weights are 0")
    return w


def read_priors(priors: PriorsLike | None, names: Names) -> FloatArray | None:
    """Read one probability per class, in order or by name; None and "data" leave it to the data.

    A single number is the prior of the last of two classes.
    """
    if priors is None:
        return None
    if isinstance(priors, str):
        if priors == "data":
            return None
        rule = 'must be probabilities, by class or in order, or "data"'
        raise InputError("priors", rule, repr(priors))
    if hasattr(priors, "index") and hasattr(priors, "to_dict"):  # a pandas Series has names
        named = priors.to_dict()
        priors = named if set(named) != set(range(len(named))) or names == tuple(named) else priors
    if isinstance(priors, Mapping):
        priors = _by_name(priors, names)
    p = _one_per_class(priors, names)
    p.setflags(write=False)
    if np.isnan(p).any():
        rule = "must be probabilities"
        raise InputError("priors", rule, f"NaN for class {names[int(np.isnan(p).argmax())]}")
    total = math.fsum(p)
    if (p < 0).any() or not abs(total - 1) <= SUM_TOLERANCE:
        hint = "They seem to be counts: divide by their sum." if total > 2 else ""
        got = f"{p.tolist()}, sum {total:.10g}"
        rule, code = "must be at least 0 and sum to 1", "priors_do_not_sum_to_one"
        raise InputError("priors", rule, got, hint=hint, code=code)
    return p


def check_seen(priors: FloatArray, weight: FloatArray, names: Names) -> None:
    """Refuse priors above 0 for a class without samples: what it costs is unknown."""
    bare = (priors > 0) & (weight == 0)
    if bare.any():
        i = int(bare.argmax())
        msg = f"class {quoted([names[i]])} has prior {priors[i]:g} but no samples, so what it costs"
        msg = f"{msg} is unknown. Set its prior to 0 or add samples of it."
        raise UndefinedMetricError(msg, code="class_without_samples")


def _one_per_class(priors: ArrayLike, names: Names) -> FloatArray:
    """Return priors as a new array, which no caller can change later."""
    if isinstance(priors, bool | np.bool_):
        raise InputError("priors", "must be probabilities", priors)
    p = np.array(read_array(priors, "priors"))
    if p.ndim == 0 and len(names) == 2:
        return _with_complement(p.item())
    if p.shape != (len(names),):
        rule = f"must hold one value for each of the {len(names)} classes {quoted(names)}"
        found, hint = (f"{p.size} values", "") if p.ndim else (repr(p.item()), _FOR_TWO)
        raise InputError("priors", rule, found, hint=hint, code="priors_of_other_classes")
    return p


def _with_complement(prior: float) -> FloatArray:
    """Return the priors of two classes from that of the last."""
    if not 0 <= prior <= 1:
        hint = f"{prior:g} % is {prior / 100:g}." if 1 < prior <= 100 else ""
        raise InputError("priors", "must be from 0 to 1", f"{prior:g}", hint=hint)
    return np.array([1 - prior, prior])


def _by_name(priors: Mapping[Any, float], names: Names) -> list[float]:
    known = set(names)
    unknown = [name for name in priors if name not in known]
    lacking = [name for name in names if name not in priors]
    if unknown or lacking:
        fault = f"unknown {quoted(unknown)}" if unknown else f"none for {quoted(lacking)}"
        rule = f"must name each class of {quoted(names)} once"
        raise InputError("priors", rule, fault, code="priors_of_other_classes")
    return [priors[name] for name in names]


def read_costs(values: ArrayLike) -> FloatArray:
    """Read a table of costs: classes in rows, decisions in columns, finite, none below 0."""
    if isinstance(values, str | bytes):
        rule, got = "must be a 2-D array or a CostMatrix", f"a {type(values).__name__}"
        raise InputError("costs", rule, got, hint="For a file use CostMatrix.read(path).")
    if isinstance(values, list | tuple) and any(hasattr(each, "decisions") for each in values):
        way = (
            "For several costs pass applications by name: costs={'low': costs_a, 'high': costs_b}."
        )
        raise InputError("costs", "must be one matrix", f"a list of {len(values)}", hint=way)
    c = read_array(values, "costs")
    if c.ndim != 2 or not c.size:
        rule = "must be 2-D, classes in rows and decisions in columns"
        two = (
            "For two classes pass costs={'miss': 5, 'false_alarm': 1}." if c.size in (1, 2) else ""
        )
        raise InputError("costs", rule, f"shape {c.shape}", hint=two, code="cost_matrix_shape")
    for bad, rule in ((~np.isfinite(c), "finite"), (c < 0, "at least 0")):
        if bad.any():
            i, j = (int(k) for k in np.argwhere(bad)[0])
            shown = "NaN" if np.isnan(c[i, j]) else f"{c[i, j]:g}"
            hint = Action("give_losses") if c[i, j] < 0 else ""
            got = f"{shown} at (row, column) ({i}, {j})"
            raise InputError("costs", f"must be {rule}", got, hint=hint, code="negative_cost")
    return c


def read_count(value: int, argument: str, low: int, high: int, *, none: bool = False) -> int:
    """Read a whole number of things, so many that memory can hold them; 0 too if none will do."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or (value < low and not (none and value == 0)):
        zero = "0 or " if none else ""
        rule = f"must be {zero}a whole number of at least {low}"
        raise InputError(argument, rule, repr(value))
    if value > high:
        raise InputError(argument, f"must be at most {high}", value)
    return int(value)


def read_number(
    value: float,
    argument: str,
    low: float,
    high: float,
    *,
    closed: tuple[bool, bool] = (True, True),
) -> float:
    """Read one number of an interval, whose ends belong to it or not."""
    x = read_array(value, argument)
    inside = x.ndim == 0 and (
        low < x < high or (closed[0] and x == low) or (closed[1] and x == high)
    )
    if not inside:
        left, right = "[" if closed[0] else "(", "]" if closed[1] else ")"
        rule = f"must be a number in {left}{low:g}, {high:g}{right}"
        raise InputError(argument, rule, repr(value))
    return float(x)


def read_level(level: float) -> float:
    """Read a level of confidence."""
    return read_number(level, "level", 0, 1 - 1e-12, closed=(False, False))


def read_seed(rng: "int | np.random.Generator") -> int:
    """Return a seed: the number itself, or one drawn from a generator."""
    if not isinstance(rng, int) and isinstance(rng, np.random.Generator):  # slow to load
        return int(rng.integers(2**53))  # a whole number that any reader of JSON keeps
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError("rng", "must be a whole number of at least 0 or a Generator", repr(rng))
    return int(rng)


def read_progress(progress: object) -> None:
    """Refuse anything but a function that is told how far a calculation is."""
    if progress is not None and not callable(progress):
        hint = "Pass progress=lambda done, total: print(done, total)."
        rule = "must be a function of two numbers: what is done, and of how much"
        raise InputError("progress", rule, repr(progress)[:40], hint=hint)
