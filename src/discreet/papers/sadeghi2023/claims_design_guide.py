"""Claims about sections 2.3 and 2.4 of Sadeghi 2023: the interval for gamma, the design guide, and Example 1."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.design import maxent
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023.claim_values import decimals, formula, integer, ours, share, statement
from discreet.papers.sadeghi2023.truncated_gaussian import (
    best_knot,
    end_mass,
    exact_masses,
    example_1,
    limit,
    normalisation,
    proposition_2,
    rule,
    search,
    smallest_geometric,
    variance,
    worst_event,
)
from discreet.papers.wording import ABOUT, about

SUPPORTS = (11, 15)
"""Of Figure 2."""

EPSILONS = tuple(k / 10 for k in range(1, 41))
"""Of our Figure 2; the paper does not print its range."""

PMF = {
    0: "0.056895481243871",
    1: "0.056320120792644",
    2: "0.054628714970934",
    12: "0.016632589297126",
    24: "0.000163117271714",
    25: "0.000099129808160",
}
"""(2.30)."""


def interval() -> list[Claim]:
    """(2.20)-(2.24): gamma in [epsilon/(2D+1), epsilon/(2D-1)) loses the end alone."""
    claims = []
    inside = []
    left_gamma = 0.5 / (2 * 25 + 1)
    for support in (3, 11, 25):
        for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(2)):
            left, right = epsilon / (2 * support + 1), epsilon / (2 * support - 1)
            gammas = [left + (right - left) * Fraction(k, 20) for k in range(20)]
            inside += [worst_event(gamma, epsilon, support) == [-support] for gamma in gammas]
    claims.append(
        statement(
            "Equation (2.20)",
            "for gamma in the interval the worst event is -D alone: D 3, 11, 25, epsilon 0.1, 0.5, 2, 20 gammas each",
            share(inside),
            all(inside),
        )
    )
    lower_end = 0.5 - 0.5 / (2 * left_gamma)
    claims.append(
        formula(
            "Line before (2.20)",
            "the lower end of 0.5 - epsilon/(2 gamma), at gamma = epsilon/(2D+1), epsilon 0.5, D 25; printed: D",
            25.0,
            lower_end,
            "the lower end is -D; 0.5 - epsilon/(2 gamma) is never D, because it is below 0.5",
        )
    )
    gammas = np.linspace(1e-3, 0.5, 500).tolist()
    curves: list[tuple[str, str, Callable[[float, int], float], int]] = [
        ("Equation (2.21)", "V falls with gamma", variance, -1),
        ("Equation (2.23)", "C grows with gamma", normalisation, 1),
        ("Equation (2.24)", "delta = C exp(-gamma D^2) falls with gamma", end_mass, -1),
    ]
    for item, what, curve, sign in curves:
        monotone = [
            bool(sign * (curve(after, support) - curve(before, support)) > 0)
            for support in SUPPORTS
            for before, after in itertools.pairwise(gammas)
        ]
        claims.append(statement(item, f"{what}: D 11 and 15, gamma 0.001 to 0.5", share(monotone), all(monotone)))
    return claims


def ranges() -> list[Claim]:
    """(2.22)-(2.24) for Example 1's epsilon and support: the printed values lie inside."""
    support, epsilon = 25, 0.5
    left, right = epsilon / (2 * support + 1), epsilon / (2 * support - 1)
    noise = example_1()
    ranges_by_item = {
        "Equation (2.22)": ("V", variance(right, support), variance(left, support), noise.variance(0)),
        "Equation (2.23)": (
            "C",
            normalisation(left, support),
            normalisation(right, support),
            float(noise.pmf(0)[1][support]),
        ),
        "Equation (2.24)": ("delta", end_mass(right, support), end_mass(left, support), noise.delta(epsilon)),
    }
    return [
        Claim(
            item,
            f"range of {name} for epsilon 0.5, D 25, and {name} of Example 1",
            f"{low:.6g} to {high:.6g}",
            value,
            low <= value <= high,
            kind="formula",
        )
        for item, (name, low, high, value) in ranges_by_item.items()
    ]


def remark_1() -> list[Claim]:
    """The right end of the interval: the last step is E there, and only the end is lost."""
    support, epsilon = 25, Fraction(1, 2)
    right = epsilon / (2 * support - 1)
    event = worst_event(right, epsilon, support)
    end, by_rule = end_mass(float(right), support), example_1().delta(0.5)
    at_end, inside = (proposition_2(float(right) * part, 0.5, support) for part in (1.0, 0.99))
    small = [end_mass(0.5 / 51 * part, support) for part in (1.0, 0.9, 0.5)]
    return [
        statement(
            "Remark 1",
            "at gamma = epsilon/(2D-1) the worst event is larger than {-D}, epsilon 0.5, D 25",
            f"{{{', '.join(map(str, event))}}}",
            len(event) > 1,
            "p(-D+1) = E p(-D) there, which is not more than E p(-D)",
        ),
        statement(
            "Remark 1",
            "this makes delta larger: delta at the end, and at 0.99 times the end, epsilon 0.5, D 25",
            f"{at_end:.4g} and {inside:.4g}",
            at_end > inside,
            f"delta is p(D) at the end too, {end:.4g}, the least of the interval; the paper's rule has {by_rule:.4g}",
        ),
        statement(
            "Remark 1",
            "below epsilon/(2D+1) delta only grows: 1, 0.9 and 0.5 times epsilon/(2D+1), epsilon 0.5, D 25",
            ", ".join(f"{value:.4g}" for value in small),
            small == sorted(small),
        ),
    ]


def proposition_3() -> list[Claim]:
    """(2.25)-(2.27), beside the exact delta, and the best gamma for the same epsilon and D."""
    claims = []
    for support in SUPPORTS:
        for epsilon in (0.5, 1.0, 2.0):
            gamma = float(rule(Fraction(epsilon), support))
            noise = maxent(epsilon=epsilon, support=support, variant="paper")
            knot, least = best_knot(epsilon, support)
            at = f"D {support}, epsilon {epsilon:g}, gamma by the rule of section 2.4"
            note = (
                f"at gamma = epsilon/(2D-1) {end_mass(limit(epsilon, support), support):.4g}, at the best knot"
                f" epsilon/{2 * knot - 1} {least:.4g}"
            )
            claims.append(
                formula("Proposition 3", f"delta, {at}", end_mass(gamma, support), noise.delta(epsilon), note)
            )
            claims.append(formula("Proposition 3", f"V, {at}", variance(gamma, support), noise.variance(0)))
    return claims


def figure_2() -> list[Claim]:
    """Figures 2(a) and 2(b), footnote 2: the limit of gamma, and a search over gamma."""
    claims = []
    limits = {support: [end_mass(limit(e, support), support) for e in EPSILONS] for support in SUPPORTS}
    falling = [later < earlier for values in limits.values() for earlier, later in itertools.pairwise(values)]
    claims.append(
        statement(
            "Figure 2(a)",
            "the plateaus have disappeared: delta falls at every step of epsilon from 0.1 to 4",
            share(falling),
            all(falling),
        )
    )
    lower = [b < a for a, b in zip(limits[11], limits[15], strict=True)]
    claims.append(statement("Figure 2(a)", "delta is lower for D = 15 than for D = 11", share(lower), all(lower)))
    gaps = {}
    for support in SUPPORTS:
        ratios = [end_mass(limit(e, support), support) / search(e, support)[1] for e in EPSILONS]
        gaps[support] = max(ratios), EPSILONS[ratios.index(max(ratios))], min(ratios)
    text = "; ".join(f"D {support}: {low:.3f} to {high:.3f}" for support, (high, _, low) in gaps.items())
    note = (
        "the largest factors are at "
        + " and ".join(f"epsilon {at:g} (D {support})" for support, (_, at, _) in gaps.items())
        + "; below 1 the grid misses the knot epsilon/(2D-1), which is the best gamma there"
    )
    claims.append(
        statement(
            "Figure 2(a)",
            f"the gap to the search varies from small to zero: delta over delta of the search, epsilon 0.1 to 4"
            f" {ABOUT}",
            text,
            all(about(high, 1) and about(low, 1) for high, _, low in gaps.values()),
            note,
        )
    )
    best = [best_knot(e, support)[1] / search(e, support)[1] for support in SUPPORTS for e in EPSILONS]
    claims.append(
        ours(
            "Footnote 2",
            "delta of the best knot over delta of the search, D 11 and 15, epsilon 0.1 to 4",
            f"{min(best):.4f} to {max(best):.4f}",
            "the best gamma is a knot epsilon/(2j-1), j at most D, in every case tried; the footnote does not claim"
            " that j = D is best",
        )
    )
    for support in SUPPORTS:
        for epsilon in (0.5, 1.0, 2.0):
            gamma = limit(epsilon, support)
            knot, _ = best_knot(epsilon, support)
            noise = maxent(epsilon=epsilon, support=support)
            claims.append(
                ours(
                    "Figure 2(b)",
                    f"V at the limit of gamma, and at the best knot j = {knot}: D {support}, epsilon {epsilon:g}",
                    f"{variance(gamma, support):.4f} and {noise.variance(0):.4f}",
                )
            )
    return claims


def design_guide() -> list[Claim]:
    """Section 2.4: the rule for gamma, and the search for D."""
    inside = [
        Fraction(e, 10) / (2 * d + 1) < rule(Fraction(e, 10), d) < Fraction(e, 10) / (2 * d - 1)
        for e in range(1, 30)
        for d in range(1, 60)
    ]
    deltas = [end_mass(float(rule(Fraction(1, 2), d)), d) for d in range(1, 60)]
    falling = [after < before for before, after in itertools.pairwise(deltas)]
    return [
        statement(
            "Section 2.4",
            "gamma of step (2) is inside the interval: epsilon 0.1 to 2.9, D 1 to 59",
            share(inside),
            all(inside),
        ),
        statement(
            "Section 2.4",
            "increasing D reaches the desired delta: delta falls at every D, epsilon 0.5, D 1 to 59",
            share(falling),
            all(falling),
        ),
        statement(
            "Section 2.4",
            "the inputs may be 0 <= delta <= 1: delta 0 is reached, epsilon 0.5; p(D) at D = 59",
            deltas[-1],
            min(deltas) == 0,
            "p(D) is above 0 for every D, so the search for delta = 0 never ends; Discreet asks for delta of 1e-200 or"
            " more",
        ),
    ]


def example_1_claims() -> list[Claim]:
    """Example 1, (2.29), (2.30)."""
    item, noise = "Example 1", example_1()
    support = int(noise.design["support"])
    masses = exact_masses(noise)[support:]
    gamma = Fraction(1, 2) / 49 - Fraction(1, 10 * 2499)
    best = maxent(epsilon="0.5", delta="1e-4")
    plain = smallest_geometric(0.5, 1e-4)
    claims = [
        integer(item, "smallest D for epsilon 0.5, delta 1e-4", 25, support),
        decimals(item, "delta", "9.91e-5", noise.delta(0.5)),
        decimals(item, "V", "49.00", noise.variance(0)),
        Claim(
            item,
            "gamma = 0.5/(2 x 25 - 1) - 1/(10 (2500 - 1))",
            float(gamma),
            float(rule(Fraction(1, 2), 25)),
            gamma == rule(Fraction(1, 2), 25),
            kind="formula",
        ),
        ours(
            item,
            "the best knot for the same target",
            f"D {best.design['support']}, V {best.variance(0):.2f}, delta {best.delta(0.5):.3g}",
        ),
        ours(
            item,
            "truncated geometric noise for the same target",
            f"D {plain.design['support']}, V {plain.variance(0):.2f}, delta {plain.delta(0.5):.3g}",
            "for one count it needs much less noise; for many counts noise of largest entropy composes better",
        ),
    ]
    for z, printed in PMF.items():
        note = f"that is p(11) = {float(masses[11]):.15f}" if z == 12 else ""
        claims.append(decimals("Equation (2.30)", f"p({z}) = p(-{z})" if z else "p(0)", printed, masses[z], note))
    return claims
