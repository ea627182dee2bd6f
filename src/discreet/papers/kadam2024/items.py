"""The register of Kadam 2024: every numbered item, in the order of the paper."""

from discreet.papers.kadam2024.items_model import MODEL
from discreet.papers.kadam2024.items_results import RESULT
from discreet.papers.kadam2024.items_solutions import SOLUTIONS

ITEMS = (*MODEL, *SOLUTIONS, *RESULT)
