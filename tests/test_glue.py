"""Laws of what joins the mathematics: gates, slices, caps, limits, and sums in every kernel."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from command import call
from stakes._kernels.passes import binary_pass, rows_pass
from stakes.curves.thresholds import detector
from stakes.evaluation.threshold_choice import capped_threshold

QUICK: dict[str, Any] = {"calibrator": None}


def scored(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    group = rng.integers(30, size=n)
    y = (rng.random(n) < 0.4).astype(int)
    z = 2 * y - 1 + rng.normal(size=n) + 1.5 * rng.normal(size=30)[group]
    return y, 1 / (1 + np.exp(-z)), group


def write(folder: Path, n: int = 400) -> Path:
    y, p, _ = scored(n)
    lines = ["y,p", *(f"{a},{b!r}" for a, b in zip(y.tolist(), p.tolist(), strict=True))]
    path = folder / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


COLUMNS = ("--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1")
CHECK = ("check", "t.csv", *COLUMNS, "--calibrator", "none", "--json")


@pytest.mark.parametrize("metric", ["cost.nec", "auc", "cross_entropy.normalized"])
def test_a_confident_gate_holds_the_worse_end(metric: str, tmp_path: Path) -> None:
    write(tmp_path)
    done = call(*CHECK, "--max", f"{metric}=9", "--min", f"{metric}=0", "--confident", cwd=tmp_path)
    high, low = json.loads(done.stdout)["gates"]
    value, (first, last) = high["estimate"]["value"], high["estimate"]["interval"]
    assert first < value < last
    assert (high["held_against"], low["held_against"]) == (last, first)
    for kind, limit in (("max", (value + last) / 2), ("min", (value + first) / 2)):
        gate = (f"--{kind}", f"{metric}={limit!r}")
        assert call(*CHECK, *gate, cwd=tmp_path).returncode == 0
        assert call(*CHECK, *gate, "--confident", cwd=tmp_path).returncode == 1


def test_slices_are_evaluations_of_their_samples_and_groups() -> None:
    y, p, group = scored(1500)
    site = np.array(list("abc"))[np.arange(1500) % 3]
    whole = stakes.evaluate(y, p, groups=group, slices={"site": site}, **QUICK)
    alone = stakes.evaluate(y, p, slices={"site": site}, **QUICK)
    for part, single in zip(whole.slices, alone.slices, strict=True):
        mine = np.flatnonzero(site == part.value)
        own = stakes.evaluate(y[mine], p[mine], groups=group[mine], **QUICK)
        for found, wanted in (
            (part.cost, own.main.cost.normalized),
            (part.cross_entropy, own.rules[0].normalized),
        ):
            assert found is not None
            assert found.value == wanted.value
            assert tuple(found.interval) == tuple(wanted.interval)  # type: ignore[arg-type]
        assert part.cost is not None
        assert single.cost is not None
        assert tuple(part.cost.interval) != tuple(single.cost.interval)  # type: ignore[arg-type]


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("k", [2, 4])
def test_intervals_rise_and_include_their_values(groups: object, k: int) -> None:
    rng = np.random.default_rng(k)
    y = rng.integers(k, size=900)
    z = rng.normal(size=(900, k))
    z[np.arange(900), y] += 1.5
    unit = rng.integers(60, size=900) if groups else None
    result = stakes.evaluate(y, stakes.Logits(z), groups=unit)
    found = dict(result.metrics())
    for each in result.by_class:
        found |= {f"{each.name}.{n}": getattr(each, n) for n in ("cost", "cross_entropy", "recall")}
    for name, estimate in found.items():
        if estimate.interval is not None:
            low, high = estimate.interval
            assert low <= high, name
            if "error" not in name:  # of which chance makes a part, so that it may lie above
                assert low - 1e-12 <= estimate.value <= high + 1e-12, name


@given(
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    cap=st.one_of(st.fractions(0, 1, max_denominator=60).map(float), st.floats(0, 1)),
)
@settings(max_examples=200, deadline=None)
def test_a_cap_is_never_exceeded_and_used_as_far_as_ties_allow(
    counts: list[int], cap: float
) -> None:
    n = sum(counts)
    level = np.arange(len(counts), dtype=np.float64)
    cut = capped_threshold(level, np.array(counts) / n, cap)
    above = sum(c for c, x in zip(counts, level.tolist(), strict=True) if x > cut)
    assert above <= cap * n * (1 + 1e-12)
    if math.isfinite(cut) and cut in level:
        tied = counts[int(cut)]
        assert above + tied > cap * n * (1 - 1e-12)


def test_a_cap_of_a_file_is_never_exceeded(tmp_path: Path) -> None:
    write(tmp_path, 100)
    run = ("decide", "t.csv", "--scores", "p", "--scores-are", "posteriors", "--classes", "0,1")
    costs = ("--cost", "miss=50,false_alarm=1", "-o", "out.csv", "--force")
    for cap in ("0.07", "0.29", "0.005", "0.3333", "1"):
        assert call(*run, *costs, "--review", cap, cwd=tmp_path).returncode == 0
        rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
        place = rows[0].split(",").index("decision")
        reviewed = sum(row.split(",")[place] == "1" for row in rows[1:])
        assert reviewed <= math.floor(float(cap) * 100 + 1e-9)
        assert reviewed >= math.floor(float(cap) * 100 + 1e-9) - 1 or cap == "1"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_intervals_of_priors_go_with_their_classes(order: tuple[int, ...]) -> None:
    data = stakes.simulation.simulate(3, n=600, priors=[0.6, 0.3, 0.1])
    p = np.exp(data.posteriors([1 / 3] * 3).values)
    plain = stakes.estimate_priors(p, [1 / 3] * 3)
    moved = stakes.estimate_priors(p[:, list(order)], [1 / 3] * 3)
    assert moved.priors == pytest.approx(plain.priors[list(order)], abs=1e-8)
    ends = [tuple(plain.interval(k)) for k in order]
    assert [tuple(moved.interval(k)) for k in range(3)] == [
        pytest.approx(e, abs=1e-5) for e in ends
    ]
    assert len({round(high - low, 6) for low, high in ends}) == 3


KINDS: dict[str, Any] = {
    "posteriors": (stakes.Posteriors, lambda p: p),
    "log posteriors": (stakes.LogPosteriors, np.log),
    "logits": (stakes.Logits, lambda p: np.log(p / (1 - p))),
    "ratios": (stakes.LogLikelihoodRatios, lambda p: np.log(p / (1 - p))),
}


@pytest.mark.parametrize("name", KINDS)
def test_scores_for_the_first_class_rank_it(name: str) -> None:
    kind, form = KINDS[name]
    y, p, _ = scored(300)
    typed = kind(form(p))
    found = detector(y, typed, positive=0).roc
    assert found.classes == (1, 0)
    assert found.auc() == pytest.approx(detector(y, typed).roc.auc(), rel=1e-12)
    assert found.auc() > 0.6
    swapped = stakes.roc_curve(y, typed.swapped(), classes=[1, 0])
    assert swapped.auc() == pytest.approx(found.auc(), rel=1e-12)


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    size = write(tmp_path).stat().st_size
    run = ("evaluate", "t.csv", *COLUMNS, "--calibrator", "none", "--json")
    assert call(*run, "--max-bytes", str(size), cwd=tmp_path).returncode == 0
    refused = call(*run, "--max-bytes", str(size - 1), cwd=tmp_path)
    assert refused.returncode == 5
    assert f"longer than {size - 1} bytes" in refused.stderr


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_very_different_losses_keep_their_digits(weighted: object) -> None:
    n = 2**16  # a chunk, whose blocks of 512 sum to half a unit in the last place of the first
    p = np.full(n, 1 - 2.0**-53)
    p[0] = 5e-324
    weights = np.ones(n) if weighted else None
    y = np.ones(n, dtype=np.int64)
    exact = math.fsum(-np.log(p))
    found = binary_pass(p, y, (), weights, 15).log.loss[1]
    assert found == pytest.approx(exact, rel=4e-16)
    rows = np.column_stack([1 - p, p])
    assert rows_pass(rows, y, "posteriors", (), weights).log.loss[1] == pytest.approx(
        exact, rel=4e-16
    )
