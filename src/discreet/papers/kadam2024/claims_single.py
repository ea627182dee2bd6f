"""Claims about Kadam 2024's section on a single difference: Lemmas 1 to 3, Theorem 2, Corollary 1, Figures 1, 2, 9."""

import math

import numpy as np

from discreet.papers.claim import Claim, Kind
from discreet.papers.kadam2024.claim_texts import SAME, comparison, formula, listed, promise, row, statement, words
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, pure, two_sided
from discreet.papers.kadam2024.rivals import distribution, modulo
from discreet.papers.kadam2024.single_difference import (
    corollary_1,
    epsilons,
    flat_first,
    multiples,
    regions,
    theorem_2,
)

N, EPSILON = 7, 0.75
DELTAS = (0.0, 0.1, 0.4)
"""Of Figure 9, whose deltas are not printed."""

FIGURE_1 = {3: (0, 3, 6, 1, 4, 7, 2, 5), 2: (0, 2, 4, 6)}
"""The order of assignment that the caption prints, by difference."""


def lemma_1() -> list[Claim]:
    """Noise for all differences up to the largest serves any subset of them, and is not the best for it."""
    n, subset, epsilon, delta = 16, (1, 3, 5, 6), 1.0, 0.0
    bounded = tuple(range(1, 7))
    noise = pure((n + 1,), bounded, epsilon)
    kept = one_sided_delta(noise, subset, epsilon)
    best = float(pure((n + 1,), subset, epsilon)[0])
    at = f"n {n}, differences {listed(subset)}, epsilon 1, delta 0"
    two = [float(distribution(modulo(n + 1, epsilon, neighbours=given))[0]) for given in (bounded, subset)]
    return [
        statement(
            "Lemma 1",
            f"noise for differences 1 to 6 keeps its promise, one-sided: its delta, {at}",
            kept,
            kept <= delta,
        ),
        statement(
            "Lemma 1",
            f"less distortion is possible for the subset: f(0), {at}",
            f"{noise[0]:.4f} for 1 to 6, {best:.4f} for the subset",
            best > noise[0] + SAME,
        ),
        comparison(
            "Lemma 1",
            f"two-sided the lemma holds too: f(0) for differences up to 6, and for the subset, {at}",
            row(two),
        ),
    ]


def lemmas_2_and_3() -> list[Claim]:
    """The noise is sorted along the multiples of mu; (16)-(18); Figure 1."""
    claims = []
    for mu in (3, 2):
        noise, best = pure((N + 1,), (mu,), EPSILON), definition_2(N, (mu,), EPSILON, 0.0)
        at = f"n {N}, difference {mu}, epsilon {EPSILON:g}"
        indices = multiples(N + 1, mu)
        falls = best[indices[:-1]] - math.exp(EPSILON) * best[indices[1:]]
        item = f"Figure 1({'a' if mu == 3 else 'b'})"
        order = [int(x) for x in np.argsort(-noise, kind="stable")[: len(indices)]]
        claims += [
            statement(
                "Lemma 2",
                f"f(0), f(mu), f(2 mu), ... fall, each at most by e^epsilon: largest f_(h) - E f_(h+1), {at}",
                float(falls.max()),
                bool(falls.max() < SAME and (np.diff(best[indices]) <= SAME).all()),
            ),
            formula(
                "Lemma 3", f"largest f(0), one-sided, {at}", float(flat_first(len(indices), EPSILON, 0)), float(best[0])
            ),
            words(item, f"order in which values are assigned, {at}", FIGURE_1[mu], order),
        ]
        two = float(distribution(modulo(N + 1, EPSILON, neighbours=(mu,), public_classes=True))[0])
        true = two_sided(noise, (mu,))
        note = f"two-sided, the largest f(0) is {two:.4f}"
        claims.append(promise("Lemma 3", f"its delta, {at}", 0.0, true.delta(EPSILON), note, kind="ours"))
    claims.append(words("Figure 1(b)", "N_mu - 1, n 7, difference 2", (3,), (len(multiples(8, 2)) - 1,)))
    sorted_noise = np.sort(pure((N + 1,), (2,), EPSILON))[::-1]
    note = "k counts residues here, not places in the order; (18a) gives f_(1) = alpha f_(0)"
    claims.append(
        formula("Equation (18b)", "f_(1), n 7, difference 2, epsilon 0.75", 0.0, float(sorted_noise[1]), note)
    )
    return claims


def theorem_2_claims() -> list[Claim]:
    """(19)-(21), the sentence after them, Remark 3 and Figure 2."""
    claims = []
    for mu in (3, 2):
        for delta in (0.001, 0.05, 0.1, 0.2, 0.3, 0.4):
            noise = theorem_2(N + 1, mu, EPSILON, delta)
            best = float(definition_2(N, (mu,), EPSILON, delta)[0])
            at = f"n {N}, difference {mu}, epsilon {EPSILON:g}, delta {delta:g}"
            true = two_sided(noise, (mu,)).delta(EPSILON)
            kept = one_sided_delta(noise, (mu,), EPSILON) <= delta + SAME and abs(noise.sum() - 1) < SAME
            note = f"two-sided its delta is {true:.4f}" if kept else "its delta is exceeded"
            claims.append(
                formula("Theorem 2", f"largest f(0), one-sided, {at}", float(noise[0]), best if kept else 0, note)
            )
    ends = regions(8, EPSILON)
    firsts = [[float(theorem_2(8, 3, EPSILON, end)[0]) for end in pair] for pair in ends[:-1]]
    flat = max(abs(low - high) for low, high in firsts)
    claims.append(
        statement(
            "Equation (19)",
            "f(0) is equal at both ends of each flat region: largest difference, n 7",
            flat,
            flat < SAME,
            kind="formula",
        )
    )
    ratio = [high / low for low, high in ends[1:-1]]
    spread = max(abs(value - math.exp(EPSILON)) for value in ratio)
    claims.append(
        statement(
            "Text after Theorem 2",
            "a flat region ends at e^epsilon times its beginning: largest difference",
            spread,
            spread < SAME,
        )
    )
    k = 3
    smallest = [float(min(x for x in theorem_2(8, 3, EPSILON, ends[i][1]) if x > SAME)) for i in (k - 1, k)]
    note = (
        f"the end of region {k} is the second smallest mass of region {k} itself; the smallest mass of region {k - 1}"
        f" is {smallest[0]:.4f}"
    )
    claims.append(
        formula(
            "Text after Theorem 2",
            f"end of flat region {k} is the smallest mass of region {k - 1}, n 7, epsilon 0.75",
            ends[k][1],
            smallest[0],
            note,
        )
    )
    slopes = np.diff([first for first, _ in firsts]) / [
        low - high for (low, _), (_, high) in zip(ends[1:-1], ends[:-2], strict=True)
    ]
    claims.append(
        statement(
            "Figure 2",
            "the error rate falls along straight pieces with flat ones between: f(0) per delta of each piece, n 7,"
            " epsilon 0.75",
            row(slopes, 1),
            bool((slopes > 0).all()),
        )
    )
    right = float(theorem_2(8, 2, EPSILON, 0)[0])
    note = "n has to become N_mu - 1, as N_mu counts the values 0, mu, 2 mu, ..."
    claims.append(
        formula(
            "Remark 3",
            "f(0) for n 7, difference 2, epsilon 0.75, delta 0, with n replaced by N_mu",
            flat_first(5, EPSILON, 0),
            right,
            note,
        )
    )
    return claims


def corollary_1_claims() -> list[Claim]:
    """(22)-(25)."""
    claims, rho = [], 0.3
    roots = epsilons(8, rho)
    errors = [1 - flat_first(8, root, k) for k, root in enumerate(roots[:-1])]
    worst = max(errors, key=lambda error: abs(error - rho))
    claims.append(
        formula(
            "Equations (22)-(25)",
            "error rate of the flat noises at epsilon_k, n 7",
            rho,
            worst,
            f"epsilon_k, k = 0..7: {row(roots)}",
        )
    )
    epsilon = 1.2036
    exact = corollary_1(8, epsilon, rho)
    note = "the exponent has to be -(n - 1) epsilon, as in (24) with k = 1"
    claims.append(
        formula(
            "Text before (23)",
            "delta = (1 - rho) e^(-n epsilon) just below epsilon_0, n 7, error rate 0.3, epsilon 1.2036",
            (1 - rho) * math.exp(-7 * epsilon),
            exact,
            note,
        )
    )
    for epsilon in (0.5, 1.0, 1.1, 1.2):
        stated = corollary_1(8, epsilon, rho)
        noise = definition_2(7, (1,), epsilon, None, limit=rho)
        at = f"n 7, difference 1, epsilon {epsilon:g}, error rate 0.3"
        true = two_sided(theorem_2(8, 1, epsilon, stated), (1,)).delta(epsilon)
        least = modulo(8, epsilon, distortion=rho).delta(epsilon)
        note = f"two-sided its delta is {true:.4f}, and the least that is true is {least:.4f}"
        claims.append(
            formula("Corollary 1", f"least delta, one-sided, {at}", stated, one_sided_delta(noise, (1,), epsilon), note)
        )
    rates = [7 - k for k in range(1, 8)]
    return [
        *claims,
        statement(
            "Section Paper contributions",
            "the discontinuities preclude a change of the exponential rate: rates n - k of (24) between them, n 7",
            listed(rates),
            len(set(rates)) == 1,
            "the rate changes at every discontinuity; `precede` would be true",
        ),
    ]


def figure_9() -> list[Claim]:
    """PMFs for differences 3 and 2, n 7, epsilon 0.75."""
    claims = []
    firsts = {mu: [float(theorem_2(8, mu, EPSILON, delta)[0]) for delta in DELTAS] for mu in (3, 2)}
    for mu, item in ((3, "Figure 9(a)"), (2, "Figure 9(b)")):
        noise = theorem_2(8, mu, EPSILON, 0.0)
        at = f"n 7, difference {mu}, epsilon 0.75"
        order = [int(x) for x in np.argsort(-noise, kind="stable")[: len(multiples(8, mu))]]
        claims.append(words(item, f"f falls in the order, {at}, delta 0", FIGURE_1[mu], order))
        zeros = [int(x) for x in np.flatnonzero(noise < SAME)]
        printed = ("nowhere",) if mu == 3 else (1, 3, 5, 7)
        kind: Kind = "stated" if mu == 3 else "quoted"
        claims.append(words(item, f"f is 0 at, {at}, delta 0", printed, zeros or ("nowhere",), kind=kind))
        grows = bool((np.diff(firsts[mu]) >= -SAME).all() and firsts[mu][-1] > firsts[mu][0])
        claims.append(statement(item, f"f(0) grows with delta: at delta 0, 0.1, 0.4, {at}", row(firsts[mu]), grows))
        true = two_sided(noise, (mu,)).delta(EPSILON)
        claims.append(promise(item, f"its delta, {at}, delta 0", 0.0, true, kind="formula"))
    deltas = np.linspace(0, 1, 101)
    gain = np.array([theorem_2(8, 2, EPSILON, d)[0] - theorem_2(8, 3, EPSILON, d)[0] for d in deltas])
    last = float(deltas[gain > SAME].max())
    what = "f(0) is not lower than in plot (a) at any delta: smallest difference, 101 deltas from 0 to 1"
    note = f"it is higher up to delta {last:g}; beyond that the optimum has few masses, and both plots have the same"
    claims.append(statement("Figure 9(b)", what, float(gain.min()), bool(gain.min() > -SAME), note))
    return claims
