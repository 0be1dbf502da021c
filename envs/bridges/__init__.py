"""Games for other libraries: OpenSpiel, and views and actions as JSON."""
