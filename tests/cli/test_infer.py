"""`discreet infer` as a person uses it."""

import csv
import shutil
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli import infer as cli

SPEC = """\
version: {version}
source: {{csv: people.csv}}
dimensions:
  sex: {{column: sex, categories: [f, m]}}
  area: {{column: area, categories: [north, south]}}
tables: [{{name: people, dimensions: [area, sex], margins: all}}]
budget: {{epsilon: 4, delta: 1e-6}}
key: fresh
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a release, certificates of counts and of a cycle, and a folder with a wrong certificate."""
    place = tmp_path_factory.mktemp("folders")
    (place / "people.csv").write_text("sex,area\n" + "f,north\nm,south\nf,south\n" * 200)
    for version in (1, 2):
        (place / "release.yaml").write_text(SPEC.format(version=version))
        dc.release.run(place / "release.yaml", place / f"out{version}")
    dc.design.geometric(epsilon=1).certify().save(place / "m.json")
    dc.design.geometric(epsilon=1, upper=20).certify().save(place / "g.json")
    dc.design.cyclic(size=5, epsilon=1).certify().save(place / "c.json")
    shutil.copytree(place / "out1", place / "changed")
    shutil.copy(place / "m.json", place / "changed" / "certificate.json")
    return place


@pytest.fixture
def run(discreet, folders: Path):  # type: ignore[no-untyped-def]
    """`discreet infer` beside them."""
    shutil.copytree(folders, ".", dirs_exist_ok=True)
    return lambda *options: discreet("infer", *options)


def test_a_folder_to_a_file(run, discreet) -> None:  # type: ignore[no-untyped-def]
    made = run("out1", "-o", "found.csv")
    assert made.code == 0, made.err
    found = list(csv.DictReader(Path("found.csv").read_text().splitlines()))
    measured = list(csv.DictReader(Path("out1/measurements.csv").read_text().splitlines()))
    assert list(found[0]) == ["table", "sex", "area", "measured", "low", "high", "mean", "most_likely"]
    assert [row["measured"] for row in found] == [row["measurement"] for row in measured]
    assert all(int(row["low"]) <= int(row["most_likely"]) <= int(row["high"]) for row in found)
    assert all(int(row["low"]) >= 0 for row in found)
    assert discreet("verify", "out1").code == 0


def test_what_is_printed(run) -> None:  # type: ignore[no-untyped-def]
    shown = run("out1", "--level", "0.9", "--prior", "poisson:200")
    assert "with 90%" in shown.out
    assert "most likely" in shown.out
    added = run("out1", "--sum", "area=north")
    assert "sum of 1 cell by area: 1" in added.out or "sum of 1 cell by area: 2" in added.out
    assert "the same" not in added.out
    believed = run("out1", "--sum", "area=north", "--prior", "poisson:70")
    assert "sum of 3 cells by area, sex" in believed.out
    assert "the same, measured itself as" in believed.out
    share = run("out1", "--share", "sex=f")
    assert "(95%)" in share.out
    assert "part: 1 cell by sex; rest: 2 cells by sex" in share.out
    part = run("out1", "--share", "sex=f,area=north", "--sum", "area=north")
    assert "share of sex=f,area=north: 9" in part.out
    assert (
        "sum of 1 cell by sex and 1 cell by area, sex" in run("out1", "--sum", "sex=f", "--sum", "sex=m,area=north").out
    )
    assert "sum of 1 cell of all:" in run("out1", "--sum", "").out
    assert "measured before" in run("out2", "--minus", "out1").out
    assert "change of a sum of 1 cell by sex" in run("out2", "--minus", "out1", "--sum", "sex=f").out


def test_a_share_has_digits_enough_to_tell_its_ends_apart() -> None:
    found = cli._percents(dc.infer.Estimate(0.01021371, 0.01020349, 0.01022391, 0.95, 0, None))
    assert found == ("1.0203%", "1.0224%", "1.0214%")
    assert cli._percents(dc.infer.Estimate(0.5, 0, 1, 0.95, 0, None)) == ("0.00%", "100.00%", "50.00%")
    assert cli._percents(dc.infer.Estimate(1, 1, 1, 0.95, 0, None))[0].startswith("100.00")


def test_single_numbers(run) -> None:  # type: ignore[no-untyped-def]
    several = run("m.json", "--observed", "12,0,-3", "-o", "found.csv")
    assert several.code == 0
    assert Path("found.csv").read_text() == (
        "measured,low,high,mean,most_likely\n12,9,15,12.00,12\n0,0,3,0.58,0\n-3,0,3,0.58,0\n"
    )
    one = run("m.json", "--observed", "-3")
    assert "true counts behind a measurement of -3" in one.out
    assert "0.632" in one.out
    assert "true values behind a measurement of 3" in run("c.json", "--observed", "3").out


def test_a_table_with_an_end(run) -> None:  # type: ignore[no-untyped-def]
    assert run("g.json", "--observed", "20,3", "-o", "found.csv").code == 0
    assert Path("found.csv").read_text() == (
        "measured,low,high,mean,most_likely,note\n20,17,,,20,counts of 20 or more are measured alike\n3,1,6,3.06,3,\n"
    )
    shown = run("g.json", "--observed", "20")
    assert "or more" in shown.out.split("true counts")[0]
    assert "20 or more  " in shown.out.split("true counts")[1]


def test_a_margin_at_the_end_of_its_table(run) -> None:  # type: ignore[no-untyped-def]
    """600 people in cells of 200: the sum of cells tells their number, the margin's own measurement does not."""
    text = SPEC.format(version=3) + "design: {name: geometric, epsilon: 1, upper: 300}\n"
    Path("release.yaml").write_text(text)
    dc.release.run("release.yaml", "out3")
    added = run("out3", "--sum", "")
    assert "sum of 9 cells by area, sex: 5" in added.out or "sum of 9 cells by area, sex: 6" in added.out
    assert "which tells less: counts of 300 or more are measured alike" in added.out.replace("\n", " ")


def test_how_often_intervals_hold_the_truth(run) -> None:  # type: ignore[no-untyped-def]
    shown = run("m.json", "--coverage")
    assert "98.66%" in shown.out
    assert "over counts far from 0: 97.32%" in shown.out
    assert "over the prior: 97." in run("g.json", "--coverage", "--prior", "poisson:3").out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("m.json", "--observed", "1.5"), "'1.5'"),
        (("m.json", "--observed", "nan"), "'nan'"),
        (("m.json", "--observed", "1,,2"), "give integers"),
        (("m.json", "--observed", "12", "--table", "people"), "leave the others out"),
        (("m.json", "--observed", "12", "--level", "95"), "between 0 and 1"),
        (("m.json", "--observed", "12", "--prior", "normal"), "poisson:RATE"),
        (("g.json", "--observed", "99"), "measured as 99"),
        (("m.json",), "is not a folder"),
        (("m.json", "--coverage", "--observed", "3"), "leave the others out"),
        (("c.json", "--coverage"), "no order"),
        (("no.json", "--observed", "3"), "no.json"),
        (("out1", "--table", "men"), "choose one of: people"),
        (("out1", "--sum", "sex=x"), "no label 'x'"),
        (("out1", "--minus", "out1"), "two versions"),
        (("out1", "--share", "sex=f", "--minus", "out2"), "each folder"),
        (("out1", "--sum", "sex=f", "-o", "sum.csv"), "leave it out"),
        (("out1", "-o", "out1/found.csv"), "put it elsewhere"),
        (("out1", "-o", "no/such/found.csv"), "cannot be written"),
        (("changed", "-o", "found.csv"), "certificate"),
        (("changed", "--observed", "3"), "certificate"),
        (("changed", "--coverage"), "certificate"),
        (("c.json", "--observed", "3", "-o", "found.csv"), "no order"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(  # type: ignore[no-untyped-def]
    run, options: tuple[str, ...], complaint: str
) -> None:
    before = set(Path().rglob("*"))
    refused = run(*options)
    assert refused.code == 2
    assert complaint in refused.err.replace("\n", " ")
    assert "Traceback" not in refused.err
    assert set(Path().rglob("*")) == before
