"""Figures 1 to 3 of Sadeghi 2023: delta and variance of the noise, and the pmf of Example 1.

The paper does not print the range of epsilon of Figures 1 and 2. Here it is 0.02 to 4, and 0.1 to 4.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.design import maxent
from discreet.papers.figure import Curve, Figure, Panel
from discreet.papers.sadeghi2023.claims_design_guide import EPSILONS, PMF, SUPPORTS
from discreet.papers.sadeghi2023.truncated_gaussian import (
    best_knot,
    end_mass,
    example_1,
    limit,
    search,
    variance,
)

WIDE = np.linspace(0.02, 4, 200)


def _figure_1(support: int) -> list[Panel]:
    """Return delta against epsilon for V = 4 and V = 10, and the least delta of the same support."""
    curves = []
    for spread in (4, 10):
        noise = maxent(support=support, variance=spread)
        name = f"V {spread}, gamma {float(noise.design['gamma']):.4f}, by (2.19)"
        curves.append(Curve(name, WIDE, noise.deltas(WIDE)))
    least = np.array([best_knot(epsilon, support)[1] for epsilon in WIDE.tolist()])
    curves.append(Curve("the best gamma at every epsilon (ours)", WIDE, least, ours=True))
    return [Panel(f"D {support}", "epsilon", "delta", curves, log_y=True)]


def _against_epsilon() -> Floats:
    return np.array(EPSILONS)


def _figure_2a() -> list[Panel]:
    epsilons = _against_epsilon()
    curves = []
    for support in SUPPORTS:
        values = np.array([end_mass(limit(e, support), support) for e in EPSILONS])
        curves.append(Curve(f"analytical, gamma to epsilon/(2D-1), D {support}", epsilons, values))
    for support in SUPPORTS:
        values = np.array([search(e, support)[1] for e in EPSILONS])
        curves.append(Curve(f"search over gamma, D {support}", epsilons, values))
    for support in SUPPORTS:
        values = np.array([best_knot(e, support)[1] for e in EPSILONS])
        curves.append(Curve(f"the best knot (ours), D {support}", epsilons, values, "line and points", ours=True))
    gaps = []
    for support in SUPPORTS:
        least = np.array([best_knot(e, support)[1] for e in EPSILONS])
        analytical = np.array([end_mass(limit(e, support), support) for e in EPSILONS])
        searched = np.array([search(e, support)[1] for e in EPSILONS])
        gaps.append(Curve(f"analytical, D {support}", epsilons, analytical / least, "line and points"))
        gaps.append(Curve(f"search over gamma, D {support}", epsilons, searched / least, "line and points"))
    return [
        Panel("delta", "epsilon", "delta", curves, log_y=True),
        Panel("delta over delta of the best knot (ours)", "epsilon", "ratio", gaps),
    ]


def _figure_2b() -> list[Panel]:
    epsilons = _against_epsilon()
    curves = []
    for support in SUPPORTS:
        values = np.array([variance(limit(e, support), support) for e in EPSILONS])
        curves.append(Curve(f"gamma to epsilon/(2D-1), D {support}", epsilons, values))
    for support in SUPPORTS:
        knots = [best_knot(e, support)[0] for e in EPSILONS]
        values = np.array([variance(e / (2 * j - 1), support) for e, j in zip(EPSILONS, knots, strict=True)])
        curves.append(Curve(f"the best knot (ours), D {support}", epsilons, values, "line and points", ours=True))
    return [Panel("variance", "epsilon", "V", curves)]


def _figure_3() -> list[Panel]:
    noise, best = example_1(), maxent(epsilon="0.5", delta="1e-4")
    curves = [
        Curve("Example 1, by (2.29)", *_pmf(noise.pmf(0)), "bars"),
        Curve("printed for z = +-12 in (2.30)", np.array([-12.0, 12.0]), np.full(2, float(PMF[12])), "points"),
        Curve("the best gamma for the same target, D 24 (ours)", *_pmf(best.pmf(0)), "points", ours=True),
    ]
    return [Panel("epsilon 0.5, delta 1e-4, D 25, V 49.00", "z", "p(z)", curves)]


def _pmf(given: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return given[0].astype(np.float64), np.array(given[1])


FIGURES = (
    Figure("1a", "delta of noise with D = 11 and variance 4 or 10", lambda: _figure_1(11), columns=1),
    Figure("1b", "delta of noise with D = 15 and variance 4 or 10", lambda: _figure_1(15), columns=1),
    Figure("2a", "least delta for D = 11 and D = 15: analytical, and by a search over gamma", _figure_2a),
    Figure("2b", "variance of the noise for D = 11 and D = 15", _figure_2b, columns=1),
    Figure("3", "perturbation distribution in Example 1", _figure_3, columns=1),
)
