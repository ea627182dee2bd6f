"""Optional dependencies: check that one is installed, or say how to install it."""

from importlib.util import find_spec

from discreet.errors import MissingExtraError


def require(module: str, extra: str, user: str) -> None:
    """Raise MissingExtraError if a module is not installed. The message names `user`, which needs the module."""
    if find_spec(module) is None:
        raise MissingExtraError(f"{user} needs {module}, which is not installed; {how_to_install(extra)}")


def how_to_install(extra: str) -> str:
    """Return how an extra is installed, for the end of a message."""
    return f"in a checkout run: uv sync --extra {extra}; otherwise run: pip install 'discreet[{extra}]'"
