"""Calibrated scores of samples that the calibrator did not see."""

from __future__ import annotations

__all__ = ["HeldOut", "TrainOnTest", "cross_calibrate"]

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_array, read_column, read_count
from stakes._counting import bincount, repeat
from stakes._foreign_calls import answered
from stakes._math import rows_by_code
from stakes._records import Record
from stakes._text import quoted
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.calibration.calibrators import Calibrator, CrossFit
from stakes.calibration.floor import Floor
from stakes.calibration.registry import read_calibrator
from stakes.samples import Samples, read_samples
from stakes.scores import LogPosteriors, Scores

Split = tuple[IntArray, IntArray]
_MOST_FOLDS = 10**4
_MOST_DEALT = 2**20  # samples that are dealt one by one where rows stand for several


class Splitter(Protocol):
    """Anything with a `split` as scikit-learn's: train and test rows, several times."""

    def split(self, X: Any, y: Any, groups: Any) -> Iterator[Split]:  # noqa: ANN401, N803
        """Yield rows to train on and rows to test on."""


@dataclass(frozen=True)
class TrainOnTest(Record):
    """Fit on the samples that are evaluated: the lowest loss that the calibrator can reach on them.

    The result is optimistic, more so with few samples and a flexible calibrator.

    See Also
    --------
    cross_calibrate : takes it as `folds`.
    HeldOut : fits on other samples.

    Examples
    --------
    >>> import stakes
    >>> rule, y, p = stakes.LogLoss(), [0, 1, 0, 1] * 5, [0.2, 0.6, 0.7, 0.4] * 5
    >>> own = stakes.calibration_loss(rule, y, p, folds=stakes.TrainOnTest())
    >>> honest = stakes.calibration_loss(rule, y, p)
    >>> own.calibrated < honest.calibrated  # the fit to the evaluated samples is optimistic
    True
    """

    def __str__(self) -> str:
        return "trained on the test data"


@dataclass(frozen=True, eq=False)
class HeldOut(Record):
    """Fit once on other samples than those that are evaluated.

    Parameters
    ----------
    y_true : column of labels
        True classes of the samples to fit on.
    scores : Scores or column
        Their scores.
    sample_weight : column of weights, optional

    See Also
    --------
    cross_calibrate : takes it as `folds`.
    TrainOnTest : fits on the evaluated samples themselves.

    Examples
    --------
    >>> import stakes
    >>> past, now = (stakes.simulation.simulate(2, n=2000, rng=seed) for seed in (0, 1))
    >>> stale = [each.posteriors([0.5, 0.5]) for each in (past, now)]
    >>> folds = stakes.HeldOut(past.y, stale[0])
    >>> fixed = stakes.cross_calibrate(stakes.AffineCalibrator(), now.y, stale[1], folds=folds)
    >>> round(stakes.cross_entropy(now.y, fixed).normalized, 1)
    0.4
    """

    y_true: Column
    scores: Scores | Column
    sample_weight: Column | None = None

    def __str__(self) -> str:
        return "fitted on held-out data"


# The last is any of the others, read once.
Folds: TypeAlias = "int | Splitter | TrainOnTest | HeldOut | Column | ModelFolds | DealtFolds"


@answered
def cross_calibrate(  # noqa: PLR0913  the data, the calibrator, and how it is fitted
    calibrator: Calibrator,
    y_true: Column,
    scores: Scores | Column,
    *,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: int | np.random.Generator = 0,
    sample_weight: Column | None = None,
    priors: PriorsLike | None = None,
    classes: NamesLike | None = None,
) -> LogPosteriors:
    """Return calibrated posteriors, each from a calibrator that did not see its sample.

    Parameters
    ----------
    calibrator : Calibrator
        The calibrator to fit; it is not changed.
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    folds : int, splitter, array of N fold numbers, HeldOut(...) or TrainOnTest(), default 5
        The number of folds, stratified by class; or an object with `split`; or the fold of each
        sample; or other samples to fit on; or the evaluated samples themselves.
    groups : column of N names, optional
        Samples of one group are never split: patients, speakers, merchants.
    rng : int or Generator, default 0
        Seed of the folds; the same seed and labels give the same folds.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    LogPosteriors
        Calibrated posteriors, in the order of the samples.

    See Also
    --------
    choose_calibrator : which calibrator to use.
    calibration_loss : what it recovers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.1, 0.9])
    >>> better = stakes.cross_calibrate(stakes.AffineCalibrator(), data.y, raw)
    >>> raw_cost, cost = (stakes.bayes_cost(data.y, s).normalized for s in (raw, better))
    >>> round(raw_cost, 1), round(cost, 1)
    (2.8, 0.5)
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    if samples.row is not None:
        rule = "must be above 0 for every sample"
        hint = "Leave out the samples of weight 0."
        raise InputError("sample_weight", rule, found="each gets a calibrated score", hint=hint)
    read = read_calibrator(calibrator)
    if read is None:
        raise InputError("calibrator", "must be one, such as AffineCalibrator()", calibrator)
    return cross_fitted(read, samples, folds, groups, rng).scores


def cross_fitted(
    calibrator: Calibrator,
    samples: Samples,
    folds: Folds,
    groups: Column | None,
    rng: int | np.random.Generator,
) -> CrossFit:
    """Return calibrated posteriors of checked samples."""
    if isinstance(folds, TrainOnTest | HeldOut):
        seen = samples
        if isinstance(folds, HeldOut):  # with the classes and priors of those that are judged
            priors: PriorsLike = "data" if samples.priors_from_data else samples.priors
            seen = read_held_out(folds, priors, samples.classes)
        fitted = calibrator.fresh().fit_samples(seen)
        at = samples.priors if samples.scores.needs_priors else None  # posteriors carry their own
        floor = fitted._fit_or_refuse().floor
        return CrossFit(fitted.transform(samples.scores, at), (fitted.fitted,), floor)
    dealt = deal(samples, folds, groups, rng)
    floor = Floor.from_samples(samples, *dealt.seen)
    samples, found = floor.samples(samples), None
    if dealt.number is not None:
        found = calibrator.fit_folds(samples, dealt.number, int(dealt.number.max()) + 1)
    if found is None:
        others = [floor(scores, samples.priors) for scores in dealt.seen]
        found = _one_by_one(calibrator, samples, dealt.pairs, others)
    return replace(found, floor=floor)


def read_held_out(data: HeldOut, priors: PriorsLike, classes: Names) -> Samples:
    """Read labelled samples of given classes."""
    return read_samples(data.y_true, data.scores, priors, data.sample_weight, classes)


def _one_by_one(
    calibrator: Calibrator, samples: Samples, pairs: Iterable[Split], scores: Sequence[Scores] = ()
) -> CrossFit:
    output = np.full((len(samples), len(samples.classes)), np.nan)
    maps = []
    for fold, (train, test) in enumerate(pairs):
        seen = samples.part(train)  # with priors of its own, so that no test label has an effect
        if scores:
            seen = seen.with_scores(scores[fold])
        fitted = calibrator.fresh().fit_samples(seen).fitted
        output[test] = fitted(samples.scores.part(test).answers(seen.priors).log_p)
        maps.append(fitted)
    missed = np.isnan(output).any(axis=1)
    if missed.any():
        row, more = int(missed.argmax()), " is in no test set"
        raise InputError("folds", "must test every sample", found="", row=row, more=more)
    return CrossFit(LogPosteriors.trusted(output, samples.scores.names), tuple(maps))


@dataclass(frozen=True, eq=False)
class DealtFolds:
    """The fold of each sample, or splits, dealt once, so that several calibrators can share them.

    Samples whose copies came into several folds are parted: `samples` has a row for each, and
    `kept` says which row that was.
    """

    samples: Samples
    number: IntArray | None
    splits: tuple[Split, ...] = ()  # of a splitter, which need not give each sample one number
    kept: IntArray | None = None
    seen: tuple[Scores, ...] = ()  # of what is trained on, where it has scores for each fold

    def adapted(self, training: FloatArray | None, priors: FloatArray) -> DealtFolds:
        """Return folds whose scores to train on were moved from training priors to others."""
        if training is None or not self.seen:
            return self
        moved = (scores.at_priors(training, priors) for scores in self.seen)  # type: ignore[attr-defined]  # posteriors
        return replace(self, seen=tuple(moved))

    @property
    def pairs(self) -> tuple[Split, ...]:
        """The samples of all other folds, and those of each fold."""
        number = self.number
        if number is None:
            return self.splits
        folds = np.flatnonzero(bincount(number))
        return tuple((np.flatnonzero(number != f), np.flatnonzero(number == f)) for f in folds)


@dataclass(frozen=True, eq=False)
class ModelFolds:
    """The folds that models were fitted on, and what to calibrate the scores of each fold on.

    The scores of a fold are calibrated on those of other folds, given by models that saw neither:
    a model that had learnt from a sample would carry its label into the fit that calibrates it.
    """

    number: IntArray  # of each sample: its fold, from 0 on
    scores: tuple[Scores, ...]  # for each fold, of all samples; those of the fold itself are unused

    def dealt(self, samples: Samples) -> DealtFolds:
        """Return the folds of checked samples."""
        row = np.arange(samples.n_given) if samples.row is None else samples.row
        number = self.number[row]
        places = [np.flatnonzero(number == fold) for fold in range(len(self.scores))]
        others = [np.flatnonzero(number != fold) for fold in range(len(self.scores))]
        seen = (
            scores.part(row[rows]).ordered(samples.classes)
            for scores, rows in zip(self.scores, others, strict=True)
        )
        pairs = tuple(zip(others, places, strict=True))
        return DealtFolds(samples, None, pairs, seen=tuple(seen))


def deal(
    samples: Samples, folds: Folds, groups: Column | None, rng: int | np.random.Generator
) -> DealtFolds:
    """Return rows to train on and to test on; no sample and no group is on both sides."""
    if isinstance(folds, DealtFolds):
        return folds
    if isinstance(folds, ModelFolds):
        return folds.dealt(samples)
    unit = None if groups is None else group_codes(groups, samples)
    if hasattr(folds, "split") and not isinstance(folds, str):
        names = None if groups is None else _group_names(groups, samples)
        splits = folds.split(np.arange(len(samples)), samples.y, names)
        pairs = tuple((np.asarray(train), np.asarray(test)) for train, test in splits)
        _check_sides(pairs, np.arange(len(samples)) if unit is None else unit, unit is None)
        return DealtFolds(samples, None, pairs)
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        n_folds, draw = int(folds), _generator(rng)
        _check_enough(samples, n_folds, unit)
        if unit is None:
            return DealtFolds(samples, _stratified(samples.y, n_folds, draw))
        return DealtFolds(samples, _grouped(samples, unit, n_folds, draw))
    numbered = DealtFolds(samples, np.unique(_given_folds(samples, folds), return_inverse=True)[1])
    if unit is not None:
        _check_sides(numbered.pairs, unit, samples=False)
    return numbered


def _check_sides(pairs: Iterable[Split], unit: IntArray, samples: bool) -> None:  # noqa: FBT001
    """Refuse splits that train and test on the same sample or group."""
    for train, test in pairs:
        seen = np.zeros(int(unit.max()) + 1, dtype=np.bool_)
        seen[unit[train]] = True
        if seen[unit[test]].any():
            what = "sample" if samples else "group"
            rule = f"must keep each {what} on one side"
            raise InputError("folds", rule, found="one is trained on and tested on")


def deal_samples(
    samples: Samples, folds: Folds, groups: Column | None, rng: int | np.random.Generator
) -> DealtFolds:
    """Deal samples to folds; the copies of a row may come into several, a row for each."""
    copies, single = samples.copies, groups is None and not isinstance(folds, bool)
    if copies is None or not single or not isinstance(folds, int | np.integer):
        return deal(samples, folds, groups, rng)
    n_folds, y = int(folds), samples.y
    _check_enough(samples, n_folds, None)
    draw = _generator(rng)
    if copies.sum() > _MOST_DEALT:
        table = draw.multinomial(copies, np.full(n_folds, 1 / n_folds))
    else:
        row = repeat(np.arange(y.size), copies)
        cell = row * n_folds + _stratified(y[row], n_folds, draw)
        table = bincount(cell, minlength=y.size * n_folds).reshape(-1, n_folds)
    kept, fold = np.nonzero(table)
    parted = samples.with_copies(kept, table[kept, fold])
    return DealtFolds(parted, fold.astype(np.min_scalar_type(n_folds)), kept=kept)


def _generator(rng: int | np.random.Generator) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        rule = "must be a whole number of at least 0 or a Generator"
        raise InputError("rng", rule, repr(rng)) from error


def _given_folds(samples: Samples, folds: Any) -> IntArray:  # noqa: ANN401
    number = read_array(folds, "folds")
    if number.shape == (samples.n_given,) and samples.row is not None:
        number = number[samples.row]
    whole = np.isfinite(number).all() and bool((np.trunc(number) == number).all())
    if number.shape != (len(samples),) or not whole or np.unique(number).size < 2:
        rule = "must be a number, a splitter or one fold per sample, at least two of them"
        raise InputError("folds", rule, repr(folds))
    return number.astype(np.int64)


def _check_enough(samples: Samples, n_folds: int, group: IntArray | None) -> None:
    if n_folds < 2:
        rule = "must be at least 2"
        raise InputError("folds", rule, n_folds, hint="To fit on the test data say TrainOnTest().")
    read_count(n_folds, "folds", 2, _MOST_FOLDS)
    for k, name in enumerate(samples.classes):
        size = int(samples.counts[k]) if group is None else np.unique(group[samples.y == k]).size
        if size < n_folds:
            what = "samples" if group is None else "groups"
            msg = f"class {quoted([name])} has {size} {what}, too few for {n_folds} folds."
            raise UndefinedMetricError(f"{msg} Use fewer folds, or more data of it.")


def group_codes(groups: Column, samples: Samples) -> IntArray:
    """Return whole numbers for the groups."""
    return np.unique(_group_names(groups, samples), return_inverse=True)[1]


def _group_names(groups: Column, samples: Samples) -> np.ndarray[Any, Any]:
    column = read_column(groups, "groups")
    n = samples.n_given
    if len(column) != n:
        rule = "must hold one name per sample"
        raise InputError("groups", rule, f"{len(column)} for {n} samples")
    names = np.asarray(column.values)
    return names if samples.row is None else names[samples.row]


def _stratified(y: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Deal the samples of each class to the folds in turn, after a shuffle."""
    kind = np.min_scalar_type(n_folds)  # small, so that all of them stay near
    fold, start = np.empty(y.size, dtype=kind), 0
    turns = np.tile(np.arange(n_folds, dtype=kind), 2 + y.size // n_folds)
    for rows in rows_by_code(y, int(y.max()) + 1):
        if rows.size:
            fold[rng.permutation(rows)] = turns[start : start + rows.size]
            start = (start + rows.size) % n_folds
    return fold


def _grouped(samples: Samples, group: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Deal whole groups, the largest first, each to the fold that it makes least uneven."""
    y, number = samples.y, 1 if samples.copies is None else samples.copies
    counts = np.zeros((group.max() + 1, y.max() + 1))
    np.add.at(counts, (group, y), number)
    share = counts / counts.sum(axis=0)  # rare classes count as much as frequent ones
    order = rng.permutation(counts.shape[0])
    order = order[np.argsort(-share[order].sum(axis=1), kind="stable")]
    load: FloatArray = np.zeros((n_folds, share.shape[1]))
    fold_of = np.empty(counts.shape[0], dtype=np.int64)
    for g in order:
        spread = np.square(load + share[g]).sum(axis=1) - np.square(load).sum(axis=1)
        fold_of[g] = int(np.argmin(spread))
        load[fold_of[g]] += share[g]
    return fold_of[group]
