"""The method of a part of a release, and the variance of its noise."""

import math
from collections.abc import Sequence

from discreet.certify.ptable import PTable
from discreet.errors import SpecError
from discreet.mechanism import Mechanism
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Layout
from discreet.reconcile import fixed_counts
from discreet.reconcile.cliques import Part

LARGE = 10**6
"""A count from which on noise does not depend on the count."""


def mean_square(ptable: PTable) -> float:
    """Return the mean square of the noise of a large count, the largest over a period; 1 for a table without noise."""
    mechanism = Mechanism.from_table(ptable.table)
    counts = range(LARGE, LARGE + max(1, len(ptable.table.interior)))
    return max(mechanism.variance(count) + mechanism.bias(count) ** 2 for count in counts) or 1.0


def method_of_part(method: str, part: Part, layout: Layout, literals: Sequence[FixedCount]) -> str:
    """Return the method of a part; raise SpecError if the specified one does not fit."""
    name = layout.tables[part.tables[0]][0].name
    has_literals = any(fixed_counts.is_about(literal, part) for literal in literals)
    if method == "wang-3":
        sizes = sorted(math.prod(part.shape(key)) for key in part.distinct)
        if len(sizes) != 2 or sizes[0] != 1 or has_literals:
            raise SpecError(
                f"reconcile is wang-3, which is for a list and its total with nothing fixed; table {name!r} is no such"
                " list: take auto",
                ("reconcile",),
            )
        return "wang-3"
    nested = part.chain(list(part.distinct.values())) is not None
    if method == "tree" and (not nested or has_literals):
        why = "it has fixed counts" if nested else "its groupings do not nest"
        raise SpecError(
            f"reconcile is tree, and table {name!r} is no hierarchy ({why}); take auto or cube", ("reconcile",)
        )
    return "tree" if method == "tree" or (method == "auto" and nested and not has_literals) else "cube"
