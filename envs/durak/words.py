"""Durak: the words of scenes and actions, see `kozyr.envs.core.labels`."""

NAME, CARDS, STOCK, TRUMP, DISCARDED, KNOWN_TO_ALL = range(1, 7)
OPENS, ATTACKS, BEATEN, TAKES, ROUND = range(7, 12)
TAG_ATTACKS, TAG_DEFENDS, TAG_TAKES, TAG_OUT, TAG_FOOL = range(12, 17)
FOOL, DRAW, STOPPED = range(17, 20)
SAY_TAKE, SAY_DONE = range(20, 22)

LABELS = {
    NAME: "{0:seat}",
    CARDS: "{0} {0|cards|card|cards}",
    STOCK: "{0} in the stock",
    TRUMP: "trump",
    DISCARDED: "{0} discarded",
    KNOWN_TO_ALL: "known to all",
    OPENS: "{0:seat} opens against {1:seat}",
    ATTACKS: "{0:seat} attacks {1:seat}",
    BEATEN: "{1:seat} has beaten all; {0:seat} may add",
    TAKES: "{0:seat} takes, more may be added",
    ROUND: "round {0}",
    TAG_ATTACKS: "ATTACKER",
    TAG_DEFENDS: "DEFENDER",
    TAG_TAKES: "TAKES",
    TAG_OUT: "OUT",
    TAG_FOOL: "THE FOOL",
    FOOL: "{0:seat} is the fool",
    DRAW: "a draw: nobody has cards left",
    STOPPED: "stopped after {0} rounds",
    SAY_TAKE: "take",
    SAY_DONE: "done",
}
