"""Linear programs over all square mechanisms: whether one property implies another, and which optima there are."""

from collections.abc import Callable

import numpy as np

from discreet.arrays import Floats
from discreet.linear_program import Program, Variables

SECONDS = 60.0


class SquareProgram:
    """All matrices P on 0..n whose columns sum to 1, and what is asked of them.

    Attributes
    ----------
    p
        The number of the variable at P[i, j].
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.p: Variables = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
        self._program = Program((n + 1) ** 2)
        self._program.rows(self.p.T, 1.0, 1.0, 1.0)

    def private(self, alpha: float) -> "SquareProgram":
        """Ask for differential privacy: neighbouring columns within the factor alpha."""
        self._program.order(self.p[:, :-1], self.p[:, 1:], alpha)
        self._program.order(self.p[:, 1:], self.p[:, :-1], alpha)
        return self

    def having(self, *properties: str) -> "SquareProgram":
        """Ask for some of RH, RM, CH, CM, F, WH and "printed RM", which is RM as Theorem 2 prints the constraints."""
        add: dict[str, Callable[[], None]] = {
            "RH": self._row_honest,
            "RM": lambda: self._fall(self.p),
            "CH": self._column_honest,
            "CM": lambda: self._fall(self.p.T),
            "F": self._fair,
            "WH": self._weakly_honest,
            "printed RM": lambda: self._fall(self.p, beside_diagonal=False),
        }
        for name in properties:
            add[name]()
        return self

    def derivable(self, alpha: float) -> "SquareProgram":
        """Ask for the condition of Gupte and Sundararajan: P is what somebody makes of the outputs of GM."""
        inner = np.stack([self.p[:, 1:-1].ravel(), self.p[:, :-2].ravel(), self.p[:, 2:].ravel()], axis=1)
        self._program.rows(inner, [1 + alpha**2, -alpha, -alpha], 0.0, np.inf)
        return self

    def at_least(self, smallest: float) -> "SquareProgram":
        """Ask for a smallest entry."""
        self._program.rows(self.p.reshape(-1, 1), 1.0, smallest, np.inf)
        return self

    def costing(self, cost: Floats, at_most: float) -> "SquareProgram":
        """Ask for a sum of cost[i, j] P[i, j] of at most a value."""
        self._program.rows(self.p.reshape(1, -1), cost.ravel(), -np.inf, at_most)
        return self

    def least(self, cost: Floats) -> float:
        """Return the least sum of cost[i, j] P[i, j]."""
        return float((cost * self.solution(cost)).sum())

    def solution(self, cost: Floats) -> Floats:
        """Return a matrix of least cost."""
        self._program.cost[:] = cost.ravel()
        return self._program.solve(SECONDS, first="simplex")[self.p]

    def _fall(self, p: Variables, beside_diagonal: bool = True) -> None:
        """Rows fall away from the diagonal, or only from the entries beside it."""
        i, j = np.indices((self.n + 1, self.n))
        rightward, leftward = (i <= j, i > j) if beside_diagonal else (i < j, i > j + 1)
        self._program.order(p[:, :-1][rightward], p[:, 1:][rightward])
        self._program.order(p[:, 1:][leftward], p[:, :-1][leftward])

    def _row_honest(self) -> None:
        self._program.order(np.broadcast_to(np.diagonal(self.p)[:, None], self.p.shape), self.p)

    def _column_honest(self) -> None:
        self._program.order(np.broadcast_to(np.diagonal(self.p)[None, :], self.p.shape), self.p)

    def _fair(self) -> None:
        truth = np.diagonal(self.p)
        self._program.rows(np.stack([truth[:-1], truth[1:]], axis=1), [1.0, -1.0], 0.0, 0.0)

    def _weakly_honest(self) -> None:
        self._program.rows(np.diagonal(self.p)[:, None], 1.0, 1 / (self.n + 1), np.inf)


def largest_excess(n: int, properties: tuple[str, ...], bigger: tuple[int, int], smaller: tuple[int, int]) -> float:
    """Return the largest P[bigger] - P[smaller] of any mechanism with the properties."""
    cost = np.zeros((n + 1, n + 1))
    cost[bigger] -= 1.0
    cost[smaller] += 1.0
    return -SquareProgram(n).having(*properties).least(cost)


def some_optimum_derives(n: int, alpha: float, properties: tuple[str, ...], tolerance: float = 1e-7) -> bool:
    """Return True if one of the L0-optimal mechanisms with the properties can be made from outputs of GM."""
    cost = 1.0 - np.eye(n + 1)
    best = SquareProgram(n).private(alpha).having(*properties).least(cost)
    derived = SquareProgram(n).private(alpha).having(*properties).derivable(alpha).least(cost)
    return derived - best < tolerance


def some_optimum_does_not(n: int, alpha: float, properties: tuple[str, ...], tolerance: float = 1e-7) -> bool:
    """Return True if one of the L0-optimal mechanisms with the properties cannot be made from outputs of GM."""
    cost = 1.0 - np.eye(n + 1)
    best = SquareProgram(n).private(alpha).having(*properties).least(cost)
    for i in range(n + 1):
        for j in range(1, n):
            slack = np.zeros((n + 1, n + 1))
            slack[i, j - 1 : j + 2] = -alpha, 1 + alpha**2, -alpha
            optima = SquareProgram(n).private(alpha).having(*properties).costing(cost, best + 1e-9)
            if optima.least(slack) < -tolerance:
                return True
    return False
