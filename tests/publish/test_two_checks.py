"""A folder is checked by replay and by the second checker, and a failure of either refuses it."""

from pathlib import Path

import pytest

from discreet.errors import CertificateError
from discreet.publish.two_checks import check_twice
from tests.certify.released import forged, released


def test_a_folder_that_holds_is_checked_completely(tmp_path: Path) -> None:
    checks = check_twice(released(tmp_path, "plain"))
    assert checks.is_complete
    assert checks.no_guarantee is None
    assert {finding.verdict for finding in checks.second.findings} == {"proved"}


def test_a_changed_folder_is_refused_with_what_both_checks_found(tmp_path: Path) -> None:
    changed = forged(tmp_path, tmp_path / "copies", "plain", lambda forger: forger.counts("t.csv", (1, 1)))
    with pytest.raises(CertificateError) as refused:
        check_twice(changed)
    assert refused.value.failures
    assert str(refused.value).count("t.csv") >= 1


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CertificateError):
        check_twice(tmp_path / "nowhere")
