"""Opponents of a learner."""
