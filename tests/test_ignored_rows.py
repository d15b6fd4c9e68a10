"""`ignore_index`: rows of a label are as if they had never been there, and are counted."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stakes

N = 400
IGNORED = -100


def data(classes: int = 3, *, share: float = 0.2) -> tuple[Any, Any, Any]:
    """Return labels of which some are to be left out, posteriors, and which rows are kept."""
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, N)
    z = rng.normal(size=(N, classes)) + 1.5 * np.eye(classes)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y[rng.random(N) < share] = IGNORED
    return y, p, y != IGNORED


def without_notes(record: stakes.Evaluation | stakes.Comparison) -> dict[str, Any]:
    return {key: value for key, value in record.to_dict().items() if key != "notes"}


@pytest.mark.parametrize("classes", [2, 3])
def test_an_evaluation_is_that_of_the_other_rows(classes: int) -> None:
    y, p, kept = data(classes)
    rng = np.random.default_rng(0)
    weights, groups = rng.integers(0, 4, N).astype(float), rng.integers(0, 40, N)
    site = np.array(["a", "b"])[rng.integers(0, 2, N)]
    costs = rng.random((N, classes, classes)) * (1 - np.eye(classes))
    p[~kept] = np.nan  # whatever the scores are
    told: dict[str, Any] = {"folds": 3}
    found = stakes.evaluate(
        y,
        p,
        costs=stakes.SampleCosts(costs),
        sample_weight=weights,
        groups=groups,
        slices={"site": site},
        ignore_index=IGNORED,
        **told,
    )
    want = stakes.evaluate(
        y[kept],
        p[kept],
        costs=stakes.SampleCosts(costs[kept]),
        sample_weight=weights[kept],
        groups=groups[kept],
        slices={"site": site[kept]},
        **told,
    )
    assert without_notes(found) == without_notes(want)
    note = f"{(~kept).sum()} rows were left out: the label is that of ignore_index."
    assert found.notes == (note, *want.notes)


def test_many_samples_of_two_classes_say_so_too() -> None:
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 2**17 + 50), rng.random(2**17 + 50)
    y[7] = IGNORED
    found = stakes.evaluate(y, p, calibrator=None, ignore_index=IGNORED)
    assert found.data.n == y.size - 1
    assert found.notes[0] == "1 row was left out: the label is that of ignore_index."


def test_systems_are_compared_on_the_other_rows() -> None:
    y, p, kept = data()
    both = {"one": p, "two": p[:, ::-1]}
    found = stakes.compare(y, both, ignore_index=IGNORED)
    cut = {name: s[kept] for name, s in both.items()}
    want = stakes.compare(y[kept], cut)
    assert without_notes(found) == without_notes(want)
    assert found.notes == (
        f"{(~kept).sum()} rows were left out: the label is that of ignore_index.",
    )


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, stakes.Posteriors])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scorecard_is_that_of_the_other_rows(
    form: Callable[[Any], Any],
    weighted: bool,  # noqa: FBT001
) -> None:
    y, p, kept = data()
    weights = np.arange(N) % 5 + 1.0 if weighted else None
    own = None if weights is None else weights[kept]
    found = stakes.scorecard(y, form(p), sample_weight=weights, ignore_index=IGNORED)
    want = stakes.scorecard(y[kept], form(p[kept]), sample_weight=own)
    assert (found.n, found.ignored, want.ignored) == (want.n, N - kept.sum(), 0)
    for name in ("cost", "cross_entropy", "brier_score", "confidence_calibration_error"):
        assert float(getattr(found, name)) == pytest.approx(float(getattr(want, name)), rel=1e-13)
    bare = [re.sub(r" *\(95 % interval.*", "", str(card)) for card in (found, want)]
    assert bare[0] == f"{bare[1]}\nrows left out          {N - kept.sum()}"
    assert stakes.scorecard(y[kept], form(p[kept]), ignore_index=IGNORED).ignored == 0


@pytest.mark.parametrize("classes", [2, 3])
def test_a_summary_counts_what_it_leaves_out(classes: int) -> None:
    y, p, kept = data(classes)
    told: dict[str, Any] = {"classes": classes, "weighted": True, "grouped": True, "slices": ["s"]}
    weights, groups, part = np.arange(N) % 3, np.arange(N) // 4, np.arange(N) % 2

    def filled(rows: list[Any], **more: Any) -> stakes.Summary:  # noqa: ANN401
        total = stakes.Summary(**told)
        for r in rows:
            own = {"sample_weight": weights[r], "groups": groups[r], "slices": {"s": part[r]}}
            total.update(y[r], p[r], **own, **more)
        return total

    halves = [np.arange(0, N, 2), np.arange(1, N, 2)]
    total = filled(halves, ignore_index=IGNORED)
    plain = filled([np.flatnonzero(kept)])
    assert (total.ignored, plain.ignored, total.n) == (N - kept.sum(), 0, plain.n)
    reverse = filled(halves[1:], ignore_index=IGNORED) + filled(halves[:1], ignore_index=IGNORED)
    assert reverse.to_bytes() == total.to_bytes() != plain.to_bytes()
    again = stakes.Summary.from_bytes(total.to_bytes())
    assert (again.ignored, again.to_bytes()) == (total.ignored, total.to_bytes())
    found, want = (s.evaluate(calibrator=None) for s in (again, plain))
    assert without_notes(found) == without_notes(want)
    note = f"{N - kept.sum()} rows were left out: the label is that of ignore_index."
    assert found.notes == (note, *want.notes)


def test_a_batch_may_be_left_out_as_a_whole() -> None:
    total = stakes.Summary(classes=2)
    total.update([IGNORED] * 3, [np.nan] * 3, ignore_index=IGNORED)
    assert (total.n, total.ignored) == (0, 3)
    assert stakes.Summary.from_bytes(total.to_bytes()).ignored == 3
    with pytest.raises(stakes.InputError, match="y_true must hold at least one label that is not"):
        stakes.evaluate([IGNORED] * 3, [0.1, 0.2, 0.3], ignore_index=IGNORED)


def test_errors_name_the_rows_that_were_given() -> None:
    y, p = np.array([IGNORED, 0, 1, IGNORED, 1]), np.array([np.nan, 0.1, 0.6, np.nan, 1.5])
    for call in (stakes.evaluate, stakes.scorecard, stakes.Summary(classes=2).update):
        with pytest.raises(
            stakes.InputError, match=r"scores must be posteriors: got 1\.5 at row 4"
        ):
            call(y, p, ignore_index=IGNORED)
    y[4] = 7
    with pytest.raises(stakes.InputError, match=r"label 7 at row 4"):
        stakes.evaluate(y, [0.5] * 5, ignore_index=IGNORED, classes=[0, 1])
    with pytest.raises(stakes.InputError, match="3 rows for 5 labels"):
        stakes.evaluate(y, [0.5] * 3, ignore_index=IGNORED, classes=[0, 1])
    with pytest.raises(stakes.InputError, match="3 rows for 5 labels"):
        stakes.evaluate(y, stakes.Posteriors([0.5] * 3), ignore_index=IGNORED, classes=[0, 1])


def test_labels_and_ignored_label_are_of_one_kind() -> None:
    y, p = ["ill", "well", "unknown", "ill"], [0.1, 0.9, 0.2, 0.3]
    told: dict[str, Any] = {"classes": ["well", "ill"]}
    found = stakes.evaluate(y, p, ignore_index="unknown", **told)
    assert (found.data.n, found.notes[0][:5]) == (3, "1 row")
    with pytest.raises(stakes.InputError, match="ignore_index must be a label, a text"):
        stakes.evaluate(y, p, ignore_index=-100, **told)
    with pytest.raises(stakes.InputError, match="ignore_index must be a label, a whole number"):
        stakes.evaluate([0, 1], [0.2, 0.4], ignore_index="unknown")


def test_the_label_of_torch_gets_a_hint() -> None:
    with pytest.raises(stakes.InputError, match="pass ignore_index=-100, if the function takes it"):
        stakes.cross_entropy([0, 1, -100], [0.2, 0.4, 0.3])
