# Written by `make exports` from the `__all__` of each module.
from stakes.lm_eval.task_functions import answered_accuracy as answered_accuracy
from stakes.lm_eval.run_results import answers_of_results as answers_of_results
from stakes.lm_eval.task_functions import hallucination_rate as hallucination_rate
from stakes.lm_eval.task_functions import normalized_cost_at as normalized_cost_at
from stakes.lm_eval.task_functions import response_processor as response_processor
from stakes.lm_eval.task_functions import utility_at as utility_at
