"""Evaluations logged to a run of MLflow: metrics, tags, and documents as artifacts."""

from __future__ import annotations

__all__ = ["LoggedEvaluation", "log_evaluation"]

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._markdown import escaped
from stakes.evaluation.tracking import Tracked
from stakes.mlflow.metric_names import accepted_names
from stakes.mlflow.mlflow_library import mlflow_library
from stakes.mlflow.run_tags import Record, not_finite, setting_tags

_METRICS_AT_ONCE, _TAGS_AT_ONCE = 500, 100  # MLflow takes 1000 metrics and 100 tags
_TAG = "stakes"


@dataclass(frozen=True)
class LoggedEvaluation:
    """What `log_evaluation` wrote to a run.

    Attributes
    ----------
    run_id : str
    metrics : mapping from name to number
        The finite numbers, under their names in MLflow.
    not_finite : mapping from name to text
        Numbers that are undefined or infinite, which are logged as tags.
    renamed : mapping from name to name
        Names that MLflow does not accept, and their replacements.
    tags : mapping from key to text
    artifacts : mapping from `page`, `document` and `verdicts` to the path in the run

    See Also
    --------
    log_evaluation : returns it.

    Examples
    --------
    Fail a training job whose model is not shown to be useful:

    .. code-block:: python

        logged = stakes.mlflow.log_evaluation(evaluation)
        if not logged.metrics["cost.nec.high"] < 1:
            raise SystemExit(f"not useful: see {logged.artifacts['page']} in run {logged.run_id}")
    """

    run_id: str
    metrics: Mapping[str, float]
    not_finite: Mapping[str, str]
    renamed: Mapping[str, str]
    tags: Mapping[str, str]
    artifacts: Mapping[str, str]


@answered
def log_evaluation(  # noqa: PLR0913  the run, the names, the documents
    evaluation: Record,
    *,
    run_id: str | None = None,
    client: Any = None,
    prefix: str = "",
    step: int | None = None,
    metrics: str | Sequence[str] | None = None,
    artifacts: bool = True,
    artifact_path: str = "stakes",
    source: str = "",
    model_id: str | None = None,
) -> LoggedEvaluation:
    """Log an evaluation, a comparison or evaluated decisions to a run of MLflow.

    Metrics have the names of `flat_metrics`: each number, the ends of its interval (`cost.nec.low`,
    `cost.nec.high`) and the naive value if it is not 1 (`cost.value.naive`). A character that
    MLflow does not accept in a name becomes an underscore. MLflow's stores treat NaN and infinity
    in different ways, and databases turn infinity into 1.8e308, so those numbers become tags,
    `stakes.undefined.<name>`, with the reason. Other tags have costs, priors, level, seed,
    the first verdict and the codes of all; they are tags, not params, because a param can be
    written only once in a run.

    Parameters
    ----------
    evaluation : Evaluation, Comparison or DecisionEvaluation
    run_id : str, optional
        By default the active run; if there is none, one is started, as `mlflow.log_metric` does.
    client : MlflowClient, optional
        Client of the tracking server; by default that of the current tracking URI. Needs `run_id`.
    prefix : str, optional
        Prefix of each metric's name, such as `"val/"`; in tags it follows `stakes.`.
    step : int, optional
        Step of the metrics. Artifacts of different steps are kept separately.
    metrics : str, or list of str, optional
        Names of `flat_metrics` to log, such as "cost.nec" with the ends of its interval, or
        patterns such as "cost.*"; by default all.
    artifacts : bool, default True
        Whether to log the live page (HTML), the JSON document of docs/schema and the verdicts.
    artifact_path : str, default "stakes"
        Directory of the artifacts.
    source : str, optional
        Name of the data, for page and document.
    model_id : str, optional
        A logged model (MLflow 3) that the metrics belong to.

    Returns
    -------
    LoggedEvaluation
        The run, metrics, tags and paths, as they were written.

    See Also
    --------
    evaluate, compare, evaluate_decisions : return what can be logged.

    Examples
    --------
    Fail a training job whose model is not better than a constant answer::

        with mlflow.start_run():
            evaluation = stakes.evaluate(y, p, costs=costs, priors=priors)
            logged = stakes.mlflow.log_evaluation(evaluation, prefix="test/")
        if not logged.metrics["test/cost.nec.high"] < 1:
            raise SystemExit(str(evaluation.verdicts[0]))
    """
    if not isinstance(evaluation, Tracked):
        rule = "must be what evaluate, compare or evaluate_decisions returns"
        raise InputError("evaluation", rule, f"a {type(evaluation).__name__}")
    numbers = evaluation.flat_metrics(metrics)
    target, naming = Target.find(run_id, client), Naming(prefix, step, artifact_path)
    written = documents(evaluation, source) if artifacts else {}
    return target.log(evaluation, numbers, naming, written, model_id)


def documents(record: Record, source: str) -> dict[str, tuple[str, str]]:
    """Return what is written beside the numbers: name of the file and text."""
    said = "".join(f"- {escaped(verdict, 4000)}\n" for verdict in record.verdicts)
    return {
        "page": ("evaluation.html", record.to_html(source=source)),
        "document": ("evaluation.json", record.to_json(source=source)),
        "verdicts": ("verdicts.md", said),
    }


@dataclass(frozen=True)
class Naming:
    """How things are called in a run."""

    prefix: str
    step: int | None
    artifact_path: str

    def tag(self, key: str) -> str:
        """Return the key of a tag."""
        return f"{_TAG}.{self.prefix}{key}"

    def file(self, name: str) -> str:
        """Return the path of an artifact; each prefix and step has a directory of its own."""
        step = "" if self.step is None else f"step-{self.step}"
        parts = [self.artifact_path, self.prefix, step, name]
        (path,) = accepted_names(["/".join(p.strip("/") for p in parts if p.strip("/"))]).values()
        return path


@dataclass(frozen=True)
class Target:
    """A run that is written to, and what metrics belong to beside it."""

    client: Any
    run_id: str
    of_metrics: Mapping[str, Any] = field(default_factory=dict)  # dataset_name, dataset_digest

    @classmethod
    def find(cls, run_id: str | None, client: Any) -> Target:
        """Return the run that is named, or the active one."""
        mlflow = mlflow_library()
        if run_id is None:
            if client is not None:
                rule = "must be given with a client, which has no active run"
                raise InputError("run_id", rule)
            active = mlflow.active_run() or mlflow.start_run()
            run_id = active.info.run_id
        if not isinstance(run_id, str):
            hint = "Pass run.info.run_id."
            raise InputError("run_id", "must be the ID of a run", repr(run_id), hint=hint)
        return cls(mlflow.MlflowClient() if client is None else client, run_id)

    def log(
        self,
        record: Record,
        numbers: Mapping[str, float],
        naming: Naming,
        written: Mapping[str, tuple[str, str]],
        model_id: str | None = None,
    ) -> LoggedEvaluation:
        """Write numbers of a record, and documents about it, to the run."""
        prefix = naming.prefix
        names = accepted_names([f"{prefix}{name}" for name in numbers])
        odd = not_finite(numbers, record.metrics())
        metrics = {
            names[f"{prefix}{name}"]: value
            for name, value in numbers.items()
            if math.isfinite(value)
        }
        when = "" if naming.step is None else f"step {naming.step}: "
        renamed = {name: new for name, new in names.items() if name != new}
        tags = {naming.tag(key): text for key, text in setting_tags(record).items()}
        tags |= {naming.tag(f"undefined.{name}"): f"{when}{why}" for name, why in odd.items()}
        tags |= {naming.tag(f"name.{new}"): name for name, new in renamed.items()}
        keys = accepted_names(tags)
        tags = {keys[key]: text for key, text in tags.items()}
        self._write(metrics, tags, naming.step or 0, model_id)
        paths = {key: naming.file(name) for key, (name, _) in written.items()}
        for key, (_, text) in written.items():
            self.client.log_text(self.run_id, text, paths[key])
        undefined = {names[f"{prefix}{name}"]: why for name, why in odd.items()}
        return LoggedEvaluation(self.run_id, metrics, undefined, renamed, tags, paths)

    def _write(
        self, metrics: Mapping[str, float], tags: Mapping[str, str], step: int, model_id: str | None
    ) -> None:
        entities = mlflow_library().entities
        now, of = int(time.time() * 1000), {"model_id": model_id, **self.of_metrics}
        values = [entities.Metric(name, x, now, step, **of) for name, x in metrics.items()]
        texts = [entities.RunTag(key, text) for key, text in tags.items()]
        for some in _parts(values, _METRICS_AT_ONCE):
            self.client.log_batch(self.run_id, metrics=some)
        for some in _parts(texts, _TAGS_AT_ONCE):
            self.client.log_batch(self.run_id, tags=some)


def _parts(values: Sequence[Any], most: int) -> list[Sequence[Any]]:
    return [values[start : start + most] for start in range(0, len(values), most)]
