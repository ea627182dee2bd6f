"""Claims about Kadam 2024's distortion, its mixed-integer program (13), and what footnote 4 adds to it."""

import itertools
import math

import numpy as np

from discreet import design
from discreet.papers.claim import Claim
from discreet.papers.kadam2024.claim_texts import SAME, comparison, formula, listed, row, statement
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, program_13, pure, two_sided
from discreet.papers.kadam2024.rivals import distribution, modulo, squared_errors
from discreet.papers.kadam2024.single_difference import corollary_1, multiples, theorem_2

BOUNDED = (1, 2, 3)


def distortion() -> list[Claim]:
    """Definition 4, (11), and what wrapping does to counts."""
    noise = modulo(9, 1.0)
    errors = squared_errors(noise)
    second_moment = float(distribution(noise) @ np.arange(9) ** 2)
    long, clamped = modulo(101, 1.0), design.geometric(epsilon=1, upper=100)
    wrapped, kept = squared_errors(long), squared_errors(clamped)
    counts = (
        f"a count of 0 is published as 100 with probability {long.pmf(0)[1][100]:.4f}; clamped geometric noise has"
        f" {kept[0]:.4g} there, and both have {wrapped[50]:.4g} at 50"
    )
    note = f"right for q = 0 alone; for q = 0..8: {row(errors, 2)}, mean {errors.mean():.2f}"
    return [
        formula("Definition 4", "E Z^2 = E (q~ - q)^2 at q = 0, n 8, epsilon 1", second_moment, float(errors[0])),
        formula("Definition 4", "E Z^2 = E (q~ - q)^2 at q = 4, n 8, epsilon 1", second_moment, float(errors[4]), note),
        comparison(
            "Section Introduction",
            "E (q~ - q)^2 at q = 0 of noise modulo 101, n 100, epsilon 1, two-sided",
            float(wrapped[0]),
            counts,
        ),
        statement(
            "Section Introduction",
            "for counts, just add noise modulo n + 1: squared error at q = 0, as a multiple of clamped geometric noise",
            float(wrapped[0] / kept[0]),
            bool(wrapped[0] <= kept[0]),
            "wrapping turns 0 into n; Discreet refuses distances between counts on a cycle",
        ),
    ]


def remarks_on_size() -> list[Claim]:
    """Remarks 1 and 2: larger noise tends to be less likely, so that the squared error is low."""
    claims = []
    for item, mu, n in (("Remark 1", 1, 8), ("Remark 2", 3, 7), ("Remark 2", 7, 7)):
        noise = pure((n + 1,), (mu,), 0.75)
        correlation = _rank_correlation(-noise)
        least = definition_2(n, (mu,), 0.75, 0.0, "squared") @ np.arange(n + 1) ** 2
        ratio = float(noise @ np.arange(n + 1) ** 2 / least)
        order = listed(multiples(n + 1, mu))
        note = f"masses fall in the order {order}; E Z^2 is {ratio:.3g} times the least that is possible"
        what = f"rank correlation of noise and its rarity is positive, n {n}, difference {mu}, epsilon 0.75, delta 0"
        claims.append(statement(item, what, correlation, correlation > 0, note))
    return claims


def _rank_correlation(values: np.ndarray) -> float:
    """Return Spearman's correlation of values with their places."""
    ranks = np.argsort(np.argsort(np.round(values, 12), kind="stable"), kind="stable")
    return float(np.corrcoef(np.arange(len(values)), ranks)[0, 1])


def indicators() -> list[Claim]:
    """Footnotes 1 to 3: the inequalities (13c)-(13g) force y = u f and u = 1 where the ratio exceeds."""
    bound, grid = math.exp(1.5), np.linspace(0, 1, 21)
    slack = []
    for f, after in itertools.product(grid, grid):
        u = int(f > bound * after)
        slack += [u - (f - bound * after), bound - (bound * after - f + bound * u)]
    gaps = [max(abs(max(0.0, u + f - 1) - u * f) + abs(min(1.0, u, 1 - u + f) - u * f) for f in grid) for u in (0, 1)]
    return [
        statement(
            "Footnote 1",
            "(13f) and (13g) hold for the u of (7): smallest slack on a grid of masses, epsilon 1.5",
            min(slack),
            min(slack) > -SAME,
        ),
        statement(
            "Footnote 2", "(13d) and (13e) force y = f where u = 1: largest gap on the grid", gaps[1], gaps[1] < SAME
        ),
        statement("Footnote 3", "y <= u forces y = 0 where u = 0: largest gap on the grid", gaps[0], gaps[0] < SAME),
    ]


def program() -> list[Claim]:
    """(13)-(15)."""
    claims = []
    for printed, delta in ((0.1212, 0.12120251774871107), (0.1522, 0.1521564963332428)):
        shared = float(program_13(8, BOUNDED, 1.5, delta)[0])
        free = float(definition_2(8, BOUNDED, 1.5, delta)[0])
        note = (
            "(13) has one y for all differences, so values exceed for all differences or for none;"
            f" Definition 2 allows {free:.4f}"
        )
        what = f"largest f(0), one-sided, n 8, differences 1 to 3, epsilon 1.5, delta {printed:g}"
        claims.append(formula("Equation (13)", f"(13) represents Definition 2: {what}", shared, free, note))
    size, count = 9, len(BOUNDED)
    note = (
        f"u has the index mu: with one u and one y for each of the {count} differences there are"
        f" {size * (1 + 2 * count)}"
    )
    what = "number of variables, n 8, differences 1 to 3: 3 (n + 1) against one u and one y a difference"
    claims.append(
        Claim(
            "Equation (13)", what, 3 * size, size * (1 + 2 * count), 3 * size == size * (1 + 2 * count), note, "formula"
        )
    )
    for n, differences, epsilon in ((7, (3,), 0.75), (8, BOUNDED, 1.5), (16, (1, 3, 5, 6), 1.0)):
        closed = float(pure((n + 1,), differences, epsilon)[0])
        best = float(definition_2(n, differences, epsilon, 0.0)[0])
        at = f"n {n}, differences {listed(differences)}, epsilon {epsilon:g}"
        claims.append(formula("Equation (14)", f"for delta 0 a linear program is enough: f(0), {at}", closed, best))
    for epsilon in (0.5, 1.0):
        noise = definition_2(7, (1,), epsilon, None, limit=0.3)
        least, closed = one_sided_delta(noise, (1,), epsilon), corollary_1(8, epsilon, 0.3)
        true = two_sided(theorem_2(8, 1, epsilon, closed), (1,)).delta(epsilon)
        note = f"two-sided, the noise of Theorem 2 with this delta has {true:.4f}"
        at = f"n 7, difference 1, epsilon {epsilon:g}, error rate 0.3"
        claims.append(formula("Equation (15)", f"least delta, one-sided, {at}; by Corollary 1", closed, least, note))
    return claims


def footnote_4() -> list[Claim]:
    """Mean 0, and masses that are forced to be equal."""
    claims, n, epsilon = [], 6, 1.0
    signed = np.array([0, 1, 2, 3, -3, -2, -1])
    free, centred = (definition_2(n, (1, 2), epsilon, 0.0, zero_mean=zero_mean) for zero_mean in (False, True))
    what = f"mean 0 can be asked for: mean of the noise, n {n}, differences 1 2, epsilon 1, delta 0, one-sided"
    mean = float(signed @ centred)
    note = f"without it the mean is {signed @ free:.4f}; the largest f(0) falls from {free[0]:.4f} to {centred[0]:.4f}"
    claims.append(statement("Footnote 4", what, mean, abs(mean) < SAME, note))
    alike = definition_2(n, (1, 2), epsilon, 0.0, classes=(0, 1, 1, 1, 1, 1, 1))
    response = math.exp(epsilon) / (math.exp(epsilon) + n)
    what = f"masses can be forced equal: f(0) with six equal masses, n {n}, epsilon 1, is randomized response"
    claims.append(formula("Footnote 4", what, response, float(alike[0])))
    cost = tuple(float(x) for x in np.arange(n + 1) ** 2)
    plain = distribution(modulo(n + 1, epsilon, objective=cost))
    centred_noise = distribution(modulo(n + 1, epsilon, objective=cost, zero_mean=True))
    what = f"two-sided, cost x^2, n {n}, difference 1, epsilon 1: mean without and with zero_mean=True"
    note = f"the cost rises from {plain @ np.array(cost):.4f} to {centred_noise @ np.array(cost):.4f}"
    claims.append(comparison("Footnote 4", what, row([float(signed @ plain), float(signed @ centred_noise)]), note))
    return claims
