"""Sections 6.3 and 7.1: which mechanism has which property, the flowchart, derivability from GM, Figures 5 to 9."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from discreet import design
from discreet.certify.table import PROPERTIES
from discreet.papers.claim import Claim, Kind
from discreet.papers.cormode2019.claims_properties import SETS
from discreet.papers.cormode2019.count_mechanisms import (
    COLUMNS,
    COMBINATIONS,
    WEAK,
    has_properties,
    least_wrong,
    matrix,
    named,
    value,
)
from discreet.papers.cormode2019.flowchart import follow
from discreet.papers.cormode2019.square_programs import some_optimum_derives, some_optimum_does_not
from discreet.papers.cormode2019.statements import SAME, close, every, judged, listed, measured, ours, stated
from discreet.papers.wording import ABOUT, about

FIGURE_6 = {
    "S": "Y Y Y Y",
    "RM": "Y Y Y Y",
    "CM": "- - Y Y",
    "F": "N N Y Y",
    "WH": "- Y Y Y",
}
"""Figure 6 as printed: GM, WM, EM, UM; "-" where it depends on n and alpha."""

ALPHA_GRID = tuple(f"{k / 20:.2f}" for k in range(1, 20))


def section_6_3() -> Sequence[Claim]:
    """Judge the number of behaviours, and the flowchart."""
    claims = []
    for n, alpha in ((4, "1/2"), (4, "2/3"), (7, "0.76"), (4, "0.76"), (8, "9/10")):
        least = [least_wrong(n, alpha, joined) for joined in SETS]
        distinct = len(np.unique(np.round(least, 7)))
        most = 2 if value(alpha) <= 0.5 else 4
        what = f"n = {n}, alpha = {alpha}: distinct costs of 24 sets of properties"
        claims.append(judged("Section 6.3", what, f"at most {most}", distinct, distinct <= most, "there are more"))
        chosen = [design.select(n=n, alpha=alpha, properties=_split(joined)).loss("L0") for joined in SETS]
        right = [close(cost, other) for cost, other in zip(least, chosen, strict=True)]
        what = f"n = {n}, alpha = {alpha}: sets whose cheapest `design.select` finds"
        claims.append(stated("Section 6.3", what, "all", every(right)))
        if value(alpha) > 0.5:
            ends = [follow(frozenset(_split(joined)), n, Fraction(alpha)) for joined in SETS]
            right = [close(cost, named(end, n, alpha).loss("L0")) for cost, end in zip(least, ends, strict=True)]
            what = f"n = {n}, alpha = {alpha}: sets whose cheapest the chart finds"
            claims.append(stated("Figure 5", what, "all", every(right)))
    subsets = [frozenset(s) for k in range(8) for s in combinations(PROPERTIES, k)]
    ends = [follow(properties, 8, Fraction(9, 10)) for properties in subsets]
    has = [properties <= named(end, 8, "9/10").properties() for properties, end in zip(subsets, ends, strict=True)]
    return [
        *claims,
        measured("Figure 5", "n = 8, alpha = .9: mechanisms at the ends of the chart", 4, len(set(ends)), 0),
        stated("Figure 5", "n = 8, alpha = .9: sets of 128 that the mechanism at the end has", "all", every(has)),
        stated(
            "Section 6.3",
            "alpha = 1/2, n = 2..12: GM has every property but F",
            "all",
            every(named("GM", n, "1/2").properties() == frozenset(PROPERTIES) - {"F"} for n in range(2, 13)),
        ),
    ]


def _split(joined: str) -> tuple[str, ...]:
    return tuple(filter(None, joined.split("+")))


def figure_6() -> Sequence[Claim]:
    """Judge the table of properties."""
    claims = []
    for column_index, name in enumerate(("GM", WEAK, "EM", "UM")):
        cells = {one: _letter(flags) for one, flags in has_properties(name, 8, ALPHA_GRID).items()}
        printed = {one: row.split()[column_index] for one, row in FIGURE_6.items()}
        column, ours_column = (" ".join(f"{one}:{each[one]}" for one in FIGURE_6) for each in (printed, cells))
        what = f"{'WM' if name == WEAK else name}, n = 8, alpha = .05 to .95: properties"
        claims.append(stated("Figure 6", what, column, ours_column, kind="quoted"))
    other = _letter(has_properties(COLUMNS, 8, ALPHA_GRID)["CM"])
    costs = [
        [named(name, n, a).loss("L0") for name in ("GM", WEAK, "EM", "UM")] for n, a in product((4, 8), ("2/3", "9/10"))
    ]
    rising = [bool((np.diff(row) > -SAME).all()) for row in costs]
    em = named("EM", 30, "2/3").loss("L0")
    closed, solved = named(WEAK, 4, "9/10").loss("L0"), least_wrong(4, "9/10", "WH")
    two = [named(name, 20, "10/11").loss("L0") for name in (COLUMNS, WEAK)]
    return [
        *claims,
        stated("Figure 6", "L0 of GM, WM, EM, UM rises: n = 4, 8, alpha = 2/3, .9", "all", every(rising)),
        judged(
            "Figure 6",
            f"the same cases: L0 of EM over L0 of GM {ABOUT}",
            "very similar",
            listed((row[2] / row[0] for row in costs), 3),
            all(about(row[2], row[0]) for row in costs),
            "it is higher by a factor of up to 1 + 1/n",
        ),
        measured(
            "Figure 6",
            "L0 of EM is about 2 alpha/(1+alpha) (n+1)/n: n = 30, alpha = 2/3",
            round(0.8 * 31 / 30, 2),
            em,
            2,
            kind="formula",
        ),
        ours("Figure 6", "WM (WH, RM, CM): CM, printed as '-'", other, other == "Y"),
        ours(
            "Figure 6",
            "L0 of WM (WH), n = 4, alpha = .9, in closed form and by the program",
            listed([closed, solved], 6),
            close(closed, solved),
        ),
        ours(
            "Section 7.1",
            "n = 20, alpha = 10/11: L0 of WM with WH, RM and CM, and with WH alone",
            listed(two),
            not close(*two),
        ),
    ]


def _letter(flags: Sequence[bool]) -> str:
    return "Y" if all(flags) else "-" if any(flags) else "N"


def derivability() -> Sequence[Claim]:
    """Judge what section 6.3 says of mechanisms that can be made from outputs of GM."""
    grid = list(product(range(2, 13), ("1/2", "2/3", "9/10", "99/100")))
    em = [named("EM", n, alpha).derivable() for n, alpha in grid]
    example = []
    for n, alpha in grid:
        p, a = matrix("EM", n, alpha), value(alpha)
        example.append(p[2, 1] - a * p[2, 0] < a * (p[2, 2] - a * p[2, 1]))
    cases = list(product((2, 3, 4), (0.62, 0.76, 0.9, 0.99)))
    weak, columns = ("WH",), ("WH", "RM", "CM")
    claims: list[Claim] = []
    for name_of_set, properties in (("WH alone", weak), ("WH, RM, CM", columns)):
        does, does_not = (
            [test(n, a, properties) for n, a in cases] for test in (some_optimum_derives, some_optimum_does_not)
        )
        claims.append(
            judged(
                "Section 6.3, WM and GM",
                f"{name_of_set}, n = 2, 3, 4, four alphas: cases in which no optimum derives from GM",
                "all",
                every(not one for one in does),
                not any(does),
                f"optima that derive from GM exist in {sum(does)} of {len(cases)} cases, optima that do not in"
                f" {sum(does_not)}: what a solver returns is chance",
            )
        )
    same = bool(np.abs(matrix(WEAK, 4, "0.62") - matrix("GM", 4, "0.62")).max() < SAME)
    return [
        stated(
            "Section 6.3, EM and GM",
            "EM does not derive from GM: n = 2..12, four alphas",
            "all",
            every(not one for one in em),
        ),
        stated(
            "Section 6.3, EM and GM",
            "row 2, columns 0 to 2 break the condition: n = 2..12, four alphas",
            "all",
            every(example),
        ),
        *claims,
        ours(
            "Section 6.3, WM and GM",
            "n = 4, alpha = .62, where n >= 2 alpha/(1-alpha): WM (WH) is GM",
            "yes" if same else "no",
            same,
        ),
    ]


def figure_8() -> Sequence[Claim]:
    """Judge section 7.1 and Figure 8."""
    rows, columns = ({frozenset[str]()} | {frozenset({one}) for one in kind} for kind in (("RH", "RM"), ("CH", "CM")))
    meet = next(n for n in range(2, 30) if close(least_wrong(n, "0.76", "WH"), named("GM", n, "0.76").loss("L0")))
    groups = []
    for n in (4, 7, 10, 12):
        each = [least_wrong(n, "0.76", properties) for properties in COMBINATIONS]
        groups.append(np.ptp(each[:3]) < SAME and np.ptp(each[3:]) < SAME and each[0] < each[3] - SAME)
    high = [least_wrong(8, "99/100", "WH"), least_wrong(8, "99/100", "CM"), named("EM", 8, "99/100").loss("L0")]
    low = [least_wrong(8, alpha, properties) for alpha in ("0.6", "0.7") for properties in COMBINATIONS]
    gm = [named("GM", 8, alpha).loss("L0") for alpha in ("0.6", "0.7")]
    two = [
        len(np.unique(np.round(part, 7))) == 2 and close(min(part), g)
        for part, g in zip((low[:9], low[9:]), gm, strict=True)
    ]
    return [
        measured(
            "Section 7.1", "sets with WH from CH, CM, RH, RM that differ", 9, len(list(product(rows, columns))), 0
        ),
        measured("Figure 8(a)", "alpha = .76: 2 alpha/(1-alpha)", 6.33, 2 * 0.76 / (1 - 0.76), 2),
        measured("Figure 8(a)", "alpha = .76: L0 of GM", 0.864, named("GM", 8, "0.76").loss("L0"), 3),
        measured("Figure 8(a)", "alpha = .76: first n at which WH has the cost of GM", 7, meet, 0, kind="stated"),
        stated(
            "Figure 8(a)",
            "alpha = .76, n = 4, 7, 10, 12: row sets cost alike, column sets alike, and more",
            "all",
            every(groups),
        ),
        judged(
            "Figure 8(b)",
            "n = 8, alpha = .99: L0 with WH, with CM, of EM",
            "identical",
            listed(high, 6),
            max(high) - min(high) < SAME,
            "close, and WH < CM < EM; the curves meet at alpha = 1 only",
        ),
        stated("Figure 8(b)", "n = 8, alpha = .6, .7: two costs, the lower one GM's", "all", every(two)),
        stated(
            "Section 7.1",
            "n = 8, alpha = .6, .7, row properties: the program's cost is GM's",
            "all",
            every(close(part[0], g) for part, g in zip((low[:9], low[9:]), gm, strict=True)),
        ),
    ]


def figure_9() -> Sequence[Claim]:
    """Judge Figure 9."""
    claims = []
    for panel, alpha, printed in (("a", "2/3", 4), ("b", "10/11", 20), ("c", "99/100", 198)):
        threshold = 2 * value(alpha) / (1 - value(alpha))
        claims.append(measured(f"Figure 9({panel})", f"alpha = {alpha}: 2 alpha/(1-alpha)", printed, threshold, 6))
    for panel, alpha, printed in (("a", "2/3", 4), ("b", "10/11", 20)):
        gm = named("GM", 2, alpha).loss("L0")
        meet = next(n for n in range(2, 40) if close(named(WEAK, n, alpha).loss("L0"), gm))
        what = f"alpha = {alpha}: first n at which WM (WH) has the cost of GM"
        kind: Kind = "quoted" if panel == "b" else "stated"  # (a): "for the whole range of n"
        claims.append(measured(f"Figure 9({panel})", what, printed, meet, 0, kind=kind))
    em = [named("EM", n, "2/3").loss("L0") for n in range(4, 31, 2)]
    above = [float(matrix("EM", n, "99/100")[0, 0]) > 1 / (n + 1) for n in range(2, 31)]
    high = [named(name, 10, "99/100").loss("L0") for name in (WEAK, COLUMNS, "EM")]
    wide = [named(name, 30, "99/100").loss("L0") for name in (WEAK, COLUMNS, "EM")]
    return [
        *claims,
        judged(
            "Figure 9(a)",
            "alpha = 2/3, even n from 4 to 30: L0 of EM",
            "decreasing",
            f"{em[0]:.4f} to {em[-1]:.4f}",
            bool((np.diff(em) < 0).all()),
            f"it rises first, to {max(em):.4f} at n = {4 + 2 * int(np.argmax(em))}, and falls from there",
        ),
        stated("Figure 9(c)", "alpha = .99, n = 2..30: y of EM is above 1/(n+1)", "all", every(above)),
        judged(
            "Figure 9(c)",
            "alpha = .99, n = 10: L0 of WM (two readings), of EM",
            "the same",
            listed(high, 6),
            max(high) - min(high) < SAME,
            f"close, and strictly rising; the gap grows with n: at n = 30 {listed(wide, 6)}",
        ),
        ours(
            "Figure 9(b)",
            "alpha = 10/11, n = 20: L0 of GM, WM (two readings), EM",
            listed(named(name, 20, "10/11").loss("L0") for name in ("GM", WEAK, COLUMNS, "EM")),
        ),
    ]


CLAIMS = (section_6_3, figure_6, derivability, figure_8, figure_9)
