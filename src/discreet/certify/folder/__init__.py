"""A second check of a release folder, written from docs/folder.md alone. It shares no code with what made the folder.

    python -m folder DIR

runs the check without Discreet: copy this directory anywhere. Only the standard library is used, and nothing else of
Discreet. Every claim is proved, fails, or is not shown (no bound decides). Statements that nothing in a folder can
decide are listed as stated. Only `discreet verify` makes tables and report again from the measurements.

    cells        which cells the specification measures, and in how many of them one person is
    weights      what a table of integers reveals about one count, exactly
    lattice      distributions of losses, composed in integers
    losses       what one person may lose in many cells: bounds of delta in integers
    promise      the certificate and the promise of the manifest
    tables       measurements and tables as they are in the files
    intervals    the interval beside each count
    additivity   whether tables add up
"""

import hashlib
from pathlib import Path
from typing import Any

from . import additivity, cells, intervals, promise, tables
from .findings import Finding, Report, WrongError, json_of, need

__all__ = ["Finding", "Report", "WrongError", "check"]

LARGEST_FILE = 1 << 28
FIELDS = [
    "format", "version", "spec", "engine", "key", "groupings", "reconciled", "privacy", "ledger", "files", "software",
]  # fmt: skip
SPEC = [
    "title", "version", "unit", "dimensions", "tables", "design", "bits", "budget", "key", "record_keys_are",
    "reconcile", "fixed", "seed", "outputs",
]  # fmt: skip
SPEC_SINCE_2 = ["language", "metadata"]
LANGUAGES = ["en", "de", "fr", "es"]
METADATA = ["title", "description", "contact", "licence", "agency", "notes", "tables", "dimensions"]
EXTENSIONS = {"csv": "csv", "parquet": "parquet", "json-stat": "json", "sdmx-csv": "sdmx.csv", "xlsx": "xlsx"}


def check(folder: str | Path) -> Report:
    """Check a release folder.

    No content of a folder makes this function raise.

    Parameters
    ----------
    folder
        The folder that a release published.

    Returns
    -------
    Report
        A finding for every claim. `Report.failures` lists the claims that do not hold.
    """
    report, path = Report(), Path(folder)
    manifest = report.attempt("manifest.json", _manifest, path)
    if manifest is None:
        return report
    content = report.attempt("files", _files, report, path, manifest)
    layout = report.attempt("specification", cells.layout_of, manifest["spec"])
    if content is None or layout is None:
        return report
    certificate = report.attempt("certificate.json", promise.certificate, report, content["certificate.json"])
    if certificate is None:
        return report
    report.attempt("groupings", promise.groupings, report, manifest, layout, certificate)
    touches = report.attempt("touches", promise.touches, report, manifest, layout)
    if touches is not None:
        report.attempt("promise", promise.privacy, report, manifest, certificate, touches)
    version, table = manifest["version"], certificate.table
    measured = report.attempt("measurements.csv", tables.measurements, report, version, layout, table, content)
    numbers = report.attempt("tables", tables.counts, report, manifest, layout, content)
    if measured is not None and numbers is not None:
        counts = [None if published is None else published.counts for published in numbers]
        published = additivity.Published(layout, measured, counts)
        report.attempt("adding up", additivity.adding_up, report, manifest, table, published)
        spec = manifest["spec"]
        report.attempt("intervals", intervals.check_intervals, report, spec, layout, table, measured, numbers)
    report.attempt("stated", _stated, report, manifest)
    return report


def _manifest(folder: Path) -> dict[str, Any]:
    document = json_of(_read(folder / "manifest.json"))
    need(isinstance(document, dict) and document.get("format") == "discreet release", "it is no manifest")
    version = document.get("version")
    need(version in (1, 2), f"its version is {version!r:.40}, and this checks versions 1 and 2")
    need(list(document) == FIELDS, f"its fields are not {', '.join(FIELDS)}")
    spec_fields = SPEC if version == 1 else SPEC + SPEC_SINCE_2
    need(list(document["spec"]) == spec_fields, f"the fields of spec are not {', '.join(spec_fields)}")
    if version > 1:
        need(document["spec"]["language"] in LANGUAGES, f"spec.language is not one of {', '.join(LANGUAGES)}")
        need(list(document["spec"]["metadata"]) == METADATA, f"the fields of metadata are not {', '.join(METADATA)}")
    return dict(document)


def _read(path: Path) -> bytes:
    try:
        need(not path.is_symlink(), f"{path.name} is a link, and not a file of the folder")
        need(path.is_file() and path.stat().st_size <= LARGEST_FILE, f"{path.name} is missing, too large, or no file")
        return path.read_bytes()
    except OSError as error:
        raise WrongError(f"{path.name} cannot be read ({error.strerror})") from None


def _files(report: Report, folder: Path, manifest: dict[str, Any]) -> dict[str, bytes]:
    """Return the bytes of every file. Refuse a folder with other files or other digests than the manifest states."""
    spec = manifest["spec"]
    expected = {f"{table['name']}.{EXTENSIONS[kind]}" for table in spec["tables"] for kind in spec["outputs"]}
    expected |= {"measurements.csv", "certificate.json", "report.html"}
    if manifest["version"] > 1:
        expected |= {"README.md"}
        names = [table["name"] for table in spec["tables"] if "csv" in spec["outputs"]]
        endings = ["csv-metadata.json", "intervals.csv", "intervals.csv-metadata.json"]
        expected |= {f"{name}.{ending}" for name in names for ending in endings}
    need(all(Path(name).name == name for name in expected), "a table has a name that leaves the folder")
    stated, present = set(manifest["files"]), {path.name for path in folder.iterdir()}
    for name in sorted(stated ^ expected):
        raise WrongError(f"{name} {'is missing from the manifest' if name in expected else 'is no file of a release'}")
    for name in sorted(present - expected - {"manifest.json"}):
        raise WrongError(f"{name} is not in the manifest")
    content = {name: _read(folder / name) for name in sorted(expected)}
    for name, data in content.items():
        need(manifest["files"][name] == f"sha256:{hashlib.sha256(data).hexdigest()}", f"{name} has another digest")
    report.add(
        "proved", "files", f"all {len(content)} have the SHA-256 that the manifest states, and there is no other"
    )
    return content


def _stated(report: Report, manifest: dict[str, Any]) -> None:
    """List the statements that nothing in a folder can show to be true or false."""
    spec, key, ledger = manifest["spec"], manifest["key"], manifest["ledger"]
    report.state(f"the data: title {spec['title']!r}, version {spec['version']!r}, counted from {manifest['engine']}")
    columns = ", ".join(repr(book["column"]) for book in spec["dimensions"].values())
    report.state(f"that the columns {columns} were counted, and their raw values put into categories as declared")
    unit = spec["unit"]
    people = "every row is one person" if unit["id"] is None else f"the column {unit['id']!r} tells people apart"
    name = "" if unit["name"] is None else f", whom a ledger calls {unit['name']!r}"
    report.state(f"that {people}{name}, and that rows of one person beyond {unit['contributions']} were left out")
    report.state(f"the design: {spec['design']!r:.120}, and properties and utility in the certificate")
    secret = "no secret" if key["fingerprint"] is None else f"secret {key['fingerprint']}"
    report.state(f"that noise was drawn from the certificate's table with {key['kind']} keys, {secret}")
    entry = "none" if ledger is None else f"{ledger['units']} units at {ledger['seq']} of {ledger['id']}"
    report.state(f"ledger: {entry}")
    report.state("software: " + ", ".join(f"{name} {version}" for name, version in manifest["software"].items()))
    report.state(f"what decides ties: seed {spec['seed']!r}; what record keys were: {spec['record_keys_are']!r}")
    report.state("that tables are as near to the measurements as can be, and report.html says what the tables say")
    if manifest["version"] > 1:
        report.state("metadata: language, description, contact, licence, notes, labels and codes; README.md")
    if spec["fixed"]:
        report.state("that the counts under fixed are public from elsewhere and true")
