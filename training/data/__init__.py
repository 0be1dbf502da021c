"""Datasets of recorded games."""
