"""One number, one value: the page shows what Python shows, at first paint and later."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from browser import Watched, opened, quiet, two_classes
from kinds_of_page import KINDS
from stakes._text import number
from stakes.evaluation.score_thresholds import precise


def shown(watched: Watched) -> list[tuple[str, str]]:
    """Return the normalised cost of each system and its interval, as they stand now."""
    rows = watched.page.locator(".bars .row .value")
    return [
        (row.locator("output.nec").inner_text().strip(), row.locator("small").inner_text().strip())
        for row in rows.all()
    ]


def wanted(made: stakes.Evaluation) -> list[tuple[str, str]]:
    cost = made.main.cost
    both = [cost.normalized, cost.calibrated_normalized]
    return [(number(e.value), str(e.interval)) for e in both if e is not None]


@pytest.mark.parametrize(("k", "n"), [(2, 700), (10, 3000), (50, 12_000)])
def test_numbers_of_the_report_are_the_same_everywhere(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
    k: int,
    n: int,
) -> None:
    data = stakes.simulation.simulate(k, n=n)
    scores = data.posteriors(np.full(k, 1 / k), stakes.simulation.MISCALIBRATED)
    made = stakes.evaluate(data.y, scores)
    path = tmp_path / "report.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        first = shown(watched)  # at first paint
        assert first == wanted(made)
        numbers = watched.page.locator("#numbers").text_content()
        for value, interval in first:
            assert value in numbers
            assert interval in numbers
        watched.settle()
        watched.page.wait_for_timeout(300)
        assert shown(watched) == first
        slider = watched.page.locator("#live").get_by_role("slider").first
        slider.press("ArrowRight")
        watched.settle()
        if k > 2:
            assert "Approximate: based on" in watched.page.locator("#live").inner_text()
        watched.page.get_by_role("button", name=re.compile("Reset|Back to")).first.click()
        watched.settle()
        assert shown(watched) == first
        quiet(watched, path)


def test_each_application_shows_its_own_numbers(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=data["classes"])
    uses: dict[str, Any] = {"here": costs, "there": stakes.Application(costs, [0.8, 0.2])}
    made = stakes.evaluate(**data, costs=uses, training_priors="data")
    path = tmp_path / "report.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        for a in made.applications:
            watched.page.get_by_label("Application").select_option(a.name)
            watched.settle()
            both = [a.cost.normalized, a.cost.calibrated_normalized]
            assert shown(watched) == [
                (number(e.value), str(e.interval)) for e in both if e is not None
            ]


def test_grouped_samples_show_the_interval_of_their_groups(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    groups = np.arange(len(data["y_true"])) // 5
    made = stakes.evaluate(**data, groups=groups, calibrator=None)
    path = tmp_path / "report.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        assert shown(watched) == wanted(made)


def test_abstaining_at_a_price_that_nobody_pays_changes_nothing(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    data = two_classes()
    path = tmp_path / "report.html"
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=data["classes"])
    stakes.evaluate(**data, costs=costs, calibrator=None).save_html(path)
    with opened(browser, path) as watched:
        before = shown(watched)
        watched.page.get_by_label("Allow cases to be left undecided").check()
        watched.settle()
        field = watched.page.get_by_role("textbox", name=re.compile("^Cost of abstain"))
        field.fill("0.1")
        field.press("Enter")
        watched.settle()
        assert shown(watched) != before
        field.fill("5000")
        field.press("Enter")
        watched.settle()
        assert shown(watched) == before


def test_thresholds_stand_on_the_delivered_scale(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    log_p = np.asarray(data["scores"].log_posteriors())
    costs = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=data["classes"])
    made = stakes.evaluate(
        data["y_true"],
        stakes.Logits(log_p[:, 1] - log_p[:, 0]),
        classes=data["classes"],
        costs=costs,
        priors=[0.95, 0.05],
        training_priors=[0.6, 0.4],
    )
    path = tmp_path / "report.html"
    made.save_html(path)
    found = made.main.score_threshold
    assert found is not None
    with opened(browser, path) as watched:
        live = watched.page.locator("#live ul.regions").first.inner_text()
        assert "0.047619" in live
        assert f"delivered log odds {precise(found.value)}" in live
        assert precise(found.value) in watched.page.locator("#numbers").inner_text()


def test_a_slice_that_is_worse_than_naive_has_its_verdict(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    rng, path = np.random.default_rng(0), tmp_path / "report.html"
    y = rng.random(2000) < 0.3
    p = np.clip(np.where(y, 0.9, 0.1) + rng.normal(0, 0.05, 2000), 0.01, 0.99)
    ward = np.where(np.arange(2000) % 10 == 0, "east", "west")
    p = np.where(ward == "east", 1 - p, p)
    made = stakes.evaluate(y.astype(int), p, slices={"ward": ward}, calibrator=None)
    assert made.main.cost.normalized.value < 0.5  # the whole is useful
    made.save_html(path)
    with opened(browser, path) as watched:
        rows = watched.page.locator("table tr", has_text="ward east").all_inner_texts()
        cost, scores = (row.split("\t") for row in rows[:2])
        assert cost[-1] == "worse"
        assert float(scores[1]) < 0.1  # AUC
        assert float(scores[3]) == pytest.approx(np.mean(p[ward == "east"]), abs=1e-4)
        assert float(scores[4]) == pytest.approx(np.mean(y[ward == "east"]), abs=1e-4)
        said = watched.page.locator("#verdicts").text_content()
        assert "ward east" in re.sub(r"[\u2068\u2069]", "", said)
        quiet(watched, path)


ODD = r"[-−]0(?:\.0+)? %|\b1 misses\b|\bmisse\b|\binf\b|\bnan\b|(?<![\w.–-])-\d|\bNEC\b"


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_written_for_people(browser: Any, tmp_path: Path, kind: str) -> None:  # noqa: ANN401
    path = tmp_path / f"{kind}.html"
    KINDS[kind]().save_html(path)
    with opened(browser, path) as watched:
        watched.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        text = watched.page.evaluate(
            "[...document.querySelectorAll('#answer-text, #live, #pictures, table')]"
            ".map(e => e.innerText).join(' ')"
        )
    assert re.findall(f".{{0,30}}(?:{ODD}).{{0,20}}", text) == []
