"""Any table that the measurements of a release determine, with intervals: what the explorer shows.

    question -> population of every cell -> source: a published table or margin -> sums -> intervals

A table that is no published one is a table of sums of published cells. So everything that readers see adds up, and
costs no privacy.
"""
