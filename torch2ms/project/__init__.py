"""What concerns many files: finding, reading, converting in parallel, caching and writing them."""
