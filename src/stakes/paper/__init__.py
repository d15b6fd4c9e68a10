"""The experiments of the paper, each named by its table or figure."""

from stakes.paper.hard_decisions import metric_scatter, metric_tables
from stakes.paper.reproductions import Cell, Reproduction
from stakes.paper.simulated_tables import (
    ThresholdStudy,
    abstention_table,
    calibration_table,
    paper_sketch,
    scoring_table,
    threshold_study,
    threshold_table,
)
