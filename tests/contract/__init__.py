"""Contract of every game, ours and other people's; no game is named here.

`python -m pytest --pyargs kozyr.contract --kozyr-game leduc` runs it on a game that is installed.
"""
