"""`discreet convert` as a person uses it."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as library
from discreet import formats
from tests.formats.conftest import DATA, ons_lines

PTABLE = str(DATA / "ptable_D5_V3_js2.csv")
ARGUS = str(DATA / "argus_testW.txt")


def words(printed: str) -> str:
    """What was printed, without the breaks between lines."""
    return " ".join(printed.split())


def test_a_table_is_measured_and_nothing_is_written(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("convert", PTABLE)
    assert result.code == 0, result.err
    for part in (
        "R ptable and cellKey", "key < p_int_ub", "empty cells left alone",
        "epsilon = 1 delta = 0.265531, at counts 0 and 1",
        "any epsilon delta is at least 0.265531", "variance 0 to 3", "largest change 5", "do not compose",
    ):  # fmt: skip
        assert part in words(result.out)
    assert list(Path().iterdir()) == []


def test_the_printed_delta_is_never_below_the_measured_one(discreet) -> None:  # type: ignore[no-untyped-def]
    measured = formats.measure(formats.read(ARGUS))
    printed = discreet("convert", ARGUS).out
    for each in measured.deltas:
        shown = re.search(rf"epsilon = {each.epsilon} +delta = ([0-9.e-]+)", printed)
        assert shown is not None
        assert each.delta <= Fraction(shown[1]) <= each.delta * 1.00002


def test_json_holds_the_exact_numbers(discreet) -> None:  # type: ignore[no-untyped-def]
    result = discreet("convert", ARGUS, "--json", "--epsilon", "0.3", "-o", "t.csv", "--to", "ptable", "--round")
    assert result.code == 0, result.err
    report = json.loads(result.out)
    assert report["design"]["tool"] == "tau-Argus"
    assert [each["epsilon"] for each in report["deltas"]] == ["0.1", "0.5", "1", "2", "5", "0.3"]
    assert report["deltas"][2]["delta_exact"] == "0.224921149"  # 1 - 0.775078851, the bound of output 0 at count 1
    assert report["written"]["exact"] is False
    assert report["written"]["deltas"][2]["delta_exact"] == "0.22492115"


def test_a_table_becomes_a_certificate_that_verifies(discreet) -> None:  # type: ignore[no-untyped-def]
    Path("ons.csv").write_text("\n".join(ons_lines()))
    made = discreet("convert", "ons.csv", "-o", "c.json", "--to", "discreet", "--epsilon", "1")
    assert made.code == 0, made.err
    assert "exactly the table that was read" in words(made.out)
    assert discreet("verify", "c.json").code == 0
    ptable = library.load("c.json")
    assert ptable.bits == 8
    assert formats.same(ptable, formats.read("ons.csv"))
    assert ptable.design["tool"] == "ONS cell-key-perturbation"


def test_decimals_become_a_quantised_copy_that_says_so(discreet) -> None:  # type: ignore[no-untyped-def]
    made = discreet("convert", PTABLE, "-o", "c.json", "--to", "discreet", "--epsilon", "1")
    assert made.code == 0, made.err
    assert "a copy quantised to 32 bits" in words(made.out)
    assert re.search(r"at most [0-9.]+e-\d+ from what was read", words(made.out))
    ptable = library.load("c.json")
    assert 0 < float(ptable.certificate.document["quantised"]["distance"]) < 1e-9
    assert discreet("verify", "c.json").code == 0
    wider = discreet("convert", PTABLE, "-o", "d.json", "--to", "discreet", "--epsilon", "1", "--bits", "48")
    assert "48 bits" in wider.out


def test_one_tool_to_another_exactly(discreet) -> None:  # type: ignore[no-untyped-def]
    made = discreet("convert", PTABLE, "-o", "t.txt", "--to", "argus")
    assert made.code == 0, made.err
    assert "t.txt: the same table exactly, for tau-Argus" in words(made.out)
    assert Path("t.txt").read_text().startswith("i;j;p;v;p_int_ub\n0;0;1;0;1\n1;0;0.73446954;-1;0.73446954\n")
    back = discreet("convert", "t.txt", "-o", "t.csv", "--to", "ptable")
    assert back.code == 0
    assert Path("t.csv").read_text() == Path(PTABLE).read_text().replace('"', "")


def test_a_certificate_goes_to_another_tool_and_is_measured_again(discreet) -> None:  # type: ignore[no-untyped-def]
    discreet("design", "geometric", "--epsilon", "1", "-o", "m.json")
    refused = discreet("convert", "m.json", "-o", "t.csv", "--to", "ptable")
    assert refused.code == 2
    assert "with clamp" in refused.err
    assert not Path("t.csv").exists()
    made = discreet("convert", "m.json", "-o", "t.csv", "--to", "ptable", "--clamp", "--leave-zeros", "--round")
    assert made.code == 0, made.err
    assert "t.csv, as written: outputs below 0 are written as 0; the count 0 is left alone" in words(made.out)
    assert "at counts 0 and 1" in made.out.partition("as written")[2]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.csv"], "cannot be read"),
        ([PTABLE, "-o", "x.csv"], "give both --output FILE and --to FORMAT"),
        ([PTABLE, "--to", "ons"], "give both --output FILE and --to FORMAT"),
        ([PTABLE, "--from", "ons"], "it needs one column pcv"),
        ([PTABLE, "--from", "sas"], "choose from ons"),
        ([PTABLE, "-o", "x.csv", "--to", "sas"], "choose from ons"),
        ([PTABLE, "-o", "x.json", "--to", "discreet"], "give --epsilon"),
        ([PTABLE, "-o", "x.json", "--to", "discreet", "--epsilon", "0"], "above 0"),
        ([PTABLE, "-o", "x.json", "--to", "discreet", "--epsilon", "1", "--bits", "7"], "8 to 62"),
        ([PTABLE, "-o", "x.csv", "--to", "argus", "--bits", "8"], "--to discreet"),
        ([PTABLE, "--round"], "give --to it"),
        ([PTABLE, "-o", "x.csv", "--to", "ons"], "not whole numbers of 1/256 or 1/4096"),
        ([PTABLE, "-o", "no/such/folder/x.csv", "--to", "argus"], "cannot be written"),
        ([str(DATA / "README.md")], "README.md, line 1: the header"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(discreet, arguments: list[str], complaint: str) -> None:  # type: ignore[no-untyped-def]
    result = discreet("convert", *arguments)
    assert result.code == 2
    assert complaint in result.err
    assert "Traceback" not in result.err
    if "sas" in arguments:
        assert result.out == ""
    assert list(Path().iterdir()) == []
