"""Section 7.3: the mechanisms on binomial data, Figures 11 to 14. L0,1, RMSE and histograms are exact expectations."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from discreet.arrays import Floats
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.count_mechanisms import (
    COLUMNS,
    NAMES,
    WEAK,
    binomial,
    error_histogram,
    mass_beyond,
    matrix,
    named,
    root_mean_square,
)
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated
from discreet.papers.wording import ABOUT, LITTLE, MOST, SLIGHTLY, about, little, most, much, slightly

SIZES, ALPHAS = (4, 8, 12), ("0.91", "0.67")
CHANCES = tuple(float(p) for p in np.round(np.linspace(0, 1, 21), 2))
CASES = tuple(product(SIZES, ALPHAS))
PEOPLE, REPETITIONS = 10_000, 30
BALANCED, SKEWED = 0.5, 0.1
"""Values of p for the two rows of Figure 12, which the text calls proportionate and skewed and does not print."""


@cache
def beyond_one(name: str, n: int, alpha: str) -> Floats:
    """Return the chance of an error of more than 1 for every p of CHANCES."""
    return np.array([mass_beyond(matrix(name, n, alpha), 1, binomial(n, p)) for p in CHANCES])


@cache
def roots(name: str, n: int, alpha: str) -> Floats:
    """Return the root of the mean squared error for every p of CHANCES."""
    return np.array([root_mean_square(matrix(name, n, alpha), binomial(n, p)) for p in CHANCES])


def figure_11() -> Sequence[Claim]:
    """Judge the chance of an error of more than 1."""
    middle, rivals = CHANCES.index(0.5), ("GM", WEAK, COLUMNS, "EM", "UM")
    ends = [beyond_one("GM", n, a)[0] <= min(beyond_one(name, n, a)[0] for name in rivals) + SAME for n, a in CASES]
    ordered = [[beyond_one(name, n, a)[middle] for name in ("GM", WEAK, COLUMNS, "EM")] for n, a in CASES]
    worse = [int((beyond_one("GM", n, "0.91") > beyond_one("UM", n, "0.91")).sum()) for n in SIZES]
    inner = slice(CHANCES.index(0.2), CHANCES.index(0.8) + 1)
    spread = {
        name: [float(np.ptp(beyond_one(name, n, a)[inner])) for n, a in CASES] for name in ("GM", WEAK, COLUMNS, "EM")
    }
    flattest = [em <= min(spread[name][k] for name in ("GM", WEAK, COLUMNS)) for k, em in enumerate(spread["EM"])]
    falls = [
        bool((beyond_one(name, n, "0.67") < beyond_one(name, n, "0.91")).all()) for name in rivals[:4] for n in SIZES
    ]
    meet = [float(np.abs(beyond_one(WEAK, n, "0.67") - beyond_one("GM", n, "0.67")).max()) for n in SIZES]
    deviation = max(
        float(np.sqrt(beyond_one(name, n, a) * (1 - beyond_one(name, n, a)) / (PEOPLE // n)).max())
        for name in rivals
        for n, a in CASES
    )
    gains = [
        1 - beyond_one(name, n, "0.91")[middle] / beyond_one("UM", n, "0.91")[middle]
        for name in ("EM", COLUMNS)
        for n in SIZES
    ]
    return [
        stated("Figure 11", "p = 0, six cases: GM has the least L0,1", "all", every(ends)),
        stated(
            "Figure 11",
            "p = .5, six cases: L0,1 falls from GM over WM (two readings) to EM",
            "all",
            every((np.diff(row) < SAME).all() for row in ordered),
        ),
        judged(
            "Figure 11",
            f"alpha = .91, n = 4, 8, 12: of 21 values of p, those at which GM is worse than UM {MOST}",
            "often",
            ", ".join(map(str, worse)),
            most(min(worse) / len(CHANCES)),
            "seldom",
        ),
        judged(
            "Figure 11",
            f"alpha = .91, p = .5: part by which EM and WM (WH, RM, CM) are below UM {SLIGHTLY}",
            "only slightly",
            listed(gains),
            all(slightly(1, 1 - gain) for gain in gains),
            "by more",
        ),
        judged(
            "Figure 11",
            f"six cases, p from .2 to .8: those in which L0,1 of EM varies least {MOST}",
            "tends to",
            every(flattest),
            most(sum(flattest) / len(flattest)),
            "it does not",
        ),
        stated(
            "Figure 11", "every mechanism, n and p: L0,1 is smaller at alpha = .67 than at .91", "all", every(falls)
        ),
        judged(
            "Figure 11",
            f"alpha = .67, n = 4, 8, 12: largest difference of WM (WH) and GM {LITTLE}",
            "converge",
            listed(meet),
            little(max(meet)),
            "they do not",
        ),
        judged(
            "Figure 11",
            f"largest standard deviation of one run with 10,000 people {LITTLE}",
            "very small",
            deviation,
            little(deviation),
            "it is not",
        ),
    ]


def figure_12() -> Sequence[Claim]:
    """Judge the chance of an error of more than d, n = 8."""
    claims: list[Claim] = []
    for alpha in ALPHAS:
        tails = {name: _tails(name, alpha, BALANCED) for name in NAMES}
        rivals = [tails[name] for name in ("GM", WEAK, COLUMNS, "UM")]
        best = [d for d in range(8) if tails["EM"][d] <= min(rival[d] for rival in rivals) + SAME]
        what = f"p = .5, alpha = {alpha}, d = 0..7: EM has the least chance of an error beyond d at d"
        note = f"EM is best for d = {', '.join(map(str, best))}; farther out WM (WH, RM, CM) has less"
        claims.append(judged("Figure 12", what, "all", ", ".join(map(str, best)), len(best) == 8, note))
        margin, ratio = tails["GM"] - tails["EM"], tails["GM"] / tails["EM"]
        what = f"p = .5, alpha = {alpha}, d = 0..7: GM minus EM"
        note = f"the difference is largest at d = {int(np.argmax(margin))}; the ratio GM/EM is {listed(ratio, 2)}"
        claims.append(
            judged("Figure 12", what, "only increases", listed(margin), bool((np.diff(margin) > 0).all()), note)
        )
    high = _tails("GM", "0.91", BALANCED) > _tails("UM", "0.91", BALANCED)
    low_gm, low_em = (_tails(name, "0.67", BALANCED) for name in ("GM", "EM"))
    skewed = {alpha: _tails("EM", alpha, SKEWED) / _tails("GM", alpha, SKEWED) for alpha in ALPHAS}
    between = [
        min(gm, em) - SAME <= wm <= max(gm, em) + SAME
        for alpha, name in product(ALPHAS, (WEAK, COLUMNS))
        for gm, wm, em in zip(*(_tails(one, alpha, SKEWED) for one in ("GM", name, "EM")), strict=True)
    ]
    return [
        *claims,
        stated("Figure 12", "p = .5, alpha = .91, d = 0..7: GM is worse than UM", "all", every(high)),
        judged(
            "Figure 12",
            "p = .5, alpha = .67, d = 0..7: GM is worse than EM",
            "all",
            every(low_gm > low_em),
            bool((low_gm > low_em).all()),
            f"not for d = {', '.join(map(str, np.flatnonzero(low_gm <= low_em)))}",
        ),
        judged(
            "Figure 12",
            f"p = .1, alpha = .91, .67: largest ratio of EM to GM {SLIGHTLY}",
            "not substantially worse",
            listed([skewed[alpha].max() for alpha in ALPHAS], 2),
            not much(max(skewed[alpha].max() for alpha in ALPHAS), 1),
            f"at alpha = .67 EM errs by more than d up to {skewed['0.67'].max():.2f} times as often",
        ),
        judged(
            "Figure 12",
            f"p = .1: values of WM (two readings) between GM and EM {MOST}",
            "tends to",
            every(between),
            most(sum(between) / len(between)),
            "they are not",
        ),
        ours(
            "Figure 12",
            "p = .1, alpha = .67: largest ratio of EM* to GM",
            float((_tails("EM*", "0.67", SKEWED) / _tails("GM", "0.67", SKEWED)).max()),
        ),
    ]


def _tails(name: str, alpha: str, p: float) -> Floats:
    return np.array([mass_beyond(matrix(name, 8, alpha), d, binomial(8, p)) for d in range(8)])


def figure_13() -> Sequence[Claim]:
    """Judge the root of the mean squared error."""
    middle, tenth = CHANCES.index(0.5), CHANCES.index(0.1)
    easier = [
        roots(name, n, a)[middle] < roots(name, n, a)[tenth] for name in (WEAK, COLUMNS, "EM", "UM") for n, a in CASES
    ]
    harder = [roots("GM", n, a)[middle] > roots("GM", n, a)[tenth] for n, a in CASES]
    grows = [
        bool((roots(name, small, a) < roots(name, large, a)).all())
        for name in NAMES
        for a in ALPHAS
        for small, large in ((4, 8), (8, 12))
    ]
    worse = {a: sum(int((roots("GM", n, a) > roots("UM", n, a)).sum()) for n in SIZES) for a in ALPHAS}
    least = [
        int(
            sum(
                roots("EM", n, "0.91")
                <= np.min([roots(name, n, "0.91") for name in ("GM", WEAK, COLUMNS, "UM")], axis=0)
            )
        )
        for n in SIZES
    ]
    star = [
        int(
            sum(
                roots("EM*", n, "0.91")
                <= np.min([roots(name, n, "0.91") for name in ("GM", WEAK, COLUMNS, "UM", "EM")], axis=0)
            )
        )
        for n in SIZES
    ]
    at = {name: float(roots(name, 12, "0.91")[tenth]) for name in NAMES}
    return [
        judged(
            "Figure 13",
            f"WM (two readings), EM, UM, six cases: p = .5 has less error than p = .1 {MOST}",
            "most",
            every(easier),
            most(sum(easier) / len(easier)),
            "few",
        ),
        judged(
            "Figure 13",
            "cases in which GM has more error at p = .5 than at p = .1",
            "some",
            every(harder),
            any(harder),
            "none",
        ),
        stated("Figure 13", "every mechanism, alpha and p: a larger group has more error", "all", every(grows)),
        judged(
            "Figure 13",
            f"cases of 63 in which GM is worse than UM, alpha = .91, .67 {MOST}",
            "more for larger alpha, many",
            f"{worse['0.91']}, {worse['0.67']}",
            most(worse["0.91"] / 63) and worse["0.91"] > worse["0.67"],
            "no",
        ),
        judged(
            "Figure 13",
            f"alpha = .91, n = 4, 8, 12: of 21 values of p, those at which EM has the least error {MOST}",
            "EM tends to be lower across all sizes and p",
            ", ".join(map(str, least)),
            most(min(least) / len(CHANCES)),
            f"WM has less unless p is near .5; at n = 12, p = .1 GM has {at['GM']:.3f}, WM {at[WEAK]:.3f} and"
            f" {at[COLUMNS]:.3f}, EM {at['EM']:.3f}",
        ),
        ours("Figure 13", "the same for EM* among all six", ", ".join(map(str, star))),
        ours(
            "Figure 13",
            "n = 12, p = .1, alpha = .91: RMSE of GM, WM (two readings), EM, EM*, UM",
            listed(at.values(), 3),
        ),
    ]


def figure_14() -> Sequence[Claim]:
    """Judge the histograms of errors, n = 8."""
    shapes = {
        (name, alpha, p): error_histogram(matrix(name, 8, alpha), binomial(8, p))
        for name in NAMES
        for alpha in ALPHAS
        for p in (0.1, 0.7)
    }
    zero = [int(np.argmax(shapes[name, alpha, 0.1])) == 8 for name in ("GM", WEAK, COLUMNS, "EM") for alpha in ALPHAS]
    high = shapes["GM", "0.91", 0.1]
    second = int(np.argmax(high[12:])) + 12
    seven = shapes["GM", "0.91", 0.7]
    peaks = [k - 8 for k in range(1, 16) if seven[k] > seven[k - 1] and seven[k] > seven[k + 1]]
    rough = {name: float(np.abs(np.diff(shapes[name, "0.91", 0.1])).sum()) for name in ("GM", WEAK, COLUMNS, "EM")}
    wide = [_support(shapes["GM", "0.91", p]) for p in (0.1, 0.7)]
    apart = {alpha: float(np.abs(shapes[WEAK, alpha, 0.7] - shapes["GM", alpha, 0.7]).sum()) / 2 for alpha in ALPHAS}
    return [
        stated("Figure 14", "p = .1, two alphas: 0 is the likeliest error of GM, WM (both), EM", "all", every(zero)),
        judged(
            "Figure 14",
            "GM, p = .1, alpha = .91: the second peak is at the errors of the output 8, so at an error of",
            "6, 7 or 8",
            second - 8,
            second - 8 >= 6 and high[second] > high[second - 1],
            "there is none",
        ),
        judged(
            "Figure 14",
            "p = .1, alpha = .91: sum of the steps of the histogram of GM, WM (two readings), EM",
            "WM, EM smoother",
            listed(rough.values()),
            max(rough[name] for name in (WEAK, COLUMNS, "EM")) < rough["GM"],
            "they are not",
        ),
        judged(
            "Figure 14",
            "GM, alpha = .91: number of errors of more than 1%, p = .1, p = .7",
            "broader at .7",
            f"{wide[0]}, {wide[1]}",
            wide[1] > wide[0],
            "it is not",
        ),
        judged(
            "Figure 14",
            "GM, p = .7, alpha = .91: the histogram has its peaks at errors of",
            "two, dip around 0",
            ", ".join(map(str, peaks)),
            len(peaks) == 2 and peaks[0] < 0 < peaks[1] and seven[8] < min(seven[8 + peak] for peak in peaks),
            "it is not so",
        ),
        judged(
            "Figure 14",
            "p = .7: total variation of WM (WH) and GM, alpha = .91, .67",
            "nearer at .67",
            listed(apart.values()),
            apart["0.67"] < apart["0.91"],
            "it is not",
        ),
    ]


def _support(histogram: Floats) -> int:
    return int((histogram > 0.01).sum())


def uniform_mechanism() -> Sequence[Claim]:
    """Judge what section 7.2 says of UM on any data, and section 8 of GM's extreme outputs."""
    uniform = 1 - mass_beyond(matrix("UM", 8, "0.9"), 0, binomial(8, 0.3))
    extreme = [float(matrix("GM", 8, alpha)[[0, 8]].sum()) / 9 for alpha in ("0.3", "0.5", "0.7", "0.9")]
    similar = [
        bool(about(mine, theirs))
        for score in (roots, beyond_one)
        for wm in (WEAK, COLUMNS)
        for n, alpha in CASES
        for mine, theirs in zip(score(wm, n, alpha), score("EM", n, alpha), strict=True)
    ]
    least = min(named(name, n, "0.9").loss("L0") for name in ("GM", WEAK, COLUMNS, "EM") for n in range(2, 18))
    alike = [close(mass_beyond(matrix("UM", 8, "0.9"), 0, binomial(8, p)), 8 / 9) for p in CHANCES]
    return [
        measured(
            "Section 7.2, UM",
            "n = 8: chance that UM picks the correct answer, printed as 1 - 1/(n+1)",
            round(8 / 9, 4),
            uniform,
            4,
            "1 - 1/(n+1) is the chance of a wrong answer; the correct one has 1/(n+1)",
            "formula",
        ),
        stated(
            "Section 7.2, UM",
            "n = 8: the error rate of UM is n/(n+1) whatever the data, 21 binomials",
            "all",
            every(alike),
        ),
        judged(
            "Section 8, summary",
            "GM, n = 8, alpha = .3, .5, .7, .9: chance of output 0 or n, all counts equally likely",
            "grows with alpha",
            listed(extreme),
            bool((np.diff(extreme) > 0).all()),
            "it does not",
        ),
        judged(
            "Section 8, summary",
            "EM and WM (two readings) are often similar: cases with RMSE and L0,1 within 10%, two alphas, three n, 21 p"
            f" {MOST}",
            "often similar",
            every(similar),
            most(sum(similar) / len(similar)),
            "they seldom are",
        ),
        judged(
            "Section 7.3",
            f"alpha = .9, n = 2..17: least L0 of GM, WM (two readings), EM {ABOUT}",
            "quite close to 1",
            least,
            about(least, 1),
            "it is not",
        ),
    ]


CLAIMS = (uniform_mechanism, figure_11, figure_12, figure_13, figure_14)
