"""The answer at the top of the page: what it says, and that it follows the reader."""

import csv
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from browser import opened, playwright, quiet


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
    )


def said(page: Any) -> str:  # noqa: ANN401
    """Return the sentences, with the numbers of their fields."""
    words = page.locator(".answer").evaluate_all(
        "all => all.map(p => [...p.childNodes].map(e => e.tagName === 'INPUT' ? e.value"
        " : e.textContent).join('')).join(' ')"
    )
    return re.sub(r"[✓✕?–]", "", " ".join(words.split())).replace("  ", " ")


OWN = (
    "If missing a malignant case costs as much as 20 false alarms and 37.3 % of cases are malignant,"
    " this system is not yet shown to be worth using: 0.68 per case, compared with 0.63 for calling"
    " every case malignant. Calibrated: 0.32 per case, worth using."
)


def test_the_answer_is_the_same_with_and_without_scripts(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        assert said(watched.page) == OWN
        live = watched.page.locator(".thousand").inner_text()
        assert "32 (19 to 49)" in live
        quiet(watched, path)
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    words = " ".join(page.locator(".answer").all_inner_texts())
    assert " ".join(re.sub(r"[✓✕?–]", "", words).split()) == OWN
    assert page.locator(".thousand").inner_text().split() == live.split()
    context.close()


def test_numbers_in_the_sentence_change_the_verdict(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        page = watched.page
        reset = page.get_by_role("button", name="Reset")
        assert page.locator(".changed").is_hidden()
        assert reset.is_disabled()
        field = page.get_by_role("textbox", name="cost of a miss, in false alarms")
        field.fill("2")
        field.press("Enter")
        watched.settle()
        python = biopsies(miss=2, false_alarm=1)
        assert python.verdicts[0].code == "useful"
        assert "this system is worth using" in said(page)
        assert (
            "cost of a miss, in false alarms: 2 instead of 20"
            in page.locator(".changed").inner_text()
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
        summary = known.locator("> summary")
        assert summary.inner_text() == f"{len(made.verdicts)} things to know"
        assert known.get_attribute("open") is None
        summary.click()
        assert made.verdicts[0].text in known.inner_text()
        meaning = made.verdicts[0].explanation.meaning
        assert meaning not in known.inner_text()
        known.get_by_text("What this means").first.click()
        assert meaning in known.inner_text()


def test_where_the_answer_flips_is_where_python_flips(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        flips = watched.page.locator(".flips")
        flips.wait_for()
        text = " ".join(flips.inner_text().split())
        found = re.search(
            r"calibrated: worth using if a miss costs about ([\d.]+) to ([\d.]+)", text
        )
        assert found is not None, text
        low, high = map(float, found.groups())
        assert "Values tried: 0.1 to 1,000 false alarms" in text
        zones = watched.page.locator("[data-key=cost-1-0] .zone.useful")
        assert zones.count() >= 1
    for miss, useful in (
        (low / 1.1, False),
        (low * 1.1, True),
        (high / 1.1, True),
        (1.1 * high, False),
    ):
        band = biopsies(miss=miss, false_alarm=1).main.cost.normalized.interval
        assert band is not None
        assert (band.high < 1) == useful, miss


def test_flips_of_three_classes_are_those_of_python(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    data = stakes.simulation.simulate(3, n=600)
    names = ["calm", "wary", "alarm"]
    y, p = np.array(names)[data.y], data.posteriors([0.4, 0.3, 0.3])

    def at(**options: Any) -> stakes.Interval:  # noqa: ANN401
        made = stakes.evaluate(y, p, classes=names, calibrator=None, **options)
        band = made.main.cost.normalized.interval
        assert band is not None
        if not options:
            made.save_html(path)
        return band

    at()
    share = np.array([np.mean(y == name) for name in names])
    with opened(browser, path) as watched:
        flips = watched.page.locator(".flips")
        flips.wait_for()
        text = re.sub(r"[\u2068\u2069]", "", " ".join(flips.inner_text().split()))
        shares = re.search(r"less than about ([\d.]+) % of cases are calm", text)
        costs = re.search(r"misclassifying calm costs less than about ([\d.]+)", text)
        assert shares is not None, text
        assert costs is not None, text
        assert watched.page.locator("[data-key=prior-0] .zone.useful").count() >= 1
    for moved, useful in ((0.97, True), (1.03, False)):
        calm = min(moved * float(shares[1]) / 100, 0.9999)
        rest = share[1:] / share[1:].sum() * (1 - calm)
        assert (at(priors=[calm, *rest], training_priors="deployment").high < 1) == useful, calm
    for moved, useful in ((0.9, True), (1.1, False)):
        table = 1 - np.eye(3)
        table[0] *= moved * float(costs[1])
        assert (at(costs=table).high < 1) == useful, moved


def test_a_copy_opens_with_the_settings_and_the_note(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path, copy = tmp_path / "report.html", tmp_path / "copy.html"
    biopsies().save_html(path)
    note = "Try this </script><img src=x onerror=alert(1)>\nsecond line"
    with opened(browser, path) as watched:
        page = watched.page
        assert page.get_by_role("button", name="Copy link").count() == 0
        field = page.get_by_role("textbox", name="cost of a miss, in false alarms")
        field.fill("3")
        field.press("Enter")
        watched.settle()
        chosen, answer = watched.application(), said(page)
        page.get_by_text("Save a copy with these settings").click()
        page.get_by_label("note for readers").fill(note)
        with page.expect_download() as started:
            page.get_by_role("button", name="Save copy").click()
        started.value.save_as(copy)
        quiet(watched, path)
    with opened(browser, copy) as watched:
        assert watched.application() == chosen
        assert said(watched.page) == answer
        shown = watched.page.locator("#reader-note").inner_text()
        assert "onerror=alert(1)>" in shown
        assert "second line" in shown
        watched.page.get_by_role("button", name="Back to the report").click()
        watched.settle()
        assert said(watched.page) == OWN
        again = tmp_path / "again.html"
        watched.page.get_by_text("Save a copy with these settings").click()
        with watched.page.expect_download() as started:
            watched.page.get_by_role("button", name="Save copy").click()
        started.value.save_as(again)
        quiet(watched, copy)
    assert again.read_text().count('id="stakes-state"') == 1
    with opened(browser, again) as watched:
        assert said(watched.page) == OWN
        assert watched.page.locator("#reader-note").count() == 1
        quiet(watched, again)
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(copy.as_uri())
    assert "costs as much as 3 false alarms" in page.locator(".answer").first.inner_text()
    assert "second line" in page.locator("#reader-note").inner_text()
    context.close()


def test_undo_goes_back_step_by_step(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        page = watched.page
        undo = page.get_by_role("button", name="Undo")
        assert undo.is_disabled()
        field = page.get_by_role("textbox", name="cost of a miss, in false alarms")
        for value in ("3", "4"):
            field.fill(value)
            field.press("Enter")
            watched.settle()
        page.keyboard.press("Control+z")
        watched.settle()
        assert "costs as much as 3 false alarms" in said(page)
        undo.click()
        watched.settle()
        assert said(page) == OWN
        assert undo.is_disabled()


def test_bars_share_one_axis_that_stays(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    biopsies().save_html(path)
    with opened(browser, path) as watched:
        page = watched.page
        axis = page.locator(".row.axis")
        assert axis.locator("text").all_text_contents() == ["0", "0.5", "naive = 1"]
        line = page.locator(".bars .one").first
        before = line.get_attribute("x1")
        assert page.locator(".bars .cut").count() == 1  # the interval of the uncalibrated system
        slider = page.get_by_role("slider", name="cost of a miss", exact=True)
        slider.fill("900")
        playwright.expect(page.locator(".bars .cut")).to_have_count(2)
        assert line.get_attribute("x1") == before
        slider.fill("450")
        playwright.expect(page.locator(".bars .cut")).to_have_count(0)


def rivals(**options: Any) -> stakes.Comparison:  # noqa: ANN401
    data = stakes.simulation.simulate(2, n=1500)
    ratios = data.log_likelihood_ratios().values
    noise = np.random.default_rng(0).normal(size=ratios.size)
    systems = {
        "blunt": stakes.LogLikelihoodRatios(ratios + 2.5 * noise),
        "sharp": stakes.LogLikelihoodRatios(ratios),
    }
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    return stakes.compare(data.y, systems, costs=costs, priors="data", **options)


def test_a_winner_is_named_where_the_test_names_one(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    made = rivals(calibrator=stakes.AffineCalibrator())
    assert made.may_be_best == {"cost": ("sharp",)}
    path = tmp_path / "compare.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        words = said(watched.page)
        assert re.search(
            r"are 1, sharp costs least: [\d.]+ per case, compared with [\d.]+ for blunt", words
        )
        assert "Calibrated, sharp costs least" in words
        assert "It is worth using." in words
        first = watched.page.locator(".bars .row").first.inner_text()
        assert first.startswith("sharp")
        quiet(watched, path)
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "costs least" in page.locator(".answer").first.inner_text()
    context.close()
