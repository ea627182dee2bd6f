"""Open pages of a folder in Chromium, by check_pages.mjs, and collect what is wrong with them."""

import functools
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")


class _Silent(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the files of a folder on this machine. Yield the address, which ends in a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Silent, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def missing() -> str | None:
    """Return what has to be installed before pages can be opened, or None."""
    for program in ("chromium", "node"):
        if shutil.which(program) is None:
            return f"there is no {program}; apt-get install chromium nodejs npm"
    if not (HERE / "node_modules" / "axe-core").exists():
        return f"axe-core is not installed; npm ci --prefix {HERE}"
    return None


def findings(folder: Path, pages: list[str]) -> dict[str, list[str]]:
    """Open each page of a folder in all widths and colours. Return what is wrong, by page with something wrong."""
    with served(folder) as address:
        return findings_at(address, pages)


def findings_at(address: str, pages: list[str]) -> dict[str, list[str]]:
    """Open each page of a server in all widths and colours. Return what is wrong, by page with something wrong."""
    visits = [{"url": address + page, "widths": WIDTHS, "schemes": SCHEMES} for page in pages]
    request = {"browser": shutil.which("chromium"), "visits": visits}
    command = ["node", str(HERE / "check_pages.mjs")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {page: found for page, found in zip(pages, json.loads(done.stdout), strict=True) if found}
