"""The report of a release: one HTML file that needs nothing else, for readers who are not statisticians.

It is a function of the public part of the specification, the certificate and the measurements, so anyone can make it
again, byte for byte. All that is said of the noise comes from the integers of the perturbation table; all that is
promised is rounded up. Nothing in it depends on where the data are, on the secret, or on the version of the software.
"""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from importlib.resources import files as resources
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.account.compose import compose
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.exact import Epsilon
from discreet.release.cells import Layout
from discreet.release.spec import OTHER, TOTAL, Dimension, ReleaseSpec, TableSpec
from discreet.report import svg
from discreet.report.distortion import Distortion, distortion, noise, sizes
from discreet.report.numbers import above, factor, number, one_in, percent, upper
from discreet.report.preview import heading, label, preview

if TYPE_CHECKING:
    from discreet.release.run import Promise

Integers = npt.NDArray[np.int64]

POINTS = 60
MOST_LABELS = 40

_ROUNDED_DOWN = 1 + Fraction(1, 2**200)
"""Epsilon.exp is below e**epsilon by less than this factor."""


def page(
    spec: ReleaseSpec,
    layout: Layout,
    ptable: PTable,
    touches: int,
    promise: "Promise | None",
    values: Sequence[Integers],
    counts: Sequence[Integers],
) -> bytes:
    """The report.

    Parameters
    ----------
    values, counts
        The measurements of every grouping, and the counts that were made from them.
    """
    errors = [distortion(ptable.table, size) for size in sizes(ptable.table)]
    parts = [
        _head(spec),
        "<main>",
        _lead(spec, layout, ptable, touches, promise, errors),
        _published(spec, layout),
        _guarantee(spec, layout, ptable, touches, promise),
        _reading(layout, ptable, errors, values),
        _tables(layout, counts),
        _checking(),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _head(spec: ReleaseSpec) -> str:
    style = resources("discreet").joinpath("report", "page.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(spec.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{escape(spec.title)}</h1><p class="version">Data version {escape(spec.version)}</p></header>'
    )


# The first screen


def _lead(
    spec: ReleaseSpec,
    layout: Layout,
    ptable: PTable,
    touches: int,
    promise: "Promise | None",
    errors: Sequence[Distortion],
) -> str:
    unit = "row" if spec.unit.id is None else "person"
    facts = [
        ("tables", f"{len(layout.tables):,}"),
        ("different counts", f"{len(layout.cells[0]):,}"),
        (f"of them hold one {unit}, at most", f"{touches * spec.unit.contributions:,}"),
        ("19 in 20 are this close", f"±{errors[-1].within:,}"),
    ]
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        "<p>These are tables of counts about people. To protect everyone in them, a little chance was added to every"
        " count before it was published. So a number here is close to the true one, and as a rule not equal to it.</p>"
        + _promised(spec, ptable, promise)
        + f'<dl class="facts">{listed}</dl>'
    )


def _promised(spec: ReleaseSpec, ptable: PTable, promise: "Promise | None") -> str:
    """The guarantee in words."""
    if promise is None:
        return _not_promised(spec, ptable)
    exp = Epsilon.of(promise.epsilon).exp * _ROUNDED_DOWN
    extra = f", plus a chance of at most {one_in(promise.delta)}" if promise.delta else ""
    aside = " (leaving that extra chance aside)" if promise.delta else ""
    who, did, them = (
        ("any one row of the data", "was there", "it")
        if spec.unit.id is None
        else ("any one person", "took part", "them")
    )
    sure = exp / (1 + exp)
    up = Fraction(-(-sure * 1000 // 1), 1000)
    most = f"at most {percent(up)} sure" if up < Fraction(999, 1000) else "all but sure, as the guarantee is weak"
    return (
        f'<div class="promise"><p><strong>Whether or not {who} {did}, much the same would have been published.</strong>'
        f" The chance of any outcome with {them} is at most {factor(exp)} times its chance without {them}{extra}; and"
        f" the other way round.</p><p>Put differently: someone who thought it a coin toss whether {who} {did} can,"
        f" having read every number here, be {most}{aside}.</p></div>"
    )


def _not_promised(spec: ReleaseSpec, ptable: PTable) -> str:
    if spec.record_keys is not None:
        return (
            '<div class="warning"><p><strong>No guarantee is given.</strong> The noise was chosen by record keys that'
            " came with the data. Nobody can say from this folder how those keys were made, so nothing is promised,"
            " for one count or for all of them.</p></div>"
        )
    _, exp, delta = ptable.guarantee
    extra = f", plus a chance of at most {one_in(float(delta) * (1 + 2**-40))}" if delta else ""
    return (
        '<div class="warning"><p><strong>No guarantee is given for these tables as a whole.</strong> The same group of'
        " people always gets the same noise, so two counts that differ by one person can be compared, and the"
        " guarantees of single counts do not add up to one for all of them.</p><p>Of one count, read alone, this much"
        f" is promised: its chance of any value with one row more is at most {factor(exp * _ROUNDED_DOWN)} times that"
        f" without{extra}; and the other way round.</p></div>"
    )


def _one(spec: ReleaseSpec) -> str:
    return "any one row of the data" if spec.unit.id is None else "any one person"


# What was published


def _published(spec: ReleaseSpec, layout: Layout) -> str:
    rows = []
    for table, places in layout.tables:
        groupings = [layout.groupings[place] for place in places]
        by = ", ".join(heading(side) for side in groupings[0].sides) or "one count of everyone"
        margins = [" by ".join(label(s.book.name) for s in g.sides) or "the total" for g in groupings[1:]]
        shown = "; ".join(margins[:MOST_LABELS]) + ("; …" if len(margins) > MOST_LABELS else "")
        rows.append([label(table.name), by, _filter(table), shown or "none", f"{sum(g.size for g in groupings):,}"])
    heads = ["table", "counts by", "who is in it", "totals (margins)", "counts"]
    dimensions = [
        [label(book.name), _categories(spec.dimensions[book.name]), _levels(spec.dimensions[book.name])]
        for book in layout.books
    ]
    listed = _grid("Categories", ["dimension", "categories", "coarser levels"], dimensions, 0) if dimensions else ""
    return (
        '<section aria-labelledby="published"><h2 id="published">What was published</h2>'
        + _grid("Tables", heads, rows, 1)
        + listed
        + f'<p class="note">What was not stated, or is none of these categories, is counted as <code>{OTHER}</code>. A'
        f" total over a dimension is called <code>{TOTAL}</code> in the files. A count that occurs in several tables is"
        " one number.</p></section>"
    )


def _filter(table: TableSpec) -> str:
    parts = [f"{label(name)}: {_several(labels)}" for name, labels in table.filter.items()]
    return "; ".join(parts) or "everyone"


def _categories(dimension: Dimension) -> str:
    if dimension.ranges is None:
        return _several(dimension.categories or ())
    return _several(f"{name} ({_range(*ends)})" for name, ends in dimension.ranges.items())


def _range(lower: float | None, upper_end: float | None) -> str:
    if lower is None:
        return "any number" if upper_end is None else f"under {upper_end:.15g}"
    return f"{lower:.15g} and over" if upper_end is None else f"{lower:.15g} to under {upper_end:.15g}"


def _levels(dimension: Dimension) -> str:
    return "; ".join(f"{label(name)}: {_several(groups)}" for name, groups in dimension.levels.items()) or "none"


def _several(labels: Iterable[str]) -> str:
    """Labels in a row, the first of very many."""
    first = [label(text) for text in itertools.islice(labels, MOST_LABELS + 1)]
    return ", ".join(first[:MOST_LABELS]) + (", …" if len(first) > MOST_LABELS else "")


# The guarantee


def _guarantee(spec: ReleaseSpec, layout: Layout, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    symbols = _symbols(spec, layout, ptable, touches, promise)
    return (
        '<section aria-labelledby="guarantee"><h2 id="guarantee">The guarantee</h2>'
        + (_in_symbols(spec, promise) if promise is not None else _WHY_NOT)
        + _grid("The guarantee in numbers", ["what", "value", "meaning"], symbols, 0)
        + _curve(spec, ptable, touches, promise)
        + "<h3>What it does not cover</h3><ul>"
        + "".join(f"<li>{line}</li>" for line in _outside(spec))
        + "</ul></section>"
    )


_WHY_NOT = "<p>Nothing is promised for the release as a whole, for the reason given at the top of this page.</p>"


def _in_symbols(spec: ReleaseSpec, promise: "Promise") -> str:
    return (
        f"<p>Let D and E be two states of the data, one with and one without {_one(spec)}, and M the whole release."
        " For every set S of folders that could be published,</p>"
        "<p><strong>Pr[M(D) ∈ S] ≤ e<sup>ε</sup> Pr[M(E) ∈ S] + δ</strong>, with"
        f" ε = {escape(promise.epsilon)} and δ = {above(promise.delta)}.</p>"
        "<p>This holds whatever else anyone knows and whatever they compute from it. It is computed from the integers"
        " that the noise is drawn from, over all counts that hold one person, and it is an upper bound.</p>"
    )


def _symbols(
    spec: ReleaseSpec, layout: Layout, ptable: PTable, touches: int, promise: "Promise | None"
) -> list[list[str]]:
    epsilon, _, delta = ptable.guarantee
    rows = spec.unit.contributions
    found = []
    if promise is not None:
        found += [
            ["epsilon (ε)", escape(promise.epsilon), "for the whole release"],
            ["delta (δ)", above(promise.delta), "for the whole release, an upper bound, rounded up"],
            ["floor of delta", above(promise.floor), "no epsilon has a smaller delta"],
        ]
    found += [
        [
            "unit",
            "one row" if spec.unit.id is None else "one person",
            "whose privacy is kept"
            + ("; who has several rows is protected for each of them alone" if spec.unit.id is None else ""),
        ],
        ["contributions", str(rows), "rows of one person that count, at most; others were left out"],
        ["touches", f"{touches:,}", f"of the {len(layout.cells[0]):,} counts hold one row, at most"],
    ]
    if spec.record_keys is None:
        found.append(
            [
                "one count alone",
                f"ε = {_short(epsilon)}, δ = {upper(delta, 4)}",
                "one row more or less, computed exactly",
            ]
        )
    kinds = {
        "query": "chosen by a secret and the definition of the count; the same whenever it is asked",
        "fresh": "drawn anew from the operating system; another release of these data would cost as much again",
        "contributors": "chosen by the people who are counted; the same people get the same noise",
    }
    named = ", ".join(f"{key} {value}" for key, value in sorted(ptable.design.items()) if key != "name")
    found += [
        ["noise", f"{label(str(ptable.design.get('name')))}", label(named, 200) or "no parameters"],
        ["key", spec.key, kinds[spec.key]],
    ]
    return found


def _short(value: int | float | Fraction) -> str:
    return upper(Fraction(value)) if isinstance(value, Fraction) else escape(str(value))


def _curve(spec: ReleaseSpec, ptable: PTable, touches: int, promise: "Promise | None") -> str:
    """delta at other epsilons: of the whole release, or of one count where there is no more to say."""
    if spec.record_keys is not None:
        return ""
    rows = spec.unit.contributions
    if promise is None:
        together, epsilon, delta = compose(ptable), float(ptable.guarantee.epsilon), float(ptable.guarantee.delta)
        what = "one count read alone"
    else:
        together = compose(ptable, touches, contributions=rows if rows > 1 else None)
        epsilon, delta = float(Epsilon.of(promise.epsilon)), promise.delta
        what = "the whole release"
    across = epsilon * np.arange(POINTS + 1) / (POINTS // 2)
    bound = np.where(across >= epsilon, np.minimum(together.delta(across), delta), together.delta(across))
    points = list(zip(across.tolist(), bound.tolist(), strict=True))
    ends = f"{above(points[0][1])} at epsilon 0 to {above(points[-1][1])} at epsilon {points[-1][0]:.4g}"
    chart = svg.curve(points, epsilon, delta, f"delta of {what} falls from {ends}.")
    listed = [[f"{x:.4g}", above(y)] for x, y in points[:: POINTS // 6]]
    return (
        "<h3>At other values of epsilon</h3>"
        "<p>The same noise keeps a whole curve of promises: a smaller ε with a larger δ, and the reverse.</p>"
        f"<figure>{chart}<figcaption>Upper bounds of δ for {what}.</figcaption></figure>"
        + _grid("The same as numbers", ["epsilon", "delta, at most"], listed, 2)
    )


def _outside(spec: ReleaseSpec) -> list[str]:
    lines = [
        "The names of tables, dimensions and categories, the filters, and any zero or total that is fixed in the"
        " specification. They were written down by the publisher and are taken as they are; they are not computed from"
        " the data.",
        "What is true of people in general. If tables show that a disease is common in a district, that is learnt about"
        " everyone there, whether they took part or not.",
        "Other publications about the same people. Each has its own cost, and costs add up.",
    ]
    if spec.key != "fresh":
        lines.append(
            "A secret that leaks. The noise was chosen with a secret key; whoever has it can remove the noise."
        )
    return lines


# How to read a number


def _reading(layout: Layout, ptable: PTable, errors: Sequence[Distortion], values: Sequence[Integers]) -> str:
    zero, typical = errors[0], errors[-1]
    same = len({(each.deviation, each.within) for each in errors}) == 1
    heads = [
        "true count",
        "chance that it is published as it is",
        "standard deviation",
        "95% of measurements are within",
        "that is, of the count",
        "published too high by, on average",
    ]
    rows = [
        [
            f"{each.count:,}",
            percent(each.truth),
            f"{each.deviation:.2f}",
            f"±{each.within:,}",
            f"{100 * each.within / each.count:.1f}%" if each.count else "-",
            f"{float(each.lean):.2f}",
        ]
        for each in errors
    ]
    said = f"19 in 20 measurements of a count of {typical.count:,} are at most {typical.within:,} away from the truth."
    law = svg.law(noise(ptable.table, typical.count), ptable.table.total, typical.within, said)
    return (
        '<section aria-labelledby="reading"><h2 id="reading">How to read a number</h2>'
        f"<p>{said} {_SAME if same else _DIFFERENT} Read small counts as “few”, and compare large ones.</p>"
        f"<p>A true 0 is published as 0 with a chance of {percent(zero.truth)}. So a 0 need not mean that there is"
        " nobody, nor a small number that there is somebody.</p>"
        + _grid("Expected error by size of the count", heads, rows, 5)
        + _clamped(ptable)
        + f"<figure>{law}<figcaption>The noise of a count of {typical.count:,}. In the stronger colour: the differences"
        f" up to {typical.within:,} either way, which have a chance of {percent(typical.coverage)}."
        "</figcaption></figure>" + _sums(layout, ptable, values) + "</section>"
    )


_SAME = "The error of a large count is no larger than that of a small one, so large counts are relatively more exact."
_DIFFERENT = "How large the error is depends on the count, as the table shows."


def _clamped(ptable: PTable) -> str:
    upper_end = ptable.domain.upper if isinstance(ptable.domain, Counts) else None
    if upper_end is None:
        return ""
    return f'<p class="note">A true count above {upper_end:,} is treated as if it were {upper_end:,}.</p>'


def _sums(layout: Layout, ptable: PTable, values: Sequence[Integers]) -> str:
    """What sums of counts are worth."""
    definitions, where = layout.cells
    below = np.zeros(len(definitions), dtype=bool)
    for here, part in zip(where, values, strict=True):
        below[here] = part.ravel() < 0
    least, greatest = ptable.utility["bias"]
    right = (
        "and sums of those are right on average"
        if least == greatest == 0
        else f"though each of those is off by {number(least)} to {number(greatest)} on average"
    )
    return (
        "<p>Every count was measured by itself, totals too, so the counts of a table do not add up exactly to its"
        f" totals. Use a published total rather than a sum. {int(below.sum()):,} of the {len(definitions):,}"
        " measurements came out below 0 and are shown as 0 in the tables, which makes sums of many small counts too high."
        f" <code>measurements.csv</code> has them as they were measured, {right}.</p>"
    )


# The tables


def _tables(layout: Layout, counts: Sequence[Integers]) -> str:
    shown = []
    for table, places in layout.tables:
        parts = [(layout.groupings[place], counts[place]) for place in places]
        within = "" if not table.filter else f'<p class="note">Only {_filter(table)}.</p>'
        shown.append(f"<h3>{label(table.name)}</h3>{within}{preview(table, parts)}")
    return (
        '<section aria-labelledby="tables"><h2 id="tables">The tables</h2>'
        "<p>Published counts, with the noise in them. The files in this folder have all rows and all margins.</p>"
        f"{''.join(shown)}</section>"
    )


def _grid(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: int) -> str:
    """A table of HTML texts; the last `numeric` columns are numbers, the first names its row."""
    first = len(heads) - numeric
    names = [f'<th scope="col">{head}</th>' for head in heads[:first]]
    names.extend(f'<th scope="col" class="n">{head}</th>' for head in heads[first:])
    body = []
    for row in rows:
        cells = [f'<td class="text">{text}</td>' for text in row[1:first]] + [
            f"<td>{text}</td>" for text in row[first:]
        ]
        joined = "".join(cells)
        body.append(f'<tr><th scope="row">{row[0]}</th>{joined}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{''.join(names)}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _checking() -> str:
    return (
        '<section aria-labelledby="checking"><h2 id="checking">How to check it</h2>'
        "<p>Anyone can check this folder, with nothing but the folder: <code>discreet verify DIR</code> recomputes the"
        " guarantee from the integers in <code>certificate.json</code>, and makes the tables and this page again from"
        " <code>measurements.csv</code>, byte for byte. It cannot tell whether the publisher drew the noise as the"
        " certificate says, or keeps a secret well.</p></section>"
    )
