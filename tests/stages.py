"""Draws in stages: more are drawn only where the first ones leave a doubt."""

from collections.abc import Iterator
from itertools import islice


def assert_seldom(events: Iterator[bool], *stages: tuple[int, int]) -> None:
    """Assert that what is drawn happens seldom.

    Each stage is a number of draws and the most of them, counted from the first draw, in which it
    may happen. A stage that holds ends the test, and one that does not leads to the next. So a rate
    that is right is shown by few draws, and one that is wrong must pass by chance as before.
    """
    drawn = happened = 0
    for draws, most in stages:
        happened += sum(islice(events, draws - drawn))
        drawn = draws
        if happened <= most:
            return
    raise AssertionError(f"happened in {happened} of {drawn} draws")
