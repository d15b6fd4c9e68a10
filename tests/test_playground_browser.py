"""The playground in Chromium, with the real Python and numpy for browsers: `make playground-test`."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import stakes
from test_browser_accessibility import AXE, RUN
from test_playground import PAGE, request_of

FOLDER = os.environ.get("STAKES_PLAYGROUND")
if FOLDER is None:
    pytest.skip("run by make playground-test", allow_module_level=True)

playwright = pytest.importorskip("playwright.sync_api")
PATIENCE = 120_000  # milliseconds; a busy machine needs most of a minute to start Python
LOOKS = {
    "light": ("light", {"width": 1280, "height": 900}),
    "dark": ("dark", {"width": 1280, "height": 900}),
    "phone": ("light", {"width": 390, "height": 844}),
    "dark phone": ("dark", {"width": 390, "height": 844}),
}
IN_PYTHON = """
import json, sys
from pathlib import Path
from test_playground import PAGE, loaded
print(loaded(PAGE / "bridge.py").evaluate(sys.stdin.read()))
"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder on this machine; yield its address, and what was asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(Path(str(FOLDER))) as (address, _):
        yield address


@pytest.fixture(scope="module")
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return []


@pytest.fixture(scope="module")
def page(browser: Any, site: str, said: list[str], asked: list[str]) -> Iterator[Any]:  # noqa: ANN401
    """Return the page after it has evaluated its first example."""
    context = browser.new_context()
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.goto(f"{site}index.html")
    page.click("#evaluate:not([disabled])")
    page.wait_for_selector("#results:not([hidden])")
    yield page
    context.close()


def rows(page: Any) -> list[list[str]]:  # noqa: ANN401
    """Return the table of numbers as shown."""
    return page.evaluate(
        "[...document.querySelectorAll('#numbers tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )


def run_cell(page: Any, code: str) -> str:  # noqa: ANN401
    page.fill("#cell", code)
    page.press("#cell", "Control+Enter")
    page.wait_for_selector("#status:empty", state="attached")
    page.wait_for_selector("#run:not([disabled])")
    return page.inner_text("#output")


def in_python(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of the package outside the browser, with the same definitions."""
    paths = os.pathsep.join([str(Path(__file__).parent), str(PAGE)])
    done = subprocess.run(
        [sys.executable, "-c", IN_PYTHON], input=json.dumps(request), text=True, check=True,
        capture_output=True, env={**os.environ, "STAKES_KERNELS": "numpy", "PYTHONPATH": paths},
    )  # fmt: skip
    return json.loads(done.stdout)


def test_every_number_is_that_of_the_package(page: Any) -> None:  # noqa: ANN401
    expected = in_python(request_of("breast"))
    assert len(expected["numbers"]) > 30
    assert rows(page) == expected["numbers"]
    assert page.locator("#verdicts li").all_text_contents() == [
        f"{v['text']} {v['advice']}".strip() for v in expected["verdicts"]
    ]
    assert page.text_content("#code") == expected["code"]


def test_the_report_is_live_in_its_frame(page: Any) -> None:  # noqa: ANN401
    page.locator("#report").scroll_into_view_if_needed()
    frame = page.frame_locator("#report")
    playwright.expect(frame.locator("output.nec").first).to_have_text("1.087")
    assert page.get_attribute("#save", "href").startswith("blob:")


def test_the_wheel_is_that_of_the_sources(page: Any) -> None:  # noqa: ANN401
    assert run_cell(page, "stakes.__version__") == f"{stakes.__version__}\n"
    assert page.inner_text("#versions").startswith(f"stakes {stakes.__version__}, numpy ")


def test_large_arrays_are_computed(page: Any) -> None:  # noqa: ANN401
    code = "import numpy as np\nx = np.ones(10**6)\nfloat((-(x + 1) * 2 + x).sum())"
    assert run_cell(page, code) == "-3000000.0\n"


def test_a_mistake_is_shown_with_its_line(page: Any) -> None:  # noqa: ANN401
    page.fill("#text", "truth,p\nyes,0.9\nno,0.2\nno,1.7\nyes,0.6\n")
    page.check("#scores input[value=p]")
    page.click("#evaluate")
    page.wait_for_selector("#fault .fault")
    assert page.is_hidden("#results")
    fault = page.inner_text("#fault")
    assert "Column 'p' must be posteriors: got 1.7 at line 4" in fault
    page.click("#fault button")
    assert page.evaluate("getSelection().toString()") == "no,1.7"
    page.fill("#text", "truth,p\nyes,0.9\nno\n")
    assert "Line 3 has 1 field; the header has 2." in page.inner_text("#fault")
    assert page.is_disabled("#evaluate")


def test_a_dropped_file_and_priors(page: Any, tmp_path: Path) -> None:  # noqa: ANN401
    request = request_of(
        "diabetes", label="outcome", scores=["p_severe_a"], kind="Posteriors",
        classes=["usual", "severe"], costs=[[0, 1], [5, 0]], priors=[0.8, 0.2], training="data",
        slices=["sex"],
    )  # fmt: skip
    source = Path(str(FOLDER), "data", "diabetes.csv")
    page.set_input_files("#file", shutil.copy(source, tmp_path))
    page.select_option("#label", "outcome")
    for box in page.locator("#scores input:checked").all():
        box.uncheck()
    page.check("#scores input[value=p_severe_a]")
    page.fill("#classes", "usual, severe")
    page.press("#classes", "Tab")
    page.get_by_label("Cost of deciding usual for severe").fill("5")
    page.get_by_label("Prior of usual").fill("0.8")
    page.get_by_label("Prior of severe").fill("0.2")
    page.select_option("#training", "data")
    page.locator("summary", has_text="Groups").click()
    page.select_option("#slices", "sex")
    before = page.text_content("#code")
    page.click("#evaluate")
    page.wait_for_function(
        "(old) => document.getElementById('code').textContent !== old", arg=before
    )
    assert rows(page) == in_python(request)["numbers"]


def test_code_of_the_visitor_reaches_no_other_address(
    page: Any,  # noqa: ANN401
    asked: list[str],
    tmp_path: Path,
) -> None:
    with served(tmp_path) as (elsewhere, reached):
        for code in (
            f"import js\nx = js.XMLHttpRequest.new()\nx.open('GET', '{elsewhere}a', False)\nx.send()",
            f"import js\njs.importScripts('{elsewhere}b.js')",
        ):
            assert "NetworkError" in run_cell(page, code)
    assert reached == []
    asked[:] = [address for address in asked if not address.startswith(elsewhere)]  # refused


def test_cancel_stops_an_endless_cell(page: Any) -> None:  # noqa: ANN401
    page.fill("#cell", "while True: pass")
    page.click("#run")
    page.click("#cancel")
    playwright.expect(page.locator("#status")).to_have_text("Cancelled.")
    assert run_cell(page, "6 * 7") == "42\n"


@pytest.mark.parametrize("look", LOOKS)
def test_no_rule_of_axe_is_broken(page: Any, look: str) -> None:  # noqa: ANN401
    scheme, size = LOOKS[look]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(RUN.replace("document,", "{exclude: [['#report']]},")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_keyboard_reaches_everything(page: Any) -> None:  # noqa: ANN401
    page.locator("#demo").focus()
    seen = set()
    for _ in range(80):
        seen.add(page.evaluate("document.activeElement.id"))
        page.keyboard.press("Tab")
    assert {"demo", "file", "text", "label", "kind", "classes", "costs", "evaluate"} <= seen


def test_all_came_from_one_address(asked: list[str], said: list[str], site: str) -> None:
    assert any("pyodide.asm.wasm" in address for address in asked)
    assert [a for a in asked if not a.startswith((site, "blob:", "data:", "about:"))] == []
    assert [text for text in said if "axe" not in text] == []


def test_without_the_runtime_the_page_says_what_to_do(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    folder = tmp_path / "page"
    shutil.copytree(str(FOLDER), folder, ignore=shutil.ignore_patterns("pyodide"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | {"numpy": None}), encoding="utf-8")
    with served(folder) as (address, _):
        page = browser.new_page()
        page.goto(f"{address}index.html")
        playwright.expect(page.locator("#missing")).to_contain_text("make playground")
        assert page.is_disabled("#evaluate")
        assert page.is_disabled("#run")
        page.close()
