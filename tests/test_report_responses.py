"""Pages of responses: the sketch is exact where it says so, the first sentence follows the verdicts."""

import base64
import hashlib
import json
import re
from typing import Any

import numpy as np
import pytest

import stakes
from kinds_of_page import answers, compared_answers
from stakes._typing import FloatArray
from stakes.report import page_of
from stakes.report.response_answer import meaning
from stakes.responses.abstention_rules import CALIBRATED, STATED, Rules, calibrate_confidence
from stakes.responses.response_sketch import (
    CELLS,
    MOST_LEVELS,
    ConfidenceLevels,
    response_sketch,
)

HOSTILE = "<img src=x onerror=alert(1)>"


def many(n: int = 12_000, *, weighted: bool = False) -> stakes.Responses:
    """Return responses with more levels of confidence than a sketch keeps one by one."""
    rng = np.random.default_rng(5)
    chance = rng.random(n)
    chance[:100] = np.arange(100) / 100  # some are targets, but for rounding
    right, silent = rng.random(n) < chance, chance < 0.1
    weights = rng.random(n) if weighted else None
    return stakes.Responses(right, np.sqrt(chance), silent, sample_weight=weights)


def shares(levels: ConfidenceLevels, t: float, total: float) -> tuple[float, float]:
    """Return which shares of all questions a page takes to be answered rightly and wrongly."""
    answered = levels.level >= t - 1e-15
    return levels.right[answered].sum() / total, levels.wrong[answered].sum() / total


@pytest.mark.parametrize("weighted", [False, True])
def test_a_grid_is_exact_at_targets_of_its_steps(weighted: bool) -> None:  # noqa: FBT001
    said = many(weighted=weighted)
    fitted = calibrate_confidence(said, stakes.AffineCalibrator(), 5, 0)
    sketch, rules = response_sketch(said, fitted), Rules(said, fitted, 0.95)
    total = sketch.right + sketch.wrong + sketch.abstained
    for name, levels in ((STATED, sketch.stated), (CALIBRATED, sketch.calibrated)):
        assert levels is not None
        assert not levels.exact
        assert levels.level.size <= CELLS + 1
        for t in (0.0, 0.0001, 0.1, 0.3, 0.5, 0.7, 0.75, 0.9, 0.9999):
            measures = rules.measures(name, stakes.ConfidenceTarget(t))
            assert measures is not None
            _, wrong, right = (float(part / sum(measures.totals)) for part in measures.totals)
            assert shares(levels, t, total) == pytest.approx((right, wrong), rel=1e-12, abs=1e-15)


def test_few_levels_are_kept_as_they_are() -> None:
    said = answers().responses
    sketch = answers().sketch
    assert sketch is not None
    assert sketch.stated is not None
    known = said.open
    assert said.confidence is not None
    assert sketch.stated.exact
    np.testing.assert_array_equal(sketch.stated.level, np.unique(said.confidence[known]))
    assert sketch.stated.right.sum() == (said.right[known] == 1).sum()
    assert (sketch.right, sketch.wrong) == (said.is_right.sum(), said.is_wrong.sum())
    assert sketch.abstained == said.abstained.sum()
    assert sketch.unknown == said.unknown > 0
    assert sketch.always_wrong == (said.right == 0).sum()


def test_a_page_does_not_grow_with_the_responses() -> None:
    n = 100_000
    sure = np.random.default_rng(0).random(n)
    found = stakes.evaluate_responses(stakes.Responses(np.arange(n) % 3 > 0, sure), 0.75)
    assert np.unique(sure).size > MOST_LEVELS
    assert len(found.to_html()) < 250_000


def answer_of(page: str) -> str:
    """Return the words of the first section of a page."""
    start = page.index('id="answer-text"')
    section = page[start : page.index('class="thousand"', start)].replace("</p>", " ")
    text = re.sub(r"<[^>]+>", "", section)
    return " ".join(text.split())


def made(right: list[int], wrong: list[int], silent: int = 0) -> stakes.Responses:
    """Return right and wrong answers at confidences 0.3 and 0.9, and abstentions at 0.3."""
    truth: list[Any] = [True] * sum(right) + [False] * sum(wrong) + [False] * silent
    sure: FloatArray = np.repeat([0.3, 0.9, 0.3, 0.9, 0.3], [*right, *wrong, silent])
    return stakes.Responses(truth, sure, [False] * sum(right + wrong) + [True] * silent)


SAID: dict[str, tuple[stakes.Responses, str]] = {
    "guesses": (
        made([100, 300], [300, 30]),
        (
            "At a confidence target of 75 %, this model should answer 45 % of the questions. It answers"
            " 100 % and scores −0.81 points per question; abstaining below a stated confidence of 0.9"
            " would score 0.29. As they are, its responses are ✕not worth having: never answering"
            " scores 0."
        ),
    ),
    "knows": (
        made([0, 300], [0, 30], 300),
        (
            "At a confidence target of 75 %, this model answers 52 % of the questions and scores 0.333"
            " points per question. No threshold on its confidence is shown to do better. As they are,"
            " its responses are ✓worth having: never answering scores 0."
        ),
    ),
    "unsure": (
        made([0, 32], [0, 10], 10),
        "As they are, its responses are ?not shown to be worth having: never answering scores 0.",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_the_first_sentence_follows_the_verdicts(name: str) -> None:
    said, wanted = SAID[name]
    found = stakes.evaluate_responses(said, 0.75)
    page = found.to_html()
    assert wanted in answer_of(page)
    for verdict in found.verdicts:
        assert f'data-code="{verdict.code}"' in page


def test_what_a_target_means() -> None:
    assert meaning(0.5).startswith("A wrong answer cancels one right answer;")
    assert meaning(0.9).startswith("A wrong answer cancels 9 right answers;")
    assert meaning(0.2).startswith("A wrong answer cancels 0.25 of a right answer;")
    assert "always answering is best" in meaning(0.0)


@pytest.mark.parametrize("make", [answers, compared_answers])
def test_a_page_lets_only_its_own_script_run_and_loads_nothing(make: Any) -> None:  # noqa: ANN401
    found = make()
    page = found.to_html(title="t", source="s.csv")
    assert page == found.to_html(title="t", source="s.csv")
    script = page[page.rindex("<script>") + 8 : page.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_names_are_text() -> None:
    said = made([50, 50], [30, 10])
    topics = np.where(np.arange(140) % 2, HOSTILE, "b")
    one = stakes.evaluate_responses(said, 0.75, slices={HOSTILE: topics})
    both = stakes.compare_responses({HOSTILE: said, "b": said}, 0.75, slices={HOSTILE: topics})
    for found in (one, both):
        for text in (found.to_html(title=HOSTILE), found._repr_html_(), found._repr_markdown_()):
            assert HOSTILE not in text


def test_a_notebook_shows_verdicts_and_numbers_without_frames() -> None:
    for found in (answers(), compared_answers()):
        text = found._repr_markdown_()
        assert "At a target of 75 %" in text
        assert "utility" in text
        page = page_of(found)
        assert page.findings[0].text == found.verdicts[0].text
        assert len(page.numbers) > 1
