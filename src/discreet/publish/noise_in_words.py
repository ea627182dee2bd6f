"""A table of noise for readers: how far it moves a count, and its design."""

from bisect import bisect_left
from itertools import accumulate

from discreet.certify.ptable import PTable

LEVEL = 0.95
"""The share of errors that an error to expect holds."""


def error_within(ptable: PTable) -> int:
    """Return the smallest number that the noise of a table keeps within with a chance of 95% or more, exactly.

    It holds for large counts. A table without rows for large counts has the largest number over its counts.
    """
    table = ptable.table
    lower = getattr(ptable.domain, "lower", 0)
    if table.interior:
        return max(_within(row.first, row.weights) for row in table.interior)
    return max(_within(row.first - lower - index, row.weights) for index, row in enumerate(table.rows))


def _within(first: int, weights: tuple[int, ...]) -> int:
    """Return the smallest distance from 0 that holds 95% of the weights of first, first + 1, ..."""
    below = list(accumulate(weights, initial=0))  # the sum of all weights before each one
    end = first + len(weights)

    def is_enough(distance: int) -> bool:
        weight = below[max(min(distance + 1, end) - first, 0)] - below[max(min(-distance, end) - first, 0)]
        return weight * 100 >= below[-1] * round(100 * LEVEL)

    return bisect_left(range(max(abs(first), abs(end))), True, key=is_enough)


def design_in_words(ptable: PTable) -> str:
    """Return the name and the main settings of a design."""
    settings = (
        "epsilon", "alpha", "sigma2", "variance", "scale", "shape", "eta", "support", "upper", "n", "sensitivity",
    )  # fmt: skip
    design = dict(ptable.design)
    return ", ".join(
        [str(design.get("name", "custom")), *(f"{name} {design[name]}" for name in settings if name in design)]
    )
