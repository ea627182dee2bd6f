"""Figure 1 of Wang 2020, Tables 1 and 3 as figures, and large counts among zeros.

Figure 1 is the only figure of the paper. Its data are not printed, so it has the list that `example_data` rebuilds. The
figures of Tables 1 and 3 have exact moments, or moments of 10,000 runs, as many as the paper has.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.papers.figure import Curve, Figure, Panel
from discreet.papers.wang2020.claims_discussion import FEW, LARGE, large_mean, with_zeros
from discreet.papers.wang2020.claims_examples import ALGORITHMS, EXACT, PRINTED, moments_of
from discreet.papers.wang2020.example_data import EXAMPLE_1, EXAMPLES, FIVE, NAMES, RANKS, representatives
from discreet.papers.wang2020.repeated_runs import PAPER_RUNS

BIN = 50
GROUP = 5
"""Counts in one group, from the least to the largest."""

METHODS = {
    **{method: f"algorithm {name}" for method, name in ALGORITHMS.items()},
    "least squares": "least squares (ours)",
}
BAR = 0.84 / len(METHODS)
"""Width of a bar; `draw` puts bars of one panel side by side."""

BARS = f"error bars: 2 standard errors of {PAPER_RUNS:,} runs"
ZERO_COUNTS = tuple(range(0, 100, 10))
FIGURE_RUNS = 4_000


def _figure_1() -> list[Panel]:
    """Return the histogram of Example 1, and its counts in order beside the printed ones."""
    edges = np.arange(0, 1000 + BIN, BIN).astype(np.float64)
    heights = np.histogram(EXAMPLE_1, edges)[0].astype(np.float64)
    histogram = Curve("rebuilt from the printed properties", edges[:-1] + BIN / 2, heights, "bars")
    ranks = np.arange(1, 51).astype(np.float64)
    counts = [
        Curve("rebuilt from the printed properties", ranks, EXAMPLE_1.astype(np.float64), "points"),
        Curve(
            "printed: minimum, quartiles, maximum",
            np.array(RANKS, float),
            np.array(FIVE[1], float),
            "points",
        ),
    ]
    return [
        Panel(f"distribution of true counts, bins of {BIN}", "true count", "number of components", [histogram]),
        Panel("the counts in order", "rank", "true count", counts),
    ]


def _table(example: int) -> list[Panel]:
    """Return the moments of the five representative counts, and the errors of all counts in groups of five."""
    truth = EXAMPLES[example]
    names = [f"{name} = {count}" for name, count in zip(NAMES, FIVE[example], strict=True)]
    parts = [truth[start : start + GROUP] for start in range(0, len(truth), GROUP)]
    groups = [f"{part[0]}" if part[0] == part[-1] else f"{part[0]}-\n{part[-1]}" for part in parts]
    bias, spread, group_bias, group_error = [], [], [], []
    for method, name in METHODS.items():
        mean, variance = moments_of(example, method, PAPER_RUNS)
        ours = method == "least squares"
        noise = np.zeros(len(truth)) if method in EXACT else variance / PAPER_RUNS
        errors = np.sqrt(noise.reshape(-1, GROUP).sum(axis=1)) / GROUP  # counts of one run hardly depend on each other
        bias.append(_bars(name, representatives(mean - truth), ours, representatives(np.sqrt(noise))))
        spread.append(_bars(name, representatives(variance), ours))
        group_bias.append(_bars(name, _averages(mean - truth), ours, errors))
        group_error.append(_bars(name, _averages(variance + (mean - truth) ** 2), ours))
    means, variances = (
        np.array([line.split() for line in lines], float).T.ravel()
        for lines in zip(*PRINTED[example].values(), strict=True)
    )
    positions, shift = np.repeat(np.arange(5.0), len(ALGORITHMS)), np.tile(BAR * (np.arange(len(ALGORITHMS)) - 2), 5)
    bias.append(Curve("printed", positions, means - np.repeat(FIVE[example], len(ALGORITHMS)), "points", shift=shift))
    spread.append(Curve("printed", positions, variances, "points", shift=shift))
    return [
        Panel(f"mean less true count; {BARS}", "", "bias", bias, x_ticks=names),
        Panel("variance", "", "variance", spread, log_y=True, x_ticks=names),
        Panel(f"groups of five: bias; {BARS}", "true counts", "average bias", group_bias, x_ticks=groups),
        Panel(
            "all counts in groups of five: squared error",
            "true counts",
            "average squared error",
            group_error,
            log_y=True,
            x_ticks=groups,
        ),
    ]


def _bars(name: str, values: Floats, ours: bool, errors: Floats | None = None) -> Curve:
    """Return bars, with two standard errors on both sides if some are given and not 0."""
    low, high = (None, None) if errors is None or not errors.any() else (values - 2 * errors, values + 2 * errors)
    return Curve(name, np.arange(float(len(values))), values, "bars", ours, low, high)


def _averages(values: Floats) -> Floats:
    averages: Floats = values.reshape(-1, GROUP).mean(axis=1)
    return averages


def _among_zeros() -> list[Panel]:
    """Return the mean of large counts against the number of zeros."""
    zeros = np.array(ZERO_COUNTS, float)
    curves = []
    for method, name in METHODS.items():
        values = [large_mean(with_zeros(count), method, FIGURE_RUNS) - LARGE for count in ZERO_COUNTS]
        curves.append(Curve(name, zeros, np.array(values), "line and points", ours=method == "least squares"))
    return [
        Panel(
            f"{FEW} counts of {LARGE} among zeros",
            "number of zeros",
            f"mean released for {LARGE}, less {LARGE}",
            curves,
        )
    ]


FIGURES = (
    Figure("1", "distribution of the true counts of Example 1 (the paper does not print them)", _figure_1),
    Figure("table1", "means, variances and errors, Example 1", lambda: _table(1), shows="Table 1"),
    Figure("table3", "means, variances and errors, Example 2", lambda: _table(2), shows="Table 3"),
    Figure(
        "5.1",
        "what zeros take from large counts (numbers taken)",
        _among_zeros,
        columns=1,
        shows="Section 5.1, large counts among zeros",
    ),
)
