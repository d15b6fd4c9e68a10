"""--format github: the summary of a step, and annotations that say what failed and what to do."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from command import SCORES, TABLE, call, environment, run, write_scores
from stakes.cli.gate_advice import advice_on_limit, advice_on_margin
from stakes.cli.github import (
    MOST_BYTES,
    MOST_OF_A_KIND,
    SUMMARY,
    Annotation,
    annotation_lines,
    append_summary,
    within,
)
from stakes.evaluation import evaluate

GITHUB = ("--format", "github")
ONE = ("scores.csv", "--label", "y", "--scores", "p_alarm", "--scores-are", "posteriors", "--positive", "alarm")  # fmt: skip
GOOD = ("good.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "ill")
FEW = ()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(SUMMARY, raising=False)
    write_scores(tmp_path / "scores.csv")
    (tmp_path / "table.csv").write_text(TABLE)
    rng = np.random.default_rng(4)
    y = rng.random(600) < 0.5
    p = 1 / (1 + np.exp(-(4 * y - 2 + 2 * rng.normal(size=600))))
    rows = (f"{'ill' if i else 'well'},{q},{1 - q}\n" for i, q in zip(y, p, strict=True))
    (tmp_path / "good.csv").write_text("y,p,reversed\n" + "".join(rows))
    return tmp_path


def read_back(line: str) -> tuple[str, str, str]:
    """Return kind, title and message of an annotation as the runner of GitHub reads them."""
    head, message = line.removeprefix("::").split("::", 1)
    kind, _, properties = head.partition(" ")
    ((name, title),) = (part.split("=", 1) for part in properties.split(","))
    assert name == "title"
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        title = title.replace(code, sign)
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        message = message.replace(code, sign)
    return kind, title, message


def annotations(text: str) -> list[tuple[str, str, str]]:
    return [read_back(line) for line in text.splitlines() if line.startswith("::")]


@given(
    st.text(st.sampled_from("ab%:,\r\n=025DAC"), min_size=1),
    st.text(st.sampled_from("ab%:,\r\n25A")),
)
def test_any_title_and_text_come_back(title: str, text: str) -> None:
    line = Annotation("error", title, f"x{text}").line()
    assert len(line.splitlines()) == 1
    assert read_back(line) == ("error", title, f"x{text}")


def test_signs_are_written_as_github_reads_them() -> None:
    line = Annotation("warning", "50 %, a:b\r", "50 %, a:b", "do\r\nthis").line()
    assert line == "::warning title=50 %25%2C a%3Ab%0D::50 %25, a:b%0Ado%0D%0Athis"


def test_a_failed_limit_is_an_error_with_value_interval_limit_and_fix(folder: Path) -> None:
    limits = ("--max-nec", "0.6", "--min-auc", "0.5", "--cost", "miss=5,false_alarm=1")
    plain = call("check", *ONE, *FEW, *limits, cwd=folder)
    done = call("check", *ONE, *FEW, *limits, *GITHUB, cwd=folder)
    assert (done.returncode, plain.returncode) == (1, 1)
    ((kind, title, text),) = annotations(done.stdout)
    assert (kind, title) == ("error", "stakes check: cost.nec")
    reason, fix = text.split("\n")
    assert reason == plain.stdout.splitlines()[0]
    document = json.loads(call("check", *ONE, *FEW, *limits, "--json", cwd=folder).stdout)
    gate = document["gates"][0]
    low, high = gate["estimate"]["interval"]
    for number in (gate["estimate"]["value"], low, high, 0.6):
        assert f"{number:.4g}"[:4] in reason
    assert fix.startswith(("After calibration it is 0.", "Use better scores"))
    assert f"- {reason}. {fix}".split(":")[0] in done.stdout


def test_what_passes_is_one_notice(folder: Path) -> None:
    done = call("check", *ONE, *FEW, "--max-nec", "9", "--min-auc", "0.5", *GITHUB, cwd=folder)
    assert done.returncode == 0
    ((kind, title, text),) = annotations(done.stdout)
    assert (kind, title) == ("notice", "stakes check: passed")
    assert text.startswith("cost.nec is ")
    assert "; auc is " in text


def test_reversed_scores_are_a_warning(folder: Path) -> None:
    swapped = (*GOOD, "--scores", "reversed")
    done = call("check", *swapped, *FEW, "--max-nec", "0.5", *GITHUB, cwd=folder)
    assert [kind for kind, _, _ in annotations(done.stdout)] == ["error", "warning"]
    assert "Check whether columns are swapped" in annotations(done.stdout)[1][2]


def test_the_summary_is_added_to_and_never_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "summary.md"
    file.write_text("# Earlier step, no newline at its end")
    monkeypatch.setenv(SUMMARY, str(file))
    limits = ("--max-nec", "9")
    first = call("check", *ONE, *FEW, *limits, *GITHUB, cwd=folder)
    assert "|" not in first.stdout  # the table is in the summary
    once = file.read_text()
    call("check", *ONE, *FEW, *limits, *GITHUB, cwd=folder)
    twice = file.read_text()
    assert once.startswith("# Earlier step, no newline at its end\n\n## stakes ")
    assert twice.startswith(once)
    assert twice.count("| cost.nec | max | 9 |") == 2
    assert "::" not in twice


def test_without_a_summary_everything_is_printed(folder: Path) -> None:
    done = run("check", *ONE, *FEW, "--max-nec", "9", *GITHUB, cwd=folder, env=environment(**{SUMMARY: ""}))  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("## stakes ")
    assert "| cost.nec | max | 9 |" in done.stdout
    assert len(annotations(done.stdout)) == 1


def test_an_output_takes_the_summary_and_the_annotations_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SUMMARY, str(folder / "summary.md"))
    done = call("check", *ONE, *FEW, "--max-nec", "9", *GITHUB, "-o", "out.md", cwd=folder)
    assert (folder / "out.md").read_text().startswith("## stakes ")
    assert not (folder / "summary.md").exists()
    assert [line[:8] for line in done.stdout.splitlines()] == ["::notice"]


def test_a_summary_that_cannot_be_written_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SUMMARY, str(folder / "none" / "summary.md"))
    done = call("check", *ONE, *FEW, "--max-nec", "9", *GITHUB, cwd=folder)
    assert done.returncode == 4
    assert "which GITHUB_STEP_SUMMARY names: No such file or directory." in done.stderr


def test_at_most_ten_of_a_kind_and_the_last_counts_the_rest() -> None:
    errors = [Annotation("error", f"gate {i}", f"FAILED: {i}") for i in range(14)]
    notices = [Annotation("notice", "n", str(i)) for i in range(10)]
    lines = [read_back(line) for line in annotation_lines([*notices, *errors])]
    kinds = [kind for kind, _, _ in lines]
    assert kinds == ["error"] * MOST_OF_A_KIND + ["notice"] * MOST_OF_A_KIND
    assert [text for _, _, text in lines[:9]] == [f"FAILED: {i}" for i in range(9)]
    assert lines[9][1:] == ("5 more", "5 more, of which GitHub shows none: FAILED: 9 ...")


def test_many_failed_limits_stay_ten_errors(folder: Path) -> None:
    many = [word for i in range(13) for word in ("--max", f"cost.nec=0.0{i + 1:02}")]
    done = call("check", *ONE, *FEW, *many, *GITHUB, cwd=folder)
    found = annotations(done.stdout)
    assert len(found) == 10
    assert done.stdout.count("- FAILED: cost.nec") == 13  # the summary has them all
    assert done.returncode == 1


@pytest.mark.parametrize("before", [0, 1000, MOST_BYTES - 3000])
def test_a_summary_never_grows_beyond_what_is_shown(before: int, tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * before)
    lines = [f"| é {i} |" for i in range(200_000)]
    assert append_summary(str(file), lines)
    written = file.read_bytes()
    assert MOST_BYTES - 200 < len(written) <= MOST_BYTES
    assert written.startswith(b"x" * before)
    text = written[before:].decode()
    shown = [line for line in text.splitlines() if line.startswith("|")]
    assert shown == lines[: len(shown)]
    assert "Cut: all 200000 lines would be longer than the 1 MiB" in text
    size = len(written)
    assert not append_summary(str(file), lines)
    assert file.stat().st_size == size


def test_a_cut_closes_what_it_opened() -> None:
    text = within(
        ["<details><summary>9 numbers</summary>", "", *["| a |"] * 9, "", "</details>"], 150
    )
    assert text.count("<details>") == text.count("</details>") == 1
    assert len(text) <= 150
    assert within(["| a |"] * 9, 54) == "| a |\n" * 9
    assert within(["| a |"] * 9, 53) == ""  # there is no place to say that it was cut


def test_a_full_summary_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "summary.md"
    file.write_bytes(b"x" * MOST_BYTES)
    monkeypatch.setenv(SUMMARY, str(file))
    done = call("check", *ONE, *FEW, "--max-nec", "9", *GITHUB, cwd=folder)
    assert done.returncode == 0
    assert "the summary of this step is full" in done.stderr
    assert file.stat().st_size == MOST_BYTES
    assert len(annotations(done.stdout)) == 1


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        (("evaluate", *GOOD, "--scores", "p", *FEW), {"notice"}),
        (("evaluate", "table.csv", "--label", "truth", "--decision", "decision"), {"warning"}),
        (("compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_calm,p_alarm", "--scores-are", "posteriors", "--positive", "alarm", *FEW), {"warning"}),
        (("threshold", "scores.csv", "--label", "y", *SCORES, "--cost", "miss=5,false_alarm=1"), {"notice"}),
    ],
)  # fmt: skip
def test_every_command_annotates_its_sentences(
    command: tuple[str, ...], kinds: set[str], folder: Path
) -> None:
    done = call(*command, *GITHUB, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = annotations(done.stdout)
    assert {kind for kind, _, _ in found} == kinds
    assert {title for _, title, _ in found} == {f"stakes {command[0]}"}
    markdown = call(*command, "--format", "md", cwd=folder).stdout
    listed = [line for line in markdown.splitlines() if line.startswith("- ")]
    assert len(listed) == len(found)
    shown = [line for line in done.stdout.splitlines() if line.startswith("- ")]
    assert shown == listed
    long = len(markdown.splitlines()) > 30
    assert ("<details>" in done.stdout, "</details>" in done.stdout) == (long, long)


def test_names_cannot_write_commands(folder: Path) -> None:
    odd = "::error::a\n::error title=b::c"
    (folder / "odd.csv").write_text(f'y,d\n"{odd}","{odd}"\nplain,plain\n' * 3)
    done = call("evaluate", "odd.csv", "--label", "y", "--decision", "d", *GITHUB, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert all(title.startswith("stakes") for _, title, _ in annotations(done.stdout))
    assert not any(line.startswith("::error") for line in done.stdout.splitlines())


def test_advice_fits_why_a_gate_failed() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-6 * (2 * y - 1 + rng.normal(size=500))))  # overconfident
    found = evaluate(y, p)
    after = found.metrics()["cross_entropy.calibrated_normalized"].value

    def advice(metric: str, limit: float, *, confident: bool = False, kind: str = "max") -> str:
        estimate = found.metrics()[metric].to_dict()
        gate = {"metric": metric, "kind": kind, "limit": limit, "confident": confident, "estimate": estimate}  # fmt: skip
        return advice_on_limit(gate, found, "stakes calibrate x.csv")

    calibrated = advice("cross_entropy.normalized", after + 0.01)
    assert calibrated.startswith("After calibration it is 0.")
    assert calibrated.endswith("which would pass: stakes calibrate x.csv")
    flag = advice("cross_entropy.normalized", after - 0.01)
    assert flag == "Use better scores, or change the limit: --max-cross-entropy."
    assert advice("cost.nec", 0.001).endswith("--max-nec.")
    assert advice("auc", 1, kind="min").endswith("--min-auc.")
    assert advice("cost.accuracy", 1, kind="min").endswith("--min cost.accuracy=NUMBER.")
    value = found.metrics()["cost.nec"].value
    narrow = advice("cost.nec", value + 1e-6, confident=True)
    assert narrow == "The value alone would pass. More samples narrow the interval."
    score = advice("cost.f1_score", 0.1, confident=True, kind="min")
    assert score == "The value alone would pass. More samples narrow the interval."
    bare = {"metric": "cost.f1_score", "kind": "min", "limit": 0.1, "confident": True, "estimate": {"value": 0.9, "interval": None, "method": ""}}  # fmt: skip
    chosen = "Choose a metric that has an interval, or leave out --confident."
    assert advice_on_limit(bare, found, "") == chosen
    undefined = {"metric": "cost.nec", "kind": "max", "limit": 1, "confident": False, "estimate": {"value": None, "interval": None, "method": ""}}  # fmt: skip
    assert advice_on_limit(undefined, found, "").startswith("It is undefined")
    infinite = undefined | {"estimate": {"value": "inf", "interval": None, "method": ""}}
    assert advice_on_limit(infinite, found, "").startswith("After calibration it is")
    ratio = {"estimate": {"value": 1.01}, "limit": 1.02}
    assert advice_on_margin(ratio, "p_old").startswith("The ratio alone would pass")
    ratio = {"estimate": {"value": 1.03}, "limit": 1.02}
    assert advice_on_margin(ratio, "p_old").endswith("--max-loss-against p_old=SHARE.")
