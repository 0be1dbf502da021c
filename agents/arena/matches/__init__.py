"""Matches: duplicate deals between agents, and their results."""
