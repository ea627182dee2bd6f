"""The report of a release, a page for readers who are not statisticians."""
