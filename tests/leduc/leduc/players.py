"""What plays Leduc poker."""

from kozyr.agents.players import Players

PLAYERS = Players(("random", "tight"), bots="leduc.bots")
