"""From microdata to published tables: keys, engines, measurements, manifest."""
