"""Leagues, cups, ladders, ratings and sequential comparisons."""
