"""An infinite cross-entropy is a value like another: laws of every comparison that has one."""

import itertools
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from command import call
from stakes.evaluation import Comparison
from stakes.evaluation.entry import RULES
from stakes.evaluation.summaries.compared_rows import ComparedRows, ScoreForm
from stakes.summary.members import CheckedBatch

N = 90
RNG = np.random.default_rng(34)
TWO = RNG.integers(0, 2, N)
THREE = RNG.integers(0, 3, N)
PRICES = RNG.uniform(1, 9, N)
LETTERS = "abcd"


def scores_of(y: np.ndarray, classes: int, zeros: str) -> dict[str, np.ndarray]:
    """Return posteriors of four systems, of which some are 0 for a true class."""
    rng, out = np.random.default_rng(5), {}
    for i, name in enumerate(LETTERS):
        raw = rng.normal(size=(N, classes)) + (1 + i / 4) * np.eye(classes)[y]
        p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        if name in zeros:
            for row in (3, 17 + i):  # one in common, one of its own
                p[row] = np.eye(classes)[(y[row] + 1) % classes]
        out[name] = p if classes > 2 else p[:, 1]
    return out


BY_CASE = stakes.SampleCosts.from_columns([[0, 1], ["price", 0]], {"price": PRICES})
ABSTAIN = stakes.CostMatrix([[0, 1, 0.3], [4, 0, 0.3]], decisions=["no", "yes", "ask"])
PAST = stakes.HeldOut(np.arange(40) % 2, np.clip(RNG.normal(0.4, 0.2, 40), 0.05, 0.95))
HELD_OUT = {"calibrator": stakes.AffineCalibrator(), "folds": PAST}
OPTIONS: dict[str, tuple[int, dict[str, Any]]] = {
    "plain": (2, {}),
    "resampled": (2, {}),
    "calibrated": (2, {"calibrator": stakes.AffineCalibrator()}),
    "calibrated, resampled": (2, {"calibrator": stakes.TemperatureCalibrator()}),
    "calibrated on others": (2, HELD_OUT),
    "calibrated by bins": (2, {"calibrator": stakes.IsotonicCalibrator(), "folds": PAST}),
    "calibrated on others, resampled": (2, {**HELD_OUT}),
    "weights": (2, {"sample_weight": RNG.uniform(0.5, 2, N)}),
    "groups": (2, {"groups": np.arange(N) % 12}),
    "costs by case": (2, {"costs": BY_CASE}),
    "abstention": (2, {"costs": ABSTAIN}),
    "priors": (2, {"priors": [0.9, 0.1], "training_priors": "deployment"}),
    "priors, adapted": (2, {"priors": [0.9, 0.1], "training_priors": "data"}),
    "margin": (2, {"margin": 0.1}),
    "applications": (2, {"costs": {"one": BY_CASE, "two": ABSTAIN}}),
    "rules": (2, {"rules": [stakes.SphericalLoss(), stakes.LogLoss(), stakes.BrierLoss()]}),
    "three classes": (3, {}),
    "three classes, calibrated": (3, {"calibrator": stakes.AffineCalibrator()}),
    "three classes, priors": (3, {"priors": [0.2, 0.3, 0.5], "training_priors": "deployment"}),
}


IN_BATCHES: dict[str, Any] = dict.fromkeys(
    ("reference", "margin", "costs", "priors", "training_priors", "calibrator")
) | {"folds": 5, "level": 0.95, "rules": RULES, "rng": 0}


def same(a: float, b: float) -> bool:
    return a == pytest.approx(b, rel=1e-9, abs=1e-12, nan_ok=True)


def holds(found: Comparison, systems: Iterable[str], zeros: str) -> None:
    """Check what holds for any comparison of systems some of which have an infinite loss."""
    base = [m for m in found.values[found.reference] if "calibrat" not in m and "relative" not in m]
    for name in systems:
        assert set(base) <= set(found.values[name])
        for kind in ("value", "normalized"):
            value = found.values[name][f"cross_entropy.{kind}"]
            assert math.isinf(value) == (name in zeros)
    for name in found.systems[1:]:
        assert set(base) <= {d.metric for d in found.differences if d.system == name}
    for d in found.differences:
        assert same(d.value, found.values[d.system][d.metric])
        assert same(d.reference, found.values[found.reference][d.metric])
        gap = d.difference
        if math.isfinite(d.value) and math.isfinite(d.reference):
            assert same(gap.value, d.value - d.reference), d.metric
        if not d.metric.startswith("cross_entropy"):
            continue
        if not (math.isfinite(d.value) and math.isfinite(d.reference)):
            assert not math.isfinite(gap.value)
            assert gap.interval is None
            assert ("undefined" if math.isnan(d.value + d.reference) else "infinite") in gap.method
            assert math.isnan(d.p_value)
            assert not d.distinguishable
            assert "∞" in str(d) or "undefined" in str(d)
    said = [note for note in found.notes if "infinite" in note]
    assert [f"of {name} is" in "".join(said) for name in systems] == [n in zeros for n in systems]
    json.dumps(found.to_dict(), allow_nan=False)
    json.loads(found.to_json())
    assert all(estimate.method for estimate in found.metrics().values())
    assert found.may_be_best[next(iter(found.may_be_best))]
    assert found.verdicts


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_every_combination_of_infinite_systems(option: str, size: int) -> None:
    classes, told = OPTIONS[option]
    if size > 2 and "resampled" in option:
        pytest.skip("two systems show the same in less time")
    y, names = (TWO, THREE)[classes - 2], LETTERS[:size]
    told = {} | told
    of_all = list(itertools.chain.from_iterable(
        itertools.combinations(names, k) for k in range(size + 1)
    ))  # fmt: skip
    for zeros in map("".join, of_all if size < 4 else of_all[5:11]):
        systems = {n: p for n, p in scores_of(y, classes, zeros).items() if n in names}
        found = stakes.compare(y, systems, **told)
        holds(found, systems, zeros)
        finite = {n: p for n, p in systems.items() if n not in zeros}
        if found.reference in zeros or len(finite) < 2 or not zeros:
            continue
        alone = stakes.compare(y, finite, **told)
        assert {(d.system, d.metric) for d in alone.differences} <= {
            (d.system, d.metric) for d in found.differences
        }
        for d in alone.differences:  # another system changes no value, interval or test
            other = found.of(d.system, d.metric)
            assert other.difference.to_dict() == d.difference.to_dict(), d.metric
            assert same(other.p_value, d.p_value)


@pytest.mark.parametrize("reference", LETTERS[:3])
def test_any_reference(reference: str) -> None:
    for zeros in ("a", "b", "c", "bc"):
        systems = {n: scores_of(TWO, 2, zeros)[n] for n in LETTERS[:3]}
        holds(stakes.compare(TWO, systems, reference=reference), systems, zeros)


def test_an_infinite_loss_of_a_sample_that_does_not_count_is_not_infinite() -> None:
    systems, weight = scores_of(TWO, 2, "b"), np.ones(N)
    weight[[3, 18]] = 0
    holds(stakes.compare(TWO, systems, sample_weight=weight), systems, "")
    systems = scores_of(THREE, 3, "")
    lost = np.flatnonzero(THREE == 2)[0]
    systems["b"][lost] = [0.5, 0.5, 0]
    found = stakes.compare(THREE, systems, priors=[0.5, 0.5, 0], training_priors="deployment")
    expected = stakes.cross_entropy(THREE, systems["b"], priors=[0.5, 0.5, 0])
    assert same(found.values["b"]["cross_entropy.value"], expected.value)
    holds(found, systems, "")


def test_the_difference_has_the_sign_of_the_infinite_loss() -> None:
    systems = scores_of(TWO, 2, "bc")
    found = stakes.compare(TWO, systems)
    assert found.of("b", "cross_entropy.value").difference.value == math.inf
    assert not found.of("b", "cross_entropy.value").wins
    found = stakes.compare(TWO, systems, reference="b")
    assert found.of("a", "cross_entropy.normalized").difference.value == -math.inf
    undefined = found.of("c", "cross_entropy.value")
    assert math.isnan(undefined.difference.value)
    assert undefined.difference.method == "infinite less infinite is undefined"
    found = stakes.compare(TWO, systems, calibrator=stakes.BiasCalibrator())
    share = found.of("b", "cross_entropy.relative")
    assert math.isfinite(share.reference)
    assert math.isnan(share.value)
    assert share.difference.method == "a value is undefined"


def test_a_difference_is_that_of_its_values_where_classes_are_separable() -> None:
    y = np.arange(30) % 3
    rng = np.random.default_rng(2)
    systems = {name: rng.dirichlet(np.ones(3), 30) + 2 * np.eye(3)[y] for name in "ab"}
    systems = {name: p / p.sum(axis=1, keepdims=True) for name, p in systems.items()}
    found = stakes.compare(y, systems, calibrator=stakes.VectorCalibrator())
    holds(found, systems, "")


def test_rows_added_in_batches_are_compared_alike() -> None:
    for zeros in ("a", "b", "cd", "abcd"):
        systems = {n: stakes.Posteriors(p) for n, p in scores_of(TWO, 2, zeros).items()}
        rows = ComparedRows([0, 1], {n: ScoreForm.from_scores(s) for n, s in systems.items()})
        for part in np.array_split(np.arange(N), 4):
            rows.update(CheckedBatch(TWO[part]), {n: s.part(part) for n, s in systems.items()})
        found = rows.compare(**IN_BATCHES)
        holds(found, systems, zeros)
        for d in stakes.compare(TWO, systems).differences:
            assert same(found.of(d.system, d.metric).difference.value, d.difference.value)


def test_more_rows_than_cells() -> None:
    n = 2**17 + 500
    y = np.arange(n) % 2
    rng = np.random.default_rng(1)
    systems = {m: np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0.02, 0.98) for m in LETTERS[:3]}
    systems["b"][1] = 0.0
    holds(stakes.compare(y, systems), systems, "b")


class Fixed:
    """A fitted classifier that returns stored posteriors."""

    def __init__(self, p: np.ndarray) -> None:
        self.p, self.classes_ = p, np.array([0, 1])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
        return np.column_stack([1 - self.p, self.p])[X[:, 0]]


def test_models_with_infinite_losses_are_compared() -> None:
    systems = scores_of(TWO, 2, "ac")
    models = {name: Fixed(p) for name, p in systems.items()}
    found = stakes.compare_models(models, np.arange(N)[:, None], TWO)
    holds(found, systems, "ac")


def _table(folder: Path, zeros: str) -> dict[str, np.ndarray]:
    systems = scores_of(TWO, 2, zeros)
    lines = ["y," + ",".join(f"p_{name}" for name in systems)]
    lines += [
        ",".join([str(y), *(repr(float(p[i])) for p in systems.values())])
        for i, y in enumerate(TWO)
    ]
    (folder / "t.csv").write_text("\n".join(lines))
    return systems


ASKED = ["compare", "t.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "1"]
ASKED += [part for name in LETTERS for part in ("--system", f"{name}=p_{name}")]


@pytest.mark.parametrize("more", [(), ("--memory", "0"), ("--calibrator", "affine")])
def test_every_output_of_the_command(tmp_path: Path, more: tuple[str, ...]) -> None:
    _table(tmp_path, "bd")
    asked = [*ASKED, *more]
    screen = call(*asked, "--details", cwd=tmp_path)
    assert screen.returncode == 0, screen.stderr
    assert "∞" in screen.stdout
    assert "infinite" in screen.stdout
    done = call(*asked, "--json", "--html", "page.html", cwd=tmp_path)
    body = json.loads(done.stdout)
    rows = {(d["system"], d["metric"]): d for d in body["differences"]}
    assert rows["b", "cross_entropy.value"]["difference"]["value"] == "inf"
    assert rows["c", "cross_entropy.value"]["difference"]["interval"] is not None
    page = (tmp_path / "page.html").read_text()
    assert "∞" in page
    assert "a value is infinite" in page
    for layout in ("csv", "md", "github"):
        done = call(*asked, "--format", layout, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "a value is infinite" in done.stdout
        assert ("2 samples have posterior 0" in done.stdout) == (layout != "csv")


def test_a_notebook_says_why_a_loss_is_infinite() -> None:
    found = stakes.compare(TWO, scores_of(TWO, 2, "b"))
    assert "The cross-entropy of b is infinite" in found._repr_markdown_()


def test_the_differences_can_be_drawn() -> None:
    pytest.importorskip("matplotlib")
    found = stakes.compare(TWO, scores_of(TWO, 2, "bc"))
    display = stakes.ComparisonDisplay(found)
    display.plot()
    assert math.inf in display.frame()["difference"]
