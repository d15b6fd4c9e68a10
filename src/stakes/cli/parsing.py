"""Priors and names as they are typed on a command line."""

import json
import math
from collections.abc import Sequence

import click

from stakes._text import quoted


def parse_priors(
    text: str, classes: Sequence[str], option: str = "--prior"
) -> dict[str, float] | None:
    """Read `data`, the prior of the class of interest, or `healthy=0.98,tumour=0.02`."""
    if text == "data":
        return None
    if text.startswith("{"):
        return _summing_to_one(_named(_object(text, option), classes, option), text, option)
    if "=" in text:
        return _summing_to_one(_named(parse_pairs(text, option), classes, option), text, option)
    if "," in text:
        return _summing_to_one(_listed(text, classes, option), text, option)
    try:
        positive = float(text)
    except ValueError as error:
        msg = f"{option} must be a number, name=number pairs or data: got {text!r}."
        raise click.UsageError(msg) from error
    if not 0 <= positive <= 1:
        msg = f"{option} must lie between 0 and 1: got {text}."
        raise click.UsageError(msg)
    if len(classes) != 2:
        msg = f"{option} {text} needs two classes: the data have {quoted(classes)}."
        raise click.UsageError(f"{msg} Give name=number for each.")
    return {classes[0]: 1 - positive, classes[1]: positive}


def _object(text: str, option: str) -> dict[str, float]:
    """Read a JSON object of numbers by name, for names that hold commas."""
    try:
        pairs = json.loads(text)
        return {str(name): float(value) for name, value in pairs.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        msg = f"{option} must be numbers by name: got {text!r}."
        raise click.UsageError(msg) from error


def _named(priors: dict[str, float], classes: Sequence[str], option: str) -> dict[str, float]:
    """Refuse priors that do not name each class."""
    odd = [name for name in priors if name not in classes]
    missing = [name for name in classes if name not in priors]
    if odd or missing:
        fault = f"got unknown {quoted(odd)}" if odd else f"{quoted(missing)} is missing"
        msg = f"{option} must name each of the classes {quoted(classes)}: {fault}."
        raise click.UsageError(msg)
    return priors


def _listed(text: str, classes: Sequence[str], option: str) -> dict[str, float]:
    """Read numbers in the order of the classes."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError as error:
        msg = f"{option} must be numbers, name=number pairs or data: got {text!r}."
        raise click.UsageError(msg) from error
    if len(values) != len(classes):
        msg = f"{option} {text} must have a number for each class, {quoted(classes)}."
        raise click.UsageError(msg)
    return dict(zip(classes, values, strict=True))


def _summing_to_one(priors: dict[str, float], text: str, option: str) -> dict[str, float]:
    """Refuse priors that do not sum to 1."""
    total = math.fsum(priors.values())
    if min(priors.values()) < 0 or abs(total - 1) > 1e-9:
        msg = f"{option} must be numbers of at least 0 that sum to 1: {text} sums to {total:g}."
        raise click.UsageError(msg)
    return priors


def parse_pairs(text: str, option: str) -> dict[str, float]:
    """Read name=number pairs, separated by commas."""
    pairs: dict[str, float] = {}
    for item in text.split(","):
        name, sign, value = (part.strip() for part in item.rpartition("="))
        try:
            number = float(value)
        except ValueError as error:
            msg = f"{option} must hold name=number pairs: got {item!r}."
            raise click.UsageError(msg) from error
        if not sign or name in pairs:
            fault = f"{name!r} twice" if name in pairs else repr(item)
            msg = f"{option} must hold name=number pairs, each name once: got {fault}."
            raise click.UsageError(msg)
        pairs[name] = number
    return pairs


def listed_classes(text: str) -> list[str]:
    """Read the names of classes, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) < len(names):
        msg = f"--classes must be names, separated by commas, each once: got {text!r}."
        raise click.UsageError(msg)
    return names


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
        msg = f"--positive must be one of the classes {quoted(names)}: got {positive!r}."
        raise click.UsageError(msg)
    return [*(n for n in names if n != positive), positive]


def _is_number(text: str) -> bool:
    """Tell a whole number of common size, with or without leading zeros."""
    return text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19
