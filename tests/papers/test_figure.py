"""Figures as data: every point of every curve and grid is in the CSV file, and the picture is a PNG."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path

import matplotlib.figure
import numpy as np
import pytest

from discreet.errors import OutputError, ParameterError
from discreet.papers import draw
from discreet.papers.figure import Arrow, Box, Curve, Figure, Flowchart, Heatmap, Panel, TextTable, to_csv
from discreet.papers.register import Paper

LINE = Curve("printed", np.array([0.0, 1, 2]), np.array([0.5, np.nan, 0.25]), "line and points")
STEPS = Curve("ours", np.array([0.0, 1, 2]), np.array([1.0, 2, 3]), "steps", ours=True)
BARS = Curve("measured", np.arange(2.0), np.ones(2), "bars", low=np.zeros(2), high=np.full(2, 1.5))
GRID = Heatmap("grid", "x", "y", np.arange(2.0), np.arange(3.0), np.arange(6.0).reshape(3, 2))
NUMBERED = Heatmap("numbers", "x", "y", GRID.x, GRID.y, GRID.values, cell_format=".0f", highest=9, downward=True)
LOGARITHMIC = Heatmap("logarithms", "x", "y", GRID.x, GRID.y, GRID.values + 1, cell_format=".0f", log_values=True)
TABLE = TextTable("table", ["fair", "cost"], ["EM", "GM"], [["yes", "0.9"], ["no", "0.8"]])
BOXES = [Box("fair", "fair?", 0, 1), Box("EM", "EM", 0, 0, question=False)]
CHART = Flowchart("chart", BOXES, [Arrow("fair", "EM", "yes")])
FIGURE = Figure(
    "8b",
    "six panels",
    lambda: [Panel("lines", "x", "y", [LINE, STEPS], log_y=True), GRID, NUMBERED, LOGARITHMIC, TABLE, CHART],
)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_every_point_of_a_curve_is_a_row() -> None:
    found = rows(to_csv([Panel("lines", "x", "y", [LINE, STEPS])]))
    assert [(row["curve"], row["x"], row["y"]) for row in found] == [
        ("printed", "0", "0.5"),
        ("printed", "1", ""),
        ("printed", "2", "0.25"),
        ("ours", "0", "1"),
        ("ours", "1", "2"),
        ("ours", "2", "3"),
    ]


def test_error_bars_have_their_ends_in_the_data() -> None:
    found = rows(to_csv([Panel("bars", "x", "y", [BARS])]))
    assert [(row["low"], row["high"]) for row in found] == [("0", "1.5"), ("0", "1.5")]


def test_every_number_of_a_grid_is_a_row() -> None:
    found = rows(to_csv([GRID]))
    assert {(row["x"], row["y"]): row["value"] for row in found} == {
        (str(j), str(i)): str(2 * i + j) for i in range(3) for j in range(2)
    }


def test_every_cell_of_a_table_is_a_row() -> None:
    found = [(row["curve"], row["x"], row["value"]) for row in rows(to_csv([TABLE]))]
    assert found == [("EM", "fair", "yes"), ("EM", "cost", "0.9"), ("GM", "fair", "no"), ("GM", "cost", "0.8")]


def test_every_box_and_every_arrow_of_a_flowchart_is_a_row() -> None:
    found = [(row["curve"], row["x"], row["y"], row["value"]) for row in rows(to_csv([CHART]))]
    assert found == [("fair", "0", "1", "fair?"), ("EM", "0", "0", "EM"), ("fair -> EM", "", "", "yes")]


def test_the_picture_and_its_data_are_written(tmp_path: Path) -> None:
    picture, data = draw.write(FIGURE, tmp_path, "paper_figure_8b")
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert data.read_text() == to_csv(FIGURE.panels())


@pytest.mark.parametrize("before", [None, b"an older picture"])
def test_the_picture_is_not_written_if_the_data_cannot_be(tmp_path: Path, before: bytes | None) -> None:
    (tmp_path / "stem.csv").mkdir()
    picture = tmp_path / "stem.png"
    if before is not None:
        picture.write_bytes(before)
    with pytest.raises(OutputError, match=r"stem\.csv"):
        draw.write(FIGURE, tmp_path, "stem")
    assert (picture.read_bytes() if picture.exists() else None) == before
    assert {path.name for path in tmp_path.iterdir()} == {"stem.csv"} | ({"stem.png"} if before else set())


def test_the_axis_tells_by_how_much_points_are_moved() -> None:
    moved = replace(STEPS, shift=-0.25)
    assert Panel("panel", "x", "y", [LINE, STEPS]).axis_label == "x"
    assert Panel("panel", "epsilon", "y", [LINE, moved]).axis_label.startswith("epsilon (")
    assert "0.25" in Panel("panel", "epsilon", "y", [LINE, moved]).axis_label
    assert "0.5" in Panel("panel", "", "y", [LINE, replace(STEPS, shift=np.array([0.0, -0.5, 0.1]))]).axis_label


def test_a_colour_that_is_given_stays_with_its_curve() -> None:
    """The second colour for the first curve, and the first for the one after it."""
    canvas = matplotlib.figure.Figure()
    axes = canvas.subplots()
    draw._panel(axes, Panel("panel", "x", "y", [replace(LINE, colour=1), replace(LINE, name="other", colour=0)]))
    assert [line.get_color() for line in axes.get_lines()] == [draw.COLOURS[1], draw.COLOURS[0]]


def test_a_figure_has_the_name_of_the_paper() -> None:
    assert FIGURE.item == "Figure 8(b)"
    assert Figure("4", "", lambda: []).item == "Figure 4"


def test_an_unknown_figure_is_refused_by_number() -> None:
    paper = Paper("wang2020", "Wang", 2020, "A title", (), (), (FIGURE,))
    assert paper.figure("8b") is FIGURE
    with pytest.raises(ParameterError, match="9"):
        paper.figure("9")
