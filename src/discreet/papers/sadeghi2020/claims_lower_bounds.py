"""Claims about Sadeghi 2020, section III up to Theorem 2: the noise (14), Proposition 4, and the lower bounds.

Identities are compared in exact fractions, on the 288 cases of `closed_form.grid`.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np

from discreet.design.additive.bounded import case_delta, theorem_3
from discreet.domain import Counts
from discreet.mechanism import Mechanism, Row
from discreet.papers.claim import Claim, number
from discreet.papers.sadeghi2020.claim_forms import ABSOLUTE, beside, exceptions, formula, listed, statement
from discreet.papers.sadeghi2020.closed_form import Case, grid
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    Setting,
    least_per_output,
    least_valid_eta,
    per_output,
    printed,
)

CASES = tuple(grid())
BIG = Fraction("8.8463")
"""E of Figure 1, as printed."""

SETTINGS = tuple(
    Setting(*values) for values in product((0.1, 0.5, 1.0, 1.5, 2.18), (0.02, 0.1, 0.3, 0.5, 0.8, 0.95), (1, 2, 4, 6))
)


def count_of(holds: Callable[[Case], bool]) -> int:
    """Return how many cases of the grid are exceptions."""
    return sum(not holds(case) for case in CASES)


def noise_for_large_counts() -> list[Claim]:
    """Judge Proposition 3 and the matrix (16)."""
    support = FIGURE_1.support
    noise = printed(FIGURE_1)
    row = noise.interior[0]
    mean, mass = float(row.outputs @ row.values), float(row.values.sum())
    outermost = Setting(1.1, 0.5, 6)
    edge = theorem_3(*outermost)[2][-1] * (1 - outermost.eta) / 2
    columns = [noise.pmf(n) for n in (support, 2 * support)]
    ends = [int(columns[0][0][0]), int(columns[1][0][-1])]
    shifted = all(np.array_equal(noise.pmf(n)[1], columns[0][1]) for n in range(support, 2 * support + 1))
    return [
        statement(
            "Proposition 3",
            f"(14) has P1, P2 and P3 for n >= D: sum, chance of 0, mean, {FIGURE_1}",
            f"{mass:.6f}, {row.values[row.outputs == 0][0]:.6f}, {abs(mean):.6f}",
            bool(abs(mass - 1) < ABSOLUTE and abs(mean) < ABSOLUTE),
        ),
        beside(
            "Proposition 3",
            f"chance of the output -1 at n = D - 1, {outermost}",
            edge,
            "the smallest count that has room for the noise is D",
        ),
        statement(
            "Equation (16)",
            "the columns n = D..2D are one noise, moved along, on outputs 0..3D: first and last output, D 6",
            listed([float(end) for end in ends]),
            shifted and ends == [0, 3 * support],
        ),
    ]


def proposition_4() -> list[Claim]:
    """Judge the inequalities (17)-(22), and the one that is left out."""
    small = Case(Fraction("9.025"), Fraction(1, 50), 8)
    compared = [_least_and_true_delta(setting) for setting in SETTINGS]
    return [
        exceptions(
            "Proposition 4",
            "no noise (14) has less delta per output than (17)-(19) ask for: exceptions, a noise for each setting of a"
            " grid",
            sum(least > true + ABSOLUTE for least, true in compared),
            len(compared),
        ),
        beside(
            "Proposition 4",
            "columns n and n+1 at the output n+1 also give (1-eta)/2 a_1 <= E eta + delta: right minus left side for"
            " Definition 2, E 9.025, eta 0.02, D 8",
            float(small.left_out() / small.b),
            "PRIVACY: not among (17)-(19), and broken where C < a_2; see Theorem 3",
        ),
        exceptions(
            "Equations (20)-(22)",
            "(17)-(19) times B: cases in which Definition 2 breaks one of them",
            count_of(lambda case: min(case.slacks()) >= 0),
            len(CASES),
        ),
    ]


def _least_and_true_delta(setting: Setting) -> tuple[float, float]:
    """Return for some uneven noise (14) the least delta that (17)-(19) allow, and its delta per output."""
    raw = [1 + (5 * index + setting.support) % 7 for index in range(setting.support)]
    half = [(1 - setting.eta) / 2 * x / sum(raw) for x in raw]
    big = math.exp(setting.epsilon)
    least = max(half[-1], setting.eta - big * half[0], *(a - big * b for a, b in pairwise(half)), 0.0)
    noise = Row.of(-setting.support, [*reversed(half), setting.eta, *half])
    return least, per_output(Mechanism(Counts(setting.support), interior=(noise,)), setting.epsilon)


def lower_bounds() -> list[Claim]:
    """Judge Lemmas 1 and 2 with their proofs, and Theorem 1."""
    least = {setting: least_per_output(setting) for setting in SETTINGS}

    def broken(ks: Callable[[Setting], range]) -> int:
        return sum(
            max(case_delta(s.epsilon, s.eta, s.support, k) for k in ks(s)) > delta + ABSOLUTE
            for s, delta in least.items()
        )

    total = len(SETTINGS)
    return [
        exceptions(
            "Lemma 1",
            "delta* >= delta_k for k = 1..D, by a program over (16): exceptions on a grid",
            broken(lambda s: range(1, s.support + 1)),
            total,
        ),
        number(
            "Equations (24)-(31)",
            "index i of (21) that bounds alpha_2 in (25)",
            2,
            next(i for i in range(1, 7) if _bounded_by_21(i) == 2),
            0,
            "(21) for i bounds alpha_(i+1), so that (25) takes i = 1",
        ),
        exceptions(
            "Equations (24)-(31)",
            "delta_k solves (31) with equality: exceptions, k = 1..D",
            count_of(lambda case: all(_gap_31(case, k) == 0 for k in range(1, case.support + 1))),
            len(CASES),
            kind="formula",
        ),
        exceptions(
            "Section III-A, no bound dominates",
            "pairs of delta_1, ..., delta_6 of which only one is ever the larger: E 8.8463, eta .01, .02, ... .99",
            sum(not _each_larger(k, other) for k, other in combinations(range(1, 7), 2)),
            15,
        ),
        exceptions(
            "Lemma 2",
            "delta* >= delta_(D+1), by a program over (16): exceptions on a grid",
            broken(lambda s: range(s.support + 1, s.support + 2)),
            total,
        ),
        exceptions(
            "Equation (33)",
            "alpha_(D-k) <= B delta times 1 + ... + E^k, with Definition 2: exceptions",
            count_of(_has_33),
            len(CASES),
            kind="formula",
        ),
        exceptions(
            "Theorem 1",
            "delta* >= max delta_k, by a program over (16): exceptions on a grid",
            broken(lambda s: range(1, s.support + 2)),
            total,
        ),
    ]


def _each_larger(k: int, other: int) -> bool:
    """Return True if delta_k is the larger of two for some eta, and the other one for some eta."""
    cases = [Case(BIG, Fraction(eta, 100), 6) for eta in range(1, 100)]
    return len({case.lower_bound(k) > case.lower_bound(other) for case in cases}) == 2


def _bounded_by_21(i: int) -> int:
    """Return the index of the coefficient that (21) bounds from below: alpha_(i+1) >= (alpha_i - B delta)/E."""
    return i + 1


def _gap_31(case: Case, k: int) -> Fraction:
    step = case.b * case.lower_bound(k)
    return (case.c - step) / case.big * case.powers(k) - case.big ** (k - 1) - step * case.rising(k - 1)


def _has_33(case: Case) -> bool:
    alphas, step = case.coefficients(), case.b * case.lower_bound(case.selected())
    return all(alphas[case.support - 1 - k] <= step * case.powers(k + 1) for k in range(case.support))


def crossovers() -> list[Claim]:
    """Judge Lemmas 3 and 4 with their proofs, and Theorem 2."""
    figure = Case(BIG, Fraction(4, 5), 6)
    misprinted = figure.powers(6) / figure.falling(6)
    tie = Case(BIG, figure.crossover(3) / (2 + figure.crossover(3)), 6)
    return [
        exceptions(
            "Lemma 3",
            "delta_k >= delta_(k+1) if and only if C >= C_k, k = 1..D: exceptions",
            count_of(
                lambda case: all(
                    (case.lower_bound(k) >= case.lower_bound(k + 1)) == (case.c >= case.crossover(k))
                    for k in range(1, case.support + 1)
                )
            ),
            len(CASES),
        ),
        exceptions(
            "Equation (35)",
            "C_1 = 1 + E, and delta_1 >= delta_2 from there on: exceptions",
            count_of(lambda case: case.crossover(1) == 1 + case.big),
            len(CASES),
            kind="formula",
        ),
        formula(
            "Proof of Lemma 3",
            "C_D in its last line, whose numerator ends at E^(D-1), E 8.8463, D 6",
            float(misprinted),
            float(figure.crossover(6)),
            "the numerator ends at E^D, as in (34) and in the line before",
        ),
        exceptions(
            "Lemma 4",
            "C_k falls strictly, k = 1..D: exceptions",
            count_of(
                lambda case: all(a > b for a, b in pairwise(case.crossover(k) for k in range(1, case.support + 1)))
            ),
            len(CASES),
        ),
        exceptions(
            "Equation (36)",
            "C_k - C_(k+1), by (34) and by (36): exceptions, k = 1..D-1",
            count_of(lambda case: all(_gap_36(case, k) == 0 for k in range(1, case.support))),
            len(CASES),
            kind="formula",
        ),
        exceptions(
            "Equation (36)",
            "the same at k = D, which is printed too, with C_(D+1) = 0: exceptions",
            count_of(lambda case: case.crossover(case.support) == _right_36(case, case.support)),
            len(CASES),
            "k has to run to D - 1: C_(D+1) is defined as 0 below (36). With (34) at D + 1 the formula is right",
            kind="formula",
        ),
        exceptions(
            "Theorem 2",
            "C_k < C <= C_(k-1) selects the largest delta_k: exceptions",
            count_of(
                lambda case: (
                    case.lower_bound(case.selected()) == max(case.lower_bound(k) for k in range(1, case.support + 2))
                )
            ),
            len(CASES),
        ),
        beside(
            "Theorem 2",
            "delta_3 and delta_4 at C = C_3, E 8.8463, D 6",
            listed([float(tie.lower_bound(k)) for k in (3, 4)], 6),
            "both are the largest there, so that 'only if' needs C different from all C_k",
        ),
    ]


def _gap_36(case: Case, k: int) -> Fraction:
    return case.crossover(k) - case.crossover(k + 1) - _right_36(case, k)


def _right_36(case: Case, k: int) -> Fraction:
    return case.rising(k + 1) / (case.falling(k) * case.falling(k + 1))


def smallest_eta() -> list[Claim]:
    """Return where Theorem 3 begins to be true, along epsilon."""
    least_etas = [least_valid_eta(epsilon, 8) for epsilon in (0.5, 1.1, 2.2)]
    return [beside("Definition 2", "smallest eta with C >= a_2, epsilon .5, 1.1, 2.2, D 8", listed(least_etas, 4))]
