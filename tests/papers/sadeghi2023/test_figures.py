"""The data of Sadeghi 2023's figures, beside values that other programs computed in 50 digits."""

import csv
import math
import re
from functools import cache
from io import StringIO

import numpy as np
import pytest

from discreet.papers.figure import Curve, Panel, Panels, to_csv
from discreet.papers.sadeghi2023 import PAPER
from discreet.papers.sadeghi2023.truncated_gaussian import proposition_2


@cache
def panels(number: str) -> Panels:
    return PAPER.figure(number).panels()


def curve(number: str, begins: str, panel: int = 0) -> Curve:
    shown = panels(number)[panel]
    assert isinstance(shown, Panel)
    (found,) = [curve for curve in shown.curves if curve.name.startswith(begins)]
    return found


def ends_with(number: str, text: str, panel: int = 0) -> list[Curve]:
    shown = panels(number)[panel]
    assert isinstance(shown, Panel)
    return [curve for curve in shown.curves if curve.name.endswith(text)]


def at(found: Curve, x: float) -> float:
    """Return a curve's value at a point that it has."""
    place = int(np.argmin(np.abs(found.x - x)))
    assert found.x[place] == pytest.approx(x, abs=1e-9)
    return float(found.y[place])


def test_every_figure_of_the_paper_is_there_in_its_order() -> None:
    assert [figure.number for figure in PAPER.figures] == ["1a", "1b", "2a", "2b", "3", "4", "5"]


@pytest.mark.parametrize(
    ("number", "support", "plateaus"),
    [
        ("1a", 11, {4: 5.38489770589486e-08, 10: 0.0003039235162409507}),
        ("1b", 15, {4: 1.2171602665254118e-13, 10: 1.641342015955273e-06}),
    ],
)
def test_figure_1_ends_in_plateaus(number: str, support: int, plateaus: dict[int, float]) -> None:
    for spread, level in plateaus.items():
        found = curve(number, f"V {spread},")
        assert found.y[-1] == pytest.approx(level, rel=1e-9)
        flat = np.flatnonzero(np.isclose(found.y, found.y[-1], rtol=1e-9, atol=0))[0]
        gamma = float({4: 0.125, 10: 0.0498087160843652 if support == 11 else 0.04999891221681844}[spread])
        assert found.x[flat] == pytest.approx(gamma * (2 * support - 1), abs=0.03)
        assert found.y[50] == pytest.approx(proposition_2(gamma, float(found.x[50]), support), rel=1e-6)
    ours = curve(number, "the best gamma")
    assert ours.ours
    for spread in plateaus:
        assert (ours.y <= curve(number, f"V {spread},").y * (1 + 1e-9)).all()


LIMITS = {
    (11, 0.1): 0.029631870732957567,
    (11, 1.0): 0.0003873568236865997,
    (11, 2.4): 1.8825598219014183e-07,
    (15, 0.5): 0.0015369695909198636,
    (15, 2.5): 6.242818192962409e-10,
}
"""delta for gamma = epsilon/(2D-1), by support and epsilon."""

KNOTS = {
    (11, 0.2): 0.017212882724656754,
    (11, 1.0): 0.0002889875194172079,
    (11, 2.5): 1.0798832841464098e-07,
    (15, 0.8): 0.0001262935154041737,
    (15, 2.3): 2.2278045672170654e-09,
}
"""delta of the best gamma."""


def test_figure_2a_has_the_limit_and_a_search_over_gamma() -> None:
    for (support, epsilon), delta in LIMITS.items():
        (analytical,) = [c for c in ends_with("2a", f"D {support}") if c.name.startswith("analytical")]
        assert at(analytical, epsilon) == pytest.approx(delta, rel=1e-9)
    for (support, epsilon), delta in KNOTS.items():
        (best,) = [c for c in ends_with("2a", f"D {support}") if c.ours]
        (found,) = [c for c in ends_with("2a", f"D {support}") if c.name.startswith("search")]
        assert at(best, epsilon) == pytest.approx(delta, rel=1e-9)
        assert delta * (1 - 1e-9) <= at(found, epsilon) <= delta * 1.02
    for support, largest in ((11, 1.3611421851363947), (15, 1.4966687619514487)):
        (gap,) = ends_with("2a", f"analytical, D {support}", 1)
        assert gap.y.max() == pytest.approx(largest, rel=1e-6)
        assert gap.y[-1] == pytest.approx(1, rel=1e-12)


def test_figure_2b_has_the_variance_at_the_limit() -> None:
    known = {
        (11, 0.1): 37.12490206811617,
        (11, 1.4): 7.496565808638132,
        (15, 0.2): 50.94156645432098,
        (15, 2.0): 7.249998210479148,
    }
    for (support, epsilon), variance in known.items():
        (found,) = [c for c in ends_with("2b", f"D {support}") if not c.ours]
        assert at(found, epsilon) == pytest.approx(variance, rel=1e-9)
        (best,) = [c for c in ends_with("2b", f"D {support}") if c.ours]
        assert at(best, epsilon) <= variance * (1 + 1e-12)


def test_figure_3_is_the_pmf_of_example_1() -> None:
    found = curve("3", "Example 1")
    assert found.x.tolist() == list(range(-25, 26))
    assert found.y.sum() == pytest.approx(1, rel=1e-12)
    assert int(np.argmax(found.y)) == 25
    np.testing.assert_allclose(found.y, found.y[::-1], rtol=0)
    for z, mass in (
        (0, 0.05689548124387091),
        (11, 0.016632589297126358),
        (12, 0.013165377565780734),
        (25, 9.9129808e-5),
    ):
        assert at(found, z) == pytest.approx(mass, rel=1e-7)
    assert curve("3", "printed for").y.tolist() == [0.016632589297126] * 2
    assert curve("3", "the best gamma").x.tolist() == list(range(-24, 25))


def test_figure_4_ends_where_a_weight_is_0() -> None:
    for bits, last in ((8, 0.6), (16, 1.7), (32, 2.5)):
        found = curve("4", f"KEYSIZE 2^{bits}")
        assert found.x[~np.isnan(found.y)].max() == pytest.approx(last)
        assert not np.isnan(found.y[found.x < last + 1e-9]).any()
    assert at(curve("4", "KEYSIZE 2^8"), 0.2) == pytest.approx(0.4700036292457356, rel=1e-9)
    assert at(curve("4", "KEYSIZE 2^16"), 1.2) == pytest.approx(1.2443240998495033, rel=1e-9)
    assert at(curve("4", "KEYSIZE 2^32"), 2.5) == pytest.approx(2.4766833508893806, rel=1e-9)
    above = curve("4", "KEYSIZE 2^16", 1).y > 0
    assert above.sum() == 9
    for bits in (16, 32):
        ours = curve("4", f"Discreet's table, 2^{bits}", 1).y
        assert (ours[~np.isnan(ours)] <= 0).all()


def test_a_size_of_the_key_has_one_colour_in_figures_4_and_5_and_no_point_is_moved() -> None:
    colours: dict[tuple[str, bool], set[int | None]] = {}
    for number in ("4", "5"):
        for panel in panels(number):
            assert isinstance(panel, Panel)
            for found in panel.curves:
                assert not np.any(found.shift)
                if size := re.search(r"2\^\d+", found.name):
                    colours.setdefault((size[0], found.ours), set()).add(found.colour)
    assert all(len(found) == 1 and None not in found for found in colours.values())
    assert len({(ours, *found) for (_, ours), found in colours.items()}) == len(colours) == 6


def test_figure_5_has_delta_after_sampling_against_delta() -> None:
    design = curve("5", "delta^Q = delta")
    assert at(design, 0.023320238277603687) == pytest.approx(0.023320238277603687, rel=1e-9)
    for bits in (8, 16, 32):
        found = curve("5", f"KEYSIZE 2^{bits}")
        assert (found.y >= design.y * (1 - 1e-12)).all()
        assert (found.y - design.y < 2.0**-bits).all()
    ratio = curve("5", "delta^Q / delta, KEYSIZE 2^16", 1)
    assert at(ratio, 2.5) == pytest.approx(1.52587890625e-05 / 4.4561736740564e-07, rel=1e-4)
    exact = curve("5", "exact delta / delta, KEYSIZE 2^8", 1)
    assert at(exact, 0.1) == pytest.approx(0.038247698126607034 / 0.03375395722870436, rel=1e-9)
    ours = curve("5", "Discreet's table", 1)
    assert (ours.y <= 1).all()


@pytest.mark.parametrize("number", ["1a", "1b", "2a", "2b", "3", "4", "5"])
def test_the_csv_of_a_figure_has_every_point_and_curves_have_names_of_their_own(number: str) -> None:
    rows = list(csv.DictReader(StringIO(to_csv(panels(number)))))
    points = 0
    for panel in panels(number):
        assert isinstance(panel, Panel)
        assert len({curve.name for curve in panel.curves}) == len(panel.curves)
        points += sum(len(curve.x) for curve in panel.curves)
    assert len(rows) == points
    assert all(math.isfinite(float(row["x"])) for row in rows)
