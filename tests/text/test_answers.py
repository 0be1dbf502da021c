"""How an action is found in an answer."""

import pytest

from kozyr import envs
from kozyr.agents.text.answer import Reader, Refused


def reader(game: str, *words: str, **options: object) -> Reader:
    it = envs.game(game)
    v = it.make_variant(**options)
    return Reader({word.lower(): it.text.parse(v, word) for word in words}, lambda text: it.text.parse(v, text))


DURAK = reader("durak", "7C", "TH", "pass", "transfer 7C", transfer=True)


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("7C", "7C"),
        ("7c\n", "7C"),
        ("I could pass.\n\nBut no:\n  TH  ", "TH"),
        ("7C\nOn second thoughts, the ten.\nTH", "TH"),
        ("TH\nThat is the best that I can do here.", "TH"),
        ("Action: 7C", "7C"),
        ("**Action:** 7C", "7C"),
        ("My move: **7C**.", "7C"),
        ("- 7C", "7C"),
        ("[7C]", "7C"),
        ("Action: [TH].", "TH"),
        ("3. pass", "pass"),
        ('"Pass."', "pass"),
        ("transfer 7c", "transfer 7C"),
        ("I choose `TH` as it is cheap.", "TH"),
        ("`7C` is weaker than `TH`, and `trump` is no action.", "TH"),
        ("pass\n```\n7C\n```", "7C"),
        ("```text\npass\nTH\n```\nthat is all", "TH"),
        ("```TH```", "TH"),
        ("<think>`7C`?\npass\n</think>\nTH", "TH"),
        ("# Thoughts\n" * 5000 + "TH", "TH"),
        ("7C\r\n", "7C"),
        ("<answer>7C</answer>", "7C"),
        ("pass is dear.\n<answer>\n`TH`\n</answer>\npass", "TH"),
        ("<answer>7C", "7C"),
        (r"So the answer is $\boxed{7C}$.", "7C"),
        (r"\boxed{\text{TH}} and not \boxed{10\heartsuit}, or rather \boxed{7\clubsuit}", "7C"),
        ('{"action": "7C"}', "7C"),
        ('```json\n{"thought": "cheap", "action": "TH"}\n```', "TH"),
        ('<answer>{"move": "7C"}</answer>', "7C"),
        ('{"card": 7}\n7C', "7C"),
        ("7♣", "7C"),
        ("I choose `10♥`", "TH"),
        ("transfer 7 ♣\ufe0f", "transfer 7C"),
        ("10H", "TH"),
        ("Final answer: 10 ♥ - it is cheap", "TH"),
        ("Action: 7C — the lowest card", "7C"),
        ("**Action:** transfer 7♣ (they must take)", "transfer 7C"),
        ("[THINK]`TH`[/THINK]7C", "7C"),
        ("<think>TH</think>\nNo.\n<thinking>`TH`</thinking>\n7C", "7C"),
    ],
)
def test_the_action_is_found(answer: str, word: str) -> None:
    assert DURAK.read(answer) == DURAK.legal[word.lower()]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "it holds no action"),
        ("I do not play cards.", "it holds no action"),
        ("I would like to play the 7C now", "it holds no action"),
        ("`ace of spades`", "it holds no action"),
        ("AS", "'AS' is not legal now"),
        ("7C\nAS", "'AS' is not legal now"),
        ("7C, or rather `AS`", "'AS' is not legal now"),
        ("9" * 1_000_000, "it holds no action"),
        ("<think>7C", "it ends while you still think"),
        ("<think>\nIf I `pass` now I take five cards. Rather 7C, since", "it ends while you still think"),
        ("7C\n<think>or `TH`", "it ends while you still think"),
        ("<answer>I do not know</answer>\n7C", "it holds no action"),
        (r"7C, so \boxed{42}", "it holds no action"),
        ("<answer>AS</answer> 7C", "'AS' is not legal now"),
        ("\\boxed{" * 100_000, "it holds no action"),
        ("{" * 1_000_000, "it holds no action"),
        ("<answer>" * 100_000, "it holds no action"),
    ],
)
def test_what_is_wrong_is_told(answer: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        DURAK.read(answer)


def test_marks_of_a_game_are_no_marks_of_markdown() -> None:
    daifugo = reader("daifugo", "pass", "*", "77*", "77", "7")
    for answer, word in (("*", "*"), ("**77***", "77*"), ("**77**", "77"), ("77*", "77*"), ("* 7", "7"), ("`*`", "*")):
        assert daifugo.read(answer) == daifugo.legal[word]


def test_words_that_only_a_seat_hears_are_understood() -> None:
    poker = reader("draw_poker", "discard 1 3", "discard none")
    assert poker.read("I keep the pair.\ndiscard 1 3 (7D KS)") == poker.legal["discard 1 3"]
