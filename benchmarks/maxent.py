"""Time to design maximum-entropy noise for a target (epsilon, delta), and to certify it at the fewest bits possible.

uv run python -m benchmarks.maxent
"""

from functools import partial

from benchmarks.timing import best
from discreet.design import maxent
from discreet.errors import CertifyError
from discreet.mechanism import Mechanism

EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5")
DELTAS = ("1e-4", "1e-6", "1e-9")
REPEATS = 3


def main() -> None:
    """Print a line for each target, and the slowest design."""
    print(f"{'epsilon':>8} {'delta':>6} {'support':>8} {'design, s':>10} {'paper, s':>10} {'certify, s':>11}  bits")
    slowest = 0.0
    for epsilon in EPSILONS:
        for delta in DELTAS:
            ours = partial(maxent, epsilon=epsilon, delta=delta)
            took, paper = best(ours, REPEATS), best(partial(ours, variant="paper"), REPEATS)
            slowest = max(slowest, took, paper)
            mechanism = ours()
            bits = _bits(mechanism)
            certified = best(partial(mechanism.certify, bits=bits), REPEATS)
            line = f"{epsilon:>8} {delta:>6} {mechanism.design['support']:>8} {took:>10.4f} {paper:>10.4f}"
            print(f"{line} {certified:>11.4f} {bits:>5}")
    print(f"slowest design: {slowest:.4f} s")


def _bits(mechanism: Mechanism) -> int:
    """Return the least of 32, 40, 48, 56 and 62 bits at which the mechanism can be certified."""
    for bits in (32, 40, 48, 56):
        try:
            mechanism.certify(bits=bits)
        except CertifyError:
            continue
        return bits
    return 62


if __name__ == "__main__":
    main()
