"""What published numbers say about the true counts."""

from discreet.infer.belief import Posterior
from discreet.infer.wang import wang

__all__ = ["Posterior", "wang"]
