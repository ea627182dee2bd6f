"""`discreet infer` as a person uses it."""

import csv
import re
import shutil
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli import infer as command
from tests.cli.conftest import Result, Run

SPEC = """\
version: {version}
source: {{csv: people.csv}}
dimensions:
  sex: {{column: sex, categories: [f, m]}}
  area: {{column: area, categories: [north, south]}}
tables: [{{name: people, dimensions: [area, sex], margins: all}}]
budget: {{epsilon: 4, delta: 1e-6}}
key: fresh
measure: published
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Publish two versions of a release; write certificates, and a folder with a wrong certificate."""
    folder = tmp_path_factory.mktemp("folders")
    (folder / "people.csv").write_text("sex,area\n" + "f,north\nm,south\nf,south\n" * 200)
    for version in (1, 2):
        (folder / "release.yaml").write_text(SPEC.format(version=version))
        dc.release.run(folder / "release.yaml", folder / f"out{version}")
    dc.design.geometric(epsilon=1).certify().save(folder / "m.json")
    dc.design.geometric(epsilon=1, upper=20).certify().save(folder / "g.json")
    dc.design.cyclic(size=5, epsilon=1).certify().save(folder / "c.json")
    shutil.copytree(folder / "out1", folder / "changed")
    shutil.copy(folder / "m.json", folder / "changed" / "certificate.json")
    return folder


@pytest.fixture
def run(discreet: Run, folders: Path) -> Run:
    """Return a function that runs `discreet infer` in a copy of the folders."""
    shutil.copytree(folders, ".", dirs_exist_ok=True)

    def infer(*options: str) -> Result:
        return discreet("infer", *options)

    return infer


def test_the_intervals_of_a_folder_are_written_to_a_file(run: Run, discreet: Run) -> None:
    written = run("out1", "-o", "intervals.csv")
    assert written.code == 0, written.err
    cells = list(csv.DictReader(Path("intervals.csv").read_text().splitlines()))
    measured = list(csv.DictReader(Path("out1/measurements.csv").read_text().splitlines()))
    assert list(cells[0]) == ["table", "sex", "area", "measured", "low", "high", "mean", "most_likely"]
    assert [row["measured"] for row in cells] == [row["measurement"] for row in measured]
    assert all(int(row["low"]) <= int(row["most_likely"]) <= int(row["high"]) for row in cells)
    assert all(int(row["low"]) >= 0 for row in cells)
    assert discreet("verify", "out1").code == 0


def test_sums_shares_and_changes_are_printed(run: Run) -> None:
    shown = run("out1", "--level", "0.9", "--prior", "poisson:200")
    assert "with 90%" in shown.out
    assert "most likely" in shown.out
    total = run("out1", "--sum", "area=north")
    assert re.search("sum of 1 cell by area: [12]", total.out)
    assert "measured itself" not in total.out
    with_prior = run("out1", "--sum", "area=north", "--prior", "poisson:70")
    assert "sum of 3 cells by area, sex" in with_prior.out
    assert "measured itself as" in with_prior.out
    share = run("out1", "--share", "sex=f")
    assert "(95%)" in share.out
    assert "part: 1 cell by sex; rest: 2 cells by sex" in share.out
    part = run("out1", "--share", "sex=f,area=north", "--sum", "area=north")
    assert "share of sex=f,area=north: 9" in part.out
    nobody = run("out1", "--share", "sex=_other,area=north", "--sum", "sex=_other")
    assert "no statement is possible" in nobody.out
    assert "mean" not in nobody.out
    assert (
        "sum of 1 cell by sex and 1 cell by area, sex" in run("out1", "--sum", "sex=f", "--sum", "sex=m,area=north").out
    )
    assert "sum of 1 cell of all:" in run("out1", "--sum", "").out
    assert "measured before" in run("out2", "--minus", "out1").out
    assert "change of a sum of 1 cell by sex" in run("out2", "--minus", "out1", "--sum", "sex=f").out


def test_a_share_has_digits_enough_to_tell_its_ends_apart() -> None:
    percents = command._percents(dc.infer.Estimate(0.01021371, 0.01020349, 0.01022391, 0.95, 0, None))
    assert percents == ("1.0203%", "1.0224%", "1.0214%")
    assert command._percents(dc.infer.Estimate(0.5, 0, 1, 0.95, 0, None)) == ("0.00%", "100.00%", "50.00%")
    assert command._percents(dc.infer.Estimate(1, 1, 1, 0.95, 0, None))[0].startswith("100.00")


def test_measurements_may_be_given_as_options(run: Run) -> None:
    several = run("m.json", "--observed", "12,0,-3", "-o", "intervals.csv")
    assert several.code == 0
    assert Path("intervals.csv").read_text() == (
        "measured,low,high,mean,most_likely\n12,9,15,12.00,12\n0,0,3,0.58,0\n-3,0,3,0.58,0\n"
    )
    single = run("m.json", "--observed", "-3")
    assert "true counts behind a measurement of -3" in single.out
    assert "0.632" in single.out
    assert "true values behind a measurement of 3" in run("c.json", "--observed", "3").out


def test_an_interval_at_the_end_of_the_domain_has_no_high(run: Run) -> None:
    assert run("g.json", "--observed", "20,3", "-o", "intervals.csv").code == 0
    assert Path("intervals.csv").read_text() == (
        "measured,low,high,mean,most_likely,note\n20,17,,,20,counts of 20 or more are measured alike\n3,1,6,3.06,3,\n"
    )
    shown = run("g.json", "--observed", "20")
    assert "or more" in shown.out.split("true counts")[0]
    assert "20 or more  " in shown.out.split("true counts")[1]


def test_a_margin_at_the_end_of_the_domain_is_the_sum_of_its_cells(run: Run) -> None:
    """There are 600 people in cells of 200. The margin's own measurement says only that there are 300 or more."""
    text = SPEC.format(version=3) + "design: {name: geometric, epsilon: 1, upper: 300}\n"
    Path("release.yaml").write_text(text)
    dc.release.run("release.yaml", "out3")
    total = run("out3", "--sum", "")
    assert re.search("sum of 9 cells by area, sex: [56]", total.out)
    assert "300 or more" in total.out


def test_coverage_shows_how_often_intervals_hold_the_truth(run: Run) -> None:
    shown = run("m.json", "--coverage")
    assert "98.66%" in shown.out
    assert "over counts far from 0: 97.32%" in shown.out
    assert "over the prior: 97." in run("g.json", "--coverage", "--prior", "poisson:3").out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("m.json", "--observed", "1.5"), "'1.5'"),
        (("m.json", "--observed", "nan"), "'nan'"),
        (("m.json", "--observed", "1,,2"), "''"),
        (("m.json", "--observed", "12", "--table", "people"), "--observed"),
        (("m.json", "--observed", "12", "--level", "95"), "level is 95"),
        (("m.json", "--observed", "12", "--prior", "normal"), "'normal'"),
        (("g.json", "--observed", "99"), "99"),
        (("m.json",), "m.json"),
        (("m.json", "--coverage", "--observed", "3"), "--coverage"),
        (("c.json", "--coverage"), "Cycle(5)"),
        (("no.json", "--observed", "3"), "no.json"),
        (("out1", "--table", "men"), "'men'"),
        (("out1", "--sum", "sex=x"), "'x'"),
        (("out1", "--minus", "out1"), "'1'"),
        (("out1", "--share", "sex=f", "--minus", "out2"), "--share"),
        (("out1", "--sum", "sex=f", "-o", "sum.csv"), "--output"),
        (("out1", "-o", "out1/intervals.csv"), "out1/intervals.csv"),
        (("out1", "-o", "no/such/intervals.csv"), "no/such/intervals.csv"),
        (("changed", "-o", "intervals.csv"), "certificate"),
        (("changed", "--observed", "3"), "certificate"),
        (("changed", "--coverage"), "certificate"),
        (("c.json", "--observed", "3", "-o", "intervals.csv"), "Cycle(5)"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run: Run, options: tuple[str, ...], named: str) -> None:
    before = set(Path().rglob("*"))
    refused = run(*options)
    assert refused.code == 2
    assert named in refused.err.replace("\n", " ")
    assert "Traceback" not in refused.err
    assert set(Path().rglob("*")) == before
