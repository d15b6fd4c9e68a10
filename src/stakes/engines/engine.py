"""Evaluation and comparison of tables on an engine: one definition for all engines."""

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
from stakes.intervals import Progress
from stakes.io import Relation, Roles
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.units import Piece
from stakes.scores import Posteriors, Scores
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
        """Return the summary of a table, each partition of which is summed where it lies.

        Its bytes are those of `stakes.Summary.of` for the same rows, however these are
        partitioned. Arguments as in `evaluate`.
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
        resamples: int = 1000,
        groups: Any = None,  # noqa: ANN401
        slices: Any = (),  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        classes: NamesLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        rng: "int | np.random.Generator" = 0,
        progress: Progress | None = None,
    ) -> Evaluation:
        """Evaluate a system whose scores lie on the engine, as `stakes.evaluate` does a table.

        Only summaries of partitions travel. The result is that of the summary of all rows: engine,
        partitions, their order and repeated tasks change no digit of it.

        Parameters
        ----------
        table
            Of the engine; or the path of files that every worker can read.
        scores : str, or list of str
            The column of scores, or the columns, one for each class; one may hold lists of numbers.
        label : str
            The column of the true classes.
        sample_weight, groups : str, optional
        slices : list of str
            Further columns.
        classes
            May be left out if costs name them, or if labels are whole numbers from 0, truth values,
            or categories with an order.
        costs
            Matrices, or `CostsByCase`, which name columns.
        kind, priors, training_priors, calibrator, folds, level, resamples, rules, rng, progress
            As in `stakes.evaluate`.
        """
        roles = Roles(str(label or ""), {"": scores}, sample_weight, groups, slices)
        told = {"costs": costs, "priors": priors, "training_priors": training_priors}
        found = self._summed(table, roles, kind, classes, {**told, "rules": rules})
        stage: dict[str, Any] = {"calibrator": calibrator, "folds": folds, "level": level}
        stage |= {"resamples": resamples, "rng": rng, "progress": progress}
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
        resamples: int = 1000,
        groups: Any = None,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        classes: NamesLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        rng: "int | np.random.Generator" = 0,
        progress: Progress | None = None,
    ) -> Comparison:
        """Compare systems whose scores lie on the engine, as `stakes.compare` does in memory.

        It rests on at most 200,000 rows of each class, those of least hash; classes are counted
        over all rows.

        Parameters
        ----------
        table, label, groups, sample_weight, classes
            As in `evaluate`.
        systems : mapping from name to columns
            The column of each system's scores, or its columns.
        kind, reference, margin, costs, priors, training_priors, calibrator, folds, level,
        resamples, rules, rng, progress
            As in `stakes.compare`.
        """
        system_names(systems, reference)
        roles = Roles(str(label or ""), systems, sample_weight, groups)
        told: dict[str, Any] = {"costs": costs, "priors": priors}
        told["training_priors"] = training_priors
        found = self._summed(table, roles, kind, classes, told, compared=True)
        settings: dict[str, Any] = {"reference": reference, "margin": margin, "rules": rules}
        settings |= {"calibrator": calibrator, "folds": folds, "level": level}
        settings |= {"resamples": resamples, "rng": rng, "progress": progress}
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
        relation, ask = Relation(roles, kind), roles.ask()
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
