"""Claims about sections 2.1 and 2.2 of Sadeghi 2023 and its appendices: the noise of largest entropy, and its delta."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.design import maxent
from discreet.design.additive.maxent_gamma import of_variance
from discreet.domain import Counts
from discreet.mechanism import Mechanism, Row
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023.claim_values import decimals, formula, ours, share, statement
from discreet.papers.sadeghi2023.truncated_gaussian import (
    FIGURE_1,
    end_mass,
    normalisation,
    polynomial,
    proposition_2,
    stated_event,
    variance,
    worst_event,
)

PRINTED = {4: "0.125", 10: "0.0498"}
"""Figure 1: gamma, by variance."""

EPSILONS = (0.5, 1.0, 2.0)


def distribution() -> list[Claim]:
    """(2.3)-(2.7): the form of the noise, and the polynomial for exp(-gamma)."""
    claims = []
    for support, spread in FIGURE_1:
        noise = maxent(support=support, variance=spread)
        gamma = float(noise.design["gamma"])
        at = f"D {support}, V {spread}"
        row = noise.interior[0].values
        claims += [
            formula("Equation (2.4)", f"C = p(0), {at}", normalisation(gamma, support), float(row[support])),
            formula("Equation (2.5)", f"the variance is V, {at}", spread, noise.variance(0)),
        ]
        x = Fraction(math.exp(-gamma))
        below, above = (polynomial(x * (1 + step * Fraction(1, 10**9)), support, Fraction(spread)) for step in (-1, 1))
        claims.append(
            statement(
                "Equation (2.7)",
                f"f has a root at exp(-gamma), between 0 and 1, {at}: f at both sides of it",
                f"{'-' if below < 0 else '+'} {'+' if above > 0 else '-'}",
                below < 0 < above and x < 1,
            )
        )
    support, spread = 11, 4
    gamma = float(of_variance(support, Fraction(spread)))
    squares = sum(z * z * math.exp(-gamma * z * z) for z in range(1, support + 1))
    right = spread / normalisation(gamma, support)
    claims.append(
        Claim(
            "Line before (2.6)",
            "sum of z^2 exp(-gamma z^2), z = 1..D, against V / C, D 11, V 4",
            right,
            squares,
            math.isclose(squares, right, rel_tol=1e-6),
            "the factor 2 of (2.5) is missing on the left; (2.6) has it",
            "formula",
        )
    )
    for support, spread in ((11, 4), (15, 10), (11, 50)):
        at_1 = float(polynomial(Fraction(1), support, Fraction(spread)))
        closed = (2 * support + 1) * (support * (support + 1) / 3 - spread)
        claims.append(formula("Equation (2.7)", f"f(1) by its closed form, D {support}, V {spread}", closed, at_1))
    coefficients = [c for c in (-4, *(2 * (z * z - 4) for z in range(1, 12))) if c]
    changes = sum(a * b < 0 for a, b in pairwise(coefficients))
    claims.append(
        ours(
            "Equation (2.7)",
            "sign changes of the coefficients, D 11, V 4: positive roots, at most",
            changes,
            "so the root between 0 and 1 is the only one (Descartes), and bisection finds it",
        )
    )
    return claims


def proposition_1() -> list[Claim]:
    """(2.8): noise that falls in |z| has V < D (D+1)/3."""
    claims = []
    for support in (3, 11, 25):
        most = support * (support + 1) / 3
        low, high = (
            float(of_variance(support, Fraction(most) * part)) for part in (Fraction(1, 100), Fraction(99, 100))
        )
        falls = low > high > 0
        rising = variance(-1e-4, support)
        claims.append(
            statement(
                "Proposition 1",
                f"p falls in |z| if and only if V < {most:g}, D {support}: gamma at 1% and 99% of it, V at gamma -1e-4",
                f"{low:.4g}, {high:.4g}; {rising:.6g}",
                falls and rising > most,
            )
        )
        claims.append(formula("Proposition 1", f"variance of uniform noise, D {support}", most, variance(0.0, support)))
    uniform = maxent(support=11, variance=44)
    claims.append(
        formula(
            "Proposition 1", "entropy of uniform noise, D 11, in nats", math.log(23), uniform.entropy(0) * math.log(2)
        )
    )
    claims.append(
        ours(
            "Proposition 1",
            "gamma of largest entropy for V = D (D+1)/3 = 44, D 11",
            float(of_variance(11, Fraction(44))),
            "(2.2) asks for a variance of at most V, so from D (D+1)/3 on the noise of largest entropy is uniform;"
            " with equality, as in (2.5), gamma would be negative",
        )
    )
    return claims


def events() -> list[Claim]:
    """(2.9)-(2.18): the worst event, and the least delta."""
    claims = []
    for support, gamma, epsilon in ((11, Fraction(1, 8), Fraction(1)), (15, Fraction(1, 20), Fraction(1, 2))):
        event = worst_event(gamma, epsilon, support)
        masses = _masses(float(gamma), support)
        total = math.fsum(masses[z] - math.exp(epsilon) * masses.get(z - 1, 0.0) for z in event)
        exact = Mechanism(Counts(), interior=(Row.of(-support, masses.values()),)).delta(float(epsilon))
        at = f"D {support}, gamma {gamma}, epsilon {epsilon}"
        claims.append(formula("Equations (2.9)-(2.11)", f"delta is the sum over the worst event, {at}", total, exact))
        claims.append(
            statement(
                "Equation (2.12)",
                f"delta is at least p(-D), {at}",
                f"{exact:.4g} and {end_mass(float(gamma), support):.4g}",
                exact >= end_mass(float(gamma), support),
            )
        )
        stated = stated_event(gamma, epsilon, support)
        claims.append(
            Claim(
                "Equation (2.18)",
                f"worst event, {at}",
                _interval(stated),
                _interval(event),
                stated == event,
                kind="formula",
            )
        )
    gamma, epsilon, support = Fraction(1, 98), Fraction(1, 2), 25
    stated, event = stated_event(gamma, epsilon, support), worst_event(gamma, epsilon, support)
    claims.append(
        Claim(
            "Equation (2.18)",
            "worst event at a tie, D 25, gamma = epsilon/(2D-1), epsilon 1/2",
            _interval(stated),
            _interval(event),
            stated == event,
            "(2.16) has z < 0.5 - epsilon/(2 gamma), so its last z is ceil(0.5 - epsilon/(2 gamma)) - 1; where p(z) = E"
            " p(z-1) the term is 0, and (2.19) is right all the same",
            "formula",
        )
    )
    return claims


def proposition_2_claims() -> list[Claim]:
    """(2.19), beside the sum of positive parts over all outputs in both directions."""
    claims = []
    for support, spread in FIGURE_1:
        noise = maxent(support=support, variance=spread)
        for epsilon in EPSILONS:
            what = f"delta at epsilon {epsilon:g}, D {support}, V {spread}"
            stated = proposition_2(float(noise.design["gamma"]), epsilon, support)
            claims.append(formula("Proposition 2", what, stated, noise.delta(epsilon)))
    tie = maxent(epsilon="0.5", support=25)
    gamma = 0.5 / 49
    claims.append(
        formula(
            "Proposition 2",
            "delta at a tie: D 25, gamma = epsilon/(2D-1), epsilon 0.5",
            proposition_2(gamma, 0.5, 25),
            end_mass(gamma, 25),
            f"the best gamma for this support has {tie.delta(0.5):.4g}",
        )
    )
    return claims


def figure_1() -> list[Claim]:
    """Figures 1(a) and 1(b): gamma, plateaus, and what the curves show."""
    claims = []
    for support, letter in ((11, "a"), (15, "b")):
        item = f"Figure 1({letter})"
        noises = {spread: maxent(support=support, variance=spread) for spread in (4, 10)}
        for spread, noise in noises.items():
            gamma = float(noise.design["gamma"])
            wrong = f"that is gamma for D = 11; with 0.0498, D = 15 has V = {variance(0.0498, 15):.3f}"
            note = wrong if (support, spread) == (15, 10) else ""
            claims.append(decimals(item, f"gamma, D {support}, V {spread}", PRINTED[spread], gamma, note))
            start = gamma * (2 * support - 1)
            level = end_mass(gamma, support)
            after = [noise.delta(start * factor) for factor in (1 + 1e-9, 1.5, 3.0)]
            claims.append(
                formula(item, f"delta after epsilon {start:.4g} is C exp(-gamma D^2), V {spread}", level, max(after))
            )
            claims.append(
                statement(
                    item,
                    f"delta falls up to epsilon {start:.4g} and is constant from there on, V {spread}",
                    f"{noise.delta(0.99 * start):.4g} to {after[0]:.4g}",
                    noise.delta(0.99 * start) > after[0] and math.isclose(after[0], after[2], rel_tol=1e-9),
                )
            )
        plateau = float(noises[10].design["gamma"]) * (2 * support - 1)
        before = np.linspace(0.01, plateau, 200)
        lower = (noises[10].deltas(before) < noises[4].deltas(before)).tolist()
        crossing = noises[4].epsilon(noises[10].delta(10.0))
        claims.append(
            statement(
                item,
                f"before the plateau (epsilon {plateau:.4g}) delta is lower for the higher variance",
                share(lower),
                all(lower),
                f"the curves cross at epsilon {crossing:.4g}",
            )
        )
    epsilons = np.linspace(0.05, 4, 80).tolist()
    falls = [
        proposition_2(gamma, epsilon, support + 1) < proposition_2(gamma, epsilon, support)
        for gamma in (0.125, 0.0498)
        for epsilon in epsilons
        for support in range(8, 16)
    ]
    claims.append(
        statement(
            "Figure 1(b)",
            "a larger D has a smaller delta, for fixed gamma: D 8 to 16, epsilon 0.05 to 4",
            share(falls),
            all(falls),
            "always: one more term adds (1 - E) exp(-gamma (D+1)^2) < 0 to the numerator, and adds to the denominator",
        )
    )
    return claims


def appendix_b() -> list[Claim]:
    """Which neighbour (B.2) is about."""
    support, gamma, epsilon = 5, 0.1, 0.6
    masses = _masses(gamma, support)

    def event(other: int) -> list[int]:
        """Return y with Pr[Z = y] > E Pr[other + Z = y]."""
        return [y for y in range(-7, 8) if masses.get(y, 0.0) > math.exp(epsilon) * masses.get(y - other, 0.0)]

    stated = worst_event(Fraction(1, 10), Fraction(3, 5), support)
    return [
        Claim(
            "Appendix B",
            "event (B.2) for q(x) = 0 and q(x') = -1, D 5, gamma 0.1, epsilon 0.6",
            _interval(stated),
            _interval(event(-1)),
            event(-1) == stated,
            f"(B.2) has p(z-1), so it is for q(x') = 1, where the event is {_interval(event(1))}; the noise is"
            " symmetric, so delta is the same",
            "formula",
        )
    ]


def appendix_c() -> list[Claim]:
    """(C.1)-(C.4), footnote 4: without an end, delta is that of the discrete Gaussian."""
    claims = []
    for sigma2, epsilon in ((4, 0.5), (4, 2.0), (10, 1.0), (49, 0.5)):
        gamma, reach = 1 / (2 * sigma2), 40 * math.isqrt(sigma2)
        claims.append(
            formula(
                "Appendix C",
                f"(2.19) for D without end is Pr[Z > es - 1/2] - E Pr[Z > es + 1/2], s = sigma^2 {sigma2},"
                f" epsilon e = {epsilon:g}",
                proposition_2(gamma, epsilon, reach),
                _gaussian_delta(sigma2, epsilon, reach),
            )
        )
    weights = {z: math.exp(-z * z / 8) for z in range(-40, 41)}
    total = math.fsum(weights.values())
    strict, floored = (math.fsum(w for z, w in weights.items() if z <= last) / total for last in (-3, -2))
    claims.append(
        Claim(
            "Footnote 4",
            "Pr(Z < -z) = Pr(Z <= floor(-z)), sigma^2 4, z = 2",
            floored,
            strict,
            math.isclose(strict, floored),
            "for an integer z it is Pr(Z <= -z - 1); at such a tie p(z) = E p(z-1), and (C.4) is right all the same",
            "formula",
        )
    )
    return claims


def _gaussian_delta(sigma2: int, epsilon: float, reach: int) -> float:
    """Return delta of the discrete Gaussian by its tails (Canonne, Kamath and Steinke 2022, Theorem 2.6)."""
    weights = {z: math.exp(-z * z / (2 * sigma2)) for z in range(-reach, reach + 1)}
    total = math.fsum(weights.values())

    def beyond(bound: float) -> float:
        return math.fsum(w for z, w in weights.items() if z > bound) / total

    return beyond(epsilon * sigma2 - 0.5) - math.exp(epsilon) * beyond(epsilon * sigma2 + 0.5)


def _masses(gamma: float, support: int) -> dict[int, float]:
    return {z: normalisation(gamma, support) * math.exp(-gamma * z * z) for z in range(-support, support + 1)}


def _interval(event: list[int]) -> str:
    return f"[{event[0]}, {event[-1]}]"
