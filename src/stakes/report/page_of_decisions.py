"""The page of hard decisions: what they cost."""

from pathlib import Path

from stakes._text import number, plain
from stakes.evaluation import DecisionEvaluation
from stakes.report.markup import Content, Markup, element, table, user_text
from stakes.report.page import Page, folded, live_sections, section
from stakes.report.page_of_evaluation import verdict_section
from stakes.report.page_tables import confusion_table, level_text, prior_table, traditional_table
from stakes.report.payload import decided


def decisions_page(evaluation: DecisionEvaluation, title: str = "", source: str = "") -> Page:
    """Return the page of an evaluation of decisions."""
    confusion = evaluation.confusion
    name = f"{plain(Path(source).name)}: " if source else ""
    unit = "samples" if confusion.whole else "total weight"
    facts = f"{name}{number(confusion.n, 6)} {unit} of {len(confusion.classes)} classes"
    return Page(
        title=title or "What these decisions cost",
        facts=facts,
        sections=(
            verdict_section(evaluation.verdicts),
            *live_sections(),
            section("numbers", "Numbers", *_numbers(evaluation)),
        ),
        data=decided(evaluation),
    )


def _numbers(evaluation: DecisionEvaluation) -> list[Markup]:
    """Return the tables."""
    cost, level = evaluation.expected_cost, evaluation.level
    rows: list[list[Content]] = [
        ["normalised expected cost", number(cost.normalized), str(cost.normalized_interval(level))],
        ["a case costs", number(cost.value), str(cost.interval(level))],
        [["always ", user_text(cost.naive_answer), " costs"], number(cost.naive), ""],
    ]
    parts = [
        table("Cost, lower is better; naive is 1", ("", "value", level_text(level)), rows),
        confusion_table(evaluation.confusion, evaluation.costs),
        prior_table(cost),
    ]
    if evaluation.traditional:
        name = "Traditional metrics"
        shown = traditional_table(evaluation.traditional, evaluation.estimates, name)
        parts.append(folded(name, shown))
    if evaluation.reasons:
        listed = [element("li", reason) for reason in evaluation.reasons]
        parts.append(element("ul", listed, class_="notes"))
    return parts
