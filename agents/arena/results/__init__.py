"""Leaderboards, highlights of tournaments, and names of agents in reports."""
