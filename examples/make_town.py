"""Make the synthetic town that ships with Discreet: 100,000 people who do not exist.

    uv run python examples/make_town.py src/discreet/data/town.csv.gz

Each person has a district (twelve, of unequal size), an age (whose mean depends on the district), a sex, and a kind of
work that depends on age. The seed is fixed, so that the file is always the same. No data of real people are used.
"""

import csv
import gzip
import io
import sys

import numpy as np

PEOPLE = 100_000
DISTRICTS = {  # share of the town, mean age
    "Abbey": (0.17, 38),
    "Bridge": (0.15, 34),
    "Castle": (0.13, 45),
    "Docks": (0.11, 31),
    "Elms": (0.10, 47),
    "Fairfield": (0.09, 41),
    "Gardens": (0.08, 52),
    "Harbour": (0.06, 36),
    "Island": (0.05, 49),
    "Junction": (0.03, 29),
    "Kiln": (0.02, 44),
    "Lighthouse": (0.01, 57),
}
WORK = ("child", "student", "employed", "unemployed", "retired")


def main(path: str) -> None:
    """Write the town as compressed CSV."""
    rng = np.random.default_rng(20260101)
    names = list(DISTRICTS)
    district = rng.choice(len(names), size=PEOPLE, p=[share for share, _ in DISTRICTS.values()])
    mean = np.array([age for _, age in DISTRICTS.values()])[district]
    age = np.clip(np.rint(mean + rng.normal(0, 22, PEOPLE)), 0, 99).astype(int)
    age = np.where(age == 0, rng.integers(0, 16, PEOPLE), age)
    sex = np.where(rng.random(PEOPLE) < 0.505, "female", "male")
    luck = rng.random(PEOPLE)
    work = np.select(
        [age < 16, (age < 25) & (luck < 0.6), age >= 67, luck < 0.93],
        [WORK[0], WORK[1], WORK[4], WORK[2]],
        WORK[3],
    )
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["person_id", "district", "age", "sex", "work"])
    table.writerows(
        zip(range(1, PEOPLE + 1), [names[d] for d in district], age.tolist(), sex.tolist(), work.tolist(), strict=True)
    )
    with (
        open(path, "wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=9) as packed,
    ):
        packed.write(text.getvalue().encode())


if __name__ == "__main__":
    main(sys.argv[1])
