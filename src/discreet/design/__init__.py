"""Designs: functions from parameters to a mechanism. One file a family, the mathematics in its docstring.

A family is loaded when it is first used, so that noise that needs no solver loads none. A function has the name of its
file, as a rule, and `discreet.design.NAME` is the function, whoever loaded the file first.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.design.advise import Advice, advise
    from discreet.design.bounded import bounded
    from discreet.design.constrained import constrained
    from discreet.design.cyclic import cyclic
    from discreet.design.exponential import exponential
    from discreet.design.fair import fair
    from discreet.design.gaussian import gaussian
    from discreet.design.geometric import geometric
    from discreet.design.maxent import maxent
    from discreet.design.randomized import randomized_response
    from discreet.design.select import select
    from discreet.design.staircase import staircase
    from discreet.design.uniform import uniform
    from discreet.design.weakly_honest import weakly_honest

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
    "randomized_response",
    "select",
    "staircase",
    "uniform",
    "weakly_honest",
]

_FILES = {"Advice": "advise", "randomized_response": "randomized"}


class _Designs(ModuleType):
    """Loading a file makes it an attribute of its folder, under the name of its function: the function stays."""

    def __setattr__(self, name: str, value: Any) -> None:
        function = name in __all__ and isinstance(value, ModuleType)
        super().__setattr__(name, getattr(value, name) if function else value)


sys.modules[__name__].__class__ = _Designs


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"discreet.design.{_FILES.get(name, name)}"), name)
    raise AttributeError(f"module 'discreet.design' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
