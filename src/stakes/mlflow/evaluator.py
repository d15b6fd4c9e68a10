"""An evaluator for `mlflow.models.evaluate`, found by its entry point `mlflow.model_evaluator`."""

from __future__ import annotations

__all__ = ["StakesEvaluator"]

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import Any

# MLflow imports this module with itself, so that nothing of stakes is loaded here that is slow.
OPTIONS = (
    "costs", "priors", "training_priors", "kind", "calibrator", "folds", "level",
    "groups", "slices", "sample_weight", "classes", "rules", "rng",
)  # fmt: skip
OWN = ("scores", "decisions", "prefix", "metrics", "artifacts", "artifact_path")
OF_MLFLOW = frozenset({"sample_weights"})  # of its own evaluators, and close to one of ours
NOT_FOR_DECISIONS = (
    "scores", "kind", "calibrator", "folds", "groups", "slices", "rules", "training_priors",
)  # fmt: skip


class StakesEvaluator:
    """The MLflow evaluator "stakes": what a classifier costs.

    It runs only if it is configured, `evaluator_config={"stakes": {"costs": ...}}`, so it changes
    nothing for others. Keys are the arguments of `stakes.evaluate`; `groups`, `slices` and
    `sample_weight` name columns of the data, as does `scores` if probabilities are stored.
    `decisions: True` evaluates predicted classes instead. `prefix`, `metrics`, `artifacts` and
    `artifact_path` are those of `log_evaluation`, which logs the result to the run.

    See Also
    --------
    log_evaluation : logs any evaluation to a run.
    evaluate : the evaluation itself.

    Examples
    --------
    Evaluate a logged model by cost, and stop if it is not useful:

    .. code-block:: python

        result = mlflow.models.evaluate(
            model_uri, data, targets="y", model_type="classifier", evaluators=["stakes"],
            evaluator_config={"stakes": {"costs": {"miss": 5, "false_alarm": 1}}},
        )
        if not result.metrics["cost.nec.high"] < 1:
            raise SystemExit("not useful at these costs")
    """

    @classmethod
    def can_evaluate(
        cls,
        *,
        model_type: str | None = None,  # noqa: ARG003  MLflow's interface
        evaluator_config: Mapping[str, Any] | None = None,
        **_: object,
    ) -> bool:
        """Return whether the configuration is for stakes; MLflow asks all evaluators by default.

        Parameters
        ----------
        model_type : str, optional
            MLflow's type of model; not used.
        evaluator_config : mapping, optional
            Configuration of this evaluator.
        """
        known = (*OPTIONS, *OWN)
        return any(
            key in known or (key not in OF_MLFLOW and difflib.get_close_matches(key, known, 1, 0.8))
            for key in map(str, evaluator_config or ())
        )

    def evaluate(
        self,
        *,
        model_type: str | None,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any],
        model: Any = None,
        predictions: str | None = None,
        model_id: str | None = None,
        **_: object,
    ) -> Any:
        """Evaluate a model, or stored probabilities, and log the result to the run.

        Parameters
        ----------
        model_type : str or None
            MLflow's type of model.
        dataset : MLflow dataset
            The data with their labels.
        run_id : str
            The run to log to.
        evaluator_config : mapping
            Configuration of this evaluator.
        model : MLflow model, optional
            The model; without it, stored probabilities are evaluated.
        predictions : str, optional
            Column of stored predictions.
        model_id : str, optional
            The logged model that the metrics belong to.

        Returns
        -------
        EvaluationResult
            MLflow's record of metrics and artifacts.
        """
        return import_module("stakes.mlflow.evaluator_work").evaluate_for_mlflow(
            model_type=model_type,
            dataset=dataset,
            model=model,
            output=predictions,
            config=dict(evaluator_config),
            run_id=run_id,
            model_id=model_id,
        )
