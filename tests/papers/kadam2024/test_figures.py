"""The data of Kadam 2024's figures, beside values that other programs computed (`known_values.json`)."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.papers.figure import Curve, Heatmap, Panel, Panels
from discreet.papers.kadam2024 import PAPER

KNOWN: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("known_values.json").read_text())


@cache
def panels(number: str) -> Panels:
    return PAPER.figure(number).panels()


def curve(number: str, panel: int, begins: str) -> Curve:
    shown = panels(number)[panel]
    assert isinstance(shown, Panel)
    (found,) = [curve for curve in shown.curves if curve.name.startswith(begins)]
    return found


def values(name: str) -> np.ndarray:
    return np.array(KNOWN[name]["value"])


def at(found: Curve, x: Any) -> np.ndarray:
    """Return a curve's values at points that it has."""
    places = [int(np.argmin(np.abs(found.x - point))) for point in np.atleast_1d(x)]
    np.testing.assert_allclose(found.x[places], np.atleast_1d(x), atol=1e-9)
    return np.asarray(found.y[places])


def test_every_figure_of_the_paper_is_there_in_its_order() -> None:
    numbers = "1a 1b 2 3a 3b 4 5a 5b 6 7a 7b 8 9a 9b 10a 10b 11 12a 12b 13a 13b 14"
    assert [figure.number for figure in PAPER.figures] == numbers.split()


def test_figure_1_shows_the_order_of_assignment() -> None:
    for number, order, name in (("1a", "03614725", "lemma3_n7_mu3_eps0.75"), ("1b", "0246", "lemma3_n7_mu2_eps0.75")):
        (panel,) = panels(number)
        assert isinstance(panel, Panel)
        assert "".join(panel.x_ticks or ()) == order
        expected = values(name)[[int(x) for x in order]]
        np.testing.assert_allclose(curve(number, 0, "one-sided").y, expected, atol=1e-12)
    both = values("symSD_pure_n7_mu3")[[0, 3, 6, 1, 4, 7, 2, 5]]
    np.testing.assert_allclose(curve("1a", 0, "two-sided").y, both, atol=1e-12)


def test_figure_2_has_flat_and_falling_pieces_in_turn() -> None:
    paper = curve("2", 0, "one-sided")
    slopes = np.diff(paper.y) / np.diff(paper.x)
    np.testing.assert_allclose(slopes[::2], 0, atol=1e-12)
    assert (slopes[1::2] < -0.5).all()
    dp, pdp = curve("2", 0, "two-sided DP"), curve("2", 0, "two-sided PDP")
    np.testing.assert_allclose(np.diff(dp.y) / np.diff(dp.x), -dp.y[0], atol=1e-9)
    assert (pdp.y >= dp.y - 1e-9).all()


def test_figure_3_shows_staircases() -> None:
    for number, lengths in (("3a", [1, 5, 4, 4, 2]), ("3b", [1, 5, 4, 4, 1, 1])):
        noise = curve(number, 0, "one-sided").y
        ends = np.flatnonzero(np.diff(noise) < -1e-9)
        assert np.diff([-1, *ends, len(noise) - 1]).tolist() == lengths
        for kind in ("one-sided", "two-sided"):
            assert curve(number, 0, kind).y.sum() == pytest.approx(1, abs=1e-12)


def test_figure_4_shows_where_theorem_3_exceeds_its_delta() -> None:
    whole, near = curve("4", 0, "(13)"), curve("4", 1, "(13)")
    for shown in (whole, near):
        assert np.interp(0.1, shown.x, shown.y) == pytest.approx(values("literal13_n20_mb5_eps1_d0.1"), abs=1e-9)
    stated = curve("4", 1, "Theorem 3")
    assert np.interp(0.1, stated.x, stated.y) == pytest.approx(values("thm3_phi_n20_mb5_eps1.0_h3j1"), abs=1e-9)


def test_figure_5_compares_errors() -> None:
    epsilons = [0.5, 1.0, 1.5, 2.0, 3.0]
    np.testing.assert_allclose(at(curve("5a", 0, "optimum"), epsilons), values("fig5a_onesided_mse")[1:], atol=1e-8)
    np.testing.assert_allclose(at(curve("5a", 1, "modulo"), epsilons), values("fig5a_sym_dp_mse_unif")[1:], atol=1e-8)
    least, geometric = curve("5a", 1, "least"), curve("5a", 1, "discrete geometric")
    for begins in ("discrete geometric", "discrete Gaussian", "Gumbel", "modulo"):
        assert (curve("5a", 1, begins).y >= least.y - 1e-9).all()
    assert (curve("5a", 1, "modulo").y > 2 * geometric.y).all()
    rates = at(curve("5b", 1, "modulo"), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(rates, values("fig5b_sym_dp_er")[[2, 4, 5]], atol=1e-9)
    np.testing.assert_allclose(curve("5b", 1, "modulo").y, curve("5b", 1, "least").y, atol=1e-7)


def test_figure_6_shows_steps_where_the_delta_jumps() -> None:
    known = KNOWN["fig6_clamped_gau3.38_pdp"]
    steps = curve("6", 0, "Gaussian, clamped")
    assert steps.style == "steps"
    for epsilon, delta in zip(known["eps"], known["value"], strict=True):
        if epsilon < 2:
            place = int(np.searchsorted(steps.x, epsilon, side="right")) - 1
            assert steps.y[place] == pytest.approx(delta, abs=1e-9)
    geometric = curve("6", 0, "geometric, clamped")
    assert geometric.x[1] == pytest.approx(-math.log(0.7), abs=1e-9)
    assert geometric.y[0] == pytest.approx(1 / 1.7, abs=1e-9)
    dp = at(curve("6", 1, "Gaussian, clamped"), [0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5])
    np.testing.assert_allclose(dp, values("fig6_clamped_gau3.38_dp")[:7], atol=1e-9)


def test_figure_7_is_broken_where_the_least_delta_jumps() -> None:
    optimum = curve("7a", 0, "optimum")
    np.testing.assert_allclose(optimum.x[np.isnan(optimum.y)], [0.9926, 1.2323, 1.3018], atol=1e-3)
    alpha = 0.2
    geometric = curve("7a", 1, "discrete geometric")
    closed = np.maximum(0, (1 - np.exp(geometric.x) * alpha) / (1 + alpha))
    np.testing.assert_allclose(geometric.y, closed, atol=1e-12)
    corollary = curve("7b", 0, "optimum")
    jumps = corollary.x[np.isnan(corollary.y)]
    np.testing.assert_allclose(sorted(jumps)[:-1], sorted(values("cor1_epsk_n7_rho0.3")[:-1]), atol=1e-9)
    known = KNOWN["fig7b_sym_dp_n7_er0.3"]
    np.testing.assert_allclose(at(curve("7b", 1, "modulo"), known["eps"]), known["value"], atol=1e-8)
    independent = at(curve("7b", 1, "data independent"), known["eps"])
    np.testing.assert_allclose(independent, values("fig7b_rr_dp"), atol=1e-12)


def test_figure_8_shows_noise_at_unequal_epsilons() -> None:
    middle = {name: curve("8", 0, name).y[4] for name in ("proposed", "geometric", "Gaussian", "modulo, epsilon 1")}
    assert middle["proposed"] == pytest.approx((1 - math.exp(-1)) / (1 - math.exp(-9)), abs=1e-12)
    assert middle["geometric"] == pytest.approx(0.3 / 1.7, abs=1e-12)
    bell = 1 / np.exp(-(np.arange(-60, 61) ** 2) / 6.76).sum()
    assert middle["Gaussian"] == pytest.approx(bell, abs=1e-9)
    assert middle["modulo, epsilon 1"] == pytest.approx(0.4667, abs=1e-4)


def test_figures_9_and_10_show_the_noise_as_known() -> None:
    for delta in (0.1, 0.4):
        name = f"thm2_n7_mu3_eps0.75_d{delta:g}"
        np.testing.assert_allclose(curve("9a", 0, f"one-sided, delta {delta:g}").y, values(name), atol=1e-12)
    expected = values("thm2_n7_mu2_eps0.75_d0.1")
    np.testing.assert_allclose(curve("9b", 0, "one-sided, delta 0.1").y, expected, atol=1e-12)
    np.testing.assert_allclose(curve("10a", 0, "one-sided").y, values("lemma4_n8_mb3_eps1.5"), atol=1e-12)
    np.testing.assert_allclose(curve("10a", 0, "two-sided").y, values("table1_col_0_sym_dp_opt"), atol=1e-12)
    for column in ("0.1212", "0.1238", "0.1522"):
        shown = curve("10b", 0, f"one-sided, delta {column}")
        np.testing.assert_allclose(shown.y, values(f"table1_col_{column}"), atol=1e-8)
    true = curve("10b", 1, "the noise for delta 0.1522")
    assert np.interp(1.5, true.x, true.y) == pytest.approx(values("table1_col_0.1522_twosided_dp"), abs=1e-3)
    np.testing.assert_allclose(curve("10b", 1, "promised").y, [0.1212, 0.1238, 0.1522])


def test_figure_11_has_delta_02_on_the_left_and_epsilon_2_on_the_right() -> None:
    left = at(curve("11", 0, "one-sided (13), epsilon 1"), range(2, 10))
    np.testing.assert_allclose(left, values("fig11_literal_d0.2_eps1.0"), atol=1e-8)
    for epsilon in ("1", "2"):
        both = curve("11", 0, f"two-sided DP, epsilon {epsilon}").y
        np.testing.assert_allclose(both, values(f"fig11_sym_dp_d0.2_eps{epsilon}.0"), atol=1e-9)
    (right,) = [c for c in panels("11")[1].curves if c.name == "one-sided (13), delta 0"]  # type: ignore[union-attr]
    np.testing.assert_allclose(at(right, range(2, 10)), values("fig11_literal_d0.0_eps2.0"), atol=1e-8)


def test_figure_12_is_exact_between_its_kinks() -> None:
    known = KNOWN["fig12a_eps2.0"]
    paper = curve("12a", 0, "one-sided PDP (Theorem 2), epsilon 2")
    np.testing.assert_allclose(np.interp(known["delta"], paper.x, paper.y), known["value"], atol=1e-12)
    for epsilon in ("0.5", "1.0", "2.0"):
        text = f"{float(epsilon):g}"
        known = KNOWN[f"fig12b_literal_eps{epsilon}"]
        literal = curve("12b", 0, f"one-sided (13), epsilon {text}")
        np.testing.assert_allclose(np.interp(known["delta"], literal.x, literal.y), known["value"], atol=1e-8)
        known = KNOWN[f"fig12b_pdp_eps{epsilon}"]
        free = at(curve("12b", 0, f"one-sided PDP (Definition 2), epsilon {text}"), known["delta"][3:])
        np.testing.assert_allclose(free, known["value"][3:], atol=1e-8)
    for epsilon in ("0.5", "1.0"):
        known = KNOWN[f"fig12_dp_sym_eps{epsilon}"]
        both = curve("12b", 0, f"two-sided DP, epsilon {float(epsilon):g}")
        np.testing.assert_allclose(np.interp(known["delta"], both.x, both.y), known["value"], atol=1e-9)


def test_figure_13_shows_joint_noise() -> None:
    one, both = panels("13a")
    assert isinstance(one, Heatmap)
    assert isinstance(both, Heatmap)
    np.testing.assert_allclose(one.values, values("vec_57"), atol=1e-12)
    assert both.values[0, 0] == pytest.approx(0.5505, abs=1e-4)
    one, both = panels("13b")
    assert isinstance(one, Heatmap)
    assert isinstance(both, Heatmap)
    peaks = {(int(x), int(y)) for x, y in zip(*np.nonzero(one.values > one.values[0, 0] * math.exp(-4.5)), strict=True)}
    assert peaks == {(0, 0), (1, 2), (1, 5), (3, 2), (3, 5)}
    assert both.values.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(both.values, np.roll(both.values[::-1, ::-1], 1, axis=(0, 1)), atol=1e-15)


def test_figure_14_shows_the_noise_as_known() -> None:
    np.testing.assert_allclose(curve("14", 1, "one-sided").y, values("fig14_n16_onesided"), atol=1e-12)
    np.testing.assert_allclose(curve("14", 0, "two-sided").y, values("fig14_n10_sym"), atol=1e-12)
    np.testing.assert_allclose(curve("14", 1, "two-sided").y, values("fig14_n16_sym"), atol=1e-12)
