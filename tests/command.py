"""The command line as a call or as a process, and small tables to run it on."""

import contextlib
import csv
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import stakes
from stakes.cli import main

STAKES = (sys.executable, "-m", "stakes")
TABLE = """\
id,truth,decision,weight
1,healthy,healthy,1
2,healthy,tumour,1
3,tumour,tumour,2
4,tumour,healthy,4
5,healthy,healthy,1
"""
DECIDED = ("--label", "truth", "--decision", "decision")
SCORES = ("--scores", "p_calm,p_alarm", "--scores-are", "posteriors")
SCORED = ("scores.csv", "--label", "y", *SCORES)
QUICK = (*SCORED, "--calibrator", "none")


def environment(**extra: str) -> dict[str, str]:
    """Return an environment without colour, 80 columns wide, with one thread."""
    return {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1", **extra}


def call(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run stakes within this process, which is much quicker than starting one."""
    out, err = io.StringIO(), io.StringIO()
    kept = {sign: signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)}
    words = list(map(str, arguments))
    quiet = mock.patch.dict(os.environ, COLUMNS="80", NO_COLOR="1")
    place = contextlib.nullcontext() if cwd is None else contextlib.chdir(cwd)
    with quiet, place, redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            for sign, handler in kept.items():
                signal.signal(sign, handler)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    **options: Any,  # noqa: ANN401
) -> subprocess.CompletedProcess[str]:
    """Run stakes as a process of its own: for signals, limits, environments and streams."""
    return subprocess.run(
        [*STAKES, *map(str, arguments)],
        capture_output=options.pop("capture_output", True),
        text=True,
        check=False,
        cwd=cwd,
        env=environment() if env is None else env,
        timeout=300,
        **options,
    )


def wait_for_work(process: subprocess.Popen[str], seconds: float = 1.2) -> None:
    """Wait until a process has used so much processor time that its work has begun.

    Unlike time on the clock, this does not depend on what else the machine does.
    """
    stat, ticks = Path(f"/proc/{process.pid}/stat"), os.sysconf("SC_CLK_TCK")
    used, until = 0.0, time.monotonic() + 60
    while used < seconds and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
        if not Path("/proc/self/stat").exists():  # another system: wait by the clock
            time.sleep(4)
            break
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = stat.read_text().rpartition(")")[2].split()
            used = (int(fields[11]) + int(fields[12])) / ticks
    assert process.poll() is None, "the command ended before it was interrupted"


def shell(command: str, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `stakes` is the command line."""
    line = command.replace("stakes ", f"{' '.join(STAKES)} ", 1)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment(**extra),
        timeout=300,
    )


def answer_rows(n: int = 200, models: tuple[str, ...] = ("bold", "humble")) -> list[dict[str, str]]:
    """Return simulated answers of models to the same questions; the second abstains where unsure."""
    rng = np.random.default_rng(3)
    known = rng.beta(2, 1, n)
    rows = []
    for place, model in enumerate(models):
        right, sure = rng.random(n) < known, np.clip(known**0.6, 0, 1).round(2)
        idk = (known < 0.65) & (rng.random(n) < 0.98) if place else np.zeros(n, dtype=bool)
        outcome = np.where(idk, "abstained", np.where(right, "right", "wrong"))
        rows += [
            {
                "id": f"q{i:03d}",
                "model": model,
                "ok": "" if idk[i] else str(bool(right[i])).lower(),
                "sure": "" if idk[i] else str(sure[i]),
                "idk": str(int(idk[i])),
                "outcome": str(outcome[i]),
                "topic": ("law", "sport")[i % 2],
                "weight": str(1 + i % 3),
            }
            for i in range(n)
        ]
    return rows


def write_answers(path: Path, rows: list[dict[str, str]] | None = None) -> Path:
    """Write rows about answers as CSV."""
    rows = answer_rows() if rows is None else rows
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_scores(path: Path, n: int = 300) -> Path:
    """Write a table of scores of two classes, with ids, a text and groups."""
    data = stakes.simulation.simulate(2, n=n)
    p = np.exp(data.posteriors([0.1, 0.9]).values)
    names = ("calm", "alarm")
    lines = ["id,note,y,p_calm,p_alarm,ward,price"]
    lines += [
        f'{i:03d},"a, b",{names[y]},{float(p[i, 0])!r},{float(p[i, 1])!r},w{i % 7},{1 + i % 5}'
        for i, y in enumerate(data.y)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path
