"""The peers: whether each can be imported, which version, and what was fixed to run it."""

import importlib
import importlib.metadata
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Peer:
    """A library that does some of the same jobs."""

    name: str
    modules: tuple[str, ...]
    distributions: tuple[str, ...]
    fix: Callable[[], str] | None = None  # returns what was changed at run time


@dataclass(frozen=True)
class Presence:
    """Whether a peer is here, or why not."""

    versions: dict[str, str]
    fixed: str = ""
    missing: str = ""


def _single_torch_thread() -> str:
    """Keep torch to one thread."""
    load("torch").set_num_threads(1)
    return ""


def _author() -> str:
    """Let the author's code run with today's scikit-learn, whose private check returns more."""
    _single_torch_thread()
    module: Any = load("expected_cost.ec")
    check = module._check_targets
    if len(check([0, 1], [0, 1])) == 3:
        return ""

    def shortened(targets: Any, decisions: Any) -> tuple[Any, ...]:  # noqa: ANN401
        kind, *rest = check(targets, decisions)
        columns = rest[1:3] if len(rest) == 4 else rest[:2]  # with the labels first, or without
        return (kind, *columns)

    module._check_targets = shortened
    return "expected_cost.ec unpacks 3 values of a private function that now returns more"


PEERS = {
    peer.name: peer
    for peer in (
        Peer("numpy", ("numpy",), ("numpy",)),
        Peer("scikit-learn", ("sklearn.metrics",), ("scikit-learn",)),
        Peer("scipy", ("scipy.stats",), ("scipy",)),
        Peer(
            "torchmetrics",
            ("torch", "torchmetrics.functional.classification"),
            ("torchmetrics", "torch"),
            _single_torch_thread,
        ),
        Peer("netcal", ("netcal.metrics", "netcal.scaling"), ("netcal",), _single_torch_thread),
        Peer(
            "author",
            (
                "expected_cost.ec",
                "expected_cost.psrcal_wrappers",
                "expected_cost.calibration",
                "psrcal.calibration",
            ),
            ("expected_cost", "psrcal"),
            _author,
        ),
        Peer("confidence-intervals", ("confidence_intervals",), ("confidence-intervals",)),
    )
}


def load(module: str) -> ModuleType:
    """Import a module of a peer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


@cache
def presence(name: str) -> Presence:
    """Import a peer, or state why it cannot be imported."""
    peer = PEERS[name]
    versions = {}
    try:
        for module in peer.modules:
            load(module)
        for distribution in peer.distributions:
            versions[distribution] = importlib.metadata.version(distribution)
        fixed = peer.fix() if peer.fix else ""
    except Exception as error:  # noqa: BLE001  any failure is reported
        return Presence(versions, missing=f"{type(error).__name__}: {error}")
    return Presence(versions, fixed)
