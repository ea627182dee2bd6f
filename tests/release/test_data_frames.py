"""Releases from data frames, and releases that stay in memory."""

import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.certify import folder as second_checker
from discreet.errors import InputError, OutputError, ParameterError, ReleaseError, SolverError, SpecError
from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile.table_plan import TablePlan
from discreet.release import Release, ReleaseSpec, plan, run
from tests import town
from tests.count import frames


def rows() -> list[frames.Row]:
    """Return people with one to three rows each. Some ids and answers are missing."""
    draw = random.Random(3)
    return [
        {
            "person": None if draw.random() < 0.05 else person,
            "name": f"p{person}",
            "region": draw.choice(["north", "south", "elsewhere", None]),
            "age": draw.choice([None, draw.randrange(90)]),
            "income": None,
            "member": draw.choice([None, True, False]),
            "born": None,
            "seen": None,
        }
        for person in range(150)
        for _ in range(draw.choice([1, 1, 2, 3]))
    ]


def spec(folder: Path, key: str = "query", **changes: Any) -> dict[str, Any]:
    """Return the specification of two tables of such people, without a source."""
    if not (folder / "secret.key").exists():
        secrets.new_secret(folder / "secret.key")
    document: dict[str, Any] = {
        "version": "1",
        "unit": {"id": "person", "contributions": 2},
        "dimensions": {
            "region": {"column": "region", "categories": ["north", "south"]},
            "age": {"column": "age", "ranges": {"young": [0, 30], "old": [30, None]}},
            "member": {"column": "member", "categories": ["true", "false"]},
        },
        "tables": [
            {"name": "people", "dimensions": ["region", "age"], "margins": "all"},
            {"name": "members", "dimensions": ["member"], "margins": "all"},
        ],
        "design": {"name": "geometric", "epsilon": "0.2"},
        "key": key,
        "secret": {"file": str(folder / "secret.key")},
    }
    return document | ({} if key == "contributors" else {"budget": {"epsilon": 4, "delta": "1e-6"}}) | changes


SMALL = {
    "version": "1",
    "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    "design": {"name": "geometric", "epsilon": "0.5"},
    "budget": {"epsilon": 1, "delta": "1e-6"},
    "key": "fresh",
}
SEXES = pa.table({"sex": ["f"] * 40 + ["m"] * 60})


@pytest.mark.parametrize("key", ["query", "contributors"])
def test_every_library_gives_the_measurements_of_a_file(tmp_path: Path, key: str) -> None:
    people = rows()
    source = {"parquet": str(frames.write_parquet(people, tmp_path / "people.parquet"))}
    file = run(spec(tmp_path, key, source=source))
    for library, make in frames.LIBRARIES.items():
        release = run(spec(tmp_path, key), data=make(people))
        assert {**release.files, "manifest.json": b""} == {**file.files, "manifest.json": b""}, library
        assert release.manifest == {**file.manifest, "engine": "frame"}


def test_a_folder_from_a_frame_passes_both_checks(tmp_path: Path) -> None:
    release = run(spec(tmp_path), tmp_path / "out", data=pd.DataFrame(rows()).astype({"person": "Int64"}))
    assert release.folder == tmp_path / "out"
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["engine"] == "frame"
    assert verify_folder(tmp_path / "out").manifest.engine == "frame"
    report = second_checker.check(tmp_path / "out")
    assert not report.failures
    assert town.folder(tmp_path / "out") == dict(release.files)


def test_a_release_in_memory_can_be_saved_and_checked_later(tmp_path: Path) -> None:
    release = run(SMALL, data=SEXES)
    with pytest.raises(ReleaseError, match="memory"):
        _ = release.folder
    saved = release.save(tmp_path / "out")
    assert saved.folder == tmp_path / "out"
    verify_folder(tmp_path / "out")
    with pytest.raises(OutputError, match="out"):
        release.save(tmp_path / "out")


def test_measurements_are_within_the_noise_of_the_true_counts() -> None:
    release = run(SMALL, data=SEXES)
    reach = -release.ptable.interior[0].first
    assert np.abs(release.measurements[0] - [40, 60, 0]).max() <= reach
    assert abs(int(release.measurements[1]) - 100) <= reach


def test_an_empty_frame_is_published_as_noise() -> None:
    release = run(SMALL, data=SEXES.slice(0, 0))
    assert (np.array(release.table(to="arrow")["count"]) >= 0).all()


def test_categories_can_be_taken_from_a_frame_that_is_read_once() -> None:
    from_data = {**SMALL, "dimensions": {"sex": {"column": "sex", "from_data": True}}}
    release = run(from_data, data=SEXES.to_reader())
    assert release.table(to="arrow")["sex"].to_pylist() == ["f", "m", "_other", "_total"]
    assert release.promise is None
    assert "nothing is promised" in repr(release)


def test_a_plan_needs_no_source() -> None:
    assert plan(SMALL).touches == 2


@pytest.mark.parametrize("frame", [SEXES, SEXES.to_pandas(), pl.from_arrow(SEXES), {"sex": ["f"]}])
def test_a_frame_without_its_name_is_refused_with_what_to_write(frame: Any) -> None:
    with pytest.raises(ParameterError, match=rf"of the type {type(frame).__name__};.*run\(spec, data=frame\)"):
        run(SMALL, frame)


def test_a_source_and_data_are_refused_and_so_is_neither(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="data"):
        run(SMALL | {"source": {"csv": "people.csv"}}, data=SEXES)
    with pytest.raises(SpecError, match="source"):
        run(SMALL, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "named"),
    [(pa.table({"gender": ["f"]}), "'sex'"), ("people.csv", "people.csv"), (pd.DataFrame(), "'sex'"), (7, "int")],
)
def test_wrong_data_leave_nothing(data: Any, named: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=named):
        run(SMALL, tmp_path / "out", data=data)
    assert os.listdir(tmp_path) == []


def test_a_log_of_a_frame_holds_its_rows(tmp_path: Path) -> None:
    run(SMALL, data=pl.from_arrow(SEXES), log=tmp_path / "log.json")
    assert json.loads((tmp_path / "log.json").read_bytes())["rows_in_source"] == 100


class TestFailsAfterTheDraw:
    """A release in memory draws once, like one with a folder."""

    @pytest.fixture
    def failed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Make a release fail after its draw. Return the private file of its measurements."""

        def fail(*_: object) -> None:
            raise SolverError("no tables")

        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TablePlan, "fitted", fail)
            with pytest.raises(SolverError) as caught:
                run(SMALL, data=SEXES)
        (file,) = tmp_path.glob("discreet-unpublished*/*.unpublished.json")
        assert str(file) in "".join(caught.value.__notes__)
        return file

    def test_its_measurements_are_kept_where_only_their_owner_reads_them(self, failed: Path) -> None:
        assert failed.stat().st_mode & 0o777 == 0o600
        assert failed.parent.stat().st_mode & 0o777 == 0o700
        assert "40" not in json.loads(failed.read_bytes())["note"]

    def test_the_next_run_goes_on_from_them_and_reads_no_rows(self, failed: Path) -> None:
        kept = sorted(json.loads(failed.read_bytes())["measurements"])
        release = run(SMALL, data=SEXES.slice(0, 0))
        assert release.resumed == failed
        assert sorted([*release.measurements[0].tolist(), int(release.measurements[1])]) == kept
        assert not failed.exists()
        assert run(SMALL, data=SEXES).resumed is None

    def test_a_folder_that_others_can_open_is_refused(self, failed: Path) -> None:
        failed.parent.chmod(0o755)
        with pytest.raises(OutputError, match="discreet-unpublished"):
            run(SMALL, data=SEXES)


NUMBERS = ("count", "low", "high")


@pytest.fixture(scope="module")
def release() -> Release:
    tables = [
        {"name": "people", "dimensions": ["sex", "table"], "margins": [["sex"], []]},
        {"name": "low", "dimensions": ["table"]},
    ]
    extra = {"table": {"column": "x", "categories": ["count", "sex low"]}}
    document = SMALL | {"tables": tables, "dimensions": SMALL["dimensions"] | extra, "title": "<b>People</b>"}  # type: ignore[operator]
    data = pa.table({"sex": ["f"] * 40 + ["m"] * 60, "x": ["count"] * 100})
    return run(document | {"budget": {"epsilon": 5, "delta": "1e-6"}}, data=data)


def test_a_table_is_the_same_frame_in_every_library(release: Release) -> None:
    expected = release.table("people", to="arrow").to_pydict()
    assert list(expected) == ["sex", "table", "count", "low", "high"]
    assert release.table("people", to="polars").to_dict(as_series=False) == expected
    assert release.table("people", to="pandas").to_dict("list") == expected
    assert release.table("people").equals(release.table("people", to="pandas"))
    assert list(release.table("people", level=None)) == ["sex", "table", "count"]


def test_a_table_holds_the_published_counts_and_intervals(release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out")
    published = pd.read_csv(tmp_path / "out" / "people.intervals.csv")
    frame = release.table("people")
    for name in ("sex", "table", "count", "low", "high"):
        assert frame[name].tolist() == published[name].tolist()


def test_intervals_of_another_level_are_those_of_infer_and_hold_the_count(release: Release, tmp_path: Path) -> None:
    import discreet as dc

    release.save(tmp_path / "out")
    frame = release.table("people", level="0.5")
    inferred = dc.infer.folder(tmp_path / "out").csv(table="people", level="0.5")
    for line, count, low, high in zip(inferred.splitlines()[1:], *(frame[n] for n in NUMBERS), strict=True):
        own_low, own_high = map(int, line.split(",")[-4:-2])
        assert (low, high) == (min(own_low, count), max(own_high, count))


def test_a_wide_table_has_a_column_for_each_category(release: Release) -> None:
    long, wide = release.table("people"), release.table("people", across="sex", level=None)
    assert list(wide) == ["table", "f", "m", "_other", "_total"]
    for sex in ("f", "m", "_other"):
        assert wide[sex].tolist() == long[long["sex"] == sex].set_index("table").loc[wide["table"], "count"].tolist()
    assert wide["_total"].isna().tolist() == [True, True, True, False]
    assert wide["_total"].dtype == "Int64"
    with_intervals = release.table("people", across="table", to="arrow")
    assert with_intervals.column_names[:4] == ["sex", "count", "count low", "count high"]
    assert release.table("low", across="table", level=None, to="arrow").num_rows == 1


def test_all_tables_are_one_frame(release: Release) -> None:
    frame = release.to_frame(to="arrow")
    assert frame.column_names == ["_table", "sex", "table", "count", "low", "high"]
    parts = [release.table(name, to="arrow")["count"].to_pylist() for name in ("people", "low")]
    assert frame["count"].to_pylist() == parts[0] + parts[1]
    assert set(frame["sex"].to_pylist()[-3:]) == {None}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"name": "towns"}, "towns"),
        ({}, "people, low"),
        ({"name": "people", "across": "age"}, "age"),
        ({"name": "people", "to": "excel"}, "excel"),
        ({"name": "people", "level": 2}, "2"),
    ],
)
def test_a_table_that_does_not_exist_is_refused(release: Release, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        release.table(**arguments)


def test_a_library_that_is_not_installed_is_named(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.extras.find_spec", lambda name: None)
    monkeypatch.setattr("discreet.data_frames.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"polars.*discreet\[frames\]"):
        release.table("low", to="polars")
    assert isinstance(release.table("low"), pa.Table)
    with pytest.raises(InputError, match=r"matplotlib.*discreet\[plots\]"):
        release.plot("low")


def test_a_release_is_shown_shortly_and_without_markup(release: Release) -> None:
    assert len(repr(release)) < 200
    assert "epsilon 5" in repr(release)
    html = release._repr_html_()
    assert "<svg" in html
    assert "<b>" not in html
    assert "&lt;b&gt;People" in html


def test_a_plot_shows_the_counts_of_a_table(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    axes = release.plot("low", axes=Figure().subplots())
    assert axes.lines[0].get_xdata().tolist() == release.table("low", to="arrow")["count"].to_pylist()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["count", "sex low", "_other"]


def test_no_password_is_in_what_is_shown_of_a_specification() -> None:
    source = {"postgres": "host=db password=hunter2", "table": "people"}
    assert "hunter2" not in repr(ReleaseSpec.model_validate(SMALL | {"source": source}))
    assert "hunter2" not in repr(plan(SMALL | {"source": source}))
