"""Many classes on a slow processor: numbers before samples, and few rows while something moves."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from browser import Watched, opened, quiet
from stakes._text import number

SLOWER = 4  # times that the processor is made to seem slower
SOON = 6_000  # ms; ten times what it takes where nothing else runs, for machines that are busy
QUICK = 250  # ms of the quickest of many moves; ten times what it takes there
WATCH = """
    window.first = null;
    new MutationObserver(() => {
        const shown = document.querySelectorAll('output.nec');
        if (window.first || shown.length === 0) return;
        window.first = {
            necs: [...shown].map((e) => e.textContent),
            decoded: performance.getEntriesByName('decoded').length,
            at: performance.now(),
        };
    }).observe(document, { childList: true, subtree: true });
    window.early = [];
    document.addEventListener('contentvisibilityautostatechange', ({ target, skipped }) => {
        const read = performance.getEntriesByName('decoded').length > 0;
        if (!skipped && !read && target.id !== 'pictures') window.early.push(target.id);
    });
"""
MOVE = """async (label) => {
    const slider = document.querySelector(`#live input[aria-label="${label}"]`);
    const seen = { times: [], basis: '' };
    const watch = new PerformanceObserver((list) => {
        for (const entry of list.getEntriesByName('update')) seen.times.push(entry.duration);
    });
    watch.observe({ entryTypes: ['measure'] });
    for (let i = 0; i < 25; i++) {
        slider.stepUp(4);
        slider.dispatchEvent(new Event('input'));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    }
    await new Promise((done) => setTimeout(done, 50));
    seen.basis = document.querySelector('.results > .hint').textContent;
    return seen;
}"""


def hundred() -> dict[str, Any]:
    """Return labels and posteriors of 100 classes."""
    random = np.random.default_rng(5)
    n, k = 8_000, 100
    y = np.arange(n) % k
    logits = 2 * random.normal(size=(n, k))
    logits[np.arange(n), y] += 5
    p = np.exp(logits)
    return {"y_true": y, "scores": p / p.sum(axis=1, keepdims=True)}


def uneven() -> stakes.CostMatrix:
    """Return costs that are not one price for any error of a class."""
    values = 1 + np.random.default_rng(6).integers(0, 9, size=(100, 100)).astype(float)
    np.fill_diagonal(values, 0)
    return stakes.CostMatrix(values)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, stakes.Evaluation]:
    made = stakes.evaluate(**hundred(), calibrator=None)
    path = tmp_path_factory.mktemp("many") / "report.html"
    made.save_html(path)
    return path, made


def slow(browser: Any) -> Any:  # noqa: ANN401
    """Return a page on a slow processor that keeps what it showed first."""
    page = browser.new_context(offline=True).new_page()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.add_init_script(WATCH)
    return page


def judged(basis: str) -> int:
    """Return how many samples the page says that its numbers rest on."""
    found = re.search(r"Approximate: based on ([\d,]+) of ", basis)
    assert found is not None, basis
    return int(found[1].replace(",", ""))


def decoded(page: Any) -> None:  # noqa: ANN401
    """Wait until samples are read and numbers shown."""
    page.evaluate(
        """() => new Promise((done) => {
            const look = () => {
                const read = performance.getEntriesByName('decoded').length > 0;
                if (read && document.querySelector('output.nec')) done();
                else setTimeout(look, 20);
            };
            look();
        })"""
    )


def test_numbers_are_painted_before_the_samples_are_read(
    browser: Any,  # noqa: ANN401
    report: tuple[Path, stakes.Evaluation],
) -> None:
    path, made = report
    page = slow(browser)
    page.goto(path.as_uri())
    decoded(page)
    first = page.evaluate("window.first")
    assert first["decoded"] == 0
    assert first["necs"] == [number(made.main.cost.normalized.value)]
    assert first["at"] < SOON
    # Samples come before tables that are far below: their layout takes long here.
    assert page.evaluate("window.early") == []
    page.wait_for_function("!document.querySelector('main.reading')")
    page.context.close()


def test_a_move_judges_few_rows(browser: Any, report: tuple[Path, stakes.Evaluation]) -> None:  # noqa: ANN401
    path, _ = report
    page = slow(browser)
    page.goto(path.as_uri())
    decoded(page)
    seen = page.evaluate(MOVE, "cost of an error on 0")
    assert 1_000 <= judged(seen["basis"]) <= 3_000
    assert "standard error" in seen["basis"]
    assert "updated on 8,000 when you release the slider" in seen["basis"]
    assert min(seen["times"]) < QUICK
    page.context.close()


def test_a_link_shows_nothing_false_while_samples_are_read(
    browser: Any,  # noqa: ANN401
    report: tuple[Path, stakes.Evaluation],
) -> None:
    path, made = report
    with opened(browser, path) as watched:
        moved(watched)
        asked = watched.page.evaluate("location.hash")
        wanted = watched.necs()
    assert wanted != [number(made.main.cost.normalized.value)]
    page = slow(browser)
    page.goto(path.as_uri() + asked)
    decoded(page)
    assert page.evaluate("window.first.decoded") == 1  # not the report's own numbers
    watched = Watched(page)
    watched.settle()
    assert watched.necs() == wanted
    assert page.locator("main.waiting").count() == 0
    page.context.close()


def moved(watched: Watched) -> None:
    slider = watched.page.get_by_role("slider", name="cost of an error on 0", exact=True)
    slider.press("PageUp")
    watched.settle()


def test_uneven_costs_move_on_fewer_rows(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    stakes.evaluate(**hundred(), costs=uneven(), calibrator=None).save_html(path)
    with opened(browser, path) as watched:
        decoded(watched.page)
        seen = watched.page.evaluate(MOVE, "cost of an error on 0")
        rows = judged(seen["basis"])
        assert 200 <= rows <= 1_000  # each takes 10,000 products
        quiet(watched, path)


def test_long_tables_are_laid_out_near_the_window_and_on_paper(
    browser: Any,  # noqa: ANN401
    report: tuple[Path, stakes.Evaluation],
) -> None:
    path, made = report
    value = number(made.main.cost.normalized.value)
    with opened(browser, path, viewport={"width": 1280, "height": 300}) as watched:
        numbers = watched.page.locator("#numbers")
        assert numbers.inner_text() == ""  # nothing was laid out
        watched.page.emulate_media(media="print")
        assert value in numbers.inner_text()
        watched.page.emulate_media(media="screen")
        watched.page.locator("#numbers-title").scroll_into_view_if_needed()
        watched.page.wait_for_timeout(300)
        assert value in numbers.inner_text()
