"""Words of a Daifugo scene: the labels of its texts, see `kozyr.envs.core.labels`."""

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
_RANKS = "3|4|5|6|7|8|9|10|J|Q|K|A|2"
(
    BEFORE, PLACE, PAID, TO_GIVE, OWNER, PASSED, ROUND, REVOLUTION, PLAYED, RANK, LEADS, ANSWERS, GIVES, SHARE, PASS,
    GIVE, GIVE_CARD, LOCKED, STANDS_FOR,
) = range(1, 20)  # fmt: skip
LABELS = {
    BEFORE: "before: {0|" + "|".join(ORDINALS) + "}",
    PLACE: "{0|" + "|".join(name.upper() for name in ORDINALS) + "}",
    PAID: "{0:milli}",
    TO_GIVE: "TO GIVE",
    OWNER: "OWNER",
    PASSED: "PASSED",
    ROUND: "round {0} of {1}",
    REVOLUTION: "REVOLUTION",
    PLAYED: "played, weak to strong",
    RANK: "{0|" + _RANKS + "}",
    LEADS: "{0:seat} leads",
    ANSWERS: "{0:seat} answers {1:seat}",
    GIVES: "{0:seat} gives {1} {1|cards|card|cards} back",
    SHARE: "{0:seat} and {1} {1|others|other|others} share the win",
    PASS: "pass",
    GIVE_CARD: "give {0|" + _RANKS + "} of {1|spades|hearts|diamonds|clubs}",
    LOCKED: "SUITS LOCKED",
    STANDS_FOR: "the joker stands for {0|a card below 3|" + _RANKS + "|a card above 2}{1|♠|♥|♦|♣| as the fifth}",
    GIVE: "give {0|" + _RANKS + "|the joker}",
}
