"""Claims about Sadeghi 2020, section II-A: neighbours, single outputs, and the least delta over all counts."""

import math
from fractions import Fraction

from discreet.domain import Counts
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2020.claim_forms import beside, formula, listed, statement
from discreet.papers.sadeghi2020.claims_formulation import EXAMPLE_1
from discreet.papers.sadeghi2020.fourier_motzkin import least_delta
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    Setting,
    bound,
    exact,
    optimum,
    per_output,
    printed,
    program,
)
from discreet.papers.sadeghi2020.two_point_noise import proposition_2

PROGRAMS = (
    (EXAMPLE_1, 3),
    (Setting(1.1, 0.5, 4), 12),
    (Setting(1.5, 0.5, 4), 12),
    (Setting(2.18, 0.8, 4), 12),
    (Setting(2.2, 0.8, 4), 12),
    (Setting(1.1, 0.5, 6), 20),
    (Setting(1.5, 0.5, 6), 20),
    (Setting(1.0, 0.5, 8), 20),
    (Setting(1.1, 0.5, 8), 20),
    (Setting(2.18, 0.8, 8), 20),
)
"""Settings and N of Proposition 2."""


def privacy_conditions() -> list[Claim]:
    """Judge section II-A: sensitivity and single outputs."""
    noise = printed(FIGURE_1)
    twice = Mechanism(Counts(FIGURE_1.support), interior=noise.interior, neighbours=(1, 2))
    single, whole = per_output(noise, FIGURE_1.epsilon), exact(FIGURE_1)
    return [
        statement(
            "Section II-A",
            "an integer-valued query changes by at most 1: delta at epsilon 2.18 of Figure 1's noise, where it may"
            " change by 2",
            twice.delta(FIGURE_1.epsilon),
            twice.delta(FIGURE_1.epsilon) <= bound(FIGURE_1),
            f"true of counts, where a person counts once (delta {whole:.4f}); false of other integers, such as sums."
            " `design.staircase` is for larger steps",
        ),
        statement(
            "Remark 1",
            f"delta of single outputs differs from delta of all events, {FIGURE_1}",
            f"{single:.5f} and {whole:.5f}",
            whole > single,
        ),
    ]


def all_counts() -> list[Claim]:
    """Judge Proposition 2: the program in the weights alpha, beside Discreet's in p(y|n); and what it comes to."""
    item, claims = "Proposition 2", []
    for setting, people in PROGRAMS:
        every = program(setting, 1, people)
        least = per_output(every, setting.epsilon)
        where = f"counts 1..{people}, {setting}"
        claims.append(formula(item, f"least delta per output, {where}", proposition_2(setting, people), least))
        deltas = [
            (2 * setting.support + 1) * least,
            every.delta(setting.epsilon),
            optimum(setting, 1, people).delta(setting.epsilon),
        ]
        claims.append(
            beside(item, f"(2D+1) delta*, exact delta of this noise, least exact delta, {where}", listed(deltas, 4))
        )
    return claims


def elimination() -> list[Claim]:
    """Judge "Fourier-Motzkin elimination": delta* of two counts in exact fractions, beside the program."""
    item, claims = "Section II-A, Fourier-Motzkin", []
    for big, eta, support in ((2, Fraction(1, 2), 1), (2, Fraction(1, 2), 2)):
        exact_delta = least_delta(Fraction(big), eta, support, 2)
        setting = Setting(math.log(big), float(eta), support)
        what = (
            f"delta* of counts 1..2 by elimination, {exact_delta}, and by the program, E {big}, eta {eta}, D {support}"
        )
        claims.append(formula(item, what, float(exact_delta), proposition_2(setting, 2)))
    return claims
