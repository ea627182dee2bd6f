"""Start a server of pages on this machine, and end it with Ctrl-C."""

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from discreet.errors import OutputError, ParameterError
from discreet.extras import require

if TYPE_CHECKING:
    from discreet.web.shared.security import Application

LOOPBACK_ADDRESS = "127.0.0.1"


def require_web(command: str) -> None:
    """Raise MissingExtraError if what a server needs is not installed. `command` is named in the message."""
    for module in ("fastapi", "uvicorn", "jinja2"):
        require(module, "web", command)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address while the context is open.

    Parameters
    ----------
    host
        An address of this machine.
    port
        The port. 0: any port that is free.

    Raises
    ------
    ParameterError
        The port is no port.
    OutputError
        The address is in use, or is no address of this machine.
    """
    if not 0 <= port <= 65535:
        raise ParameterError(f"the port is {port}; give a number from 1 to 65535, or 0 for any port that is free")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise OutputError(f"port {port} is in use; give another one, or 0 for any that is free") from None
            raise OutputError(f"nothing can listen at {host}:{port} ({error.strerror}); give another address") from None
        listener.listen(128)
        yield listener


def address_of(listener: socket.socket) -> str:
    """Return the address that a browser opens, with a slash at its end."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(application: "Application", listener: socket.socket, started: Callable[[str], None]) -> None:
    """Serve an application until a signal ends the process.

    Parameters
    ----------
    application
        The ASGI application.
    listener
        The socket of `listening`.
    started
        Called with the address before the first request is answered.
    """
    import uvicorn

    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    started(address_of(listener))
    uvicorn.Server(config).run(sockets=[listener])
