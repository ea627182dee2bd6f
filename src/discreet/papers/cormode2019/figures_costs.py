"""Figures 8 and 9: L0 of the mechanisms, over n and over alpha."""

import numpy as np

from discreet.papers.cormode2019.count_mechanisms import COLUMNS, COMBINATIONS, WEAK, least_wrong, named
from discreet.papers.figure import Curve, Figure, Panel, Panels

SIZES_8 = tuple(range(2, 17))
ALPHAS_8 = tuple(f"{k / 100:.2f}" for k in (50, 55, 60, 65, 70, 75, 80, 84, 88, 92, 96, 99))
SIZE_8B = 8
SIZES_9 = tuple(range(4, 31))
WIDTH = 12.5
"""Inches of a panel in which nine points stand side by side."""


def _combinations(x: tuple[float, ...], costs: dict[str, list[float]], step: float) -> list[Curve]:
    """Return nine curves of points that stand side by side, because they coincide in two groups."""
    return [
        Curve(name, np.array(x), np.array(values), "points", shift=(index - 4) * step)
        for index, (name, values) in enumerate(costs.items())
    ]


def _over_sizes() -> Panels:
    sizes = tuple(float(n) for n in SIZES_8)
    costs = {name: [least_wrong(n, "0.76", name) for n in SIZES_8] for name in COMBINATIONS}
    curves = _combinations(sizes, costs, 0.1)
    for name in ("GM", "EM"):
        values = [named(name, n, "0.76").loss("L0") for n in SIZES_8]
        curves.append(Curve(name, np.array(sizes), np.array(values), "levels", ours=True))
    title = "points of one n stand side by side: two costs"
    return [Panel(title, "largest count n", "least L0", curves)]


def _over_alphas() -> Panels:
    alphas = tuple(float(alpha) for alpha in ALPHAS_8)
    costs = {name: [least_wrong(SIZE_8B, alpha, name) for alpha in ALPHAS_8] for name in COMBINATIONS}
    curves = _combinations(alphas, costs, 0.003)
    em = np.array([named("EM", SIZE_8B, alpha).loss("L0") for alpha in ALPHAS_8])
    for name in ("GM", "EM"):
        values = [named(name, SIZE_8B, alpha).loss("L0") for alpha in ALPHAS_8]
        curves.append(Curve(name, np.array(alphas), np.array(values), "levels", ours=True))
    gaps = {name: (em - values).tolist() for name, values in costs.items()}
    return [
        Panel("points of one alpha side by side", "alpha", "least L0", curves),
        Panel(
            "how far below EM: never 0", "alpha", "L0 of EM - least L0", _combinations(alphas, gaps, 0.003), log_y=True
        ),
    ]


def _named(alpha: str) -> Panels:
    names = ("GM", WEAK, COLUMNS, "EM", "UM")
    shifts = dict(zip(names, (-0.16, -0.08, 0.0, 0.08, 0.16), strict=True))
    x = np.array(SIZES_9, dtype=np.float64)
    curves = [
        Curve(
            name,
            x,
            np.array([named(name, n, alpha).loss("L0") for n in SIZES_9]),
            "line and points",
            shift=shifts[name],
            colour=index,
        )
        for index, name in enumerate(names)
    ]
    panels = [Panel(f"alpha = {alpha}: EM* has the L0 of EM", "largest count n", "L0", curves)]
    if alpha == "99/100":
        panels.append(Panel("the same without GM and UM", "largest count n", "L0", curves[1:4]))
    return panels


FIGURES = (
    Figure("8a", "least L0 of nine sets of properties with WH, alpha = 0.76", _over_sizes, columns=1, width=WIDTH),
    Figure(
        "8b",
        "least L0 of nine sets of properties with WH, n = 8 (the text gives no n)",
        _over_alphas,
        columns=1,
        width=WIDTH,
    ),
    Figure("9a", "L0 of the named mechanisms, alpha = 2/3", lambda: _named("2/3"), columns=1),
    Figure("9b", "L0 of the named mechanisms, alpha = 10/11", lambda: _named("10/11"), columns=1),
    Figure("9c", "L0 of the named mechanisms, alpha = 99/100", lambda: _named("99/100")),
)
