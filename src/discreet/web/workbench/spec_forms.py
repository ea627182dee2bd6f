"""From the fields of a form to the content of a specification: each function returns what a section becomes.

A value that a form leaves as it is stays exactly as it is in the document, so that its text does not change.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from discreet.plan.spec import ReleaseSpec
from discreet.plan.yaml_file import text
from discreet.web.workbench.visit import Form

Document = dict[str, Any]
Edit = Callable[[Document], Document]

_WHOLE = re.compile("-?(0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile("-?(0|[1-9][0-9]{0,8})[.][0-9]{1,6}")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def number_or_text(given: str) -> int | float | str:
    """Return a number if a text is plainly one, else the text.

    Examples
    --------
    >>> from discreet.web.workbench.spec_forms import number_or_text
    >>> number_or_text("2"), number_or_text("0.5"), number_or_text("1e-6"), number_or_text("1/3")
    (2, 0.5, '1e-6', '1/3')
    """
    if _WHOLE.fullmatch(given):
        return int(given)
    return float(given) if _DECIMAL.fullmatch(given) else given


def kept(before: Any, given: str) -> Any:
    """Return the value of a document if a form left it as it is, else the new number or text."""
    return before if text(before) == given else number_or_text(given)


def with_entry(section: Mapping[Any, Any], name: str, value: Any) -> dict[Any, Any]:
    """Return a mapping with another value of an entry; without the entry if the value is empty."""
    changed = dict(section)
    if value is None or value in ("", [], {}):
        changed.pop(name, None)
    else:
        changed[name] = value
    return changed


def with_text(section: Mapping[Any, Any], name: str, given: str) -> dict[Any, Any]:
    """Return a mapping with another text; without the entry if the text is empty."""
    before = section.get(name)
    return with_entry(section, name, before if text(before) == given else given)


def declared(section: Mapping[Any, Any], source: str) -> dict[Any, Any]:
    """Return a section with the source of what it declares, which replaces the mark `found: data`."""
    changed = with_text(section, "source", source)
    if source:
        changed.pop("found", None)
    return changed


def with_dimension(document: Document, name: str, form: Form) -> Document:
    """Return a specification with the categories or ranges of a dimension as a form has them."""
    dimension = dict(document["dimensions"][name])
    if form.text("kind") == "ranges":
        dimension.pop("categories", None)
        dimension["ranges"] = _ranges(dimension.get("ranges") or {}, form)
    else:
        dimension.pop("ranges", None)
        dimension["categories"] = _categories(dimension.get("categories"), form)
    if form.has("column"):
        dimension = with_text(dimension, "column", form.raw("column"))
    dimension = declared(dimension, form.text("source"))
    return document | {"dimensions": document["dimensions"] | {name: dimension}}


def with_sources(document: Document, names: Sequence[str], source: str) -> Document:
    """Return a specification in which a source declares several dimensions."""
    dimensions = document["dimensions"]
    checked = {name: declared(dimensions[name], source) for name in dimensions if text(name) in names}
    return document | {"dimensions": dimensions | checked}


def _categories(before: Any, form: Form) -> Any:
    """Return categories: a list if each one stands for its own name only, and was written so; else a mapping."""
    rows = {
        label.strip(): [value for value in values.splitlines() if value.strip()] or [label.strip()]
        for label, values in zip(form.texts("label"), form.texts("values"), strict=False)
        if label.strip()
    }
    if not isinstance(before, dict) and all(values == [label] for label, values in rows.items()):
        known = {text(value): value for value in before or []}
        return [known.get(label, label) for label in rows]
    old = {text(label): values for label, values in before.items()} if isinstance(before, dict) else {}
    return {label: old[label] if _values(old.get(label)) == values else values for label, values in rows.items()}


def _values(values: Any) -> list[str]:
    """Return the raw values of a category as texts."""
    return [text(value) for value in values] if isinstance(values, list) else [] if values is None else [text(values)]


def _ranges(before: Mapping[Any, Any], form: Form) -> dict[str, Any]:
    old = {text(label): bounds for label, bounds in before.items()}
    rows = zip(form.texts("label"), form.texts("lower"), form.texts("upper"), strict=False)
    ranges = {}
    for label, *given in rows:
        name, bounds = label.strip(), [bound.strip() for bound in given]
        if name:
            same = name in old and [bound_text(bound) for bound in old[name]] == bounds
            ranges[name] = old[name] if same else [_bound(bound) for bound in bounds]
    return ranges


def bound_text(bound: Any) -> str:
    """Return a bound as a form shows it; empty for no bound."""
    return "" if bound is None else str(text(bound))


def _bound(given: str) -> Any:
    return None if given == "" else given if _DATE.fullmatch(given) else number_or_text(given)


def with_tables(document: Document, index: int, form: Form) -> Document:
    """Return a specification with a table as a form has it. An index after the last table adds one."""
    tables = list(document["tables"])
    before = tables[index] if index < len(tables) else {}
    chosen = form.texts("dimension")
    axes = {text(axis_name(axis)): axis for axis in before.get("dimensions", [])}
    order = [*(name for name in axes if name in chosen), *(name for name in chosen if name not in axes)]
    table = dict(before)
    table["name"] = kept(before.get("name"), form.text("name")) or table_name(order, tables)
    table["dimensions"] = [_axis(axes.get(name), name, form.raw(f"level {name}")) for name in order]
    if form.text("margins") in ("all", "none"):
        table["margins"] = form.text("margins")
    return document | {"tables": [*tables[:index], table, *tables[index + 1 :]]}


def axis_name(axis: Any) -> Any:
    """Return the dimension of an axis of a table."""
    return axis.get("dimension") if isinstance(axis, dict) else axis


def _axis(before: Any, name: str, level: str) -> Any:
    if level:
        return {"dimension": name, "level": level}
    return name if before is None or isinstance(before, dict) else before


def table_name(dimensions: Sequence[str], tables: Sequence[Any]) -> str:
    """Return a name for a table that no other table has."""
    stem = re.sub("[^A-Za-z0-9]+", "_", "_by_".join(dimensions)).strip("_")[:60] or "table"
    taken = {str(table.get("name", "")).lower() for table in tables if isinstance(table, dict)}
    number, name = 2, stem
    while name.lower() in taken | {"measurements", "manifest", "certificate", "report"}:
        number, name = number + 1, f"{stem}_{number}"
    return name


def without_table(document: Document, index: int) -> Document:
    """Return a specification without a table."""
    tables = document["tables"]
    return document | {"tables": [*tables[:index], *tables[index + 1 :]]}


def with_budget(document: Document, form: Form) -> Document:
    """Return a specification with another budget."""
    before = document.get("budget") or {}
    budget = dict(before)
    for name in ("epsilon", "delta"):
        given = form.text(name)
        budget = with_entry(budget, name, kept(before.get(name), given) if given else None)
    return with_entry(document, "budget", budget)


def with_settings(document: Document, form: Form) -> Document:
    """Return a specification with title, version, people, keys, ledger, outputs and language as a form has them."""
    changed = document
    for name in ("title", "version", "ledger", "key", "language"):
        changed = with_text(changed, name, _unless_default(document, name, form.text(name)) or "")
    secret = with_text(document.get("secret") or {}, "file", form.text("secret"))
    changed = with_entry(changed, "secret", secret)
    changed = with_entry(changed, "outputs", _unless_default(document, "outputs", form.texts("outputs")))
    return with_entry(changed, "unit", _unit(document.get("unit") or {}, form))


def _unless_default(document: Document, name: str, given: Any) -> Any:
    """Return what a form gives for a field; None if it is the default, and the document does not state the field."""
    return None if name not in document and given == ReleaseSpec.model_fields[name].default else given


def _unit(before: Mapping[Any, Any], form: Form) -> dict[Any, Any]:
    unit = with_text(before, "id", form.raw("id"))
    contributions = form.text("contributions") if form.raw("id") else ""
    is_default = contributions in ("", "1") and "contributions" not in before
    value = None if is_default or not contributions else kept(before.get("contributions"), contributions)
    return declared(with_entry(unit, "contributions", value), form.text("source"))
