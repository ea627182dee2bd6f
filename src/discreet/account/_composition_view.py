"""The bound of a composition, as columns and as pictures."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import pictures
from discreet.arrays import Floats
from discreet.exact import rounded_up

if TYPE_CHECKING:
    from discreet.account.composition import Composition

LOWEST = 1e-9
"""Curves end where delta is this, or close to its floor."""


def curve(composed: "Composition", points: int) -> dict[str, Floats]:
    """Return epsilons from 0 on, and the bound of delta at each."""
    target = max(LOWEST, 1.1 * composed.floor)
    widest = composed.epsilon(target) if target < 1 else composed.largest
    epsilons = np.linspace(0.0, widest or 1.0, points)
    return {"epsilon": epsilons, "delta": composed.delta(epsilons)}


def draw(composed: "Composition", axes: Any) -> Any:
    """Draw the bound on axes of matplotlib, and return the axes."""
    panel = pictures.axes(axes)
    columns = curve(composed, 200)
    panel.plot(columns["epsilon"], np.maximum(columns["delta"], pictures.LEAST_DELTA), color=pictures.COLOUR)
    panel.set(xlabel="epsilon", ylabel="delta, at most", yscale="log", title=uses(composed))
    return panel


def html(composed: "Composition") -> str:
    """Return the bound at usual deltas, with a picture, for a notebook."""
    facts = {f"epsilon at delta {delta}": _epsilon(composed, delta) for delta in ("1e-6", "1e-9")}
    columns = curve(composed, 61)
    picture = pictures.curve(columns["epsilon"].tolist(), columns["delta"].tolist(), "delta against epsilon")
    return pictures.card(
        f"Composition: {uses(composed)}", facts | {"floor of delta": rounded_up(composed.floor)}, picture
    )


def _epsilon(composed: "Composition", delta: str) -> str:
    """Return the epsilon of a delta in words, rounded up."""
    epsilon = composed.epsilon(delta)
    return rounded_up(epsilon, 4) if math.isfinite(epsilon) else "none, because delta never falls so low"


def uses(composed: "Composition") -> str:
    """Return how many uses of how many tables are composed."""
    number, tables = sum(part.times for part in composed.parts), len(composed.parts)
    return f"{number} use{'' if number == 1 else 's'} of {tables} table{'' if tables == 1 else 's'}"
