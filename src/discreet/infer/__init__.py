"""What published numbers say about the true counts."""

from discreet.infer.belief import Posterior
from discreet.infer.columns import Intervals, intervals
from discreet.infer.posterior import posterior
from discreet.infer.prior import NegativeBinomial, Poisson

__all__ = ["Intervals", "NegativeBinomial", "Poisson", "Posterior", "intervals", "posterior"]
