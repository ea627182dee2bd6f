"""Claims about sections 1 and 2 of Wang 2020: the noise, posteriors of one count, the total, and the mode."""

import math
from itertools import product

import numpy as np

from discreet.design import geometric
from discreet.infer import posterior
from discreet.papers.claim import Claim
from discreet.papers.wang2020.claim_kinds import beside, formula, listed, statement
from discreet.papers.wang2020.finucan import finucan, modes
from discreet.papers.wang2020.geometric_draws import EPSILON, noise
from discreet.papers.wang2020.repeated_runs import PAPER_RUNS, noisy_example
from discreet.papers.wang2020.total_posterior import by_equation_6, convolved, drawn_variance, exact
from discreet.papers.wording import LITTLE, little
from discreet.reconcile.wang_lists import sum_of_noises, wang

ALPHA = math.exp(-EPSILON)
CUT = 50
"""Section 2.1: the noise ranges from -50 to 50."""

CERTIFIED = 1e-6
"""A certified table has integer weights: its probabilities differ from the formula's by a smaller part."""


def introduction() -> list[Claim]:
    """Section 1: noise alone does not keep sums."""
    together = float(convolved(51)[len(convolved(51)) // 2])
    return [
        statement(
            "Section 1",
            "noise on every count is not guaranteed to keep the sum: chance that 50 noisy counts add up to the noisy"
            " total, epsilon 1",
            f"{together:.4f}",
            together < 1,
        )
    ]


def geometric_noise() -> list[Claim]:
    """Section 2.1: the distribution of the noise."""
    claims = []
    row = geometric(epsilon=1).certify().interior[0]
    for value in (0, 1, -5):
        ours = row.weights[value - row.first] / sum(row.weights)
        what = f"chance of noise {value}, epsilon 1, beside the certified table"
        claims.append(formula("Geometric noise", what, float(noise(np.array([value]))[0]), ours, tolerance=CERTIFIED))
    spent = float(geometric(epsilon=1, upper=CUT).epsilon())
    claims.append(formula("Geometric noise", "epsilon of one noisy count", 1.0, spent))
    return claims


def privacy() -> list[Claim]:
    """What a component and the total cost together. The paper states no guarantee for both."""
    item, delta = "Section 2.1, epsilon = 1", (1 - ALPHA) / (1 + ALPHA) ** 2
    spent = 2 * float(geometric(epsilon=1, upper=CUT).epsilon())
    note = "PRIVACY: one person is in one component and in the total, so noise of epsilon on each costs 2 epsilon"
    return [
        beside(item, "epsilon of a component and the total together", spent, note),
        beside(item, "delta of a component and the total together, at epsilon 1", delta),
    ]


def range_of_noise() -> list[Claim]:
    """Section 2.1: noise between -50 and 50."""
    item = "Section 2.1, range of the noise"
    beyond = 2 * ALPHA ** (CUT + 1) / (1 + ALPHA)
    claims = [
        statement(
            item, f"big noise is very unlikely: chance beyond 50, epsilon 1 {LITTLE}", f"{beyond:.2g}", little(beyond)
        )
    ]
    for epsilon in ("1", "0.5", "0.2", "0.1"):
        single = geometric(epsilon=epsilon, support=CUT).delta(epsilon)
        both = -math.expm1(2 * math.log1p(-single))
        note = f"PRIVACY: epsilon {epsilon} needs a wider range; geometric(epsilon=) chooses it" if both > 1e-9 else ""
        what = f"delta of noise cut at 50, component and total at twice epsilon {epsilon}"
        claims.append(beside(item, what, both, note))
    return claims


def noisy_counts() -> list[Claim]:
    """Equations (1) and (2)."""
    mechanism = geometric(epsilon=1)
    claims = []
    for true, seen in ((607, 605), (250, 250), (357, 362)):
        outputs, chances = mechanism.pmf(true)
        ours = float(np.asarray(chances)[np.asarray(outputs) == seen][0])
        what = f"chance of the noisy count {seen} for the true count {true}"
        claims.append(formula("Equations (1)-(2)", what, float(noise(np.array([seen - true]))[0]), ours))
    return claims


def single_posteriors() -> list[Claim]:
    """Equations (4) and (5), on counts from 0, beside the posterior of a certified table."""
    table, claims = geometric(epsilon=1).certify(), []
    for seen, true in ((-3, 0), (0, 0), (0, 1), (2, 0), (2, 2), (40, 41)):
        counts = np.arange(seen + 60)
        weights = noise(counts - seen)
        ours = posterior(table, seen)
        value = float(ours.probabilities[ours.support == true][0])
        what = f"chance of the true count {true} given the noisy count {seen}"
        paper = float(weights[true] / weights.sum())
        claims.append(formula("Equations (4)-(5)", what, paper, value, tolerance=CERTIFIED))
    return claims


def totals() -> list[Claim]:
    """Equation (6) beside the exact posterior of the total."""
    claims = []
    large: list[tuple[tuple[int, ...], int]] = [((250, 357), 607), ((250, 357), 600), ((60, 80, 110), 255)]
    small: list[tuple[tuple[int, ...], int]] = [((0, 1, -1), 2), ((0, 1, 2, 3), 6)]
    for components, total in large:
        (values, weights), (_, true) = by_equation_6(components, total), exact(components, total)
        what = f"mean of the total given noisy components {listed(components)} and noisy total {total}"
        claims.append(formula("Equation (6)", what, float(values @ weights), float(values @ true)))
        what = f"the largest of these probabilities, total {total}"
        claims.append(formula("Equation (6)", what, float(weights.max()), float(true.max())))
    for components, total in small:
        (values, weights), (_, true) = by_equation_6(components, total), exact(components, total)
        ours = f"{values @ true:.4f}; by (6) {values @ weights:.4f}; distance {np.abs(true - weights).sum() / 2:.3f}"
        what = f"exact mean of the total given noisy components {listed(components)} and noisy total {total}"
        note = "components cannot be below 0, which (6) leaves out; distance is total variation"
        claims.append(beside("Equation (6)", what, ours, note if total == 2 else ""))
    alone = drawn_variance(2, independent=True)
    for count in (2, 5, 50):
        ours = f"{drawn_variance(count):.4f}; by (4) {alone:.4f}"
        note = "(6) helps where there are few components; the paper's examples have 50" if count == 2 else ""
        claims.append(beside("Equation (6)", f"variance of the drawn total, {count} components", ours, note))
    return claims


def sums_of_noises() -> list[Claim]:
    """The distribution of eta, the sum of the noises of all components."""
    item, claims = "Section 2.2.2, distribution of eta", []
    for count in (2, 3, 5, 50):
        paper_sum, ours = convolved(count), sum_of_noises(count, ALPHA)
        for away in (0, 1, 2, 10):
            what = f"chance that {count} noises add up to {away}"
            paper = float(paper_sum[len(paper_sum) // 2 + away])
            claims.append(formula(item, what, paper, float(ours[len(ours) // 2 + away])))
    three, fifty = convolved(3), convolved(50)
    claims.append(
        formula(
            item,
            "chance that eta is 0 in Example 1, as the sum of three noises",
            float(three[len(three) // 2]),
            float(fifty[len(fifty) // 2]),
            "eta is the sum of as many noises as there are components, 50 here",
        )
    )
    squares = 50 * 2 * ALPHA**2 / (1 - ALPHA**2) ** 2
    claims.append(
        beside(
            item,
            "variance of eta, 50 components",
            f"{100 * ALPHA / (1 - ALPHA) ** 2:.4f}",
            f"the products must be added up over all noises with the same sum. Random draws of eta, each weighted with"
            f" its product, would count every chance twice: variance {squares:.4f}",
        )
    )
    return claims


def mode() -> list[Claim]:
    """Theorem 1, by all outcomes of small multinomials, and how often ties decide in the examples."""
    cases = [(trials, weights) for trials in range(7) for weights in product(range(1, 6), repeat=3)]
    all_modes = [modes(*case) for case in cases]
    right = sum(tuple(finucan(*case)) in best for case, best in zip(cases, all_modes, strict=True))
    several = sum(len(best) > 1 for best in all_modes)
    zeros = [(trials, weights) for trials in range(7) for weights in product((0, 1, 2), repeat=3) if 0 in weights]
    zeros = [case for case in zeros if any(case[1])]
    right_too = sum(tuple(finucan(*case)) in modes(*case) for case in zeros)
    item = "Theorem 1"
    all_right = right == len(cases)
    claims = [
        Claim(
            item,
            "results that are a mode: three classes, weights 1 to 5, up to 6 trials",
            str(len(cases)),
            str(right),
            all_right,
            kind="formula",
        ),
        beside(
            item,
            "the same with weights 0, 1, 2, some of them 0, if f/k = 0/0 is passed over",
            f"{right_too} of {len(zeros)}",
            "the print does not say what the minimum of 0/0 is, which occurs if a noisy count is 0 or less",
        ),
        beside(
            item,
            "multinomials of the first claim that have several modes",
            f"{several} of {len(cases)}",
            "so the rule for ties is part of algorithm 3; the printed one takes the first minimum",
        ),
    ]
    for example in (1, 2):
        noisy = noisy_example(example, PAPER_RUNS)
        first, last = (wang(*noisy, algorithm="3", ties=ties) for ties in ("first", "last"))
        share = float((first != last).any(axis=1).mean())
        error = math.sqrt(share * (1 - share) / PAPER_RUNS)
        claims.append(
            beside(
                item, f"share of runs of Example {example} in which a tie decides", f"{share:.3f}, error {error:.1g}"
            )
        )
    return claims
