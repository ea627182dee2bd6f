"""Nothing private is served without the one-time token, and nothing changes without a form of the session."""

from pathlib import Path

import httpx
import pytest

from tests.web.workbench.steward import SERVER, Steward, opened, words

PAGES = [
    "", "columns", "left-out", "dimension?name=sex", "preview?name=sex", "tables", "plan", "settings", "yaml",
    "yaml-text", "release", "progress", "check", "ledger", "studio", "log?file=a.json",
    "published/a/report.html",
]  # fmt: skip


def cookie_of(answer: httpx.Response) -> str:
    return answer.headers["set-cookie"]


def test_the_token_lets_one_browser_in_once_and_leads_to_a_clean_address(tmp_path: Path) -> None:
    steward = Steward(tmp_path, let_in=False)
    address = steward.made.address("/")
    first = steward.request("GET", address, follow=False)
    assert first.status_code == 303
    assert "token" not in first.headers["location"]
    assert all(part in cookie_of(first) for part in ("HttpOnly", "SameSite=Strict", f"Path={steward.made.root}"))
    assert steward.get("").status_code == 200
    steward.cookies = httpx.Cookies()
    again = steward.request("GET", address)
    assert again.status_code == 401
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=" + "é" * 9, "?other=1", "?token=a&token=b"])
def test_a_wrong_or_absent_token_gets_401_and_uses_nothing_up(tmp_path: Path, query: str) -> None:
    steward = Steward(tmp_path, let_in=False)
    refused = steward.request("GET", f"/{query}")
    assert refused.status_code == 401
    assert "discreet workbench" in words(refused)
    assert steward.made.root not in refused.text
    assert steward.request("GET", steward.made.address("/")).status_code == 200


@pytest.mark.parametrize(("method", "headers"), [("HEAD", {}), ("GET", {"sec-purpose": "prefetch;prerender"})])
def test_looking_ahead_does_not_use_the_token_up(tmp_path: Path, method: str, headers: dict[str, str]) -> None:
    steward = Steward(tmp_path, let_in=False)
    assert steward.request(method, steward.made.address("/"), headers=headers).status_code == 401
    assert steward.request("GET", steward.made.address("/")).status_code == 200


def test_a_link_on_another_site_leads_to_the_pages_too(tmp_path: Path) -> None:
    """A browser does not send a strict cookie along a redirect that another site began."""
    steward = Steward(tmp_path, let_in=False)
    answer = steward.request("GET", steward.made.address("/"), headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert f"url={steward.made.root}" in answer.text
    assert steward.get("").status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_served_without_the_cookie(tmp_path: Path, page: str) -> None:
    steward = opened(tmp_path)
    steward.cookies = httpx.Cookies()
    for cookie in ({}, {"cookie": "discreet-00000000=x"}, {"cookie": "\x01;=;"}):
        refused = steward.request("GET", steward.made.root + page, headers=cookie)
        assert refused.status_code == 401
        assert "people.csv" not in refused.text


def test_the_page_that_refuses_has_its_style_sheet(tmp_path: Path) -> None:
    steward = Steward(tmp_path, let_in=False)
    page = steward.request("GET", "/")
    assert 'href="/static/discreet.css"' in page.text
    assert steward.request("GET", "/static/discreet.css").status_code == 200
    assert steward.request("GET", "/static/../workspace.py").status_code in (401, 404)


@pytest.mark.parametrize("token", ["", "wrong", None])
def test_a_form_without_the_token_of_the_session_changes_nothing(tmp_path: Path, token: str | None) -> None:
    steward = opened(tmp_path)
    before = steward.text
    fields = {"epsilon": "9", "delta": "0"} | ({} if token is None else {"form_token": token})
    answer = steward.request("POST", steward.made.root + "budget", data=fields)
    assert answer.status_code == 403
    assert steward.text == before


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_a_form_of_another_site_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    steward = opened(tmp_path)
    before = steward.text
    assert steward.send("budget", {"epsilon": "9", "delta": "0"}, **headers).status_code == 403
    assert steward.text == before


def test_another_name_of_the_server_is_refused(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    assert steward.request("GET", steward.made.root, headers={"host": "evil.example:8000"}).status_code == 421


def test_other_kinds_of_bodies_and_large_ones_are_refused(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    path = steward.made.root + "yaml"
    assert steward.request("POST", path, json={"form_token": steward.made.form_token}).status_code == 415
    assert steward.send("yaml", {"content": "x" * 1_100_000}).status_code == 413
    assert steward.send("table", {"dimension": ["sex"] * 30_000}).status_code == 413


def test_every_answer_forbids_inline_code_and_is_kept_by_no_cache(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    for page in PAGES:
        answer = steward.get(page.partition("?")[0])
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert " style=" not in answer.text
        assert " onclick=" not in answer.text
    assert SERVER.startswith("http://127.0.0.1")
