"""The experiments of the paper, each named by its table or figure."""

from stakes.paper.calibrated_tables import calibration_table, scoring_table
from stakes.paper.hard_decisions import metric_scatter, metric_tables
from stakes.paper.reproductions import Cell, Reproduction
from stakes.paper.threshold_tables import (
    ThresholdStudy,
    abstention_table,
    paper_sketch,
    threshold_study,
    threshold_table,
)
