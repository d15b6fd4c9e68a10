"""torch.distributed: real processes with uneven batches have the bytes of one process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stakes

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")

from torch_ranks import CASES, batches, listed, own  # noqa: E402  which needs torch

SCRIPT = Path(__file__).with_name("torch_ranks.py")


@pytest.fixture(scope="module")
def results(tmp_path_factory: Any) -> dict[int, list[dict[str, Any]]]:
    """Return what each of several processes found, by their number."""
    folder, source = tmp_path_factory.mktemp("ranks"), str(Path(stakes.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), str(folder)],
        env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        world: [json.loads((folder / f"{rank}of{world}.json").read_text()) for rank in range(world)]
        for world in (2, 4)
    }


def one_process(case: str, some: list[dict[str, Any]], **more: Any) -> Any:
    metric = stakes.torch.Metric(**CASES[case], **more)
    for batch in some:
        metric.update(**batch)
    return metric


@pytest.mark.parametrize("world", [2, 4])
@pytest.mark.parametrize("case", CASES)
def test_processes_have_the_bytes_of_one(
    results: dict[int, list[dict[str, Any]]], case: str, world: int
) -> None:
    ranks = results[world]
    whole = one_process(case, batches(case)[::-1])  # in another order
    want = listed(whole.compute())
    for found in ranks:
        assert bytes.fromhex(found[case]["total"]) == whole.summary.to_bytes()
        assert found[case]["value"] == want == found[case]["torchmetric"]
        assert found[case]["verdicts"] == [v.code for v in whole.evaluate().verdicts]
        assert "call unsync before update" in found[case]["refused"]
    pair = one_process(case, [b for rank in range(2) for b in own(rank, world, case)])
    for found in ranks[:2]:
        assert bytes.fromhex(found[case]["pair"]) == pair.summary.to_bytes()
    alone = one_process(case, own(0, world, case))
    assert all(found[case]["alone"] == listed(alone.compute()) for found in ranks)
