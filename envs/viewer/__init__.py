"""Recorded games to look at: frames, pages of their own, films and windows."""
