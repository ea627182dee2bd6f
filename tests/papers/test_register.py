"""What holds for every paper: the register is complete, verdicts follow from claims, the page is up to date."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from discreet.errors import InputError, ParameterError
from discreet.papers.claim import KINDS, Claim, number
from discreet.papers.page import START, generated, page
from discreet.papers.register import NAMES, Paper, load, tally
from discreet.papers.wording import WORDS, about, little, most, much, slightly


@cache
def computed(name: str) -> tuple[Paper, Sequence[Claim]]:
    paper = load(name)
    return paper, [claim for compute in paper.claims for claim in compute()]


@pytest.mark.parametrize("name", NAMES)
def test_every_item_has_a_claim_or_a_reason(name: str) -> None:
    paper, claims = computed(name)
    judged = {claim.item for claim in claims}
    assert [item.name for item in paper.items if item.name not in judged and not item.shown_by] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_test_that_an_item_names_exists(name: str) -> None:
    root = Path(__file__).parents[2]
    named = [item.shown_by.split("::") for item in load(name).items if "::" in item.shown_by]
    assert [(path, test) for path, test in named if f"def {test}(" not in (root / path).read_text()] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_and_every_figure_belongs_to_an_item(name: str) -> None:
    paper, claims = computed(name)
    names = [item.name for item in paper.items]
    assert len(names) == len(set(names))
    assert {claim.item for claim in claims} - set(names) == set()
    assert {figure.item for figure in paper.figures} - set(names) == set()


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_follow_from_what_was_computed(name: str) -> None:
    paper, claims = computed(name)
    for item in paper.items:
        agreed = [claim.agrees for claim in claims if claim.item == item.name and claim.kind != "ours"]
        if item.verdict in ("holds", "loose", "no claim"):
            assert all(agreed), item.name
        elif agreed:
            assert not all(agreed), item.name


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_that_fails_says_what_is_true(name: str) -> None:
    _, claims = computed(name)
    assert [claim for claim in claims if not claim.agrees and not claim.note] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_page_in_the_documentation_is_up_to_date(name: str) -> None:
    paper, claims = computed(name)
    path = Path(__file__).parents[2] / "docs" / "papers" / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    assert text == page(text, generated(paper, claims)), f"run: python -m discreet.papers.page docs/papers {name}"


NUMBERS = {"four": 4, "seven": 7, "eight": 8}


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_counted_right_where_texts_count_them(name: str) -> None:
    """In the part of the page that is written by hand, and in the list of changes. Cormode's Figure 10 needs data."""
    root, paper = Path(__file__).parents[2], load(name)
    changes = [line for line in (root / "CHANGELOG.md").read_text().splitlines() if f"papers {name}`" in line]
    by_hand = (root / "docs" / "papers" / f"{name}.md").read_text().split(START)[0].splitlines()
    told = [
        found
        for line in [*changes, *by_hand]
        for found in re.findall(r"(?:with|and|all)(?: the| its)? (\w+) figures", line)
    ]
    if paper.with_adult is None:
        drawn = {len(paper.figures)}
    else:
        drawn = {len({figure.item.split("(")[0] for figure in paper.figures} | {"Figure 10"})}
    assert len(changes) == 1
    assert {NUMBERS[word] if word in NUMBERS else int(word) for word in told} == drawn


@pytest.mark.parametrize("name", NAMES)
def test_a_quoted_claim_has_a_value_and_a_statement_is_not_counted_as_one(name: str) -> None:
    paper, claims = computed(name)
    assert {claim.kind for claim in claims} == set(KINDS)
    assert [claim for claim in claims if claim.kind == "quoted" and claim.paper in (None, "stated", "none", "")] == []
    counts = tally(claims, "quoted")
    assert generated(paper, claims).startswith(f"## The register\n\n{counts.agree} of {counts.total} values")


@pytest.mark.parametrize("name", NAMES)
def test_a_word_of_quantity_is_followed_by_its_limit(name: str) -> None:
    _, claims = computed(name)
    word = re.compile(rf"(?<!at )\b({'|'.join(WORDS)})\b(?! probable)")  # "at most" and "most probable" are exact
    judged = [claim for claim in claims if claim.kind in ("quoted", "stated")]
    told = [claim for claim in judged if word.search(f"{claim.what} {claim.paper}")]
    assert [claim for claim in told if "(limit: " not in claim.what] == []


def test_words_of_quantity_have_one_rule() -> None:
    assert about(0.549, 0.5)
    assert not about(0.551, 0.5)
    assert not about(0.1, 0)
    assert little(0.1)
    assert not little(0.11)
    assert much(2, 1)
    assert not much(1.99, 1)
    assert slightly(1.99, 1)
    assert not slightly(2, 1)
    assert not slightly(0.99, 1)
    assert most(0.51)
    assert not most(0.5)


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(InputError, match="marks"):
        page("# A page", "content")


def test_an_unknown_paper_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="wang1850"):
        load("wang1850")


def test_a_number_agrees_to_the_digits_that_are_printed() -> None:
    assert number("Example 1", "a third", 0.333, 1 / 3, 3).agrees
    assert not number("Example 1", "a third", 0.334, 1 / 3, 3).agrees
