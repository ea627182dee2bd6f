"""The section on how to read a number: the exact error by size of the count, the noise, and sums."""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.plan.layout import Layout
from discreet.publish.report import _svg
from discreet.publish.report._html import NOTHING, grid, section
from discreet.publish.report.distortion import Distortion, noise
from discreet.publish.report.numbers import number, percent
from discreet.publish.report.texts import Words

HEADS = ("head_true", "head_right", "head_deviation", "head_within", "head_relative", "head_lean")


def reading(
    words: Words, layout: Layout, ptable: PTable, errors: Sequence[Distortion], measurements: Sequence[Integers]
) -> str:
    """Return the section on how to read a number.

    Parameters
    ----------
    words
        The fixed texts.
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
    rows = [
        [
            words.number(error.count),
            percent(error.truth, words),
            words.number(error.deviation, ".2f"),
            f"±{words.number(error.within)}",
            words.percent(f"{100 * error.within / error.count:.1f}") if error.count else NOTHING,
            words.number(float(error.lean), ".2f"),
        ]
        for error in errors
    ]
    count, within = words.number(typical.count), words.number(typical.within)
    sentence = words("within", count=count, within=within)
    chart = _svg.bars(
        noise(ptable.table, typical.count),
        ptable.table.total,
        typical.within,
        _svg.Texts("noise", words("noise_title"), sentence, words("noise_across"), words("noise_title")),
        words,
    )
    caption = words("noise_caption", count=count, within=within, chance=percent(typical.coverage, words))
    return section(
        "reading",
        words("reading"),
        f"<p>{sentence} {words('same_error' if same_error else 'different_error')} {words('few')}</p>"
        f"<p>{words('zero', chance=percent(zero.truth, words))}</p>"
        + grid(words("cap_errors"), [words(name) for name in HEADS], rows, 5)
        + _clamped(words, ptable)
        + f'<p class="note">{words("reading_note")}</p>'
        + f"<figure>{chart}<figcaption>{caption}</figcaption></figure>"
        + _sums(words, layout, ptable, measurements),
    )


def _clamped(words: Words, ptable: PTable) -> str:
    """Return the note that larger counts are clamped; an empty text if the domain has no upper end."""
    upper_end = ptable.domain.upper if isinstance(ptable.domain, Counts) else None
    if upper_end is None:
        return ""
    return f'<p class="note">{words("clamped", upper=words.number(upper_end))}</p>'


def _sums(words: Words, layout: Layout, ptable: PTable, measurements: Sequence[Integers]) -> str:
    """Return how many measurements are below 0, and whether sums of measurements are right on average."""
    definitions, cell_indices = layout.cells
    below = np.zeros(len(definitions), dtype=bool)
    for indices, numbers in zip(cell_indices, measurements, strict=True):
        below[indices] = numbers.ravel() < 0
    counted = words("below_zero", below=words.number(int(below.sum())), counts=words.number(len(definitions)))
    least, greatest = ptable.utility["bias"]
    if least == greatest == 0:
        return f"<p>{counted} {words('sums_right')}</p>"
    off = words("sums_off", least=number(least, words), greatest=number(greatest, words))
    return f"<p>{counted} {off}</p>"
