# Written by `make exports` from the `__all__` of each module.
from stakes.torch.calibration_modules import CalibrationModule as CalibrationModule
from stakes.torch.metric import Metric as Metric
from stakes.torch.calibration_modules import module_of as module_of
