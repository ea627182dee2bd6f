"""Posteriors of the true counts of a list that an algorithm of Wang 2020 made to add up."""
