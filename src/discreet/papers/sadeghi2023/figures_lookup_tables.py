"""Figures 4 and 5 of Sadeghi 2023: epsilon^Q and delta^Q of the lookup tables of section 4.3, beside Discreet's tables.

epsilon^Q is infinite where a weight is 0, and the curve ends there.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.papers.figure import Curve, Figure, Panel, Style
from discreet.papers.sadeghi2023.lookup_tables import EPSILONS, KEYS, certified, design, experiment, step

AXIS = np.array([float(epsilon) for epsilon in EPSILONS])
COLOURS = {8: 1, 16: 2, 32: 3}
"""Place in the palette, by bits of the cell key: one colour for one size in all panels; the first is for the design."""


def _figure_4() -> list[Panel]:
    epsilons = {bits: _finite([experiment(epsilon, bits).epsilon for epsilon in EPSILONS]) for bits in KEYS}
    our_epsilons = {bits: _steps(bits) for bits in (16, 32)}
    absolute = [Curve("epsilon^Q = epsilon", AXIS, AXIS)]
    absolute += [_by_size(f"KEYSIZE 2^{bits}", bits, AXIS, epsilons[bits], "line and points") for bits in KEYS]
    absolute.append(_by_size("Discreet's table, 2^32 (ours)", 32, AXIS, our_epsilons[32], "line and points", ours=True))
    relative = [Curve("epsilon^Q = epsilon", AXIS, np.zeros(len(AXIS)))]
    relative += [
        _by_size(f"KEYSIZE 2^{bits}", bits, AXIS, epsilons[bits] / AXIS - 1, "line and points") for bits in (16, 32)
    ]
    relative += [
        _by_size(f"Discreet's table, 2^{bits} (ours)", bits, AXIS, values / AXIS - 1, "line and points", ours=True)
        for bits, values in our_epsilons.items()
    ]
    return [
        Panel("epsilon^Q", "epsilon", "epsilon^Q", absolute),
        Panel("relative to epsilon, without 2^8", "epsilon", "epsilon^Q / epsilon - 1", relative),
    ]


def _figure_5() -> list[Panel]:
    deltas = np.array([design(epsilon).delta(epsilon) for epsilon in EPSILONS])
    table_deltas = {bits: np.array([float(experiment(epsilon, bits).delta) for epsilon in EPSILONS]) for bits in KEYS}
    against = [Curve("delta^Q = delta", deltas, deltas)]
    against += [
        _by_size(f"KEYSIZE 2^{bits}", bits, deltas, values, "line and points") for bits, values in table_deltas.items()
    ]
    exact = {bits: np.array([experiment(epsilon, bits).exact for epsilon in EPSILONS]) for bits in (8, 16)}
    ratios = [Curve("delta", AXIS, np.ones(len(AXIS)))]
    ratios += [
        _by_size(f"delta^Q / delta, KEYSIZE 2^{bits}", bits, AXIS, values / deltas, "line and points")
        for bits, values in table_deltas.items()
    ]
    ratios += [
        _by_size(f"exact delta / delta, KEYSIZE 2^{bits} (ours)", bits, AXIS, values / deltas, "line", ours=True)
        for bits, values in exact.items()
    ]
    ratios.append(
        _by_size("Discreet's table, 2^32 (ours)", 32, AXIS, _deltas(32) / deltas, "line and points", ours=True)
    )
    return [
        Panel("delta^Q against delta", "delta", "delta^Q", against, log_x=True, log_y=True),
        Panel("as multiples of delta, against epsilon", "epsilon", "multiple of delta", ratios, log_y=True),
    ]


def _by_size(name: str, bits: int, x: Floats, y: Floats, style: Style, ours: bool = False) -> Curve:
    """Return a curve in the colour of its size of the cell key."""
    return Curve(name, x, y, style, ours, colour=COLOURS[bits])


def _finite(values: list[float]) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _steps(bits: int) -> Floats:
    """Return the largest logarithm of a ratio of adjacent weights in Discreet's tables; nan if there is no table."""
    tables = [certified(epsilon, bits) for epsilon in EPSILONS]
    return np.array([np.nan if table is None else step(table.interior[0].weights) for table in tables])


def _deltas(bits: int) -> Floats:
    tables = [certified(epsilon, bits) for epsilon in EPSILONS]
    return np.array([np.nan if table is None else float(table.guarantee.delta) for table in tables])


FIGURES = (
    Figure("4", "epsilon after sampling, for three cell key sizes, D = 10", _figure_4),
    Figure("5", "delta after sampling, for three cell key sizes, D = 10", _figure_5),
)
