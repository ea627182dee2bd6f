"""What will be published, before any data is seen: specification, codebooks, layout, noise, guarantee."""
