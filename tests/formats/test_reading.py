"""A table is the same however it is spelled: marks, line ends, quotes, padding, commas, ranges, row names."""

from fractions import Fraction
from pathlib import Path

import pytest

from discreet import formats
from discreet.errors import FormatError, InputError
from discreet.formats import cantabular
from discreet.formats._bound_table import BoundTable
from discreet.formats._key_table import KeyTable
from tests.formats.conftest import DATA, Write, change, ons_lines, ptable_lines

ONS = ons_lines()
PTABLE = ptable_lines()


def argus(line: str) -> str:
    """Return a line of R ptable as a line of tau-Argus."""
    i, j, p, v, _, upper, _ = line.split(",")
    return ";".join((i, j, p, v, upper))


SPELLINGS = {
    "byte order mark": "\ufeff" + "\n".join(PTABLE),
    "line ends of Windows": "\r\n".join(PTABLE) + "\r\n",
    "line ends of old Macs": "\r".join(PTABLE),
    "no quotes": "\n".join(PTABLE).replace('"', ""),
    "quotes everywhere": "\n".join('"' + line.replace('"', "").replace(",", '","') + '"' for line in PTABLE),
    "padding": "\n".join(line.replace(",", " , ") for line in PTABLE),
    "empty lines": "\n\n".join(PTABLE) + "\n\n\n",
    "tabs": "\n".join(PTABLE).replace(",", "\t"),
    "semicolons and commas of R": "\n".join(PTABLE).replace(",", ";").replace(".", ","),
    "row names of R": "\n".join([f'"",{PTABLE[0]}', *(f'"{n}",{line}' for n, line in enumerate(PTABLE[1:], 1))]),
    "columns in another order": "\n".join(",".join(line.split(",")[::-1]) for line in PTABLE),
    "without lower bounds": "\n".join(",".join(line.split(",")[:4] + line.split(",")[5:]) for line in PTABLE),
    "capital letters": "\n".join([PTABLE[0].upper(), *PTABLE[1:]]),
    "exponents": "\n".join(PTABLE).replace("0.06382714", "6.382714e-02"),
    "integers as floats": "\n".join(PTABLE).replace("\n2,0,", "\n2.0,0.0,"),
    "tau-Argus": "\n".join(["i;j;p;v;p_ij_ub", *map(argus, PTABLE[1:])]),
    "tau-Argus, quoted header": "\n".join(['"i";"j";"p_ij";"v";"p_ij_ub"', *map(argus, PTABLE[1:])]),
    "tau-Argus, padded": "\n".join(["i ; j ;p;v;p_int_ub", *(argus(line).replace(";", " ;  ") for line in PTABLE[1:])]),
    "tau-Argus, decimal commas": "\n".join(["i;j;p;v;ub", *(argus(line).replace(".", ",") for line in PTABLE[1:])]),
    "tau-Argus, type": "\n".join(["i;j;p;v;p_int_ub;type", *(argus(line) + ";all" for line in PTABLE[1:])]),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelling_does_not_matter(write: Write, spelling: str) -> None:
    expected = formats.read(DATA / "ptable_D2_V1.csv")
    assert formats.same(formats.read(write(SPELLINGS[spelling])), expected)


def test_a_file_may_be_in_utf_16(write: Write) -> None:
    assert formats.same(
        formats.read(write("\n".join(PTABLE).encode("utf-16"))), formats.read(DATA / "ptable_D2_V1.csv")
    )


def test_weights_are_numbers_of_keys(write: Write) -> None:
    mechanism = formats.read(write("\n".join(ONS)))
    assert (len(mechanism.rows), len(mechanism.interior)) == (501, 250)
    for count in (1, 8, 499, 500, 501, 749, 750, 751, 1000, 123_456):
        pcv = count if count <= 750 else (count - 1) % 250 + 501
        row = mechanism.row(count)
        for noise in (-1, 0, 1):
            keys = sum(change(pcv, key) == noise for key in range(256))
            assert Fraction(row.numerators[count + noise - row.first], row.denominator) == Fraction(keys, 256)  # type: ignore[index]
    assert mechanism.row(0).outputs.tolist() == [0]
    assert mechanism.design["zeros"] == "left alone"
    assert formats.table_privacy(mechanism).deltas[0].pair == "counts 0 and 1"


def cantabular_lines(zeros: bool) -> list[str]:
    """Return the table of `ons_lines` with ranges of keys, and with a perturbed count 0 if `zeros`."""
    lines = ["cell_value,cell_key,perturbation", *(["0,0-254,0", "0,255,1"] if zeros else [])]
    for count in range(1, 751):
        changes = [change(count, key) for key in range(256)]
        down, up = changes.index(0), 256 - changes[::-1].index(0)
        lines += [f"{count},0-{down - 1},-1", f"{count}, {down} - {up - 1} ,0", f"{count},{up}-255,1"]
    return lines


def test_ranges_of_keys_are_the_keys_in_them(write: Write) -> None:
    expected = formats.read(write("\n".join(ONS)))
    lines = cantabular_lines(zeros=False)
    assert formats.same(formats.read(write("\n".join(lines))), expected)
    legacy = "\n".join([ONS[0], *lines[1:]])
    assert formats.same(formats.read(write(legacy), "cantabular"), expected)
    assert formats.read(write(legacy), "cantabular").design["zeros"] == "left alone"


def test_zeros_are_perturbed_through_category_keys(write: Write) -> None:
    mechanism = formats.read(write("\n".join(cantabular_lines(zeros=True))))
    assert mechanism.row(0).numerators == (255, 1)
    assert "category keys" in mechanism.design["zeros"]
    assert formats.table_privacy(mechanism).floor < 1
    content = "variable name,category code,category key\nsex,1,250\nsex,2,3\nage,1,9\n"
    keys = cantabular.category_keys(write(content))
    assert keys == {("sex", "1"): 250, ("sex", "2"): 3, ("age", "1"): 9}
    table = formats.table(write("\n".join(cantabular_lines(zeros=True))))
    assert isinstance(table, KeyTable)
    assert [table.value(0, sum(keys_of_cell) % 256) for keys_of_cell in ((250, 9), (250, 5))] == [0, 1]


def test_parity_is_an_interior_of_period_two(write: Write) -> None:
    lines = ["i,j,p,v,p_int_lb,p_int_ub,type"]
    for type_, low in (("even", "0.25"), ("odd", "0.5")):
        high = str(1 - float(low))
        lines.append(f"0,0,1,0,0,1,{type_}")
        for i in (1, 2):
            lines += [f"{i},{i - 1},{low},-1,0,{low},{type_}", f"{i},{i},{high},0,{low},1,{type_}"]
    mechanism = formats.read(write("\n".join(lines)))
    assert len(mechanism.interior) == 2
    for count in (1, 2, 3, 4, 1001, 1002):
        assert mechanism.pmf(count)[1].tolist() == ([0.5, 0.5] if count % 2 else [0.25, 0.75])
    table = formats.table(write("\n".join(lines)))
    assert isinstance(table, BoundTable)
    assert [table.value(count, "0.3") for count in (1, 2, 7, 8)] == [0, 2, 6, 8]


def test_lines_of_one_count_may_be_anywhere_in_the_file(write: Write) -> None:
    lines = [PTABLE[0], *PTABLE[6:], *PTABLE[1:6]]
    assert formats.same(formats.read(write("\n".join(lines))), formats.read(DATA / "ptable_D2_V1.csv"))


def test_a_lookup_outside_the_table_is_refused(write: Write) -> None:
    bound_table, key_table = formats.table(DATA / "ptable_D2_V1.csv"), formats.table(write("\n".join(ONS)))
    for count, key in ((-1, "0.5"), (1, 1), (1, -1)):
        with pytest.raises(InputError, match=f"count {count}, key {key}"):
            bound_table.value(count, key)  # type: ignore[arg-type]
    for count, key in ((-1, 3), (1, 256), (1, -1)):
        with pytest.raises(InputError, match=f"count {count}, key {key}"):
            key_table.value(count, key)


def test_drawing_all_keys_gives_the_weights(write: Write) -> None:
    """The tool's own lookup and the mechanism have the same distribution."""
    path = write("\n".join(ONS))
    table, mechanism = formats.table(path), formats.read(path)
    for count in (1, 500, 777):
        outputs = [table.value(count, key) for key in range(256)]
        row = mechanism.row(count)
        assert [outputs.count(y) for y in row.outputs] == list(row.numerators or ())


def test_a_certificate_is_read_as_its_table(tmp_path: Path) -> None:
    mechanism = formats.read(DATA / "argus_testW.txt")
    ptable = mechanism.certify(1)
    ptable.save(tmp_path / "c.json")
    from_certificate = formats.read(tmp_path / "c.json")
    assert formats.same(from_certificate, ptable)
    assert not formats.same(from_certificate, mechanism)  # 10**10 is not a power of two
    assert from_certificate.design["tool"] == "tau-Argus"
    with pytest.raises(FormatError, match=r"c\.json"):
        formats.table(tmp_path / "c.json", "discreet")
