"""What a mechanism costs and gives: privacy curves, properties, losses. Floats, vectorised."""
