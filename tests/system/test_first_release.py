"""From a file made like Excel's to a published folder: init, preview, release, verify, as a newcomer runs them."""

import csv
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from discreet.prepare.preview_counts import preview
from discreet.release import demo_town
from tests import workbooks
from tests.cli.conftest import Run, discreet  # noqa: F401

HEADER = ["Personen-Nr", "Geschlecht", "Größe", "Kanton", "Alter", "Bemerkung"]


def people() -> list[list[str]]:
    """Return 2,000 people, as a German Excel shows them."""
    rng = random.Random(7)
    return [
        [
            str(1000 + i),
            rng.choice(["weiblich", "männlich"]),
            f"{rng.gauss(170, 10):.1f}".replace(".", ","),
            rng.choice(["Zürich", "Genève", "Bern; Land"]),
            str(rng.randrange(100)),
            f'Antwort {rng.random()}; mit "Anführung" und Text {i}',
        ]
        for i in range(2000)
    ]


def field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(';"') else text


def like_excel(rows: list[list[str]], path: Path, kind: str) -> Path:
    """Write rows as Excel saves them: CSV of the country (cp1252), CSV UTF-8 (with a mark), or a workbook."""
    if kind == "xlsx":
        typed = [[int(r[0]), r[1], float(r[2].replace(",", ".")), r[3], int(r[4]), r[5]] for r in rows]
        return workbooks.write(path.with_suffix(".xlsx"), {"Tabelle1": [HEADER, *typed]})
    lines = "".join(";".join(map(field, row)) + "\r\n" for row in [HEADER, *rows])
    path.write_bytes(lines.encode("cp1252" if kind == "cp1252" else "utf-8-sig"))
    return path


@pytest.mark.parametrize("kind", ["cp1252", "utf-8", "xlsx"])
def test_a_newcomer_publishes_a_file_of_excel(kind: str, tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    rows = people()
    data = like_excel(rows, tmp_path / "people.csv", kind)
    first = discreet("init", data.name, "-o", "release.yaml")
    assert first.code == 0, first.err
    assert re.search(r"whose privacy +each Personen-Nr is a person", first.out)
    assert re.search(r"dimensions +4: Geschlecht, Größe, Kanton, Alter", first.out)
    assert re.search(r"left out +Bemerkung: ", first.out)
    assert "discreet preview release.yaml" in first.out
    spec = tmp_path / "release.yaml"
    assert "# check against your questionnaire: found in the data" in spec.read_text()

    seen = {dimension.name: dimension for dimension in preview(spec).dimensions}
    assert seen["Kanton"].rows == {**dict(sorted(Counter(row[3] for row in rows).items())), "_other": 0}
    assert seen["Größe"].other == seen["Alter"].other == 0
    assert sum(seen["Größe"].rows.values()) == len(rows)
    shown = discreet("preview", "release.yaml")
    assert shown.code == 0, shown.err
    for canton, times in Counter(row[3] for row in rows).items():
        assert re.search(rf"{re.escape(canton)} +{times}\b", shown.out.replace(",", "")), shown.out
    assert "PRIVATE" in shown.out

    spec.write_text(
        spec.read_text()
        .replace("found: data  ", "source: questionnaire 2026  ")
        .replace("outputs: [csv] ", "outputs: [csv, xlsx] ")
    )
    planned = discreet("plan", "release.yaml")
    assert planned.code == 0, planned.err
    assert re.search(r"guarantee +epsilon = 1, delta = [0-9.e-]+ for one person", planned.out)
    assert re.search(r"Geschlecht by Größe .* \+-[0-9.]+", planned.out)
    published = discreet("release", "release.yaml", "-o", "published")
    assert published.code == 0, published.err
    assert re.search(r"guarantee +epsilon = 1, delta = .* over everything that is published", published.out)
    assert "discreet verify published" in published.out
    verified = discreet("verify", "published")
    assert verified.code == 0, verified.err
    assert "every claim holds" in verified.out
    assert not re.search(r"\b2000\b", published.out + verified.out), "nothing that is printed is a true count"
    assert verified.out.index("guarantee        epsilon = 1, delta = ") < verified.out.index("One count, read alone:")

    with (tmp_path / "published" / "geschlecht_by_grosse.csv").open(newline="", encoding="utf-8") as file:
        counts = {(line["Geschlecht"], line["Größe"]): int(line["count"]) for line in csv.DictReader(file)}
    sexes = Counter(row[1] for row in rows)
    for sex, true_count in sexes.items():
        assert abs(counts[sex, "_total"] - true_count) < 120, "noise of a budget of 1, not another count"
    assert abs(counts["_total", "_total"] - len(rows)) < 120


def test_what_init_proposes_for_the_town_counts_who_is_there(tmp_path: Path, discreet: Run) -> None:  # noqa: F811
    demo_town.unpack(tmp_path)
    assert discreet("init", "town.csv", "-o", "town.yaml").code == 0
    with (tmp_path / "town.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for dimension in preview(tmp_path / "town.yaml").dimensions:
        values = Counter(row[dimension.column] for row in rows)
        if dimension.ranges:
            assert dimension.other == 0
        else:
            declared = {label: times for label, times in dimension.rows.items() if label != "_other"}
            assert declared.items() <= values.items()
            assert dimension.other == len(rows) - sum(declared.values())
    assert discreet("release", "town.yaml", "-o", "published").code == 0
    verified = discreet("verify", "published")
    assert verified.code == 0
    first = verified.out.splitlines()[0]
    assert first.startswith("published: no promise for the release as a whole (categories or ranges were found in the")
    assert "guarantee        none: categories or ranges were found in the data" in verified.out
