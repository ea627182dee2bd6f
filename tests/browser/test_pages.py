"""The report and the documentation site in Chromium: axe-core finds nothing, and no request leaves.

Nothing scrolls sideways. Each page is opened in light and in dark colours, 1280 and 390 pixels wide.
"""

from pathlib import Path

import pytest
from tools import build_site

from discreet import cli
from tests.browser import visits
from tests.conftest import unavailable

MAIN_PAGES = ["", "tutorial/", "reference/api/reconcile/", "notebooks/first_release/"]
"""One page of every kind: start, text with pictures, tables and code, names of Python, a notebook."""


@pytest.fixture
def browser() -> None:
    """Skip the test if no page can be opened."""
    reason = visits.missing()
    if reason is not None:
        unavailable(reason)


@pytest.mark.usefixtures("browser")
def test_the_report_is_accessible_and_fits_a_phone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["discreet", "demo", "-o", str(tmp_path / "town")])
    cli.main()
    assert visits.findings(tmp_path / "town", ["report.html"]) == {}


@pytest.mark.usefixtures("browser")
def test_the_site_has_no_broken_link_is_accessible_and_fits_a_phone(tmp_path: Path) -> None:
    build_site.build(tmp_path / "site")
    assert visits.findings(tmp_path / "site", MAIN_PAGES) == {}


@pytest.mark.usefixtures("browser")
def test_what_is_wrong_with_a_page_is_found(tmp_path: Path) -> None:
    """A picture without words, a wide box, a request to another host, no title and no dark colours."""
    (tmp_path / "bad.html").write_text(
        '<html lang="en"><main><h1>Bad</h1><div style="width: 2000px">wide</div><img src="http://127.0.0.2:9/x.png"></main>'
    )
    (found,) = visits.findings(tmp_path, ["bad.html"]).values()
    text = "\n".join(found)
    assert all(word in text for word in ("axe image-alt", "axe document-title", "sideways", "127.0.0.2", "ignores"))
