"""What a page or an answer of the API shows, as a query string: a link gives the same table again.

    rows=district&rows=age&columns=sex&level=district=region&keep=age=16-24&keep=age=25-44&before=town-2025

`rows`, `columns`, `level` and `keep` may occur several times. A dimension of `level` or `keep` ends at the first "=" at
which a dimension of the release ends. Options of pages: `intervals=off`, `chart=bars|pyramid|change`, `lang`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args
from urllib.parse import urlencode

from discreet.errors import ParameterError
from discreet.infer.any_table.table_question import AxisChoice, TableQuestion
from discreet.labels import listed
from discreet.web.explorer.catalogue import ShownRelease

Chart = Literal["off", "bars", "pyramid", "change"]


@dataclass(frozen=True)
class TableView:
    """A question, and how its answer is shown.

    Attributes
    ----------
    question
        The table.
    before
        The name of an earlier release, to show the change since; None for no change.
    intervals
        True to show intervals beside counts.
    chart
        The chart below the table.
    """

    question: TableQuestion
    before: str | None = None
    intervals: bool = True
    chart: Chart = "off"

    def parameters(self) -> list[tuple[str, str]]:
        """Return the parts of the query string that the API reads."""
        levels = [(axis.dimension, axis.level) for axis in self.question.axes if axis.level is not None]
        return [
            *(("rows", axis.dimension) for axis in self.question.rows),
            *(("columns", axis.dimension) for axis in self.question.columns),
            *(("level", f"{name}={level}") for name, level in levels),
            *(("keep", f"{name}={label}") for name, labels in self.question.keep for label in labels),
            *([] if self.before is None else [("before", self.before)]),
        ]

    def query(self, **more: str) -> str:
        """Return the query string of the API."""
        return urlencode([*self.parameters(), *more.items()])

    def page_query(self, language: str | None = None) -> str:
        """Return the query string of a page. A page without one shows the first table, so it is never empty."""
        parameters = [*self.parameters()]
        if not self.intervals:
            parameters.append(("intervals", "off"))
        if self.chart != "off":
            parameters.append(("chart", self.chart))
        if language is not None:
            parameters.append(("lang", language))
        return urlencode(parameters or [("rows", "")])


def read_view(
    release: ShownRelease,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    level: Sequence[str] = (),
    keep: Sequence[str] = (),
    before: str | None = None,
) -> TableView:
    """Return the view of a query string.

    Parameters
    ----------
    release
        The release that is asked.
    rows, columns, level, keep, before
        The values of the parameters of these names. Empty texts count as not given.

    Raises
    ------
    ParameterError
        A parameter names no dimension, or a dimension has two levels.
    """
    levels: dict[str, str] = {}
    for text in filter(None, level):
        name, chosen = _named(release, text, "level")
        if levels.setdefault(name, chosen) != chosen:
            raise ParameterError(f"dimension {name!r:.60} has the levels {levels[name]!r:.60} and {chosen!r:.60}")
    kept: dict[str, dict[str, None]] = {}
    for text in filter(None, keep):
        name, label = _named(release, text, "keep")
        kept.setdefault(name, {})[label] = None
    chosen_rows, chosen_columns = (
        tuple(AxisChoice(name, levels.get(name) or None) for name in filter(None, names)) for names in (rows, columns)
    )
    used = {axis.dimension for axis in (*chosen_rows, *chosen_columns)}
    unused = [name for name in levels if name not in used]
    if unused:
        raise ParameterError(f"level names {unused[0]!r:.60}, which is in no row and no column; leave level out")
    keep_pairs = tuple((name, tuple(labels)) for name, labels in kept.items())
    return TableView(TableQuestion(chosen_rows, chosen_columns, keep_pairs), before or None)


def _named(release: ShownRelease, text: str, parameter: str) -> tuple[str, str]:
    """Return the dimension and the rest of a text such as age=16-24."""
    names = [name for name in release.opened.books if text.startswith(f"{name}=")]
    if not names:
        raise ParameterError(
            f"{parameter} is {text!r:.80}; write {parameter}=DIMENSION=LABEL with one of the dimensions"
            f" {listed(list(release.opened.books))}"
        )
    name = min(names, key=len)
    return name, text[len(name) + 1 :]


def acted(view: TableView, release: ShownRelease, action: str) -> TableView:
    """Return the view after a button of the page.

    Parameters
    ----------
    view
        The view before.
    release
        The release that is shown.
    action
        "rows:NAME", "columns:NAME", "out:NAME", "earlier:NAME", "later:NAME", "all:NAME", "pivot" or "". Anything else
        does nothing: the page never sends it.
    """
    verb, _, name = action.partition(":")
    if verb == "pivot":
        return replace(view, question=view.question.pivoted())
    if verb == "all":
        keep = tuple(pair for pair in view.question.keep if pair[0] != name)
        return replace(view, question=replace(view.question, keep=keep))
    if name not in release.levels:
        return view
    if verb in ("earlier", "later"):
        rows, columns = (_moved(axes, name, verb == "later") for axes in (view.question.rows, view.question.columns))
        return replace(view, question=replace(view.question, rows=rows, columns=columns))
    if verb not in ("rows", "columns", "out"):
        return view
    known = {axis.dimension: axis for axis in view.question.axes}
    axis = known.get(name, AxisChoice(name, release.levels[name][0]))
    rows, columns = (
        tuple(own for own in axes if own.dimension != name) for axes in (view.question.rows, view.question.columns)
    )
    if verb == "rows":
        rows = (*rows, axis)
    elif verb == "columns":
        columns = (*columns, axis)
    return replace(view, question=replace(view.question, rows=rows, columns=columns))


def _moved(axes: tuple[AxisChoice, ...], name: str, later: bool) -> tuple[AxisChoice, ...]:
    """Return axes with one of them exchanged with its neighbour."""
    order = list(axes)
    numbers = [number for number, axis in enumerate(order) if axis.dimension == name]
    for number in numbers:
        other = number + (1 if later else -1)
        if 0 <= other < len(order):
            order[number], order[other] = order[other], order[number]
    return tuple(order)


def with_options(view: TableView, options: Mapping[str, str | None]) -> TableView:
    """Return the view with the options of a page: intervals and chart. Unknown values count as not given."""
    chart = options.get("chart")
    chosen: Chart = next((own for own in get_args(Chart) if own == chart), "off")
    return replace(view, intervals=options.get("intervals") != "off", chart=chosen)
