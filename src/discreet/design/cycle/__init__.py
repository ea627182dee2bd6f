"""Mechanisms on a cycle: hours, months, categories."""
