"""Explorers of small releases, and how tests ask them."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from discreet.web.explorer.application import explorer
from discreet.web.explorer.catalogue import Catalogue, open_catalogue
from tests.infer.any_table.releases import publish


class Reader:
    """Asks an explorer, without a network."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.application = explorer(catalogue)

    def get(self, path: str, headers: dict[str, str] | None = None, **parameters: Any) -> httpx.Response:
        """Return the answer to a request. An error of the server is raised."""
        return asyncio.run(self._get(path + ("?" + urlencode(parameters, doseq=True) if parameters else ""), headers))

    async def _get(self, address: str, headers: dict[str, str] | None) -> httpx.Response:
        transport = httpx.ASGITransport(self.application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(address, headers=headers or {"accept-language": "en"})


def series(folder: Path) -> list[Path]:
    """Publish two versions of a series, a release with levels, and one with hostile words. Return the folders."""
    hostile = {
        "title": "<script>alert(1)</script>",
        "metadata": {
            "description": "=1+1 \"quoted\" & 'single' <img src=x>",
            "dimensions": {"sex": {"label": "Sex & <b>gender</b>", "categories": {"m": "</td><td>men"}}},
        },
    }
    return [
        publish(folder, version="2026"),
        publish(folder, version="2025"),
        publish(folder, "levels", version="2024"),
        publish(folder, "a filter", version="2023", **hostile),
    ]


def reader_of(folder: Path) -> Reader:
    """Return a reader of the releases of `series`, published in a folder."""
    return Reader(open_catalogue([str(path) for path in series(folder)]))
