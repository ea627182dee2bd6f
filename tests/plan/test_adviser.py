"""The adviser: every design it returns meets the budget; and it says what to do where none does."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Counts, Cycle
from discreet.account import compose
from discreet.design import advise
from discreet.errors import ParameterError


def test_one_cell_is_best_served_by_geometric_noise() -> None:
    """Epsilon .5, delta 1e-4 gives D = 16, V = 7.75 (Sadeghi 2023's Example 1: 25 and 49)."""
    found = advise(epsilon="0.5", delta="1e-4")
    assert found[0].name == "geometric"
    assert found[0].mechanism.design["support"] == 16
    assert found[0].variance == pytest.approx(7.75, abs=0.005)
    bell = next(one for one in found if one.name == "maxent")
    assert bell.variance < 38.9  # the smallest support's, which is not the least noisy


def test_many_cells_are_best_served_by_a_bell() -> None:
    """Equal variance 49, 1000 cells, delta 1e-3: epsilon 23.3 for maximum entropy against 38.9 for geometric noise."""
    found = {one.name: one for one in advise(epsilon="23.35", delta="1e-3", cells=1000)}
    assert found["maxent"].variance == pytest.approx(49.2, rel=0.01)
    assert found["geometric"].variance > 1.9 * found["maxent"].variance


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": "1", "delta": "1e-6", "cells": 8},
        {"epsilon": "0.1", "delta": "1e-7", "cells": 3},
        {"epsilon": "8", "delta": "1e-9", "cells": 64},
        {"epsilon": "1", "delta": "1e-5", "cells": 2, "contributions": 3},
        {"epsilon": "1", "delta": "1e-6", "cells": 4, "domain": Counts(0, 12)},
        {"epsilon": "1", "cells": 7, "domain": Counts(0, 12)},
        {"epsilon": "1", "delta": "1e-6", "cells": 2, "domain": Counts(200)},
        {"epsilon": "1", "delta": "1e-4", "cells": 5, "domain": Cycle(7)},
        {"epsilon": "1", "cells": 5, "domain": Cycle((2, 3))},
    ],
)
def test_what_is_returned_meets_the_budget_and_is_ranked(asked: dict[str, object]) -> None:
    found = advise(**asked)  # type: ignore[arg-type]
    variances = [one.variance for one in found]
    assert variances == sorted(variances)
    epsilon, delta = Fraction(str(asked["epsilon"])), Fraction(str(asked.get("delta", 0)))
    cells, contributions = int(str(asked.get("cells", 1))), int(str(asked.get("contributions", 1)))
    for one in found:
        if delta:
            several = None if contributions == 1 else contributions
            together = compose(one.ptable, cells, contributions=several)
            assert together.delta(str(epsilon)) <= float(delta) * (1 + 1e-12)
        else:
            assert one.ptable.guarantee.delta == 0
            assert cells * Fraction(str(one.ptable.guarantee.epsilon)) <= epsilon
        assert one.epsilon <= float(epsilon)
        assert one.delta <= float(delta)
        assert one.floor <= one.delta + 1e-15
        assert one.reason


@settings(max_examples=6)
@given(st.sampled_from(["0.3", "1", "3"]), st.sampled_from(["1e-3", "1e-6"]), st.integers(1, 40))
def test_never_above_the_budget(epsilon: str, delta: str, cells: int) -> None:
    for one in advise(epsilon=epsilon, delta=delta, cells=cells):
        assert compose(one.ptable, cells).delta(epsilon) <= float(delta) * (1 + 1e-12)
        weights = np.array(one.ptable.interior[0].weights, dtype=float) / 2**one.ptable.bits
        noise = np.arange(len(weights)) + one.ptable.interior[0].first
        assert one.variance == pytest.approx(float(weights @ noise**2), rel=1e-9)


def test_pure_budgets_are_used_up() -> None:
    found = {one.name: one for one in advise(epsilon=1, cells=10, domain=Counts(0, 20))}
    assert found["geometric on 0..n"].mechanism.design["epsilon"] == "0.1"
    assert found["constrained on 0..n"].variance < found["geometric on 0..n"].variance


def test_more_cells_never_cost_less() -> None:
    variances = [advise(epsilon=1, delta="1e-6", cells=cells)[0].variance for cells in (1, 2, 8, 32)]
    assert variances == sorted(variances)
    assert math.isfinite(variances[-1])


def test_bits_are_kept_where_given() -> None:
    assert {one.ptable.bits for one in advise(epsilon=1, delta="1e-6", cells=2, bits=40)} == {40}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"epsilon": 1}, "give delta"),
        ({"epsilon": 1, "domain": Counts(5, 10)}, "counts from 0"),
        ({"epsilon": 1, "delta": 1}, "below 1"),
        ({"epsilon": 1, "delta": -1}, "below 1"),
        ({"epsilon": 0, "delta": 0.1}, "above 0"),
        ({"epsilon": 1, "delta": 0.1, "cells": 0}, "cells is 0"),
        ({"epsilon": 1, "delta": 0.1, "cells": 1.5}, "integer"),
        ({"epsilon": 1, "delta": 0.1, "contributions": 99}, "fewer rows"),
        ({"epsilon": 1, "delta": 0.1, "domain": 5}, "Counts"),
        ({"epsilon": 1, "delta": 0.1, "domain": Cycle(4), "contributions": 2}, "give 1"),
        ({"epsilon": "0.001", "delta": "1e-9", "cells": 10**5}, "fewer margins"),
        ({"epsilon": 1, "delta": "1e-6", "cells": 100, "bits": 8}, "no design meets"),
        ({"epsilon": 1, "delta": "1e-6", "bits": 7}, "bits is 7"),
        ({"epsilon": 1, "delta": "1e-6", "bits": "x"}, "bits is 'x'"),
        ({"epsilon": 1, "delta": "1e-400"}, "below 1e-200"),
    ],
)
def test_bad_input(asked: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        advise(**asked)  # type: ignore[arg-type]


def test_what_three_cells_cost_is_checked_without_composition() -> None:
    """The product of three certified tables, summed up in fractions over all outputs."""
    for one in advise(epsilon=3, delta="0.05", cells=3):
        row = one.ptable.interior[0]
        total = sum(row.weights)
        assert total == 1 << one.ptable.bits
        p = {row.first + place: weight for place, weight in enumerate(row.weights)}
        losses: dict[tuple[int, int], int] = {}
        for z, weight in p.items():  # outputs by their two weights: with the person and without
            pair = (weight, p.get(z - 1, 0))
            losses[pair] = losses.get(pair, 0) + 1
        assert p.get(row.first - 1, 0) == 0
        exp_epsilon = Fraction(20)  # below e^3 = 20.0855
        excess = sum(
            many_a * many_b * many_c * gap
            for (a, x), many_a in losses.items()
            for (b, y), many_b in losses.items()
            for (c, z), many_c in losses.items()
            if (gap := a * b * c - exp_epsilon * x * y * z) > 0
        )
        bound = compose(one.ptable, 3).delta(math.nextafter(math.log(20), 0))
        assert Fraction(excess, total**3) <= Fraction(bound)
        assert Fraction(excess, total**3) >= Fraction(bound) * Fraction(99, 100)
        assert one.delta <= 0.05
