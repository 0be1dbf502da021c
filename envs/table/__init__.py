"""A table: one game in progress, with its events, clock and records."""
