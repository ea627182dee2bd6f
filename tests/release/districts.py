"""People of three districts."""

import csv
import random
from pathlib import Path

DISTRICTS = ["north", "south", "west"]


def people(size: int, seed: int = 1) -> list[dict[str, object]]:
    """Return random people. Some answers are missing, and some are not declared."""
    draw = random.Random(seed)
    return [
        {
            "id": number,
            "district": draw.choice([*DISTRICTS, "elsewhere", ""]),
            "age": draw.choice([draw.randint(0, 99), "unknown"]),
            "sex": draw.choice(["f", "m"]),
        }
        for number in range(size)
    ]


def save(rows: list[dict[str, object]], path: Path) -> None:
    """Write people to a CSV file."""
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, ["id", "district", "age", "sex"])
        writer.writeheader()
        writer.writerows(rows)
