"""Words of scenes overlap no other words, cover no card but their own pile, and stay inside, at the extremes too."""

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import render_svg, svg_elements
from kozyr.envs.pictures.scene import CARD, CARD_WIDE, FLAGS, HIGH, KIND, SEES_ALL, STACK, WIDE, X, Y

LONG = "Maximiliane Featherstonehaugh-Smythe"
EXTREMES = [
    *(("durak", {"players": n, "deck": 52, "open_trump": True}) for n in range(2, 7)),
    *(("durak", {"players": n, "deck": 36, "transfer": True, "pile_on": True}) for n in range(2, 7)),
    *(("durak", {"players": 2, "deck": deck, "hand": 2}) for deck in (8, 12, 16, 20, 24)),
    *(("war", {"deck": deck, "pickup": pickup}) for deck in (8, 28, 52) for pickup in ("fixed", "random", "choice")),
]


def games(name, options, greedy):
    """Give the states of one game; with `greedy` defenders take what they can, so that hands grow."""
    game = envs.game(name)
    v = game.make_variant(**options)
    states = np.zeros(1, game.layout(v))
    s = states[0]
    dispatch.start(v, s, 5, -1)
    rng = np.random.default_rng(5)
    mask = np.zeros(game.actions(v), np.int8)
    for ply in range(400):
        if ply % 9 == 0 or s.turn == OVER:
            yield game, v, states
        if s.turn == OVER:
            return
        dispatch.legal(v, s, mask)
        legal = np.flatnonzero(mask)
        takes = greedy and name == "durak" and s.turn == s.defender and s.laid > 0
        dispatch.play(v, s, v.deck if takes else int(rng.choice(legal)))


@pytest.fixture
def written(monkeypatch):
    """Collect the boxes of all words that are drawn: left, top, right, bottom and what they say."""
    found = []
    plain = svg_elements.text

    def noted(said, x, base, size, colour, weight):
        drawn, end = plain(said, x, base, size, colour, weight)
        low = base + (0.3 * size if set(said) & set("gjpqy_,Q") else 0)
        found.append((x, base - size, end, low, said))
        return drawn, end

    monkeypatch.setattr(svg_elements, "text", noted)
    return found


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_no_words_overlap_or_leave_the_picture(name, options, greedy, written):
    for game, v, states in games(name, options, greedy):
        for seat in (SEES_ALL, *range(game.seats(v))):
            written.clear()
            rows = render_svg.rows(game, v, states, seat)
            render_svg.svg(rows, game.labels, [LONG] * game.seats(v))
            assert_apart(written, rows)


def assert_apart(boxes, rows):
    wide, high = rows[0, WIDE], rows[0, HIGH]
    cards = [row for row in rows.tolist() if row[KIND] == CARD]
    for i, box in enumerate(boxes):
        assert box[0] >= 0, box
        assert box[1] >= 0, box
        assert box[2] <= wide, box
        assert box[3] <= high, box
        assert not [other for other in boxes[:i] if overlap(box, other)], box
        covered = [row for row in cards if overlap(box, room(row))]
        assert all(row[FLAGS] & STACK for row in covered), (box, covered)


def room(row):
    """Return the box of a card; one that lies across is as wide as it is high."""
    x, y, wide, high = row[X], row[Y], row[WIDE], row[HIGH]
    if row[9] == 90:
        x, y, wide, high = x + (wide - high) / 2, y + (high - wide) / 2, high, wide
    return x, y, x + wide, y + high


@pytest.mark.parametrize(("name", "options"), EXTREMES[:5])
def test_ones_own_seat_is_alone_at_the_bottom_and_its_cards_are_big(name, options):
    for game, v, states in games(name, options, greedy=True):
        for seat in range(game.seats(v)):
            rows = render_svg.rows(game, v, states, seat)
            cards = rows[rows[:, KIND] == CARD]
            own = cards[cards[:, WIDE] > CARD_WIDE]
            assert len(own) == states[0].count[seat]
            others = cards[cards[:, WIDE] <= CARD_WIDE]
            if len(own) and len(others):
                assert own[:, Y].min() > (others[:, Y] + others[:, HIGH]).max()
