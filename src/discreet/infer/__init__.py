"""What published numbers say about the true counts."""

from discreet.infer.combine import difference, measured_total, total, update
from discreet.infer.credible_intervals import Intervals, intervals
from discreet.infer.interval_coverage import Coverage, coverage
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import posterior
from discreet.infer.prior import NegativeBinomial, Poisson
from discreet.infer.ratios import Estimate, ratio, share
from discreet.infer.release_folder import folder
from discreet.infer.wang_posteriors.components import pair as wang_pair
from discreet.infer.wang_posteriors.components import wang

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
