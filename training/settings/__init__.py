"""Settings of runs."""
