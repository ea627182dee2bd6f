"""Components and their total: Wang's algorithms as printed, and least squares."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, ParameterError
from discreet.reconcile import wang
from discreet.reconcile.apportion import mode
from discreet.reconcile.wang_lists import sum_of_noises

EXAMPLE_2 = np.array(
    [1] * 7 + [2] * 5 + [3] * 3 + [4] * 6 + [5] * 3 + [6] * 2 + [7] * 2 + [8] * 4 + [9] * 4
    + [10, 11, 12, 13, 14, 14, 16, 18, 18, 27, 27, 36, 53, 435]
)  # fmt: skip
"""The data of Wang 2020, Table 2 (golden 004.ex2.sum, .len); 435 is the total of the House, entered as a state."""

QUARTILES = [0, 11, 25, 37, 49]
"""The indices of minimum, quartiles and maximum: 1, 2, 6, 11 and 435."""

RUNS = 40_000

Noisy = tuple[np.ndarray, np.ndarray]


def noise(seed: int, shape: tuple[int, ...], epsilon: float = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    stop = 1 - np.exp(-epsilon)
    return generator.geometric(stop, shape) - generator.geometric(stop, shape)


@pytest.fixture(scope="module")
def noisy() -> Noisy:
    """Example 2 with noise on the components and the total, epsilon 1."""
    assert (len(EXAMPLE_2), EXAMPLE_2.sum()) == (50, 863)
    return EXAMPLE_2 + noise(20200, (RUNS, 50)), 863 + noise(20201, (RUNS,))


@pytest.mark.parametrize(
    ("algorithm", "ties", "means", "variances"),
    [  # golden 004.ex2.alg*.rep*: Table 3, by 200,000 runs
        ("1i", "random", [1.46218, 2.236185, 5.96734, 10.926675, 432.422575],
         [3.4341096, 4.7552116, 9.4301733, 14.3549684, 255.4963454]),
        ("1c", "random", [1.45558, 2.2392, 5.96414, 10.924655, 432.47202],
         [3.4093469, 4.7611934, 9.4072241, 14.3831881, 256.3429171]),
        ("2", "random", [1.15456, 2.059325, 5.99502, 10.97736, 434.33144],
         [2.3048112, 3.5436055, 7.7385852, 12.5748174, 237.3270675]),
        ("3", "paper", [1.005285, 1.96603, 5.91604, 10.92353, 437.65474],
         [1.1189071, 1.4622960, 1.8459307, 1.8479323, 19.5393055]),
        # golden 004.ex2.alg3.variant.asc/exact-random and 004.alg3.exact_ties.ex2_last
        ("3", "random", [1.083135, 1.96881, 5.909895, 10.9065, 437.65956],
         [1.1413136, 1.5007072, 1.8539461, 1.8512378, 19.3268106]),
        ("3", "first", [1.154995, 2.05356, 5.99961, 10.887235, 437.21437],
         [1.1680515, 1.4949813, 1.8158898, 1.8645991, 21.8000055]),
        # golden 004.compete.ex2:GLS soft + largest remainder, by 40,000 runs
        ("gls", "random", [1.13495, 2.024875, 5.9735, 10.965475, 434.975875],
         [1.1936385, 1.5255062, 1.8807478, 1.9454830, 1.9358430]),
    ],
)  # fmt: skip
def test_means_and_variances_are_those_of_table_3(
    noisy: Noisy, algorithm: Any, ties: Any, means: list[float], variances: list[float]
) -> None:
    result = wang(*noisy, epsilon=1, algorithm=algorithm, ties=ties, seed=1)[:, QUARTILES]
    error = np.sqrt(np.array(variances) * 2 / RUNS)
    assert (np.abs(result.mean(axis=0) - means) < 4.5 * error).all()
    fourth = ((result - result.mean(axis=0)) ** 4).mean(axis=0)
    error = np.sqrt((fourth - result.var(axis=0) ** 2) * 2 / RUNS)
    assert (np.abs(result.var(axis=0) - variances) < 4.5 * error).all()


def test_means_are_those_of_example_1() -> None:
    """Components from 0 to 977 with quartiles 60, 382 and 736; the others are not printed, and interpolated."""
    truth = np.rint(np.interp(np.arange(50), [0, 12, 25, 37, 49], [0, 60, 382, 736, 977])).astype(int)
    cells, total = truth + noise(11, (RUNS, 50)), truth.sum() + noise(12, (RUNS,))
    expected: dict[
        Any, list[float]
    ] = {  # golden 004.ex1.alg*.rep*.mean and 004.compete.ex1:GLS soft + largest remainder.mean
        "1i": [0.907265, 60.007585, 381.852335, 735.907975, 976.758215],
        "2": [0.4231, 60.010585, 381.96043, 735.904565, 976.83787],
        "3": [0.37738, 59.911715, 381.90738, 735.965445, 977.367145],
        "gls": [0.4378, 59.957675, 381.97415, 735.980425, 976.968325],
    }
    for algorithm, means in expected.items():
        result = wang(cells, total, epsilon=1, algorithm=algorithm, seed=2)[:, [0, 12, 25, 37, 49]]
        assert (np.abs(result.mean(axis=0) - means) < 5 * result.std(axis=0) / np.sqrt(RUNS) + 0.03).all()


def test_least_squares_beats_the_mode(noisy: Noisy) -> None:
    """Paired over 40,000 runs of Example 2; golden 004.paired_alg3_minus_gls.ex2.gls: 1.767488."""
    squares = {a: (wang(*noisy, algorithm=a, seed=4) - EXAMPLE_2) ** 2 for a in ("gls", "3")}
    difference = (squares["3"] - squares["gls"]).mean(axis=1)
    assert difference.mean() - 4 * difference.std() / np.sqrt(RUNS) > 0
    assert squares["gls"].mean() == pytest.approx(1.767488, abs=0.02)


def test_the_total_of_least_squares_is_not_biased(noisy: Noisy) -> None:
    totals = wang(*noisy, seed=5).sum(axis=1)
    assert abs(totals.mean() - 863) < 0.05


@given(st.lists(st.integers(-5, 60), min_size=1, max_size=8), st.integers(-3, 200), st.integers(0, 9))
def test_the_mode_meets_the_condition_of_a_mode_in_integers(components: list[int], total: int, seed: int) -> None:
    weights = np.maximum(components, 0)
    weights = weights if weights.any() else np.ones_like(weights)
    for ties in ("random", "first", "last"):
        k = wang(components, total, algorithm="3", ties=ties, seed=seed)
        assert k.sum() == max(total, 0)
        assert all(weights[i] * k[j] <= weights[j] * (k[i] + 1) for i, j in product(range(len(k)), repeat=2))


@given(st.lists(st.integers(2**25, 2**40), min_size=2, max_size=5), st.integers(0, 2**40))
def test_the_mode_of_large_counts_is_exact(components: list[int], total: int) -> None:
    k = [int(value) for value in wang(components, total, algorithm="3", seed=1)]
    assert sum(k) == total
    assert all(components[i] * k[j] <= components[j] * (k[i] + 1) for i in range(len(k)) for j in range(len(k)))


def one_by_one(weights: list[int], seats: int, priority: list[int]) -> list[int]:
    """Return seats that are given one by one to the largest quotient, in fractions."""
    counts = [0] * len(weights)
    for _ in range(seats):
        best = max(range(len(weights)), key=lambda i: (Fraction(weights[i], counts[i] + 1), priority[i]))
        counts[best] += 1
    return counts


@given(
    st.lists(st.one_of(st.integers(0, 6), st.sampled_from([0, 10**9, 10**9 + 1, 2**42 - 1, 2**42])), min_size=1)
    .filter(any)
    .flatmap(lambda weights: st.tuples(st.just(weights), st.permutations(range(1, len(weights) + 1)))),
    st.integers(0, 90),
)
def test_the_mode_is_that_of_seats_given_one_by_one(case: tuple[list[int], list[int]], seats: int) -> None:
    weights, priority = case
    counts = mode(np.array([weights]), np.array([seats]), 2 * np.array([priority], dtype=np.uint64))
    assert counts.tolist() == [one_by_one(weights, seats, priority)]


def test_many_tables_come_out_as_each_alone() -> None:
    generator = np.random.default_rng(3)
    weights, seats = generator.integers(0, 9, (300, 6)), generator.integers(0, 40, 300)
    weights[::2] *= 2**38
    priority = generator.integers(1, 2**63, (300, 6)).astype(np.uint64)
    alone = [mode(weights[[i]], seats[[i]], priority[[i]])[0] for i in range(300)]
    assert np.array_equal(mode(weights, seats, priority), alone)


@pytest.mark.parametrize("largest", [1, 50, 2**42])
@pytest.mark.parametrize("share", [0.3, 1])
def test_the_mode_of_very_many_components_is_exact(largest: int, share: float) -> None:
    """The greatest quotient without a seat is at most the least quotient with one."""
    components = np.random.default_rng(9).integers(1, largest + 1, 100_000)
    total = int(min(components.sum(), 2**42) * share)
    k = wang(components, total, algorithm="3", seed=1)
    assert k.sum() == total
    without, having = components / (k + 1), components / np.maximum(k, 1)
    having[k == 0] = np.inf
    near = [
        np.flatnonzero(without >= without.max() * (1 - 1e-15)),
        np.flatnonzero(having <= having.min() * (1 + 1e-15)),
    ]
    lost, won = ([(int(components[i]), int(k[i])) for i in indices] for indices in near)
    assert max(Fraction(a, m + 1) for a, m in lost) <= min(Fraction(a, m) for a, m in won)


def test_ties_go_where_the_rule_says() -> None:
    """Two equal components, three seats: the first, the last, or either; at two components "paper" is "last"."""
    assert wang([5, 5], 3, algorithm="3", ties="first").tolist() == [2, 1]
    assert wang([5, 5], 3, algorithm="3", ties="last").tolist() == [1, 2]
    assert wang([5, 5], 3, algorithm="3", ties="paper").tolist() == [1, 2]
    seen = {tuple(wang([5, 5], 3, algorithm="3", seed=seed).tolist()) for seed in range(40)}
    assert seen == {(1, 2), (2, 1)}
    cells = np.random.default_rng(1).integers(1, 30, (2000, 2))
    total = cells.sum(axis=1) + noise(5, (2000,))
    first, last, paper = (wang(cells, total, algorithm="3", ties=ties) for ties in ("first", "last", "paper"))
    tied = (first != last).any(axis=1)
    assert tied.sum() > 300
    assert np.array_equal(paper[~tied], last[~tied])
    assert (paper == last)[tied].all(axis=1).mean() > 0.9  # the rest are errors of the paper's floats


@pytest.mark.parametrize("algorithm", ["1i", "1c", "2", "3"])
def test_cases_that_the_paper_leaves_open_are_defined(algorithm: Any) -> None:
    equal = wang([[-3, 0, -1]] * 3000, [6] * 3000, epsilon=3, algorithm=algorithm, seed=1)
    assert (equal >= 0).all()
    if algorithm in "23":
        assert (equal.sum(axis=1) == 6).all()
        assert np.abs(equal.mean(axis=0) - 2).max() < 0.15
        assert wang([4, 2], -5, algorithm=algorithm, seed=1).tolist() == [0, 0]


def _best(cells: list[int], total: int) -> list[Fraction]:
    """Return argmin over x >= 0 of sum (a - x)**2 + (n - sum x)**2, by every set of positive components, exactly."""
    best, least = [Fraction(0)] * len(cells), Fraction(sum(a * a for a in cells) + total * total)
    for kept in product([False, True], repeat=len(cells)):
        inside = [a for a, keep in zip(cells, kept, strict=True) if keep]
        shift = Fraction(total - sum(inside), len(inside) + 1)
        x = [a + shift if keep else Fraction(0) for a, keep in zip(cells, kept, strict=True)]
        value = sum(((a - b) ** 2 for a, b in zip(cells, x, strict=True)), (total - sum(x, Fraction(0))) ** 2)
        if min(x) >= 0 and value < least:
            best, least = x, value
    return best


@given(st.lists(st.integers(-9, 20), min_size=1, max_size=6), st.integers(-9, 60), st.integers(0, 9))
def test_least_squares_is_the_best_point_rounded_down_or_up(cells: list[int], total: int, seed: int) -> None:
    exact = _best(cells, total)
    for ties in ("random", "first", "last"):
        k = wang(cells, total, ties=ties, seed=seed)
        assert all(abs(a - b) < 1 for a, b in zip(k.tolist(), exact, strict=True))
        assert k.sum() == round(sum(exact))
        assert (k >= 0).all()


@given(st.lists(st.integers(-5, 30), min_size=2, max_size=8, unique=True), st.integers(0, 80), st.randoms())
def test_the_order_of_components_does_not_matter(cells: list[int], total: int, chance: Any) -> None:
    order = list(range(len(cells)))
    chance.shuffle(order)
    for algorithm in ("gls", "3"):
        straight = wang(cells, total, algorithm=algorithm, seed=6)
        assert np.array_equal(wang(np.array(cells)[order], total, algorithm=algorithm, seed=6), straight[order])


@pytest.mark.parametrize("algorithm", ["gls", "1i", "1c", "2", "3"])
def test_equal_seeds_give_equal_results(noisy: Noisy, algorithm: Any) -> None:
    few = noisy[0][:200], noisy[1][:200]
    run = [wang(*few, epsilon=1, algorithm=algorithm, seed=seed) for seed in (7, 7, 8)]
    assert np.array_equal(run[0], run[1])
    assert not np.array_equal(run[0], run[2])
    assert run[0].dtype == np.int64
    single = wang(few[0][0], few[1][0], epsilon=1, algorithm=algorithm, seed=7)
    assert single.shape == (50,)


@pytest.mark.parametrize(
    ("count", "value", "probability"),
    [  # golden 004.eq6.P_eta.S*, alpha = exp(-1)
        (2, 0, 0.2804016619141129), (2, 1, 0.18171549534589682), (2, 10, 0.0001096827949958478),
        (3, 2, 0.10718230451967081), (3, 10, 0.0003216064324123151), (5, 0, 0.1457095073725306),
        (5, 1, 0.13345561130422998), (50, 2, 0.04101737282325689), (50, 10, 0.023982485340814246),
    ],
)  # fmt: skip
def test_the_distribution_of_a_sum_of_noises_is_equation_6(count: int, value: int, probability: float) -> None:
    distribution = sum_of_noises(count, float(np.exp(-1)))
    assert distribution[len(distribution) // 2 + value] == pytest.approx(probability, rel=1e-12)
    assert distribution.sum() == pytest.approx(1, abs=1e-12)


def combined(components: list[int], total: int, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Return possible totals of two components and their probabilities: two noises have (k + (1+a^2)/(1-a^2)) a^k."""
    alpha = np.exp(-epsilon)
    support = np.arange(max(sum(components), total, 0) + round(60 / epsilon))
    distance = np.abs(support - sum(components))
    logs = np.log(distance + (1 + alpha**2) / (1 - alpha**2)) - epsilon * (distance + np.abs(support - total))
    weights = np.exp(logs - logs.max())
    return support, weights / weights.sum()


@pytest.mark.parametrize(
    ("components", "total", "epsilon"),
    [([1, 2], 150, 1.0), ([1, 2], 60, 1.0), ([80, 90], 3, 1.0), ([1, 2], -200, 1.0), ([-150, -150], 5, 1.0),
     ([5, -3], 40, 0.3), ([1, 2], 10**6, 1.0)],
)  # fmt: skip
def test_a_total_far_from_the_sum_is_drawn_from_its_posterior(
    components: list[int], total: int, epsilon: float
) -> None:
    """Totals drawn by algorithm 1c have the mean of their posterior; with [1, 2] and 150 the mean is 101."""
    support, probabilities = combined(components, total, epsilon)
    mean = support @ probabilities
    runs = 4000 if total < 10**6 else 9
    drawn = wang([components] * runs, [total] * runs, algorithm="1c", epsilon=epsilon, seed=3).sum(axis=1)
    deviation = np.sqrt((support - mean) ** 2 @ probabilities)
    assert abs(drawn.mean() - mean) < 4 * deviation / np.sqrt(runs)
    if total == 150:
        assert mean == pytest.approx(101.0, abs=0.05)


def test_a_total_too_far_from_the_sum_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"total is 3000000 .* 3:"):
        wang([[1, 2], [1, 2]], [3, 3_000_000], algorithm="1c", epsilon=1)


def test_alpha_stands_for_epsilon() -> None:
    one = wang([3, 4], 9, alpha="1/2", algorithm="1c", seed=1)
    assert np.array_equal(one, wang([3, 4], 9, epsilon=float(np.log(2)), algorithm="1c", seed=1))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([1, 2], [3, 4]), r"components .*\(2,\) and total .*\(2,\)"),
        (([[1, 2], [3, 4]], 7), r"components .*\(2, 2\) and total .*\(\)"),
        (([[1, 2], [3]], [3, 3]), "components: "),
        (([1.5, 2], 3), r"components: 1\.5"),
        (([1, float("nan")], 3), "components: nan"),
        (([1, 2], float("inf")), "total: inf"),
        (([], 3), r"components .*\(0,\)"),
        ((["a"], 3), "components: .*'a'"),
        (([2**60], 3), r"components: 1\.15\d+e\+18"),
        (([[[1]]], [[1]]), r"components .*\(1, 1, 1\)"),
        ((np.ma.masked_equal([1, 2], 2), 3), "components: .*masked"),
    ],
)
def test_bad_tables_are_refused(arguments: tuple[Any, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        wang(*arguments)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"algorithm": "4"}, "algorithm is '4'"),
        ({"ties": "middle"}, "ties is 'middle'"),
        ({"ties": "paper"}, "ties is 'paper' .*'gls'"),
        ({"algorithm": "1i"}, "'1i' .*epsilon"),
        ({"algorithm": "1c"}, "'1c' .*epsilon"),
        ({"epsilon": -1}, "epsilon .*-1"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, r"seed is 1\.5"),
        ({"algorithm": "1c", "epsilon": "0.00001"}, "total is 3 "),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        wang([1, 2], 3, **options)


def test_sums_that_no_integer_holds_are_refused() -> None:
    with pytest.raises(InputError, match=f"{2**19} components of up to {2**42}"):
        wang(np.full(2**19, 2**42), 2**42, seed=1)
