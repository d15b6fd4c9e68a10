"""Processes that torch.distributed joins, 2 and then 4 of them: `python torch_ranks.py FOLDER`.

Each adds its own part of the batches, which is uneven and for the last process empty, and writes
what it found: bytes of summaries, values, errors.
"""

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import torch
from torch import distributed

import stakes

CASES: dict[str, dict[str, Any]] = {
    "two": {
        "measure": ["cost.nec", "auc"],
        "kind": stakes.Logits,
        "costs": stakes.CostMatrix.binary(miss=5, false_alarm=1),
        "priors": [0.8, 0.2],
        "training_priors": "deployment",
    },
    "weighted groups": {
        "measure": "cross_entropy.normalized",
        "classes": 2,
        "weighted": True,
        "grouped": True,
        "slices": ["site"],
    },
    "three, some left out": {
        "measure": "cost.calibration_loss",
        "classes": 3,
        "kind": stakes.Logits,
        "ignore_index": -100,
    },
}


def batches(case: str) -> list[dict[str, Any]]:
    """Return all batches, of uneven sizes."""
    generator = torch.Generator().manual_seed(len(case))
    classes, out = (3 if "three" in case else 2), []
    for size in (5, 64, 1, 33, 17, 80, 3):
        y = torch.randint(0, classes, (size,), generator=generator)
        y[:2] = torch.arange(2)[:size]
        z = torch.randn(size, classes, generator=generator)
        z += 2 * torch.nn.functional.one_hot(y, classes)
        more: dict[str, Any] = {}
        if "weighted" in case:
            more["sample_weight"] = torch.rand(size, generator=generator)
            more["groups"] = torch.randint(0, 20, (size,), generator=generator)
            more["slices"] = {"site": torch.randint(0, 3, (size,), generator=generator)}
            z = torch.softmax(z.double(), 1)[:, 1]
        if "left out" in case:
            y[-1] = -100
        out.append({"preds": z, "target": y, **more})
    return out


def own(rank: int, world: int, case: str) -> list[dict[str, Any]]:
    """Return the batches of a process; the last one has none."""
    return batches(case)[rank :: world - 1] if rank < world - 1 else []


def listed(value: Any) -> Any:  # noqa: ANN401
    return {k: float(v) for k, v in value.items()} if isinstance(value, dict) else float(value)


def found(case: str, rank: int, world: int, pair: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what this process has of a case."""
    metric = stakes.torch.Metric(**CASES[case])
    for batch in own(rank, world, case):
        metric.update(**batch)
    before = metric.summary.to_bytes()
    value = listed(metric.compute())
    assert metric.summary.to_bytes() == before  # nothing of others stays
    metric.sync()
    total, refused = metric.summary.to_bytes().hex(), ""
    try:
        metric.update(**batches(case)[0])
    except stakes.InputError as error:
        refused = str(error)
    metric.unsync()
    adapter = metric.as_torchmetric()
    adapter._update_count = 1
    out = {
        "value": value,
        "total": total,
        "refused": refused,
        "torchmetric": listed(adapter.compute()),
    }
    if rank < 2:
        metric.sync(pair)
        out["pair"] = metric.summary.to_bytes().hex()
        metric.unsync()
    out["verdicts"] = [v.code for v in metric.evaluate().verdicts]
    alone = stakes.torch.Metric(**CASES[case], sync_on_compute=False)
    for batch in own(0, world, case):
        alone.update(**batch)
    out["alone"] = listed(alone.compute())
    return out


def joined(rank: int, world: int, folder: Path) -> None:
    """Join the others, and write what was found."""
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/store{world}", rank=rank, world_size=world
    )
    pair = distributed.new_group([0, 1])
    result = {case: found(case, rank, world, pair) for case in CASES}
    (folder / f"{rank}of{world}.json").write_text(json.dumps(result))
    distributed.destroy_process_group()


def started(rank: int, world: int, folder: Path) -> int:
    """Start a process, which has loaded everything by then."""
    number = os.fork()
    if number:
        return number
    try:
        joined(rank, world, folder)
        os._exit(0)
    except BaseException:  # noqa: BLE001  whatever it is, it is shown
        traceback.print_exc()
        os._exit(1)


def main(folder: Path) -> None:
    """Run all processes, and fail where one did."""
    stakes.torch.Metric(classes=2).as_torchmetric()  # so that everything is loaded once
    for world in (2, 4):
        numbers = [started(rank, world, folder) for rank in range(world)]
        codes = [os.waitpid(number, 0)[1] for number in numbers]
        if any(codes):
            sys.exit(f"processes ended with {codes}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
