"""Pictures, drawn with matplotlib from numbers that were computed elsewhere."""

from stakes.displays.scatter import MetricScatterDisplay

__all__ = ["MetricScatterDisplay"]
