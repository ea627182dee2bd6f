"""How tables were made to add up: what moved by how much, and what that does to the error.

The effect on the error is simulated: the published counts are taken for the truth, noise is drawn for them from the
certified table with public numbers, and tables are made from that as they were from the measurements.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.domain import Counts
from discreet.reconcile import moved, seeded
from discreet.release import measure
from discreet.report import svg
from discreet.report.html import grid, label, several

if TYPE_CHECKING:
    from discreet.release.folder import Published

Integers = npt.NDArray[np.int64]

RUNS = 8
"""Simulated releases, at most."""

MOST_DRAWN = 200_000
"""Counts that are simulated, if that takes more than one run."""

MOST_CELLS = 500_000
"""Cells above which nothing is simulated."""

MOST_GROUPINGS = 60

_METHODS = {
    "tree": "as a hierarchy, by least squares",
    "cube": "as crossed dimensions, by least squares",
    "wang-3": "as the most likely split of the total (Wang 2020, algorithm 3)",
    "none": "not at all: every count below 0 is shown as 0",
}


def adding(made: "Published") -> str:
    """The section on totals and their parts."""
    additive = bool(made.plan.parts)
    return (
        '<section aria-labelledby="adding"><h2 id="adding">'
        + ("How the tables add up" if additive else "Why the tables do not add up exactly")
        + "</h2>"
        + (_ADDITIVE if additive else _ENDS if made.spec.reconcile != "none" and _ends(made) else _CLAMPED)
        + _methods(made)
        + _fixed(made)
        + (_how_far(made) if additive else "")
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


def _ends(made: "Published") -> bool:
    return isinstance(made.ptable.domain, Counts) and made.ptable.domain.upper is not None


def _methods(made: "Published") -> str:
    told = made.plan.methods
    if len(told) == 1:
        return ""
    rows = [[several(map(str, _listed(each["tables"]))), _METHODS[str(each["method"])]] for each in told]
    return (
        grid("Tables that were made to add up together", ["tables", "how"], rows, 0)
        + '<p class="note">Tables in different rows were made one after the other. A count that is in both may be two'
        " numbers, both made from one measurement.</p>"
    )


def _listed(tables: object) -> Sequence[object]:
    assert isinstance(tables, list)
    return tables


def _fixed(made: "Published") -> str:
    if not made.spec.fixed:
        return ""
    rows = [
        [several(f"{name}: {value}" for name, value in each.where.items()) or "everyone", f"{each.count:,}"]
        for each in made.spec.fixed[:MOST_GROUPINGS]
    ]
    more = f"<p>And {len(made.spec.fixed) - len(rows):,} more.</p>" if len(made.spec.fixed) > len(rows) else ""
    return (
        "<p>These counts are not from the data. The publisher wrote them down as known from elsewhere, or as empty by"
        " definition, and the tables meet them. They are outside the guarantee.</p>"
        + grid("Counts that were given", ["who", "count"], rows, 1)
        + more
    )


@dataclass(frozen=True)
class Errors:
    """Root mean squared errors: of measurements, of measurements clamped at 0, and of the tables."""

    measured: float
    clamped: float
    published: float


def _how_far(made: "Published") -> str:
    errors = simulated(made)
    rows = []
    for number, (table, places) in enumerate(made.layout.tables):
        for at, place in enumerate(places):
            grouping = made.layout.groupings[place]
            told = moved(made.values[place], made.tables[number][at])
            by = " by ".join(label(side.book.name) for side in grouping.sides) or "total"
            row = [label(table.name), by, f"{grouping.size:,}", f"{told.largest:,}", f"{told.root_mean_square:.2f}"]
            if errors is not None:
                found = errors[number][at]
                row += [f"{found.measured:.2f}", f"{found.clamped:.2f}", f"{found.published:.2f}"]
            rows.append(row)
    heads = ["table", "counts by", "counts", "moved by, at most", "moved by, typically"]
    told_how = ""
    if errors is not None:
        heads += ["typical error of measurements", "if only clamped at 0", "as published"]
        told_how = (
            "<p>The typical error (root mean square) was simulated from the published counts: they were taken for the"
            " truth, and noise was drawn for them again. The true counts were not used.</p>"
        )
    shown = rows[:MOST_GROUPINGS]
    more = f'<p class="note">The first {len(shown)} of {len(rows)} rows.</p>' if len(shown) < len(rows) else ""
    return (
        "<h3>How far the numbers moved</h3>"
        + told_how
        + grid("Published counts against measurements", heads, shown, len(heads) - 2)
        + more
        + _picture(made)
    )


def _picture(made: "Published") -> str:
    differences = np.concatenate(
        [
            np.ravel(made.tables[number][at] - made.values[place])
            for number, (_, places) in enumerate(made.layout.tables)
            for at, place in enumerate(places)
        ]
    )
    sizes, many = np.unique(differences, return_counts=True)
    same = int(many[sizes == 0].sum())
    said = f"{same:,} of {len(differences):,} published counts are as they were measured."
    chart = svg.law(
        list(zip(sizes.tolist(), many.tolist(), strict=True)),
        len(differences),
        0,
        said,
        title="How far the counts moved",
        across="published count minus measured count",
        up="share of the counts",
    )
    return f"<figure>{chart}<figcaption>{said}</figcaption></figure>"


def simulated(made: "Published") -> list[list[Errors]] | None:
    """For every table and grouping the errors to expect; None where there are too many cells."""
    layout = made.layout
    size = len(layout.cells[0])
    if size > MOST_CELLS:
        return None
    truth = np.zeros(size, dtype=np.int64)
    for number in [*made.plan.clamped, *(table for _, part in reversed(made.plan.parts) for table in part.tables)]:
        for place, numbers in zip(layout.tables[number][1], made.tables[number], strict=True):
            truth[layout.cells[1][place]] = numbers.ravel()  # the first part, which others follow, comes last
    runs = max(1, min(RUNS, MOST_DRAWN // size))
    squares = [np.zeros((len(places), 3)) for _, places in layout.tables]
    shift = np.uint64(64 - made.ptable.bits)
    for run in range(runs):
        keys = seeded.priorities(seeded.key(made.spec.seed), size, run + 1) >> shift
        values = measure.by_grouping(layout, np.asarray(made.ptable.perturb(truth, keys), dtype=np.int64))
        tables = made.plan.tables(values)
        for number, (_, places) in enumerate(layout.tables):
            for at, place in enumerate(places):
                true = truth[layout.cells[1][place]].reshape(values[place].shape)
                for kind, numbers in enumerate((values[place], values[place].clip(0), tables[number][at])):
                    squares[number][at, kind] += float(np.mean((numbers - true).astype(np.float64) ** 2)) / runs
    return [[Errors(*np.sqrt(row).tolist()) for row in table] for table in squares]
