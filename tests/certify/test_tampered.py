"""What each of the two checkers says of a released folder that was changed, with digests that fit."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.certify import folder
from discreet.errors import DiscreetError
from discreet.publish.verify_folder import verify_folder

from .released import Forger, forged, several


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


def stale(change: Callable[[Forger], None]) -> Callable[[Forger], None]:
    """Return the change without new digests."""

    def stale_change(forger: Forger) -> None:
        forger.digests = False
        change(forger)

    return stale_change


def moved(document: dict[str, Any]) -> None:
    """Move weight from the middle of the noise to its end."""
    weights = document["interior"][0]["weights"]
    middle = len(weights) // 2
    weights[middle], weights[0] = str(int(weights[middle]) - 1000), str(int(weights[0]) + 1000)


def added(name: str, stated: bool) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        (forger.path / name).write_text("truth,count\nall,600\n")
        if stated:
            forger.manifest["files"] = dict(sorted({**forger.manifest["files"], name: ""}.items()))

    return change


def removed(name: str, stated: bool) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        (forger.path / name).unlink()
        if not stated:
            forger.manifest["files"].pop(name)

    return change


def margins(forger: Forger) -> None:
    """Remove the margins from the specification and from the list of groupings."""
    forger.set("spec.tables.0.margins", "none")
    forger.manifest["groupings"] = forger.manifest["groupings"][:1]
    forger.set("privacy.touches", 1)


def fewer_rows(forger: Forger) -> None:
    """Write one row a person wherever the manifest says three."""
    delta = json.loads((forger.path / "certificate.json").read_text())["guarantee"]["delta"]
    several(("spec.unit.contributions", 1), ("privacy.contributions", 1), ("privacy.cell.delta", delta))(forger)
    for grouping in forger.manifest["groupings"]:
        grouping["distance"] = 1


def more_rows(forger: Forger) -> None:
    several(("spec.unit.contributions", 5), ("privacy.contributions", 5), ("privacy.cell.delta", "0.9"))(forger)
    for grouping in forger.manifest["groupings"]:
        grouping["distance"] = 5


def cube(forger: Forger) -> None:
    path = forger.path / "t.json"
    document = json.loads(path.read_text())
    document["value"][0] += 1
    path.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")


def swapped(rows: list[list[str]]) -> None:
    rows[1], rows[2] = rows[2], rows[1]


def edit(name: str, old: str, new: str) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        text = (forger.path / name).read_text()
        assert old in text
        (forger.path / name).write_text(text.replace(old, new, 1))

    return change


TAMPERED: dict[str, tuple[str, Callable[[Forger], None], str | None, str | None]] = {
    # the change: the kind of folder, how it is changed, what the first and the second checker name (None: no failure)
    "a count, the digest as it was": (
        "plain", stale(lambda f: f.counts("t.csv", (1, 1))), "t.csv: .*digest", "files: t.csv .*digest",
    ),
    "a count": ("plain", lambda f: f.counts("t.csv", (1, 1)), "t.csv", "adding up: .*place"),
    "a margin": ("plain", lambda f: f.counts("t.csv", (17, 5)), "t.csv", "adding up: .*place"),
    "a total": ("plain", lambda f: f.counts("t.csv", (25, 5)), "t.csv", "adding up: .*total"),
    "a count and all its margins": (
        "plain", lambda f: f.counts("t.csv", (1, 1), (17, 1), (21, 1), (25, 1)), "t.csv", None,
    ),
    "a count below 0": ("plain", lambda f: f.counts("t.csv", (1, -10**4)), "t.csv", r"tables: table t .*-9\d{3}"),
    "a count that is no integer": (
        "plain", lambda f: f.rows("t.csv", lambda r: r[1].append(r[1].pop() + ".0")), "t.csv", r"tables: .*\.0",
    ),
    "a row of a table left out": (
        "plain", lambda f: f.rows("t.csv", lambda r: r.pop(3)), "t.csv", r"tables: t.csv.*\('a', 'old'\)",
    ),
    "a row added to a table": (
        "plain", lambda f: f.rows("t.csv", lambda r: r.append(r[-1])), "t.csv", "tables: t.csv .*rows",
    ),
    "labels of a table": ("plain", edit("t.csv", "a,child", "A,child"), "t.csv", r"tables: t.csv.*\('a', 'child'\)"),
    "a count in another format": ("three dimensions, two formats", cube, "t.json", "tables: the files of table t "),
    "a clamped count": ("clamped", lambda f: f.counts("t.csv", (1, 1)), "t.csv", "adding up: table t .*measured"),
    "a measurement": ("plain", lambda f: f.counts("measurements.csv", (1, 40)), "t.csv", "intervals: table t"),
    "a measurement that cannot be": (
        "plain", lambda f: f.counts("measurements.csv", (1, -10**6)),
        r"measurements.csv: -999\d{3}", r"measurements.csv: -999\d{3}",
    ),
    "a measurement left out": (
        "plain", lambda f: f.rows("measurements.csv", lambda r: r.pop()),
        "measurements.csv: .*24 .*25", r"measurements.csv: .*\['t: total', '_total', '_total'\]",
    ),
    "measurements swapped": (
        "plain", lambda f: f.rows("measurements.csv", swapped),
        "measurements.csv: .*cells", r"measurements.csv: .*\['t: place by age', 'a', 'child'\]",
    ),
    "a measurement written otherwise": (
        "plain", lambda f: f.rows("measurements.csv", lambda r: r[1].append(f"+{r[1].pop()}")),
        "measurements.csv: ", r"measurements.csv: '\+\d+'",
    ),
    "weights, the digest as it was": (
        "plain", edit("certificate.json", '"weights": [', '"weights": [\n    "0",'), "digest", "digest",
    ),
    "weights": (
        "plain", lambda f: f.certificate(moved), "delta: .*3/4294967296", "certificate.json: delta .*6.98492e-10",
    ),
    "one weight": (
        "plain", lambda f: f.certificate(lambda d: d["interior"][0]["weights"].__setitem__(3, "77")),
        r"interior row 0.*4294967367.*2\*\*32", r"certificate.json: .*4294967367.*2\*\*32",
    ),
    "a negative weight": (
        "plain", lambda f: f.certificate(lambda d: d["interior"][0]["weights"].__setitem__(0, "-1")),
        r"interior\[0\]: .*weights", "certificate.json: .*negative weight",
    ),
    "delta of the certificate": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(delta="0")),
        "delta: .*6.98492e-10", "certificate.json: delta .*6.98492e-10",
    ),
    "exp_epsilon": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(exp_epsilon="1.7")),
        "exp_epsilon: 1.7 ", "certificate.json: exp_epsilon",
    ),
    "epsilon of the certificate": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(epsilon="0.1")),
        r"exp_epsilon: .*e\*\*0.1", "certificate.json: exp_epsilon",
    ),
    "neighbours": (
        "plain", lambda f: f.certificate(lambda d: d.update(neighbours=[1, 2])),
        "delta: .*0.244919", "certificate.json: delta .*0.244919",
    ),
    "the composed epsilon": (
        "plain", several(("privacy.composed.epsilon", "1")), "composed epsilon", "promise: the composed epsilon is '1'",
    ),
    "the composed epsilon and the budget's": (
        "plain", several(("privacy.composed.epsilon", "1"), ("spec.budget.epsilon", "1")),
        "budget is epsilon 1", "promise: epsilon 1",
    ),
    "the composed delta, by a half": (
        "bell", lambda f: f.scale("privacy.composed.delta", 0.5), "composed delta", "promise: epsilon 2",
    ),
    "the composed delta, nearly nothing": (
        "plain", several(("privacy.composed.delta", "1e-30")), "composed delta is 1e-30", "promise: epsilon 2",
    ),
    "the composed delta, raised": (
        "plain", several(("privacy.composed.delta", "1e-05")),
        "composed delta is 1e-05", "promise: the composed delta 1e-05",
    ),
    "the composed delta, no number": (
        "plain", several(("privacy.composed.delta", "nan")),
        "composed delta is nan", "promise: privacy.composed.delta is 'nan'",
    ),
    "delta of the budget": (
        "plain", several(("spec.budget.delta", "1e-12")),
        "budget is epsilon 2 and delta 1e-12", "promise: the composed delta .*budget",
    ),
    "the floor": ("plain", lambda f: f.scale("privacy.composed.floor", 0.5), "composed floor", "floor: delta"),
    "delta of one cell": ("plain", several(("privacy.cell.delta", "0")), "privacy.cell.delta", "privacy.cell.delta"),
    "epsilon of one cell": (
        "plain", several(("privacy.cell.epsilon", "0.1")), "privacy.cell.epsilon", "privacy.cell.epsilon",
    ),
    "touches, fewer": ("plain", several(("privacy.touches", 3)), "privacy.touches is 3", "touches: 3 .*4"),
    "touches, more": ("plain", several(("privacy.touches", 5)), "privacy.touches is 5", "touches: 5 .*4"),
    "touches of a promise that is none": ("plain", several(("privacy.composed", None)), "composed", "promise: "),
    "contributions of the promise": (
        "plain", several(("privacy.contributions", 2)), "privacy.contributions", "privacy.contributions",
    ),
    "contributions of the specification": (
        "plain", several(("spec.unit.contributions", 3), ("spec.unit.id", "id")), "distance|delta", "distance",
    ),
    "contributions, fewer everywhere": ("contributions 3", fewer_rows, "report.html|floor|privacy", None),
    "contributions, more everywhere": ("contributions 3", more_rows, "budget|composed delta", "promise: epsilon 2"),
    "margins of the specification": (
        "plain", several(("spec.tables.0.margins", "none")), "25 measurements|groupings", "groupings: 4 .*1",
    ),
    "margins, and the groupings with them": (
        "plain", margins, "measurements.csv: .*25 .*16", "measurements.csv: .*rows",
    ),
    "the filter": ("plain", several(("spec.tables.0.filter", {"place": ["a"]})), "measurements", "groupings: "),
    "a category": (
        "plain", several(("spec.dimensions.place.categories", ["a", "b", "z"])),
        "'side' .*'c'.*'place'", "specification: level side .*place",
    ),
    "groups of a level": (
        "hierarchy", several(("spec.dimensions.place.levels.side", {"north": ["a"], "south": ["b", "c"]})),
        "measurements.csv: .*cell", r"measurements.csv: one cell .*\d+ and \d+",
    ),
    "a count from elsewhere": ("counts from elsewhere", several(("spec.fixed.0.count", 601)), "t.csv", "601"),
    "cells of a grouping": ("plain", several(("groupings.0.cells", 17)), "groupings", "cells of grouping 0"),
    "multiplicity of a grouping": (
        "plain", several(("groupings.1.multiplicity", 0)), "groupings", "multiplicity of grouping 1",
    ),
    "the table of a grouping": (
        "plain", several(("groupings.1.ptable", "sha256:0")), "groupings", "ptable of grouping 1",
    ),
    "bits": ("plain", several(("spec.bits", 62)), "bits is 62", "spec.bits is 62"),
    "how it was reconciled": ("plain", several(("reconciled.0.method", "none")), "reconciled", "adding up: reconciled"),
    "the kind of key": ("plain", several(("key.kind", "query")), "key.kind|secret", "key.kind"),
    "a reason for no guarantee": (
        "plain", several(("privacy.no_guarantee", "none needed")), "no_guarantee", "no_guarantee is 'none needed'",
    ),
    "a table removed": ("plain", removed("t.csv", stated=True), "t.csv", "files: t.csv"),
    "a table removed, and from the manifest": (
        "plain", removed("t.csv", stated=False), "t.csv", "files: t.csv .*manifest",
    ),
    "the certificate removed": (
        "plain", removed("certificate.json", stated=True), "certificate.json", "files: certificate.json",
    ),
    "a file added": ("plain", added("truth.csv", stated=False), "truth.csv: .*manifest", "files: truth.csv .*manifest"),
    "a file added, and to the manifest": ("plain", added("truth.csv", stated=True), "truth.csv", "files: truth.csv"),
    "a field of the manifest": ("plain", lambda f: f.manifest.update(safe=True), "manifest: safe: ", "manifest.json: "),
    "a field of the promise": (
        "plain", several(("privacy.total", "0.1")), r"manifest: privacy\.total: ", "promise: privacy ",
    ),
    "a field of the specification": ("plain", several(("spec.safe", True)), "safe", "manifest.json: .*spec"),
    "the version of the format": ("plain", several(("version", 8)), "version", "manifest.json: its version is 8"),
    "a later version of the format": ("plain", several(("version", 7)), "version", "manifest.json: its fields"),
    "the version before": (
        "plain", several(("version", 2)), r"t\.intervals\.csv: is not", "intervals: table t: the interval",
    ),
    "an older version of the format": (
        "plain", several(("version", 1)), "measurements.csv", "manifest.json: the fields of spec",
    ),
    "the report": ("plain", edit("report.html", "<h1", "<p>safe</p><h1"), "report.html", None),
    "the title": ("plain", several(("spec.title", "Nothing")), "report.html", None),
    "the column": ("plain", several(("spec.dimensions.place.column", "street")), None, None),
    "the software": ("plain", several(("software.python", "2.7")), None, None),
    "the source": ("plain", several(("engine", "spark")), None, None),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_each_checker_names_what_was_changed_or_cannot_tell(name: str, directory: Path, tmp_path: Path) -> None:
    kind, change, named_by_first, named_by_second = TAMPERED[name]
    path = forged(directory, tmp_path, kind, change)
    if named_by_first is None:
        verify_folder(path)
    else:
        with pytest.raises(DiscreetError, match=named_by_first):
            verify_folder(path)
    report = folder.check(path)
    if named_by_second is None:
        assert report.failures == []
    else:
        assert re.search(named_by_second, "\n".join(report.failures)), report.findings
