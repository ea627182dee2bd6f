"""Wrong files are refused with the name of the file, the line, and the value that is wrong."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import formats
from discreet.errors import FormatError
from discreet.formats import _text_file, cantabular
from tests.formats.conftest import Write, ons_lines, ptable_lines

ONS = ons_lines()
PTABLE = ptable_lines()
WRONG_FIELDS = [
    "",
    "0",
    "1",
    "-1",
    "0.5",
    "1e-999",
    "1e999",
    "9" * 30,
    "9" * 500,
    "nan",
    "inf",
    '"',
    "all",
    "even",
    "0,5",
    "1_0",
    "2.0",
]


def refused(path: Path, line: int | None, named: str, kind: str | None = None) -> None:
    """Assert that reading fails with an error that names the file, the line and a value."""
    with pytest.raises(FormatError, match=re.escape(named)) as error:
        formats.read(path, kind)
    assert str(path) in str(error.value)
    if line is not None:
        assert f", line {line}:" in str(error.value), str(error.value)


def replaced(lines: list[str], line: int, text: str) -> str:
    """Return the lines with one of them replaced, counted from 1."""
    return "\n".join([*lines[: line - 1], text, *lines[line:]]) + "\n"


def without(lines: list[str], first: int, last: int | None = None) -> str:
    """Return the lines without one, or without several."""
    return "\n".join(lines[: first - 1] + lines[last or first :]) + "\n"


@pytest.mark.parametrize(
    ("content", "line", "named"),
    [
        (replaced(ONS, 5, "1,2,0"), 5, "line 4"),
        (replaced(ONS, 5, "1,3,-2"), 5, "pvalue -2"),
        (replaced(ONS, 5, "1,3,0.5"), 5, "pvalue is '0.5'"),
        (replaced(ONS, 5, "1,6e-05,0"), 5, "ckey is '6e-05'"),
        (replaced(ONS, 5, "1,4096,0"), 5, "ckey is 4096"),
        (replaced(ONS, 5, "1,-3,0"), 5, "ckey is -3"),
        (replaced(ONS, 5, "0,3,0"), 5, "pcv is 0"),
        (replaced(ONS, 5, "751,3,0"), 5, "pcv is 751"),
        (replaced(ONS, 5, "1,3,9999"), 5, "pvalue is 9999"),
        (replaced(ONS, 5, "1,3,"), 5, "pvalue is ''"),
        (replaced(ONS, 5, "1,3"), 5, "2 fields"),
        (replaced(ONS, 5, "1,3-4,0"), 5, "ckey is '3-4'"),
        (replaced(ONS, 5, "1,3,nan"), 5, "pvalue is 'nan'"),
        (replaced(ONS, 5, "1,٣,0"), 5, "ckey is '٣'"),
        (without(ONS, 5), len(ONS) - 1, "key 3 of count 1"),
        (without(ONS, 128_002, len(ONS)), 128_001, "501 to 750"),
        (without(ONS, 258, 513), len(ONS) - 256, "2 to 2"),
        (replaced(ONS, 5, "1,256,0"), len(ONS), "key 3 of count 1"),
        ("pcv,ckey,pvalue\n", 1, "header"),
        ("pcv,ckey,pvalue,pcv\n1,2,3,4\n", 1, "pcv"),
    ],
)  # fmt: skip
def test_wrong_tables_of_ons_are_refused(write: Write, content: str, line: int, named: str) -> None:
    refused(write(content), line, named)


def test_a_reversed_noise_column_is_named(write: Write) -> None:
    """cellKey's noise is original minus perturbed. An output is below 0, and none would be with the other sign."""
    lines = [
        "pcv,ckey,pvalue",
        *(f"{n},{key},{min(n, 3) if key < 9 else 0}" for n in range(1, 751) for key in range(256)),
    ]
    assert formats.read(write("\n".join(lines))).pmf(1)[0].tolist() == [1, 2]
    reverse = [",".join((*line.split(",")[:2], f"-{line.split(',')[2]}")) for line in lines[1:]]
    assert formats.read(write("\n".join([lines[0], *reverse]))).pmf(1)[0].tolist() == [0, 1]
    deeper = [line.replace(",-1", ",-2") for line in reverse]
    refused(write("\n".join([lines[0], *deeper])), 2, "reversed")


@pytest.mark.parametrize(
    ("content", "line", "named"),
    [
        (replaced(PTABLE, 4, "1,1,0.36648551,0,0.36648552,0.73297101,all"), 4, "p_int_lb is 0.36648552"),
        (replaced(PTABLE, 4, "1,1,0.36648551,0,0.3664855,0.73297101,all"), 4, "p_int_lb is 0.3664855,"),
        (replaced(PTABLE, 4, "1,1,0.36648551,1,0.36648551,0.73297101,all"), 4, "v is 1"),
        (replaced(PTABLE, 4, "1,1,0.2,0,0.36648551,0.73297101,all"), 6, "count 1 sum to 0.8335145"),
        (replaced(PTABLE, 4, "1,1,0.36648551,0,0.36648551,0.1,all"), 4, "p_int_ub is 0.1,"),
        (replaced(PTABLE, 4, "1,1,1.36648551,0,0.36648551,0.73297101,all"), 4, "p is 1.36648551"),
        (replaced(PTABLE, 4, "1,-1,0.36648551,-2,0.36648551,0.73297101,all"), 4, "j is -1"),
        (replaced(PTABLE, 4, "1,1,x,0,0.36648551,0.73297101,all"), 4, "p is 'x'"),
        (replaced(PTABLE, 4, "1,1,,0,0.36648551,0.73297101,all"), 4, "p is ''"),
        (replaced(PTABLE, 4, "1,1.5,0.36648551,0.5,0.36648551,0.73297101,all"), 4, "j is 1.5"),
        (replaced(PTABLE, 4, "1,1,0.36648551,0,0.36648551,0.73297101,small_cells"), 4, "type is 'small_cells'"),
        (replaced(PTABLE, 4, "1,1,0.36648551,0,0.36648551,0.73297101,odd"), 11, "all, odd"),
        (replaced(PTABLE, 4, "1,9999999,0.36648551,9999998,0.36648551,0.73297101,all"), 4, "9999998"),
        (replaced(PTABLE, 4, "9999,1,0.36648551,-9998,0.36648551,0.73297101,all"), 4, "i is 9999"),
        (replaced(PTABLE, 2, "0,1,1,1,0,1,all"), 2, "count 0"),
        (without(PTABLE, 11), 10, "count 2 sum to"),
        (without(PTABLE, 3, 6), 7, "count 1"),
        (without(PTABLE, 2), 10, "count 0"),
        (PTABLE[0] + "\n", 1, "header"),
    ],
)  # fmt: skip
def test_wrong_tables_of_ptable_are_refused(write: Write, content: str, line: int, named: str) -> None:
    refused(write(content), line, named)


def test_bounds_that_end_below_one_are_refused(write: Write) -> None:
    end = PTABLE[5]
    assert end.endswith(",1,all")
    content = "\n".join([*PTABLE[:5], end.replace(",1,all", ",0.99999999,all"), *PTABLE[6:]])
    refused(write(content), 6, "count 1 end at 0.99999999")


def test_p_that_is_not_the_difference_of_its_bounds_is_refused(write: Write) -> None:
    third, fourth = (
        PTABLE[2].replace("0.36648551,-1", "0.36648541,-1"),
        PTABLE[3].replace("1,1,0.3664855", "1,1,0.3664856"),
    )
    content = "\n".join([*PTABLE[:2], third, fourth, *PTABLE[4:]])
    refused(write(content), 3, "p is 0.36648541, but the bounds give 0.36648551")


def test_a_reversed_sign_of_v_is_named(write: Write) -> None:
    lines = []
    for line in PTABLE[1:]:
        fields = line.split(",")
        fields[3] = str(-int(fields[3]))
        lines.append(",".join(fields))
    refused(write("\n".join([PTABLE[0], *lines])), 3, "reversed")


def test_a_bound_of_zero_is_refused_for_ssb_only(write: Write) -> None:
    content = "i,j,p,v,p_int_lb,p_int_ub,type\n0,0,1,0,0,1,all\n1,0,0,-1,0,0,all\n1,1,1,0,0,1,all\n"
    assert formats.read(write(content)).pmf(1)[1].tolist() == [0, 1]
    refused(write(content), 3, "p_int_ub is 0", "ssb")


@pytest.mark.parametrize(
    ("content", "line", "named"),
    [
        (b"", 1, "empty"),
        (b"\n \n\n", 1, "empty"),
        (b'""\n,,\n', 1, "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "not text"),
        (b"pcv,ckey,pvalue\n1,2,\xff\n", 2, "not text"),
        (b"pcv,ckey,pvalue\n1,2,\x00\n", 2, "not text"),
        (b"a,b,c\n1,2,3\n", 1, "a, b, c"),
        (b"\n\npcv;key\n1;2\n", 3, "pcv, key"),
        (b'pcv,ckey,pvalue\n1,"2,3\n', 2, "2 fields"),
        (b'pcv,ckey,pvalue\n1,2,"3' + b"4" * 200_000, 2, "quotes"),
        (b"1;0;0.5;-1;0.5\n", 1, "1, 0, 0.5, -1, 0.5"),
    ],
)  # fmt: skip
def test_files_that_are_not_tables_are_refused(write: Write, content: bytes, line: int, named: str) -> None:
    refused(write(content), line, named)


def test_a_huge_file_is_not_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("\n".join(ONS))
    monkeypatch.setattr(_text_file, "MOST_BYTES", path.stat().st_size - 1)
    refused(path, None, str(path.stat().st_size - 1))
    monkeypatch.setattr(_text_file, "MOST_BYTES", path.stat().st_size)
    assert formats.read(path).design["keys"] == 256


def test_many_repeated_ranges_are_refused_before_they_fill_memory(write: Write) -> None:
    lines = ["cell_value,cell_key,perturbation", *["1,0-255,0"] * 100_000]
    refused(write("\n".join(lines)), 3, "key 0 of count 1 has an entry already, on line 2")


@pytest.mark.parametrize("path", ["none.csv", ".", "x" * 300, "a\0b"])
def test_a_path_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(FormatError, match=re.escape(path[:200])):
        formats.read(path)


def test_an_unknown_kind_is_refused(write: Write) -> None:
    with pytest.raises(FormatError, match="'sas'"):
        formats.read(write("x"), "sas")


@pytest.mark.parametrize(
    ("content", "line", "named"),
    [
        ("i;j;p;v\n0;0;1;0\n", 1, "4 columns"),
        ("0;0;1;0;1\n1;1;1;0;1\n", 1, "numbers"),
        ("i;j;p;v;ub\n0;0;1;0;1\n1;1;1;0;0.5\n", 3, "p is 1, but the bounds give 0.5"),
        ("i;j;p;v;ub\n0;0;1;0;1\n1;0;0,5;-1;0,5\n1;2;0,5;2;1\n", 4, "v is 2"),
    ],
)
def test_wrong_tables_of_argus_are_refused(write: Write, content: str, line: int, named: str) -> None:
    refused(write(content), line, named, "argus")


@pytest.mark.parametrize(
    ("content", "line", "named"),
    [
        ("variable,code,key\nsex,1,3\n", 1, "variable, code, key"),
        ("variable name,category code,category key\nsex,1,256\n", 2, "'256'"),
        ("variable name,category code,category key\nsex,1,6e-05\n", 2, "'6e-05'"),
        ("variable name,category code,category key\nsex,1,3\nsex,1,4\n", 3, "'1' of 'sex'"),
    ],
)
def test_wrong_category_keys_are_refused(write: Write, content: str, line: int, named: str) -> None:
    with pytest.raises(FormatError, match=re.escape(named)) as error:
        cantabular.category_keys(write(content))
    assert f"line {line}:" in str(error.value)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_spoiled_file_is_read_or_refused_and_nothing_else(write: Write, data: st.DataObject) -> None:
    lines = list(PTABLE)
    for _ in range(data.draw(st.integers(1, 3))):
        line = data.draw(st.integers(0, len(lines) - 1))
        fields = lines[line].split(",")
        field = data.draw(st.integers(0, len(fields) - 1))
        fields[field] = data.draw(st.sampled_from(WRONG_FIELDS) | st.text(max_size=6))
        lines[line] = data.draw(st.sampled_from([",", ";"])).join(fields)
    kind = data.draw(st.sampled_from([None, "ptable", "ssb", "argus", "ons", "cantabular"]))
    path = write("\n".join(lines).encode("utf-8", "replace"))
    with contextlib.suppress(FormatError):
        assert formats.table_privacy(formats.read(path, kind)).floor <= 1


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60),
    head=st.sampled_from([b"", b"pcv,ckey,pvalue\n", b"i;j;p;v;u\n", b"\xff\xfe", b"\xef\xbb\xbf"]),
)
def test_any_bytes_are_refused(write: Write, content: bytes, head: bytes) -> None:
    if (head + content).lstrip()[:1] != b"{":
        with pytest.raises(FormatError, match=r"table\.csv"):
            formats.read(write(head + content))
