"""Statistics that add: the statistic of two sets of samples is the sum of theirs."""

from stakes.statistics.bins import BinSums
from stakes.statistics.confusion import ConfusionCounts
from stakes.statistics.levels import ScoreLevels
from stakes.statistics.losses import LossSums

__all__ = ["BinSums", "ConfusionCounts", "LossSums", "ScoreLevels"]
