"""Learning algorithms and their networks."""
