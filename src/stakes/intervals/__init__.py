"""Intervals in closed form: of areas, shares and groups."""

from stakes.curves.area import auc_interval, auc_of_samples
from stakes.intervals.groups import by_groups, with_design
from stakes.intervals.paired_intervals import CalibrationPair, auc_difference, placed, with_learning
from stakes.intervals.shares import bounded_mean, effective_size, share_estimate
