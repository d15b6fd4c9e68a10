"""How hypothesis runs: the same examples every time, so that a failure can be repeated."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=60,  # `make thorough` takes many more
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", deadline=None, max_examples=5000)
settings.load_profile("default")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # so that commands can be interrupted

# A script, run with torch by test_torch_distributed; a scorer, imported where inspect is.
collect_ignore = ["torch_ranks.py", "inspect_scorers.py"]


# Processes that end with this one: Python's own, and the Java that Spark keeps for a next session.
ENDING = ("multiprocessing.resource_tracker", "org.apache.spark.deploy.SparkSubmit")


def children() -> dict[int, str]:
    """Return the processes that this one started and that still run, where the system tells."""
    found = {}
    for file in Path("/proc/self/task").glob("*/children"):
        for number in file.read_text().split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                line = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                if line and not any(name in line for name in ENDING):
                    found[int(number)] = line
    return found


@pytest.fixture(scope="session", autouse=True)
def no_process_stays_behind() -> Iterator[None]:
    """Fail where a test left a process that still runs."""
    before = children()
    yield
    left = {number: line for number, line in children().items() if number not in before}
    assert left == {}, f"tests left processes behind: {left}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return Chromium, for tests of the page."""
    from browser import launched  # noqa: PLC0415  needs playwright

    yield from launched()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="fail where a test was skipped")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail an environment that lacks what its tests need, instead of passing without them."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--no-skips") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
