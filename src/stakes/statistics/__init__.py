"""Statistics that add: the statistic of two sets of samples is the sum of theirs."""

from stakes.statistics.confusion import ConfusionCounts

__all__ = ["ConfusionCounts"]
