"""Claims about Sadeghi 2020: printed values are those of its text, and claims hold or fail as known."""

from pkgutil import resolve_name

import pytest

import discreet
from discreet.papers.claim import Claim
from discreet.papers.register import Tally, load, tally
from tests.papers.test_register import computed


def claims_of(item: str, kind: str | None = None) -> list[Claim]:
    return [c for c in computed("sadeghi2020")[1] if c.item == item and kind in (None, c.kind)]


def test_section_3b_has_the_numbers_of_the_text() -> None:
    """Section III-B, the text around Figure 1."""
    noise = claims_of("Section III-B, the noise")
    assert [c.paper for c in noise][:10] == [8.8463, 8, 8.1229, 7.8867, 3, 0.0049, 3, 0.08987, 0.0096, 9.3617]
    expected = [
        *(8.846306258720883, 8, 8.122898116671406, 7.886730818900953, 3, 0.00494782163812297, 3),
        *(0.08987391518105052, 0.009600175605406554, 9.361694918417534),
    ]
    assert [c.ours for c in noise][:10] == pytest.approx(expected, abs=1e-9)
    normal = claims_of("Section III-B, the discrete Gaussian")
    assert [c.paper for c in normal] == [0.11685, 0.000416, 282, 5.6, "stated"]
    expected = [0.11685072691602334, 0.00041566744660572304, 281.1158965423166, 5.595501323758469]
    assert [c.ours for c in normal][:4] == pytest.approx(expected, abs=1e-9)
    assert all(c.agrees for c in [*noise, *normal])


def test_figure_1_does_not_have_the_identical_variance() -> None:
    """Figure 1's caption: "with the identical variance"."""
    first = claims_of("Figure 1")[0]
    assert (first.paper, first.ours) == pytest.approx((0.26601560104912575, 0.23702741362284863), abs=1e-7)
    assert not first.agrees


def test_section_4_has_the_numbers_of_the_text() -> None:
    """Section IV: "no greater than 0.001 for D = 8 and epsilon > 1.1", .9945, (1.1, 1e-3), (2.2, 5e-7), two knees."""
    second, third = [c for c in claims_of("Figure 2") if c.kind != "ours"], claims_of("Figure 3", "stated")
    assert second[0].ours == pytest.approx(8.573457245202532e-4, abs=1e-10)
    assert second[1].paper == 0.9945
    assert second[1].ours == pytest.approx(0.9944602613922893, abs=1e-9)
    assert [c.paper for c in third[:2]] == [1e-3, 5e-7]
    assert [c.ours for c in third[:2]] == pytest.approx([8.573457245202532e-4, 2.756194127315875e-07], rel=1e-7)
    assert [c.ours for c in third[2:4]] == pytest.approx([0.5007465810163507, 0.8004990507984084], abs=1e-7)
    assert all(c.agrees for c in [*second, *third])


def test_figure_4_holds_where_the_paper_says() -> None:
    """Section IV: superior for a wide range; both rather poor for epsilon < 1.1, which ends at 1.04 or so."""
    assert [c.agrees for c in claims_of("Figure 4", "stated")] == [True] * 5
    (early,) = claims_of("Section IV, epsilon below 1.1")
    assert not early.agrees
    assert early.ours == "0.41, 0.296, 0.188, 0.164, 0.127, 0.108, 0.0135"
    told = [c.ours for c in claims_of("Figure 4", "ours")]
    assert told[:2] == ["1.057", "below 0.288 or above 0.812"]
    assert claims_of("Section IV, other experiments")[0].agrees


def test_example_1_lacks_a_quarter() -> None:
    """(4): 1/4 at z = -1, 1/2 at z = 0, and nothing else. (5) and (6) are right."""
    first, second = claims_of("Equation (4)")
    assert (first.paper, first.ours, first.agrees) == (1, 0.75, False)
    assert second.agrees
    assert claims_of("Equation (5)")[0].agrees
    assert claims_of("Equation (6)")[0].agrees
    deltas = [c.ours for c in claims_of("Example 1", "ours")]
    assert deltas == pytest.approx([0.1728002051836141, 0.3155848238124566], abs=1e-7)
    assert "0.3378" in claims_of("Example 1", "ours")[1].note


def test_theorem_3_fails_for_small_eta_only() -> None:
    formulas = claims_of("Theorem 3", "formula")
    assert [c.agrees for c in formulas] == [True] * 9 + [False] * 3
    expected = [0.2552068883802114, 0.014423995876729177, 0.25773104313919404]
    assert [c.ours for c in formulas[9:]] == pytest.approx(expected, abs=1e-7)
    assert all(c.note.startswith("PRIVACY") for c in formulas[9:])
    (whole,) = claims_of("Theorem 3", "stated")
    assert not whole.agrees
    assert "exactly those settings are wrong" in whole.note
    assert "not exactly" not in whole.note


def test_what_the_paper_does_not_claim_is_ours() -> None:
    """Neither the optimum of the exact delta, nor counts below D, nor equal variance with exact deltas is claimed."""
    exact = claims_of("Theorem 3", "ours")
    assert [c.paper for c in exact] == [None] * 7
    assert [c.ours for c in exact][:6] == [
        *("0.01537, 0.01537", "0.0005011, 0.0001074", "0.07421, 0.07295"),
        *("4.143e-07, 7.267e-08", "0.01719, 0.006228", "0.0004035, 7.553e-05"),
    ]
    small = claims_of("Section III-B, the assumption n >= D")
    assert [c.kind for c in small] == ["ours", "ours"]
    assert [c.ours for c in small] == ["1.62e-08, 0.0114", "1.82e-08, 0.0283"]
    assert small[0].note.startswith("PRIVACY")


def test_equation_45_needs_the_parameter() -> None:
    claims = claims_of("Equation (45)")
    assert [c.agrees for c in claims] == [True, True, True, False]
    assert (claims[3].paper, claims[3].ours) == pytest.approx((0.0162453, 0.114195), abs=1e-6)


def test_remark_2_is_true_and_loose() -> None:
    claims = claims_of("Remark 2", "formula")
    assert all(c.agrees for c in claims)
    exact = [0.015369374127911868, 0.0005010518768462693, 0.07421379808271311, 4.1430096786628745e-07]
    assert [c.ours for c in claims][:4] == pytest.approx(exact, rel=1e-7)


def test_which_items_are_wrong() -> None:
    paper, claims = computed("sadeghi2020")
    wrong = {item.name: item.verdict for item in paper.items if item.verdict in ("fails", "misprint")}
    assert wrong == {
        "Section I, census example": "misprint",
        "Section I, approximate privacy": "fails",
        "Section I, tails": "fails",
        "Equation (4)": "misprint",
        "Section II-A": "fails",
        "Equations (24)-(31)": "misprint",
        "Proof of Lemma 3": "misprint",
        "Equation (36)": "misprint",
        "Theorem 3": "fails",
        "Proof of Theorem 3": "misprint",
        "Figure 1": "misprint",
        "Remark 2, outputs": "misprint",
        "Equation (45)": "misprint",
        "Section IV, epsilon below 1.1": "fails",
    }
    assert {c.item for c in claims if not c.agrees} == set(wrong)


def test_of_17_printed_values_the_factor_of_the_census_and_an_index_do_not_reproduce() -> None:
    claims = computed("sadeghi2020")[1]
    assert tally(claims, "quoted") == Tally(15, 17)
    wrong = [(c.item, c.paper, c.ours) for c in claims if c.kind == "quoted" and not c.agrees]
    assert wrong == [("Section I, census example", 8, 920 / 90), ("Equations (24)-(31)", 2, 1)]


def test_equation_36_ends_at_d_minus_1() -> None:
    """(36) prints k in [D]; C_(D+1) is 0."""
    right, wrong = claims_of("Equation (36)")
    assert (right.agrees, wrong.agrees, wrong.ours) == (True, False, "288 of 288")


def test_tails_are_heavier_by_more_than_slightly() -> None:
    """Section I: "similar distribution as discrete Gaussian (with slightly heavier tail)"."""
    heavier, slightly, similar = claims_of("Section I, tails")
    assert (heavier.agrees, slightly.agrees, similar.agrees) == (True, False, True)
    assert slightly.ours == "23.1, 1.53e+04"
    assert similar.ours == pytest.approx(0.05395362346997669, abs=1e-7)


def test_no_type_1_bound_dominates_another() -> None:
    """delta_k and delta_l of (23) in floats: each is the larger for some eta, for all pairs up to 6."""
    big = 8.8463

    def bound(k: int, eta: float) -> float:
        c, powers = 2 * eta / (1 - eta), [big**j for j in range(k)]
        return (c * sum(powers) - big**k) / (2 / (1 - eta) * sum((j + 1) * p for j, p in enumerate(powers)))

    for k in range(1, 7):
        for other in range(k + 1, 7):
            assert bound(k, 0.9) > bound(other, 0.9)
            assert bound(k, 0.1) < bound(other, 0.1)
    (found,) = claims_of("Section III-A, no bound dominates")
    assert found.agrees


def test_every_name_in_the_register_exists() -> None:
    for item in load("sadeghi2020").items:
        path = item.api.split("(")[0]
        if path.startswith("papers."):
            assert resolve_name(f"discreet.{path}") is not None
        elif path:
            first, *rest = path.split(".")
            found = getattr(discreet, first)
            for name in rest:
                found = getattr(found, name)


def test_every_numbered_item_of_the_paper_is_in_the_register() -> None:
    names = " ".join(item.name for item in load("sadeghi2020").items)
    for kind, last in (("Proposition", 4), ("Lemma", 4), ("Theorem", 3), ("Definition", 2), ("Remark", 2)):
        assert all(f"{kind} {number}" in names for number in range(1, last + 1))
    for kind, last in (("Figure", 4), ("Footnote", 5), ("Property P", 3)):
        assert all(f"{kind} {number}".replace("P ", "P") in names for number in range(1, last + 1))
    said = " ".join(item.name + " " + item.says for item in load("sadeghi2020").items)
    ranges = {(2, 2), (7, 8), (9, 13), (14, 15), (17, 19), (20, 22), (24, 31), (37, 39), (40, 43)}
    numbered = {number for first, last in ranges for number in range(first, last + 1)}
    single = {1, 3, 4, 5, 6, 16, 23, 32, 33, 34, 35, 36, 44, 45}
    assert numbered | single == set(range(1, 46))
    assert all(f"({number})" in said for number in single)
    assert all(f"({first})-({last})" in said for first, last in ranges if first < last)
