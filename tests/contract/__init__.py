"""What holds for every game in the registry; no game is named here."""
