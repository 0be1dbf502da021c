"""Drawings of games: scenes as data, and SVG made from them."""
