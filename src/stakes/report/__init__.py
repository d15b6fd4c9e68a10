"""Evaluations as one self-contained page that can be sent around, and tried at other costs."""

from collections.abc import Mapping

from stakes.evaluation import Comparison, DecisionEvaluation, Evaluation
from stakes.report.model_card import Card, model_card_of
from stakes.report.notebook import notebook_frame, notebook_text
from stakes.report.page import Page
from stakes.report.page_of_comparison import comparison_page
from stakes.report.page_of_evaluation import decisions_page, evaluation_page
from stakes.report.page_of_reproduction import Picture, reproduction_page


def page_of(
    record: Evaluation | Comparison | DecisionEvaluation,
    title: str = "",
    source: str = "",
    actions: Mapping[str, str] | None = None,
) -> Page:
    """Return the page of an evaluation or a comparison.

    `actions` say how to do what it advises, by default in Python.
    """
    if isinstance(record, DecisionEvaluation):
        return decisions_page(record, title, source)
    if isinstance(record, Comparison):
        return comparison_page(record, title, source)
    return evaluation_page(record, title, source, actions)
