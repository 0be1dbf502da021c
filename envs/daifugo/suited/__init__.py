"""Daifugo with suits: sets of one suit or several, sequences, and the rules that look at suits (§15 to §21)."""
