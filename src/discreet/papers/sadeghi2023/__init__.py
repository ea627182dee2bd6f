"""Sadeghi and Chien 2023, On the connection between the ABS perturbation methodology and differential privacy.

The paper finds the noise of largest entropy for a support [-D, D] and a variance V, which the Australian Bureau of
Statistics adds to counts, and its exact delta (Proposition 2). It gives a rule that picks D and V for a target
(epsilon, delta), and turns the noise into a lookup table for keys of 8, 16 or 32 bits, by ceilings of the distribution
function.

Its formulas are in `truncated_gaussian`, its lookup tables in `lookup_tables`, its keys in `cell_keys`. Beside them
stand what the best gamma gives, what the ceilings cost, and what a key made from the contributors of a cell gives away.
"""

from discreet.papers.register import Paper
from discreet.papers.sadeghi2023 import (
    claims_cell_keys,
    claims_design_guide,
    claims_noise,
    claims_outlook,
    claims_sampling,
    figures_lookup_tables,
    figures_noise,
)
from discreet.papers.sadeghi2023.items import ITEMS

PAPER = Paper(
    name="sadeghi2023",
    authors="Parastoo Sadeghi and Chien-Hung Chien",
    year=2023,
    title="On the connection between the ABS perturbation methodology and differential privacy",
    items=ITEMS,
    claims=(
        claims_outlook.abstract,
        claims_outlook.composition,
        claims_outlook.small_counts,
        claims_noise.distribution,
        claims_noise.proposition_1,
        claims_noise.events,
        claims_noise.proposition_2_claims,
        claims_noise.figure_1,
        claims_design_guide.interval,
        claims_design_guide.ranges,
        claims_design_guide.remark_1,
        claims_design_guide.proposition_3,
        claims_design_guide.figure_2,
        claims_design_guide.design_guide,
        claims_design_guide.example_1_claims,
        claims_cell_keys.contributors,
        claims_cell_keys.modulus,
        claims_cell_keys.components,
        claims_sampling.quantisation,
        claims_sampling.example_2,
        claims_sampling.measures,
        claims_sampling.example_3,
        claims_sampling.experiments,
        claims_sampling.figure_4,
        claims_sampling.figure_5,
        claims_outlook.other_notions,
        claims_noise.appendix_b,
        claims_noise.appendix_c,
    ),
    figures=(*figures_noise.FIGURES, *figures_lookup_tables.FIGURES),
)
