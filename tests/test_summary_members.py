"""Summaries of samples with weights, groups, slices and costs by case: the laws of summaries."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._kernels import group_sums
from stakes.summary import decision_sums, parted_cells
from stakes.summary.members import GroupCount, group_hashes
from stakes.summary.tally import Field, Layout, Tally, split, total, total_of_units

BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)
BY_CASE = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
QUICK: dict[str, Any] = {"calibrator": None}


@dataclass(frozen=True, eq=False)
class Data:
    """Samples with all that can belong to them."""

    y: Any
    scores: stakes.Scores
    weights: Any
    groups: Any
    sites: Any
    amounts: Any

    def part(self, rows: Any) -> "Data":
        return Data(
            self.y[rows],
            self.scores.part(rows),
            self.weights[rows],
            self.groups[rows],
            self.sites[rows],
            self.amounts[rows],
        )


def made(n: int, seed: int, *, k: int = 2, n_groups: int = 40, ties: bool = False) -> Data:
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n) if k > 2 else (rng.random(n) < 0.3).astype(np.int64)
    group = rng.integers(n_groups, size=n)
    effect = rng.normal(size=n_groups)[group]
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 2 + effect
    scores: stakes.Scores = stakes.Logits(1.3 * z)
    if k == 2:
        odds = 1.3 * (z[:, 1] - z[:, 0] - 0.5)
        scores = stakes.Posteriors(1 / (1 + np.exp(-(np.round(odds) if ties else odds))))
    weights = rng.choice([0.5, 1.0, 3.25], size=n) if ties else rng.uniform(0.2, 3, size=n)
    amounts = np.round(np.exp(rng.normal(1, 1, size=n)), 2)
    names = np.array([f"patient {i}" for i in range(n_groups)], dtype=object)
    return Data(y, scores, weights, names[group], np.array(list("abc"))[group % 3], amounts)


@dataclass(frozen=True)
class Case:
    """A summary: of how many classes, and what it is told."""

    k: int = 2
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def by_case(self) -> bool:
        return self.told.get("costs") is BY_CASE

    def summary(self) -> stakes.Summary:
        kind = stakes.Posteriors if self.k == 2 else stakes.Logits
        return stakes.Summary(classes=range(self.k), scores=kind, **self.told)

    def batch(self, data: Data) -> dict[str, Any]:
        """Return what belongs to a batch."""
        return {
            "sample_weight": data.weights if self.told.get("weighted") else None,
            "groups": data.groups if self.told.get("grouped") else None,
            "slices": {"site": data.sites} if self.told.get("slices") else None,
            "columns": {"amount": data.amounts} if self.by_case else None,
        }

    def filled(self, data: Data, cuts: Any = ()) -> stakes.Summary:
        total = self.summary()
        for rows in np.split(np.arange(data.y.size), cuts):
            if rows.size:
                some = data.part(rows)
                total.update(some.y, some.scores, **self.batch(some))
        return total

    def exact(self, data: Data, **options: Any) -> stakes.Evaluation:
        """Evaluate all samples in memory."""
        costs = self.told.get("costs")
        if self.by_case:
            costs = BY_CASE.with_columns({"amount": data.amounts})
        batch = self.batch(data)
        del batch["columns"]
        return stakes.evaluate(data.y, data.scores, costs=costs, **batch, **(QUICK | options))


SITES = {"slices": ["site"]}
CASES = {
    "weights": Case(told={"weighted": True, "costs": BINARY, **SITES}),
    "groups": Case(told={"grouped": True, "costs": BINARY, **SITES}),
    "both": Case(told={"weighted": True, "grouped": True, "costs": BINARY}),
    "slices": Case(told=SITES),
    "by case": Case(told={"costs": BY_CASE, **SITES}),
    "by case, all": Case(told={"costs": BY_CASE, "weighted": True, "grouped": True, **SITES}),
    "three, weights": Case(3, {"weighted": True, **SITES}),
    "three, groups": Case(3, {"grouped": True, **SITES}),
    "three, both": Case(3, {"weighted": True, "grouped": True, **SITES}),
}


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 10**6), data=st.data())
@settings(max_examples=3, deadline=None)
def test_order_batches_and_sums_change_no_byte(name: str, seed: int, data: Any) -> None:
    case = CASES[name]
    samples = made(500, seed, k=case.k, ties=data.draw(st.booleans()))
    cuts = sorted(data.draw(st.lists(st.integers(0, 500), max_size=5)))
    order = np.random.default_rng(seed).permutation(500)
    whole = case.filled(samples)
    pieces = [case.filled(samples.part(p)) for p in np.split(order, cuts) if p.size]
    data.draw(st.randoms()).shuffle(pieces)
    both = sum(pieces[1:], pieces[0])
    assert case.filled(samples.part(order), cuts).to_bytes() == whole.to_bytes()
    assert both == whole
    assert both.to_bytes() == whole.to_bytes()
    again = stakes.Summary.from_bytes(whole.to_bytes())
    assert again == whole
    assert again.to_bytes() == whole.to_bytes()
    none = case.summary()
    assert none + whole == whole + none == whole


@pytest.mark.parametrize("name", [*CASES, "plain", "three"])
def test_a_sum_shares_nothing_with_its_parts(name: str) -> None:
    plain = {"plain": Case(told={"costs": BINARY}), "three": Case(3)}
    case = (CASES | plain)[name]
    data = made(300, 1, k=case.k)
    part, other = (
        case.filled(data.part(np.arange(100))),
        case.filled(data.part(np.arange(100, 200))),
    )
    before = part.to_bytes(), other.to_bytes()
    only = np.flatnonzero(data.sites == "a")
    lone = case.filled(data.part(only[:5]))  # one slice alone
    sums = [part + case.summary(), case.summary() + part, part + other, lone + part]
    last = data.part(np.arange(200, 300))
    for both in sums:
        both.update(last.y, last.scores, **case.batch(last))
    assert (part.to_bytes(), other.to_bytes()) == before
    assert lone == case.filled(data.part(only[:5]))


@pytest.mark.parametrize("name", CASES)
def test_coarse_keys_are_the_same_for_any_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted_cells, "Tally", partial(Tally, most=60))
    plan = partial(decision_sums.DecisionPlan, most=60)
    monkeypatch.setattr("stakes.evaluation.summaries.summary_request.DecisionPlan", plan)
    monkeypatch.setattr("stakes.evaluation.summaries.slice_sums._MOST_KEYS", 60)
    monkeypatch.setattr("stakes.evaluation.summaries.slice_sums._MOST_CELLS", 60)
    case, data = CASES[name], made(2000, 5, k=CASES[name].k, n_groups=300)
    order = np.random.default_rng(1).permutation(2000)
    whole = case.filled(data)
    for cuts in ([], [3, 50, 700], list(range(40, 2000, 60))):
        assert case.filled(data.part(order), cuts).to_bytes() == whole.to_bytes()
    pieces = [case.filled(data.part(rows)) for rows in np.split(order, [30, 90, 1200])]
    for turn in ([0, 1, 2, 3], [3, 1, 0, 2]):
        a, b, c, d = (pieces[i] for i in turn)
        assert (a + b) + (c + d) == whole == ((d + a) + c) + b


def pairs(found: stakes.Evaluation, exact: stakes.Evaluation) -> list[tuple[str, Any, Any]]:
    """Return numbers of both by name: of the system, of classes, of slices."""
    ours, theirs = found.metrics(), exact.metrics()
    assert set(ours) == set(theirs)
    out = [(name, ours[name], theirs[name]) for name in theirs]
    for a, b in zip(found.by_class, exact.by_class, strict=True):
        assert (a.name, a.samples) == (b.name, b.samples)
        out += [(f"{a.name}.{f}", getattr(a, f), getattr(b, f)) for f in ("cost", "cross_entropy")]
    for c, d in zip(found.slices, exact.slices, strict=True):
        assert (c.column, c.value, c.counts) == (d.column, d.value, d.counts)
        assert c.verdict is not None
        assert d.verdict is not None
        assert c.verdict.code == d.verdict.code
        of = ["cost", "cross_entropy"]
        if len(c.counts) == 2:
            of += ["auc", "calibration_gap"]
            assert c.mean_score == pytest.approx(d.mean_score, rel=1e-9)
            assert c.rate == pytest.approx(d.rate, rel=1e-12)
        else:
            assert c.auc is c.mean_score is None  # classes have no one order
        out += [(f"{c.value}.{f}", getattr(c, f), getattr(d, f)) for f in of]
    return out


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("priors", [None, "given"])
@pytest.mark.parametrize("name", CASES)
def test_numbers_and_intervals_are_those_of_all_samples(name: str, priors: Any, ties: Any) -> None:
    case, data = CASES[name], made(1500, 11, k=CASES[name].k, n_groups=60, ties=ties)
    at = None if priors is None else np.append(np.full(case.k - 1, 0.9 / (case.k - 1)), 0.1)
    own: dict[str, Any] = {"priors": at, "training_priors": "deployment"}
    told = Case(case.k, {**case.told, **own})
    found, exact = told.filled(data, [700]).evaluate(**QUICK), case.exact(data, **own)
    assert [v.code for v in found.verdicts] == [v.code for v in exact.verdicts]
    assert found.data.groups == exact.data.groups
    assert found.data.counts == exact.data.counts
    assert found.data.priors == pytest.approx(exact.data.priors, rel=1e-14)
    for metric, ours, theirs in pairs(found, exact):
        rank = any(part in metric for part in ("auc", "eer", "minimum", "calibration"))
        close = 2e-4 if rank else 1e-9
        if told.by_case and told.told.get("weighted") and "cost" in metric:
            close = 1e-4  # products of means of weights and amounts of a size
        assert ours.value == pytest.approx(theirs.value, abs=close), metric
        assert (ours.interval is None) == (theirs.interval is None), metric
        if ours.interval is not None:
            share = 0.03 if rank else 0.002
            if case.k > 2 or told.by_case:  # rows that match moments
                share = 0.05
            if metric[:2] in ("a.", "b.", "c."):  # of some hundred samples, whose worst is unknown
                share = 0.15
            if told.told.get("grouped") and "minimum" in metric:
                share = 0.3  # thresholds of other folds, of which groups are in others
            elif told.told.get("grouped") and told.told.get("weighted"):
                share = max(share, 0.01)  # products of the mean weight and loss of a size
            slack = share * (theirs.interval.high - theirs.interval.low)
            assert tuple(ours.interval) == pytest.approx(tuple(theirs.interval), abs=slack), metric


@pytest.mark.parametrize("name", ["three, weights", "three, groups", "three, both", "by case, all"])
def test_what_is_left_out_of_the_rows_is_in_the_sums(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stakes.evaluation.summaries.summed_rows._MOST_ROWS", 300)
    monkeypatch.setattr("stakes.evaluation.summaries.summed_rows._MOST_OF_TWO", 300)
    case, data = CASES[name], made(6000, 3, k=CASES[name].k, n_groups=80)
    found, exact = case.filled(data).evaluate(**QUICK), case.exact(data)
    assert any("rest on" in note for note in found.notes)
    for metric, ours, theirs in pairs(found, exact):
        if any(part in metric for part in ("auc", "eer", "slope")) or metric.startswith(
            "calibration_error"
        ):
            continue  # of the rows
        near = case.by_case and "cost" in metric
        near = near or "debiased" in metric or "expected" in metric  # squares of weights
        close = 1e-4 if near else 1e-8
        assert ours.value == pytest.approx(theirs.value, abs=close), metric
        if ours.interval is not None and "error" not in metric:
            wide = theirs.interval.high - theirs.interval.low
            slack = (0.15 if metric[:2] in ("a.", "b.", "c.") else 0.05) * wide
            assert tuple(ours.interval) == pytest.approx(tuple(theirs.interval), abs=slack), metric


def test_calibrated_losses_are_those_of_all_samples_less_what_calibration_recovers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stakes.evaluation.summaries.summed_rows._MOST_ROWS", 900)
    case, data = CASES["three, weights"], made(6000, 3, k=3)
    found = case.filled(data).evaluate()
    for result in (found.main.cost, *found.rules):
        assert result.calibrated_normalized is not None
        assert result.calibration_loss is not None
        gap = result.normalized.value - result.calibrated_normalized.value
        assert gap == pytest.approx(result.calibration_loss.value, abs=1e-12)


@given(seed=st.integers(0, 10**6), ties=st.booleans(), grouped=st.booleans())
@settings(max_examples=25, deadline=None)
def test_bounds_include_the_value_of_all_samples(seed: Any, ties: Any, grouped: Any) -> None:
    data = made(300, seed, ties=ties)
    rng = np.random.default_rng(seed)
    p = data.scores.values.copy()
    p[rng.random(300) < 0.05] = 0.0
    p[rng.random(300) < 0.05] = 1.0
    if seed % 2:
        p = p.astype(np.float32)
    weights = data.weights * np.where(rng.random(300) < 0.02, 1e6, 1)
    told = stakes.Summary(classes=[0, 1], costs=BINARY, weighted=True, grouped=grouped)
    told.update(data.y, p, sample_weight=weights, groups=data.groups if grouped else None)
    curve = stakes.roc_curve(data.y, p, sample_weight=weights)
    least = curve.minimum_cost(BINARY)
    exact = {"auc": curve.auc(), "eer": curve.eer(), "cost.minimum_nec": least.normalized}
    found = told.evaluate(**QUICK).metrics()
    for name, (low, high) in told.bounds().items():
        assert low - 1e-12 <= exact[name] <= high + 1e-12, name
        assert low - 1e-9 <= found[name].value <= high + 1e-9, name


def test_weights_of_zero_are_absent() -> None:
    data, case = made(600, 2), CASES["by case, all"]
    data.weights[::3] = 0
    kept = np.flatnonzero(data.weights)
    assert case.filled(data, [250]) == case.filled(data.part(kept))
    none = data.part(np.arange(0, 600, 3))
    empty = case.summary()
    empty.update(none.y, none.scores, **case.batch(none))
    assert empty == case.summary()


def test_weights_of_one_and_groups_of_one_are_no_weights_and_no_groups() -> None:
    data = made(900, 4)
    plain = Case(told={"costs": BINARY})
    one = Data(data.y, data.scores, np.ones(900), np.arange(900), data.sites, data.amounts)
    found = Case(told={"costs": BINARY, "weighted": True}).filled(one).evaluate(**QUICK)
    exact = plain.filled(data).evaluate(**QUICK)
    for metric, ours in found.metrics().items():
        theirs = exact.metrics()[metric]
        assert ours.value == pytest.approx(theirs.value, abs=1e-5), metric
    alone = Case(told={"costs": BINARY, "grouped": True}).filled(one).evaluate(**QUICK)
    # of groups, one seen may occur once more, besides the sample that was not seen
    for part, share in ((found, 1e-6), (alone, 0.05)):
        ours, theirs = part.main.cost.normalized, exact.main.cost.normalized
        assert ours.value == pytest.approx(theirs.value, rel=1e-14)
        assert ours.interval is not None
        assert theirs.interval is not None
        slack = share * (theirs.interval.high - theirs.interval.low)
        assert tuple(ours.interval) == pytest.approx(tuple(theirs.interval), abs=slack)


def test_groups_are_whole_numbers_or_texts_in_any_batches() -> None:
    data, case = made(400, 9), Case(told={"grouped": True})
    whole = np.arange(400) % 37
    for kind in (np.int64, np.int16, np.uint8, list):
        other = case.summary()
        column = whole.tolist() if kind is list else whole.astype(kind)
        other.update(data.y, data.scores, groups=column)
        reference = case.summary()
        reference.update(data.y, data.scores, groups=whole)
        assert other == reference
    assert other.evaluate(**QUICK).data.groups == 37
    texts = case.summary()
    texts.update(data.y, data.scores, groups=[str(i) for i in whole])
    assert texts.evaluate(**QUICK).data.groups == 37


@pytest.mark.parametrize(("n", "exact"), [(16_383, True), (60_000, False), (1_000_000, False)])
def test_groups_are_counted(n: int, exact: Any) -> None:
    hashes = group_hashes(np.arange(n))
    count, other = GroupCount(), GroupCount()
    count.add(hashes)
    for part in np.array_split(np.random.default_rng(0).permutation(hashes), 7):
        other = other + _counted(part)
    assert other == count
    assert count.exact == exact
    assert count.number == n if exact else abs(count.number / n - 1) < 0.03


def _counted(hashes: Any) -> GroupCount:
    found = GroupCount()
    found.add(np.concatenate([hashes, hashes]))
    return found


def test_many_groups_are_taken_in_parts_of_whole_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted_cells, "Tally", partial(Tally, most=4000))
    data, case = made(20_000, 6, n_groups=3000), CASES["groups"]
    found, exact = case.filled(data).evaluate(**QUICK), case.exact(data)
    assert found.data.groups == exact.data.groups
    assert any("groups in" in note for note in found.notes)
    ours, theirs = found.main.cost.normalized, exact.main.cost.normalized
    assert ours.value == theirs.value
    wide = [e.interval.high - e.interval.low for e in (ours, theirs)]  # type: ignore[union-attr]
    assert wide[0] == pytest.approx(wide[1], rel=0.15)


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "weights not told": ({}, {"sample_weight": [1, 1]}, "sample_weight must be left out.*weighted=True"),
    "weights missing": ({"weighted": True}, {}, "sample_weight must be given with each batch"),
    "weights below 0": ({"weighted": True}, {"sample_weight": [1, -1]}, "sample_weight must .*-1"),
    "weights too large": ({"weighted": True}, {"sample_weight": [1e200, 1]}, "1e-100 to 1e.100.*row 0"),
    "weights of another length": ({"weighted": True}, {"sample_weight": [1]}, "sample_weight"),
    "groups not told": ({}, {"groups": [1, 1]}, "groups must be left out.*grouped=True"),
    "groups missing": ({"grouped": True}, {}, "groups must be given with each batch"),
    "groups of another length": ({"grouped": True}, {"groups": [1]}, "groups must hold one value"),
    "groups with a gap": ({"grouped": True}, {"groups": ["a", None]}, "groups must .*row 1"),
    "slices not told": ({}, {"slices": {"site": [1, 2]}}, "slices must hold the columns.*'site'"),
    "slices missing": ({"slices": ["site"]}, {}, "slices must hold.*'site' is missing"),
    "slices of another length": ({"slices": ["site"]}, {"slices": {"site": [1]}}, "one value per sample: got 1 for 2"),
    "slices as a column": ({"slices": ["site"]}, {"slices": [1, 2]}, "slices must hold the columns .*'site' is missing"),
    "amounts missing": ({"costs": BY_CASE}, {}, "columns must hold.*'amount' is missing"),
    "amounts below 0": ({"costs": BY_CASE}, {"columns": {"amount": [1, -2]}}, "column 'amount' must .*-2.*row 1"),
    "amounts as a table": ({"costs": BY_CASE}, {"columns": {"amount": [[1], [2]]}}, "one number per sample: got shape"),
    "amounts of another length": ({"costs": BY_CASE}, {"columns": {"amount": [1]}}, "column 'amount' must hold one value"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_changes_nothing(name: str) -> None:
    told, batch, words = REFUSED[name]
    total = stakes.Summary(classes=[0, 1], **told)
    with pytest.raises(stakes.InputError, match=words):
        total.update([0, 1], [0.2, 0.7], **batch)
    assert total == stakes.Summary(classes=[0, 1], **told)


def test_columns_of_very_many_values_are_refused() -> None:
    total = stakes.Summary(classes=[0, 1], slices=["id"])
    before = total.to_bytes()
    n = 1001
    with pytest.raises(stakes.InputError, match=r"'id' must have at most 1000 values.*1001"):
        total.update(
            [0, 1] * n, [0.5] * 2 * n, slices={"id": [f"id {i % n}" for i in range(2 * n)]}
        )
    assert total.to_bytes() == before


@pytest.mark.parametrize("told", [{"weighted": True}, {"grouped": True}, SITES, {"costs": BY_CASE}])
def test_summaries_that_were_told_otherwise_are_not_added(told: dict[str, Any]) -> None:
    one, other = stakes.Summary(classes=[0, 1], **told), stakes.Summary(classes=[0, 1])
    with pytest.raises(stakes.InputError, match="the same arguments"):
        _ = one + other


def test_many_columns_of_prices_are_refused() -> None:
    costs = stakes.CostsByCase([["a", "b"], ["c", 0]], classes=[0, 1])
    with pytest.raises(stakes.InputError, match="costs must name at most 2 columns"):
        stakes.Summary(classes=[0, 1], costs=costs)


def test_costs_by_case_need_columns() -> None:
    with pytest.raises(stakes.InputError, match="entries must name columns of one length"):
        stakes.CostsByCase([[0, 1], [5, 0]])
    with pytest.raises(stakes.InputError, match="names columns"):
        stakes.evaluate([0, 1], [0.2, 0.7], costs=BY_CASE)
    assert repr(BY_CASE) == "CostsByCase([[0, 3], ['amount', 0]], classes 0, 1)"
    assert BY_CASE.shape == (2, 2)


def test_amounts_are_summed_exactly_by_size() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([np.exp(rng.normal(0, 30, 500)), [0.0, 1.0, 0.1, 5e-324, 1.7e308]])
    for bits in (0, 3, 4):
        size, high, low = split(x, bits)
        for s in np.unique(size):
            mine = size == s
            together = total(np.array([s]), bits, high[mine].sum()[None], low[mine].sum()[None])[0]
            assert together == pytest.approx(x[mine].sum(), rel=1e-15)
            assert x[mine].max() / 2 ** (1 / 2**bits) / 1.1 <= x[mine].min()
    positive = x[x > 0]
    again = total_of_units(split(positive, 3)[0], 3, np.frexp(positive)[0])
    assert (again == positive).all()


def test_a_tally_coarsens_as_its_keys_become_many() -> None:
    layout = Layout((Field(2), Field(2**10, (0, 2, 5, 9))))
    rng = np.random.default_rng(2)
    value = rng.integers(2**10, size=3000)
    for most, step in ((4000, 0), (600, 1), (300, 2), (200, 2), (5, 3), (1, 3)):
        found = Tally(layout, most)
        found.add([value % 2, value])
        found.settled()
        assert found.step == step
        assert found.sums.sum() == 3000
        y, kept = found.values()
        assert set(zip(y.tolist(), kept.tolist(), strict=True)) == set(
            zip((value % 2).tolist(), (value >> layout.fields[1].drops[step]).tolist(), strict=True)
        )


def test_sums_that_are_too_large_are_refused() -> None:
    found = Tally(Layout((Field(1),), after=1))
    found.add([np.zeros(2, dtype=np.int64)], after=[np.array([2**60, 2**60])])
    assert found.settled().sums.tolist() == [[2], [2**61]]
    with pytest.raises(stakes.InputError, match="fewer samples"):
        _ = found + found


@pytest.mark.parametrize("n", [1, 2, 40, 5000])
@pytest.mark.parametrize("width", [1, 4])
def test_sums_by_key_are_those_of_sorted_rows(
    n: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_sums, "_SLICE", 1700)
    rng = np.random.default_rng(n)
    keys = rng.choice([0, 1, 2**62, *rng.integers(2**62, size=60)], size=n)
    numbers = rng.integers(-(2**40), 2**40, size=(width, n))
    found, sums = group_sums.sum_by_key(keys, numbers)
    expected = {key: numbers[:, keys == key].sum(axis=1).tolist() for key in np.unique(keys)}
    assert found.tolist() == list(expected)
    assert sums.T.tolist() == list(expected.values())
    assert [part.tolist() for part in group_sums._sorted(keys, numbers)] == [
        found.tolist(),
        sums.tolist(),
    ]


DAMAGE: dict[str, Callable[[Any], Any]] = {
    "groups": lambda s: s._kept.grouped.tally.sums[0].__iadd__(1),
    "cells": lambda s: s._kept.cells.tally.sums[0].__imul__(0),
    "keys": lambda s: s._kept.grouped.tally.keys.__imul__(0),
    "slices": lambda s: s._slices._sums["site"]["a"].sums.counts.__iadd__(1),
    "scores of slices": lambda s: s._slices._sums["site"]["a"].cells.tally.sums[0].__iadd__(1),
    "hashes": lambda s: s._groups._least.__imul__(0),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_parts_are_refused(name: str) -> None:
    case = Case(told={"weighted": True, "grouped": True, **SITES})
    found = case.filled(made(200, 1))
    found.to_bytes()  # everything is settled
    DAMAGE[name](found)
    with pytest.raises(stakes.InputError, match="data must be bytes of a summary: they hold"):
        stakes.Summary.from_bytes(found.to_bytes())


def test_decisions_of_few_groups_vary_as_groups_do() -> None:
    rng = np.random.default_rng(1)
    effect = np.repeat(rng.normal(size=40), 50)
    y = (rng.random(2000) < 0.4).astype(np.int64)
    p = 1 / (1 + np.exp(-(2 * y - 1 + 2 * effect)))
    group = np.repeat(np.arange(40), 50)
    told = stakes.Summary(classes=[0, 1], grouped=True)
    told.update(y, p, groups=group)
    found = told.evaluate(calibrator=None)
    exact = stakes.evaluate(y, p, groups=group, calibrator=None)
    alone = stakes.evaluate(y, p, calibrator=None)
    name = "cost.f1_score"
    wide = [
        e.interval.high - e.interval.low  # type: ignore[union-attr]
        for e in (part.metrics()[name] for part in (found, exact, alone))
    ]
    assert wide[0] == pytest.approx(wide[1], rel=0.3)
    assert wide[0] > 1.5 * wide[2]


def demo(name: str, label: str, columns: list[str]) -> tuple[Any, Any]:
    """Return labels and scores of data that ship with the package."""
    text = (files("stakes") / "data" / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    values = np.array([[float(row[column]) for column in columns] for row in rows])
    return np.array([row[label] for row in rows]), values if len(columns) > 1 else values[:, 0]


@pytest.mark.parametrize("members", [{}, {"weighted": True}, {"grouped": True}])
@pytest.mark.parametrize(
    ("name", "label", "columns", "classes"),
    [
        ("breast", "diagnosis", ["p_malignant"], ["benign", "malignant"]),
        ("diabetes", "outcome", ["p_severe_a"], ["usual", "severe"]),
        ("digits", "digit", [f"p_{k}" for k in range(10)], [str(k) for k in range(10)]),
    ],
)
def test_the_demo_data_have_the_numbers_of_all_samples(
    name: str, label: str, columns: list[str], classes: list[str], members: dict[str, bool]
) -> None:
    y, scores = demo(name, label, columns)
    weights, groups = np.linspace(0.2, 2, y.size), np.arange(y.size) % 61
    batch: dict[str, Any] = {}
    batch |= {"sample_weight": weights} if "weighted" in members else {}
    batch |= {"groups": groups} if "grouped" in members else {}
    total = stakes.Summary(classes=classes, **members)
    typed = stakes.Posteriors(scores)
    for rows in np.array_split(np.arange(y.size), 5):
        some = {key: column[rows] for key, column in batch.items()}
        total.update(y[rows], typed.part(rows), **some)
    found = total.evaluate(**QUICK)
    exact = stakes.evaluate(y, typed, classes=classes, **batch, **QUICK)
    assert [v.code for v in found.verdicts] == [v.code for v in exact.verdicts]
    bounds = total.bounds()
    for metric, theirs in exact.metrics().items():
        value = found.metrics()[metric].value
        if metric in bounds:
            assert bounds[metric][0] - 1e-12 <= theirs.value <= bounds[metric][1] + 1e-12
        elif "calibration" not in metric:
            assert value == pytest.approx(theirs.value, rel=1e-12), metric


@pytest.mark.parametrize("members", [{"weighted": True}, {"grouped": True}])
def test_scores_beside_a_threshold_are_decided_as_they_are(members: dict[str, bool]) -> None:
    threshold = BINARY.threshold()
    steps = np.arange(-40, 40) * 1e-12
    p = np.concatenate([threshold + steps, [np.nextafter(threshold, 0), threshold, 0.0, 1.0]])
    y = np.arange(p.size) % 2
    y[-2:] = 0, 1
    batch: dict[str, Any] = {"sample_weight": np.linspace(1, 2, p.size)}
    if "grouped" in members:
        batch = {"groups": np.arange(p.size) % 9}
    total = stakes.Summary(classes=[0, 1], costs=BINARY, **members)
    total.update(y, p, **batch)
    found = total.evaluate(**QUICK).main
    exact = stakes.evaluate(y, p, costs=BINARY, **batch, **QUICK).main
    assert found.errors == exact.errors
    assert found.confusion.counts == pytest.approx(exact.confusion.counts, rel=1e-12)
    assert found.cost.value.value == pytest.approx(exact.cost.value.value, rel=1e-12)


def test_keys_that_cannot_be_numbered_begin_coarser() -> None:
    costs = stakes.CostsByCase([[0, "fee"], ["amount", 0]], classes=[0, 1])
    told: dict[str, Any] = {"costs": costs, "weighted": True, "grouped": True}
    data = made(900, 8)
    fee = np.round(np.linspace(1, 4, 900), 2)
    order = np.random.default_rng(0).permutation(900)
    found = []
    for rows in (np.arange(900), order):
        total = stakes.Summary(classes=[0, 1], **told)
        for part in np.array_split(rows, 4):
            some = data.part(part)
            columns = {"amount": some.amounts, "fee": fee[part]}
            total.update(
                some.y, some.scores, sample_weight=some.weights, groups=some.groups, columns=columns
            )
        found.append(total)
    assert found[0].to_bytes() == found[1].to_bytes()
    assert stakes.Summary.from_bytes(found[0].to_bytes()) == found[0]
    tally = found[0]._kept.sums.tallies[0]  # type: ignore[union-attr]
    assert tally.layout.n_keys(0) > 2**62 >= tally.layout.n_keys(tally.layout.first)
    assert tally.step == tally.layout.first > 0
    exact = stakes.evaluate(
        data.y, data.scores, costs=costs.with_columns({"amount": data.amounts, "fee": fee}),
        sample_weight=data.weights, groups=data.groups, **QUICK,
    )  # fmt: skip
    ours, theirs = found[0].evaluate(**QUICK).main.cost, exact.main.cost
    assert ours.value.value == pytest.approx(theirs.value.value, rel=1e-3)


def test_layouts_that_no_step_can_number_are_refused() -> None:
    with pytest.raises(stakes.InputError, match="cannot be numbered"):
        Layout((Field(2**40), Field(2**30, (0, 2))))
