"""What Gaussian noise can reach at best: Gaussian differential privacy, and the closed form of ResidualPlanner."""

import math

import numpy as np

from discreet.arrays import Floats
from discreet.plan.planner._shares import Goal
from discreet.plan.planner.workload import Workload


def mu_of(epsilon: float, delta: float) -> float:
    """Return mu of Gaussian differential privacy with this delta at epsilon (Dong, Roth and Su 2022)."""
    low, high = 1e-9, 50.0
    for _ in range(100):
        middle = math.sqrt(low * high)
        upper = 0.5 * math.erfc((epsilon / middle - middle / 2) / math.sqrt(2))
        below = 0.5 * math.erfc((epsilon / middle + middle / 2) / math.sqrt(2))
        lower = math.exp(epsilon + math.log(below)) if below else 0.0
        low, high = (low, middle) if upper - lower > delta else (middle, high)
    return low


def gaussian_bound(workload: Workload, goal: Goal, variances: Floats, mu: float) -> float:
    """Return the least error, as a variance, that Gaussian noise can have, correlated noise included.

    The closed form of ResidualPlanner: lambda_s in proportion to sqrt(omega_s), where omega_s is the sum over g >= s of
    the weight of g / N_g^2, scaled so that the sum of dim_s lambda_s is mu^2. For the largest variance, any weights of
    the groupings give a bound; weights that stress large variances are taken.

    Parameters
    ----------
    workload, goal
        What is published, and what is minimised.
    variances
        The variances of a good plan.
    mu
        The parameter of Gaussian differential privacy of the budget.
    """
    spaces = workload.spaces

    def root(weights: Floats) -> tuple[float, Floats]:
        lambdas = np.sqrt(spaces.sum_above(weights / workload.cells**2))
        whole = float((spaces.dimensions * lambdas).sum())
        by_grouping = spaces.sum_below(spaces.dimensions / lambdas) * whole / (workload.cells * mu) ** 2
        return (whole / mu) ** 2, by_grouping

    if not goal.worst:
        return root(goal.emphasis)[0]
    products = goal.emphasis * variances
    weights = np.exp(np.clip(np.log(products / products.max()) * 64, -20, 0))
    best = 0.0
    for _ in range(200):
        weights = weights / weights.sum()
        bound, by_grouping = root(weights * goal.emphasis)
        best = max(best, bound)
        weights = weights * goal.emphasis * by_grouping / bound
    return best
