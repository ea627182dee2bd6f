"""The certificate, and what a manifest promises one person, recomputed (docs/folder.md, docs/certificate.md)."""

import hashlib
import json
import math
from fractions import Fraction
from typing import Any, NamedTuple

from . import cells
from .findings import Report, integer, json_of, need, number
from .losses import any_of, judge, partitions
from .weights import ONE, Row, Table, exp_bounds

LARGEST = 1 << 22
MOST_WORK = 1 << 26
MOST_ROWS = 10
LATEST_SCHEME = 2
PRIMES = {8: 251, 16: 65_521, 32: 4_294_967_291}


class Certificate(NamedTuple):
    """A table, the rational E <= e**epsilon that its delta is at, and the document."""

    table: Table
    bound: Fraction
    delta: Fraction
    document: dict[str, Any]


class Touched(NamedTuple):
    """In how many families of disjoint cells a person's rows are, and in how many cells one row is for certain."""

    touches: int
    alone: int
    rows: int


def certificate(report: Report, raw: bytes) -> Certificate:
    """The certificate, its weights and its delta, exactly."""
    document = json_of(raw)
    need(_canonical(document) == raw, "it is not in canonical form")
    rest = {key: document[key] for key in document if key != "digest"}
    need(document["digest"] == _sha256(_canonical(rest)), "its digest is not that of its contents")
    need((document["format"], document["version"]) == ("discreet-certificate", 1), "it is no certificate of version 1")
    table = _table(document)
    given = document["guarantee"]
    bound, stated = (number(given[name], f"guarantee.{name}") for name in ("exp_epsilon", "delta"))
    if "alpha" in given:
        need(bound * number(given["alpha"], "guarantee.alpha") == 1 and bound > 1, "exp_epsilon is not 1 / alpha")
    else:
        epsilon = number(given["epsilon"], "guarantee.epsilon")
        need(0 < epsilon <= 100, "epsilon is not above 0 and up to 100")
        need(1 < bound <= Fraction(exp_bounds(epsilon, 640)[0], 1 << 640), "exp_epsilon is above e**epsilon")
    found = max(table.delta(bound, distance) for distance in range(1, table.neighbours + 1))
    need(found == stated, f"delta is stated as {float(stated):.6g}, and the weights give {float(found):.6g}")
    report.add("proved", "certificate.json", f"its integers have exactly the delta it states, {float(found):.6g}")
    return Certificate(table, bound, found, document)


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
    far = len(neighbours)
    need(far > 0 and neighbours == list(range(1, far + 1)), "its neighbours are not 1, 2, ...")
    rows, interior = (tuple(_row(row, bits) for row in document[key]) for key in ("rows", "interior"))
    if upper is None:
        need(interior, "it has no rows for large counts")
    else:
        need(len(rows) <= upper if interior else len(rows) == upper + 1, "it has not one row for each count")
    noise = [(row.first - count, len(row.weights)) for count, row in enumerate(rows)]
    noise += [(row.first, len(row.weights)) for row in interior]
    width = max(first + size for first, size in noise) - min(first for first, _ in noise)
    need((len(noise) + far) * far * (width + MOST_ROWS) <= MOST_WORK, "it is larger than this can check")
    return Table(bits, upper, far, rows, interior)


def _row(given: dict[str, Any], bits: int) -> Row:
    weights = tuple(map(int, given["weights"]))
    need(weights and min(weights) >= 0, "a row is empty or has a negative weight")
    need(sum(weights) == 1 << bits, f"a row sums to {sum(weights)}, and not to 2**{bits}")
    return Row(integer(given["first"], -LARGEST, LARGEST, "first"), weights)


def groupings(report: Report, manifest: dict[str, Any], layout: cells.Layout, made: Certificate) -> None:
    """The manifest's list of groupings is that of the specification."""
    expected = [
        {
            "dimensions": [{"dimension": axis.dimension, "level": axis.level} for axis in grouping.axes],
            "within": {name: sorted(leaves) for name, leaves in grouping.within},
            "cells": grouping.size,
            "ptable": made.document["digest"],
            "distance": manifest["spec"]["unit"]["contributions"],
            "multiplicity": cells.multiplicity(grouping),
        }
        for grouping in layout.groupings
    ]
    stated = manifest["groupings"]
    need(len(stated) == len(expected), f"{len(stated)} are stated, and the specification has {len(expected)}")
    for place, (one, other) in enumerate(zip(stated, expected, strict=True)):
        for name in sorted({*one, *other}):
            here, there = one.get(name), other.get(name)
            need(here == there, f"{name} of grouping {place} is {here!r:.80}, and comes out as {there!r:.80}")
    bits = manifest["spec"]["bits"]
    need(bits in (None, made.table.bits), f"spec.bits is {bits!r:.20}, and the certificate has {made.table.bits}")
    report.add("proved", "groupings", f"the {len(expected)} groupings are those of the specification")


def touches(report: Report, manifest: dict[str, Any], layout: cells.Layout) -> Touched:
    """In how many cells one person is."""
    privacy, unit = manifest["privacy"], manifest["spec"]["unit"]
    rows = integer(unit["contributions"], 1, MOST_ROWS, "spec.unit.contributions")
    need(list(unit) == ["id", "contributions", "name"], "spec.unit has other fields than id, contributions and name")
    need(rows == 1 or unit["id"] is not None, "contributions are above 1, and nothing tells people apart")
    need(privacy["contributions"] == rows, f"privacy.contributions is not {rows}, as in the specification")
    need(privacy["unit"] == ("one row" if unit["id"] is None else "one person"), "privacy.unit is not spec.unit's")
    alone, simple = cells.touches(layout)
    leaves = math.prod(len(book.leaves) for book in layout.books.values())
    if rows > 1:
        expected = cells.families(layout)
    else:
        expected = simple if leaves > cells.MANY_COMBINATIONS or not alone else alone
    stated = integer(privacy["touches"], 1, 10**6, "privacy.touches")
    need(stated == expected, f"{stated} are stated, and the specification gives {expected}")
    what = "cells hold one person" if rows == 1 else f"families of disjoint cells hold the {rows} rows of one person"
    report.add("proved", "touches", f"{expected} {what}, at most")
    needed = min(expected, alone) if rows == 1 and alone else expected
    return Touched(needed, alone if alone and cells.attainable(layout) else 1, rows)


def privacy(report: Report, manifest: dict[str, Any], made: Certificate, touched: Touched) -> None:
    """Every promise of the manifest, or that there is none."""
    spec, key, told = manifest["spec"], manifest["key"], manifest["privacy"]
    fields = ["unit", "contributions", "touches", "cell", "composed", "no_guarantee"]
    need(list(told) == fields, f"privacy has other fields than {', '.join(fields)}")
    written = [name for name in key if name != "scheme"]  # scheme 1 was not named
    need(written == ["kind", "fingerprint", "came_with_the_data"], "key has other fields than a release writes")
    integer(key.get("scheme", 1), 1, LATEST_SCHEME, "key.scheme")
    need(key["kind"] == spec["key"] and key["kind"] in ("query", "fresh", "contributors"), "key.kind is not spec.key")
    need(type(key["came_with_the_data"]) is bool, "key.came_with_the_data is neither true nor false")
    spoiled = None
    if key["came_with_the_data"]:
        spoiled = "the record keys came with the data"
    elif any(book["from_data"] for book in spec["dimensions"].values()):
        spoiled = "categories were taken from the data"
    why = spoiled or ("contributor keys do not compose" if spec["key"] == "contributors" else None)
    need(told["no_guarantee"] == why, f"no_guarantee is {told['no_guarantee']!r:.80}, and comes out as {why!r}")
    if spoiled is None:
        _cell(report, told["cell"], made, touched, spec["key"])
    else:
        need(told["cell"] is None, "a guarantee of one cell is stated where there is none")
    if why is None:
        _composed(report, told["composed"], spec["budget"], made, touched)
    else:
        need(told["composed"] is None, "a composed guarantee is stated where there is none")
        report.add("proved", "promise", f"it says that nothing is promised in all, because {why}")


def _cell(report: Report, stated: dict[str, str], made: Certificate, touched: Touched, key: str) -> None:
    """Delta of one cell, read alone, at the certificate's epsilon."""
    need(list(stated) == ["epsilon", "delta"], "privacy.cell has other fields than epsilon and delta")
    epsilon, delta = (number(stated[name], f"privacy.cell.{name}") for name in ("epsilon", "delta"))
    need(0 < epsilon <= 101, "privacy.cell.epsilon is not above 0 and up to 101")
    given = made.document["guarantee"]
    if "alpha" in given:
        holds = Fraction(exp_bounds(epsilon)[0], ONE) >= made.bound
    else:
        holds = epsilon == number(given["epsilon"], "guarantee.epsilon")
    need(holds, f"privacy.cell.epsilon is {stated['epsilon']:.40}, which is not the certificate's")
    need(0 <= delta <= 1, "privacy.cell.delta is no chance")
    found = max(made.delta, *(made.table.delta(made.bound, distance) for distance in range(1, touched.rows + 1)))
    uneven = Fraction(0)
    if key == "contributors":
        uneven = (1 + Fraction(exp_bounds(epsilon)[1], ONE)) * _unevenness(made.table.bits)
    elif touched.rows == 1:
        need(
            delta == found, f"privacy.cell.delta is {stated['delta']:.40}, and is {float(found):.6g} in the certificate"
        )
    word = "proved" if delta >= found + uneven else "fails" if delta < found - uneven else "not shown"
    report.add(word, "one cell", f"epsilon {stated['epsilon']}, delta {float(delta):.6g} for one person;"
               f" the weights give {float(found):.6g}{f' +- {float(uneven):.2g}' if uneven else ''}")  # fmt: skip


def _unevenness(bits: int) -> Fraction:
    """A bound of the distance of contributor keys from uniform ones."""
    need(bits in PRIMES, f"contributor keys do not have {bits} bits")
    prime = PRIMES[bits]
    coefficient = Fraction((1 << bits) - prime, prime) + Fraction(2 * ((1 << 32) % prime), 1 << 32)
    return coefficient**4 * (1 << (bits // 2 - 1))


def _composed(
    report: Report, stated: dict[str, str], budget: dict[str, str], made: Certificate, touched: Touched
) -> None:
    """Delta of everything one person is in, at the epsilon of the budget."""
    need(list(stated) == ["epsilon", "delta", "floor"], "privacy.composed has other fields than a release writes")
    need(list(budget) == ["epsilon", "delta"], "spec.budget has other fields than epsilon and delta")
    need(stated["epsilon"] == budget["epsilon"], f"the composed epsilon is {stated['epsilon']!r:.40}, not the budget's")
    epsilon, delta, floor = (number(stated[name], f"privacy.composed.{name}") for name in stated)
    most = number(budget["delta"], "spec.budget.delta")
    need(0 < epsilon <= 100 and 0 <= floor <= 1 and 0 <= delta <= 1, "a composed figure is out of range")
    need(0 <= most < 1, "spec.budget.delta is no chance")
    need(delta <= most, f"the composed delta {stated['delta']} is above the budget's")
    judged = judge(made.table, delta, epsilon, touches=touched.touches, rows=touched.rows, alone=touched.alone)
    between = f"this check finds a delta from {float(judged.lower):.9g} to {float(judged.upper):.9g}"
    report.add(
        judged.word, "promise", f"epsilon {stated['epsilon']}, delta {float(delta):.9g} for one person; {between}"
    )
    chance = made.table.infinite
    once = max(any_of([chance(part) for part in split]) for split in partitions(touched.rows, touched.rows))
    upper = any_of([once], touched.touches)
    lower = max(any_of([chance(distance)], touched.alone) for distance in range(1, touched.rows + 1))
    word = "proved" if floor >= upper else "fails" if floor < lower else "not shown"
    report.add(word, "floor", f"delta {float(floor):.9g} at any epsilon; the weights give {float(upper):.9g}")
