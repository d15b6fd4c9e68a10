"""What decisions cost."""

from stakes.costs.by_case import CostsByCase
from stakes.costs.matrix import CostMatrix
from stakes.costs.per_sample import SampleCosts

__all__ = ["CostMatrix", "CostsByCase", "SampleCosts"]
