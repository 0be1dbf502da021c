"""Pages of words and forms."""
