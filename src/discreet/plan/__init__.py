"""What is asked, before any data is seen: specification, codebooks, layout, table of noise, guarantee."""
