"""Kadam et al. 2024, Optimum noise mechanism for differentially private queries in discrete finite sets.

The paper publishes (q + Z) modulo N = n + 1 and looks for the distribution f of the noise Z. Its set M of differences
between neighbours holds mu without -mu. Neighbours are symmetric, so its promises are not kept. Every noise that is
printed or drawn is recomputed in the paper's one-sided reading (`one_sided`, `single_difference`,
`bounded_difference`). Beside it stand its two-sided delta, which is the true one, and the best noise that does keep the
promise (`design.cyclic`).

Where the paper prints no epsilon or delta for a figure, the title of the figure says which was taken.
"""

from discreet.papers.kadam2024 import (
    claims_bounded,
    claims_comparison,
    claims_privacy,
    claims_program,
    claims_results,
    claims_single,
)
from discreet.papers.kadam2024.figures_comparison import COMPARISONS
from discreet.papers.kadam2024.figures_error_rates import ERRORS, VECTORS
from discreet.papers.kadam2024.figures_structure import OBSERVED, PMFS, STRUCTURE
from discreet.papers.kadam2024.items import ITEMS
from discreet.papers.register import Paper

PAPER = Paper(
    name="kadam2024",
    authors="Sachin Kadam, Anna Scaglione, Nikhil Ravi, Sean Peisert, Brent Lunghino and Aram Shumavon",
    year=2024,
    title="Optimum noise mechanism for differentially private queries in discrete finite sets",
    items=ITEMS,
    claims=(
        claims_results.table_1,
        claims_privacy.theorem_1,
        claims_privacy.post_processing,
        claims_privacy.uniform_noise,
        claims_program.distortion,
        claims_program.remarks_on_size,
        claims_program.indicators,
        claims_program.program,
        claims_program.footnote_4,
        claims_privacy.differences,
        claims_single.lemma_1,
        claims_single.lemmas_2_and_3,
        claims_single.theorem_2_claims,
        claims_single.corollary_1_claims,
        claims_bounded.lemma_4_claims,
        claims_bounded.flat_regions,
        claims_bounded.linear_regions,
        claims_bounded.optimality,
        claims_bounded.corollary_2_claims,
        claims_bounded.general_case,
        claims_bounded.limits,
        claims_comparison.figure_5a,
        claims_comparison.figure_5b,
        claims_privacy.clamping,
        claims_comparison.constants,
        claims_comparison.figure_7a,
        claims_comparison.figure_7b,
        claims_comparison.figure_8,
        claims_comparison.footnote_6,
        claims_single.figure_9,
        claims_results.vectors,
        claims_results.error_rates,
        claims_results.figure_14,
    ),
    figures=(*STRUCTURE, *COMPARISONS, *PMFS, *ERRORS, *VECTORS, *OBSERVED),
)
