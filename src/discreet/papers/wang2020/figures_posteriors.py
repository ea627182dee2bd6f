"""Tables 4 and 5 of Wang 2020 as figures, and the posteriors that the paper leaves for later."""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer import wang as posteriors
from discreet.infer import wang_pair
from discreet.papers.figure import Curve, Figure, Heatmap, Panel
from discreet.papers.wang2020.claims_posteriors import (
    PRINTED_WINDOW,
    SMALL,
    TABLE_4,
    TABLE_5,
    posterior_table,
    totals,
)
from discreet.papers.wang2020.example_data import EXAMPLE_2
from discreet.papers.wang2020.geometric_draws import EPSILON
from discreet.papers.wang2020.posterior_grid import RELEASED, grid

NAMES = {"2": "algorithm 2", "3": "algorithm 3", "1i": "algorithm 1 (ind)", "1c": "algorithm 1 (summed)"}
Table = tuple[Integers, Integers, Floats]


def _table_4() -> list[Heatmap | Panel]:
    pairs = [(first, sum(RELEASED) - first) for first in TABLE_4]
    bars = [
        ("printed", np.array([float(text) for text in TABLE_4.values()]), False),
        ("true counts within 30, as stated", _at(grid("2"), pairs), True),
        (f"true counts within {PRINTED_WINDOW}", _at(grid("2", PRINTED_WINDOW), pairs), True),
    ]
    return [_map(grid("2"), 30, "posterior given 250 and 357, algorithm 2"), _ten(pairs, bars)]


def _table_5() -> list[Heatmap | Panel]:
    pairs = list(TABLE_5)
    random = wang_pair(RELEASED, epsilon=EPSILON, algorithm="3", ties="random")
    bars = [
        ("printed", np.array([float(text) for text in TABLE_5.values()]), False),
        ("true counts within 30, the paper's ties", _at(grid("3"), pairs), True),
        ("ties at random", _at(random, pairs), True),
    ]
    return [_map(grid("3"), 8, "posterior given 250 and 357, algorithm 3"), _ten(pairs, bars)]


def _at(table: Table, pairs: Sequence[tuple[int, int]]) -> Floats:
    one, other, chances = table
    return np.array([chances[one == first, other == second][0] for first, second in pairs])


def _map(table: Table, reach: int, title: str) -> Heatmap:
    one, other, chances = table
    near = [np.abs(values - count) <= reach for values, count in zip((one, other), RELEASED, strict=True)]
    x, y = one[near[0]].astype(np.float64), other[near[1]].astype(np.float64)
    return Heatmap(title, "N_1", "N_2", x, y, chances[np.ix_(*near)].T)


def _ten(pairs: Sequence[tuple[int, int]], bars: Sequence[tuple[str, Floats, bool]]) -> Panel:
    positions = np.arange(float(len(pairs)))
    curves = [Curve(name, positions, values, "bars", ours=ours) for name, values, ours in bars]
    return Panel(
        "the ten pairs of the table", "(N_1, N_2)", "probability", curves, x_ticks=[f"{a}\n{b}" for a, b in pairs]
    )


def _algorithm_1() -> list[Panel]:
    """Return the posteriors of the first count and of the total, for all algorithms and two released pairs."""
    return [*_marginals(RELEASED, 36, 7, every=6), *_marginals(SMALL, 7, 7)]


def _marginals(released: tuple[int, int], reach: int, total_reach: int, every: int = 1) -> list[Panel]:
    counts = np.arange(max(released[0] - reach, 0), released[0] + reach + 1)
    sums = np.arange(max(sum(released) - total_reach, 0), sum(released) + total_reach + 1)
    first_curves, total_curves = [], []
    for index, (algorithm, name) in enumerate(NAMES.items()):
        ours = algorithm in ("1i", "1c")
        one, other, table = posterior_table(algorithm, released)
        whole = np.zeros((max(one[-1], other[-1]) + 1,) * 2)
        whole[np.ix_(one, other)] = table
        shown = counts[(index - 2) * every // 2 :: every] if ours and every > 1 else counts
        first_curves.append(
            _distribution_curve(name, shown, whole.sum(axis=1), ours, 0.0 if every > 1 else 0.12 * (index - 1.5))
        )
        total_curves.append(_distribution_curve(name, sums, totals(whole), ours, 0.12 * (index - 1.5)))
    return [
        Panel(f"first count, {released[0]} and {released[1]} released", "N_1", "probability", first_curves),
        Panel(f"total, {released[0]} and {released[1]} released", "N", "probability", total_curves),
    ]


def _distribution_curve(name: str, values: Integers, chances: Floats, ours: bool, shift: float) -> Curve:
    return Curve(
        name, values.astype(np.float64), chances[values], "points" if ours else "line and points", ours, shift=shift
    )


def _components() -> list[Panel]:
    """Return the posteriors of all counts of Example 2, released as they are."""
    intervals, largest = [], []
    for index, (algorithm, ties) in enumerate((("2", "first"), ("3", "random"))):
        component_posteriors = posteriors(EXAMPLE_2, epsilon=EPSILON, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        means = np.array([each.mean() for each in component_posteriors[:-1]])
        ends = np.array([each.interval(0.95) for each in component_posteriors[:-1]], float)
        released = EXAMPLE_2[:-1]
        intervals.append(
            Curve(
                f"algorithm {algorithm}",
                np.arange(1.0, len(means) + 1),
                means - released,
                "points",
                ours=True,
                low=ends[:, 0] - released,
                high=ends[:, 1] - released,
                shift=0.4 * index,
            )
        )
        last = component_posteriors[-1]
        near = (last.support >= 370) & (last.support <= 460)
        largest.append(
            Curve(f"algorithm {algorithm}", last.support[near].astype(np.float64), last.probabilities[near], ours=True)
        )
    return [
        Panel("the 49 states: mean and 95% interval", "rank", "true count less released count", intervals),
        Panel("the House, released as 435", "true count", "probability", largest),
    ]


FIGURES = (
    Figure("table4", "the posterior of two true counts, algorithm 2", _table_4, shows="Table 4"),
    Figure("table5", "the posterior of two true counts, algorithm 3", _table_5, shows="Table 5"),
    Figure(
        "5.3a",
        "posteriors of all algorithms, two components; points are drawn side by side",
        _algorithm_1,
        shows="Section 5.3, algorithm 1",
    ),
    Figure("5.3b", "posteriors of 50 components, Example 2", _components, shows="Section 5.3, more components"),
)
