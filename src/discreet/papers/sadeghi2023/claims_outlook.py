"""Claims about what Sadeghi 2023 leaves for later: small counts, composition, and other notions of privacy."""

from fractions import Fraction

from discreet.account import compose, renyi
from discreet.design import maxent
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023.claim_values import ours, share, statement
from discreet.papers.sadeghi2023.lookup_tables import EPSILONS, design, experiment
from discreet.papers.sadeghi2023.truncated_gaussian import example_1
from discreet.papers.wording import ABOUT, about


def abstract() -> list[Claim]:
    """The abstract and the conclusion: a large cell key keeps the measures."""
    closest = []
    for epsilon in EPSILONS:
        measures, noise = experiment(epsilon, 32), design(epsilon)
        closest.append(about(measures.epsilon, float(epsilon)) and about(float(measures.delta), noise.delta(epsilon)))
    return [
        statement(
            "Abstract",
            "with a large cell key (2^32) epsilon^Q and delta^Q are almost identical to epsilon and delta, section 4.3"
            f" {ABOUT}",
            share(closest),
            all(closest),
        )
    ]


def small_counts() -> list[Claim]:
    """Footnote 1: counts below D, which the paper leaves aside."""
    noise, claims = maxent(support=5, variance=3), []
    note = (
        "PRIVACY: 1 - p(0|1), because an output above 0 tells that the count is not 0; the noise of large counts has"
        f" {noise.delta(1):.4g}"
    )
    for js in (0, 1, 2):
        table = maxent(support=5, variance=3, small="sdc", js=js, mono=False, fixed=True)
        what = f"delta at epsilon 1 with zeros left alone and outputs 1..{js} blocked, D 5, V 3"
        what = what.replace(" and outputs 1..0 blocked", "")
        claims.append(ours("Footnote 1", what, table.delta(1), note if js == 0 else ""))
    return claims


def composition() -> list[Claim]:
    """Challenge (3): many counts of one person."""
    table, claims = example_1().certify(), []
    for cells in (10, 100, 1000):
        together = compose(table, cells)
        floor = together.floor
        claims.append(
            ours(
                "Ongoing challenges",
                f"Example 1 in {cells} cells: delta at any epsilon, and epsilon at 1.1 times this delta",
                f"{floor:.4g}; {together.epsilon(delta=1.1 * floor):.4g}",
                "an upper bound; adding up the epsilons would give 500" if cells == 1000 else "",
            )
        )
    return claims


def other_notions() -> list[Claim]:
    """Future work: Renyi DP, concentrated DP and probabilistic DP of the noise of Example 1."""
    noise = example_1()
    curve = renyi(noise.certify())
    gamma = float(noise.design["gamma"])
    return [
        ours(
            "Future work",
            "Renyi divergence of order 2, Example 1",
            "infinite" if curve.divergence(2) == float("inf") else curve.divergence(2),
            "PRIVACY: the noise ends at D, so an output of n + D + 1 tells the counts n and n + 1 apart; noise with"
            " bounded support has no Renyi DP at any order, and no concentrated DP",
        ),
        ours(
            "Future work",
            "approximate zCDP, Example 1: delta and rho",
            f"{curve.lost:.4g} and {curve.approximate_rho:.4g}",
            f"without the ends; the discrete Gaussian without an end has rho = gamma = {gamma:.4g}",
        ),
        ours(
            "Future work",
            "probabilistic DP, Example 1: delta at epsilon 0.5 and at 0.4",
            f"{noise.delta(0.5, kind='pdp'):.4g} and {noise.delta(0.4, kind='pdp'):.4g}",
            f"(epsilon, delta)-DP has {noise.delta(0.5):.4g} and {noise.delta(Fraction(2, 5)):.4g}",
        ),
    ]
