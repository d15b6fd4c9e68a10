"""The live page of costs that differ from case to case: what is typed there is what Python finds."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from browser import opened, quiet
from stakes._typing import FloatArray

KINDS = ["honest", "fraud"]


def payments() -> tuple[list[str], FloatArray, FloatArray]:
    """Return labels, posteriors and amounts, as in docs/how-to/fraud.md."""
    rng = np.random.default_rng(1)
    n = 8000
    amount = np.asarray(np.round(np.exp(rng.normal(3.5, 1.2, n)), 2), dtype=np.float64)
    weak, strong = rng.normal(0, 1, n), rng.normal(0, 1, n)
    log_odds = -6 + 0.25 * (np.log(amount) - 3.5) + weak + 1.6 * strong
    fraud = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    p = np.round(1 / (1 + np.exp(-log_odds)), 6)
    return np.where(fraud, "fraud", "honest").tolist(), p, amount


Y, P, AMOUNT = payments()


def costs(multiplier: float = 1, review: float = 3) -> stakes.SampleCosts:
    columns = {"amount": multiplier * AMOUNT}
    return stakes.SampleCosts.from_columns([[0, review], ["amount", 0]], columns, classes=KINDS)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("cases") / "report.html"
    found = stakes.evaluate(Y, P, costs=costs(), classes=KINDS, calibrator=None, resamples=0)
    found.save_html(path, unit="EUR")
    return path


def set_field(page: Any, key: str, text: str) -> None:  # noqa: ANN401
    box = page.locator(f"[data-key={key}] input[type=text]")
    box.fill(text)
    box.press("Tab")


def set_cap(page: Any, text: str) -> None:  # noqa: ANN401
    page.get_by_label("Limit how many cases get").check()
    set_field(page, "cap", text)


def rows(page: Any) -> list[list[str]]:  # noqa: ANN401
    found: list[list[str]] = page.locator(".by-case tbody tr").evaluate_all(
        "all => all.map(row => [...row.children].map(cell => cell.textContent))"
    )
    return found


def test_the_own_settings_show_the_numbers_of_python(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        assert watched.necs() == ["0.2960"]
        (ours, nothing, everything) = rows(watched.page)
        assert ours[1:3] == ["380 (180 to 1,290)", "0.2960 (0.1387 to 0.6238)"]
        assert nothing == ["always honest", "1,290", "1", "0", "12.1", "0"]
        assert everything[0] == "always fraud"
        assert watched.page.locator("#answer-text").inner_text().startswith("Useful: it costs 30 %")
        assert "On all 8,000 cases" in watched.page.locator("#live").inner_text()
        quiet(watched, page)


SETTINGS: list[dict[str, Any]] = [
    {"multiplier": 2.0},
    {"review": 12.0},
    {"cap": 0.02},
    {"prior": 0.05},
    {"prior": 0.05, "adapt": True},
    {"multiplier": 0.5, "review": 1.0, "prior": 0.03, "adapt": True, "cap": 0.01},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_typed_settings_are_those_of_python(
    browser: Any,  # noqa: ANN401
    page: Path,
    setting: dict[str, Any],
) -> None:
    at = {"multiplier": 1.0, "review": 3.0, "prior": None, "adapt": False, "cap": None, **setting}
    share = float(np.mean([y == "fraud" for y in Y]))
    wanted = stakes.choose_threshold(
        Y,
        P,
        costs=costs(at["multiplier"], at["review"]),
        priors=None if at["prior"] is None else [1 - at["prior"], at["prior"]],
        training_priors=[1 - share, share] if at["adapt"] else None,
        review=at["cap"],
        classes=KINDS,
    )
    result = wanted.results[0 if at["cap"] is None else -1]
    with opened(browser, page) as watched:
        for name, key in (
            ("multiplier", "multiplier"),
            ("review", "cost-0-1"),
            ("prior", "prior-1"),
        ):
            if name in setting:
                set_field(watched.page, key, str(setting[name]))
        if at["adapt"]:
            watched.page.get_by_label("Adapt posteriors").check()
        if at["cap"] is not None:
            set_cap(watched.page, str(at["cap"]))
        watched.settle()
        assert watched.necs() == [f"{result.normalized.value:.4f}"]
        reviewed = float(rows(watched.page)[0][3].replace(",", ""))
        assert reviewed == pytest.approx(1000 * result.reviewed, rel=0.005)
        money = float(rows(watched.page)[0][1].replace(",", ""))
        assert money == pytest.approx(1000 * result.value, rel=0.005)
        said = watched.page.locator("#answer-text").inner_text()
        assert "Not tested" in said
        assert ("at most" in said) == (at["cap"] is not None)
        assert "computed in Python only" in watched.page.locator("#live").inner_text()
        quiet(watched, page)


def test_one_click_leads_back_to_the_report(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        before = rows(watched.page)
        set_field(watched.page, "multiplier", "3")
        set_cap(watched.page, "1 %")
        watched.settle()
        assert rows(watched.page) != before
        watched.page.get_by_role("button", name="Back to the report").click()
        watched.settle()
        assert rows(watched.page) == before
        assert watched.page.locator("#answer-text").inner_text().startswith("Useful")


def test_who_is_reviewed_follows_the_amounts(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        watched.figure("Who is decided what, by amount")
        found = watched.page.locator(".by-amount tbody tr").all_inner_texts()
        cells = [re.split(r"\t", row) for row in found]
        edges = np.sort(AMOUNT)[[3999, 6399, 7599, 7919, 7999]]
        decisions = costs().least_expected(np.column_stack([1 - P, P]))
        band = np.searchsorted(edges, AMOUNT)
        fraud = np.array([y == "fraud" for y in Y])
        assert len(cells) == 5
        for k, row in enumerate(cells):
            reviewed = 100 * np.mean(decisions[band == k])
            caught = 100 * np.mean(decisions[(band == k) & fraud])
            assert float(row[2].rstrip(" %")) == pytest.approx(reviewed, abs=0.051)
            assert float(row[3].rstrip(" %")) == pytest.approx(caught, abs=0.051)


def test_pictures_are_drawn(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        assert "Area under the curve: 0.9008" in watched.figure("ROC")
        assert "Frequency by probability" in watched.figure("Reliability")


def test_without_scripts_the_static_part_stays(browser: Any, page: Path) -> None:  # noqa: ANN401
    context = browser.new_context(offline=True, java_script_enabled=False)
    shown = context.new_page()
    shown.goto(page.as_uri())
    text = shown.locator("main").inner_text()
    assert "it costs 30 %" in text
    assert "Cost of a case" in text
    context.close()


def test_a_comparison_lives_too(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "compared.html"
    systems = {"old": np.full(len(Y), 0.0121), "new": P}
    found = stakes.compare(Y, systems, costs=costs(), classes=KINDS, calibrator=None, resamples=0)
    found.save_html(path)
    with opened(browser, path) as watched:
        assert watched.necs()[1] == "0.2960"
        set_field(watched.page, "multiplier", "2")
        watched.settle()
        wanted = stakes.bayes_cost(Y, P, costs=costs(2), classes=KINDS)
        assert watched.necs()[1] == f"{wanted.normalized:.4f}"
        quiet(watched, path)
