"""Figures as data: every point of every curve and grid is in the CSV file, and the picture is a PNG."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Literal

import matplotlib.figure
import numpy as np
import pytest

from discreet import files
from discreet.errors import OutputError, ParameterError
from discreet.papers import draw
from discreet.papers.figure import Arrow, Box, Curve, Figure, Flowchart, Heatmap, Panel, Style, TextTable, to_csv
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
    picture, data = draw.write([("paper_figure_8b", FIGURE)], tmp_path / "new" / "folder")
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert data.read_text() == to_csv(FIGURE.panels())


@pytest.mark.parametrize("existing", ["first.png", "first.csv", "second.png", "second.csv"])
def test_an_existing_file_is_kept_and_nothing_is_written(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_text("older")
    never = Figure("9", "never computed", lambda: pytest.fail("computed"))
    with pytest.raises(OutputError, match=rf"{existing} exists already"):
        draw.write([("first", never), ("second", never)], tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {existing: "older"}


@pytest.mark.parametrize("made", [True, False])
def test_no_figure_is_written_if_one_cannot_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: bool) -> None:
    """Neither files nor the folder are left behind; a folder that was there before stays."""
    folder = tmp_path / "figures"
    if not made:
        folder.mkdir()
    whole = files.write

    def full(path: Path, data: bytes, *, new: bool) -> None:
        if path.name == "second.csv":
            raise OutputError(f"{path} cannot be written (No space left on device)")
        whole(path, data, new=new)

    monkeypatch.setattr(files, "write", full)
    with pytest.raises(OutputError, match=r"second\.csv"):
        draw.write([("first", FIGURE), ("second", FIGURE)], folder)
    assert list(tmp_path.rglob("*")) == ([] if made else [folder])


@pytest.mark.parametrize("name", ["taken", "taken/inner"])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OutputError, match="taken"):
        draw.write([("stem", FIGURE)], tmp_path / name)
    assert (tmp_path / "taken").read_text() == "a file"


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


def test_a_curve_with_a_colour_has_its_marker_too_and_ours_has_another() -> None:
    axes = matplotlib.figure.Figure().subplots()
    curves = [replace(LINE, name=name, colour=2, ours=ours) for name, ours in (("a", False), ("b", False), ("c", True))]
    draw._panel(axes, Panel("panel", "x", "y", curves))
    paper, again, ours = (line.get_marker() for line in axes.get_lines())
    assert paper == again != ours


def test_lines_without_markers_get_thinner_so_that_one_on_another_is_seen() -> None:
    axes = matplotlib.figure.Figure().subplots()
    draw._panel(axes, Panel("panel", "x", "y", [replace(LINE, style="line", name=str(k)) for k in range(4)]))
    widths = [line.get_linewidth() for line in axes.get_lines()]
    assert widths == sorted(set(widths), reverse=True)


def test_a_level_is_as_wide_as_the_points_beside_each_other() -> None:
    axes = matplotlib.figure.Figure().subplots()
    draw._panel(axes, Panel("panel", "x", "y", [Curve("GM", np.array([0.0, 2]), np.array([1.0, 3]), "levels")]))
    ends = [segment.tolist() for segment in axes.collections[0].get_segments()]  # type: ignore[attr-defined]
    assert ends == [[[-0.9, 1], [0.9, 1]], [[1.1, 3], [2.9, 3]]]


def everywhere(style: Style) -> Panel:
    """Return a panel with a point in every place where a legend could stand."""
    x = np.repeat(np.arange(30.0), 30)
    y = np.tile(np.arange(30.0), 30)
    return Panel("full", "x", "y", [Curve("one", x, y, style), Curve("other", x[:1], y[:1])])


@pytest.mark.parametrize("panel", [everywhere("line"), everywhere("points")])
def test_a_legend_that_would_cover_a_curve_stands_below_the_panel(panel: Panel) -> None:
    canvas = draw.canvas(Figure("1", "full", lambda: []), [panel])
    canvas.draw_without_rendering()
    (axes,) = canvas.axes
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_window_extent().y1 < axes.get_window_extent().y0
    assert not draw.covers_a_curve(axes)


@pytest.mark.parametrize("style", ["line", "points", "steps", "levels", "bars"])
def test_a_legend_on_a_curve_is_found(style: Style) -> None:
    drawn = matplotlib.figure.Figure()
    axes = drawn.subplots()
    draw._panel(axes, Panel("panel", "x", "y", [Curve(name, np.arange(9.0), np.ones(9), style) for name in "ab"]))
    places: list[tuple[Literal["lower left", "center"], bool]] = [("lower left", style == "bars"), ("center", True)]
    for place, covered in places:
        axes.set_ylim(0, 2)
        axes.legend(loc=place)
        drawn.draw_without_rendering()
        assert draw.covers_a_curve(axes) == covered


def test_a_figure_has_the_name_of_the_paper() -> None:
    assert FIGURE.item == "Figure 8(b)"
    assert Figure("4", "", lambda: []).item == "Figure 4"


def test_an_unknown_figure_is_refused_by_number() -> None:
    paper = Paper("wang2020", "Wang", 2020, "A title", (), (), (FIGURE,))
    assert paper.figure("8b") is FIGURE
    with pytest.raises(ParameterError, match="9"):
        paper.figure("9")
