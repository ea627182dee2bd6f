"""The section on adding up: how tables were made additive, how far counts moved, and the error of counts."""

from typing import TYPE_CHECKING

import numpy as np

from discreet.domain import Counts
from discreet.plan.fixed import EVERYONE
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.report import _svg
from discreet.publish.report._html import NOTHING, grid, label, section, several
from discreet.publish.report.expected import SURE, Expected
from discreet.publish.report.reading_section import groupings_in_words
from discreet.publish.report.table_grid import heading
from discreet.publish.report.texts import Words
from discreet.reconcile import moved

if TYPE_CHECKING:
    from discreet.publish.folder import Published
    from discreet.reconcile.distance import GivenCount


MOST_GROUPINGS = 60

HEADS = ("table", "by", "counts", "moved_most", "moved", "error", "error_fit", "error_published")


def adding(labels: DisplayLabels, published: "Published") -> str:
    """Return the section on how tables add up."""
    words, additive = labels.words, bool(published.table_plan.parts)
    return section(
        "adding",
        words("adding" if additive else "not_adding"),
        (_additive(labels, published) if additive else f"<p>{words(_why_not_additive(published))}</p>")
        + _methods(labels, published)
        + _fixed(words, published)
        + (_how_far(labels, published) if additive else ""),
    )


def _additive(labels: DisplayLabels, published: "Published") -> str:
    words, plan = labels.words, published.plan
    text = words("additive")
    if None in plan.measured.noise_of:
        tables = range(len(plan.ptables))
        measured = [name for table in tables for name in groupings_in_words(labels, plan, table)]
        text = words("additive_some", measured="; ".join(dict.fromkeys(measured)))
    return f'<p>{text}</p><p class="note">{words("additive_note")}</p>'


def _why_not_additive(published: "Published") -> str:
    """Return the name of the text that says why tables do not add up."""
    domains = [ptable.domain for ptable in published.plan.ptables]
    has_upper_end = any(isinstance(domain, Counts) and domain.upper is not None for domain in domains)
    return "ends" if has_upper_end and published.plan.spec.reconcile != "none" else "not_additive"


def _methods(labels: DisplayLabels, published: "Published") -> str:
    """Return which tables were made together, if not all of them."""
    words, methods = labels.words, published.table_plan.methods
    if len(methods) == 1:
        return ""
    rows = [[several(labels.table(name) for name in names), words(f"method_{method}")] for names, method in methods]
    return (
        grid(words("cap_methods"), [words("head_tables"), words("head_how")], rows, 0)
        + f'<p class="note">{words("methods_note")}</p>'
    )


def _fixed(words: Words, published: "Published") -> str:
    """Return the counts that the specification fixes, beside their measurements."""
    given_counts = published.given_counts
    if not given_counts:
        return ""
    rows = [
        [
            label(words("everyone") if given_count.people == EVERYONE else given_count.people, 200),
            words.number(given_count.count),
            NOTHING if given_count.measured is None else words.number(given_count.measured),
            _explained(words, given_count),
        ]
        for given_count in given_counts[:MOST_GROUPINGS]
    ]
    left = len(given_counts) - len(rows)
    heads = [words(f"head_{name}") for name in ("given_who", "given", "measured", "explained")]
    return (
        f"<p>{words('fixed')}</p>"
        + grid(words("cap_fixed"), heads, rows, 3)
        + (f"<p>{words('and_more', number=words.number(left))}</p>" if left else "")
    )


def _explained(words: Words, given_count: "GivenCount") -> str:
    if given_count.measured is None:
        return NOTHING
    if given_count.explained:
        return words("yes")
    return f"<strong>{words('no')}</strong>" + _reason(given_count)


def _reason(given_count: "GivenCount") -> str:
    return "" if given_count.differs is None else f": {label(given_count.differs, 1000)}"


def _how_far(labels: DisplayLabels, published: "Published") -> str:
    """Return how far counts moved from their measurements, and the errors to expect."""
    expected, layout, words = published.expected, published.plan.layout, labels.words
    rows = []
    for (table, grouping_indices), margins in zip(layout.tables, published.tables, strict=True):
        for index, counts in zip(grouping_indices, margins, strict=True):
            grouping = layout.groupings[index]
            measured = published.measurements[index]
            distances = None if measured is None else moved(measured, counts)
            errors = expected.of.get(index)
            known = [None] * 3 if errors is None else [errors.measured, errors.least_squares, errors.published]
            rows.append(
                [
                    label(labels.table(table.name)),
                    " × ".join(heading(labels, axis) for axis in grouping.axes) or words("the_total"),
                    words.number(grouping.size),
                    NOTHING if distances is None else words.number(distances.largest),
                    NOTHING if distances is None else words.number(distances.root_mean_square, ".2f"),
                    *(NOTHING if error is None else words.number(error, ".2f") for error in known),
                ]
            )
    heads = [words(f"head_{name}") for name in HEADS]
    if expected.failed is not None:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    shown = rows[:MOST_GROUPINGS]
    left = len(rows) - len(shown)
    more = f'<p class="note">{words("and_more", number=words.number(left))}</p>' if left else ""
    return (
        f"<h3>{words('how_far')}</h3>"
        + "".join(f"<p>{text}</p>" for text in _explanation(words, expected))
        + grid(words("cap_moved"), heads, shown, len(heads) - 2)
        + more
        + _chart(words, published)
    )


def _explanation(words: Words, expected: Expected) -> list[str]:
    """Return how the errors were computed, and which of them are left out."""
    if expected.failed is not None:
        return [words("exact_errors"), words("simulation_failed")]
    if not expected.runs:
        return [words("exact_errors"), words("too_many")]
    sure = words.percent(f"{100 * SURE:.0f}")
    return [words("exact_errors"), words("simulated", runs=words.number(expected.runs), sure=sure)]


def _chart(words: Words, published: "Published") -> str:
    """Return a chart of the differences between published counts and measurements."""
    differences = np.concatenate(
        [
            np.ravel(counts - measured)
            for (_, grouping_indices), margins in zip(published.plan.layout.tables, published.tables, strict=True)
            for index, counts in zip(grouping_indices, margins, strict=True)
            if (measured := published.measurements[index]) is not None
        ]
    )
    sizes, frequencies = np.unique(differences, return_counts=True)
    unchanged = int(frequencies[sizes == 0].sum())
    sentence = words("unchanged", unchanged=words.number(unchanged), counts=words.number(len(differences)))
    texts = _svg.Texts("moved", words("moved_title"), sentence, words("moved_across"), words("moved_up"))
    pairs = list(zip(sizes.tolist(), frequencies.tolist(), strict=True))
    chart = _svg.bars(pairs, len(differences), 0, texts, words)
    return f"<figure>{chart}<figcaption>{sentence}</figcaption></figure>"
