"""Calibrator files, and priors that calibrated posteriors are wanted at."""

import json
from collections.abc import Sequence

from stakes._check import InputError
from stakes._files import read_text
from stakes._typing import FloatArray
from stakes.calibration import Calibrator, calibrator_from_dict
from stakes.cli.messages import refuse
from stakes.cli.parsing import parse_priors


def read_calibrator(path: str) -> Calibrator:
    """Read a calibrator file."""
    try:
        return calibrator_from_dict(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise error.moved(source=repr(path)) from error
        msg = f"{path!r} must be a calibrator's JSON file: {error}."
        raise InputError(msg) from error


def priors_of_use(text: str, names: list[str], option: str = "--prior") -> list[float]:
    """Return priors in the order of the classes; there are no labels to take them from."""
    priors = parse_priors(text, names, option)
    if priors is None:
        refuse(f"{option} must be numbers here: there are no labels to count.")
    return [priors[name] for name in names]


def by_name(names: Sequence[str], values: FloatArray | None) -> dict[str, float] | None:
    """Return a number for each class."""
    return None if values is None else dict(zip(names, values.tolist(), strict=True))
