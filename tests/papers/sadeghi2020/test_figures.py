"""The data of Sadeghi 2020's figures, beside values of the text and of other programs."""

from functools import cache

import numpy as np
import pytest

from discreet.papers.figure import Curve, Panel, to_csv
from discreet.papers.sadeghi2020 import PAPER


@cache
def panels(number: str) -> tuple[Panel, ...]:
    found = tuple(PAPER.figure(number).panels())
    assert all(isinstance(panel, Panel) for panel in found)
    return found  # type: ignore[return-value]


def curve(number: str, panel: int, name: str) -> Curve:
    (found,) = [curve for curve in panels(number)[panel].curves if curve.name == name]
    return found


def at(found: Curve, x: float) -> float:
    (place,) = np.flatnonzero(np.isclose(found.x, x))
    return float(found.y[place])


def test_every_figure_of_the_paper_is_there_in_its_order() -> None:
    assert [figure.number for figure in PAPER.figures] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("number", ["1", "2", "3", "4"])
def test_curves_of_a_panel_have_names_of_their_own_and_all_points_are_in_the_data(number: str) -> None:
    for panel in panels(number):
        names = [curve.name for curve in panel.curves]
        assert len(set(names)) == len(names)
        assert any(curve.ours for curve in panel.curves)
        assert panel.curves[0].ours is False
    points = sum(len(curve.x) for panel in panels(number) for curve in panel.curves)
    assert len(to_csv(panels(number)).splitlines()) == points + 1


def test_figure_1_shows_the_printed_probabilities() -> None:
    """Section III-B: .08987, .00960 and .11685, .000416 at 1 and 2; eta at 0; nothing beyond 3."""
    noise = curve("1", 0, "paper's noise, variance 0.2660")
    np.testing.assert_array_equal(noise.x, np.arange(7))
    assert noise.y[:3] == pytest.approx([0.8, 0.08987, 0.0096], abs=5e-6)
    np.testing.assert_array_equal(noise.y[4:], 0)
    normal = curve("1", 0, "discrete Gaussian as in the paper, variance 0.2370")
    assert normal.y[1:3] == pytest.approx([0.11685, 0.000416], abs=5e-7 * 10)
    for law in panels("1")[0].curves:
        assert law.y[0] + 2 * law.y[1:].sum() == pytest.approx(1, abs=1e-8)
        squares = 2 * (law.y * law.x**2).sum()
        expected = {"discrete Gaussian as in the paper, variance 0.2370": 0.2370, "least exact delta": 0.2574}
        assert squares == pytest.approx(expected.get(law.name, 0.2660), abs=5e-5)


def test_figure_2_has_the_numbers_of_the_text() -> None:
    """At most .001 for D 8 and epsilon > 1.1; delta falls with epsilon; a larger D helps from the knee on."""
    eight = curve("2", 0, "(2D+1) delta*, D 8")
    assert at(eight, 1.1) == pytest.approx(8.573457e-4, rel=1e-6)
    assert (eight.y[eight.x > 1.1] <= 0.001).all()
    assert eight.y.max() == 1
    four, six = (curve("2", 0, f"(2D+1) delta*, D {d}") for d in (4, 6))
    assert at(four, 1.1) == pytest.approx(0.038676298, rel=1e-6)
    assert at(six, 1.5) == pytest.approx(0.0010856124, rel=1e-6)
    for found in panels("2")[0].curves:
        assert (np.diff(found.y) <= 1e-12).all()
    late, early = eight.x > 1.1, (eight.x > 0.85) & (eight.x < 1.04)
    assert (eight.y[late] < six.y[late]).all()
    assert (six.y[late] < four.y[late]).all()
    assert (eight.y[early] > four.y[early]).all()
    assert at(curve("2", 0, "least exact delta, D 8"), 1.1) == pytest.approx(7.553491e-5, rel=1e-6)


def test_figure_2_shows_what_small_counts_cost() -> None:
    """D 4, epsilon 1.1: .0043 per output becomes .0186, the least exact delta .0062 becomes .0619."""
    assert at(curve("2", 1, "counts from 1: (2D+1) delta* of Proposition 2"), 1.1) == pytest.approx(
        9 * 0.018586950162850113, abs=1e-6
    )
    assert at(curve("2", 1, "counts from 1: least exact delta"), 1.1) == pytest.approx(0.0619107, abs=1e-5)
    from_support, from_one = (curve("2", 1, f"counts from {n}: least exact delta") for n in ("D", "1"))
    assert (from_one.y >= from_support.y - 1e-9).all()
    exact, promised = (
        curve("2", 1, f"counts from D: {name}") for name in ("exact delta of this noise", "(2D+1) delta*")
    )
    assert (exact.y <= promised.y).all()


def test_figure_3_has_its_knees_and_its_false_promises() -> None:
    """Section IV: the knees are slightly after .5 and .8. Below .09998 and .04695 Theorem 3 is false."""
    for panel, (eta, least_eta) in enumerate(((0.5, 0.09998), (0.8, 0.04695))):
        promised = curve("3", panel, "(2D+1) delta*, D 8")
        turn = promised.x[np.argmin(promised.y)]
        assert turn == pytest.approx(eta, abs=0.003)
        assert promised.y[-1] == 1
        exact = curve("3", panel, "exact delta of this noise, D 8")
        broken = exact.y > promised.y
        assert broken[exact.x < 0.95 * least_eta].all()
        assert not broken[exact.x > least_eta].any()
        least = curve("3", panel, "least exact delta, D 8")
        assert (least.y <= exact.y * (1 + 1e-6)).all()
    assert at(curve("3", 1, "(2D+1) delta*, D 8"), 0.8) == pytest.approx(2.756194e-07, rel=1e-5)


def test_figure_3_says_where_the_theorem_begins() -> None:
    assert np.interp(1.1, *_points("knee, D 8")) == pytest.approx(0.5007, abs=1e-3)
    assert np.interp(2.2, *_points("Theorem 3 is false below, D 8")) == pytest.approx(0.04695, abs=1e-4)


def _points(name: str) -> tuple[np.ndarray, np.ndarray]:
    found = curve("3", 2, name)
    return found.x, found.y


@pytest.mark.parametrize(
    ("epsilon", "promised", "exact", "least", "named", "matched"),
    [
        (0.9, 0.5588714300474126, 0.1350992222107626, 0.1350992222107626, 0.1641633183640655, 0.16416324195420665),
        (1.1, 0.005951808984915365, 0.0027469887622686, 0.0006825293413297, 0.0510772184686851, 0.051077218467686716),
        (1.5, 0.0010856123998335945, 0.00050105187684627, 0.00010743189966498, 0.03818530184827, 0.03818530456896),
        (2.0, 0.00011031905413362484, 5.0916486523204e-05, 9.8139896515256e-06, 0.0249721778965116, 0.0249726840266683),
    ],
)
def test_figure_4_as_known(
    epsilon: float, promised: float, exact: float, least: float, named: float, matched: float
) -> None:
    names = ("(2D+1) delta*", "exact delta of the paper's noise", "least exact delta", "delta_G by (45)")
    for name, value in zip(names, (promised, exact, least, named), strict=True):
        assert at(curve("4", 0, name), epsilon) == pytest.approx(value, abs=1e-9)
    points = curve("4", 0, "discrete Gaussian of equal variance, exact")
    assert np.interp(epsilon, points.x, points.y) == pytest.approx(matched, rel=0.05)


def test_figure_4_crosses_where_known() -> None:
    """(45) against the promise at 1.057; exact deltas at .288 and .812."""
    promised, normal = curve("4", 1, "(2D+1) delta*"), curve("4", 1, "delta_G by (45)")
    better = promised.x[promised.y < normal.y]
    assert 1.057 <= better.min() <= 1.08
    exact = curve("4", 1, "exact delta of the paper's noise")
    worse = exact.x[exact.y > normal.y]
    assert (worse.min(), worse.max()) == pytest.approx((0.3, 0.8), abs=0.021)
