"""Networks for games on a board."""
