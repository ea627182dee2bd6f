"""Sections 7.2 and 7.3: error bars against simulation, and the Adult data."""

import csv
import gzip
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import InputError, ParameterError
from discreet.papers.cormode2019 import PAPER
from discreet.papers.cormode2019.adult_data import read
from discreet.papers.cormode2019.count_mechanisms import binomial, matrix, root_mean_square
from discreet.papers.cormode2019.figures_errors import run_deviation
from discreet.papers.figure import Panel

HEADER = (
    "person_id age workclass fnlwgt education education_num marital_status occupation relationship race sex"
    " capital_gain capital_loss hours_per_week native_country income"
)


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """480 invented people in the columns of the Adult data: every third rich, every second a woman, ages 20 to 59."""
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    blank = dict.fromkeys(HEADER.split(), "x")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(blank))
        writer.writeheader()
        for k in range(480):
            rich, sex = ">50K" if k % 3 == 0 else "<=50K", "Female" if k % 2 else "Male"
            numbers = {"age": 20 + k % 40, "education_num": k % 16, "hours_per_week": 30 + k % 25}
            writer.writerow(blank | numbers | {"sex": sex, "income": rich, "workclass": "Private" if k % 5 else "?"})
    return path


def sampled(mechanism: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Outputs for true counts, by the inverse of the distribution function."""
    cumulative = np.cumsum(mechanism, axis=0)
    return np.array(
        [np.searchsorted(cumulative[:, j], u) for j, u in zip(counts, rng.random(len(counts)), strict=True)]
    )


def test_error_bars_are_those_of_simulated_runs() -> None:
    """Figure 13: the standard deviation of RMSE over runs of 1,250 groups of 8."""
    mechanism, rng = matrix("EM", 8, "0.67"), np.random.default_rng(5)
    found = []
    for _ in range(200):
        counts = rng.binomial(8, 0.3, 1250)
        errors = np.minimum(sampled(mechanism, counts, rng), 8) - counts
        found.append(float(np.sqrt(np.mean(errors**2))))
    expected = run_deviation(mechanism, binomial(8, 0.3), 1250)
    assert np.mean(found) == pytest.approx(root_mean_square(mechanism, binomial(8, 0.3)), abs=4 * expected / 200**0.5)
    assert np.std(found) == pytest.approx(expected, rel=0.25)


def test_counts_of_adult_groups(adult: Path) -> None:
    people = read(adult)
    assert people.people.shape == (480, 8)
    assert people.counts("high income", 3) == pytest.approx([0, 1, 0, 0])
    assert people.counts("women", 7) == pytest.approx(np.array([0, 0, 0, 34, 34, 0, 0, 0]) / 68)
    assert people.counts("under 30", 10) == pytest.approx([0.75, *[0] * 9, 0.25])
    assert people.people[:, people.attributes.index("degree")].sum() == 480 * 3 / 16
    assert people.people[:, people.attributes.index("private sector")].sum() == 480 * 4 / 5


def test_the_file_may_be_as_uci_has_it(tmp_path: Path) -> None:
    """No header, blanks after the commas, and compressed."""
    path = tmp_path / "adult.data.gz"
    line = "{}, Private, 1, HS-grad, 9, Divorced, Sales, Husband, White, {}, 0, 0, 40, Cuba, {}\n"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(line.format(25, "Female", "<=50K") + line.format(31, "Male", ">50K"))
    people = read(path)
    assert [people.counts(name, 2).tolist() for name in people.attributes[:3]] == [[0, 1, 0]] * 3
    assert people.counts("white", 2).tolist() == [0, 0, 1]


COLUMNS_READ = "age,workclass,education_num,marital_status,race,sex,hours_per_week,income\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("columns.csv", b"age,income\n30,>50K\n"),
        ("short.csv", b"1,2,3\n"),
        ("age.csv", (COLUMNS_READ + "old,Private,9,Divorced,White,Male,40,>50K\n").encode()),
        ("income.csv", (COLUMNS_READ + "30,Private,9,Divorced,White,Male,40,rich\n").encode()),
        ("sex.csv", (COLUMNS_READ + "30,Private,9,Divorced,White,1,40,>50K\n").encode()),
        ("coding.csv", COLUMNS_READ.encode() + b"30,\xff,9,Divorced,White,Male,40,>50K\n"),
        ("packed.csv.gz", COLUMNS_READ.encode()),
        ("cut.csv.gz", gzip.compress(COLUMNS_READ.encode() * 99, mtime=0)[:-9]),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match="education_num"):
        PAPER.with_data(path)


def test_too_few_people_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text(COLUMNS_READ + "30,Private,9,Divorced,White,Male,40,>50K\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"few\.csv has 1 people"):
        PAPER.with_data(path)


def test_figure_10_needs_the_adult_data(adult: Path) -> None:
    with pytest.raises(ParameterError, match=r"'8b'.*adult"):
        PAPER.figure("10")
    assert PAPER.with_data(adult).figure("10").item == "Figure 10"


def test_figure_10_has_the_error_rates_of_the_groups(adult: Path) -> None:
    """Every group's chance of a wrong count, one by one, and one standard error of 50 runs."""
    panels = PAPER.with_data(adult).figure("10").panels()
    flags = read(adult).people[:, 1]
    (women,) = [panel for panel in panels if panel.title == "women"]
    assert isinstance(women, Panel)
    for curve, place in product(women.curves, (0, 5, 18)):
        n = int(curve.x[place])
        name = "EM" if curve.name.startswith("EM") else curve.name
        truths = np.diagonal(matrix(name, n, "0.9"))
        wrong = [1 - truths[flags[k : k + n].sum()] for k in range(0, len(flags) - n + 1, n)]
        assert curve.y[place] == pytest.approx(np.mean(wrong))
        assert curve.low is not None
        deviation = np.sqrt(sum(q * (1 - q) for q in wrong)) / len(wrong) / 50**0.5
        assert curve.y[place] - curve.low[place] == pytest.approx(deviation)


def test_claims_on_the_adult_data(adult: Path) -> None:
    paper = PAPER.with_data(adult)
    added = [claim for compute in paper.claims[len(PAPER.claims) :] for claim in compute()]
    assert {claim.item for claim in added} == {"Section 7.2", "Figure 10", "Section 8, applications"}
    (people,) = [claim for claim in added if "people in the file" in claim.what]
    assert people.ours == 0
    assert not people.agrees
    assert all(claim.agrees or claim.note for claim in added)
