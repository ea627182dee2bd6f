"""Cormode, Kulkarni and Srivastava 2019: Constrained private mechanisms for count data.

Every number that the paper prints and that can be computed, beside ours; where one does not reproduce, the note says
what is true instead. A claim without a printed value is a reading of a picture, or something that we found better.

P[i, j] = Pr[output i | true j] and true counts are equally likely unless said otherwise. L0 is rescaled so that the
uniform mechanism costs 1; the other losses and all error rates are not. The figures, and the experiments behind them,
are in `cormode2019_figures`.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.design.matrix.constrained import losses
from discreet.design.matrix.fair import exponent
from discreet.papers.claim import Claim, number
from discreet.papers.cormode2019_figures import (
    COMBINATIONS,
    FIGURE_1,
    NAMES,
    Loss,
    adult_groups,
    binomial,
    cheapest,
    error,
    figures,
    held,
    named,
    optimum,
    within_one,
)

__all__ = ["claims", "figures"]

SAME = 1e-7
"""Two costs that differ by less are one: more than a linear program leaves open."""

EXPONENTS = "01234444 10123333 11012333 22101222 22210122 33321011 33332101 44443210"
"""Figure 4 as printed: the power of alpha at output i (words) and true count j (digits), n = 7."""

SETS = ["+".join(filter(None, parts)) for parts in product(("", "RH", "RM"), ("", "WH", "CH", "CM"), ("", "F"))]
"""The 24 sets of properties that differ by more than what they imply."""


def claims(adult: str | None = None) -> list[Claim]:
    """All claims, in the order of the paper; those on the Adult data where its file is given."""
    return [
        *_pathologies(),
        *_definitions(),
        *_geometric(),
        *_fair(),
        *_properties(),
        *_flowchart(),
        *_by_size(),
        *(_adult(adult) if adult is not None else []),
        *_binomial(),
        *_objectives(),
        *_better(),
    ]


def _said(where: str, what: str, paper: str, ours: str, note: str = "") -> Claim:
    """A claim in words, ours as the computation finds it."""
    return Claim(where, what, paper, ours, paper == ours, note)


def _all(flags: Iterable[object]) -> str:
    """The word "all", or how many of how many."""
    each = [bool(flag) for flag in flags]
    return "all" if all(each) else f"{sum(each)} of {len(each)}"


def _close(a: float, b: float) -> bool:
    return abs(a - b) < SAME


def _row(values: Iterable[float], digits: int = 4) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


def _pathologies() -> list[Claim]:
    """Section 1, Figures 1, 2 and 7."""
    limits: tuple[tuple[str, Callable[[float], bool]], ...] = (
        (">= 0.7", lambda least: least >= 0.7),
        ("1", lambda least: least >= 1 - SAME),
        ("> 0.9", lambda least: least > 0.9),
    )
    found, fitting = [], []
    for (n, objective, outputs, _), (printed, holds) in zip(FIGURE_1, limits, strict=True):
        fitting.append([k for k in range(50, 100) if holds(_least(n, f"0.{k}", objective, outputs))])
        value = _least(n, "0.62", objective, outputs)
        name = objective if isinstance(objective, str) else f"L0,{objective[1]}"
        what = f"{name}, n = {n}, alpha = .62: least chance of output {' or '.join(map(str, outputs))}"
        note = f"{name}: true at alpha = {_runs(fitting[-1])} of .50, .51, ... .99; at .62 the least is {value:.4f}"
        found.append(Claim("Figure 1", what, printed, value, holds(value), note))
    common, two = set.intersection(*map(set, fitting)), max(set(fitting[0]) & set(fitting[1]))
    note = f"no alpha of .50, .51, ... .99 shows all three; .{two} shows the first two, .{fitting[2][0]} the last two"
    what = "alphas that show all three pictures"
    found.append(_said("Figure 1", what, "0.62", ", ".join(f"0.{k}" for k in sorted(common)) or "none", note))
    golden = "2/3 is reached at alpha = (sqrt(5) - 1)/2 = .618034, which rounds to .62"
    for alpha, note in (("0.62", golden), ("0.618034", "")):
        value = within_one(design.constrained(n=4, alpha=alpha, objective="L2", properties="all").matrix())
        what = f"L2, all seven, n = 4, alpha = {alpha}: least chance of an error of at most 1"
        found.append(Claim("Figure 2", what, ">= 2/3", value, value >= 2 / 3 - 1e-6, note))
    for alpha, (name, truth) in product(("9/10", "10/11"), (("EM", 0.224), ("GM", 0.238))):
        note = f"the printed {truth} of {name} is that of alpha = 10/11" if alpha == "9/10" else ""
        value = float(named(name, 4, alpha).matrix().trace()) / 5
        found.append(number("Figure 7", f"{name}, n = 4, alpha = {alpha}: chance of the truth", truth, value, 3, note))
    return found


def _least(n: int, alpha: str, objective: Loss, outputs: tuple[int, ...]) -> float:
    """The least chance, over true counts, of one of the outputs where nothing but privacy is asked."""
    matrix = design.constrained(n=n, alpha=alpha, objective=objective).matrix()
    return float(matrix[list(outputs)].sum(axis=0).min())


def _runs(places: list[int]) -> str:
    """Hundredths as runs: .74-.75, .84-.85."""
    starts, ends = ([k for k in places if k + step not in places] for step in (-1, 1))
    return ", ".join(f".{a}-.{b}" for a, b in zip(starts, ends, strict=True))


def _definitions() -> list[Claim]:
    """What is defined, and Theorems 1, 3 and 4."""
    printed_mass, printed_epsilon = (1 + 2 * 0.1 / 0.9) / 1.9, -math.log(0.1)
    _, law = design.geometric(alpha="0.9").pmf(0)
    epsilon = math.log(law[len(law) // 2] / law[len(law) // 2 + 1])
    meant = f"the law meant is (1-alpha)/(1+alpha) alpha^|z|, of mass 1 and epsilon {epsilon:.4f}"
    gm = named("GM", 4, "9/10").matrix()
    off, at_least = 1 - float(gm.trace()) / 5, float(gm.sum()) / 5
    beyond = f"with >= every mechanism has L0,0 = 1; with > L0,0 is the mass off the diagonal, {off:.4f}"
    nearly_equal = np.full(5, 0.2) * (1 + 1e-9 * np.arange(-2, 3))  # so that the program is not folded by itself
    free, costly = _symmetry(4, ("CM",), nearly_equal), _symmetry(3, (), np.array([0.7, 0.1, 0.1, 0.1]))
    response = float(design.randomized_response(alpha="3/5").matrix()[0, 0])
    exponential, geometric = design.exponential(n=1, epsilon=1), design.geometric(upper=1, epsilon=1)
    truth, better = (float(mechanism.matrix()[0, 0]) for mechanism in (exponential, geometric))
    half = f"at n = 1 it spends half of its budget: truth {truth:.4f}, against {better:.4f} for GM"
    weighted = "n = 3, alpha = .9, weights .7 .1 .1 .1: error rate without and with S"
    return [
        number(
            "Definition 4", "alpha = .9: mass of the printed law (1-alpha)^|z| / (1+alpha)", 1, printed_mass, 4, meant
        ),
        number(
            "Definition 4", "alpha = .9: its epsilon, where -ln alpha is meant", round(epsilon, 4), printed_epsilon, 3
        ),
        number(
            "L0,d", "GM, n = 4, alpha = .9: mass at |i-j| >= 0, for the error rate", round(off, 4), at_least, 4, beyond
        ),
        Claim("Theorem 1", "CM, n = 4, alpha = .9: error rate without and with S", "equal", _row(free), _close(*free)),
        Claim(
            "Theorem 1", weighted, "equal", _row(costly), _close(*costly), "symmetry is free for symmetric weights only"
        ),
        number("Theorem 3", "randomized response, alpha = .6: truth 1/(1+alpha)", 0.625, response, 9),
        Claim("Theorem 4", "exponential mechanism, n = 1, epsilon = 1: truth", None, truth, truth < better),
        number("Theorem 4", "the same: epsilon that it has", 1, exponential.epsilon(), 9, half),
    ]


def _symmetry(n: int, properties: tuple[str, ...], weights: Floats) -> tuple[float, float]:
    """Least error rate at alpha = .9 without S and with it."""
    first, second = (
        design.constrained(n=n, alpha="9/10", properties=asked, weights=weights).loss(("L0", 0), weights)
        for asked in (properties, (*properties, "S"))
    )
    return first, second


def _geometric() -> list[Claim]:
    """Example 1, section 6.1, Theorem 5, Lemmas 3 and 4."""
    gm = named("GM", 2, "9/10").matrix()
    grid = [(n, alpha) for n in range(2, 26) for alpha in ("1/2", "2/3", "0.76", "9/10", "10/11")]
    honest = [("WH" in named("GM", n, a).properties()) == (n * (1 - Fraction(a)) >= 2 * Fraction(a)) for n, a in grid]
    costs = [_close(named("GM", n, a).loss("L0"), float(2 * Fraction(a) / (1 + Fraction(a)))) for n, a in grid]
    monotone = ["CM" in named("GM", 5, alpha).properties() for alpha in ("0.49", "1/2", "0.51")]
    single = named("GM", 1, "9/10").properties()
    pulled = [losses("L0", 8) + pull * losses(kind, 8) for kind in ("L1", "L2") for pull in (1e-4, -1e-4)]
    only = [
        abs(design.constrained(n=8, alpha="0.91", objective=pull).matrix() - named("GM", 8, "0.91").matrix())
        for pull in pulled
    ]
    one = "at n = 1 GM is randomized response, which has all seven for every alpha"
    return [
        number("Example 1", "GM, n = 2, alpha = .9: Pr[0 | 0]", 0.53, float(gm[0, 0]), 2),
        number("Example 1", "GM, n = 2, alpha = .9: Pr[0 | 1]", 0.47, float(gm[0, 1]), 2),
        number("Example 1", "GM, n = 2, alpha = .9: Pr[1 | 1]", 0.05, float(gm[1, 1]), 2),
        number("Example 1", "GM, n = 2, alpha = .9: odds against 1 at count 1", 18, float(1 / gm[1, 1] - 1), 6),
        _said("Section 6.1", "L0 of GM is 2 alpha/(1+alpha): n = 2..25, five alphas", "all", _all(costs)),
        _said(
            "Theorem 5", "GM stays optimal for L0 pulled to and from L1, L2", "all", _all(d.max() < SAME for d in only)
        ),
        _said("Lemma 3", "GM has WH iff n >= 2 alpha/(1-alpha): n = 2..25, five alphas", "all", _all(honest)),
        _said("Lemma 3", "the same at n = 1, alpha = .9", "no WH", "WH" if "WH" in single else "no WH", one),
        _said(
            "Lemma 4",
            "GM, n = 5, has CM at alpha = .49, .5, .51",
            "yes yes no",
            " ".join("yes" if y else "no" for y in monotone),
        ),
        _said("Lemma 4", "the same at n = 1, alpha = .9", "no CM", "CM" if "CM" in single else "no CM", one),
    ]


def _fair() -> list[Claim]:
    """EM: Figure 4, equation (16), section 6.2."""
    same = [exponent(i, j, 7) == int(digit) for i, word in enumerate(EXPONENTS.split()) for j, digit in enumerate(word)]
    found = [_said("Figure 4", "EM, n = 7: the 64 powers of alpha", "all", _all(same))]
    for n, alpha in ((2, "2/3"), (4, "10/11"), (8, "9/10"), (1, "1/2"), (3, "9/10"), (5, "2/3")):
        a, truth = float(Fraction(alpha)), float(named("EM", n, alpha).matrix()[0, 0])
        y = (1 - a) / (1 + a - 2 * a ** (n / 2 + 1))
        note = f"wrong for odd n: at n = {n}, alpha = {alpha} y is {truth:.6f}, not {y:.6f}" if n % 2 else ""
        what = f"EM, n = {n}, alpha = {alpha}: column sum with the printed y"
        found.append(number("Equation (16)", what, 1, y / truth, 6, note))
    costs = []
    for n, alpha in product(range(1, 13), ("1/2", "2/3", "9/10", "10/11")):
        em = named("EM", n, alpha)
        costs.append(_close(em.loss("L0"), (n + 1) / n * (1 - float(em.matrix()[0, 0]))))
    found.append(_said("Section 6.2", "L0 of EM is (n+1)/n (1-y): n = 1..12, four alphas", "all", _all(costs)))
    least = design.constrained(n=8, alpha="9/10", objective="L0", aggregate="max").loss("L0", aggregate="max")
    reached = _close(least, named("EM", 8, "9/10").loss("L0", aggregate="max"))
    found.append(Claim("Definition 3", "n = 8, alpha = .9: least largest error rate, EM's", None, least, reached))
    return found


def _properties() -> list[Claim]:
    """Figure 6, section 7.1, and what derives from GM."""
    alphas = [f"{k / 20:.2f}" for k in range(1, 20)]
    table = {name: held(name, 8, alphas).items() for name in ("GM", "WM (WH)", "EM")}
    always = {name: " ".join(one for one, cell in row if cell == "yes") for name, row in table.items()}
    closed, solved = named("WM (WH)", 4, "9/10").loss("L0"), cheapest(4, "9/10", "WH")
    derived = [named("WM (WH)", 2, alpha).derivable() for alpha in ("0.62", "0.76", "9/10", "99/100")]
    two = [named(name, 20, "10/11").loss("L0") for name in ("WM (WH, RM, CM)", "WM (WH)")]
    explicit = f"WH alone has a closed form ({closed:.6f}) that is the optimum of the linear program ({solved:.6f})"
    derives = "it derives from GM at n = 2, and is GM where n >= 2 alpha/(1-alpha); not at n = 8, alpha = .9"
    readings = "section 7.1 says WH, RM and CM; Figures 6, 9, 10 and 14 behave as WH alone; both are offered"
    return [
        Claim("Figure 6", "GM, n = 8: properties at every alpha", None, always["GM"], always["GM"] == "RH RM S"),
        Claim("Figure 6", "EM, n = 8: properties at every alpha", None, always["EM"], len(always["EM"].split()) == 7),
        Claim(
            "Figure 6", "WM (WH), n = 8: properties at every alpha", None, always["WM (WH)"], "WH" in always["WM (WH)"]
        ),
        Claim("Figure 6", "WM, n = 4, alpha = .9: L0", "no closed form", closed, not _close(closed, solved), explicit),
        Claim(
            "WM", "WM derives from GM, n = 2, four alphas", "never for n > 1", _all(derived), not any(derived), derives
        ),
        Claim("WM", "n = 20, alpha = 10/11: L0, two readings", "one mechanism", _row(two), _close(*two), readings),
    ]


def _flowchart() -> list[Claim]:
    """Section 6.3: four behaviours, and which mechanism to choose."""
    found = []
    for n, alpha, costs in ((4, "1/2", 2), (4, "2/3", 3), (7, "0.76", 3), (4, "0.76", 4), (8, "9/10", 4)):
        least = [cheapest(n, alpha, asked) for asked in SETS]
        chosen = [design.select(n=n, alpha=alpha, properties=asked.split("+") if asked else ()) for asked in SETS]
        right = [_close(cost, mechanism.loss("L0")) for cost, mechanism in zip(least, chosen, strict=True)]
        distinct = len(np.unique(np.round(least, 7)))
        what = f"n = {n}, alpha = {alpha}: distinct costs of 24 sets of properties"
        found.append(Claim("Section 6.3", what, "at most 4", distinct, distinct == costs))
        what = f"n = {n}, alpha = {alpha}: sets whose cheapest the flowchart finds"
        found.append(_said("Section 6.3", what, "all", _all(right)))
    return found


def _by_size() -> list[Claim]:
    """Figures 8 and 9."""
    meet = next(n for n in range(2, 30) if _close(cheapest(n, "0.76", "WH"), named("GM", n, "0.76").loss("L0")))
    found = [
        number("Figure 8(a)", "alpha = .76: 2 alpha/(1-alpha)", 6.33, 2 * 0.76 / (1 - 0.76), 2),
        number("Figure 8(a)", "alpha = .76: L0 of GM", 0.864, named("GM", 8, "0.76").loss("L0"), 3),
        number("Figure 8(a)", "alpha = .76: first n at which WH costs as GM", 7, meet, 0),
    ]
    for n in (4, 10):
        each = [cheapest(n, "0.76", asked) for asked in COMBINATIONS]
        one, other = _close(min(each[:3]), max(each[:3])), _close(min(each[3:]), max(each[3:]))
        found.append(Claim("Figure 8(a)", f"alpha = .76, n = {n}: WH, alone or with RH or RM", None, each[0], one))
        found.append(
            Claim("Figure 8(a)", f"alpha = .76, n = {n}: CH or CM, alone or with RH or RM", None, each[3], other)
        )
    each = [cheapest(10, "99/100", "WH"), cheapest(10, "99/100", "CM"), named("EM", 10, "99/100").loss("L0")]
    what, note = "alpha = .99, n = 10: L0 with WH, with CM, of EM", "close, but WH < CM < EM; the gap grows with n"
    identical = max(each) - min(each) < SAME
    found.append(Claim("Figures 8(b), 9(c)", what, "identical to EM", _row(each, 6), identical, note))
    for panel, alpha, printed in (("a", "2/3", 4), ("b", "10/11", 20)):
        gm = named("GM", 2, alpha).loss("L0")
        meet = next(n for n in range(2, 40) if _close(named("WM (WH)", n, alpha).loss("L0"), gm))
        what = f"alpha = {alpha}: first n at which WM (WH) costs as GM"
        found.append(number(f"Figure 9({panel})", what, printed, meet, 0))
    for panel, alpha in (("a", "2/3"), ("b", "10/11"), ("c", "99/100")):
        costs = {name: named(name, 10, alpha).loss("L0") for name in NAMES}
        rising = bool(np.all(np.diff(list(costs.values())) > -SAME))
        for name in NAMES[:4]:
            what = f"alpha = {alpha}, n = 10: L0 of {name}"
            found.append(Claim(f"Figure 9({panel})", what, None, costs[name], rising))
    return found


def _adult(path: str) -> list[Claim]:
    """Section 7.2."""
    found = []
    for (attribute, law), alpha in product(adult_groups(path).items(), ("0.91", "0.67")):
        found += _on_data("Section 7.2", f"Adult, {attribute}, groups of 8", 8, alpha, law(8))
    return found


def _binomial() -> list[Claim]:
    """Figures 11 to 13."""
    found = []
    for n, alpha, p in product((4, 12), ("0.91", "0.67"), (0.1, 0.5)):
        found += _on_data("Figures 11-13", f"binomial, n = {n}, p = {p}", n, alpha, binomial(n, p))
    return found


def _on_data(where: str, what: str, n: int, alpha: str, law: Floats) -> list[Claim]:
    """EM errs as often on all data; and EM* is nowhere farther off than EM."""
    mechanisms = [named(name, n, alpha) for name in ("GM", "WM (WH)", "EM", "EM*")]
    rates, roots = ([float(error(mechanism, kind, law)) for mechanism in mechanisms] for kind in ("L0", "RMSE"))
    flat = _close(rates[2], 1 - float(mechanisms[2].matrix()[0, 0])) and _close(rates[2], rates[3])
    told = f"{what}, alpha = {alpha}: {{}} of GM, WM, EM, EM*"
    return [
        Claim(where, told.format("error rate"), None, _row(rates), flat),
        Claim(where, told.format("RMSE"), None, _row(roots), roots[3] <= roots[2]),
    ]


def _objectives() -> list[Claim]:
    """Section 7.4, Figures 15 and 16."""
    found = []
    asked: dict[str, str | tuple[str, ...]] = {"no property": (), "WH": "WH", "F": "F", "all seven": "all"}
    for kind in ("L1", "L2"):
        costs = {f"least with {told}": optimum(8, "0.67", kind, properties) for told, properties in asked.items()}
        costs["EM"] = named("EM", 8, "0.67").loss(kind)
        rising = bool(np.all(np.diff(list(costs.values())) > -SAME))
        found += [
            Claim("Section 7.4", f"n = 8, alpha = .67, {kind}: {told}", None, cost, rising)
            for told, cost in costs.items()
        ]
    return found


def _better() -> list[Claim]:
    """EM*, optima without a linear program, and priors."""
    em, star = named("EM", 12, "0.67"), named("EM*", 12, "0.67")
    ends = [
        design.constrained(
            n=8, alpha="0.67", properties="all", objective=losses("L0", 8) + pull * losses("L2", 8)
        ).loss("L2")
        for pull in (1e-4, -1e-4)
    ]
    reached = all(
        abs(end - named(name, 8, "0.67").loss("L2")) < 1e-4 for end, name in zip(ends, ("EM*", "EM"), strict=True)
    )
    excess = named("EM*", 7, "0.91").loss("L2") / optimum(7, "0.91", "L2", "all")
    found = [
        Claim("EM*", "n = 12, alpha = .67: L0, as EM", None, star.loss("L0"), _close(em.loss("L0"), star.loss("L0"))),
        Claim(
            "EM*",
            "n = 12, alpha = .67: L2 of EM, of EM*",
            None,
            _row([em.loss("L2"), star.loss("L2")]),
            star.loss("L2") < em.loss("L2"),
        ),
        Claim(
            "EM*",
            "n = 8, alpha = .67: least and most L2 with all seven and least L0, EM* and EM",
            None,
            _row(ends),
            reached,
        ),
        Claim("EM*", "n = 7, alpha = .91: L2 over the least with all seven", None, excess, 1 <= excess < 1.002),
    ]
    for kind in ("L1", "L2"):
        least, gm = optimum(50, "9/10", kind, ()), named("GM", 50, "9/10").loss(kind)
        found.append(
            Claim("Bayes remap", f"n = 50, alpha = .9: least {kind}, without a program", None, least, least < gm)
        )
    rng, kept = np.random.default_rng(2019), []
    for _ in range(40):
        prior = np.exp(np.cumsum(rng.uniform(-0.17, 0.17, 9)))
        prior /= prior.sum()
        within = bool(np.abs(np.diff(np.log(prior))).max() <= -math.log(0.86))
        least = design.constrained(n=8, alpha="0.86", weights=prior).loss("L0", prior)
        kept.append(within == (named("GM", 8, "0.86").loss("L0", prior) - least < 1e-12))
    found.append(
        Claim(
            "Priors", "GM is optimal iff no step of the prior exceeds 1/alpha: 40 priors", None, _all(kept), all(kept)
        )
    )
    return found
