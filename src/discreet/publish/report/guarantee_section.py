"""The guarantee of a release, in words and in symbols, and what it does not cover."""

from collections.abc import Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from discreet.certify.ptable import PTable
from discreet.exact import Epsilon, exact, upper
from discreet.plan.guarantee import cell_delta, cell_deltas, cell_epsilon, compositions, why_no_cell_promise
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec
from discreet.publish.report import _svg
from discreet.publish.report._html import grid, label, section, whole
from discreet.publish.report.numbers import above, factor, one_in, percent
from discreet.publish.report.texts import Words

if TYPE_CHECKING:
    from discreet.plan.guarantee import Promise

POINTS = 64

_ROUNDED_DOWN = 1 + Fraction(1, 2**200)
"""Epsilon.exp is below e**epsilon by less than this factor."""


FORMULA = "<strong>Pr[M(A) ∈ S] ≤ e<sup>ε</sup> Pr[M(B) ∈ S] + δ</strong>"


def in_words(words: Words, spec: ReleaseSpec, ptables: Sequence[PTable], promise: "Promise | None") -> str:
    """Return the guarantee in words, or the reason why there is none."""
    if promise is None:
        return _not_promised(words, spec, ptables)
    exp = Epsilon.of(promise.epsilon).exp * _ROUNDED_DOWN
    aside = words("aside") if promise.delta else ""
    certainty = exp / (1 + exp)
    rounded = Fraction(-(-certainty * 1000 // 1), 1000)
    sure = words("sure", percent=percent(rounded, words)) if rounded < Fraction(999, 1000) else words("weak")
    return (
        f'<div class="promise"><p><strong>{promise_text(words, spec, promise)}</strong></p>'
        f"<p>{words(f'coin_{_unit(spec)}', sure=sure, aside=aside)}</p></div>"
    )


def promise_text(words: Words, spec: ReleaseSpec, promise: "Promise") -> str:
    """Return the guarantee of the release in one sentence."""
    exp = Epsilon.of(promise.epsilon).exp * _ROUNDED_DOWN
    extra = words("extra", chance=one_in(promise.delta, words)) if promise.delta else ""
    return words(f"promise_{_unit(spec)}", factor=factor(exp, words), extra=extra)


def _unit(spec: ReleaseSpec) -> str:
    return "row" if spec.unit.id is None else "person"


def _not_promised(words: Words, spec: ReleaseSpec, ptables: Sequence[PTable]) -> str:
    """Return the reason why nothing is promised for the release, and what is promised for one count."""
    if spec.record_keys is not None or why_no_cell_promise(spec) is not None:
        if spec.record_keys is not None:
            reason = words("no_guarantee_record_keys")
        elif any(dimension.from_data for dimension in spec.dimensions.values()):
            reason = words("no_guarantee_from_data")
        else:
            reason = words("no_guarantee_found", found=_names_found(words, spec))
        return f'<div class="warning"><p><strong>{words("no_guarantee")}</strong> {reason}</p></div>'
    exp, delta = Epsilon.of(cell_epsilon(ptables)).exp * _ROUNDED_DOWN, cell_delta(spec, ptables)
    extra = words("extra", chance=one_in(float(delta) * (1 + 2**-40), words)) if delta else ""
    return (
        f'<div class="warning"><p><strong>{words("no_guarantee_whole")}</strong> {words("no_guarantee_contributors")}'
        f"</p><p>{words('one_count_promise', factor=factor(exp, words), extra=extra)}</p></div>"
    )


def _names_found(words: Words, spec: ReleaseSpec) -> str:
    """Return the dimensions, and the unit, that were found in the data."""
    names = [label(name) for name in sorted(spec.used) if spec.dimensions[name].found is not None]
    return ", ".join(names + ([] if spec.unit.found is None else [words("contributions_of_person")]))


def guarantee(words: Words, plan: ReleasePlan) -> str:
    """Return the section on the guarantee: in symbols, in numbers, as a curve, and what it does not cover."""
    spec, promise = plan.spec, plan.promise
    rows = [
        *_release_rows(words, promise),
        *_unit_rows(words, plan),
        *_count_rows(words, spec, plan.ptables),
        *_noise_rows(words, spec, plan.ptables),
    ]
    heads = [words("head_what"), words("head_value"), words("head_meaning")]
    return section(
        "guarantee",
        words("guarantee"),
        (_in_symbols(words, spec, promise) if promise is not None else f"<p>{words('why_not')}</p>")
        + "".join(f"<p>{escape(sentence)}</p>" for sentence in earlier_text(words, spec))
        + grid(words("cap_guarantee"), heads, rows, 0)
        + _curve(words, plan)
        + f"<h3>{words('not_covered')}</h3><ul>"
        + "".join(f"<li>{line}</li>" for line in _outside(words, spec))
        + "</ul>",
    )


def earlier_text(words: Words, spec: ReleaseSpec) -> list[str]:
    """Return a sentence on what earlier releases under the version label measured; nothing if they measured nothing."""
    entries = spec.measure if isinstance(spec.measure, list) else []
    before = sum(entry.earlier is not None for entry in entries)
    if not before:
        return []
    label, measured = spec.version, words.number(len(entries))
    return [words("earlier", label=label, before=words.number(before), measured=measured)]


def _in_symbols(words: Words, spec: ReleaseSpec, promise: "Promise") -> str:
    """Return the definition of (epsilon, delta), with the numbers of this release."""
    epsilon, delta = words.number(escape(promise.epsilon)), above(promise.delta, words)
    return (
        f"<p>{words(f'states_{_unit(spec)}')}</p>"
        f"<p>{words('symbols', formula=FORMULA, epsilon=epsilon, delta=delta)}</p><p>{words('whatever')}</p>"
    )


def _release_rows(words: Words, promise: "Promise | None") -> list[list[str]]:
    """Return the numbers of the whole release."""
    if promise is None:
        return []
    return [
        ["epsilon (ε)", words.number(escape(promise.epsilon)), words("epsilon_meaning")],
        ["delta (δ)", whole(above(promise.delta, words)), words("delta_meaning")],
        [words("floor"), whole(above(min(promise.floor, promise.delta), words)), words("floor_meaning")],
    ]


def _unit_rows(words: Words, plan: ReleasePlan) -> list[list[str]]:
    """Return whose privacy is kept, and in how many counts one of them is."""
    unit, counts = _unit(plan.spec), words.number(plan.measured.size)
    meaning = words(f"touches_meaning_{unit}", counts=counts)
    rows = [
        [words("unit"), words(f"unit_{unit}"), words(f"unit_{unit}_meaning")],
        [words("touches"), words.number(plan.touches), meaning],
    ]
    if unit == "person":
        contributions = words.number(plan.spec.unit.contributions)
        rows.append([words("contributions"), contributions, words("contributions_meaning")])
    return rows


def _count_rows(words: Words, spec: ReleaseSpec, ptables: Sequence[PTable]) -> list[list[str]]:
    """Return the guarantee of one count alone, if it has one."""
    rows, delta = spec.unit.contributions, cell_delta(spec, ptables)
    if delta is None:
        return []
    several_rows = words("up_to_rows", rows=words.number(rows)) if rows > 1 else ""
    exactly = len(ptables) == 1 and delta == ptables[0].guarantee.delta
    exactness = words("computed_exactly" if exactly else "upper_bound")
    value = f"ε = {_short(words, cell_epsilon(ptables))}, {whole(f'δ = {words.number(upper(delta, 4))}')}"
    return [[words("one_count_alone"), value, words(f"one_{_unit(spec)}_more") + several_rows + exactness]]


def _noise_rows(words: Words, spec: ReleaseSpec, ptables: Sequence[PTable]) -> list[list[str]]:
    """Return how the noise of each table was designed, and how it was chosen."""
    rows = []
    for number, ptable in enumerate(ptables, 1):
        parameters = ", ".join(f"{name} {value}" for name, value in sorted(ptable.design.items()) if name != "name")
        shown = f'<span class="parameters">{label(parameters, 200)}</span>; ' if parameters else ""
        meaning = shown + words("noise_meaning")
        name = words("noise") if len(ptables) == 1 else f"{words('noise')} {number}"
        rows.append([name, label(str(ptable.design.get("name", "custom"))), meaning])
    return [*rows, [words("key"), spec.key, words(f"key_{spec.key}")]]


def _short(words: Words, value: int | float | Fraction) -> str:
    return words.number(upper(Fraction(value)) if isinstance(value, Fraction) else escape(str(value)))


def _curve(words: Words, plan: ReleasePlan) -> str:
    """Return delta at other values of epsilon: of the whole release, or of one count if the release has no promise."""
    spec, promise = plan.spec, plan.promise
    certified = cell_delta(spec, plan.ptables)
    if certified is None:
        return ""
    epsilon = exact(cell_epsilon(plan.ptables) if promise is None else promise.epsilon, "epsilon")
    delta = float(np.nextafter(float(certified), 1)) if promise is None else promise.delta
    epsilons = [epsilon * i / (POINTS // 2) for i in range(POINTS + 1)]
    rounded_down = np.array([float(value) for value in epsilons]) * (1 - 2.0**-50)
    if promise is None:
        bounds = cell_deltas(spec, plan.ptables, rounded_down)
    else:
        together = compositions(plan.ptables, plan.exposure, spec.unit.contributions)
        bounds = np.max([composition.delta(rounded_down) for composition in together], axis=0)
    bounds[POINTS // 2 :] = np.minimum(bounds[POINTS // 2 :], delta)
    pairs = zip(epsilons, bounds.tolist(), strict=True)
    listed = [[words.number(upper(x, 4)), above(y, words)] for x, y in pairs][:: POINTS // 8]
    (start, highest), (end, lowest) = listed[0], listed[-1]
    name = "curve_count" if promise is None else "curve_release"
    sentence = words(name, highest=highest, start=start, lowest=lowest, end=end)
    points = [(float(x), y) for x, y in zip(epsilons, bounds.tolist(), strict=True)]
    texts = _svg.Texts("curve", words("curve_title"), sentence, "ε", words("at_most"))
    chart = _svg.curve(points, float(epsilon), delta, words("curve_promised"), texts, words)
    return (
        f"<h3>{words('other_epsilons')}</h3><p>{words('other_epsilons_text')}</p>"
        f"<figure>{chart}<figcaption>{sentence}</figcaption></figure>"
        + grid(words("cap_curve"), ["ε", words("at_most")], listed, 1)
    )


def _outside(words: Words, spec: ReleaseSpec) -> list[str]:
    """Return what the guarantee does not cover, one text for each point."""
    names, lines = ["outside_names", "outside_general", f"outside_{spec.key}"], []
    if any(dimension.from_data for dimension in spec.dimensions.values()):
        names.append("outside_from_data")
    elif spec.why_from_data is not None:
        lines.append(words("outside_found", found=_names_found(words, spec)))
    sources = [
        f"{label(name)}: {label(spec.dimensions[name].source or '')}"
        for name in sorted(spec.used)
        if spec.dimensions[name].source is not None
    ]
    sources += [] if spec.unit.source is None else [f"{words('contributions_of_person')}: {label(spec.unit.source)}"]
    if sources:
        lines.append(words("outside_sources", sources="; ".join(sources)))
    if spec.key != "fresh":
        names.append("outside_secret")
    return [*map(words, names), *lines]
