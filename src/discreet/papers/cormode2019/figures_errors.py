"""Figures 10 to 14: errors of the mechanisms on groups of the Adult data and on binomial data.

Error bars are computed, not drawn: the standard deviation of one run, or that of the mean of 50 runs.
"""

import math

import numpy as np

from discreet.arrays import Floats
from discreet.papers.cormode2019.adult_data import TARGETS, Adult
from discreet.papers.cormode2019.claims_binomial import (
    ALPHAS,
    BALANCED,
    CHANCES,
    PEOPLE,
    SIZES,
    SKEWED,
    beyond_one,
)
from discreet.papers.cormode2019.count_mechanisms import (
    COLUMNS,
    NAMES,
    WEAK,
    binomial,
    distances,
    error_histogram,
    mass_beyond,
    matrix,
)
from discreet.papers.figure import Curve, Figure, Panel, Panels

ADULT_SIZES = tuple(range(2, 21))
ADULT_REPETITIONS = 50


def figure_10(adult: Adult) -> Figure:
    """Return the chance of a wrong count in groups of the Adult data, with one standard error of 50 runs."""
    return Figure(
        "10", "Adult data, alpha = 0.9, error bars of one standard error of 50 runs", lambda: _adult(adult), 3
    )


def _adult(adult: Adult) -> Panels:
    x = np.array(ADULT_SIZES, dtype=np.float64)
    panels = []
    for attribute in TARGETS:
        curves = []
        for name in ("GM", WEAK, COLUMNS, "EM", "UM"):
            rates, errors = [], []
            for n in ADULT_SIZES:
                counts, groups = adult.counts(attribute, n), len(adult.people) // n
                wrong = 1 - np.diagonal(matrix(name, n, "0.9"))
                rates.append(float(wrong @ counts))
                errors.append(math.sqrt(float((wrong * (1 - wrong)) @ counts) / groups / ADULT_REPETITIONS))
            y, spread = np.array(rates), np.array(errors)
            label = "EM (EM* is the same)" if name == "EM" else name
            curves.append(Curve(label, x, y, "line and points", low=y - spread, high=y + spread))
        panels.append(Panel(attribute, "people in a group, n", "chance of a wrong count", curves))
    return panels


def run_deviation(mechanism: Floats, counts: Floats, groups: int) -> float:
    """Return the standard deviation of the root mean square error of one run over so many groups (delta method)."""
    squares = distances(len(mechanism) - 1) ** 2
    second = float((squares * mechanism).sum(axis=0) @ counts)
    fourth = float((squares**2 * mechanism).sum(axis=0) @ counts)
    return math.sqrt(max(fourth - second**2, 0.0) / groups) / (2 * math.sqrt(second))


def root_curve(name: str, mechanism_of_size: Floats, n: int, ours: bool) -> Curve:
    """Return RMSE over p with the standard deviation of one run of 10,000 people."""
    distributions = [binomial(n, p) for p in CHANCES]
    squares = (distances(n) ** 2 * mechanism_of_size).sum(axis=0)
    y = np.array([math.sqrt(float(squares @ distribution)) for distribution in distributions])
    spread = np.array([run_deviation(mechanism_of_size, distribution, PEOPLE // n) for distribution in distributions])
    return Curve(name, np.array(CHANCES), y, "line and points", ours, y - spread, y + spread)


def _beyond_one() -> Panels:
    return [
        Panel(
            f"n = {n}, alpha = {alpha}",
            "p",
            "chance of an error beyond 1",
            [_curve(name, beyond_one(name, n, alpha)) for name in NAMES],
        )
        for alpha in ALPHAS
        for n in SIZES
    ]


def _curve(name: str, y: Floats) -> Curve:
    ours = name == "EM*"
    return Curve("EM* (ours)" if ours else name, np.array(CHANCES), y, "line and points", ours)


def _tails() -> Panels:
    x = np.arange(8.0)
    panels = []
    for p in (BALANCED, SKEWED):
        for alpha in ALPHAS:
            curves = []
            for name in NAMES:
                y = np.array([mass_beyond(matrix(name, 8, alpha), d, binomial(8, p)) for d in range(8)])
                ours = name == "EM*"
                curves.append(Curve("EM* (ours)" if ours else name, x, y, "bars", ours))
            panels.append(Panel(f"p = {p}, alpha = {alpha}", "d", "chance of an error beyond d", curves))
    return panels


def _roots() -> Panels:
    return [
        Panel(
            f"n = {n}, alpha = {alpha}",
            "p",
            "RMSE",
            [
                root_curve("EM* (ours)" if name == "EM*" else name, matrix(name, n, alpha), n, name == "EM*")
                for name in NAMES
            ],
        )
        for alpha in ALPHAS
        for n in SIZES
    ]


def _histograms() -> Panels:
    x = np.arange(-8.0, 9.0)
    panels = []
    for p in (0.1, 0.7):
        for alpha in ALPHAS:
            curves = []
            for name in ("EM", "GM", WEAK, COLUMNS, "EM*"):
                ours = name == "EM*"
                y = error_histogram(matrix(name, 8, alpha), binomial(8, p))
                colour = None if ours else NAMES.index(name)
                curves.append(Curve("EM* (ours)" if ours else name, x, y, "bars", ours, colour=colour))
            panels.append(Panel(f"p = {p}, alpha = {alpha}", "output - true count", "probability", curves))
    return panels


FIGURES = (
    Figure("11", "L0,1 on binomial data", _beyond_one, columns=3),
    Figure("12", "L0,d on binomial data, n = 8 (the text gives no p)", _tails),
    Figure("13", "RMSE on binomial data, bars of one standard deviation of a run of 10,000 people", _roots, columns=3),
    Figure("14", "histograms of errors on binomial data, n = 8", _histograms),
)
