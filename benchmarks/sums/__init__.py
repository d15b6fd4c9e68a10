"""The sums that a summary of two classes keeps, by our code and by other libraries.

Counts by class and level of the score with the sum of the place in it, log loss and Brier score
with squares and cubes by class, counts by class and decision, and bins of the probability and of
the confidence with their sums. Each module has `scan(path)`, the pass over a Parquet file of labels
y and probabilities p, which is timed, and `numbers(found)`, what is compared.

`python -m benchmarks.sums polars FILE` runs one and prints times and numbers.
"""

LEVELS = 2**16
BINS = 15
