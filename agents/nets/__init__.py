"""Trained players: load them, act in batches, export them."""
