"""Signals that ask a process to end: it leaves through all that is open, so outputs stay whole."""

import math
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EXIT_INTERRUPTED, EXIT_TERMINATED = 130, 143
_ENDS = {
    int(signal.SIGINT): ("interrupted.", EXIT_INTERRUPTED),
    int(signal.SIGTERM): ("terminated.", EXIT_TERMINATED),
}
_LEAVING = 2.0  # seconds; should an end be lost in another library, it is then asked for again
_last = [-math.inf]  # when a signal was last acted on
_ends: "list[Ended]" = []  # what it asked for
_other_hooks: "list[Callable[[sys.UnraisableHookArgs], object]]" = []


class Ended(BaseException):
    """The process was asked to end, by a signal."""

    def __init__(self, sign: int = signal.SIGINT) -> None:
        super().__init__(sign)
        self.sign = sign
        self.message, self.code = _ENDS[sign]


def raise_on_signals() -> None:
    """Turn signals into exceptions; those that the caller ignores stay ignored."""
    _last[0] = -math.inf
    _ends.clear()
    for sign in _ENDS:
        if signal.getsignal(sign) is not signal.SIG_IGN:
            signal.signal(sign, _leave)
    if sys.unraisablehook is not _dropped:
        _other_hooks.append(sys.unraisablehook)
        sys.unraisablehook = _dropped


def end_asked_for() -> Ended | None:
    """Return the end that a signal asked for, whatever other libraries made of the exception."""
    return _ends[-1] if _ends else None


def ignore_signals() -> None:
    """Let nothing come between the end that was asked for and what it has to clean up."""
    _ask_again_after(0)
    for sign in _ENDS:
        signal.signal(sign, signal.SIG_IGN)


def _dropped(unraisable: "sys.UnraisableHookArgs") -> None:
    """Ask again, at once and without a word, for an end that Python dropped.

    It drops exceptions that are raised in a callback, such as that of a weak reference.
    """
    if isinstance(unraisable.exc_value, Ended):
        _last[0] = -math.inf
        _ask_again_after(0.001)
    else:
        _other_hooks[-1](unraisable)


def _ask_again_after(seconds: float) -> None:
    """Have an alarm raise the end once more, where there are alarms; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _leave_by_alarm)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _leave_by_alarm(signum: int, frame: object) -> None:  # noqa: ARG001
    """End as the first signal asked."""
    end = end_asked_for()
    _leave(int(signal.SIGINT) if end is None else end.sign, frame)


def _leave(signum: int, frame: object) -> None:  # noqa: ARG001
    """End; a signal that comes soon after another must not break into what that one began."""
    now = time.monotonic()
    if now - _last[0] >= _LEAVING:
        _last[0] = now
        _ends.append(Ended(signum))
        _ask_again_after(1.1 * _LEAVING)
        raise _ends[-1]
