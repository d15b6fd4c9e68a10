"""Summaries: samples of any number, added batch by batch, evaluated as if all were at hand."""

from stakes.evaluation.summaries.summary import Summary
