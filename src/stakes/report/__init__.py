"""Evaluations as one self-contained page that can be sent around, and tried at other costs."""

from collections.abc import Mapping
from typing import TypeAlias

from stakes._amounts import read_unit
from stakes.evaluation import Comparison, DecisionEvaluation, Evaluation
from stakes.report.model_card import Card, model_card_of
from stakes.report.notebook import notebook_frame, notebook_text
from stakes.report.page import Heading, Page
from stakes.report.page_of_comparison import comparison_page
from stakes.report.page_of_evaluation import decisions_page, evaluation_page
from stakes.report.page_of_reproduction import Picture, reproduction_page
from stakes.report.page_of_responses import compared_responses_page, responses_page
from stakes.responses import ResponseComparison, ResponseEvaluation

Reported: TypeAlias = (
    Evaluation | Comparison | DecisionEvaluation | ResponseEvaluation | ResponseComparison
)


def page_of(
    record: Reported,
    heading: Heading | None = None,
    actions: Mapping[str, str] | None = None,
) -> Page:
    """Return the page of an evaluation or a comparison.

    `actions` say how to do what it advises, by default in Python.
    """
    heading = heading or Heading()
    if isinstance(record, ResponseEvaluation):
        return responses_page(record, heading)
    if isinstance(record, ResponseComparison):
        return compared_responses_page(record, heading)
    if isinstance(record, DecisionEvaluation):
        return decisions_page(record, heading)
    if isinstance(record, Comparison):
        return comparison_page(record, heading)
    return evaluation_page(record, heading, actions)


def html_of(
    record: Reported,
    title: str,
    source: str,
    unit: str,
    date: str,
) -> str:
    """Return the text of the page of a record."""
    return page_of(record, Heading(title, source, "", date, read_unit(unit))).html()
