"""Tables that other tools publish are read exactly, and their privacy equals the definition."""

import csv
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet import formats
from discreet.certify.rounding import GUARD, largest_remainders
from discreet.formats._bound_table import BoundTable
from discreet.mechanism import Mechanism
from discreet.testing import check_mechanism
from tests.formats.conftest import DATA

# delta of one count at epsilon = 1 and the pair that has it; `by_hand` below recomputes each from the column p
PUBLISHED = {
    "ptable_D2_V1.csv": (0.6335, "counts 0 and 1"),
    "ptable_D3_V1.csv": (0.6301, "counts 0 and 1"),
    "ptable_D4_V1_pstay.csv": (0.6851, "counts 0 and 1"),
    "ptable_D5_V3_js2.csv": (0.2655, "counts 0 and 1"),
    "ptable_D2_V1.08_js1.csv": (0.4867, "counts 0 and 1"),
    "ptable_D3_V1.08_js1.csv": (0.4867, "counts 0 and 1"),
    "ptable_D4_V1.225_pstay.csv": (0.7279, "counts 4 and 5"),
    "ptable_modified.csv": (0.6375, "counts 0 and 1"),
    "argus_szenario_5a.txt": (0.3406, "counts 2 and 3"),
    "argus_testW.txt": (0.2249, "counts 0 and 1"),
}


def by_hand(path: Path, epsilon: float) -> float:
    """Return the hockey-stick sum over neighbouring counts in floats, from the column p alone."""
    with path.open() as file:
        records = list(csv.reader(file, delimiter=";" if path.suffix == ".txt" else ","))[1:]
    rows: dict[int, dict[int, float]] = {}
    for i, j, p in ((int(fields[0]), int(fields[1]), float(fields[2])) for fields in records):
        rows.setdefault(i, {}).setdefault(j, 0.0)
        rows[i][j] += p
    last = max(rows)
    rows[last + 1] = {output + 1: p for output, p in rows[last].items()}
    e = math.exp(epsilon)
    return max(
        math.fsum(max(0.0, p - e * rows[b].get(y, 0.0)) for y, p in rows[a].items())
        for count in range(last + 1)
        for a, b in ((count, count + 1), (count + 1, count))
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_table_has_the_delta_of_its_own_numbers(name: str) -> None:
    mechanism = formats.read(DATA / name)
    deltas = formats.table_privacy(mechanism, ["0.2", "1", "3"]).deltas
    for row in deltas:
        assert float(row.delta) == pytest.approx(by_hand(DATA / name, float(row.epsilon)), abs=2e-6)
        assert mechanism.delta(row.epsilon) == pytest.approx(float(row.delta), abs=1e-12)
    assert (round(float(deltas[1].delta), 4), deltas[1].pair) == PUBLISHED[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_empty_cells_left_alone_cost_one_minus_the_chance_of_zero_at_one(name: str) -> None:
    mechanism = formats.read(DATA / name)
    assert mechanism.row(0).outputs.tolist() == [0]
    row = mechanism.row(1)
    assert formats.table_privacy(mechanism).floor >= 1 - Fraction(row.numerators[0], row.denominator)  # type: ignore[index]


@pytest.mark.parametrize("name", PUBLISHED)
def test_weights_are_the_differences_of_the_bounds_and_not_p(name: str) -> None:
    mechanism = formats.read(DATA / name)
    with (DATA / name).open() as file:
        records = list(csv.reader(file, delimiter=";" if name.endswith(".txt") else ","))
    bound = records[0].index("p_int_ub") if "p_int_ub" in records[0] else 4
    weights: dict[tuple[int, int], Fraction] = {}
    below, previous = Fraction(0), -1
    for fields in records[1:]:
        count, output, above = int(fields[0]), int(fields[1]), Fraction(fields[bound])
        below = below if count == previous else Fraction(0)
        weights[count, output] = weights.get((count, output), Fraction(0)) + above - below
        below, previous = above, count
    for (count, output), weight in weights.items():
        row = mechanism.row(count)
        assert Fraction(row.numerators[output - row.first], row.denominator) == weight  # type: ignore[index]


def test_the_last_count_serves_all_larger_ones() -> None:
    mechanism = formats.read(DATA / "ptable_D5_V3_js2.csv")
    outputs, probabilities = mechanism.pmf(8)
    for count in (9, 100, 10**6):
        assert mechanism.pmf(count)[0].tolist() == (outputs + count - 8).tolist()
        assert np.array_equal(mechanism.pmf(count)[1], probabilities)


def test_a_published_table_passes_the_common_suite() -> None:
    check_mechanism(formats.read(DATA / "argus_szenario_5a.txt"), epsilon=1, draws=20_000)


# golden `peer_ptables.ssb_cellkey`: a run of SSBcellKey 0.0.2 with the table D=5, V=3, js=2
SSB = [
    (24, 0.89674615152, 26), (21, 0.81207766202, 23), (3, 0.0846684895, 0), (12, 0.89188841969, 14),
    (12, 0.00485773183, 8), (8, 0.95037315216, 11), (13, 0.86170450986, 15), (10, 0.050417434886, 7),
    (11, 0.76166022714, 12), (2, 0.84147098481, 4), (1, 0.24319750469, 0),
]  # fmt: skip


def bounds(path: Path, kind: str | None = None) -> BoundTable:
    """Return a table whose keys lie between 0 and 1."""
    table = formats.table(path, kind)
    assert isinstance(table, BoundTable)
    return table


@pytest.mark.parametrize(("count", "key", "perturbed"), SSB)
def test_lookup_is_that_of_ssbcellkey(count: int, key: float, perturbed: int) -> None:
    assert bounds(DATA / "ptable_D5_V3_js2.csv", "ssb").value(count, key) == perturbed
    assert bounds(DATA / "ptable_D5_V3_js2.csv").value(count, key) == perturbed  # no key is a bound


def test_a_key_that_is_a_bound_tells_cellkey_from_ssbcellkey() -> None:
    path = DATA / "ptable_D5_V3_js2.csv"
    assert bounds(path, "ptable").value(1, "0.73446954") == 3
    assert bounds(path, "ssb").value(1, "0.73446954") == 0
    assert formats.read(path, "ptable").rows == formats.read(path, "ssb").rows
    assert "<=" in formats.read(path, "ssb").design["lookup"]
    assert "<=" not in formats.read(path, "ptable").design["lookup"]


# golden `peer_ptables.ons_end_to_end`: pre_sdc_count, ckey, pcv, pvalue of the ONS packages with their 10-5 rule
ONS = [
    (0, 0, 0, 0), (1, 51, 1, -1), (1, 198, 1, -1), (2, 113, 2, -2), (3, 235, 3, -3), (4, 0, 4, -4), (5, 211, 5, -5),
    (6, 203, 6, -6), (7, 209, 7, -7), (8, 37, 8, -8), (9, 11, 9, -9), (10, 173, 10, 0), (11, 42, 11, -1),
    (12, 253, 12, -2), (13, 237, 13, 2), (14, 22, 14, 1), (15, 131, 15, 0), (17, 139, 17, -2), (18, 39, 18, 2),
    (21, 144, 21, -1), (23, 16, 23, 2), (24, 20, 24, 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def ten_five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 10-5 rule of the ONS packages: counts below 10 become 0, others the nearest multiple of 5."""
    path = tmp_path_factory.mktemp("ons") / "ptable_10_5_rule.csv"
    pairs = ((n, key, -n if n < 10 else 5 * round(n / 5) - n) for n in range(1, 751) for key in range(256))
    path.write_text('"pcv","ckey","pvalue"\n' + "".join(f"{n},{key},{v}\n" for n, key, v in pairs))
    return path


def test_lookup_is_that_of_ons(ten_five: Path) -> None:
    table = formats.table(ten_five)
    for count, key, pcv, pvalue in ONS:
        assert table.value(count, key) == count + pvalue
        assert count == pcv
    for count, pcv in ((750, 750), (751, 501), (1000, 750), (1001, 501), (123_456, 706)):
        assert (count - 1) % 250 + 501 == pcv or count == pcv
        assert table.value(count, 7) - count == table.value(pcv, 7) - pcv


def test_the_ten_five_rule_promises_nothing(ten_five: Path) -> None:
    mechanism = formats.read(ten_five)
    privacy = formats.table_privacy(mechanism, [1])
    assert privacy.floor == privacy.deltas[0].delta == 1
    assert privacy.deltas[0].pair == "counts 9 and 10"
    assert privacy.bias == (Fraction(-9), Fraction(2))
    assert privacy.variance == (Fraction(0), Fraction(0))
    assert privacy.largest_change == 9
    assert mechanism.pmf(751)[0].tolist() == [750]


def test_ptable_rounds_within_the_digits_it_prints() -> None:
    """Rounding a row to 10**8 by largest remainder moves no weight by more than one unit."""
    mechanism = formats.read(DATA / "argus_testW.txt")
    row = mechanism.row(5)
    scaled = [(weight * 10**8 << GUARD) // row.denominator for weight in row.numerators]  # type: ignore[union-attr]
    weights = largest_remainders(scaled, 10**8, 5)
    assert max(abs(w - 1e8 * p) for w, p in zip(weights, row.values, strict=True)) <= 1
    assert isinstance(mechanism, Mechanism)
