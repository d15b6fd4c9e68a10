# Written by `make exports` from engines/engine.py.
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
def compare(table: Any, systems: Mapping[str, Any], *, label: str | None=None, kind: type[Scores]=Posteriors, reference: str | None=None, margin: float | None=None, costs: Applications | None=None, priors: PriorsLike | None=None, training_priors: PriorsLike | None=None, calibrator: Calibrator | None=None, folds: int=5, level: float=0.95, groups: Any=None, sample_weight: Any=None, classes: NamesLike | None=None, rules: Sequence[ScoringRule]=RULES, rng: int | np.random.Generator=0) -> Comparison:
    ...
def evaluate(table: Any, scores: Any, *, label: str | None=None, kind: type[Scores]=Posteriors, costs: Applications | None=None, priors: PriorsLike | None=None, training_priors: PriorsLike | None=None, calibrator: Calibrator | None=AffineCalibrator(), folds: int=5, level: float=0.95, groups: Any=None, slices: Any=(), sample_weight: Any=None, classes: NamesLike | None=None, rules: Sequence[ScoringRule]=RULES, rng: int | np.random.Generator=0) -> Evaluation:
    ...
def summarize(table: Any, scores: Any, *, label: str | None=None, kind: type[Scores]=Posteriors, costs: Applications | None=None, priors: PriorsLike | None=None, training_priors: PriorsLike | None=None, groups: Any=None, slices: Any=(), sample_weight: Any=None, classes: NamesLike | None=None, rules: Sequence[ScoringRule]=RULES) -> Summary:
    ...
