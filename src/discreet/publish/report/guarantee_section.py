"""The guarantee of a release, in words for everyone and in symbols, and what it does not cover."""

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from discreet.account.composition import compose
from discreet.certify.ptable import PTable
from discreet.exact import Epsilon, exact, upper
from discreet.plan.guarantee import cell_delta, cell_deltas, why_no_cell_promise
from discreet.plan.layout import Layout
from discreet.plan.spec import ReleaseSpec
from discreet.publish.report import svg
from discreet.publish.report.html import grid, label
from discreet.publish.report.numbers import above, factor, one_in, percent

if TYPE_CHECKING:
    from discreet.plan.guarantee import Promise

POINTS = 64

_ROUNDED_DOWN = 1 + Fraction(1, 2**200)
"""Epsilon.exp is below e**epsilon by less than this factor."""


def in_words(spec: ReleaseSpec, ptable: PTable, promise: "Promise | None") -> str:
    """The guarantee in words."""
    if promise is None:
        return _not_promised(spec, ptable)
    exp = Epsilon.of(promise.epsilon).exp * _ROUNDED_DOWN
    extra = f", plus at most {one_in(promise.delta)}" if promise.delta else ""
    aside = " (leaving that extra chance aside)" if promise.delta else ""
    who, did = _one(spec), "was there" if spec.unit.id is None else "took part"
    sure = exp / (1 + exp)
    up = Fraction(-(-sure * 1000 // 1), 1000)
    most = f"at most {percent(up)} sure" if up < Fraction(999, 1000) else "all but sure, as the guarantee is weak"
    return (
        f'<div class="promise"><p><strong>Whether or not {who} {did}, the chance of publishing these tables, or any'
        f" others, is the same up to a factor of at most {factor(exp)}{extra}.</strong></p><p>Put differently: someone"
        f" who thought it a coin toss whether {who} {did} can, having read every number here, be"
        f" {most}{aside}.</p></div>"
    )


def _not_promised(spec: ReleaseSpec, ptable: PTable) -> str:
    if spec.record_keys is None and why_no_cell_promise(spec) is not None:
        return (
            '<div class="warning"><p><strong>No guarantee is given.</strong> Which categories there are was taken from'
            " the data. A category that is listed, or is not, may tell that one person took part, and no noise hides"
            " that.</p></div>"
        )
    if spec.record_keys is not None:
        return (
            '<div class="warning"><p><strong>No guarantee is given.</strong> The noise was chosen by record keys that'
            " came with the data. Nobody can say from this folder how those keys were made, so nothing is promised,"
            " for one count or for all of them.</p></div>"
        )
    exp, delta = Epsilon.of(ptable.guarantee.epsilon).exp * _ROUNDED_DOWN, cell_delta(spec, ptable)
    extra = f", plus a chance of at most {one_in(float(delta) * (1 + 2**-40))}" if delta else ""
    return (
        '<div class="warning"><p><strong>No guarantee is given for these tables as a whole.</strong> The same group of'
        " people always gets the same noise, so two counts that differ by one person can be compared, and the"
        " guarantees of single counts do not add up to one for all of them.</p><p>Of one count, read alone, this much"
        f" is promised: its chance of any value with one person more is at most {factor(exp)} times that"
        f" without{extra}; and the other way round.</p></div>"
    )


def _one(spec: ReleaseSpec) -> str:
    return "any one row of the data" if spec.unit.id is None else "any one person"


def guarantee(spec: ReleaseSpec, layout: Layout, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    """The section with the guarantee in symbols, its numbers, its curve and its limits."""
    symbols = _symbols(spec, layout, ptable, touches, promise)
    return (
        '<section aria-labelledby="guarantee"><h2 id="guarantee">The guarantee</h2>'
        + (_in_symbols(spec, promise) if promise is not None else _WHY_NOT)
        + grid("The guarantee in numbers", ["what", "value", "meaning"], symbols, 0)
        + _curve(spec, ptable, touches, promise)
        + "<h3>What it does not cover</h3><ul>"
        + "".join(f"<li>{line}</li>" for line in _outside(spec))
        + "</ul></section>"
    )


_WHY_NOT = "<p>Nothing is promised for the release as a whole, for the reason given at the top of this page.</p>"


def _in_symbols(spec: ReleaseSpec, promise: "Promise") -> str:
    return (
        f"<p>Let A and B be two states of the data, one with and one without {_one(spec)}, and M the whole release."
        " For every set S of folders that could be published,</p>"
        "<p><strong>Pr[M(A) ∈ S] ≤ e<sup>ε</sup> Pr[M(B) ∈ S] + δ</strong>, with"
        f" ε = {escape(promise.epsilon)} and δ = {above(promise.delta)}.</p>"
        "<p>This holds whatever else anyone knows and whatever they compute from it. It is computed from the integers"
        " that the noise is drawn from, over all counts that hold one person, and it is an upper bound.</p>"
    )


def _symbols(
    spec: ReleaseSpec, layout: Layout, ptable: PTable, touches: int, promise: "Promise | None"
) -> list[list[str]]:
    rows, delta = spec.unit.contributions, cell_delta(spec, ptable)
    found = []
    if promise is not None:
        found += [
            ["epsilon (ε)", escape(promise.epsilon), "for the whole release"],
            ["delta (δ)", above(promise.delta), "for the whole release, an upper bound, rounded up"],
            [
                "floor of delta",
                above(min(promise.floor, promise.delta)),
                "delta never falls below this, however large epsilon is",
            ],
        ]
    found += [
        [
            "unit",
            "one row" if spec.unit.id is None else "one person",
            "whose privacy is kept"
            + ("; who has several rows is protected for each of them alone" if spec.unit.id is None else ""),
        ],
        ["touches", f"{touches:,}", f"of the {len(layout.cells[0]):,} counts hold one row, at most"],
    ]
    if spec.unit.id is not None:
        found.append(["contributions", str(rows), "rows of one person that count, at most; others were left out"])
    if delta is not None:
        who = "one row" if spec.unit.id is None else "one person"
        more = f", with up to {rows} rows in it" if rows > 1 else ""
        exactly = ", computed exactly" if delta == ptable.guarantee.delta else ", an upper bound"
        found.append(
            [
                "one count alone",
                f"ε = {_short(ptable.guarantee.epsilon)}, δ = {upper(delta, 4)}",
                f"{who} more or less{more}{exactly}",
            ]
        )
    kinds = {
        "query": "chosen by a secret and the definition of the count; the same whenever it is asked",
        "fresh": "drawn anew from the operating system; another release of these data would cost as much again",
        "contributors": "chosen by the people who are counted; the same people get the same noise",
    }
    named = ", ".join(f"{key} {value}" for key, value in sorted(ptable.design.items()) if key != "name")
    said = "as its publisher describes it; the guarantee is computed from its integers alone"
    found += [
        ["noise", f"{label(str(ptable.design.get('name')))}", f"{label(named, 200)}{'; ' if named else ''}{said}"],
        ["key", spec.key, kinds[spec.key]],
    ]
    return found


def _short(value: int | float | Fraction) -> str:
    return upper(Fraction(value)) if isinstance(value, Fraction) else escape(str(value))


def _curve(spec: ReleaseSpec, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    """delta at other epsilons: of the whole release, or of one count where there is no more to say."""
    own = cell_delta(spec, ptable)
    if own is None:
        return ""
    what = "one count read alone" if promise is None else "the whole release"
    epsilon = exact(ptable.guarantee.epsilon if promise is None else promise.epsilon, "epsilon")
    delta = float(np.nextafter(float(own), 1)) if promise is None else promise.delta
    across = [epsilon * place / (POINTS // 2) for place in range(POINTS + 1)]
    least = np.array([float(each) for each in across]) * (1 - 2.0**-50)
    if promise is None:
        bound = cell_deltas(spec, ptable, least)
    else:
        rows = spec.unit.contributions
        bound = compose(ptable, touches, contributions=rows if rows > 1 else None).delta(least)
    bound[POINTS // 2 :] = np.minimum(bound[POINTS // 2 :], delta)
    listed = [[upper(x, 4), above(y)] for x, y in zip(across, bound.tolist(), strict=True)][:: POINTS // 8]
    (start, highest), (end, lowest) = listed[0], listed[-1]
    said = f"delta of {what} falls from {highest} at epsilon {start} to {lowest} at epsilon {end}."
    points = [(float(x), y) for x, y in zip(across, bound.tolist(), strict=True)]
    chart = svg.curve(points, float(epsilon), delta, said)
    return (
        "<h3>At other values of epsilon</h3>"
        "<p>The same noise keeps a whole curve of promises: a smaller ε with a larger δ, and the reverse.</p>"
        f"<figure>{chart}<figcaption>Upper bounds of δ for {what}.</figcaption></figure>"
        + grid("The same as numbers", ["epsilon", "delta, at most"], listed, 1)
    )


_OTHERS = {
    "query": "Other publications about the same people. Each has its own cost, and costs add up, as long as data that"
    " changed have a new version label: under an old one they would have the same noise, and show their exact"
    " differences. The publisher's software refuses that; from the folders nobody can tell.",
    "fresh": "Other publications about the same people. Each has its own cost, and costs add up.",
    "contributors": "Other publications about the same people. Their guarantees do not add up with this one.",
}


def _outside(spec: ReleaseSpec) -> list[str]:
    lines = [
        "The names of tables and dimensions, the categories that were declared, the filters, and any zero or total that"
        " is fixed in the specification. They were written down by the publisher and are taken as they are; they are"
        " not computed from the data.",
        "What is true of people in general. If tables show that a disease is common in a district, that is learnt about"
        " everyone there, whether they took part or not.",
        _OTHERS[spec.key],
    ]
    if any(dimension.from_data for dimension in spec.dimensions.values()):
        lines.append("Which categories there are. They were taken from the data as they are.")
    if spec.key != "fresh":
        lines.append(
            "A secret that leaks. The noise was chosen with a secret key; whoever has it can remove the noise."
        )
    return lines
