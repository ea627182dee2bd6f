"""The register of Sadeghi 2020: every numbered item, in the order of the paper."""

from discreet.papers.sadeghi2020.items_explicit import EXPLICIT
from discreet.papers.sadeghi2020.items_formulation import FORMULATION
from discreet.papers.sadeghi2020.items_numerical import NUMERICAL_RESULTS

ITEMS = (*FORMULATION, *EXPLICIT, *NUMERICAL_RESULTS)
