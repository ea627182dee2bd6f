"""The data of Wang 2020's figures, beside the paper's text and values that other programs found."""

import csv
import math
from functools import cache
from io import StringIO

import numpy as np
import pytest

from discreet.papers.figure import Curve, Heatmap, Panel, Panels, to_csv
from discreet.papers.wang2020 import PAPER
from discreet.papers.wang2020.example_data import EXAMPLE_1, EXAMPLE_2

NUMBERS = ["1", "table1", "table3", "5.1", "table4", "table5", "5.3a", "5.3b"]


@cache
def panels(number: str) -> Panels:
    return PAPER.figure(number).panels()


def curve(number: str, begins: str, panel: int = 0) -> Curve:
    shown = panels(number)[panel]
    assert isinstance(shown, Panel)
    (found,) = [curve for curve in shown.curves if curve.name.startswith(begins)]
    return found


def test_the_figure_of_the_paper_comes_first() -> None:
    assert [figure.number for figure in PAPER.figures] == NUMBERS
    assert [figure.item for figure in PAPER.figures[:2]] == ["Figure 1", "Table 1"]


def test_figure_1_has_the_true_counts_of_example_1() -> None:
    bars = curve("1", "rebuilt")
    assert bars.y.sum() == 50
    assert (bars.x[0], bars.y[0]) == (25, 10)  # three 0, 1, 2, 3, and four of the five between 15 and 60
    for x, y in zip(bars.x, bars.y, strict=True):
        assert y == ((x - 25 <= EXAMPLE_1) & (x + 25 > EXAMPLE_1)).sum()
    counts = curve("1", "rebuilt", 1)
    assert counts.y.tolist() == EXAMPLE_1.tolist()
    marked = curve("1", "printed", 1)
    assert marked.y.tolist() == [0, 60, 382, 736, 977]
    assert [counts.y[counts.x == x][0] for x in marked.x] == marked.y.tolist()


METHODS = ["algorithm 1 (ind)", "algorithm 1 (summed)", "algorithm 2", "algorithm 3", "least squares (ours)"]


@pytest.mark.parametrize(
    ("number", "truth", "means", "variances"),
    [
        (
            "table1",
            [0, 60, 382, 736, 977],
            "0.9 0.9 0.4 0.4 60 60 60 60 382 382 382 382 736 736 736 736 977 977 977 977",
            "2.4 2.5 1.2 0.7 63 63 62 2 375 380 380 2 695 714 708 2 940 936 932 2",
        ),
        (
            "table3",
            [1, 2, 6, 11, 435],
            "1.5 1.5 1.1 1.0 2.2 2.2 2.1 2.0 6.0 6.0 6.0 5.9 11.0 11.0 11.0 11.0 432.5 432.5 434.2 437.6",
            "3.5 3.5 2.2 1.1 4.7 4.9 3.6 1.5 9.3 9.2 7.9 1.8 14.0 14.5 12.6 1.8 256.8 259 235.1 19.2",
        ),
    ],
)
def test_tables_1_and_3_have_all_algorithms_beside_the_printed_values(
    number: str, truth: list[int], means: str, variances: str
) -> None:
    for panel, text in ((0, means), (1, variances)):
        shown = panels(number)[panel]
        assert isinstance(shown, Panel)
        assert [found.name for found in shown.curves] == [*METHODS, "printed"]
        printed = np.array(text.split(), float) - (np.repeat(truth, 4) if panel == 0 else 0)
        marks = curve(number, "printed", panel)
        np.testing.assert_allclose(marks.y, printed, atol=1e-9)
        bars = np.array([found.y for found in shown.curves[:4]]).T.ravel()
        if panel == 1:
            np.testing.assert_allclose(bars, printed, rtol=0.09, atol=0.15)
        else:
            errors = np.sqrt(2 * np.array(variances.split(), float) / 10_000)  # of the paper's runs, and of ours
            assert (np.abs(bars - printed) <= 0.5 + 4.5 * errors).all()


@pytest.mark.parametrize(("number", "largest"), [("table1", 914), ("table3", 83)])
def test_errors_are_averages_over_five_counts(number: str, largest: float) -> None:
    for panel in (2, 3):
        shown = panels(number)[panel]
        assert isinstance(shown, Panel)
        assert [found.name for found in shown.curves] == METHODS
        assert all(len(found.y) == 10 for found in shown.curves)
    squared = {name: curve(number, name, 3).y for name in METHODS}
    assert squared[METHODS[0]][-1] == pytest.approx(largest, rel=0.02)
    assert (squared["algorithm 2"] > squared["algorithm 3"]).all()
    if number == "table3":  # 004.compete.ex2: 14.76 and 2.18 and 1.77 on average
        assert squared["algorithm 2"].mean() == pytest.approx(14.765, rel=0.01)
        assert squared["algorithm 3"].mean() == pytest.approx(2.1815, rel=0.02)
        assert squared["least squares (ours)"].mean() == pytest.approx(1.7675, rel=0.02)


def test_zeros_take_from_large_counts_and_least_from_least_squares() -> None:
    found = {name: curve("5.1", name) for name in METHODS}
    for each in found.values():
        assert each.x.tolist() == list(range(0, 100, 10))
        assert each.y[0] == pytest.approx(0, abs=0.1)
        assert (np.diff(each.y) < 0.05).all()
    last = [float(found[name].y[-1]) for name in METHODS]
    assert last[0] == pytest.approx(last[1], abs=0.2)
    assert last[1] < last[2] < last[3] < last[4] < 0
    # algorithm 2 draws n of proportions 200/(1000 + z E[max(0, noise)]), alpha/(1 - alpha^2) = .4255 a zero
    assert found["algorithm 2"].y[-1] == pytest.approx(200 * (1 / (1 + 90 * 0.42546 / 1000) - 1), abs=0.1)


def test_tables_4_and_5_show_where_the_printed_values_come_from() -> None:
    printed, stated, narrow = (
        curve("table4", name, 1).y for name in ("printed", "true counts within 30", "true counts within 10")
    )
    assert printed.tolist() == [0.03] * 5 + [0.02] * 5
    assert np.round(narrow, 2).tolist() == printed.tolist()
    assert stated[0] == pytest.approx(0.015376612630300381, rel=1e-9)
    printed, stated = (curve("table5", name, 1).y for name in ("printed", "true counts within 30"))
    assert (
        np.round(stated, 2).tolist() == printed.tolist() == [0.21, 0.13, 0.08, 0.08, 0.07, 0.05, 0.05, 0.03, 0.03, 0.03]
    )
    for number, size, most in (("table4", 61, 0.015376612630300381), ("table5", 17, 0.21355257664138758)):
        shown = panels(number)[0]
        assert isinstance(shown, Heatmap)
        assert shown.values.shape == (size, size)
        row, column = np.unravel_index(np.argmax(shown.values), shown.values.shape)
        assert (shown.x[column], shown.y[row]) == (250, 357)
        assert shown.values.max() == pytest.approx(most, rel=1e-9)


def test_posteriors_of_all_algorithms_are_shown_side_by_side() -> None:
    for panel in range(4):
        shown = panels("5.3a")[panel]
        assert isinstance(shown, Panel)
        assert [(found.name, found.ours) for found in shown.curves] == [
            ("algorithm 2", False),
            ("algorithm 3", False),
            ("algorithm 1 (ind)", True),
            ("algorithm 1 (summed)", True),
        ]
    at = {name: curve("5.3a", name, 1) for name in METHODS[:4]}
    alpha = math.exp(-1)
    noise, two = (1 - alpha) / (1 + alpha), 0.2804016619141129  # the chance of noise 0, and of two noises with sum 0
    for name, chance in (("algorithm 2", noise), ("algorithm 3", noise), ("algorithm 1 (ind)", two)):
        assert at[name].y[at[name].x == 607][0] == pytest.approx(chance, rel=0.005)
    assert two < at["algorithm 1 (summed)"].y[at["algorithm 1 (summed)"].x == 607][0] < noise
    for panel in (2, 3):
        assert all(found.y.sum() == pytest.approx(1, abs=0.03) for found in panels("5.3a")[panel].curves)  # type: ignore[union-attr]


def test_all_50_posteriors_of_example_2_are_shown() -> None:
    for algorithm in ("2", "3"):
        found = curve("5.3b", f"algorithm {algorithm}")
        assert len(found.x) == len(EXAMPLE_2) - 1
        assert found.low is not None
        assert found.high is not None
        assert (found.low <= found.y).all()
        assert (found.y <= found.high).all()
    house = curve("5.3b", "algorithm 2", 1)
    assert house.x @ house.y / house.y.sum() == pytest.approx(412.237, abs=0.3)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_csv_of_a_figure_has_every_point_and_curves_have_names_of_their_own(number: str) -> None:
    rows = list(csv.DictReader(StringIO(to_csv(panels(number)))))
    points = 0
    for panel in panels(number):
        if isinstance(panel, Heatmap):
            points += panel.values.size
        else:
            assert isinstance(panel, Panel)
            assert len({curve.name for curve in panel.curves}) == len(panel.curves)
            points += sum(len(curve.x) for curve in panel.curves)
    assert len(rows) == points
    assert all(math.isfinite(float(row["x"])) for row in rows)
