"""The experiments of the paper, each named by its table or figure."""

from stakes.paper.hard_decisions import Cell, Reproduction, metric_scatter, metric_tables

__all__ = ["Cell", "Reproduction", "metric_scatter", "metric_tables"]
