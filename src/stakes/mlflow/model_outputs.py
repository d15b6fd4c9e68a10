"""What MLflow hands to an evaluator: the only place that knows its datasets and models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._text import plain, quoted
from stakes.scores.model_scores import model_scores

_DECISIONS = (
    'For columns of probabilities give evaluator_config={"stakes": {"scores": ["p_a", "p_b"]}};'
    ' to evaluate classes as decisions, {"stakes": {"decisions": True}}.'
)
_LOG_PROBA = f'Log it with pyfunc_predict_fn="predict_proba". {_DECISIONS}'


@dataclass(frozen=True, eq=False)
class Inputs:
    """What is read of a dataset of `mlflow.models.evaluate`, and of the model."""

    labels: Any
    features: Any  # a data frame, or an array
    predictions: Any  # of the dataset, or None
    model: Any  # as it was logged, or None
    output: str | None = None  # column of the model's output that is meant

    @classmethod
    def from_dataset(cls, dataset: Any, model: Any, output: str | None) -> "Inputs":
        """Read the parts of MLflow's dataset; its properties are not documented.

        The pins are `labels_data`, `features_data`, `has_predictions` and `predictions_data` of
        `EvaluationDataset` (MLflow 3.0 to 3.17).
        """
        return cls(
            labels=dataset.labels_data,
            features=dataset.features_data,
            predictions=dataset.predictions_data if dataset.has_predictions else None,
            model=model,
            output=output,
        )

    @property
    def classifier(self) -> Any:
        """The model as it was fitted, if it has probabilities of classes."""
        raw = None if self.model is None else raw_model(self.model)
        return raw if hasattr(raw, "predict_proba") else None

    def column(self, name: object, argument: str) -> Any:
        """Return a column of the data, by name."""
        columns = list(getattr(self.features, "columns", ()))
        if name not in columns:
            rule = "must name a column of data other than targets and predictions"
            hint = (
                f"Its columns are {quoted(columns)}." if columns else "Pass a data frame as data."
            )
            raise InputError(argument, rule, repr(name), hint=hint)
        return self.features[name].to_numpy()

    def scores(self, columns: object, classes: Sequence[Any] | None, beside: Sequence[str]) -> Any:
        """Return scores: columns that are named, else those of the model, else the predictions."""
        if isinstance(columns, str):
            return self.column(columns, "scores")
        if columns is not None:
            return self._table(columns, classes)
        if self.model is not None:
            return self._of_model(beside)
        if self.predictions is None:
            rule = "must be given if there is no model"
            raise InputError("predictions", rule, hint=_DECISIONS)
        return probabilities(self.predictions, "predictions", _DECISIONS)

    def decisions(self, beside: Sequence[str]) -> Any:
        """Return decisions: those of the model, else the predictions."""
        if self.model is None:
            if self.predictions is None:
                raise InputError("predictions", "must be given if there is no model")
            return np.asarray(self.predictions)
        return np.ravel(self._one_output(self.model.predict(self._model_input(beside))))

    def _table(self, columns: object, classes: Sequence[Any] | None) -> Any:
        if not isinstance(columns, Sequence) or not columns:
            rule = "must be the name of a column, or a list of names"
            raise InputError("scores", rule, repr(columns))
        for name in columns:
            self.column(name, "scores")
        table = self.features[list(columns)]
        by_name = classes is None or set(classes) == set(columns)
        return table if by_name else table.to_numpy()

    def _of_model(self, beside: Sequence[str]) -> Any:
        raw, features = raw_model(self.model), self._model_input(beside)
        if hasattr(raw, "predict_proba"):
            return model_scores(raw, features)
        output = self._one_output(self.model.predict(features))
        return probabilities(output, "the output of the model", _LOG_PROBA)

    def _one_output(self, output: Any) -> Any:
        """Return the column of a model's output that `predictions` names, or all of it."""
        if self.output is None:
            return output
        if isinstance(output, Mapping) or hasattr(output, "columns"):
            if self.output in output:
                return output[self.output]
            found = f"has {quoted(list(output))}"
        else:
            found = "has no names"
        rule = "must name an output of the model"
        raise InputError("predictions", rule, repr(self.output), more=f", which {found}")

    def _model_input(self, beside: Sequence[str]) -> Any:
        """Return what the model takes: its own features, without columns that are for stakes."""
        columns = getattr(self.features, "columns", None)
        if columns is None:
            return self.features
        own = getattr(raw_model(self.model), "feature_names_in_", None)
        if own is not None and set(own) <= set(columns):
            return self.features[list(own)]
        return self.features[[name for name in columns if name not in beside]]


def raw_model(model: Any) -> Any:
    """Return the model that a pyfunc model wraps; the same where it does not say."""
    try:
        return model.get_raw_model()
    except (AttributeError, NotImplementedError):
        return model


def probabilities(values: Any, argument: str, hint: str) -> Any:
    """Return a column, a table, or a column of lists as scores; labels are refused."""
    if hasattr(values, "columns"):
        if len(values.columns) > 1:
            return values
        values = values.to_numpy()
    array = np.asarray(values)
    if array.dtype == object and len(array) and isinstance(array.flat[0], Sequence | np.ndarray):
        array = _stacked(array, argument)
    if array.dtype.kind not in "fO" or (array.dtype == object and _is_text(array)):
        found = f"{plain(array.flat[0])!r} and others" if array.size else "nothing"
        rule = "must be probabilities, not classes"
        raise InputError(argument, rule, found, hint=hint)
    return array.astype(float) if array.dtype == object else array


def _is_text(array: Any) -> bool:
    return any(isinstance(each, str) for each in array.flat)


def _stacked(array: Any, argument: str) -> Any:
    """Return a column of lists as a table."""
    if isinstance(array.flat[0], str):
        return array
    lengths = [len(row) if isinstance(row, Sequence | np.ndarray) else 0 for row in array]
    odd = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
    if odd is not None:
        rule = f"must hold {lengths[0]} probabilities in each row, as the first does"
        raise InputError(argument, rule, f"{lengths[odd]}", row=odd)
    return np.array([list(row) for row in array], dtype=float)
