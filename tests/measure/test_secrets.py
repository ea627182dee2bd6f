"""The secret: 32 random bytes that only their owner can read, and that no message shows."""

import base64
import hashlib
import hmac
import os
import random
import re
from pathlib import Path
from unittest import mock

import pytest

from discreet.cli import main
from discreet.errors import EntropyError, SecretError
from discreet.measure.secrets import fingerprint, new_secret, read_secret
from discreet.redact import HIDDEN
from discreet.release import run
from tests.town import settle

BYTES = bytes(range(100, 132))


def write(path: Path, data: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_a_new_secret_is_random_and_for_the_owner_only(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        first, second = new_secret(tmp_path / "one"), new_secret(tmp_path / "other")
    finally:
        os.umask(umask)
    assert first != second
    assert len(first) == 32
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
    assert read_secret(tmp_path / "one") == read_secret(str(tmp_path / "one")) == first


def test_a_secret_is_never_overwritten(tmp_path: Path) -> None:
    secret = new_secret(tmp_path / "one")
    with pytest.raises(SecretError, match="/one"):
        new_secret(tmp_path / "one")
    with pytest.raises(SecretError, match="none/one"):
        new_secret(tmp_path / "none" / "one")
    assert read_secret(tmp_path / "one") == secret


SPELLINGS = {
    "hexadecimal": BYTES.hex().encode(),
    "capitals": BYTES.hex().upper().encode() + b"\n",
    "base64": base64.b64encode(BYTES) + b"\r\n",
    "base64 for addresses": base64.urlsafe_b64encode(BYTES).rstrip(b"="),
}


@pytest.mark.parametrize("spelling", [*SPELLINGS.values(), BYTES], ids=[*SPELLINGS, "raw"])
def test_every_spelling_is_read_from_a_file(tmp_path: Path, spelling: bytes) -> None:
    assert read_secret(write(tmp_path / "s", spelling)) == BYTES


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
def test_every_spelling_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch, spelling: bytes) -> None:
    monkeypatch.setenv("TOWN", spelling.decode())
    assert read_secret("env:TOWN") == BYTES


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o602])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SecretError, match=f"mode {mode:04o}"):
        read_secret(write(tmp_path / "s", BYTES.hex().encode(), mode))


def test_stricter_modes_are_accepted(tmp_path: Path) -> None:
    assert read_secret(write(tmp_path / "s", BYTES.hex().encode(), 0o400)) == BYTES


@pytest.mark.parametrize(
    "data",
    [b"", b"hunter2 hunter2 hunter2", BYTES[:31], BYTES + b"!", BYTES.hex().encode()[:-2], b"x" * 64, b"\xff" * 100],
)
def test_data_that_are_no_secret_are_refused_and_not_shown(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SecretError, match="32") as refused:
        read_secret(write(tmp_path / "s", data))
    assert "hunter2" not in str(refused.value)
    assert BYTES.hex()[:8] not in str(refused.value)


@pytest.mark.parametrize("data", [b"correct horse battery staple 32!", bytes(32), b"ab" * 32, b"\x01\x02" * 16])
def test_typed_text_and_repeated_bytes_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SecretError, match="random") as refused:
        read_secret(write(tmp_path / "s", data))
    assert "horse" not in str(refused.value)


def test_a_missing_variable_and_a_missing_file_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOWN", raising=False)
    with pytest.raises(SecretError, match="TOWN"):
        read_secret("env:TOWN")
    for path in (tmp_path / "none", tmp_path, "a\0b"):
        with pytest.raises(SecretError, match=re.escape(repr(str(path)))):
            read_secret(path)


def test_a_fingerprint_is_a_hash_of_a_keyed_hash() -> None:
    expected = hashlib.sha256(hmac.new(BYTES, b"fingerprint", "sha256").digest()).hexdigest()[:16]
    assert fingerprint(BYTES) == expected
    with pytest.raises(SecretError):
        fingerprint(b"short")


def test_without_random_bytes_neither_a_secret_nor_a_release_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = settle(tmp_path) | {"key": "fresh", "secret": None}
    monkeypatch.setattr(random, "_urandom", mock.Mock(side_effect=OSError("no entropy")))
    with pytest.raises(EntropyError, match="no entropy"):
        new_secret(tmp_path / "other.key")
    with pytest.raises(EntropyError, match="no entropy"):
        run(spec, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "secret.key"}


@pytest.mark.parametrize("spelling", [*SPELLINGS.values(), BYTES.hex()[:-1].encode()], ids=[*SPELLINGS, "cut off"])
@pytest.mark.parametrize("template", ["{}", "env:{}", "folder/{}"])
def test_a_secret_instead_of_its_path_is_not_shown(spelling: bytes, template: str) -> None:
    text = spelling.decode().strip()
    with pytest.raises(SecretError) as refused:
        read_secret(template.format(text))
    assert text[:20] not in str(refused.value)
    assert HIDDEN in str(refused.value)


def test_a_release_and_a_command_do_not_show_a_secret_instead_of_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = settle(tmp_path) | {"secret": {"file": BYTES.hex()}}
    with pytest.raises(SecretError) as refused:
        run(spec, tmp_path / "out")
    assert BYTES.hex()[:20] not in str(refused.value)
    for command in (["keys", "fingerprint", BYTES.hex()], ["ledger", "verify", "x", "--secret", BYTES.hex()]):
        with mock.patch("sys.argv", ["discreet", *command]), pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        printed = capsys.readouterr()
        assert BYTES.hex()[:20] not in printed.out + printed.err


@pytest.mark.parametrize(
    "path", ["none/secret.key", "a-folder-with-a-very-long-name-indeed/key", "env:NO_SUCH_VARIABLE"]
)
def test_an_ordinary_name_is_shown(path: str) -> None:
    with pytest.raises(SecretError, match=path.removeprefix("env:")):
        read_secret(path)
