"""One law for every interval and test.

The interval of a metric is its range over all reweightings of the rows, together with half an
unseen row where it would do most harm, that are not less likely than exp(-q^2 / 2). A p-value
comes from the radius at which the interval touches the null.

This is Owen's empirical likelihood with added observations (Chen, Variyath and Abraham; Emerson
and Owen). `cells` holds rows that are alike, `totals` metrics that are functions of their sums,
`tilting` the most extreme reweighting, `law` intervals and p-values. Nothing here knows a metric.
"""
