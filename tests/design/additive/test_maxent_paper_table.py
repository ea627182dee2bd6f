"""The lookup table that Sadeghi 2023 makes of its noise: biased, and less private than the noise."""

from fractions import Fraction
from itertools import pairwise

import pytest

from discreet.design import maxent
from discreet.design.additive.maxent import paper_table
from discreet.errors import ParameterError
from tests.design.additive.maxent_examples import EPSILONS, example_1

# golden 003.ex2.cq_table: the paper's thresholds, z = -25..25
THRESHOLDS = {
    16: """
    7 18 35 62 104 168 263 402 599 876 1255 1763 2432 3295 4385 5735 7371 9317 11583 14169 17061 20230 23633
    27213 30904 34633 38324 41904 45307 48476 51368 53954 56220 58166 59802 61152 62242 63105 63774 64282 64661
    64938 65135 65274 65369 65433 65475 65502 65519 65530 65536
    """,
    32: """
    425760 1126343 2255949 4040653 6803625 10995020 17225367 26300179 39252110 57365638 82188004 115519507
    159376439 215921305 287357732 375791448 483063757 610569278 759074578 928557726 1118089792 1325777347
    1548779912 1783408456 2025301533 2269665764 2511558841 2746187385 2969189950 3176877505 3366409571
    3535892719 3684398019 3811903540 3919175849 4007609565 4079045992 4135590858 4179447790 4212779293
    4237601659 4255715187 4268667118 4277741930 4283972277 4288163672 4290926644 4292711348 4293840954
    4294541537 4294967296
    """,
}
# golden 003.ex3.deltaQ_exact: bits, epsilon, exact delta of the paper's table of Example 1
PAPER_TABLE: list[tuple[int, float, float]] = [
    (32, 0.2, 0.0057769757178499975),
    (32, 0.49, 0.00010043584706914094),
    (32, 1.0, 9.912997484207153e-05),
    (16, 0.1, 0.02139188282324561),
    (16, 0.3, 0.0011119620265349927),
    (16, 0.4, 0.00020358362034529354),
    (16, 0.45, 0.00012098418783151424),
    (16, 0.5, 0.0001084544735076787),
    (16, 0.6, 0.0001068115234375),
    (16, 1.0, 0.0001068115234375),
    (8, 0.1, 0.04010667455701507),
    (8, 0.3, 0.023050184197437425),
    (8, 0.4, 0.019722858649032726),
    (8, 0.45, 0.01846387210171611),
    (8, 0.49, 0.017463809063197205),
    (8, 1.0, 0.015625),
]


# The paper's lookup table


@pytest.mark.parametrize("bits", [16, 32])
def test_thresholds_are_those_of_example_2(bits: int) -> None:
    table = paper_table(example_1(), bits)
    assert table.interior[0].numerators is not None
    expected = [0, *(int(c) for c in THRESHOLDS[bits].split())]
    assert list(table.interior[0].numerators) == [after - before for before, after in pairwise(expected)]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_paper_s_table_is_biased_and_less_private_than_ours(bits: int) -> None:
    """Bias exactly -D/2**bits and delta never below the design's; the certified integers have neither fault."""
    for epsilon in EPSILONS:
        design = maxent(epsilon=epsilon, support=10, variant="paper")
        table = paper_table(design, bits)
        row = table.interior[0]
        assert row.numerators is not None
        mean = Fraction(sum(z * w for z, w in enumerate(row.numerators, row.first)), row.denominator)
        assert mean == Fraction(-10, 2**bits)
        assert table.delta(epsilon) >= design.delta(epsilon)


@pytest.mark.parametrize(("bits", "epsilon", "delta"), PAPER_TABLE)
def test_delta_of_the_paper_s_table_is_the_golden_one(bits: int, epsilon: float, delta: float) -> None:
    table = paper_table(example_1(), bits)
    assert table.delta(epsilon) == pytest.approx(delta, rel=1e-9)


def test_the_paper_s_table_can_be_drawn_from_as_it_is() -> None:
    """golden 003.ex2.lookup: key 2552 gives -25, key 1200124 gives -23."""
    paper = paper_table(example_1(), 32)
    table = paper.certify(bits=32)
    assert table.table.interior[0].weights == paper.interior[0].numerators
    drawn = table.perturb([100, 100, 100], keys=[2552, 1200124, 2**32 - 1])
    assert drawn.tolist() == [75, 77, 125]


def test_only_exact_noise_has_a_paper_table() -> None:
    with pytest.raises(ParameterError, match="not one row of exact noise"):
        paper_table(maxent(support=3, variance=1, small="sdc"), 32)
    with pytest.raises(ParameterError, match="bits is 4"):
        paper_table(example_1(), 4)
