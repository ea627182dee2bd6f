"""A draw is known again in whatever order and spelling it is asked for."""

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
    """Two tables of three dimensions; every row is a person."""
    dimensions = {"sex": paid["dimensions"]["sex"], "side": SIDE, "age": AGE}
    return {**paid, "ledger": None, "unit": {}, "dimensions": dimensions, "tables": TABLES, "key": "fresh"}


def by_label(path: Path) -> set[tuple[str, ...]]:
    """Every measurement of a folder with the categories of its cell, in whatever order."""
    with (path / "measurements.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {tuple(f"{name}={row[name]}" for name in sorted(row.keys() - {"grouping"})) for row in rows}


def turned(asked: dict[str, Any], what: str) -> dict[str, Any]:
    """The same release in another order."""
    dimensions = dict(asked["dimensions"])
    match what:
        case "tables":
            return {**asked, "tables": [*reversed(asked["tables"])]}
        case "axes":
            first = {**asked["tables"][0], "dimensions": ["age", "sex"]}
            return {**asked, "tables": [first, *asked["tables"][1:]]}
        case "margins":
            first = {**asked["tables"][0], "margins": [[], ["age"], ["sex"]]}
            return {**asked, "tables": [first, *asked["tables"][1:]]}
        case "dimensions":
            return {**asked, "dimensions": dict(reversed(dimensions.items()))}
        case "categories":
            dimensions["sex"] = {**dimensions["sex"], "categories": ["m", "f"]}
        case "ranges":
            dimensions["age"] = {**AGE, "ranges": dict(reversed(AGE["ranges"].items()))}  # type: ignore[attr-defined]
    return {**asked, "dimensions": dimensions}


ORDERS = ["tables", "axes", "margins", "dimensions", "categories", "ranges"]


@pytest.mark.parametrize("what", ORDERS)
@pytest.mark.parametrize("unit", [{}, {"id": "id"}])
def test_a_fresh_draw_in_another_order_goes_on_with_every_measurement_at_its_cell(
    several: dict[str, Any], tmp_path: Path, what: str, unit: dict[str, Any]
) -> None:
    """Or a second draw would be one edit away."""
    asked = {**several, "unit": unit}
    refuse(asked, tmp_path / "out")
    copy = (tmp_path / KEPT).read_bytes()
    with nothing_is_drawn():
        run(turned(asked, what), tmp_path / "other")
    (tmp_path / KEPT).write_bytes(copy)
    (tmp_path / KEPT).chmod(0o600)
    with nothing_is_drawn():
        run(asked, tmp_path / "out")
    assert by_label(tmp_path / "other") == by_label(tmp_path / "out")
    verify_folder(tmp_path / "other")


@pytest.mark.parametrize("what", ORDERS)
@pytest.mark.parametrize("unit", [{}, {"id": "id"}])
def test_a_query_draw_goes_on_in_another_order_unless_that_order_makes_other_keys(
    several: dict[str, Any], tmp_path: Path, what: str, unit: dict[str, Any]
) -> None:
    """What it would draw anew is other noise, and the same specification must make the same folder."""
    asked = {**several, "unit": unit, "key": "query"}
    other = turned(asked, what)
    refuse(asked, tmp_path / "out")
    if what == "ranges" or (unit and what in ("dimensions", "categories")):
        for name in ("out", "other"):
            with nothing_is_drawn(), pytest.raises(ReleaseError, match=r"another order.*break the promise"):
                run(other, tmp_path / name)
        assert run(asked, tmp_path / "out").resumed == tmp_path / KEPT
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
    asked = {**several, "dimensions": ages, "tables": tables}
    kept = refuse(asked, tmp_path / "out")
    assert len(kept["measurements"]) == 8
    with nothing_is_drawn():
        run(asked, tmp_path / "out")
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


def test_a_server_is_known_by_its_place_and_not_by_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOWN", "host=db dbname=town user=anna password=secret")
    found = draw_identity._source(Source.of({"postgres": "env:TOWN", "table": "people"}))
    assert found == draw_identity._source(Source.of({"table": '"people"', "postgres": "postgresql://bert@db/town"}))
    assert found != draw_identity._source(Source.of({"postgres": "postgresql://bert@db/village", "table": "people"}))
    assert "secret" not in str(found)
    assert (
        draw_identity._source(Source.of({"postgres": "no connection string", "table": "t"}))["postgres"]
        == "no connection string"
    )


@pytest.mark.parametrize("key", ["fresh", "query"])
def test_a_release_into_another_place_finds_what_was_drawn_by_the_memory_of_the_secret(
    several: dict[str, Any], tmp_path: Path, key: str
) -> None:
    asked = {**several, "key": key}
    (tmp_path / "elsewhere").mkdir()
    kept = refuse(asked, tmp_path / "out")
    with nothing_is_drawn():
        made = run(turned(asked, "tables"), tmp_path / "elsewhere" / "new")
    assert made.resumed == tmp_path / KEPT
    assert published(tmp_path / "elsewhere" / "new") == kept["measurements"]
    assert not (tmp_path / KEPT).exists()
    assert run(asked, tmp_path / "out").resumed is None  # what was published is not waited for
