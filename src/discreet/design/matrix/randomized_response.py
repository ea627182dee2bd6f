"""Randomized response on k categories: the truth with odds E to 1 against each other category.

    Pr[output = truth] = E / (E + k - 1),     Pr[output = another] = 1 / (E + k - 1) each.

Categories are the residues 0..k-1 of a cycle. Every difference is a neighbour, because one person's answer may be
replaced by any other answer. With k = 2 this is Warner's randomized response, and the geometric mechanism on 0..1.
"""

from discreet.design import parameters
from discreet.domain import Cycle
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism, Row

LARGEST_CATEGORIES = 2_000


def randomized_response(
    *, epsilon: Number | None = None, categories: int = 2, alpha: Number | None = None
) -> Mechanism:
    """Return randomized response on `categories` categories, with delta 0.

    Parameters
    ----------
    epsilon, alpha : Number, optional
        Privacy of one answer: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    categories : int
        How many answers there are.

    Returns
    -------
    Mechanism
        Noise on a `Cycle` of all categories.

    Raises
    ------
    ParameterError
        The number of categories, epsilon or alpha is outside its range.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.randomized_response(alpha="1/3").matrix().tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    privacy = Epsilon.of(epsilon, alpha)
    k = parameters.integer(categories, "categories", 2, LARGEST_CATEGORIES, "group the categories")
    row = Row.exact(0, [privacy.alpha.denominator] + [privacy.alpha.numerator] * (k - 1))
    return Mechanism(
        Cycle(k), interior=(row,), design={"name": "randomized_response", **privacy.parameters, "categories": k}
    )
