"""The studio: up to four designs of noise side by side, at equal privacy or at equal variance, and the adviser."""

from dataclasses import dataclass

import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from discreet.design.compare import Compared, compare
from discreet.domain import Counts
from discreet.errors import DiscreetError, ParameterError
from discreet.exact import Epsilon, exact
from discreet.plan.adviser import advise
from discreet.web.shared.language import PageTexts
from discreet.web.workbench.studio_charts import Line, Names, delta_chart, linear_chart, probability_map
from discreet.web.workbench.visit import Visit, Visiting, message_of

router = APIRouter()

UNBOUNDED = ("geometric", "gaussian", "power", "staircase", "maxent")
BOUNDED = ("geometric", "fair", "weakly_honest", "exponential", "uniform")
MOST_DESIGNS = 4
LARGEST_N = 200
MAPPED_N = 50
"""The largest n whose probabilities are drawn as a map."""

LEAST_EPSILON, LARGEST_EPSILON = 0.02, 50
LARGEST_VARIANCE = 20_000
"""Designs with more noise take seconds to tune: the page draws them again after every change."""

POINTS = 160
"""Points of a privacy curve."""

LEAST_SHOWN = 1e-3
"""Errors whose probability is a smaller share of the largest probability are not drawn."""

PROPERTIES = ("RH", "RM", "CH", "CM", "F", "WH", "S")


@dataclass(frozen=True)
class Wish:
    """What the studio shows, from the address of the page.

    Attributes
    ----------
    n
        The largest count, or None for unbounded counts.
    names
        The designs.
    at
        "privacy" or "variance": what is equal.
    epsilon, delta, variance
        The privacy to compare at, and the variance.
    count
        The true count whose errors are drawn.
    """

    n: int | None
    names: tuple[str, ...]
    at: str
    epsilon: str
    delta: str
    variance: str
    count: int

    @property
    def choices(self) -> tuple[str, ...]:
        """The designs for the counts."""
        return UNBOUNDED if self.n is None else BOUNDED


def _wish(visit: Visit) -> Wish:
    """Return what the address asks for. Raise ParameterError for numbers that are none."""
    given_n = visit.query("n")
    n = _whole(given_n, "n", 1, LARGEST_N) if visit.query("counts") == "bounded" else None
    if not given_n and visit.query("counts") == "bounded":
        n = 20
    choices = UNBOUNDED if n is None else BOUNDED
    names = [name for name in dict.fromkeys(visit.request.query_params.getlist("design")) if name in choices]
    at = "variance" if visit.query("at") == "variance" else "privacy"
    epsilon, variance = visit.query("epsilon").strip() or "1", visit.query("variance").strip() or "4"
    if not LEAST_EPSILON <= float(Epsilon.of(epsilon)) <= LARGEST_EPSILON:
        raise ParameterError(
            f"epsilon is {epsilon!r:.40}; the studio draws designs of epsilon {LEAST_EPSILON} to {LARGEST_EPSILON}"
        )
    if at == "variance" and not 0 < exact(variance, "variance") <= LARGEST_VARIANCE:
        raise ParameterError(
            f"the variance is {variance!r:.40}; the studio draws designs of a variance up to {LARGEST_VARIANCE:,}"
        )
    return Wish(
        n,
        tuple(names[:MOST_DESIGNS]) or choices[:3],
        at,
        epsilon,
        visit.query("delta").strip() or ("1e-9" if n is None else "0"),
        variance,
        min(_whole(visit.query("count"), "the true count", 0, 10**6), 10**6 if n is None else n),
    )


def _whole(given: str, name: str, lowest: int, highest: int) -> int:
    text = given.strip() or str(lowest)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and lowest <= int(text) <= highest):
        raise ParameterError(f"{name} is {given!r:.40}; give a whole number from {lowest} to {highest:,}")
    return int(text)


@router.get("/studio")
def studio_page(visit: Visiting) -> Response:
    """Show designs side by side."""
    default = Wish(None, UNBOUNDED[:3], "privacy", "1", "1e-9", "4", 0)
    try:
        wish = _wish(visit)
    except DiscreetError as error:
        return _shown(visit, default, error=error)
    try:
        compared = compare(
            wish.names,
            epsilon=wish.epsilon,
            delta=wish.delta,
            variance=wish.variance if wish.at == "variance" else None,
            n=wish.n,
        )
    except DiscreetError as error:
        return _shown(visit, wish, error=error)
    return _shown(visit, wish, compared)


def _shown(
    visit: Visit, wish: Wish, compared: list[Compared] | None = None, error: DiscreetError | None = None
) -> Response:
    drawn = {} if compared is None else _charts(compared, wish, visit.texts)
    return visit.page(
        "studio.html", error=error, wish=wish, compared=compared, charts=drawn, properties=PROPERTIES,
        most_designs=MOST_DESIGNS,
    )  # fmt: skip


def _charts(compared: list[Compared], wish: Wish, texts: PageTexts) -> dict[str, object]:
    """Return the charts: errors at one true count, privacy, error by true count, and maps of probabilities."""
    errors, curves, by_count = [], [], []
    epsilon = float(Epsilon.of(wish.epsilon))
    epsilons = np.linspace(0, 3 * epsilon, POINTS)
    last = 20 if wish.n is None else wish.n
    for number, entry in enumerate(compared):
        mechanism = entry.mechanism
        outputs, probabilities = mechanism.pmf(wish.count)
        visible = probabilities >= LEAST_SHOWN * probabilities.max()
        points = zip((outputs[visible] - wish.count).tolist(), probabilities[visible].tolist(), strict=True)
        errors.append(Line(list(points), number, marks=True))
        deltas = mechanism.deltas(epsilons)
        curves.append(Line(list(zip(epsilons.tolist(), deltas.tolist(), strict=True)), number))
        by_count.append(Line([(count, mechanism.rmse(count)) for count in range(last + 1)], number, marks=last <= 50))
    names = {name: Names(texts(name), texts(f"{name}_across"), texts(f"{name}_up")) for name in CHARTS}
    mapped = compared if wish.n is not None and wish.n <= MAPPED_N else []
    maps = [
        (entry.name, probability_map(entry.mechanism.matrix(), texts("map_of", name=entry.name))) for entry in mapped
    ]
    return {
        "chart_errors": linear_chart(errors, names["chart_errors"], texts),
        "chart_privacy": delta_chart(curves, epsilon, names["chart_privacy"], texts),
        "chart_by_count": linear_chart(by_count, names["chart_by_count"], texts),
        "maps": maps,
        "properties": [entry.mechanism.properties() if wish.n is not None else None for entry in compared],
    }


CHARTS = ("chart_errors", "chart_privacy", "chart_by_count")


@router.get("/advice")
def advice_part(visit: Visiting) -> Response:
    """Show the designs that meet a budget over all cells of one person, the least noisy first."""
    try:
        cells = _whole(visit.query("cells"), "the number of cells", 1, 10**6)
        upper = (
            _whole(visit.query("upper"), "the largest count", 1, LARGEST_N) if visit.query("upper").strip() else None
        )
        epsilon, delta = visit.query("epsilon").strip() or "1", visit.query("delta").strip() or "1e-6"
        advice = visit.workspace.results.of(
            ("advice", epsilon, delta, cells, upper),
            lambda: advise(epsilon=epsilon, delta=delta, cells=cells, domain=Counts(0, upper)),
        )
    except DiscreetError as error:
        return visit.part("message.html", error=message_of(error))
    return visit.part("advice.html", advice=advice)
