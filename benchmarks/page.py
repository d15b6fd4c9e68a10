"""How large a page is, how soon it is ready, and how long one move of a slider takes.

Needs Chromium and Playwright: `python benchmarks/page.py`. Numbers and samples are the best of five
loads, moves the median of the best of them: run it where nothing else runs.
"""

import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import stakes

_MOVES = 60
_OBSERVE = """() => {
    window.updates = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntriesByName("update")) updates.push(entry.duration);
    }).observe({ entryTypes: ["measure"] });
}"""
_LOADS = 5
_WATCH = """
    window.shown = NaN;
    new MutationObserver(() => {
        if (window.shown > 0 || !document.querySelector('output.nec')) return;
        window.shown = performance.now();
    }).observe(document, { childList: true, subtree: true });
"""
_READY = """() => new Promise((done) => {
    const look = () => {
        const [read] = performance.getEntriesByName('decoded');
        if (read && window.shown > 0) done([window.shown, Math.max(window.shown, read.startTime)]);
        else setTimeout(look, 20);
    };
    look();
})"""


def pages(folder: Path) -> dict[str, Path]:
    """Write pages of several sizes."""
    made = {}
    for k, n in ((2, 1_000), (2, 1_000_000), (10, 20_000), (10, 1_000_000), (100, 30_000)):
        data = stakes.simulation.simulate(k, n=n)
        result = stakes.evaluate(data.y, data.posteriors(np.full(k, 1 / k)), folds=2)
        path = folder / f"{k}-{n}.html"
        result.save_html(path)
        made[f"{k} classes, {n:,} samples"] = path
    return made


def measure(browser: Any, path: Path, slower: int = 1) -> tuple[float, float, float, float]:  # noqa: ANN401
    """Return when a page shows numbers and has read its samples, and times of a move, in ms.

    `slower` is how many times slower the processor is made to seem.
    """
    ready, moves = [], []
    for _ in range(_LOADS):
        page = browser.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.add_init_script(_WATCH)
        page.goto(path.as_uri())
        ready.append(page.evaluate(_READY))
        page.evaluate(_OBSERVE)
        slider = page.locator("#live").get_by_role("slider").first
        for _ in range(_MOVES):
            slider.evaluate("e => { e.stepUp(4); e.dispatchEvent(new Event('input')); }")
            page.wait_for_timeout(30)
        moves.append(page.evaluate("() => window.updates"))
        page.close()
    best = min(moves, key=statistics.median)
    shown, read = (min(times) for times in zip(*ready, strict=True))
    return shown, read, statistics.median(best), max(best)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        print("| page | kB | numbers, ms | samples, ms | a move, ms | slowest move, ms |")
        print("|---|---|---|---|---|---|")
        for name, path in pages(Path(folder)).items():
            size = path.stat().st_size / 1000
            for slower in (1, 4) if name.startswith("100 ") else (1,):
                shown, read, middle, most = measure(browser, path, slower)
                how = f", processor {slower} times slower" if slower > 1 else ""
                times = f"{shown:.0f} | {read:.0f} | {middle:.1f} | {most:.1f}"
                print(f"| {name}{how} | {size:.0f} | {times} |")
        browser.close()


if __name__ == "__main__":
    main()
