"""A game as a story that is told from top to bottom, and stops to ask at every decision."""

from collections.abc import Collection, Generator

OVER = -1

Question = tuple[int, Collection[int]]  # the seat to move, and the action numbers open to it


class Story:
    """A game whose method `_game` tells it: it yields a question, and is sent the answer."""

    turn = OVER

    def _game(self) -> Generator[Question, int, None]:
        """Tell the game from its first decision to its end."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Tell the story up to its first question."""
        self._choices: Collection[int] = ()
        self._story = self._game()
        self._listen(None)

    def legal(self) -> list[int]:
        """List the action numbers open to the seat to move, ascending; none once the game is over."""
        return sorted(self._choices)

    def play(self, action: int) -> None:
        """Let the seat to move act."""
        if action not in self._choices:
            raise ValueError(f"action {action} is not among {self.legal()} for seat {self.turn}")
        self._listen(action)

    def _listen(self, action: int | None) -> None:
        """Go on with the story to its next question."""
        try:
            self.turn, self._choices = next(self._story) if action is None else self._story.send(action)
        except StopIteration:
            self.turn, self._choices = OVER, ()
