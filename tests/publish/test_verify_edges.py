"""What the first checker says of folders that a stranger made."""

import json
from pathlib import Path

import pytest

from discreet.errors import CertificateError
from discreet.publish.verify_folder import verify_folder
from tests.publish.changed import Change, Copy, changed, field, release


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("small"))


def refused(folder: Path) -> str:
    with pytest.raises(CertificateError) as error:
        verify_folder(folder)
    return str(error.value)


def scaled(name: str, factor: float) -> Change:
    def change(copy: Copy) -> None:
        composed = copy.manifest["privacy"]["composed"]
        composed[name] = repr(float(composed[name]) * factor)

    return change


BOMBS = {
    "composed delta": (field("privacy.composed.delta", "1e-999999999"), "composed delta"),
    "cell epsilon": (field("privacy.cell.epsilon", "1e999999999"), "privacy.cell.epsilon"),
    "budget": (field("spec.budget.delta", "1e-99999999"), "budget.delta"),
    "exp_epsilon": (lambda copy: copy.certificate("exp_epsilon", "1e999999999"), "guarantee.exp_epsilon"),
    "epsilon": (lambda copy: copy.certificate("epsilon", "1e-999999999"), "guarantee.epsilon"),
}


@pytest.mark.parametrize("where", BOMBS)
def test_a_short_text_of_a_huge_number_is_refused(where: str, folder: Path, tmp_path: Path) -> None:
    change, said = BOMBS[where]
    assert said in refused(changed(folder, tmp_path / "made", change))


@pytest.mark.parametrize("name", ["delta", "floor"])
@pytest.mark.parametrize("factor", [1 - 1e-8, 1 + 2e-5, 2])
def test_a_stated_guarantee_that_is_not_the_recomputed_one_is_refused(
    name: str, factor: float, folder: Path, tmp_path: Path
) -> None:
    assert f"composed {name}" in refused(changed(folder, tmp_path / "made", scaled(name, factor)))


def test_a_floor_of_one_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "composed floor" in refused(changed(folder, tmp_path / "made", field("privacy.composed.floor", "1.0")))


def test_a_floor_that_is_rounded_up_to_six_digits_is_taken(folder: Path, tmp_path: Path) -> None:
    verify_folder(changed(folder, tmp_path / "made", scaled("floor", 1 + 1e-7)))


@pytest.mark.parametrize("name", ["report.html", "t.csv", "certificate.json", "manifest.json"])
def test_a_link_to_a_file_outside_the_folder_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    made = changed(folder, tmp_path / "made", lambda copy: None)
    (made / name).rename(tmp_path / name)
    (made / name).symlink_to(tmp_path / name)
    said = refused(made)
    assert name in said
    assert "it is a link" in said


@pytest.mark.parametrize("scheme", [0, 3, 99, -(10**30), True, 2.0, "2"])
def test_a_scheme_that_does_not_exist_is_refused(scheme: object, folder: Path, tmp_path: Path) -> None:
    assert "manifest" in refused(changed(folder, tmp_path / "made", field("key.scheme", scheme)))


@pytest.mark.parametrize("scheme", [1, 2])
def test_a_scheme_that_exists_is_taken(scheme: int, folder: Path, tmp_path: Path) -> None:
    made = changed(folder, tmp_path / "made", field("key.scheme", scheme))
    assert verify_folder(made).manifest.key.scheme == scheme
    assert json.loads((made / "manifest.json").read_text())["key"]["scheme"] == scheme
