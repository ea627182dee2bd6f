"""Run notebooks, and write them as pages of the documentation: texts, code, and what the code printed and drew.

    uv run python -m tools.notebook_page docs/notebooks/*.ipynb

runs notebooks and stores their outputs in them. tests/test_notebooks.py runs them again, and compares.
"""

import base64
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

LONGEST_RUN = 120
"""Seconds that one cell may take."""


def main() -> None:
    """Run the notebooks that the command line names, and store their outputs."""
    for path in map(Path, sys.argv[1:]):
        path.write_text(nbformat.writes(run(path), indent=1) + "\n", encoding="utf-8")


def run(path: Path) -> Any:
    """Run a notebook in a temporary folder. Return it with its outputs. Raise CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=LONGEST_RUN, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.clear()  # when each cell ran
    return notebook


def printed(notebook: Any) -> list[str]:
    """Return the text of every output of a notebook."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


def write(path: Path) -> None:
    """Write a notebook as the page NAME.md beside it, with its pictures."""
    lines = _lines(nbformat.read(path, as_version=4), path)
    path.with_suffix(".md").write_text("\n".join(lines), encoding="utf-8")


def _lines(notebook: Any, path: Path) -> Iterator[str]:
    """Yield the lines of the page."""
    pictures = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from (cell.source, "")
            continue
        yield from ("```python", cell.source, "```", "")
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                picture = path.with_name(f"{path.stem}-{pictures}.png")
                picture.write_bytes(base64.b64decode(data["image/png"]))
                yield from (f"![What the code above draws]({picture.name})", "")
            elif "text/html" in data:
                yield from ('<div class="output" tabindex="0">', data["text/html"].replace("\n\n", "\n"), "</div>", "")
            else:
                yield from ("```text", (output.get("text") or data["text/plain"]).rstrip("\n"), "```", "")


if __name__ == "__main__":
    main()
