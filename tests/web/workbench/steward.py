"""A steward at the workbench, without a browser: opens the address, follows redirects, sends forms with their token."""

import asyncio
import re
from html import unescape
from pathlib import Path
from typing import Any

import httpx

from discreet.web.workbench.workbench_application import workbench
from discreet.web.workbench.working_folder import WorkingFolder
from discreet.web.workbench.workspace import Workspace

SERVER = "http://127.0.0.1:8000/"

PEOPLE = "sex,age\n" + "".join(f"{'fm'[i % 2]},{i % 90}\n" for i in range(900)) + "x,\n" * 5


class Steward:
    """A session in a folder."""

    def __init__(self, folder: Path, *, let_in: bool = True) -> None:
        self.folder = folder
        self.workspace = Workspace(WorkingFolder.of(folder))
        self.made = workbench(self.workspace)
        self.cookies = httpx.Cookies()
        if let_in:
            assert self.request("GET", self.made.address("/")).status_code == 200

    def request(self, method: str, path: str, *, follow: bool = True, **request: Any) -> httpx.Response:
        """Send a request, and return the answer, or that of the page that it leads to."""

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.made.application)
            async with httpx.AsyncClient(transport=transport, base_url=SERVER, cookies=self.cookies) as client:
                received = await client.request(method, path, follow_redirects=follow, **request)
                self.cookies = client.cookies
                return received

        return asyncio.run(answer())

    def get(self, page: str, /, **query: str) -> httpx.Response:
        """Return a page."""
        return self.request("GET", self.made.root + page, params=query)

    def send(self, page: str, fields: dict[str, Any] | None = None, /, **headers: str) -> httpx.Response:
        """Send a form, with its token, and follow to the page that it leads to."""
        data = {"form_token": self.made.form_token} | (fields or {})
        return self.request("POST", self.made.root + page, data=data, headers=headers)

    def wait(self) -> None:
        """Wait until the release or check has ended."""
        assert self.workspace.job is not None
        self.workspace.job.wait()

    @property
    def text(self) -> str:
        """The text of the specification."""
        return self.workspace.document.current.content


def opened(folder: Path) -> Steward:
    """Return a steward who has opened a file of 905 people."""
    (folder / "people.csv").write_text(PEOPLE)
    steward = Steward(folder)
    assert steward.send("open", {"file": "people.csv"}).status_code == 200
    return steward


def words(answer: httpx.Response) -> str:
    """Return the words of a page."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", answer.text)).split())
