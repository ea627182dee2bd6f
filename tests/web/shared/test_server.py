"""A server listens where it was told, or says why it cannot."""

import socket

import pytest

from discreet.errors import OutputError, ParameterError
from discreet.web.shared.server import address_of, listening


def test_port_0_is_any_port_that_is_free() -> None:
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert address_of(listener) == f"http://127.0.0.1:{port}/"
        with socket.create_connection(("127.0.0.1", port)):
            pass


def test_a_port_in_use_is_named() -> None:
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(OutputError, match=str(port)), listening("127.0.0.1", port):
            pass


@pytest.mark.parametrize("port", [-1, 65536])
def test_what_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ParameterError, match=str(port)), listening("127.0.0.1", port):
        pass


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(OutputError, match=r"192\.0\.2\.1"), listening("192.0.2.1", 0):
        pass
