"""The page: whole, small, harmless, and the same each time."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from command import DECIDED, QUICK, TABLE, call, write_scores
from stakes._markdown import escaped
from stakes._text import number, plain
from stakes.evaluation import evaluate_decisions
from stakes.report.payload import full_label

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>\u202eevil\u2066",
    "' onmouseover='alert(3)' \" autofocus onfocus=alert(4) x=\"" + "A" * 10_000,
)


class Reader(HTMLParser):
    """Gathers what a browser would run, load or show."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.scripts: dict[str, str] = {}
        self.style = ""
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note attributes."""
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._open = tag
        if tag == "script":
            self._open = f"script {dict(attrs).get('type', 'run')}"
            assert self._open not in self.scripts

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        """Leave an element."""
        self._open = ""

    def handle_data(self, data: str) -> None:
        """Note text."""
        if self._open.startswith("script"):
            self.scripts[self._open] = self.scripts.get(self._open, "") + data
        elif self._open == "style":
            self.style += data
        else:
            self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def evaluated(**options: Any) -> stakes.Evaluation:  # noqa: ANN401
    data = stakes.simulation.simulate(2, n=400)
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    settings: dict[str, Any] = {"costs": costs, **options}
    return stakes.evaluate(data.y, data.posteriors([0.5, 0.5]), **settings)


def hostile() -> stakes.Evaluation:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    costs = stakes.CostMatrix(
        1 - np.eye(3, 4)[:, :4], classes=HOSTILE, decisions=(*HOSTILE, "<b>none</b>")
    )
    return stakes.evaluate(
        [HOSTILE[k] for k in y],
        stakes.Posteriors(rng.dirichlet(np.ones(3), 200)),
        costs={"<i>use</i>": costs},
        classes=HOSTILE,
        slices={"<u>site</u>": [HOSTILE[k] for k in rng.integers(0, 3, 200)]},
    )


RECORDS: dict[str, Callable[[], Any]] = {
    "two classes": evaluated,
    "hostile names": hostile,
    "comparison": lambda: stakes.compare(
        [0, 1] * 50,
        {name: np.linspace(0.1, 0.9, 100) ** (k + 1) for k, name in enumerate(HOSTILE[:2])},
    ),
    "decisions": lambda: evaluate_decisions(
        stakes.confusion_matrix(list("aabb"), list("abbb"), classes=["a", "b"])
    ),
}
TITLES = {
    "hostile names": {"title": HOSTILE[0], "source": HOSTILE[1]},
    "decisions": {"title": HOSTILE[0]},
}
PAGES: dict[str, Callable[[], str]] = {
    name: lambda name=name: RECORDS[name]().to_html(**TITLES.get(name, {}))  # type: ignore[misc]
    for name in RECORDS
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_runs_its_own_script_alone(name: str) -> None:
    page = PAGES[name]()
    reader = read(page)
    assert set(reader.scripts) == {"script run", "script application/json"}
    (policy,) = (v for t, n, v in reader.attributes if t == "meta" and v.startswith("default-src"))
    for kind, text in (("script", reader.scripts["script run"]), ("style", reader.style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert [n for _, n, _ in reader.attributes if n.startswith("on") or n == "style"] == []


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_loads_nothing(name: str) -> None:
    page = PAGES[name]()
    reader = read(page)
    outside = [a for a in reader.attributes if a[1] in {"src", "href", "srcset", "action"}]
    assert [a for a in outside if not a[2].startswith(("data:", "#"))] == []
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[\w./-]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in reader.style
    assert "url(" not in reader.style


def test_names_from_outside_are_text() -> None:
    page = PAGES["hostile names"]()
    shown = "".join(read(page).texts)
    assert "<script>alert(1)</script>" in shown
    assert "\\u202eevil" in shown
    assert "\u202e" not in page
    assert "A" * 300 not in shown
    assert "<b>none</b>" in shown
    for tag in ("<script>alert", "<img", "<b>", "<i>", "<u>"):
        assert tag not in page


def test_the_page_tells_what_the_evaluation_does() -> None:
    evaluation = evaluated()
    reader = read(evaluation.to_html())
    shown = " ".join(reader.texts)
    assert number(evaluation.main.cost.normalized.value) in reader.texts
    assert str(evaluation.main.cost.normalized.interval) in reader.texts
    for verdict in evaluation.verdicts:
        assert verdict.text in shown
    for name in evaluation.metrics():
        assert full_label(name) in shown
    data = json.loads(reader.scripts["script application/json"])
    assert data["applications"][0]["necs"][0] == evaluation.main.cost.normalized.value
    assert data["applications"][0]["costs"] == [[0, 1], [5, 0]]
    assert data["live"]["exact"]


def table_rows(page: str, caption: str) -> dict[str, list[str]]:
    """Return the cells of the rows of a table by the first."""
    start = page.index(f'<caption class="unseen">{caption}</caption>')
    body = page[start : page.index("</tbody>", start)]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', body)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", cells) for name, cells in rows}


def test_people_read_names_and_machines_read_keys() -> None:
    evaluation = evaluated()
    page = evaluation.to_html()
    assert set(table_rows(page, "Ranking")) == {"AUC", "EER"}
    slope = evaluation.slope
    assert slope is not None
    cells = table_rows(page, "Calibration errors and slope")[
        "calibration slope (below 1: overconfident)"
    ]
    assert cells == [number(slope.value), str(slope.interval), "", "1"]
    every = {full_label(name) for name in evaluation.metrics()}
    assert len(every) == len(evaluation.metrics())
    assert every == set(table_rows(page, "All numbers"))
    assert not [name for name in every if "_" in name or "." in name]
    y = np.array([0, 1] * 50)
    p = np.linspace(0.1, 0.9, 100)
    compared = stakes.compare(y, {"a": p, "b": p**2})
    page = compared.to_html()
    numbers = page[: page.index("<summary>All differences")]
    people = set(table_rows(numbers, "b minus a, on the same samples"))
    assert {"normalised cost", "AUC", "accuracy", "cross-entropy", "Brier score"} <= people
    assert not [name for name in people if "_" in name or "." in name]
    everything = page[page.index("<summary>All differences") :]
    assert "cross-entropy, normalised" in table_rows(
        everything, "b minus a, on the same samples: all metrics"
    )
    data = json.loads(read(page).scripts["script application/json"])
    labels = {one["metric"]: one["label"] for one in data["differences"]}
    assert labels["cost.matthews_correlation"] == "Matthews correlation"
    uses = {"one": [[0, 1], [1, 0]], "two": [[0, 1], [9, 0]]}
    several = stakes.compare(y, {"a": p, "b": p**2}, costs=uses).to_html()
    assert {"one: normalised cost", "two: normalised cost"} <= set(
        table_rows(several, "b minus a, on the same samples")
    )


def test_the_same_numbers_make_the_same_bytes(tmp_path: Path) -> None:
    evaluated().save_html(tmp_path / "a.html")
    evaluated().save_html(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2_000, 9_000, 300_000])
def test_two_classes_take_little_room(n: int, *, weighted: bool) -> None:
    data = stakes.simulation.simulate(2, n=n)
    weights = np.random.default_rng(0).random(data.y.size) + 0.1 if weighted else None
    made = stakes.evaluate(
        data.y,
        data.posteriors([0.5, 0.5]),
        sample_weight=weights,
        calibrator=stakes.TemperatureCalibrator(),
        folds=2,
    )
    assert len(made.to_html().encode()) < 250_000


@pytest.mark.parametrize("systems", [2, 6])
def test_a_comparison_takes_little_room(systems: int) -> None:
    data = stakes.simulation.simulate(2, n=60_000)
    rng = np.random.default_rng(0)
    noisy = {
        f"system {k}": stakes.LogLikelihoodRatios(
            data.log_likelihood_ratios().values + rng.normal(size=data.y.size)
        )
        for k in range(systems)
    }
    made = stakes.compare(data.y, noisy, priors="data", rules=[])
    assert len(made.to_html().encode()) < 250_000


def test_ten_classes_take_less_than_two_megabytes() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 150_000)
    p = rng.dirichlet(np.ones(10), y.size)  # as hard to pack as can be
    page = stakes.evaluate(y, p, folds=2).to_html()
    assert len(page.encode()) < 2_000_000


def test_many_classes_and_their_names_take_little_room() -> None:
    names = [f"{k}{'x' * 10_000}" for k in range(150)]  # 1.5 MB
    rng = np.random.default_rng(0)
    y = [names[k] for k in np.arange(300) % 150]
    made = stakes.evaluate(y, rng.dirichlet(np.ones(150), 300), classes=names, calibrator=None)
    page = made.to_html()
    assert len(page.encode()) < 1_000_000
    assert "there are more than 100 classes" in page


def test_a_notebook_shows_the_page_in_a_sandbox() -> None:
    evaluation = evaluated()
    frame = evaluation._repr_html_()
    found = {n: v for t, n, v in read(frame).attributes if t == "iframe"}
    assert found["sandbox"] == "allow-scripts"
    assert found["srcdoc"] == evaluation.to_html()
    assert html.escape(found["srcdoc"]) in frame
    assert "loading" not in found  # an export does not scroll to it


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_a_notebook_has_the_findings_without_frames_and_styles(name: str) -> None:
    record = RECORDS[name]()
    whole = read(record._repr_html_())
    assert {n for t, n, _ in whole.attributes if t != "iframe"} <= {
        "class", "scope", "tabindex", "role", "aria-label", "data-code",
    }  # fmt: skip
    assert set(whole.scripts) == set()
    texts, marked = " ".join(whole.texts), record._repr_markdown_()
    for verdict in record.verdicts:
        assert plain(verdict.text, 2000) in texts
        assert escaped(verdict.text, 2000) in marked
    for metric, estimate in list(record.metrics().items())[:40]:
        assert f"| {escaped(metric)} | {escaped(number(estimate.value))} |" in marked


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_each_finding_of_a_page_has_its_explanation(name: str) -> None:
    record = RECORDS[name]()
    page = record.to_html()
    known = page[page.index('id="verdicts"') : page.index('id="live"')]
    items = known.split('<li class="verdict ')[1:]
    assert len(items) == len(record.verdicts)
    for verdict, item in zip(record.verdicts, items, strict=True):
        found = verdict.explanation
        texts = read(item[item.index("<details") : item.index("</details>")]).texts
        assert texts[:2] == ["What this means", found.meaning]
        assert f"Rule: {found.rule}" in texts
        assert texts[-1] == found.code


def test_findings_stand_under_their_application_where_there_are_several() -> None:
    def headings(costs: Any) -> list[str]:  # noqa: ANN401
        page = evaluated(costs=costs).to_html()
        known = page[page.index('id="verdicts"') : page.index('id="live"')]
        return re.findall("<h3>(.*?)</h3>", known)

    screening, triage = (stakes.CostMatrix.binary(miss=m, false_alarm=1) for m in (5, 2))
    assert headings({"screening": screening}) == []
    assert headings({"screening": screening, "triage": triage})[:2] == ["screening", "triage"]


def test_infinite_and_undefined_numbers_stand_in_a_page() -> None:
    made = stakes.evaluate([0, 0, 1, 1], [0.0, 0.2, 0.0, 1.0], calibrator=None)
    shown = " ".join(read(made.to_html()).texts)
    assert "inf" in shown
    none = stakes.evaluate([0, 0, 1], [0.1, 0.2, 0.9], costs=[[0, 0], [1, 0]], calibrator=None)
    assert "undefined" in " ".join(read(none.to_html()).texts)


def test_the_command_line_writes_a_page(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    done = call("evaluate", *QUICK, "--html", "report.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrote report.html" in done.stderr
    assert "cost (NEC)" in done.stdout
    page = (tmp_path / "report.html").read_text()
    assert "scores.csv" in page
    again = call("evaluate", *QUICK, "--html", "report.html", cwd=tmp_path)
    assert again.returncode == 4
    assert "--force" in again.stderr
    assert again.stdout == ""
    forced = call("evaluate", *QUICK, "--html", "report.html", "--force", cwd=tmp_path)
    assert forced.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--html", "none/report.html"), 4, "no directory"),
        (("--html", "-"), 4, "must be named"),
        (("--html", "one", "-o", "one"), 2, "two files"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_at_once(
    arguments: tuple[str, ...], code: int, word: str, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    done = call("evaluate", *QUICK, *arguments, cwd=tmp_path)
    assert done.returncode == code
    assert word in done.stderr
    assert done.stdout == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scores.csv"]


def test_a_page_has_the_heading_and_the_unit_that_were_asked_for(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    more = ("--html", "a.html", "--title", "Ward <3>", "--date", "1 May", "--unit", "250 EUR")
    done = call("evaluate", *QUICK, *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "In EUR: " in done.stdout
    page = (tmp_path / "a.html").read_text()
    assert "<h1>Ward &lt;3&gt;</h1>" in page
    assert "scores.csv: 1 May, " in page
    assert re.search(r"[\d,.]+ EUR per case, compared with", page)
    data = json.loads(read(page).scripts["script application/json"])
    assert data["unit"] == {"name": "EUR", "scale": 250}
    for wrong in (("--title", "x"), ("--unit", "0 EUR"), ("--unit", "5")):
        done = call("evaluate", *QUICK, *wrong, cwd=tmp_path)
        assert (done.returncode, wrong[0] in done.stderr) == (2, True), done.stderr


def test_the_demo_writes_a_page(tmp_path: Path) -> None:
    done = call("demo", "--no-file", "--html", "demo.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "breast.csv, log_odds: what this system costs" in (tmp_path / "demo.html").read_text()
    assert call("demo", "--html", "demo.html", cwd=tmp_path).returncode == 4


def test_compare_and_decisions_write_pages_too(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    (tmp_path / "table.csv").write_text(TABLE)
    systems = ("--system", "A=p_calm,p_alarm", "--system", "B=p_alarm,p_calm")
    common = ("--label", "y", "--scores-are", "posteriors")
    compared = call("compare", "scores.csv", *systems, *common, "--html", "c.html", cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert "scores.csv: which system costs less" in (tmp_path / "c.html").read_text()
    decided = call("evaluate", "table.csv", *DECIDED, "--html", "d.html", cwd=tmp_path)
    assert decided.returncode == 0, decided.stderr
    assert "table.csv, decision: what these decisions cost" in (tmp_path / "d.html").read_text()
