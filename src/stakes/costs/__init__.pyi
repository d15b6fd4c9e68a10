# Written by `make exports` from the `__all__` of each module.
from stakes.costs.confidence_target import ConfidenceTarget as ConfidenceTarget
from stakes.costs.matrix import CostMatrix as CostMatrix
from stakes.costs.by_case import CostsByCase as CostsByCase
from stakes.costs.by_case import SampleCosts as SampleCosts
