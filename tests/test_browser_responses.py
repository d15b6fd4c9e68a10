"""The live page of responses: the target moves everything, and at the report's own it is Python's."""

import re
from pathlib import Path
from typing import Any

import pytest

import stakes
from browser import Watched, opened, playwright, quiet
from kinds_of_page import answers, compared_answers, responses
from stakes._text import number

TARGET = 0.75


@pytest.fixture(scope="module")
def found() -> stakes.ResponseEvaluation:
    return answers()


@pytest.fixture(scope="module")
def page(found: stakes.ResponseEvaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("answers") / "report.html"
    found.save_html(path)
    return path


def answer(watched: Watched) -> str:
    """Return the sentences as people read them, with what stands in fields."""
    text: str = watched.page.locator("#answer-text").evaluate(
        """(place) => [...place.querySelectorAll("p.answer, p.meaning")].map((p) =>
            [...p.childNodes].map((n) => n.value ?? n.textContent).join("")).join(" ")"""
    )
    return re.sub(r"[✓✕?–] ?(?=\w)", "", text)


def without_scripts(browser: Any, path: Path) -> tuple[str, list[list[str]]]:  # noqa: ANN401
    """Return the sentences and the table of a page as they are without scripts."""
    context = browser.new_context(offline=True, java_script_enabled=False)
    shown = context.new_page()
    shown.goto(path.as_uri())
    said = [
        text
        for part in ("p.answer", ".meaning")
        for text in shown.locator(f"#answer-text {part}").all_text_contents()
    ]
    rows = [
        row.locator("th, td").all_text_contents()
        for row in shown.locator("#answer-text .thousand tbody tr").all()
    ]
    context.close()
    return re.sub(r"[✓✕?–] ?(?=\w)", "", " ".join(said)), rows


def table(watched: Watched) -> list[list[str]]:
    rows: list[list[str]] = watched.page.locator("#answer-text .thousand tbody tr").evaluate_all(
        "all => all.map(row => [...row.children].map(cell => cell.textContent))"
    )
    return rows


def type_target(watched: Watched, text: str) -> None:
    field = watched.page.locator("[data-field=target]")
    field.fill(text)
    field.press("Tab")
    watched.settle()


def wanted(t: float) -> list[str]:
    """Return the points that Python finds for each rule."""
    rules = stakes.evaluate_responses(responses(), t).rules
    return [*(number(rule.utility.value) for rule in rules), "0"]


def test_at_the_own_target_the_page_says_what_python_says(
    browser: Any,  # noqa: ANN401
    page: Path,
    found: stakes.ResponseEvaluation,
) -> None:
    with opened(browser, page) as watched:
        said = answer(watched)
        assert (said, table(watched)) == without_scripts(browser, page)
        assert said.startswith("At a confidence target of 75 %, this model should answer ")
        assert "not worth having" in said
        assert "A wrong answer cancels 3 right answers" in said
        assert "not tested" not in said
        assert watched.necs() == wanted(TARGET)
        band = found.numbers["utility"].interval
        assert band is not None
        results = watched.page.locator("#live").inner_text()
        assert f"{number(band.low)} to {number(band.high)}" in results
        assert watched.page.locator(".changed").is_hidden()
        quiet(watched, page)


TYPED = {"0.5": 0.5, "60 %": 0.6, "3/5": 0.6, "90": 0.9, "0": 0.0, "0,25": 0.25}


def test_a_typed_target_is_that_of_python(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        for typed, t in TYPED.items():
            type_target(watched, typed)
            assert watched.necs() == wanted(t), typed
            said = answer(watched)
            assert said.startswith(f"At a confidence target of {100 * t:g} %, ")
            assert "not tested: the report tests a target of 75 %" in said
            assert "worth having" not in said
            assert watched.page.locator(".changed").is_visible()
            assert "without intervals or tests" in watched.page.locator("#live").inner_text()
        quiet(watched, page)


def test_what_is_not_a_target_is_refused_beside_the_field(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        before = watched.necs()
        for typed in ("1.000.0", "100 %", "-0.1", "often"):
            type_target(watched, typed)
            refused = watched.page.locator("#answer-text > .refused")
            playwright.expect(refused).to_contain_text("The previous value is kept: 75 %")
            assert watched.necs() == before


@pytest.mark.parametrize("slider", ["confidence target", "confidence target, next to the charts"])
def test_either_slider_moves_everything_and_one_click_leads_back(
    browser: Any,  # noqa: ANN401
    page: Path,
    slider: str,
) -> None:
    with opened(browser, page) as watched:
        before, rows = answer(watched), table(watched)
        watched.drag(slider, 0.4)
        t = float(watched.page.locator("[data-field=target]").input_value().rstrip(" %")) / 100
        assert 0.3 < t < 0.5
        assert watched.necs() == wanted(t)
        for key in ("target", "target-beside"):
            field = watched.page.locator(f"[data-key={key}] input[type=text]")
            assert field.input_value() == f"{100 * t:g} %"
        assert table(watched) != rows
        assert f"at a target of {100 * t:g} %" in watched.figure("Points at every target")
        watched.page.get_by_role("button", name="Back to the report's target").click()
        watched.settle()
        assert (answer(watched), table(watched)) == (before, rows)


def test_a_thousand_questions_add_up(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        for typed in ("75 %", "0", "33 %", "99 %"):
            type_target(watched, typed)
            rows = table(watched)
            assert [row[0] for row in rows][::4] == ["its own abstentions", "never answering"]
            for row in rows:
                assert sum(int(cell.replace(",", "")) for cell in row[2:]) == 1000


def test_undo_and_keys(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        field = watched.page.locator("[data-field=target]")
        field.focus()
        field.press("ArrowUp")
        watched.settle()
        assert field.input_value() == "76 %"
        type_target(watched, "20 %")
        watched.page.keyboard.press("Control+z")
        watched.settle()
        assert field.input_value() == "76 %"
        watched.page.get_by_role("button", name="Reset").click()
        watched.settle()
        assert watched.necs() == wanted(TARGET)


def test_a_link_holds_the_target_alone(browser: Any, page: Path) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        type_target(watched, "60 %")
        assert watched.page.url.endswith("#v=2&t=0.6")
    with opened(browser, page, "#v=2&t=0.6") as watched:
        assert watched.necs() == wanted(0.6)
    with opened(browser, page, "#v=2&t=1.5") as watched:
        assert watched.necs() == wanted(TARGET)
        assert "The link was not applied" in watched.page.locator("#live").inner_text()


def test_a_saved_copy_opens_with_its_target(browser: Any, page: Path, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "copy.html"
    with opened(browser, page) as watched:
        type_target(watched, "60 %")
        said = answer(watched)
        watched.page.get_by_text("Save a copy with these settings").click()
        watched.page.get_by_label("note for readers of the copy").fill("for <b>us</b>")
        with watched.page.expect_download() as download:
            watched.page.get_by_role("button", name="Save copy").click()
        download.value.save_as(path)
    assert without_scripts(browser, path)[0] == said
    with opened(browser, path) as watched:
        assert answer(watched) == said
        assert "for <b>us</b>" in watched.page.locator("#reader-note").inner_text()
        watched.page.get_by_role("button", name="Back to the report's target").click()
        watched.settle()
        assert watched.necs() == wanted(TARGET)
        quiet(watched, path)


def test_pictures_are_drawn(browser: Any, page: Path, found: stakes.ResponseEvaluation) -> None:  # noqa: ANN401
    with opened(browser, page) as watched:
        own, best = found.rule["own"].utility.value, found.curve.utility["best"]
        said = watched.figure("Points at every target")
        assert f"its own abstentions {number(own)}" in said
        at = found.curve.targets.tolist().index(TARGET)
        assert f"best threshold in hindsight {number(float(best[at]))}" in said
        said_so = watched.figure("Stated confidence")
        stated = found.responses.confidence
        assert stated is not None
        many = int((stated[found.responses.open] == TARGET).sum())
        assert f"stated 0.750: {many} answers" in said_so
        assert "any threshold on its confidence" in watched.figure("Risk over coverage")
        slices = watched.figure("Slices")
        for part in found.slices:
            assert f"topic {part.value}" in slices
            assert number(part.numbers["utility"].value) in slices


def test_several_systems_follow_the_target(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "compared.html"
    compared = compared_answers()
    compared.save_html(path)
    with opened(browser, path) as watched:
        assert (answer(watched), table(watched)) == without_scripts(browser, path)
        assert watched.necs() == [number(compared.utility(name)) for name in compared.systems]
        assert compared.ranking[0] in answer(watched)
        type_target(watched, "10 %")
        points = [
            stakes.evaluate_responses(one.responses, 0.1).numbers["utility"].value
            for one in compared.evaluations.values()
        ]
        assert watched.necs() == [number(value) for value in points]
        best = compared.systems[points.index(max(points))]
        assert f"At a confidence target of 10 %, {best} scores most" in answer(watched)
        assert f"At 10 %: {best}" in watched.figure("Which system scores most at which target")
        quiet(watched, path)


def test_responses_without_confidence(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "counts.html"
    said = stakes.Responses.from_counts(right=53, wrong=41, abstained=6)
    stakes.evaluate_responses(said).save_html(path)
    with opened(browser, path) as watched:
        assert watched.necs() == ["0.1200", "0"]
        assert "answers 94 % of the questions and scores 0.12 points" in answer(watched)
        titles = watched.page.locator("figure h3").all_inner_texts()
        assert titles == ["Points at every target"]
        quiet(watched, path)
