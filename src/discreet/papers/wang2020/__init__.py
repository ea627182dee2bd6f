"""Wang 2020, Differentially Private Counts with Additive Constraints.

Components and their total get two-sided geometric noise. The paper makes them non-negative integers that add up, by
multinomials with the noisy proportions: two that draw the total and the proportions from posteriors first (algorithm 1,
based on independence or on summed noisy totals), a draw (2), and the mode in place of a draw (3). It then asks what the
released counts say about the true ones, by brute force, for two components.

Beside its numbers stand what it leaves open: what a component and the total cost together, exact moments in place of
simulated ones, least squares, and the posteriors that it leaves for later.
"""

from discreet.papers.register import Paper
from discreet.papers.wang2020 import (
    claims_background,
    claims_comments,
    claims_discussion,
    claims_examples,
    claims_posteriors,
    claims_procedure,
    figures_counts,
    figures_posteriors,
)
from discreet.papers.wang2020.items import ITEMS

PAPER = Paper(
    name="wang2020",
    authors="Ziang Wang",
    year=2020,
    title="Differentially Private Counts with Additive Constraints",
    items=ITEMS,
    claims=(
        claims_background.introduction,
        claims_background.geometric_noise,
        claims_background.privacy,
        claims_background.range_of_noise,
        claims_background.noisy_counts,
        claims_background.single_posteriors,
        claims_background.totals,
        claims_background.sums_of_noises,
        claims_background.mode,
        claims_procedure.positive_draws,
        claims_procedure.poisson,
        claims_procedure.brute_force,
        claims_examples.example_1,
        claims_examples.example_2,
        claims_examples.tables_1_and_3,
        claims_comments.comments_on_table_1,
        claims_comments.comments_on_table_3,
        claims_posteriors.table_4,
        claims_posteriors.table_5,
        claims_posteriors.comments,
        claims_discussion.performance,
        claims_discussion.many_zeros,
        claims_discussion.variability,
        claims_posteriors.estimates,
        claims_discussion.least_squares,
        claims_posteriors.future_algorithm_1,
        claims_posteriors.future_components,
    ),
    figures=(*figures_counts.FIGURES, *figures_posteriors.FIGURES),
)
