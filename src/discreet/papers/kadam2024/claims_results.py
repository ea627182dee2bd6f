"""Claims about Kadam 2024's numbers: Table 1, (57), and Figures 10 to 14."""

import itertools
import math

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.papers.claim import Claim, Kind, number
from discreet.papers.kadam2024.bounded_difference import kinks, lemma_4, optimum, theorem_3_first
from discreet.papers.kadam2024.claim_texts import (
    SAME,
    comparison,
    formula,
    listed,
    numbers,
    promise,
    row,
    statement,
    words,
)
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, program_13, pure, two_sided
from discreet.papers.kadam2024.rivals import distribution, error_rate, modulo
from discreet.papers.kadam2024.single_difference import theorem_2
from discreet.papers.wording import MUCH, much

BOUNDED = (1, 2, 3)

TABLE_1 = (
    (0.0, 0.0, (0.5432, 0.1212, 0.1212, 0.1212, 0.0270, 0.0270, 0.0270, 0.0060, 0.0060)),
    (0.1212, 0.1212, (0.5432, 0.1212, 0.1212, 0.1212, 0.0270, 0.0270, 0.0270, 0.0060, 0.0060)),
    (0.1238, 0.13, (0.5548, 0.1238, 0.1238, 0.1238, 0.0276, 0.0276, 0.0062, 0.0062, 0.0062)),
    (0.1522, 0.16, (0.5575, 0.1244, 0.1244, 0.1244, 0.0278, 0.0278, 0.0062, 0.0062, 0.0014)),
)
"""The printed delta, a delta in the flat region that begins (or ends) there, and the printed masses."""

STEP_LENGTHS = {0.1212: (1, 3, 3, 2), 0.1238: (1, 3, 2, 3), 0.1522: (1, 3, 2, 2, 1)}
"""As the caption of Figure 10 prints them."""

PAIRS = [(a, b) for a in range(3) for b in range(3) if a or b]
"""The differences of (57) and of Figure 13(a)."""

ARBITRARY = [(a, b) for a in (1, 3) for b in (2, 5)]
"""The differences of Figure 13(b)."""

QUANTISED = ((10, (1, 2, 3, 4)), (16, (1, 3, 5, 6)))
"""n and the differences of Figure 14."""


def table_1() -> list[Claim]:
    """n 8, differences 1 to 3, epsilon 1.5; also Figure 10."""
    claims, n, epsilon = [], 8, 1.5
    firsts = []
    for printed, inside, masses in TABLE_1:
        noise = program_13(n, BOUNDED, epsilon, inside)
        mechanism = two_sided(noise, BOUNDED)
        firsts.append(float(noise[0]))
        at = f"n 8, differences 1 to 3, epsilon 1.5, delta {printed:g}"
        claims.append(numbers("Table 1", f"f(0..8), {at}", masses, noise))
        best = distribution(modulo(n + 1, epsilon, delta=printed, neighbours=BOUNDED))
        note = (
            f"probabilistic {mechanism.delta(epsilon, kind='pdp'):.4f}, and pure only at epsilon"
            f" {mechanism.epsilon():.3g}; two-sided, the largest f(0) at delta {printed:g} is {best[0]:.4f}"
        )
        claims.append(promise("Table 1", f"its delta, {at}", printed, mechanism.delta(epsilon), note))
        if not printed:
            continue
        exceeding = one_sided_delta(noise, BOUNDED, epsilon)
        what = f"where a flat region {'begins' if exceeding else 'ends'}, {at}"
        claims.append(number("Figure 10(b)", what, printed, exceeding or float(noise[1]), 4))
        claims.append(words("Figure 10(b)", f"lengths of the steps, {at}", STEP_LENGTHS[printed], _lengths(noise)))
    ratios = [
        math.log(a / b) for _, inside, _ in TABLE_1 for a, b in _neighbouring(program_13(n, BOUNDED, 1.5, inside))
    ]
    apart = max(abs(ratio - epsilon) for ratio in ratios)
    what = "each step is e^epsilon times the next, in all columns: largest gap of the logarithm"
    claims.append(statement("Table 1", what, float(round(apart, 6)), apart < 1e-6))
    grows = bool((np.diff(firsts) > -SAME).all())
    claims.append(statement("Table 1", "f(0) grows with delta", row(firsts), grows))
    staircase = lemma_4(n, 3, epsilon)
    printed_lengths = (1, 3, 3, 2)
    claims.append(
        words(
            "Figure 10(a)",
            "b = 2 steps of length 3 and one of r = 2 after f(0), delta 0",
            printed_lengths,
            _lengths(staircase),
        )
    )
    true = two_sided(staircase, BOUNDED).delta(epsilon)
    claims.append(promise("Figure 10(a)", "its delta, n 8, differences 1 to 3, epsilon 1.5, delta 0", 0.0, true))
    return claims


def _levels(noise: Floats) -> list[list[float]]:
    """Return runs of equal masses."""
    runs: list[list[float]] = []
    for mass in noise.tolist():
        if runs and abs(runs[-1][0] - mass) < 1e-7:
            runs[-1].append(mass)
        else:
            runs.append([mass])
    return runs


def _lengths(noise: Floats) -> list[int]:
    return [len(run) for run in _levels(noise)]


def _neighbouring(noise: Floats) -> list[tuple[float, float]]:
    runs = [run[0] for run in _levels(noise)]
    return list(itertools.pairwise(runs))


def vectors() -> list[Claim]:
    """(57), Remark 4 and Figure 13."""
    scalar, joint = pure((5,), (1, 2), 1.5), pure((5, 5), PAIRS, 3.0)
    margin = joint.sum(axis=0)
    apart = float(distribution(modulo(5, 1.5, neighbours=(1, 2)))[0]) ** 2
    both, everything = (_first_of_pair(given) for given in (PAIRS, "all"))
    note = (
        f"two-sided f(0, 0) is {both:.4f} for these differences and their negatives,"
        f" {everything:.4f} for all differences up to 2, and {apart:.4f} for two answers apart"
    )
    gap = float(np.abs(joint - np.outer(margin, margin)).max())
    independent = float(scalar[0]) ** 2
    printed = (0.6469, 0.1443, 0.0322, 0.0322)
    missing = f"the paper prints four masses, which add up to {sum(printed):.4f}; the second 0.1443 is missing"
    claims = [
        numbers(
            "Equation (57)", "f_1 = f_2, n 4, differences 1 2, epsilon 1.5, as printed", printed, scalar, note=missing
        ),
        numbers("Equation (57)", "the same with a second 0.1443", (*printed[:2], *printed[1:]), scalar, kind="ours"),
        numbers("Equation (57)", "last row, epsilon 3", (0.0017,) * 5, joint[-1]),
        numbers("Equation (57)", "margins, epsilon 3", (0.7681, 0.1073, 0.1073, 0.0086, 0.0086), margin),
        statement(
            "Equation (57)",
            "both margins are equal: largest gap",
            float(np.abs(joint.sum(axis=1) - margin).max()),
            bool(np.allclose(joint.sum(axis=1), margin)),
        ),
        statement("Remark 4", "the joint noise is not the product of its margins: largest gap", gap, gap > SAME),
        comparison(
            "Remark 4",
            "f(0, 0) of independent noise at epsilon 1.5 each, and of joint noise at epsilon 3, one-sided",
            row([independent, joint[0, 0]]),
        ),
        promise(
            "Figure 13(a)",
            "its delta, n 4, differences up to 2, epsilon 3",
            0.0,
            two_sided(joint, PAIRS).delta(3.0),
            note,
        ),
    ]
    steps = np.maximum(*np.meshgrid(np.ceil(np.arange(5) / 2), np.ceil(np.arange(5) / 2)))
    stairs = float(np.abs(joint - joint[0, 0] * np.exp(-3 * steps)).max())
    claims.append(
        statement(
            "Figure 13(a)",
            "a staircase in both directions: largest gap to alpha^max(ceil(x/2), ceil(y/2))",
            stairs,
            stairs < SAME,
        )
    )
    arbitrary = pure((7, 7), ARBITRARY, 3.0)
    order = np.argsort(-arbitrary, axis=None, kind="stable")[1:5]
    peaks = sorted((int(x), int(y)) for x, y in zip(*np.unravel_index(order, arbitrary.shape), strict=True))
    claims.append(words("Figure 13(b)", "second largest peaks, n 6, epsilon 3, {1, 3} x {2, 5}", ARBITRARY, peaks))
    fall = float(arbitrary[1, 2] / arbitrary[0, 0])
    claims.append(
        formula(
            "Section Optimal noise mechanism for vector queries",
            "f / f(0, 0) at the differences, Figure 13(b): e^-3",
            math.exp(-3),
            fall,
        )
    )
    best = float(distribution(design.cyclic(shape=(7, 7), epsilon=3, neighbours=ARBITRARY))[0])
    true = two_sided(arbitrary, ARBITRARY).delta(3.0)
    note = f"f(0, 0) = {arbitrary[0, 0]:.4f}; two-sided the largest is {best:.4f}"
    claims.append(promise("Figure 13(b)", "its delta, n 6, {1, 3} x {2, 5}, epsilon 3", 0.0, true, note))
    return claims


def _first_of_pair(differences: object) -> float:
    """Return f(0, 0), two-sided, of two answers of five values at epsilon 3."""
    return float(distribution(design.cyclic(shape=(5, 5), epsilon=3, neighbours=differences))[0])


def error_rates() -> list[Claim]:
    """Figures 11 and 12."""
    claims = []
    wide = range(1, 10)
    for side, epsilon, delta in (("left", 1.0, 0.2), ("right", 2.0, 0.1)):
        noises = [optimum(9, mu, epsilon, delta) for mu in wide]
        rates = [1 - noise[0] for noise in noises]
        both = [error_rate(modulo(10, epsilon, delta=delta, neighbours=tuple(range(1, mu + 1)))) for mu in wide]
        true = max(two_sided(noise, range(1, mu + 1)).delta(epsilon) for mu, noise in zip(wide, noises, strict=True))
        at = f"{side}, n 9, epsilon {epsilon:g}, delta {delta:g}"
        claims.append(
            comparison(
                "Figure 11",
                f"error rate for mu = 1..9, one-sided (13), {at}",
                row(rates),
                f"two-sided {row(both)}: from 5 on all values are neighbours",
            )
        )
        kind: Kind = "stated" if side == "left" else "formula"
        claims.append(promise("Figure 11", f"largest delta over mu = 1..9, {at}", delta, true, kind=kind))
    for epsilon in (0.5, 1.0, 2.0):
        deltas = np.linspace(0, 0.95, 20)
        gap = max(abs(theorem_2(10, 3, epsilon, d)[0] - definition_2(9, (3,), epsilon, float(d))[0]) for d in deltas)
        claims.append(
            statement(
                "Figure 12(a)",
                f"confirms Theorem 2: largest gap of f(0), n 9, difference 3, epsilon {epsilon:g}, 20 deltas",
                float(round(gap, 7)),
                gap < 1e-7,
            )
        )
        ends = kinks(9, 3, epsilon)
        gaps = [abs(theorem_3_first(9, 3, epsilon, d) - optimum(9, 3, epsilon, d)[0]) for d in ends]
        note = "b + r = 3 is not below mu = 3, as Theorem 3 asks; b + r <= mu is enough"
        claims.append(
            statement(
                "Figure 12(b)",
                f"confirms Theorem 3: largest gap of f(0), n 9, mu 3, epsilon {epsilon:g}",
                float(max(gaps)),
                max(gaps) < SAME,
                note,
            )
        )
    for epsilon, delta in ((0.5, 0.2), (1.0, 0.2), (2.0, 0.1)):
        drawn, least = (
            1 - float(noise[0]) for noise in (optimum(9, 3, epsilon, delta), definition_2(9, BOUNDED, epsilon, delta))
        )
        private = error_rate(modulo(10, epsilon, delta=delta, neighbours=BOUNDED))
        true = two_sided(optimum(9, 3, epsilon, delta), BOUNDED).delta(epsilon)
        what = (
            f"error rate, n 9, mu 3, epsilon {epsilon:g}, delta {delta:g}: (13); Definition 2, one-sided; two-sided DP"
        )
        note = f"two-sided, the noise of (13) has delta {true:.4f}"
        claims.append(comparison("Figure 12(b)", what, row([drawn, least, private]), note))
    return claims


def figure_14() -> list[Claim]:
    """Noise for the differences that were observed in metering data, at epsilon 1, which is not printed."""
    claims = []
    item = "Figure 14"
    for n, given in QUANTISED:
        noise = pure((n + 1,), given, 1.0)
        inside = np.isin(np.arange(n + 1), (0, *given))
        at = f"n {n}, differences {listed(given)}, epsilon 1"
        ratio = float(noise[inside].min() / noise[~inside].max())
        claims.append(
            statement(
                item,
                f"f is considerably larger at 0 and at the differences: smallest there over largest elsewhere, {at}"
                f" {MUCH}",
                ratio,
                much(ratio, 1),
            )
        )
        best = float(distribution(modulo(n + 1, 1.0, neighbours=given))[0])
        note = f"f(0) = {noise[0]:.4f}; two-sided the largest is {best:.4f}"
        claims.append(promise(item, f"its delta, {at}", 0.0, two_sided(noise, given).delta(1.0), note, kind="formula"))
    return claims
