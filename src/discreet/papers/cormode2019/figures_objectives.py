"""Figures 15 to 18: mechanisms that are optimal for L1 or L2, on binomial data."""

from dataclasses import replace

import numpy as np

from discreet.arrays import Floats
from discreet.papers.cormode2019.claims_binomial import ALPHAS, SIZES
from discreet.papers.cormode2019.claims_objectives import (
    OBJECTIVE_NAMES,
    TAIL_CHANCES,
    TAIL_SIZE,
    for_objective,
    objective_tails,
)
from discreet.papers.cormode2019.count_mechanisms import binomial, mass_beyond, matrix, tail_loss
from discreet.papers.cormode2019.figures_errors import root_curve
from discreet.papers.figure import Curve, Figure, Panel, Panels


def _roots(kind: str) -> Panels:
    panels = []
    for alpha in ALPHAS:
        for n in SIZES:
            curves = [root_curve(name, for_objective(name, kind, n, alpha), n, ours=False) for name in OBJECTIVE_NAMES]
            curves.append(root_curve("EM* (ours)", matrix("EM*", n, alpha), n, ours=True))
            panels.append(Panel(f"n = {n}, alpha = {alpha}", "p", "RMSE", _side_by_side(curves, 0.006)))
    return panels


def _tails(kind: str) -> Panels:
    power = int(kind[1])
    x = np.arange(float(TAIL_SIZE))
    panels = []
    for used, label in ((0, "chance of an error beyond d"), (power, f"E|error|^{power} of errors beyond d")):
        for p in TAIL_CHANCES:
            for alpha in ALPHAS:
                curves = [
                    Curve(name, x, objective_tails(name, kind, alpha, p, used), "line and points")
                    for name in OBJECTIVE_NAMES
                ]
                curves.append(Curve("EM* (ours)", x, _ours(alpha, p, used), "line and points", ours=True))
                panels.append(Panel(f"p = {p}, alpha = {alpha}", "d", label, _side_by_side(curves, 0.07)))
    return panels


def _side_by_side(curves: list[Curve], step: float) -> list[Curve]:
    """Return the curves with points of one x beside each other, because AM and EM* often coincide."""
    middle = (len(curves) - 1) / 2
    return [replace(curve, shift=(index - middle) * step) for index, curve in enumerate(curves)]


def _ours(alpha: str, p: float, power: int) -> Floats:
    star, counts = matrix("EM*", TAIL_SIZE, alpha), binomial(TAIL_SIZE, p)
    if power == 0:
        return np.array([mass_beyond(star, d, counts) for d in range(TAIL_SIZE)])
    return np.array([tail_loss(star, power, d, counts) for d in range(TAIL_SIZE)])


FIGURES = (
    Figure(
        "15",
        "RMSE on binomial data of mechanisms that are optimal for L1 (points of one p side by side)",
        lambda: _roots("L1"),
        columns=3,
    ),
    Figure(
        "16",
        "RMSE on binomial data of mechanisms that are optimal for L2 (points of one p side by side)",
        lambda: _roots("L2"),
        columns=3,
    ),
    Figure(
        "17",
        "optimal for L1, n = 8; above as the text reads L1,d, below as E|error| (points of one d side by side)",
        lambda: _tails("L1"),
        columns=4,
    ),
    Figure(
        "18",
        "optimal for L2, n = 8; above as the text reads L2,d, below as E|error|^2 (points of one d side by side)",
        lambda: _tails("L2"),
        columns=4,
    ),
)
