"""How often comparisons are wrong, and how often they see a difference that is there.

    python -m benchmarks.comparisons --jobs 2

Two Gaussian classes at a distance of 2; scores are exact log likelihood ratios, decisions Bayes
decisions. Two systems see the signal with noises of some correlation, so that they err on
different samples and cost the same (null), or the second sees a greater distance (power). In other
populations two systems of equal cost err in different ways. Beside each count is that of a simple
test of the same draws: McNemar's exact test where all errors cost the same, else a sign-flip test,
which assumes that the systems err alike. Writes its tables into docs/comparisons.md, between the
marks.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

import stakes
from stakes._quantiles import binomial_below
from stakes.metrics.paired import PairedDifference, flipped, paired_difference

PAGE = Path(__file__).parents[1] / "docs/comparisons.md"
SEED = 350_035
SHARES, COSTS, CORRELATIONS, SIZES = (
    (0.5, 0.1, 0.02),
    (1, 9, 50),
    (0.5, 0.98, 0.995),
    (200, 1000, 5000),
)
GROUPS = (8, 20, 40)
DISTANCES = {0.5: (3.0, 2.4, 2.2), 0.98: (2.4, 2.15, 2.06), 0.995: (2.4, 2.15, 2.06)}
TRADED = (0.5, 1, 2, 4, 8, 16)
OVERLAPS, MARGINS = (0.5, 0.9), (0.02, 0.1, 0.5)
NORMAL = NormalDist()
Cell = tuple[Any, ...]


def percent(claims: Sequence[bool]) -> float:
    """Return a share in percent."""
    return 100 * float(np.mean(claims))


def noises(rng: np.random.Generator, n: int, correlation: float, k: int = 2) -> np.ndarray:
    """Return correlated noises of k systems: each with the first system's."""
    shared, own = rng.standard_normal(n), rng.standard_normal((k, n))
    r = math.sqrt(correlation)
    return np.asarray(r * shared + math.sqrt(1 - correlation) * own)


def labels(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    """Return the classes of samples, at least two of the second."""
    y = (rng.random(n) < share).astype(np.int64)
    y[:2] = 1
    return y


def paid(
    y: np.ndarray, noise: np.ndarray, distance: float, share: float, cost: float
) -> np.ndarray:
    """Return what Bayes decisions cost on each sample."""
    ratio = distance * (noise + distance * (y - 0.5))
    decided = ratio > math.log((1 - share) / (cost * share))
    return np.where(y == 1, cost * ~decided, decided).astype(np.float64)


def difference(
    y: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    cost: float,
    unit: Any = None,  # noqa: ANN401
) -> PairedDifference:
    """Return the difference in normalised cost, as `compare` computes it."""
    price = np.where(y == 1, cost, 1.0)
    always = [np.where(y == 1, cost, 0.0), np.where(y == 1, 0.0, 1.0)]
    naive = min(always, key=lambda losses: float(losses.sum()))
    return paired_difference(y, first, second, n_classes=2, naive=naive, unit=unit, largest=price)


def simple(gap: np.ndarray) -> bool:
    """Whether a simple test sees a difference: McNemar's exact one, or one of sign-flips."""
    sizes = np.abs(gap[gap != 0])
    if not sizes.size:
        return False
    if sizes.max() > sizes.min():
        return flipped(gap) < 0.05
    fewer = int(min((gap > 0).sum(), (gap < 0).sum()))
    return 2 * binomial_below(fewer, sizes.size, 0.5) < 0.05


def pair_cell(cell: Cell) -> list[float]:
    """Return false claims and power of the law, and of a simple test, by number of samples."""
    share, cost, correlation, count = cell
    out = []
    for n, distance in zip(SIZES, DISTANCES[correlation], strict=True):
        rng = np.random.default_rng([SEED, int(1000 * share), cost, int(1000 * correlation), n])
        found: list[list[bool]] = [[], [], [], []]
        for _ in range(count):
            y = labels(rng, n, share)
            noise = noises(rng, n, correlation)
            first, second = (paid(y, e, 2.0, share, cost) for e in noise)
            better = paid(y, noise[1], distance, share, cost)
            claims = [
                claim
                for other in (second, better)
                for claim in (
                    difference(y, first, other, cost).distinguishable(),
                    simple(first - other),
                )
            ]
            for so_far, claim in zip(found, claims, strict=True):
                so_far.append(claim)
        out += [percent(claims) for claims in found]
    return out


def group_cell(cell: Cell) -> list[float]:
    """Return false claims for numbers of groups in which either system has an effect of its own."""
    share, cost, correlation, count = cell
    out = []
    for groups in GROUPS:
        rng = np.random.default_rng(
            [SEED, 1, int(1000 * share), cost, int(1000 * correlation), groups]
        )
        null = []
        for _ in range(count):
            y = labels(rng, 1000, share)
            unit = np.arange(1000) % groups
            effect = noises(rng, groups, correlation)[:, unit]
            noise = math.sqrt(0.7) * noises(rng, 1000, correlation) + math.sqrt(0.3) * effect
            first, second = (paid(y, e, 2.0, share, cost) for e in noise)
            null.append(difference(y, first, second, cost, unit).distinguishable())
        out.append(percent(null))
    return out


def traded_cell(cell: Cell) -> list[float]:
    """Return false claims, and those of sign-flips, where costly errors are traded for cheap."""
    cost, back, count = cell
    out = []
    for costly in TRADED:
        rng = np.random.default_rng([SEED, 2, cost, int(10 * back), int(10 * costly)])
        null, flips = [], []
        for _ in range(count):
            means = (
                cost * costly * (1 + back),
                cost * costly * back,
                costly * back,
                costly * (1 + back),
            )
            counts = rng.poisson(means)
            gap = np.repeat([1.0, -1.0, cost, -cost], counts)
            y = np.repeat([0, 0, 1, 1], counts)
            rest = max(4000 - y.size, 10)
            y = np.concatenate([y, np.arange(rest) % 2])
            gap = np.concatenate([gap, np.zeros(rest)])
            found = difference(y, np.maximum(gap, 0), np.maximum(-gap, 0), cost)
            null.append(found.distinguishable())
            flips.append(simple(gap))
        out += [percent(null), percent(flips)]
    return out


Draw = tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]  # classes, two losses, how


def amounts_draw(rng: np.random.Generator, n: int, s: float, *, alike: bool, better: float) -> Draw:
    """Return misses of lognormal amounts, against false alarms or against such misses."""
    y, u = (rng.random(n) < 0.5).astype(np.int64), rng.random((2, n))
    price = np.where(y == 1, 4 * rng.lognormal(-s * s / 2, s, n), 1.0)
    first = price * (u[0] < (0.1 if alike else np.where(y == 1, 0.05, 0.0)))
    rate = (0.1 if alike else np.where(y == 1, 0.0, 0.2)) * better
    return y, first, price * (u[1] < rate), {"largest": price}


def costly_draw(rng: np.random.Generator, n: int, *, better: float) -> Draw:
    """Return misses that cost 20 against false alarms that cost 1."""
    y, u = (rng.random(n) < 0.5).astype(np.int64), rng.random((2, n))
    price = np.where(y == 1, 20.0, 1.0)
    first, second = price * (y == 1) * (u[0] < 0.02), price * (y == 0) * (u[1] < 0.4 * better)
    return y, first, second, {"largest": price}


def weights_draw(rng: np.random.Generator, n: int, kind: str, *, better: float) -> Draw:
    """Return errors on samples of unequal weight."""
    y, u, rate = np.zeros(n, dtype=np.int64), rng.random((2, n)), np.full((2, n), 0.1)
    if kind == "heavy":  # one errs on heavy samples, the other on light ones
        w = np.where(rng.random(n) < 0.1, 10.0, 1.0)
        rate = 0.2 * np.stack([w > 1, (w == 1) * 10 / 9])
    elif kind == "few":  # all errors of one on 3 % of the samples, of weight 20
        w = np.where(rng.random(n) < 0.03, 20.0, 1.0)
        rate = np.stack([0.32 * (w > 1), np.full(n, 0.32 * 0.6 / 1.57)])
    elif kind == "tied":  # one errs in proportion to the weight
        w = np.minimum(rng.lognormal(0, 1.5, n), 40.0)
        rate[0] = 0.02 * w
        rate[1] = 0.02 * _TIED
    elif kind == "pareto":
        w = rng.pareto(1.3, n) + 1
    else:
        w = rng.lognormal(0, float(kind), n)
    rate[1] *= better
    first, second = (u < rate).astype(np.float64)
    return y, first, second, {"largest": np.ones(n), "weights": w}


def group_draw(rng: np.random.Generator, n: int, groups: int, *, better: float) -> Draw:
    """Return errors in groups of unequal size, each with an effect on either system."""
    unit = rng.choice(groups, n, p=np.arange(1, groups + 1) / (groups * (groups + 1) / 2))
    y, effect = (rng.random(n) < 0.5).astype(np.int64), rng.standard_normal((2, groups))[:, unit]
    rate = np.array([[0.15], [0.15 * better]]) * np.exp(0.7 * effect - 0.245)
    first, second = (rng.random((2, n)) < rate).astype(np.float64)
    return y, first, second, {"largest": np.ones(n), "unit": unit}


def unit_draw(rng: np.random.Generator, n: int, rate: float, *, better: float) -> Draw:
    """Return errors of equal cost: those that both make, and as many of one alone as of either."""
    u = rng.random(n)
    both, first = u < 0.1, (u >= 0.1) & (u < 0.1 + rate)
    second = (u >= 0.1 + rate) & (u < 0.1 + rate * (1 + better))
    y = (rng.random(n) < 0.3).astype(np.int64)
    return y, 1.0 * (both | first), 1.0 * (both | second), {"largest": np.ones(n)}


def _tied_rate() -> float:
    """Return the mean of w * min(w, 40) over that of w, for weights that are lognormal."""
    w = np.minimum(np.random.default_rng(1).lognormal(0, 1.5, 2_000_000), 40.0)
    return float((w * w).mean() / w.mean())


_TIED = _tied_rate()
_AMOUNTS, _WEIGHTS = ((300, 1000), 0.4), ((200, 1000), 0.4)  # samples, and what power is for
_GROUPS, _UNIT = ((400, 2000), 0.4), ((200, 1000), 0.3)
WAYS: dict[str, tuple[Callable[..., Draw], dict[str, Any], tuple[tuple[int, int], float]]] = {
    "misses of lognormal amounts, s = 1, against false alarms": (
        amounts_draw, {"s": 1.0, "alike": False}, _AMOUNTS,
    ),
    "the same, s = 1.5": (amounts_draw, {"s": 1.5, "alike": False}, _AMOUNTS),
    "the same, s = 2": (amounts_draw, {"s": 2.0, "alike": False}, _AMOUNTS),
    "misses that cost 20 against false alarms": (costly_draw, {}, _AMOUNTS),
    "errors on samples of weight 10 against others": (weights_draw, {"kind": "heavy"}, _WEIGHTS),
    "errors in proportion to lognormal weights, s = 1.5, against others": (
        weights_draw, {"kind": "tied"}, _WEIGHTS,
    ),
    "all errors on 3 % of samples of weight 20 against others": (
        weights_draw, {"kind": "few"}, _WEIGHTS,
    ),
    "alike, lognormal weights, s = 1": (weights_draw, {"kind": "1"}, _WEIGHTS),
    "alike, lognormal weights, s = 1.5": (weights_draw, {"kind": "1.5"}, _WEIGHTS),
    "alike, Pareto weights 1.3": (weights_draw, {"kind": "pareto"}, _WEIGHTS),
    "alike, lognormal amounts, s = 1": (amounts_draw, {"s": 1.0, "alike": True}, _AMOUNTS),
    "alike, lognormal amounts, s = 1.5": (amounts_draw, {"s": 1.5, "alike": True}, _AMOUNTS),
    "8 groups of unequal size": (group_draw, {"groups": 8}, _GROUPS),
    "12 groups of unequal size": (group_draw, {"groups": 12}, _GROUPS),
    "40 groups of unequal size": (group_draw, {"groups": 40}, _GROUPS),
    "5 errors of either alone": (unit_draw, {"few": 5}, ((200, 1000), 0.0)),
    "20 errors of either alone": (unit_draw, {"few": 20}, _UNIT),
    "60 errors of either alone": (unit_draw, {"few": 60}, ((500, 1000), 0.5)),
}  # fmt: skip


def way_cell(cell: Cell) -> list[float]:
    """Return false claims and power, of the law and of a simple test, by number of samples."""
    name, count = cell
    draw, how, (sizes, better) = WAYS[name]
    out = []
    for n in sizes:
        given = dict(how)
        if "few" in given:
            given["rate"] = given.pop("few") / n
        rng = np.random.default_rng([SEED, 7, list(WAYS).index(name), n])
        for effect in (1.0, better):
            claims, others = [], []
            for _ in range(count):
                y, first, second, more = draw(rng, n, **given, better=effect)
                found = paired_difference(y, first, second, n_classes=2, **more)
                claims.append(found.distinguishable())
                gap = (first - second) * more.get("weights", 1.0)
                if "unit" in more:
                    gap = np.bincount(more["unit"], gap)
                others.append(simple(gap))
            out += [percent(claims), percent(others)]
    return out


def systems_cell(cell: Cell) -> list[float]:
    """Return false claims among equal systems: first and best as reference, and sets."""
    cost, k, count = cell
    rng = np.random.default_rng([SEED, 3, cost, k])
    costs = stakes.CostMatrix.binary(miss=cost, false_alarm=1)
    more: dict[str, Any] = {"costs": costs, "priors": "data", "rules": []}
    first, best, sets = [], [], []
    for _ in range(count):
        y = labels(rng, 500, 0.3)
        ratios = 2 * (noises(rng, 500, 0.8, k) + 2 * (y - 0.5))
        systems = {f"s{i}": stakes.LogLikelihoodRatios(x) for i, x in enumerate(ratios)}
        found = stakes.compare(y, systems, **more)
        winner = min(systems, key=lambda name: found.values[name]["cost.nec"])
        again = stakes.compare(y, systems, reference=winner, **more)
        first.append(claimed(found))
        best.append(claimed(again))
        sets.append(len(found.may_be_best["cost"]) < k)
    return [percent(first), percent(best), percent(sets)]


def claimed(found: stakes.Comparison) -> bool:
    """Whether any system is called better or worse than the reference."""
    return bool({"better", "worse"} & {verdict.code for verdict in found.verdicts})


def margin_cell(cell: Cell) -> list[float]:
    """Return how often a system that costs exactly a margin more passes as non-inferior."""
    cost, rate, overlap, count = cell
    out = []
    for n in SIZES:
        for margin in MARGINS:
            key = [SEED, 4, cost, int(100 * rate), int(100 * overlap), n, int(100 * margin)]
            rng = np.random.default_rng(key)
            null = []
            for _ in range(count):
                y, u = labels(rng, n, 0.1), rng.random(n)
                both, old = rate * overlap, rate * (1 - overlap)
                new = rate * (1 + margin - overlap)
                price = np.where(y == 1, cost, 1.0)
                first = price * ((u < both) | ((u >= rate) & (u < rate + new)))
                second = price * (u < both + old)
                ratio = paired_difference(y, first, second, n_classes=2, largest=price).ratio()
                if ratio is None or float(ratio.values[0]) >= margin:
                    null.append(False)
                else:
                    null.append(ratio.p_value(0, margin) / 2 < 0.05)
            out.append(percent(null))
    return out


def odds_cell(cell: Cell) -> list[float]:
    """Return how often any system is named at any odds: equal systems, and a better one.

    Also how often an overconfident system is named where in truth it is worse than naive.
    """
    share, correlation, count = cell
    out = []
    for n, distance in zip(SIZES[:2], (2.6, 2.4), strict=True):
        for other in (2.0, distance):
            rng = np.random.default_rng([SEED, 5, int(1000 * share), int(1000 * correlation), n])
            named = []
            for _ in range(count):
                y = labels(rng, n, share)
                noise = noises(rng, n, correlation)
                scores = (d * (e + d * (y - 0.5)) for d, e in zip((2.0, other), noise, strict=True))
                systems = {
                    name: stakes.LogLikelihoodRatios(x)
                    for name, x in zip("ab", scores, strict=True)
                }
                found = stakes.compare(y, systems, priors="data", rules=[])
                named.append(any(r.system is not None for r in found.odds))
            out.append(percent(named))
        rng = np.random.default_rng([SEED, 6, int(1000 * share), int(1000 * correlation), n])
        named = []
        for _ in range(count):
            y = labels(rng, n, share)
            noise = noises(rng, n, correlation)
            systems = {
                "overconfident": stakes.LogLikelihoodRatios(6 * (noise[0] + 2 * (y - 0.5)) + 3),
                "useless": stakes.LogLikelihoodRatios(4 * noise[1]),
            }
            found = stakes.compare(y, systems, priors="data", rules=[])
            named.append(any(worse_than_naive(r) for r in found.odds))
        out.append(percent(named))
    return out


def worse_than_naive(r: stakes.evaluation.OddsRange) -> bool:
    """Whether a range names a system that in truth is worse than naive somewhere on it."""
    if r.system is None:
        return False
    if r.system == "useless":
        return True
    for t in np.linspace(math.log(r.low), math.log(r.high), 41).tolist():
        cut = (t - 3) / 6
        cost = math.exp(t) * NORMAL.cdf(-cut - 1) + NORMAL.cdf(cut - 1)
        if cost > min(math.exp(t), 1.0):
            return True
    return False


def table(heads: Sequence[str], rows: Sequence[tuple[Cell, list[float]]]) -> str:
    """Return a Markdown table; the last entry of a cell is how many draws it had."""
    lines = [f"{rows[0][0][-1]:,} draws a cell.", ""]
    lines += [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for cell, values in rows:
        names = [x if isinstance(x, str) else f"{x:g}" for x in cell[:-1]]
        lines.append(f"| {' | '.join([*names, *(f'{v:.1f}' for v in values)])} |")
    return "\n".join(lines)


Run = Callable[[Callable[[Cell], list[float]], list[Cell]], Iterable[list[float]]]
NULLS: list[Cell] = [(s, c, r) for s in SHARES for c in COSTS for r in CORRELATIONS]
HEADS = ("positives", "miss costs", "correlation")


def rows(run: Run, work: Callable[[Cell], list[float]], cells: list[Cell]) -> list[Any]:
    """Return each cell with its values."""
    return list(zip(cells, run(work, cells), strict=True))


def pairs(count: int, run: Run) -> str:
    """Return the table of two systems."""
    kinds = ("false", "simple: false", "power", "simple: power")
    sized = [f"{n}: {what}" for n in SIZES for what in kinds]
    return table((*HEADS, *sized), rows(run, pair_cell, [(*cell, count) for cell in NULLS]))


def groups(count: int, run: Run) -> str:
    """Return the table of groups."""
    cells = [(*cell, count) for cell in NULLS]
    return table((*HEADS, *(f"{g} groups" for g in GROUPS)), rows(run, group_cell, cells))


def traded(count: int, run: Run) -> str:
    """Return the table of costly errors traded for cheap ones."""
    cells: list[Cell] = [(c, b, count) for c in (9, 50) for b in (0.0, 0.5)]
    heads = [f"{x:g}: {what}" for x in TRADED for what in ("false", "sign-flip: false")]
    return table(("miss costs", "other way", *heads), rows(run, traded_cell, cells))


def ways(count: int, run: Run) -> str:
    """Return the table of systems that err alike or in different ways."""
    kinds = ("false", "simple: false", "power", "simple: power")
    heads = [f"{size}: {what}" for size in ("fewer", "more") for what in kinds]
    cells: list[Cell] = [(name, count) for name in WAYS]
    return table(("population", *heads), rows(run, way_cell, cells))


def systems(count: int, run: Run) -> str:
    """Return the table of several systems; each draw is two comparisons of many pairs."""
    cells: list[Cell] = [(c, k, max(count // 5, 1)) for c in (1, 9) for k in (3, 10)]
    heads = ("first as reference", "best as reference", "set leaves one out")
    return table(("miss costs", "systems", *heads), rows(run, systems_cell, cells))


def margins(count: int, run: Run) -> str:
    """Return the table of margins."""
    cells = [(c, r, o, count) for c in (1, 9) for r in (0.05, 0.2) for o in OVERLAPS]
    heads = [f"{n}: {100 * m:g} %" for n in SIZES for m in MARGINS]
    return table(("miss costs", "error rate", "shared", *heads), rows(run, margin_cell, cells))


def odds(count: int, run: Run) -> str:
    """Return the table of ranges of odds."""
    cells = [(s, r, max(count // 5, 1)) for s in SHARES for r in CORRELATIONS]
    kinds = ("false", "power", "worse than naive: false")
    heads = [f"{n}: {what}" for n in SIZES[:2] for what in kinds]
    return table(("positives", "correlation", *heads), rows(run, odds_cell, cells))


PARTS = {
    "pairs": pairs,
    "ways": ways,
    "traded": traded,
    "groups": groups,
    "systems": systems,
    "margins": margins,
    "odds": odds,
}


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with the text between the marks of a part replaced."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def main() -> None:
    """Run the grid and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", choices=PARTS, nargs="*", default=list(PARTS))
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        for name in options.part:
            text = PARTS[name](options.replications, pool.map)
            print(f"{name}\n{text}\n", flush=True)
            PAGE.write_text(replaced(PAGE.read_text(), name, text))


if __name__ == "__main__":
    main()
