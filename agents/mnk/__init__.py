"""Players of the m,n,k-game."""
