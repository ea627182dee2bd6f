"""The lookup tables of Sadeghi 2023, section 4. Known values were found once by other programs, in 50 digits."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.design import maxent
from discreet.design.additive.maxent import paper_table
from discreet.papers.sadeghi2023.lookup_tables import (
    EPSILONS,
    certified,
    design,
    experiment,
    full,
    lookup,
    sampled,
    step,
    thresholds,
    weights,
)
from discreet.papers.sadeghi2023.truncated_gaussian import example_1

THRESHOLDS_16 = [
    *(7, 18, 35, 62, 104, 168, 263, 402, 599, 876, 1255, 1763, 2432, 3295, 4385, 5735, 7371, 9317, 11583, 14169),
    *(17061, 20230, 23633, 27213, 30904, 34633, 38324, 41904, 45307, 48476, 51368, 53954, 56220, 58166, 59802),
    *(61152, 62242, 63105, 63774, 64282, 64661, 64938, 65135, 65274, 65369, 65433, 65475, 65502, 65519, 65530, 65536),
]
"""ceil(2^16 c(z)) for the noise of Example 1, z = -25..25."""


def test_thresholds_of_example_1_at_16_bits() -> None:
    found = thresholds(paper_table(example_1(), 16))
    assert [found[z] for z in range(-25, 26)] == THRESHOLDS_16


@pytest.mark.parametrize(
    ("bits", "epsilon", "figures"),
    [
        (8, "0.2", (-0.0390625, -0.0027788204518567456, 0.4700036292457356, 0.0234375, 0.031725641187178875)),
        (8, "0.6", (-0.0390625, 0.00666887303229593, 0.6931471805599453, 0.0078125, 0.009897045307923723)),
        (8, "0.8", (-0.0390625, -0.002086689679210215, math.inf, 0.00390625, 0.00390625)),
        (8, "2.5", (-0.0390625, 0.06868322639841476, math.inf, None, 0.01171875)),
        (16, "0.4", (-10 / 65536, 7.221163098475044e-06, 0.39617635884824276, 0.010467529296875, 0.010467529296875)),
        (16, "0.8", (-10 / 65536, -1.091098302835248e-05, 0.8032378705931731, 0.0017852783203125, 0.0017852783203125)),
        (16, "1.3", (-10 / 65536, None, 1.3862943611198906, 0.0001678466796875, 0.00020304921453563778)),
        (16, "1.7", (-10 / 65536, -0.00011929404925955234, None, None, None)),
        (16, "2.5", (-10 / 65536, 8.385937347597673e-05, math.inf, 1.52587890625e-05, 6.103515625e-05)),
        (32, "0.2", (-10 / 2**32, -3.551618778569514e-10, 0.19809524487209604, None, None)),
        (32, "0.6", (-10 / 2**32, 8.981539646626132e-10, 0.594285745550008, 0.004409018903970718, None)),
        (32, "2.5", (-10 / 2**32, -1.9419191057107193e-09, 2.4766833508893806, None, 4.4563785195350647e-07)),
    ],
)
def test_tables_of_section_4_3(bits: int, epsilon: str, figures: tuple[float | None, ...]) -> None:
    found = experiment(Fraction(epsilon), bits)
    assert found.bias == Fraction(-10, 2**bits)
    ours: tuple[Any, ...] = (found.bias, found.variance_error, found.epsilon, found.delta, found.exact)
    for number, known in zip(ours, figures, strict=True):
        assert known is None or float(number) == pytest.approx(known, rel=1e-6)


@settings(max_examples=40)
@given(st.integers(1, 20), st.fractions(Fraction(1, 20), 3), st.integers(8, 32))
def test_ceilings_have_a_bias_of_minus_d_over_the_number_of_keys(support: int, epsilon: Fraction, bits: int) -> None:
    noise = maxent(epsilon=epsilon, support=support, variant="paper")
    found = sampled(noise, epsilon, bits)
    assert found.bias == Fraction(-support, 1 << bits)
    assert float(found.delta) >= noise.delta(epsilon) * (1 - 1e-12)
    if math.isfinite(found.epsilon):
        assert paper_table(noise, bits).delta(found.epsilon) == pytest.approx(float(found.delta), rel=1e-9)


def test_every_key_gives_the_noise_whose_thresholds_hold_it() -> None:
    table = paper_table(design(Fraction(1, 2)), 8)
    drawn = [lookup(table, key) for key in range(256)]
    assert [drawn.count(z) for z in range(-10, 11)] == list(weights(table))
    assert drawn == sorted(drawn)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_no_weight_of_our_tables_is_0(bits: int) -> None:
    """And no step passes epsilon, the bias is 0, and delta is at most the design's."""
    for epsilon in EPSILONS:
        table = certified(epsilon, bits)
        if table is not None:
            integers = table.interior[0].weights
            assert min(integers) > 0
            assert integers == integers[::-1]
            assert step(integers) <= float(epsilon)
            assert float(table.guarantee.delta) <= design(epsilon).delta(epsilon)


@pytest.mark.parametrize(("bits", "last", "fits"), [(8, "0.6", 1), (16, "1.7", 17), (32, "2.5", 25)])
def test_full_support_ends_where_the_paper_says(bits: int, last: str, fits: int) -> None:
    assert max(full(bits)) == Fraction(last)
    assert sum(certified(epsilon, bits) is not None for epsilon in EPSILONS) == fits
