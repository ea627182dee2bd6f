"""What the second checker says of folders that a stranger made."""

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.certify import folder as second
from discreet.certify.folder.findings import Report, WrongError, number
from tests.publish.changed import changed, field, release


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", Fraction(1, 2)), ("1e-06", Fraction(1, 10**6)), ("1/3", Fraction(1, 3)), ("2E+2", 200), ("0", 0)],
)
def test_a_number_is_read_exactly(text: str, value: Fraction) -> None:
    assert number(text, "x") == value


@pytest.mark.parametrize("text", ["1e9999", "1e-999999999", "1E+99999999", "9" * 4001, "nan", "inf", "1/0", "", "x", 1])
def test_what_is_no_number_of_a_release_is_refused(text: object) -> None:
    with pytest.raises(WrongError, match="x is "):
        number(text, "x")


BOMBS = {
    "composed delta": (field("privacy.composed.delta", "1e-999999999"), "privacy.composed.delta"),
    "composed floor": (field("privacy.composed.floor", "1e-999999999"), "privacy.composed.floor"),
    "cell epsilon": (field("privacy.cell.epsilon", "1e999999999"), "privacy.cell.epsilon"),
    "cell delta": (field("privacy.cell.delta", "1e-999999999"), "privacy.cell.delta"),
    "budget": (field("spec.budget.delta", "1e-99999999"), "spec.budget.delta"),
    "exp_epsilon": (lambda copy: copy.certificate("exp_epsilon", "1e999999999"), "guarantee.exp_epsilon"),
    "epsilon": (lambda copy: copy.certificate("epsilon", "1e-999999999"), "guarantee.epsilon"),
    "delta": (lambda copy: copy.certificate("delta", "1e-999999999"), "guarantee.delta"),
}


@pytest.mark.parametrize("where", BOMBS)
def test_a_short_text_of_a_huge_number_is_refused(where: str, folder: Path, tmp_path: Path) -> None:
    change, said = BOMBS[where]
    report = second.check(changed(folder, tmp_path / "made", change))
    assert any(f"{said} is '1e" in line and "exponent is out of range" in line for line in report.failures)


def test_a_claim_for_which_the_memory_is_too_small_fails() -> None:
    def check() -> None:
        raise MemoryError

    report = Report()
    report.attempt("promise", check)
    assert report.failures == ["promise: it does not have the form of a release (MemoryError: )"]


@pytest.mark.parametrize("name", ["report.html", "t.csv", "certificate.json", "manifest.json"])
def test_a_link_to_a_file_outside_the_folder_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    made = changed(folder, tmp_path / "made", lambda copy: None)
    (made / name).rename(tmp_path / name)
    (made / name).symlink_to(tmp_path / name)
    assert any(f"{name} is a link" in line for line in second.check(made).failures)


@pytest.mark.parametrize("scheme", [0, 3, 99, -(10**30), True, 2.0, "2", None])
def test_a_scheme_that_does_not_exist_is_refused(scheme: object, folder: Path, tmp_path: Path) -> None:
    report = second.check(changed(folder, tmp_path / "made", field("key.scheme", scheme)))
    assert any("key.scheme is" in line for line in report.failures)


@pytest.mark.parametrize("scheme", [1, 2])
def test_a_scheme_that_exists_is_taken(scheme: int, folder: Path, tmp_path: Path) -> None:
    assert second.check(changed(folder, tmp_path / "made", field("key.scheme", scheme))).failures == []
