"""The register of Sadeghi 2023: every numbered item, in the order of the paper."""

from discreet.papers.sadeghi2023.items_noise import NOISE
from discreet.papers.sadeghi2023.items_tables import TABLES

ITEMS = (*NOISE, *TABLES)
