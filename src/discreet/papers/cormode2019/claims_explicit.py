"""Sections 6.1 and 6.2 with their proofs: GM, the bound on fair mechanisms, EM, and what is better than EM."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.assess.properties import column_epsilon
from discreet.certify.table import PROPERTIES
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.count_mechanisms import (
    distances,
    epsilon_of,
    least_wrong,
    matrix,
    named,
    optimal,
    powers,
    value,
)
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated
from discreet.papers.wording import SLIGHTLY, slightly

EXPONENTS = "01234444 10123333 11012333 22101222 22210122 33321011 33332101 44443210"
"""Figure 4 as printed: the power of alpha at output i (words) and true count j (digits), n = 7."""

ALPHAS = ("1/2", "2/3", "0.76", "9/10", "10/11")


def exponent(i: int, j: int, n: int) -> int:
    """Return the power of alpha at output i and true count j, by equation (17)."""
    distance, edge = abs(i - j), min(j, n - j)
    return distance if distance < edge else -(-(distance + edge) // 2)


def exponents(n: int) -> Floats:
    """Return all powers of alpha of EM."""
    return np.array([[exponent(i, j, n) for j in range(n + 1)] for i in range(n + 1)], dtype=np.float64)


def printed_diagonal(n: int, alpha: float) -> float:
    """Return y as equation (16) prints it."""
    return float((1 - alpha) / (1 + alpha - 2 * alpha ** (n / 2 + 1)))


def geometric() -> Sequence[Claim]:
    """Judge Figure 3, Theorem 5, Lemmas 3 and 4 and the cost of GM."""
    grid = [(n, alpha) for n in range(2, 26) for alpha in ALPHAS]
    honest = [("WH" in named("GM", n, a).properties()) == (n * (1 - Fraction(a)) >= 2 * Fraction(a)) for n, a in grid]
    monotone = [("CM" in named("GM", n, a).properties()) == (Fraction(a) <= Fraction(1, 2)) for n, a in grid]
    near = ["CM" in named("GM", 5, alpha).properties() for alpha in ("0.49", "1/2", "0.51")]
    always = [{"S", "RM"} <= named("GM", n, a).properties() for n, a in grid]
    costs = [close(named("GM", n, a).loss("L0"), 2 * value(a) / (1 + value(a))) for n, a in grid]
    structure = [bool(np.abs(matrix("GM", n, a) - figure_3(n, value(a))).max() < 1e-12) for n, a in grid]
    optima = [close(least_wrong(n, a, ""), named("GM", n, a).loss("L0")) for n in (2, 5, 8) for a in ALPHAS]
    pulled = [powers(0, 8) + pull * powers(power, 8) for power in (1, 2) for pull in (1e-4, -1e-4)]
    only = [
        bool(
            np.abs(design.constrained(n=8, alpha="0.91", objective=cost).matrix() - matrix("GM", 8, "0.91")).max()
            < SAME
        )
        for cost in pulled
    ]
    single = named("GM", 1, "9/10").properties()
    return [
        stated("Figure 3", "the structure of GM: n = 2..25, five alphas", "all", every(structure)),
        stated(
            "Theorem 5", "least L0 by linear programs is that of GM: n = 2, 5, 8, five alphas", "all", every(optima)
        ),
        stated(
            "Theorem 5", "n = 8, alpha = .91: GM stays optimal for L0 pulled to and from L1, L2", "all", every(only)
        ),
        stated("Lemma 3", "GM has WH iff n >= 2 alpha/(1-alpha): n = 2..25, five alphas", "all", every(honest)),
        stated("Lemma 4", "GM has CM iff alpha <= 1/2: n = 2..25, five alphas", "all", every(monotone)),
        stated(
            "Lemma 4",
            "GM, n = 5, has CM at alpha = .49, .5, .51",
            "yes yes no",
            " ".join("yes" if y else "no" for y in near),
        ),
        ours(
            "Section 6",
            "n = 1, alpha = .9, which section 6 leaves out: properties of GM",
            " ".join(sorted(single)),
            len(single) == 7,
        ),
        judged(
            "Proof of Lemma 4",
            "the printed condition Pr[1|1] <= Pr[0|1] at alpha = .4, where GM has CM",
            "yes",
            "yes" if matrix("GM", 5, "0.4")[1, 1] <= matrix("GM", 5, "0.4")[0, 1] else "no",
            bool(matrix("GM", 5, "0.4")[1, 1] <= matrix("GM", 5, "0.4")[0, 1]),
            "column monotonicity is Pr[0|1] <= Pr[1|1]; as printed the condition would be alpha >= 1/2",
        ),
        stated("Section 6.1", "GM has S and RM: n = 2..25, five alphas", "all", every(always)),
        stated("Section 6.1", "L0 of GM is 2 alpha/(1+alpha): n = 2..25, five alphas", "all", every(costs)),
        ours(
            "Theorem 5",
            "40 priors, n = 8: GM is optimal iff no step of the prior exceeds 1/alpha",
            every(_priors()),
            all(_priors()),
        ),
    ]


def figure_3(n: int, alpha: float) -> Floats:
    """Return GM as Figure 3 prints it."""
    x, y = 1 / (1 + alpha), (1 - alpha) / (1 + alpha)
    return np.array([x, *[y] * (n - 1), x])[:, None] * alpha ** distances(n)


def _priors() -> list[bool]:
    """Return for 40 random priors whether GM is optimal exactly if no step exceeds 1/alpha."""
    rng, kept = np.random.default_rng(2019), []
    for _ in range(40):
        prior = np.exp(np.cumsum(rng.uniform(-0.17, 0.17, 9)))
        prior /= prior.sum()
        within = bool(np.abs(np.diff(np.log(prior))).max() <= epsilon_of("0.86"))
        least = design.constrained(n=8, alpha="0.86", weights=prior).loss("L0", prior)
        kept.append(within == (named("GM", 8, "0.86").loss("L0", prior) - least < 1e-12))
    return kept


def fair_bound() -> Sequence[Claim]:
    """Judge Lemma 5 and equation (16), which are wrong for odd n, and two statements on fair mechanisms."""
    claims = []
    for n, alpha in ((2, "2/3"), (4, "10/11"), (8, "9/10"), (3, "9/10"), (5, "2/3"), (7, "10/11")):
        y, bound = float(matrix("EM", n, alpha)[0, 0]), printed_diagonal(n, value(alpha))
        note = f"for odd n, y = 1 / sum_i alpha^|i-(n-1)/2|: here {y:.6f}, and not {bound:.6f}"
        what = f"n = {n}, alpha = {alpha}: y of EM is at most the printed bound"
        claims.append(judged("Lemma 5", what, round(bound, 6), y, y <= bound + 1e-12, note, "formula"))
        what = f"n = {n}, alpha = {alpha}: column sum of (17) with the printed y"
        claims.append(measured("Equation (16)", what, 1, bound / y, 6, note, "formula"))
    tight = [float(np.ptp((value(a) ** distances(n)).sum(axis=0))) > SAME for n, a in product(range(2, 13), ALPHAS)]
    best = {kind: float(optimal(7, "0.91", kind, ("F",)).matrix()[0, 0]) for kind in ("L1", "L2")}
    y = float(matrix("EM", 7, "0.91")[0, 0])
    return [
        *claims,
        stated(
            "Section 6.2", "no fair mechanism has all inequalities tight: n = 2..12, five alphas", "all", every(tight)
        ),
        judged(
            "Section 6.2, larger y",
            "fair optimum for L1, n = 7, alpha = .91: y is the largest",
            round(y, 6),
            best["L1"],
            close(best["L1"], y),
            "no",
        ),
        judged(
            "Section 6.2, larger y",
            "fair optimum for L2, n = 7, alpha = .91: y is the largest",
            round(y, 6),
            best["L2"],
            close(best["L2"], y),
            f"right for L0; the fair mechanism of least L2 has y = {best['L2']:.6f}, and not {y:.6f}",
        ),
    ]


def explicit_fair() -> Sequence[Claim]:
    """Judge EM: Figure 4, equation (17), section 6.2, Theorem 6."""
    printed = np.array([[int(digit) for digit in word] for word in EXPONENTS.split()])
    grid = list(product(range(2, 13), ALPHAS))
    formula = [
        bool(np.abs(matrix("EM", n, a) - matrix("EM", n, a)[0, 0] * value(a) ** exponents(n)).max() < SAME)
        for n, a in grid
    ]
    costs = [close(named("EM", n, a).loss("L0"), (n + 1) / n * (1 - float(matrix("EM", n, a)[0, 0]))) for n, a in grid]
    all_seven = [named("EM", n, a).properties() == frozenset(PROPERTIES) for n, a in grid]
    private = [named("EM", n, a).epsilon() <= epsilon_of(a) + SAME for n, a in grid]
    optima = [close(least_wrong(n, a, "F"), named("EM", n, a).loss("L0")) for n in (2, 3, 5, 8) for a in ALPHAS]
    em, gm = np.diagonal(matrix("EM", 7, "0.76")), np.diagonal(matrix("GM", 7, "0.76"))
    larger = bool((em[1:-1] > gm[1:-1]).all() and em[0] < gm[0] and em[-1] < gm[-1])
    steps = float((em[1:-1] / gm[1:-1]).max())
    halved = 0.5 ** (exponents(7) / 2)
    quality = Mechanism.from_matrix(halved / halved.sum(axis=0))
    return [
        stated(
            "Figure 4",
            "EM, n = 7: the 64 powers of alpha",
            "all",
            every((exponents(7) == printed).ravel()),
            kind="quoted",
        ),
        stated("Equation (17)", "EM is y alpha^e: n = 2..12, five alphas", "all", every(formula)),
        stated("Section 6.2", "L0 of EM is (n+1)/n (1-y): n = 2..12, five alphas", "all", every(costs)),
        stated(
            "Section 6.2",
            f"n = 7, alpha = .76: diagonal of EM slightly above GM's but for the two corners, ratio {steps:.2f}"
            f" {SLIGHTLY}",
            "yes",
            "yes" if larger and slightly(steps, 1) else "no",
        ),
        measured(
            "Section 6.2",
            "n = 7, alpha = 1/2: epsilon of an exponential mechanism with the exponents of (17), as part of its budget",
            0.5,
            quality.epsilon() / epsilon_of("1/2"),
            6,
            kind="stated",
        ),
        stated("Theorem 6", "EM has all seven: n = 2..12, five alphas", "all", every(all_seven)),
        stated("Theorem 6", "EM is private: n = 2..12, five alphas", "all", every(private)),
        stated(
            "Theorem 6",
            "least L0 of fair mechanisms by linear programs is that of EM: n = 2, 3, 5, 8, five alphas",
            "all",
            every(optima),
        ),
    ]


def better_fair() -> Sequence[Claim]:
    """Add EM*, which has the L0 and the properties of EM and smaller errors."""
    em, star = named("EM", 12, "0.67"), named("EM*", 12, "0.67")
    ends = [
        design.constrained(n=8, alpha="0.67", properties="all", objective=powers(0, 8) + pull * powers(2, 8)).loss("L2")
        for pull in (1e-4, -1e-4)
    ]
    reached = all(
        abs(end - named(name, 8, "0.67").loss("L2")) < 1e-4 for end, name in zip(ends, ("EM*", "EM"), strict=True)
    )
    excess = named("EM*", 7, "0.91").loss("L2") / optimal(7, "0.91", "L2", PROPERTIES).loss("L2")
    return [
        ours(
            "Theorem 6",
            "n = 12, alpha = .67: L0 of EM, of EM*",
            listed([em.loss("L0"), star.loss("L0")]),
            close(em.loss("L0"), star.loss("L0")),
        ),
        ours(
            "Theorem 6",
            "n = 12, alpha = .67: L2 of EM, of EM*",
            listed([em.loss("L2"), star.loss("L2")]),
            star.loss("L2") < em.loss("L2"),
        ),
        ours(
            "Theorem 6",
            "n = 8, alpha = .67: least and most L2 with all seven and least L0, which EM* and EM have",
            listed(ends),
            reached,
        ),
        ours("Theorem 6", "n = 7, alpha = .91: L2 of EM* over the least with all seven", excess, 1 <= excess < 1.002),
    ]


def proofs() -> Sequence[Claim]:
    """Judge the proofs of Theorems 5 and 6 in the appendix."""
    solved = []
    for n, alpha in product(range(2, 13), ALPHAS):
        diagonal = np.linalg.solve(value(alpha) ** distances(n), np.ones(n + 1))
        solved.append(bool(np.abs(diagonal - np.diagonal(matrix("GM", n, alpha))).max() < 1e-9))
    sums: list[bool] = []
    odd: list[bool] = []
    steps: list[bool] = []
    for n, alpha in product(range(2, 13), ALPHAS):
        a, y = value(alpha), float(matrix("EM", n, alpha)[0, 0])
        half = n // 2
        rest = a ** (half + 1) if n % 2 else 0.0
        (odd if n % 2 else sums).append(close(y * (1 + 2 * sum(a**k for k in range(1, half + 1)) + rest), 1.0))
        down = np.abs(np.diff(exponents(n), axis=0))
        steps.append(bool(down.max() <= 1) and close(column_epsilon(named("EM", n, alpha)), epsilon_of(alpha)))
    a, y = 0.5, float(matrix("EM", 8, "1/2")[0, 0])
    printed = y * (1 + sum(2 * a**i for i in range(1, 3)) + sum(a ** -(-i // 2) for i in range(2, 9)))
    third = named("EM", 8, "1/2").matrix()
    return [
        stated(
            "Equations (19)-(21)",
            "n = 2..12, five alphas: the columns of P' sum to 1 for the diagonal of GM alone",
            "all",
            every(solved),
        ),
        stated(
            "Proof of Theorem 6", "even n to 12: a column is y (1 + 2 sum alpha^i)", "all", every(sums), kind="formula"
        ),
        stated(
            "Proof of Theorem 6",
            "odd n to 11: one more term, alpha^ceil(n/2), and y is chosen so",
            "all",
            every(odd),
            kind="formula",
        ),
        measured(
            "Proof of Theorem 6",
            "n = 8, alpha = 1/2, j = 2: sum of the printed terms of a column",
            1,
            printed,
            6,
            "the sums must run over i = 1..j-1, once alpha^j, and i = 2j..n",
            "formula",
        ),
        judged(
            "Proof of Theorem 6",
            "n = 8, alpha = 1/2, case (3), i = 0, j = 4: Pr[i+1|j] <= Pr[i|j] as printed",
            "yes",
            "yes" if third[1, 4] <= third[0, 4] else "no",
            bool(third[1, 4] <= third[0, 4]),
            "for i < j the chance rises towards the diagonal: Pr[i|j] <= Pr[i+1|j]",
            "formula",
        ),
        stated(
            "Equation (22)", "steps along a row are factors 1 or alpha: n = 2..12", "all", every(_rows_step_by_one())
        ),
        stated(
            "Proof of Theorem 6",
            "steps down a column are factors 1 or alpha: n = 2..12, five alphas",
            "all",
            every(steps),
            kind="formula",
        ),
    ]


def _rows_step_by_one() -> list[bool]:
    return [bool(np.abs(np.diff(exponents(n), axis=1)).max() <= 1) for n in range(2, 13)]


CLAIMS = (geometric, fair_bound, explicit_fair, better_fair, proofs)
