"""The register of Wang 2020: every numbered item, and what stands between them, in the order of the paper."""

from discreet.papers.wang2020.items_examples import RESULTS
from discreet.papers.wang2020.items_procedure import PROCEDURE

ITEMS = (*PROCEDURE, *RESULTS)
