"""The page in a real browser, from disk: what it computes is what Python computes."""

import csv
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from browser import asked, opened, playwright, quiet, two_classes
from stakes._text import number

DIGITS = [str(k) for k in range(10)]


def test_two_classes_follow_every_control(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    path = tmp_path / "report.html"
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=data["classes"])
    stakes.evaluate(**data, costs=costs, calibrator=None).save_html(path)
    seen = set()
    with opened(browser, path) as watched:

        def same() -> None:
            chosen = watched.application()
            python = stakes.evaluate(**data, **asked(chosen, data["classes"]), calibrator=None)
            cost = python.main.cost.normalized
            assert watched.necs() == [number(cost.value)]
            assert str(cost.interval) in watched.page.locator("#live").text_content()
            for count in python.main.confusion.counts.ravel().tolist():
                assert number(count) in watched.page.locator("#live table.counts").inner_text()
            seen.add(number(cost.value))

        same()
        watched.drag("cost of a miss", 0.8)
        same()
        watched.drag("cost of a false alarm", 0.7)
        same()
        watched.drag("prior of alarm", 0.3)
        same()
        watched.page.get_by_label("Adapt posteriors to these priors").check()
        watched.settle()
        same()
        watched.page.get_by_label("Allow cases to be left undecided").check()
        watched.settle()
        same()
        watched.drag("cost of abstain", 0.4)
        same()
        assert len(seen) >= 6
        assert "abstain" in watched.application()["cost"]["decisions"]
        watched.page.get_by_role("button", name="Reset").click()
        watched.settle()
        same()
        quiet(watched, path)


def test_ten_classes_follow_within_the_stated_error(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = stakes.simulation.simulate(10, n=30_000)
    given: dict[str, Any] = {
        "y_true": np.array(DIGITS)[data.y],
        "scores": data.posteriors(np.full(10, 0.1)),
        "classes": DIGITS,
    }
    path = tmp_path / "report.html"
    made = stakes.evaluate(**given, calibrator=None)
    made.save_html(path)
    assert made.sketch is not None
    error = made.sketch.error
    with opened(browser, path) as watched:

        def same() -> None:
            chosen = asked(watched.application(), DIGITS)
            python = stakes.evaluate(**given, **chosen, calibrator=None)
            (shown,) = map(float, watched.necs())
            nec = python.main.cost.normalized.value
            assert shown == pytest.approx(nec, abs=2 * error + 5e-4)

        same()
        sliders = watched.page.locator("#live").get_by_role("slider")
        names = [sliders.nth(i).get_attribute("aria-label") for i in range(sliders.count())]
        watched.drag(next(name for name in names if name.startswith("cost")), 0.9)
        same()
        watched.drag(next(name for name in names if name.startswith("prior")), 0.7)
        same()
        watched.page.get_by_label("Allow cases to be left undecided").check()
        watched.settle()
        watched.drag("cost of abstain", 0.3)
        same()
        quiet(watched, path)


def test_a_link_brings_back_the_choice(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    path = tmp_path / "report.html"
    stakes.evaluate(**data).save_html(path)
    with opened(browser, path) as watched:
        watched.drag("cost of a miss", 0.75)
        chosen, necs = watched.application(), watched.necs()
        fragment = "#" + watched.page.evaluate("location.hash").removeprefix("#")
    with opened(browser, path, fragment) as again:
        assert again.necs() == necs
        assert again.application() == chosen
    for odd in ("#v1;nonsense", "#%00<script>", "#" + "9" * 5000):
        with opened(browser, path, odd) as watched:
            assert watched.necs() != necs
            quiet(watched, path)


def test_the_policy_stops_scripts_of_others(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    stakes.evaluate(**two_classes()).save_html(path)
    with opened(browser, path) as watched:
        watched.page.evaluate(
            """() => {
                window.refused = [];
                addEventListener("securitypolicyviolation",
                                 (event) => refused.push(event.effectiveDirective));
                const script = document.createElement("script");
                script.textContent = "window.injected = true";
                document.body.append(script);
                const holder = document.createElement("div");
                holder.innerHTML = "<img src=x onerror='window.injected = true'>"
                    + "<img src='http://127.0.0.1:9/x.png'><p style='color: red'>x</p>";
                document.body.append(holder);
            }"""
        )
        watched.page.wait_for_timeout(200)
        assert watched.page.evaluate("window.injected") is None
        refused = set(watched.page.evaluate("window.refused"))
        assert {"script-src-elem", "img-src", "style-src-attr"} <= refused


def test_hostile_names_are_shown_and_run_nothing(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    names = [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(2)</script>\u202e" + "B" * 10_000,
    ]
    data = two_classes()
    labels = np.array(names, dtype=object)[(data["y_true"] == "alarm").astype(int)]
    path = tmp_path / "report.html"
    made = stakes.evaluate(labels, data["scores"], classes=names)
    made.save_html(path, title=names[0], source=names[1])
    with opened(browser, path, viewport={"width": 390, "height": 800}) as watched:
        body = watched.page.inner_text("body")
        assert names[0] in body
        assert "\u202e" not in body
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
        quiet(watched, path)


def test_a_notebook_frame_is_live_and_shut_in(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    made = stakes.evaluate(**two_classes(), calibrator=None)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><p>notebook</p>{made._repr_html_()}")
    context = browser.new_context(offline=True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("output.nec").first.wait_for()
    assert frame.locator("output.nec").inner_text() == number(made.main.cost.normalized.value)
    field_ = frame.get_by_role("textbox", name=re.compile("^Miss"))
    field_.fill("7")
    field_.press("Enter")
    costs = stakes.CostMatrix.binary(miss=7, false_alarm=1, classes=["calm", "alarm"])
    nec = stakes.evaluate(**two_classes(), costs=costs, calibrator=None)
    playwright.expect(frame.locator("output.nec")).to_have_text(
        number(nec.main.cost.normalized.value)
    )
    assert said == []
    context.close()


def test_a_notebook_frame_is_there_without_scrolling_and_on_paper(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    """An export to PDF neither scrolls to a frame nor in it: the numbers follow it as text."""
    made = stakes.evaluate(**two_classes(), calibrator=None)
    path = tmp_path / "notebook.html"
    above = '<div style="height: 30000px">other cells</div>'
    path.write_text(f"<!doctype html>{above}{made._repr_html_()}")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    frame, text = page.frame_locator("iframe"), page.locator(".stakes-text")
    frame.locator("output.nec").first.wait_for()
    assert not text.is_visible()
    page.emulate_media(media="print")
    assert page.locator("iframe").is_visible()
    assert text.is_visible()
    assert not text.locator(".stakes-verdicts").is_visible()  # the frame begins with them
    assert number(made.main.cost.normalized.value) in text.inner_text()
    assert page.pdf().startswith(b"%PDF")
    page.locator("style, iframe").evaluate_all("all => all.forEach(each => each.remove())")
    page.emulate_media(media="screen")  # a viewer that takes out frames and styles
    assert made.verdicts[0].text in text.inner_text()
    context.close()


def test_a_comparison_and_decisions_are_live(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    p = np.asarray(data["scores"].log_posteriors())[:, 1]
    systems = {"one": np.exp(p), "two": np.exp(2 * p)}
    path = tmp_path / "compare.html"
    compared = stakes.compare(data["y_true"], systems, classes=data["classes"])
    compared.save_html(path)
    with opened(browser, path) as watched:
        watched.drag("cost of a miss", 0.85)
        chosen = asked(watched.application(), data["classes"])
        del chosen["training_priors"]
        wanted = [
            number(
                stakes.bayes_cost(data["y_true"], s, classes=data["classes"], **chosen).normalized
            )
            for s in systems.values()
        ]
        assert watched.necs() == wanted
        quiet(watched, path)
    confusion = stakes.confusion_matrix(list("aabbb"), list("abbba"), classes=["a", "b"])
    path = tmp_path / "decisions.html"
    stakes.evaluation.evaluate_decisions(confusion).save_html(path)
    with opened(browser, path) as watched:
        watched.drag("cost of a miss", 0.7)
        chosen = asked(watched.application(), ["a", "b"])
        cost = confusion.expected_cost(chosen["costs"], chosen["priors"])
        assert watched.necs() == [number(cost.normalized)]
        quiet(watched, path)


@pytest.mark.parametrize("share", ["0.123456", "0.99997", "0.0000123456"])
def test_a_number_is_taken_as_typed(browser: Any, tmp_path: Path, share: str) -> None:  # noqa: ANN401
    path = tmp_path / "report.html"
    stakes.evaluate(**two_classes(), calibrator=None).save_html(path)
    with opened(browser, path) as watched:
        shown = watched.page.get_by_role("textbox", name=re.compile("^Share of"))
        shown.fill("")
        shown.press_sequentially(share, delay=40)  # frames pass between the digits
        shown.press("Tab")
        watched.settle()
        assert watched.application()["prior"]["alarm"] == float(share)
        assert float(shown.input_value()) == pytest.approx(float(share), rel=1e-3)
        assert float(shown.input_value()) < 1
        quiet(watched, path)


def test_the_strip_of_odds_never_contradicts_the_costs(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = stakes.simulation.simulate(2, n=1000)
    systems = {
        "one": data.posteriors([0.5, 0.5]),
        "two": data.posteriors([0.5, 0.5], stakes.simulation.MISCALIBRATED),
    }
    path = tmp_path / "compare.html"
    stakes.compare(data.y, systems).save_html(path)
    marked = []
    for prior in (None, 0.01, 0.5, 0.9):
        for miss in (0.2, 1, 5):
            for adapt in ("", "&a=1"):
                at = "" if prior is None else f"&p={1 - prior},{prior}"
                with opened(browser, path, f"#v=1&c=0,1;{miss},0&d=0,1{at}{adapt}") as watched:
                    said = watched.page.locator(".odds p.hint").inner_text()
                    least = watched.page.locator("li[data-code=cheapest]").text_content()
                if "No mark" not in said:
                    marked.append((prior, adapt))
                if "costs least" in said:
                    assert said.split(": ")[1].split()[0] == least.split()[0]
                elif "No mark" not in said:
                    assert "no system is distinguishable" in said or "beyond" in said
    assert {prior for prior, adapt in marked if adapt} == {None, 0.01, 0.5, 0.9}
    assert {prior for prior, adapt in marked if not adapt} == {None}


def test_a_calibrator_of_other_priors_is_owned_to(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=data["classes"])
    uses: dict[str, Any] = {"here": costs, "there": stakes.Application(costs, [0.5, 0.5])}
    path = tmp_path / "report.html"
    stakes.evaluate(**data, costs=uses, training_priors="data").save_html(path)
    with opened(browser, path) as watched:
        live = watched.page.locator("#live")
        assert "fitted at other priors" not in live.inner_text()
        watched.page.get_by_label("Application").select_option("there")
        watched.settle()
        assert "fitted at other priors" in live.inner_text()
        quiet(watched, path)


def breast() -> dict[str, Any]:
    path = resources.files("stakes") / "data" / "breast.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    return {
        "y_true": [row["diagnosis"] for row in rows],
        "scores": stakes.Logits([float(row["log_odds"]) for row in rows]),
        "classes": ["benign", "malignant"],
    }


def weak(n: int, width: float) -> dict[str, Any]:
    """Return scores that all differ, so that a page holds a grid of them."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % 2
    z = width * (rng.normal(size=n) + 0.7 * y)
    classes = ["calm", "alarm"]
    return {"y_true": np.array(classes)[y], "scores": stakes.Logits(z), "classes": classes}


@pytest.mark.parametrize(
    ("data", "miss", "grid"),
    [(breast, 20, False), (lambda: weak(30_000, 1.0), 3, True)],
    ids=["breast", "grid"],
)
def test_numbers_in_pictures_are_those_in_the_tables(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
    data: Callable[[], dict[str, Any]],
    miss: float,
    grid: bool,  # noqa: FBT001
) -> None:
    given = data()
    costs = stakes.CostMatrix.binary(miss=miss, false_alarm=1, classes=given["classes"])
    made = stakes.evaluate(**given, costs=costs)
    path = tmp_path / "report.html"
    made.save_html(path)
    assert made.main.minimum is not None
    assert made.sketch is not None
    least = number(made.main.minimum.value)
    with opened(browser, path) as watched:
        assert least in watched.page.locator("#numbers").inner_text()
        said = watched.figure("Cost as misses become more expensive")
        assert f"uncalibrated, minimum {least} " in said
        assert "about" not in said
        assert f"Minimum cost on these data: uncalibrated {least} at P = " in watched.figure(
            "Cost at every threshold"
        )
        area = number(made.ranking["auc"].value)
        assert f"Area under the curve: uncalibrated {area}," in watched.figure("ROC")
        watched.page.get_by_role("textbox", name=re.compile("^Miss")).fill(str(0.9 * miss))
        watched.page.keyboard.press("Enter")
        watched.settle()
        chosen = asked(watched.application(), given["classes"])
        del chosen["training_priors"]
        other = stakes.evaluate(**given, **chosen, calibrator=None).main.minimum
        assert other is not None
        said = watched.figure("Cost as misses become more expensive")
        shown = re.search(r"uncalibrated, minimum (about )?([\d.]+)", said)
        assert shown is not None
        if not grid:
            assert (shown[1], shown[2]) == (None, number(other.value))
        else:
            assert shown[1] == "about "
            bound = re.search(r"within ([\d.]+) of the value for all scores", said)
            assert bound is not None
            assert abs(float(shown[2]) - other.value) <= float(bound[1]) + 5e-5
        quiet(watched, path)


def test_the_area_is_that_of_all_scores(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = weak(20_000, 1e-3)  # all in a few cells of the grid
    made = stakes.evaluate(**data, calibrator=None)
    path = tmp_path / "report.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        said = watched.figure("ROC")
        assert f"Area under the curve: {number(made.ranking['auc'].value)}." in said
        assert "could reach" in said


def test_a_cost_just_above_the_naive_one_is_not_100_percent(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    truth = ["a"] * 500 + ["b"] * 500
    decided = ["a"] * 499 + ["b"] + ["b"] * 251 + ["a"] * 249
    costs = stakes.CostMatrix.binary(miss=1, false_alarm=253, classes=["a", "b"])
    confusion = stakes.confusion_matrix(truth, decided, classes=["a", "b"])
    made = stakes.evaluation.evaluate_decisions(confusion, costs=costs)
    assert made.expected_cost.normalized == pytest.approx(1.004)
    path = tmp_path / "decisions.html"
    made.save_html(path)
    with opened(browser, path) as watched:
        assert "100.4 %" in watched.page.locator("#verdicts").text_content()
        assert (
            "It costs 100.4 % of the cost of always deciding"
            in watched.page.locator("#live").text_content()
        )


def test_the_cheapest_system_is_not_called_better(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    p = np.asarray(data["scores"].log_posteriors())[:, 1]
    path = tmp_path / "compare.html"
    systems = {"one": np.exp(p), "two": np.exp(1.01 * p)}
    stakes.compare(data["y_true"], systems, classes=data["classes"]).save_html(path)
    with opened(browser, path, "#v=1&c=0,1;3,0&d=calm,alarm") as watched:
        said = watched.page.locator("li[data-code=cheapest]").text_content()
        assert " costs least on these samples: " in said
        tested = "Whether the difference could be chance is tested only in"
        assert said.endswith(f" {tested} “things to know” and Differences.")


def test_the_share_left_undecided_is_the_same_everywhere(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    data = two_classes()
    costs = stakes.CostMatrix.zero_one(data["classes"], abstain=0.137)
    made = stakes.evaluate(**data, costs=costs, calibrator=None)
    path = tmp_path / "report.html"
    made.save_html(path)
    assert made.main.abstention is not None
    with opened(browser, path) as watched:
        said = watched.figure("Cost and share of abstentions")
        assert f"share left undecided {100 * made.main.abstention.value:.1f} %" in said
