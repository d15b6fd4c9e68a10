"""Bytes of summaries: damage is refused with an error of the library, whatever was damaged."""

import hashlib
import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._check import ChecksumError, StakesError
from stakes.scoring import ScoringRule
from stakes.summary.form import MAGIC, VERSION

BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)
CHECK = 32  # bytes of the checksum
RULES = [stakes.LogLoss(), stakes.SphericalLoss(), stakes.ThresholdRange(0.1, 0.5)]


def two(**told: Any) -> stakes.Summary:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=40)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 2)))
    p[3], y[3], p[5], y[5] = 0.0, 1, 1.0, 1
    total = stakes.Summary(**{"classes": [0, 1], "costs": BINARY, "rules": RULES, **told})
    total.update(y, p)
    return total


def three(**told: Any) -> stakes.Summary:
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=12)
    costs = stakes.CostMatrix.zero_one(["a", "b", "c"])
    told = {"classes": ["a", "b", "c"], "scores": stakes.Logits, "costs": costs} | told
    total = stakes.Summary(**told)
    total.update(np.array(["a", "b", "c"])[y], np.round(rng.normal(size=(12, 3)), 1))
    return total


def uses() -> stakes.Summary:
    costs = {"x": stakes.Application(BINARY, [0.9, 0.1]), "y": BINARY.with_abstention(0.4)}
    rules = [stakes.BrierLoss(), stakes.BayesCost(BINARY)]
    return two(costs=costs, rules=rules, priors=[0.5, 0.5], training_priors=[0.3, 0.7])


MADE = {"two": two(), "three": three(), "uses": uses()}


def signed(body: bytes) -> bytes:
    """Return a body with the checksum that belongs to it."""
    return body + hashlib.sha256(body).digest()


def outcome(data: bytes, *, use: bool = True) -> str:
    """Read bytes and use what they give; only errors of the library may come."""
    try:
        found = stakes.Summary.from_bytes(data)
    except StakesError:
        return "refused"
    assert found.to_bytes() == data
    assert found.n >= 0
    try:
        _ = found + found, found.bounds()
        if use:
            found.evaluate()
    except StakesError:
        return "read, but not evaluated"
    return "read"


@pytest.mark.parametrize("name", ["two", "three"])
def test_no_changed_byte_is_read(name: str) -> None:
    data = MADE[name].to_bytes()
    assert outcome(data) == "read"
    for at in reversed(range(len(data))):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        with pytest.raises(ChecksumError if at > len(MAGIC) else stakes.InputError):
            stakes.Summary.from_bytes(bytes(changed))


@pytest.mark.parametrize("name", ["two", "three"])
def test_no_shortened_bytes_are_read(name: str) -> None:
    data = MADE[name].to_bytes()
    for size in (*range(99), *range(99, len(data), 3), len(data) - 1):
        with pytest.raises(stakes.InputError):
            stakes.Summary.from_bytes(data[:size])
    for size in range(len(MAGIC) + 1, len(data) - CHECK, 13):
        with pytest.raises(stakes.InputError):
            stakes.Summary.from_bytes(signed(data[:size]))
    with pytest.raises(stakes.InputError, match="what no summary writes"):
        stakes.Summary.from_bytes(signed(data[:-CHECK] + b"\x00"))
    with pytest.raises(stakes.InputError, match="more than it says"):
        stakes.Summary.from_bytes(signed(data[:-CHECK] + b"\x01\x00"))


def mutated(body: bytes, rng: np.random.Generator) -> bytes:
    """Return a body with one to three changes: bytes set, flipped, left out or put in."""
    out, kind = bytearray(body), rng.integers(4)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(MAGIC) + 1, len(out)))
        if kind == 0:
            out[at] = int(rng.integers(256))
        elif kind == 1:
            out[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            del out[at : at + int(rng.integers(1, 9))]
        else:
            out[at:at] = rng.bytes(int(rng.integers(1, 5)))
    return bytes(out)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.filterwarnings("error")
def test_changes_under_a_right_checksum_are_refused_or_harmless(name: str) -> None:
    body, rng = MADE[name].to_bytes()[:-CHECK], np.random.default_rng(7)
    outcomes = [outcome(signed(mutated(body, rng)), use=i % 8 == 0) for i in range(120)]
    assert outcomes.count("refused") > 60


def changed(summary: stakes.Summary, **told: Any) -> bytes:
    """Return the bytes of a summary with another description."""
    body = summary.to_bytes()[len(MAGIC) + 1 : -CHECK]
    size, used = _number(body)
    head = json.loads(body[used : used + size])
    text = json.dumps(head | told, sort_keys=True, separators=(",", ":")).encode()
    start = MAGIC + bytes([VERSION]) + bytes([len(text) % 128 | 128, len(text) // 128])
    return signed(start + text + body[used + size :])


def _number(data: bytes) -> tuple[int, int]:
    """Return a number that is written seven bits to a byte, and how many bytes it takes."""
    size = next(i for i, byte in enumerate(data) if byte < 128) + 1
    return sum((byte & 127) << (7 * i) for i, byte in enumerate(data[:size])), size


ODD: dict[str, Any] = {
    "classes": [None, 3, "ab", [], [0], [0, 0], [[0], [1]], {"0": 1}, [0.5, 1], [0, "a"], [1e400]],
    "scores": [None, "Scores", "PosteriorScores", "Answers", "np", ["Logits"], "Logits", 3],
    "applications": [None, [], {}, {"a": None}, {"a": {}}, {"a": {"costs": 1, "decisions": 2}}],
    "priors": ["x", [1], [2, 3], [0.5, None], {"0": 1}, True, [float("nan"), 1], "data"],
    "training_priors": ["data", [0, 1], [1, 2, 3], 7, [0.5, 0.5]],
    "rules": [None, [], [{}], [{"rule": "X"}], [{"rule": "ThresholdRange"}], [3], {"rule": 1}],
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("key", ODD)
def test_a_description_that_none_can_have_is_refused(name: str, key: str) -> None:
    assert changed(MADE[name]) == MADE[name].to_bytes()
    for value in ODD[key]:
        outcome(changed(MADE[name], **{key: value}))
    head = {"applications": {"a": {"decisions": ["a"], "costs": {"error": [1]}, "priors": None}}}
    assert outcome(changed(MADE[name], **head)) == "refused"


def test_a_small_input_asks_for_little_memory() -> None:
    body = two().to_bytes()[: len(MAGIC) + 1]
    huge = [b"\xff" * 8 + b"\x7f", b"\xff\xff\xff\x7f", b"\x02[]", b"\x02{}", b"\x04null"]
    tracemalloc.start()
    try:
        for part in huge:
            assert outcome(signed(body + part)) == "refused"
        deep = b"[" * 100_000
        assert outcome(signed(body + b"\xa0\x8d\x06" + deep)) == "refused"
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@given(data=st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_other_bytes_are_read(data: bytes) -> None:
    assert outcome(data) == "refused"
    assert outcome(signed(MAGIC + bytes([VERSION]) + data)) == "refused"


def test_another_version_is_named() -> None:
    body = bytearray(two().to_bytes()[:-CHECK])
    body[len(MAGIC)] = 9
    with pytest.raises(stakes.InputError, match=r"version 4 .* got version 9"):
        stakes.Summary.from_bytes(signed(bytes(body)))


@pytest.mark.parametrize("data", [None, "text", 3, [1, 2], np.zeros(3)])
def test_what_is_not_bytes_is_named(data: Any) -> None:
    with pytest.raises(stakes.InputError, match=f"bytes of a summary: got {type(data).__name__}"):
        stakes.Summary.from_bytes(data)


def test_any_form_of_bytes_is_read() -> None:
    data = two().to_bytes()
    assert stakes.Summary.from_bytes(bytearray(data)) == two()
    assert stakes.Summary.from_bytes(memoryview(data)) == two()


class Halved(ScoringRule):
    """A rule of one's own."""

    name = "halved"

    def losses(self, y: Any, answers: Any) -> Any:
        return (1 - answers.p[np.arange(y.size), y]) / 2


@pytest.mark.parametrize("make", [two, three])
def test_a_rule_of_ones_own_has_to_be_passed_again(make: Any) -> None:
    whole = make(rules=[stakes.LogLoss(), Halved()])
    data = whole.to_bytes()
    with pytest.raises(stakes.InputError, match=r"rules=\[Halved\(\)\] to from_bytes"):
        stakes.Summary.from_bytes(data)
    with pytest.raises(stakes.InputError, match="list of scoring rules"):
        stakes.Summary.from_bytes(data, rules=Halved())
    again = stakes.Summary.from_bytes(data, rules=[Halved()])
    assert again == whole
    values = [s.evaluate().rules[1].raw.value for s in (whole, again)]
    assert values[0] == values[1] > 0


def pairs() -> Iterator[tuple[str, stakes.Summary, stakes.Summary]]:
    """Yield what differs, and two summaries that differ in it."""
    yield "classes", two(), two(classes=[1, 0], costs=None)
    yield "scores", two(), stakes.Summary(classes=[0, 1], costs=BINARY, scores=stakes.Logits)
    yield "applications", two(), two(costs=stakes.CostMatrix.binary(miss=6, false_alarm=1))
    yield "priors", two(), two(priors=[0.9, 0.1], training_priors="deployment")
    yield "training_priors", two(priors=[0.9, 0.1], training_priors="deployment"), uses()
    yield "rules", two(), two(rules=RULES[:2])
    yield "classes", two(), three()


@pytest.mark.parametrize(("what", "one", "other"), list(pairs()))
def test_summaries_told_different_things_are_not_added(what: Any, one: Any, other: Any) -> None:
    read = stakes.Summary.from_bytes(other.to_bytes())
    assert one != read
    with pytest.raises(
        stakes.InputError, match=rf"the same arguments .* differ in .*'{what}'.* against"
    ):
        _ = one + read


def test_summaries_of_another_form_of_scores_are_not_added() -> None:
    one, other = two(), stakes.Summary(classes=[0, 1], costs=BINARY, rules=RULES)
    other.update([0, 1], [[0.5, 0.5], [0.2, 0.8]])
    with pytest.raises(stakes.InputError, match="probabilities, these are log odds"):
        _ = one + other


def test_scores_out_of_their_cells_are_refused() -> None:
    total = stakes.Summary(classes=2)
    total.update([0, 1, 1], [0.2, 0.4, 0.4])
    state: Any = total._kept
    cells = state.cells.cells
    used = int(np.flatnonzero(cells.count.any(axis=0))[0])
    cells._tally[used, 2] += 2**50
    with pytest.raises(stakes.InputError, match="not of their cells"):
        stakes.Summary.from_bytes(total.to_bytes())


DAMAGE: dict[str, Callable[[Any], None]] = {
    "counts": lambda state: state.counts.__iadd__([1, 0, 0]),
    "bins": lambda state: state.bins.tally.settled().sums[0].__iadd__(1),
    "confidences": lambda state: state.bins.tally.settled().sums[-1].__iadd__(2**40),
    "infinite losses": lambda state: state.sums.powers[0].infinite.__iadd__(100),
    "copies": lambda state: state.rows.copies.__iadd__(1),
    "no copies": lambda state: state.rows.copies.__imul__(0),
    "full": lambda state: state.rows.full.__ior__(True),
    "NaN": lambda state: state.rows.values.__imul__(np.nan),
    "infinite": lambda state: state.rows.values.__iadd__(np.inf),
    "order": lambda state: state.rows.values.__iadd__(0.25),
    "decisions": lambda state: state.sums.tallies[0].settled().sums.__iadd__(1),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_parts_that_are_not_of_the_same_samples_are_refused(name: str) -> None:
    total = three()
    state: Any = total._kept
    state.rows.settled()
    DAMAGE[name](state)
    with pytest.raises(stakes.InputError, match="data must be bytes of a summary: they hold"):
        stakes.Summary.from_bytes(total.to_bytes())


def test_applications_keep_their_order() -> None:
    """The first application is the main one, also after bytes; other orders are other requests."""
    costs = {
        name: stakes.CostMatrix.binary(miss=miss, false_alarm=1)
        for name, miss in (("z", 9), ("a", 2))
    }
    y, p = [0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.3, 0.9]
    made = stakes.Summary(classes=2, costs=costs)
    made.update(y, p)
    again = stakes.Summary.from_bytes(made.to_bytes())
    assert [use.name for use in again.evaluate(calibrator=None).applications] == ["z", "a"]
    turned = stakes.Summary(classes=2, costs=dict(reversed(costs.items())))
    with pytest.raises(stakes.InputError, match="applications"):
        _ = made + turned
