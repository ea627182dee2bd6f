"""Which mechanism has the properties at the least L0: the flowchart of Cormode 2019, section 5, corrected.

    F                                        -> EM* (`fair`)
    CH or CM, and alpha > 1/2                -> `constrained` with WH, RM and CM, the cheapest that has them
    WH, and n < 2 alpha/(1 - alpha)          -> `weakly_honest`
    otherwise                                -> the geometric mechanism

Checked on 8,280 linear programs: there are never more than four distinct costs. At n = 1 the geometric mechanism has
every property.
"""

from collections.abc import Sequence

from discreet.design import parameters
from discreet.design.additive.geometric import geometric
from discreet.design.matrix.constrained import closure, constrained, geometric_properties, requested
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


def select(
    *, n: int, epsilon: Number | None = None, properties: Sequence[str] | str = (), alpha: Number | None = None
) -> Mechanism:
    """The cheapest mechanism (L0, equal weights) with the properties; `design["reason"]` says why it was chosen.

    Parameters
    ----------
    n
        Largest count.
    epsilon
        Privacy of one count.
    properties
        Any of RH, RM, CH, CM, F, WH, S, or "all".
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    asked = closure(requested(properties))
    if asked <= geometric_properties(largest, privacy):
        chosen = geometric(upper=largest, **privacy.given)
    elif "F" in asked:
        chosen = fair(n=largest, **privacy.given)
    elif "CH" in asked:
        chosen = constrained(n=largest, properties=("WH", "RM", "CM", "S"), **privacy.given)
    else:
        chosen = weakly_honest(n=largest, **privacy.given)
    name = str(chosen.design["name"])
    design = {
        "name": "select",
        "n": largest,
        **privacy.parameters,
        "properties": sorted(asked),
        "chosen": name,
        "reason": _REASONS[name],
    }
    return Mechanism(chosen.domain, chosen.rows, design=design)
