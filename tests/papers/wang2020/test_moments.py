"""Means, variances and errors of the algorithms of Wang 2020, beside enumeration, runs, and known values.

Known values (004.*) were found once by other programs, over 200,000 or 40,000 runs.
"""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.papers.wang2020.exact_moments import moments
from discreet.papers.wang2020.example_data import EXAMPLE_2, EXAMPLES
from discreet.papers.wang2020.finucan import finucan, modes
from discreet.papers.wang2020.geometric_draws import drawn_given_noisy, drawn_given_true, noisy_given_true
from discreet.papers.wang2020.repeated_runs import RUNS, noisy, noisy_example, runs, summary
from discreet.reconcile import wang

ERRORS = 4.5


@pytest.mark.parametrize("example", [1, 2])
@pytest.mark.parametrize("algorithm", ["1i", "2"])
def test_runs_have_the_exact_moments(example: int, algorithm: Any) -> None:
    mean, variance = moments(EXAMPLES[example], algorithm)
    found = runs(example, algorithm)
    for exact, value, error in zip((mean, variance), (found.mean, found.variance), found.errors, strict=True):
        assert (np.abs(value - exact) < ERRORS * error / math.sqrt(RUNS)).all()


@pytest.mark.parametrize("algorithm", ["1i", "2"])
def test_moments_of_two_components_by_all_noisy_counts(algorithm: Any) -> None:
    """Epsilon 3: noise beyond 9 has a chance below 1e-11."""
    truth, alpha, far = (1, 2), math.exp(-3), 9
    values = np.arange(25)

    def weights(count: int) -> Any:
        law = {n: (1 - alpha) / (1 + alpha) * alpha ** abs(n - count) for n in range(count - far, count + far + 1)}
        if algorithm == "2":
            return np.array([sum(chance for n, chance in law.items() if max(n, 0) == value) for value in values])
        posterior = {n: np.array([alpha ** abs(int(value) - n) for value in values]) for n in law}
        return sum(chance * posterior[n] / posterior[n].sum() for n, chance in law.items())

    first, second = 0.0, 0.0
    laws = [weights(count) for count in truth]
    sizes = weights(sum(truth))
    for one, other in product(values.tolist(), repeat=2):
        share = one / (one + other) if one + other else 0.5
        chance = laws[0][one] * laws[1][other]
        first += chance * sum(sizes * values) * share
        second += chance * sum(sizes * (values * share * (1 - share) + (values * share) ** 2))
    mean, variance = moments(np.array(truth), algorithm, epsilon=3.0)
    assert mean[0] == pytest.approx(first, rel=1e-9)
    assert variance[0] == pytest.approx(second - first**2, rel=1e-8)


@pytest.mark.parametrize(
    ("algorithm", "place", "mean", "variance"),
    [  # 004.ex2.alg*.rep*: 200,000 runs
        ("1i", 0, 1.46218, 3.4341096476), ("1i", 11, 2.236185, 4.755211645775001), ("1i", 49, 432.422575, 255.4963),
        ("1c", 0, 1.45558, 3.4093468636), ("1c", 11, 2.2392, 4.76119336), ("1c", 49, 432.47202, 256.3429),
        ("2", 0, 1.15456, 2.3048112064), ("2", 37, 10.97736, 12.5748174304), ("2", 49, 434.33144, 237.3271),
        ("3", 0, 1.005285, 1.118907), ("3", 11, 1.96603, 1.462296), ("3", 49, 437.65474, 19.5393),
    ],
)  # fmt: skip
def test_moments_of_example_2(algorithm: Any, place: int, mean: float, variance: float) -> None:
    repeated = runs(2, algorithm)
    errors = [float(error[place]) for error in repeated.errors]
    if algorithm in ("1i", "2"):
        found = [float(values[place]) for values in moments(EXAMPLE_2, algorithm)]
        scale = math.sqrt(1 / 200_000)
    else:
        found = [float(repeated.mean[place]), float(repeated.variance[place])]
        scale = math.sqrt(1 / RUNS + 1 / 200_000)
    for value, known, error in zip(found, (mean, variance), errors, strict=True):
        assert value == pytest.approx(known, abs=ERRORS * error * scale)


@pytest.mark.parametrize(
    ("method", "squared", "largest"),
    [  # 004.compete.* and 004.paired_alg3_minus_gls.*: 40,000 runs
        ("3", 2.1815405, 2.597175), ("least squares", 1.767488, None), ("3, random ties", None, 2.621325),
    ],
)  # fmt: skip
def test_errors_of_example_2(method: str, squared: float | None, largest: float | None) -> None:
    found = runs(2, method)
    if squared is not None:
        error = float(found.squared.std()) * math.sqrt(1 / RUNS + 1 / 40_000)
        assert found.squared.mean() == pytest.approx(squared, abs=ERRORS * error)
    if largest is not None:
        error = math.sqrt(found.variance[-1] * (1 / RUNS + 1 / 40_000))
        assert np.abs(found.mean - EXAMPLE_2).max() == pytest.approx(largest, abs=ERRORS * error)


def test_least_squares_beside_the_mode() -> None:
    """Example 2: better in every run's average, paired, and nearly without bias. Example 1: equal to half a percent."""
    gap = runs(2, "3, random ties").squared - runs(2, "least squares").squared
    assert gap.mean() > 50 * gap.std() / math.sqrt(RUNS)
    assert np.abs(runs(2, "least squares").mean - EXAMPLE_2).max() < 0.2
    assert runs(1, "least squares").squared.mean() == pytest.approx(runs(1, "3").squared.mean(), rel=0.005)


def test_runs_are_of_the_algorithms() -> None:
    cells, totals = noisy_example(2)
    assert cells.shape == (RUNS, 50)
    assert np.array_equal(wang(cells, totals, algorithm="3", ties="paper").mean(axis=0), runs(2, "3").mean)


def test_a_summary_counts_distances() -> None:
    found = summary(np.array([[0, 5], [1, 7], [4, 5], [0, 6]]), np.array([0, 5]))
    assert found.away.tolist() == [0.5, 0.25, 0.125, 0.125]
    assert found.at_zero.tolist() == [0.5, 0.25, 0, 0.25]
    assert found.squared.tolist() == [0, 2.5, 8, 0.5]


def test_noise_is_geometric() -> None:
    cells, totals = noisy(np.array([10, 20]), 200_000, 9)
    for values, centre in ((cells[:, 0], 10), (cells[:, 1], 20), (totals, 30)):
        for away in (-2, 0, 1):
            chance = math.tanh(0.5) * math.exp(-abs(away))
            error = math.sqrt(chance / 200_000)
            assert (values == centre + away).mean() == pytest.approx(chance, abs=ERRORS * error)


def test_draws_and_noisy_counts_are_distributions() -> None:
    true, far = np.arange(6), np.arange(120)
    np.testing.assert_allclose(noisy_given_true(true, far).sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(drawn_given_noisy(true, far).sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(drawn_given_true(true, far).sum(axis=1), 1, rtol=1e-12)
    mean = 0.0
    for seen in range(-60, 61):
        weights = [math.exp(-abs(count - seen)) for count in range(120)]
        posterior_mean = sum(count * weight for count, weight in enumerate(weights)) / sum(weights)
        mean += math.tanh(0.5) * math.exp(-abs(seen)) * posterior_mean
    assert drawn_given_true(np.array([0]), far)[0] @ far == pytest.approx(mean, rel=1e-12)


def test_the_printed_rule_gives_a_mode() -> None:
    """Theorem 1 in fractions, and in floats as the release has it, for four classes."""
    for weights in product(range(1, 5), repeat=4):
        for trials in (1, 3, 5):
            most = modes(trials, weights)
            assert tuple(finucan(trials, weights)) in most
            assert tuple(wang(weights, trials, algorithm="3", ties="paper").tolist()) in most


def test_ties_decide_half_of_the_runs() -> None:
    """004.alg3.exact_ties.ex2_last: .542905 of 200,000 runs."""
    first, last = (wang(*noisy_example(2, 10_000), algorithm="3", ties=ties) for ties in ("first", "last"))
    share = (first != last).any(axis=1).mean()
    assert share == pytest.approx(0.542905, abs=ERRORS * math.sqrt(0.25 * (1 / 10_000 + 1 / 200_000)))
