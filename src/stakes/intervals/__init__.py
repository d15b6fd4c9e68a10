"""Intervals of calibration losses."""

from stakes.intervals.paired_intervals import CalibrationPair, with_learning
