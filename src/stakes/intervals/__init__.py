"""Intervals of means and shares, by group too, and of calibration losses."""

from stakes.intervals.groups import by_groups, with_design
from stakes.intervals.shares import bounded_mean, effective_size, share_estimate
