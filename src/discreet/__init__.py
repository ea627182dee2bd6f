"""Discreet: tables of counts about people, with a privacy guarantee that anyone can check.

This module has the public names, and nothing else. A name is loaded when it is first used, so that
`discreet.certify.verify` can be imported without numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet import account, assess, design, formats, infer, reconcile, release, testing
    from discreet.certify.ptable import PTable, load
    from discreet.certify.verify import verify
    from discreet.domain import Counts, Cycle
    from discreet.errors import DiscreetError
    from discreet.mechanism import Mechanism, Row

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "Cycle",
    "DiscreetError",
    "Mechanism",
    "PTable",
    "Row",
    "account",
    "assess",
    "design",
    "formats",
    "infer",
    "load",
    "reconcile",
    "release",
    "testing",
    "verify",
]

_MODULES = {
    "Counts": "discreet.domain",
    "Cycle": "discreet.domain",
    "DiscreetError": "discreet.errors",
    "Mechanism": "discreet.mechanism",
    "PTable": "discreet.certify.ptable",
    "Row": "discreet.mechanism",
    "load": "discreet.certify.ptable",
    "verify": "discreet.certify.verify",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    if name in __all__:
        return import_module(f"discreet.{name}")
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
