"""What Cormode 2019 prints, next to golden values: which claims reproduce, and which do not."""

from collections.abc import Sequence

import pytest

from discreet.papers.claim import Claim
from discreet.papers.register import Tally, tally
from tests.papers.test_register import computed

WRONG = {
    "Figure 1": 3,
    "Figure 2": 1,
    "L0,d": 1,
    "Definition 4": 2,
    "Figure 7": 2,
    "Theorem 2": 1,
    "Theorem 3": 1,
    "Proof of Theorem 3": 2,
    "Proof of Theorem 4": 1,
    "Proof of Lemma 4": 1,
    "Lemma 5": 3,
    "Equation (16)": 3,
    "Section 6.2, larger y": 1,
    "Proof of Theorem 6": 2,
    "Section 6.3, WM and GM": 2,
    "Figure 8(b)": 1,
    "Figure 9(c)": 1,
    "Section 7.2, UM": 1,
    "Figure 12": 6,
    "Figure 13": 1,
    "Figure 15": 1,
    "Figure 16": 2,
    "Figure 17": 1,
    "Figure 18": 1,
    "Section 8, composition": 1,
}
"""How many claims of an item do not reproduce."""


def claims() -> Sequence[Claim]:
    return computed("cormode2019")[1]


def test_exactly_the_known_claims_do_not_reproduce() -> None:
    found: dict[str, int] = {}
    for claim in claims():
        if not claim.agrees:
            found[claim.item] = found.get(claim.item, 0) + 1
    assert found == WRONG


def test_of_23_printed_values_the_two_of_figure_7_do_not_reproduce() -> None:
    assert tally(claims(), "quoted") == Tally(21, 23)
    assert [claim.item for claim in claims() if claim.kind == "quoted" and not claim.agrees] == ["Figure 7"] * 2


def test_no_claim_stands_twice() -> None:
    assert len({(claim.item, claim.what) for claim in claims()}) == len(claims())


def test_what_is_ours_has_no_printed_value_and_what_agrees_needs_no_note() -> None:
    assert all(claim.agrees for claim in claims() if claim.kind == "ours")
    assert all(claim.paper is not None for claim in claims() if claim.kind != "ours")
    assert all(bool(claim.note) != claim.agrees for claim in claims())


@pytest.mark.parametrize(
    ("item", "what", "paper"),
    [
        ("Section 1, second finding", "combinations", 128),
        ("Figure 1", "L1, n = 7", ">= 0.7"),
        ("Figure 1", "L0,1, n = 5", "> 0.9"),
        ("Figure 2", "L2, n = 4", ">= 2/3"),
        ("Figure 7", "EM, n = 4, alpha = .9", 0.224),
        ("Figure 7", "GM, n = 4, alpha = .9", 0.238),
        ("Example 1", "Pr[0 | 1]", 0.47),
        ("Example 1", "Pr[1 | 1]", 0.05),
        ("Example 1", "Pr[0 | 0]", 0.53),
        ("Example 1", "odds", 18),
        ("Section 7.1", "sets with WH", 9),
        ("Figure 8(a)", "2 alpha/(1-alpha)", 6.33),
        ("Figure 8(a)", "L0 of GM", 0.864),
        ("Figure 9(a)", "2 alpha/(1-alpha)", 4),
        ("Figure 9(b)", "2 alpha/(1-alpha)", 20),
        ("Figure 9(c)", "2 alpha/(1-alpha)", 198),
    ],
)
def test_values_are_copied_from_the_text(item: str, what: str, paper: str | float) -> None:
    """Sections 1, 2.2, 6.3 and 7.1."""
    (found,) = [claim for claim in claims() if claim.item == item and what in claim.what and claim.kind != "ours"]
    assert found.paper == paper


@pytest.mark.parametrize(
    ("item", "what", "value"),
    [
        ("Example 1", "odds against 1 at count 1", 18),
        ("Figure 1", "least chance of output 2 or 5", 0.11165743679999984),
        ("Figure 1", "L2, n = 4", 0.2915040987654321),
        ("Figure 1", "least chance of output 1 or 4", 0.62),
        ("Figure 2", "L2, n = 4, alpha = .62", 0.6647168306301515),
        ("Figure 2", "alpha = .618034", 2 / 3),
        ("Figure 7", "EM, n = 4, alpha = .9", 0.22624434389140272),
        ("Figure 7", "GM, n = 4, alpha = .9", 0.24210526315789474),
        ("Figure 7", "EM, n = 4, alpha = 10/11", 0.22365988909426987),
        ("Figure 7", "GM, n = 4, alpha = 10/11", 0.23809523809523808),
        ("Definition 4", "mass", 0.6432748538011697),
        ("Definition 4", "epsilon", 2.3025850929940455),
        ("Definition 3", "least largest error rate", 0.860921810241718),
        ("Equation (16)", "n = 3, alpha = 9/10", 0.9941259626020815),
        ("Equation (16)", "n = 5, alpha = 2/3", 0.991564767753),
        ("Lemma 5", "n = 5, alpha = 2/3", 27 / 95),
        ("Figure 8(a)", "2 alpha/(1-alpha)", 6.333333333333334),
        ("Figure 8(a)", "L0 of GM", 0.8636363636363636),
        ("Theorem 6", "n = 7, alpha = .91: L2 of EM* over", 8.537218942 / 8.523407958),
        ("Section 8, composition", "one table", 2),
    ],
)
def test_claims_have_the_golden_values(item: str, what: str, value: float) -> None:
    (found,) = [claim.ours for claim in claims() if claim.item == item and what in claim.what]
    assert found == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(
    ("item", "what", "text"),
    [
        ("Theorem 1", "weights .7 .1 .1 .1", "0.3000, 0.5411"),
        ("Theorem 6", "n = 12, alpha = .67: L2 of EM", "11.8462, 6.5742"),
        ("Theorem 6", "least and most L2", "4.7559, 7.5467"),
        ("Equations (4)-(7)", "least L1", "6.9461, 7.6247"),
        ("Equations (4)-(7)", "least L2", "86.6057, 112.4670"),
        ("Figure 8(b)", "n = 8, alpha = .99", "0.997137, 0.997166, 0.997188"),
        ("Figure 9(c)", "n = 10", "0.997170, 0.997208, 0.997234"),
        ("Section 7.4", "L1, n = 8, alpha = .67", "1.4985, 1.5219, 1.5594, 1.6082, 1.6082, 1.9843, 2.9630"),
        ("Figure 13", "RMSE of GM", "5.619, 5.289, 5.123, 5.654, 5.073, 6.174"),
    ],
)
def test_rows_of_numbers_have_the_golden_values(item: str, what: str, text: str) -> None:
    (found,) = [claim.ours for claim in claims() if claim.item == item and what in claim.what]
    assert found == text
