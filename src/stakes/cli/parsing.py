"""Costs, priors and names as they are typed on a command line."""

import json
from collections.abc import Sequence

import click

from stakes._check import InputError
from stakes._text import quoted
from stakes.costs import CostMatrix


def parse_costs(text: str, classes: Sequence[str]) -> CostMatrix:
    """Read `miss=5,false_alarm=1`, a .toml or .csv file, or a matrix like [[0,1],[5,0]]."""
    if text.lower().endswith((".toml", ".csv")):
        return _as_texts(CostMatrix.read(text))
    try:
        if text.lstrip().startswith("["):
            return CostMatrix(json.loads(text), classes=list(classes))
        prices = parse_pairs(text, "--cost")
        if set(prices) != {"miss", "false_alarm"}:
            msg = f"--cost must give miss and false_alarm: got {quoted(prices)}."
            raise click.UsageError(msg)
        if len(classes) != 2:
            msg = f"--cost miss=,false_alarm= needs two classes: the data have {quoted(classes)}."
            raise click.UsageError(f"{msg} Give a cost file or a matrix.")
        return CostMatrix.binary(**prices, classes=list(classes))
    except (InputError, ValueError, RecursionError) as error:
        msg = f"--cost {text!r} is not understood: {error}"
        raise click.UsageError(msg) from error


def _as_texts(costs: CostMatrix) -> CostMatrix:
    """Return costs whose names are texts, as all labels of a file are here."""
    names = ([str(n) for n in part] for part in (costs.classes, costs.decisions))
    classes, decisions = names
    return CostMatrix(costs.values, classes=classes, decisions=decisions)


def parse_priors(text: str, classes: Sequence[str]) -> dict[str, float] | None:
    """Read `data`, the prior of the class of interest, or `healthy=0.98,tumour=0.02`."""
    if text == "data":
        return None
    if "=" in text:
        return parse_pairs(text, "--prior")
    try:
        positive = float(text)
    except ValueError as error:
        msg = f"--prior must be a number, name=number pairs or data: got {text!r}."
        raise click.UsageError(msg) from error
    if not 0 <= positive <= 1:
        msg = f"--prior must lie between 0 and 1: got {text}."
        raise click.UsageError(msg)
    if len(classes) != 2:
        msg = f"--prior {text} needs two classes: the data have {quoted(classes)}."
        raise click.UsageError(f"{msg} Give name=number for each.")
    return {classes[0]: 1 - positive, classes[1]: positive}


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


def order_classes(
    labels: set[str], decisions: set[str], classes: str | None, positive: str | None
) -> list[str]:
    """Return the classes in order: as typed, or sorted, with the class of interest last."""
    if classes is not None:
        names = [c.strip() for c in classes.split(",")]
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
