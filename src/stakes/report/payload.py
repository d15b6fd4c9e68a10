"""What a page embeds, in the form of frontend/src/types.ts: packed numbers, names of metrics."""

import base64
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from stakes._text import plain
from stakes._typing import FloatArray, Names
from stakes.costs import CostMatrix
from stakes.evaluation import Comparison, DecisionEvaluation
from stakes.evaluation.case_sketch import CaseSketch
from stakes.evaluation.sketch import (
    BY_CASE,
    MOST_CLASSES,
    TOO_MANY,
    LeastCost,
    LevelSketch,
    RowSketch,
    Sketch,
    SketchedApplication,
)
from stakes.results import Estimate, ExpectedLoss, Interval, json_number

_VERSION = 1
_TYPES = {"f8": "f64", "f4": "f32", "u4": "u32", "u2": "u16", "u1": "u8"}
_MOST_DIFFERENCES = 400
_MOST_RANGES = 200
_MOST_LETTERS = 20_000  # of the names of classes, all together
_WEIGHTED = "the samples are weighted"
_GROUPED = "the samples are grouped"
_LAST = {  # parts of the names of numbers, in words
    "value": "mean",
    "nec": "normalised",
    "normalized": "normalised",
    "calibrated_nec": "normalised, calibrated",
    "calibrated_normalized": "normalised, calibrated",
    "minimum_nec": "normalised, minimum over thresholds",
    "calibration_loss": "calibration loss, normalised",
    "relative": "share recovered by calibration",
    "abstention_rate": "share left undecided",
}
_WORDS = {
    "auc": "AUC",
    "brier": "Brier",
    "cllr": "Cllr",
    "eer": "EER",
    "f1": "F1",
    "matthews": "Matthews",
    "nec": "normalised cost",
}


ShownCost: TypeAlias = tuple[Estimate | None, Interval | None]  # normalised; interval of the cost


def payload(
    kind: str,
    sketch: Sketch | None,
    level: float,
    shown: Mapping[str, Sequence[ShownCost]] | None = None,
) -> dict[str, Any]:
    """Return what the live part of a page works with.

    `shown` has the normalised costs of each application as the report shows them, one for each
    system: at the report's own costs and priors the page shows these.
    """
    body: dict[str, Any] = {
        "version": _VERSION,
        "kind": kind,
        "level": level,
        "quantile": NormalDist().inv_cdf((1 + level) / 2),
        "differences": [],
        "odds": [],
        "classes": [],
        "names": None,
        "counts": [],
        "dataPriors": [],
        "oddsPriors": [],
        "noInterval": "",
        "scores": "posteriors",
        "form": "posterior",
        "applications": [],
        "live": None,
        "whyNotLive": "the scores were not kept",
        "cases": None,
    }
    if sketch is None:
        return body
    weighted = _WEIGHTED if sketch.weighted else ""
    return {
        **body,
        **_named(sketch.classes),
        "counts": sketch.counts.tolist(),
        "dataPriors": sketch.priors.tolist(),
        "oddsPriors": sketch.used.tolist(),
        "noInterval": _GROUPED if sketch.grouped else weighted,
        "scores": sketch.scores,
        "form": sketch.form,
        "applications": [
            _application(a.name, a.costs, a, a.normalized, a.least)
            | {"own": _own(a, (shown or {}).get(a.name))}
            for a in sketch.applications
        ],
        "live": None if sketch.why_not else _live(sketch),
        "whyNotLive": sketch.why_not,
        "cases": sketch.cases
        and _cases(sketch.cases, shown or {}) | {"noInterval": _GROUPED if sketch.grouped else ""},
    }


def _named(classes: Names) -> dict[str, Any]:
    """Return classes as shown, and as the command line knows them unless that fills the page."""
    names = [str(c) for c in classes]
    fits = sum(map(len, names)) <= _MOST_LETTERS
    return {"classes": [plain(c) for c in classes], "names": names if fits else None}


def _application(
    name: str,
    costs: CostMatrix,
    used: SketchedApplication | ExpectedLoss,
    necs: Sequence[float],
    least: Sequence[LeastCost | None],
) -> dict[str, Any]:
    """Return an application, with the least cost of any threshold, as a grid tells it nearly."""
    return {
        "name": plain(name),
        "costs": costs.values.tolist(),
        "decisions": [plain(d) for d in costs.decisions],
        "priors": used.priors.tolist(),
        "fromData": used.priors_from_data,
        "necs": [json_number(nec) for nec in necs],
        "own": [None] * len(necs),
        "least": [
            x and {"cost": json_number(x.value), "logOdds": json_number(x.log_odds)} for x in least
        ],
    }


def _own(
    a: SketchedApplication | CaseSketch, shown: Sequence[ShownCost] | None
) -> list[dict[str, Any] | None]:
    """Return what was found for each system; without `shown` the page makes the intervals."""
    found: list[dict[str, Any] | None] = []
    for i, (expected, normalized) in enumerate(zip(a.expected, a.normalized, strict=True)):
        estimate, cost_band = shown[i] if shown and i < len(shown) else (None, None)
        nec = normalized if estimate is None else float(estimate.value)
        if not (math.isfinite(nec) and math.isfinite(expected)):
            found.append(None)
            continue
        # where a summary kept some rows, the shown cost is that of all samples
        own = {"counts": _counts(a.counts[i]), "expected": expected, "normalized": nec}
        if estimate is not None and nec != normalized and normalized > 0:
            own["expected"] = nec * (expected / normalized)
        if estimate is not None:
            band = estimate.interval
            own["interval"] = band and [json_number(end) for end in band]
            own["costInterval"] = band and cost_band and [json_number(end) for end in cost_band]
        found.append(own)
    return found


def _cases(cases: CaseSketch, shown: Mapping[str, Sequence[ShownCost]]) -> dict[str, Any]:
    """Return cases with their costs; log odds are short where not all cases are kept."""
    depth = np.float64 if cases.exact else np.float32
    return {
        "name": plain(cases.name),
        "decisions": [plain(d) for d in cases.decisions],
        "priors": cases.priors.tolist(),
        "fromData": cases.priors_from_data,
        "total": cases.total,
        "cells": [
            [c if isinstance(c, float) else {"amounts": c} for c in row] for row in cases.cells
        ],
        "labels": packed(cases.y.astype(np.uint8)),
        "weights": None if cases.weights is None else packed(cases.weights),
        "amounts": [packed(amounts) for amounts in cases.amounts],
        "systems": [
            {
                "name": plain(s.name),
                "reference": None if s.reference is None else s.reference.tolist(),
                "auc": json_number(s.auc),
                "logOdds": packed(s.log_odds.astype(depth)),
            }
            for s in cases.systems
        ],
        "own": _own(cases, shown.get(cases.name)),
    }


def _counts(counts: FloatArray) -> dict[str, str]:
    whole = counts.max(initial=0) < 2**32 and (counts == np.floor(counts)).all()
    return packed(counts.astype(np.uint32 if whole else np.float64))


def decision_payload(evaluation: DecisionEvaluation) -> dict[str, Any]:
    """Return what a page of decisions works with: their counts, which no cost changes."""
    confusion, costs, cost = evaluation.confusion, evaluation.costs, evaluation.expected_cost
    body = payload("evaluation", None, evaluation.level) | _named(confusion.classes)
    if costs is None:
        return {**body, "whyNotLive": BY_CASE}
    if len(confusion.classes) > MOST_CLASSES:
        return {**body, "whyNotLive": TOO_MANY}
    systems = [{"name": "decisions", "counts": confusion.counts.tolist()}]
    return {
        **body,
        "counts": confusion.class_weight.tolist(),
        "dataPriors": confusion.priors.tolist(),
        "noInterval": "" if confusion.whole else _WEIGHTED,
        "applications": [_application("cost", costs, cost, [cost.normalized], [None])],
        "live": {"kind": "decisions", "systems": systems},
        "whyNotLive": "",
    }


def _live(sketch: Sketch) -> dict[str, Any]:
    named = [_system(system) for system in sketch.systems]
    if sketch.y is None:
        exact = all(s.exact for s in sketch.systems if isinstance(s, LevelSketch))
        return {"kind": "levels", "exact": exact, "systems": named}
    return {
        "kind": "rows",
        "rows": int(sketch.y.size),
        "total": sketch.total,
        "scale": sketch.scale,
        "error": sketch.error,
        "labels": packed(sketch.y.astype(np.uint8)),
        "weights": None if sketch.weights is None else packed(sketch.weights),
        "systems": named,
    }


def _system(system: LevelSketch | RowSketch) -> dict[str, Any]:
    """Return one system: counts as whole numbers, and the weights of a grid in half the bytes."""
    reference = None if system.reference is None else system.reference.tolist()
    head: dict[str, Any] = {"name": plain(system.name), "reference": reference}
    if isinstance(system, RowSketch):
        return {**head, "codes": packed(system.codes)}
    weights = []
    for w in (system.first, system.second):
        whole = w.size and w.max() < 2**32 and (w == np.floor(w)).all()
        short = np.float64 if system.exact else np.float32
        weights.append(packed(w.astype(np.uint32 if whole else short)))
    area, level = json_number(system.auc), packed(system.level)
    return {**head, "auc": area, "level": level, "weights": weights}


def packed(array: np.ndarray) -> dict[str, str]:
    """Return an array as little-endian bytes, gzipped, in base64."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    data = gzip.compress(little.tobytes(), compresslevel=9, mtime=0)
    return {"type": _TYPES[little.dtype.str[1:]], "data": base64.b64encode(data).decode("ascii")}


def comparison_payload(comparison: Comparison) -> dict[str, Any]:
    """Return the differences and the odds of a comparison."""
    several = len(comparison.may_be_best) > 1
    return {
        "differences": [
            {
                "system": plain(d.system),
                "metric": plain(d.metric),
                "label": metric_label(d.metric, several=several),
                "better": d.better,
                "value": json_number(d.difference.value),
                "low": None if (band := d.difference.interval) is None else json_number(band.low),
                "high": None if band is None else json_number(band.high),
                "sure": d.distinguishable,
            }
            for d in comparison.differences[:_MOST_DIFFERENCES]
        ],
        "odds": [
            {"low": r.low, "high": r.high, "system": None if r.system is None else plain(r.system)}
            for r in comparison.odds[:_MOST_RANGES]
        ],
    }


def as_script(body: Mapping[str, Any]) -> str:
    """Return JSON that can stand in a script element: no sign in it can end the element."""
    text = json.dumps(body, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def metric_label(metric: str, *, several: bool = False) -> str:
    """Return the name of a metric; with several applications it says which.

    >>> metric_label("cost.minimum_nec"), metric_label("cross_entropy.normalized")
    ('minimum normalised cost', 'cross-entropy')
    >>> metric_label("screening.matthews_correlation", several=True)
    'screening: Matthews correlation'
    """
    scope, _, last = metric.rpartition(".")
    if last == "normalized":
        return _words(scope)
    if last == "calibrated_normalized":
        return f"{_words(scope)}, calibrated"
    return f"{plain(scope)}: {_words(last)}" if scope and several else _words(last)


def full_label(metric: str) -> str:
    """Return the name of any number of a record, so that no two have the same.

    >>> full_label("cost.nec"), full_label("cross_entropy.relative"), full_label("auc")
    ('cost, normalised', 'cross-entropy, share recovered by calibration', 'AUC')
    """
    scope, _, last = metric.rpartition(".")
    words = _LAST.get(last, _words(last))
    return f"{_words(scope)}, {words}" if scope else words


def ranking_label(metric: str) -> str:
    """Return the name of a metric of the ranking; an area may be of one class.

    >>> ranking_label("minimum_cllr"), ranking_label("auc.setosa")
    ('minimum Cllr', 'AUC of setosa')
    """
    name, _, of = metric.partition(".")
    return f"{_words(name)} of {plain(of)}" if of else _words(name)


def _words(key: str) -> str:
    words = " ".join(_WORDS.get(word, word) for word in plain(key).split("_"))
    return words.replace("cross entropy", "cross-entropy")
