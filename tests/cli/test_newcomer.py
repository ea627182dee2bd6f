"""Fifty mistakes of a newcomer. Each has its own message, which names what was given and what to do."""

import gzip
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tests import workbooks
from tests.cli.conftest import Run

ROWS: list[list[object]] = [["id", "Geschlecht", "Größe"], *([i, "wm"[i % 2], 160 + i % 30] for i in range(100))]


def text(delimiter: str = ",") -> str:
    return "\n".join(delimiter.join(map(str, row)) for row in ROWS) + "\n"


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def locked() -> bytes:
    """Return the start of a workbook with a password: a header, and a directory in the second block of 512 bytes."""
    header = bytearray(COMPOUND + bytes(504))
    header[30:32], header[48:52] = (9).to_bytes(2, "little"), (1).to_bytes(4, "little")
    return bytes(header) + bytes(512) + "EncryptedPackage".encode("utf-16-le") + bytes(480)


def spec(**changes: Any) -> dict[str, Any]:
    document = {
        "version": "1",
        "source": {"csv": "people.csv"},
        "unit": {"id": "id"},
        "dimensions": {
            "sex": {"column": "Geschlecht", "categories": ["w", "m"]},
            "height": {"column": "Größe", "ranges": {"short": [0, 170], "tall": [170, None]}},
        },
        "tables": [{"name": "people", "dimensions": ["sex", "height"], "margins": "all"}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    return {name: value for name, value in (document | changes).items() if value is not None}


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    """Write the people in every form that a newcomer may have, and a folder and a specification that exist already."""
    (tmp_path / "people.csv").write_text(text(), encoding="utf-8")
    (tmp_path / "semicolons.csv").write_text(text(";"), encoding="utf-8")
    (tmp_path / "old.csv").write_bytes(text().encode("cp1252"))
    (tmp_path / "utf16.csv").write_bytes(text().encode("utf-16"))
    (tmp_path / "packed.csv").write_bytes(gzip.compress(text().encode()))
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "xls.csv").write_bytes(COMPOUND + bytes(100))
    (tmp_path / "people.xls").write_bytes(COMPOUND + bytes(1000))
    (tmp_path / "locked.xlsx").write_bytes(locked())
    (tmp_path / "no_header.csv").write_text(text().partition("\n")[2], encoding="utf-8")
    (tmp_path / "twice.csv").write_text(text().replace("Größe", "id", 1), encoding="utf-8")
    (tmp_path / "tabs.csv").write_text(text("\t"), encoding="utf-8")
    (tmp_path / "blank.csv").write_text(" \n\n")
    workbooks.write(tmp_path / "people.xlsx", {"People": ROWS})
    pq.write_table(pa.table({"id": [1]}), tmp_path / "people.parquet")
    (tmp_path / "published").mkdir()
    (tmp_path / "made.yaml").write_text("title: mine\n")


RELEASE = ("release", "spec.yaml", "-o", "out")
SEX = {"column": "Geschlecht", "categories": ["w", "m"]}

MISTAKES: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "a path that does not exist": (
        spec(source={"csv": "peple.csv"}), RELEASE, r"no file peple\.csv.*folder of that file"),
    "a specification that does not exist": (spec(), ("release", "spce.yaml", "-o", "out"), r"spce\.yaml.*No such file"),
    "data in place of a specification": (spec(), ("release", "people.csv", "-o", "out"), r"people\.csv is not a spec"),
    "a wrong delimiter": (spec(source={"csv": "semicolons.csv"}), RELEASE, r"one column.*delimiter: \";\""),
    "a delimiter that the file has not": (
        spec(source={"csv": "people.csv", "delimiter": ";"}), RELEASE, r"one column.*delimiter: \",\""),
    "a wrong encoding": (spec(source={"csv": "old.csv"}), RELEASE, r"'Größe'.*not in UTF-8.*encoding: cp1252"),
    "UTF-8 read as cp1252": (
        spec(source={"csv": "people.csv", "encoding": "cp1252"}), RELEASE, r"'Größe'.*in UTF-8: leave encoding out"),
    "an unknown encoding": (
        spec(source={"csv": "people.csv", "encoding": "ansi"}), RELEASE, r"encoding is 'ansi'.*cp1252"),
    "UTF-16": (spec(source={"csv": "utf16.csv"}), RELEASE, r"utf16\.csv is in UTF-16; save it as UTF-8"),
    "Excel given as CSV": (spec(source={"csv": "people.xlsx"}), RELEASE, r"people\.xlsx is an Excel.*\{excel: FILE\}"),
    "an old workbook": (spec(source={"csv": "xls.csv"}), RELEASE, r"xls\.csv is .*\.xls,.*save it as \.xlsx"),
    "CSV given as Excel": (spec(source={"excel": "people.csv"}), RELEASE, r"people\.csv is a text file.*\{csv: FILE\}"),
    "Parquet given as CSV": (spec(source={"csv": "people.parquet"}), RELEASE, r"a Parquet file.*\{parquet: FILE\}"),
    "CSV given as Parquet": (spec(source={"parquet": "people.csv"}), RELEASE, r"a text file.*\{csv: FILE\}"),
    "a compressed file without .gz": (spec(source={"csv": "packed.csv"}), RELEASE, r"packed\.csv is .*gzip.*\.gz"),
    "an empty file": (spec(source={"csv": "empty.csv"}), RELEASE, r"empty\.csv is empty"),
    "a sheet that does not exist": (
        spec(source={"excel": "people.xlsx", "sheet": "Sheet1"}), RELEASE, r"no sheet 'Sheet1'.*People"),
    "a column in other letters": (
        spec(dimensions={"sex": SEX | {"column": "geschlecht"}}, tables=[{"name": "t", "dimensions": ["sex"]}]),
        RELEASE, r"no column 'geschlecht'.*'Geschlecht'"),
    "a dimension that is not declared": (
        spec(tables=[{"name": "t", "dimensions": ["gender"]}]), RELEASE, r"line [0-9]+: .*gender"),
    "no budget": (spec(budget=None), RELEASE, "give a budget"),
    "no secret": (spec(key=None), RELEASE, "secret"),
    "a misspelled field": (spec(budgets={}), RELEASE, r"line [0-9]+: budgets: there is no such field"),
    "a ledger for what was found in the data": (
        spec(dimensions={"sex": SEX | {"found": "data"}}, tables=[{"name": "t", "dimensions": ["sex"]}], ledger="l"),
        RELEASE, r"ledger: .*found in the data.*leave the ledger out"),
    "a folder that exists": (spec(), ("release", "spec.yaml", "-o", "published"), r"published exists"),
    "no folder": (spec(), ("release", "spec.yaml"), r"discreet release SPEC\.yaml -o DIR"),
    "init over a file that exists": (spec(), ("init", "people.csv", "-o", "made.yaml"), r"made\.yaml exists"),
    "init of a path that does not exist": (spec(), ("init", "peple.csv"), r"no file peple\.csv"),
    "init with a connection string": (spec(), ("init", "postgresql://u:pw@h/d", "--table", "t"), "env:NAME"),
    "no header line": (
        spec(source={"csv": "no_header.csv"}), RELEASE, r"no column 'Geschlecht'.*3 columns.*header: false"),
    "two columns of one name": (spec(source={"csv": "twice.csv"}), RELEASE, r"columns 1 and 3 of twice\.csv.*rename"),
    "tabs": (spec(source={"csv": "tabs.csv"}), RELEASE, r'one column.*delimiter: "\\t"'),
    "an old workbook given as Excel": (spec(source={"excel": "people.xls"}), RELEASE, r"people\.xls is.*as \.xlsx"),
    "a workbook with a password": (
        spec(source={"excel": "locked.xlsx"}), RELEASE, r"locked\.xlsx is .*password.*remove the password"),
    "a folder in place of a file": (spec(source={"csv": "published"}), RELEASE, r"published is a folder; give a file"),
    "a file of blank lines": (spec(source={"csv": "blank.csv"}), RELEASE, r"blank\.csv|no column 'Geschlecht'"),
    "a column that the sheet has not": (
        spec(source={"excel": "people.xlsx"}, dimensions={"sex": SEX | {"column": "sex"}},
             tables=[{"name": "t", "dimensions": ["sex"]}]), RELEASE, r"no column 'sex'.*must name the columns"),
    "an address": (
        spec(source={"csv": "https://example.org/people.csv"}), RELEASE, r"people\.csv is an address.*download"),
    "an option of another source": (
        spec(source={"excel": "people.xlsx", "header": False}), RELEASE, r"header; allowed: sheet"),
    "init of an old workbook": (spec(), ("init", "people.xls"), r"people\.xls is.*save it as \.xlsx"),
    "init of a workbook with a password": (spec(), ("init", "locked.xlsx"), r"locked\.xlsx is .*remove the password"),
    "init of a folder": (spec(), ("init", "published"), r"published.*give a Parquet file"),
    "init of an empty file": (spec(), ("init", "empty.csv"), r"empty\.csv is empty; the first line must name"),
    "init of an address": (spec(), ("init", "https://example.org/people.csv"), r"people\.csv is an address.*download"),
    "init of two columns of one name": (spec(), ("init", "twice.csv"), r"columns 1 and 3 of twice\.csv.*rename"),
    "preview of the data": (spec(), ("preview", "people.csv"), r"people\.csv is not a spec.*tables"),
    "verify of the data": (spec(), ("verify", "people.csv"), r"people\.csv: is not JSON text.*give a certificate"),
    "verify of the specification": (
        spec(), ("verify", "spec.yaml"), r"spec\.yaml: is a specification.*give the folder.*discreet plan spec\.yaml"),
    "verify of a workbook": (spec(), ("verify", "people.xlsx"), r"people\.xlsx: is a workbook.*give a certificate"),
    "a field with a letter too many": (
        spec(budget=None, budgett={}), RELEASE, r"line [0-9]+: budgett: .*did you mean budget\? If not, leave it out"),
    "a leaf of a level with a letter too few": (
        spec(dimensions={"sex": SEX | {"categories": ["weiblich", "männlich"], "levels": {"all": {"x": ["mänlich"]}}}},
             tables=[{"name": "t", "dimensions": ["sex"]}]),
        RELEASE, r"line [0-9]+: .*'mänlich'.*did you mean 'männlich'\?"),
}  # fmt: skip


REMEDY = re.compile(
    r"\b(give|check|choose|save|rename|leave|download|remove|declare|make|run|copy|must name|it has version|allowed"
    r"|did you mean)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_has_its_own_message_and_remedy(mistake: str, tmp_path: Path, discreet: Run) -> None:
    document, arguments, expected = MISTAKES[mistake]
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    before = sorted(tmp_path.rglob("*"))
    result = discreet(*arguments)
    assert result.code == 2
    assert re.search(expected, result.err.replace("\n", " ")), result.err
    assert REMEDY.search(result.err), result.err
    assert "Traceback" not in result.err
    assert "pw" not in result.err
    assert sorted(tmp_path.rglob("*")) == before


def test_there_are_at_least_twenty_mistakes_and_no_two_have_one_message() -> None:
    messages = [expected for _, _, expected in MISTAKES.values()]
    assert len(messages) >= 20
    assert len(set(messages)) >= 25


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [(("init", "t", "--kind", "spark"), "spark"), (("release", "spec.yaml", "-o", "out"), "spark")],
)
def test_a_missing_extra_is_named_for_a_checkout_and_for_pip(
    arguments: tuple[str, ...], extra: str, tmp_path: Path, discreet: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec(source={"spark": "people"})))
    monkeypatch.setattr("discreet.extras.find_spec", lambda name: None)
    result = discreet(*arguments)
    assert result.code == 2
    assert f"uv sync --extra {extra}" in result.err
    assert f"pip install 'discreet[{extra}]'" in result.err


def test_help_leads_from_release_to_init_and_preview(discreet: Run) -> None:
    shown = discreet("release", "--help").out
    assert "discreet preview SPEC" in " ".join(shown.split())
    assert "discreet init DATA" in " ".join(shown.split())


def test_the_version_is_printed(discreet: Run) -> None:
    assert re.fullmatch(r"discreet [0-9.]+\n", discreet("--version").out)
