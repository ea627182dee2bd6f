"""Randomized response on k categories: the truth, or any other category, chosen with odds E to 1.

    Pr[output = truth] = E / (E + k - 1),     Pr[output = another] = 1 / (E + k - 1) each.

Categories are residues 0..k-1 of a cycle on which every difference is a neighbour, because one person's
answer may be replaced by any other. With k = 2 it is Warner's, and the geometric mechanism on 0..1.
"""

from discreet.design import parameters
from discreet.domain import Cycle
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism, Row

LARGEST_CATEGORIES = 2_000


def randomized_response(
    *, epsilon: Number | None = None, categories: int = 2, alpha: Number | None = None
) -> Mechanism:
    """Randomized response on so many categories, exactly pure.

    Parameters
    ----------
    epsilon
        Privacy of one answer.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    categories
        How many answers there are.
    """
    privacy = Epsilon.of(epsilon, alpha)
    k = parameters.integer(categories, "categories", 2, LARGEST_CATEGORIES, "group the categories")
    row = Row.exact(0, [privacy.alpha.denominator] + [privacy.alpha.numerator] * (k - 1))
    return Mechanism(
        Cycle(k), interior=(row,), design={"name": "randomized_response", **privacy.parameters, "categories": k}
    )
