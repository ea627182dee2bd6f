"""Time of the adviser, for one cell to ten thousand cells.

uv run python -m benchmarks.advise
"""

import os
from functools import partial

from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from discreet import Counts
from discreet.design import advise

BUDGETS = (
    {"epsilon": "0.5", "delta": "1e-4", "cells": 1},
    {"epsilon": "1", "delta": "1e-6", "cells": 8},
    {"epsilon": "0.1", "delta": "1e-9", "cells": 8},
    {"epsilon": "5", "delta": "1e-6", "cells": 100},
    {"epsilon": "20", "delta": "1e-6", "cells": 10_000},
    {"epsilon": "1", "delta": "1e-6", "cells": 8, "domain": Counts(0, 100)},
    {"epsilon": "1", "delta": "1e-6", "cells": 4, "contributions": 3},
)


def main() -> None:
    """Print the seconds."""
    grid = Table("budget", "best", "variance", "seconds")
    for budget in BUDGETS:
        ask = partial(advise, **budget)  # type: ignore[arg-type]
        first = ask()[0]
        named = ", ".join(f"{key} {value}" for key, value in budget.items())
        grid.add_row(named, first.name, f"{first.variance:.4g}", f"{best(ask, 1):.2f}")
    Console(width=120).print(grid)
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
