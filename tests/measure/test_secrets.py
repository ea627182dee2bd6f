"""The secret: 32 random bytes that only their owner can read, and that no message ever shows."""

import base64
import hashlib
import hmac
import os
import random
from pathlib import Path
from unittest import mock

import pytest

from discreet.cli import main
from discreet.errors import EntropyError, SecretError
from discreet.measure.secrets import fingerprint, new_secret, secret
from discreet.release import run
from tests.town import settle

BYTES = bytes(range(100, 132))


def write(path: Path, data: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_a_new_secret_is_random_and_for_the_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        one, other = new_secret(tmp_path / "one"), new_secret(tmp_path / "other")
    finally:
        os.umask(before)
    assert one != other
    assert len(one) == 32
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
    assert secret(tmp_path / "one") == secret(str(tmp_path / "one")) == one


def test_a_secret_is_never_overwritten(tmp_path: Path) -> None:
    made = new_secret(tmp_path / "one")
    with pytest.raises(SecretError, match="never overwritten"):
        new_secret(tmp_path / "one")
    with pytest.raises(SecretError, match="cannot be written"):
        new_secret(tmp_path / "none" / "one")
    assert secret(tmp_path / "one") == made


SPELLINGS = {
    "hexadecimal": BYTES.hex().encode(),
    "capitals": BYTES.hex().upper().encode() + b"\n",
    "base64": base64.b64encode(BYTES) + b"\r\n",
    "base64 for addresses": base64.urlsafe_b64encode(BYTES).rstrip(b"="),
}


@pytest.mark.parametrize("spelling", [*SPELLINGS.values(), BYTES], ids=[*SPELLINGS, "raw"])
def test_every_spelling_in_a_file(tmp_path: Path, spelling: bytes) -> None:
    assert secret(write(tmp_path / "s", spelling)) == BYTES


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
def test_every_spelling_in_the_environment(monkeypatch: pytest.MonkeyPatch, spelling: bytes) -> None:
    monkeypatch.setenv("TOWN", spelling.decode())
    assert secret("env:TOWN") == BYTES


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o602])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SecretError, match=r"read by others.*chmod 600"):
        secret(write(tmp_path / "s", BYTES.hex().encode(), mode))


def test_stricter_modes_are_accepted(tmp_path: Path) -> None:
    assert secret(write(tmp_path / "s", BYTES.hex().encode(), 0o400)) == BYTES


@pytest.mark.parametrize(
    "data",
    [b"", b"hunter2 hunter2 hunter2", BYTES[:31], BYTES + b"!", BYTES.hex().encode()[:-2], b"x" * 64, b"\xff" * 100],
)
def test_what_is_no_secret_is_refused_and_not_shown(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SecretError, match="discreet keys new") as refused:
        secret(write(tmp_path / "s", data))
    assert "hunter2" not in str(refused.value)
    assert BYTES.hex()[:8] not in str(refused.value)


@pytest.mark.parametrize("data", [b"correct horse battery staple 32!", bytes(32), b"ab" * 32, b"\x01\x02" * 16])
def test_what_a_person_typed_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SecretError, match="not random") as refused:
        secret(write(tmp_path / "s", data))
    assert "horse" not in str(refused.value)


def test_places_that_hold_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOWN", raising=False)
    with pytest.raises(SecretError, match="'TOWN' is not set"):
        secret("env:TOWN")
    for wrong in (tmp_path / "none", tmp_path, "a\0b"):
        with pytest.raises(SecretError, match="cannot be read"):
            secret(wrong)


def test_a_fingerprint_is_a_hash_of_a_keyed_hash() -> None:
    expected = hashlib.sha256(hmac.new(BYTES, b"fingerprint", "sha256").digest()).hexdigest()[:16]
    assert fingerprint(BYTES) == expected
    with pytest.raises(SecretError):
        fingerprint(b"short")


def test_without_random_bytes_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a secret nor a release with fresh keys."""
    asked = settle(tmp_path) | {"key": "fresh", "secret": None}
    monkeypatch.setattr(random, "_urandom", mock.Mock(side_effect=OSError("no entropy")))
    with pytest.raises(EntropyError, match="nothing was written"):
        new_secret(tmp_path / "other.key")
    with pytest.raises(EntropyError, match="nothing was written"):
        run(asked, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "secret.key"}


@pytest.mark.parametrize("spelling", [*SPELLINGS.values(), BYTES.hex()[:-1].encode()], ids=[*SPELLINGS, "cut off"])
@pytest.mark.parametrize("given", ["{}", "env:{}", "folder/{}"])
def test_a_secret_that_is_given_in_place_of_its_file_is_not_shown(spelling: bytes, given: str) -> None:
    text = spelling.decode().strip()
    with pytest.raises(SecretError) as refused:
        secret(given.format(text))
    assert text[:20] not in str(refused.value)
    assert "may be a secret" in str(refused.value)


def test_nor_by_a_release_or_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = settle(tmp_path) | {"secret": {"file": BYTES.hex()}}
    with pytest.raises(SecretError) as refused:
        run(asked, tmp_path / "out")
    assert BYTES.hex()[:20] not in str(refused.value)
    for command in (["keys", "fingerprint", BYTES.hex()], ["ledger", "verify", "x", "--secret", BYTES.hex()]):
        with mock.patch("sys.argv", ["discreet", *command]), pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        told = capsys.readouterr()
        assert BYTES.hex()[:20] not in told.out + told.err


@pytest.mark.parametrize(
    "path", ["none/secret.key", "a-folder-with-a-very-long-name-indeed/key", "env:NO_SUCH_VARIABLE"]
)
def test_an_ordinary_name_is_shown(path: str) -> None:
    with pytest.raises(SecretError, match=path.removeprefix("env:")):
        secret(path)
