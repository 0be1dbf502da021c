"""Training of new agents: learners, opponents, settings and runs."""
