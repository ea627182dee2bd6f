"""Whatever is sent, no page fails: an answer below 500, and never a file from outside the folder."""

import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.workbench.steward import Steward, opened

GETS = ["", "columns", "left-out", "dimension", "preview", "tables", "plan", "settings", "yaml", "yaml-text", "release",
        "progress", "check", "ledger", "studio", "advice", "log", "language", "static/x"]  # fmt: skip
POSTS = ["open", "yaml", "undo", "save", "declare", "dimension", "add-dimension", "remove-dimension", "table",
         "remove-table", "budget", "settings", "new-secret", "verify", "verify-ledger", "export-ledger"]  # fmt: skip

ODD = st.sampled_from(
    ["", "sex", "age", "people.csv", "../x", "0", "1", "-1", "99999999999999999999", "1e-6", "1/3", "nan", "inf",
     "f\nm", "{{ 1 }}", "<script>", "a\x00b", "\u202eü\U0001f600", "[", "null", "2026-01-01", "all", "ranges",
     "categories", "²"]
) | st.text(max_size=12)  # fmt: skip
NAMES = st.sampled_from(
    ["name", "kind", "label", "values", "lower", "upper", "source", "table", "dimension", "margins", "epsilon", "delta",
     "title", "version", "key", "secret", "ledger", "outputs", "id", "contributions", "language", "content", "number",
     "file", "folder", "column", "page", "to", "n", "counts", "at", "design", "count", "cells", "sheet", "level sex"]
)  # fmt: skip
FIELDS = st.dictionaries(NAMES, st.lists(ODD, min_size=1, max_size=3), max_size=6)
SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Steward:
    """Return a steward with an open file; the examples change the specification one after the other."""
    return opened(tmp_path_factory.mktemp("any"))


@SETTINGS
@given(page=st.sampled_from(GETS), fields=FIELDS)
def test_no_page_fails(steward: Steward, page: str, fields: dict[str, list[str]]) -> None:
    query = "&".join(f"{name}={quote(value)}" for name, values in fields.items() for value in values)
    answer = steward.request("GET", f"{steward.made.root}{page}?{query}")
    assert answer.status_code in (200, 404, 422)


@SETTINGS
@given(page=st.sampled_from(POSTS), fields=FIELDS)
def test_no_form_fails(steward: Steward, page: str, fields: dict[str, list[str]]) -> None:
    answer = steward.send(page, fields)
    assert answer.status_code in (200, 422)
    if steward.workspace.job is not None:
        steward.wait()


@SETTINGS
@given(path=st.text(min_size=1, max_size=30) | st.lists(ODD, max_size=5).map("/".join))
def test_no_path_leads_out_of_the_folder(steward: Steward, path: str) -> None:
    for start in ("published/", "static/", ""):
        answer = steward.request("GET", steward.made.root + start + quote(path))
        assert answer.status_code in (200, 401, 404, 405, 422)  # 401: dots in the path lead out of the session
        assert "root:" not in answer.text


@settings(max_examples=60, deadline=None)
@given(content=st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_file_of_any_content_fails(content: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "any.csv").write_text(content, encoding="utf-8", errors="replace")
        (Path(name) / "any.yaml").write_text(content, encoding="utf-8", errors="replace")
        visitor = Steward(Path(name))
        for file in ("any.csv", "any.yaml"):
            assert visitor.send("open", {"file": file}).status_code in (200, 422)
            assert visitor.get("columns").status_code in (200, 422)
