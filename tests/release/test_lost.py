"""A ledger's server that is lost, and a temporary folder that is full: what is held, and what to do, is told."""

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
    """A release that is paid from a ledger of a server."""
    asked = town.settle(tmp_path)
    postgres.execute("DROP DATABASE IF EXISTS lost WITH (FORCE)", "CREATE DATABASE lost")
    unit = design.geometric(epsilon="0.25").certify()
    secret = secrets.secret(tmp_path / "secret.key")
    Ledger.open(postgres.url("lost"), unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return {**asked, "ledger": postgres.url("lost")}


def lose(server: Postgres) -> None:
    """Have the server break off all that use the ledger, and let nobody in."""
    server.execute(
        "ALTER DATABASE lost ALLOW_CONNECTIONS false",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'",
    )


def refunded(note: str, server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give units back with the command that the note gives."""
    command = note.split("`")[-2]
    words = [server.url("lost") if word == "LEDGER" else word for word in shlex.split(command)]
    monkeypatch.setattr(sys, "argv", [*words, "--secret", str(tmp_path / "secret.key")])
    cli.main()


@pytest.mark.parametrize(
    "stage", ["discreet.release.draw.cell_counts", "discreet.account.ledger.ledger.Ledger.reserve"]
)
def test_units_that_a_lost_server_holds_are_told_and_can_be_given_back(
    served: dict[str, Any], tmp_path: Path, postgres: Postgres, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost while rows are counted, or after it reserved and before it could say so."""
    reserve, counts = Ledger.reserve, cell_counts

    def counted(*arguments: Any) -> Any:
        lose(postgres)
        return counts(*arguments)

    def reserved(self: Ledger, *arguments: Any, **named: Any) -> Any:
        reserve(self, *arguments, **named)
        lose(postgres)
        return reserve(self, *arguments, **named)

    with mock.patch(stage, counted if "cell_counts" in stage else reserved), pytest.raises(LedgerError) as failed:
        run(served, tmp_path / "out")
    note = failed.value.__notes__[-1]
    assert "3 units" in note or "4 units" in note
    assert "Nothing was drawn with them" in note
    assert not list(tmp_path.glob("out*"))
    postgres.execute("ALTER DATABASE lost ALLOW_CONNECTIONS true")
    book = Ledger.at(served["ledger"], secrets.secret(tmp_path / "secret.key"))
    assert book.verify().reserved > 0
    refunded(note, postgres, tmp_path, monkeypatch)
    assert book.verify().reserved == 0
    run(served, tmp_path / "out")


def full(path: Path) -> Any:
    """Have the system say that there is no room where a file is written below a path."""
    real = os.mkdir

    def mkdir(name: Any, *rest: Any, **more: Any) -> None:
        if Path(name).parent == path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(name, *rest, **more)

    return mock.patch("os.mkdir", mkdir)


def test_a_temporary_folder_that_cannot_be_made_is_told(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    with full(tmp_path / "aside"), pytest.raises(DiscreetError, match=r"No space left .* set TMPDIR"):
        run(paid, tmp_path / "out")
    assert town.spent(tmp_path) == 0


def test_a_full_temporary_folder_is_told_where_a_copy_is_made(paid: dict[str, Any], tmp_path: Path) -> None:
    """Odd bytes have a CSV file copied."""
    with (tmp_path / "people.csv").open("ab") as file:
        file.write(b"1,\xff,n,1\n")
    no_room = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with (
        mock.patch("pyarrow.parquet.ParquetWriter.write_table", side_effect=no_room),
        pytest.raises(InputError, match=r"cannot be copied to .*No space left on device.* set TMPDIR"),
    ):
        run(paid, tmp_path / "out")
    assert town.spent(tmp_path) == 0
