"""`discreet convert` as a person uses it."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as library
from discreet import formats
from tests.cli.conftest import Run
from tests.formats.conftest import DATA, ons_lines

PTABLE = str(DATA / "ptable_D5_V3_js2.csv")
ARGUS = str(DATA / "argus_testW.txt")


def words(printed: str) -> str:
    """Return what was printed, without line breaks."""
    return " ".join(printed.split())


def test_the_privacy_of_a_table_is_shown_and_nothing_is_written(discreet: Run) -> None:
    result = discreet("convert", PTABLE)
    assert result.code == 0, result.err
    for part in (
        "R ptable and cellKey", "key < p_int_ub", "empty cells left alone",
        "epsilon = 1 delta = 0.265531, at counts 0 and 1",
        "any epsilon delta is at least 0.265531", "variance 0 to 3", "largest change 5", "do not compose",
    ):  # fmt: skip
        assert part in words(result.out)
    assert list(Path().iterdir()) == []


def test_the_printed_delta_is_never_below_the_exact_one(discreet: Run) -> None:
    printed = discreet("convert", ARGUS).out
    for row in formats.table_privacy(formats.read(ARGUS)).deltas:
        printed_delta = re.search(rf"epsilon = {row.epsilon} +delta = ([0-9.e-]+)", printed)
        assert printed_delta is not None
        assert row.delta <= Fraction(printed_delta[1]) <= row.delta * 1.00002


def test_json_holds_the_exact_numbers(discreet: Run) -> None:
    result = discreet("convert", ARGUS, "--json", "--epsilon", "0.3", "-o", "t.csv", "--to", "ptable", "--round")
    assert result.code == 0, result.err
    report = json.loads(result.out)
    assert report["design"]["tool"] == "tau-Argus"
    assert [row["epsilon"] for row in report["deltas"]] == ["0.1", "0.5", "1", "2", "5", "0.3"]
    assert report["deltas"][2]["delta_exact"] == "0.224921149"  # 1 - 0.775078851, the bound of output 0 at count 1
    assert report["written"]["exact"] is False
    assert report["written"]["deltas"][2]["delta_exact"] == "0.22492115"


def test_a_table_becomes_a_certificate_that_verifies(discreet: Run) -> None:
    Path("ons.csv").write_text("\n".join(ons_lines()))
    converted = discreet("convert", "ons.csv", "-o", "c.json", "--to", "discreet", "--epsilon", "1")
    assert converted.code == 0, converted.err
    assert "exactly the table that was read" in words(converted.out)
    assert discreet("verify", "c.json").code == 0
    ptable = library.load("c.json")
    assert ptable.bits == 8
    assert formats.same(ptable, formats.read("ons.csv"))
    assert ptable.design["tool"] == "ONS cell-key-perturbation"


def test_decimals_become_a_quantised_copy_that_says_so(discreet: Run) -> None:
    converted = discreet("convert", PTABLE, "-o", "c.json", "--to", "discreet", "--epsilon", "1")
    assert converted.code == 0, converted.err
    assert "a copy quantised to 32 bits" in words(converted.out)
    assert re.search(r"at most [0-9.]+e-\d+ from what was read", words(converted.out))
    ptable = library.load("c.json")
    assert 0 < float(ptable.certificate.document["quantised"]["distance"]) < 1e-9
    assert discreet("verify", "c.json").code == 0
    wider = discreet("convert", PTABLE, "-o", "d.json", "--to", "discreet", "--epsilon", "1", "--bits", "48")
    assert "48 bits" in wider.out


def test_a_table_goes_from_one_tool_to_another_and_back_exactly(discreet: Run) -> None:
    converted = discreet("convert", PTABLE, "-o", "t.txt", "--to", "argus")
    assert converted.code == 0, converted.err
    assert "t.txt: the same table exactly, for tau-Argus" in words(converted.out)
    assert Path("t.txt").read_text().startswith("i;j;p;v;p_int_ub\n0;0;1;0;1\n1;0;0.73446954;-1;0.73446954\n")
    back = discreet("convert", "t.txt", "-o", "t.csv", "--to", "ptable")
    assert back.code == 0
    assert Path("t.csv").read_text() == Path(PTABLE).read_text().replace('"', "")


def test_a_certificate_goes_to_another_tool_and_its_privacy_is_computed_again(discreet: Run) -> None:
    discreet("design", "geometric", "--epsilon", "1", "-o", "m.json")
    refused = discreet("convert", "m.json", "-o", "t.csv", "--to", "ptable")
    assert refused.code == 2
    assert "clamp" in refused.err
    assert not Path("t.csv").exists()
    converted = discreet("convert", "m.json", "-o", "t.csv", "--to", "ptable", "--clamp", "--leave-zeros", "--round")
    assert converted.code == 0, converted.err
    assert "t.csv, as written: outputs below 0 are written as 0; the count 0 is left alone" in words(converted.out)
    assert "at counts 0 and 1" in converted.out.partition("as written")[2]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["none.csv"], "none.csv"),
        ([PTABLE, "-o", "x.csv"], "--to"),
        ([PTABLE, "--to", "ons"], "--output"),
        ([PTABLE, "--from", "ons"], "pcv"),
        ([PTABLE, "--from", "sas"], "'sas'"),
        ([PTABLE, "-o", "x.csv", "--to", "sas"], "'sas'"),
        ([PTABLE, "-o", "x.json", "--to", "discreet"], "--epsilon"),
        ([PTABLE, "-o", "x.json", "--to", "discreet", "--epsilon", "0"], "epsilon is '0'"),
        ([PTABLE, "-o", "x.json", "--to", "discreet", "--epsilon", "1", "--bits", "7"], "7"),
        ([PTABLE, "-o", "x.csv", "--to", "argus", "--bits", "8"], "--bits"),
        ([PTABLE, "--round"], "--round"),
        ([PTABLE, "-o", "x.csv", "--to", "ons"], "1/256 or 1/4096"),
        ([PTABLE, "-o", "no/such/folder/x.csv", "--to", "argus"], "no/such/folder/x.csv"),
        ([str(DATA / "README.md")], "README.md, line 1"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(discreet: Run, arguments: list[str], named: str) -> None:
    result = discreet("convert", *arguments)
    assert result.code == 2
    assert named in result.err
    assert "Traceback" not in result.err
    if "sas" in arguments:
        assert result.out == ""
    assert list(Path().iterdir()) == []
