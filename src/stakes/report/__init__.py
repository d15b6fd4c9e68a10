"""Evaluations as one self-contained page that can be sent around, and tried at other costs."""

from stakes.evaluation import Comparison, Evaluation
from stakes.report.comparison import comparison_page
from stakes.report.evaluation import evaluation_page
from stakes.report.page import Page, notebook_frame

__all__ = ["Page", "comparison_page", "evaluation_page", "notebook_frame", "page_of"]


def page_of(record: Evaluation | Comparison, title: str = "", source: str = "") -> Page:
    """Return the page of an evaluation or a comparison."""
    if isinstance(record, Comparison):
        return comparison_page(record, title, source)
    return evaluation_page(record, title, source)
