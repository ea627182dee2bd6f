"""Kadam 2024's Figures 1 to 4, 9, 10 and 14: what the noise looks like, and how its error falls with delta.

Where the paper prints no parameter, the title says which was taken.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.papers.figure import Curve, Figure, Panel
from discreet.papers.kadam2024.bounded_difference import Section, kinks, lemma_4, optimum, sections, theorem_3_first
from discreet.papers.kadam2024.claims_results import QUANTISED
from discreet.papers.kadam2024.one_sided import program_13, pure, two_sided
from discreet.papers.kadam2024.rivals import distribution, error_rate, modulo
from discreet.papers.kadam2024.single_difference import multiples, regions, theorem_2

BOUNDED = (1, 2, 3)


def bars(name: str, noise: Floats, ours: bool = False) -> Curve:
    """Return the masses of some noise as bars."""
    return Curve(name, np.arange(len(noise), dtype=np.float64), noise, "bars", ours)


def pmf_panel(title: str, curves: list[Curve], log_y: bool = False) -> Panel:
    """Return a panel of masses, with one tick for each noise."""
    ticks = [str(int(x)) for x in curves[0].x]
    return Panel(title, "noise", "probability", curves, log_y=log_y, x_ticks=ticks)


def _true_delta(noise: Floats, differences: tuple[int, ...], epsilon: float) -> str:
    return f"true delta {two_sided(noise, differences).delta(epsilon):.3f}"


# Figures 1 and 2


def _assignment(mu: int) -> list[Panel]:
    order, epsilon = multiples(8, mu), 0.75
    noise = pure((8,), (mu,), epsilon)[order]
    both = distribution(modulo(8, epsilon, neighbours=(mu,), public_classes=True))[order]
    curves = [bars("one-sided: alpha^h", noise), bars("two-sided: alpha^min(h, L - h)", both, ours=True)]
    title = f"difference {mu}: values in the order 0, mu, 2 mu, ..."
    return [Panel(title, "noise h mu mod 8, h = 0, 1, ...", "probability", curves, x_ticks=[str(x) for x in order])]


def _regions() -> list[Panel]:
    n, epsilon = 5, 0.6
    ends = sorted({end for pair in regions(n + 1, epsilon) for end in pair})
    rates = np.array([1 - theorem_2(n + 1, 1, epsilon, end)[0] for end in ends])
    fine = np.linspace(0, 0.995, 200)
    curves = [
        Curve("one-sided PDP (Theorem 2), every end of a region", np.array(ends), rates, "line and points"),
        *_two_sided_rates(n + 1, (1,), epsilon, fine),
    ]
    return [Panel("", "delta", "error rate", curves)]


def _two_sided_rates(size: int, differences: tuple[int, ...], epsilon: float, deltas: Floats) -> list[Curve]:
    """Return the least error rates, two-sided, under DP and under PDP."""
    return [
        Curve(
            f"two-sided {name}",
            deltas,
            np.array(
                [
                    error_rate(modulo(size, epsilon, delta=d, neighbours=differences, privacy=kind))
                    for d in deltas.tolist()
                ]
            ),
            ours=True,
        )
        for name, kind in (("DP", "dp"), ("PDP", "pdp"))
    ]


# Figures 3 and 4


def _staircase(linear: bool) -> list[Panel]:
    section = Section(15, 5, 1.0, 2, 2)
    delta = (section.before.high() + section.low()) / 2 if linear else section.low()
    noise, given = section.linear(delta) if linear else section.flat(), tuple(range(1, 6))
    both = distribution(modulo(16, 1.0, delta=delta, neighbours=given))
    lengths = section.linear_lengths() if linear else section.flat_lengths()
    name = f"one-sided, steps {', '.join(map(str, lengths))}; {_true_delta(noise, given, 1.0)}"
    curves = [bars(name, noise), bars(f"two-sided DP, delta {delta:.4f}", both, ours=True)]
    region = "between flat regions" if linear else "at the start of a flat region"
    return [pmf_panel(f"h 2, j 2, {region}: delta {delta:.4f}", curves, log_y=True)]


def _segments() -> list[Panel]:
    n, mu, epsilon = 20, 5, 1.0
    ends = sorted({0.0, 1.0, *(end for s in sections(n, mu, epsilon) for end in (s.low(), s.high(), s.before.high()))})
    right = kinks(n, mu, epsilon)
    stated = np.array([theorem_3_first(n, mu, epsilon, end) for end in ends])
    best = np.array([optimum(n, mu, epsilon, delta)[0] for delta in right])
    first = 1 - error_rate(modulo(n + 1, epsilon, neighbours=tuple(range(1, mu + 1))))
    panels = []
    for title, low, high in (
        ("all segments", 0.0, 0.4),
        ("segment h = 3, where Theorem 3 exceeds its delta", 0.09, 0.16),
    ):
        inside = (np.array(ends) >= low) & (np.array(ends) <= high)
        x = np.concatenate([[low], np.array(ends)[inside], [high]])
        y = np.concatenate(
            [[theorem_3_first(n, mu, epsilon, low)], stated[inside], [theorem_3_first(n, mu, epsilon, high)]]
        )
        near = (right >= low) & (right <= high)
        corners = np.concatenate([[low], right[near], [high]])
        heights = np.concatenate([[optimum(n, mu, epsilon, low)[0]], best[near], [optimum(n, mu, epsilon, high)[0]]])
        curves = [
            Curve("Theorem 3, one-sided", x, y, "line and points"),
            Curve("(13), one-sided: max over S of min(f_S, delta / xi_S)", corners, heights, ours=True),
        ]
        if low == 0:
            line = np.array([low, high])
            curves.append(Curve("two-sided DP", line, line + (1 - line) * first, ours=True))
        panels.append(Panel(title, "delta", "f(0)", curves))
    return panels


# Figures 9, 10 and 14


def _single(mu: int) -> list[Panel]:
    curves = []
    for delta in (0.0, 0.1, 0.4):
        noise = theorem_2(8, mu, 0.75, delta)
        curves.append(bars(f"one-sided, delta {delta:g}; {_true_delta(noise, (mu,), 0.75)}", noise))
    for delta in (0.0, 0.1):
        both = modulo(8, 0.75, delta=delta, neighbours=(mu,), public_classes=True)
        curves.append(bars(f"two-sided DP, delta {delta:g}", distribution(both), ours=True))
    return [pmf_panel(f"difference {mu}", curves)]


def _lemma_4() -> list[Panel]:
    noise = lemma_4(8, 3, 1.5)
    both = distribution(modulo(9, 1.5, neighbours=BOUNDED))
    curves = [
        bars(f"one-sided, delta 0; {_true_delta(noise, BOUNDED, 1.5)}", noise),
        bars("two-sided, delta 0", both, ours=True),
    ]
    return [pmf_panel("", curves)]


def _table_1() -> list[Panel]:
    insides = {0.1212: 0.1212, 0.1238: 0.13, 0.1522: 0.16}
    noises = {printed: program_13(8, BOUNDED, 1.5, inside) for printed, inside in insides.items()}
    curves = [bars(f"one-sided, delta {printed:g}", noise) for printed, noise in noises.items()]
    for printed in (0.1212, 0.1522):
        both = distribution(modulo(9, 1.5, delta=printed, neighbours=BOUNDED))
        curves.append(bars(f"two-sided DP, delta {printed:g}", both, ours=True))
    epsilons = np.linspace(0.02, 6.5, 325)
    lines = [
        Curve(f"the noise for delta {printed:g}", epsilons, two_sided(noise, BOUNDED).deltas(epsilons))
        for printed, noise in noises.items()
    ]
    promised = Curve("promised at epsilon 1.5", np.full(3, 1.5), np.array(list(noises)), "points", ours=True)
    return [
        pmf_panel("the noise", curves),
        Panel("its delta, two-sided", "epsilon", "delta", [*lines, promised]),
    ]


def _observed() -> list[Panel]:
    panels = []
    for n, given in QUANTISED:
        noise = pure((n + 1,), given, 1.0)
        both = distribution(modulo(n + 1, 1.0, neighbours=given))
        curves = [
            bars(f"one-sided, delta 0; {_true_delta(noise, given, 1.0)}", noise),
            bars("two-sided, delta 0", both, ours=True),
        ]
        panels.append(pmf_panel(f"n {n}, differences {', '.join(map(str, given))}", curves))
    return panels


STRUCTURE = (
    Figure("1a", "order of assignment, n 7, difference 3 (epsilon 0.75 taken)", lambda: _assignment(3)),
    Figure("1b", "order of assignment, n 7, difference 2 (epsilon 0.75 taken)", lambda: _assignment(2)),
    Figure("2", "error rate against delta, one difference (n 5, epsilon 0.6 taken)", _regions),
    Figure("3a", "the staircase in a flat region (n 15, mu 5, epsilon 1 taken)", lambda: _staircase(linear=False)),
    Figure("3b", "the staircase in a linear region (n 15, mu 5, epsilon 1 taken)", lambda: _staircase(linear=True)),
    Figure("4", "f(0) against delta, differences 1 to mu (n 20, mu 5, epsilon 1 taken)", _segments),
)

PMFS = (
    Figure("9a", "noise for one difference, n 7, epsilon 0.75 (deltas taken)", lambda: _single(3)),
    Figure("9b", "noise for one difference, n 7, epsilon 0.75 (deltas taken)", lambda: _single(2)),
    Figure("10a", "noise for differences 1 to 3, n 8, epsilon 1.5, delta 0", _lemma_4),
    Figure("10b", "noise for differences 1 to 3, n 8, epsilon 1.5 (Table 1)", _table_1),
)

OBSERVED = (Figure("14", "noise for differences observed in metering data (epsilon 1 taken)", _observed),)
