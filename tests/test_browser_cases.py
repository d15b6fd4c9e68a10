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
    found = stakes.evaluate(Y, P, costs=costs(), classes=KINDS, calibrator=None)
    found.save_html(path, unit="EUR")
    return path


def set_field(page: Any, key: str, text: str) -> None:  # noqa: ANN401
    box = page.locator(f"[data-key={key}] input[type=text]")
    box.fill(text)
    box.press("Tab")


def set_cap(page: Any, text: str) -> None:  # noqa: ANN401
    page.get_by_label("Limit how many cases are decided").check()
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
        assert ours[1:3] == ["380 (310 to 530)", "0.2960 (0.1786 to 0.4558)"]
        assert nothing == ["always deciding honest", "1,290", "1", "0", "12.1", "0"]
        assert everything[0] == "always deciding fraud"
        assert answer(watched.page).startswith("With costs that vary by case")
        assert "Based on all 8,000 cases" in watched.page.locator("#live").inner_text()
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
    delivered = None if at["prior"] is None else "deployment"
    training = [1 - share, share] if at["adapt"] else delivered
    wanted = stakes.choose_threshold(
        Y,
        P,
        costs=costs(at["multiplier"], at["review"]),
        priors=None if at["prior"] is None else [1 - at["prior"], at["prior"]],
        training_priors=training,
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
        money = rows(watched.page)[0][1].split(" ")[0]
        assert float(money.replace(",", "")) == pytest.approx(1000 * result.value, rel=0.1)
        band = result.normalized.interval
        assert band is not None
        assert rows(watched.page)[0][2].endswith(f"({band})")
        said = watched.page.locator("#answer-text").inner_text()
        assert ("is ✓worth using" in "".join(said.splitlines())) == (band.high < 1)
        assert f"it costs {money} EUR per 1,000 cases" in said
        assert ("at most" in said) == (at["cap"] is not None)
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
        assert answer(watched.page).startswith("With costs that vary")


def saved_copy(page: Any, path: Path) -> None:  # noqa: ANN401
    page.get_by_text("Save a copy with these settings").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Save copy").click()
    started.value.save_as(path)


def answer(page: Any) -> str:  # noqa: ANN401
    return " ".join(page.locator("#answer-text .answer").first.inner_text().split())


def test_undo_goes_back_step_by_step(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        undo = watched.page.get_by_role("button", name="Undo")
        assert undo.is_disabled()
        own = rows(watched.page)
        set_field(watched.page, "multiplier", "3")
        watched.settle()
        after = rows(watched.page)
        set_cap(watched.page, "1 %")
        watched.settle()
        watched.page.locator("h1").click()
        for _ in range(2):  # the cap's share, then the cap
            watched.page.keyboard.press("Control+z")
            watched.settle()
        assert rows(watched.page) == after
        undo.click()
        watched.settle()
        assert rows(watched.page) == own
        assert undo.is_disabled()
        assert watched.page.get_by_role("button", name="Reset").is_disabled()


def test_a_copy_opens_with_the_settings_and_the_note(
    browser: Any,  # noqa: ANN401
    page: Path,
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy.html"
    with opened(browser, page) as watched:
        own = answer(watched.page)
        set_field(watched.page, "multiplier", "3")
        set_cap(watched.page, "1 %")
        watched.settle()
        chosen, said = rows(watched.page), answer(watched.page)
        watched.page.get_by_text("Save a copy with these settings").click()
        watched.page.get_by_label("note for readers").fill("ask <b>Ann</b>")
        watched.page.get_by_text("Save a copy with these settings").click()
        saved_copy(watched.page, copy)
        quiet(watched, page)
    context = browser.new_context(offline=True, java_script_enabled=False)
    still = context.new_page()
    still.goto(copy.as_uri())
    assert answer(still) == said
    context.close()
    with opened(browser, copy) as watched:
        assert rows(watched.page) == chosen
        assert answer(watched.page) == said
        assert "ask <b>Ann</b>" in watched.page.locator("#reader-note").inner_text()
        watched.page.get_by_role("button", name="Reset").click()
        watched.settle()
        assert answer(watched.page) == own
        quiet(watched, copy)


def test_a_link_brings_back_numbers_and_never_names(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        set_field(watched.page, "multiplier", "2.5")
        set_field(watched.page, "prior-1", "5 %")
        set_cap(watched.page, "2 %")
        watched.settle()
        chosen = rows(watched.page)
        fragment = watched.page.evaluate("location.hash")
    assert fragment == "#v=2&on=cost&m=2.5&c=0,3;*,0&p=0.95,0.05&cap=0.02"
    with opened(browser, page, fragment) as watched:
        assert rows(watched.page) == chosen
        own = watched.page.evaluate("location.href").split("#")[0]
        watched.page.goto(f"{own}{fragment}&d=fraud,honest")
        watched.settle()
        refused = watched.page.locator(".refused", has_text="was not applied").inner_text()
        assert "Nothing was changed" in refused
        assert rows(watched.page) == chosen
        quiet(watched, page)


def test_groups_have_no_interval_elsewhere_and_the_page_says_so(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    path = tmp_path / "grouped.html"
    options: dict[str, Any] = {"calibrator": None, "classes": KINDS}
    shops = np.arange(len(Y)) % 200
    stakes.evaluate(Y, P, costs=costs(), groups=shops, **options).save_html(path)
    with opened(browser, path) as watched:
        set_field(watched.page, "multiplier", "2")
        watched.settle()
        assert "(" not in "".join(rows(watched.page)[0])
        assert "the samples are grouped" in watched.page.locator("#live").inner_text()
        assert "not tested" in answer(watched.page)


def test_who_is_reviewed_follows_the_amounts(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        watched.figure("Decisions by amount")
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
        assert "Observed frequency by predicted probability" in watched.figure("Reliability")


def test_without_scripts_the_static_part_stays(browser: Any, page: Path) -> None:  # noqa: ANN401
    context = browser.new_context(offline=True, java_script_enabled=False)
    shown = context.new_page()
    shown.goto(page.as_uri())
    text = shown.locator("main").inner_text()
    assert "per 1,000 cases (30 % of the naive cost)" in text
    assert "Cost per case" in text
    context.close()


def test_a_comparison_lives_too(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "compared.html"
    systems = {"old": np.full(len(Y), 0.0121), "new": P}
    found = stakes.compare(Y, systems, costs=costs(), classes=KINDS, calibrator=None)
    found.save_html(path)
    with opened(browser, path) as watched:
        assert watched.necs()[1] == "0.2960"
        set_field(watched.page, "multiplier", "2")
        watched.settle()
        wanted = stakes.bayes_cost(Y, P, costs=costs(2), classes=KINDS)
        assert watched.necs()[1] == f"{wanted.normalized:.4f}"
        quiet(watched, path)
