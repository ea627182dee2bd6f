"""Tables as SDMX-CSV 2.0: codes instead of labels, one observation in each row.

The columns are STRUCTURE, STRUCTURE_ID and ACTION, one for each dimension, OBS_VALUE for the count, and the attributes
OBS_LOW and OBS_HIGH for the ends of its interval. A table with a filter has the attribute STAT_POP, too: whom the
filter keeps, in words. The rows are the rows of the CSV file, in order.

Ids of SDMX have letters, digits, `_` and `-`. A dimension has its name in capitals as its id, with `_` for every other
character. A category has the code that the metadata give; without one, its label if that is an id of SDMX, else `C` and
its number within the dimension. `_total` has the code `_T`, `_other` the code `_O`.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from discreet.labels import TOTAL
from discreet.plan.metadata import RESERVED_CODES
from discreet.plan.sections import TableSpec
from discreet.publish.display_labels import DisplayLabels

if TYPE_CHECKING:
    from discreet.publish.table_files import Margins

STRUCTURE = ("STRUCTURE", "STRUCTURE_ID", "ACTION")
NUMBERS = ("OBS_VALUE", "OBS_LOW", "OBS_HIGH")
PEOPLE = "STAT_POP"
AGENCY = "SELF"
"""The agency if the metadata name none."""

_CODE = re.compile(r"[A-Za-z0-9@$-][A-Za-z0-9_@$-]{0,59}")


def sdmx_csv(labels: DisplayLabels, table: TableSpec, margins: "Margins", rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as SDMX-CSV.

    Parameters
    ----------
    labels
        The words of the specification.
    table
        The section of the specification.
    margins
        The groupings of the table, the finest first.
    rows
        The labels and numbers of every cell.
    """
    axes = margins[0][0].axes
    codes = [category_codes(labels, axis.book.name, axis.labels) for axis in axes]
    structure = ("dataflow", f"{labels.spec.metadata.agency or AGENCY}:{table.name}(1.0.0)", "I")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    people = labels.people(table)
    columns, last = ([*NUMBERS, PEOPLE], [people]) if people else (NUMBERS, [])
    writer.writerow([*STRUCTURE, *dimension_ids([axis.book.name for axis in axes]), *columns])
    width = len(axes)
    for row in rows:
        coded = [own[str(label)] for own, label in zip(codes, row[:width], strict=True)]
        writer.writerow([*structure, *coded, *row[width:], *last])
    return out.getvalue().encode()


def dimension_ids(names: Iterable[str]) -> list[str]:
    """Return an id of SDMX for each dimension of a table, all different."""
    used: set[str] = {*STRUCTURE, *NUMBERS, PEOPLE}
    ids = []
    for name in names:
        identifier = re.sub("[^A-Z0-9_-]", "_", name.upper())
        if not identifier[0].isalpha():
            identifier = f"D_{identifier}"
        ids.append(_free(identifier, used))
    return ids


def category_codes(labels: DisplayLabels, dimension: str, names: Sequence[str]) -> dict[str, str]:
    """Return the code of each category of a dimension, and of its total, all different."""
    words = labels.spec.metadata.dimensions.get(dimension)
    given = {} if words is None else words.codes
    codes = {name: given[name] for name in names if name in given} | RESERVED_CODES
    used = set(codes.values())
    for number, name in enumerate(names, 1):
        if name not in codes:
            codes[name] = _free(name if _CODE.fullmatch(name) else f"C{number}", used)
    return {name: codes[name] for name in (*names, TOTAL)}


def _free(identifier: str, used: set[str]) -> str:
    """Return the identifier, with a number if the identifier is used. Add the result to `used`."""
    candidate, number = identifier, 2
    while candidate in used:
        candidate, number = f"{identifier}_{number}", number + 1
    used.add(candidate)
    return candidate
