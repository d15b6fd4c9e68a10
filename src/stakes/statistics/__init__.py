"""Statistics that add: the statistic of two sets of samples is the sum of theirs."""

from stakes.statistics.bins import BinSums
from stakes.statistics.confusion_counts import ConfusionCounts
from stakes.statistics.loss_sums import LossSums
from stakes.statistics.score_levels import ScoreLevels
