"""Plots of learning curves: scores of runs and of their seeds, by decisions and by time."""
