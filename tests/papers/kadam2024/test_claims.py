"""Claims about Kadam 2024: printed values are those of its text, and claims hold or fail as known."""

import pytest

from discreet.papers.claim import Claim
from tests.papers.test_register import computed


def claims_of(item: str, begins: str = "") -> list[Claim]:
    """Return the claims about an item whose text begins so."""
    return [claim for claim in computed("kadam2024")[1] if claim.item == item and claim.what.startswith(begins)]


def agreed(item: str, begins: str = "") -> list[bool]:
    return [claim.agrees for claim in claims_of(item, begins)]


# Values as the paper's text has them, with the place


TABLE_1 = [  # "Numerical results", Table 1, columns delta = 0, 0.1212, 0.1238, 0.1522
    "0.5432 0.1212 0.1212 0.1212 0.0270 0.0270 0.0270 0.0060 0.0060",
    "0.5432 0.1212 0.1212 0.1212 0.0270 0.0270 0.0270 0.0060 0.0060",
    "0.5548 0.1238 0.1238 0.1238 0.0276 0.0276 0.0062 0.0062 0.0062",
    "0.5575 0.1244 0.1244 0.1244 0.0278 0.0278 0.0062 0.0062 0.0014",
]


def test_table_1_reproduces_and_has_its_true_delta_beside_it() -> None:
    masses = claims_of("Table 1", "f(0..8)")
    assert [claim.paper for claim in masses] == TABLE_1
    assert all(claim.agrees for claim in masses)
    deltas = claims_of("Table 1", "its delta")
    assert [claim.paper for claim in deltas] == [0, 0.1212, 0.1238, 0.1522]
    expected = [0.6103066424492393, 0.6103066424492393, 0.7195833961070248, 0.7446094424481469]
    assert [claim.ours for claim in deltas] == pytest.approx(expected, abs=1e-8)
    assert all(claim.note.startswith("PRIVACY") and not claim.agrees for claim in deltas)


def test_the_caption_of_figure_10_reproduces() -> None:
    """Fig. 10: delta 0.1212, 0.1238, 0.1522, with steps (1,3,3,2), (1,3,2,3), (1,3,2,2,1)."""
    found = claims_of("Figure 10(b)")
    assert [claim.paper for claim in found] == [0.1212, "1 3 3 2", 0.1238, "1 3 2 3", 0.1522, "1 3 2 2 1"]
    assert all(claim.agrees for claim in found)


def test_the_numbers_of_the_vector_example_reproduce() -> None:
    """ "Numerical results", (57): f_1 with four masses, the last row, the margins."""
    claims = claims_of("Equation (57)")
    printed = [claim.paper for claim in claims if claim.kind == "quoted"]
    margins = "0.7681 0.1073 0.1073 0.0086 0.0086"
    assert printed == ["0.6469 0.1443 0.0322 0.0322", "0.0017 0.0017 0.0017 0.0017 0.0017", margins]
    assert [claim.agrees for claim in claims] == [False, True, True, True, True]


def test_the_orders_of_figures_1_and_9_reproduce() -> None:
    """Fig. 1: 0, 3, 6, 1, 4, 7, 2, 5 and 0, 2, 4, 6; the text on Fig. 9 has the same orders."""
    for item, order in (("Figure 1(a)", "0 3 6 1 4 7 2 5"), ("Figure 1(b)", "0 2 4 6")):
        assert claims_of(item, "order")[0].paper == order
        assert all(agreed(item))
        assert claims_of(item.replace("1", "9"), "f falls")[0].paper == order
    assert claims_of("Figure 9(b)", "f is 0 at")[0].paper == "1 3 5 7"
    for item in ("Figure 9(a)", "Figure 9(b)"):
        assert all(agreed(item, "f"))


def test_the_squared_errors_of_figures_6_to_8_are_those_of_cut_noise() -> None:
    found = [claims_of(item, "MSE of geometric noise")[0] for item in ("Figure 8", "Figure 7(a)")]
    assert [claim.paper for claim in found] == [3.38, 0.6101]
    assert all(claim.agrees for claim in found)
    assert agreed("Figure 6", "geometric and Gaussian") == [False]


# Which claims hold


def test_theorem_3_fails_where_known() -> None:
    sections = [(h, j) for b in (2, 3, 4, 4) for h in range(1, b) for j in range(1, h + 1)]
    assert agreed("Equations (34)-(36)") == [j < h for h, j in sections]
    assert agreed("Equations (37)", "delta of the flat") == [j >= h - 1 for h, j in sections]
    assert agreed("Equations (37)", "the flat") == [True, True, True, False]
    for item in ("Equation (38)", "Equation (39)"):
        assert agreed(item) == [j == h for h, j in sections[:10]]
    assert agreed("Theorem 3") == [False, True, True, False, False] + [True] * 5


def test_limits_fail_where_they_are_capped() -> None:
    assert agreed("Equations (44)-(45)") == [False, True, True]
    assert agreed("Equations (46)-(47)") == [True] * 3
    assert agreed("Equations (48)-(50)") == [False, False, True]
    assert agreed("Equations (52)-(53)") == [False] * 3 + [True]
    assert agreed("Limit of the last segment") == [False]


def test_corollaries_hold_where_known() -> None:
    assert agreed("Corollary 1") == [True] * 4
    assert agreed("Equation (43)") == [False, True, False, True, True, False]
    assert agreed("Corollary 2") == [True, True, False, True, True]


def test_comparisons_hold_where_known() -> None:
    """As the paper counts, and on equal terms."""
    for item, expected in (("5(a)", [1, 0]), ("5(b)", [1, 1]), ("7(a)", [1, 0]), ("7(b)", [0, 1])):
        assert agreed(f"Figure {item}", "o") == [bool(holds) for holds in expected]


def test_post_processing_and_clamping_hold_where_known() -> None:
    assert agreed("Section Post-processing") == [False]
    assert agreed("Proposition 1") == [True] * 3
    assert agreed("Equation (56)") == [False] * 3
    assert agreed("Figure 6", "clamping") == [False, True]  # geometric, Gaussian


def test_footnotes_hold_where_known() -> None:
    assert [agreed(f"Footnote {number}") for number in (1, 2, 3, 4, 6)] == [[True]] * 3 + [[True] * 3, [False]]


def test_every_one_sided_noise_has_its_two_sided_delta_in_the_same_item() -> None:
    """Whoever reads about noise that is one-sided finds in the same item what it is with symmetric neighbours."""
    claims = computed("kadam2024")[1]
    bare = {"Lemma 1", "Lemma 2", "Equation (13)", "Footnote 4", "Theorem 3", "Remark 4"}  # f(0) alone, or compared
    for item in {claim.item for claim in claims if "one-sided" in claim.what} - bare:
        beside = [claim for claim in claims if claim.item == item]
        assert any("two-sided" in claim.what + claim.note or "PRIVACY" in claim.note for claim in beside), item
