"""At which priors the posteriors of a fitted model are: known numbers, or unknown with the reason.

A model that minimises a loss over its training data, each class weighted, gives posteriors at the
weighted shares of the classes. Libraries are read by names of classes, parameters and fitted
attributes, so that none of them is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._errors import Action, InputError
from stakes._text import plain
from stakes._typing import FloatArray, IntArray, Names
from stakes.evaluation.applications import lacks_training
from stakes.scores import PosteriorScores

_UNSEEN = "its training data are not seen"
_ALIKE = 1.25  # ratio of odds up to which priors count as the same

# Parameters that weight classes, and the values with which they do not.
_WEIGHTING: dict[str, tuple[Any, ...]] = {
    "auto_class_weights": (None, "None"),
    "class_weight": (None,),
    "class_weights": (None,),
    "criterion__pos_weight": (None,),
    "criterion__weight": (None,),
    "is_unbalance": (None, False),
    "pos_weight": (None, 1),
    "scale_pos_weight": (None, 1),
    "unbalance": (None, False),
}
_STATED: dict[str, tuple[Any, ...]] = {  # parameters of models that learn priors
    "class_prior": (None,),
    "fit_prior": (True,),
    "priors": (None,),
}
_BALANCED = ("balanced", "balanced_subsample", "Balanced", True)
_LEARNT: dict[str, Callable[[Any], Any]] = {  # fitted attributes that are the priors
    "class_prior_": np.asarray,
    "priors_": np.asarray,
    "class_log_prior_": np.exp,
}


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The samples of each class that a model was fitted on, and what they weigh in its fit."""

    n: FloatArray
    weight: FloatArray

    @property
    def shares(self) -> FloatArray:
        """The share of each class in the weight."""
        return self.weight / self.weight.sum()

    @property
    def evenly(self) -> bool:
        """Whether weights hardly change the shares of the classes."""
        return priors_alike(self.n / self.n.sum(), self.shares)


@dataclass(frozen=True, eq=False)
class PosteriorPriors:
    """The priors that posteriors are at, in the order of `classes_`; None where unknown.

    `why` says why they are unknown, and `weighting` what the model weights classes by; `stated`
    ones are priors of deployment that the model was told.
    """

    values: FloatArray | None
    why: str = ""
    weighting: str = ""
    stated: bool = False

    def differ(self, other: FloatArray) -> bool:
        """Whether other priors are clearly not these."""
        return self.values is not None and not priors_alike(self.values, other)

    def text(self, names: Names) -> str:
        """Return the priors by class."""
        return f"unknown: {self.why}" if self.values is None else priors_text(names, self.values)


def priors_text(names: Names, priors: FloatArray) -> str:
    """Return priors by class for people."""
    pairs = zip(names, priors.tolist(), strict=True)
    return ", ".join(f"{plain(name)}: {p:.4g}" for name, p in pairs)


def priors_alike(one: FloatArray, other: FloatArray) -> bool:
    """Whether the odds of no class differ by much."""
    with np.errstate(divide="ignore", invalid="ignore"):  # of priors of 0
        mine, theirs = (np.log(p) - np.log1p(-p) for p in (one, other))
        same = (one == other) | (np.abs(mine - theirs) <= np.log(_ALIKE))
    return bool(same.all())


def model_priors(model: Any, counts: ClassCounts | None, response: str = "") -> PosteriorPriors:
    """Return the priors that the posteriors of a fitted model are at.

    `counts` are those of the data it was fitted on, in the order of `classes_`; None where it was
    fitted elsewhere. `response` is the method whose values are read as posteriors.
    """
    if response == "decision_function" and not hasattr(model, "predict_proba"):
        return PosteriorPriors(None, "its decision function does not give posteriors")
    return _read(model, counts)


def _read(model: Any, counts: ClassCounts | None) -> PosteriorPriors:
    own = getattr(model, "_posterior_priors", None)  # of the classifiers of this package
    if own is not None:
        found: PosteriorPriors = own()
        return found
    names = {each.__name__ for each in type(model).__mro__}
    inner = _wrapped(model, names)
    if inner is not None:
        return _read(inner, None if "FrozenEstimator" in names else counts)
    for name, read in _READERS.items():
        if name in names:
            return read(model, counts)
    learnt = next((name for name in _LEARNT if hasattr(model, name)), None)
    if learnt is not None and "ComplementNB" not in names:
        return _learnt(model, _LEARNT[learnt](getattr(model, learnt)))
    weighted = next(_weighted_parts(model), None)
    if weighted is not None:
        return _unknown(f"it fits models with {weighted}", weighted)
    return _weighted(model, counts)


def _wrapped(model: Any, names: set[str]) -> Any:
    """Return the fitted model inside one that hands on its posteriors as they are."""
    if hasattr(model, "steps"):
        steps = [step for _, step in model.steps]
        return None if any(hasattr(step, "fit_resample") for step in steps) else steps[-1]
    if names & {"FrozenEstimator"}:
        return model.estimator
    if names & {"TunedThresholdClassifierCV", "FixedThresholdClassifier"}:
        return getattr(model, "estimator_", None)
    if names & {"BaggingClassifier"}:
        return model.estimators_[0]
    for name in ("best_estimator_", "final_estimator_"):  # of a search, and of a stack
        if hasattr(model, name):
            return getattr(model, name)
    return None


def _of_data(counts: ClassCounts | None) -> PosteriorPriors:
    return _unknown(_UNSEEN) if counts is None else PosteriorPriors(counts.shares)


def _unknown(why: str, weighting: str = "") -> PosteriorPriors:
    return PosteriorPriors(None, why, weighting)


def _resampled(model: Any, counts: ClassCounts | None) -> PosteriorPriors:  # noqa: ARG001
    return _unknown("it resamples the classes", "resampling")


def _calibrated(model: Any, counts: ClassCounts | None) -> PosteriorPriors:
    """Sigmoids and isotonic maps learn the priors of their data."""
    if model.method != "temperature":
        return _of_data(counts)
    return at_temperature(_read(model.calibrated_classifiers_[0].estimator, counts), counts)


def at_temperature(found: PosteriorPriors, counts: ClassCounts | None) -> PosteriorPriors:
    """Return the priors of posteriors whose log odds were scaled.

    A scale learns no priors: posteriors that were not at those of the data are at unknown ones.
    """
    known = found.values is not None
    if known and counts is not None and not found.differ(counts.shares):
        return _of_data(counts)
    if found.weighting or found.stated or (known and counts is not None):
        what = found.weighting or "priors of its own"
        return _unknown(f"a temperature does not undo {what}", what)
    return _of_data(counts) if known else found


def _trees(model: Any, counts: ClassCounts | None) -> PosteriorPriors:
    """Leaves that hold one class give 0 and 1, whatever samples weigh."""
    found = _weighted(model, counts)
    uneven = counts is not None and not counts.evenly
    if not found.weighting and not uneven:
        return found
    what = found.weighting or "sample_weight"
    return _unknown(f"trees take up {what} only where leaves are mixed", what)


def _support_vectors(model: Any, counts: ClassCounts | None) -> PosteriorPriors:  # noqa: ARG001
    """Platt's fit counts samples without any weights."""
    return _of_data(None if counts is None else ClassCounts(counts.n, counts.n))


def _voting(model: Any, counts: ClassCounts | None) -> PosteriorPriors:
    every = [_read(each, counts) for each in model.estimators_]
    unknown = next((each for each in every if each.values is None), None)
    if unknown is not None:
        return unknown
    first = every[0].values
    if all(not each.differ(first) for each in every):  # type: ignore[arg-type]  # known
        return every[0]
    weighting = next((each.weighting for each in every if each.weighting), "")
    return _unknown("it averages posteriors at different priors", weighting)


def _self_trained(model: Any, counts: ClassCounts | None) -> PosteriorPriors:  # noqa: ARG001
    return _unknown("it labels samples itself")


_READERS: dict[str, Callable[[Any, ClassCounts | None], PosteriorPriors]] = {
    "BaseDecisionTree": _trees,
    "BaseForest": _trees,
    "BaseSVC": _support_vectors,
    "CalibratedClassifierCV": _calibrated,
    "SelfTrainingClassifier": _self_trained,
    "VotingClassifier": _voting,
}


def _learnt(model: Any, priors: FloatArray) -> PosteriorPriors:
    """Return priors that a model learnt or was told."""
    stated = next(_told(model, _STATED), "")
    return PosteriorPriors(np.asarray(priors, dtype=np.float64), "", stated)


def _weighted(model: Any, counts: ClassCounts | None) -> PosteriorPriors:
    """Return the priors of a model that minimises a weighted loss, from its parameters."""
    params = _params(model)
    if "sampling_strategy" in params or hasattr(model, "steps"):
        return _resampled(model, counts)
    told = [name for name, harmless in _WEIGHTING.items() if _given(params, name, harmless)]
    if not told:
        return _of_data(counts)
    text = " and ".join(_shown(name, params[name]) for name in told)
    value = params[told[0]]
    if len(told) > 1:
        return _unknown(f"it weights classes by {text}", text)
    if isinstance(value, str | bool) and value in _BALANCED:
        return _balanced(model, counts, text)
    factors = _factors(model, told[0], value)
    if factors is None or counts is None:
        return _unknown(_UNSEEN if counts is None else f"{text} cannot be read", text)
    effective = counts.weight * factors
    return PosteriorPriors(effective / effective.sum(), "", text)


def _balanced(model: Any, counts: ClassCounts | None, text: str) -> PosteriorPriors:
    if counts is not None and not counts.evenly:  # libraries count samples or weights
        return _unknown(f"it has {text} and weights of samples", text)
    k = len(model.classes_)
    return PosteriorPriors(np.full(k, 1 / k), "", text)


def _factors(model: Any, name: str, value: Any) -> FloatArray | None:
    """Return what a sample of each class counts; None where that cannot be read."""
    classes = np.asarray(model.classes_).tolist()
    if isinstance(value, Mapping):
        if not set(value) <= set(classes):
            return None
        weights = np.array([float(value.get(each, 1)) for each in classes])
        return weights if (weights > 0).any() and (weights >= 0).all() else None
    plain_number = isinstance(value, int | float) and not isinstance(value, bool)
    if plain_number and name.endswith("pos_weight") and len(classes) == 2 and value > 0:
        return np.array([1.0, float(value)])
    return None


def _params(model: Any) -> Mapping[str, Any]:
    if not hasattr(model, "get_params"):
        return {}
    found: Mapping[str, Any] = model.get_params(deep=False)
    return found


def _given(params: Mapping[str, Any], name: str, harmless: tuple[Any, ...]) -> bool:
    """Whether a parameter is there and does something."""
    if name not in params:
        return False
    value = params[name]
    simple = value is None or isinstance(value, str | bool | int | float)
    empty = isinstance(value, Mapping) and not value
    return not empty and not (simple and value in harmless)


def _told(model: Any, table: Mapping[str, tuple[Any, ...]]) -> Iterator[str]:
    """Yield the parameters of a model that do something, as they are written."""
    params = _params(model)
    for name, harmless in table.items():
        if _given(params, name, harmless):
            yield _shown(name, params[name])


def _shown(name: str, value: Any) -> str:
    text = " ".join(repr(value).split())
    return f"{name}={text if len(text) <= 60 else f'{text[:57]}...'}"


def _weighted_parts(model: Any) -> Iterator[str]:
    """Yield how models inside another weight classes."""
    for value in _params(model).values():
        if not hasattr(value, "get_params") or isinstance(value, type):
            continue
        yield from _told(value, {**_WEIGHTING, **_STATED})
        yield from _weighted_parts(value)


def class_counts(codes: IntArray, k: int, weights: FloatArray | None) -> ClassCounts:
    """Return the counts of coded labels."""
    n = bincount(codes, minlength=k).astype(np.float64)
    weight = n if weights is None else bincount(codes, weights, k).astype(np.float64)
    return ClassCounts(n, weight)


def in_order(found: PosteriorPriors, own: Names, classes: Names) -> PosteriorPriors:
    """Return priors of a model's own classes in another order; one that it never saw has 0."""
    if found.values is None or own == classes or not set(own) <= set(classes):
        return found
    values = np.zeros(len(classes))
    values[[classes.index(name) for name in own]] = found.values
    return replace(found, values=values)


def moved(scores: PosteriorScores, old: FloatArray, new: FloatArray) -> PosteriorScores:
    """Return posteriors moved from priors to others; the same where they are there already."""
    return scores if np.array_equal(old, new) else scores.at_priors(old, new)


def lacks_model_priors(whose: str, found: PosteriorPriors) -> InputError:
    """Return the error for a model that meets priors where those of its posteriors are unknown.

    Where it weights classes, the priors of its data are no answer.
    """
    error = lacks_training(f"{whose}, {found.why}")
    if not found.weighting:
        return error
    return error.moved(hint=Action("say_weighted_priors", {"weighting": found.weighting}))


def contradiction(
    found: PosteriorPriors, given: FloatArray, names: Names, shares: FloatArray
) -> str:
    """Say that priors which were given are not those of the model, where that is known.

    `shares` are those of the classes in the data, which a model that weights classes is not at.
    """
    if found.values is None and found.weighting and priors_alike(given, shares):
        return (
            f"training_priors say {priors_text(names, given)}, which are used; the model weights"
            f" classes by {found.weighting}, so its posteriors are not at those of its data"
        )
    if not found.differ(given):
        return ""
    known = found.text(names)
    why = f", by {found.weighting}" if found.weighting else ""
    return (
        f"training_priors say {priors_text(names, given)}, which are used; the model was fitted so"
        f" that its posteriors are at {known}{why}"
    )
