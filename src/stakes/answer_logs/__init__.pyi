# Written by `make exports` from the `__all__` of each module.
from stakes.answer_logs.answer_log import AnswerLog as AnswerLog
from stakes.answer_logs.answer_log import LeftOut as LeftOut
from stakes.answer_logs.answer_log import LoggedOptions as LoggedOptions
from stakes.answer_logs.stated_answers import StatedIn as StatedIn
from stakes.answer_logs.log_reading import read_answer_log as read_answer_log
