"""What the second checker says of folders that a stranger changed."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certify import folder as second
from discreet.certify.folder import additivity, cells
from discreet.certify.folder.findings import Report, WrongError, number
from tests.publish.changed import changed, field, release


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", Fraction(1, 2)), ("1e-06", Fraction(1, 10**6)), ("1/3", Fraction(1, 3)), ("2E+2", 200), ("0", 0)],
)
def test_a_number_is_read_exactly(text: str, value: Fraction) -> None:
    assert number(text, "x") == value


@pytest.mark.parametrize("text", ["1e9999", "1e-999999999", "1E+99999999", "9" * 4001, "nan", "inf", "1/0", "", "x", 1])
def test_a_text_that_is_no_number_of_a_release_is_refused(text: object) -> None:
    with pytest.raises(WrongError, match="x is "):
        number(text, "x")


BOMBS = {
    "composed delta": (field("privacy.composed.delta", "1e-999999999"), "privacy.composed.delta"),
    "composed floor": (field("privacy.composed.floor", "1e-999999999"), "privacy.composed.floor"),
    "cell epsilon": (field("privacy.cell.epsilon", "1e999999999"), "privacy.cell.epsilon"),
    "cell delta": (field("privacy.cell.delta", "1e-999999999"), "privacy.cell.delta"),
    "budget": (field("spec.budget.delta", "1e-99999999"), "spec.budget.delta"),
    "exp_epsilon": (lambda copy: copy.certificate("exp_epsilon", "1e999999999"), "guarantee.exp_epsilon"),
    "epsilon": (lambda copy: copy.certificate("epsilon", "1e-999999999"), "guarantee.epsilon"),
    "delta": (lambda copy: copy.certificate("delta", "1e-999999999"), "guarantee.delta"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_short_text_of_a_huge_number_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    change, field_name = BOMBS[name]
    report = second.check(changed(folder, tmp_path / "copy", change))
    assert any(f"{field_name} is '1e" in line and "exponent" in line for line in report.failures)


def test_a_claim_for_which_the_memory_is_too_small_fails() -> None:
    def check() -> None:
        raise MemoryError

    report = Report()
    report.attempt("promise", check)
    (failure,) = report.failures
    assert failure.startswith("promise: ")
    assert "MemoryError" in failure


@pytest.mark.parametrize("name", ["report.html", "t.csv", "certificate.json", "manifest.json"])
def test_a_link_to_a_file_outside_the_folder_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    copy = changed(folder, tmp_path / "copy", lambda _: None)
    (copy / name).rename(tmp_path / name)
    (copy / name).symlink_to(tmp_path / name)
    assert any(name in line and "link" in line for line in second.check(copy).failures)


@pytest.mark.parametrize("scheme", [0, 3, 99, -(10**30), True, 2.0, "2", None])
def test_a_scheme_that_does_not_exist_is_refused(scheme: object, folder: Path, tmp_path: Path) -> None:
    report = second.check(changed(folder, tmp_path / "copy", field("key.scheme", scheme)))
    assert any("key.scheme" in line for line in report.failures)


@pytest.mark.parametrize("scheme", [1, 2])
def test_a_scheme_that_exists_is_taken(scheme: int, folder: Path, tmp_path: Path) -> None:
    assert second.check(changed(folder, tmp_path / "copy", field("key.scheme", scheme))).failures == []


LEAVES = [str(number) for number in range(6)]
GROUPS = st.lists(st.frozensets(st.sampled_from(LEAVES), min_size=1), min_size=1, max_size=8)


def axis(groups: list[frozenset[str]]) -> cells.Axis:
    return cells.Axis("d", None, tuple(map(str, range(len(groups)))), tuple(groups))


@given(GROUPS)
def test_multiplicity_is_the_most_groups_that_hold_one_leaf(groups: list[frozenset[str]]) -> None:
    expected = max(sum(leaf in group for group in groups) for leaf in LEAVES)
    assert cells.multiplicity(cells.Grouping((axis(groups),), ())) == expected


@given(GROUPS)
def test_each_group_joins_the_first_list_that_it_is_disjoint_from(groups: list[frozenset[str]]) -> None:
    lists: list[set[str]] = []
    for group in groups:
        fitting = [taken for taken in lists if taken.isdisjoint(group)]
        if fitting:
            fitting[0].update(group)
        else:
            lists.append(set(group))
    assert cells._colours(axis(groups)) == len(lists)


@given(GROUPS)
def test_groups_that_touch_are_joined(groups: list[frozenset[str]]) -> None:
    whole: list[frozenset[str]] = []
    for group in groups:
        touching = [other for other in whole if other & group]
        whole = [other for other in whole if not other & group] + [group.union(*touching)]
    joined = additivity._joined(groups)
    parts = {frozenset(leaf for leaf in joined if joined[leaf] == number) for number in joined.values()}
    assert parts == set(whole)


def test_many_categories_take_time_in_proportion() -> None:
    """Comparing every leaf with every group takes ten billion steps here, which ends this test by its time limit."""
    categories = [f"k{number}" for number in range(100_000)]
    book = {"column": "c", "categories": categories, "ranges": None, "from_data": False}
    pairs = {f"g{start}": categories[start : start + 2] for start in range(0, len(categories), 2)}
    spec = {
        "dimensions": {"c": {**book, "levels": {"pairs": pairs}}},
        "tables": [
            {"name": "t", "dimensions": [{"dimension": "c", "level": None}], "margins": "all", "filter": {}},
            {"name": "p", "dimensions": [{"dimension": "c", "level": "pairs"}], "margins": "none", "filter": {}},
        ],
    }
    layout = cells.layout_of(spec)
    assert [cells.multiplicity(grouping) for grouping in layout.groupings] == [1, 1, 1]
    assert cells.touches(layout) == (3, 3)
    assert cells.families(layout) == 3
    groups = [group for grouping in layout.groupings for axis in grouping.axes for group in axis.members]
    assert len(set(additivity._joined(groups).values())) == 50_001
    assert len(cells.selected(layout.books["c"], categories)) == len(categories)
