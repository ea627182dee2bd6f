"""The guarantee of a release, in words and in symbols, and what it does not cover."""

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
from discreet.publish.report import _svg
from discreet.publish.report._html import grid, label
from discreet.publish.report.numbers import above, factor, one_in, percent

if TYPE_CHECKING:
    from discreet.plan.guarantee import Promise

POINTS = 64

_ROUNDED_DOWN = 1 + Fraction(1, 2**200)
"""Epsilon.exp is below e**epsilon by less than this factor."""


def in_words(spec: ReleaseSpec, ptable: PTable, promise: "Promise | None") -> str:
    """Return the guarantee in words, or the reason why there is none."""
    if promise is None:
        return _not_promised(spec, ptable)
    exp = Epsilon.of(promise.epsilon).exp * _ROUNDED_DOWN
    extra = f", plus at most {one_in(promise.delta)}" if promise.delta else ""
    aside = " (leaving that extra chance aside)" if promise.delta else ""
    who, did = _any_one(spec), "was there" if spec.unit.id is None else "took part"
    certainty = exp / (1 + exp)
    rounded = Fraction(-(-certainty * 1000 // 1), 1000)
    sure = f"at most {percent(rounded)} sure" if rounded < Fraction(999, 1000) else _WEAK
    return (
        f'<div class="promise"><p><strong>Whether or not {who} {did}, the chance of publishing these tables, or any'
        f" others, is the same up to a factor of at most {factor(exp)}{extra}.</strong></p><p>Put differently: someone"
        f" who thought it a coin toss whether {who} {did} can, having read every number here, be"
        f" {sure}{aside}.</p></div>"
    )


_WEAK = "all but sure, as the guarantee is weak"


def _not_promised(spec: ReleaseSpec, ptable: PTable) -> str:
    """Return the reason why nothing is promised for the release, and what is promised for one count."""
    if (
        spec.record_keys is None
        and spec.why_from_data is not None
        and not any(dimension.from_data for dimension in spec.dimensions.values())
    ):
        return (
            '<div class="warning"><p><strong>No guarantee is given.</strong> Some of what was declared'
            f" ({_found(spec)}) was found in the data, and nobody has named another source. It may tell that one person"
            " took part, and no noise hides that.</p></div>"
        )
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


def _found(spec: ReleaseSpec) -> str:
    """Return the dimensions, and the unit, that were found in the data."""
    names = [label(name) for name in sorted(spec.used) if spec.dimensions[name].found is not None]
    return ", ".join(names + ([] if spec.unit.found is None else ["the contributions of a person"]))


def _any_one(spec: ReleaseSpec) -> str:
    return "any one row of the data" if spec.unit.id is None else "any one person"


def guarantee(spec: ReleaseSpec, layout: Layout, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    """Return the section on the guarantee: in symbols, in numbers, as a curve, and what it does not cover.

    Parameters
    ----------
    touches
        How many times the loss of one person is composed.
    promise
        The composed guarantee; None if nothing is promised.
    """
    rows = [
        *_release_rows(promise),
        *_unit_rows(spec, layout, touches),
        *_count_rows(spec, ptable),
        *_noise_rows(spec, ptable),
    ]
    return (
        '<section aria-labelledby="guarantee"><h2 id="guarantee">The guarantee</h2>'
        + (_in_symbols(spec, promise) if promise is not None else _WHY_NOT)
        + grid("The guarantee in numbers", ["what", "value", "meaning"], rows, 0)
        + _curve(spec, ptable, touches, promise)
        + "<h3>What it does not cover</h3><ul>"
        + "".join(f"<li>{line}</li>" for line in _outside(spec))
        + "</ul></section>"
    )


_WHY_NOT = "<p>Nothing is promised for the release as a whole, for the reason given at the top of this page.</p>"


def _in_symbols(spec: ReleaseSpec, promise: "Promise") -> str:
    """Return the definition of (epsilon, delta), with the numbers of this release."""
    return (
        f"<p>Let A and B be two states of the data, one with and one without {_any_one(spec)}, and M the whole release."
        " For every set S of folders that could be published,</p>"
        "<p><strong>Pr[M(A) ∈ S] ≤ e<sup>ε</sup> Pr[M(B) ∈ S] + δ</strong>, with"
        f" ε = {escape(promise.epsilon)} and δ = {above(promise.delta)}.</p>"
        "<p>This holds whatever else anyone knows and whatever they compute from it. It is computed from the integers"
        " that the noise is drawn from, over all counts that hold one person, and it is an upper bound.</p>"
    )


def _release_rows(promise: "Promise | None") -> list[list[str]]:
    """Return the numbers of the whole release."""
    if promise is None:
        return []
    return [
        ["epsilon (ε)", escape(promise.epsilon), "for the whole release"],
        ["delta (δ)", above(promise.delta), "for the whole release, an upper bound, rounded up"],
        [
            "floor of delta",
            above(min(promise.floor, promise.delta)),
            "delta never falls below this, however large epsilon is",
        ],
    ]


def _unit_rows(spec: ReleaseSpec, layout: Layout, touches: int) -> list[list[str]]:
    """Return whose privacy is kept, and in how many counts one of them is."""
    touched = ["touches", f"{touches:,}", f"of the {len(layout.cells.definitions):,} counts hold one row, at most"]
    if spec.unit.id is None:
        meaning = "whose privacy is kept; who has several rows is protected for each of them alone"
        return [["unit", "one row", meaning], touched]
    return [
        ["unit", "one person", "whose privacy is kept"],
        touched,
        ["contributions", str(spec.unit.contributions), "rows of one person that count, at most; others were left out"],
    ]


def _count_rows(spec: ReleaseSpec, ptable: PTable) -> list[list[str]]:
    """Return the guarantee of one count alone, if it has one."""
    rows, delta = spec.unit.contributions, cell_delta(spec, ptable)
    if delta is None:
        return []
    who = "one row" if spec.unit.id is None else "one person"
    several_rows = f", with up to {rows} rows in it" if rows > 1 else ""
    exactness = ", computed exactly" if delta == ptable.guarantee.delta else ", an upper bound"
    return [
        [
            "one count alone",
            f"ε = {_short(ptable.guarantee.epsilon)}, δ = {upper(delta, 4)}",
            f"{who} more or less{several_rows}{exactness}",
        ]
    ]


_KEYS = {
    "query": "chosen by a secret and the definition of the count; the same whenever it is asked",
    "fresh": "drawn anew from the operating system; another release of these data would cost as much again",
    "contributors": "chosen by the people who are counted; the same people get the same noise",
}


def _noise_rows(spec: ReleaseSpec, ptable: PTable) -> list[list[str]]:
    """Return how the noise was designed, and how it was chosen."""
    parameters = ", ".join(f"{name} {value}" for name, value in sorted(ptable.design.items()) if name != "name")
    source = "as its publisher describes it; the guarantee is computed from its integers alone"
    meaning = f"{label(parameters, 200)}{'; ' if parameters else ''}{source}"
    return [["noise", label(str(ptable.design.get("name"))), meaning], ["key", spec.key, _KEYS[spec.key]]]


def _short(value: int | float | Fraction) -> str:
    return upper(Fraction(value)) if isinstance(value, Fraction) else escape(str(value))


def _curve(spec: ReleaseSpec, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    """Return delta at other values of epsilon: of the whole release, or of one count if the release has no promise."""
    certified = cell_delta(spec, ptable)
    if certified is None:
        return ""
    what = "one count read alone" if promise is None else "the whole release"
    epsilon = exact(ptable.guarantee.epsilon if promise is None else promise.epsilon, "epsilon")
    delta = float(np.nextafter(float(certified), 1)) if promise is None else promise.delta
    epsilons = [epsilon * i / (POINTS // 2) for i in range(POINTS + 1)]
    rounded_down = np.array([float(value) for value in epsilons]) * (1 - 2.0**-50)
    if promise is None:
        bounds = cell_deltas(spec, ptable, rounded_down)
    else:
        rows = spec.unit.contributions
        bounds = compose(ptable, touches, contributions=rows if rows > 1 else None).delta(rounded_down)
    bounds[POINTS // 2 :] = np.minimum(bounds[POINTS // 2 :], delta)
    listed = [[upper(x, 4), above(y)] for x, y in zip(epsilons, bounds.tolist(), strict=True)][:: POINTS // 8]
    (start, highest), (end, lowest) = listed[0], listed[-1]
    sentence = f"delta of {what} falls from {highest} at epsilon {start} to {lowest} at epsilon {end}."
    points = [(float(x), y) for x, y in zip(epsilons, bounds.tolist(), strict=True)]
    chart = _svg.curve(points, float(epsilon), delta, sentence)
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
    """Return what the guarantee does not cover, one text for each point."""
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
    elif spec.why_from_data is not None:
        lines.append(f"What was declared from the data: {_found(spec)}.")
    sources = [
        f"{label(name)}: {label(spec.dimensions[name].source or '')}"
        for name in sorted(spec.used)
        if spec.dimensions[name].source is not None
    ]
    sources += [] if spec.unit.source is None else [f"contributions: {label(spec.unit.source)}"]
    if sources:
        lines.append(
            f"Where categories, ranges and contributions come from, as the publisher says: {'; '.join(sources)}."
        )
    if spec.key != "fresh":
        lines.append(
            "A secret that leaks. The noise was chosen with a secret key; whoever has it can remove the noise."
        )
    return lines
