"""Claims about section 3 of Wang 2020: the algorithms, and the posterior by brute force."""

import math

import numpy as np

from discreet.infer import wang_pair
from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import beside, formula, quoted
from discreet.papers.wang2020.geometric_draws import EPSILON, noise
from discreet.papers.wang2020.posterior_grid import RELEASED, WINDOW, grid

FAR = 60
"""A window that leaves out less than 1e-9 of the posterior of algorithm 3."""


def positive_draws() -> list[Claim]:
    """Steps 3.a, 3.b and 4: "positive" is 0 or more."""
    seen = np.arange(-60, 61)
    means = {}
    for least in (0, 1):
        draws = np.arange(least, 120)
        weights = noise(draws - seen[:, None])
        means[least] = float(noise(seen) @ ((weights @ draws) / weights.sum(axis=1)))
    note = "Table 1 prints 0.9 for the mean of N_min in algorithm 1, so a draw may be 0"
    return [
        beside(
            "Step 4",
            "mean of the draw for a true count of 0, if draws are 0 or more, and if they are 1 or more",
            f"{means[0]:.4f} and {means[1]:.4f}",
            note,
        )
    ]


def poisson() -> list[Claim]:
    """Step 5: Poisson variables given their sum."""
    rates, counts = (3.0, 5.0, 2.0), (2, 4, 1)
    separate = math.prod(math.exp(-r) * r**k / math.factorial(k) for r, k in zip(rates, counts, strict=True))
    total, size = sum(rates), sum(counts)
    given = separate / (math.exp(-total) * total**size / math.factorial(size))
    ways = math.factorial(size) / math.prod(map(math.factorial, counts))
    multinomial = ways * math.prod((r / total) ** k for r, k in zip(rates, counts, strict=True))
    what = "chance of (2, 4, 1) for Poisson variables with means 3, 5 and 2, given the sum 7"
    return [formula("Step 5", what, multinomial, given)]


def brute_force() -> list[Claim]:
    """Section 3.2: the sum over a grid, beside the posterior without windows."""
    item, claims = "Section 3.2, posterior", []
    for algorithm, window in (("2", 200), ("3", FAR)):
        one, other, table = grid(algorithm, window)
        first, second, exact = wang_pair(RELEASED, epsilon=EPSILON, algorithm=algorithm, ties="paper")  # type: ignore[arg-type]
        for pair in (RELEASED, (252, 355)):
            paper = float(table[one == pair[0], other == pair[1]][0])
            ours = float(exact[first == pair[0], second == pair[1]][0])
            what = f"chance of {pair} given {RELEASED}, algorithm {algorithm}, true counts within {window}"
            claims.append(formula(item, what, paper, ours, tolerance=1e-7))
    one, other, table = grid("2")
    item = "Section 3.2, procedure"
    first, second, exact = wang_pair(RELEASED, epsilon=EPSILON, algorithm="2")
    inside = exact[np.ix_(np.isin(first, one), np.isin(second, other))].sum()
    left_out = float(1 - inside)
    claims += [
        quoted(item, "values of the first true count that are tried", "61", len(one)),
        quoted(item, "values of the second true count that are tried", "61", len(other)),
        beside(
            item,
            f"part of the posterior beyond {WINDOW} of the released counts {RELEASED}, algorithm 2",
            left_out,
            "the counts of a multinomial draw spread more than the noise: 30 is 2.5 standard deviations",
        ),
    ]
    return claims
