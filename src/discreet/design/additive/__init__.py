"""Noise that is added to a count: the same for all counts from some point on."""
