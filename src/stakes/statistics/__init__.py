"""Sums over samples that metrics follow from: counts, losses, levels of scores, bins."""

from stakes.statistics.bins import BinSums
from stakes.statistics.confusion_counts import ConfusionCounts
from stakes.statistics.loss_sums import LossSums
from stakes.statistics.score_levels import ScoreLevels
