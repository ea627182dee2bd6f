"""`discreet verify DIR` against a forger: every statement of a folder is true, or is reported as unchecked."""

import dataclasses
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from typer.testing import CliRunner

import discreet
from discreet.cli import app
from discreet.errors import CertificateError, DiscreetError, SpecError
from discreet.publish.manifest import digest
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests import manifests
from tests.town import settle

Edit = Callable[[dict[str, Any]], Any]
OTHERS: list[Any] = [None, [], {}, 3, "x"]
"""One value of each JSON type."""


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    spec = settle(tmp_path)
    spec["dimensions"]["sex"]["levels"] = {"one": {"all": ["f", "m"]}}
    return spec | {"bits": 32, "outputs": ["csv", "parquet"]}


def unchanged(_: dict[str, Any]) -> None:
    """Leave the manifest as it is."""


def forge(folder: Path, edit: Edit, files: Mapping[str, bytes] | None = None) -> None:
    """Change the manifest, write files, and put the digests of the files into the manifest."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    edit(manifest)
    for name, data in (files or {}).items():
        (folder / name).write_bytes(data)
        manifest["files"][name] = digest(data)
    manifest["files"] = dict(sorted(manifest["files"].items()))
    (folder / "manifest.json").write_bytes(manifests.written(manifest))


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda m: m["privacy"].update(total_epsilon="0.001"), r"manifest: privacy\.total_epsilon: "),
        (lambda m: m.update(guarantee="epsilon 0.001"), "manifest: guarantee: "),
        (lambda m: m["privacy"]["composed"].update(note="epsilon 0.01"), r"manifest: privacy\.composed\.note: "),
        (lambda m: m["privacy"]["composed"].update(delta=0.5), r"manifest: privacy\.composed\.delta: "),
        (lambda m: m["privacy"]["composed"].update(delta="1e999"), "composed delta"),
        (lambda m: m["privacy"]["composed"].update(delta="nan"), "composed delta"),
        (lambda m: m["privacy"]["composed"].update(epsilon="2"), "composed epsilon"),
        (lambda m: m["privacy"].pop("unit"), r"manifest: privacy\.unit: "),
        (lambda m: m["privacy"].update(unit=m["privacy"].pop("unit")), "form"),
        (lambda m: m["spec"].update(title=m["spec"].pop("title")), "order"),
        (lambda m: m["key"].update(kind="fresh"), r"key\.kind is 'fresh'.*'query'"),
        (lambda m: m["key"].update(kind="contributors"), r"key\.kind is 'contributors'"),
        (lambda m: m["key"].update(came_with_the_data=True), "record_keys"),
        (lambda m: m["key"].update(fingerprint=None), "secret"),
        (lambda m: m["key"].update(fingerprint="0" * 15), r"manifest: key\.fingerprint: "),
        (lambda m: m["spec"].update(key="fresh"), r"key\.kind is 'query'.*'fresh'"),
        (lambda m: m["spec"].update(bits=62), "bits is 62.* 32"),
        (lambda m: m["spec"]["design"].update(epsilon="0.01"), r"epsilon is '0\.01'.* 0\.25"),
        (lambda m: m["spec"]["design"].update(alpha=m["spec"]["design"].pop("epsilon")), r"alpha is '0\.25'"),
        (lambda m: m["spec"]["design"].update(certify_at="0.01"), r"certify_at is '0\.01'.* 1/4"),
        (lambda m: m["spec"]["design"].update(support=3), "support is 3.* 110"),
        (lambda m: m["spec"]["design"].update(safety="certified"), "'safety'"),
        (lambda m: m["spec"].update(design={"name": "gaussian", "sigma2": 9}), "'gaussian'"),
        (lambda m: m["spec"].update(design={}), "design is None"),
        (lambda m: m["spec"].update(ledger="official.ledger"), r"spec\.ledger "),
        (lambda m: m["spec"]["unit"].update(contributions=True), r"spec\.unit\.contributions is True"),
        (lambda m: m.update(engine="abacus"), "manifest: engine: "),
        (lambda m: m.update(software={}), r"manifest: software\.discreet: "),
        (lambda m: m["software"].update(python="\x1b[31m"), r"manifest: software\.python: "),
        (lambda m: m.update(ledger={"id": "00", "seq": "1", "mac": "00", "units": 0}), r"manifest: ledger\.seq: "),
        (lambda m: m.update(ledger={"id": "00", "seq": 1, "mac": "00"}), r"manifest: ledger\.units: "),
        (lambda m: m["files"].update({"\x00": "sha256:0"}), "\x00: "),
    ],
)
def test_a_false_claim_is_refused(spec: dict[str, Any], tmp_path: Path, edit: Edit, named: str) -> None:
    run(spec, tmp_path / "out")
    verify_folder(tmp_path / "out")
    forge(tmp_path / "out", edit)
    with pytest.raises(CertificateError, match=named):
        verify_folder(tmp_path / "out")


def test_verify_says_what_is_stated_and_not_checked(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    forge(
        tmp_path / "out",
        lambda m: m.update(
            engine="spark",
            key=m["key"] | {"fingerprint": "0123456789abcdef"},
            ledger={"id": "ab", "seq": 7, "mac": "cd", "units": 3},
            software={"discreet": "0.0.1", "python": "2.7", "numpy": "1.0"},
        ),
    )
    shown = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert shown.exit_code == 0
    assert (
        "stated, not checked: counted from spark; secret 0123456789abcdef; ledger ab, 3 units at 7; discreet 0.0.1;"
        " python 2.7; numpy 1.0"
    ) in " ".join(shown.output.split())


@pytest.mark.parametrize("field", ["spec", "engine", "key", "privacy", "ledger", "software", "groupings", "reconciled"])
def test_a_manifest_without_a_field_is_refused(field: str, spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    forge(tmp_path / "out", lambda m: m.pop(field))
    with pytest.raises(CertificateError, match=f"manifest: {field}: "):
        verify_folder(tmp_path / "out")


@pytest.mark.parametrize("wrong", [{"units": -1}, {"seq": 10**30}])
def test_an_entry_that_no_ledger_has_is_refused(wrong: dict[str, int], spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    forge(tmp_path / "out", lambda m: m.update(ledger={"id": "ab", "seq": 7, "mac": "cd", "units": 3} | wrong))
    with pytest.raises(CertificateError, match=rf"manifest: ledger\.{next(iter(wrong))}: "):
        verify_folder(tmp_path / "out")


def test_an_infinite_bound_is_no_bound(spec: dict[str, Any], tmp_path: Path) -> None:
    """JSON has no infinity, and one population must have one codebook."""

    def measured(ranges: dict[str, list[float | None]]) -> bytes:
        spec["dimensions"]["sex"] = {"column": "sex", "ranges": ranges}
        run(spec, tmp_path / str(len(list(tmp_path.iterdir()))))
        return max(tmp_path.glob("*/manifest.json"), key=lambda file: file.stat().st_mtime_ns).read_bytes()

    assert measured({"old": [67, float("inf")]}) == measured({"old": [67, None]})
    bounds: list[list[float | None]] = [[float("inf"), None], [float("nan"), 3]]
    for bound in bounds:
        with pytest.raises(SpecError, match=r"ranges\.old"):
            measured({"old": bound})


def test_a_file_that_no_release_has_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    forge(tmp_path / "out", unchanged, {"exact_counts.csv": b"sex,count\nf,150\n"})
    with pytest.raises(CertificateError, match=r"exact_counts\.csv"):
        verify_folder(tmp_path / "out")


def test_parquet_files_are_compared_byte_for_byte_or_by_content(spec: dict[str, Any], tmp_path: Path) -> None:
    """A file that names this version of pyarrow is compared byte for byte, other files by content."""
    run(spec, tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "t.parquet")

    def written(content: Any, **options: Any) -> bytes:
        out = io.BytesIO()
        pq.write_table(content, out, **options)
        return out.getvalue()

    def elsewhere(raw: bytes) -> bytes:
        """Name another version of pyarrow in the file. The length stays."""
        mark = f"parquet-cpp-arrow version {pa.__version__}".encode()
        assert raw.count(mark) == 1
        return raw.replace(mark, mark[:-1] + b"x")

    def hidden(raw: bytes) -> bytes:
        """Hide people between the columns and the footer."""
        footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
        return raw[:footer] + b"Ann,f,34;Bob,m,35" + raw[footer:]

    other = written(table, row_group_size=2, compression="none")
    forge(tmp_path / "out", unchanged, {"t.parquet": elsewhere(other)})
    assert verify_folder(tmp_path / "out").by_content == ("t.parquet",)
    field = table.schema.field(0).with_metadata({"truth": "150"})
    for forged in (
        other,
        hidden(written(table)),
        hidden(elsewhere(other)),
        elsewhere(written(table.replace_schema_metadata({"true_total": "300"}))),
        elsewhere(written(table.cast(table.schema.set(0, field)))),
        elsewhere(written(table.slice(1))),
        b"PAR1",
    ):
        forge(tmp_path / "out", unchanged, {"t.parquet": forged})
        with pytest.raises(CertificateError, match=r"t\.parquet"):
            verify_folder(tmp_path / "out")


@pytest.mark.parametrize(
    ("design", "values"),
    [({"name": "geometric", "epsilon": "0.5", "upper": 5}, [-1, 6, 10**12]), (None, [-111, -(10**6)])],
)
def test_measurements_that_the_table_cannot_give_are_refused(
    spec: dict[str, Any], tmp_path: Path, design: dict[str, Any] | None, values: list[int]
) -> None:
    """Tables, report and digests are made from the impossible measurements."""
    run(spec | {"design": design or spec["design"], "budget": {"epsilon": 5, "delta": "1e-6"}}, tmp_path / "out")
    checked = verify_folder(tmp_path / "out")
    for value in values:
        changed = tuple(
            np.where(np.arange(part.size).reshape(part.shape) == 0, value, part)
            for part in checked.published.measurements
            if part is not None
        )
        fitted = checked.published.table_plan.fitted(changed)
        forged = dataclasses.replace(checked.published, measurements=changed, fitted=fitted)
        forge(tmp_path / "out", unchanged, forged.files())
        with pytest.raises(CertificateError, match=rf"measurements\.csv: {value} "):
            verify_folder(tmp_path / "out")


def fields(document: Any) -> Iterator[tuple[list[Any], Any]]:
    """Yield the path and the value of every field of a document."""
    if isinstance(document, (dict, list)):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield [key], value
            for path, inner in fields(value):
                yield [key, *path], inner


def test_no_manifest_ends_in_anything_but_a_refusal(spec: dict[str, Any], tmp_path: Path) -> None:
    """Each value in turn is replaced by values of each type."""
    run(spec | {"outputs": ["csv"], "fixed": [{"where": {"sex": "f"}, "count": 150}]}, tmp_path / "out")
    original = (tmp_path / "out" / "manifest.json").read_bytes()
    accepted = set()
    for path, _ in fields(json.loads(original)):
        for value in OTHERS:
            document = json.loads(original)
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            if inner[path[-1]] == value:
                continue
            inner[path[-1]] = value
            (tmp_path / "out" / "manifest.json").write_bytes(manifests.written(document))
            try:
                verify_folder(tmp_path / "out")
            except DiscreetError:
                continue
            accepted.add(".".join(map(str, path)))
    columns = {"spec.unit.id", "spec.unit.name", "spec.dimensions.sex.column", "spec.dimensions.age.column"}
    unsaid = {"spec.design", "spec.design.epsilon", "spec.bits"}  # stated, or in the certificate
    accepted -= {"spec.seed"}  # where it decides no tie, another seed makes the same tables
    assert accepted == {"software.discreet", "software.python", "software.numpy", "software.build"} | columns | unsaid


def test_a_certificate_has_its_own_bits(spec: dict[str, Any], tmp_path: Path) -> None:
    """A release does not make a folder that verify would refuse."""
    discreet.design.geometric(epsilon="0.25").certify(bits=40).save(tmp_path / "c.json")
    spec["design"] = {"certificate": str(tmp_path / "c.json")}
    with pytest.raises(SpecError, match="bits"):
        run(spec | {"bits": 32}, tmp_path / "out")
    spec.pop("bits", None)
    run(spec, tmp_path / "out")
    assert verify_folder(tmp_path / "out").manifest.spec["design"] is None


def test_the_manifest_names_the_kind_of_source_whatever_its_options(spec: dict[str, Any], tmp_path: Path) -> None:
    release = run(spec | {"source": {"delimiter": ",", **spec["source"]}}, tmp_path / "out")
    assert release.manifest["engine"] == "csv"
    verify_folder(tmp_path / "out")


def test_no_guarantee_is_printed_if_none_is_given(spec: dict[str, Any], tmp_path: Path) -> None:
    """A release and a check state the guarantee of the release, and that of one count."""
    for name, change, lines in (("with", {}, 1), ("without", {"sex": {"column": "sex", "from_data": True}}, 0)):
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump(spec | {"dimensions": spec["dimensions"] | change}))
        for arguments in (["release", str(path), "-o", str(tmp_path / name)], ["verify", str(tmp_path / name)]):
            shown = CliRunner().invoke(app, arguments)
            assert shown.exit_code == 0, shown.output
            stated = [line for line in shown.output.splitlines() if line.startswith("guarantee ")]
            assert sum("none: categories" not in line for line in stated) == 2 * lines
            assert ("categories were taken from the data" in shown.output) == (not lines)
            assert "recomputed in integers" not in shown.output or lines
            assert "32 bits" in shown.output


def test_values_of_a_column_that_no_table_uses_stay_in_the_data(spec: dict[str, Any], tmp_path: Path) -> None:
    spec["dimensions"]["name"] = {"column": "id", "from_data": True}
    release = run(spec, tmp_path / "out")
    assert "name" not in release.manifest["spec"]["dimensions"]
    assert release.promise is not None
    verify_folder(tmp_path / "out")
    with pytest.raises(SpecError, match="budget"):  # nothing is taken from the data, so something is promised
        run(spec | {"budget": None}, tmp_path / "other")
    spec["tables"][0]["filter"] = {"name": ["7"]}
    used = run(spec, tmp_path / "used")
    assert len(used.manifest["spec"]["dimensions"]["name"]["categories"]) == 300
    assert used.promise is None
    verify_folder(tmp_path / "used")


def test_a_folder_without_a_manifest_is_no_release(spec: dict[str, Any], tmp_path: Path) -> None:
    """The certificate in the folder holds all the same."""
    run(spec, tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    manifest.unlink()
    for link in (False, True):
        if link:
            manifest.symlink_to(tmp_path / "nowhere")
        shown = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
        assert isinstance(shown.exception, CertificateError)
        assert "cannot be read" in str(shown.exception)
        assert "every claim holds" not in shown.output
    certificate = CliRunner().invoke(app, ["verify", str(tmp_path / "out" / "certificate.json")])
    assert certificate.exit_code == 0


@pytest.mark.parametrize("name", ["t.csv", "manifest.json"])
def test_a_file_without_an_end_is_not_read(name: str, spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    (tmp_path / "out" / name).unlink()
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        make(tmp_path / "out" / name)
        with pytest.raises(CertificateError, match=re.escape(name)):
            verify_folder(tmp_path / "out")
        (tmp_path / "out" / name).unlink()
    os.mkfifo(tmp_path / "pipe")
    assert "pipe or a device" in str(CliRunner().invoke(app, ["verify", str(tmp_path / "pipe")]).exception)
