"""Tables of scores from users: one row per sample, one column per class."""

from dataclasses import replace
from typing import Any

import numpy as np

from stakes._check.containers import check_dense
from stakes._check.digits import FORMATS, SHORTEST, has_bits, is_text_of, parts
from stakes._check.frames import gathered, is_table
from stakes._check.labels import read_names
from stakes._check.lookalikes import is_transposed, kind_of_numbers
from stakes._check.numbers import read_array
from stakes._check.precision import Rounding, Unexplained, explain_gaps
from stakes._check.tensors import as_one_array, rounding_unit
from stakes._errors import Action, InputError, Place
from stakes._typing import BoolArray, Column, FloatArray, Names

_DOUBLE, _SINGLE = (float(np.finfo(t).eps) for t in (np.float64, np.float32))
_FEW = 4.0  # units in the last place of 1 that computing may leave a value outside [0, 1]


def read_table(values: Column, argument: str = "scores") -> tuple[FloatArray, Names | None, float]:
    """Read a table or a single column; also the names of its columns and its rounding unit."""
    names = None
    if is_table(values):
        check_dense(values, argument)
        values, names = _from_frame(gathered(values), argument)
    given, values = values, as_one_array(values, argument, ndim=2)
    unit = rounding_unit(given) or rounding_unit(values) or _DOUBLE
    _refuse_ragged(values, argument)
    array = read_array(values, argument)
    if array.ndim == 2 and array.shape[1] == 1:
        array, names = array[:, 0], None  # one column is the score of the class of interest
    if array.ndim == 2 and array.shape[1] == 0:
        raise InputError(argument, "must have a column per class", "none")
    if array.ndim not in {1, 2}:
        what = "a single number" if array.ndim == 0 else f"{array.ndim} dimensions"
        raise InputError(argument, "must be 2-D (samples in rows, classes in columns) or 1-D", what)
    return array, names, unit


def _from_frame(values: Any, argument: str) -> tuple[Any, Names | None]:  # noqa: ANN401
    import narwhals.stable.v2 as nw  # noqa: PLC0415  only where a data frame comes in

    frame = nw.from_native(values, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return values, None
    own = getattr(values, "columns", [])
    listed = frame.columns if isinstance(own, list) else list(own)  # pandas may have numbers there
    names = read_names(listed, f"columns of {argument}")
    for name, column in zip(names, frame.iter_columns(), strict=True):
        if column.is_null().any():
            row = int(column.is_null().to_numpy().argmax())
            place = Place(row=row, column=str(name))
            got, code = "a missing value (NaN)", "missing_score"
            raise InputError(argument, "must hold numbers", got, place=place, code=code)
    return frame.to_numpy(), names


def _refuse_ragged(values: Column, argument: str) -> None:
    """Name the row where a list of lists changes its length."""
    if not isinstance(values, list | tuple) or not values:
        return
    lengths = [
        len(row)
        if getattr(row, "ndim", 1) and hasattr(row, "__len__") and not isinstance(row, str | bytes)
        else -1
        for row in values
    ]
    if len(set(lengths)) > 1:
        row = next(i for i, n in enumerate(lengths) if n != lengths[0])
        more = f" is ragged, with {lengths[row]} values where row 0 has {lengths[0]}"
        arrays = all(isinstance(each, np.ndarray) for each in values)
        hint = "Join batches first, for example with torch.cat." if arrays else ""
        rule = "must have rows of one length"
        raise InputError(argument, rule, found="", row=row, more=more, hint=hint)


def check_rows(n_rows: int, n_labels: int, argument: str = "scores", columns: int = 0) -> None:
    """Refuse another number of rows than of labels; with as many `columns` they are transposed."""
    if n_rows != n_labels:
        hint = _said("transpose", argument) if columns == n_labels else ""
        rule = "must have one row per label"
        got = f"{n_rows} rows for {n_labels} labels"
        raise InputError(argument, rule, got, hint=hint, code="lengths_differ")


def settle_posteriors(
    p: FloatArray, unit: float, *, renormalize: bool = False, argument: str = "scores"
) -> tuple[FloatArray, Rounding | None]:
    """Return probabilities whose rows sum to 1, and what rounding there was; refuse others.

    Rows that were rounded to decimal digits are divided by their sums; numbers of a binary format
    stay as they are. A gap that the shown precision does not explain is refused.
    """
    if renormalize:
        return _renormalized(p, argument)
    p, outside = _inside(p, unit, argument)
    rounding, rounded = None, None
    if p.ndim == 2:
        total = np.concatenate([part.sum(axis=1) for part in parts(p)]) if len(p) else np.empty(0)
        found = explain_gaps(p, np.abs(total - 1), unit)
        if isinstance(found, Unexplained):
            raise _off(p, total, found, argument)
        rounding, rounded = found
        if rounded is not None:
            p = p / np.where(rounded, total, 1.0)[:, None]
    if outside:
        rounding = rounding or Rounding("", 0.0, renormalized=False)
        rounding = replace(rounding, outside=outside)
    return p, rounding


def _inside(p: FloatArray, unit: float, argument: str) -> tuple[FloatArray, float]:
    """Return values in [0, 1], and how far outside it rounding had left any; refuse others.

    A value that was computed may be a few units in the last place below 0 or above 1, in double
    precision or in single precision if that is what its row shows. No rounding to digits moves a
    probability beyond 0 or 1, which every number of digits can write.
    """
    if not p.size or (p.min() >= 0 and p.max() <= 1):
        return p, 0.0
    over = np.maximum(p - 1, -p)
    near = over <= _FEW * _DOUBLE
    most = float(over.max())
    if not near.all():
        by_single = most <= _FEW * _SINGLE  # not so if any is NaN
        if not by_single or not (unit >= _SINGLE or _of_single(p, _any_in_row(~near))):
            raise _outside(p, near, argument)
    return np.clip(p, 0.0, 1.0), most


def _of_single(p: FloatArray, rows: BoolArray) -> bool:
    """Whether these rows, or one column as a whole, show single precision."""
    table = p[:, None] if p.ndim == 1 else p
    shown = table if p.ndim == 1 else p[rows]
    if has_bits(FORMATS["float32"])(shown).all():
        return True
    return bool(SHORTEST.exact(table).all()) and is_text_of(table, SHORTEST, "float32")


def _off(p: FloatArray, total: FloatArray, found: Unexplained, argument: str) -> InputError:
    row = found.row
    count = f"{found.count} rows do not, most of all" if found.count > 1 else "got"
    text = f"{total[row]:.10g}"
    text = text if text != "1" else f"1{total[row] - 1:+.2g}"
    rule, more = "must be posteriors, rows that sum to 1", f" with sum {text}"
    if found.precision:
        gaps = f"explains gaps below {found.bound:.2g}"
        more = f"{more}, where rounding to {found.precision} {gaps}"
    hint = Action("renormalize", {"kinds": "Logits, LogLikelihoods"})
    if not p[row].any():
        more, hint = more.partition(",")[0], Action("empty_row")
    elif len(p) == 1 and total[row] >= 2:  # a column, which no error makes of a row
        hint = Action("one_row", {"argument": argument, "columns": p.shape[1]})
    elif is_transposed(p):
        more, hint = more.partition(",")[0], _said("transpose", argument)
    code = "rows_do_not_sum_to_one"
    return InputError(argument, rule, found=count, row=row, more=more, hint=hint, code=code)


def _renormalized(p: FloatArray, argument: str) -> tuple[FloatArray, Rounding | None]:
    if p.ndim != 2:
        rule = "must be a table, one column per class, to be renormalized"
        raise InputError(argument, rule, "one column", hint="Leave renormalize out.")
    below = -float(p.min(initial=0))
    outside = below if 0 < below <= _FEW * _DOUBLE else 0.0
    p = np.maximum(p, 0.0) if outside else p
    bad = ~(np.isfinite(p) & (p >= 0)).all(axis=1) | ~p.any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        rule = "must be finite numbers of at least 0, one above 0 in each row"
        hint = "" if p[row].any() else Action("empty_row")
        raise InputError(argument, rule, p[row, :8].tolist(), row=row, hint=hint)
    with np.errstate(over="ignore"):
        gap = float(np.abs(p.sum(axis=1) - 1).max(initial=0))
    level = p / p.max(axis=1, keepdims=True)  # so that no sum overflows
    p = level / level.sum(axis=1, keepdims=True)
    return p, Rounding("", gap, renormalized=True, outside=outside)


def _outside(p: FloatArray, inside: BoolArray, argument: str) -> InputError:
    rows = ~(inside if p.ndim == 1 else inside.all(axis=1))
    row = int(rows.argmax())
    value = p[row] if p.ndim == 1 else p[row][~inside[row]][0]
    if np.isnan(p[rows]).any():
        return _not_a_number(_any_in_row(np.isnan(p)), argument)
    seems = kind_of_numbers(p)
    code = "percent_not_probability" if seems.startswith("percent") else "not_posteriors"
    if seems == "decisions":
        code = "decisions_not_scores"
    hint = _said(seems or "say_kind", argument)
    rule, got, more = "must be posteriors", repr(float(value)), ", outside [0, 1]"
    return InputError(argument, rule, got, row=row, more=more, hint=hint, code=code)


def _said(code: str, argument: str) -> Action:
    return Action(code, {"argument": argument, "kinds": "Logits, LogLikelihoodRatios"})


def _any_in_row(bad: BoolArray) -> BoolArray:
    return bad if bad.ndim == 1 else np.asarray(bad.any(axis=1))


def _not_a_number(bad: BoolArray, argument: str) -> InputError:
    count, row = int(bad.sum()), int(bad.argmax())
    got = f"NaN in {count} rows, the first" if count > 1 else "NaN"
    return InputError(argument, "must hold numbers", got, row=row, code="missing_score")


def check_no_nan(values: FloatArray, argument: str = "scores") -> None:
    """Refuse NaN."""
    if values.size and np.isnan(values.min()):
        raise _not_a_number(_any_in_row(np.isnan(values)), argument)


def check_below_infinity(values: FloatArray, argument: str = "scores") -> None:
    """Refuse plus infinity, and rows of minus infinity alone, which have no posteriors."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # then so is every value
            return
    check_no_nan(values, argument)
    if values.ndim == 1:
        return
    if any(np.isinf(part.max(axis=1)).any() for part in parts(values)):
        top = values.max(axis=1)
        row = int(np.isinf(top).argmax())
        shown = "inf" if top[row] > 0 else "-inf for every class"
        raise InputError(argument, "must have a finite largest value in each row", shown, row=row)


def settle_log_posteriors(
    values: FloatArray, unit: float, argument: str = "scores"
) -> tuple[FloatArray, Rounding | None]:
    """Return logs of probabilities that sum to 1 in each row, as `settle_posteriors` does."""
    check_below_infinity(values, argument)
    if values.size and values.max() > 0:
        row = int(_any_in_row(values > 0).argmax())
        rule = "must be log posteriors, at most 0"
        got = values[row].max()
        raise _not_logs(argument, rule, got, row)
    if values.ndim == 1 or not len(values):
        return values, None
    total = np.concatenate([np.exp(part).sum(axis=1) for part in parts(values)])
    gap = np.abs(total - 1)
    found = explain_gaps(values, gap, unit, logs=True)
    if isinstance(found, Unexplained):
        rule = "must be log posteriors, whose exponentials sum to 1"
        got = f"sum {total[found.row]:.10g}"
        raise _not_logs(argument, rule, got, found.row)
    rounding, rounded = found
    if rounded is not None:
        values = values - np.log(np.where(rounded, total, 1.0))[:, None]
    return values, rounding


def _not_logs(argument: str, rule: str, got: object, row: int) -> InputError:
    hint, code = Action("use_logits"), "not_log_posteriors"
    return InputError(argument, rule, got, row=row, hint=hint, code=code)
