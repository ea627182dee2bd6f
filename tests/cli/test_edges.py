"""Rare situations: secrets in wrong places, terminals without Unicode, restored ledgers, late signals."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from discreet import design
from discreet.errors import DiscreetError
from discreet.redact import HIDDEN, hide_secrets, quoted
from tests.cli.conftest import Run

SECRET = bytes(range(7, 256, 7))[:32]
HEX = SECRET.hex()
BASE64 = base64.b64encode(bytes((37 * i * i + 11 * i) % 251 for i in range(32))).decode()
GROUPS = [separator.join(HEX[i : i + 2] for i in range(0, 64, 2)) for separator in (":", " ", "-", ", ")]

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


def shows_no_secret(text: str) -> bool:
    """Return True if a text shows no eight characters of the secret in a row."""
    parts = [secret[i : i + 8] for secret in (HEX, BASE64, *GROUPS) for i in range(len(secret) - 7)]
    return not any(part in text for part in parts)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda arguments: " ".join(arguments)[:24])
def test_a_secret_in_place_of_an_argument_is_not_repeated(discreet: Run, arguments: list[str]) -> None:
    result = discreet(*arguments)
    assert result.code == 2
    assert shows_no_secret(result.out + result.err)
    assert "not shown" in result.err


@pytest.mark.parametrize("text", FIELDS)
def test_a_secret_in_place_of_a_field_is_not_repeated(discreet: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "spec.yaml").write_text(text.format(HEX))
    result = discreet("release", "spec.yaml", "-o", "out")
    assert result.code == 2
    assert shows_no_secret(result.out + result.err)
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
    assert hide_secrets(text) == text


def test_every_error_hides_what_may_be_a_secret() -> None:
    for text in (HEX, HEX.upper(), BASE64, *GROUPS):
        assert str(DiscreetError(f"{text!r} is given; give a name")) == f"{HIDDEN!r} is given; give a name"
        assert HIDDEN in quoted(text)
    assert quoted("secret.key") == "'secret.key'"


def test_a_mistyped_command_is_refused_with_the_usage(discreet: Run) -> None:
    result = discreet("keys", "fingerprnt", "x")
    assert result.code == 2
    assert "Usage: discreet keys" in result.err
    assert "'fingerprnt'" in result.err


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
MAIN = "import sys; from discreet.cli import main; main()"


@pytest.fixture
def spec(discreet: Run, tmp_path: Path) -> dict[str, Any]:
    """Return a specification whose version has a letter that ASCII lacks."""
    (tmp_path / "people.csv").write_text("sex\n" + "f\nm\n" * 50)
    assert discreet("keys", "new", "secret.key").code == 0
    return {
        "version": "m2\u00e9",
        "source": {"csv": "people.csv"},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "secret": {"file": "secret.key"},
        "outputs": ["csv"],
    }


def write_spec(spec: dict[str, Any], tmp_path: Path) -> str:
    """Write a specification. Return the name of its file."""
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
    return "spec.yaml"


def run_python(tmp_path: Path, *command: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run Python in another process."""
    return subprocess.run(
        [sys.executable, *command], cwd=tmp_path, check=False, text=True, stderr=subprocess.PIPE,
        **{"stdout": subprocess.PIPE, "env": {**os.environ, **ASCII}, **settings},
    )  # fmt: skip


def test_a_letter_that_a_terminal_lacks_is_printed_as_its_number(
    discreet: Run, spec: dict[str, Any], tmp_path: Path
) -> None:
    assert discreet("release", write_spec(spec, tmp_path), "-o", "out").code == 0
    for command in (["-c", MAIN, "verify", "out"], ["-m", "discreet.certify.folder", "out"]):
        process = run_python(tmp_path, *command)
        assert (process.returncode, process.stderr) == (0, "")
        assert "m2\\xe9" in process.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_the_second_checker_fails_if_its_output_is_full(discreet: Run, spec: dict[str, Any], tmp_path: Path) -> None:
    assert discreet("release", write_spec(spec, tmp_path), "-o", "out").code == 0
    with open("/dev/full", "w") as full:
        process = run_python(tmp_path, "-m", "discreet.certify.folder", "out", stdout=full)
    assert process.returncode == 2
    assert "No space left on device" in process.stderr
    assert len(process.stderr.splitlines()) == 1


@pytest.fixture
def ledger(discreet: Run, spec: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """Open a ledger. Return a specification whose release is paid from it."""
    design.geometric(epsilon="0.25").certify().save(tmp_path / "unit.json")
    opened = discreet(
        "ledger", "open", "town.ledger", "--unit", "unit.json", "--epsilon", "3", "--delta", "1e-6",
        "--secret", "secret.key",
    )  # fmt: skip
    assert opened.code == 0
    return spec | {"ledger": "town.ledger"}


def test_the_memory_of_the_secret_reveals_a_restored_ledger(
    discreet: Run, ledger: dict[str, Any], tmp_path: Path
) -> None:
    arguments = ("town.ledger", "--secret", "secret.key")
    assert "--head" in discreet("ledger", "verify", *arguments).out
    assert not (tmp_path / "secret.key.memory").exists()
    assert discreet("release", write_spec({**ledger, "version": "v1"}, tmp_path), "-o", "one").code == 0
    shutil.copy(tmp_path / "town.ledger", tmp_path / "older")
    assert discreet("release", write_spec({**ledger, "version": "v2"}, tmp_path), "-o", "two").code == 0
    verified = discreet("ledger", "verify", *arguments)
    assert verified.code == 0
    assert "memory of the secret" in verified.out
    assert re.search(rf"2 spent; .* seq {_seq(tmp_path / 'two')}\b", verified.out)
    assert "(entry 8;" in verified.out  # a release has four entries, its plan included
    shutil.copy(tmp_path / "older", tmp_path / "town.ledger")
    refused = discreet("ledger", "verify", *arguments)
    assert refused.code == 2
    assert "older copy" in refused.err
    ledger_shown = discreet("ledger", "show", *arguments)
    assert ledger_shown.code == 0
    assert "warning: " in ledger_shown.out


def _seq(folder: Path) -> int:
    return int(json.loads((folder / "manifest.json").read_bytes())["ledger"]["seq"])


def test_a_complete_release_gives_nothing_back(discreet: Run, ledger: dict[str, Any], tmp_path: Path) -> None:
    assert discreet("release", write_spec({**ledger, "version": "v1"}, tmp_path), "-o", "one").code == 0
    summary = discreet("ledger", "show", "town.ledger", "--secret", "secret.key").out
    name = next(line for line in summary.splitlines() if line.strip().startswith("v1 "))
    refused = discreet("ledger", "refund", "town.ledger", " ".join(name.split()[:2]), "--secret", "secret.key")
    assert refused.code == 2
    assert "nothing is left to do" in refused.err
    assert "again" not in refused.err


LATE = """
import os, signal, sys
from discreet.cli import main
import discreet.release.run
from discreet.publish.pending import Kept
signal.signal({number}, signal.SIG_DFL)
remove = Kept.remove
def remove_and_end(self):
    remove(self)
    os.kill(os.getpid(), {number})
Kept.remove = remove_and_end
sys.argv = ["discreet", "release", "spec.yaml", "-o", "out"]
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_after_publication_is_a_success(spec: dict[str, Any], tmp_path: Path, number: int) -> None:
    write_spec(spec, tmp_path)
    process = run_python(tmp_path, "-c", LATE.format(number=int(number)), env=dict(os.environ))
    assert process.returncode == 0
    assert "published" in process.stderr
    assert (tmp_path / "out" / "manifest.json").exists()


def test_a_missing_path_may_be_meant_as_a_file_or_a_folder(discreet: Run) -> None:
    result = discreet("verify", "nothere")
    assert result.code == 2
    assert "nothere" in result.err
    assert "file" in result.err
    assert "folder" in result.err


def test_a_reader_is_sent_to_the_publisher(discreet: Run, spec: dict[str, Any], tmp_path: Path) -> None:
    assert discreet("release", write_spec(spec, tmp_path), "-o", "out").code == 0
    file = tmp_path / "out" / "manifest.json"
    changed, replacements = re.subn(r'("budget": \{[^}]*"epsilon": )"3"', r'\1"0.1"', file.read_text("utf-8"))
    assert replacements > 0
    file.write_text(changed, "utf-8")
    result = discreet("verify", "out")
    assert result.code == 2
    assert "ask the publisher" in result.err
    assert "publish fewer" not in result.err


def test_long_lists_of_labels_say_how_many_there_are(discreet: Run, spec: dict[str, Any], tmp_path: Path) -> None:
    spec["dimensions"]["sex"] |= {"categories": [f"c{i}" for i in range(30)], "levels": {"l": {"g": ["none"]}}}
    result = discreet("release", write_spec(spec, tmp_path), "-o", "out")
    assert result.code == 2
    assert re.search(r"c0, .*c19, \.\.\. \(3[01] in all\)", result.err)


def test_a_ledger_states_why_it_refuses(discreet: Run, ledger: dict[str, Any], tmp_path: Path) -> None:
    cut = design.geometric(epsilon="0.25", support=40).certify()
    cut.save(tmp_path / "cut.json")
    ledger["budget"] = {"epsilon": 6, "delta": "1e-3"}
    refusals = [
        ({"certificate": "cut.json"}, "chance"),
        ({"name": "geometric", "epsilon": "2"}, "12 units"),
    ]
    for noise, named in refusals:
        result = discreet("release", write_spec({**ledger, "design": noise}, tmp_path), "-o", "out")
        assert result.code == 2
        assert named in result.err
        assert "design: {certificate: FILE" in result.err
