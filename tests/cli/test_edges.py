"""Mistakes at the edges of the command line: secrets, poor terminals, restored ledgers, late signals."""

import base64
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.redact import HIDDEN, hidden, shown

SECRET = bytes(range(7, 256, 7))[:32]
HEX = SECRET.hex()
BASE64 = base64.b64encode(bytes((37 * at * at + 11 * at) % 251 for at in range(32))).decode()
GROUPS = [separator.join(HEX[at : at + 2] for at in range(0, 64, 2)) for separator in (":", " ", "-", ", ")]

FIELDS = [
    "version: v1\nkey: {}\n",
    "version: v1\nsecret: {{{}: x}}\n",
    "version: v1\n{}: 1\n",
    "version: *{}\n",
    "version: !!int {}\n",
    "version: !{} x\n",
    "version: v1\n{0}: 1\n{0}: 2\n",
]

ARGUMENTS = [
    ["keys", "fingerprint", "FILE", HEX],
    ["keys", HEX],
    [HEX],
    [f"--{HEX}"],
    ["release", HEX, "-o", "out"],
    ["verify", HEX],
    ["demo", "-o", f"/nonexist/{HEX}"],
    ["design", "geometric", "--epsilon", HEX],
    *(["verify", text] for text in GROUPS),
    *(["keys", "fingerprint", text] for text in GROUPS),
    ["keys", "fingerprint", f"/nonexist/{BASE64}"],
]


def kept_back(text: str) -> bool:
    """Return True if a text shows no eight characters of the secret in a row."""
    parts = [secret[at : at + 8] for secret in (HEX, BASE64, *GROUPS) for at in range(len(secret) - 7)]
    return not any(part in text for part in parts)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda given: " ".join(given)[:24])
def test_a_secret_in_place_of_an_argument_is_not_repeated(discreet: Any, arguments: list[str]) -> None:
    result = discreet(*arguments)
    assert result.code == 2
    assert kept_back(result.out + result.err)
    assert "not shown" in result.err


@pytest.mark.parametrize("text", FIELDS)
def test_a_secret_in_place_of_a_field_is_not_repeated(discreet: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "spec.yaml").write_text(text.format(HEX))
    result = discreet("release", "spec.yaml", "-o", "out")
    assert result.code == 2
    assert kept_back(result.out + result.err)
    assert "spec.yaml" in result.err


@pytest.mark.parametrize(
    "text",
    [
        "/home/Anna/Projects/Release2026/Secret.key cannot be read",
        "the years are 2019, 2020, 2021, 2022, 2023, 2024, 2025",
        "2026-Census-release-of-the-town-of-Abbey-v2",
        "0.123456789012345678901234567890",
        "the name " + "a" * 300,
        "/private/var/folders/x1/3k9d8f7s6d5f4g3h2j1k0l9m8n7b6v/T/out",
        f"the file says 'sha256:{HEX}'",
    ],
)
def test_ordinary_names_and_numbers_stay_readable(text: str) -> None:
    assert hidden(text) == text


def test_every_error_hides_what_may_be_a_secret() -> None:
    for text in (HEX, HEX.upper(), BASE64, *GROUPS):
        assert str(DiscreetError(f"{text!r} is given; give a name")) == f"{HIDDEN!r} is given; give a name"
        assert HIDDEN in shown(text)
    assert shown("secret.key") == "'secret.key'"


def test_a_mistyped_command_is_told_with_its_usage(discreet: Any) -> None:
    result = discreet("keys", "fingerprnt", "x")
    assert result.code == 2
    assert "Usage: discreet keys" in result.err
    assert "No such command 'fingerprnt'" in result.err
