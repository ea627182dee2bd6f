"""Claims about Wang 2020: printed values are those of its text, and claims hold or fail as known."""

import re

import pytest

from discreet.papers.claim import Claim
from discreet.papers.register import Tally, tally
from discreet.papers.wang2020.claim_kinds import quoted
from tests.papers.test_register import computed

NAME = "wang2020"


def claims_of(item: str, begins: str = "") -> list[Claim]:
    """Return the claims about an item whose text begins so."""
    return [claim for claim in computed(NAME)[1] if claim.item == item and claim.what.startswith(begins)]


def ours(item: str, begins: str = "") -> list[object]:
    return [claim.ours for claim in claims_of(item, begins)]


# Values as the paper's text has them, with the place

TABLES = {
    "Table 1": """
        Algorithm 1 (ind)	0.9(2.4)	60(63)	382(375)	736(695)	977(940)
        Algorithm 1 (summed)	0.9(2.5)	60(63)	382(380)	736(714)	977(936)
        Algorithm 2	0.4(1.2)	60(62)	382(380)	736(708)	977(932)
        Algorithm 3	0.4(0.7)	60(2)	382(2)	736(2)	977(2)""",
    "Table 3": """
        Algorithm 1 (ind)	1.5(3.5)	2.2(4.7)	6.0(9.3)	11.0(14.0)	432.5(256.8)
        Algorithm 1 (summed)	1.5(3.5)	2.2(4.9)	6.0(9.2)	11.0(14.5)	432.5(259)
        Algorithm 2	1.1(2.2)	2.1(3.6)	6.0(7.9)	11.0(12.6)	434.2(235.1)
        Algorithm 3	1.0(1.1)	2.0(1.5)	5.9(1.8)	11.0(1.8)	437.6(19.2)""",
}
"""Sections 4.1.1 and 4.1.2: means, with variances in parentheses."""

COLUMNS = ("N_min", "N_q1", "N_med", "N_q3", "N_max")


@pytest.mark.parametrize("table", TABLES)
def test_tables_1_and_3_have_the_printed_values(table: str) -> None:
    values = {}
    for line in TABLES[table].strip().splitlines():
        name, *cells = line.strip().split("\t")
        for column, cell in zip(COLUMNS, cells, strict=True):
            mean, variance = re.fullmatch(r"([\d.]+)\(([\d.]+)\)", cell).groups()  # type: ignore[union-attr]
            values[f"mean of {column}, {name[0].lower()}{name[1:]}"] = mean
            values[f"variance of {column}, {name[0].lower()}{name[1:]}"] = variance
    found = {claim.what.partition(" (standard error")[0]: claim for claim in claims_of(table)}
    assert {what: claim.paper for what, claim in found.items()} == values
    assert all(claim.agrees for claim in found.values())
    assert len(values) == 40


def test_tables_4_and_5_have_the_printed_values() -> None:
    """Section 4.2: N_1, N_2 and the probability."""
    table_4 = "250 357 0.03 251 356 0.03 249 358 0.03 252 355 0.03 248 359 0.03 253 354 0.02 247 360 0.02 254 353 0.02 246 361 0.02 255 352 0.02"  # noqa: E501
    table_5 = "250 357 0.21 251 356 0.13 251 357 0.08 250 356 0.08 249 358 0.07 250 358 0.05 249 357 0.05 251 358 0.03 249 356 0.03 252 355 0.03"  # noqa: E501
    for table, text in (("Table 4", table_4), ("Table 5", table_5)):
        words = text.split()
        rows = [
            (f"chance of ({first}, {second})", chance)
            for first, second, chance in zip(words[::3], words[1::3], words[2::3], strict=True)
        ]
        assert [(claim.what, claim.paper) for claim in claims_of(table, "chance of (")][:10] == rows
    assert not any(claim.agrees for claim in claims_of("Table 4", "chance"))
    assert all(claim.agrees for claim in claims_of("Table 5"))
    assert ours("Table 4", "printed values that come out") == ["10 of 10"]


def test_example_2_has_the_printed_values() -> None:
    """Section 4.1.2: 50 counts, the total 863, and 1, 2, 6, 11, 435."""
    values = [claim for claim in claims_of("Example 2") if claim.kind == "quoted"]
    assert [claim.paper for claim in values] == ["50", "863", "1", "2", "6", "11", "435"]
    assert all(claim.agrees for claim in values)


def test_example_1_has_the_printed_values() -> None:
    """Section 4.1.1: the total 21249, and 0, 60, 382, 736, 977; each beside what the others leave open."""
    values = [claim for claim in claims_of("Example 1") if claim.kind == "quoted"]
    assert [claim.paper for claim in values] == ["21249", "0", "60", "382", "736", "977"]
    assert all(claim.agrees for claim in values)
    # 6 + 5 x 15 + 13 x 60 + 13 x 382 + 12 x 736 + 977, and 6 + 5 x 60 + 60 + 13 x 382 + 13 x 736 + 12 x 977
    assert [claim.ours for claim in values] == ["15636 to 26624", "0", "60 to 382", "60 to 736", "382 to 977", ALLOWED]


ALLOWED = "736 to 1000"
"""Values of N_max between N_q3 and 1000 for which some list has the printed total."""


def test_comments_on_means_fail_for_small_counts_only() -> None:
    """Sections 4.1.2 and 5.1: 1.46 and 1.44 for a count of 1, 2.22 and 2.24 for a count of 2, 1.15 for 1."""
    for item in ("Section 4.1.2, comments", "Section 5.1"):
        (claim,) = claims_of(item, "means are very close to the true counts, Example 2")
        assert claim.ours == "15 of 20"
        assert re.findall(r"([\d.]+) for (\d)", claim.note) == [
            ("1.46", "1"),
            ("2.22", "2"),
            ("1.44", "1"),
            ("2.24", "2"),
            ("1.15", "1"),
        ]


def test_the_expectation_of_section_5_3_is_no_claim() -> None:
    """Section 5.3: "I expect results would be similar to results of Algorithm 2"."""
    paper, claims = computed(NAME)
    assert [item.verdict for item in paper.items if item.name == "Section 5.3, algorithm 1"] == ["no claim"]
    assert {claim.kind for claim in claims if claim.item == "Section 5.3, algorithm 1"} == {"ours"}
    told = [str(text).partition(": ")[2] for text in ours("Section 5.3, algorithm 1", "expected")]
    assert told == ["as expected", "not as expected"] * 2


def test_the_average_bias_of_least_squares_is_about_half_in_example_1() -> None:
    notes = [claim.note for claim in claims_of("Section 5.2, the best algorithm", "average and largest bias")]
    assert [note.split()[3] for note in notes] == ["0.51", "0.35"]


def test_the_title_is_as_printed() -> None:
    assert computed(NAME)[0].citation == "Ziang Wang 2020, Differentially Private Counts with Additive Constraints"


# The register


def test_every_numbered_item_of_the_paper_is_in_the_register() -> None:
    names = [item.name for item in computed(NAME)[0].items]
    text = " ".join(names)
    equations = set()
    for first, last in re.findall(r"\((\d)\)(?:-\((\d)\))?", text):
        equations |= set(range(int(first), int(last or first) + 1))
    assert equations == {1, 2, 3, 4, 5, 6}
    counts = {"Definition": 1, "Theorem": 1, "Algorithm": 3, "Example": 2, "Table": 5, "Figure": 1}
    assert {f"{kind} {n}" for kind, count in counts.items() for n in range(1, count + 1)} - set(names) == set()
    assert {"Steps 1-2", "Step 3.a", "Step 3.b", "Step 4", "Step 5"} <= set(names)
    sections = {item.section for item in computed(NAME)[0].items}
    assert {"1", "2.1", "2.2", "2.2.1", "2.2.2", "2.3", "3.1.1", "3.1.2", "3.2", "4.1.1", "4.1.2", "4.2"} <= sections
    assert {"5.1", "5.2", "5.3"} <= sections


# Which claims hold


FAILS = {
    "Section 2.2.2, distribution of eta": 1,  # three noises
    "Section 4.1.1, comments": 3,  # a count of 0: its mean, its variances, and the variance of algorithm 3
    "Section 4.1.2, comments": 2,  # means of small counts, variances of algorithms 1 and 2
    "Example 2": 1,  # not 50 states
    "Table 4": 10,  # another window
    "Section 4.2, comments": 2,  # similar posteriors, and 0.03 as in Table 4
    "Section 5.1": 1,  # means of small counts
}


def test_claims_fail_where_known_and_nowhere_else() -> None:
    failed: dict[str, int] = {}
    for claim in computed(NAME)[1]:
        if not claim.agrees:
            failed[claim.item] = failed.get(claim.item, 0) + 1
    assert failed == FAILS


def test_every_printed_value_is_counted() -> None:
    """Of 117 values, the ten of Table 4 and its highest, which the text repeats, do not reproduce."""
    claims = computed(NAME)[1]
    assert tally(claims, "quoted") == Tally(106, 117)
    assert tally(claims, "stated") == Tally(33, 41)
    assert tally(claims, "formula") == Tally(41, 42)  # not the sum of three noises
    assert tally(claims, "ours").agree == tally(claims, "ours").total


def test_what_concerns_privacy_says_so() -> None:
    for item, count in (("Section 2.1, epsilon = 1", 1), ("Section 2.1, range of the noise", 2)):
        assert sum(claim.note.startswith("PRIVACY") for claim in claims_of(item)) == count


def test_a_component_and_the_total_cost_twice() -> None:
    """delta at epsilon 1 by the sum over pairs of outputs, for two counts with noise of epsilon 1 that both move."""
    alpha, values = 0.36787944117144233, range(-60, 62)
    law = {value: (1 - alpha) / (1 + alpha) * alpha ** abs(value) for value in range(-61, 62)}
    delta = sum(max(law[a] * law[b] - law[a - 1] * law[b - 1] / alpha, 0) for a in values for b in values)
    assert ours("Section 2.1, epsilon = 1") == pytest.approx([2, delta], rel=1e-9)


def test_the_cut_at_fifty() -> None:
    """Known values 004.trunc.delta_joint.*, and twice delta0 less its square at epsilon .2."""
    single = 4.525104919248663e-06
    known = [1.7826167936135235e-22, 6.802833269949341e-12, 2 * single - single**2, 0.0006774563460242903]
    assert ours("Section 2.1, range of the noise", "delta") == pytest.approx(known, rel=1e-9)


def test_what_was_left_for_later() -> None:
    """The chance of (250, 357) is less, and the total is known less well, for algorithm 1 than for algorithm 2."""
    parts = [str(text).split("; ") for text in ours("Section 5.3, algorithm 1", "algorithm")[::2]]
    chances, counts, totals = ([float(part[index]) for part in parts] for index in range(3))
    assert chances == pytest.approx([0.009178, 0.010576, 0.015174, 0.213553], abs=1e-6)
    assert counts == pytest.approx([12.202, 12.197, 12.150, 1.166], abs=1e-3)
    assert totals == pytest.approx([1.919, 1.567, 1.357, 1.357], abs=1e-3)
    assert ours("Section 5.3, more components", "mean")[2] == "412.237, 383 to 442"


def test_printed_numbers_agree_to_half_a_unit_and_three_errors() -> None:
    assert quoted("x", "y", "0.9", 0.949).agrees
    assert not quoted("x", "y", "0.9", 0.951).agrees
    assert quoted("x", "y", "0.9", 0.979, 0.01).agrees
    assert not quoted("x", "y", "0.9", 0.981, 0.01).agrees
    assert "standard error 0.01" in quoted("x", "y", "0.9", 0.981, 0.01).what
