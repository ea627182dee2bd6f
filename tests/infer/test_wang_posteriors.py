"""Posteriors given counts that were made to add up equal sums over every noisy table."""

import inspect
import math
import random
from importlib import import_module
from itertools import permutations, product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import infer
from discreet.errors import ParameterError
from discreet.infer import Posterior, wang, wang_pair
from discreet.infer.wang_posteriors import _coupled, _multinomial_draw, _multinomial_mode
from discreet.infer.wang_posteriors.components import ACCURACY
from discreet.reconcile import wang as reconcile
from discreet.reconcile.apportion import mode

EXAMPLE_2 = [1] * 7 + [2] * 5 + [3] * 3 + [4] * 6 + [5] * 3 + [6] * 2 + [7] * 2 + [8] * 4 + [9] * 4
EXAMPLE_2 += [10, 11, 12, 13, 14, 14, 16, 18, 18, 27, 27, 36, 53, 435]
"""Wang 2020, Table 2."""

Algorithm = Literal["2", "3"]
Ties = Literal["first", "last", "random", "paper"]

RULES: list[tuple[Algorithm, Ties]] = [("3", "first"), ("3", "last"), ("3", "random"), ("2", "first")]


def chances(released: tuple[int, ...], noisy: np.ndarray, algorithm: str, ties: str) -> np.ndarray:
    """Return the chance of the released counts given each row of noisy components, by the algorithm itself."""
    size, total = len(released), sum(released)
    if algorithm == "2":
        weights = np.where(noisy.any(axis=1, keepdims=True), noisy, 1)
        return np.asarray(np.prod((weights / weights.sum(axis=1, keepdims=True)) ** np.array(released), axis=1))
    if ties != "random":
        outcome = reconcile(noisy, np.full(len(noisy), total), algorithm="3", ties=ties)  # type: ignore[arg-type]
        return np.asarray((outcome == released).all(axis=1), dtype=float)
    every = np.zeros(len(noisy))
    for order in permutations(range(1, size + 1)):
        priority = np.broadcast_to(2 * np.array(order, dtype=np.uint64), noisy.shape)
        every += (mode(noisy, np.full(len(noisy), total), priority) == released).all(axis=1)
    return every / math.factorial(size)


def brute(released: tuple[int, ...], epsilon: float, algorithm: str, ties: str) -> np.ndarray:
    """Return the joint posterior on 0, 1, ... on every axis, from all tables within 32/epsilon of the largest count.

    A draw moves counts more than the noise does, so tables of algorithm 2 reach 18 farther.
    """
    size, total, alpha = len(released), sum(released), math.exp(-epsilon)
    values = np.arange(max(released) + math.ceil(32 / epsilon) + 1 + 18 * (algorithm == "2"))
    noisy = np.array(list(product(values, repeat=size)))
    table = chances(released, noisy, algorithm, ties).reshape((len(values),) * size)
    noise = (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.subtract.outer(values, values))
    noise[:, 0] = alpha**values / (1 + alpha)  # 0 and all below it
    for axis in range(size):
        table = np.moveaxis(np.tensordot(noise, table, axes=(1, axis)), 0, axis)
    sums = sum(np.meshgrid(*[values] * size, indexing="ij"))
    table = table * alpha ** (np.abs(total - sums) if total else sums)
    return np.asarray(table / table.sum())


def dense(posterior: Posterior, size: int) -> np.ndarray:
    full = np.zeros(max(size, int(posterior.support[-1]) + 1))
    full[posterior.support] = posterior.probabilities
    return full


def means(posteriors: list[Posterior]) -> list[float]:
    return [posterior.mean() for posterior in posteriors]


def marginal(table: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(table.sum(axis=tuple(other for other in range(table.ndim) if other != axis)))


@pytest.mark.parametrize(("algorithm", "ties"), RULES)
@pytest.mark.parametrize(
    ("released", "epsilon"),
    [
        ((3, 5), 1.0), ((0, 4), 1.0), ((2, 2), 0.8), ((1, 0), 1.0), ((0, 0), 1.0), ((12, 1), 0.7), ((3, 2), 12.0),
        ((7,), 1.0), ((0,), 1.0), ((2, 0, 1), 2.0), ((1, 1, 1), 2.0), ((0, 0, 1), 2.0), ((5, 2, 2), 1.5),
        ((0, 0, 0), 2.0), ((0, 3, 3), 1.5), ((1, 0, 2, 1), 4.0), ((1, 1, 1), 40.0), ((2, 2), 100.0),
    ],
)  # fmt: skip
def test_posteriors_equal_sums_over_all_noisy_tables(
    released: tuple[int, ...], epsilon: float, algorithm: str, ties: str
) -> None:
    table = brute(released, epsilon, algorithm, ties)
    posteriors = wang(released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
    assert len(posteriors) == len(released)
    for axis, posterior in enumerate(posteriors):
        ours = dense(posterior, len(table))
        expected = np.pad(marginal(table, axis), (0, len(ours) - len(table)))
        assert np.abs(ours - expected).max() < 1e-11
    if len(released) == 2:
        first, second, joint = wang_pair(released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        inside = joint[: len(table) - first[0], : len(table) - second[0]]
        expected = table[first[0] :, second[0] :][: inside.shape[0], : inside.shape[1]]
        assert np.abs(inside - expected).max() < 1e-11
        assert joint.sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple),
    st.sampled_from([2.0, 2.5, 4.0]),
    st.sampled_from(RULES),
)
def test_posteriors_of_random_lists_equal_sums_over_all_noisy_tables(
    released: tuple[int, ...], epsilon: float, rule: tuple[str, str]
) -> None:
    table = brute(released, epsilon, *rule)
    for axis, posterior in enumerate(wang(released, epsilon=epsilon, algorithm=rule[0], ties=rule[1])):  # type: ignore[arg-type]
        ours = dense(posterior, len(table))
        assert np.abs(ours - np.pad(marginal(table, axis), (0, len(ours) - len(table)))).max() < 1e-11


@pytest.mark.parametrize(
    ("algorithm", "ties", "component", "mean", "variance", "most"),
    [  # golden 004.exact_post.S5.*
        ("3", "random", 0, 12.162927388552063, 1.750833298550674, 12),
        ("3", "random", 1, 0.6281148960132626, 0.8909870591560902, 0),
        ("3", "random", 2, 57.160673478207926, 1.744886257917642, 57),
        ("3", "first", 0, 12.049043279333777, 1.8057522116027087, 12),
        ("3", "first", 1, 0.6030128752371624, 0.8979056156376586, 0),
        ("3", "first", 4, 356.5559626738335, 2.840992354278569, 356),
        ("3", "last", 0, 12.35006804277779, 1.6885270773057641, 12),
        ("3", "last", 1, 0.6416077464223696, 0.8816612466037876, 0),
        ("3", "last", 3, 249.63948384445325, 1.8747202286904212, 250),
        ("3", "last", 4, 356.30254064363913, 2.385252141277306, 357),
        ("2", "first", 0, 12.8968187405, 14.3181543295, 12),
        ("2", "first", 2, 57.5706674089, 53.8183218246, 57),
        ("2", "first", 3, 249.1738854289, 157.7939685716, 249),
    ],
)  # fmt: skip
def test_five_components_have_the_golden_moments(
    algorithm: str, ties: str, component: int, mean: float, variance: float, most: int
) -> None:
    released = [12, 0, 57, 250, 357]
    posterior = wang(released, epsilon=1, algorithm=algorithm, ties=ties)[component]  # type: ignore[arg-type]
    assert posterior.mean() == pytest.approx(mean, rel=1e-12 if algorithm == "3" else 1e-10)
    assert posterior.variance() == pytest.approx(variance, rel=1e-9)
    assert posterior.mode() == most


def test_fifty_components_have_the_golden_moments() -> None:
    """Golden 004.exact_post.S50.*: Example 2, released as it is."""
    first = wang(EXAMPLE_2, epsilon=1, algorithm="3", ties="first")
    for component, mean, variance in (
        (0, 1.2736398627788428, 1.111186400356292),
        (11, 2.1236038481964656, 1.3560026002226078),
    ):
        assert first[component].mean() == pytest.approx(mean, rel=1e-11)
        assert first[component].variance() == pytest.approx(variance, rel=1e-9)
    drawn = wang(EXAMPLE_2, epsilon=1, algorithm="2")[49]
    assert drawn.mean() == pytest.approx(412.23695723287653, rel=1e-10)
    assert drawn.variance() == pytest.approx(221.48806867192616, rel=1e-9)


@pytest.mark.parametrize(
    ("released", "epsilon", "algorithm", "ties"),
    [
        (EXAMPLE_2, 1, "3", "first"), (EXAMPLE_2, 1, "2", "first"), ([1] + [0] * 49, 1, "3", "first"),
        ([1] + [0] * 19, 1, "3", "random"), ([0] * 30, 1, "3", "first"), ([5, 3, 0, 9], 100, "2", "first"),
        ([5, 3, 0, 9], 100, "3", "random"), ([25, 35], "0.1", "3", "first"), ([2**40, 2**39, 5, 0], 1, "3", "first"),
        ([0, 1] * 60, 1, "3", "last"), ([0, 1] * 60, 1, "2", "first"),
        ([0] * 300 + [3], 1, "3", "first"), ([0] * 2000 + [3], 1, "2", "first"), ([0] * 200 + [900], 1, "3", "last"),
    ],
)  # fmt: skip
def test_the_part_that_is_left_out_is_bounded(released: list[int], epsilon: float, algorithm: str, ties: str) -> None:
    """The bound that is computed with the posterior is far below the promised accuracy."""
    rows, total, rate = import_module("discreet.infer.wang_posteriors.components")._rows(
        released, epsilon, algorithm, ties, None
    )
    posteriors, left_out, _ = _coupled.marginal_posteriors(rows, total, rate)
    assert left_out < ACCURACY / 10
    assert all(abs(posterior.probabilities.sum() - 1) < 1e-12 for posterior in posteriors)


def test_deeper_cuts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {rule: wang([9, 0, 30, 2, 61], epsilon="0.5", algorithm=rule[0], ties=rule[1]) for rule in RULES}
    monkeypatch.setattr(_coupled, "CUT", 1e-26)
    monkeypatch.setattr(_multinomial_mode, "CUT", 1e-26)
    monkeypatch.setattr(_multinomial_draw, "DEPTH", 62.0)
    for rule, before in plain.items():
        deeper = wang([9, 0, 30, 2, 61], epsilon="0.5", algorithm=rule[0], ties=rule[1])
        for posterior, deeper_posterior in zip(before, deeper, strict=True):
            assert posterior.mean() == pytest.approx(deeper_posterior.mean(), rel=1e-12)
            assert posterior.variance() == pytest.approx(deeper_posterior.variance(), rel=1e-12)


@pytest.mark.parametrize("ties", ["first", "random"])
def test_rows_that_matter_little_are_cut_short_without_harm(ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of hundreds of rows are cut coarsely. With finer cuts and longer tails the posteriors are the same."""
    released = [0] * 17 + [1, 2, 40]
    plain = wang(released, epsilon=1, ties=ties)  # type: ignore[arg-type]
    monkeypatch.setattr(_coupled, "COARSEST_CUT", 0.0)
    monkeypatch.setattr(_coupled, "CUT", 1e-25)
    monkeypatch.setattr(_multinomial_mode, "CUT", 1e-25)
    for posterior, longer in zip(plain, wang(released, epsilon=1, ties=ties), strict=True):  # type: ignore[arg-type]
        size = int(max(posterior.support[-1], longer.support[-1])) + 1
        assert np.abs(dense(posterior, size) - dense(longer, size)).max() < 1e-15


def test_counts_that_noise_does_not_bring_to_0_share_a_distribution() -> None:
    """At epsilon 1/2 these are all counts from 93 on. A row has one distribution for each way to round them."""
    rows = _multinomial_mode.mode_rows(np.arange(100, 1000, 20), 0.5, "first")
    likely = [row for row in rows if row.tilt == 0]
    assert likely
    assert max(len(row.parts) for row in likely) <= 3


def test_the_posterior_of_an_only_component_is_the_noise_of_the_total() -> None:
    """The noise of the component says nothing, so the posterior is alpha**|x - N|."""
    for algorithm in ("2", "3"):
        posterior = wang([6], alpha="1/2", algorithm=algorithm)[0]
        weights = 0.5 ** np.abs(posterior.support - 6.0)
        assert np.abs(posterior.probabilities - weights / (2 + 1 - 2.0**-6)).max() < 1e-14


def test_a_released_total_of_0_leaves_counts_independent() -> None:
    """Each count has the distribution alpha**x."""
    for posterior in wang([0, 0, 0], alpha="1/2", algorithm="3"):
        assert posterior.probabilities == pytest.approx(0.5 ** (posterior.support + 1.0), rel=1e-12)
        assert posterior.mean() == pytest.approx(1, rel=1e-12)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=6), st.randoms())
@settings(max_examples=8, deadline=None)
def test_order_matters_only_for_ties(released: list[int], rng: random.Random) -> None:
    order = list(range(len(released)))
    rng.shuffle(order)
    for algorithm, ties in (("3", "random"), ("2", "first")):
        straight = wang(released, epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        shuffled = wang([released[i] for i in order], epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        for index, i in enumerate(order):
            assert shuffled[index].mean() == pytest.approx(straight[i].mean(), rel=1e-12, abs=1e-12)
    first = wang(released, epsilon=1, ties="first")
    last = wang(released[::-1], epsilon=1, ties="last")[::-1]
    assert means(first) == pytest.approx(means(last), rel=1e-12)


def test_random_ties_lie_halfway_between_first_and_last() -> None:
    """With two components either wins a tie half of the time."""
    released, weights = [4, 7], {}
    for ties in ("first", "last", "random"):
        rows = _multinomial_mode.mode_rows(np.array(released), 1.0, ties)
        weights[ties] = math.exp(_coupled.marginal_posteriors(rows, 11, 1.0)[2])
    assert weights["random"] == pytest.approx((weights["first"] + weights["last"]) / 2, rel=1e-12)


def test_the_papers_rule_is_last_for_two_components() -> None:
    paper, last = (wang([4, 7], epsilon=1, ties=ties) for ties in ("paper", "last"))
    assert means(paper) == means(last)


def test_alpha_stands_for_epsilon() -> None:
    by_alpha, by_epsilon = wang([4, 7], alpha="1/2"), wang([4, 7], epsilon=math.log(2))
    assert means(by_alpha) == pytest.approx(means(by_epsilon), rel=1e-13)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"released": [3, -1]}, "-1"),
        ({"released": [3, 1.5]}, r"1\.5"),
        ({"released": [3, float("nan")]}, "nan"),
        ({"released": [3, float("inf")]}, "inf"),
        ({"released": [3, None]}, "nan"),
        ({"released": []}, r"\(0,\)"),
        ({"released": 4}, r"\(\)"),
        ({"released": [[1, 2]]}, r"\(1, 2\)"),
        ({"released": [[1, 2], [3]]}, "released"),
        ({"released": np.ma.masked_equal([3, 4], 4)}, "masked"),
        ({"released": ["3", "4"]}, "str"),
        ({"released": [True, False]}, "bool"),
        ({"released": [2**42, 5]}, r"2\*\*42"),
        ({"released": [10**6, 1], "algorithm": "2"}, "1000001"),
        ({"algorithm": "1i"}, "algorithm .*'1i'"),
        ({"algorithm": "gls"}, "algorithm .*'gls'"),
        ({"ties": "middle"}, "ties .*'middle'"),
        ({"released": [1, 2, 3], "ties": "paper"}, "'paper' with 3"),
        ({"epsilon": None}, "epsilon"),
        ({"alpha": "1/2"}, "alpha"),
        ({"epsilon": 0}, "epsilon is 0"),
        ({"epsilon": "0.001"}, r"epsilon is 0\.001"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        wang(**{"released": [3, 4], "epsilon": 1, **arguments})


def test_a_pair_has_two_components() -> None:
    with pytest.raises(ParameterError, match="3"):
        wang_pair([1, 2, 3], epsilon=1)


@pytest.mark.parametrize(
    ("algorithm", "ties", "pair", "chance"),
    [  # golden 004.table5.*, 004.table5_randomties.* and 004.table4.W30.*
        ("3", "paper", (250, 357), 0.21355257664138758), ("3", "paper", (251, 357), 0.078561606088188),
        ("3", "random", (251, 357), 0.06286592418361356), ("3", "random", (249, 358), 0.0811349571147076),
        ("2", "first", (250, 357), 0.015376612630300381), ("2", "first", (252, 355), 0.015170929664328335),
    ],
)  # fmt: skip
def test_pairs_have_the_chances_of_tables_4_and_5(
    algorithm: str, ties: str, pair: tuple[int, int], chance: float
) -> None:
    """Tables 4 and 5 of the paper are about true counts within 30 of the released ones."""
    first, second, table = infer.wang_pair([250, 357], epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
    near = table[np.ix_(np.abs(first - 250) <= 30, np.abs(second - 357) <= 30)].sum()
    probability = table[np.flatnonzero(first == pair[0])[0], np.flatnonzero(second == pair[1])[0]]
    assert probability / near == pytest.approx(chance, rel=1e-10)


def test_reconcile_breaks_ties_at_random_and_infer_assumes_first() -> None:
    """The docstring of `wang` says so."""
    assert inspect.signature(reconcile).parameters["ties"].default == "random"
    assert inspect.signature(wang).parameters["ties"].default == "first"
    first, at_random = (wang([5, 5, 0], epsilon=1, ties=ties)[0].mean() for ties in ("first", "random"))
    assert abs(first - at_random) > 0.01


@pytest.mark.parametrize("ties", ["first", "random"])
def test_large_equal_counts_have_the_posteriors_of_smaller_ones(ties: Ties) -> None:
    """It is practically impossible that all noisy components are 0 or less. That row takes no memory."""
    small = wang([1000, 1000], epsilon=1, ties=ties)
    large = wang([2**40, 2**40], epsilon=1, ties=ties)
    for of_small, of_large in zip(small, large, strict=True):
        assert of_small.interval()[0] - 1000 == of_large.interval()[0] - 2**40
        assert of_small.mean() - 1000 == pytest.approx(of_large.mean() - 2**40, abs=1e-3)
