# Written by `make exports` from the `__all__` of each module.
from stakes.responses.judge import CorrectedEstimate as CorrectedEstimate
from stakes.responses.judge import JudgedMean as JudgedMean
from stakes.responses.judged_responses import JudgedResponses as JudgedResponses
from stakes.responses.judged_responses import judge_report as judge_report
from stakes.responses.judge import judged_mean as judged_mean
