"""The adviser: every design that it returns meets the budget. If no design does, its error says what to change."""

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
    advice = advise(epsilon="0.5", delta="1e-4")
    assert advice[0].name == "geometric"
    assert advice[0].mechanism.design["support"] == 16
    assert advice[0].variance == pytest.approx(7.75, abs=0.005)
    bell = next(design for design in advice if design.name == "maxent")
    assert bell.variance < 38.9  # the variance at the smallest support, which is not the least


def test_many_cells_are_best_served_by_a_bell() -> None:
    """Equal variance 49, 1000 cells, delta 1e-3: epsilon 23.3 for maximum entropy against 38.9 for geometric noise."""
    advice = {design.name: design for design in advise(epsilon="23.35", delta="1e-3", cells=1000)}
    assert advice["maxent"].variance == pytest.approx(49.2, rel=0.01)
    assert advice["geometric"].variance > 1.9 * advice["maxent"].variance


def test_ten_cells_are_best_served_by_noise_between_geometric_and_gaussian_noise() -> None:
    """Epsilon 1, delta 1e-6, 10 cells: variance 159, against 180 for Gaussian and 200 for geometric noise."""
    advice = {design.name: design for design in advise(epsilon=1, delta="1e-6", cells=10)}
    assert next(iter(advice)) == "power"
    assert advice["power"].variance == pytest.approx(159.5, rel=0.005)
    assert 1.25 < float(advice["power"].mechanism.design["shape"]) < 1.75
    assert advice["gaussian"].variance == pytest.approx(180, rel=0.005)
    assert advice["geometric"].variance == pytest.approx(200, rel=0.005)
    assert compose(advice["power"].ptable, 10).delta(1) <= 1e-6


def test_noise_between_others_is_advised_only_if_it_gains() -> None:
    """For one cell shape 1 is best, for 10,000 shape 2; near them the gain is too small for another design."""
    for parameters in ({"epsilon": 1, "cells": 1}, {"epsilon": 20, "cells": 10_000}):
        assert "power" not in {design.name for design in advise(delta="1e-6", **parameters)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "parameters",
    [
        {"epsilon": "1", "delta": "1e-6", "cells": 8},
        {"epsilon": "2", "delta": "1e-6", "cells": 6, "contributions": 3},
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
def test_designs_meet_the_budget_and_are_ranked(parameters: dict[str, object]) -> None:
    advice = advise(**parameters)  # type: ignore[arg-type]
    variances = [design.variance for design in advice]
    assert variances == sorted(variances)
    epsilon, delta = Fraction(str(parameters["epsilon"])), Fraction(str(parameters.get("delta", 0)))
    cells, contributions = int(str(parameters.get("cells", 1))), int(str(parameters.get("contributions", 1)))
    for design in advice:
        if delta:
            together = compose(design.ptable, cells, contributions=None if contributions == 1 else contributions)
            assert together.delta(str(epsilon)) <= float(delta) * (1 + 1e-12)
        else:
            assert design.ptable.guarantee.delta == 0
            assert cells * Fraction(str(design.ptable.guarantee.epsilon)) <= epsilon
        assert design.epsilon <= float(epsilon)
        assert design.delta <= float(delta)
        assert design.floor <= design.delta + 1e-15
        assert design.reason


@settings(max_examples=6)
@given(st.sampled_from(["0.3", "1", "3"]), st.sampled_from(["1e-3", "1e-6"]), st.integers(1, 40))
def test_no_design_exceeds_the_budget(epsilon: str, delta: str, cells: int) -> None:
    for design in advise(epsilon=epsilon, delta=delta, cells=cells):
        assert compose(design.ptable, cells).delta(epsilon) <= float(delta) * (1 + 1e-12)
        weights = np.array(design.ptable.interior[0].weights, dtype=float) / 2**design.ptable.bits
        noise = np.arange(len(weights)) + design.ptable.interior[0].first
        assert design.variance == pytest.approx(float(weights @ noise**2), rel=1e-9)


def test_pure_budgets_are_used_up() -> None:
    advice = {design.name: design for design in advise(epsilon=1, cells=10, domain=Counts(0, 20))}
    assert advice["geometric on 0..n"].mechanism.design["epsilon"] == "0.1"
    assert advice["constrained on 0..n"].variance < advice["geometric on 0..n"].variance


def test_more_cells_never_cost_less() -> None:
    variances = [advise(epsilon=1, delta="1e-6", cells=cells)[0].variance for cells in (1, 2, 8, 32)]
    assert variances == sorted(variances)
    assert math.isfinite(variances[-1])


def test_tables_have_the_bits_that_are_given() -> None:
    assert {design.ptable.bits for design in advise(epsilon=1, delta="1e-6", cells=2, bits=40)} == {40}


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"epsilon": 1}, "delta is 0"),
        ({"epsilon": 1, "domain": Counts(5, 10)}, "delta is 0"),
        ({"epsilon": 1, "delta": 1}, "delta is 1"),
        ({"epsilon": 1, "delta": -1}, "delta is -1"),
        ({"epsilon": 0, "delta": 0.1}, "epsilon is 0"),
        ({"epsilon": 1, "delta": 0.1, "cells": 0}, "cells is 0"),
        ({"epsilon": 1, "delta": 0.1, "cells": 1.5}, "cells is 1.5"),
        ({"epsilon": 1, "delta": 0.1, "contributions": 10**9}, "contributions is 1000000000"),
        ({"epsilon": 1, "delta": 0.1, "domain": 5}, "domain is 5"),
        ({"epsilon": 1, "delta": 0.1, "domain": Cycle(4), "contributions": 2}, "contributions is 2"),
        ({"epsilon": "0.001", "delta": "1e-9", "cells": 10**5}, "100000 cells"),
        ({"epsilon": 1, "delta": "1e-6", "cells": 100, "bits": 8}, "100 cells"),
        ({"epsilon": 1, "delta": "1e-6", "contributions": 10**6}, "1000000 rows"),
        ({"epsilon": 1, "delta": "1e-6", "bits": 7}, "bits is 7"),
        ({"epsilon": 1, "delta": "1e-6", "bits": "x"}, "bits is 'x'"),
        ({"epsilon": 1, "delta": "1e-400"}, "delta is '1e-400'"),
    ],
)
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        advise(**parameters)  # type: ignore[arg-type]


def test_the_cost_of_three_cells_is_that_of_the_product_of_three_tables() -> None:
    """The product of three certified tables is summed up in fractions over all outputs."""
    for design in advise(epsilon=3, delta="0.05", cells=3):
        row = design.ptable.interior[0]
        total = sum(row.weights)
        assert total == 1 << design.ptable.bits
        p = {row.first + index: weight for index, weight in enumerate(row.weights)}
        losses: dict[tuple[int, int], int] = {}
        for z, weight in p.items():  # outputs by their two weights: with the person and without
            pair = (weight, p.get(z - 1, 0))
            losses[pair] = losses.get(pair, 0) + 1
        assert p.get(row.first - 1, 0) == 0
        exp_epsilon = Fraction(20)  # below e^3 = 20.0855
        excess = sum(
            number_a * number_b * number_c * gap
            for (a, x), number_a in losses.items()
            for (b, y), number_b in losses.items()
            for (c, z), number_c in losses.items()
            if (gap := a * b * c - exp_epsilon * x * y * z) > 0
        )
        bound = compose(design.ptable, 3).delta(math.nextafter(math.log(20), 0))
        assert Fraction(excess, total**3) <= Fraction(bound)
        assert Fraction(excess, total**3) >= Fraction(bound) * Fraction(99, 100)
        assert design.delta <= 0.05
