"""Players of War."""
