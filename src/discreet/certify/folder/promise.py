"""Recompute the certificate and the promise of a manifest to one person (docs/folder.md, docs/certificate.md)."""

import hashlib
import json
import math
from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple

from . import cells
from .findings import Report, integer, json_of, need, number, rounded_up
from .group_lines import group_profile
from .losses import MOST_PARTITIONED, Exposure, Judged, judge
from .several import Exposures, judge_several, lower_floor_of, upper_floor_of
from .weights import ONE, Row, Table, exp_bounds

LARGEST = 1 << 22
MOST_WORK = 1 << 26
MOST_ROWS = 10**6
LATEST_SCHEME = 2
MOST_TABLES = 1000
MEASURED = ["table", "margin", "design"]

LISTS = (3, 5, 7)
"""The versions of the format that list certificates."""


class Certificate(NamedTuple):
    """A table, the rational `bound` E <= e**epsilon, delta of the table at E, and the document."""

    table: Table
    bound: Fraction
    delta: Fraction
    document: dict[str, Any]


def certificate(report: Report, name: str, raw: bytes) -> Certificate:
    """Return the certificate. Raise WrongError if its form, its weights, its E or its delta are wrong."""
    document = json_of(raw)
    need(_canonical(document) == raw, "it is not in canonical form")
    rest = {key: document[key] for key in document if key != "digest"}
    need(document["digest"] == _sha256(_canonical(rest)), "its digest differs from the digest of its contents")
    need((document["format"], document["version"]) == ("discreet-certificate", 1), "it is no certificate of version 1")
    table = _table(document)
    guarantee = document["guarantee"]
    bound, stated = (number(guarantee[name], f"guarantee.{name}") for name in ("exp_epsilon", "delta"))
    if "alpha" in guarantee:
        need(bound * number(guarantee["alpha"], "guarantee.alpha") == 1 and bound > 1, "exp_epsilon is not 1 / alpha")
    else:
        epsilon = number(guarantee["epsilon"], "guarantee.epsilon")
        need(0 < epsilon <= 100, "epsilon is not above 0 and up to 100")
        need(1 < bound <= Fraction(exp_bounds(epsilon, 640)[0], 1 << 640), "exp_epsilon is above e**epsilon")
    delta = max(table.delta(bound, distance) for distance in range(1, table.neighbours + 1))
    need(delta == stated, f"delta is stated as {float(stated):.6g}, and the weights give {float(delta):.6g}")
    report.add("proved", name, f"its integers have exactly the delta it states, {rounded_up(delta)}")
    return Certificate(table, bound, delta, document)


def _canonical(document: Any) -> bytes:
    written = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False)
    return written.encode() + b"\n"


def _sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _table(document: dict[str, Any]) -> Table:
    domain, neighbours = document["domain"], document["neighbours"]
    need(domain["kind"] == "counts" and domain["lower"] == 0, "it is not for counts from 0 on")
    bits = integer(document["bits"], 8, 62, "bits")
    upper = None if domain["upper"] is None else integer(domain["upper"], 0, 1 << 62, "the largest count")
    farthest = len(neighbours)
    need(farthest > 0 and neighbours == list(range(1, farthest + 1)), "its neighbours are not 1, 2, ...")
    rows, interior = (tuple(_row(row, bits) for row in document[key]) for key in ("rows", "interior"))
    if upper is None:
        need(interior, "it has no rows for large counts")
    else:
        need(len(rows) <= upper if interior else len(rows) == upper + 1, "it has not one row for each count")
    noise = [(row.first - count, len(row.weights)) for count, row in enumerate(rows)]
    noise += [(row.first, len(row.weights)) for row in interior]
    width = max(first + size for first, size in noise) - min(first for first, _ in noise)
    work = (len(noise) + farthest) * farthest * (width + MOST_PARTITIONED)
    need(work <= MOST_WORK, "it is larger than this can check")
    return Table(bits, upper, farthest, rows, interior)


def _row(document: dict[str, Any], bits: int) -> Row:
    weights = tuple(map(int, document["weights"]))
    need(weights and min(weights) >= 0, "a row is empty or has a negative weight")
    need(sum(weights) == 1 << bits, f"a row sums to {sum(weights)}, and not to 2**{bits}")
    return Row(integer(document["first"], -LARGEST, LARGEST, "first"), weights)


def certificate_names(manifest: dict[str, Any]) -> list[str]:
    """Return the names of the files of certificates. Raise WrongError if the manifest lists others."""
    if manifest["version"] not in LISTS:
        return ["certificate.json"]
    entries = manifest["certificates"]
    need(isinstance(entries, list) and 0 < len(entries) <= MOST_TABLES, "it lists no certificates, or too many")
    many = len(entries) > 1
    names = [f"certificates/{number}.json" if many else "certificate.json" for number in range(1, len(entries) + 1)]
    for entry, name in zip(entries, names, strict=True):
        need(list(entry) == ["file", "ptable", "touches"], "certificates has other fields than file, ptable, touches")
        need(entry["file"] == name, f"a certificate is {entry['file']!r:.60}, and should be {name}")
    return names


def noise_of(manifest: dict[str, Any], layout: cells.Layout, certificates: list[Certificate]) -> list[int | None]:
    """Return the number of the table of noise of every grouping; None if the grouping is not measured.

    Raise WrongError unless groupings are measured as the specification says, with the tables in the order of their use.
    """
    if manifest["version"] not in LISTS:
        return [0] * len(layout.groupings)
    digests = [certificate.document["digest"] for certificate in certificates]
    integers = {(own.table.bits, own.table.upper, own.table.rows, own.table.interior) for own in certificates}
    need(len(integers) == len(certificates), "two certificates have the same integers")
    stated = [entry["ptable"] for entry in manifest["certificates"]]
    need(stated == digests, "certificates does not have the digests of the files, in order")
    groupings = manifest["groupings"]
    need(len(groupings) == len(layout.groupings), "groupings are not those of the specification")
    named = [grouping["ptable"] for grouping in groupings]
    need(list(dict.fromkeys(name for name in named if name is not None)) == digests, "groupings use other certificates")
    noise = [None if name is None else digests.index(name) for name in named]
    listed = _listed(manifest["spec"], layout)
    for index, table in enumerate(noise):
        need((table is not None) == (index in listed), f"grouping {index} is measured, or not, against spec.measure")
    for group in _same_cells(layout):
        need(len({noise[index] for index in group}) == 1, "groupings with the same cells have different noise")
    return noise


def _listed(spec: dict[str, Any], layout: cells.Layout) -> set[int]:
    """Return the indices of the groupings that spec.measure lists, and of groupings with the same cells."""
    listed: set[int] = set()
    for entry in spec["measure"]:
        mark = ["earlier"] if entry.get("earlier") is True else []
        names = ", ".join([*MEASURED, "earlier"])
        need(list(entry) == MEASURED + mark, f"an entry of measure has other fields than {names}")
        indices = next((own for table, own in layout.tables if table["name"] == entry["table"]), [])
        whole = indices[:1] if entry["margin"] is None else indices
        margin = entry["margin"]
        named = [
            index
            for index in whole
            if margin is None or {axis.dimension for axis in layout.groupings[index].axes} == set(margin)
        ]
        need(len(named) == 1 and named[0] not in listed, "measure names a margin twice, or one that is not published")
        listed |= set(named)
    return listed.union(*(group for group in _same_cells(layout) if listed & set(group)))


def _same_cells(layout: cells.Layout) -> list[list[int]]:
    """Return lists of the indices of groupings that have exactly the same cells."""
    groups: dict[frozenset[int], list[int]] = defaultdict(list)
    for index, numbers in enumerate(layout.cells):
        groups[frozenset(numbers)].append(index)
    return list(groups.values())


def groupings(
    report: Report,
    manifest: dict[str, Any],
    layout: cells.Layout,
    certificates: list[Certificate],
    noise: cells.Noise,
) -> None:
    """Raise WrongError unless the manifest lists the groupings of the specification and of the certificates."""
    expected = [
        {
            "dimensions": [{"dimension": axis.dimension, "level": axis.level} for axis in grouping.axes],
            "within": {name: sorted(leaves) for name, leaves in grouping.within},
            "cells": grouping.size,
            "ptable": None if table is None else certificates[table].document["digest"],
            "distance": manifest["spec"]["unit"]["contributions"],
            "multiplicity": cells.multiplicity(grouping),
        }
        for grouping, table in zip(layout.groupings, noise, strict=True)
    ]
    stated = manifest["groupings"]
    need(len(stated) == len(expected), f"{len(stated)} are stated, and the specification has {len(expected)}")
    for index, (grouping, recomputed) in enumerate(zip(stated, expected, strict=True)):
        for name in sorted({*grouping, *recomputed}):
            value, right = grouping.get(name), recomputed.get(name)
            need(value == right, f"{name} of grouping {index} is {value!r:.80}, and comes out as {right!r:.80}")
    bits = manifest["spec"]["bits"]
    for certificate in certificates:
        own = certificate.table.bits
        need(bits in (None, own), f"spec.bits is {bits!r:.20}, and the certificate has {own}")
    report.add("proved", "groupings", f"the {len(expected)} groupings follow from the specification")


def touches(report: Report, manifest: dict[str, Any], layout: cells.Layout, noise: cells.Noise) -> Exposures:
    """Return in how many cells one person is. Raise WrongError if the manifest states other numbers."""
    privacy, unit = manifest["privacy"], manifest["spec"]["unit"]
    rows = integer(unit["contributions"], 1, MOST_ROWS, "spec.unit.contributions")
    need(cells.unmarked(unit) == ["id", "contributions", "name"], "spec.unit has other fields than a release writes")
    need(rows == 1 or unit["id"] is not None, "contributions are above 1, and nothing tells people apart")
    need(privacy["contributions"] == rows, f"privacy.contributions is not {rows}, as in the specification")
    need(privacy["unit"] == ("one row" if unit["id"] is None else "one person"), "privacy.unit is not spec.unit's")
    tables = range(1 + max(table for table in noise if table is not None))
    exact, simple = cells.touches_by_table(layout, noise, len(tables))
    combinations = math.prod(len(book.leaves) for book in layout.books.values())
    if rows > 1:
        worst = [tuple(cells.families(layout, noise, table) for table in tables)]
    else:
        worst = [simple] if combinations > cells.MANY_COMBINATIONS or not exact else exact
    expected = max(map(sum, worst))
    stated = integer(privacy["touches"], 1, 10**6, "privacy.touches")
    need(stated == expected, f"{stated} are stated, and the specification gives {expected}")
    if manifest["version"] in LISTS:
        for table, entry in enumerate(manifest["certificates"]):
            most = max(numbers[table] for numbers in worst)
            need(
                entry["touches"] == most, f"{entry['touches']!r:.20} are stated for {entry['file']}, and it has {most}"
            )
    phrase = "cells hold one person" if rows == 1 else f"families of disjoint cells hold the {rows} rows of one person"
    report.add("proved", "touches", f"{expected} {phrase}, at most")
    certain = exact if exact and cells.attainable(layout) else [_one_cell(noise, len(tables))]
    return Exposures(exact if rows == 1 and exact else worst, rows, certain)


def _one_cell(noise: cells.Noise, tables: int) -> cells.Numbers:
    """Return the numbers of one cell of the first measured grouping, which somebody may be in."""
    first = next(table for table in noise if table is not None)
    return tuple(int(table == first) for table in range(tables))


def privacy(report: Report, manifest: dict[str, Any], certificates: list[Certificate], exposures: Exposures) -> None:
    """Add a finding for every promise of the manifest, or one that nothing is promised."""
    spec, stated = manifest["spec"], manifest["privacy"]
    fields = ["unit", "contributions", "touches", "cell", "composed", "no_guarantee"]
    need(list(stated) == fields, f"privacy has other fields than {', '.join(fields)}")
    _check_key(spec, manifest["key"])
    spoiled = _why_spoiled(spec, manifest["key"])
    reason = spoiled or ("contributor keys do not compose" if spec["key"] == "contributors" else None)
    no_guarantee = stated["no_guarantee"]
    need(no_guarantee == reason, f"no_guarantee is {no_guarantee!r:.80}, and comes out as {reason!r}")
    if spoiled is None:
        _cell(report, stated["cell"], certificates, exposures.rows, spec["key"])
    else:
        need(stated["cell"] is None, "a guarantee of one cell is stated, and there is none")
    if reason is None:
        _composed(report, stated["composed"], spec["budget"], [own.table for own in certificates], exposures)
    else:
        need(stated["composed"] is None, "a composed guarantee is stated, and there is none")
        report.add("proved", "promise", f"it says that nothing is promised in all, because {reason}")


def _check_key(spec: dict[str, Any], key: dict[str, Any]) -> None:
    fields = [name for name in key if name != "scheme"]  # scheme 1 was not named
    need(fields == ["kind", "fingerprint", "came_with_the_data"], "key has other fields than a release writes")
    integer(key.get("scheme", 1), 1, LATEST_SCHEME, "key.scheme")
    need(key["kind"] == spec["key"] and key["kind"] in ("query", "fresh", "contributors"), "key.kind is not spec.key")
    need(type(key["came_with_the_data"]) is bool, "key.came_with_the_data is neither true nor false")


def _why_spoiled(spec: dict[str, Any], key: dict[str, Any]) -> str | None:
    """Return why not even one cell has a guarantee; None if a cell has one."""
    if key["came_with_the_data"]:
        return "the record keys came with the data"
    books = spec["dimensions"].values()
    if any(book["from_data"] for book in books):
        return "categories were taken from the data"
    if any("found" in book for book in books):
        return "categories or ranges were found in the data"
    return "the unit and its contributions were found in the data" if "found" in spec["unit"] else None


def _cell(report: Report, stated: dict[str, str], certificates: list[Certificate], rows: int, key_kind: str) -> None:
    """Add a finding on delta of one cell, read alone.

    With several tables, the epsilon is the largest of the certificates, and delta the largest of the tables.
    """
    need(list(stated) == ["epsilon", "delta"], "privacy.cell has other fields than epsilon and delta")
    epsilon, delta = (number(stated[name], f"privacy.cell.{name}") for name in ("epsilon", "delta"))
    need(0 < epsilon <= 101, "privacy.cell.epsilon is not above 0 and up to 101")
    need(_is_largest_epsilon(epsilon, certificates), f"privacy.cell.epsilon is {stated['epsilon']:.40}, which is not"
         " the certificate's")  # fmt: skip
    need(0 <= delta <= 1, "privacy.cell.delta is no chance")
    exposure, bounds, uneven = Exposure(1, rows, 1), [], Fraction(0)
    for certificate in certificates:
        table = certificate.table
        least = max(certificate.delta, *(table.delta(certificate.bound, distance) for distance in exposure.distances))
        most = least
        if exposure.many:
            ratio = certificate.bound.numerator * ONE // certificate.bound.denominator
            most = max(least, Fraction(group_profile(table, rows).at(ratio), ONE))
        bounds.append((least, most))
        if key_kind == "contributors":
            uneven = max(uneven, (1 + Fraction(exp_bounds(epsilon)[1], ONE)) * _unevenness(table.bits))
    least, most = max(low for low, _ in bounds), max(high for _, high in bounds)
    if key_kind != "contributors" and rows == 1:
        need(
            delta == least, f"privacy.cell.delta is {stated['delta']:.40}, and is {float(least):.6g} in the certificate"
        )
    verdict = "proved" if delta >= most + uneven else "fails" if delta < least - uneven else "not shown"
    exact = rounded_up(least) if least == most else f"{float(least):.6g} to {rounded_up(most)}"
    report.add(
        verdict,
        "one cell",
        f"epsilon {stated['epsilon']}, delta {rounded_up(delta)} for one person; the weights give"
        f" {exact}{f' +- {float(uneven):.2g}' if uneven else ''}",
    )


def _is_largest_epsilon(epsilon: Fraction, certificates: list[Certificate]) -> bool:
    """Return True if no certificate has a larger epsilon, and one certificate has this epsilon."""
    equal = False
    for certificate in certificates:
        guarantee = certificate.document["guarantee"]
        if "alpha" in guarantee:
            equal = True
            if Fraction(exp_bounds(epsilon)[0], ONE) < certificate.bound:
                return False
        else:
            own = number(guarantee["epsilon"], "guarantee.epsilon")
            equal = equal or own == epsilon
            if epsilon < own:
                return False
    return equal


def _unevenness(bits: int) -> Fraction:
    """Return a bound of the distance between contributor keys and uniform keys."""
    need(8 <= bits <= 32, f"contributor keys do not have {bits} bits")
    prime = (1 << bits) - 1
    while any(prime % divisor == 0 for divisor in range(3, math.isqrt(prime) + 1, 2)):
        prime -= 2
    coefficient = Fraction((1 << bits) - prime, prime) + Fraction(2 * ((1 << 32) % prime), 1 << 32)
    return coefficient**4 * (1 << (-(-bits // 2) - 1))


def _composed(
    report: Report, stated: dict[str, str], budget: dict[str, str], tables: list[Table], exposures: Exposures
) -> None:
    """Add findings on delta and floor of all cells that one person is in, at the epsilon of the budget."""
    need(list(stated) == ["epsilon", "delta", "floor"], "privacy.composed has other fields than a release writes")
    need(list(budget) == ["epsilon", "delta"], "spec.budget has other fields than epsilon and delta")
    need(stated["epsilon"] == budget["epsilon"], f"the composed epsilon is {stated['epsilon']!r:.40}, not the budget's")
    epsilon, delta, floor = (number(stated[name], f"privacy.composed.{name}") for name in stated)
    most = number(budget["delta"], "spec.budget.delta")
    need(0 < epsilon <= 100 and 0 <= floor <= 1 and 0 <= delta <= 1, "a composed figure is out of range")
    need(0 <= most < 1, "spec.budget.delta is no chance")
    need(delta <= most, f"the composed delta {stated['delta']} is above the budget's")
    judged = _judged(tables, delta, epsilon, exposures)
    bounds = f"this check finds a delta from {float(judged.lower):.9g} to {rounded_up(judged.upper, 9)}"
    report.add(
        judged.verdict, "promise", f"epsilon {stated['epsilon']}, delta {rounded_up(delta, 9)} for one person; {bounds}"
    )
    lower, upper = lower_floor_of(tables, exposures), upper_floor_of(tables, exposures)
    verdict = "proved" if floor >= upper else "fails" if floor < lower else "not shown"
    report.add(
        verdict, "floor", f"delta {rounded_up(floor, 9)} at any epsilon; the weights give {rounded_up(upper, 9)}"
    )


def _judged(tables: list[Table], delta: Fraction, epsilon: Fraction, exposures: Exposures) -> Judged:
    """Judge a composed delta. One table has losses on a lattice of its own, which several tables do not share."""
    if len(tables) > 1:
        return judge_several(tables, delta, epsilon, exposures)
    certain = max(number for (number,) in exposures.certain)
    return judge(tables[0], delta, epsilon, Exposure(max(exposures.worst)[0], exposures.rows, certain))
