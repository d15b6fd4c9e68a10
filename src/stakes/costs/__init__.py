"""What decisions cost."""

from stakes.costs.matrix import CostMatrix

__all__ = ["CostMatrix"]
