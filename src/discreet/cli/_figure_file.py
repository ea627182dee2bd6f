"""The file of a figure: its format follows from its name."""

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import files
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".pdf", ".png", ".svg")


def figure_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a figure: "pdf", "png" or "svg".

    Raises
    ------
    ParameterError
        The name of the file ends in something else.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ParameterError(f"--plot is {os.fspath(path)!r}; give a name that ends in {', '.join(FORMATS)}")
    return suffix[1:]


def write_figure(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure of matplotlib, in the format that its name says.

    Raises
    ------
    ParameterError
        The name of the file does not end in .pdf, .png or .svg.
    OutputError
        The file cannot be written.
    """
    data = BytesIO()
    figure.savefig(data, format=figure_format(path), dpi=160)
    files.write(path, data.getvalue())
