"""`discreet release`, `discreet keys` and `discreet verify DIR` as a person uses them."""

import json
from pathlib import Path
from unittest import mock

from discreet.errors import OutputError
from tests.cli.conftest import Run

SPEC = """\
version: 1
source: {csv: people.csv}
dimensions:
  sex: {column: sex, categories: [f, m]}
tables: [{name: people, dimensions: [sex], margins: all}]
budget: {epsilon: 1, delta: 1e-6}
secret: {file: secret.key}
"""


def test_from_a_file_of_people_to_a_folder_that_verifies(discreet: Run) -> None:
    Path("people.csv").write_text("sex\n" + "f\nm\n" * 200)
    Path("release.yaml").write_text(SPEC)
    created = discreet("keys", "new", "secret.key")
    assert created.code == 0
    assert Path("secret.key").stat().st_mode & 0o777 == 0o600
    assert discreet("keys", "fingerprint", "secret.key").out.strip() in created.out
    released = discreet("release", "release.yaml", "-o", "out")
    assert released.code == 0, released.err
    assert "one row is in 1 of them" in released.out
    verified = discreet("verify", "out")
    assert verified.code == 0
    assert "every claim holds" in verified.out
    Path("out/people.csv").write_text("sex,count\nf,0\n")
    refused = discreet("verify", "out")
    assert refused.code == 2
    assert "people.csv" in refused.err


def test_the_schema_of_specifications_is_printed(discreet: Run) -> None:
    assert json.loads(discreet("release", "--schema").out)["title"] == "ReleaseSpec"


def test_a_wrong_specification_is_refused_with_the_line(discreet: Run) -> None:
    assert "SPEC.yaml -o DIR" in discreet("release").err
    Path("release.yaml").write_text(SPEC.replace("budget", "bugdet"))
    refused = discreet("release", "release.yaml", "-o", "out")
    assert refused.code == 2
    assert "line 6" in refused.err
    assert not Path("out").exists()
    assert "none.key" in discreet("keys", "fingerprint", "none.key").err


def test_a_release_that_failed_continues_from_its_measurements(discreet: Run) -> None:
    Path("people.csv").write_text("sex\n" + "f\nm\n" * 200)
    Path("release.yaml").write_text(SPEC)
    discreet("keys", "new", "secret.key")
    with mock.patch("discreet.files.write_folder", side_effect=OutputError("the disk is full")):
        refused = discreet("release", "release.yaml", "-o", "out")
    assert refused.code == 2
    assert "error: the disk is full\n" in refused.err
    assert "out.unpublished.json" in refused.err
    released = discreet("release", "release.yaml", "-o", "out")
    assert released.code == 0, released.err
    assert "(out.unpublished.json)" in released.out
    assert not Path("out.unpublished.json").exists()
