"""Rounded scores and the class of interest on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import stakes
from command import call


def table(folder: Path, digits: int, damage: float = 1.0) -> Path:
    """Write scores of three classes with so many decimals."""
    rng = np.random.default_rng(12)
    p = special.softmax(rng.normal(0, 2, (200, 3)), axis=1)
    p[40] *= damage
    lines = ["y,p_a,p_b,p_c"]
    for i, row in enumerate(p):
        lines.append(",".join(["abc"[i % 3], *(f"{v:.{digits}f}" for v in row)]))
    path = folder / "rounded.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


ASKED = ("--label", "y", "--scores", "p_a,p_b,p_c", "--scores-are", "posteriors")
PRICED = (*ASKED[2:], "--cost", "[[0,1,1],[1,0,1],[1,1,0]]")


def test_rounded_columns_are_taken_and_said(tmp_path: Path) -> None:
    table(tmp_path, 4)
    done = call("evaluate", "rounded.csv", *ASKED, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert any("4 decimals" in note for note in notes)
    shown = call("evaluate", "rounded.csv", *ASKED, cwd=tmp_path)
    assert "4 decimals" in shown.stdout
    for arguments in (
        ("threshold", "rounded.csv", "--label", "y", "--scores", "p_c", "--positive", "c"),
        ("calibrate", "rounded.csv", *ASKED, "-o", "c.json"),
        ("decide", "rounded.csv", *PRICED, "-o", "d.csv"),
        ("check", "rounded.csv", *ASKED, "--max-nec", "9"),
    ):
        done = call(*arguments, cwd=tmp_path)
        if arguments[0] != "threshold":  # one column has no rows that sum to anything
            assert done.returncode == 0, done.stderr
            assert "4 decimals" in done.stderr, arguments


def test_more_than_rounding_needs_renormalize(tmp_path: Path) -> None:
    table(tmp_path, 4, damage=0.99)
    done = call("evaluate", "rounded.csv", *ASKED, cwd=tmp_path)
    assert done.returncode == 3
    assert "line 42" in done.stderr
    assert "--renormalize" in done.stderr
    assert "Posteriors(" not in done.stderr
    again = ("--renormalize", "--json")
    done = call("evaluate", "rounded.csv", *ASKED, *again, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert any("divided by its sum" in note for note in json.loads(done.stdout)["notes"])
    for command in (("calibrate", "rounded.csv", *ASKED), ("decide", "rounded.csv", *PRICED)):
        assert call(*command, "--force", "-o", "out.csv", cwd=tmp_path).returncode == 3
        done = call(*command, "--renormalize", "--force", "-o", "out.csv", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    logits = ("--label", "y", "--scores", "p_a,p_b,p_c", "--scores-are", "logits")
    done = call("evaluate", "rounded.csv", *logits, "--renormalize", cwd=tmp_path)
    assert done.returncode == 2
    assert "--renormalize is for posteriors" in done.stderr


KINDS = {
    "posteriors": special.expit,
    "log-posteriors": special.log_expit,
    "logits": lambda z: z,
    "llr": lambda z: z,
    "log10-lr": lambda z: z / np.log(10),
    "lr": np.exp,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("positive", ["a", "b"])
def test_either_class_may_be_of_interest(tmp_path: Path, kind: str, positive: str) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 120)
    z = rng.normal(2 * y - 1, 1.5)
    values = KINDS[kind](z)
    rows = ["y,s", *(f"{'ab'[k]},{v!r}" for k, v in zip(y, values.tolist(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    cost = ("--cost", "miss=5,false_alarm=1", "--json")
    said = ("--label", "y", "--scores", "s", "--scores-are", kind, "--classes", "a,b")
    done = call("evaluate", "t.csv", *said, "--positive", positive, *cost, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)["applications"][0]["expected_cost"]["normalized"]["value"]
    order = ["a", "b"] if positive == "b" else ["b", "a"]
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=order)
    both = stakes.Logits(np.column_stack([-z / 2, z / 2])).named(("a", "b"))
    if kind in {"llr", "log10-lr", "lr"}:
        share = np.bincount(y) / y.size
        both = stakes.Logits(np.column_stack([-z / 2, z / 2]) + np.log(share)).named(("a", "b"))
    expected = stakes.bayes_cost(np.array(["a", "b"])[y], both, costs=costs)
    assert first == pytest.approx(expected.normalized, rel=1e-12)


@pytest.mark.parametrize(
    "kind", [stakes.Posteriors, stakes.LogPosteriors, stakes.Logits, stakes.LogLikelihoodRatios]
)
def test_swapped_scores_are_those_of_the_other_class(kind: type[stakes.Scores]) -> None:
    z = np.array([-40.0, -3.0, -0.1, 0.0, 0.2, 5.0, 30.0])
    made = {stakes.Posteriors: special.expit(z), stakes.LogPosteriors: special.log_expit(z)}
    scores = kind(made.get(kind, z))
    turned = scores.swapped().log_posteriors([0.5, 0.5])[:, ::-1]
    np.testing.assert_allclose(turned, scores.log_posteriors([0.5, 0.5]), rtol=1e-12, atol=1e-15)
    with pytest.raises(stakes.InputError, match="two classes"):
        stakes.Logits([[0.0, 1.0, 2.0]]).swapped()
