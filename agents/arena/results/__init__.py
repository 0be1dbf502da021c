"""Highlights of tournaments, and names of agents in reports."""
