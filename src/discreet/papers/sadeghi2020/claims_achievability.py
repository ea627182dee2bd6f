"""Claims about Sadeghi 2020, section III-B: Definition 2, Theorem 3, Figure 1, Remark 2; and what is left out.

Theorem 3 is about the delta of a single output. The noise of least exact delta, which is ours, stands beside it.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.design import gaussian
from discreet.design.additive.bounded import theorem_3, threshold
from discreet.papers.claim import Claim, number
from discreet.papers.sadeghi2020.claim_forms import (
    ABSOLUTE,
    beside,
    exceptions,
    formula,
    listed,
    promise,
    statement,
)
from discreet.papers.sadeghi2020.claims_lower_bounds import BIG, CASES, SETTINGS, count_of
from discreet.papers.sadeghi2020.closed_form import Case
from discreet.papers.sadeghi2020.equal_variance import of_parameter, of_variance, variance
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    Setting,
    bound,
    exact,
    least,
    least_per_output,
    least_valid_eta,
    optimum,
    per_output,
    printed,
    program,
)
from discreet.papers.wording import ABOUT, LITTLE, about, little

EXAMPLES = (
    FIGURE_1,
    Setting(1.5, 0.5, 6),
    Setting(0.5, 0.3, 4),
    Setting(3.0, 0.5, 6),
    Setting(1.1, 0.5, 4),
    Setting(1.1, 0.5, 8),
)
OTHER_CASES = (Setting(0.5, 0.8, 4), Setting(0.3, 0.5, 6), Setting(0.9, 0.5, 6))
SMALL_ETA = (Setting(2.2, 0.02, 8), Setting(1.0, 0.1, 8), Setting(2.18, 0.02, 6))
SMALL_COUNTS = Setting(2.2, 0.8, 8)


def definition_2() -> list[Claim]:
    """Judge Definition 2, footnotes 3 and 4, and the formulas (40)-(44)."""
    total = len(CASES)
    within = [case for case in CASES if case.selected() <= case.support]
    return [
        exceptions(
            "Definition 2",
            "(37) and (38): recursion and closed form are one: exceptions",
            count_of(_has_38),
            total,
            kind="formula",
        ),
        exceptions(
            "Footnote 3",
            "alpha_1 > 0, all alpha_j >= 0, and they add up to 1: exceptions",
            count_of(
                lambda case: (
                    case.coefficients()[0] > 0 and min(case.coefficients()) >= 0 and sum(case.coefficients()) == 1
                )
            ),
            total,
        ),
        exceptions(
            "Equations (40)-(43)",
            "alpha_1 by (40), alpha_k by (41) and (42), at least 0: exceptions, cases with k <= D",
            sum(not _has_40_to_43(case) for case in within),
            len(within),
            kind="formula",
        ),
        exceptions(
            "Equation (44)",
            "the coefficients add up to 1: exceptions, cases with k <= D",
            sum(_sum_44(case) != 1 or sum(case.coefficients()) != 1 for case in within),
            len(within),
            kind="formula",
        ),
        exceptions(
            "Footnote 4",
            "delta_(D+1) > 0: exceptions",
            count_of(lambda case: case.lower_bound(case.support + 1) > 0),
            total,
        ),
    ]


def _has_38(case: Case) -> bool:
    small = Case(case.big, Fraction(1, 10**6), case.support)  # C <= C_D
    closed = [case.powers(case.support - j + 1) / case.falling(case.support) for j in range(1, case.support + 1)]
    return small.coefficients() == closed


def _has_40_to_43(case: Case) -> bool:
    k, alphas = case.selected(), case.coefficients()
    first = (case.c * case.rising(k - 1) + case.big ** (k - 1)) / case.rising(k)
    last_41 = (case.c - case.b * case.lower_bound(k) * case.powers(k)) / case.big**k
    last_42 = (case.powers(k) - case.c * case.falling(k - 1)) / case.rising(k)
    return alphas[0] == first and alphas[k - 1] == last_41 == last_42 >= 0


def _sum_44(case: Case) -> Fraction:
    k = case.selected()
    return (case.c * case.powers(k) - case.b * case.lower_bound(k) * case.rising(k)) / case.big**k


def theorem_3_claims() -> list[Claim]:
    """Judge Theorem 3 against programs, its proof, and its promise where eta is small."""
    item, claims = "Theorem 3", []
    for setting in EXAMPLES + OTHER_CASES:
        case, delta, _ = theorem_3(*setting)
        free = per_output(program(setting, setting.support), setting.epsilon)
        claims.append(
            formula(item, f"least delta per output, any noise for counts from D, k = {case}, {setting}", delta, free)
        )
    wrong = [s for s in SETTINGS if abs(least_per_output(s) - theorem_3(*s)[1]) > ABSOLUTE]
    expected = [s for s in SETTINGS if s.eta < least_valid_eta(s.epsilon, s.support)]
    claims.append(
        exceptions(
            item,
            "delta* = max delta_k, by a program over (16): exceptions on a grid of epsilon, eta and D",
            len(wrong),
            len(SETTINGS),
            "Proposition 4 leaves out (1-eta)/2 a_1 <= E eta + delta, which needs C >= a_2; "
            + ("exactly those settings" if wrong == expected else "not exactly those settings")
            + " are wrong",
        )
    )
    for setting in SMALL_ETA:
        note = (
            f"PRIVACY: per output {theorem_3(*setting)[1]:.3g} is claimed,"
            f" {per_output(printed(setting), setting.epsilon):.4g} is true, {setting}. True for eta >="
            f" {least_valid_eta(setting.epsilon, setting.support):.4g}. The least exact delta is {least(setting):.3g}"
        )
        claims.append(promise(item, f"(epsilon, (2D+1) delta*)-DP, {setting}", bound(setting), exact(setting), note))
    claims += [
        beside(item, f"exact delta of this noise, and the least exact delta, {s}", listed([exact(s), least(s)], 4))
        for s in EXAMPLES
    ]
    setting = Setting(1.1, 0.5, 6)
    few, more = (per_output(program(setting, 6, people), 1.1) for people in (7, 12))
    claims.append(
        beside(
            item,
            f"least delta per output of any noise for counts 6..7 and 6..12, {setting}",
            f"{abs(few):.6f}, {more:.6f}",
            f"Theorem 3 has {theorem_3(*setting)[1]:.6f}: of few counts each can have a noise of its own",
        )
    )
    return claims


def proof_of_theorem_3() -> list[Claim]:
    """Judge two sentences of the proof."""
    item = "Proof of Theorem 3"
    figure = Case(BIG, Fraction(4, 5), 6)
    alphas, step = figure.coefficients(), figure.b * figure.lower_bound(3)
    within = [case for case in CASES if case.selected() <= case.support]
    tied = sum(any(a <= b for a, b in pairwise(case.coefficients()[1:])) for case in CASES)
    return [
        exceptions(
            item,
            "Definition 2 meets (17)-(19) with equality: exceptions",
            count_of(lambda case: not any(case.slacks())),
            len(CASES),
            "for k = D+1 (19) is strict, for k <= D (18) at i = k: in Figure 1 alpha_3 ="
            f" {float(alphas[2]):.5f} and B delta = {float(step):.5f}. They hold because C_k < C <= C_(k-1), which the"
            " proof does not say",
        ),
        exceptions(
            item,
            "alpha_k <= B delta for k <= D, which closes the gap: exceptions",
            sum(
                case.coefficients()[case.selected() - 1] > case.b * case.lower_bound(case.selected()) for case in within
            ),
            len(within),
            kind="formula",
        ),
        exceptions(
            item,
            "alpha_i < alpha_j for 2 <= j < i <= D: exceptions",
            tied,
            len(CASES),
            "true for i <= k; beyond k all are 0. The proof needs no more",
        ),
    ]


def section_3b() -> list[Claim]:
    """Judge the numbers beside Figure 1."""
    own, other = "Section III-B, the noise", "Section III-B, the discrete Gaussian"
    epsilon, _, support = FIGURE_1
    case, delta, alphas = theorem_3(*FIGURE_1)
    probabilities = printed(FIGURE_1).pmf(support)[1][support:]
    beside_it = gaussian(sigma2=variance(FIGURE_1), support=support).pmf(0)[1][support:]
    ratio = float(beside_it[1] / beside_it[2])
    whole = of_parameter(FIGURE_1).interior[0]
    outside = float(whole.values[np.abs(whole.outputs) > support].sum())
    epsilon_g = math.log((beside_it[1] - delta) / beside_it[2])
    return [
        number(own, "E = e^epsilon at epsilon 2.18", 8.8463, math.exp(epsilon), 4),
        number(own, "C = 2 eta/(1 - eta) at eta 0.8", 8, FIGURE_1.odds, 0),
        number(own, "C_2", 8.1229, threshold(epsilon, 2), 4),
        number(own, "C_3", 7.8867, threshold(epsilon, 3), 4),
        number(own, "the case k of D = 6", 3, case, 0),
        number(own, "delta_3, per output", 0.0049, delta, 4),
        number(own, "number of coefficients that are not 0", 3, sum(a > 0 for a in alphas), 0),
        number(own, "p_Z(1)", 0.08987, float(probabilities[1]), 5),
        number(own, "p_Z(2)", 0.0096, float(probabilities[2]), 5),
        number(own, "p_Z(1) / p_Z(2)", 9.3617, float(probabilities[1] / probabilities[2]), 4),
        statement(
            own,
            "epsilon 2.18 is sufficient for p_Z(1) <= E p_Z(2) + delta_3: right minus left side",
            float(math.exp(epsilon) * probabilities[2] + delta - probabilities[1]),
            math.exp(epsilon) * probabilities[2] + delta >= probabilities[1] - ABSOLUTE,
        ),
        number(other, "p_G(1)", 0.11685, float(beside_it[1]), 5),
        number(other, "p_G(2)", 0.000416, float(beside_it[2]), 6),
        Claim(
            other,
            f"p_G(1) / p_G(2), about {ABOUT}",
            282,
            ratio,
            about(ratio, 282),
            f"{0.11685 / 0.000416:.1f} from the printed p_G",
        ),
        number(other, "epsilon at which p_G(1) - E p_G(2) = delta_3", 5.6, epsilon_g, 1),
        statement(other, f"the mass outside -6..6 is negligible {LITTLE}", outside, little(outside)),
    ]


def figure_1() -> list[Claim]:
    """Judge "identical variance", and compare on equal terms."""
    item, epsilon = "Figure 1", FIGURE_1.epsilon
    wanted, named, matched = variance(FIGURE_1), of_parameter(FIGURE_1), of_variance(FIGURE_1)
    row = matched.interior[0]
    one, two = (float(row.values[row.outputs == z][0]) for z in (1, 2))
    steps = printed(FIGURE_1).interior[0].values
    return [
        formula(
            item,
            "variance of the discrete Gaussian, which is identical to that of Z",
            wanted,
            named.variance(0),
            f"{wanted:.4f} is its parameter sigma2; sigma2 = {float(matched.design['sigma2']):.4f} has the variance"
            f" {wanted:.4f}, with p_G(1) = {one:.5f}, p_G(2) = {two:.6f} and the ratio {one / two:.1f}",
        ),
        statement(
            item,
            "a more graceful transition from z = 1 to z = 2: p_Z(1)/p_Z(2), and p_G(1)/p_G(2) at equal variance",
            f"{steps[7] / steps[8]:.4f}, {one / two:.1f}",
            bool(steps[7] / steps[8] < one / two),
        ),
        beside(
            item,
            "exact delta at epsilon 2.18: this noise, discrete Gaussian as printed, of equal variance",
            listed([exact(FIGURE_1), named.delta(epsilon), matched.delta(epsilon)], 4),
        ),
        beside(
            item,
            "variance of Z, and of the noise of least exact delta, which has the same delta here",
            listed([wanted, optimum(FIGURE_1).variance(6)], 4),
        ),
    ]


def counts_below_the_support() -> list[Claim]:
    """Return what the assumption n >= D is worth: D - 1 and D are neighbours, so that it has to be a public fact."""
    item, epsilon = "Section III-B, the assumption n >= D", SMALL_COUNTS.epsilon
    every = program(SMALL_COUNTS, 1)
    where = f"{SMALL_COUNTS}"
    return [
        beside(
            item,
            f"least delta per output, counts from D and counts from 1, {where}",
            listed([theorem_3(*SMALL_COUNTS)[1], per_output(every, epsilon)]),
            "PRIVACY: the size of the dataset says nothing about the size of a count; n >= D has to be a public fact"
            " (`lowest`), because D - 1 and D are neighbours",
        ),
        beside(
            item,
            f"least exact delta, counts from D and counts from 1, {where}",
            listed([least(SMALL_COUNTS), optimum(SMALL_COUNTS, 1).delta(epsilon)]),
        ),
    ]


def remark_2() -> list[Claim]:
    """Judge the step from single outputs to events."""
    claims = []
    for setting in EXAMPLES:
        claimed, true = bound(setting), exact(setting)
        claims.append(promise("Remark 2", f"(2D+1) delta* bounds the exact delta, {setting}", claimed, true))
    ratios = [bound(s) / exact(s) for s in EXAMPLES]
    claims.append(
        beside(
            "Remark 2",
            "bound divided by exact delta, the same settings",
            listed(ratios),
            "only outputs on one side of the count exceed, at most D + 1 of 2D + 1",
        )
    )
    setting = Setting(1.1, 0.5, 6)
    at_zero = float(printed(setting).pmf(setting.support)[1][0])
    return [
        *claims,
        formula(
            "Remark 2, outputs",
            f"chance of an output outside [N + D] = 1..N+D at n = D, {setting}",
            0.0,
            at_zero,
            "outputs are 0..N+D, as in (7) and Remark 1; here the output 0 is what one count has and the next has not",
        ),
    ]
