"""Two classes: how many samples of each are in each cell of the score, and exact sums of losses.

The cells are fixed, with further edges wherever the decision of an application or a bin of the
calibration error changes. So costs, counts and bins are those of all samples; what depends on the
order within a cell lies between bounds.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._kernels.score_cells import ScoreCells, score_limits
from stakes._kernels.score_grid import CellGrid, ScoreIntervals, cell_grid
from stakes._math import log
from stakes._typing import FloatArray, IntArray
from stakes.scores import Answers, Logits, LogLikelihoodRatios, LogPosteriors, Posteriors, Scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule
from stakes.statistics import LossSums, ScoreLevels
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.members import CheckedBatch
from stakes.summary.parted_cells import PartedCells, PartedRows
from stakes.summary.powers import LossPowers

PROBABILITIES, LOG_ODDS = "probabilities", "log odds"
_DOMAINS = (PROBABILITIES, LOG_ODDS)
_MOST_IN_CELL = 2**38
_IN_THE_PASS = (LogLoss(), BrierLoss())  # summed by the kernel as it counts


def domain_of(scores: Scores) -> str:
    """Return what the cells of scores are cells of: one column of probabilities, or log odds."""
    single = isinstance(scores, Posteriors) and scores.values.ndim == 1
    return PROBABILITIES if single else LOG_ODDS


def column_of(scores: Scores) -> FloatArray:
    """Return one number for each sample of two classes, in the domain of its cells."""
    if scores.values.ndim == 1 and not isinstance(scores, LogPosteriors):
        return scores.values
    if isinstance(scores, Posteriors | LogPosteriors):
        log_p = scores.answers(None).log_p
        with np.errstate(invalid="ignore"):
            return np.asarray(log_p[:, 1] - log_p[:, 0], dtype=np.float64)
    return scores.ranks()


def scores_at(domain: str, levels: FloatArray, *, ratios: bool) -> Scores:
    """Return levels as scores; log odds are likelihood ratios, or logits."""
    if domain == PROBABILITIES:
        return Posteriors.trusted(levels)
    return LogLikelihoodRatios.trusted(levels) if ratios else Logits.trusted(levels)


def shift_of(old: FloatArray, new: FloatArray) -> float:
    """Return what moves log odds from the one priors to the others."""
    (a, b), (c, d) = log(old), log(new)
    return float((d - c) - (b - a))


@dataclass(frozen=True)
class LevelPlan:
    """How samples of two classes are kept: cells of what, further edges, losses at which priors."""

    domain: str
    edges: tuple[float, ...]
    shift: float  # of the log odds, for the losses alone
    rules: tuple[ScoringRule, ...]
    weighted: bool = False
    grouped: bool = False

    def grid(self) -> CellGrid:
        """Return the cells."""
        return cell_grid(self.edges, log_odds=self.domain == LOG_ODDS)

    @property
    def further(self) -> tuple[ScoringRule, ...]:
        """The rules whose losses are not summed in the pass that counts."""
        return tuple(rule for rule in self.rules if self.weighted or rule not in _IN_THE_PASS)

    def parted(self, *, grouped: bool) -> PartedCells:
        """Return cells for weights, and for groups too where these are to be kept."""
        intervals = ScoreIntervals(np.array(self.edges), self.domain == LOG_ODDS)
        return PartedCells(intervals, weighted=self.weighted, grouped=grouped)


class LevelState:
    """Samples of two classes in bounded memory.

    They are counted in cells, which hold weights where samples have any; where samples come in
    groups, they are counted once more in cells that are parted by these.
    """

    def __init__(self, plan: LevelPlan) -> None:
        self.plan = plan
        self.cells: ScoreCells | PartedCells = (
            plan.parted(grouped=False) if plan.weighted else ScoreCells(plan.grid(), plan.shift)
        )
        self.grouped = plan.parted(grouped=True) if plan.grouped else None
        self._powers = [LossPowers(2, weighted=plan.weighted) for _ in plan.further]

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        if isinstance(self.cells, PartedCells):
            return self.cells.counts
        return self.cells.count.sum(axis=1)

    def update(self, new: CheckedBatch, column: FloatArray, answers: Answers | None = None) -> bool:
        """Add samples; return whether all scores were such, as otherwise nothing is added.

        `answers` are their posteriors, where further rules need them.
        """
        losses = (
            [] if answers is None else [rule.losses(new.y, answers) for rule in self.plan.further]
        )
        if not self._counted(new, column):
            return False
        if self.grouped is not None:
            self.grouped.update(new, np.asarray(column, dtype=np.float64))
        for powers, loss in zip(self._powers, losses, strict=True):
            powers.add(new.y, loss, new.weights)
        return True

    def _counted(self, new: CheckedBatch, column: FloatArray) -> bool:
        """Count samples, if all scores are such."""
        if isinstance(self.cells, PartedCells):
            fine = self.plan.grid().accepts(score_limits(column, new.y))
            if fine:
                self.cells.update(new, np.asarray(column, dtype=np.float64))
            return fine
        limits = self.cells.update(column, new.y)
        return self.cells.grid.accepts(limits)

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.plan)
        out.cells = self.cells + other.cells  # type: ignore[operator]
        if self.grouped is not None and other.grouped is not None:
            out.grouped = self.grouped + other.grouped
        out._powers = [a + b for a, b in zip(self._powers, other._powers, strict=True)]
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LevelState):
            return NotImplemented
        same = self.plan == other.plan and self._powers == other._powers
        return same and self.cells == other.cells and self.grouped == other.grouped

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> PartedRows:
        """Return score and number of the samples that share a cell, class, group and weight."""
        return self.finest() if self.grouped is None else self.grouped.rows()

    def finest(self) -> PartedRows:
        """Return rows of samples whose groups are left out, so that their cells are finer."""
        if isinstance(self.cells, PartedCells):
            return self.cells.rows()
        found = self.cells.levels()
        count = np.stack([found.first, found.second])
        y, cell = np.nonzero(count)
        return PartedRows(y, found.level[cell], count[y, cell], None, None)

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of each rule, as metrics take them."""
        found = {}
        if isinstance(self.cells, ScoreCells):
            sums, lost = self.cells.losses().reshape(2, 3, 2), self.cells.infinite
            known = {LogLoss(): (sums[0], lost), BrierLoss(): (sums[1], np.zeros_like(lost))}
            found = {rule: _loss_sums(self.counts, *parts) for rule, parts in known.items()}
        further = zip(self.plan.further, self._powers, strict=True)
        found |= {rule: powers.loss_sums(self.counts) for rule, powers in further}
        return {rule: found[rule] for rule in self.plan.rules}

    def orders(self) -> tuple[ScoreLevels, ScoreLevels]:
        """Return the levels in the worst and in the best order of the samples of each cell.

        No order of samples within cells ranks worse than the first, or better than the second.
        """
        cells = self.cells
        first, second = cells.by_cell() if isinstance(cells, PartedCells) else cells.count
        none = np.zeros_like(first)
        return (
            _levels(_woven(none, first), _woven(second, none)),
            _levels(_woven(first, none), _woven(none, second)),
        )

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        if isinstance(self.cells, ScoreCells):
            _write_cells(writer, self.cells)
        else:
            self.cells.write(writer)
        if self.grouped is not None:
            self.grouped.write(writer)
        for powers in self._powers:
            powers.write(writer)

    @classmethod
    def read(cls, reader: Reader, plan: LevelPlan) -> Self:
        """Read what was kept."""
        out = cls(plan)
        if isinstance(out.cells, ScoreCells):
            out.cells = _read_cells(reader, out.cells.grid, plan.shift)
        else:
            out.cells.read_from(reader)
        if out.grouped is not None:
            out.grouped.read_from(reader)
            if (out.grouped.counts != out.counts).any():
                raise damaged("groups of other samples")
        out._powers = [LossPowers.read(reader, 2, weighted=plan.weighted) for _ in plan.further]
        return out


def _write_cells(writer: Writer, cells: ScoreCells) -> None:
    """Write cells of samples without weights."""
    used = np.flatnonzero(cells.count.any(axis=0))
    writer.listed(np.diff(used, prepend=0))
    for values in (*cells.count, cells.place):
        writer.array(values[used])
    writer.large(cells.sums.integers())
    writer.array(cells.infinite.ravel())


def _read_cells(reader: Reader, grid: CellGrid, shift: float) -> ScoreCells:
    """Read cells of samples without weights."""
    n = grid.n_cells
    used = np.cumsum(reader.listed(n))
    if used.size and (used[-1] >= n or (np.diff(used) < 1).any()):
        raise damaged("cells that there are not")
    numbers = np.zeros((3, n), dtype=np.int64)
    for values in numbers:
        values[used] = reader.array(used.size)
    sums = reader.sums(12)
    lost = reader.array(6).reshape(3, 2)
    _check_counts(numbers[:2], lost)
    cells = ScoreCells.from_parts(grid, numbers[:2], numbers[2], sums, lost, shift)
    if not np.array_equal(grid.cells(cells.levels().level), used):
        raise damaged("scores that are not of their cells")
    return cells


def _check_counts(count: IntArray, lost: IntArray) -> None:
    """Refuse samples beyond counting, and infinite losses of samples that have none."""
    if count.max() > _MOST_IN_CELL:
        raise damaged("too many samples")
    impossible = count[0, -1], count[1, 0]  # surely of the other class
    if (lost[0] != impossible).any() or (lost > count.sum(axis=1)).any():
        raise damaged("infinite losses that there are not")


def _loss_sums(counts: IntArray, sums: FloatArray, lost: IntArray) -> LossSums:
    """Return sums of a loss, its square and its cube; cubes are unknown where one overflowed."""
    first, second, third = sums
    size = counts.astype(np.float64)
    cubes = np.where(lost[2] > lost[0], np.nan, third)
    none = np.zeros(counts.size, dtype=np.int64)
    return LossSums(size, first, size, first, second, cubes, lost[0], none)


def _woven(lower: IntArray, upper: IntArray) -> IntArray:
    """Return for each cell what is in its lower and in its upper half."""
    return np.column_stack([lower, upper]).ravel()


def _levels(first: IntArray, second: IntArray) -> ScoreLevels:
    """Return the levels in use, numbered in their order."""
    used = np.flatnonzero(first + second)
    order = np.arange(used.size, dtype=np.float64)
    return ScoreLevels(order, first[used], second[used], np.zeros(2, dtype=np.int64))


def domain_from(code: int) -> str:
    """Return the domain of a number that was written."""
    if code >= len(_DOMAINS):
        raise damaged("scores of no known form")
    return _DOMAINS[code]


def domain_code(domain: str) -> int:
    """Return a domain as a number."""
    return _DOMAINS.index(domain)
