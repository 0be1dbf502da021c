"""Scripted players, a file per game; they read views and nothing else."""
