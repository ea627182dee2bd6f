"""Optional dependencies: what is installed, and how to install what is not."""

from importlib.util import find_spec

from discreet.errors import MissingExtraError


def require(module: str, extra: str, what: str) -> None:
    """Raise MissingExtraError if a module is not installed. `what` is what needs it, for the message."""
    if find_spec(module) is None:
        raise MissingExtraError(f"{what} needs {module}, which is not installed; {how_to_install(extra)}")


def how_to_install(extra: str) -> str:
    """Return how an extra is installed, for the end of a message."""
    return f"in a checkout run: uv sync --extra {extra}; otherwise run: pip install 'discreet[{extra}]'"
