"""Kadam 2024's Figures 11 to 13: error rates against mu and delta, and noise for two answers.

The paper does not print the epsilons of Figures 11 (left) and 12, nor the deltas of Figure 11 (right).
"""

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.papers.figure import Curve, Figure, Heatmap, Panel
from discreet.papers.kadam2024.bounded_difference import kinks, optimum
from discreet.papers.kadam2024.claims_results import ARBITRARY, PAIRS
from discreet.papers.kadam2024.one_sided import definition_2, pure
from discreet.papers.kadam2024.rivals import distribution, error_rate, modulo
from discreet.papers.kadam2024.single_difference import regions, theorem_2

BOUNDED = (1, 2, 3)
EPSILONS = (0.5, 1.0, 2.0)
WIDE = np.arange(1, 10)


def _against_mu() -> list[Panel]:
    panels = []
    left = [(epsilon, 0.2, f"epsilon {epsilon:g}") for epsilon in EPSILONS]
    right = [(2.0, delta, f"delta {delta:g}") for delta in (0.0, 0.1, 0.6)]
    for title, settings in (("delta 0.2", left), ("epsilon 2", right)):
        curves = []
        for epsilon, delta, name in settings:
            rates = np.array([1 - optimum(9, mu, epsilon, delta)[0] for mu in WIDE.tolist()])
            curves.append(Curve(f"one-sided (13), {name}", WIDE.astype(np.float64), rates, "line and points"))
        for epsilon, delta, name in settings:
            rates = np.array(
                [
                    error_rate(modulo(10, epsilon, delta=delta, neighbours=tuple(range(1, mu + 1))))
                    for mu in WIDE.tolist()
                ]
            )
            curves.append(Curve(f"two-sided DP, {name}", WIDE.astype(np.float64), rates, "line and points", ours=True))
        panels.append(Panel(title, "largest difference mu", "error rate", curves))
    return panels


def _straight(differences: tuple[int, ...], epsilon: float) -> Curve:
    """Return the least error rate, two-sided DP: a straight line in delta."""
    pure_rate = error_rate(modulo(10, epsilon, neighbours=differences))
    return Curve(f"two-sided DP, epsilon {epsilon:g}", np.array([0.0, 1.0]), np.array([pure_rate, 0.0]), ours=True)


def _single() -> list[Panel]:
    curves = []
    for epsilon in EPSILONS:
        ends = np.array(sorted({end for pair in regions(10, epsilon) for end in pair}))
        rates = np.array([1 - theorem_2(10, 3, epsilon, end)[0] for end in ends])
        curves.append(Curve(f"one-sided PDP (Theorem 2), epsilon {epsilon:g}", ends, rates))
    curves += [_straight((3,), epsilon) for epsilon in EPSILONS]
    return [Panel("n 9, difference 3", "delta", "error rate", curves)]


def _bounded() -> list[Panel]:
    curves = []
    for epsilon in EPSILONS:
        ends = kinks(9, 3, epsilon)
        rates = np.array([1 - optimum(9, 3, epsilon, end)[0] for end in ends])
        curves.append(Curve(f"one-sided (13), epsilon {epsilon:g}", ends, rates))
    for epsilon in EPSILONS:
        deltas = np.linspace(0, 0.9, 10)
        rates = np.array([1 - definition_2(9, BOUNDED, epsilon, delta)[0] for delta in deltas.tolist()])
        curves.append(Curve(f"one-sided PDP (Definition 2), epsilon {epsilon:g}", deltas, rates, "points"))
    curves += [_straight(BOUNDED, epsilon) for epsilon in EPSILONS]
    return [Panel("n 9, differences 1 to 3", "delta", "error rate", curves)]


def _pair(side: int, differences: list[tuple[int, int]]) -> list[Heatmap]:
    grid = np.arange(float(side))

    def panel(title: str, noise: Floats) -> Heatmap:
        shown = ".4f" if side < 6 else ".2g"
        labels = ("noise of the second answer", "noise of the first answer")
        return Heatmap(
            title, *labels, grid, grid, noise, cell_format=shown, downward=True, log_values=True, highest=1.0
        )

    both = distribution(design.cyclic(shape=(side, side), epsilon=3, neighbours=differences)).reshape(side, side)
    return [
        panel("one-sided", pure((side, side), differences, 3.0)),
        panel("two-sided: these differences and their negatives", both),
    ]


ERRORS = (
    Figure("11", "error rate against the largest difference, n 9 (other parameters taken)", _against_mu),
    Figure("12a", "error rate against delta (epsilons taken)", _single),
    Figure("12b", "error rate against delta (epsilons taken)", _bounded),
)

VECTORS = (
    Figure(
        "13a",
        "noise for two answers, n 4, differences up to 2, epsilon 3",
        lambda: _pair(5, PAIRS),
    ),
    Figure(
        "13b",
        "noise for two answers, n 6, differences {1, 3} x {2, 5}, epsilon 3",
        lambda: _pair(7, ARBITRARY),
    ),
)
