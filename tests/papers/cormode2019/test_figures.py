"""The data of every figure of Cormode 2019, against golden values."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from discreet.papers.cormode2019 import PAPER
from discreet.papers.cormode2019.count_mechanisms import COLUMNS, COMBINATIONS, WEAK, binomial
from discreet.papers.figure import Curve, Flowchart, Heatmap, Panel, TextTable


def panels(number: str) -> list[Panel]:
    found = PAPER.figure(number).panels()
    assert all(isinstance(panel, Panel) for panel in found)
    return [panel for panel in found if isinstance(panel, Panel)]


def heatmaps(number: str) -> list[Heatmap]:
    return [panel for panel in PAPER.figure(number).panels() if isinstance(panel, Heatmap)]


def curve(panel: Panel, name: str) -> Curve:
    (found,) = [curve for curve in panel.curves if curve.name == name]
    return found


def at(panel: Panel, name: str, x: float) -> float:
    found = curve(panel, name)
    (place,) = np.flatnonzero(np.isclose(found.x, x))
    return float(found.y[place])


def test_every_figure_of_the_paper_is_here() -> None:
    numbers = [*"1234567", "8a", "8b", "9a", "9b", "9c", *map(str, range(11, 19))]
    assert [figure.number for figure in PAPER.figures] == numbers


def test_figure_1_has_four_panels_at_the_stated_alpha_and_four_where_they_fit() -> None:
    """Rows of zeros, as a linear program of its own finds them."""
    gaps = [np.flatnonzero(panel.values.max(axis=1) < 1e-9).tolist() for panel in heatmaps("1")]
    assert gaps == [[0, 7], [0, 4], [0, 5], [0, 5], [0, 1, 6, 7], [0, 1, 3, 4], [0, 5], [0, 1, 4, 5]]
    assert heatmaps("1")[0].values[[2, 5]].sum(axis=0).min() == pytest.approx(0.11165743679999984)
    assert heatmaps("1")[4].values[[2, 5]].sum(axis=0).min() == pytest.approx(0.75)
    assert heatmaps("1")[6].values[[1, 4]].sum(axis=0).min() == pytest.approx(0.91)


def test_figure_2_has_no_gaps() -> None:
    assert len(heatmaps("2")) == 4
    assert all((panel.values > 0).all() for panel in heatmaps("2"))


def test_figure_3_is_a_table_of_powers() -> None:
    (table,) = PAPER.figure("3").panels()
    assert isinstance(table, TextTable)
    assert [table.cells[0][0], table.cells[0][3], table.cells[2][1], table.cells[7][5]] == [
        "x",
        "x a^3",
        "y a",
        "x a^2",
    ]


def test_figure_4_is_the_printed_matrix() -> None:
    printed = "01234444 10123333 11012333 22101222 22210122 33321011 33332101 44443210"
    (panel,) = heatmaps("4")
    assert ["".join(f"{value:.0f}" for value in row) for row in panel.values] == printed.split()


def test_figure_5_has_four_questions_and_four_ends() -> None:
    (chart,) = PAPER.figure("5").panels()
    assert isinstance(chart, Flowchart)
    names = {box.name for box in chart.boxes}
    assert sum(box.question for box in chart.boxes) == 4
    assert len(chart.boxes) == 8
    assert {arrow.start for arrow in chart.arrows} | {arrow.end for arrow in chart.arrows} == names
    assert [arrow.label for arrow in chart.arrows] == ["yes"] * 4 + ["no"] * 4


def test_figure_6_has_the_printed_properties() -> None:
    (table,) = PAPER.figure("6").panels()
    assert isinstance(table, TextTable)
    rows = dict(zip(table.row_names, table.cells, strict=True))
    assert rows["symmetry (S)"] == ["yes"] * 6
    assert rows["column monotone (CM)"] == ["alpha <= 0.50", "alpha <= 0.50", "yes", "yes", "yes", "yes"]
    assert rows["fair (F)"] == ["no", "no", "no", "yes", "yes", "yes"]
    assert rows["weakly honest (WH)"] == ["alpha <= 0.80", *["yes"] * 5]


FIGURE_7 = {
    "GM": "10/19 9/19 81/190 729/1900 6561/19000",
    "EM": "50/221 45/221 81/442 81/442 81/442",
    WEAK: "22/81 11/45 11/50 99/500 891/5000",
    COLUMNS: "20/81 2/9 1/5 9/50 81/500",
    "EM* (ours)": "50/221 45/221 81/442 729/4420 6561/44200",
    "UM": "1/5 1/5 1/5 1/5 1/5",
}
"""The first row of each matrix at n = 4, alpha = .9, exactly."""


def test_figure_7_is_at_nine_tenths() -> None:
    found = {panel.title.split(":")[0]: panel.values[0] for panel in heatmaps("7")}
    assert set(found) == set(FIGURE_7)
    for name, row in FIGURE_7.items():
        assert found[name] == pytest.approx([float(Fraction(entry)) for entry in row.split()])


@pytest.mark.parametrize(
    ("n", "honest", "columns"),
    [
        (2, 0.894736842105263, 0.894736842105263),
        (7, 0.8636363636363638, 0.8861558327952845),
        (9, 0.8636363636363641, 0.8807045524497047),
        (12, 0.8636363636363639, 0.8764375052463695),
    ],
)
def test_figure_8a_has_two_costs(n: int, honest: float, columns: float) -> None:
    (panel,) = panels("8a")
    for place, name in enumerate(COMBINATIONS):
        assert at(panel, name, n) == pytest.approx(honest if place < 3 else columns, abs=1e-8)


def test_figure_8b_runs_over_alpha() -> None:
    costs, gaps = panels("8b")
    assert (at(costs, "WH", 0.99), at(costs, "RM+CM", 0.99), at(costs, "EM", 0.99)) == pytest.approx(
        (0.9971370497248775, 0.9971656786521754, 0.9971879941418066), abs=1e-8
    )
    assert at(costs, "GM", 0.7) == pytest.approx(1.4 / 1.7)
    assert at(costs, "WH", 0.7) == pytest.approx(1.4 / 1.7, abs=1e-8)
    assert all((found.y > 1e-6).all() for found in gaps.curves)
    assert len({found.shift for found in gaps.curves}) == 9, "curves that coincide stand side by side"


@pytest.mark.parametrize(
    ("number", "n", "costs"),
    [
        ("9a", 6, (0.8, 0.8, 0.8166666666666668, 0.86084142394822, 1)),
        ("9a", 30, (0.8, 0.8, 0.8033333333333326, 0.826288410788532, 1)),
        ("9b", 5, (0.9523809523809523, 0.9671428571428572, 0.9688253968253968, 0.9702201122140699, 1)),
        ("9b", 19, (0.9523809523809523, 0.9538690287220551, 0.9647560548315802, 0.9710549399085154, 1)),
        ("9b", 20, (0.9523809523809523, 0.9523809523809523, 0.9641372997090446, 0.9709880806908757, 1)),
        ("9c", 10, (0.9949748743718593, 0.9971701273537258, 0.9972077948848177, 0.9972343917547714, 1)),
        ("9c", 25, (0.9949748743718593, 0.997162444860983, 0.9972700117504518, 0.9973303861509041, 1)),
    ],
)
def test_figure_9(number: str, n: int, costs: Sequence[float]) -> None:
    first = panels(number)[0]
    assert [at(first, name, n) for name in ("GM", WEAK, COLUMNS, "EM", "UM")] == pytest.approx(costs, abs=1e-8)


GOLDEN = {
    (4, "0.91", 0.9): {"GM": (0.454631235602, 2.351623532481), COLUMNS: (0.480389744813, 2.088167683128)},
    (8, "0.91", 0.1): {"GM": (0.5145902453267017, 4.169730254361901), "EM* (ours)": (0.657788029079, 3.680187723502)},
    (8, "0.67", 0.5): {WEAK: (0.5187046220059881, 2.3892642503196995), "EM": (0.449652552347, 2.2179628728448106)},
    (12, "0.67", 0.1): {"EM": (0.541734664537, 4.014477095223), "EM* (ours)": (0.474809197275, 2.622145255792)},
}
"""Chance of an error beyond 1, and RMSE."""


@pytest.mark.parametrize("case", GOLDEN)
def test_figures_11_and_13(case: tuple[int, str, float]) -> None:
    n, alpha, p = case
    for number, place in (("11", 0), ("13", 1)):
        found = panels(number)
        assert len(found) == 6
        (panel,) = [panel for panel in found if panel.title == f"n = {n}, alpha = {alpha}"]
        for name, values in GOLDEN[case].items():
            assert at(panel, name, p) == pytest.approx(values[place], abs=1e-9)


def test_figure_12_is_at_n_8() -> None:
    (panel,) = [panel for panel in panels("12") if panel.title == "p = 0.5, alpha = 0.91"]
    assert len(panels("12")) == 4
    assert curve(panel, "GM").y[1:4] == pytest.approx([0.8366357166230367, 0.6750329229384817, 0.45720380575098174])
    assert curve(panel, "EM").y[1:4] == pytest.approx([0.617545703454357, 0.4001903568626598, 0.22417660423334063])
    assert len(curve(panel, "UM").y) == 8


def test_figure_14_has_histograms_that_sum_to_one() -> None:
    found = panels("14")
    assert [panel.title for panel in found] == [f"p = {p}, alpha = {a}" for p in (0.1, 0.7) for a in ("0.91", "0.67")]
    for panel in found:
        for name in ("EM", "GM", WEAK, COLUMNS, "EM* (ours)"):
            assert curve(panel, name).y.sum() == pytest.approx(1)
    assert at(found[0], "GM", 0) == pytest.approx(1 - 0.7477878690052359)
    assert at(found[0], "EM", 0) == pytest.approx(1 - 0.8640351341262539)


@pytest.mark.parametrize(("number", "kind"), [("15", "L1"), ("16", "L2")])
def test_figures_15_and_16(number: str, kind: str) -> None:
    """UCM at n = 4, alpha = .91 always reports 2; the others have the golden mean losses over equal counts."""
    found = {panel.title: panel for panel in panels(number)}
    assert len(found) == 6
    small = found["n = 4, alpha = 0.91"]
    variance = [sum(binomial(4, p)[j] * (j - 2) ** 2 for j in range(5)) for p in (0.0, 0.25, 0.5)]
    assert [at(small, "UCM", p) ** 2 for p in (0.0, 0.25, 0.5)] == pytest.approx(variance, abs=1e-6), kind
    assert at(small, "UM", 0.5) == pytest.approx(3**0.5)
    assert at(small, "AM", 0.0) == pytest.approx(at(small, "EM* (ours)", 0.0), abs=1e-6)


@pytest.mark.parametrize(("number", "power"), [("17", 1), ("18", 2)])
def test_figures_17_and_18(number: str, power: int) -> None:
    found = panels(number)
    assert [panel.title for panel in found[:4]] == [panel.title for panel in found[4:]]
    assert [panel.title for panel in found[:4]] == [
        f"p = {p}, alpha = {a}" for p in (0.1, 0.6) for a in ("0.91", "0.67")
    ]
    uniform = [sum(abs(i - j) > d for i in range(9)) / 9 for d in (0, 3) for j in range(9)]
    for place, d in enumerate((0, 3)):
        expected = float(np.array(uniform[9 * place : 9 * place + 9]) @ binomial(8, 0.1))
        assert at(found[0], "UM", d) == pytest.approx(expected)
    weighted = [sum(abs(i - j) ** power for i in range(9)) / 9 for j in range(9)]
    assert at(found[4], "UM", 0) == pytest.approx(float(np.array(weighted) @ binomial(8, 0.1)))
    assert at(found[0], "UCM", 7) == pytest.approx(0, abs=1e-9)
