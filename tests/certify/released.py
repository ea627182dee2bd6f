"""Released folders of many kinds, and a forger that changes them."""

import csv
import hashlib
import io
import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.errors import FixedCountWarning
from discreet.measure import secrets
from discreet.publish.manifest import digest
from discreet.release import run
from tests import manifests

SIDES = {"north": ["a", "b"], "south": ["c"]}
OVERLAPPING = {"ab": ["a", "b"], "bc": ["b", "c"]}


def specification(directory: Path, **changes: Any) -> dict[str, Any]:
    """Return the specification of tables of 600 people by place, age and sex; write data and secret if needed."""
    rows = "".join(f"{i // 2},{'abcd'[i * i % 7 % 4]},{i % 90},{'fm'[i % 3 % 2]}\n" for i in range(600))
    (directory / "people.csv").write_text("id,place,age,sex\n" + rows)
    if not (directory / "secret.key").exists():
        secrets.new_secret(directory / "secret.key")
    return {
        "version": "1",
        "source": {"csv": str(directory / "people.csv")},
        "dimensions": {
            "place": {"column": "place", "categories": ["a", "b", "c"], "levels": {"side": SIDES, "over": OVERLAPPING}},
            "age": {"column": "age", "ranges": {"child": [0, 16], "adult": [16, 67], "old": [67, None]}},
            "sex": {"column": "sex", "categories": {"female": ["f", "F"], "male": ["m"]}},
        },
        "tables": [{"name": "t", "dimensions": ["place", "age"], "margins": "all"}],
        "budget": {"epsilon": 2, "delta": "1e-6"},
        "key": "fresh",
        "secret": {"file": str(directory / "secret.key")},
        **changes,
    }


def side(level: str = "side") -> dict[str, str]:
    return {"dimension": "place", "level": level}


def table(name: str, dimensions: list[Any], margins: Any = "all", **more: Any) -> dict[str, Any]:
    return {"name": name, "dimensions": dimensions, "margins": margins, **more}


KINDS: dict[str, dict[str, Any]] = {
    "adviser": {},
    "plain": {"design": {"name": "geometric", "epsilon": "0.5"}},
    "three dimensions, two formats": {
        "tables": [table("t", ["place", "age", "sex"])],
        "outputs": ["csv", "json-stat"],
    },
    "hierarchy": {"tables": [table("t", ["place"], [[]]), table("s", [side()], "none")], "measure": "published"},
    "filter": {
        "tables": [
            table("t", ["age", "sex"], filter={"place": ["north"]}),
            table("adults", ["age"], filter={"age": ["adult", "old"]}),
        ]
    },
    "women and everyone": {
        "tables": [
            table("everyone", ["sex", "age"]),
            table("women", ["age", "place"], filter={"sex": ["female"]}),
            table("most", ["sex"], filter={"place": ["north", "c"]}),
        ],
        "outputs": ["csv", "json-stat", "sdmx-csv"],
    },
    "several tables": {
        "tables": [
            table("t", ["place", "age"], [["age"]]),
            table("sides", [side(), "sex"]),
            table("some", ["sex", "age"], "none"),
            table("f", ["age"], filter={"sex": ["female"]}),
        ]
    },
    "no margins in common": {
        "tables": [table("t", ["place", "sex"], "none"), table("u", [side(), "age"], "none")],
    },
    "bell": {"design": {"name": "gaussian", "sigma2": 60, "certify_at": "0.5"}},
    "contributions 3": {
        "unit": {"id": "id", "contributions": 3},
        "design": {"name": "gaussian", "sigma2": 150, "certify_at": "0.5"},
        "budget": {"epsilon": 2, "delta": "1e-3"},
    },
    "contributions 2, other noise": {
        "unit": {"id": "id", "contributions": 2},
        "design": {"name": "staircase", "epsilon": "0.5", "sensitivity": 2},
        "budget": {"epsilon": 3, "delta": "0.01"},
    },
    "contributions 20": {
        "unit": {"id": "id", "contributions": 20},
        "design": {"name": "gaussian", "sigma2": 6000, "certify_at": "0.1"},
        "budget": {"epsilon": 2, "delta": "1e-3"},
    },
    "groups that overlap": {"tables": [table("t", [side("over"), "sex"]), table("p", ["place"])]},
    "counts from elsewhere": {
        "fixed": [
            {"where": {}, "count": 600, "differs": "of 2025"},
            {"where": {"place": "a", "age": "old"}, "count": 0, "differs": "of 2025"},
        ],
    },
    "noise with an end": {
        "design": {"name": "geometric", "epsilon": "0.5", "upper": 5},
        "budget": {"epsilon": 2},
        "outputs": ["json-stat"],
    },
    "small bits": {
        "design": {"name": "geometric", "alpha": "1/2"},
        "bits": 8,
        "budget": {"epsilon": 3, "delta": "0.1"},
    },
    "wang": {"tables": [table("t", ["place"], [[]])], "reconcile": "wang-3"},
    "clamped": {"reconcile": "none"},
    "clamped, with counts from elsewhere": {
        "fixed": [
            {"where": {}, "count": 600, "differs": "of 2025"},
            {"where": {"place": "a"}, "count": 170, "differs": "of 2025"},
        ],
        "reconcile": "none",
    },
    "query keys": {"key": "query", "unit": {"id": "id", "name": "people"}, "outputs": ["parquet", "csv"]},
    "contributor keys": {
        "key": "contributors",
        "unit": {"id": "id", "contributions": 2},
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": None,
    },
    "categories from the data": {
        "dimensions": {"sex": {"column": "sex", "from_data": True}},
        "tables": [table("t", ["sex"])],
        "design": {"name": "geometric", "epsilon": "0.5"},
    },
}  # fmt: skip


def released(directory: Path, kind: str) -> Path:
    """Return the folder of that kind, made once."""
    path = directory / kind.replace(" ", "-")
    if not path.exists():
        own = path.with_name(f"{path.name}.data")  # with a secret of its own, which has drawn nothing yet
        own.mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FixedCountWarning)  # some fixed counts are far from the truth
            run(specification(own, **KINDS[kind]), path)
    return path


def forged(directory: Path, tmp_path: Path, kind: str, change: Callable[["Forger"], None]) -> Path:
    """Return a copy of a released folder, changed, with digests that fit."""
    path = tmp_path / "forged"
    shutil.copytree(released(directory, kind), path)
    Forger(path).apply(change)
    return path


class Forger:
    """Changes files and the manifest of a folder, and makes digests and certificate fit again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: dict[str, Any] = json.loads((path / "manifest.json").read_bytes())
        self.digests = True

    def apply(self, change: Callable[["Forger"], None]) -> None:
        change(self)
        if self.digests:
            for name in self.manifest["files"]:
                if (file := self.path / name).exists():
                    self.manifest["files"][name] = digest(file.read_bytes())
        (self.path / "manifest.json").write_bytes(manifests.written(self.manifest))

    def set(self, path: str, value: Any) -> None:
        """Change the field of the manifest at a path of names and indices, joined by dots."""
        *above, last = path.split(".")
        inner: Any = self.manifest
        for name in above:
            inner = inner[int(name) if isinstance(inner, list) else name]
        inner[int(last) if isinstance(inner, list) else last] = value

    def scale(self, path: str, factor: float) -> None:
        """Multiply a number that the manifest states as text."""
        inner: Any = self.manifest
        for name in path.split("."):
            inner = inner[name]
        self.set(path, repr(float(inner) * factor))

    def rows(self, name: str, change: Callable[[list[list[str]]], Any]) -> None:
        """Change the rows of a CSV file; the first row has the names of the columns."""
        rows = list(csv.reader(io.StringIO((self.path / name).read_text(), newline="")))
        change(rows)
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        (self.path / name).write_text(out.getvalue())

    def counts(self, name: str, *changes: tuple[int, int]) -> None:
        """Add to counts or measurements, and widen intervals: each change is a row and a number.

        The counts of TABLE.intervals.csv change with those of TABLE.csv.
        """

        def change(rows: list[list[str]]) -> None:
            first = rows[0].index("count" if "count" in rows[0] else "measurement")
            for index, increase in changes:
                count, *ends = (int(text) for text in rows[index][first:])
                count += increase
                widened = [min(ends[0], count), max(ends[1], count)] if ends else []
                rows[index][first:] = [str(number) for number in (count, *widened)]

        self.rows(name, change)
        intervals = name.replace(".csv", ".intervals.csv")
        if (self.path / intervals).exists():
            self.rows(intervals, change)

    def certificate(self, change: Callable[[dict[str, Any]], Any]) -> None:
        """Change the certificate, and make its digest and the digests in the groupings fit again."""
        file = self.path / "certificate.json"
        document = json.loads(file.read_bytes())
        change(document)
        rest = {name: value for name, value in document.items() if name != "digest"}
        written = json.dumps(rest, sort_keys=True, indent=1) + "\n"
        document["digest"] = f"sha256:{hashlib.sha256(written.encode()).hexdigest()}"
        file.write_text(json.dumps(document, sort_keys=True, indent=1) + "\n")
        for grouping in self.manifest["groupings"]:
            grouping["ptable"] = document["digest"]


def several(*fields: tuple[str, Any]) -> Callable[[Forger], None]:
    """Return a change that sets fields of the manifest, each a path and a value."""

    def change(forger: Forger) -> None:
        for path, value in fields:
            forger.set(path, value)

    return change
