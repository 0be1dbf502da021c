"""Core of a game: state, variant, layouts, capabilities and dispatch, without any game's rules."""
