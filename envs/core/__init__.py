"""Core of all games; it names none."""
