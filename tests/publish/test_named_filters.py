"""Every file of a table with a filter says whom the filter keeps, and one population has one interval."""

import csv
import io
import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.certify import folder as second_checker
from discreet.errors import CertificateError
from discreet.publish.verify_folder import verify_folder
from tests.certify.released import Forger, forged, released

KIND = "women and everyone"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("filters"), KIND)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_filter_is_the_label_of_its_column_in_the_measurements(folder: Path) -> None:
    labels = {(row["grouping"].split(":")[0], row["place"], row["sex"]) for row in rows(folder / "measurements.csv")}
    assert {sex for table, _, sex in labels if table == "women"} == {"female"}
    assert {place for table, place, _ in labels if table == "most"} == {"north + c"}
    assert {place for table, place, _ in labels if table == "everyone"} == {"_total"}


def test_readme_and_metadata_of_all_formats_name_the_filter(folder: Path) -> None:
    readme = (folder / "README.md").read_text()
    assert "- women: age × place. Only sex: female.\n" in readme
    assert "Only sex: female." in json.loads((folder / "women.json").read_bytes())["note"]
    comments = json.loads((folder / "women.csv-metadata.json").read_bytes())["rdfs:comment"]
    assert comments == [{"@value": "Only sex: female.", "@language": "en"}]
    assert {row["STAT_POP"] for row in rows(folder / "women.sdmx.csv")} == {"Only sex: female."}
    assert "STAT_POP" not in (folder / "everyone.sdmx.csv").read_text()


@pytest.mark.parametrize(("name", "label"), [("measurements.csv", "female"), ("women.sdmx.csv", "Only sex: female.")])
def test_both_checkers_refuse_a_filter_that_another_label_hides(
    folder: Path, tmp_path: Path, name: str, label: str
) -> None:
    def hide(own_rows: list[list[str]]) -> None:
        last = next(row for row in reversed(own_rows) if label in row)
        last[last.index(label)] = "_total"

    def change(forger: Forger) -> None:
        forger.rows(name, hide)

    path = forged(folder.parent, tmp_path, KIND, change)
    assert second_checker.check(path).failures
    with pytest.raises(CertificateError):
        verify_folder(path)


def test_one_population_has_one_line_in_infer(folder: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(dc.infer.folder(folder).csv())))
    for age in ("child", "adult", "old", "_other"):
        of_women = [line for line in lines if (line["age"], line["sex"]) == (age, "female")]
        both = [line for line in of_women if (line["table"], line["place"]) in [("everyone", ""), ("women", "_total")]]
        assert len(both) == 2
        assert len({(line["low"], line["high"], line["mean"], line["most_likely"]) for line in both}) == 1


def test_one_population_has_one_interval_in_all_tables(folder: Path) -> None:
    everyone = {(row["sex"], row["age"]): row for row in rows(folder / "everyone.intervals.csv")}
    women = {(row["age"], row["place"]): row for row in rows(folder / "women.intervals.csv")}
    for age in ("child", "adult", "old", "_other", "_total"):
        one, other = everyone["female", age], women[age, "_total"]
        assert (one["count"], one["low"], one["high"]) == (other["count"], other["low"], other["high"])
    published = verify_folder(folder).published
    joint, own = published.joint, [set(cells.tolist()) for cells in published.plan.layout.cells.indices]
    sources = joint.narrowest()
    assert any((groupings != index).any() for index, (groupings, _) in sources.items())
    for index, (groupings, positions) in sources.items():
        for cell, source, position in zip(
            published.plan.layout.cells.indices[index], groupings, positions, strict=True
        ):
            assert published.plan.layout.cells.indices[source][position] == cell
            lower, upper = joint.ends_of_errors(int(source))
            width = (upper - lower).ravel()[position]
            for number in (number for number in sources if cell in own[number]):
                at = published.plan.layout.cells.indices[number].tolist().index(cell)
                other_lower, other_upper = joint.ends_of_errors(number)
                assert width <= (other_upper - other_lower).ravel()[at] * (1 + 1e-8)


def test_a_wrong_label_of_a_sum_lists_the_groups_too_and_the_nearest(folder: Path) -> None:
    reader = dc.infer.folder(folder)
    with pytest.raises(dc.DiscreetError) as error:
        reader.total("place=norht", table="women")
    assert [name for name in ("a, b, c", "north, south", "did you mean 'north'?") if name not in str(error.value)] == []
    with pytest.raises(dc.DiscreetError, match=r"did you mean 'place'\?"):
        reader.total("plaec=a", table="women")
    assert reader.total("place=north", table="women").mean() > 0
