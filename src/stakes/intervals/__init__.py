"""Intervals: closed form for sums elsewhere, here resampling and DeLong."""

from stakes.curves.area import auc_interval, auc_of_samples
from stakes.intervals.bootstrap import NOT_DRAWN, Progress, Replicates, Statistic, replicate
from stakes.intervals.counts import CountStatistic, count_statistic, replicate_counts
from stakes.intervals.groups import by_groups, with_design
from stakes.intervals.losses import CalibratedStatistic, ClassMeans, LossStatistic, NamedLosses
from stakes.intervals.paired_intervals import CalibrationPair, auc_difference, placed, with_learning
from stakes.intervals.ranking import Odds, RankStatistic
from stakes.intervals.refit import FullRefit, Training, WarmRefit, refitter
from stakes.intervals.resampling import Resampling, check_resamples, seed_of
from stakes.intervals.shares import bounded_mean, effective_size, share_estimate
