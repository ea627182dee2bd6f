"""Figures 1 to 4 and 7: mechanisms as pictures of their matrices, with outputs down and true counts across."""

import numpy as np

from discreet.arrays import Floats
from discreet.certify.table import PROPERTIES
from discreet.papers.cormode2019.claims_explicit import exponents
from discreet.papers.cormode2019.claims_introduction import FIGURE_1, least_chance, objective_name, within_one
from discreet.papers.cormode2019.count_mechanisms import COLUMNS, WEAK, matrix, optimal, truth
from discreet.papers.figure import Figure, Heatmap, Panels, TextTable


def heatmap(
    title: str, values: Floats, cell_format: str = ".2f", label: str = "probability", highest: float | None = None
) -> Heatmap:
    """Return a panel of a square matrix."""
    axis = np.arange(float(len(values)))
    return Heatmap(title, "true count", "output", axis, axis, values, label, cell_format, highest, downward=True)


def _unconstrained() -> Panels:
    panels = []
    for fits in (False, True):
        for n, objective, outputs, better in FIGURE_1:
            alpha = better if fits else "0.62"
            least = least_chance(n, alpha, objective, outputs)
            subtitle = f"output {' or '.join(map(str, outputs))}: at least {least:.2f}"
            title = f"{objective_name(objective)}, n = {n}, alpha = {alpha}\n{subtitle}"
            panels.append(heatmap(title, optimal(n, alpha, objective, ()).matrix(), highest=1.0))
    return panels


def _all_properties() -> Panels:
    panels = []
    for n, objective, *_ in FIGURE_1:
        mechanism = optimal(n, "0.62", objective, PROPERTIES).matrix()
        title = (
            f"{objective_name(objective)}, n = {n}, alpha = 0.62\nat most 1 off: at least {within_one(mechanism):.4f}"
        )
        panels.append(heatmap(title, mechanism, highest=0.4))
    return panels


def _structure() -> Panels:
    n = 7
    cells = [
        [f"{'x' if i in (0, n) else 'y'} {_power(abs(i - j))}".strip() for j in range(n + 1)] for i in range(n + 1)
    ]
    names = [str(count) for count in range(n + 1)]
    title = "n = 7: outputs down, true counts across; a is alpha, x = 1/(1+a), y = (1-a)/(1+a)"
    return [TextTable(title, names, names, cells)]


def _power(k: int) -> str:
    return "" if k == 0 else "a" if k == 1 else f"a^{k}"


def _exponents() -> Panels:
    return [heatmap("EM, n = 7: y alpha^e, and e in the cells", exponents(7), ".0f", "power of alpha")]


def _three_mechanisms() -> Panels:
    names = {"GM": "GM", "EM": "EM", WEAK: WEAK, COLUMNS: COLUMNS, "EM*": "EM* (ours)", "UM": "UM"}
    return [
        heatmap(f"{label}: truth {truth(matrix(name, 4, '9/10')):.4f}", matrix(name, 4, "9/10"), ".3f", highest=0.53)
        for name, label in names.items()
    ]


FIGURES = (
    Figure(
        "1",
        "optimal if only privacy is asked for; above at the stated alpha, below where the text fits"
        " (it describes the first three panels of four)",
        _unconstrained,
        columns=4,
    ),
    Figure("2", "the same objectives with all seven properties, alpha = 0.62", _all_properties, columns=4),
    Figure("3", "structure of GM", _structure, columns=1),
    Figure("4", "the explicit fair mechanism", _exponents, columns=1),
    Figure(
        "7", "n = 4, alpha = 0.9; chance of the truth if all counts are equally likely", _three_mechanisms, columns=3
    ),
)
