"""What holds for the module of every paper: a title, and figures that are pictures."""

from importlib import import_module
from pathlib import Path

import pytest

PAPERS = {
    "wang2020": ("Wang 2020", 4),
}


@pytest.mark.parametrize("name", PAPERS)
def test_the_title_is_the_first_line(name: str) -> None:
    title = import_module(f"discreet.papers.{name}").__doc__
    assert title is not None
    assert title.splitlines()[0].startswith(PAPERS[name][0])


@pytest.mark.parametrize("name", PAPERS)
def test_figures_are_png_files(name: str, tmp_path: Path) -> None:
    paths = import_module(f"discreet.papers.{name}").figures(tmp_path)
    assert len(set(paths)) == PAPERS[name][1]
    assert sorted(paths) == sorted(tmp_path.iterdir())
    for path in paths:
        assert path.name.startswith(f"{name}_")
        assert path.suffix == ".png"
        assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        assert path.stat().st_size > 10_000
