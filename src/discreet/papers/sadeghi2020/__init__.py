"""Sadeghi, Asoodeh and Calmon 2020: Differentially private mechanisms for count queries.

The paper adds noise Z in [-D, D] with mean 0 and Pr[Z = 0] = eta, and minimises over it the largest p(y) - E q(y) of a
single output y and two neighbouring counts, E = e^epsilon. Remark 2 turns this delta per output into a promise of
(epsilon, (2D+1) delta). Here the exact delta, the sum of the positive parts, stands beside both, and beside that the
least exact delta for the same epsilon, eta and D: `design.bounded`.

The claims are in the order of the paper; those that a linear program takes some time for are few.
"""

from discreet.papers.register import Paper
from discreet.papers.sadeghi2020 import (
    claims_achievability,
    claims_all_counts,
    claims_formulation,
    claims_lower_bounds,
    claims_numerical,
)
from discreet.papers.sadeghi2020.figures_delta import FIGURES
from discreet.papers.sadeghi2020.items import ITEMS

PAPER = Paper(
    name="sadeghi2020",
    authors="Sadeghi, Asoodeh and Calmon",
    year=2020,
    title="Differentially Private Mechanisms for Count Queries",
    items=ITEMS,
    claims=(
        claims_formulation.introduction,
        claims_formulation.observations,
        claims_formulation.properties,
        claims_formulation.example_1,
        claims_all_counts.privacy_conditions,
        claims_all_counts.all_counts,
        claims_all_counts.elimination,
        claims_lower_bounds.noise_for_large_counts,
        claims_lower_bounds.proposition_4,
        claims_lower_bounds.lower_bounds,
        claims_lower_bounds.crossovers,
        claims_achievability.definition_2,
        claims_lower_bounds.smallest_eta,
        claims_achievability.theorem_3_claims,
        claims_achievability.proof_of_theorem_3,
        claims_achievability.section_3b,
        claims_achievability.figure_1,
        claims_achievability.counts_below_the_support,
        claims_achievability.remark_2,
        claims_numerical.figure_2,
        claims_numerical.figure_3,
        claims_numerical.comparison_steps,
        claims_numerical.figure_4,
        claims_numerical.other_experiments,
        claims_numerical.several_queries,
    ),
    figures=FIGURES,
)
