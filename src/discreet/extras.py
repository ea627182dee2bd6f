"""Optional dependencies: check that one is installed, or say how to install it."""

from importlib.util import find_spec

from discreet.errors import MissingExtraError


def require(module: str, extra: str, what: str) -> None:
    """Raise MissingExtraError if a module is not installed. The message names `what`, which needs the module."""
    if find_spec(module) is None:
        raise MissingExtraError(f"{what} needs {module}, which is not installed; run: pip install 'discreet[{extra}]'")
