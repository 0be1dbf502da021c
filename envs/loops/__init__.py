"""Compiled loops over tables, which know no rules."""
