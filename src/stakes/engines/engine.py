"""Evaluation and comparison of tables on an engine: one definition for all engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from stakes._check import MissingExtraError
from stakes._text import plain
from stakes._typing import NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.engines.partials import Job, Partial
from stakes.engines.table_job import TableJob
from stakes.evaluation import Comparison, Evaluation, Summary
from stakes.evaluation.applications import Applications, classes_of, columns_of_costs
from stakes.evaluation.entry import RULES
from stakes.evaluation.summaries.compared_rows import ScoreForm
from stakes.evaluation.system_comparison import system_names
from stakes.io import Relation, Roles
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.units import Piece
from stakes.scores import Posteriors, Scores, read_kind
from stakes.scoring import ScoringRule

_SHOWN = "table"


class Source(ABC):
    """A table that lies in partitions where the workers of an engine are."""

    @abstractmethod
    def first(self, ask: Ask) -> Piece | None:
        """Return some rows of the first partition that has any."""

    @abstractmethod
    def total(self, job: Job) -> Partial:
        """Sum all partitions where they lie, and return the sum."""


class Engine(ABC):
    """An engine of others, which runs functions on the partitions of a table."""

    @abstractmethod
    def source(self, table: Any, roles: Roles) -> tuple[Source, Roles]:  # noqa: ANN401
        """Return a table of the engine, and the names of its columns."""

    @abstractmethod
    def files(self, files: Any) -> Source:  # noqa: ANN401  FileParts, which know sources
        """Return files that the workers can read."""

    @abstractmethod
    def address(self, url: str) -> Source:
        """Return Parquet files at an address that the engine knows."""

    @abstractmethod
    def slots(self) -> int:
        """Return how many tasks run at a time."""

    def summarize(  # noqa: PLR0913  as for `Summary.of`
        self,
        table: Any,  # noqa: ANN401  of the engine
        scores: Any,  # noqa: ANN401  names of columns, or arrays
        *,
        label: str | None = None,
        kind: type[Scores] = Posteriors,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        groups: Any = None,  # noqa: ANN401
        slices: Any = (),  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        classes: NamesLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
    ) -> Summary:
        """Return the summary of a table; each partition is summed where it is stored.

        Its bytes are those of `stakes.Summary.of` for the same rows, however these are partitioned.

        Parameters
        ----------
        table : data frame of the engine, or path
            On Dask also an array or a list of delayed batches. A path is one that every worker can
            read.
        scores : str, or list of str
            The column of scores, or one column for each class; a column may hold lists of numbers.
        label : str, optional
            The column of the true classes.
        kind : type of scores, default Posteriors
            What the scores are, such as `Logits`.
        costs : CostMatrix, CostsByCase, array, or mapping from name to these, optional
            As in `stakes.evaluate`; `CostsByCase` names columns.
        priors : float, array of K, or mapping by class, optional
            How often each class will occur in deployment; by default as often as in the data.
        training_priors : float, array of K, mapping by class, or "deployment", optional
            The priors that the posteriors are at, required where posteriors meet `priors`, as in
            `stakes.Summary`.
        groups : str, optional
            The column of groups: patients, speakers, merchants.
        slices : list of str, optional
            Columns for whose values to give results.
        sample_weight : str, optional
            The column of weights.
        classes : sequence of K names, optional
            May be left out if the costs name them, or if labels are whole numbers from 0, booleans,
            or
            categories with an order.
        rules : sequence of ScoringRule, optional
            By default `LogLoss()` and `BrierLoss()`.

        Returns
        -------
        Summary
            Add it to others, write it as bytes, or evaluate it.

        See Also
        --------
        Summary : the same for batches in memory.

        Examples
        --------
        Summarize each day on the cluster, and evaluate all days together. `stakes.spark.summarize`
        takes a
        Spark data frame in the same way.

        .. code-block:: python

            days = [stakes.dask.summarize(frame, "p", label="y", classes=[0, 1]) for frame in
            frames]
            total = days[0]
            for day in days[1:]:
                total += day
            if total.evaluate().verdicts[0].code != "useful":
                raise SystemExit("not useful any more")
        """
        roles = Roles(str(label or ""), {"": scores}, sample_weight, groups, slices)
        told = {"costs": costs, "priors": priors, "training_priors": training_priors}
        return self._summed(table, roles, kind, classes, {**told, "rules": rules}).total

    def evaluate(  # noqa: PLR0913  as for `stakes.evaluate`
        self,
        table: Any,  # noqa: ANN401  of the engine
        scores: Any,  # noqa: ANN401  names of columns, or arrays
        *,
        label: str | None = None,
        kind: type[Scores] = Posteriors,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
        folds: int = 5,
        level: float = 0.95,
        groups: Any = None,  # noqa: ANN401
        slices: Any = (),  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        classes: NamesLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        rng: int | np.random.Generator = 0,
    ) -> Evaluation:
        """Evaluate a system whose scores are on a cluster, as `stakes.evaluate` does in memory.

        Only summaries of partitions are sent to the client. The result is that of the summary of
        all rows:
        engine, partitions, their order and repeated tasks do not change it.

        Parameters
        ----------
        table : data frame of the engine, or path
            On Dask also an array or a list of delayed batches. A path is one that every worker can
            read.
        scores : str, or list of str
            The column of scores, or one column for each class; a column may hold lists of numbers.
        label : str, optional
            The column of the true classes.
        kind : type of scores, default Posteriors
            What the scores are, such as `Logits`.
        costs : CostMatrix, CostsByCase, array, or mapping from name to these, optional
            As in `stakes.evaluate`; `CostsByCase` names columns.
        priors : float, array of K, or mapping by class, optional
            How often each class will occur in deployment; by default as often as in the data.
        training_priors : float, array of K, mapping by class, or "deployment", optional
            The priors that the posteriors are at, required where posteriors meet `priors`, as in
            `stakes.Summary`.
        calibrator : Calibrator or None, default AffineCalibrator()
            Calibrator used to measure calibration loss; None leaves it out.
        folds : int, default 5
            Number of folds of the calibrator.
        level : float, default 0.95
            Confidence level of the intervals.
        groups : str, optional
            The column of groups: patients, speakers, merchants.
        slices : list of str, optional
            Columns for whose values to give results.
        sample_weight : str, optional
            The column of weights.
        classes : sequence of K names, optional
            May be left out if the costs name them, or if labels are whole numbers from 0, booleans,
            or
            categories with an order.
        rules : sequence of ScoringRule, optional
            By default `LogLoss()` and `BrierLoss()`.
        rng : int or Generator, default 0
            Seed of the folds.

        Returns
        -------
        Evaluation
            As from `stakes.evaluate`.

        See Also
        --------
        evaluate : for samples in memory.
        Summary : for batches in memory.

        Examples
        --------
        A missed fraud costs its amount, a review costs 3. `stakes.spark.evaluate` takes a Spark
        data frame
        in the same way.

        .. code-block:: python

            frame = dask.dataframe.read_parquet("payments/")
            costs = stakes.CostsByCase({"miss": "amount", "false_alarm": 3}, classes=["fine",
            "fraud"])
            result = stakes.dask.evaluate(frame, "p", label="truth", costs=costs)
            if result.verdicts[0].code == "useful":
                deploy()
        """
        roles = Roles(str(label or ""), {"": scores}, sample_weight, groups, slices)
        told = {"costs": costs, "priors": priors, "training_priors": training_priors}
        found = self._summed(table, roles, kind, classes, {**told, "rules": rules})
        stage: dict[str, Any] = {"calibrator": calibrator, "folds": folds, "level": level}
        stage |= {"rng": rng}
        made: Evaluation = found.total.evaluate(**stage)
        return replace(made, notes=(*found.notes(), *made.notes))

    def compare(  # noqa: PLR0913  as for `stakes.compare`
        self,
        table: Any,  # noqa: ANN401  of the engine
        systems: Mapping[str, Any],
        *,
        label: str | None = None,
        kind: type[Scores] = Posteriors,
        reference: str | None = None,
        margin: float | None = None,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        calibrator: Calibrator | None = None,
        folds: int = 5,
        level: float = 0.95,
        groups: Any = None,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        classes: NamesLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        rng: int | np.random.Generator = 0,
    ) -> Comparison:
        """Compare systems whose scores are on a cluster, as `stakes.compare` does in memory.

        It uses at most 200,000 rows of each class, those of least hash; classes are counted over
        all rows.

        Parameters
        ----------
        table : data frame of the engine, or path
            On Dask also an array or a list of delayed batches. A path is one that every worker can
            read.
        systems : mapping from name to str, or to list of str
            The column or columns of each system's scores.
        label : str, optional
            The column of the true classes.
        kind : type of scores, default Posteriors
            What the scores are, such as `Logits`.
        reference : str, optional
            The system that the others are compared with; by default the first.
        margin : float, optional
            As in `stakes.compare`.
        costs : CostMatrix, CostsByCase, array, or mapping from name to these, optional
            As in `stakes.evaluate`; `CostsByCase` names columns.
        priors : float, array of K, or mapping by class, optional
            How often each class will occur in deployment; by default as often as in the data.
        training_priors : float, array of K, mapping by class, or "deployment", optional
            The priors that the posteriors are at, required where posteriors meet `priors`, as in
            `stakes.Summary`.
        calibrator : Calibrator, optional
            If given, the calibrated losses are compared too.
        folds : int, default 5
            Number of folds of the calibrator.
        level : float, default 0.95
            Confidence level of the intervals.
        groups : str, optional
            The column of groups: patients, speakers, merchants.
        sample_weight : str, optional
            The column of weights.
        classes : sequence of K names, optional
            May be left out if the costs name them, or if labels are whole numbers from 0, booleans,
            or
            categories with an order.
        rules : sequence of ScoringRule, optional
            By default `LogLoss()` and `BrierLoss()`.
        rng : int or Generator, default 0
            Seed of the folds.

        Returns
        -------
        Comparison
            As from `stakes.compare`.

        See Also
        --------
        compare : for samples in memory.

        Examples
        --------
        Replace the old model only if the new one is not more expensive. `stakes.spark.compare`
        takes a
        Spark data frame in the same way.

        .. code-block:: python

            systems = {"old": "p_old", "new": "p_new"}
            result = stakes.dask.compare(frame, systems, label="y", costs=costs, margin=0.02)
            if all(cost.non_inferior for cost in result.relative_costs):
                deploy("new")
        """
        system_names(systems, reference)
        roles = Roles(str(label or ""), systems, sample_weight, groups)
        told: dict[str, Any] = {"costs": costs, "priors": priors}
        told["training_priors"] = training_priors
        found = self._summed(table, roles, kind, classes, told, compared=True)
        settings: dict[str, Any] = {"reference": reference, "margin": margin, "rules": rules}
        settings |= {"calibrator": calibrator, "folds": folds, "level": level}
        settings |= {"rng": rng}
        made: Comparison = found.total.compare(**told, **settings)
        return replace(made, notes=(*found.notes(), *made.notes))

    def _summed(
        self,
        table: Any,  # noqa: ANN401
        roles: Roles,
        kind: type[Scores],
        classes: NamesLike | None,
        told: Mapping[str, Any],
        *,
        compared: bool = False,
    ) -> Partial:
        """Return the sum of a table that has samples."""
        costs = told["costs"]
        source, roles = self.source(table, replace(roles, amounts=columns_of_costs(costs)))
        relation, ask = Relation(roles, read_kind(kind)), roles.ask()
        known = classes if classes is not None else classes_of(costs)
        forms: dict[str, ScoreForm] = {}
        if known is None or compared:
            first = source.first(ask)
            if first is None:
                raise no_rows(_SHOWN)
            known = relation.classes(first) if known is None else known
            if compared:
                forms, told = relation.forms(first), {}
        job = TableJob(relation, {"classes": known, **told}, forms)
        job.fresh()  # what is wrong with the request is said before any work
        return source.total(job).with_samples(_SHOWN, roles.weight)


def load(module: str, extra: str) -> Any:  # noqa: ANN401
    """Import a library of an engine, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"stakes.{extra} needs {module}, which cannot be imported ({plain(error, 100)})."
        msg = f"{msg} Install it with: pip install 'stakes[{extra}]'"
        raise MissingExtraError(msg) from error
