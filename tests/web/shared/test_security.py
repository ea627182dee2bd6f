"""What every answer carries, and which requests no application sees."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from discreet.web.shared.security import Guard, Message, Receive, Scope, Send, host_name


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body. The path /own brings a policy of its own."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    headers = [(b"content-security-policy", b"own")] if scope["path"] == "/own" else []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def asked(
    method: str = "GET",
    path: str = "/",
    parts: tuple[bytes, ...] = (),
    guard: Guard | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer."""
    sent: list[Message] = []
    given = {"host": "127.0.0.1:8000"} | dict(headers)
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    waiting = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run((guard or Guard(echo, largest_body=10))(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:])


def test_no_answer_allows_inline_scripts_or_other_origins() -> None:
    status, headers, _ = asked()
    policy = headers["content-security-policy"]
    assert status == 200
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_an_answer_keeps_a_policy_of_its_own() -> None:
    assert asked(path="/own")[1]["content-security-policy"] == "own"


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1.evil.example:80", "[::2]:80"])
def test_a_request_to_another_name_is_refused(host: str) -> None:
    status, headers, _ = asked(headers={"host": host})
    assert status == 421
    assert "content-security-policy" in headers


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]:80"])
def test_a_request_to_this_machine_is_answered(host: str) -> None:
    assert asked(headers={"host": host})[0] == 200


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_a_change_that_another_site_asks_for_is_refused(headers: dict[str, str]) -> None:
    assert asked("POST", headers=headers)[0] == 403
    assert asked("GET", headers=headers)[0] == 200


def test_a_change_that_a_page_of_this_server_asks_for_is_answered() -> None:
    assert asked("POST", headers={"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"})[0] == 200


@pytest.mark.parametrize("length", ["11", "-1", "ten", "9" * 5000])
def test_a_body_that_says_it_is_too_long_is_refused(length: str) -> None:
    assert asked("POST", headers={"content-length": length})[0] == 413


def test_a_body_that_is_longer_than_it_says_is_refused() -> None:
    assert asked("POST", parts=(b"12345", b"67890"))[::2] == (200, b"1234567890")
    assert asked("POST", parts=(b"12345", b"67890", b"1"))[0] == 413


def test_a_server_behind_another_one_takes_any_name() -> None:
    any_name: Any = Guard(echo, hosts=None)
    assert asked(guard=any_name, headers={"host": "tables.example"})[0] == 200


@pytest.mark.parametrize(
    ("host", "name"), [("A.b:8", "a.b"), ("a.b", "a.b"), ("[::1]:8", "[::1]"), ("[::1]", "[::1]"), ("", "")]
)
def test_the_name_of_a_host_has_no_port(host: str, name: str) -> None:
    assert host_name(host) == name
