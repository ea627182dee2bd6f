"""A draw is recognised in any order and spelling of its specification."""

import csv
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import ReleaseError
from discreet.plan.source import Source
from discreet.publish import draw_identity
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.publish.pending.kept import KEPT, nothing_is_drawn, published, refuse
from tests.town import folder

SIDE = {"column": "side", "categories": ["n", "s"]}
AGE = {"column": "age", "ranges": {"child": [0, 16], "adult": [16, 40], "old": [40, None]}}
TABLES = [
    {"name": "one", "dimensions": ["sex", "age"], "margins": "all"},
    {"name": "two", "dimensions": ["side"], "filter": {"sex": ["f"]}},
]


@pytest.fixture
def several(paid: dict[str, Any]) -> dict[str, Any]:
    """Return a specification of two tables of three dimensions. Each row is a person."""
    dimensions = {"sex": paid["dimensions"]["sex"], "side": SIDE, "age": AGE}
    return {**paid, "ledger": None, "unit": {}, "dimensions": dimensions, "tables": TABLES, "key": "fresh"}


def by_label(path: Path) -> set[tuple[str, ...]]:
    """Return the measurements of a folder, each with the categories of its cell, in no order."""
    with (path / "measurements.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {tuple(f"{name}={row[name]}" for name in sorted(row.keys() - {"grouping"})) for row in rows}


def reordered(spec: dict[str, Any], part: str) -> dict[str, Any]:
    """Return the same release with one part in another order."""
    dimensions = dict(spec["dimensions"])
    match part:
        case "tables":
            return {**spec, "tables": [*reversed(spec["tables"])]}
        case "axes":
            first = {**spec["tables"][0], "dimensions": ["age", "sex"]}
            return {**spec, "tables": [first, *spec["tables"][1:]]}
        case "margins":
            first = {**spec["tables"][0], "margins": [[], ["age"], ["sex"]]}
            return {**spec, "tables": [first, *spec["tables"][1:]]}
        case "dimensions":
            return {**spec, "dimensions": dict(reversed(dimensions.items()))}
        case "categories":
            dimensions["sex"] = {**dimensions["sex"], "categories": ["m", "f"]}
        case "ranges":
            dimensions["age"] = {**AGE, "ranges": dict(reversed(AGE["ranges"].items()))}  # type: ignore[attr-defined]
    return {**spec, "dimensions": dimensions}


ORDERS = ["tables", "axes", "margins", "dimensions", "categories", "ranges"]


@pytest.mark.parametrize("part", ORDERS)
@pytest.mark.parametrize("unit", [{}, {"id": "id"}])
def test_a_fresh_draw_in_another_order_goes_on_with_every_measurement_at_its_cell(
    several: dict[str, Any], tmp_path: Path, part: str, unit: dict[str, Any]
) -> None:
    """Otherwise an edit would cause a second draw."""
    spec = {**several, "unit": unit}
    refuse(spec, tmp_path / "out")
    copy = (tmp_path / KEPT).read_bytes()
    with nothing_is_drawn():
        run(reordered(spec, part), tmp_path / "other")
    (tmp_path / KEPT).write_bytes(copy)
    (tmp_path / KEPT).chmod(0o600)
    with nothing_is_drawn():
        run(spec, tmp_path / "out")
    assert by_label(tmp_path / "other") == by_label(tmp_path / "out")
    verify_folder(tmp_path / "other")


@pytest.mark.parametrize("part", ORDERS)
@pytest.mark.parametrize("unit", [{}, {"id": "id"}])
def test_a_query_draw_goes_on_in_another_order_unless_that_order_makes_other_keys(
    several: dict[str, Any], tmp_path: Path, part: str, unit: dict[str, Any]
) -> None:
    """A new draw would have other noise, and the same specification must make the same folder."""
    spec = {**several, "unit": unit, "key": "query"}
    other = reordered(spec, part)
    refuse(spec, tmp_path / "out")
    if part == "ranges" or (unit and part in ("dimensions", "categories")):
        for name in ("out", "other"):
            with nothing_is_drawn(), pytest.raises(ReleaseError, match=rf"{KEPT}.* order"):
                run(other, tmp_path / name)
        assert run(spec, tmp_path / "out").resumed == tmp_path / KEPT
    else:
        with nothing_is_drawn():
            run(other, tmp_path / "out")
        assert run(other, tmp_path / "again").resumed is None
        assert folder(tmp_path / "out") == folder(tmp_path / "again")


def test_ranges_that_are_declared_twice_in_two_orders_are_measured_twice_and_kept(
    several: dict[str, Any], tmp_path: Path
) -> None:
    ages = {"age": AGE, "years": {**AGE, "ranges": dict(reversed(AGE["ranges"].items()))}}  # type: ignore[attr-defined]
    tables = [{"name": name, "dimensions": [name], "margins": "none"} for name in ages]
    spec = {**several, "dimensions": ages, "tables": tables}
    kept = refuse(spec, tmp_path / "out")
    assert len(kept["measurements"]) == 8
    with nothing_is_drawn():
        run(spec, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]


@pytest.mark.parametrize("spelling", ["link", "folder that is a link", "dots", "relative", "defaults"])
def test_a_source_that_is_spelled_in_another_way_is_the_same_source(
    several: dict[str, Any], tmp_path: Path, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(several, tmp_path / "out")
    (tmp_path / "linked.csv").symlink_to(tmp_path / "people.csv")
    (tmp_path / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    source = {
        "link": {"csv": str(tmp_path / "linked.csv")},
        "folder that is a link": {"csv": str(tmp_path / "elsewhere" / "people.csv")},
        "dots": {"csv": f"{tmp_path}/./elsewhere/../{tmp_path.name}/people.csv"},
        "relative": {"csv": "people.csv"},
        "defaults": {"header": True, "delimiter": ",", **several["source"]},
    }[spelling]
    with nothing_is_drawn():
        assert run({**several, "source": source}, tmp_path / "out").resumed == tmp_path / KEPT


def test_a_server_is_known_by_host_and_database_and_not_by_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOWN", "host=db dbname=town user=anna password=secret")
    source = draw_identity._source(Source.of({"postgres": "env:TOWN", "table": "people"}))
    assert source == draw_identity._source(Source.of({"table": '"people"', "postgres": "postgresql://bert@db/town"}))
    assert source != draw_identity._source(Source.of({"postgres": "postgresql://bert@db/village", "table": "people"}))
    assert "secret" not in str(source)
    assert (
        draw_identity._source(Source.of({"postgres": "no connection string", "table": "t"}))["postgres"]
        == "no connection string"
    )


@pytest.mark.parametrize("key", ["fresh", "query"])
def test_a_release_into_another_place_finds_what_was_drawn_by_the_memory_of_the_secret(
    several: dict[str, Any], tmp_path: Path, key: str
) -> None:
    spec = {**several, "key": key}
    (tmp_path / "elsewhere").mkdir()
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        release = run(reordered(spec, "tables"), tmp_path / "elsewhere" / "new")
    assert release.resumed == tmp_path / KEPT
    assert published(tmp_path / "elsewhere" / "new") == kept["measurements"]
    assert not (tmp_path / KEPT).exists()
    if spec["ledger"] is None and key == "fresh":  # the memory knows that the cells were drawn
        with nothing_is_drawn(), pytest.raises(ReleaseError, match="fresh keys"):
            run(spec, tmp_path / "out")
    else:
        assert run(spec, tmp_path / "out").resumed is None  # published measurements are not kept
