"""What published numbers say about the true counts."""

from discreet.infer.belief import Posterior
from discreet.infer.columns import Intervals, intervals
from discreet.infer.combine import Estimate, difference, measured_total, ratio, share, total, update
from discreet.infer.coverage import Coverage, coverage
from discreet.infer.folder import folder
from discreet.infer.posterior import posterior
from discreet.infer.prior import NegativeBinomial, Poisson
from discreet.infer.wang import pair as wang_pair
from discreet.infer.wang import wang

__all__ = [
    "Coverage",
    "Estimate",
    "Intervals",
    "NegativeBinomial",
    "Poisson",
    "Posterior",
    "coverage",
    "difference",
    "folder",
    "intervals",
    "measured_total",
    "posterior",
    "ratio",
    "share",
    "total",
    "update",
    "wang",
    "wang_pair",
]
