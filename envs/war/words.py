"""War: the words of scenes and actions, see `kozyr.envs.core.labels`."""

NAME, CARDS, NUMBER, ORDER, NOT_KNOWN = range(1, 6)
TURN, IN_WAR, CHOOSES, WINS, SHORT, STOPPED = range(6, 12)
TAG_STARTS, TAG_CHOOSES, TAG_WON, TAG_LOST = range(12, 16)
SAY_FLIP, SAY_FLIP_WAR, SAY_OWN, SAY_OTHER, SAY_HIGH, SAY_LOW = range(16, 22)

LABELS = {
    NAME: "{0:seat}",
    CARDS: "{0} {0|cards|card|cards}",
    NUMBER: "{0}",
    ORDER: "from the top, as everybody knows",
    NOT_KNOWN: "in an order that nobody knows",
    TURN: "turn {0} of {1}",
    IN_WAR: "turn {0} of {1}, war {2}",
    CHOOSES: "{0:seat} takes the cards and chooses their order",
    WINS: "{0:seat} wins",
    SHORT: "{0:seat} wins, {1:seat} is short of cards for a war",
    STOPPED: "stopped after {0} turns",
    TAG_STARTS: "STARTER",
    TAG_CHOOSES: "CHOOSES",
    TAG_WON: "WINNER",
    TAG_LOST: "LOST",
    SAY_FLIP: "flip",
    SAY_FLIP_WAR: "lay three and flip",
    SAY_OWN: "my cards first",
    SAY_OTHER: "the other's cards first",
    SAY_HIGH: "high to low",
    SAY_LOW: "low to high",
}
