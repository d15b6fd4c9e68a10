"""Pictures, drawn with matplotlib from numbers that were computed elsewhere."""

from stakes.displays.comparison import ComparisonDisplay
from stakes.displays.confusion import ConfusionDisplay
from stakes.displays.det import DetDisplay
from stakes.displays.distributions import ScoreDistributionDisplay
from stakes.displays.figures import Display, Drawing, panels, png, save_figure
from stakes.displays.precision_recall import PrecisionRecallDisplay
from stakes.displays.reliability import IsotonicReliabilityDisplay, ReliabilityDisplay
from stakes.displays.risk import RiskDisplay
from stakes.displays.roc import RocDisplay
from stakes.displays.scatter import MetricScatterDisplay
from stakes.displays.selective import AbstentionDisplay, RiskCoverageDisplay
from stakes.displays.thresholds import ThresholdSweepDisplay
from stakes.displays.tippett import TippettDisplay

__all__ = [
    "AbstentionDisplay",
    "ComparisonDisplay",
    "ConfusionDisplay",
    "DetDisplay",
    "Display",
    "Drawing",
    "IsotonicReliabilityDisplay",
    "MetricScatterDisplay",
    "PrecisionRecallDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RiskDisplay",
    "RocDisplay",
    "ScoreDistributionDisplay",
    "ThresholdSweepDisplay",
    "TippettDisplay",
    "panels",
    "png",
    "save_figure",
]
