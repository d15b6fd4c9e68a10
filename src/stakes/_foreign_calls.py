"""Calls in words of other libraries: what can be understood is, the rest is answered with ours."""

from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from stakes._errors import InputError
from stakes._foreign_words import missing
from stakes._text import key_of, quoted

_P = ParamSpec("_P")
_R = TypeVar("_R")
_POSITIVE = ("pos_label", "positive")  # words for the class of interest
_MODELS = {"model", "models", "estimator"}  # arguments that take one
_MOST_NAMED = 6  # arguments that an answer lists


def answered(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that answers foreign arguments with ours; a call that works is as before.

    Nothing is looked at before a call has failed. The class of interest as `pos_label` is
    understood, where labels have two classes.
    """

    @wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _R:
        try:
            return function(*args, **named)
        except (TypeError, ValueError, AttributeError):
            meant = _meant(function, args, named)
            if meant is None:
                raise
        return call(*args, **meant)

    return call


class Answering(ABCMeta):
    """The class of classes that answer for the names and arguments that they have not."""

    if not TYPE_CHECKING:  # which would take every name for there, and any arguments

        def __call__(cls, *args: Any, **named: Any) -> object:  # noqa: ANN401
            try:
                return super().__call__(*args, **named)
            except TypeError:
                _refuse_constructor(cls, args, named)
                raise

        def __getattr__(cls, name: str) -> NoReturn:
            raise missing(f"type object {cls.__name__!r} has no attribute {name!r}", name, cls)

        @property
        def __signature__(cls) -> object:
            """The arguments of the constructor, which `inspect` would not see behind `__call__`."""
            from inspect import Signature, signature  # noqa: PLC0415  for help and editors

            if cls.__init__ is object.__init__:
                return Signature()
            told = signature(cls.__init__)
            return told.replace(parameters=list(told.parameters.values())[1:])


def _refuse_constructor(cls: type, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Answer arguments that a constructor has not, or that are not there."""
    from inspect import signature  # noqa: PLC0415  only where a call failed

    from stakes._foreign_words import entry_of  # noqa: PLC0415

    @wraps(cls.__init__)  # type: ignore[misc]
    def constructor(self: object) -> None: ...

    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        del constructor.__wrapped__  # which takes anything, and refuses it
    try:
        signature(constructor).bind(None, *args, **named)
    except TypeError:
        found = entry_of(cls.__name__)
        made = found is not None and found.call.startswith("stakes.")  # by a call of ours
        if found is not None and made and cls.__name__ not in found.ours.split(", "):
            text = f"{_shown(constructor)} is not called like this"
            raise TypeError(f"{text}. {found.said()}") from None
    _meant(constructor, (None, *args), named)


def _meant(
    function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the arguments that a failed call meant; None if the call has no foreign arguments."""
    from inspect import Parameter, signature  # noqa: PLC0415  only where a call failed

    told = signature(function)
    kinds = {name: each.kind for name, each in told.parameters.items()}
    places = [name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_OR_KEYWORD]
    if not _MODELS & kinds.keys():
        _refuse_models(function, places, args, named)
        if places[:2] == ["y_true", "scores"]:
            _refuse_features(dict(zip(places, args, strict=False)) | dict(named))
    try:
        told.bind(*args, **named)
    except TypeError:
        pass
    else:
        return None  # it failed for another reason
    odd = [name for name in named if name not in kinds]
    if odd and odd[0] in _POSITIVE and named[odd[0]] is not None:
        meant = _with_positive(places, args, named, odd[0], kinds)
        if meant is not None:
            return meant
    if odd:
        _refuse_argument(function, odd[0], list(kinds))
    if len(args) > len(places):
        _refuse_places(function, places, list(kinds))
    return None


def _refuse_models(
    function: Callable[..., Any], places: list[str], args: tuple[Any, ...], named: Mapping[str, Any]
) -> None:
    """Refuse a model where data are expected, with the call that takes one."""
    beyond = [f"argument {at + 1}" for at in range(len(places), len(args))]
    given = [*zip([*places, *beyond], args, strict=False), *named.items()]
    for argument, value in given[len(places) - len(_public(places)) :]:
        several = isinstance(value, Mapping)
        for each in value.values() if several else (value,):
            if not any(callable(getattr(each, name, None)) for name in ("predict", "forward")):
                continue
            kind = each if isinstance(each, type) else type(each)
            hint = f"For a fitted model call {_call_of_model(function, places, each)}."
            raise InputError(argument, "must not be a model", kind.__name__, hint=hint) from None


def _refuse_features(given: Mapping[str, Any]) -> None:
    """Refuse features in the place of labels, with the call that takes them."""
    shapes = [getattr(given.get(name), "shape", ()) for name in ("y_true", "scores")]
    if [len(shape) for shape in shapes] != [2, 1] or _has_classes(given["y_true"]):
        return
    hint = "To evaluate a fitted model call stakes.evaluate_model(model, X, y)."
    shape = " x ".join(map(str, shapes[0]))
    rule = "must be labels, not features"
    raise InputError("y_true", rule, f"a table of {shape}", hint=hint) from None


def _has_classes(table: Any) -> bool:  # noqa: ANN401  any table
    """Whether the columns are classes: of labels as 0 and 1, or of probabilities."""
    import numpy as np  # noqa: PLC0415  only where a call failed

    values = np.asarray(table)
    if values.dtype.kind not in "bif":
        return False
    return bool(np.isin(values, (0, 1)).all() or np.allclose(values.sum(axis=1), 1, atol=1e-3))


def _call_of_model(function: Callable[..., Any], places: list[str], model: Any) -> str:  # noqa: ANN401
    name = function.__qualname__
    if places[0] == "self":
        name = f"{name[0].lower()}{name[1:]}"
    if "y_pred" in places:
        return f"stakes.{name}(y, model.predict(X))"
    if callable(getattr(model, "forward", None)):
        return "stakes.evaluate(y, stakes.Logits(model(x)))"
    if name == "evaluate_decisions":
        return f"stakes.{name}(stakes.confusion_matrix(y, model.predict(X)), costs)"
    if "systems" in places:
        return "stakes.compare_models({'old': model, 'new': other}, X, y)"
    if name == "evaluate" or "scores" not in places:
        return "stakes.evaluate_model(model, X, y)"
    given = {"y_true": "y", "scores": "model.predict_proba(X)", "rule": "stakes.LogLoss()"}
    said = ", ".join(given[each] for each in places if each in given)
    return f"{name}({said})" if places[0] == "self" else f"stakes.{name}({said})"


def _with_positive(
    places: list[str],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    word: str,
    kinds: Mapping[str, object],
) -> dict[str, Any] | None:
    """Return arguments with the class of interest as ours; None where it cannot be understood."""
    positive, rest = named[word], {name: value for name, value in named.items() if name != word}
    if "positive" in kinds:
        return None if "positive" in rest else {**rest, "positive": positive}
    given = dict(zip(places, args, strict=False)) | rest
    y_true = given.get("y_true", given.get("y"))
    if "classes" not in kinds or given.get("classes") is not None or y_true is None:
        return None
    label = given.get("label")
    labels = _different(y_true if label is None else y_true[label])
    others = [each for each in labels if each != positive]
    if len(labels) != 2 or len(others) != 1:
        return None
    names = [others[0], positive]
    if names != sorted(labels, key=_by_kind) and any(map(_has_columns, _scores(given))):
        return None  # their columns are in another order
    return {**rest, "classes": names}


def _different(labels: Any) -> list[Any]:  # noqa: ANN401  any column
    import numpy as np  # noqa: PLC0415  only where a call failed

    return sorted(set(np.asarray(labels).ravel().tolist()), key=_by_kind)


def _by_kind(label: object) -> tuple[bool, Any]:
    return isinstance(label, str), label


def _scores(given: Mapping[str, Any]) -> Iterator[Any]:
    for name in ("scores", "systems"):
        value = given.get(name)
        yield from value.values() if isinstance(value, Mapping) else (value,)


def _has_columns(scores: Any) -> bool:  # noqa: ANN401
    """Whether scores have a column for each class, without names for them."""
    import numpy as np  # noqa: PLC0415  only where a call failed

    if hasattr(scores, "columns") or getattr(scores, "names", None) is not None:
        return False
    if isinstance(scores, list) and all(isinstance(each, str) for each in scores):
        return len(scores) > 1
    return np.ndim(getattr(scores, "values", scores)) > 1


def _refuse_argument(function: Callable[..., Any], name: str, known: list[str]) -> NoReturn:
    """Refuse an argument that a function has not, with what was meant."""
    from stakes._foreign_words import answer_to, near  # noqa: PLC0415  only where a call failed

    meant = near(name, known, cutoff=0.8)
    own = answer_to(name, _shown(function).removesuffix("()"))
    if own is not None and own.of_one:
        meant = []
    found = None if meant else own
    text = f"{_shown(function)} has no argument {name!r}."
    if meant:
        raise TypeError(f"{text} Did you mean {meant[0]!r}?") from None
    if found is not None:
        raise TypeError(f"{text} {found.said()}") from None
    listed = quoted(_public(known), most=20)
    more = f"Its arguments are {listed}." if listed else "It takes none."
    raise TypeError(f"{text} {more}") from None


def _refuse_places(function: Callable[..., Any], places: list[str], known: list[str]) -> NoReturn:
    """Refuse more arguments without names than a function takes."""
    from stakes._foreign_words import foreign_words  # noqa: PLC0415  only where a call failed

    first, others = _public(places), [name for name in _public(known) if name not in places]
    named = ", ".join(f"{name}=..." for name in others[:_MOST_NAMED])
    rule = f"{_shown(function)} takes {quoted(first) or 'no arguments'} without names"
    found = foreign_words().get(key_of(function.__name__))
    others_named = f"; the others by name: {named}." if named else "."
    more = f". {found.said()}" if found is not None else others_named
    raise TypeError(f"{rule}{more}") from None


def _public(names: list[str]) -> list[str]:
    return [name for name in names if name not in ("self", "cls")]


def _shown(function: Callable[..., Any]) -> str:
    if function.__name__ == "__init__":
        return f"{function.__qualname__.removesuffix('.__init__')}()"
    of_object = next(iter(function.__code__.co_varnames), "") == "self"
    return f"{function.__name__ if of_object else function.__qualname__}()"
