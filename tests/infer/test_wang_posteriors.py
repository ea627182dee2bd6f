"""Counts that were made to add up: the posterior of the true ones, against sums over every noisy table."""

import inspect
import math
from importlib import import_module
from itertools import permutations, product
from typing import Literal

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
    """Of the released counts, given noisy components of which none is negative, by the algorithm itself."""
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
    """The joint posterior on 0, 1, ... in every direction: all tables within 32/epsilon of the largest count.

    A draw moves counts more than the noise does, so there tables reach 18 farther.
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
def test_brute_force(released: tuple[int, ...], epsilon: float, algorithm: str, ties: str) -> None:
    table = brute(released, epsilon, algorithm, ties)
    found = wang(released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
    assert len(found) == len(released)
    for axis, posterior in enumerate(found):
        ours = dense(posterior, len(table))
        expected = np.pad(marginal(table, axis), (0, len(ours) - len(table)))
        assert np.abs(ours - expected).max() < 1e-11
    if len(released) == 2:
        one, other, together = wang_pair(released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        inside = together[: len(table) - one[0], : len(table) - other[0]]
        expected = table[one[0] :, other[0] :][: inside.shape[0], : inside.shape[1]]
        assert np.abs(inside - expected).max() < 1e-11
        assert together.sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple),
    st.sampled_from([2.0, 2.5, 4.0]),
    st.sampled_from(RULES),
)
def test_brute_force_anywhere(released: tuple[int, ...], epsilon: float, rule: tuple[str, str]) -> None:
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
def test_five_components(algorithm: str, ties: str, component: int, mean: float, variance: float, most: int) -> None:
    released = [12, 0, 57, 250, 357]
    posterior = wang(released, epsilon=1, algorithm=algorithm, ties=ties)[component]  # type: ignore[arg-type]
    assert posterior.mean() == pytest.approx(mean, rel=1e-12 if algorithm == "3" else 1e-10)
    assert posterior.variance() == pytest.approx(variance, rel=1e-9)
    assert posterior.mode() == most


def test_fifty_components() -> None:
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
def test_what_is_left_out_is_bounded(released: list[int], epsilon: float, algorithm: str, ties: str) -> None:
    """The bound that is computed with the posterior is far below what is promised."""
    rows, total, rate = import_module("discreet.infer.wang_posteriors.components")._rows(
        released, epsilon, algorithm, ties, None
    )
    found, left_out, _ = _coupled.laws(rows, total, rate)
    assert left_out < ACCURACY / 10
    assert all(abs(posterior.probabilities.sum() - 1) < 1e-12 for posterior in found)


def test_deeper_cuts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {rule: wang([9, 0, 30, 2, 61], epsilon="0.5", algorithm=rule[0], ties=rule[1]) for rule in RULES}
    monkeypatch.setattr(_coupled, "CUT", 1e-26)
    monkeypatch.setattr(_multinomial_mode, "CUT", 1e-26)
    monkeypatch.setattr(_multinomial_draw, "DEPTH", 62.0)
    for rule, before in plain.items():
        deeper = wang([9, 0, 30, 2, 61], epsilon="0.5", algorithm=rule[0], ties=rule[1])
        for one, other in zip(before, deeper, strict=True):
            assert one.mean() == pytest.approx(other.mean(), rel=1e-12)
            assert one.variance() == pytest.approx(other.variance(), rel=1e-12)


@pytest.mark.parametrize("ties", ["first", "random"])
def test_rows_that_matter_little_are_cut_short_without_harm(ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of rows, most of them cut coarsely; with no such cuts and all tails longer the law is the same."""
    released = [0] * 17 + [1, 2, 40]
    plain = wang(released, epsilon=1, ties=ties)  # type: ignore[arg-type]
    monkeypatch.setattr(_coupled, "COARSEST", 0.0)
    monkeypatch.setattr(_coupled, "CUT", 1e-25)
    monkeypatch.setattr(_multinomial_mode, "CUT", 1e-25)
    for one, other in zip(plain, wang(released, epsilon=1, ties=ties), strict=True):  # type: ignore[arg-type]
        size = int(max(one.support[-1], other.support[-1])) + 1
        assert np.abs(dense(one, size) - dense(other, size)).max() < 1e-15


def test_counts_that_noise_does_not_bring_to_0_share_a_law() -> None:
    """At epsilon 1/2 that is all from 93 on, whatever they are: a row has one law for each way to round them."""
    rows = _multinomial_mode.rows(np.arange(100, 1000, 20), 0.5, "first")
    likely = [row for row in rows if row.tilt == 0]
    assert likely
    assert max(len(row.parts) for row in likely) <= 3


def test_the_total_of_a_table_says_most_about_its_only_component() -> None:
    """One component: the components' noise says nothing, and the posterior is alpha**|x - N|."""
    for algorithm in ("2", "3"):
        posterior = wang([6], alpha="1/2", algorithm=algorithm)[0]
        law = 0.5 ** np.abs(posterior.support - 6.0)
        assert np.abs(posterior.probabilities - law / (2 + 1 - 2.0**-6)).max() < 1e-14


def test_a_released_total_of_nothing() -> None:
    """Only the total says anything: counts are independent, alpha**x."""
    for posterior in wang([0, 0, 0], alpha="1/2", algorithm="3"):
        assert posterior.probabilities == pytest.approx(0.5 ** (posterior.support + 1.0), rel=1e-12)
        assert posterior.mean() == pytest.approx(1, rel=1e-12)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=6), st.randoms())
@settings(max_examples=8, deadline=None)
def test_order_matters_only_for_ties(released: list[int], chance) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(released)))
    chance.shuffle(order)
    for algorithm, ties in (("3", "random"), ("2", "first")):
        straight = wang(released, epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        shuffled = wang([released[i] for i in order], epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
        for place, i in enumerate(order):
            assert shuffled[place].mean() == pytest.approx(straight[i].mean(), rel=1e-12, abs=1e-12)
    first = wang(released, epsilon=1, ties="first")
    last = wang(released[::-1], epsilon=1, ties="last")[::-1]
    assert [each.mean() for each in first] == pytest.approx([each.mean() for each in last], rel=1e-12)


def test_random_ties_lie_between_the_rules() -> None:
    """With two components either wins a tie half of the time, so the chances of k are halfway between."""
    released, weights = [4, 7], {}
    for ties in ("first", "last", "random"):
        rows = _multinomial_mode.rows(np.array(released), 1.0, ties)
        weights[ties] = math.exp(_coupled.laws(rows, 11, 1.0)[2])
    assert weights["random"] == pytest.approx((weights["first"] + weights["last"]) / 2, rel=1e-12)


def test_the_papers_rule_is_last_for_two_components() -> None:
    one, other = (wang([4, 7], epsilon=1, ties=ties) for ties in ("paper", "last"))
    assert [each.mean() for each in one] == [each.mean() for each in other]


def test_alpha_stands_for_epsilon() -> None:
    one, other = wang([4, 7], alpha="1/2"), wang([4, 7], epsilon=math.log(2))
    assert [each.mean() for each in one] == pytest.approx([each.mean() for each in other], rel=1e-13)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"released": [3, -1]}, "holds -1"),
        ({"released": [3, 1.5]}, "holds 1.5"),
        ({"released": [3, float("nan")]}, "holds nan"),
        ({"released": [3, float("inf")]}, "holds inf"),
        ({"released": [3, None]}, "holds nan"),
        ({"released": []}, "one count or more"),
        ({"released": 4}, "one count or more"),
        ({"released": [[1, 2]]}, "one count or more"),
        ({"released": [[1, 2], [3]]}, "one released count for each"),
        ({"released": np.ma.masked_equal([3, 4], 4)}, "masked"),
        ({"released": ["3", "4"]}, "integers from 0"),
        ({"released": [True, False]}, "integers from 0"),
        ({"released": [2**42, 5]}, "2\\*\\*42"),
        ({"released": [10**6, 1], "algorithm": "2"}, "release by '3'"),
        ({"algorithm": "1i"}, "choose '2' or '3'"),
        ({"algorithm": "gls"}, "choose '2' or '3'"),
        ({"ties": "middle"}, "choose from first"),
        ({"released": [1, 2, 3], "ties": "paper"}, "rounding errors"),
        ({"epsilon": None}, "give one of them"),
        ({"alpha": "1/2"}, "give one of them"),
        ({"epsilon": 0}, "above 0"),
        ({"epsilon": "0.001"}, "give a larger one"),
    ],
)
def test_bad_input_is_refused(arguments: dict, complaint: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ParameterError, match=complaint):
        wang(**{"released": [3, 4], "epsilon": 1, **arguments})


def test_a_pair_is_two() -> None:
    with pytest.raises(ParameterError, match="3 components"):
        wang_pair([1, 2, 3], epsilon=1)


@pytest.mark.parametrize(
    ("algorithm", "ties", "pair", "chance"),
    [  # golden 004.table5.*, 004.table5_randomties.* and 004.table4.W30.*
        ("3", "paper", (250, 357), 0.21355257664138758), ("3", "paper", (251, 357), 0.078561606088188),
        ("3", "random", (251, 357), 0.06286592418361356), ("3", "random", (249, 358), 0.0811349571147076),
        ("2", "first", (250, 357), 0.015376612630300381), ("2", "first", (252, 355), 0.015170929664328335),
    ],
)  # fmt: skip
def test_two_components_together(algorithm: str, ties: str, pair: tuple[int, int], chance: float) -> None:
    """Tables 4 and 5 of the paper: true counts within 30 of the released ones."""
    one, other, table = infer.wang_pair([250, 357], epsilon=1, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
    near = table[np.ix_(np.abs(one - 250) <= 30, np.abs(other - 357) <= 30)].sum()
    found = table[np.flatnonzero(one == pair[0])[0], np.flatnonzero(other == pair[1])[0]]
    assert found / near == pytest.approx(chance, rel=1e-10)


def test_what_each_function_takes_ties_for() -> None:
    """A release decides ties at random unless told otherwise; inference takes them for "first", and says so."""
    assert inspect.signature(reconcile).parameters["ties"].default == "random"
    assert inspect.signature(wang).parameters["ties"].default == "first"
    one, other = (wang([5, 5, 0], epsilon=1, ties=ties)[0].mean() for ties in ("first", "random"))
    assert abs(one - other) > 0.01


@pytest.mark.parametrize("ties", ["first", "random"])
def test_large_counts_that_are_equal(ties: Ties) -> None:
    """That all noisy components are 0 or less is as good as impossible then, and takes no room."""
    small = wang([1000, 1000], epsilon=1, ties=ties)
    large = wang([2**40, 2**40], epsilon=1, ties=ties)
    for one, other in zip(small, large, strict=True):
        assert one.interval()[0] - 1000 == other.interval()[0] - 2**40
        assert one.mean() - 1000 == pytest.approx(other.mean() - 2**40, abs=1e-3)
