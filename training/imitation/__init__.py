"""Learning from other agents and from searches."""
