"""The work of the evaluator: reads what MLflow hands over, evaluates it, logs the result."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from stakes._check import InputError, read_names
from stakes._text import quoted
from stakes.costs import CostMatrix
from stakes.evaluation import DecisionEvaluation, Evaluation, evaluate, evaluate_decisions
from stakes.evaluation.applications import classes_of, states_priors
from stakes.evaluation.model_priors import model_priors
from stakes.metrics import confusion_matrix
from stakes.mlflow.evaluator import NOT_FOR_DECISIONS, OPTIONS, OWN
from stakes.mlflow.mlflow_library import mlflow_library
from stakes.mlflow.model_outputs import Inputs
from stakes.mlflow.run_logging import LoggedEvaluation, Naming, Target, documents
from stakes.samples import read_samples
from stakes.scores import Posteriors, Scores, model_classes, read_kind
from stakes.sklearn.models_at_priors import FittedModel, weighted_classes

_BESIDE = ("groups", "sample_weight")


def evaluate_for_mlflow(
    *,
    model_type: str | None,
    dataset: Any,
    model: Any,
    output: str | None,
    config: dict[str, Any],
    run_id: str,
    model_id: str | None,
) -> Any:
    """Return what MLflow expects of an evaluator, logged to the run."""
    _check(model_type, config)
    made = evaluated(Inputs.from_dataset(dataset, model, output), config)
    of_metrics = {"dataset_name": dataset.name, "dataset_digest": dataset.digest, "run_id": run_id}
    target = Target(mlflow_library().MlflowClient(), run_id, of_metrics)
    naming = Naming(config.get("prefix", ""), None, config.get("artifact_path", "stakes"))
    written = documents(made, dataset.name) if config.get("artifacts", True) else {}
    numbers = made.flat_metrics(config.get("metrics"))
    return _result(target, target.log(made, numbers, naming, written, model_id), written)


def evaluated(inputs: Inputs, config: Mapping[str, Any]) -> Evaluation | DecisionEvaluation:
    """Evaluate scores, or decisions where the configuration says so."""
    if inputs.labels is None:
        rule = "must be given: the column of the true classes"
        raise InputError("targets", rule)
    given = {name: config[name] for name in OPTIONS if name in config}
    kind = read_kind(given.pop("kind", Posteriors))
    slices = given.pop("slices", None)
    names = [slices] if isinstance(slices, str) else list(slices or ())
    columns = {name: given.pop(name) for name in _BESIDE if given.get(name) is not None}
    beside = [*columns.values(), *names]
    if config.get("decisions"):
        return _decisions(inputs, given, columns, beside)
    classes, named = given.get("classes"), classes_of(given.get("costs"))
    scores = inputs.scores(config.get("scores"), named if classes is None else classes, beside)
    if not isinstance(scores, Scores):
        scores = kind(scores)
    if classes is not None:
        scores = _named(scores, classes) if scores.names is None else scores
        given["classes"] = named or classes  # costs may have them in another order
    more = {name: inputs.column(column, name) for name, column in columns.items()}
    more["slices"] = {name: inputs.column(name, "slices") for name in names} or None
    model = None if config.get("scores") is not None else inputs.classifier
    if model is None or given.get("training_priors") is not None:
        return evaluate(inputs.labels, scores, **given, **more)
    return _of_model(model, inputs.labels, scores, given, more)


def _of_model(
    model: Any, labels: Any, scores: Any, given: dict[str, Any], more: Mapping[str, Any]
) -> Evaluation:
    """Evaluate scores of a model that may show which priors they are at."""
    known, costs = model_priors(model, None), given.get("costs")
    stated = states_priors(costs, given.get("priors"))
    if stated and known.values is not None:
        pairs = zip(model_classes(model), known.values.tolist(), strict=True)
        given = {**given, "training_priors": dict(pairs)}
    found = evaluate(labels, scores, **given, **more)
    if stated:
        return found
    classes = found.data.classes
    samples = read_samples(labels, scores, None, more.get("sample_weight"), classes)
    seen = FittedModel(scores, known, classes)
    verdict = weighted_classes("model", seen, samples, costs, several=False)
    return found if verdict is None else replace(found, verdicts=(verdict, *found.verdicts))


def _named(scores: Scores, classes: Sequence[Any]) -> Scores:
    names = read_names(classes, "classes")
    if len(names) != scores.n_classes:
        rule = f"must name the {scores.n_classes} classes of the scores"
        raise InputError("classes", rule, quoted(names))
    return scores.named(names)


def _decisions(
    inputs: Inputs, given: dict[str, Any], columns: Mapping[str, str], beside: Sequence[str]
) -> DecisionEvaluation:
    costs, classes = given.pop("costs", None), given.pop("classes", None)
    if costs is not None and not isinstance(costs, CostMatrix):
        hint = "Pass stakes.CostMatrix(costs, classes=[...])."
        raise InputError("costs", "must be a CostMatrix for decisions", hint=hint)
    weight = columns.get("sample_weight")
    counts = confusion_matrix(
        inputs.labels,
        inputs.decisions(beside),
        classes=classes if costs is None else costs.classes,
        decisions=None if costs is None else costs.decisions,
        sample_weight=None if weight is None else inputs.column(weight, "sample_weight"),
    )
    return evaluate_decisions(counts, costs, **given)


def _check(model_type: str | None, config: Mapping[str, Any]) -> None:
    where = 'evaluator_config["stakes"]'
    known = (*OPTIONS, *OWN)
    for key in config:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, 1)
            hint = f"Did you mean {close[0]!r}?" if close else ""
            raise InputError(where, f"must have keys of {quoted(known, 30)}", repr(key), hint=hint)
    odd = [key for key in NOT_FOR_DECISIONS if key in config and config.get("decisions")]
    if odd:
        rule = f"must have no {odd[0]!r} together with 'decisions'"
        raise InputError(where, rule, found="it has no effect on decisions")
    if model_type != "classifier":
        raise InputError("model_type", 'must be "classifier" for stakes', repr(model_type))


def _result(
    target: Target, logged: LoggedEvaluation, written: Mapping[str, tuple[str, str]]
) -> Any:
    """Return metrics and artifacts as MLflow has them."""
    mlflow, kinds = mlflow_library(), import_module("mlflow.models.evaluation.artifacts")
    home = target.client.get_run(target.run_id).info.artifact_uri
    artifacts = {}
    for key, (_, text) in written.items():
        uri = f"{home}/{logged.artifacts[key]}"
        if key == "document":
            artifacts[f"stakes_{key}"] = kinds.JsonEvaluationArtifact(uri, json.loads(text))
        else:
            artifacts[f"stakes_{key}"] = kinds.TextEvaluationArtifact(uri, text)
    return mlflow.models.EvaluationResult(dict(logged.metrics), artifacts, logged.run_id)
