"""Scores of a fitted model: anything with `predict_proba` and `classes_`, as in scikit-learn."""

from typing import Any

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_names
from stakes._text import quoted
from stakes._typing import Names
from stakes.scores.kinds import Logits, LogPosteriors, Posteriors, PosteriorScores

# What the values of each method of a model stand for.
RESPONSES: dict[str, type[PosteriorScores]] = {
    "predict_proba": Posteriors,
    "predict_log_proba": LogPosteriors,
    "decision_function": Logits,
}
FIT_FIRST = "Fit it first."
_CLASSIFIER = "must be a fitted classifier with predict_proba and classes_"
_LOGITS = (
    "Its decision_function is not a probability: calibrate it, or pass"
    ' response_method="decision_function" to read its values as logits.'
)
_PAIRS = 'Pairwise values are not scores of classes: use decision_function_shape="ovr".'


def model_scores(
    model: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401, N803
    *,
    response_method: str = "predict_proba",
    argument: str = "model",
) -> PosteriorScores:
    """Return the scores of a fitted model, with the names of its classes.

    Columns stand in the order of `classes_`. Values of a `decision_function` are no probabilities;
    who asks for them reads them as logits.
    """
    values, classes = model_values(model, X, response_method, argument)
    return named_scores(values, classes, response_method, argument=_name(model))


def model_values(
    model: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401, N803
    response_method: str,
    argument: str = "model",
) -> "tuple[np.ndarray[Any, Any], Names]":
    """Return what a method of a fitted model gives, as it is, and the classes of its columns."""
    check_response(model, response_method, argument)
    classes = model_classes(model, argument)
    if response_method == "decision_function" and len(classes) > 2:
        _refuse_pairs(model, argument)
    values = getattr(model, response_method)(X)
    if isinstance(values, list | tuple) and len(values) and np.ndim(values[0]) == 2:
        found = f"{_name(model)} has {len(values)}"
        raise InputError(argument, "must have one output", found=found)
    return np.asarray(values), classes


def check_response(model: Any, response_method: str, argument: str = "model") -> None:  # noqa: ANN401
    """Refuse a method that gives no scores, and a fitted model that does not have the method."""
    if response_method not in RESPONSES:
        rule = f"must be one of {quoted(RESPONSES)}"
        raise InputError("response_method", rule, repr(response_method))
    model_classes(model, argument)
    if not hasattr(model, response_method):
        found = f"{_name(model)} has no {response_method}"
        hint = _LOGITS if hasattr(model, "decision_function") else ""
        raise InputError(argument, f"must have {response_method}", found=found, hint=hint)


def _refuse_pairs(model: Any, argument: str) -> None:  # noqa: ANN401
    """Refuse values of pairs of classes, which for three classes look like values of classes."""
    params = model.get_params() if hasattr(model, "get_params") else {}
    for name, value in params.items():
        if name.rpartition("__")[2] == "decision_function_shape" and value == "ovo":
            found = f'{_name(model)} has {name}="ovo"'
            raise InputError(argument, "must score classes, not pairs", found=found, hint=_PAIRS)


def named_scores(
    values: "np.ndarray[Any, Any]", classes: Names, response_method: str, *, argument: str
) -> PosteriorScores:
    """Return what a method of a model gave as scores, columns in the order of these classes."""
    if len(classes) < 2:
        rule = "must know two classes or more"
        raise UndefinedMetricError(argument, rule, f"one, {quoted(classes)}")
    scores = RESPONSES[response_method](values)
    if scores.n_classes != len(classes):
        rule = f"must give one column per class {quoted(classes)}"
        columns = "one column" if scores.values.ndim == 1 else f"{scores.n_classes} columns"
        hint = _PAIRS if response_method == "decision_function" else ""
        raise InputError(f"{response_method} of {argument}", rule, columns, hint=hint)
    return scores.named(classes)


def model_classes(model: Any, argument: str = "model") -> Names:  # noqa: ANN401
    """Return the classes of a fitted model, in the order of its columns."""
    if isinstance(model, type):
        hint = f"Pass {model.__name__}(...), fitted."
        raise InputError(argument, "must be a model", f"the class {model.__name__}", hint=hint)
    scoring = [name for name in RESPONSES if hasattr(model, name)]
    if not hasattr(model, "classes_"):
        lacks = "classes_" if scoring else "predict_proba"
        hint = FIT_FIRST if scoring and hasattr(model, "fit") else ""
        if argument == "model" and hasattr(model, "shape"):
            hint = "The model comes first: evaluate_model(model, X, y)."
        raise InputError(argument, _CLASSIFIER, found=f"{_name(model)} has no {lacks}", hint=hint)
    classes = model.classes_
    if isinstance(classes, list | tuple) and len(classes) and np.ndim(classes[0]) == 1:
        found = f"{_name(model)} has {len(classes)}"
        raise InputError(argument, "must have one output", found=found)
    return read_names(np.asarray(classes), f"classes_ of {_name(model)}")  # type: ignore[arg-type]  # an array is a sequence


def _name(model: Any) -> str:  # noqa: ANN401
    return type(model).__name__
