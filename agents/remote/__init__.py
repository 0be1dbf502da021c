"""Wires: programs elsewhere play here, and agents of ours play there."""
