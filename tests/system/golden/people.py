"""The people that the golden folders are about: the same in every run and on every machine."""

import csv
import random
from pathlib import Path

TOWNS = {"Ash": "north", "Beck": "north", "Cove": "south", "Dell": "south", "Eyot": "south"}
TRADES = ["farmer", "smith", "baker", "miller", "weaver", "none"]


def write(path: Path, rows: int = 4000) -> None:
    """Write a CSV file of skewed answers, with people who have several rows and answers that are missing."""
    chance = random.Random(20260101)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "sex", "age", "town", "trade", "hour"])
        for number in range(rows):
            person = chance.randrange(number + 1) if chance.random() < 0.2 else number
            town = chance.choices(list(TOWNS), [60, 25, 10, 4, 1])[0]
            trade = chance.choices(TRADES, [50, 20, 10, 5, 0, 15])[0]
            answer = chance.choices(["f", "m", ""], [52, 46, 2])[0]
            writer.writerow([f"p{person}", answer, chance.randrange(95), town, trade, chance.randrange(24)])
