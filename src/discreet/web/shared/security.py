"""What every answer of a server carries, and which requests no application sees.

- A content security policy: scripts, styles and pictures come from this server, and nothing is inline. An answer that
  brings a policy of its own keeps it: the verifier is one file with a script inside.
- A request must name a host that the server was started for. A page of another site that points its own name at this
  address (DNS rebinding) is refused.
- A request that changes something must come from a page of this server.
- A body is limited, also if the request does not say how long the body is.

These are ASGI classes without buffering, so that large downloads pass through in pieces.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, browsers send forms with "Origin: null"
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

READING = ("GET", "HEAD", "OPTIONS")

LARGEST_BODY = 1_000_000


class Guard:
    """Wrap an application: refuse foreign requests, limit bodies, add headers.

    Parameters
    ----------
    application
        The ASGI application.
    hosts
        The names of the server, without a port. None: any name, for a server behind another one that checks.
    largest_body
        The most bytes in the body of a request.
    """

    def __init__(
        self, application: Application, hosts: Iterable[str] | None = LOOPBACK, largest_body: int = LARGEST_BODY
    ) -> None:
        self.application, self.largest_body = application, largest_body
        self.hosts = None if hosts is None else frozenset(name.lower() for name in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in HEADERS if name not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await _refuse(guarded_send, *refusal)
            return
        await self._limited(scope, receive, guarded_send)

    def _refusal(self, method: str, headers: MutableMapping[str, str]) -> tuple[int, str] | None:
        """Return status and reason if a request is refused, from its method and headers."""
        host = headers.get("host", "")
        if self.hosts is not None and host_name(host) not in self.hosts:
            return 421, "this server has another name; open the address that the server printed"
        if method not in READING:
            origin = headers.get("origin")
            site = headers.get("sec-fetch-site", "same-origin")
            foreign = origin is not None and origin.partition("://")[2] != host
            if foreign or site not in ("same-origin", "none"):
                return 403, "this request comes from a page of another site"
        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdigit() and len(length) < 20
        if not is_number or int(length) > self.largest_body:
            return 413, f"the body of a request has at most {self.largest_body:,} bytes"
        return None

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application. Refuse the request if its body is longer than it said."""
        received, started = 0, False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.largest_body:
                raise _TooLongError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.application(scope, counted, noted)
        except _TooLongError:
            if started:
                raise
            await _refuse(send, 413, f"the body of a request has at most {self.largest_body:,} bytes")


class _TooLongError(Exception):
    """The body of a request is too long."""


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port, in small letters."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() and (not name.count(":") or name.endswith("]")) else host.lower()


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = (reason + "\n").encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
