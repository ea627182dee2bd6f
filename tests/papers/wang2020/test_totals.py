"""The total given its noisy count and the noisy components (Wang 2020, section 2.2.2)."""

import math
from itertools import product

import numpy as np
import pytest

from discreet.papers.wang2020.total_posterior import by_equation_6, convolved, drawn_variance, exact
from discreet.reconcile.wang_lists import sum_of_noises

ALPHA = math.exp(-1)


def closed_form(count: int, away: int) -> float:
    """(1-a)^2S a^k C(S-1+k, k) 2F1(S, S+k; k+1; a^2): the chance that S noises add up to k, by its series."""
    term = total = (1 - ALPHA) ** (2 * count) * ALPHA**away * math.comb(count - 1 + away, away)
    step = 0
    while term > 1e-18 * total:
        term *= (count + step) * (count + away + step) / ((away + 1 + step) * (step + 1)) * ALPHA**2
        total += term
        step += 1
    return total


@pytest.mark.parametrize(
    ("count", "away", "chance"),
    [  # 004.eq6.P_eta.S*, in 50 digits
        (2, 0, 0.2804016619141129), (2, 1, 0.18171549534589682), (2, 2, 0.09575055142491731),
        (2, 10, 0.0001096827949958478), (3, 1, 0.1653909384991744), (3, 2, 0.10718230451967081),
        (3, 10, 0.0003216064324123151), (5, 0, 0.1457095073725306), (5, 1, 0.13345561130422998),
        (50, 2, 0.04101737282325689), (50, 10, 0.023982485340814246),
    ],
)  # fmt: skip
def test_the_sum_of_the_noises(count: int, away: int, chance: float) -> None:
    law, ours = convolved(count), sum_of_noises(count, ALPHA)
    assert closed_form(count, away) == pytest.approx(chance, rel=1e-12)
    assert law[len(law) // 2 + away] == pytest.approx(chance, rel=1e-12)
    assert ours[len(ours) // 2 + away] == pytest.approx(chance, rel=1e-11)


@pytest.mark.parametrize(("noisy", "total"), [((0, 1, -1), 2), ((4, -2, 3), 3), ((2,), 5)])
def test_the_exact_posterior_by_all_components(noisy: tuple[int, ...], total: int) -> None:
    """Sum over all true components up to 30."""
    weights: dict[int, float] = {}
    for true in product(range(31), repeat=len(noisy)):
        away = sum(abs(one - other) for one, other in zip(true, noisy, strict=True)) + abs(sum(true) - total)
        weights[sum(true)] = weights.get(sum(true), 0.0) + ALPHA**away
    whole = sum(weights.values())
    values, chances = exact(noisy, total)
    for value in range(12):
        assert chances[values == value][0] == pytest.approx(weights[value] / whole, rel=1e-9)


def test_equation_6_by_its_factors() -> None:
    values, chances = by_equation_6((0, 1, -1), 2)
    weights = [ALPHA ** abs(value - 2) * closed_form(3, abs(value)) for value in range(60)]
    np.testing.assert_allclose(chances[:20], np.array(weights[:20]) / sum(weights), rtol=1e-9)
    assert values[0] == 0


@pytest.mark.parametrize(("noisy", "total"), [((250, 357), 607), ((250, 357), 600), ((60, 80, 110), 255)])
def test_equation_6_is_exact_far_from_0(noisy: tuple[int, ...], total: int) -> None:
    np.testing.assert_allclose(by_equation_6(noisy, total)[1], exact(noisy, total)[1], rtol=1e-8, atol=1e-15)


def test_a_drawn_total_by_repeated_draws() -> None:
    """Two components, 50,000 draws from (6) for totals far from 0."""
    generator = np.random.default_rng(6)
    noise = generator.geometric(1 - ALPHA, (3, 50_000)) - generator.geometric(1 - ALPHA, (3, 50_000))
    away = np.arange(-40, 41)
    law = np.array([closed_form(2, abs(int(value))) for value in range(-200, 201)])
    weights = ALPHA ** np.abs(away - noise[0][:, None]) * law[200 + away - (noise[1] + noise[2])[:, None]]
    edges = np.cumsum(weights, axis=1)
    drawn = away[(edges <= generator.random(50_000)[:, None] * edges[:, -1:]).sum(axis=1)]
    error = float((drawn**2).std()) / math.sqrt(50_000)
    assert (drawn**2).mean() == pytest.approx(drawn_variance(2), abs=4.5 * error)
    assert drawn_variance(2, independent=True) == pytest.approx(4 * ALPHA / (1 - ALPHA) ** 2, rel=1e-6)
