"""From microdata to a folder that can be published: one specification, one command."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.release.job import Release, run
    from discreet.release.spec import ReleaseSpec

__all__ = ["Release", "ReleaseSpec", "run"]

_PLACES = {"Release": "discreet.release.job", "ReleaseSpec": "discreet.release.spec", "run": "discreet.release.job"}


def __getattr__(name: str) -> Any:
    """Loaded when first used: the engines take a while."""
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'discreet.release' has no attribute {name!r}")
