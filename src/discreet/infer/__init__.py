"""What published numbers say about the true counts."""

from discreet.infer.belief import Posterior

__all__ = ["Posterior"]
