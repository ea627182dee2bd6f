"""The section on adding up: how tables were made additive, how far counts moved, and the error of counts."""

from typing import TYPE_CHECKING

import numpy as np

from discreet.domain import Counts
from discreet.publish.report import _svg
from discreet.publish.report._html import grid, label, several
from discreet.publish.report.expected import SURE, Expected
from discreet.publish.report.table_preview import heading
from discreet.reconcile import moved

if TYPE_CHECKING:
    from discreet.publish.folder import Published
    from discreet.reconcile.distance import GivenCount


MOST_GROUPINGS = 60

_METHODS = {
    "tree": "as a hierarchy, by least squares",
    "cube": "as crossed dimensions, by least squares",
    "wang-3": "as the most likely split of the total (Wang 2020, algorithm 3)",
    "none": "not at all: every count below 0 is shown as 0",
}


def adding(published: "Published") -> str:
    """Return the section on how tables add up."""
    additive = bool(published.table_plan.parts)
    return (
        '<section aria-labelledby="adding"><h2 id="adding">'
        + ("How the tables add up" if additive else "Why the tables do not add up exactly")
        + "</h2>"
        + (_ADDITIVE if additive else _not_additive(published))
        + _methods(published)
        + _fixed(published)
        + (_how_far(published) if additive else "")
        + "</section>"
    )


_ADDITIVE = (
    "<p>Every count was measured by itself, totals too, so measurements do not add up, and some are below 0. The tables"
    " do: they hold whole numbers, none below 0, every total being the sum of its parts, as close to the measurements"
    " as that allows. This was done with the noisy measurements alone, so it costs no privacy.</p>"
    '<p class="note">In another release the same count may come out differently, as it has to add up with others. Who'
    " computes with these numbers should take the measurements, in <code>measurements.csv</code>.</p>"
)
_ENDS = (
    "<p>The noise has an upper end: a larger count is measured as if it were that. So counts do not add up to their"
    " totals, and were not made to. A measurement below 0 is shown as 0.</p>"
)
_CLAMPED = (
    "<p>Every count was measured by itself, totals too. A measurement below 0 is shown as 0, and nothing else was done:"
    " counts do not add up exactly to their totals. Use a published total rather than a sum.</p>"
)


def _not_additive(published: "Published") -> str:
    """Return the reason why tables do not add up."""
    domain = published.plan.ptable.domain
    has_upper_end = isinstance(domain, Counts) and domain.upper is not None
    return _ENDS if has_upper_end and published.plan.spec.reconcile != "none" else _CLAMPED


def _methods(published: "Published") -> str:
    """Return which tables were made together, if not all of them."""
    methods = published.table_plan.methods
    if len(methods) == 1:
        return ""
    rows = [[several(tables), _METHODS[method]] for tables, method in methods]
    return (
        grid("Tables that were made to add up together", ["tables", "how"], rows, 0)
        + '<p class="note">Tables in different rows were made one after the other. A count that is in both may be two'
        " numbers, both made from one measurement.</p>"
    )


def _fixed(published: "Published") -> str:
    """Return the counts that the specification fixes, beside their measurements."""
    given_counts = published.given_counts
    if not given_counts:
        return ""
    rows = [
        [
            label(given_count.who, 200),
            f"{given_count.count:,}",
            "-" if given_count.measured is None else f"{given_count.measured:,}",
            _explained(given_count),
        ]
        for given_count in given_counts[:MOST_GROUPINGS]
    ]
    more = f"<p>And {len(given_counts) - len(rows):,} more.</p>" if len(given_counts) > len(rows) else ""
    return (
        "<p>These counts are not from the data. The publisher wrote them down as known from elsewhere, or as empty by"
        " definition, and the tables meet them. They are outside the guarantee.</p>"
        + grid("Counts that were given", ["who", "count", "measured", "noise explains the difference"], rows, 3)
        + more
    )


def _explained(given_count: "GivenCount") -> str:
    return "-" if given_count.measured is None else "yes" if given_count.explained else "<strong>no</strong>"


def _how_far(published: "Published") -> str:
    """Return how far counts moved from their measurements, and the errors to expect."""
    expected, layout = published.expected, published.plan.layout
    rows = []
    for (table, grouping_indices), margins in zip(layout.tables, published.tables, strict=True):
        for index, counts in zip(grouping_indices, margins, strict=True):
            grouping = layout.groupings[index]
            distances = moved(published.measurements[index], counts)
            errors = expected.of.get(index)
            rows.append(
                [
                    label(table.name),
                    " by ".join(heading(axis) for axis in grouping.axes) or "total",
                    f"{grouping.size:,}",
                    f"{distances.largest:,}",
                    f"{distances.root_mean_square:.2f}",
                    *(["-"] * 3 if errors is None else [_number(error) for error in vars(errors).values()]),
                ]
            )
    heads = [
        "table",
        "counts by",
        "counts",
        "moved by, at most",
        "moved by, typically",
        "typical error of measurements",
        "of least squares",
        "as published",
    ]
    if expected.failed is not None:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    shown = rows[:MOST_GROUPINGS]
    more = f'<p class="note">The first {len(shown)} of {len(rows)} rows.</p>' if len(shown) < len(rows) else ""
    return (
        "<h3>How far the numbers moved, and how far they are from the truth</h3>"
        + _explanation(expected)
        + grid("Published counts against measurements", heads, shown, len(heads) - 2)
        + more
        + _chart(published)
    )


def _number(error: float | None) -> str:
    return "-" if error is None else f"{error:.2f}"


def _explanation(expected: Expected) -> str:
    """Return how the errors were computed, and which of them are left out."""
    exact = (
        "<p>The typical error (root mean square) of measurements comes from the integers of the certified table. That"
        " of least squares, which makes one table of all measurements, follows from it by a formula. Neither is"
        " simulated or made from the data. No formula covers tables that follow counts which were given, or tables of"
        " more people: a dash stands there.</p>"
    )
    if expected.failed is not None:
        return exact + (
            "<p>That counts are not below 0, and are whole, changes the error once more. What that does could not be"
            " simulated: for noise that was drawn in a simulation, least squares did not converge. So the errors of"
            " published counts are left out here. The published counts themselves are not concerned.</p>"
        )
    if not expected.runs:
        return exact + "<p>There are too many counts here to simulate what being whole and not below 0 does.</p>"
    return exact + (
        "<p>That counts are not below 0, and are whole, changes the error once more. What that does was simulated"
        f" {expected.runs} times: the published counts were taken for the truth, and noise was drawn for them again."
        " The true counts were not used. A dash also stands where this leaves a number uncertain by more than"
        f" {SURE:.0%}.</p>"
    )


def _chart(published: "Published") -> str:
    """Return a chart of the differences between published counts and measurements."""
    differences = np.concatenate(
        [
            np.ravel(counts - published.measurements[index])
            for (_, grouping_indices), margins in zip(published.plan.layout.tables, published.tables, strict=True)
            for index, counts in zip(grouping_indices, margins, strict=True)
        ]
    )
    sizes, frequencies = np.unique(differences, return_counts=True)
    unchanged = int(frequencies[sizes == 0].sum())
    sentence = f"{unchanged:,} of {len(differences):,} published counts are as they were measured."
    chart = _svg.bars(
        list(zip(sizes.tolist(), frequencies.tolist(), strict=True)),
        len(differences),
        0,
        sentence,
        title="How far the counts moved",
        across="published count minus measured count",
        up="share of the counts",
    )
    return f"<figure>{chart}<figcaption>{sentence}</figcaption></figure>"
