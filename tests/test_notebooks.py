"""The notebooks in docs/notebooks run, and print what they show. Numbers may differ: their noise is drawn anew."""

import re
from pathlib import Path

import nbformat
import pytest
from tools import notebook_page

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def without_numbers(texts: list[str]) -> list[str]:
    return [" ".join(re.sub(r"-?\d+(\.\d+)?", "#", text).split()) for text in texts]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path: Path) -> None:
    """After a change of what is printed, run `uv run python -m tools.notebook_page docs/notebooks/*.ipynb`."""
    shown = notebook_page.printed(nbformat.read(path, as_version=4))
    assert len(shown) >= 4
    assert without_numbers(notebook_page.printed(notebook_page.run(path))) == without_numbers(shown)


def test_outputs_that_are_stored_are_small() -> None:
    assert max(path.stat().st_size for path in NOTEBOOKS) < 100_000
