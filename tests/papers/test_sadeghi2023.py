"""Sadeghi 2023 beside what we compute: which claims hold, and what is true where they do not.

Values were found once by other means (ids 003.* of the golden values), and are copied here as facts.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from discreet.papers import sadeghi2023
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023 import sampled, section_4_3
from tests.papers.claims import agreement, our_values

AGREES = {
    "Figure 1": [True, True, True, False],  # gamma of D 11 printed for D 15
    "Proposition 2": [True] * 12,
    "Remark 1": [False],
    "Example 1": [True] * 6 + [False] + [True] * 3,  # p(11) printed for p(12)
    "Figure 2": [True] * 6,
    "Example 2": [True] * 5,
    "Example 3": [True] * 4,
    "Section 4.3": [True] * 5 + [True] * 3 + [False, True] + [True] * 4,  # epsilon^Q at 2^16: 9 of 17, not all
    "Section 3": [False, True, True, True],  # empty cells
    "Footnote 1": [True] * 3,
}


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    return sadeghi2023.claims()


def test_claims_hold_or_fail_as_known(claims: list[Claim]) -> None:
    assert agreement(claims) == AGREES


def test_what_fails_is_explained_beside_it(claims: list[Claim]) -> None:
    assert all(claim.note for claim in claims if not claim.agrees)


def test_figure_1(claims: list[Claim]) -> None:
    expected = [0.12499997198488771, 0.0498087160843652, 0.12499999999995948, 0.04999891221681844]
    assert our_values(claims, "Figure 1") == pytest.approx(expected, rel=1e-12)


def test_example_1(claims: list[Claim]) -> None:
    printed = [claim.paper for claim in claims if claim.item == "Example 1"]
    assert printed[3:9] == [
        *(0.056895481243871, 0.056320120792644, 0.054628714970934),
        *(0.016632589297126, 0.000163117271714, 9.912980816e-05),
    ]
    ours = our_values(claims, "Example 1")
    assert ours[:3] == pytest.approx([25, 9.912980815987048e-05, 49.00216714896012], rel=1e-12)
    expected = [0.05689548124387091, 0.056320120792644236, 0.05462871497093413, 0.013165377565780734]
    assert ours[3:9] == pytest.approx([*expected, 0.00016311727171442185, 9.912980815987048e-05], rel=1e-12)
    assert ours[9] == "D 16, V 7.75"
    notes = [claim.note for claim in claims if claim.item == "Example 1"]
    assert notes[0] == "the best knot has D = 24, V = 38.9, delta = 7.7e-05"


def test_examples_2_and_3(claims: list[Claim]) -> None:
    assert our_values(claims, "Example 2") == [425760, 1126343, 2255949, -25, -23]
    expected = [-5.820766091346741e-09, 49.002167175291106, 0.49803938706765616, 9.912997484207153e-05]
    assert our_values(claims, "Example 3") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("bits", "epsilon", "figures"),
    [
        (8, "0.2", (-0.0390625, -0.0027788204518567456, 0.4700036292457356, 0.0234375, 0.031725641187178875)),
        (8, "0.6", (-0.0390625, 0.00666887303229593, 0.6931471805599453, 0.0078125, 0.009897045307923723)),
        (8, "0.8", (-0.0390625, -0.002086689679210215, math.inf, 0.00390625, 0.00390625)),
        (16, "0.4", (-10 / 65536, 7.221163098475044e-06, 0.39617635884824276, 0.010467529296875, 0.010467529296875)),
        (16, "0.8", (-10 / 65536, -1.091098302835248e-05, 0.8032378705931731, 0.0017852783203125, 0.0017852783203125)),
        (32, "0.2", (-10 / 2**32, -3.551618778569514e-10, 0.19809524487209604, None, None)),
        (32, "0.6", (-10 / 2**32, 8.981539646626132e-10, 0.594285745550008, 0.004409018903970718, None)),
    ],
)
def test_tables_of_section_4_3(bits: int, epsilon: str, figures: tuple[float | None, ...]) -> None:
    at = Fraction(epsilon)
    found = sampled(section_4_3(at), at, bits)
    assert found.bias == Fraction(-10, 2**bits)
    ours: tuple[Any, ...] = found
    for number, known in zip(ours, figures, strict=True):
        assert known is None or float(number) == pytest.approx(known, rel=1e-6)


def test_what_a_key_from_contributors_gives_away(claims: list[Claim]) -> None:
    """An empty cell is always published as -D; and one person more in a cell is seen with chance .96."""
    ours = our_values(claims, "Section 3")
    assert ours[0] == 1
    noise = sadeghi2023.example_1()
    assert all(sadeghi2023.empty_cells(noise).delta(epsilon) == 1 for epsilon in (0.1, 1, 10))
    assert ours[1] == pytest.approx(0.96, abs=5e-3)
    law = dict(zip(*(part.tolist() for part in noise.pmf(0)), strict=True))
    same = sum(p * q for (a, p), (b, q) in product(law.items(), repeat=2) if a == b + 1)
    assert ours[1] == pytest.approx(1 - same, rel=1e-12)
    privacy = [claim for claim in claims if claim.item == "Section 3"][:2]
    assert all(claim.note.startswith("PRIVACY") for claim in privacy)


def test_the_distance_of_the_cell_key_from_uniform() -> None:
    assert float(sadeghi2023.xor_distance(8)) == pytest.approx(1.5254460297996472e-07, rel=1e-12)
    assert float(sadeghi2023.xor_distance(32)) == pytest.approx(1.8367099282915325e-36, rel=1e-12)


def test_the_distance_by_counting_all_pairs() -> None:
    """At 8 bits: the law of the XOR of two, squared by XOR, without the formula."""
    two = Counter(a ^ b for a, b in product(range(251), repeat=2))
    four: Counter[int] = Counter()
    for (a, m), (b, n) in product(two.items(), repeat=2):
        four[a ^ b] += m * n
    distance = sum(abs(Fraction(four[x], 251**4) - Fraction(1, 256)) for x in range(256)) / 2
    assert distance == sadeghi2023.xor_distance(8)


def test_zeros_left_alone(claims: list[Claim]) -> None:
    expected = [0.37515496050416397, 0.2941789130538358, 0.26553045891648736]
    assert our_values(claims, "Footnote 1") == pytest.approx(expected, abs=1e-10)
