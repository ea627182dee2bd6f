"""The discrete Gaussian beside the noise of Sadeghi 2020: equation (45), and two readings of "the same variance".

The paper gives the discrete Gaussian the parameter sigma2 = variance of Z. Its own variance is smaller: in Figure 1 it
is .2370 instead of .2660. `of_parameter` is the paper's, `of_variance` has the variance that is asked for.
"""

import math
from functools import cache

from discreet.design import gaussian
from discreet.mechanism import Mechanism
from discreet.papers.sadeghi2020.printed_noise import Setting, bound, crossing, exact, printed


def variance(setting: Setting) -> float:
    """Return the variance of the printed noise: (1 - eta) times the sum of a_i i^2."""
    return printed(setting).variance(setting.support)


@cache
def of_parameter(setting: Setting) -> Mechanism:
    """Return the discrete Gaussian whose parameter sigma2 is the variance of the printed noise, as the paper has it."""
    return gaussian(sigma2=variance(setting))


@cache
def of_variance(setting: Setting) -> Mechanism:
    """Return the discrete Gaussian that has the variance of the printed noise."""
    wanted = variance(setting)
    return gaussian(
        sigma2=crossing(lambda sigma2: gaussian(sigma2=sigma2).variance(0) - wanted, wanted / 2, 2 * wanted + 1)
    )


def equation_45(noise: Mechanism, sigma2: float, epsilon: float) -> float:
    """Return Pr[Z > epsilon sigma2 - 1/2] - E Pr[Z > epsilon sigma2 + 1/2]."""
    row, middle = noise.interior[0], epsilon * sigma2
    above, beyond = (math.fsum(row.values[row.outputs > middle + half]) for half in (-0.5, 0.5))
    return above - math.exp(epsilon) * beyond


def of_figure_4(setting: Setting) -> float:
    """Return delta_G as section IV computes it: (45) with the variance of the printed noise in place of sigma2."""
    return equation_45(of_parameter(setting), variance(setting), setting.epsilon)


def better_from(eta: float, support: int, high: float = 4.0) -> float:
    """Return the epsilon from which on, up to `high`, (2D+1) delta* is below delta_G."""

    def excess(epsilon: float) -> float:
        setting = Setting(epsilon, eta, support)
        return bound(setting) - of_figure_4(setting)

    steps = [high * number / 40 for number in range(40, 0, -1)]
    last = next((index for index, epsilon in enumerate(steps) if excess(epsilon) >= 0), None)
    if last is None:
        return 0.0
    return high if last == 0 else crossing(excess, steps[last], steps[last - 1], 20)


@cache
def fair_crossings() -> tuple[float, float]:
    """Return the two epsilons at which both have one exact delta and one variance, eta .5, D 6."""

    def excess(epsilon: float) -> float:
        setting = Setting(epsilon, 0.5, 6)
        return exact(setting) - of_variance(setting).delta(epsilon)

    return crossing(excess, 0.2, 0.4, 12), crossing(excess, 0.7, 0.9, 12)
