"""Posteriors of the true counts of a list that was published by an algorithm of Wang 2020."""
