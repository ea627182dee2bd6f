"""Sadeghi 2020 beside what we compute: which claims hold, and what is true where they do not."""

import math

import pytest

from discreet.design import gaussian
from discreet.papers import sadeghi2020
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2020 import Setting
from tests.papers.claims import agreement, our_values

AGREES = {
    "Section III-B, Figure 1": [True] * 11 + [False, True, False],  # the ratio 282, one variance
    "Remark 2": [True] * 6,
    "Theorems 1-3": [True] * 9,
    "Theorem 3": [True] + [False] * 5,  # least per output is least in all at Figure 1's setting only
    "Figure 4": [False] * 3 + [True] * 6 + [False],
    "Proposition 4": [False] * 3,
    "n >= D": [False] * 2,
    "Proposition 2": [True] * 9,
}


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    return sadeghi2020.claims()


def test_claims_hold_or_fail_as_known(claims: list[Claim]) -> None:
    assert agreement(claims) == AGREES


def test_what_fails_is_explained_beside_it(claims: list[Claim]) -> None:
    """Figure 4's points share the note of its last line."""
    for claim in claims:
        if not claim.agrees and claim.paper != "less":
            assert claim.note


def test_figure_1_as_printed(claims: list[Claim]) -> None:
    printed = [claim.paper for claim in claims if claim.item == "Section III-B, Figure 1"]
    assert printed[:13] == [
        *(8.8463, 8, 8.1229, 7.8867, 3, 0.0049, 0.08987, 0.0096, 9.3617),
        *(0.11685, 0.000416, 282, 5.6),
    ]
    assert printed[13] == pytest.approx(0.26601560104912575, abs=1e-10)
    expected = [
        *(8.846306258720883, 8, 8.122898116671406, 7.886730818900953, 3, 0.00494782163812297),
        *(0.08987391518105052, 0.009600175605406554, 9.361694918417534),
        *(0.11685072691602334, 0.00041566744660572304, 281.1158965423166, 5.595501323758469, 0.23702741362284863),
    ]
    assert our_values(claims, "Section III-B, Figure 1") == pytest.approx(expected, abs=1e-9)


def test_promises_that_are_false(claims: list[Claim]) -> None:
    """Small eta: 1.35e-6 claimed, .2552 true. Small counts: 1.6e-8 becomes .0114, exactly .0283."""
    expected = [0.2552068883802114, 0.014423995876729177, 0.25773104313919404]
    assert our_values(claims, "Proposition 4") == pytest.approx(expected, abs=1e-7)
    small = [claim for claim in claims if claim.item == "n >= D"]
    assert small[0].paper == pytest.approx(1.62e-8, abs=1e-10)
    assert our_values(claims, "n >= D") == pytest.approx([0.0114254, 0.0282805], abs=1e-6)
    assert all(claim.note.startswith("PRIVACY") for claim in claims if claim.item in ("Proposition 4", "n >= D"))


def test_the_exact_delta_and_the_optimum_beside_the_paper(claims: list[Claim]) -> None:
    exact = [0.015369374127911868, 0.0005010518768462693, 0.07421379808271311, 4.1430096786628745e-07]
    optimum = [0.01536937412791195, 0.00010743189966497888, 0.07294755525495514, 7.266808629601178e-08]
    assert our_values(claims, "Remark 2")[:4] == pytest.approx(exact, abs=1e-10)
    assert our_values(claims, "Theorem 3")[:4] == pytest.approx(optimum, abs=1e-10)
    assert our_values(claims, "Remark 2")[5] == pytest.approx(4.03e-4, abs=1e-6)
    assert our_values(claims, "Theorem 3")[5] == pytest.approx(7.55e-5, abs=1e-7)


@pytest.mark.parametrize(
    ("epsilon", "named", "matched"),
    [
        (0.3, 0.4101352529378863, 0.4100887126039895),
        (0.5, 0.2955343099686894, 0.2955237848786493),
        (0.8, 0.1884195662091891, 0.18841920731535883),
        (0.9, 0.1641633183640655, 0.16416324195420665),
        (1.1, 0.0510772184686851, 0.051077218467686716),
        (1.2, 0.047910561547401684, 0.04791056154193655),
        (1.3, 0.04465959409917597, 0.04465959411076061),
        (1.5, 0.03818530184827141, 0.038185304568957995),
        (2.0, 0.024972177896511565, 0.02497268402666826),
    ],
)
def test_figure_4_gaussians(epsilon: float, named: float, matched: float) -> None:
    """Figure 4, eta .5, D 6: the Gaussian whose parameter is the variance, and the one whose variance it is."""
    variance = sadeghi2020.printed(Setting(epsilon, 0.5, 6)).variance(6)
    assert gaussian(sigma2=variance).delta(epsilon) == pytest.approx(named, abs=1e-9)
    beside = sadeghi2020.same_variance(variance)
    assert beside.variance(0) == pytest.approx(variance, rel=1e-9)
    assert beside.delta(epsilon) == pytest.approx(matched, abs=1e-9)


def test_figure_4_fails_between_two_epsilons(claims: list[Claim]) -> None:
    last = [claim for claim in claims if claim.item == "Figure 4"][-1]
    assert last.ours == "below 0.288 or above 0.812"


def test_the_noise_as_printed_is_a_law_even_where_its_promise_is_false() -> None:
    mechanism = sadeghi2020.printed(Setting(2.2, 0.02, 8))
    assert math.fsum(mechanism.interior[0].values) == pytest.approx(1, abs=1e-15)
    assert sadeghi2020.per_output(mechanism, 2.2) == pytest.approx(0.25520625283427145, abs=1e-7)
