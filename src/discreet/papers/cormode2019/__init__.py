"""Cormode, Kulkarni and Srivastava 2019: Constrained private mechanisms for count data.

Every numbered item, every printed number and every figure, next to ours. P[i, j] = Pr[output i | true j] on 0..n, and
alpha = exp(-epsilon). L0 is rescaled so that the uniform mechanism costs 1. "WM" has two readings: weak honesty alone,
as the figures of the paper behave, and weak honesty with row and column monotonicity, as section 7.1 says.
"""

from discreet.papers.cormode2019 import (
    claims_applications,
    claims_binomial,
    claims_explicit,
    claims_introduction,
    claims_objectives,
    claims_properties,
    claims_selection,
    claims_single_bit,
    figures_costs,
    figures_errors,
    figures_matrices,
    figures_objectives,
    figures_tables,
)
from discreet.papers.cormode2019.claims_adult import with_adult
from discreet.papers.cormode2019.items import ITEMS
from discreet.papers.register import Paper

_FIGURES = (
    *figures_matrices.FIGURES,
    *figures_tables.FIGURES,
    *figures_costs.FIGURES,
    *figures_errors.FIGURES,
    *figures_objectives.FIGURES,
)

PAPER = Paper(
    name="cormode2019",
    authors="Cormode, Kulkarni and Srivastava",
    year=2019,
    title="Constrained Private Mechanisms for Count Data",
    items=ITEMS,
    claims=(
        *claims_introduction.CLAIMS,
        *claims_properties.CLAIMS,
        *claims_single_bit.CLAIMS,
        *claims_explicit.CLAIMS,
        *claims_selection.CLAIMS,
        *claims_binomial.CLAIMS,
        *claims_objectives.CLAIMS,
        *claims_applications.CLAIMS,
    ),
    figures=tuple(sorted(_FIGURES, key=lambda figure: (int(figure.number.rstrip("abc")), figure.number))),
    with_adult=with_adult,
)
