"""What each of two checkers says of a released folder that was changed, with digests that fit."""

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
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


def stale(change: Callable[[Forger], None]) -> Callable[[Forger], None]:
    """The same with the digests of before."""

    def other(forger: Forger) -> None:
        forger.digests = False
        change(forger)

    return other


def moved(document: dict[str, Any]) -> None:
    """Move weight from the middle of the noise to its end."""
    weights = document["interior"][0]["weights"]
    middle = len(weights) // 2
    weights[middle], weights[0] = str(int(weights[middle]) - 1000), str(int(weights[0]) + 1000)


def added(name: str, told: bool) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        (forger.where / name).write_text("truth,count\nall,600\n")
        if told:
            forger.manifest["files"] = dict(sorted({**forger.manifest["files"], name: ""}.items()))

    return change


def removed(name: str, told: bool) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        (forger.where / name).unlink()
        if told:
            forger.manifest["files"].pop(name)

    return change


def margins(forger: Forger) -> None:
    """No margins, in the specification and in the list of groupings."""
    forger.set("spec.tables.0.margins", "none")
    forger.manifest["groupings"] = forger.manifest["groupings"][:1]
    forger.set("privacy.touches", 1)


def fewer_rows(forger: Forger) -> None:
    """One row a person, wherever the manifest says three."""
    delta = json.loads((forger.where / "certificate.json").read_text())["guarantee"]["delta"]
    several(("spec.unit.contributions", 1), ("privacy.contributions", 1), ("privacy.cell.delta", delta))(forger)
    for grouping in forger.manifest["groupings"]:
        grouping["distance"] = 1


def more_rows(forger: Forger) -> None:
    several(("spec.unit.contributions", 5), ("privacy.contributions", 5), ("privacy.cell.delta", "0.9"))(forger)
    for grouping in forger.manifest["groupings"]:
        grouping["distance"] = 5


def cube(forger: Forger) -> None:
    path = forger.where / "t.json"
    document = json.loads(path.read_text())
    document["value"][0] += 1
    path.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")


def swapped(rows: list[list[str]]) -> None:
    rows[1], rows[2] = rows[2], rows[1]


def edit(name: str, old: str, new: str) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        text = (forger.where / name).read_text()
        assert old in text
        (forger.where / name).write_text(text.replace(old, new, 1))

    return change


REMADE = "is not what the measurements make"
UNSEEN = None

TAMPERED: dict[str, tuple[str, Callable[[Forger], None], str | None, str | None]] = {
    # what is done: to which folder, how, what the replay says, what the second check says (None: it cannot tell)
    "a count, the digest as it was": (
        "plain", stale(lambda f: f.counts("t.csv", (1, 1))), "its digest", "another digest",
    ),
    "a count": ("plain", lambda f: f.counts("t.csv", (1, 1)), REMADE, "not the sum of its cells"),
    "a margin": ("plain", lambda f: f.counts("t.csv", (17, 5)), REMADE, "not the sum of its cells"),
    "a total": ("plain", lambda f: f.counts("t.csv", (25, 5)), REMADE, "not the sum of its cells"),
    "a count and all its margins": (
        "plain", lambda f: f.counts("t.csv", (1, 1), (17, 1), (21, 1), (25, 1)), REMADE, UNSEEN,
    ),
    "a count below 0": ("plain", lambda f: f.counts("t.csv", (1, -10**4)), REMADE, "negative count"),
    "a count that is no integer": (
        "plain", lambda f: f.rows("t.csv", lambda r: r[1].append(r[1].pop() + ".0")), REMADE, "form",
    ),
    "a row of a table left out": ("plain", lambda f: f.rows("t.csv", lambda r: r.pop(3)), REMADE, "should start with"),
    "a row added to a table": (
        "plain", lambda f: f.rows("t.csv", lambda r: r.append(r[-1])), REMADE, "more rows than cells",
    ),
    "labels of a table": ("plain", edit("t.csv", "a,child", "A,child"), REMADE, "should start with"),
    "a count in another format": ("three dimensions, two formats", cube, REMADE, "other counts than"),
    "a clamped count": ("clamped", lambda f: f.counts("t.csv", (1, 1)), REMADE, "was measured"),
    "a measurement": ("plain", lambda f: f.counts("measurements.csv", (1, 40)), "published|" + REMADE, UNSEEN),
    "a measurement that cannot be": (
        "plain", lambda f: f.counts("measurements.csv", (1, -10**6)), "no measurement", "no measurement",
    ),
    "a measurement left out": (
        "plain", lambda f: f.rows("measurements.csv", lambda r: r.pop()), "24 measurements", "start with",
    ),
    "measurements swapped": ("plain", lambda f: f.rows("measurements.csv", swapped), "not those", "start with"),
    "a measurement written otherwise": (
        "plain", lambda f: f.rows("measurements.csv", lambda r: r[1].append(f"+{r[1].pop()}")),
        "not those", "as an integer",
    ),
    "weights, the digest as it was": (
        "plain", edit("certificate.json", '"weights": [', '"weights": [\n    "0",'), "digest", "digest",
    ),
    "weights": ("plain", lambda f: f.certificate(moved), "delta: the file says", "delta is stated as"),
    "one weight": (
        "plain", lambda f: f.certificate(lambda d: d["interior"][0]["weights"].__setitem__(3, "77")),
        "sum to", "sums to",
    ),
    "a negative weight": (
        "plain", lambda f: f.certificate(lambda d: d["interior"][0]["weights"].__setitem__(0, "-1")),
        "decimal", "negative",
    ),
    "delta of the certificate": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(delta="0")),
        "delta: the file says", "delta is stated as",
    ),
    "exp_epsilon": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(exp_epsilon="1.7")), "not proved", "above e",
    ),
    "epsilon of the certificate": (
        "plain", lambda f: f.certificate(lambda d: d["guarantee"].update(epsilon="0.1")), "not proved", "above e",
    ),
    "neighbours": (
        "plain", lambda f: f.certificate(lambda d: d.update(neighbours=[1, 2])),
        "delta: the file says", "delta is stated as",
    ),
    "the composed epsilon": (
        "plain", several(("privacy.composed.epsilon", "1")), "composed epsilon", "not the budget's",
    ),
    "the composed epsilon and the budget's": (
        "plain", several(("privacy.composed.epsilon", "1"), ("spec.budget.epsilon", "1")),
        "the budget is epsilon 1", "promise: epsilon 1",
    ),
    "the composed delta, by a half": (
        "bell", lambda f: f.scale("privacy.composed.delta", 0.5), "composed delta", "promise: epsilon 2",
    ),
    "the composed delta, nearly nothing": (
        "plain", several(("privacy.composed.delta", "1e-30")), "composed delta", "promise: epsilon 2",
    ),
    "the composed delta, raised": (
        "plain", several(("privacy.composed.delta", "1e-05")), "composed delta", "above the budget",
    ),
    "the composed delta, no number": ("plain", several(("privacy.composed.delta", "nan")), "composed delta", "form"),
    "delta of the budget": ("plain", several(("spec.budget.delta", "1e-12")), "the budget is", "above the budget"),
    "the floor": ("plain", lambda f: f.scale("privacy.composed.floor", 0.5), "composed floor", "floor: delta"),
    "delta of one cell": ("plain", several(("privacy.cell.delta", "0")), "privacy.cell.delta", "privacy.cell.delta"),
    "epsilon of one cell": (
        "plain", several(("privacy.cell.epsilon", "0.1")), "privacy.cell.epsilon", "privacy.cell.epsilon",
    ),
    "touches, fewer": ("plain", several(("privacy.touches", 3)), "privacy.touches is 3", "3 are stated"),
    "touches, more": ("plain", several(("privacy.touches", 5)), "privacy.touches is 5", "5 are stated"),
    "touches of a promise that is none": ("plain", several(("privacy.composed", None)), "composed guarantee", "form"),
    "contributions of the promise": (
        "plain", several(("privacy.contributions", 2)), "privacy.contributions", "privacy.contributions",
    ),
    "contributions of the specification": (
        "plain", several(("spec.unit.contributions", 3), ("spec.unit.id", "id")), "distance|delta", "distance",
    ),
    "contributions, fewer everywhere": ("contributions 3", fewer_rows, "report.html|floor|privacy", UNSEEN),
    "contributions, more everywhere": (
        "contributions 3", more_rows, "the budget is|composed delta", "promise: epsilon 2",
    ),
    "margins of the specification": (
        "plain", several(("spec.tables.0.margins", "none")), "25 measurements|groupings", "groupings: 4",
    ),
    "margins, and the groupings with them": ("plain", margins, "25 measurements for 16", "more rows than cells"),
    "the filter": ("plain", several(("spec.tables.0.filter", {"place": ["a"]})), "measurements", "groupings: "),
    "a category": (
        "plain", several(("spec.dimensions.place.categories", ["a", "b", "z"])), "leaf|level", "leaves that place",
    ),
    "groups of a level": (
        "hierarchy", several(("spec.dimensions.place.levels.side", {"north": ["a"], "south": ["b", "c"]})),
        "two measurements", "two measurements",
    ),
    "a count from elsewhere": (
        "counts from elsewhere", several(("spec.fixed.0.count", 601)), "make", "is fixed at 601",
    ),
    "cells of a grouping": ("plain", several(("groupings.0.cells", 17)), "groupings", "cells of grouping 0"),
    "multiplicity of a grouping": (
        "plain", several(("groupings.1.multiplicity", 0)), "groupings", "multiplicity of grouping 1",
    ),
    "the table of a grouping": (
        "plain", several(("groupings.1.ptable", "sha256:0")), "groupings", "ptable of grouping 1",
    ),
    "bits": ("plain", several(("spec.bits", 62)), "bits is 62", "spec.bits is 62"),
    "how it was reconciled": (
        "plain", several(("reconciled.0.method", "none")), "reconciled", "reconciled has a method",
    ),
    "the kind of key": ("plain", several(("key.kind", "query")), "key.kind|needs a secret", "key.kind"),
    "a reason for no guarantee": (
        "plain", several(("privacy.no_guarantee", "none needed")), "no_guarantee", "no_guarantee",
    ),
    "a table removed": ("plain", removed("t.csv", False), "missing", "missing"),
    "a table removed, and from the manifest": (
        "plain", removed("t.csv", True), "t.csv: is (missing|not)", "missing from the manifest",
    ),
    "the certificate removed": ("plain", removed("certificate.json", False), "missing", "missing"),
    "a file added": (
        "plain", added("truth.csv", False), "truth.csv: is not in the manifest", "truth.csv is not in the manifest",
    ),
    "a file added, and to the manifest": (
        "plain", added("truth.csv", True), "no file of this release", "truth.csv is no file",
    ),
    "a field of the manifest": (
        "plain", lambda f: f.manifest.update(safe=True), "manifest: safe: ", "its fields are not",
    ),
    "a field of the promise": (
        "plain", several(("privacy.total", "0.1")), r"manifest: privacy\.total: ", "privacy has other fields",
    ),
    "a field of the specification": ("plain", several(("spec.safe", True)), "safe: Extra", "fields of spec"),
    "the version of the format": (
        "plain", several(("version", 2)), "not a manifest of this version", "its version is 2",
    ),
    "the report": ("plain", edit("report.html", "<h1", "<p>safe</p><h1"), "report.html", UNSEEN),
    "the title": ("plain", several(("spec.title", "Nothing")), "report.html", UNSEEN),
    "the column": ("plain", several(("spec.dimensions.place.column", "street")), UNSEEN, UNSEEN),
    "the software": ("plain", several(("software.python", "2.7")), UNSEEN, UNSEEN),
    "the source": ("plain", several(("engine", "spark")), UNSEEN, UNSEEN),
}  # fmt: skip


@pytest.mark.parametrize("done", TAMPERED)
def test_what_each_checker_says_of_a_folder_that_was_changed(done: str, place: Path, tmp_path: Path) -> None:
    kind, change, by_replay, by_itself = TAMPERED[done]
    where = forged(place, tmp_path, kind, change)
    if by_replay is None:
        verify_folder(where)
    else:
        with pytest.raises(DiscreetError, match=by_replay):
            verify_folder(where)
    report = folder.check(where)
    if by_itself is None:
        assert report.failures == []
    else:
        assert re.search(by_itself, "\n".join(report.failures)), report.findings
