"""The section on how to read a number: the exact error by size of the count, the noise, and sums."""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.certify.ptable import PTable
from discreet.domain import Counts
from discreet.plan.release_plan import ReleasePlan
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.report import _svg
from discreet.publish.report._html import MOST_LABELS, NOTHING, grid, label, section
from discreet.publish.report.distortion import Distortion, noise
from discreet.publish.report.numbers import number, percent
from discreet.publish.report.table_grid import heading
from discreet.publish.report.texts import Words

HEADS = ("head_true", "head_right", "head_deviation", "head_within", "head_relative", "head_lean")


def reading(
    labels: DisplayLabels,
    plan: ReleasePlan,
    errors: Sequence[Sequence[Distortion]],
    measurements: Sequence[Integers | None],
) -> str:
    """Return the section on how to read a number.

    Parameters
    ----------
    labels
        The fixed texts, and the words of the specification.
    plan
        The plan of the release.
    errors
        For every table of noise, the errors of the counts that are shown, the smallest count first.
    measurements
        One array of measurements for each grouping; None if it is not measured.
    """
    words, several = labels.words, len(plan.ptables) > 1
    parts = []
    for table, (ptable, of_table) in enumerate(zip(plan.ptables, errors, strict=True)):
        if several:
            listed = "; ".join(groupings_in_words(labels, plan, table))
            parts.append(f"<h3>{words('noise_number', number=table + 1, groupings=listed)}</h3>")
        parts.append(_one_noise(words, ptable, of_table, table + 1 if several else None))
    return section("reading", words("reading"), "".join(parts) + _sums(words, plan, measurements))


def groupings_in_words(labels: DisplayLabels, plan: ReleasePlan, table: int) -> list[str]:
    """Return the names of the groupings that are measured with one table of noise.

    With several tables, each name begins with the title of the first table that has the grouping.
    """
    titles: dict[int, str] = {}
    for spec, indices in plan.layout.tables:
        title = f"{label(labels.table(spec.name))}: " if len(plan.layout.tables) > 1 else ""
        titles = dict.fromkeys(indices, title) | titles
    names = []
    for index, own in enumerate(plan.measured.noise_of):
        if own == table:
            name = " × ".join(heading(labels, axis) for axis in plan.layout.groupings[index].axes)
            names.append(titles[index] + (name or labels.words("the_total")))
    shown = list(dict.fromkeys(names))
    return shown if len(shown) <= MOST_LABELS else [*shown[:MOST_LABELS], "…"]


def _one_noise(words: Words, ptable: PTable, errors: Sequence[Distortion], number: int | None) -> str:
    """Return how to read a number with the noise of one table. `number` tells several tables of noise apart."""
    name, mark = ("noise", "") if number is None else (f"noise{number}", f" ({number})")
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
        _svg.Texts(name, words("noise_title"), sentence, words("noise_across"), words("noise_title")),
        words,
    )
    caption = words("noise_caption", count=count, within=within, chance=percent(typical.coverage, words))
    return (
        f"<p>{sentence} {words('same_error' if same_error else 'different_error')} {words('few')}</p>"
        f"<p>{words('zero', chance=percent(zero.truth, words))}</p>"
        + grid(words("cap_errors") + mark, [words(name) for name in HEADS], rows, 5)
        + _clamped(words, ptable)
        + f'<p class="note">{words("reading_note")}</p>'
        + f"<figure>{chart}<figcaption>{caption}</figcaption></figure>"
    )


def _clamped(words: Words, ptable: PTable) -> str:
    """Return the note that larger counts are clamped; an empty text if the domain has no upper end."""
    upper_end = ptable.domain.upper if isinstance(ptable.domain, Counts) else None
    if upper_end is None:
        return ""
    return f'<p class="note">{words("clamped", upper=words.number(upper_end))}</p>'


def _sums(words: Words, plan: ReleasePlan, measurements: Sequence[Integers | None]) -> str:
    """Return how many measurements are below 0, and whether sums of measurements are right on average."""
    below = np.zeros(plan.measured.size, dtype=bool)
    for indices, numbers in zip(plan.measured.indices, measurements, strict=True):
        if indices is not None and numbers is not None:
            below[indices] = numbers.ravel() < 0
    counted = words("below_zero", below=words.number(int(below.sum())), counts=words.number(plan.measured.size))
    biases = [ptable.utility["bias"] for ptable in plan.ptables]
    least, greatest = min(low for low, _ in biases), max(high for _, high in biases)
    if least == greatest == 0:
        return f"<p>{counted} {words('sums_right')}</p>"
    off = words("sums_off", least=number(least, words), greatest=number(greatest, words))
    return f"<p>{counted} {off}</p>"
