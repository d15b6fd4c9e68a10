"""Deciding from the command line, and commands that were printed to be copied."""

import csv
import json
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from command import call

PATIENTS = str(files("stakes") / "data" / "diabetes.csv")
SCORES = ("--scores", "p_severe_b", "--scores-are", "posteriors", "--classes", "usual,severe")
BY_AMOUNT = "miss=years_to_80,false_alarm=5"


def decided(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def decide(tmp_path: Path, *more: str) -> list[dict[str, Any]]:
    """Decide for the patients, and return the table."""
    done = call("decide", PATIENTS, *SCORES, *more, "-o", "out.csv", "--force", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return decided(tmp_path / "out.csv")


def test_posteriors_are_adapted_from_the_priors_of_training(tmp_path: Path) -> None:
    cost = ("--cost", "miss=10,false_alarm=1")
    rows = decide(tmp_path, *cost, "--prior", "0.5", "--training-prior", "0.1")
    raw = stakes.Posteriors([float(row["p_severe_b"]) for row in rows])
    wanted = np.exp(raw.at_priors([0.9, 0.1], [0.5, 0.5]).values[:, 1])
    assert [float(row["posterior_severe"]) for row in rows] == pytest.approx(wanted.tolist())
    bare = call("decide", PATIENTS, *SCORES, *cost, "--prior", "0.5", "-o", "x.csv", cwd=tmp_path)
    assert bare.returncode == 3
    assert "--training-prior" in bare.stderr
    assert not (tmp_path / "x.csv").exists()


def test_a_cap_keeps_the_largest_expected_savings(tmp_path: Path) -> None:
    free = decide(tmp_path, "--cost", BY_AMOUNT)
    capped = decide(tmp_path, "--cost", BY_AMOUNT, "--review", "0.1")
    p = np.array([float(row["p_severe_b"]) for row in free])
    saving = p * np.array([float(row["years_to_80"]) for row in free]) - (1 - p) * 5
    taken = np.array([row["decision"] == "severe" for row in capped])
    assert taken.sum() == 44
    assert saving[taken].min() >= saving[~taken].max()
    assert sum(row["decision"] == "severe" for row in free) > 44
    assert all(saving[[row["decision"] == "severe" for row in free]] > 0)


def test_new_columns_may_have_a_prefix_and_old_ones_stay(tmp_path: Path) -> None:
    rows = decide(tmp_path, "--cost", BY_AMOUNT, "--prefix", "new_")
    assert {"new_decision", "new_expected_cost", "new_posterior_usual"} < set(rows[0])
    kept = decided(Path(PATIENTS))
    assert [{k: row[k] for k in kept[0]} for row in rows] == kept


def test_decisions_by_amount_are_judged_by_amount(tmp_path: Path) -> None:
    decide(tmp_path, "--cost", BY_AMOUNT)
    done = call(
        "evaluate", "out.csv", "--label", "outcome", "--decision", "decision",
        "--classes", "usual,severe", "--cost", BY_AMOUNT, "--format", "csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = {row["metric"]: row["value"] for row in csv.DictReader(done.stdout.splitlines())}
    rows = decided(tmp_path / "out.csv")
    amounts = [float(row["years_to_80"]) for row in rows]
    costs = stakes.SampleCosts.from_columns(
        [[0, 5], ["amount", 0]], {"amount": amounts}, classes=["usual", "severe"]
    )
    cost = stakes.expected_cost(
        [row["outcome"] for row in rows], [row["decision"] for row in rows], costs=costs
    )
    assert float(printed["nec"]) == pytest.approx(cost.normalized, rel=1e-12)


def test_several_detection_costs_are_several_applications(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [(f"m{i % 20} s{i}", "target" if i % 4 == 0 else "nontarget") for i in range(400)]
    llr = [rng.normal(2 if label == "target" else -2, 2) for _, label in lines]
    (tmp_path / "key").write_text("".join(f"{t} {label}\n" for t, label in lines))
    (tmp_path / "llr").write_text(
        "".join(f"{t} {x:.6f}\n" for (t, _), x in zip(lines, llr, strict=True))
    )
    trials = ("evaluate", "llr", "--key", "key", "--scores-are", "llr")
    both = call(*trials, "--dcf", "10:1:0.01", "--dcf", "1:1:0.5", "--format", "csv", cwd=tmp_path)
    assert both.returncode == 0, both.stderr
    values = {row["metric"]: row["value"] for row in csv.DictReader(both.stdout.splitlines())}
    for text in ("10:1:0.01", "1:1:0.5"):
        alone = call(*trials, "--dcf", text, "--format", "csv", cwd=tmp_path)
        one = {row["metric"]: row["value"] for row in csv.DictReader(alone.stdout.splitlines())}
        assert values[f"dcf {text}.nec"] == one["cost.nec"]
    grouped = call(*trials, "--dcf", "1:1:0.5", "--group", "model", "--json", cwd=tmp_path)
    assert '"groups": 20' in grouped.stdout
    odd = call(*trials, "--dcf", "1:1:0.5", "--group", "speaker", cwd=tmp_path)
    assert odd.returncode == 2
    assert "model and segment" in odd.stderr


def test_one_application_file_serves_several_commands(tmp_path: Path) -> None:
    (tmp_path / "app.toml").write_text(
        'label = "outcome"\nscores = "p_severe_b"\nscores-are = "posteriors"\n'
        'positive = "severe"\nseed = 7\ncost = "miss=10,false_alarm=1"\n'
    )
    for command, more in (("evaluate", ()), ("threshold", ()), ("check", ("--max-nec", "0.9"))):
        done = call(command, PATIENTS, "--app", "app.toml", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    sliced = 'slice = "sex"\n'  # one text, where a list may stand
    (tmp_path / "app.toml").write_text((tmp_path / "app.toml").read_text() + sliced)
    done = call("evaluate", PATIENTS, "--app", "app.toml", cwd=tmp_path)
    assert "sex 1" in done.stdout, done.stderr
    (tmp_path / "app.toml").write_text('labl = "outcome"\n')
    done = call("threshold", PATIENTS, "--app", "app.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "'labl'" in done.stderr


def write_turned(folder: Path) -> None:
    """Write scores of two systems, one with its columns in the other order."""
    data = stakes.simulation.simulate(2, n=400, priors=[0.7, 0.3])
    names, p = ("healthy", "tumour"), np.exp(data.posteriors([0.3, 0.7]).values)
    lines = ["y,p_healthy,p_tumour,q_tumour,q_healthy"]
    lines += [
        f"{names[y]},{a!r},{b!r},{b!r},{a!r}" for y, (a, b) in zip(data.y, p.tolist(), strict=True)
    ]
    (folder / "s.csv").write_text("\n".join(lines) + "\n")


def test_the_printed_command_gives_what_it_promised(tmp_path: Path) -> None:
    write_turned(tmp_path)
    scores = ("--scores", "p_healthy,p_tumour", "--scores-are", "posteriors")
    told = ["--positive", "healthy", "--cost", "miss=5,false_alarm=1", "--prior", "0.9"]
    told += ["--training-prior", "deployment"]
    done = call(
        "evaluate",
        "s.csv",
        "--label",
        "y",
        *scores,
        *told,
        "--json",
        cwd=tmp_path,
    )
    document = json.loads(done.stdout)
    command = next(v["command"] for v in document["verdicts"] if "calibrate" in v["command"])
    assert "--classes healthy,tumour" in command
    words = shlex.split(command)
    assert call(*words[1:], cwd=tmp_path).returncode == 0
    applied = call(
        "calibrate", "s.csv", *scores, "--apply", "calibrator.json", "-o", "t.csv", cwd=tmp_path
    )
    assert applied.returncode == 0, applied.stderr
    after = call(
        "evaluate", "t.csv", "--label", "y", "--scores", "calibrated_healthy,calibrated_tumour",
        "--classes", "healthy,tumour", "--scores-are", "posteriors", *told, "--calibrator", "none", "--json", cwd=tmp_path,
    )  # fmt: skip
    reached = json.loads(after.stdout)["applications"][0]["expected_cost"]["normalized"]["value"]
    promised = document["applications"][0]["expected_cost"]["calibrated"]["value"]
    assert reached == pytest.approx(promised, rel=0.1)


def test_columns_go_by_their_names_in_any_order(tmp_path: Path) -> None:
    write_turned(tmp_path)
    both = ("--system", "a=p_healthy,p_tumour", "--system", "b=q_tumour,q_healthy")
    done = call(
        "compare", "s.csv", "--label", "y", *both, "--scores-are", "posteriors", "--json", cwd=tmp_path,
    )  # fmt: skip
    values = json.loads(done.stdout)["values"]
    assert values["a"]["cost.nec"] == values["b"]["cost.nec"]
    odd = call(
        "evaluate",
        "s.csv",
        "--label",
        "y",
        "--scores",
        "p_tumour",
        "--scores-are",
        "posteriors",
        "--positive",
        "healthy",
        cwd=tmp_path,
    )
    assert odd.returncode == 2
    assert "--positive 'tumour'" in odd.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("threshold", *SCORES, "--label", "outcome", "--group", "sex"),
        ("evaluate", "--label", "outcome", "--decision", "sex", "--folds", "3"),
        ("evaluate", "--label", "outcome", "--decision", "sex", "--group", "patient"),
        ("calibrate", *SCORES, "--apply", "c.json", "--method", "isotonic", "-o", "x.csv"),
    ],
)
def test_options_without_effect_are_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = call(arguments[0], PATIENTS, *arguments[1:], cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "no effect" in done.stderr


def test_groups_of_an_application_file_are_for_other_commands(tmp_path: Path) -> None:
    entries = ['label = "outcome"', 'scores = "p_severe_b"', 'scores-are = "posteriors"']
    entries += ['positive = "severe"', "cost = { miss = 10, false_alarm = 1 }"]
    (tmp_path / "app.toml").write_text("\n".join([*entries, 'group = "age_band"']))
    (tmp_path / "plain.toml").write_text("\n".join(entries))
    grouped, alone = (
        call("threshold", PATIENTS, "--app", name, cwd=tmp_path)
        for name in ("app.toml", "plain.toml")
    )
    assert (grouped.returncode, grouped.stdout) == (0, alone.stdout)
    assert grouped.stderr == (
        "Note: group has no effect on a threshold: its intervals take cases one by one.\n"
    )
    typed = call("threshold", PATIENTS, "--app", "app.toml", "--group", "sex", cwd=tmp_path)
    assert typed.returncode == 2
    assert "--group has no effect on a threshold" in typed.stderr
    counted = call("evaluate", PATIENTS, "--app", "app.toml", "--json", cwd=tmp_path)
    assert '"groups": 3' in counted.stdout


def test_a_limit_on_the_cost_is_for_every_application(tmp_path: Path) -> None:
    base = 'label = "outcome"\nscores = "p_severe_b"\nscores-are = "posteriors"\n'
    (tmp_path / "app.toml").write_text(
        f'{base}positive = "severe"\ncalibrator = "none"\n'
        '[applications.easy]\ncost = "miss=10,false_alarm=1"\n'
        '[applications.hard]\ncost = "miss=1,false_alarm=1"\n'
    )
    done = call("check", PATIENTS, "--app", "app.toml", "--max-nec", "0.5", cwd=tmp_path)
    assert done.returncode == 1
    assert "ok: easy.nec" in done.stdout
    assert "FAILED: hard.nec" in done.stdout
    whole = ("check", PATIENTS, "--app", "app.toml", "--min", "auc=0.1", "--confident")
    assert call(*whole, cwd=tmp_path).returncode == 0
    bare = call(
        *whole[:4], "--max", "easy.f1_score=1", "--confident", "--group", "sex", cwd=tmp_path
    )
    assert bare.returncode == 1
    assert "without an interval" in bare.stdout


@pytest.mark.parametrize("cost", ["miss=5,false_alarm=1", "miss=price,false_alarm=1"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_cap_takes_as_many_tied_cases_as_the_threshold_says(
    cost: str, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    p = rng.choice([0.05, 0.1, 0.3, 0.45, 0.6, 0.7], 200)  # few levels, many ties
    y, price = rng.random(200) < p, rng.choice([2, 5], 200)
    lines = [f"{'ill' if a else 'well'},{b},{c}" for a, b, c in zip(y, p, price, strict=True)]
    (tmp_path / "s.csv").write_text("\n".join(["y,p,price", *lines]) + "\n")
    given = ("s.csv", "--scores", "p", "--scores-are", "posteriors", "--cost", cost)
    for cap in (0.0, 0.05, 0.1, 0.2, 0.33, 0.5, 1.0):
        more = ("--review", str(cap), "--json")
        told = call("threshold", *given, "--label", "y", "--positive", "ill", *more, cwd=tmp_path)
        reviewed = json.loads(told.stdout)["results"][-1]["reviewed"]
        done = call(
            "decide", *given, *more, "--classes", "well,ill", "-o", "o.csv", "--force", cwd=tmp_path
        )
        share = json.loads(done.stdout)["decisions"]["ill"]
        assert share == pytest.approx(reviewed)
        assert share <= cap
        rows = [(row["p"], row["price"]) for row in decided(tmp_path / "o.csv")]
        by_case: dict[tuple[str, str], set[str]] = {}
        for case, row in zip(rows, decided(tmp_path / "o.csv"), strict=True):
            by_case.setdefault(case, set()).add(row["decision"])
        assert all(len(decisions) == 1 for decisions in by_case.values())
