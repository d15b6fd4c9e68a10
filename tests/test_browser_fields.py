"""What readers type into the page, and what links may change."""

import re
from pathlib import Path
from typing import Any

import pytest

import stakes
from browser import Watched, opened, playwright, quiet, two_classes


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with two applications."""
    data = two_classes()
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=data["classes"])
    path = tmp_path_factory.mktemp("fields") / "report.html"
    uses: dict[str, Any] = {"here": costs, "there": stakes.Application(costs, [0.8, 0.2])}
    made = stakes.evaluate(**data, costs=uses, training_priors="data", calibrator=None)
    made.save_html(path)
    return path


def typed(watched: Watched, name: str, text: str) -> Any:  # noqa: ANN401
    """Type into a field letter by letter, leave it, and return it."""
    field = watched.page.get_by_role("textbox", name=re.compile(name))
    field.fill("")
    field.press_sequentially(text, delay=5)
    field.press("Tab")
    watched.settle()
    return field


def sentence(watched: Watched, field: Any) -> str:  # noqa: ANN401
    """Return what stands beside a field that refuses what was typed."""
    assert field.get_attribute("aria-invalid") == "true"
    said = watched.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert said.is_visible()
    return str(said.inner_text())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3,5", 3.5),
        ("0,5", 0.5),
        ("1/3", 1 / 3),
        ("20 %", 0.2),
        ("1e3", 1000),
        ("1 000", 1000),
        ("1'000", 1000),
        ("1.234,5", 1234.5),
        ("３．５", 3.5),
    ],
)
def test_a_cost_is_understood_as_people_write_it(
    browser: Any,  # noqa: ANN401
    report: Path,
    text: str,
    value: float,
) -> None:
    with opened(browser, report) as watched:
        field = typed(watched, "^Miss", text)
        assert watched.application()["cost"]["matrix"][1][0] == value
        assert float(field.input_value()) == pytest.approx(value, rel=1e-3)
        assert field.get_attribute("aria-invalid") is None
        quiet(watched, report)


@pytest.mark.parametrize(("text", "value"), [("20 %", 0.2), ("1/3", 1 / 3), ("0,05", 0.05)])
def test_a_share_is_understood_as_people_write_it(
    browser: Any,  # noqa: ANN401
    report: Path,
    text: str,
    value: float,
) -> None:
    with opened(browser, report) as watched:
        typed(watched, "^Share of", text)
        assert watched.application()["prior"]["alarm"] == value


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("^Miss", "1,000", "could mean 1000 or 1"),
        ("^Miss", "twenty", "is not a number"),
        ("^Miss", "−5", "must be 0 or more"),
        ("^Miss", "1e999", "too large"),
        ("^Miss", "", "field is empty"),
        ("^Share of", "20", "For 20 percent, write 20 %"),
        ("^Share of", "1", "above 0 and below 1"),
    ],
)
def test_what_is_not_understood_changes_nothing_and_is_said(
    browser: Any,  # noqa: ANN401
    report: Path,
    name: str,
    text: str,
    says: str,
) -> None:
    with opened(browser, report) as watched:
        typed(watched, name, "0.25")
        before = watched.application(), watched.necs()
        field = typed(watched, name, text)
        assert says in sentence(watched, field)
        assert "0.25" in sentence(watched, field)
        assert field.input_value() == text
        assert (watched.application(), watched.necs()) == before
        typed(watched, name, "0.3")
        assert field.get_attribute("aria-invalid") is None
        assert watched.page.locator(".refused:visible").count() == 0
        quiet(watched, report)


def test_the_table_of_costs_and_the_price_of_abstaining_read_the_same_way(
    browser: Any,  # noqa: ANN401
    report: Path,
) -> None:
    with opened(browser, report) as watched:
        watched.page.get_by_label("Allow cases to be left undecided").check()
        watched.settle()
        typed(watched, "^Cost of abstain", "0,25")
        assert watched.application()["cost"]["matrix"][0][2] == 0.25
        watched.page.locator("summary", has_text="All costs").click()
        cell = typed(watched, "^cost of deciding calm for alarm", "7,5")
        assert watched.application()["cost"]["matrix"][1][0] == 7.5
        other = typed(watched, "^cost of deciding alarm for calm", "1,000")
        assert "1000 or 1" in sentence(watched, other)
        assert cell.get_attribute("aria-invalid") is None
        watched.page.get_by_role("button", name="Reset").click()
        watched.settle()
        watched.page.locator("summary", has_text="All costs").click()
        assert other.get_attribute("aria-invalid") is None
        assert other.input_value() == "1"


def test_arrow_keys_lead_there_and_back(browser: Any, report: Path) -> None:  # noqa: ANN401
    with opened(browser, report) as watched:
        for name, text in (("cost of a miss", "5"), ("prior of alarm", "0.37")):
            typed(watched, "^Miss" if "miss" in name else "^Share of", text)
            before = watched.application()
            slider = watched.page.get_by_role("slider", name=name, exact=True)
            slider.press("ArrowRight")
            watched.settle()
            assert watched.application() != before
            slider.press("ArrowLeft")
            watched.settle()
            assert watched.application() == before


def test_a_link_changes_numbers_and_never_names(browser: Any, report: Path) -> None:  # noqa: ANN401
    with opened(browser, report, "#v=1&c=0,1;5,0&d=alarm,calm") as watched:
        assert "decisions" not in watched.application()["cost"]
        said = watched.page.locator("#live .refused:visible")
        playwright.expect(said).to_contain_text("The link was not applied")
        quiet(watched, report)
    with opened(browser, report, "#v=1&c=0,1;9,0&d=calm,alarm") as watched:
        assert watched.application()["cost"]["matrix"] == [[0, 1], [9, 0]]
        assert watched.page.locator("#live .refused:visible").count() == 0


def test_a_link_keeps_the_application_it_was_made_on(browser: Any, report: Path) -> None:  # noqa: ANN401
    with opened(browser, report) as watched:
        watched.page.get_by_label("Application").select_option("there")
        watched.settle()
        typed(watched, "^Miss", "7")
        chosen, necs = watched.application(), watched.necs()
        fragment = watched.page.evaluate("location.hash")
    assert "calm" not in fragment
    with opened(browser, report, fragment) as again:
        assert again.page.get_by_label("Application").input_value() == "1"
        assert (again.application(), again.necs()) == (chosen, necs)
        again.page.get_by_role("button", name="Reset").click()
        again.settle()
        assert again.application()["prior"]["alarm"] == pytest.approx(0.2)
