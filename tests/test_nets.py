"""What the library says apart from intervals is what it said: see `tests/nets.py`.

A difference is wanted, and then `python tests/nets.py --write NAME` freezes it and the fragment in
`changelog.d` explains it; or it is a defect.
"""

import sys
from collections.abc import Callable
from typing import Any

import pytest

import nets
from net_form import Parts, as_text, changes, differing, read, sentence
from stakes import _quantiles

SHOWN = 12
QUANTILES = ("normal", "student")
WIDENED = ["two_classes", "groups_three_classes", "compare_two", "answers_compared", "decisions"]


def frozen(part: str, name: str) -> Any:  # noqa: ANN401  a document
    path = nets.place(part, name)
    assert path.exists(), f"write it: python tests/nets.py --write {name}"
    return read(path.read_text("utf-8"))


def differences(name: str) -> dict[str, list[str]]:
    """Return what is different today, by part."""
    return {
        part: changes(frozen(part, name), read(as_text(document)))
        for part, document in nets.made(name).items()
    }


@pytest.mark.parametrize("name", nets.names())
def test_nets(name: str) -> None:
    found = [f"{part}: {line}" for part, lines in differences(name).items() for line in lines]
    shown = "\n".join(found[:SHOWN])
    write = f"python tests/nets.py --write {name}"
    assert not found, f"{len(found)} differences. Explain them and {write}, or fix them.\n{shown}"


def test_no_net_is_left_over() -> None:
    assert {path.stem for path in nets.FOLDER.glob("*/*.json")} == set(nets.names())


def widen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every interval wider, and every p-value larger."""

    def wider(quantile: Callable[..., float]) -> Callable[..., float]:
        if quantile is _quantiles.outside:
            return lambda radius, degrees: quantile(radius / 1.4, degrees)
        return lambda *given: 1.4 * quantile(*given)

    for name in (*QUANTILES, "outside"):
        right: Callable[..., float] = getattr(_quantiles, name)
        users = [
            m for n, m in sys.modules.items() if n.startswith("stakes.") and m is not _quantiles
        ]
        for module in users:
            if getattr(module, name, None) is right:
                monkeypatch.setattr(module, name, wider(right))


@pytest.mark.parametrize("name", [*WIDENED, "commands"])
def test_no_value_follows_from_an_interval(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    widen(monkeypatch)
    assert differences(name)["values"] == []


def test_verdicts_follow_from_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    widen(monkeypatch)
    assert any(differences(name)["verdicts"] for name in ("slices", "decisions"))


def test_what_agreed_may_not_differ_later() -> None:
    values = dict.fromkeys(frozen("values", "two_classes")["values"], 0)
    key = "applications[cost].expected_cost.value"
    now: nets.Document = {"values": values, "differs": {key: "merged"}}
    assert nets.grown("two_classes", {"values": now}) == [f"two_classes, values: {key}"]
    assert nets.grown("two_classes", {"values": {"values": values, "differs": {}}}) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("NEC 1.08 (0.69 to 1.65), naive 1", "NEC 1.08, naive 1"),
        ("(NEC 1.08, 95 % interval 0.69 to 1.65)", "(NEC 1.08, 95 % interval … to …)"),
        ("is −0.47 (95 % interval −∞ to 1e-05)", "is −0.47 (95 % interval … to …)"),
        ("from 1.03 to 0.26 (0.14 to 0.47) of it (p < 0.001)", "from 1.03 to 0.26 of it (p …)"),
        ("fewer than 30, uncertain by 30 %", "fewer than 30, uncertain by 30 %"),
    ],
)
def test_sentences_lose_the_numbers_of_intervals_alone(text: str, kept: str) -> None:
    assert sentence(text) == kept


def test_the_parts_of_a_result() -> None:
    estimate = {"value": 0.1234567890123456, "interval": [0, 1], "method": "likelihood"}
    missing = {"value": None, "interval": None, "method": "one class"}
    found = Parts()
    found.add("", {"auc": estimate, "eer": missing, "p_value": 1, "distinguishable": True})
    assert found.values == {"auc": 0.123456789012, "eer": None, "eer.reason": "one class"}
    assert found.verdicts == {"distinguishable": True}


def test_the_same_to_twelve_digits() -> None:
    assert (
        differing({"a": 1 / 3, "b": [1, "x"]}, {"a": 0.333333333333, "b": [1 + 1e-13, "x"]}) == []
    )
    assert differing({"a": 1.0, "b": 1}, {"a": 1 + 1e-9, "c": 1}) == ["a", "b", "c"]
