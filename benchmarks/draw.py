"""Draw from a 51-point table, and compare with OpenDP's integer Laplace and numpy's Generator.choice in one run.

    uv run --group bench python -m benchmarks.draw [--counts 10000000] [--memory 100000000]

OpenDP is timed on fewer counts, because it would take minutes. Its time per count does not depend on the number of
counts. Each figure is the best of several runs. The last line draws `--memory` counts in chunks of a million, and shows
how far the peak memory grew after the first chunk.
"""

import argparse
import os
import resource

import numpy as np
import opendp.prelude as dp
from rich.console import Console
from rich.table import Table

import discreet
from benchmarks.timing import best

SUPPORT = 25
SCALE = 7.0
OPENDP_COUNTS = 50_000


def main() -> None:
    """Time each contender, and print ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, default=10_000_000)
    parser.add_argument("--memory", type=int, default=100_000_000)
    arguments = parser.parse_args()
    size = arguments.counts

    counts = np.random.default_rng(1).integers(0, 1000, size)
    ptable = discreet.design.gaussian(sigma2=49, support=SUPPORT).certify(epsilon=1)
    small = discreet.design.geometric(epsilon=1, upper=50).certify()
    noise, probabilities = discreet.Mechanism.from_table(ptable.table).pmf(0)
    keys = np.random.default_rng(2).integers(0, 1 << ptable.bits, size)
    dp.enable_features("contrib")
    laplace = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=SCALE)
    bounded = counts % 51
    opendp_counts = [int(count) for count in counts[:OPENDP_COUNTS]]

    rates = {
        "Discreet, 51-point noise": size / best(lambda: ptable.perturb(counts), 7),
        "Discreet, 51 x 51 matrix": size / best(lambda: small.perturb(bounded), 3),
        "Discreet, keys given": size / best(lambda: ptable.perturb(counts, keys=keys), 3),
        "numpy Generator.choice (not secure)": size
        / best(lambda: np.random.default_rng().choice(noise, size, p=probabilities) + counts, 3),
        "OpenDP integer Laplace, vector": OPENDP_COUNTS / best(lambda: laplace(opendp_counts), 3),
    }
    ours = rates["Discreet, 51-point noise"]
    table = Table(
        title=f"{size:,} counts; load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores", title_justify="left"
    )
    for head in ("", "million draws a second", "Discreet is faster by"):
        table.add_column(head, justify="left" if not head else "right")
    for name, rate in rates.items():
        table.add_row(name, f"{rate / 1e6:,.3f}", f"{ours / rate:,.1f}")
    Console().print(table)

    chunk, before, peak = 1_000_000, 0, 0
    for _ in range(arguments.memory // chunk):
        ptable.perturb(counts[:chunk])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = before or peak
    Console().print(
        f"{arguments.memory:,} counts in chunks of {chunk:,}: peak memory grew by {(peak - before) / 1024:.1f} MiB"
    )


if __name__ == "__main__":
    main()
