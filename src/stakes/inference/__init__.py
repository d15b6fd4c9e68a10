"""One law for every interval and test.

The interval of a metric is its range over all reweightings of the rows, together with half an
unseen row where it would do most harm, that are not less likely than exp(-q^2 / 2). A p-value
comes from the radius at which the interval touches the null.

This is Owen's empirical likelihood with added observations (Chen, Variyath and Abraham; Emerson
and Owen). `cells` holds rows that are alike, `totals` metrics that are functions of their sums,
`tilting` the most extreme reweighting, `law` intervals and p-values. They know no metric.

`scored_rows` are rows in the order of their scores, for numbers that depend on a threshold or a map
that is found on the same rows: `error_rates` has two error rates, `least_costs` the least cost,
`rising_maps` the least log loss.
"""
