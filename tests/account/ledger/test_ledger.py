"""The ledger in a steward's hands: grants, cells that are free, refusals, and what is written down."""

import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import discreet as dc
from discreet.account import compose
from discreet.account.ledger.ledger import Ledger
from discreet.errors import (
    BudgetError,
    DataChangedError,
    DiscreetError,
    LedgerError,
    OutputError,
    ParameterError,
    SecretError,
)
from tests.account.ledger.town import SECRET, cells, new, table


def test_a_release_from_reserve_to_complete(location: str) -> None:
    ledger = new(location)
    assert ledger.capacity == 300
    cost = ledger.cost([(table(), 7)])
    assert cost == 7
    grant = ledger.reserve("census", cost, cells("a", "b"), {"by": "steward"})
    assert (grant.state, ledger.known(cells("a", "b"))) == ("reserved", set())
    grant.spend()
    grant.spend()
    grant.complete()
    grant.complete()
    assert ledger.known(cells("a", "c")) == set(cells("a"))
    statement = Ledger.at(location, SECRET).verify(ledger.head)
    assert (statement.spent, statement.reserved, statement.left, statement.head.seq) == (7, 0, 293, 3)
    assert (float(f"{statement.epsilon:.12g}"), statement.delta) == (0.07, 0)
    (record,) = statement.records
    assert (record.release, record.state, record.note) == ("census", "complete", {"by": "steward"})


def test_no_more_than_the_capacity_is_granted(location: str) -> None:
    ledger = new(location, capacity=5)
    ledger.reserve("one", 3, [], {})
    with pytest.raises(BudgetError, match="3 units and 2 of 5") as refused:
        ledger.reserve("two", 3, [], {})
    assert (refused.value.requested, refused.value.left) == (3, 2)
    ledger.reserve("two", 2, [], {}).refund()
    ledger.reserve("three", 2, [], {})
    ledger.reserve("free", 0, [], {})
    assert ledger.show().left == 0


def test_only_units_that_were_never_drawn_with_are_given_back(location: str) -> None:
    ledger = new(location)
    grant = ledger.reserve("census", 4, cells("a"), {})
    grant.refund()
    grant.refund()
    assert ledger.show().left == 300
    with pytest.raises(LedgerError, match="'census' was refunded"):
        grant.spend()
    again = ledger.reserve("census", 5, cells("b"), {})
    with pytest.raises(LedgerError, match="'census' was refunded"):
        grant.spend()
    with pytest.raises(LedgerError, match="'census' is reserved"):
        again.complete()
    again.spend()
    with pytest.raises(LedgerError, match=r"'census' is spent: .* 5 units"):
        again.refund()
    with pytest.raises(LedgerError, match=r"'census' is spent: .* 5 units"):
        ledger.find("census").refund()  # type: ignore[union-attr]
    assert ledger.find("other") is None
    assert ledger.verify().left == 295


def test_the_same_release_comes_back_as_it_was_left(location: str) -> None:
    ledger = new(location)
    ledger.reserve("census", 4, cells("a", "b"), {}).spend()
    again = ledger.reserve("census", 4, cells("b", "a", "b"), {})
    assert (again.state, again.cost) == ("spent", 4)
    again.complete()
    for cost, digests in ((3, cells("a", "b")), (4, cells("a"))):
        with pytest.raises(LedgerError, match=r"'census' .* 4 units"):
            ledger.reserve("census", cost, digests, {})
    assert ledger.verify().spent == 4


def test_a_release_that_crashed_does_not_count_its_own_cells_as_known(location: str) -> None:
    ledger = new(location)
    ledger.reserve("first", 1, cells("a"), {}).spend()
    second = ledger.reserve("second", 2, cells("a", "b", "c"), {})
    ledger.reserve("third", 1, cells("c"), {}).spend()
    second.spend()
    assert ledger.known(cells("a", "b", "c")) == set(cells("a", "b", "c"))
    assert ledger.known(cells("a", "b", "c"), release="second") == set(cells("a"))
    assert ledger.verify().spent == 4


def test_many_cells_are_found_again_and_no_others(location: str) -> None:
    ledger = new(location)
    digests = [*cells(*map(str, range(150000))), bytes(16), b"a" + bytes(15)]
    ledger.reserve("census", 1, digests, {}).spend()
    assert ledger.known(digests) == set(digests)
    assert ledger.known([*cells("none"), b"a" + bytes(14) + b"b", bytes(16)]) == {bytes(16)}
    ledger.verify()


def test_changed_data_is_refused_under_the_same_label(location: str) -> None:
    """A cell that was spent must come with its hash again, whatever the other cells; else nothing is spent or kept."""
    ledger = new(location)
    age, sex, age_by_sex = cells("age", "sex", "age by sex")
    true_age, true_sex, true_both, other = cells("1", "2", "3", "other")
    ledger.reserve("first", 1, [age, sex], {}).spend(([age, sex], [true_age, true_sex]))
    ledger.reserve("again", 0, [sex], {}).spend(([sex], [true_sex]))
    changed = Ledger.at(location, SECRET).reserve("more", 1, [age_by_sex, age], {})
    with pytest.raises(DataChangedError, match="'more'") as refused:
        changed.spend(([age_by_sex, age], [true_both, other]))
    assert "age" not in str(refused.value)
    changed.refund()
    before = ledger.verify()
    assert (before.spent, before.reserved) == (1, 0)
    with pytest.raises(DataChangedError):  # a release that was spent is not drawn again from other data
        ledger.reserve("first", 1, [age, sex], {}).spend(([age, sex], [true_age, other]))
    restored = ledger.reserve("more", 1, [age_by_sex, age], {})
    restored.spend(([age_by_sex, age], [true_both, true_age]))
    assert ledger.known([age, sex, age_by_sex]) == {age, sex, age_by_sex}
    assert ledger.verify().spent == 2


def test_a_release_without_a_composed_guarantee_is_refused(location: str) -> None:
    ledger = new(location)
    with pytest.raises(LedgerError, match="'census'"):
        ledger.reserve("census", 1, [], {}, composable=False)
    assert ledger.head.seq == 0


def test_a_ledger_is_never_overwritten(location: str) -> None:
    ledger = new(location)
    with pytest.raises(LedgerError, match=re.escape(ledger._store.name)):
        new(location)
    assert Ledger.at(location, SECRET).id == ledger.id


def test_another_secret_is_refused(location: str) -> None:
    new(location)
    with pytest.raises(LedgerError, match="secret"):
        Ledger.at(location, bytes(range(32)))


def test_the_secret_is_in_no_output_and_no_file(location: str, tmp_path: Path) -> None:
    ledger = new(location)
    grant = ledger.reserve("census", 1, cells("a"), {})
    grant.spend((cells("a"), [b"t" * 16]))
    out = tmp_path / "out.jsonl"
    ledger.export(out)
    printed = repr(ledger) + repr(grant) + repr(ledger.show()) + repr(vars(ledger)) + out.read_text()
    for spelling in (SECRET.hex(), repr(SECRET), (b"t" * 16).hex(), "correct"):
        assert spelling not in printed
    if "://" not in location:
        stored = Path(location).read_bytes()
        assert SECRET not in stored
        assert SECRET.hex().encode() not in stored


def test_an_export_has_every_entry(location: str, tmp_path: Path) -> None:
    ledger = new(location)
    ledger.reserve("census", 2, cells("a"), {"by": "me"}).spend()
    ledger.export(tmp_path / "out.jsonl")
    first, *entries = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert first["unit"]["digest"] == table().digest
    assert [entry["kind"] for entry in entries] == ["open", "reserve", "spend"]
    assert entries[1]["fields"]["cost"] == 2
    assert entries[-1]["mac"] == ledger.head.mac
    assert all(entry["previous"] == before["mac"] for before, entry in itertools.pairwise(entries))
    with pytest.raises(OutputError):
        ledger.export(tmp_path / "none" / "out.jsonl")


def test_composed_figures_are_upper_bounds_of_what_is_held(tmp_path: Path) -> None:
    unit = dc.design.gaussian(sigma2=49, support=60).certify(epsilon="0.5", bits=62)
    ledger = Ledger.open(tmp_path / "l", unit=unit, epsilon=5, delta="1e-6", secret=SECRET)
    ledger.reserve("census", 20, [], {})
    statement = ledger.show()
    assert statement.epsilon == pytest.approx(compose(unit, 20).epsilon("1e-6"), rel=1e-6)
    assert statement.delta == pytest.approx(compose(unit, 20).delta(5), rel=1e-6)


@pytest.mark.parametrize("wrong", ["", "x" * 201, "a\nb", None, 7])
def test_names_are_printable_texts(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(ParameterError, match="release is"):
        new(tmp_path / "l").reserve(wrong, 1, [], {})  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, 1.0, True, None])
def test_a_cost_is_a_whole_number(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(ParameterError, match="cost is"):
        new(tmp_path / "l").reserve("census", wrong, [], {})  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[b"short"], ["a" * 16], [b"a" * 16, b"b" * 17]])
def test_a_cell_is_sixteen_bytes(tmp_path: Path, wrong: list[bytes]) -> None:
    with pytest.raises(ParameterError, match="16 bytes"):
        new(tmp_path / "l").reserve("census", 1, wrong, {})


@pytest.mark.parametrize("wrong", [{"x": {1, 2}}, {"x": float("nan")}, {"x": "y" * 70_000}])
def test_a_note_is_short_json(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="note"):
        new(tmp_path / "l").reserve("census", 1, [], wrong)


def test_a_secret_has_thirty_two_bytes(tmp_path: Path) -> None:
    with pytest.raises(SecretError):
        Ledger.open(tmp_path / "l", unit=table(), epsilon=1, delta=0, secret=b"hunter2")
    assert list(tmp_path.iterdir()) == []


def test_a_budget_below_one_unit_is_refused_with_what_it_takes(tmp_path: Path) -> None:
    with pytest.raises(BudgetError, match=r"epsilon 0\.009 .*epsilon 0\.01 "):
        Ledger.open(tmp_path / "l", unit=table(), epsilon="0.009", delta=0, secret=SECRET)
    assert list(tmp_path.iterdir()) == []


# Locations without a ledger


def refusal(location: object) -> str:
    with pytest.raises(LedgerError) as refused:
        Ledger.at(location, SECRET)  # type: ignore[arg-type]
    return str(refused.value)


def test_files_that_are_no_ledger_are_refused_by_name(tmp_path: Path) -> None:
    assert f"{tmp_path}/none" in refusal(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    (tmp_path / "text").write_text("hello " * 1000)
    assert f"{tmp_path}/text" in refusal(tmp_path / "text")
    (tmp_path / "empty").touch()
    assert f"{tmp_path}/empty" in refusal(tmp_path / "empty")
    with sqlite3.connect(tmp_path / "foreign") as connection:
        connection.execute("CREATE TABLE discreet_entries (seq INTEGER)")
    connection.close()
    assert "foreign" in refusal(tmp_path / "foreign")
    assert f"{tmp_path} is a folder" in refusal(tmp_path)
    new(tmp_path / "cut")
    data = (tmp_path / "cut").read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    assert "cut" in refusal(tmp_path / "cut")


@pytest.mark.parametrize(
    "wrong", ["mysql://u:hunter2@h/d", ":memory:", "sqlite://", "postgresql://:x:y", "", 7, "a\0b"]
)
def test_an_address_that_is_none_is_refused_without_its_password(wrong: object) -> None:
    assert "hunter2" not in refusal(wrong)


def test_a_server_that_is_not_there_or_refuses_is_named_without_its_password(postgres) -> None:  # type: ignore[no-untyped-def]
    assert "/postgres" in refusal(postgres.url("postgres"))
    for wrong in (
        "postgresql://steward:hunter2@127.0.0.1:1/d",
        f"postgresql://steward:hunter2@127.0.0.1:{postgres.port}/d",
        postgres.url("nowhere"),
    ):
        message = refusal(wrong)
        assert "server of " in message
        assert "hunter2" not in message
        assert "correct" not in message


def test_no_ledger_is_made_in_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="none/l"):
        new(tmp_path / "none" / "l")
    with pytest.raises(LedgerError, match="/proc/l"):
        new("/proc/l")


def test_a_copy_that_cannot_be_written_can_be_read() -> None:
    """In another process, which has no right to write even if this one is root; pytest's folders are closed to it."""
    program = (
        "import os, sys; sys.path.insert(0, '.')\n"
        "from tests.account.ledger.town import *; from discreet.errors import *\n"
        "import numpy.ma  # like all modules that are loaded late: later there may be no right to read it\n"
        "os.chdir(sys.argv[1]); Ledger.at('l', SECRET).verify()\n"
        "os.getuid() or os.setuid(65534)\n"
        "ledger = Ledger.at('l', SECRET); print(ledger.verify().left)\n"
        "try: ledger.reserve('census', 1, [], {})\n"
        "except LedgerError as error: print(error)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l"
        ledger = new(path)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        process = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
        assert process.stdout.startswith(f"300\n{path} cannot be written")
        assert ledger.head.seq == 0


def test_a_writer_gives_up_if_others_hold_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.account.ledger.store.WAIT", 0.1)
    ledger = new(tmp_path / "l")
    other = sqlite3.connect(tmp_path / "l", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(LedgerError, match=r"0\.1 seconds"):
            ledger.reserve("census", 1, [], {})
        assert ledger.show().left == 300
    finally:
        other.close()
    ledger.reserve("census", 1, [], {})


def test_every_refusal_is_a_discreet_error() -> None:
    assert all(issubclass(kind, DiscreetError) for kind in (LedgerError, BudgetError, DataChangedError, SecretError))


def test_files_are_for_the_owner_only(tmp_path: Path) -> None:
    new(tmp_path / "l")
    if os.name == "posix":
        assert (tmp_path / "l").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["a ledger", "50%", "what?", "#1", "a&b=c", "é"])
def test_a_ledger_may_have_any_file_name(tmp_path: Path, name: str) -> None:
    ledger = new(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert Ledger.at(tmp_path / name, SECRET).id == ledger.id


def test_an_address_of_a_file_is_the_file(tmp_path: Path) -> None:
    assert new(f"sqlite:///{tmp_path}/l").id == Ledger.at(tmp_path / "l", SECRET).id
