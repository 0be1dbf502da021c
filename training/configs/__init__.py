"""Training settings, one TOML file per game."""
