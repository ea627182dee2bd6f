"""Who may see the workbench: the browser that opened the printed address first, until the process ends.

The printed address holds a token. The first request with the token exchanges the token for a cookie, and the token is
worth nothing from then on. Every other request needs the cookie, except for the style sheet.

Cookies are sent to every port of a machine, so another user's server on the same machine could collect them. Therefore
all pages are below a path with random characters, and the cookie is sent for this path only.
"""

import hmac
import secrets
import threading
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from discreet.web.shared.security import Application, Receive, Scope, Send

TOKEN_BYTES = 32

STATIC = "/static/"
"""The path of the style sheet of the page that refuses. It is not below the path of the pages, which nobody learns."""


class Admission:
    """Wrap an application: nothing is answered without the cookie of the session.

    Parameters
    ----------
    application
        The ASGI application. It gets requests whose path starts with `root`, and removes nothing from the path.
    refused
        Return a page that says how to get in, from the header Accept-Language and the reason: "absent", "wrong" or
        "used".

    Attributes
    ----------
    root
        The path of all pages, with a slash at both ends.
    token
        The token of the printed address.
    form_token
        What every form has to send back: a page of another site cannot know it.
    """

    def __init__(self, refused: Callable[[str | None, str], str]) -> None:
        self.application: Application | None = None
        self.refused = refused
        self.root = f"/{secrets.token_urlsafe(9)}/"
        self.token, self.form_token = secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES)
        self._cookie_name = f"discreet-{secrets.token_hex(4)}"
        self._cookie = secrets.token_urlsafe(TOKEN_BYTES)
        self._lock, self._is_used = threading.Lock(), False

    def address(self, server: str) -> str:
        """Return the address to print. `server` is the address of the server, with a slash at its end."""
        return f"{server}?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        assert self.application is not None
        path, headers = scope["path"], {name: value.decode("latin-1") for name, value in scope["headers"]}
        if path.startswith(STATIC) and scope["method"] in ("GET", "HEAD"):
            await self.application(scope, receive, send)
            return
        if path == "/" and scope["method"] in ("GET", "HEAD"):
            reason = self._exchange(scope, headers)
            if reason is None:
                await self._let_in(send, headers.get(b"sec-fetch-site") == "cross-site")
                return
        elif self._knows_cookie(headers.get(b"cookie", "")):
            await self.application(scope, receive, send)
            return
        else:
            reason = "absent"
        page = self.refused(headers.get(b"accept-language"), reason).encode()
        await _answer(send, 401, page, [(b"content-type", b"text/html; charset=utf-8")])

    def _knows_cookie(self, header: str) -> bool:
        try:
            cookie = SimpleCookie(header[:8000]).get(self._cookie_name)
        except CookieError:
            return False
        return cookie is not None and _same(cookie.value, self._cookie)

    def _exchange(self, scope: Scope, headers: dict[bytes, str]) -> str | None:
        """Return why a request to the printed address gets no cookie; None if it gets one, which uses the token up.

        A browser that looks ahead, or a program that looks at the address only (HEAD), uses nothing up.
        """
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if not given:
            return "absent"
        if not _same(given, self.token):
            return "wrong"
        if scope["method"] != "GET" or "prefetch" in headers.get(b"sec-purpose", ""):
            return "absent"
        with self._lock:
            if self._is_used:
                return "used"
            self._is_used = True
        return None

    async def _let_in(self, send: Send, is_from_another_site: bool) -> None:
        """Set the cookie, and lead to the pages.

        A browser that follows a link of another site sends no strict cookie along a redirect, but does from a page.
        """
        cookie = f"{self._cookie_name}={self._cookie}; Path={self.root}; HttpOnly; SameSite=Strict"
        headers = [(b"set-cookie", cookie.encode()), (b"content-type", b"text/html; charset=utf-8")]
        if is_from_another_site:
            page = f'<!doctype html><title>Discreet</title><meta http-equiv="refresh" content="0;url={self.root}">'
            await _answer(send, 200, page.encode(), headers)
        else:
            await _answer(send, 303, b"", [*headers, (b"location", self.root.encode())])


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    own = [*headers, (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": own})
    await send({"type": "http.response.body", "body": body})
