"""The section on how to read a number: the exact error by size of the count, the noise, and sums."""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.plan.layout import Layout
from discreet.publish.report import _svg
from discreet.publish.report._html import grid
from discreet.publish.report.distortion import Distortion, noise
from discreet.publish.report.numbers import number, percent


def reading(layout: Layout, ptable: PTable, errors: Sequence[Distortion], measurements: Sequence[Integers]) -> str:
    """Return the section on how to read a number.

    Parameters
    ----------
    layout
        The groupings of the release.
    ptable
        The perturbation table.
    errors
        The errors of the counts that are shown, the smallest count first.
    measurements
        One array of measurements for each grouping.
    """
    zero, typical = errors[0], errors[-1]
    same_error = len({(error.deviation, error.within) for error in errors}) == 1
    heads = [
        "true count",
        "chance that it is measured right",
        "standard deviation",
        "95% of measurements are within",
        "that is, of the count",
        "measured too high by, on average",
    ]
    rows = [
        [
            f"{error.count:,}",
            percent(error.truth),
            f"{error.deviation:.2f}",
            f"±{error.within:,}",
            f"{100 * error.within / error.count:.1f}%" if error.count else "-",
            f"{float(error.lean):.2f}",
        ]
        for error in errors
    ]
    sentence = (
        f"19 in 20 measurements of a count of {typical.count:,} are at most {typical.within:,} away from the truth."
    )
    chart = _svg.bars(noise(ptable.table, typical.count), ptable.table.total, typical.within, sentence)
    return (
        '<section aria-labelledby="reading"><h2 id="reading">How to read a number</h2>'
        f"<p>{sentence} {_SAME if same_error else _DIFFERENT} Read small counts as “few”, and compare large ones.</p>"
        f"<p>A true 0 is measured as 0, or less, with a chance of {percent(zero.truth)}. So a 0 need not mean that"
        " there is nobody, nor a small number that there is somebody.</p>"
        '<p class="note">This is about single measurements. In the chance to be right and in the average, those'
        " below 0 are read as 0; the standard deviation and the 95% are of measurements as they are. What adding up"
        " does is told below.</p>"
        + grid("Expected error by size of the count", heads, rows, 5)
        + _clamped(ptable)
        + f"<figure>{chart}<figcaption>The noise of a count of {typical.count:,}. In the stronger colour: the"
        f" differences up to {typical.within:,} either way, which have a chance of {percent(typical.coverage)}."
        "</figcaption></figure>" + _sums(layout, ptable, measurements) + "</section>"
    )


_SAME = "The error of a large count is no larger than that of a small one, so large counts are relatively more exact."
_DIFFERENT = "How large the error is depends on the count, as the table shows."


def _clamped(ptable: PTable) -> str:
    """Return the note that larger counts are clamped; an empty text if the domain has no upper end."""
    upper_end = ptable.domain.upper if isinstance(ptable.domain, Counts) else None
    if upper_end is None:
        return ""
    return f'<p class="note">A true count above {upper_end:,} is treated as if it were {upper_end:,}.</p>'


def _sums(layout: Layout, ptable: PTable, measurements: Sequence[Integers]) -> str:
    """Return how many measurements are below 0, and whether sums of measurements are right on average."""
    definitions, cell_indices = layout.cells
    below = np.zeros(len(definitions), dtype=bool)
    for indices, numbers in zip(cell_indices, measurements, strict=True):
        below[indices] = numbers.ravel() < 0
    least, greatest = ptable.utility["bias"]
    right = (
        "and sums of those are right on average"
        if least == greatest == 0
        else f"though each of those is off by {number(least)} to {number(greatest)} on average"
    )
    return (
        f"<p>{int(below.sum()):,} of the {len(definitions):,} measurements came out below 0."
        f" <code>measurements.csv</code> has them as they were measured, {right}.</p>"
    )
