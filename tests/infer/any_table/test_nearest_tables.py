"""The nearest tables: each can be shown, and few tables are looked at."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from discreet.infer.any_table import nearest_tables
from discreet.infer.any_table.answered_table import is_published
from discreet.infer.any_table.nearest_tables import nearest
from discreet.infer.any_table.open_release import OpenRelease, open_release
from discreet.infer.any_table.table_question import AxisChoice, TableQuestion
from discreet.release import run
from tests.infer.any_table.releases import RELEASES, asked, publish

NAMES = ["d0", "d1", "d2", "d3", "d6", "d7"]
LABELS = ["v0", "v1", "v2", "v3"]


@pytest.fixture(scope="module")
def three_tables(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    """Six dimensions, two in each of three tables with all margins."""
    folder = tmp_path_factory.mktemp("three_tables")
    people = folder / "people.csv"
    lines = [",".join(LABELS[(row * (column + 1)) % 4] for column in range(6)) for row in range(50)]
    people.write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    levels = {f"l{number}": {"A": LABELS[:number], "B": LABELS[number:]} for number in (1, 2, 3)}
    spec: dict[str, Any] = {
        "version": "1",
        "key": "fresh",
        "outputs": ["csv"],
        "source": {"csv": str(people)},
        "design": {"name": "geometric", "epsilon": "0.1"},
        "budget": {"epsilon": 100, "delta": "1e-6"},
        "dimensions": {name: {"column": name, "categories": LABELS, "levels": levels} for name in NAMES},
        "tables": [
            {"name": f"table_{first}", "dimensions": [first, second], "margins": "all"}
            for first, second in zip(NAMES[::2], NAMES[1::2], strict=True)
        ],
    }
    run(spec, folder / "release")
    return open_release(folder / "release")


@pytest.mark.parametrize("name", RELEASES)
def test_all_nearest_tables_can_be_shown(name: str, tmp_path: Path) -> None:
    release = open_release(publish(tmp_path, name))
    texts = ["", "area", "area/region", "age", "age/legal", "area,age", "area/region,age/legal"]
    refused = 0
    for rows, columns, keep in product(texts, ["", "sex"], [{}, {"age": "old"}, {"age": "old", "area": "south"}]):
        question = asked(rows, columns, **keep)
        if not {*keep, *(axis.dimension for axis in question.axes)} <= {*release.books}:
            continue
        refused += not is_published(release, question)
        near = nearest(release, question)
        assert question not in near
        assert all(is_published(release, other) for other in near)
    assert refused or name not in ("levels", "a filter")


def test_a_table_over_two_published_ones_leads_to_the_part_of_each(three_tables: OpenRelease) -> None:
    near = nearest(three_tables, asked("d0,d1", "d6,d7"))
    assert near == [asked("d0,d1"), asked("", "d6,d7")]


def test_many_filters_are_kept_as_far_as_one_table_allows(three_tables: OpenRelease) -> None:
    near = nearest(three_tables, asked("d0,d6", "", d1="v0", d2="v0", d3="v0", d7="v1"))
    assert near[0] == asked("d0", "", d1="v0")
    assert asked("d6", "", d7="v1") in near
    assert asked("", "", d2="v0", d3="v0") in near


def test_a_table_at_another_level_comes_before_one_with_less(tmp_path: Path) -> None:
    release = open_release(publish(tmp_path, "levels"))
    near = nearest(release, asked("area", "age"))
    assert near[0] == asked("area/region", "age")
    assert asked("area") in near
    assert asked("age") not in near  # the first table has it


def test_the_tables_that_are_looked_at_grow_with_the_published_ones(
    three_tables: OpenRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []
    choices = nearest_tables._choices

    def counted(*parts: object) -> list[dict[str, object]]:
        chosen = choices(*parts)  # type: ignore[arg-type]
        looked_at.extend(chosen)
        return chosen  # type: ignore[return-value]

    monkeypatch.setattr(nearest_tables, "_choices", counted)
    question = TableQuestion(tuple(AxisChoice(name, "l1") for name in three_tables.books))
    assert nearest(three_tables, question)
    assert 0 < len(looked_at) <= len(three_tables.layout.groupings)
