"""Players of Daifugo."""
