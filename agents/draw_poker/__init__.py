"""Players of draw poker."""
