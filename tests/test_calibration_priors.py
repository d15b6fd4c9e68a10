"""Calibrators at other priors than their own, and scores of another kind than theirs."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from command import call
from stakes.calibration.maps import checksum
from stakes.simulation import MISCALIBRATED, simulate
from test_calibration import BINARY, MANY

COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
LEARNT, USED = [0.8, 0.2], [0.95, 0.05]


def overconfident(n: int, positives: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and log likelihood ratios, twice as large as they should be and 1 too high."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < positives).astype(int)
    return y, 2 * (2 * rng.normal(2 * y - 1, 1.0)) + 1


def ratios_of(posteriors: stakes.LogPosteriors, priors: list[float]) -> np.ndarray:
    """Return the log likelihood ratios behind posteriors at some priors."""
    log_p = posteriors.values - np.log(priors)
    with np.errstate(invalid="ignore"):
        return np.asarray(log_p[:, 1:] - log_p[:, :1])


@pytest.mark.parametrize("make", BINARY)
@given(prior=st.floats(1e-6, 1 - 1e-6), seed=st.integers(0, 3))
def test_calibrated_likelihood_ratios_are_the_same_at_all_priors(
    make: Callable[[], stakes.Calibrator], prior: float, seed: int
) -> None:
    y, llr = overconfident(200, 0.2, seed)
    ratios = stakes.LogLikelihoodRatios(llr)
    calibrator = make().fit(ratios, y, priors="data")
    used = [1 - prior, prior]
    own = calibrator.log_likelihood_ratios(ratios).values
    moved = ratios_of(calibrator.transform(ratios, used), used)[:, 0]
    np.testing.assert_allclose(moved, own, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", MANY)
def test_calibrated_likelihoods_of_many_classes_are_the_same_at_all_priors(
    make: Callable[[], stakes.Calibrator],
) -> None:
    data = simulate(4, n=3000)
    scores = data.log_likelihoods(MISCALIBRATED)
    calibrator = make().fit(scores, data.y, priors=[0.1, 0.2, 0.3, 0.4])
    own = calibrator.log_likelihoods(scores).values
    for used in ([0.25] * 4, [0.01, 0.01, 0.01, 0.97]):
        moved = ratios_of(calibrator.transform(scores, used), used)
        with np.errstate(invalid="ignore"):
            wanted = own[:, 1:] - own[:, :1]
        np.testing.assert_allclose(moved, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", BINARY)
def test_posteriors_are_moved_from_the_priors_of_the_fit_by_bayes_rule(
    make: Callable[[], stakes.Calibrator],
) -> None:
    y, llr = overconfident(500, 0.2, 4)
    for scores in (stakes.Logits(llr), stakes.Posteriors(1 / (1 + np.exp(-llr)))):
        for priors in (None, [0.6, 0.4]):
            calibrator = make().fit(scores, y, priors=priors)
            learnt = [1 - y.mean(), y.mean()] if priors is None else priors
            assert calibrator.training_priors is not None
            assert calibrator.training_priors.tolist() == pytest.approx(learnt)
            by_hand = calibrator.transform(scores).at_priors(learnt, USED)
            moved = calibrator.transform(scores, USED)
            np.testing.assert_allclose(np.exp(moved.values), np.exp(by_hand.values), rtol=1e-9)


def test_a_calibrator_decides_well_at_priors_that_it_was_not_fitted_at() -> None:
    y, llr = overconfident(20_000, 0.2, 5)
    calibrator = stakes.AffineCalibrator().fit(stakes.LogLikelihoodRatios(llr), y, priors="data")
    new_y, new = overconfident(20_000, 0.05, 6)
    scores = stakes.LogLikelihoodRatios(new)
    decided = COSTS.bayes_decisions(calibrator.transform(scores, USED))
    truth = stakes.LogLikelihoodRatios((new - 1) / 2)
    right = COSTS.bayes_decisions(truth, USED)
    assert np.mean(decided != right) < 0.01
    ours = stakes.bayes_cost(new_y, calibrator.transform(scores, USED), costs=COSTS, priors=USED)
    best = stakes.bayes_cost(new_y, truth, costs=COSTS, priors=USED)
    assert ours.normalized == pytest.approx(best.normalized, rel=0.02)


def test_held_out_ratios_are_calibrated_for_the_priors_of_the_judged_samples() -> None:
    y, llr = overconfident(20_000, 0.5, 7)
    new_y, new = overconfident(20_000, 0.03, 8)
    held = stakes.HeldOut(y, stakes.LogLikelihoodRatios(llr))
    scores = stakes.LogLikelihoodRatios(new)
    loss = stakes.calibration_loss(stakes.LogLoss(), new_y, scores, folds=held, priors="data")
    truth = stakes.LogLikelihoodRatios((new - 1) / 2)
    best = stakes.cross_entropy(new_y, truth, priors="data")
    assert loss.calibrated.value == pytest.approx(best.value, rel=0.02)


KINDS: dict[str, Callable[[np.ndarray], stakes.Scores]] = {
    "Posteriors": lambda z: stakes.Posteriors(1 / (1 + np.exp(-z))),
    "LogPosteriors": lambda z: stakes.LogPosteriors(-np.log1p(np.exp(-z))),
    "Logits": stakes.Logits,
    "LogLikelihoodRatios": stakes.LogLikelihoodRatios,
    "LogLikelihoods": lambda z: stakes.LogLikelihoods(np.column_stack([0 * z, z])),
}
SAME = [{"Posteriors", "LogPosteriors"}, {"Logits"}, {"LogLikelihoodRatios", "LogLikelihoods"}]


@pytest.mark.parametrize("learnt", KINDS)
@pytest.mark.parametrize("used", KINDS)
@pytest.mark.parametrize("from_file", [False, True])
def test_scores_of_another_kind_are_refused(learnt: str, used: str, *, from_file: bool) -> None:
    y, llr = overconfident(300, 0.3, 9)
    calibrator: stakes.Calibrator = stakes.AffineCalibrator()
    calibrator.fit(KINDS[learnt](llr), y, priors="data")
    if from_file:
        calibrator = stakes.calibrator_from_dict(json.loads(json.dumps(calibrator.to_dict())))
    if any({learnt, used} <= same for same in SAME):
        own, other = (calibrator.transform(KINDS[kind](llr)).values for kind in (learnt, used))
        np.testing.assert_allclose(own, other, rtol=1e-6, atol=1e-9)
        return
    with pytest.raises(stakes.InputError) as caught:
        calibrator.transform(KINDS[used](llr))
    assert used in str(caught.value)
    assert str(calibrator.score_meaning) in str(caught.value)
    if used.startswith("LogLikelihood") or not learnt.startswith("LogLikelihood"):
        held = stakes.HeldOut(y, KINDS[learnt](llr))
        with pytest.raises(stakes.InputError):
            stakes.calibration_loss(
                stakes.LogLoss(), y, KINDS[used](llr), folds=held, priors="data"
            )


def test_priors_that_cannot_be_moved_to_are_refused_in_words() -> None:
    y, llr = overconfident(300, 0.3, 10)
    ratios = stakes.LogLikelihoodRatios(llr)
    calibrator = stakes.AffineCalibrator().fit(ratios, y, priors="data")
    with pytest.raises(stakes.InputError, match="no labels to take priors from"):
        calibrator.transform(ratios, "data")
    with pytest.raises(stakes.InputError, match="priors"):
        calibrator.transform(ratios, [0.9, 0.9])
    bare = stakes.BiasCalibrator().fit(stakes.Logits(llr), y, priors=[0.0, 1.0])
    with pytest.raises(stakes.InputError, match="prior 0 for class 0"):
        bare.transform(stakes.Logits(llr), USED)
    three = stakes.AffineCalibrator().fit(np.full((9, 3), 1 / 3), [0, 1, 2] * 3)
    with pytest.raises(stakes.InputError, match="two classes"):
        three.log_likelihood_ratios(np.full((9, 3), 1 / 3))


def earlier(calibrator: stakes.Calibrator, *, priors: list[float] | None) -> dict[str, object]:
    """Return a calibrator as version 1 wrote it."""
    body = {k: v for k, v in calibrator.to_dict().items() if k not in ("sha256", "scores")}
    body |= {"version": 1, "priors": priors}
    return {**body, "sha256": checksum(body)}


def test_earlier_files_are_read_as_far_as_they_are_safe() -> None:
    y, llr = overconfident(300, 0.3, 11)
    ratios, logits = stakes.LogLikelihoodRatios(llr), stakes.Logits(llr)
    learnt = stakes.AffineCalibrator().fit(ratios, y, priors=LEARNT)
    old = stakes.calibrator_from_dict(earlier(learnt, priors=LEARNT))
    assert (old.transform(ratios, USED).values == learnt.transform(ratios, USED).values).all()
    with pytest.raises(stakes.InputError, match="fitted on, likelihoods"):
        old.transform(logits)
    learnt = stakes.AffineCalibrator().fit(logits, y)
    old = stakes.calibrator_from_dict(earlier(learnt, priors=None))
    assert (old.transform(logits).values == learnt.transform(logits).values).all()
    with pytest.raises(stakes.InputError, match="earlier version"):
        old.transform(logits, USED)
    with pytest.raises(stakes.InputError, match="posteriors or logits"):
        old.transform(ratios)
    again = stakes.calibrator_from_dict(old.to_dict())
    assert again.training_priors is None
    wrong = {k: v for k, v in learnt.to_dict().items() if k != "sha256"} | {"scores": "ranks"}
    with pytest.raises(stakes.InputError, match="ranks"):
        stakes.calibrator_from_dict({**wrong, "sha256": checksum(wrong)})


@pytest.mark.parametrize("make", [stakes.AffineCalibrator, stakes.IsotonicCalibrator])
def test_labels_in_the_place_of_scores_are_told_by_the_order_of_fit(
    make: Callable[[], stakes.Calibrator],
) -> None:
    y, llr = overconfident(50, 0.3, 12)
    p = 1 / (1 + np.exp(-llr))
    for scores in (p, p.tolist(), np.column_stack([1 - p, p]), stakes.Posteriors(p)):
        for labels in (y, y.tolist(), np.array(["a", "b"])[y]):
            with pytest.raises(stakes.InputError, match=r"fit\(scores, y_true\)") as caught:
                make().fit(labels, scores)  # type: ignore[arg-type]
            assert "labels come first" not in str(caught.value).lower()
    with pytest.raises(stakes.InputError, match="argmax"):
        make().fit(p, np.eye(2)[y])


def write_ratios(path: Path, positives: float, seed: int, n: int = 800) -> np.ndarray:
    """Write labels and log likelihood ratios, and return the labels."""
    y, llr = overconfident(n, positives, seed)
    names = ("no", "yes")
    lines = [f"{names[label]},{x!r}" for label, x in zip(y, llr.tolist(), strict=True)]
    path.write_text("\n".join(["y,llr", *lines]) + "\n")
    return y


def table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


LLR = ("--scores", "llr", "--scores-are", "llr", "--classes", "no,yes")
COST = ("--cost", "miss=5,false_alarm=1")


def stakes_call(folder: Path, *arguments: str) -> str:
    """Run a command that must succeed, and return what it says on standard error."""
    done = call(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("method", ["affine", "beta", "isotonic", "histogram"])
def test_likelihood_ratios_that_are_written_decide_as_the_calibrator_does(
    method: str, tmp_path: Path
) -> None:
    write_ratios(tmp_path / "val.csv", 0.2, 13)
    write_ratios(tmp_path / "new.csv", 0.05, 14)
    learn = ("calibrate", "val.csv", "--label", "y", *LLR, "--method", method, "-o", "cal.json")
    stakes_call(tmp_path, *learn)
    by_calibrator = ("decide", "new.csv", *LLR, *COST, "--calibrator-file", "cal.json")
    apply = ("calibrate", "new.csv", "--apply", "cal.json", *LLR)
    said = stakes_call(tmp_path, *apply, "--write", "llr", "-o", "llr.csv")
    assert "--scores calibrated_llr --scores-are llr --classes no,yes" in said
    for prior in ("0.05", "0.5", "0.9"):
        stakes_call(tmp_path, *by_calibrator, "--prior", prior, "-o", "a.csv", "--force")
        written = ("--scores", "calibrated_llr", "--scores-are", "llr", "--classes", "no,yes")
        stakes_call(
            tmp_path, "decide", "llr.csv", *written, *COST, "--prior", prior, "-o", "b.csv",
            "--force",
        )  # fmt: skip
        applied = ("--prior", prior, "-o", "c.csv", "--force")
        stakes_call(tmp_path, *apply, *applied)
        stakes_call(tmp_path, *apply, *applied[:3], "d.csv", "--write", "log-odds", "--force")
        one, two, three, four = (table(tmp_path / f"{name}.csv") for name in "abcd")
        p = np.array([float(row["posterior_yes"]) for row in one])
        for rows, name in ((two, "posterior_yes"), (three, "calibrated_yes")):
            np.testing.assert_allclose(p, [float(row[name]) for row in rows], rtol=1e-9)
        odds = np.array([float(row["calibrated_log_odds"]) for row in four])
        np.testing.assert_allclose(p, 1 / (1 + np.exp(-odds)), rtol=1e-9)
        assert [row["decision"] for row in one] == [row["decision"] for row in two]


def test_decide_accepts_as_many_as_are_right_at_other_priors(tmp_path: Path) -> None:
    write_ratios(tmp_path / "val.csv", 0.2, 15, n=4000)
    y = write_ratios(tmp_path / "new.csv", 0.2, 16)
    stakes_call(tmp_path, "calibrate", "val.csv", "--label", "y", *LLR, "-o", "cal.json")
    cost = ("--cost", "miss=50,false_alarm=1", "--prior", "0.05")
    stakes_call(
        tmp_path, "decide", "new.csv", *LLR, *cost, "--calibrator-file", "cal.json", "-o", "out.csv"
    )
    rows = table(tmp_path / "out.csv")
    truth = stakes.LogLikelihoodRatios([(float(row["llr"]) - 1) / 2 for row in rows])
    costs = stakes.CostMatrix.binary(miss=50, false_alarm=1)
    right = costs.bayes_decisions(truth, USED)
    decided = np.array([row["decision"] == "yes" for row in rows])
    assert abs(int(decided.sum()) - int(right.sum())) <= 0.02 * y.size


def test_posteriors_are_moved_without_training_priors(tmp_path: Path) -> None:
    y = write_ratios(tmp_path / "val.csv", 0.2, 17)
    logits = ("--scores", "llr", "--scores-are", "logits", "--classes", "no,yes")
    stakes_call(tmp_path, "calibrate", "val.csv", "--label", "y", *logits, "-o", "cal.json")
    decide = ("decide", "val.csv", *logits, *COST, "--calibrator-file", "cal.json", "-o", "out.csv")
    said = stakes_call(tmp_path, *decide)
    assert "priors of the calibrator, no 0." in said
    here = np.array([float(row["posterior_yes"]) for row in table(tmp_path / "out.csv")])
    stakes_call(tmp_path, *decide, "--prior", "0.05", "--force")
    there = np.array([float(row["posterior_yes"]) for row in table(tmp_path / "out.csv")])
    share = [1 - y.mean(), y.mean()]
    wanted = np.exp(stakes.Posteriors(here).at_priors(share, USED).values[:, 1])
    np.testing.assert_allclose(there, wanted, rtol=1e-9)
    refused: list[tuple[tuple[str, ...], str]] = [
        ((*decide, "--training-prior", "0.2", "--prior", "0.05"), "knows its own (no 0."),
        ((*decide, "--prior", "data"), "no labels to take priors from"),
        (("decide", "val.csv", *LLR, *decide[6:]), "fitted on, logits"),
    ]
    apply = ("calibrate", "val.csv", "--apply", "cal.json", "-o", "x.csv")
    refused += [
        ((*apply, *LLR), "fitted on, logits"),
        ((*apply, *logits, "--write", "llr", "--prior", "0.1"), "no effect"),
        (("calibrate", "val.csv", "--label", "y", *logits, "--write", "llr", "-o", "c"), "--apply"),
    ]
    for arguments, words in refused:
        done = call(*arguments, "--force", cwd=tmp_path)
        assert done.returncode in (2, 3), done.stderr
        assert words in done.stderr


def test_many_classes_are_written_as_log_likelihoods(tmp_path: Path) -> None:
    data = simulate(3, n=600)
    names = ("a", "b", "c")
    lines = [
        ",".join([names[y], *map(repr, row)])
        for y, row in zip(data.y, data.log_likelihoods(MISCALIBRATED).values.tolist(), strict=True)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["y,p_a,p_b,p_c", *lines]) + "\n")
    scores = ("--scores", "p_a,p_b,p_c", "--scores-are", "log-likelihoods")
    stakes_call(tmp_path, "calibrate", "s.csv", "--label", "y", *scores, "-o", "cal.json")
    prior = ("--prior", "a=0.8,b=0.1,c=0.1")
    stakes.CostMatrix.zero_one(names).write(tmp_path / "c.toml")
    decide = ("--cost", "c.toml", *prior)
    stakes_call(
        tmp_path,
        "decide",
        "s.csv",
        *scores,
        *decide,
        "--calibrator-file",
        "cal.json",
        "-o",
        "one.csv",
    )
    wanted = [float(row["posterior_a"]) for row in table(tmp_path / "one.csv")]
    for kind, columns, read_as, more in (
        ("llr", "calibrated_log_likelihood_", "log-likelihoods", ()),
        ("log-odds", "calibrated_log_", "log-posteriors", prior),
    ):
        apply = ("calibrate", "s.csv", "--apply", "cal.json", *scores, *more)
        stakes_call(tmp_path, *apply, "--write", kind, "-o", "w.csv", "--force")
        written = ("--scores", ",".join(columns + n for n in names), "--scores-are", read_as)
        used = decide if kind == "llr" else decide[:2]
        stakes_call(tmp_path, "decide", "w.csv", *written, *used, "-o", "two.csv", "--force")
        found = [float(row["posterior_a"]) for row in table(tmp_path / "two.csv")]
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
