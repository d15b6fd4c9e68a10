"""Priors and names as they are typed on a command line."""

import json
import math
from collections.abc import Sequence

from stakes._text import quoted
from stakes.cli.messages import refuse


def parse_priors(
    text: str, classes: Sequence[str], option: str = "--prior"
) -> dict[str, float] | None:
    """Read `data`, the prior of the class of interest, or `healthy=0.98,tumour=0.02`."""
    if text == "data":
        return None
    if text.startswith("{"):
        try:  # names may hold commas
            priors = {str(name): float(value) for name, value in json.loads(text).items()}
        except (ValueError, TypeError, AttributeError, RecursionError):
            refuse(f"{option} must be numbers by name: got {text!r}.")
    elif "=" in text:
        priors = _pairs(text, option)
    else:
        priors = _listed(text, classes, option)
    odd = [name for name in priors if name not in classes]
    missing = [name for name in classes if name not in priors]
    if odd or missing:
        fault = f"got unknown {quoted(odd)}" if odd else f"{quoted(missing)} is missing"
        refuse(f"{option} must name each of the classes {quoted(classes)}: {fault}.")
    total = math.fsum(priors.values())
    if min(priors.values()) < 0 or abs(total - 1) > 1e-9:
        refuse(f"{option} must be numbers of at least 0 that sum to 1: {text} sums to {total:g}.")
    return priors


def _listed(text: str, classes: Sequence[str], option: str) -> dict[str, float]:
    """Read numbers in the order of the classes, or that of the class of interest alone."""
    alone = "," not in text
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        what = "a number" if alone else "numbers"
        refuse(f"{option} must be {what}, name=number pairs or data: got {text!r}.")
    if alone and not 0 <= values[0] <= 1:
        refuse(f"{option} must lie between 0 and 1: got {text}.")
    if alone and len(classes) != 2:
        msg = f"{option} {text} needs two classes: the data have {quoted(classes)}."
        refuse(f"{msg} Give name=number for each.")
    values = [1 - values[0], values[0]] if alone else values
    if len(values) != len(classes):
        refuse(f"{option} {text} must have a number for each class, {quoted(classes)}.")
    return dict(zip(classes, values, strict=True))


def _pairs(text: str, option: str) -> dict[str, float]:
    pairs: dict[str, float] = {}
    for item in text.split(","):
        name, sign, value = (part.strip() for part in item.rpartition("="))
        try:
            number = float(value)
        except ValueError:
            refuse(f"{option} must hold name=number pairs: got {item!r}.")
        if not sign or name in pairs:
            fault = f"{name!r} twice" if name in pairs else repr(item)
            refuse(f"{option} must hold name=number pairs, each name once: got {fault}.")
        pairs[name] = number
    return pairs


def listed_names(text: str, option: str, what: str = "names") -> list[str]:
    """Read names, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) < len(names):
        refuse(f"{option} must be {what}, separated by commas, each once: got {text!r}.")
    return names


def listed_classes(text: str) -> list[str]:
    """Read the names of classes, separated by commas."""
    return listed_names(text, "--classes")


def order_classes(
    labels: set[str], decisions: set[str], classes: str | None, positive: str | None
) -> list[str]:
    """Return the classes in order: as typed, or sorted, with the class of interest last."""
    if classes is not None:
        names = listed_classes(classes)
    else:
        found = labels | decisions
        numbers = all(map(_is_number, found))
        names = sorted(found, key=lambda name: (int(name), name)) if numbers else sorted(found)
    if positive is None:
        return names
    if positive not in names:
        refuse(f"--positive must be one of the classes {quoted(names)}: got {positive!r}.")
    return [*(n for n in names if n != positive), positive]


def _is_number(text: str) -> bool:
    """Tell a whole number of common size, with or without leading zeros."""
    return text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19
