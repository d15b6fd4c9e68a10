"""Pictures, drawn with matplotlib from numbers that were computed elsewhere."""

from stakes.displays.scatter import MetricScatterDisplay
from stakes.displays.thresholds import ThresholdDisplay

__all__ = ["MetricScatterDisplay", "ThresholdDisplay"]
