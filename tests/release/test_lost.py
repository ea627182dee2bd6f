"""If the server of a ledger is lost, or the temporary folder is full, the error says what to do."""

import errno
import os
import shlex
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from discreet import cli, design
from discreet.account.ledger.ledger import Ledger
from discreet.count.cell_counts import cell_counts
from discreet.errors import DiscreetError, InputError, LedgerError
from discreet.measure import secrets
from discreet.release import run
from tests import town
from tests.servers import Postgres


@pytest.fixture
def served(tmp_path: Path, postgres: Postgres) -> dict[str, Any]:
    """Return the specification of a release that is paid from a ledger on a server."""
    spec = town.settle(tmp_path)
    postgres.execute("DROP DATABASE IF EXISTS lost WITH (FORCE)", "CREATE DATABASE lost")
    unit = design.geometric(epsilon="0.25").certify()
    secret = secrets.read_secret(tmp_path / "secret.key")
    Ledger.open(postgres.url("lost"), unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return {**spec, "ledger": postgres.url("lost")}


def lose(server: Postgres) -> None:
    """Let the server end all connections to the ledger, and refuse new ones."""
    server.execute(
        "ALTER DATABASE lost ALLOW_CONNECTIONS false",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'",
    )


def refunded(note: str, server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give units back with the command that the note names."""
    command = note.split("`")[-2]
    words = [server.url("lost") if word == "LEDGER" else word for word in shlex.split(command)]
    monkeypatch.setattr(sys, "argv", [*words, "--secret", str(tmp_path / "secret.key")])
    cli.main()


@pytest.mark.parametrize(
    "stage", ["discreet.release.count_and_draw.cell_counts", "discreet.account.ledger.ledger.Ledger.reserve"]
)
def test_units_that_a_lost_server_holds_are_told_and_can_be_given_back(
    served: dict[str, Any], tmp_path: Path, postgres: Postgres, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is lost while rows are counted, or after it reserved units and before it could answer."""
    reserve, counts = Ledger.reserve, cell_counts

    def count_and_lose(*arguments: Any) -> Any:
        lose(postgres)
        return counts(*arguments)

    def reserve_and_lose(self: Ledger, *arguments: Any, **options: Any) -> Any:
        reserve(self, *arguments, **options)
        lose(postgres)
        return reserve(self, *arguments, **options)

    replacement = count_and_lose if "cell_counts" in stage else reserve_and_lose
    with mock.patch(stage, replacement), pytest.raises(LedgerError) as failed:
        run(served, tmp_path / "out")
    note = failed.value.__notes__[-1]
    assert "3 units" in note or "4 units" in note
    assert "Nothing was drawn with them" in note
    assert not list(tmp_path.glob("out*"))
    postgres.execute("ALTER DATABASE lost ALLOW_CONNECTIONS true")
    ledger = Ledger.at(served["ledger"], secrets.read_secret(tmp_path / "secret.key"))
    assert ledger.verify().reserved > 0
    refunded(note, postgres, tmp_path, monkeypatch)
    assert ledger.verify().reserved == 0
    run(served, tmp_path / "out")


def full(path: Path) -> Any:
    """Let the system say that the disk is full when a folder is made in this path."""
    real = os.mkdir

    def mkdir(name: Any, *rest: Any, **options: Any) -> None:
        if Path(name).parent == path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(name, *rest, **options)

    return mock.patch("os.mkdir", mkdir)


def test_a_temporary_folder_that_cannot_be_made_is_told(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    with full(tmp_path / "aside"), pytest.raises(DiscreetError, match=r"No space left .*TMPDIR"):
        run(paid, tmp_path / "out")
    assert town.spent(tmp_path) == 0


def test_a_temporary_folder_with_no_room_for_a_copy_is_told(paid: dict[str, Any], tmp_path: Path) -> None:
    """A CSV file with bytes that are not UTF-8 is copied."""
    with (tmp_path / "people.csv").open("ab") as file:
        file.write(b"1,\xff,n,1\n")
    no_room = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with (
        mock.patch("pyarrow.parquet.ParquetWriter.write_table", side_effect=no_room),
        pytest.raises(InputError, match=r"people\.csv .*No space left on device.*TMPDIR"),
    ):
        run(paid, tmp_path / "out")
    assert town.spent(tmp_path) == 0
