"""`discreet verify DIR`: two checks, what each proves, and folders of other versions."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.errors import CertificateError

from ..certify.released import Forger, forged, released, several

OTHER = several(("software.discreet", "0.0.1"), ("software.numpy", "1.0"))
CONSISTENT = (1, 17, 21, 25)
"""The rows of t.csv that hold its first cell: the cell, its margins, the total."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


def verified(where: Path) -> str:
    shown = CliRunner().invoke(app, ["verify", str(where)])
    assert shown.exit_code == 0, shown.exception
    return " ".join(shown.output.split())


def refused(where: Path) -> str:
    error = CliRunner().invoke(app, ["verify", str(where)]).exception
    assert isinstance(error, CertificateError)
    return str(error)


def raised(by: int, *before: Callable[[Forger], None]) -> Callable[[Forger], None]:
    """The first count, its margins and the total, raised."""

    def change(forger: Forger) -> None:
        for each in before:
            each(forger)
        forger.counts("t.csv", *((row, by) for row in CONSISTENT))

    return change


def test_it_says_what_each_check_proved(place: Path) -> None:
    shown = verified(released(place, "plain"))
    assert "every claim holds" in shown
    assert "first check by this version of Discreet: the manifest, the tables and report.html are what" in shown
    assert "second check by code that shares nothing with it" in shown
    assert "proved promise: epsilon 2" in shown
    assert "not checked that the columns 'place', 'age' were counted" in shown


def test_a_failure_of_either_check_is_one(place: Path, tmp_path: Path) -> None:
    """A count and its margins, which only a replay sees; and both, where both see it."""
    one = refused(forged(place, tmp_path / "one", "plain", raised(1)))
    assert "t.csv: is not what the measurements make" in one
    assert "discreet/certify/folder: it finds nothing wrong" in one
    both = refused(forged(place, tmp_path / "both", "plain", lambda f: f.counts("t.csv", (1, 1))))
    assert "t.csv: is not what the measurements make" in both
    assert "adding up: table t: the margin place is not the sum of its cells" in both


def test_a_failure_that_only_the_second_check_sees(place: Path, tmp_path: Path) -> None:
    def change(forger: Forger) -> None:
        OTHER(forger)
        forger.counts("t.csv", (1, 1))

    second = forged(place, tmp_path, "plain", change)
    assert "First check, by this version of Discreet: it finds nothing wrong" in refused(second)


def test_a_folder_of_another_version_that_comes_out_the_same(place: Path, tmp_path: Path) -> None:
    shown = verified(forged(place, tmp_path, "plain", OTHER))
    assert "every claim holds" in shown
    assert "not replayed" not in shown


def test_a_folder_of_another_version_that_comes_out_otherwise(place: Path, tmp_path: Path) -> None:
    """A count that was rounded otherwise, and another report."""

    def change(forger: Forger) -> None:
        OTHER(forger)
        forger.counts("t.csv", (1, 1), (2, -1), (21, 1), (22, -1))
        page = forger.path / "report.html"
        page.write_text(page.read_text().replace("<h1", "<p>of old</p><h1", 1))

    shown = verified(forged(place, tmp_path, "plain", change))
    assert "every claim holds" not in shown
    assert "no claim fails, and not every claim was checked" in shown
    assert "made by Discreet 0.0.1 with numpy 1.0; this is Discreet" in shown
    assert "tables were not replayed (t.csv, report.html)" in shown


@pytest.mark.parametrize("kind", ["plain", "three dimensions, two formats"])
def test_another_version_is_no_excuse(kind: str, place: Path, tmp_path: Path) -> None:
    """Counts that noise does not explain, or that are no counts."""
    if kind == "plain":
        far = refused(forged(place, tmp_path / "far", kind, raised(500, OTHER)))
        apart = re.search(r"t\.csv: place by age: published counts are up to (\d+) ", far)
        assert apart is not None
        assert int(apart[1]) == pytest.approx(500, abs=60)  # the count was not just as measured
        assert "made by Discreet 0.0.1" in far

    def broken(forger: Forger) -> None:
        OTHER(forger)
        name = "t.csv" if kind == "plain" else "t.json"
        path = forger.path / name
        path.write_text(path.read_text().replace("child", "Child", 1))

    assert "is not a table as a release writes it" in refused(forged(place, tmp_path / "broken", kind, broken))


def test_a_stranger_cannot_write_to_the_terminal(place: Path, tmp_path: Path) -> None:
    where = forged(place, tmp_path, "plain", several(("spec.tables.0.name", "\x1b[2Kevery claim holds")))
    assert "\x1b" not in refused(where).partition("Second check")[2]
