"""Parameters to a mechanism: one module for each design, with its mathematics.

`registry` says which designs exist. A design is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet.design import registry

if TYPE_CHECKING:
    from discreet.design.additive.bounded import bounded
    from discreet.design.additive.gaussian import gaussian
    from discreet.design.additive.geometric import geometric
    from discreet.design.additive.maxent import maxent
    from discreet.design.additive.power import power
    from discreet.design.additive.staircase import staircase
    from discreet.design.cycle.cyclic import cyclic
    from discreet.design.matrix.constrained import constrained
    from discreet.design.matrix.exponential import exponential
    from discreet.design.matrix.fair import fair
    from discreet.design.matrix.randomized_response import randomized_response
    from discreet.design.matrix.select import select
    from discreet.design.matrix.uniform import uniform
    from discreet.design.matrix.weakly_honest import weakly_honest
    from discreet.plan.adviser import Advice, advise

__all__ = [
    "Advice",
    "advise",
    "bounded",
    "constrained",
    "cyclic",
    "exponential",
    "fair",
    "gaussian",
    "geometric",
    "maxent",
    "power",
    "randomized_response",
    "select",
    "staircase",
    "uniform",
    "weakly_honest",
]

_ADVISER = "discreet.plan.adviser"
"""Holds `advise`, a public name of this package. The adviser composes, so its module is above this package."""


def __getattr__(name: str) -> Any:
    if name in registry.MODULES:
        return registry.design(name)
    if name in ("Advice", "advise"):
        return getattr(import_module(_ADVISER), name)
    raise AttributeError(f"module 'discreet.design' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
