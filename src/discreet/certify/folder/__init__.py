"""A second check of a release folder, written from docs/folder.md alone. It shares no code with what made the folder.

    python -m folder DIR

runs the check without Discreet: copy this directory anywhere. Only the standard library is used, and nothing else of
Discreet. Every claim is proved, fails, or is not shown (no bound decides). Statements that nothing in a folder can
decide are listed as stated. Only `discreet verify` makes tables and report again from the measurements.

    cells        which cells the specification measures, and in how many of them one person is
    weights      what a table of integers reveals about one count, exactly
    lattice      distributions of losses, composed in integers
    losses       what one person may lose in many cells: bounds of delta in integers
    several      the same for cells of several tables of noise
    promise      the certificates and the promise of the manifest
    tables       measurements and tables as they are in the files
    intervals    the interval beside each count
    joint        intervals from all measurements together
    noise_sums   the law of their errors
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
VERSIONS = (1, 2, 3, 4, 5, 6, 7)
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
    certificates = []
    for name in promise.certificate_names(manifest):
        certificates.append(report.attempt(name, promise.certificate, report, name, content[name]))
    known = [certificate for certificate in certificates if certificate is not None]
    if len(known) < len(certificates):
        return report
    noise = report.attempt("groupings", promise.noise_of, manifest, layout, known)
    if noise is not None:
        _check_numbers(report, manifest, content, layout, known, noise)
        report.attempt("stated", _stated, report, manifest)
    return report


def _check_numbers(
    report: Report,
    manifest: dict[str, Any],
    content: dict[str, bytes],
    layout: cells.Layout,
    certificates: list[promise.Certificate],
    noise: list[int | None],
) -> None:
    """Check the promise, the measurements and the tables."""
    report.attempt("groupings", promise.groupings, report, manifest, layout, certificates, noise)
    touches = report.attempt("touches", promise.touches, report, manifest, layout, noise)
    if touches is not None:
        report.attempt("promise", promise.privacy, report, manifest, certificates, touches)
    version, own = manifest["version"], [certificate.table for certificate in certificates]
    measured = report.attempt("measurements.csv", tables.measurements, report, version, layout, noise, own, content)
    numbers = report.attempt("tables", tables.counts, report, manifest, layout, content)
    if measured is not None and numbers is not None:
        counts = [None if published is None else published.counts for published in numbers]
        published = additivity.Published(layout, measured, counts)
        report.attempt("adding up", additivity.adding_up, report, manifest, own, published)
        report.attempt("intervals", intervals.check_intervals, report, manifest, layout, noise, own, measured, numbers)


def _manifest(folder: Path) -> dict[str, Any]:
    document = json_of(_read(folder / "manifest.json"))
    need(isinstance(document, dict) and document.get("format") == "discreet release", "it is no manifest")
    version = document.get("version")
    need(version in VERSIONS, f"its version is {version!r:.40}, and this checks versions 1 to {VERSIONS[-1]}")
    fields = FIELDS if version not in promise.LISTS else _after(FIELDS, "groupings", "certificates")
    need(list(document) == fields, f"its fields are not {', '.join(fields)}")
    spec_fields = SPEC if version == 1 else SPEC + SPEC_SINCE_2
    if version in promise.LISTS:
        spec_fields = _after(spec_fields, "tables", "measure")
        need(isinstance(document["spec"].get("measure"), list), "spec.measure is no list")
    need(list(document["spec"]) == spec_fields, f"the fields of spec are not {', '.join(spec_fields)}")
    if version > 1:
        need(document["spec"]["language"] in LANGUAGES, f"spec.language is not one of {', '.join(LANGUAGES)}")
        need(list(document["spec"]["metadata"]) == METADATA, f"the fields of metadata are not {', '.join(METADATA)}")
    return dict(document)


def _after(names: list[str], name: str, new: str) -> list[str]:
    """Return names with a new one after one of them."""
    index = names.index(name) + 1
    return [*names[:index], new, *names[index:]]


def _names_in(folder: Path) -> set[str]:
    """Return the names of all files, FOLDER/NAME for files in a folder of the folder. A link counts as a file."""
    names: set[str] = set()
    for path in folder.iterdir():
        inner = path.iterdir() if path.is_dir() and not path.is_symlink() else ()
        names |= {f"{path.name}/{own.name}" for own in inner} or {path.name}
    return names


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
    certificates = set(promise.certificate_names(manifest))
    expected |= {"measurements.csv", "report.html"}
    if manifest["version"] > 1:
        expected |= {"README.md"}
        names = [table["name"] for table in spec["tables"] if "csv" in spec["outputs"]]
        endings = ["csv-metadata.json", "intervals.csv", "intervals.csv-metadata.json"]
        expected |= {f"{name}.{ending}" for name in names for ending in endings}
    need(all(Path(name).name == name for name in expected), "a table has a name that leaves the folder")
    expected |= certificates
    stated, present = set(manifest["files"]), _names_in(folder)
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


def _designs(spec: dict[str, Any]) -> str:
    """Return the designs that a specification states, each once, in words."""
    designs = [spec["design"], *(entry["design"] for entry in spec.get("measure", []))]
    words = [
        ", ".join(
            [str(design.get("name")), *(f"{name} {value!s:.40}" for name, value in design.items() if name != "name")]
        )
        for design in designs
        if isinstance(design, dict)
    ]
    return "; ".join(dict.fromkeys(words)) or "the adviser's, or that of a given certificate"


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
    report.state(f"the design of the noise: {_designs(spec)}; properties and utility in the certificate")
    earlier = sum(entry.get("earlier") is True for entry in spec.get("measure", []))
    if earlier:
        report.state(
            f"that an earlier release under this version measured {earlier} of the measured groupings, with the same"
            " numbers (compare measurements.csv of that folder; the promise covers all measured groupings)"
        )
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
