"""What verify_folder says of folders that somebody changed."""

import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.errors import CertificateError
from discreet.plan.guarantee import composed_promise
from discreet.publish._other_version import same_parquet
from discreet.publish.verify_folder import read_folder, verify_folder
from tests.publish.changed import Change, Copy, changed, field, release


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("small"))


def refused(folder: Path) -> str:
    """Return the error of a folder that is refused."""
    with pytest.raises(CertificateError) as error:
        verify_folder(folder)
    return str(error.value)


def scaled(folder: Path, name: str, factor: float) -> Change:
    """Return a change that multiplies the recomputed number, before rounding, by a factor."""
    plan = read_folder(folder).plan
    recomputed = composed_promise(plan.spec, plan.ptables, plan.exposure)
    assert recomputed is not None

    def change(copy: Copy) -> None:
        copy.manifest["privacy"]["composed"][name] = repr(getattr(recomputed, name) * factor)

    return change


BOMBS = {
    "composed delta": (field("privacy.composed.delta", "1e-999999999"), "composed delta"),
    "cell epsilon": (field("privacy.cell.epsilon", "1e999999999"), "privacy.cell.epsilon"),
    "budget": (field("spec.budget.delta", "1e-99999999"), "budget.delta"),
    "exp_epsilon": (lambda copy: copy.certificate("exp_epsilon", "1e999999999"), "guarantee.exp_epsilon"),
    "epsilon": (lambda copy: copy.certificate("epsilon", "1e-999999999"), "guarantee.epsilon"),
}


@pytest.mark.parametrize("case", BOMBS)
def test_a_short_text_of_a_huge_number_is_refused(case: str, folder: Path, tmp_path: Path) -> None:
    change, field_name = BOMBS[case]
    assert field_name in refused(changed(folder, tmp_path / "made", change))


@pytest.mark.parametrize("name", ["delta", "floor"])
@pytest.mark.parametrize("factor", [1 - 1e-8, 1 + 2e-5, 2])
def test_a_stated_guarantee_that_is_not_the_recomputed_one_is_refused(
    name: str, factor: float, folder: Path, tmp_path: Path
) -> None:
    assert f"composed {name}" in refused(changed(folder, tmp_path / "made", scaled(folder, name, factor)))


def test_a_floor_of_one_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "composed floor" in refused(changed(folder, tmp_path / "made", field("privacy.composed.floor", "1.0")))


def test_a_floor_that_is_rounded_up_to_six_digits_is_taken(folder: Path, tmp_path: Path) -> None:
    copy_path = changed(folder, tmp_path / "made", scaled(folder, "floor", 1 + 1e-7))
    assert verify_folder(copy_path).published.plan.promise is not None


@pytest.mark.parametrize("name", ["report.html", "t.csv", "certificate.json", "manifest.json"])
def test_a_link_to_a_file_outside_the_folder_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    copy_path = changed(folder, tmp_path / "made", lambda copy: None)
    (copy_path / name).rename(tmp_path / name)
    (copy_path / name).symlink_to(tmp_path / name)
    message = refused(copy_path)
    assert name in message
    assert "link" in message


@pytest.mark.parametrize("scheme", [0, 3, 99, -(10**30), True, 2.0, "2"])
def test_a_scheme_that_does_not_exist_is_refused(scheme: object, folder: Path, tmp_path: Path) -> None:
    assert "key.scheme" in refused(changed(folder, tmp_path / "made", field("key.scheme", scheme)))


@pytest.mark.parametrize("scheme", [1, 2])
def test_a_scheme_that_exists_is_taken(scheme: int, folder: Path, tmp_path: Path) -> None:
    copy_path = changed(folder, tmp_path / "made", field("key.scheme", scheme))
    assert verify_folder(copy_path).manifest.key.scheme == scheme
    assert json.loads((copy_path / "manifest.json").read_text())["key"]["scheme"] == scheme


OLDER = Path(__file__).with_name("pyarrow-17.parquet").read_bytes()
"""Places and counts, as pyarrow 17 writes them: with a copy of the metadata of each column after its pages."""

SMALL = pa.table(
    {"place": pa.array(["a", "a", "b", "_total"], pa.string()), "count": pa.array([7, 0, 12, 19], pa.int64())}
)
HIDDEN = b"person 17 lives in a"


def written(table: pa.Table, **options: object) -> bytes:
    """Return a table as Parquet."""
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def of_another_version(raw: bytes) -> bytes:
    """Change the version of pyarrow that a Parquet file names. The length of the file stays."""
    writer = pq.ParquetFile(io.BytesIO(raw)).metadata.created_by
    other = re.sub(r"[0-9]", lambda digit: str((int(digit[0]) + 1) % 10), writer)
    assert other != writer
    return raw.replace(writer.encode(), other.encode())


def with_footer(raw: bytes, more: bytes) -> bytes:
    """Append bytes to the footer, and correct its length."""
    size = int.from_bytes(raw[-8:-4], "little") + len(more)
    return raw[:-8] + more + size.to_bytes(4, "little") + raw[-4:]


def with_dictionary(table: pa.Table) -> bytes:
    """Return a table as Parquet, with a text in its dictionaries that no row uses."""
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_string(column.type):
            encoded = column.dictionary_encode()
            more = pa.concat_arrays([encoded.dictionary, pa.array([HIDDEN.decode()])])
            column = pa.DictionaryArray.from_arrays(encoded.indices, more)
        columns[name] = column
    raw = written(pa.table(columns), store_schema=False, compression="none")
    assert HIDDEN in raw
    return raw


def test_a_file_of_an_older_pyarrow_is_compared_by_content() -> None:
    assert same_parquet(OLDER, written(SMALL))


def test_a_file_of_an_older_pyarrow_with_other_content_is_refused() -> None:
    counts = pa.array([7, 0, 12, 20], pa.int64())
    assert not same_parquet(OLDER, written(SMALL.set_column(1, "count", counts)))
    assert not same_parquet(OLDER, written(SMALL.rename_columns(["where", "count"])))


@pytest.mark.parametrize("raw", [OLDER, of_another_version(written(SMALL))])
def test_a_file_of_another_pyarrow_with_bytes_outside_columns_and_footer_is_refused(raw: bytes) -> None:
    expected = written(SMALL)
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    assert same_parquet(raw, expected)
    assert not same_parquet(with_footer(raw, HIDDEN), expected)
    assert not same_parquet(raw[:footer] + HIDDEN + raw[footer:], expected)
    name = pq.ParquetFile(io.BytesIO(raw)).metadata.created_by
    assert not same_parquet(raw.replace(name.encode(), HIDDEN.ljust(len(name))), expected)


def test_a_copy_of_metadata_that_differs_from_the_footer_is_refused() -> None:
    """The smallest label is changed in the copy after the pages, and not in the footer."""
    column = pq.ParquetFile(io.BytesIO(OLDER)).metadata.row_group(0).column(0)
    at = OLDER.index(b"_total", column.file_offset)
    assert not same_parquet(OLDER[:at] + b"secret" + OLDER[at + 6 :], written(SMALL))


def test_a_dictionary_with_values_that_no_row_uses_is_refused() -> None:
    assert not same_parquet(of_another_version(with_dictionary(SMALL)), written(SMALL))


def test_a_file_that_ends_early_is_refused_without_an_error_of_its_own() -> None:
    for size in range(len(OLDER)):
        assert not same_parquet(OLDER[:size], written(SMALL))


def in_folder(change: object) -> Change:
    """Return a change of the bytes of t.parquet."""

    def apply(copy: Copy) -> None:
        path = copy.folder / "t.parquet"
        path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]

    return apply


def test_verify_says_that_bytes_outside_the_content_are_unchecked(folder: Path, tmp_path: Path) -> None:
    copy_path = changed(folder, tmp_path / "made", in_folder(of_another_version))
    assert verify_folder(copy_path).by_content == ("t.parquet",)
    shown = CliRunner().invoke(app, ["verify", str(copy_path)])
    message = " ".join(shown.output.split())
    assert shown.exit_code == 0
    assert "every claim holds" not in message
    assert "no claim fails, and not every claim was checked" in message
    assert "wrote t.parquet: checked by content; bytes outside the content of these files are unchecked" in message
    assert "every claim holds" in CliRunner().invoke(app, ["verify", str(folder)]).output


def test_verify_says_which_tables_of_another_numpy_were_not_replayed(folder: Path, tmp_path: Path) -> None:
    """One count differs, as if it was rounded otherwise. So the file is compared with its own counts."""

    def change(copy: Copy) -> None:
        copy.set("software.numpy", "1.26.0")
        table = pq.ParquetFile(copy.folder / "t.parquet").read()
        counts = table["count"].to_pylist()
        counts[0] += 1
        at = table.column_names.index("count")
        raw = written(table.set_column(at, "count", pa.array(counts, pa.int64())))
        (copy.folder / "t.parquet").write_bytes(of_another_version(raw))

    verified = verify_folder(changed(folder, tmp_path / "made", change))
    assert (verified.not_replayed, verified.by_content) == (("t.parquet",), ("t.parquet",))


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: with_footer(of_another_version(raw), HIDDEN),
        lambda raw: of_another_version(with_dictionary(pq.ParquetFile(io.BytesIO(raw)).read())),
    ],
)
def test_microdata_in_a_parquet_file_of_another_version_are_refused(
    change: object, folder: Path, tmp_path: Path
) -> None:
    assert "t.parquet" in refused(changed(folder, tmp_path / "made", in_folder(change)))
