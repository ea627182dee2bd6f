"""The figures of Sadeghi 2020: the noise beside discrete Gaussians, and delta along epsilon and eta.

The text gives no D for Figures 2 and 3 but 8. Section I compares D 4 with D 6, so that 4, 6 and 8 are taken.
"""

from collections.abc import Callable

import numpy as np

from discreet.arrays import Floats
from discreet.mechanism import Mechanism
from discreet.papers.figure import Curve, Figure, Panel
from discreet.papers.sadeghi2020.equal_variance import of_figure_4, of_parameter, of_variance
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    KNEES,
    Setting,
    bound,
    exact,
    knee,
    least,
    least_valid_eta,
    optimum,
    per_output,
    printed,
    program,
)

SUPPORTS = (4, 6, 8)
LEAST_SHOWN = 1e-9
"""Probabilities below this are not drawn on a logarithmic scale."""


def _capped(setting: Setting) -> float:
    """Return the promise of Remark 2: min(1, (2D+1) delta*)."""
    return min(1.0, bound(setting))


def _below_one(setting: Setting) -> float:
    """Return (2D+1) delta* where it promises something, and nothing elsewhere."""
    return bound(setting) if bound(setting) < 1 else np.nan


def _points(*parts: Floats) -> Floats:
    """Return all points in order, each of them once."""
    return np.unique(np.round(np.concatenate(parts), 9))


def _along_epsilon(
    name: str, epsilons: Floats, value: Callable[[Setting], float], eta: float, support: int, ours: bool = False
) -> Curve:
    y = np.array([value(Setting(epsilon, eta, support)) for epsilon in epsilons.tolist()])
    return Curve(name, epsilons, y, "line and points", ours)


def _along_eta(
    name: str, etas: Floats, value: Callable[[Setting], float], epsilon: float, support: int, ours: bool = False
) -> Curve:
    y = np.array([value(Setting(epsilon, eta, support)) for eta in etas.tolist()])
    return Curve(name, etas, y, "line and points", ours)


# Figure 1


def _noise() -> list[Panel]:
    mechanisms: dict[str, tuple[Mechanism, bool]] = {
        "paper's noise, variance 0.2660": (printed(FIGURE_1), False),
        "discrete Gaussian as in the paper, variance 0.2370": (of_parameter(FIGURE_1), False),
        "discrete Gaussian of variance 0.2660": (of_variance(FIGURE_1), True),
        "least exact delta": (optimum(FIGURE_1), True),
    }
    z = np.arange(FIGURE_1.support + 1.0)
    plain, logarithmic = [], []
    for name, (mechanism, ours) in mechanisms.items():
        masses = np.array([_mass(mechanism, int(value)) for value in z])
        plain.append(Curve(name, z, masses, "bars", ours))
        shown = np.where(masses > LEAST_SHOWN, masses, np.nan)
        logarithmic.append(Curve(name, z, shown, "line and points", ours))
    return [
        Panel("as in the paper", "z", "probability", plain),
        Panel("the same, logarithmic (0 and below 1e-9 not drawn)", "z", "probability", logarithmic, log_y=True),
    ]


def _mass(mechanism: Mechanism, z: int) -> float:
    row = mechanism.interior[0]
    return float(row.values[row.outputs == z].sum())


# Figure 2


def _delta_along_epsilon() -> list[Panel]:
    epsilons = _points(np.linspace(0.5, 3, 51), np.linspace(1.02, 1.12, 21))
    curves = [_along_epsilon(f"(2D+1) delta*, D {d}", epsilons, _capped, 0.5, d) for d in SUPPORTS]
    curves += [_along_epsilon(f"least exact delta, D {d}", epsilons, least, 0.5, d, ours=True) for d in SUPPORTS]
    few = np.array([0.6, 0.8, 1.0, 1.05, 1.1, 1.2, 1.4, 1.6, 2.0, 2.5])
    every = [
        _along_epsilon("counts from D: (2D+1) delta*", few, _capped, 0.5, 4),
        _along_epsilon("counts from D: exact delta of this noise", few, exact, 0.5, 4, ours=True),
        _along_epsilon("counts from D: least exact delta", few, least, 0.5, 4, ours=True),
        _along_epsilon("counts from 1: (2D+1) delta* of Proposition 2", few, _bound_from_1, 0.5, 4),
        _along_epsilon("counts from 1: least exact delta", few, _least_from_1, 0.5, 4, ours=True),
    ]
    return [
        Panel("eta 0.5, counts from D, cut at 1", "epsilon", "delta", curves, log_y=True),
        Panel("D 4: what the assumption n >= D is worth", "epsilon", "delta", every, log_y=True),
    ]


def _bound_from_1(setting: Setting) -> float:
    return min(1.0, (2 * setting.support + 1) * per_output(program(setting, 1), setting.epsilon))


def _least_from_1(setting: Setting) -> float:
    return optimum(setting, 1).delta(setting.epsilon)


# Figure 3


def _delta_along_eta() -> list[Panel]:
    panels = []
    for epsilon, eta, _ in KNEES:
        near = np.linspace(eta - 0.01, eta + 0.03, 21)
        etas = _points(np.linspace(0.01, 0.15, 29), np.linspace(0.15, 0.95, 33), near)
        curves = [_along_eta(f"(2D+1) delta*, D {d}", etas, _capped, epsilon, d) for d in SUPPORTS]
        curves.append(_along_eta("exact delta of this noise, D 8", etas, exact, epsilon, 8, ours=True))
        curves.append(_along_eta("least exact delta, D 8", etas, least, epsilon, 8, ours=True))
        limit = least_valid_eta(epsilon, 8)
        panels.append(
            Panel(f"epsilon {epsilon:g}; for D 8 a promise from eta {limit:.3f} on", "eta", "delta", curves, log_y=True)
        )
    epsilons = np.linspace(0.1, 3, 59)
    borders = [
        Curve(f"knee, D {d}", epsilons, np.array([knee(e, d) for e in epsilons.tolist()]), "line and points")
        for d in (4, 8)
    ]
    borders += [
        Curve(
            f"Theorem 3 is false below, D {d}",
            epsilons,
            np.array([least_valid_eta(e, d) for e in epsilons.tolist()]),
            "line and points",
            ours=True,
        )
        for d in (4, 8)
    ]
    return [*panels, Panel("ours: the knee, and where the theorem begins", "epsilon", "eta", borders)]


# Figure 4


def _beside_gaussian() -> list[Panel]:
    wide = _points(np.linspace(0.05, 3, 60), np.linspace(1.02, 1.12, 21))
    near = np.linspace(0.2, 1.12, 47)
    panels = []
    for title, epsilons, first, log_y in (
        ("as in the paper, cut at 1", wide, _capped, True),
        ("where the curves cross (below 1)", near, _below_one, False),
    ):
        curves = [
            _along_epsilon("(2D+1) delta*", epsilons, first, 0.5, 6),
            _along_epsilon("delta_G by (45)", epsilons, of_figure_4, 0.5, 6),
            _along_epsilon("exact delta of the paper's noise", epsilons, exact, 0.5, 6, ours=True),
            _along_epsilon("least exact delta", epsilons, least, 0.5, 6, ours=True),
        ]
        few = epsilons[::4]
        matched = np.array([of_variance(Setting(e, 0.5, 6)).delta(e) for e in few.tolist()])
        curves.append(Curve("discrete Gaussian of equal variance, exact", few, matched, "points", ours=True))
        panels.append(Panel(title, "epsilon", "delta", curves, log_y=log_y))
    return panels


FIGURES = (
    Figure("1", "the noise, epsilon 2.18, eta 0.8, D 6, beside discrete Gaussians", _noise),
    Figure("2", "delta against epsilon, eta 0.5 (D 4, 6, 8 taken)", _delta_along_epsilon),
    Figure("3", "delta against eta, cut at 1 (D 4, 6, 8 taken)", _delta_along_eta, columns=3),
    Figure("4", "delta of the noise and of discrete Gaussians, eta 0.5, D 6", _beside_gaussian),
)
