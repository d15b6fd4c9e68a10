"""Two error rates at thresholds that are found on the same rows.

The truth has a threshold of its own. A value is in the interval if at some threshold the rates
that it demands are not less likely than exp(-q^2 / 2), together with half an unseen row of each
class where it would do most harm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._counting import bincount, distinct
from stakes._kernels.keys import pav_blocks
from stakes._math import cumulative, quotient
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import HALF
from stakes.inference.law import radius_of
from stakes.inference.merging import alike
from stakes.inference.scored_rows import ScoredRows

_MOST_PLACES = 16  # thresholds for each side and radius whose ends are computed
_PARTS = 8  # of a side of the hull
_MOST_ROUNDS = 60
_MOST_STEPS = 60
_NEARLY = 1e-8  # of the radius
_SETTLED = 1e-12  # of a log likelihood: what is missing after it is about its square
_MOST_GROUPS = 2**11  # beyond which those that are nearly alike are one


@dataclass(frozen=True, eq=False)
class Places:
    """Thresholds: levels before `start` are below, of those before `stop` the share `mix`."""

    start: IntArray
    stop: IntArray
    mix: FloatArray

    @classmethod
    def between(cls, levels: IntArray) -> Places:
        """Return thresholds below these levels."""
        return cls(levels, levels, np.zeros(levels.size))

    @classmethod
    def along(cls, corners: IntArray) -> Places:
        """Return points along the sides of a curve with these corners."""
        mix = np.tile(np.arange(1, _PARTS) / _PARTS, corners.size - 1)
        start, stop = (np.repeat(of, _PARTS - 1) for of in (corners[:-1], corners[1:]))
        return cls(start, stop, mix)

    def __add__(self, other: Places) -> Places:
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("start", "stop", "mix"))
        return Places(*(np.concatenate(pair) for pair in pairs))

    def part(self, kept: IntArray) -> Places:
        """Return some of the thresholds."""
        return Places(self.start[kept], self.stop[kept], self.mix[kept])

    def among(self, below: FloatArray) -> FloatArray:
        """Return what is below each threshold, from what is below each level."""
        low, high = below[self.start], below[self.stop]
        return np.asarray(low + self.mix * (high - low))


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """The rates of both errors of rows: the first falls while thresholds rise, the second rises."""

    rows: ScoredRows

    @property
    def turned(self) -> ErrorRates:
        """The same with the classes exchanged."""
        return ErrorRates(self.rows.turned)

    def equal_error(self, level: float) -> tuple[float, float]:
        """Return the interval of the equal error rate, where the hull of the curve has it.

        The hull does too well on the rows that it is found on, the steps of the curve do too badly
        by as much: the upper end is halfway between those of both. The rate is at most 1/2, since
        the hull is nowhere above the line between its ends.
        """
        corners = np.append(pav_blocks(*self.rows.mass), self.rows.n_levels)
        hull = Places.between(corners) + Places.along(corners) + self._crossing(corners)
        steps = Places.between(np.arange(self.rows.n_levels + 1))
        up, down = _Wanted.at_one(1.0), _Wanted.at_one(-1.0)
        asked = (hull, hull, down), (hull, hull, up), (steps, steps, up)
        low, high, on_steps = self._ends(asked, level)
        return max(low, 0.0), min(max(high, (high + on_steps) / 2), 0.5)

    def second_right(self, fixed: float, level: float) -> tuple[float, float]:
        """Return the interval of 1 less the second rate, where the first is at most `fixed`.

        Of such thresholds the first is meant: the first rate at the one before it is above.
        """
        every = np.arange(self.rows.n_levels + 1)
        here, before = Places.between(every), Places.between(np.maximum(every - 1, 0))
        down, up = (_Wanted.at_one(side, fixed) for side in (-1.0, 1.0))
        low, high = self._ends(((here, here, down), (before, here, up)), level)
        return 1 - min(high, 1.0), 1 - max(low, 0.0)

    def _crossing(self, corners: IntArray) -> Places:
        """Return places about where both rates are equal, as near as chance moves the rates."""
        total = self._below[..., -1]
        alarm = 1 - self._below[0, 0, corners] / total[0, 0]
        miss = self._below[1, 0, corners] / total[1, 0]
        after = max(int(np.argmax(miss >= alarm)), 1)
        gap = (miss - alarm)[[after - 1, after]]
        error = math.sqrt(float((total[:, 1] / total[:, 0] ** 2).sum()) / 4)
        near = (np.linspace(-3, 3, 25) * error - gap[0]) / (gap[1] - gap[0])
        mix = distinct(np.clip(near, 0.0, 1.0))
        start, stop = (np.full(mix.size, corners[k]) for k in (after - 1, after))
        return Places(start, stop, mix)

    @cached_property
    def _below(self) -> FloatArray:
        """Of each class the weights before each level, and the same of squared weights."""
        pairs = zip(self.rows.mass, self.rows.squares, strict=True)
        return np.array([[cumulative(of) for of in pair] for pair in pairs])

    def _ends(self, asked: Sequence[tuple[Places, Places, _Wanted]], level: float) -> list[float]:
        """Return the last values that both rates reach, each at the threshold best for it.

        Only thresholds whose ends are the last to first order are looked at, all of them together;
        one by one where there are many groups.
        """
        q = radius_of(level, self.rows.groups)
        kept = [self._kept(*one, q) for one in asked]
        found = self._reached(asked, kept, q)
        for k, (ends, one) in enumerate(zip(found, asked, strict=True)):
            if np.isnan(ends).all():  # none of those is near enough
                found[k] = self._reached([one], [np.arange(one[0].start.size)], q)[0]
        sides = (float(wanted.side[0]) for *_, wanted in asked)
        return [
            side * float(np.nanmax(side * ends)) for side, ends in zip(sides, found, strict=True)
        ]

    def _reached(
        self, asked: Sequence[tuple[Places, Places, _Wanted]], kept: Sequence[IntArray], q: float
    ) -> list[FloatArray]:
        """Return the last values at the thresholds kept; NaN where rates cannot be as asked."""
        problems: list[tuple[FloatArray, FloatArray, FloatArray, _Wanted]] = []
        place = []
        many = self.rows.unit is not None and self.rows.code.max() >= _MOST_GROUPS
        for number, ((first, second, wanted), some) in enumerate(zip(asked, kept, strict=True)):
            for part in np.split(some, some.size) if many else [some]:
                at = first.part(part), second.part(part)
                s, t, m = self._rows(*at) if self.rows.unit is None else self._groups(*at)
                problems.append((*self._with_unseen(s, t, m, wanted), wanted.repeated(part.size)))
                place.append(np.full(part.size, number))
        if many:
            ends = np.concatenate([wanted.reached(s, t, m, q) for s, t, m, wanted in problems])
        else:
            s, t, m = (np.concatenate([of[k] for of in problems]) for k in range(3))
            ends = _Wanted.joined([of[3] for of in problems]).reached(s, t, m, q)
        own = np.concatenate(place)
        return [ends[own == k] for k in range(len(asked))]

    def _kept(self, first: Places, second: Places, wanted: _Wanted, q: float) -> IntArray:
        """Return the places whose ends are the last to first order, for small and large radii."""
        total = self._below[..., -1]
        above, below = first.among(self._below[0, 0]), second.among(self._below[1, 0])
        rates = np.stack([1 - above / total[0, 0], below / total[1, 0]])
        sizes = (total[:, 0] ** 2 / total[:, 1])[:, None]
        near = [wanted.first_order(rates, sizes, times * q) for times in (1, 2)]
        best = [np.argsort(-np.nan_to_num(ends, nan=-np.inf), kind="stable") for ends in near]
        return distinct(np.array([order[:_MOST_PLACES] for order in best]))

    def _rows(self, first: Places, second: Places) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the errors, sizes and counts of rows: below, between and above each threshold."""
        n = first.start.size
        s, t, m = np.zeros((n, 6, 2)), np.zeros((n, 6, 2)), np.zeros((n, 6))
        for k, at in enumerate((first, second)):
            cut = np.stack([0 * at.start, at.start, at.stop, 0 * at.stop - 1], axis=1)
            mass, square = np.diff(self._below[k][:, cut], axis=2)
            wrong = np.stack([np.ones(n), at.mix, np.zeros(n)], axis=1)
            own, weight = slice(3 * k, 3 * k + 3), quotient(square, mass)
            m[:, own], t[:, own, k] = quotient(mass, weight), weight
            s[:, own, k] = weight * (wrong if k else 1 - wrong)
        return s, t, m

    def _groups(self, first: Places, second: Places) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the errors, sizes and counts of groups; of many at a place, those alike as one."""
        edges = distinct(np.array([first.start, first.stop, second.start, second.stop]))
        part = np.searchsorted(edges, self.rows.level, side="right")
        below = self.rows.by_group(self.rows.weight, part, edges.size + 1).cumsum(axis=1)
        size, out = below[:, -1], []
        for k, at in enumerate((first, second)):
            low, high = (below[:, np.searchsorted(edges, of), k].T for of in (at.start, at.stop))
            under = low + at.mix[:, None] * (high - low)
            out.append(under if k else size[:, 0] - under)
        s, number = np.stack(out, axis=2), np.ones(len(size))
        if number.size > _MOST_GROUPS:  # then there is one place
            cell = alike(s[0] - s[0].sum(axis=0) / size.sum(axis=0) * size)
            number = np.asarray(bincount(cell), dtype=np.float64)
            order = np.argsort(cell, kind="stable")
            starts = np.searchsorted(cell[order], np.arange(number.size))
            s = np.add.reduceat(s[:, order], starts, axis=1) / number[:, None]
            size = np.add.reduceat(size[order], starts) / number[:, None]
        return s, np.broadcast_to(size, s.shape), np.tile(number, (len(s), 1))

    def _with_unseen(
        self, s: FloatArray, t: FloatArray, m: FloatArray, wanted: _Wanted
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Add half a row of each class where it does most harm; and half of the worst group.

        Heavy rows are the likelier to matter: the weight is the mean over weights.
        """
        side = wanted.side[0]
        row = np.tile(np.eye(2) * self.rows.heavy, (len(s), 1, 1))
        more = [(row * (side > 0), row)]
        if self.rows.unit is not None:
            sums, size = ((m[..., None] * of).sum(axis=1, keepdims=True) for of in (s, t))
            harm = side * ((s - sums / size * t) / size).sum(axis=2)
            worst = harm.argmax(axis=1)[:, None, None]
            again = [np.take_along_axis(of, worst, axis=1) for of in (s, t)]
            more.append((again[0], again[1]))
        s, t = (
            np.concatenate([of, *(pair[i] for pair in more)], axis=1) for i, of in enumerate((s, t))
        )
        return s, t, np.pad(m, ((0, 0), (0, s.shape[1] - m.shape[1])), constant_values=HALF)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """The first rate beyond `fixed`, or beyond the value if that is NaN; the second beyond it.

    Beyond is above on side 1 and below on side -1.
    """

    side: FloatArray
    fixed: FloatArray

    @classmethod
    def at_one(cls, side: float, fixed: float = math.nan) -> _Wanted:
        """Return what is wanted at one threshold."""
        return cls(np.array([side]), np.array([fixed]))

    @classmethod
    def joined(cls, parts: Sequence[_Wanted]) -> _Wanted:
        """Return what is wanted at the thresholds of all parts."""
        sides, fixed = ([getattr(part, name) for part in parts] for name in ("side", "fixed"))
        return cls(np.concatenate(sides), np.concatenate(fixed))

    def repeated(self, times: int) -> _Wanted:
        """Return the same at several thresholds."""
        return _Wanted(np.tile(self.side, times), np.tile(self.fixed, times))

    @property
    def moves(self) -> FloatArray:
        """1 where the first rate is that of the value too."""
        return np.isnan(self.fixed).astype(np.float64)

    def part(self, kept: IntArray) -> _Wanted:
        """Return some of it."""
        return _Wanted(self.side[kept], self.fixed[kept])

    def first_order(self, rates: FloatArray, sizes: FloatArray, q: float) -> FloatArray:
        """Return about how far on its side the value may be at each threshold; NaN if nowhere."""
        seen = (rates * sizes + HALF) / (sizes + 2 * HALF)
        variance, at = seen * (1 - seen) / sizes, self.side * rates
        with np.errstate(invalid="ignore"):
            if not self.moves.any():
                apart = np.maximum(self.side * self.fixed - at[0], 0)
                return at[1] + np.sqrt(variance[1] * (q * q - apart**2 / variance[0]))
            near = at.argmin(axis=0)[None]
            single = np.take_along_axis(at + q * np.sqrt(variance), near, axis=0)[0]
            centre = (at / variance).sum(axis=0) / (1 / variance).sum(axis=0)
            left = q * q - (at[0] - at[1]) ** 2 / variance.sum(axis=0)
            both = centre + np.sqrt(left / (1 / variance).sum(axis=0))
        return np.where(single <= at.max(axis=0), single, both)

    def reached(self, s: FloatArray, t: FloatArray, m: FloatArray, q: float) -> FloatArray:
        """Return the last value at each threshold that weights within a radius reach.

        `s` and `t` (thresholds x units x 2) are errors and sizes, `m` counts of units. Newton's
        method in a bracket: the slope of the radius is that of the likelihood at its multipliers.
        """
        side, sums, size = self.side, (m[..., None] * s).sum(axis=1), (m[..., None] * t).sum(axis=1)
        rates = sums / size
        moves = self.moves > 0
        start = np.where(moves, side * (side[:, None] * rates).min(axis=1), rates[:, 1])
        spread = np.sqrt((m[..., None] * (s - rates[:, None] * t) ** 2).sum(axis=1)) / size
        inner, outer = start.copy(), np.maximum(side, 0.0)
        mu, radius, _ = self._likeliest((s, t, m), start, np.zeros((len(s), 2)), q)
        ends, left = np.where(radius <= q, start, np.nan), np.flatnonzero(radius <= q)
        value = start + side * q * np.where(moves, spread.min(axis=1), spread[:, 1])
        value = np.where((outer - value) * side > 0, value, (start + outer) / 2)
        for _ in range(_MOST_ROUNDS):
            if not left.size:
                break
            now, side, own = value[left], self.side[left], self.part(left)
            mu[left], radius, slope = own._likeliest((s[left], t[left], m[left]), now, mu[left], q)
            within = radius <= q
            inner[left], outer[left] = np.where(within, [now, outer[left]], [inner[left], now])
            with np.errstate(divide="ignore", invalid="ignore"):
                new = now + side * (q - radius) / slope
            good = ((new - inner[left]) * side > 0) & ((outer[left] - new) * side > 0)
            value[left] = np.where(good & (radius < 2 * q), new, (inner[left] + outer[left]) / 2)
            done = np.abs(radius - q) <= _NEARLY * q
            done |= np.abs(outer[left] - inner[left]) < 1e-12
            ends[left] = now
            left = left[~done]
        return ends

    def _likeliest(
        self,
        rows: tuple[FloatArray, FloatArray, FloatArray],
        value: FloatArray,
        mu: FloatArray,
        q: float,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return multipliers, radius and its slope by the value, of the likeliest weights."""
        s, t, m = rows
        aim = np.stack([np.where(self.moves > 0, value, self.fixed), value], axis=1)
        beyond = self.side[:, None, None] * (s - aim[:, None] * t)
        mu, square, w = balanced(beyond, m, mu, 4 * q * q)
        radius = np.sqrt(np.maximum(square, 0))
        lean = mu * (w[..., None] * t).sum(axis=1)
        return mu, radius, (self.moves * lean[:, 0] + lean[:, 1]) / np.maximum(radius, 1e-300)


def balanced(
    z: FloatArray, m: FloatArray, mu: FloatArray, most: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return multipliers, squared radius and weights of the likeliest weights with sums >= 0.

    `z` (problems x units x 2) are parts whose weighted sums are meant. Weights are m / t,
    t = 1 - mu z, and mu >= 0 maximises 2 sum m log t, which is concave and self-concordant: damped
    steps of Newton's method stay where t is above 0. Problems beyond `most` are left alone.
    """
    t = 1 - (z * mu[:, None]).sum(axis=2)
    mu = np.where((t > 1e-6).all(axis=1)[:, None], mu, 0.0)
    t = 1 - (z * mu[:, None]).sum(axis=2)
    for _ in range(_MOST_STEPS):
        w = m / t
        slope = -(w[..., None] * z).sum(axis=1)
        bend = np.einsum("pu,pui,puj->pij", w / t, z, z)
        move = _step(slope, bend, mu)
        gain = (slope * move).sum(axis=1)
        far = np.sqrt(np.einsum("pi,pij,pj->p", move, bend, move) / HALF)
        length = np.where(far < 0.3, 1.0, 1 / (1 + far))
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.minimum(length, np.where(move < 0, -mu / move, np.inf).min(axis=1))
        mu = np.maximum(mu + length[:, None] * move, 0)
        mu[(move < 0) & (mu < 1e-14 * np.abs(move))] = 0
        t = 1 - (z * mu[:, None]).sum(axis=2)
        square = 2 * (m * np.log(t)).sum(axis=1)
        if ((gain < _SETTLED) | (square > most)).all():
            break
    return mu, square, m / t


def _step(slope: FloatArray, bend: FloatArray, mu: FloatArray) -> FloatArray:
    """Return Newton's step; a multiplier of 0 that would fall stays, and the other goes alone."""
    a, c = (np.maximum(bend[:, k, k], 1e-300) for k in (0, 1))
    b = bend[:, 0, 1]
    alone = slope / np.stack([a, c], axis=1)
    det = np.maximum(a * c - b * b, 1e-12 * a * c + 1e-300)
    both = np.stack([c * slope[:, 0] - b * slope[:, 1], a * slope[:, 1] - b * slope[:, 0]], axis=1)
    both /= det[:, None]
    stays = (mu <= 0) & ((both < 0) | (alone < 0))
    move = np.where(stays[:, ::-1], alone, both)
    return np.where((mu <= 0) & (move <= 0), 0.0, move)
