"""Limits of the work and of the memory that a question costs."""

from pathlib import Path

import pytest

from discreet.infer.any_table import counted_cells
from discreet.infer.any_table.answered_table import answer
from discreet.infer.any_table.counted_cells import CountedCells
from discreet.infer.any_table.open_release import OpenRelease, open_release
from discreet.infer.any_table.table_change import table_change
from discreet.publish.cell_intervals import NO_END
from tests.infer.any_table.releases import AREAS, asked, publish

SUMS = asked("area", "", age="young|old")
"""Ten sums of two cells each."""


def _pair(folder: Path, name: str) -> tuple[OpenRelease, OpenRelease]:
    return open_release(publish(folder, name, version="2026")), open_release(publish(folder, name))


@pytest.mark.parametrize(
    ("name", "most", "are_bounded"),
    [("an upper end", 20, True), ("an upper end", 19, False), ("not made to add up", 19, True)],
)
def test_sums_have_no_end_if_the_noise_depends_on_the_count_and_they_are_long(
    name: str, most: int, are_bounded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted_cells, "MOST_UNLIKE_SUMMANDS", most)
    now, before = (answer(release, SUMS) for release in _pair(tmp_path, name))
    assert now.cells.sums.numbers.tolist() == [2] * 10
    assert ((now.cells.high != NO_END) == are_bounded).all()
    assert (now.cells.low[now.cells.high == NO_END] == 0).all()
    assert (table_change(now, before)["cells"].known == are_bounded).all()


def test_a_change_beyond_the_limit_computes_no_posterior(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_cells, "MOST_UNLIKE_SUMMANDS", 9)
    computed: list[object] = []

    def recorded(_: CountedCells, cells: list[tuple[int, ...]]) -> list[None]:
        computed.extend(cells)
        return [None for _ in cells]

    monkeypatch.setattr(CountedCells, "posteriors_of", recorded)
    now, before = (answer(release, asked("area")) for release in _pair(tmp_path, "an upper end"))
    assert now.cells.is_published
    assert not table_change(now, before)["cells"].known.any()
    assert computed == [(), ()]  # the totals, a single cell in each release


def test_equal_questions_have_one_answer_and_kinds_of_sums_have_short_names(tmp_path: Path) -> None:
    release = open_release(publish(tmp_path, "levels"))
    question = asked("sex", "", area="|".join(AREAS[1:7]))
    shown = answer(release, question)
    assert answer(release, question) is shown
    assert shown.cells.errors is not None
    assert {len(name) for name in shown.cells.errors.names} == {32}
    assert 0 < release.answers.total <= 100
    assert len(release.ends)
