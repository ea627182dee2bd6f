"""Constrained mechanisms, compared with scipy's linprog and cvxpy on the same program, and their cost by n.

    uv run --group bench python -m benchmarks.constrained [--n 100] [--largest 300] [--plot FILE]

The program has all seven properties, L2 and alpha = 0.9. The peers get the program of the paper, vectorised. All times
include building the program.
"""

import argparse
import os
import time
from io import BytesIO

import cvxpy as cp
import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table
from scipy.optimize import linprog

import discreet
from benchmarks.timing import best
from discreet import files

ALPHA = 0.9


def by_scipy(n: int) -> float:
    """Return the optimum by scipy's linprog with highs-ipm."""
    size = n + 1
    p = np.arange(size * size).reshape(size, size)
    i, j = np.indices(p.shape)
    truth = np.diagonal(p)
    pairs: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], float]] = [
        (p[:, :-1], p[:, 1:], ALPHA),
        (p[:, 1:], p[:, :-1], ALPHA),
    ]
    right, down = (i <= j)[:, :-1], (i >= j)[:-1]
    pairs.append((np.where(right, p[:, :-1], p[:, 1:]), np.where(right, p[:, 1:], p[:, :-1]), 1.0))
    pairs.append((np.where(down, p[:-1], p[1:]), np.where(down, p[1:], p[:-1]), 1.0))
    pairs.append((np.broadcast_to(truth[:, None], p.shape), p, 1.0))
    pairs.append((np.broadcast_to(truth[None, :], p.shape), p, 1.0))
    greater = np.concatenate([big.ravel() for big, _, _ in pairs])
    smaller = np.concatenate([small.ravel() for _, small, _ in pairs])
    factor = np.concatenate([np.full(big.size, share) for big, _, share in pairs])
    rows = np.arange(len(greater))
    below = sparse.csr_matrix(
        (np.concatenate([-np.ones(len(rows)), factor]), (np.tile(rows, 2), np.concatenate([greater, smaller])))
    )
    honest = sparse.csr_matrix((-np.ones(size), (np.arange(size), truth)), shape=(size, size * size))
    sums = sparse.csr_matrix((np.ones(size * size), (j.ravel(), p.ravel())))
    fair = sparse.csr_matrix(
        (np.tile([1.0, -1.0], n), (np.repeat(np.arange(n), 2), np.stack([truth[1:], truth[:-1]], 1).ravel())),
        shape=(n, size * size),
    )
    half = p.ravel() < p[::-1, ::-1].ravel()
    mirrored = np.stack([p.ravel()[half], p[::-1, ::-1].ravel()[half]], 1)
    mirror = sparse.csr_matrix(
        (np.tile([1.0, -1.0], len(mirrored)), (np.repeat(np.arange(len(mirrored)), 2), mirrored.ravel())),
        shape=(len(mirrored), size * size),
    )
    result = linprog(
        (np.abs(i - j) ** 2 / size).ravel(),
        sparse.vstack([below, honest]),
        np.concatenate([np.zeros(len(rows)), np.full(size, -1 / size)]),
        sparse.vstack([sums, fair, mirror]),
        np.concatenate([np.ones(size), np.zeros(n + len(mirrored))]),
        method="highs-ipm",
    )
    return float(result.fun)


def by_cvxpy(n: int) -> float:
    """Return the optimum by cvxpy with HiGHS."""
    size = n + 1
    i, j = np.indices((size, size))
    p = cp.Variable((size, size), nonneg=True)
    truth = cp.diag(p)
    wide = cp.reshape(truth, (size, 1), order="C") @ np.ones((1, size))
    tall = np.ones((size, 1)) @ cp.reshape(truth, (1, size), order="C")
    right, down = np.where(i <= j, 1, -1)[:, :-1], np.where(i >= j, 1, -1)[:-1]
    constraints = [
        cp.sum(p, axis=0) == 1,
        p[:, :-1] >= ALPHA * p[:, 1:],
        p[:, 1:] >= ALPHA * p[:, :-1],
        cp.multiply(right, p[:, :-1] - p[:, 1:]) >= 0,
        cp.multiply(down, p[:-1] - p[1:]) >= 0,
        wide >= p,
        tall >= p,
        truth >= 1 / size,
        truth[1:] == truth[:-1],
        p == p[::-1, ::-1],
    ]
    problem = cp.Problem(cp.Minimize(cp.sum(cp.multiply(np.abs(i - j) ** 2 / size, p))), constraints)
    problem.solve(solver=cp.HIGHS)
    return float(problem.value)


def by_discreet(n: int) -> float:
    """The same by `design.constrained`."""
    return discreet.design.constrained(n=n, alpha=ALPHA, properties="all", objective="L2").loss("L2")


def peers(n: int) -> None:
    """Time everyone on one program."""
    seconds = {}
    for name, run in (("Discreet", by_discreet), ("scipy linprog, highs-ipm", by_scipy), ("cvxpy, HiGHS", by_cvxpy)):
        seconds[name] = best(lambda run=run: run(n), 3), run(n)  # type: ignore[misc]
    ours = seconds["Discreet"][0]
    table = Table(title=f"n = {n}, all seven, L2, alpha = {ALPHA}; load {os.getloadavg()[0]:.2f}", title_justify="left")
    for head in ("", "seconds", "optimum", "Discreet is faster by"):
        table.add_column(head, justify="right" if head else "left")
    for name, (duration, optimum) in seconds.items():
        table.add_row(name, f"{duration:.3f}", f"{optimum:.9g}", f"{duration / ours:.1f}")
    Console().print(table)


def growth(largest: int) -> list[tuple[int, float, float, float]]:
    """Return n, seconds to solve, seconds to certify, and the loss, for several n."""
    points = []
    table = Table(title="all seven, L2: seconds", title_justify="left")
    for head in ("n", "solve", "certify", "L2"):
        table.add_column(head, justify="right")
    for n in [k for k in (10, 25, 50, 100, 150, 200, 250, 300) if k <= largest]:
        start = time.perf_counter()
        mechanism = discreet.design.constrained(n=n, alpha=ALPHA, properties="all", objective="L2")
        solved = time.perf_counter()
        mechanism.certify()
        points.append((n, solved - start, time.perf_counter() - solved, mechanism.loss("L2")))
        table.add_row(str(n), f"{points[-1][1]:.3f}", f"{points[-1][2]:.3f}", f"{points[-1][3]:.6g}")
    Console().print(table)
    return points


def closed_forms() -> None:
    """Print the time of designs that need no linear program, at n = 500, and of bounded noise."""
    table = Table(title="seconds", title_justify="left")
    table.add_column("")
    table.add_column("", justify="right")
    n = 500
    prior = np.random.default_rng(1).dirichlet(np.ones(n + 1))
    prior /= prior.sum()
    design = discreet.design
    for name, run in {
        "EM* at n = 500, with its certificate": lambda: design.fair(n=n, alpha="9/10").certify(),
        "no properties, any prior, L1, n = 500": lambda: design.constrained(
            n=n, alpha="9/10", objective="L1", weights=prior
        ),
        "no properties, any prior, L2, n = 500": lambda: design.constrained(
            n=n, alpha="9/10", objective="L2", weights=prior
        ),
        "bounded, closed form, mean over supports 1..200": lambda: [
            design.bounded(epsilon=1, eta="0.5", support=d, lowest=d) for d in range(1, 201)
        ],
        "bounded, lowest 0, all counts, support 20": lambda: design.bounded(epsilon="1.5", eta="0.5", support=20),
    }.items():
        duration = best(run, 1)
        table.add_row(name, f"{duration / 200:.5f}" if "mean" in name else f"{duration:.3f}")
    Console().print(table)


def plot(points: list[tuple[int, float, float, float]], path: str) -> None:
    """Draw seconds and loss against n."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    times, losses = figure.subplots(1, 2)
    n, solve, certify, loss = zip(*points, strict=True)
    times.loglog(n, solve, "o-", label="solve")
    times.loglog(n, certify, "s--", label="certify")
    times.set(xlabel="n", ylabel="seconds", title=f"All seven properties, L2, alpha = {ALPHA}: time")
    losses.plot(n, loss, "o-")
    losses.set(xlabel="n", ylabel="mean squared error", title="and loss")
    for panel in (times, losses):
        panel.grid(color="0.9", which="both")
    times.legend(frameon=False)
    data = BytesIO()
    figure.savefig(data, format="png", dpi=150)
    files.write(path, data.getvalue())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--largest", type=int, default=300)
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    peers(arguments.n)
    points = growth(arguments.largest)
    closed_forms()
    if arguments.plot:
        plot(points, arguments.plot)


if __name__ == "__main__":
    main()
