"""Claims about Sadeghi 2023: printed values are those of its text, and claims hold or fail as known."""

import re

import pytest

from discreet.papers.claim import Claim
from discreet.papers.register import Tally, tally
from discreet.papers.sadeghi2023.claim_values import decimals
from discreet.papers.sadeghi2023.lookup_tables import EPSILONS, design, experiment
from tests.papers.test_register import computed


def claims_of(item: str, begins: str = "") -> list[Claim]:
    """Return the claims about an item whose text begins so."""
    return [claim for claim in computed("sadeghi2023")[1] if claim.item == item and claim.what.startswith(begins)]


def printed(item: str, begins: str = "") -> list[object]:
    return [claim.paper for claim in claims_of(item, begins)]


def ours(item: str, begins: str = "") -> list[object]:
    return [claim.ours for claim in claims_of(item, begins)]


# Values as the paper's text has them, with the place


def test_example_1_has_the_printed_values() -> None:
    """Section 2.4: D* = 25, delta 9.91e-5, V 49.00, and (2.30), where the value of z = 12 is p(11)."""
    assert printed("Example 1")[:3] == ["25", "9.91e-5", "49.00"]
    assert printed("Equation (2.30)") == [
        *("0.056895481243871", "0.056320120792644", "0.054628714970934"),
        *("0.016632589297126", "0.000163117271714", "0.000099129808160"),
    ]
    assert [claim.agrees for claim in claims_of("Equation (2.30)")] == [True, True, True, False, True, True]
    assert ours("Equation (2.30)", "p(12)") == ["0.013165377565781"]
    assert "p(11) = 0.016632589297126" in claims_of("Equation (2.30)", "p(12)")[0].note


def test_example_2_has_the_printed_values() -> None:
    """Section 4.1, (4.4)."""
    assert printed("Example 2")[:-1] == [
        *("0", "0.000099129808160", "425760", "0.0002622470798742925", "1126343"),
        *("0.0005252540370388639", "2255949", "4294967296", "51", "-25", "-23", "1 1 1"),
    ]
    assert all(claim.agrees for claim in claims_of("Example 2"))


def test_example_3_has_the_printed_values() -> None:
    """Section 4.2, (4.12) and the text after it."""
    values = [
        *("0.000099129974842", "0.000163117190823", "0.0002630068920552731", "4294541537"),
        *("0.00009912974201142788", "-5.820766091346741e-9", "49.002167175291106", "0.498039387067656"),
        "9.9129974842e-5",
    ]
    claims = claims_of("Example 3")
    assert [claim.paper for claim in claims if claim.paper != "stated"] == values
    assert all(claim.agrees for claim in claims if claim.paper != "stated")
    assert [claim.agrees for claim in claims if claim.kind == "stated"] == [True, True, True, False, True]


def test_section_4_3_has_the_printed_values() -> None:
    for bits, bias, error, last in (
        (8, "-0.04", "0.007", "0.6"),
        (16, "-1.5e-4", "order 1e-4", "1.7"),
        (32, "-2.3e-9", "order 1e-9", "2.5"),
    ):
        found = [claim for claim in claims_of("Section 4.3") if claim.kind != "ours" and f"2^{bits}" in claim.what]
        assert [claim.paper for claim in found] == [bias, error, last]
        assert all(claim.agrees for claim in found)


def test_figure_1_has_the_printed_gammas() -> None:
    """Captions of Figure 1, and the text: 0.125 and 0.0498 for V = 4 and 10, for D = 11 and 15."""
    assert printed("Figure 1(a)", "gamma") == printed("Figure 1(b)", "gamma") == ["0.125", "0.0498"]
    assert ours("Figure 1(b)", "gamma") == ["0.125", "0.0500"]


# The register


def numbered(text: str) -> set[str]:
    """Return the numbers of equations that a text names: "(2.3)" and all of "(2.9)-(2.11)"."""
    found = set()
    for chapter, first, last in re.findall(r"\(([\dABC])\.(\d+)\)(?:-\([\dABC]\.(\d+)\))?", text):
        found |= {f"({chapter}.{number})" for number in range(int(first), int(last or first) + 1)}
    return found


def test_every_numbered_item_of_the_paper_is_in_the_register() -> None:
    items = computed("sadeghi2023")[0].items
    sizes = {"1": 3, "2": 30, "3": 2, "4": 12, "A": 3, "B": 2, "C": 4}
    equations = {f"({chapter}.{number})" for chapter, size in sizes.items() for number in range(1, size + 1)}
    assert equations - numbered(" ".join(f"{item.name} {item.says}" for item in items)) == set()
    names = {item.name for item in items}
    counts = {"Definition": 1, "Proposition": 3, "Remark": 1, "Example": 3, "Footnote": 4}
    assert {f"{kind} {n}" for kind, count in counts.items() for n in range(1, count + 1)} - names == set()


# Which claims hold


FAILS = {
    "Line before (2.6)": 1,  # a factor 2
    "Equation (2.18)": 1,  # at a tie
    "Figure 1(b)": 1,  # gamma of D = 11 printed for D = 15
    "Line before (2.20)": 1,  # D for -D
    "Figure 2(a)": 1,  # gaps of up to a half are not small
    "Remark 1": 2,  # the right end of the interval is allowed, and the best of it
    "Section 2.4": 1,  # delta = 0 is never reached
    "Equation (2.30)": 1,  # p(11) printed for p(12)
    "Footnote 3": 2,  # 257 and 65537 are the nearest primes
    "Equation (3.2)": 1,  # four parts of 32 bits make 8 bits
    "Example 3": 1,  # why epsilon^Q is below epsilon
    "Figure 4": 1,  # epsilon^Q at 2^16: above epsilon in 9 of 17
    "Figure 5": 1,  # delta^Q at 2^16
    "Appendix B": 1,  # the sign of q(x')
    "Footnote 4": 1,  # integers
}


def test_claims_fail_where_known_and_nowhere_else() -> None:
    failed: dict[str, int] = {}
    for claim in computed("sadeghi2023")[1]:
        if not claim.agrees:
            failed[claim.item] = failed.get(claim.item, 0) + 1
    assert failed == FAILS


def test_every_printed_value_is_counted() -> None:
    """Of 42 values, gamma of Figure 1(b) and p(12) of (2.30) do not reproduce. Statements and formulas count apart."""
    claims = computed("sadeghi2023")[1]
    assert tally(claims, "quoted") == Tally(40, 42)
    assert {claim.item for claim in claims if claim.kind == "quoted" and not claim.agrees} == {
        "Figure 1(b)",
        "Equation (2.30)",
    }
    assert tally(claims, "stated") == Tally(49, 59)
    formulas = {claim.item for claim in claims if claim.kind == "formula" and not claim.agrees}
    assert formulas == {"Line before (2.6)", "Equation (2.18)", "Line before (2.20)", "Appendix B", "Footnote 4"}
    assert tally(claims, "ours").agree == tally(claims, "ours").total


def test_a_larger_key_brings_every_measure_closer() -> None:
    """Section 4.2: bias, variance, epsilon^Q and delta^Q, from 2^8 to 2^16 and to 2^32, for all 25 designs."""
    assert ours("Equations (4.6)-(4.7)") == ["50 of 50", "50 of 50"]
    assert ours("Section 4.2", "a larger KEYSIZE") == ["42 of 42", "50 of 50"]
    found = {
        (epsilon, bits): abs(float(experiment(epsilon, bits).variance) / design(epsilon).variance(0) - 1)
        for epsilon in EPSILONS
        for bits in (8, 16, 32)
    }
    assert all(found[epsilon, 8] > found[epsilon, 16] > found[epsilon, 32] for epsilon in EPSILONS)


def test_what_concerns_privacy_says_so() -> None:
    for item, count in (("Section 3", 2), ("Footnote 1", 1), ("Future work", 1)):
        assert sum(claim.note.startswith("PRIVACY") for claim in claims_of(item)) == count


def test_almost_identical_at_16_bits_is_a_factor_of_28_percent() -> None:
    (claim,) = claims_of("Figure 5", "delta^Q is almost identical to delta, KEYSIZE 2^16")
    assert claim.ours == "1.2827 with full support, 34.24 over all epsilons"
    (claim,) = claims_of("Figure 5", "delta^Q is almost identical to delta, KEYSIZE 2^32")
    assert claim.agrees


def test_known_values_of_our_comparisons() -> None:
    assert ours("Example 1", "the best knot") == ["D 24, V 38.95, delta 7.7e-05"]
    assert ours("Example 1", "truncated geometric") == ["D 16, V 7.75, delta 8.22e-05"]
    assert ours("Footnote 1") == pytest.approx([0.37515496050416397, 0.2941789130538358, 0.26553045891648736], abs=1e-9)
    assert ours("Ongoing challenges") == ["0.0009909; 1.501", "0.009864; 4.88", "0.09438; 19.7"]
    assert ours("Future work")[0] == "infinite"


def test_decimals_agree_as_printed_or_to_the_digits_of_a_float() -> None:
    assert decimals("x", "y", "0.333", 1 / 3).agrees
    assert not decimals("x", "y", "0.334", 1 / 3).agrees
    assert decimals("x", "y", "0.3333333333333333148", 1 / 3).agrees
    near = decimals("x", "y", "0.33333333333333355", 1 / 3)
    assert near.agrees
    assert "floats" in near.note
    assert not decimals("x", "y", "0.33333333333333455", 1 / 3).agrees
