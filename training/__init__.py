"""Making new agents: environments for learners, opponents, settings and runs."""
