"""Rows to true counts: sources, engines, recoding, the rows of one person that count. Nothing here is published."""
