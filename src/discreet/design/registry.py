"""Which designs exist: the name of each, and the module that holds it.

A module is loaded when its design is first used, so noise that needs no solver loads none.
"""

from collections.abc import Callable
from importlib import import_module

from discreet.errors import ParameterError
from discreet.mechanism import Mechanism
from discreet.spelling import did_you_mean

Design = Callable[..., Mechanism]

MODULES = {
    "bounded": "discreet.design.additive.bounded",
    "constrained": "discreet.design.matrix.constrained",
    "cyclic": "discreet.design.cycle.cyclic",
    "exponential": "discreet.design.matrix.exponential",
    "fair": "discreet.design.matrix.fair",
    "gaussian": "discreet.design.additive.gaussian",
    "geometric": "discreet.design.additive.geometric",
    "maxent": "discreet.design.additive.maxent",
    "power": "discreet.design.additive.power",
    "randomized_response": "discreet.design.matrix.randomized_response",
    "select": "discreet.design.matrix.select",
    "staircase": "discreet.design.additive.staircase",
    "uniform": "discreet.design.matrix.uniform",
    "weakly_honest": "discreet.design.matrix.weakly_honest",
}
"""Every design, by name."""


def design(name: object) -> Design:
    """Return the design of a name. Load its module.

    Parameters
    ----------
    name : str
        A name in `MODULES`.

    Returns
    -------
    Callable
        A function from keyword parameters to a `Mechanism`.

    Raises
    ------
    ParameterError
        No design has the name.

    Examples
    --------
    >>> from discreet.design import registry
    >>> registry.design("uniform")(n=1).matrix().tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    if not isinstance(name, str) or name not in MODULES:
        raise ParameterError(
            f"there is no design {name!r:.80}; the designs are {', '.join(MODULES)}{did_you_mean(name, MODULES)}"
        )
    function: Design = getattr(import_module(MODULES[name]), name)
    return function
