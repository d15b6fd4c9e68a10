"""Arrays of other libraries, known by DLPack: read as they are, shared where that is possible."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import stakes
from stakes._check.tensors import as_numpy, rounding_unit


class Exported:
    """An array that tells nothing of itself but DLPack, as libraries may give it."""

    def __init__(self, values: Any) -> None:  # noqa: ANN401
        self._values = np.asarray(values)

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._values.__dlpack_device__()


class Elsewhere(Exported):
    """The same on a device that cannot be read from here."""

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401
        msg = "this device cannot be read"
        raise BufferError(msg)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def arrays() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    z = rng.normal(size=(60, 3)) + np.eye(3)[y]
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def test_every_argument_takes_them() -> None:
    y, p = arrays()
    weights, groups, costs = p[:, 0] + 1, np.arange(60) % 7, 1 - np.eye(3)
    forms: tuple[Any, Any] = Exported, np.asarray
    found, want = (
        stakes.evaluate(
            form(y),
            form(p),
            costs=form(costs),
            priors=form([0.2, 0.3, 0.5]),
            training_priors="deployment",
            sample_weight=form(weights),
            groups=form(groups),
            slices={"part": form(y % 2)},
        ).to_dict()
        for form in forms
    )
    assert found == want


def test_what_is_on_this_host_is_shared() -> None:
    p = arrays()[1]
    assert np.shares_memory(stakes.Posteriors(Exported(p)).values, p)
    assert np.shares_memory(as_numpy(Exported(p), "scores"), p)


def test_batches_in_a_list_are_one_table() -> None:
    y, p = arrays()
    cut = [0, 25, 26, 60]
    for form in (Exported, np.asarray):
        parts = [(form(y[a:b]), form(p[a:b])) for a, b in pairwise(cut)]
        labels, scores = ([part[i] for part in parts] for i in (0, 1))
        weights = [part[0] for part in parts]
        found = stakes.cross_entropy(labels, scores, sample_weight=weights).value
        assert found == stakes.cross_entropy(y, p, sample_weight=y).value
    rows = [Exported(row) for row in p]
    assert (stakes.Posteriors(rows).values == p).all()
    with pytest.raises(stakes.InputError, match=r"row 1 is ragged.*Join batches first"):
        stakes.Posteriors([Exported(p[:5, 0]), Exported(p[5:9, 0])])


def test_single_numbers_are_read() -> None:
    y, p = arrays()
    labels = [Exported(label) for label in y]
    assert stakes.cross_entropy(labels, p).value == stakes.cross_entropy(y, p).value
    costs = stakes.CostMatrix.binary(miss=Exported(5.0), false_alarm=1)  # type: ignore[arg-type]
    assert (costs.values == [[0, 1], [5, 0]]).all()


def test_what_cannot_be_read_is_named() -> None:
    y, p = arrays()
    with pytest.raises(stakes.InputError, match=r"scores must be an array that this host can read"):
        stakes.cross_entropy(y, Elsewhere(p))
    with pytest.raises(stakes.InputError, match=r"y_true must be an array that this host can read"):
        stakes.cross_entropy(Elsewhere(y), p)


def test_the_unit_follows_the_dtype() -> None:
    for dtype in (np.float16, np.float32):
        assert rounding_unit(np.zeros(3, dtype)) == np.finfo(dtype).eps
    assert rounding_unit(np.zeros(3)) is None
    assert rounding_unit([1.0, 2.0]) is None


def test_slices_of_half_precision_are_read() -> None:
    y, p = arrays()
    site = np.arange(60) % 2
    for dtype in (np.float16, np.float32):
        found = stakes.evaluate(y, p, slices={"site": site.astype(dtype)})
        assert [part.value for part in found.slices] == ["0", "1"]
