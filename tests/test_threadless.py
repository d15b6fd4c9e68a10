"""Where no thread can start, as in a browser, everything runs in the caller, to the same bits."""

import sys
import threading
from typing import Any

import numpy as np
import pytest

import stakes
from stakes._kernels.threads import available_threads

RNG = np.random.default_rng(3)
Y = (RNG.random(400) < 0.4).astype(int)
P, Q = (1 / (1 + np.exp(-RNG.normal(2 * Y - 1, spread))) for spread in (1.0, 2.0))
WEIGHTS = RNG.random(400) + 0.5


def results() -> list[dict[str, Any]]:
    costs = {"miss": 5, "false_alarm": 1}
    weighted = stakes.evaluate(Y, P, costs=costs, sample_weight=WEIGHTS)
    parts = {"half": np.where(np.arange(400) < 200, "first", "second")}
    grouped = stakes.evaluate(Y, P, groups=np.arange(400) // 4, slices=parts)
    three = stakes.evaluate(Y + (Q > P), np.stack([P, Q, 2 - P - Q], axis=1) / 2)
    compared = stakes.compare(Y, {"a": P, "b": Q})
    found: list[Any] = [weighted, grouped, three, compared]
    return [{**each.to_dict(), "page": each.to_html()} for each in found]


def test_a_browser_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setenv("STAKES_THREADS", "4")
    assert available_threads() == 1


def test_without_threads_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAKES_THREADS", "2")
    expected = results()

    def refuse(thread: threading.Thread) -> None:
        msg = f"can't start new thread {thread.name}"
        raise RuntimeError(msg)

    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert results() == expected
