"""Kadam 2024's Figures 5 to 8: the noise beside other mechanisms.

Each figure has two panels: the comparison as the paper makes it (probabilistic DP, its own noise one-sided), and the
same comparison with (epsilon, delta)-DP for neighbours in both directions.
"""

import math
from collections.abc import Callable

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.mechanism import Mechanism
from discreet.papers.figure import Curve, Figure, Panel
from discreet.papers.kadam2024.claims_comparison import (
    ERROR_RATE,
    MSE,
    counts_eta,
    dp_geometric,
    error_rate_rivals,
    gaussian_with_mse,
    gumbel_with_mse,
    pdp_counts_eta,
    pdp_data_independent,
)
from discreet.papers.kadam2024.jumps import probabilistic_steps, with_breaks
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, pure, two_sided
from discreet.papers.kadam2024.rivals import (
    Kind,
    clamped,
    counts,
    distribution,
    error_rate,
    gaussian,
    gaussian_matrix,
    geometric,
    gumbel,
    gumbel_matrix,
    least_cost,
    mean_squared_error,
    modulo,
    smallest_parameter,
)
from discreet.papers.kadam2024.single_difference import corollary_1, epsilons, theorem_2

PAPER, TRUE = "as in the paper: probabilistic DP, its noise one-sided", "(epsilon, delta)-DP, two-sided"
SMALLEST = 1e-4
"""Deltas below this are not drawn on a logarithmic scale."""


def _curve(name: str, x: Floats, value: Callable[[float], float], ours: bool = False) -> Curve:
    return Curve(name, x, np.array([value(float(at)) for at in x]), "line and points", ours)


def _smallest_mse(make: Callable[[int, float], Floats], epsilon: float, kind: Kind) -> float:
    """Return the least squared error of a family of noises, n 8, delta 0.3."""
    value = smallest_parameter(lambda parameter: make(8, parameter), 0.02, 300, epsilon, 0.3, kind)
    return mean_squared_error(Mechanism.from_matrix(make(8, value)))


def _broken(name: str, x: Floats, value: Callable[[float], float], jump: float) -> Curve:
    """Return a curve that is broken where it jumps."""
    return Curve(name, *with_breaks(value, x, jump))


def _figure_5a() -> list[Panel]:
    x = np.linspace(0.2, 3, 29)
    squares = np.arange(9) ** 2
    paper = [
        _curve("discrete geometric", x, lambda e: mean_squared_error(geometric(8, math.exp(-e)))),
        _broken("discrete Gaussian", x, lambda e: _smallest_mse(gaussian_matrix, e, "pdp"), 0.05),
        _broken("Gumbel", x, lambda e: _smallest_mse(gumbel_matrix, e, "pdp"), 0.05),
        _curve("optimum, one-sided, E Z^2", x, lambda e: float(definition_2(8, (1,), e, 0.3, "squared") @ squares)),
    ]
    true = [
        _curve("discrete geometric", x, lambda e: mean_squared_error(dp_geometric(8, e, 0.3))),
        _curve("discrete Gaussian", x, lambda e: _smallest_mse(gaussian_matrix, e, "dp")),
        _curve("Gumbel", x, lambda e: _smallest_mse(gumbel_matrix, e, "dp")),
        _curve(
            "modulo", x, lambda e: mean_squared_error(modulo(9, e, delta=0.3, objective="uniform_prior")), ours=True
        ),
        _curve("least of any mechanism", x, lambda e: least_cost(8, e, 0.3, "squared", "mean"), ours=True),
    ]
    label = "mean squared error"
    return [Panel(PAPER, "epsilon", label, paper, log_y=True), Panel(TRUE, "epsilon", label, true, log_y=True)]


def _figure_5b() -> list[Panel]:
    x = np.linspace(0.2, 3, 15)
    paper = [
        _curve("discrete geometric", x, lambda e: error_rate(geometric(7, math.exp(-e)))),
        _curve("discrete count (on the geometric from 0.8)", x, lambda e: 1 - pdp_counts_eta(e, 0.5)),
        _curve("data independent", x, lambda e: pdp_data_independent(e, 0.5)),
        _curve("optimum, one-sided", x, lambda e: float(1 - theorem_2(8, 1, e, 0.5)[0])),
    ]
    true = [
        _curve("discrete geometric", x, lambda e: error_rate(dp_geometric(7, e, 0.5))),
        _curve("discrete count (on the geometric)", x, lambda e: 1 - counts_eta(e, 0.5)),
        _curve("data independent", x, lambda e: 0.5 / (1 + math.exp(e) / 7)),
        _curve("modulo", x, lambda e: error_rate(modulo(8, e, delta=0.5)), ours=True),
        _curve("least of any mechanism (on modulo)", x, lambda e: least_cost(7, e, 0.5, "error_rate", "worst"), True),
    ]
    return [Panel(PAPER, "epsilon", "error rate", paper), Panel(TRUE, "epsilon", "error rate", true)]


def _figure_6() -> list[Panel]:
    x = np.linspace(0.05, 2, 118)
    noises = {"geometric": design.geometric(alpha="0.7"), "Gaussian": design.gaussian(sigma2="3.38")}
    label = f"delta (below {SMALLEST:g}: at the bottom)"
    paper, true = [], []
    for name, noise in noises.items():
        for how, mechanism in (("as drawn", noise), ("clamped to 0..8", clamped(noise, 8))):
            begins, heights = probabilistic_steps(mechanism, 0.05, 2.0)
            paper.append(Curve(f"{name}, {how}", begins, _visible(heights), "steps"))
            true.append(Curve(f"{name}, {how}", x, _visible(mechanism.deltas(x))))
    return [
        Panel("as in the paper: probabilistic DP", "epsilon", label, paper, log_y=True),
        Panel(f"{TRUE}: clamped is never above drawn", "epsilon", label, true, log_y=True),
    ]


def _visible(values: Floats) -> Floats:
    """Return values for a logarithmic scale: the first that is too small ends the curve at the bottom."""
    small = np.flatnonzero(values < SMALLEST)
    shown = np.where(values < SMALLEST, np.nan, values)
    shown[small[:1]] = SMALLEST
    return shown


def _steps(name: str, mechanism: Mechanism) -> Curve:
    return Curve(name, *probabilistic_steps(mechanism, 0.05, 2.5), "steps")


def _figure_7a() -> list[Panel]:
    x = np.linspace(0.05, 2.5, 36)
    rivals = {
        "discrete geometric": geometric(8, 0.2),
        "discrete Gaussian": gaussian(8, gaussian_with_mse(MSE)),
        "Gumbel": gumbel(8, gumbel_with_mse(MSE)),
    }

    def noise(epsilon: float) -> Floats:
        return definition_2(8, (1,), round(epsilon, 9), None, "squared", MSE)

    def least(epsilon: float) -> float:
        return one_sided_delta(noise(epsilon), (1,), round(epsilon, 9))

    allowed = mean_squared_error(rivals["discrete geometric"])
    paper = [
        *(_steps(name, rival) for name, rival in rivals.items()),
        _broken("optimum, one-sided, E Z^2 at most 0.6101", x, least, 0.003),
    ]
    true = [
        *(Curve(name, x, rival.deltas(x)) for name, rival in rivals.items()),
        _broken("the paper's optimum", x, lambda e: two_sided(noise(e), (1,)).delta(round(e, 9)), 0.01),
        _curve(
            f"modulo, MSE {allowed:.4f} of the clamped geometric",
            x[::2],
            lambda e: modulo(9, round(e, 9), objective="uniform_prior", distortion=allowed).delta(e),
            ours=True,
        ),
    ]
    return [Panel(PAPER, "epsilon", "delta", paper), Panel(TRUE, "epsilon", "delta", true)]


def _figure_7b() -> list[Panel]:
    x = np.linspace(0.05, 2.5, 99)
    ends = sorted(end for end in epsilons(8, ERROR_RATE) if end > 0)
    pieces, grid = [], []
    for low, high in zip([0.05, *ends], [*ends, 2.5], strict=True):
        inside = np.linspace(low, high, 12)[:-1]
        grid += [*inside, high - 1e-9, high]
        pieces += [
            *(corollary_1(8, float(e), ERROR_RATE) for e in inside),
            corollary_1(8, high - 1e-9, ERROR_RATE),
            np.nan,
        ]
    names = ("discrete geometric", "discrete Gaussian", "data independent")
    named = dict(zip(names, error_rate_rivals(7), strict=True))

    def count(epsilon: float, kind: Kind) -> float:
        return counts(epsilon, 1 - ERROR_RATE, 7).delta(epsilon, kind=kind)

    paper = [
        *(_steps(name, rival) for name, rival in named.items()),
        _broken("discrete count (on the Gaussian)", x[::4], lambda e: count(e, "pdp"), 0.05),
        Curve("optimum, one-sided (Corollary 1)", np.array(grid), np.array(pieces)),
    ]
    true = [
        *(Curve(name, x, rival.deltas(x)) for name, rival in named.items()),
        Curve("discrete count (on the geometric)", x, np.array([count(e, "dp") for e in x.tolist()])),
        _curve(
            "the paper's optimum",
            x,
            lambda e: two_sided(theorem_2(8, 1, e, corollary_1(8, e, ERROR_RATE)), (1,)).delta(e),
        ),
        Curve("modulo", x, np.array([modulo(8, e, distortion=ERROR_RATE).delta(e) for e in x.tolist()]), ours=True),
    ]
    return [Panel(PAPER, "epsilon", "delta", paper), Panel(TRUE, "epsilon", "delta", true)]


def _figure_8() -> list[Panel]:
    x = np.arange(-4.0, 5)
    signed = np.arange(-4, 5) % 9
    weak = math.log(1 / 0.7)
    bell = dict(zip(*(values.tolist() for values in design.gaussian(sigma2="3.38").pmf(0)), strict=True))
    curves = [
        Curve("proposed, epsilon 1, one-sided", x, pure((9,), (1,), 1.0)[signed], "bars"),
        Curve("geometric, alpha 0.7 (epsilon 0.357)", x, 0.3 / 1.7 * 0.7 ** np.abs(x), "bars"),
        Curve("Gaussian, sigma2 3.38", x, np.array([bell[int(at)] for at in x]), "bars"),
        Curve("modulo, epsilon 1, two-sided", x, distribution(modulo(9, 1.0))[signed], "bars", ours=True),
        Curve("modulo, epsilon 0.357, two-sided", x, distribution(modulo(9, weak))[signed], "bars", ours=True),
    ]
    return [Panel("noise modulo 9, from -4 to 4", "noise", "probability", curves)]


COMPARISONS = (
    Figure("5a", "squared error against epsilon, n 8, delta 0.3", _figure_5a),
    Figure("5b", "error rate against epsilon, n 7, delta 0.5", _figure_5b),
    Figure("6", "what clamping does to delta, n 8, alpha 0.7, sigma2 3.38", _figure_6),
    Figure("7a", "delta against epsilon at MSE 0.6101, n 8", _figure_7a),
    Figure("7b", "delta against epsilon at error rate 0.3, n 7", _figure_7b),
    Figure("8", "noise beside geometric and Gaussian noise, n 8", _figure_8),
)
