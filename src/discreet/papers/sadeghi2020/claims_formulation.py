"""Claims about Sadeghi 2020, sections I and II: what is announced, the properties, and Example 1."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from discreet.design import constrained, fair, geometric
from discreet.mechanism import Mechanism
from discreet.papers.claim import Claim, number
from discreet.papers.sadeghi2020.claim_forms import beside, exceptions, listed, statement
from discreet.papers.sadeghi2020.equal_variance import of_parameter
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    KNEES,
    Setting,
    bound,
    exact,
    knee,
    optimum,
    per_output,
    printed,
    program,
)
from discreet.papers.sadeghi2020.two_point_noise import (
    Points,
    choices,
    combined,
    decomposed,
    two_point,
)
from discreet.papers.wording import ABOUT, LITTLE, MUCH, SLIGHTLY, about, little, much, slightly

EXAMPLE_1 = Setting(0.5, 0.5, 2)
"""Example 1 has N 3, eta 1/2 and D 2. It has no epsilon; .5 is ours."""

Coefficients = Mapping[Points, str]

_DOWN_2: Coefficients = {(-2, 2): "1/4", (-2, 1): "1/6"}
_DOWN_1: Coefficients = {(-1, 1): "1/4", (-1, 2): "1/3"}
_UP_1: Coefficients = {(-1, 1): "1/4", (-2, 1): "1/3"}
_UP_2: Coefficients = {(-2, 2): "1/4", (-1, 2): "1/6"}
_TRUE: Coefficients = {(0, 0): "1/2"}
_NONE: Coefficients = {}

MATRIX_5: Mapping[int, Sequence[Coefficients]] = {
    1: (_NONE, _DOWN_1, _TRUE, {(-1, 1): "1/4"}, {(-1, 2): "1/6"}),
    2: (_DOWN_2, _DOWN_1, _TRUE, _UP_1, _UP_2),
    3: (_DOWN_2, _DOWN_1, _TRUE, _UP_1, _UP_2),
}
"""(5) as printed: for each count n the factors of alpha_(i_1, i_2, n) at z = -2, ..., 2; (0, 0) is a constant."""

MATRIX_6: Mapping[int, Sequence[Coefficients]] = {
    1: (_DOWN_1, _TRUE, {(-1, 1): "1/4"}, {(-1, 2): "1/6"}, _NONE, _NONE),
    2: (_DOWN_2, _DOWN_1, _TRUE, _UP_1, _UP_2, _NONE),
    3: (_NONE, _DOWN_2, _DOWN_1, _TRUE, _UP_1, _UP_2),
}
"""(6) as printed: the same at y = 0, ..., 5."""

FIRST_4, SECOND_4 = {-1: "1/4", 0: "1/2"}, {-1: "1/3", 0: "1/2", 2: "1/6"}
"""The two distributions of (4), as printed."""


def introduction() -> list[Claim]:
    """Judge what section I says of other mechanisms, of the census, and of approximate privacy."""
    restricted, explicit = geometric(epsilon=1, upper=6), fair(n=6, epsilon=1, variant="paper")
    best = constrained(n=6, epsilon=1, properties=(), objective="L0").loss("L0")
    truths = np.diag(restricted.matrix())
    ends = geometric(epsilon="0.01", upper=6).matrix()[[0, 6]].sum(axis=0).min()
    known, other = "Section I, geometric noise", "Section I, explicit fair mechanism"
    noise = printed(FIGURE_1)
    above = noise.delta(FIGURE_1.epsilon, kind="pdp")
    wide, narrow = noise.interior[0], of_parameter(FIGURE_1).interior[0]
    ratios = [float(wide.values[wide.outputs == z][0] / narrow.values[narrow.outputs == z][0]) for z in (1, 2, 3)]
    excess = float(wide.values[wide.outputs == 0][0] / wide.values[wide.outputs == 1][0]) / math.exp(2.18) - 1
    sharp = optimum(KNEES[0])
    return [
        statement(
            known,
            "geometric noise has the least chance of error: L0, and the least L0 by a program, counts 0..6, epsilon 1",
            f"{restricted.loss('L0'):.6f}, {best:.6f}",
            math.isclose(restricted.loss("L0"), best, rel_tol=1e-8),
        ),
        statement(
            known,
            "the chance of error depends on the count: at 0 and at 3, counts 0..6, epsilon 1",
            listed([1 - truths[0], 1 - truths[3]], 4),
            bool(truths[0] != truths[3]),
        ),
        statement(
            known,
            "for epsilon to 0 it overwhelmingly reports 0 or the largest count: largest chance of another, counts 0..6,"
            f" epsilon 0.01 {LITTLE}",
            float(1 - ends),
            little(1 - ends),
        ),
        statement(
            other,
            "EM is biased: bias at 0, 1, 2, 3, counts 0..6, epsilon 1",
            listed([explicit.bias(n) for n in range(4)]),
            explicit.bias(0) != 0,
            "symmetric, so without bias at the middle count",
        ),
        statement(
            other,
            "EM and geometric noise give every output a chance: least probabilities, counts 0..6, epsilon 1",
            listed([explicit.matrix().min(), restricted.matrix().min()]),
            bool(min(explicit.matrix().min(), restricted.matrix().min()) > 0),
        ),
        Claim(
            "Section I, census example",
            f"a county was over-reported by a factor of almost 8, 920 instead of 90 {ABOUT}",
            8,
            920 / 90,
            about(920 / 90, 8),
            "920/90 is 10.2; a factor of almost 8 would be some 710",
        ),
        statement(
            "Section I, approximate privacy",
            "epsilon-DP with probability 1 - delta: chance of a loss above epsilon, Figure 1's noise, (2D+1) delta* ="
            f" {bound(FIGURE_1):.4f}",
            above,
            above <= bound(FIGURE_1),
            f"(epsilon, delta)-DP is weaker than that. The ratio exceeds E with chance {above:.4f}, for the truth by"
            f" {excess:.1%} only, and the exact delta is {exact(FIGURE_1):.4f}",
        ),
        beside(
            "Section I, approximate privacy",
            f"chance of a loss above epsilon, noise of least exact delta, {KNEES[0]}",
            sharp.delta(KNEES[0].epsilon, kind="pdp"),
            "there all steps but the last are exactly E, so that the sentence is true of this noise",
        ),
        statement(
            "Section I, tails",
            "heavier tails than the discrete Gaussian: ratio of both at 1, 2, 3, Figure 1",
            listed(ratios),
            ratios[1] > 1 and ratios[2] > 1,
            "up to D; beyond D there is no tail at all",
        ),
        statement(
            "Section I, tails",
            f"the tails are slightly heavier: the same ratios at 2 and 3 {SLIGHTLY}",
            listed(ratios[1:]),
            all(slightly(ratio, 1) for ratio in ratios[1:]),
            "by much more than a factor of 2, which is why the loss of privacy differs so much",
        ),
        statement(
            "Section I, tails",
            f"the distribution is similar to the discrete Gaussian: distance of both, Figure 1 {LITTLE}",
            _distance(noise, of_parameter(FIGURE_1)),
            little(_distance(noise, of_parameter(FIGURE_1))),
        ),
    ]


def _distance(one: Mechanism, other: Mechanism) -> float:
    """Return the total variation distance of the noise for large counts."""
    reach = max(int(np.abs(mechanism.interior[0].outputs).max()) for mechanism in (one, other))
    distributions = np.zeros((2, 2 * reach + 1))
    for distribution, mechanism in zip(distributions, (one, other), strict=True):
        distribution[mechanism.interior[0].outputs + reach] = mechanism.interior[0].values
    return float(np.abs(distributions[0] - distributions[1]).sum()) / 2


def observations() -> list[Claim]:
    """Judge the three observations at the end of section I."""
    item, epsilons = "Section I, observations", np.linspace(0.05, 4, 80)
    curves = [[bound(Setting(float(e), eta, d)) for e in epsilons] for eta in (0.2, 0.5, 0.8) for d in (4, 6, 8)]
    rising = sum(bool((np.diff(curve) >= 0).any()) for curve in curves)
    small, large = (bound(Setting(1.1, 0.5, d)) for d in (4, 6))
    early, late = (bound(Setting(1.0, 0.5, d)) for d in (4, 6))
    turn = knee(1.1, 8)
    etas = [bound(Setting(1.1, eta, 8)) for eta in (0.3, 0.5, 0.55)]
    return [
        exceptions(
            item, "(2D+1) delta* falls as epsilon grows, eta .2, .5, .8, D 4, 6, 8: curves that rise", rising, 9
        ),
        statement(
            item,
            "from 2D+1 = 9 to 13 delta becomes significantly smaller: (2D+1) delta*, epsilon 1.1, eta 0.5 (taken)"
            f" {MUCH}",
            listed([small, large]),
            much(small, large),
        ),
        beside(
            item,
            "the same at epsilon 1, eta 0.5, above the knee",
            listed([early, late]),
            "there delta* does not depend on D, so that 2D+1 times it grows with D",
        ),
        statement(
            item,
            "eta may grow up to a threshold without significantly affecting delta, and beyond it delta grows severely:"
            f" (2D+1) delta* at eta .3, .5, .55, epsilon 1.1, D 8, knee {turn:.4f} {MUCH}",
            listed(etas),
            not much(etas[1], etas[0]) and much(etas[2], etas[1]),
            "up to the knee delta even falls, in proportion to 1 - eta",
        ),
    ]


def properties() -> list[Claim]:
    """Judge footnotes 1 and 2, Proposition 1 and the combinations (3)."""
    eta = Fraction(1, 3)
    wrong = [
        (n, points)
        for n in range(1, 8)
        for points in choices(n, 4)
        if not _has_properties(two_point(eta, points), eta, n, 4)
    ]
    total = sum(len(choices(n, 4)) for n in range(1, 8))
    mixed = [combined(_weights(n, choices(n, 4)), eta) for n in range(1, 8)]
    bad = sum(not _has_properties(noise, eta, n, 4) for n, noise in enumerate(mixed, 1))
    free = [_any_noise(n, 4, eta) for n in range(1, 8)]
    apart = sum(not _is_combination(decomposed(noise), noise, eta) for noise in free)
    three = program(EXAMPLE_1, 1, 3)
    reach = max(int(three.pmf(n)[0][-1]) for n in (1, 2, 3))
    return [
        statement(
            "Footnote 1",
            "outputs exceed N by at most D: largest output, Example 1 (N + D = 5)",
            reach,
            reach <= 5,
        ),
        statement(
            "Footnote 2",
            "at n = 0 zero bias is not possible: least bias, eta 0.5",
            _least_bias_at_zero(0.5, 6),
            _least_bias_at_zero(0.5, 6) > 0,
            "every error is at least 1; Discreet drops the condition at 0, and only there",
        ),
        exceptions("Proposition 1", "(2) has P1, P2 and P3, eta 1/3, D 4, counts 1..7: exceptions", len(wrong), total),
        exceptions("Equation (3)", "combinations have P1, P2 and P3: exceptions", bad, len(mixed)),
        exceptions(
            "Equation (3)",
            "every noise with P1, P2 and P3 is such a combination: exceptions",
            apart,
            len(free),
            "the weights are in the docstring of `decomposed`",
            "formula",
        ),
        beside(
            "Property P2",
            "smaller eta, more privacy? (2D+1) delta* at eta .1, .3, .5, epsilon 1.1, D 8",
            listed([bound(Setting(1.1, eta, 8)) for eta in (0.1, 0.3, 0.5)]),
            "a smaller eta conceals the count better, as the paper says; but up to the knee delta gets larger",
        ),
    ]


def _has_properties(noise: Mapping[int, Fraction], eta: Fraction, count: int, support: int) -> bool:
    inside = all(-min(count, support) <= z <= support and p >= 0 for z, p in noise.items())
    mean = sum((z * p for z, p in noise.items()), Fraction(0))
    return inside and noise[0] == eta and sum(noise.values()) == 1 and mean == 0


def _weights(count: int, given: list[Points]) -> dict[Points, Fraction]:
    """Return uneven weights that add up to 1."""
    raw = {points: Fraction(1 + (7 * index + count) % 5) for index, points in enumerate(given)}
    return {points: weight / sum(raw.values()) for points, weight in raw.items()}


def _any_noise(count: int, support: int, eta: Fraction) -> dict[int, Fraction]:
    """Return noise with P1, P2 and P3 that was not made from two-point noises: both sides are scaled to mean 0."""
    raw = {z: Fraction(1 + (z * z + count) % 7) for z in range(-min(count, support), support + 1) if z}
    pull, push = (sum((abs(z) * p for z, p in raw.items() if (z > 0) == up), Fraction(0)) for up in (False, True))
    sides = {z: p * (push if z < 0 else pull) for z, p in raw.items()}
    return {0: eta} | {z: (1 - eta) * p / sum(sides.values()) for z, p in sides.items()}


def _is_combination(weights: Mapping[Points, Fraction], noise: Mapping[int, Fraction], eta: Fraction) -> bool:
    combination = combined(weights, eta)
    return min(weights.values()) >= 0 and sum(weights.values()) == 1 and combination == dict(noise)


def _least_bias_at_zero(eta: float, support: int) -> float:
    """Return the least mean of noise on 0..D that is 0 with probability eta."""
    return min((1 - eta) * z for z in range(1, support + 1))


def example_1() -> list[Claim]:
    """Judge (4)-(6), and add the least deltas of Example 1."""
    half, people = Fraction(1, 2), 3
    first, second = ({z: Fraction(text) for z, text in printed_noise.items()} for printed_noise in (FIRST_4, SECOND_4))
    right = two_point(half, (-1, 1))
    sizes = {n: choices(n, 2) for n in range(1, people + 1)}
    any_count = optimum(EXAMPLE_1, 1)
    few = optimum(EXAMPLE_1, 1, people)
    return [
        number(
            "Equation (4)",
            "the first distribution adds up to 1",
            1,
            float(sum(first.values())),
            6,
            f"1/4 at z = 1 is missing; (2) has {', '.join(f'{p} at {z}' for z, p in right.items())}, and so has (5)",
            "stated",
        ),
        statement(
            "Equation (4)",
            "the second distribution is (2) for (-1, 2)",
            ", ".join(f"{p} at {z}" for z, p in two_point(half, (-1, 2)).items()),
            two_point(half, (-1, 2)) == second,
        ),
        statement(
            "Example 1",
            "two choices of (i_1, i_2) at n = 1, four at n = 2 and n = 3",
            " ".join(str(len(given)) for given in sizes.values()),
            [len(given) for given in sizes.values()] == [2, 4, 4],
        ),
        exceptions("Equation (5)", "entries that differ from (2) and (3)", _differing(MATRIX_5), 15),
        exceptions("Equation (6)", "entries that differ from (2) and (3)", _differing(MATRIX_6), 18),
        beside("Example 1", "least delta per output, epsilon 0.5, N = 3", per_output(program(EXAMPLE_1, 1, 3), 0.5)),
        beside(
            "Example 1",
            "least exact delta, epsilon 0.5, N = 3",
            few.delta(0.5),
            f"against {any_count.delta(0.5):.4f} for counts without end: fewer people are fewer pairs of neighbours",
        ),
    ]


def _differing(printed_matrix: Mapping[int, Sequence[Coefficients]]) -> int:
    """Return how many entries of (5), with 5 rows, or of (6), with 6 rows, are not what (2) and (3) give."""
    wrong = 0
    for n, column in printed_matrix.items():
        noises = {points: two_point(Fraction(1, 2), points) for points in choices(n, 2)}
        for z, entry in enumerate(column, -2 if len(column) == 5 else -n):
            right = (
                {points: noise[z] for points, noise in noises.items() if z in noise} if z else {(0, 0): Fraction(1, 2)}
            )
            wrong += {points: Fraction(text) for points, text in entry.items()} != right
    return wrong
