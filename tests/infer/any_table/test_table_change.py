"""Changes of tables between two releases, against `infer`."""

from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import IncomparableError, ParameterError
from discreet.infer.any_table.answered_table import answer
from discreet.infer.any_table.open_release import OpenRelease, open_release
from discreet.infer.any_table.table_change import table_change, version_order, why_not_comparable
from tests.infer.any_table.releases import AREAS, BASE, asked, publish


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OpenRelease]:
    folder = tmp_path_factory.mktemp("series")
    other = BASE["dimensions"] | {"sex": {"column": "sex", "categories": ["f", "m", "x"]}}
    published: dict[str, Path] = {
        "now": publish(folder, version="2026"),
        "before": publish(folder),
        "again": publish(folder, "no margins"),
        "unlike": publish(folder, "plain", version="2024", dimensions=other),
        "people": publish(folder, "plain", version="2023", unit={"id": "area"}),
        "bare now": publish(folder, "not made to add up", version="2026"),
        "bare before": publish(folder, "not made to add up"),
    }
    return {name: open_release(path) for name, path in published.items()}


@pytest.mark.parametrize("pair", [("now", "before"), ("bare now", "bare before")])
def test_a_change_has_the_interval_of_infer(pair: tuple[str, str], releases: dict[str, OpenRelease]) -> None:
    now, before = (releases[name] for name in pair)
    reader, earlier = (dc.infer.folder(release.path) for release in (now, before))
    for question in (asked("area"), asked("area", "", age="young|old")):
        shown, old = answer(now, question), answer(before, question)
        changes = table_change(shown, old)["cells"]
        assert changes.known.all()
        for number, area in enumerate(AREAS):
            selections = [f"area={area},age={age}" for age in ("young", "old")] if question.keep else [f"area={area}"]
            low, high = reader.total_change(earlier, selections).interval(0.95)
            change = int(shown.cells.counts[number] - old.cells.counts[number])
            assert changes.changes[number] == change
            assert (changes.low[number], changes.high[number]) == (min(low, change), max(high, change))


def test_the_margins_of_both_tables_are_compared(releases: dict[str, OpenRelease]) -> None:
    question = asked("area/region", "sex")
    shown, old = (answer(releases[name], question) for name in ("now", "before"))
    changes = table_change(shown, old)
    assert set(changes) == {"cells", "row_totals", "column_totals", "total"}
    assert (changes["cells"].changes.sum(axis=1) == changes["row_totals"].changes).all()
    for own in changes.values():
        assert (own.low <= own.changes).all()
        assert (own.changes <= own.high).all()
        assert (own.clear == ((own.low > 0) | (own.high < 0))).all()


def test_a_release_with_fewer_margins_is_compared_too(releases: dict[str, OpenRelease]) -> None:
    question = asked("age")
    changes = table_change(*(answer(releases[name], question) for name in ("now", "again")))
    assert changes["cells"].known.all()


def test_the_interval_of_a_change_holds_the_change_as_often_as_it_says(tmp_path: Path) -> None:
    """Four pairs of releases: 64 changes of known size."""
    inside, all_cells = 0, 0
    for number in range(4):
        pair = [tmp_path / f"{number}-{version}" for version in ("a", "b")]
        for folder in pair:
            folder.mkdir()
        folders = [publish(folder, version=version) for folder, version in zip(pair, ("2026", "2025"), strict=True)]
        people = [
            [line.split(",") for line in (folder.parent / f"{version}.csv").read_text().splitlines()[1:]]
            for folder, version in zip(folders, ("2026", "2025"), strict=True)
        ]
        shown = [answer(open_release(folder), asked("area/region", "age")) for folder in folders]
        changes = table_change(*shown)["cells"]
        rows, columns = shown[0].resolved.rows[0], shown[0].resolved.columns[0]
        for row, areas in enumerate(rows.members):
            names = {rows.book.leaves[leaf] for leaf in areas}
            for column, age in enumerate(columns.labels):
                counts = [sum(area in names and own == age for area, own, _ in lines) for lines in people]
                true = counts[0] - counts[1]
                inside += int(changes.low[row, column] <= true <= changes.high[row, column])
                all_cells += 1
    assert inside >= 0.85 * all_cells  # 64 cells; fewer have a chance of 1 in 2,000


@pytest.mark.parametrize(("other", "named"), [("now", "2026"), ("people", "unit")])
def test_releases_that_count_otherwise_are_refused(other: str, named: str, releases: dict[str, OpenRelease]) -> None:
    question = asked("age")
    assert named in (why_not_comparable(releases["now"], releases[other]) or "")
    with pytest.raises(ParameterError, match=named):
        table_change(answer(releases["now"], question), answer(releases[other], question))


def test_only_an_earlier_version_is_compared(releases: dict[str, OpenRelease]) -> None:
    assert "2026" in (why_not_comparable(releases["before"], releases["now"]) or "")
    assert why_not_comparable(releases["now"], releases["before"]) is None


def test_numbers_in_versions_are_ordered_as_numbers() -> None:
    versions = ["2025-9", "2025-10", "2026", "2026-Q1", "v9", "v10", "\u0663"]
    assert sorted({*versions}, key=version_order) == versions


def test_releases_of_other_titles_are_not_compared(tmp_path: Path) -> None:
    titles = {"2026": "Prisoners 2026", "2025": "Prisoners 2025", "2024": "Teachers 2024"}
    now, before, unlike = (
        open_release(publish(tmp_path, version=version, title=title)) for version, title in titles.items()
    )
    assert why_not_comparable(now, before) is None
    assert "Teachers" in (why_not_comparable(now, unlike) or "")


def test_categories_that_differ_matter_only_in_tables_that_have_them(releases: dict[str, OpenRelease]) -> None:
    now, unlike = releases["now"], releases["unlike"]
    assert why_not_comparable(now, unlike) is None
    assert table_change(answer(now, asked("age")), answer(unlike, asked("age")))["cells"].known.all()
    for question in (asked("sex"), asked("age", "", sex="m")):
        with pytest.raises(IncomparableError, match="sex"):
            table_change(answer(now, question), answer(unlike, question))


def test_a_change_of_sums_without_a_law_is_said_to_be_unknown(releases: dict[str, OpenRelease]) -> None:
    question = asked("area,age", "sex", area="|".join(AREAS[:8]))
    shown, old = (answer(releases[name], question) for name in ("bare now", "bare before"))
    changes = table_change(shown, old)["cells"]
    assert (np.asarray(changes.clear) <= changes.known).all()
