"""Mechanisms for counts 0..n: one row of probabilities for each count."""
