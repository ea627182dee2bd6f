"""The private file of measurements is refused if it is damaged, changed, readable by others or no file."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import OutputError, ReleaseError
from discreet.measure import secrets
from discreet.publish import _pending_file
from discreet.publish.draw_identity import Identity
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.publish.pending.kept import KEPT, nothing_is_drawn, refuse
from tests.town import spent


def rewrite(path: Path, **changes: Any) -> None:
    """Change fields of a file, and keep its mode."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def seal(path: Path) -> None:
    """Correct the checksum of a file."""
    content = {name: value for name, value in json.loads(path.read_text()).items() if name != "sha256"}
    rewrite(path, sha256=_pending_file.checksum(content))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "JSON"),
        (b"\xff\x00", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[1, 2]", "format"),
        (b'{"format": "another"}', "format"),
        (b'{"format": "discreet unpublished measurements", "version": 1}', "version 1.* 2"),
        (b'{"format": "discreet unpublished measurements", "version": 2}', "sha256"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_where_it_has_the_name_of_this_release_and_of_no_other(
    paid: dict[str, Any], tmp_path: Path, content: bytes, named: str
) -> None:
    (tmp_path / KEPT).write_bytes(content)
    (tmp_path / KEPT).chmod(0o600)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=named) as refused:
        run(paid, tmp_path / "out")
    assert "remove the file" in str(refused.value)
    assert (tmp_path / KEPT).read_bytes() == content
    assert spent(tmp_path) == 0
    run(paid, tmp_path / "other")
    assert (tmp_path / KEPT).read_bytes() == content


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda raw: raw[: len(raw) // 2], "JSON"),
        (lambda raw: raw.replace(b'"version":2', b'"version":1'), "version 1"),
        (lambda raw: raw.replace(b'"measurements":[', b'"measurements":[1,'), "sha256"),
        (lambda raw: raw.replace(b'"release"', b'"another"'), "release"),
    ],
)
def test_a_damaged_file_of_another_name_is_refused_where_it_has_this_label_and_only_there(
    paid: dict[str, Any], tmp_path: Path, change: Any, named: str
) -> None:
    """The file may hold the draw of this release."""
    refuse(paid, tmp_path / "out")
    (tmp_path / KEPT).write_bytes(change((tmp_path / KEPT).read_bytes()))
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=named):
        run(paid, tmp_path / "other")
    assert run({**paid, "version": "v2"}, tmp_path / "other").resumed is None


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "open to others"])
def test_what_others_left_in_the_folder_stops_no_release(paid: dict[str, Any], tmp_path: Path, kind: str) -> None:
    foreign = tmp_path / "another.unpublished.json"
    if kind == "folder":
        foreign.mkdir()
    elif kind == "pipe":
        os.mkfifo(foreign)
    elif kind == "link":
        foreign.symlink_to("/dev/zero")
    else:
        refuse({**paid, "version": "v2"}, tmp_path / "another")
        foreign.chmod(0o644)
    assert run(paid, tmp_path / "out").resumed is None
    assert os.path.lexists(foreign)
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize(
    "change",
    [
        {"measurements": [1, 2, 3, 4]},
        {"measurements": []},
        {"measurements": "1 2 3 4"},
        {"measurements": [[1], [2, 3]]},
        {"release": "v1 0000000000000000"},
        {"label": "v2"},
        {"identity": "0" * 64},
        {"identity": None},
        {"keys": "0" * 64},
        {"sha256": None},
        {"mac": "0" * 64},
        {"mac": "\ud800"},
        {"mac": None},
    ],
)
@pytest.mark.parametrize("secret", [True, False])
def test_a_file_that_was_changed_is_refused(
    paid: dict[str, Any], tmp_path: Path, change: dict[str, Any], secret: bool
) -> None:
    spec = paid if secret else {**paid, "key": "fresh", "ledger": None, "secret": None}
    refuse(spec, tmp_path / "out")
    rewrite(tmp_path / KEPT, **change)
    for name in ("out", *(["other"] if "label" not in change else [])):
        with nothing_is_drawn(), pytest.raises(ReleaseError, match="sha256"):
            run(spec, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_a_file_of_another_secret_is_of_another_release_and_not_damaged(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(paid, tmp_path / "out")
    monkeypatch.setenv("OTHER", secrets.new_secret(tmp_path / "other.key").hex())
    spec = {**paid, "ledger": None, "key": "fresh", "secret": {"env": "OTHER"}}
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="'v1'"):
        run(spec, tmp_path / "out")


@pytest.mark.parametrize("change", [{"mac": "0" * 64}, {"release": "v1 0000000000000000"}])
def test_a_file_that_was_changed_and_given_a_new_checksum_is_refused(
    paid: dict[str, Any], tmp_path: Path, change: dict[str, Any]
) -> None:
    refuse(paid, tmp_path / "out")
    rewrite(tmp_path / KEPT, **change)
    seal(tmp_path / KEPT)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="mac"):
        run(paid, tmp_path / "out")


@pytest.mark.parametrize(
    ("measurements", "named"),
    [
        ([1, 2, 3], "4 cells"),
        ([1, 2, 3, 4.5], "4 cells"),
        ([1, 2, 3, 2**63], "4 cells"),
        ([[1, 2], [3, 4]], "4 cells"),
        ([[1, 2, 3], [4]], "4 cells"),
        (None, "4 cells"),
        ([1, 2, 3, -(10**9)], "table"),
    ],
)
def test_numbers_that_no_draw_gives_are_refused_even_with_the_right_mac(
    paid: dict[str, Any], tmp_path: Path, measurements: Any, named: str
) -> None:
    """Without a secret, anyone can make the mac."""
    spec = {**paid, "key": "fresh", "ledger": None, "secret": None}
    document = refuse(spec, tmp_path / "out")
    del document["mac"], document["sha256"]
    document["measurements"] = measurements
    known = Identity("v1", document["identity"], None, np.arange(4), b"")
    rewrite(tmp_path / KEPT, measurements=measurements, mac=_pending_file.mac(known, document))
    seal(tmp_path / KEPT)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=named):
        run(spec, tmp_path / "out")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o601])
def test_a_file_that_is_open_to_others_is_refused(spec: dict[str, Any], tmp_path: Path, mode: int) -> None:
    refuse(spec, tmp_path / "out")
    (tmp_path / KEPT).chmod(mode)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=f"{mode:04o}"):
        run(spec, tmp_path / "out")
    (tmp_path / KEPT).chmod(0o600)
    run(spec, tmp_path / "out")


@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "pipe"])
def test_what_is_not_a_file_is_refused(paid: dict[str, Any], tmp_path: Path, kind: str) -> None:
    refuse(paid, tmp_path / "out")
    moved = (tmp_path / KEPT).rename(tmp_path / "moved.json")
    if kind == "folder":
        (tmp_path / KEPT).mkdir()
    elif kind == "pipe":
        os.mkfifo(tmp_path / KEPT, 0o600)
    else:
        (tmp_path / KEPT).symlink_to(moved if kind == "link" else tmp_path / "nowhere")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="link"):
        run(paid, tmp_path / "out")


def test_a_file_that_the_system_does_not_let_read_is_refused(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another name belongs to another user, and not to this release."""
    refuse(paid, tmp_path / "out")

    def closed(path: Path) -> bytes:  # the tests may be run by root, whom no mode stops
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", closed)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=rf"{KEPT}.*Permission denied"):
        run(paid, tmp_path / "out")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert run(paid, tmp_path / "other").resumed is None


def test_a_name_that_leaves_no_room_for_the_file_costs_nothing(paid: dict[str, Any], tmp_path: Path) -> None:
    with nothing_is_drawn(), pytest.raises(OutputError, match="too long"):
        run(paid, tmp_path / ("x" * 250))
    assert spent(tmp_path) == 0
