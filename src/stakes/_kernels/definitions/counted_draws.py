"""Resamples: N draws with replacement, as a count for each sample; ranking metrics under weights.

Draws have the same bits as the compiled ones; draws.h says why each draw is exact.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from stakes._counting import bincount
from stakes._kernels.kernel_records import Ranking
from stakes._typing import FloatArray, IntArray, NDArray

_LEAF_BITS = 11
_LEAF = 1 << _LEAF_BITS
_LARGEST = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_BITS = 64
_MOST_KEPT = 2**17  # samples, whose counts are kept for other statistics
_HALVINGS = 40  # of the odds, in the search for the equal error rate

Words = NDArray[np.uint64]


def multinomial_counts(trees: IntArray, seed: int, index: int) -> IntArray:
    """Return how often each sample occurs in a resample that keeps the size of each tree.

    Several statistics ask for the same block of resamples, one after the other.
    """
    edges = tuple(trees.tolist())
    return (
        _kept_counts(edges, seed, index) if edges[-1] <= _MOST_KEPT else _counts(edges, seed, index)
    )


def _counts(edges: tuple[int, ...], seed: int, index: int) -> IntArray:
    counts = np.zeros(edges[-1], dtype=np.int64)
    for t, (start, stop) in enumerate(pairwise(edges)):
        if stop > start:
            key = _word(_word(_word(0, seed), index), t)
            counts[start:stop] = _tree(key, stop - start)
    counts.setflags(write=False)
    return counts


_kept_counts = lru_cache(maxsize=128)(_counts)


def multinomial_dot(
    columns: FloatArray, segments: IntArray, trees: IntArray, seed: int, resamples: range
) -> tuple[FloatArray, IntArray]:
    """Return the sums of columns (C x N) over each segment under each resample, and its size."""
    n_segments = segments.size - 1
    sums, finite = np.zeros((len(resamples), n_segments, len(columns))), np.isfinite(columns).all()
    weights = np.zeros((len(resamples), n_segments), dtype=np.int64)
    for b, index in enumerate(resamples):
        counts = multinomial_counts(trees, seed, index)
        for s in range(n_segments):
            part = slice(int(segments[s]), int(segments[s + 1]))
            weights[b, s] = counts[part].sum()
            if finite:  # each resample by itself, so that blocks change no bit
                sums[b, s] = np.einsum("cn,n->c", columns[:, part], counts[part])
                continue
            drawn = counts[part] > 0
            with np.errstate(invalid="ignore"):
                terms = columns[:, part][:, drawn] * counts[part][drawn]
                sums[b, s] = [column.sum() for column in terms]
    return sums, weights


def _words(key: int, counter: Words) -> Words:
    x = np.uint64(key) + np.uint64(_STEP) * (counter + np.uint64(1))  # and mixed: splitmix64
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_FACTORS[0])
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_FACTORS[1])
    return x ^ (x >> np.uint64(31))


def _word(key: int, counter: int) -> int:
    """Return one of the words: with whole numbers, as an array of one takes ten times as long."""
    x = (key + _STEP * (counter + 1)) & _LARGEST
    x = ((x ^ (x >> 30)) * _FACTORS[0]) & _LARGEST
    x = ((x ^ (x >> 27)) * _FACTORS[1]) & _LARGEST
    return x ^ (x >> 31)


def _tree(key: int, size: int) -> IntArray:
    level = 0
    while _LEAF << level < size:
        level += 1
    counts = np.zeros(size, dtype=np.int64)
    nodes = [(level, 0, size, size)]  # level, place among nodes of it, samples, draws
    while nodes:
        level, place, valid, n = nodes.pop()
        if level == 0:
            start = place * _LEAF
            counts[start : start + valid] = _leaf(_word(key, place), n, valid)
            continue
        half = _LEAF << (level - 1)
        left, down = min(valid, half), n
        if left < valid:
            node = _word(key, level << 48 | place)
            down = _half(node, n) if valid == 2 * half else _share(node, n, left, valid)
            nodes.append((level - 1, 2 * place + 1, valid - left, n - down))
        nodes.append((level - 1, 2 * place, left, down))
    return counts


def _half(key: int, n: int) -> int:
    """Return how many of n uniform bits are 1."""
    words = _words(key, np.arange(-(-n // _BITS), dtype=np.uint64))
    if n % _BITS:
        words[-1] &= np.uint64((1 << n % _BITS) - 1)
    return int(np.bitwise_count(words).sum())


def _share(key: int, n: int, share: int, whole: int) -> int:
    """Return how many of n uniform numbers, told by their bits, lie below share / whole."""
    below, step, rest = 0, 0, share
    while n and rest:
        ones = _half(_word(key, step), n)
        rest *= 2
        if rest >= whole:
            rest -= whole
            below, n = below + n - ones, ones
        else:
            n -= ones
        step += 1
    return below


def _leaf(key: int, n: int, size: int) -> IntArray:
    """Draw n of some samples; a slice of bits that is too large is replaced by the next one."""
    bits = (size - 1).bit_length()
    if bits == 0:
        return np.array([n])
    shifts = np.arange(_BITS // bits, dtype=np.uint64) * np.uint64(bits)
    found: list[IntArray] = []
    read, have = 0, 0
    while have < n:
        more = 2 * (n - have) // shifts.size + 8
        words = _words(key, np.arange(read, read + more, dtype=np.uint64))
        drawn = (words[:, None] >> shifts & np.uint64((1 << bits) - 1)).ravel().astype(np.int64)
        found.append(drawn[drawn < size])
        read, have = read + more, have + found[-1].size
    return bincount(np.concatenate([*found, np.empty(0, np.int64)])[:n], minlength=size)


def reweighted_ranks(ranking: Ranking, weights: FloatArray) -> FloatArray:
    """Return weight of both classes, AUC, equal error rate and least costs of rows of weights."""
    return np.stack([_row(ranking, row) for row in weights])


def _row(ranking: Ranking, weights: FloatArray) -> FloatArray:
    """Return the values of one row of weights; NaN where a class has none."""
    ordered = weights[ranking.order]
    up = ordered * ranking.second
    if ranking.starts.size < ordered.size:
        ordered, up = (np.add.reduceat(part, ranking.starts) for part in (ordered, up))
    down = ordered - up
    alarm, miss = np.zeros(up.size + 1), np.zeros(up.size + 1)
    np.cumsum(down, out=alarm[1:])
    np.cumsum(up, out=miss[1:])
    n1, n2 = float(alarm[-1]), float(miss[-1])
    if n1 == 0 or n2 == 0:
        return np.array([n1, n2, *[np.nan] * (2 + len(ranking.rises))])
    auc = (float(up @ alarm[1:]) - float(up @ down) / 2) / (n1 * n2)
    alarm *= -1 / n1
    alarm += 1
    miss *= 1 / n2
    share = np.array([n1, n2]) / (n1 + n2)
    rises = np.where(ranking.as_rate[:, None], ranking.rises, ranking.rises * share)
    least = [(a * alarm + b * miss).min() for a, b in rises]
    equal = _equal_error(alarm, miss) if ranking.equal_error else np.nan
    return np.array([n1, n2, auc, equal, *least])


def _equal_error(alarm: FloatArray, miss: FloatArray) -> float:
    """Return where the convex hull has both errors alike: the largest least cost of any odds.

    As alarms cost more, the best threshold only rises, so that each halving of the odds also cuts
    the thresholds to look at.
    """
    low, high = 0.0, 1.0
    first, last = 0, alarm.size - 1
    best = 0.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        part = slice(first, last + 1)
        at = first + int((share * alarm[part] + (1 - share) * miss[part]).argmin())
        best = max(best, share * alarm[at] + (1 - share) * miss[at])
        if alarm[at] > miss[at]:
            low, first = share, at
        else:
            high, last = share, at
    return best
