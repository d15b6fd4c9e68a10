"""The answer at the top of the page: what it says, and that it follows the reader."""

import csv
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import stakes
from browser import opened, quiet


def biopsies(**costs: float) -> stakes.Evaluation:
    text = (resources.files("stakes") / "data" / "breast.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    classes = ["benign", "malignant"]
    return stakes.evaluate(
        [row["diagnosis"] for row in rows],
        stakes.Logits([float(row["log_odds"]) for row in rows]),
        costs=stakes.CostMatrix.binary(
            classes=classes, **(costs or {"miss": 20, "false_alarm": 1})
        ),
        classes=classes,
        resamples=0,
    )


def said(page: Any) -> str:  # noqa: ANN401
    """Return the sentences, with the numbers of their fields."""
    words = page.locator(".answer").evaluate_all(
        "all => all.map(p => [...p.childNodes].map(e => e.tagName === 'INPUT' ? e.value"
        " : e.textContent).join('')).join(' ')"
    )
    return re.sub(r"[✓✕?–]", "", " ".join(words.split())).replace("  ", " ")


OWN = (
    "If a missed malignant costs 20 false alarms and 37.3 % of cases are malignant, this system is"
    " not yet shown to be worth using: 0.68 a case, against 0.63 for calling all malignant."
    " Calibrated: 0.32 a case, worth using."
)


def test_the_answer_is_the_same_with_and_without_scripts(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        assert said(watched.page) == OWN
        live = watched.page.locator(".thousand").inner_text()
        assert "32 (20 to 49)" in live
        quiet(watched, path)
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    words = " ".join(page.locator(".answer").all_inner_texts())
    assert " ".join(re.sub(r"[✓✕?–]", "", words).split()) == OWN
    assert "32 (20 to 49)" in page.locator(".thousand").inner_text()
    context.close()


def test_numbers_in_the_sentence_change_the_verdict(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        page = watched.page
        reset = page.get_by_role("button", name="Reset")
        assert page.locator(".changed").is_hidden()
        assert reset.is_disabled()
        field = page.get_by_label("what a miss costs, in false alarms")
        field.fill("2")
        field.press("Enter")
        watched.settle()
        python = biopsies(miss=2, false_alarm=1)
        assert python.verdicts[0].code == "useful"
        assert "this system is worth using" in said(page)
        assert (
            "miss costs, in false alarms 2 instead of 20" in page.locator(".changed").inner_text()
        )
        share = page.get_by_label("share of malignant, in percent")
        share.fill("10 %")
        share.press("Enter")
        watched.settle()
        assert watched.application()["prior"]["malignant"] == pytest.approx(0.1)
        page.get_by_role("button", name="Back to the report").click()
        watched.settle()
        assert said(page) == OWN
        assert reset.is_disabled()
        quiet(watched, path)


def test_findings_are_folded_and_grouped(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    made = biopsies()
    path = tmp_path / "report.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        known = watched.page.locator("#verdicts")
        assert known.locator("summary").inner_text() == f"{len(made.verdicts)} things to know"
        assert known.get_attribute("open") is None
        known.locator("summary").click()
        assert made.verdicts[0].text in known.inner_text()
