"""Quantise symmetric noise whose steps are not E: Gaussian, maximum entropy.

Delta of such noise is T(z) - E T(z + 1) at one z, T being the sum of a tail, so it is the tails that are rounded and
not the probabilities: going inward, each weight is the floor of the cumulated tail minus what is placed already. It is
kept within a factor E of its outer neighbour wherever the design is (not below ceil(w/E); not above floor(E w) where the
design's own step is at most E), because there a rounding error would be a new loss. What remains is w(0), and the step beside
it is checked in the same way.
"""

from collections.abc import Sequence
from fractions import Fraction

from discreet.certify.rounding import GUARD


def support(scaled: Sequence[int]) -> int:
    """The last z that has at least one unit."""
    return max(z for z, value in enumerate(scaled) if value >> GUARD)


def symmetric(scaled: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Weights of z = 0..support so that w(0) + 2 (w(1) + ...) is `total`; empty where the noise does not fit in the bits.

    `scaled` are the probabilities of z = 0..support times 2**(bits + GUARD).
    """
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    within = [down * p <= up * q for p, q in zip(scaled, scaled[1:], strict=False)]
    if scaled[-1] >> GUARD < 1:
        return []
    outward = [scaled[-1] >> GUARD]
    tail, placed = scaled[-1], outward[0]
    for z in range(len(scaled) - 2, 0, -1):
        tail += scaled[z]
        beyond = outward[-1]
        weight = max((tail >> GUARD) - placed, -(-beyond * down // up))
        if within[z]:
            weight = min(weight, beyond * up // down)
        outward.append(weight)
        placed += weight
    centre, first = total - 2 * placed, outward[-1]
    rises = scaled[0] * up >= down * scaled[1]
    if centre < 1 or (within[0] and centre * down > up * first) or (rises and first * down > up * centre):
        return []
    return [centre, *reversed(outward)]
