"""Costs of the decisions of a classifier, matched by name to its classes."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._check import InputError, read_priors
from stakes._text import quoted
from stakes._typing import FloatArray, Label, Names, NDArray, PriorsLike
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.costs.by_case import as_costs
from stakes.costs.named_costs import is_frame
from stakes.costs.price_words import is_prices

Abstention = float | Mapping[Label, float] | None
_NAMED = CostMatrix | CostsByCase | SampleCosts


def read_decision_costs(costs: Any, names: Names, abstain: Abstention) -> CostMatrix | CostsByCase:
    """Return the costs of any case, with the decisions to abstain.

    Costs keep their own order of classes and decisions, which must be the classes of the
    classifier. An array without names, and prices by word, go with the classes 0 to K - 1.
    """
    table: CostMatrix | CostsByCase | SampleCosts
    if costs is None:
        table = CostMatrix.zero_one(names)
    elif is_frame(costs):
        table = CostMatrix(costs)
    else:
        if is_prices(costs):
            _refuse_unnamed(names, "costs", f"Pass CostMatrix.binary(..., classes={[*names]}).")
        elif not isinstance(costs, _NAMED):
            _refuse_unnamed(names, "costs", "Pass CostMatrix(costs, classes=[...]).")
        table = as_costs(costs, names)
    if isinstance(table, SampleCosts):
        rule = "must be those of any case"
        hint = "Pass CostsByCase, which names columns, or predict(X, costs=...)."
        raise InputError("costs", rule, f"those of {table.shape[0]} cases", hint=hint)
    if set(table.classes) != set(names):
        rule, hint = f"must have the classes {quoted(names)}", "Name them with classes=[...]."
        raise InputError("costs", rule, quoted(table.classes), hint=hint)
    return _with_abstention(table, abstain)


def are_codes(names: Names, given: Names) -> bool:
    """Whether labels may be codes of these classes, as `cross_val_predict` makes of them."""
    texts = all(isinstance(name, str) for name in given)
    return names == tuple(range(len(names))) and len(given) == len(names) and texts


def _with_abstention(costs: Any, abstain: Abstention) -> Any:
    """Return costs with one more decision for each way to abstain."""
    if abstain is None:
        return costs
    prices = abstain if isinstance(abstain, Mapping) else {"abstain": abstain}
    for name, price in prices.items():
        costs = costs.with_abstention(price, name)
    return costs


def costs_of_cases(
    table: CostMatrix | CostsByCase,
    X: Any,
    given: Any,
    abstain: Abstention,
) -> CostMatrix | SampleCosts:
    """Return the costs of the cases in X: what was given for each of them, or columns of X."""
    if given is None:
        return table if isinstance(table, CostMatrix) else table.with_columns(_columns(table, X))
    whole = isinstance(given, SampleCosts) or np.ndim(given) == 3
    if isinstance(table, CostsByCase) and not whole:
        return table.with_columns(_named(given, table.columns))
    further = 0 if abstain is None else len(abstain) if isinstance(abstain, Mapping) else 1
    own = table.decisions[: len(table.decisions) - further]
    if not isinstance(given, SampleCosts):
        given = SampleCosts(given, classes=table.classes, decisions=own)
    if set(given.classes) != set(table.classes) or given.decisions != own:
        rule = f"must have the classes {quoted(table.classes)} and the decisions {quoted(own)}"
        got = f"{quoted(given.classes)} and {quoted(given.decisions)}"
        raise InputError("costs", rule, got)
    found: SampleCosts = _with_abstention(given, abstain)
    return found


def _columns(table: CostsByCase, X: Any) -> Any:
    """Return X where it has the columns that costs name."""
    known = getattr(X, "columns", ())
    lacking = [name for name in table.columns if name not in known]
    if lacking:
        rule = "must be given for each case"
        found = f"they name {quoted(lacking)}, which X does not have as columns"
        hint = "Pass a data frame with these columns, or predict(X, costs=...)."
        raise InputError("costs", rule, found=found, hint=hint)
    return X


def _named(given: Any, names: tuple[str, ...]) -> Any:
    """Return columns by name: a table as it is, numbers in the order of the names."""
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        return given
    values = np.asarray(given)
    if values.ndim == 1 and len(names) == 1:
        return {names[0]: values}
    if values.ndim != 2 or values.shape[1] != len(names):
        rule = f"must have the columns {quoted(names)}"
        raise InputError("costs", rule, f"shape {values.shape}")
    return dict(zip(names, values.T, strict=True))


def decision_labels(decisions: Names, classes: NDArray[Any], names: Names) -> NDArray[Any]:
    """Return decisions as an array: of the kind of the classes, where they are classes."""
    place = {name: i for i, name in enumerate(names)}
    if set(decisions) <= set(place):
        return classes[[place[name] for name in decisions]]
    kinds = {type(name) for name in decisions}
    if len(kinds) == 1 and classes.dtype.kind != "O":
        return np.array(decisions)
    labels = np.empty(len(decisions), dtype=object)
    labels[:] = decisions
    return labels


def read_named_priors(priors: PriorsLike | None, names: Names, argument: str) -> FloatArray | None:
    """Read priors in the order of the classes; without names they are for classes 0 to K - 1."""
    if priors is None:
        return None
    named = isinstance(priors, str | Mapping) or is_series(priors)
    if not named:
        _refuse_unnamed(names, argument, "Pass a mapping from class to prior.")
    if isinstance(priors, Mapping) and are_codes(names, tuple(priors)):
        texts = sorted(priors)
        msg = f"the labels are {quoted(names)} and {argument} name {quoted(texts)}: they are taken"
        said = f"{msg} in this order, that of the codes which scikit-learn makes of sorted labels."
        warnings.warn(said, UserWarning, stacklevel=4)
        priors = [priors[name] for name in texts]
    try:
        return read_priors(priors, names)
    except InputError as error:
        raise error.moved(argument=argument) from error


def is_series(priors: object) -> bool:
    """Tell a column of pandas, which has names for its rows."""
    return hasattr(priors, "index") and hasattr(priors, "to_dict")


def _refuse_unnamed(names: Names, argument: str, hint: str) -> None:
    """Refuse numbers without names unless the classes are 0 to K - 1: their order is a guess."""
    if names != tuple(range(len(names))):
        rule = f"must name the classes {quoted(names)}"
        raise InputError(argument, rule, "numbers without names", hint=hint)
