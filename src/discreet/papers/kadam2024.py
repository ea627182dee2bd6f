"""Kadam et al. 2024, Optimum noise mechanism for differentially private queries in discrete finite sets.

The paper publishes q~ = (q + Z) modulo N = n + 1 and looks for the law f of Z. Its set M of differences between
neighbours holds mu and not -mu. Neighbours are symmetric, so its promises are not kept: every law that is printed or
drawn is recomputed here in the paper's one-sided reading (`kadam2024_onesided`), and its two-sided delta, which is
the true one, stands beside it, next to the best law that does keep the promise (`design.cyclic`).

Where the paper gives a formula or a picture and no number, the column `paper` holds the formula's value, or nothing.
Epsilon or delta of Figures 9, 11, 12 and 14 are not printed; those used here are named.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from discreet import design
from discreet.papers import kadam2024_fair as fair
from discreet.papers import kadam2024_onesided as onesided
from discreet.papers.claim import Claim, number
from discreet.papers.kadam2024_fair import SAME, listed, modulo, promise, row
from discreet.papers.kadam2024_figures import figures

__all__ = ["claims", "figures"]

TABLE_1 = (
    (0.0, 0.0, (0.5432, 0.1212, 0.1212, 0.1212, 0.0270, 0.0270, 0.0270, 0.0060, 0.0060)),
    (0.1212, 0.1212, (0.5432, 0.1212, 0.1212, 0.1212, 0.0270, 0.0270, 0.0270, 0.0060, 0.0060)),
    (0.1238, 0.13, (0.5548, 0.1238, 0.1238, 0.1238, 0.0276, 0.0276, 0.0062, 0.0062, 0.0062)),
    (0.1522, 0.16, (0.5575, 0.1244, 0.1244, 0.1244, 0.0278, 0.0278, 0.0062, 0.0062, 0.0014)),
)
"""The printed delta, a delta in the interval on which (13) has this law, and the law."""

THEOREM_3 = ((9, 4, 1.0), (15, 5, 1.0), (20, 5, 1.0), (24, 6, 0.5))
"""n, mu_bar and epsilon, with b + r < mu_bar."""

SIDE = [(a, b) for a in range(3) for b in range(3) if a or b]
"""The differences of equation (57)."""

BOUNDED = (1, 2, 3)


def claims() -> list[Claim]:
    """Every number the paper prints, its theorems at some parameters, and what its figures are said to show."""
    return [
        *_table_1(),
        *_lemmas(),
        *_theorem_2(),
        *_corollary_1(),
        *_theorem_3(),
        *_limits(),
        *_vectors(),
        *_distortion(),
        *fair.claims(),
    ]


def _printed(where: str, what: str, paper: Sequence[float], ours: Iterable[float], note: str = "") -> Claim:
    """A claim about several numbers, printed with four digits."""
    found = [float(value) for value in ours]
    agrees = len(found) == len(paper) and all(round(a, 4) == b for a, b in zip(found, paper, strict=True))
    return Claim(where, what, row(paper), row(found), agrees, note)


def _table_1() -> list[Claim]:
    """n 8, M = {1, 2, 3}, epsilon 1.5, also Figure 10."""
    found, n, epsilon = [], 8, 1.5
    for printed, asked, expected in TABLE_1:
        law = onesided.literal(n, BOUNDED, epsilon, asked)
        mechanism = onesided.two_sided(law, BOUNDED)
        at = f"n 8, differences 1 to 3, epsilon 1.5, delta {printed:g}"
        found.append(_printed("Table 1", f"f(0..8), {at}", expected, law))
        best = fair.distribution(modulo(n + 1, epsilon, delta=printed, neighbours=BOUNDED))
        note = (
            f"probabilistic {mechanism.delta(epsilon, kind='pdp'):.4f}, and pure only at epsilon"
            f" {mechanism.epsilon():.3g}; the best law that keeps delta {printed:g} has f(0) = {best[0]:.4f}"
        )
        found.append(promise("Table 1", f"its delta, {at}", printed, mechanism.delta(epsilon), note))
        if not printed:
            continue
        exceeding = onesided.probabilistic(law, BOUNDED, epsilon)
        end = exceeding or float(law[1])
        what = f"where a flat region {'begins' if exceeding else 'ends'}, {at}"
        found.append(number("Figure 10", what, printed, end, 4))
        optimum = float(onesided.definition_2(onesided.wrong(n), BOUNDED, epsilon, end)[0])
        note = "(13) has one y for all differences, so it allows less than Definition 2, which it is to represent"
        what = f"largest f(0), one-sided, {at}"
        found.append(number("Definition 2", what, expected[0], optimum, 4, note if optimum > law[0] + SAME else ""))
    return found


def _lemmas() -> list[Claim]:
    """Lemmas 3 and 4: pure laws."""
    found = []
    cases: tuple[tuple[str, int, tuple[int, ...], float], ...] = (
        ("Lemma 3", 7, (3,), 0.75),
        ("Lemma 3", 7, (2,), 0.75),
        ("Lemma 4", 8, BOUNDED, 1.5),
        ("Lemma 4", 10, (1, 2, 3, 4), 1.0),
    )
    for where, n, differences, epsilon in cases:
        law = onesided.pure((n + 1,), differences, epsilon)
        mechanism = onesided.two_sided(law, differences)
        at = f"n {n}, differences {listed(differences)}, epsilon {epsilon:g}"
        programmed = onesided.literal(n, differences, epsilon, 0)[0]
        found.append(
            Claim(
                where,
                f"largest f(0), one-sided, {at}",
                float(law[0]),
                float(programmed),
                abs(programmed - law[0]) < SAME,
            )
        )
        best = float(fair.distribution(modulo(n + 1, epsilon, neighbours=differences, public_classes=True))[0])
        true, note = mechanism.epsilon(), f"two-sided the largest f(0) is {best:.4f}"
        found.append(
            Claim(
                where,
                f"its epsilon, {at}",
                epsilon,
                true,
                true < epsilon + SAME,
                f"PRIVACY: {true:.4g}, not {epsilon:g}; {note}",
            )
        )
        found.append(promise(where, f"its delta at epsilon, {at}", 0.0, mechanism.delta(epsilon)))
    return found


def _theorem_2() -> list[Claim]:
    """A single difference with delta, Figure 9; Remark 3."""
    found, n, epsilon = [], 7, 0.75
    for mu in (3, 2):
        for delta in (0.05, 0.1, 0.2, 0.4):
            law = onesided.single(n + 1, mu, epsilon, delta)
            at = f"n 7, difference {mu}, epsilon 0.75, delta {delta:g}"
            best = float(onesided.definition_2(onesided.wrong(n), (mu,), epsilon, delta)[0])
            agrees = abs(best - law[0]) < SAME
            found.append(Claim("Theorem 2", f"largest f(0), one-sided, {at}", float(law[0]), best, agrees))
            true = onesided.two_sided(law, (mu,)).delta(epsilon)
            found.append(promise("Theorem 2", f"its delta, {at}", delta, true))
    ends = [end for pair in onesided.regions(n + 1, epsilon)[1:-1] for end in pair]
    kinks = [float(onesided.single(n + 1, 3, epsilon, end)[0]) for end in ends]
    flat = all(abs(a - b) < SAME for a, b in zip(kinks[::2], kinks[1::2], strict=True))
    found.append(
        Claim("Equation (19)", "f(0) is the same at both ends of each flat region", None, row(kinks[::2]), flat)
    )
    right = float(onesided.single(n + 1, 2, epsilon, 0)[0])
    as_printed = float(onesided.pure((5,), (1,), epsilon)[0])
    note = "n has to become N_mu - 1, as N_mu counts the values 0, mu, 2 mu, ...; printed is N_mu"
    what = "f(0) for n 7, difference 2, epsilon 0.75, delta 0"
    found.append(Claim("Remark 3", what, as_printed, right, abs(as_printed - right) < SAME, note))
    return found


def _corollary_1() -> list[Claim]:
    """The least delta for a given error rate: true one-sided."""
    found, rho = [], 0.3
    roots = onesided.epsilons(8, rho)
    errors = [1 - onesided.pure((8 - k,), (1,), root)[0] for k, root in enumerate(roots[:-1])]
    note = f"epsilon_k, k = 0..7: {row(roots)}"
    holds = max(abs(error - rho) for error in errors) < SAME
    what = "error rate of the flat laws at epsilon_k, n 7"
    found.append(Claim("Equation (25)", what, rho, float(max(errors)), holds, note))
    for epsilon in (0.5, 1.0, 1.1):
        stated = onesided.least_delta(8, epsilon, rho)
        law = onesided.definition_2(onesided.wrong(7), (1,), epsilon, None, rho)
        best = onesided.probabilistic(law, (1,), epsilon)
        at = f"n 7, difference 1, epsilon {epsilon:g}, error rate 0.3"
        found.append(Claim("Corollary 1", f"least delta, one-sided, {at}", stated, best, abs(stated - best) < SAME))
        least = modulo(8, epsilon, distortion=rho)
        note = f"the least delta that is true is {least.delta(epsilon):.4f}"
        true = onesided.two_sided(onesided.single(8, 1, epsilon, stated), (1,)).delta(epsilon)
        found.append(promise("Corollary 1", f"its delta, {at}", stated, true, note))
    return found


def _theorem_3() -> list[Claim]:
    """Differences 1..mu with delta."""
    found = []
    for n, mu, epsilon in THEOREM_3:
        differences = range(1, mu + 1)
        for h in range(1, n // mu):
            for j in range(1, h + 1):
                law, claimed, first = onesided.theorem_3(n, mu, epsilon, h, j)
                at = f"n {n}, mu {mu}, epsilon {epsilon:g}, h {h}, j {j}"
                mass = f"for j = h (mu-1) alpha^(b+1) is left out: the law would sum to {first / law[0]:.4f}, {at}"
                note = "" if j < h else mass
                same = abs(law[0] - first) < SAME
                found.append(Claim("Equations (34)-(36)", f"f(0), {at}", first, float(law[0]), same, note))
                delta = onesided.probabilistic(law, differences, epsilon)
                beyond = "PRIVACY: beyond its own delta even one-sided: another level exceeds, for b >= 4 and j < h - 1"
                true = onesided.two_sided(law, differences).delta(epsilon)
                note = f"two-sided {true:.4f}, {at}"
                kept = delta < claimed + SAME
                note = note if kept else f"{beyond}; {note}"
                found.append(Claim("Equation (37c)", f"delta, one-sided, {at}", claimed, delta, kept, note))
    alpha, what = math.exp(-1.5), "largest f(0), one-sided, n 4, mu 3, epsilon 1.5, delta 0.15"
    theorem, better = onesided.staircase(4, 3, 1.5), np.array([1, alpha, alpha, alpha, 0]) / (1 + 3 * alpha)
    delta = onesided.probabilistic(better, BOUNDED, 1.5)
    note = f"not optimal: (c, c alpha, c alpha, c alpha, 0) has delta {delta:.4f} for each difference"
    found.append(Claim("Theorem 3", what, float(theorem[0]), float(better[0]), delta > 0.15, note))
    law, _, _ = onesided.theorem_3(20, 5, 1.0, 3, 1)
    optimum = float(onesided.literal(20, range(1, 6), 1.0, 0.1)[0])
    note = f"flat law (3, 1) needs {onesided.probabilistic(law, range(1, 6), 1.0):.4f}; within 0.1 it is {optimum:.4f}"
    what = "largest f(0) under (13), n 20, mu 5, epsilon 1, delta 0.1"
    found.append(Claim("Theorem 3", what, float(law[0]), optimum, abs(law[0] - optimum) < SAME, note))
    for where, n in (("Table 1", 8), ("Figure 12", 9)):
        b, r = divmod(n, 3)
        note = f"{where} is outside Theorem 3: (13) was solved instead"
        found.append(
            Claim(where, f"b + r, n {n}, mu 3; Theorem 3 asks for less than 3", "< 3", float(b + r), b + r < 3, note)
        )
    return found


def _limits() -> list[Claim]:
    """Equations (44)-(53): n to infinity."""
    found = []
    for mu, where in ((1, "Equations (44)-(45)"), (3, "Equations (46)-(48)")):
        for epsilon in (0.3, 1.0, 2.0):
            alpha = math.exp(-epsilon)
            mass = 1 + mu * alpha / (1 - alpha)
            rate, two = 1 - 1 / mass, 1 - 1 / (2 * mass - 1)
            paper = 0.5 if epsilon < math.log(1 + mu) else rate
            capped = f"the cap of 0.5 has no ground: that law sums to {0.5 * mass:.4f}; "
            note = f"{capped if paper != rate else ''}two-sided {two:.4f}"
            what = f"error rate, differences 1 to {mu}, epsilon {epsilon:g}, one-sided"
            found.append(Claim(where, what, paper, rate, abs(paper - rate) < SAME, note))
    for c, j in ((1, 1), (1, 3), (2, 2)):
        limit, paper = onesided.limit_52(7, 1.0, c, j)
        note = "the limit of (34) has level c + j + 1 whole and those beyond c short; (53) has all up to c + j whole"
        what = f"f(0), mu 7, epsilon 1, c {c}, j {j}"
        found.append(Claim("Equations (52)-(53)", what, paper, limit, abs(paper - limit) < SAME, note))
    return found


def _vectors() -> list[Claim]:
    """Two answers at once: equation (57)."""
    scalar, joint = onesided.pure((5,), (1, 2), 1.5), onesided.pure((5, 5), SIDE, 3.0)
    both = modulo_pair(SIDE)
    product = float(fair.distribution(modulo(5, 1.5, neighbours=(1, 2)))[0]) ** 2
    note = (
        f"two-sided f(0, 0) is {both:.4f} for these differences and their negatives,"
        f" {modulo_pair('all'):.4f} for all differences up to 2, and {product:.4f} for two answers apart"
    )
    return [
        _printed(
            "Vectors",
            "f_1 = f_2, n 4, differences 1 2, epsilon 1.5",
            (0.6469, 0.1443, 0.1443, 0.0322, 0.0322),
            scalar,
            "printed without one of the two 0.1443",
        ),
        promise("Vectors", "its delta", 0.0, onesided.two_sided(scalar, (1, 2)).delta(1.5)),
        _printed("Equation (57)", "last row", (0.0017,) * 5, joint[-1]),
        _printed("Equation (57)", "margins", (0.7681, 0.1073, 0.1073, 0.0086, 0.0086), joint.sum(axis=0)),
        promise("Equation (57)", "its delta at epsilon 3", 0.0, onesided.two_sided(joint, SIDE).delta(3.0), note),
    ]


def modulo_pair(differences: Any) -> float:
    """Two-sided f(0, 0) of two answers of five values, epsilon 3."""
    return float(design.cyclic(shape=(5, 5), epsilon=3, neighbours=differences).pmf((0, 0))[1][0])


def _distortion() -> list[Claim]:
    """What a residue costs, and what wrapping does to counts."""
    noise = modulo(9, 1.0)
    errors = fair.squared(noise)
    long, geometric = modulo(101, 1.0), design.geometric(epsilon=1, upper=100)
    wrapped, kept = fair.squared(long), fair.squared(geometric)
    counts = (
        f"a count of 0 is published as 100 with probability {long.pmf(0)[1][100]:.4f}; clamped geometric noise has"
        f" {kept[0]:.4g} there, and both have {wrapped[50]:.4g} at 50"
    )
    where = "Distortion"
    return [
        Claim(
            where,
            "E Z^2, two-sided noise, n 8, epsilon 1, is E (q~ - q)^2 of every q; of q = 4",
            float(fair.distribution(noise) @ np.arange(9) ** 2),
            float(errors[4]),
            False,
            f"it is that of q = 0 alone; by q: {row(errors, 2)}, mean {errors.mean():.2f}",
        ),
        Claim(
            where,
            "E (q~ - q)^2 at q = 0, n 100, epsilon 1: modulo beside clamped",
            None,
            float(wrapped[0]),
            False,
            counts,
        ),
    ]
