"""Progress of long work: shown on a terminal, after a while, and wiped off at the end."""

import io
import sys
from typing import Self

import pytest

from stakes.cli import messages


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def __enter__(self) -> Self:
        self.before, sys.stderr = sys.stderr, self
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr = self.before

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("stakes.cli.messages.time.monotonic", lambda: now[0])
    return now


def test_a_share_is_shown_after_a_while_and_wiped_off(clock: list[float]) -> None:
    with Terminal() as terminal, messages.progress_bar("drawing") as show:
        assert show is not None
        show(1, 4)  # too early
        clock[0] += 0.6
        show(2, 4)
        assert terminal.getvalue() == "\rdrawing  50 % "
        clock[0] += 0.05
        show(3, 4)  # too soon after the one before
        clock[0] += 0.1
        show(7, None)
    assert terminal.getvalue() == "\rdrawing  50 % \rdrawing 7     \r" + " " * 14 + "\r"


def test_rows_are_shown_with_their_rate(clock: list[float]) -> None:
    with Terminal() as terminal, messages.row_progress(8_000_000, before=2_000_000) as show:
        clock[0] += 2
        show(3_000_000)
    text = terminal.getvalue().split("\r")[1]
    assert text == "reading  62 %, 5,000,000 rows, 1.5 million rows/s "


def test_rows_of_an_unknown_number(clock: list[float]) -> None:
    with Terminal() as terminal, messages.row_progress(None) as show:
        clock[0] += 2
        show(1_000_000)
    assert "reading 1,000,000 rows, 0.5 million" in terminal.getvalue()


def test_nothing_is_written_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    with messages.progress_bar() as show:
        assert show is None
    with messages.row_progress(10) as tell:
        clock[0] += 9
        tell(5)
    monkeypatch.setattr(sys, "stderr", None)
    with messages.row_progress(10) as tell:
        clock[0] += 9
        tell(5)
    assert out.getvalue() == ""


def test_short_work_shows_nothing(clock: list[float]) -> None:
    with Terminal() as terminal, messages.row_progress(10) as show:
        clock[0] += 0.4
        show(5)
    assert terminal.getvalue() == ""
