"""Section 7.4: mechanisms that are optimal for L1 or L2, Figures 15 to 18."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from discreet.arrays import Floats
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.claims_binomial import ALPHAS, CASES, CHANCES, SIZES
from discreet.papers.cormode2019.claims_properties import SETS
from discreet.papers.cormode2019.count_mechanisms import (
    OBJECTIVE_SETS,
    binomial,
    mass_beyond,
    matrix,
    named,
    optimal,
    root_mean_square,
    tail_loss,
)
from discreet.papers.cormode2019.statements import SAME, every, judged, listed, ours, stated
from discreet.papers.wording import ABOUT, LITTLE, MOST, MUCH, about, little, most, much

OBJECTIVE_NAMES = (*OBJECTIVE_SETS, "UM")
FIGURES = {"L1": ("Figure 15", "Figure 17"), "L2": ("Figure 16", "Figure 18")}
TAIL_SIZE, TAIL_CHANCES = 8, (0.1, 0.6)


@cache
def for_objective(name: str, kind: str, n: int, alpha: str) -> Floats:
    """Return P of UCM, WM, FM or AM, optimal for L1 or L2, or of UM."""
    return matrix("UM", n, alpha) if name == "UM" else optimal(n, alpha, kind, OBJECTIVE_SETS[name]).matrix()


@cache
def objective_roots(name: str, kind: str, n: int, alpha: str) -> Floats:
    """Return the root of the mean squared error for every p of CHANCES."""
    return np.array([root_mean_square(for_objective(name, kind, n, alpha), binomial(n, p)) for p in CHANCES])


@cache
def objective_tails(name: str, kind: str, alpha: str, p: float, power: int) -> Floats:
    """Return the expected |error|^power of errors of more than d, d = 0..7, n = 8. Power 0 is the chance of them."""
    mechanism, counts = for_objective(name, kind, TAIL_SIZE, alpha), binomial(TAIL_SIZE, p)
    if power == 0:
        return np.array([mass_beyond(mechanism, d, counts) for d in range(TAIL_SIZE)])
    return np.array([tail_loss(mechanism, power, d, counts) for d in range(TAIL_SIZE)])


def many_mechanisms() -> Sequence[Claim]:
    """Judge how many behaviours there are for L1 and L2, and add what properties cost."""
    claims: list[Claim] = []
    for kind in ("L1", "L2"):
        costs = [optimal(4, "0.9", kind, tuple(filter(None, joined.split("+")))).loss(kind) for joined in SETS]
        distinct = len(np.unique(np.round(costs, 7)))
        what = f"{kind}, n = 4, alpha = .9: distinct costs of 24 sets of properties (L0: 4)"
        larger = much(distinct, 4)
        claims.append(
            judged(
                "Section 7.4", f"{what} {MUCH}", "quite large", distinct, larger, "it is not much larger than for L0"
            )
        )
        each = [optimal(8, "0.67", kind, properties).loss(kind) for properties in OBJECTIVE_SETS.values()]
        each += [named(name, 8, "0.67").loss(kind) for name in ("EM*", "EM", "UM")]
        what = f"{kind}, n = 8, alpha = .67: UCM, WM, FM, AM, EM*, EM, UM"
        claims.append(ours("Section 7.4", what, listed(each), bool((np.diff(each) > -1e-6).all())))
    return claims


def root_mean_squares() -> Sequence[Claim]:
    """Judge Figures 15 and 16."""
    claims: list[Claim] = []
    middle, tenth = CHANCES.index(0.5), CHANCES.index(0.1)
    for kind, (item, _) in FIGURES.items():
        rank = [
            int(
                sum(
                    objective_roots(name, kind, n, a)[k] < objective_roots("UCM", kind, n, a)[k] - SAME
                    for name in OBJECTIVE_NAMES[1:]
                )
            )
            for n, a in CASES
            for k in range(len(CHANCES))
        ]
        first = sum(position == 0 for position in rank)
        what = f"six cases, 21 values of p: those in which UCM has the least error, of {len(rank)} {MOST}"
        claims.append(judged(item, what, "among the best", first, most(first / len(rank)), "it seldom has"))
        small = {a: objective_roots("WM", kind, 4, a) / objective_roots("UCM", kind, 4, a) for a in ALPHAS}
        worst = {a: float(ratio.max()) for a, ratio in small.items()}
        what = f"n = 4, alpha = .91, .67: largest ratio of WM to UCM {ABOUT}"
        note = f"at alpha = .91 and p = .5 WM has {worst['0.91']:.2f} times the error of UCM, which always reports 2"
        claims.append(judged(item, what, "similar", listed(worst.values(), 2), about(max(worst.values()), 1), note))
        skew = [objective_roots("AM", kind, n, a)[tenth] > objective_roots("AM", kind, n, a)[middle] for n, a in CASES]
        what = "six cases: AM has more error at p = .1 than at p = .5"
        claims.append(stated(item, what, "all", every(skew)))
        gains = {a: [_excess(kind, n, a) for n in SIZES] for a in ALPHAS}
        what = "n = 4, 8, 12: mean ratio of FM to UCM at alpha = .91; at .67"
        falling = all(bool((np.diff(each) < 0).all()) for each in gains.values())
        note = f"at alpha = .91 the ratio is {listed(gains['0.91'], 3)}"
        ratios = "; ".join(listed(each, 3) for each in gains.values())
        claims.append(judged(item, what, "FM does better as n grows", ratios, falling, note))
    return claims


def _excess(kind: str, n: int, alpha: str) -> float:
    """Return the mean over p of the ratio of FM to UCM."""
    return float((objective_roots("FM", kind, n, alpha) / objective_roots("UCM", kind, n, alpha)).mean())


def tails() -> Sequence[Claim]:
    """Judge Figures 17 and 18."""
    claims: list[Claim] = []
    names = tuple(OBJECTIVE_SETS)
    for (kind, (_, item)), power in zip(FIGURES.items(), (1, 2), strict=True):
        skewed = {name: objective_tails(name, kind, "0.91", 0.1, 0) for name in names}
        worst = [d for d in range(TAIL_SIZE) if skewed["UCM"][d] >= max(skewed[name][d] for name in names) - SAME]
        best = [d for d in range(TAIL_SIZE) if skewed["UCM"][d] <= min(skewed[name][d] for name in names) + SAME]
        what = "p = .1, alpha = .91: d at which UCM is the worst of four; the best"
        summary = f"{', '.join(map(str, worst))}; {', '.join(map(str, best))}"
        agrees = 0 in worst and TAIL_SIZE - 1 in best and max(worst) < min(best)
        claims.append(judged(item, what, "first d's; last d's", summary, agrees, "it is not so"))
        weighted = {name: objective_tails(name, kind, "0.91", 0.1, power) for name in names}
        summary = listed(weighted[name][0] for name in names)
        what = f"p = .1, alpha = .91, d = 0, read as E|error|^{power}: UCM, WM, FM, AM"
        claims.append(ours(item, what, summary))
        balanced = [
            objective_tails("UCM", kind, a, 0.6, 0)[d]
            <= min(objective_tails(name, kind, a, 0.6, 0)[d] for name in names) + SAME
            for a, d in product(ALPHAS, range(TAIL_SIZE))
        ]
        claims.append(stated(item, "p = .6, two alphas, d = 0..7: UCM has the least", "all", every(balanced)))
        gaps = {(a, p): _gap(kind, a, p) for a, p in product(ALPHAS, TAIL_CHANCES)}
        what = f"largest gap between AM, FM and WM: p = .1, .6 at alpha = .91; at .67 {LITTLE}"
        agrees = little(max(gaps["0.67", p] for p in TAIL_CHANCES))
        note = f"at alpha = .67, p = .1 they are {gaps['0.67', 0.1]:.3f} apart, more than at .91"
        summary = "; ".join(listed((gaps[a, p] for p in TAIL_CHANCES), 3) for a in ALPHAS)
        claims.append(judged(item, what, "lines almost overlap for smaller alpha", summary, agrees, note))
    return claims


def _gap(kind: str, alpha: str, p: float) -> float:
    """Return the largest difference at any d between two of AM, FM and WM."""
    lines = np.array([objective_tails(name, kind, alpha, p, 0) for name in ("AM", "FM", "WM")])
    return float(np.ptp(lines, axis=0).max())


def recommendation() -> Sequence[Claim]:
    """Judge the summary of section 7.4: fair mechanisms for skewed data and strong privacy, WM otherwise."""
    skewed, balanced = [], []
    for kind in ("L1", "L2"):
        tail = {name: objective_tails(name, kind, "0.91", 0.1, 0)[0] for name in OBJECTIVE_SETS}
        skewed.append(max(tail["AM"], tail["FM"]) < tail["WM"])
        balanced += [
            objective_tails("WM", kind, a, 0.6, 0)[0]
            <= min(objective_tails(name, kind, a, 0.6, 0)[0] for name in ("AM", "FM"))
            for a in ALPHAS
        ]
    return [
        stated(
            "Section 7.4, summary",
            "p = .1, alpha = .91, L1, L2: AM and FM have a lower chance of an error than WM",
            "all",
            every(skewed),
        ),
        stated(
            "Section 7.4, summary",
            "p = .6, two alphas, L1, L2: WM has the least chance of an error of the three",
            "all",
            every(balanced),
        ),
    ]


CLAIMS = (many_mechanisms, root_mean_squares, tails, recommendation)
