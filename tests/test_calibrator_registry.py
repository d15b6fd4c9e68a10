"""Every calibrator is in the registry, and what follows from it has them all."""

import dataclasses
import json

import numpy as np
import pytest

import stakes
from stakes.calibration.maps import CalibrationMap
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.cli.options import METHODS
from test_calibration import overlapping

NEED_ARGUMENTS = {"threshold": {"costs": stakes.CostMatrix.binary(miss=5, false_alarm=1)}}


def made(name: str) -> stakes.Calibrator:
    return calibrator_class(name)(**NEED_ARGUMENTS.get(name, {}))


def test_every_public_calibrator_is_in_the_registry() -> None:
    public = {
        thing
        for thing in (getattr(stakes, name) for name in dir(stakes))
        if isinstance(thing, type) and issubclass(thing, stakes.Calibrator)
    }
    known = {calibrator_class(name) for name in calibrator_names()}
    assert public - {stakes.Calibrator} == known
    for name in calibrator_names():
        assert calibrator_class(name).name == name
        assert calibrator_class(name).__module__ == f"stakes.calibration.{name}_calibrator"


def test_the_command_line_offers_all_that_need_no_arguments() -> None:
    for name in calibrator_names():
        fields = dataclasses.fields(calibrator_class(name))  # type: ignore[arg-type]
        missing = dataclasses.MISSING
        needs = [f for f in fields if f.default is missing and f.default_factory is missing]
        assert (name in METHODS) == (not needs)
        assert (name in NEED_ARGUMENTS) == bool(needs)


@pytest.mark.parametrize("name", calibrator_names())
def test_it_says_what_it_learns_and_when_to_use_it(name: str) -> None:
    assert calibrator_class(name).learns
    assert calibrator_class(name).use


@pytest.mark.parametrize("name", calibrator_names())
def test_it_says_how_many_classes_it_serves(name: str) -> None:
    y, log_p = overlapping(k=3)
    scores = stakes.LogPosteriors(log_p)
    if made(name).two_classes:
        with pytest.raises(stakes.InputError, match="needs two classes: got 3"):
            made(name).fit(scores, y)
    else:
        np.testing.assert_allclose(
            np.exp(made(name).fit(scores, y).transform(scores).values).sum(axis=1), 1
        )


@pytest.mark.parametrize("name", calibrator_names())
def test_its_map_has_a_kind_by_which_it_is_read(name: str) -> None:
    y, log_p = overlapping()
    fitted = made(name).fit(stakes.LogPosteriors(log_p), y)
    data = json.loads(json.dumps(fitted.to_dict(), allow_nan=False))
    assert data["name"] == name
    assert data["kind"] in calibrator_names()
    assert CalibrationMap._kinds[data["kind"]] is type(fitted.fitted)
    assert stakes.calibrator_from_dict(data).to_dict() == fitted.to_dict()
