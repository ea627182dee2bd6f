"""`discreet verify DIR` makes two checks, says what each proves, and checks folders of other versions."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from discreet.certify.verify import verify as verify_certificate
from discreet.cli import app
from discreet.errors import CertificateError
from discreet.release import run

from ..certify.released import Forger, forged, released, several

OTHER = several(("software.discreet", "0.0.1"), ("software.numpy", "1.0"))
CONSISTENT = (1, 17, 21, 25)
"""The rows of t.csv that hold its first cell: the cell, its margins, the total."""


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for releases that several tests read."""
    return tmp_path_factory.mktemp("released")


def verified(folder: Path) -> str:
    """Assert that a folder verifies. Return what is printed, on one line."""
    result = CliRunner().invoke(app, ["verify", str(folder)])
    assert result.exit_code == 0, result.exception
    return " ".join(result.output.split())


def refused(folder: Path) -> str:
    """Assert that a claim of a folder fails. Return the message."""
    error = CliRunner().invoke(app, ["verify", str(folder)]).exception
    assert isinstance(error, CertificateError)
    return str(error)


def raised(by: int, *before: Callable[[Forger], None]) -> Callable[[Forger], None]:
    """Return a forgery that raises the first count, its margins and the total, after other forgeries."""

    def change(forger: Forger) -> None:
        for forgery in before:
            forgery(forger)
        forger.counts("t.csv", *((row, by) for row in CONSISTENT))

    return change


def test_each_check_states_what_it_proved(releases: Path) -> None:
    output = verified(released(releases, "plain"))
    assert "every claim holds" in output
    assert "first check by this version of Discreet: the manifest, the tables and report.html are what" in output
    assert "second check by code that shares nothing with it" in output
    assert "proved promise: epsilon 2" in output
    assert "not checked that the columns 'place', 'age' were counted" in output


def test_a_failure_of_either_check_is_a_failure(releases: Path, tmp_path: Path) -> None:
    """Only a replay sees a count raised with its margins. Both checks see a count raised alone."""
    by_replay = refused(forged(releases, tmp_path / "one", "plain", raised(1)))
    assert "t.csv: is not what the measurements make" in by_replay
    assert "discreet/certify/folder: it finds nothing wrong" in by_replay
    by_both = refused(forged(releases, tmp_path / "both", "plain", lambda f: f.counts("t.csv", (1, 1))))
    assert "t.csv: is not what the measurements make" in by_both
    assert "adding up: table t: the margin place is not the sum of its cells" in by_both


def test_a_failure_that_only_the_second_check_sees_is_a_failure(releases: Path, tmp_path: Path) -> None:
    def change(forger: Forger) -> None:
        OTHER(forger)
        forger.counts("t.csv", (1, 1))

    folder = forged(releases, tmp_path, "plain", change)
    said = " ".join(refused(folder).split())
    assert "First check, by this version of Discreet: it finds nothing wrong, but did not make again t.csv" in said


def test_a_folder_of_another_version_is_replayed_if_its_files_come_out_the_same(releases: Path, tmp_path: Path) -> None:
    output = verified(forged(releases, tmp_path, "plain", OTHER))
    assert "every claim holds" in output
    assert "not replayed" not in output


def test_a_folder_of_another_version_is_partly_checked_if_its_files_differ(releases: Path, tmp_path: Path) -> None:
    """A count was rounded differently, and the report differs."""

    def change(forger: Forger) -> None:
        OTHER(forger)
        forger.counts("t.csv", (1, 1), (2, -1), (21, 1), (22, -1))
        page = forger.path / "report.html"
        page.write_text(page.read_text().replace("<h1", "<p>of old</p><h1", 1))

    output = verified(forged(releases, tmp_path, "plain", change))
    assert "every claim holds" not in output
    assert "no claim fails, and not every claim was checked" in output
    assert "made by Discreet 0.0.1 with numpy 1.0; this is Discreet" in output
    assert "tables were not replayed (t.csv, t.intervals.csv, report.html)" in output


def test_a_report_of_another_build_of_the_same_version_is_said_to_be_one(releases: Path, tmp_path: Path) -> None:
    def other_report(forger: Forger) -> None:
        page = forger.path / "report.html"
        page.write_text(page.read_text().replace("<h1", "<p>of old</p><h1", 1))

    def other_build(forger: Forger) -> None:
        forger.set("software.build", "0123456789abcdef")
        other_report(forger)

    output = verified(forged(releases, tmp_path / "other", "plain", other_build))
    assert "in build 0123456789abcdef; this is build " in output
    assert "report.html was not replayed" in output
    assert "no claim fails, and not every claim was checked" in output
    assert "report.html: is not what" in refused(forged(releases, tmp_path / "same", "plain", other_report))
    far = forged(releases, tmp_path / "far", "plain", raised(500, several(("software.build", "0123456789abcdef"))))
    assert "t.csv" in refused(far)


@pytest.mark.parametrize("kind", ["plain", "three dimensions, two formats"])
def test_wrong_counts_fail_in_folders_of_other_versions_too(kind: str, releases: Path, tmp_path: Path) -> None:
    """Noise does not explain the counts, or they are not counts of the table."""
    if kind == "plain":
        far = refused(forged(releases, tmp_path / "far", kind, raised(500, OTHER)))
        distance = re.search(r"t\.csv: place by age: published counts are up to (\d+) ", far)
        assert distance is not None
        assert int(distance[1]) == pytest.approx(500, abs=60)  # the count was not just as measured
        assert "made by Discreet 0.0.1" in far

    def broken(forger: Forger) -> None:
        OTHER(forger)
        name = "t.csv" if kind == "plain" else "t.json"
        path = forger.path / name
        path.write_text(path.read_text().replace("child", "Child", 1))

    assert "is not a table as a release writes it" in refused(forged(releases, tmp_path / "broken", kind, broken))


def test_a_stranger_cannot_write_to_the_terminal(releases: Path, tmp_path: Path) -> None:
    folder = forged(releases, tmp_path, "plain", several(("spec.tables.0.name", "\x1b[2Kevery claim holds")))
    assert "\x1b" not in refused(folder).partition("Second check")[2]


def printed(tmp_path: Path, *options: str) -> str:
    """Certify a design. Return what `verify` prints about the certificate, on one line."""
    certificate = tmp_path / "noise.json"
    assert CliRunner().invoke(app, ["design", *options, "-o", str(certificate)]).exit_code == 0
    return verified(certificate)


def test_a_certificate_is_reported_in_other_notions_of_privacy(tmp_path: Path) -> None:
    """Randomized response of epsilon 1 has D_2 = log(e^2 - e + 1) - 1 (.7353) and rho = tanh(1/2) (.46212)."""
    output = printed(tmp_path, "randomized-response", "--epsilon", "1")
    assert "Renyi DP divergence at most 0.7354 at order 2" in output
    assert "zCDP rho = 0.4622, an upper bound" in output


def test_verify_says_in_words_that_noise_with_an_end_has_no_renyi_guarantee(tmp_path: Path) -> None:
    output = printed(tmp_path, "maxent", "--epsilon", "0.5", "--delta", "1e-4", "--variant", "paper")
    assert "Renyi DP none: the divergence is infinite at every order, because some outputs" in output
    assert "up to 9.913e-5" in output
    assert "zCDP none: rho is infinite for the same reason; without these outputs rho = 0.01012" in output


def test_large_tables_are_not_computed_in_other_notions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.cli._show.MOST_LOSSES", 100)
    output = printed(tmp_path, "geometric", "--epsilon", "1", "--upper", "20")
    assert "not computed, because the table is large" in output


def test_a_folder_without_a_promise_says_so_first(tmp_path: Path) -> None:
    people = pa.table({"sex": ["f"] * 40 + ["m"] * 60})
    spec: dict[str, Any] = {
        "version": "1",
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"], "found": "data"}},
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    run(spec, tmp_path / "found", data=people)
    spec["dimensions"]["sex"] = {"column": "sex", "categories": ["f", "m"], "source": "questionnaire"}
    run(spec, tmp_path / "declared", data=people)
    found = CliRunner().invoke(app, ["verify", str(tmp_path / "found")])
    assert found.exit_code == 0
    why = "categories or ranges were found in the data"
    first, second, *_ = found.output.splitlines()
    assert (
        first == f"{tmp_path}/found: no promise for the release as a whole ({why}). Apart from that, every claim holds"
    )
    assert second == f"guarantee        none: {why}"
    declared = CliRunner().invoke(app, ["verify", str(tmp_path / "declared")]).output.splitlines()
    assert declared[0] == f"{tmp_path}/declared: every claim holds"
    assert declared[1].startswith("guarantee        epsilon = 1, delta = ")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("spec.yaml", "version: 1\n", r"is a specification.*discreet plan .*spec\.yaml"),
        ("spec.txt", "title: x\nsource: {csv: a.csv}\n", "is a specification"),
        ("x.xlsx", "PK\x03\x04", "is a workbook or a zip archive"),
        ("x.parquet", "PAR1", "is a Parquet file"),
        ("x.csv", "a,b\n1,2\n", "is not JSON text, and no certificate"),
        ("cut.json", '{"bits": 32,', "has a mistake, or was cut short"),
    ],
)
def test_a_file_that_is_no_certificate_is_told_by_what_it_is(
    name: str, content: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(CertificateError, match=words):
        verify_certificate(tmp_path / name)


@pytest.mark.parametrize("name", ["manifest.json", "t.csv", "README.md", "report.html"])
def test_a_file_of_a_folder_leads_to_the_folder(name: str, releases: Path) -> None:
    folder = released(releases, "plain")
    with pytest.raises(CertificateError, match=rf"of a release folder; give the folder: discreet verify {folder}"):
        verify_certificate(folder / name)
    assert verify_certificate(folder / "certificate.json").digest


def test_a_folder_in_place_of_a_certificate_leads_to_the_command(releases: Path) -> None:
    with pytest.raises(CertificateError, match=r"is a folder; .*discreet verify"):
        verify_certificate(released(releases, "plain"))
