"""Agents in processes of their own, under limits of time."""
