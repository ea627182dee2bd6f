"""Which mechanism has the properties at the least L0: the flowchart of Cormode 2019, section 5, corrected.

    F                                        -> EM* (`fair`)
    CH or CM, and alpha > 1/2                -> `constrained` with WH, RM and CM, the cheapest that has them
    WH, and n < 2 alpha/(1 - alpha)          -> `weakly_honest`
    otherwise                                -> the geometric mechanism

In 8,280 linear programs there were never more than four different costs. At n = 1 the geometric mechanism has every
property.
"""

from collections.abc import Sequence

from discreet.design import parameters
from discreet.design.additive.geometric import geometric
from discreet.design.matrix._requested_properties import closure, geometric_properties, requested
from discreet.design.matrix.constrained import constrained
from discreet.design.matrix.fair import fair
from discreet.design.matrix.weakly_honest import weakly_honest
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism

_REASONS = {
    "fair": "fairness is asked for; EM* has all seven properties at the least cost of a fair mechanism",
    "constrained": "column honesty is asked for and alpha > 1/2; the optimum with row and column monotonicity"
    " costs no more than with column honesty alone",
    "weakly_honest": "weak honesty is asked for and n < 2 alpha/(1 - alpha), where the geometric mechanism has it not;"
    " this closed form does",
    "geometric": "the geometric mechanism has every property asked for, and the least L0 of all mechanisms",
}
"""Reasons for each choice. Certificates hold these texts, so they do not change."""


def select(
    *, n: int, epsilon: Number | None = None, properties: Sequence[str] | str = (), alpha: Number | None = None
) -> Mechanism:
    """Return the cheapest mechanism (L0, equal weights) with the properties; `design["reason"]` explains the choice.

    Parameters
    ----------
    n : int
        Largest count.
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    properties : str or sequence of str
        Any of RH, RM, CH, CM, F, WH, S, in a list or separated by commas, or "all".

    Returns
    -------
    Mechanism
        A mechanism on 0..n. `design["chosen"]` is the name of its design.

    Raises
    ------
    ParameterError
        A parameter is outside its range, or a property is not known.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.select(n=6, alpha="9/10", properties=("WH",)).design["chosen"]
    'weakly_honest'
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    names = closure(requested(properties))
    if names <= geometric_properties(largest, privacy):
        mechanism = geometric(upper=largest, **privacy.given)
    elif "F" in names:
        mechanism = fair(n=largest, **privacy.given)
    elif "CH" in names:
        mechanism = constrained(n=largest, properties=("WH", "RM", "CM", "S"), **privacy.given)
    else:
        mechanism = weakly_honest(n=largest, **privacy.given)
    chosen = str(mechanism.design["name"])
    design = {
        "name": "select",
        "n": largest,
        **privacy.parameters,
        "properties": sorted(names),
        "chosen": chosen,
        "reason": _REASONS[chosen],
    }
    return Mechanism(mechanism.domain, mechanism.rows, design=design)
