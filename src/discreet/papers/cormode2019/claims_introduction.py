"""Sections 1 and 2: the pathologies, what they become with all properties, the definitions, Example 1."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.certify.table import PROPERTIES
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.count_mechanisms import (
    COLUMNS,
    WEAK,
    Objective,
    distances,
    least_wrong,
    mass_beyond,
    matrix,
    named,
    optimal,
    truth,
)
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated
from discreet.papers.wording import LITTLE, little

FIGURE_1: tuple[tuple[int, Objective, tuple[int, ...], str], ...] = (
    (7, "L1", (2, 5), "0.75"),
    (4, "L2", (2,), "0.85"),
    (5, ("L0", 1), (1, 4), "0.91"),
    (5, "L1", (2, 3), "0.85"),
)
"""Largest count, objective, the outputs that swallow the others, and an alpha at which they do.

The text describes three of the four panels. It gives n = 7 for L1; n = 4 and 5 follow from the outputs, which are those
of a symmetric mechanism. The fourth panel is our choice.
"""

PRINTED_LEAST: tuple[tuple[str, Callable[[float], bool]], ...] = (
    (">= 0.7", lambda least: least >= 0.7),
    ("1", lambda least: least >= 1 - SAME),
    ("> 0.9", lambda least: least > 0.9),
)
"""How likely the outputs of the first three panels are said to be, whatever the true count."""


def objective_name(objective: Objective) -> str:
    """Return "L1" or "L0,1"."""
    return objective if isinstance(objective, str) else f"L0,{objective[1]}"


def least_chance(n: int, alpha: str, objective: Objective, outputs: tuple[int, ...]) -> float:
    """Return the least probability, over true counts, of one of the outputs, if only privacy is asked for."""
    return float(optimal(n, alpha, objective, ()).matrix()[list(outputs)].sum(axis=0).min())


def within_one(mechanism: Floats) -> float:
    """Return the least probability, over true counts, of an output at most 1 away."""
    return float(np.where(distances(len(mechanism) - 1) <= 1, mechanism, 0.0).sum(axis=0).min())


def figure_1() -> Sequence[Claim]:
    """Judge the optima without properties."""
    gaps = [
        bool((optimal(n, "0.62", objective, ()).matrix().max(axis=1) < SAME).any()) for n, objective, *_ in FIGURE_1
    ]
    claims = [stated("Figure 1", "alpha = .62: panels with outputs that are never reported", "all", every(gaps))]
    fitting = []
    for (n, objective, outputs, _), (printed, holds) in zip(FIGURE_1, PRINTED_LEAST, strict=False):
        fitting.append([k for k in range(50, 100) if holds(least_chance(n, f"0.{k}", objective, outputs))])
        least = least_chance(n, "0.62", objective, outputs)
        name = objective_name(objective)
        what = f"{name}, n = {n}, alpha = .62: least chance of output {' or '.join(map(str, outputs))}"
        note = f"at .62 the least is {least:.4f}; true of .50, .51, ... .99 at {_runs(fitting[-1])}"
        claims.append(judged("Figure 1", what, printed, least, holds(least), note))
    shared = set.intersection(*map(set, fitting))
    two = max(set(fitting[0]) & set(fitting[1]))
    summary = f"{len(shared) or 'no'} alpha for all three; .{two} for L1 and L2, .{fitting[2][0]} for L2 and L0,1"
    return [*claims, ours("Figure 1", "alphas of .50, .51, ... .99 that show what is described", summary)]


def _runs(hundredths: list[int]) -> str:
    """Return hundredths as runs: .74-.75, .84-.85."""
    starts, ends = ([k for k in hundredths if k + step not in hundredths] for step in (-1, 1))
    return ", ".join(f".{a}-.{b}" for a, b in zip(starts, ends, strict=True))


def figure_2() -> Sequence[Claim]:
    """Judge the optima with all seven properties."""
    all_seven = [optimal(n, "0.62", objective, PROPERTIES).matrix() for n, objective, *_ in FIGURE_1]
    l2 = within_one(all_seven[1])
    golden = within_one(optimal(4, "0.618034", "L2", PROPERTIES).matrix())
    return [
        stated("Figure 2", "alpha = .62: panels without gaps", "all", every((p > 0).all() for p in all_seven)),
        judged(
            "Figure 2",
            "L2, n = 4, alpha = .62: least chance of an error of at most 1",
            ">= 2/3",
            l2,
            l2 >= 2 / 3,
            f"{l2:.4f} at .62; 2/3 is reached at alpha = (sqrt(5) - 1)/2 = .618034, which rounds to .62",
        ),
        ours("Figure 2", "the same at alpha = .618034", golden, abs(golden - 2 / 3) < 1e-6),
    ]


def findings() -> Sequence[Claim]:
    """Judge the three findings that section 1 announces."""
    far, far_from_em = 0.0, 0.0
    for n, alpha in product((4, 7, 8), ("0.62", "9/10")):
        first, *others = [optimal(n, alpha, objective, PROPERTIES).matrix() for objective in ("L0", "L1", "L2")]
        far = max(far, *(_variation(a, b) for a, b in combinations([first, *others], 2)))
        far_from_em = max(far_from_em, *(_variation(matrix("EM", n, alpha), other) for other in others))
    ratios = [
        (named("EM", n, alpha).loss("L0") / named("GM", n, alpha).loss("L0"), 1 + 1 / n)
        for n, alpha in product(range(2, 31), ("1/2", "2/3", "9/10", "99/100"))
    ]
    large = named("EM", 20, "1/2").loss("L0") / named("GM", 20, "1/2").loss("L0")
    small = named("EM", 8, "9/10").loss("L0") / named("GM", 8, "9/10").loss("L0")
    between = [
        named("GM", n, alpha).loss("L0") - SAME <= cost <= named("EM", n, alpha).loss("L0") + SAME
        for n, alpha in product((4, 8), ("1/2", "2/3", "9/10"))
        for cost in (least_wrong(n, alpha, "WH"), least_wrong(n, alpha, "WH+RM+CM"))
    ]
    return [
        judged(
            "Section 1, first finding",
            f"L0, L1, L2 with all seven, n = 4, 7, 8, alpha = .62, .9: largest total variation of two columns {LITTLE}",
            "similar",
            far,
            little(far),
            "far apart",
        ),
        ours("Section 1, first finding", "the same between EM and the optima for L1 and L2", far_from_em),
        measured("Section 1, second finding", "combinations of seven properties", 128, 2 ** len(PROPERTIES), 0),
        stated(
            "Section 1, third finding",
            "L0 of the others between GM and EM, n = 4, 8, three alphas",
            "all",
            every(between),
        ),
        measured(
            "Section 1, third finding", "L0 of EM over GM, n = 20, alpha = 1/2: 1 + 1/n", 1.05, large, 2, kind="formula"
        ),
        judged(
            "Section 1, third finding",
            f"n = 8, 20, alpha = .9, 1/2: the excess of EM over GM, which is negligible for moderate n {LITTLE}",
            "negligible",
            listed([small - 1, large - 1]),
            little(max(small, large) - 1),
            "it is not",
        ),
        stated(
            "Section 1, third finding",
            "1 + 1/n is never exceeded: n = 2..30, four alphas",
            "all",
            every(ratio <= bound + SAME for ratio, bound in ratios),
            kind="formula",
        ),
        ours("Section 1, third finding", "n = 8, alpha = .9: L0 of EM over GM, where 1 + 1/n is 1.125", small),
    ]


def _variation(one: Floats, other: Floats) -> float:
    """Return the largest total variation distance between two columns of the same true count."""
    return float(np.abs(one - other).sum(axis=0).max()) / 2


def figure_7() -> Sequence[Claim]:
    """Judge the three mechanisms at n = 4."""
    claims = []
    for name, printed in (("EM", 0.224), ("GM", 0.238)):
        at_stated, fitting = truth(matrix(name, 4, "9/10")), truth(matrix(name, 4, "10/11"))
        note = (
            f"at the stated alpha = .9 it is {at_stated:.4f}; the printed value is that of alpha = 10/11, {fitting:.4f}"
        )
        claims.append(
            measured("Figure 7", f"{name}, n = 4, alpha = .9: chance of the truth", printed, at_stated, 3, note)
        )
        claims.append(ours("Figure 7", f"{name}, n = 4, alpha = 10/11: chance of the truth", fitting))
    chances = [truth(matrix(name, 4, "9/10")) for name in ("EM", WEAK, "GM")]
    extremes = [float(matrix(name, 4, "9/10")[[0, 4]].sum()) / 5 for name in ("EM", COLUMNS, WEAK, "GM")]
    return [
        *claims,
        judged(
            "Figure 7",
            "n = 4, alpha = .9: truth of EM, WM, GM",
            "rising",
            listed(chances),
            sorted(chances) == chances,
            "no",
        ),
        judged(
            "Figure 7",
            "n = 4, alpha = .9: chance of output 0 or 4 in EM, WM (two readings), GM",
            "least in EM, largest in GM",
            listed(extremes),
            sorted(extremes) == extremes,
            "the order is another",
        ),
    ]


def definitions() -> Sequence[Claim]:
    """Judge Definition 4, the loss functions, and what section 2 says of known mechanisms."""
    printed_mass, printed_epsilon = (1 + 2 * 0.1 / 0.9) / 1.9, -math.log(0.1)
    _, probabilities = design.geometric(alpha="9/10").pmf(0)
    epsilon = math.log(probabilities[len(probabilities) // 2] / probabilities[len(probabilities) // 2 + 1])
    meant = f"(1-alpha)/(1+alpha) alpha^|z| is meant, of mass 1 and epsilon {epsilon:.4f}"
    gm, equal = matrix("GM", 4, "9/10"), np.full(5, 0.2)
    off, printed_off = 5 / 4 * mass_beyond(gm, 0, equal), 5 / 4 * float(gm.sum()) / 5
    beyond = (
        f"with >= every mechanism has L0,0 = (n+1)/n; with > it is L0 = {off:.4f}, and 'more than d steps' is right"
    )
    names = ("GM", WEAK, COLUMNS, "EM", "EM*", "UM")
    likeliest = ["RH" in named(name, n, alpha).properties() for name in names for n, alpha in _grid()]
    traces = [
        close(named(name, n, alpha).loss("L0"), (n + 1) / n - matrix(name, n, alpha).trace() / n)
        for name in names
        for n, alpha in _grid()
    ]
    response = design.randomized_response(alpha="3/7").matrix()
    many = design.randomized_response(categories=9, alpha="0.67").matrix()
    many_error, gm_error = (float((distances(8) * p).sum()) / 9 for p in (many, matrix("GM", 8, "0.67")))
    spent = [design.exponential(n=n, epsilon=epsilon).epsilon() for n in range(1, 13) for epsilon in (0.1, 1.0)]
    allowed = [epsilon for _ in range(1, 13) for epsilon in (0.1, 1.0)]
    return [
        stated(
            "Section 2.1",
            "the output is the likeliest true count (RH): six mechanisms, twelve cases",
            "all",
            every(likeliest),
        ),
        stated(
            "Equation (1)",
            "L0 is (n+1)/n - trace/n: six mechanisms, twelve cases",
            "all",
            every(traces),
            kind="formula",
        ),
        measured("Equation (1)", "L0 of UM, n = 8", 1, named("UM", 8, "1/2").loss("L0"), 9),
        measured(
            "L0,d", "GM, n = 4, alpha = .9: L0,0 as printed, for L0", round(off, 4), printed_off, 4, beyond, "formula"
        ),
        measured(
            "Equation (2)",
            "p = .7: alpha = (1-p)/p",
            round(3 / 7, 4),
            float(response[0, 1] / response[0, 0]),
            4,
            kind="formula",
        ),
        judged(
            "Section 2.2",
            "n = 8, alpha = .67: mean absolute error of n-ary randomized response, of GM",
            "low utility",
            listed([many_error, gm_error]),
            many_error > gm_error,
            "it is not low",
        ),
        stated(
            "Equation (3)",
            "epsilon of the exponential mechanism is at most its budget: n = 1..12, two budgets",
            "all",
            every(one <= most + SAME for one, most in zip(spent, allowed, strict=True)),
        ),
        measured(
            "Definition 4",
            "alpha = .9: mass of the printed (1-alpha)^|z|/(1+alpha)",
            1,
            printed_mass,
            4,
            meant,
            "formula",
        ),
        measured(
            "Definition 4",
            "alpha = .9: its epsilon, for -ln alpha",
            round(epsilon, 4),
            printed_epsilon,
            4,
            meant,
            "formula",
        ),
    ]


def _grid() -> list[tuple[int, str]]:
    return list(product((1, 2, 5, 8), ("1/2", "2/3", "9/10")))


def example_1() -> Sequence[Claim]:
    """Judge Example 1."""
    gm = matrix("GM", 2, "9/10")
    near = [1 - float(matrix("GM", 8, alpha)[[0, 8]].sum(axis=0).min()) for alpha in ("9/10", "99/100", "999/1000")]
    return [
        measured("Example 1", "GM, n = 2, alpha = .9: Pr[0 | 1]", 0.47, float(gm[0, 1]), 2),
        measured("Example 1", "GM, n = 2, alpha = .9: Pr[2 | 1]", 0.47, float(gm[2, 1]), 2),
        measured("Example 1", "GM, n = 2, alpha = .9: Pr[1 | 1]", 0.05, float(gm[1, 1]), 2),
        measured("Example 1", "GM, n = 2, alpha = .9: odds against 1 at count 1", 18, float(1 / gm[1, 1] - 1), 6),
        measured("Example 1", "GM, n = 2, alpha = .9: Pr[0 | 0]", 0.53, float(gm[0, 0]), 2),
        judged(
            "Example 1",
            f"GM, n = 8, alpha = .9, .99, .999: largest chance of an output other than 0 and n {LITTLE}",
            "approaches 0",
            listed(near),
            all(np.diff(near) < 0) and little(near[-1]),
            "it does not",
        ),
    ]


def weights() -> Sequence[Claim]:
    """Add what the largest error rate (Definition 3 with a maximum) is at best."""
    least = design.constrained(n=8, alpha="9/10", aggregate="max").loss("L0", aggregate="max")
    em = 1 - float(Fraction(named("EM", 8, "9/10").matrix()[0, 0]))
    return [ours("Definition 3", "n = 8, alpha = .9: least largest error rate, which EM has", least, close(least, em))]


CLAIMS = (figure_1, figure_2, findings, definitions, example_1, weights, figure_7)
