"""The faces of an environment; they know no rules."""
