"""Write a proposal as a commented specification that runs as it is.

Whatever was found in the data has the mark `found: data`. As long as one mark stands, a release promises nothing.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discreet.account.composition import MOST_CONTRIBUTIONS
from discreet.labels import OTHER
from discreet.plan.spec import COLUMNS, RESERVED
from discreet.plan.spec_section import LONGEST_LABEL
from discreet.plan.yaml_text import quoted
from discreet.prepare.proposal import Proposal, Proposed

MOST_DIMENSIONS = 6
"""Dimensions in the first tables."""

MOST_LEAVES = 30
"""Categories of a dimension in the first tables."""

_SHOWN = 12
"""Values that a comment lists."""

CHECK = "check against your questionnaire: found in the data"


def comment(text: str) -> str:
    """Return a text that stays on one line of a comment."""
    return "".join(character if character.isprintable() else " " for character in text)


def spec_text(proposal: Proposal, source: Mapping[str, Any], *, name: str, notes: Sequence[str] = ()) -> str:
    """Return a proposal as the text of a specification.

    Parameters
    ----------
    proposal
        What to write. It has at least one dimension.
    source
        The source section.
    name
        The name of the data, for the title.
    notes
        What was found out about the source, one comment line each.
    """
    names = _dimension_names(proposal.dimensions)
    tables = _tables(proposal.dimensions, names)
    fields = ", ".join(f"{key}: {_value(value)}" for key, value in source.items())
    lines = [
        "# A first specification. It lists values that were found in the data: keep it private until it is checked.",
        "#",
        "#   1. Run `discreet preview FILE`: how many rows each category takes, and what is not declared.",
        "#   2. Compare what is declared below with your questionnaire or register, and correct it.",
        "#   3. Replace each `found: data` by its source, such as `source: questionnaire 2026`. It is published.",
        "#      As long as one `found: data` stands, a release promises nothing, and a ledger refuses it.",
        "#   4. Run `discreet release FILE -o DIR`, and `discreet verify DIR`.",
        "",
        f"title: {quoted(comment(name))}",
        'version: "1"                 # a label for this version of the data; new data need a new label',
        f"source: {{{fields}}}",
        *(f"# {comment(note)}" for note in notes),
        "",
        *_unit(proposal),
        "",
        f"# Values that are not declared, and missing values, count as {OTHER}, which is published like a category.",
        f"# If no data at all can give {OTHER} (a register without missing values), leave it out by a filter of the",
        "# tables: a cell of nobody comes out too high on average, because no count is below 0.",
        "dimensions:",
    ]
    for dimension, dimension_name in zip(proposal.dimensions, names, strict=True):
        lines += _dimension(dimension, dimension_name)
    if proposal.left_out:
        lines += ["", "# Columns that are left out:"]
        lines += [f"#   {comment(column)}: {why}" for column, why in proposal.left_out.items()]
    lines += [
        "",
        "# Each table, and each of its margins, counts every person once more, so each one adds noise to all.",
        "tables:",
    ]
    lines += [
        f"  - {{name: {quoted(table)}, dimensions: [{', '.join(map(quoted, axes))}], margins: all}}"
        for table, axes in tables
    ]
    unused = [quoted(n) for n in names if not any(n in axes for _, axes in tables)]
    lines += [f"# not in a table yet: {', '.join(unused)}"] if unused else []
    lines += ["", *_BUDGET]
    return "\n".join(lines) + "\n"


_BUDGET = """\
# The budget is the most that one person may lose by all tables together. epsilon 1, delta 1e-6: whatever tables may
# be published, their chance with any one person is at most 2.72 times (e to the power of epsilon) their chance without
# this person, plus one in a million (delta), and the other way round. A smaller epsilon protects more, and adds more
# noise.
budget: {epsilon: 1, delta: 1e-6}

# Noise from fresh random numbers. For a release that can be repeated, make a secret (`discreet keys new secret.key`)
# and replace the line by `secret: {file: secret.key}`. For several releases about the same people, add a ledger.
key: fresh
reconcile: auto              # make tables that add up
outputs: [csv]               # or csv, parquet, json-stat, sdmx-csv, xlsx
""".splitlines()


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(str(value))


def _unit(proposal: Proposal) -> list[str]:
    """Return the lines about whose privacy is kept."""
    if proposal.id is None:
        return [
            "# Whose privacy is kept. No column looks like the id of a person, so every row counts as one person. If a",
            "# person can have several rows, give `id: COLUMN` and the most rows of one person that count.",
            "unit:",
            f"  found: data                # {CHECK}",
        ]
    most = proposal.rows_of_one_id
    counted = min(most, MOST_CONTRIBUTIONS)
    lines = [
        "# Whose privacy is kept: the people that a column names. Rows without an id do not count. If one has more",
        "# rows than contributions, only that many count. More contributions need more noise: `discreet plan` shows",
        "# how much. Take the number that your questionnaire allows, not the number that was found.",
        "unit:",
        f"  id: {quoted(proposal.id, in_flow=False)}",
        f"  contributions: {counted}           # rows of one id in the data, at most: {most}",
        f"  found: data                # {CHECK}",
    ]
    return lines


def _dimension(dimension: Proposed, name: str) -> list[str]:
    """Return the lines of a dimension."""
    lines = [
        f"  {quoted(name)}:",
        f"    column: {quoted(dimension.column, in_flow=False)}",
        f"    found: data              # {CHECK}",
    ]
    if dimension.ranges is not None:
        lines += ["    ranges:                  # [lower, upper): from lower to below upper; null is no bound"]
        for label, bounds in dimension.ranges.items():
            lower, upper = ("null" if bound is None else _bound(bound) for bound in bounds)
            lines.append(f"      {quoted(label)}: [{lower}, {upper}]")
        return lines
    categories = dimension.categories or {}
    if all(list(values) == [label] for label, values in categories.items()):
        lines += ["    categories:", *(f"      - {quoted(label)}" for label in categories)]
    else:
        lines.append("    categories:              # each category, and the spellings that were found")
        for label, values in categories.items():
            lines.append(f"      {quoted(label)}: [{', '.join(map(quoted, values))}]")
    if dimension.missing:
        lines.append(f"    # taken for missing, so not declared: {_listed(dimension.missing)}")
    if dimension.rare:
        lines.append(f"    # too rare or odd to declare; add what the questionnaire has: {_listed(dimension.rare)}")
    return lines


def _listed(values: Iterable[str]) -> str:
    texts = [repr(value[:60]) for value in values]
    return comment(", ".join(texts[:_SHOWN]) + (f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""))


def _bound(value: float | str) -> str:
    """Return a bound as the YAML reader takes it: a date, or digits, with a point if the number is not whole."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value.is_integer() else format(value, ".15f").rstrip("0")


def _dimension_names(dimensions: Sequence[Proposed]) -> list[str]:
    """Return a name for each dimension: that of its column, unless the name is taken or cannot be one."""
    names: list[str] = []
    for dimension in dimensions:
        name = comment(dimension.column).strip()[: LONGEST_LABEL - 10] or "dimension"
        while name.lower() in COLUMNS or name in names:
            name += "_"
        names.append(name)
    return names


def _tables(dimensions: Sequence[Proposed], names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return names and dimensions of a first set of tables: the first two dimensions crossed, others one by one."""
    small = [name for name, dimension in zip(names, dimensions, strict=True) if dimension.leaves <= MOST_LEAVES]
    used = (small or list(names))[:MOST_DIMENSIONS]
    groups = [used[:2], *([name] for name in used[2:])]
    tables: list[tuple[str, list[str]]] = []
    for axes in groups:
        name = "_by_".join(filter(None, map(_slug, axes)))[:70] or "table"
        taken = {*RESERVED, *(table.lower() for table, _ in tables)}
        number = 2
        unique = name
        while unique.lower() in taken:
            unique, number = f"{name}_{number}", number + 1
        tables.append((unique, axes))
    return tables


def _slug(text: str) -> str:
    """Return the letters and digits of a text as a name of a file."""
    ascii_text = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "_", ascii_text).strip("_")
