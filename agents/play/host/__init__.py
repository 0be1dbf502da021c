"""The table's host: positions, agents that answer, and advice."""
