"""Files that describe a release to readers and to their programs: README.md, and CSV on the Web for the CSV files.

Both are functions of the public specification and the promise. CSV on the Web (W3C, 2015) describes `NAME.csv` in
`NAME.csv-metadata.json`: titles of columns, types, the key, and labels and codes of categories as SKOS concepts.
"""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from discreet.plan.metadata import DimensionWords, Wording
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.sections import Axis, TableSpec
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.manifest import certificate_names
from discreet.publish.report.guarantee_section import earlier_text, promise_text
from discreet.publish.sdmx_csv import category_codes, dimension_ids

if TYPE_CHECKING:
    from discreet.publish.table_files import Margins

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|!&])")


def csvw(labels: DisplayLabels, table: TableSpec, file_name: str, numbers: Sequence[str]) -> bytes:
    """Return the metadata of a CSV file.

    Parameters
    ----------
    labels
        The words of the specification.
    table
        The section of the specification.
    file_name
        The CSV file.
    numbers
        The names of the columns of numbers.
    """
    metadata, language = labels.spec.metadata, labels.spec.language
    about = {
        "dc:title": _in_languages(metadata.tables.get(table.name) or metadata.title or labels.spec.title, language),
        "dc:description": _in_languages(metadata.description, language),
        "dc:isPartOf": labels.title,
        "dc:hasVersion": labels.spec.version,
        "dc:publisher": metadata.agency,
        "dc:license": metadata.licence,
        "dcat:contactPoint": None if metadata.contact is None else {"vcard:fn": metadata.contact},
        "rdfs:comment": [
            value for note in (labels.people(table) or None, *metadata.notes) for value in _in_languages(note, language)
        ],
    }
    document = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": language}],
        "url": file_name,
        **{name: value for name, value in about.items() if value},
        "tableSchema": {
            "columns": [*(_dimension(labels, axis) for axis in table.dimensions), *(_number(name) for name in numbers)],
            **({"primaryKey": [column_name(axis.dimension) for axis in table.dimensions]} if table.dimensions else {}),
        },
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def column_name(name: str) -> str:
    """Return the name of a column as CSV on the Web allows it: letters, digits, `_`, `.` and percent codes."""
    encoded = quote(name, safe="").replace("-", "%2D").replace("~", "%7E")
    return "%5F" + encoded[1:] if encoded.startswith("_") else encoded


def _dimension(labels: DisplayLabels, axis: Axis) -> dict[str, Any]:
    """Return the description of a column of labels. Its first title is the heading of the column in the file."""
    name, language = axis.dimension, labels.spec.language
    words = labels.spec.metadata.dimensions.get(name, DimensionWords())
    titles: dict[str, list[str]] = {language: [name]}
    for tag, title in _by_language(words.label, language).items():
        titles.setdefault(tag, []).extend([] if title == name else [title])
    if axis.level:
        titles[language].append(labels.axis(name, axis.level))
    column = {"name": column_name(name), "titles": titles, "datatype": "string", "required": True}
    labelled = [*dict.fromkeys([*words.categories, *words.codes])]
    concepts = [
        {
            "rdf:value": category,
            **({"skos:notation": words.codes[category]} if category in words.codes else {}),
            **({"skos:prefLabel": _in_languages(words.categories.get(category), language)}
               if category in words.categories else {}),
        }
        for category in labelled
    ]  # fmt: skip
    return column | ({"skos:hasTopConcept": concepts} if concepts else {})


def _number(name: str) -> dict[str, Any]:
    """Return the description of a column of numbers. An interval may have no upper end."""
    datatype = {"base": "integer", "minimum": "0"}
    return {"name": name, "titles": name, "datatype": datatype} | ({} if name == "high" else {"required": True})


def _by_language(wording: Wording | None, language: str) -> dict[str, str]:
    if wording is None:
        return {}
    return {language: wording} if isinstance(wording, str) else dict(wording)


def _in_languages(wording: Wording | None, language: str) -> list[dict[str, str]]:
    """Return a wording as values of JSON-LD."""
    return [{"@value": text, "@language": tag} for tag, text in _by_language(wording, language).items()]


def readme(
    labels: DisplayLabels, plan: ReleasePlan, margins: Sequence[tuple[TableSpec, "Margins"]], names: Sequence[str]
) -> bytes:
    """Return README.md: what the folder holds, and how to read and check it.

    Parameters
    ----------
    labels
        The words of the specification.
    plan
        The plan of the release.
    margins
        Each table with its groupings, the finest first.
    names
        The names of the files of tables.
    """
    words, spec, metadata = labels.words, labels.spec, labels.spec.metadata
    given = {"contact": metadata.contact, "licence": metadata.licence}
    about = [f"- {words('version', version=_plain(spec.version))}"]
    about += [f"- {words(name, text=_plain(text))}" for name, text in given.items() if text is not None]
    blocks = [f"# {_plain(labels.title)}", *([_plain(labels.description)] if labels.description else [])]
    blocks += ["\n".join(about), words("lead")]
    if plan.promise is not None:
        blocks.append(promise_text(words, spec, plan.promise))
        blocks.extend(map(_plain, earlier_text(words, spec)))
    if labels.notes:
        blocks += [f"## {words('notes')}", "\n".join(f"- {_plain(note)}" for note in labels.notes)]
    blocks += [f"## {words('readme_tables')}", "\n".join(_table_line(labels, table) for table, _ in margins)]
    sentences = dict.fromkeys(text for _, own in margins for text in labels.leaves_in_other(own[0][0].axes))
    blocks.append(" ".join([words("readme_columns"), words("readme_marks"), *map(_plain_but_code, sentences)]))
    if "sdmx-csv" in spec.outputs:
        blocks.extend(_codes(labels, table, own) for table, own in margins)
    blocks += [
        f"## {words('readme_files')}",
        _files(labels, certificate_names(len(plan.ptables)), names),
        words("readme_check"),
    ]
    return ("\n\n".join(block for block in blocks if block) + "\n").encode()


def _table_line(labels: DisplayLabels, table: TableSpec) -> str:
    dimensions = " × ".join(_plain(labels.axis(axis.dimension, axis.level)) for axis in table.dimensions)
    people = f". {_plain(labels.people(table))}" if labels.people(table) else ""
    return f"- {_plain(labels.table(table.name))}: {dimensions or labels.words('one_count_of_everyone')}{people}"


def _codes(labels: DisplayLabels, table: TableSpec, margins: "Margins") -> str:
    """Return the ids and codes of the SDMX-CSV file of a table."""
    axes = margins[0][0].axes
    lines = [f"`{table.name}.sdmx.csv`:", ""]
    for identifier, axis in zip(dimension_ids([axis.book.name for axis in axes]), axes, strict=True):
        codes = category_codes(labels, axis.book.name, axis.labels)
        listed = ", ".join(f"`{code}` {_plain(labels.category(axis.book.name, name))}" for name, code in codes.items())
        lines.append(f"- `{identifier}`: {listed}")
    return "\n".join(lines) if axes else ""


def _files(labels: DisplayLabels, certificates: Sequence[str], names: Sequence[str]) -> str:
    """Return a list of the files of the folder. `names` are the files of tables."""
    words = labels.words
    lines = [
        f"- [{name}]({name}): {words(text)}"
        for name, text in (
            ("report.html", "readme_report"),
            ("manifest.json", "readme_manifest"),
            *((name, "readme_certificate") for name in certificates),
            ("measurements.csv", "readme_measurements"),
        )
    ]
    for name in names:
        text = words("readme_metadata" if name.endswith("-metadata.json") else "readme_table")
        lines.append(f"- [{name}]({name}): {text}")
    return "\n".join(lines)


def _plain_but_code(sentence: str) -> str:
    """Return a sentence in which nothing is markup of Markdown, except for `_other`."""
    return _plain(sentence).replace(_plain("`_other`"), "`_other`", 1)


def _plain(text: str) -> str:
    """Return a text in which no character is markup of Markdown."""
    return _MARKDOWN.sub(r"\\\1", text)
