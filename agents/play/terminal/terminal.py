"""Terminal of a table: the view of a seat, its legal moves as a list, a log, and a line for the text of the game."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key
from textual.message import Message
from textual.widgets import Footer, Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from kozyr.agents.play.host.advice import Hints
from kozyr.agents.play.host.choices import Choice
from kozyr.agents.play.session.words import opening
from kozyr.agents.play.terminal.board_widget import BoardWidget, diagram
from kozyr.agents.play.terminal.human_player import HumanPlayer, SeatState, thread_of
from kozyr.agents.play.terminal.move_list import GOLD, MoveList, coloured
from kozyr.envs.core import capabilities
from kozyr.envs.core.state import OVER
from kozyr.envs.table.table import Table

PACE = 0.4  # seconds that a move of others is shown, at least
AGAIN, LEAVE = "again", "leave"


class TableApp(App[None]):
    """A window for one person at tables that are dealt one after the other.

    Args:
        deal: makes game number 0, 1, …
        players: one a seat, agents or players; None for the person.
        pace: seconds that others' moves are shown, at least.

    Raises:
        ValueError: unless there is exactly one person.
    """

    CSS_PATH = "terminal.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Move", show=False),
        Binding("down", "step(1)", "Move", show=False),
        Binding("tab", "app.focus_next", "Next part"),
        Binding("f3", "hint", "Hint"),
        Binding("f2", "resign", "Resign"),
        Binding("f5", "again", "New game"),
        Binding("ctrl+q", "quit", "Quit"),
    ]

    class News(Message):
        """A change of a table; `state` is a sentence where its players cannot go on."""

        def __init__(self, person: HumanPlayer, state: SeatState | str) -> None:
            self.person, self.state = person, state
            super().__init__()

    def __init__(self, deal: Callable[[int], Table], players: Sequence[Any | None], pace: float = PACE) -> None:
        super().__init__()
        if sum(one is None for one in players) != 1:
            raise ValueError("the terminal has one person: give None for one seat")
        self._deal, self._players, self._pace = deal, players, pace
        self._games, self._seat = 0, list(players).index(None)
        self._deadline: float | None = None
        self._sentence = ""
        self._sit()
        self._sure = False  # that the person wants to resign
        self._heading, self._position, self._status = (Static(id=name) for name in ("heading", "position", "status"))
        self._log_lines, self._moves = RichLog(id="log", wrap=True, min_width=10), MoveList()
        self._line = Input(placeholder="type a move, or choose with ↑ ↓ and Enter", id="line", compact=True)
        self._board = (
            BoardWidget(board.rows, board.columns) if (board := capabilities.board(self._table.variant)) else None
        )
        self._log_lines.can_focus = False

    def compose(self) -> ComposeResult:
        """Lay the table: a board stands at the left of the rest, anything else above it."""
        yield self._heading
        if self._board is not None:
            with Horizontal(id="table"):
                with VerticalScroll(id="left", can_focus=False):
                    yield self._board
                    yield self._position
                with Vertical():
                    yield self._log_lines
                    yield self._moves
        else:
            with VerticalScroll(id="above", can_focus=False):
                yield self._position
            with Horizontal(id="table"):
                yield self._log_lines
                yield self._moves
        yield self._status
        yield self._line
        yield Footer()

    def on_mount(self) -> None:
        """Begin the first game."""
        self.set_interval(0.25, self._show_time)
        self._begin()

    async def on_unmount(self) -> None:
        """Let the thread of the game end."""
        self._person.leave()
        await asyncio.to_thread(self._thread.join, 5)

    def _sit(self) -> None:
        """Make the next table and the person at it."""
        self._table = self._deal(self._games)
        self._games += 1

        def show(state: SeatState) -> None:
            self._post_news(person, state)

        self._person = person = HumanPlayer(self._table, show, self._pace)
        players = [person if one is None else one for one in self._players]
        self._thread = thread_of(self._table, players, lambda why: self._post_news(person, why))

    def _post_news(self, person: HumanPlayer, state: SeatState | str) -> None:
        """Send news to this window; from any thread."""
        self.post_message(self.News(person, state))

    def _begin(self) -> None:
        """Start the game of the table that is there."""
        self._heading.update(opening(self._table.info(self._seat)))
        self._log_lines.clear()
        self._offer([])
        self._focus_start()
        self._thread.start()

    def _focus_start(self) -> None:
        """Give the keys to the board, or to the line where there is none."""
        (self._board or self._line).focus()

    def on_table_app_news(self, news: News) -> None:
        """Show news, unless they are of a table that has been left."""
        if news.person is not self._person:
            return
        if isinstance(news.state, str):
            self._say(news.state)
            return
        state = news.state
        self._show_position(state)
        if state.news:
            self._log_lines.write(coloured(state.news))
        self._deadline = state.deadline
        if state.choices:
            self._offer(state.choices)
            self._say("Your move.")
        elif state.over:
            self._end(state.news)
        elif state.turn not in (self._seat, OVER):
            self._say(f"player_{state.turn} is to move.")

    def _show_position(self, state: SeatState) -> None:
        """Show the seat's text, a board as a board."""
        board, text = self._board, state.text
        parts = None if board is None else diagram(text, *board.shape)
        if board is not None and parts is not None:
            cells, lines = parts
            board.fill(cells, state.action)
            text = "\n".join(lines)
        self._position.update(coloured(text, cards=board is None))

    def _end(self, result: str) -> None:
        """Show the result and the choice to play again."""
        self._offer([])
        moves = self._moves
        moves.add_options([Option("Play again", AGAIN), Option("Quit", LEAVE)])
        moves.highlighted = 0
        moves.focus()
        self._say(result)

    def _offer(self, choices: list[Choice]) -> None:
        """Show the legal moves."""
        self._sure = False
        with self._line.prevent(Input.Changed):
            self._line.value = ""
        self._moves.offer(choices)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while somebody types."""
        if self._moves.choices:
            self._moves.filter(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Play the move that was typed, or the one that is marked."""
        if not self._moves.choices:
            self._say("It is not your turn." if not self._table.over else "The game is over: F5 plays again.")
            return
        marked = self._moves.highlighted
        try:
            if event.value.strip():
                self._answer(self._moves.exact(self._table, event.value.strip()))
                return
        except ValueError as error:
            if marked is None:
                self._say(f"No move: {error}.")
                return
        if marked is None:
            self._say("Choose a move with ↑ ↓, or type one.")
        else:
            self._choose(self._moves.rows[marked])

    def _choose(self, row: list[Choice]) -> None:
        """Play a row of the list; one with several amounts asks which."""
        if len(row) == 1:
            self._answer(row[0])
            return
        self._say(f"How much? Type a number from {row[0].amount} to {row[-1].amount}.")
        self._line.focus()

    def _answer(self, one: Choice) -> None:
        """Play a move."""
        person = self._person
        self._offer([])
        self._focus_start()
        person.answer(one.action)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Play the option that was selected in the list."""
        option = event.option.id or ""
        if option == AGAIN:
            self.action_again()
        elif option == LEAVE:
            self.exit()
        elif self._moves.choices:
            self._choose(self._moves.rows[int(option)])

    def on_board_widget_at(self, event: BoardWidget.At) -> None:
        """Show the name of the cell under the cursor."""
        moves = [one for one in self._moves.choices if one.action == event.cell]
        if self._moves.choices:
            self._say(f"Your move: {moves[0].words}?" if moves else "Your move. This cell cannot be played.")

    def on_board_widget_selected(self, event: BoardWidget.Selected) -> None:
        """Play the cell that was selected on the board."""
        moves = [one for one in self._moves.choices if one.action == event.cell]
        if moves:
            self._answer(moves[0])
        elif self._moves.choices:
            self._say("This cell cannot be played.")

    def on_key(self, event: Key) -> None:
        """Begin to write wherever the keys are."""
        line = self._line
        if event.character and event.character.isalnum() and not line.has_focus:
            line.focus()
            line.insert_text_at_cursor(event.character)
            event.stop()

    def action_step(self, by: int) -> None:
        """Mark the next move of the list, or the one before."""
        self._moves.step(by)

    def action_resign(self) -> None:
        """Give up the game when the key is pressed twice."""
        if not self._moves.choices:
            self._say("You can resign when it is your turn.")
        elif not self._sure:
            self._sure = True
            self._say("Press F2 again to resign.")
        else:
            self._offer([])
            self._person.resign()

    async def action_hint(self) -> None:
        """Write an agent's advice into the log."""
        if not self._moves.choices:
            self._say("You can ask for a hint when it is your turn.")
            return
        try:
            hint = await asyncio.to_thread(Hints(self._table, 1).lines)
        except (ValueError, ImportError) as error:
            self._say(f"No hint: {error}")
            return
        self._log_lines.write(coloured("\n".join(hint)))

    def action_again(self) -> None:
        """Begin a new game once this one is over."""
        if not self._table.over:
            self._say("This game is not over: F2 resigns.")
            return
        self._sit()
        self._begin()

    def _say(self, sentence: str) -> None:
        """Write a sentence into the line above the input."""
        self._sentence = sentence
        self._show_time()

    def _show_time(self) -> None:
        """Show the sentence, and the seconds that are left if a clock runs."""
        text = Text(self._sentence, GOLD if self._moves.choices else "")
        if self._deadline is not None and self._moves.choices:
            text.append(f"  {max(0.0, self._deadline - time.monotonic()):.0f} s left", "bold")
        self._status.update(text)
