"""Claims about Sadeghi 2020, sections IV and V: Figures 2 to 4, the knees, equation (45), and several queries."""

import math

from discreet.account import compose
from discreet.design import bounded
from discreet.design.additive.bounded import theorem_3
from discreet.papers.claim import Claim, number
from discreet.papers.sadeghi2020.claim_forms import beside, formula, listed, statement
from discreet.papers.sadeghi2020.equal_variance import (
    better_from,
    equation_45,
    fair_crossings,
    of_figure_4,
    of_parameter,
    of_variance,
    variance,
)
from discreet.papers.sadeghi2020.printed_noise import (
    FIGURE_1,
    KNEES,
    Setting,
    bound,
    crossing,
    eta_at_one,
    exact,
    knee,
    least,
    least_valid_eta,
)
from discreet.papers.wording import SLIGHTLY, little, slightly

FIGURE_4 = (1.1, 1.2, 1.3, 1.5, 2.0)
BELOW = (0.3, 0.5, 0.8, 0.9, 1.0)
OTHERS = tuple((eta, support) for eta in (0.3, 0.5, 0.7, 0.9) for support in (4, 6, 8))


def figure_4_setting(epsilon: float) -> Setting:
    """Return the setting of Figure 4 at an epsilon."""
    return Setting(epsilon, 0.5, 6)


def figure_2() -> list[Claim]:
    """Judge the numbers beside Figure 2: eta .5, D 8."""
    item, setting = "Figure 2", KNEES[0]
    above = max(bound(Setting(1.1 + step / 50, 0.5, 8)) for step in range(100))
    alphas = theorem_3(1.5, 0.5, 8)[2]
    start = crossing(lambda epsilon: bound(Setting(epsilon, 0.5, 8)) - 0.001, 1.0, 1.2)
    return [
        statement(
            item, "(2D+1) delta* <= 0.001 for D 8 and epsilon > 1.1, eta 0.5: the largest", above, above <= 0.001
        ),
        number(
            item,
            "chance of an output within 3 of the count, epsilon 1.5, eta 0.5, D 8",
            0.9945,
            0.5 + 0.5 * sum(alphas[:3]),
            4,
        ),
        beside(item, "smallest epsilon with (2D+1) delta* <= 0.001, eta 0.5, D 8", start),
        beside(item, f"bound, exact delta, least exact delta, {setting}", _three(setting)),
    ]


def figure_3() -> list[Claim]:
    """Judge the two promises and the two knees of Figure 3, and add where it cannot be read."""
    item, claims = "Figure 3", []
    for setting, promised in zip(KNEES, (1e-3, 5e-7), strict=True):
        claimed = bound(setting)
        claims.append(
            Claim(
                item,
                f"(epsilon, delta)-DP: (2D+1) delta* is at most the promised delta, {setting}",
                promised,
                claimed,
                exact(setting) <= claimed <= promised,
                kind="stated",
            )
        )
    for setting in KNEES:
        epsilon, eta, support = setting
        turn = knee(epsilon, support)
        claims.append(
            statement(
                item,
                f"the knee is slightly after eta {eta:g}, epsilon {epsilon:g}, D 8 {SLIGHTLY}",
                turn,
                slightly(turn, eta),
            )
        )
    for epsilon, _, support in KNEES:
        one, turn = eta_at_one(epsilon, support), knee(epsilon, support)
        claims.append(
            statement(
                item,
                f"above the knee {turn:.4f} (2D+1) delta* grows fast to one: eta at which it is 1, epsilon {epsilon:g},"
                " D 8 (limit: 0.1 after the knee)",
                one,
                turn < one < turn + 0.1,
            )
        )
    claims += [beside(item, f"bound, exact delta, least exact delta, {setting}", _three(setting)) for setting in KNEES]
    limits = [least_valid_eta(epsilon, support) for epsilon, _, support in KNEES]
    low = Setting(1.1, 0.05, 8)
    claims.append(
        beside(
            item,
            "smallest eta at which the curve is a promise, epsilon 1.1 and 2.2, D 8",
            listed(limits, 4),
            f"PRIVACY: to the left Theorem 3 is false, at {low} the curve is at {bound(low):.2g} and the exact delta is"
            f" {exact(low):.3g}",
        )
    )
    return claims


def _three(setting: Setting) -> str:
    return listed([bound(setting), exact(setting), least(setting)])


def comparison_steps() -> list[Claim]:
    """Judge steps 1 to 3 of the comparison: the variance, and (45)."""
    item, formula_45, claims = "Section IV, the comparison", "Equation (45)", []
    for epsilon in (1.1, 2.0):
        setting = figure_4_setting(epsilon)
        wanted, has = variance(setting), of_parameter(setting).variance(0)
        claims.append(
            statement(
                item,
                f"the discrete Gaussian has the variance of Z (limit: to four digits): relative difference, {setting}",
                f"{has / wanted - 1:.1e}",
                math.isclose(has, wanted, rel_tol=1e-4),
            )
        )
    claims.append(
        beside(
            item,
            "the same for Figure 1",
            f"{of_parameter(FIGURE_1).variance(0) / variance(FIGURE_1) - 1:.3f}",
            "sigma2 is a parameter; where it is below 1 the variance is smaller",
        )
    )
    setting = figure_4_setting(1.1)
    claims.append(
        beside(
            item,
            f"the same variance is not the same chance of the truth: Z and discrete Gaussian, {setting}",
            listed([setting.eta, float(of_parameter(setting).interior[0].values.max())]),
        )
    )
    for epsilon in (0.5, 1.1, 2.0):
        setting = figure_4_setting(epsilon)
        true = of_parameter(setting).delta(epsilon)
        claims.append(
            formula(
                formula_45,
                f"exact delta of the discrete Gaussian, sigma2 its parameter, {setting}",
                of_figure_4(setting),
                true,
            )
        )
    noise = of_parameter(FIGURE_1)
    claims.append(
        formula(
            formula_45,
            "exact delta of Figure 1's discrete Gaussian at epsilon 2, with its variance for sigma2",
            equation_45(noise, noise.variance(0), 2.0),
            noise.delta(2.0),
            "PRIVACY: sigma2 in (45) is the parameter, not 'the variance of the discrete Gaussian noise'",
        )
    )
    return claims


def figure_4() -> list[Claim]:
    """Judge Figure 4 as the paper compares, and add the comparison on equal terms."""
    item, claims = "Figure 4", []
    for epsilon in FIGURE_4:
        setting = figure_4_setting(epsilon)
        own, other = bound(setting), of_figure_4(setting)
        claims.append(
            statement(item, f"(2D+1) delta* is below delta_G, {setting}", f"{own:.4g} against {other:.4g}", own < other)
        )
    early = [figure_4_setting(epsilon) for epsilon in (*BELOW, 1.03, 1.09)]
    lower = [min(bound(setting), of_figure_4(setting)) for setting in early]
    claims.append(
        statement(
            "Section IV, epsilon below 1.1",
            "both deltas are quite high for epsilon < 1.1: the lower one of (2D+1) delta* and delta_G at epsilon .3,"
            " .5, .8, .9, 1, 1.03, 1.09, eta .5, D 6 (limit: above 0.1)",
            listed(lower),
            not any(map(little, lower)),
            f"at epsilon 1.09 they are {bound(early[-1]):.3f} and {of_figure_4(early[-1]):.3f}",
        )
    )
    start = better_from(0.5, 6)
    claims.append(
        beside(
            item,
            "(2D+1) delta* is below delta_G from which epsilon on, eta 0.5, D 6",
            f"{start:.3f}",
            "a wide range, as the paper says",
        )
    )
    low, high_end = fair_crossings()
    claims.append(
        beside(
            item,
            "equal variance and both exact deltas: Z has less delta at which epsilon, eta 0.5, D 6",
            f"below {low:.3f} or above {high_end:.3f}",
            "between, the discrete Gaussian has less delta than Z, and less than any noise in -6..6 with eta 0.5",
        )
    )
    for epsilon in (*BELOW, *FIGURE_4):
        setting = figure_4_setting(epsilon)
        deltas = [exact(setting), least(setting), of_variance(setting).delta(epsilon)]
        claims.append(
            beside(
                item,
                f"exact delta, least exact delta, discrete Gaussian of equal variance, {setting}",
                listed(deltas, 4),
            )
        )
    return claims


def other_experiments() -> list[Claim]:
    """Judge "many other experiments"."""
    starts = {(eta, support): better_from(eta, support) for eta, support in OTHERS}
    factors = "; ".join(
        f"eta {eta:g}: {listed([starts[eta, support] for support in (4, 6, 8)])}" for eta in (0.3, 0.5, 0.7, 0.9)
    )
    return [
        statement(
            "Section IV, other experiments",
            "the same trend elsewhere: epsilon from which on (2D+1) delta* is below delta_G, D 4, 6, 8 (limit: below"
            " 4)",
            factors,
            max(starts.values()) < 4,
        )
    ]


def several_queries() -> list[Claim]:
    """Return what ten counts of one person cost, which section V leaves to later work."""
    item, setting, cells = "Section V, future direction", KNEES[0], 10
    epsilon, eta, support = setting
    whole = cells * epsilon
    claims = []
    for name, variant in (("the printed noise", "paper"), ("the noise of least exact delta", None)):
        table = bounded(epsilon=epsilon, eta=eta, support=support, lowest=support, variant=variant).certify()
        together = compose(table, cells=cells)
        claims.append(
            beside(
                item,
                f"upper bounds: delta of ten counts at epsilon {whole:g}, epsilon at delta 0.01, {name}, {setting}",
                f"{together.delta(whole):.3g}, {together.epsilon(delta=0.01):.4g}",
            )
        )
    claims.append(
        beside(
            item,
            f"ten times (2D+1) delta* of one count, at epsilon {whole:g}",
            cells * bound(setting),
            "the noise of least exact delta has more mass at +-D than the printed noise. So the printed noise is the"
            " better of the two for ten counts at this epsilon",
        )
    )
    return claims
