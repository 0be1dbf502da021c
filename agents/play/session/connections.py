"""Those who are connected to one table: who has which seat, who watches, and what each has been shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kozyr.agents.play.host.server_table import Shown
from kozyr.agents.play.session import link as links
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.messages import State
from kozyr.agents.play.session.side import Side


@dataclass(frozen=True, eq=False)
class Person:
    """Somebody who is connected.

    Attributes:
        link: the socket; seat: the one that is theirs, or None; host: whether the table is theirs.
        sees: the seat, SEES_ALL or SEES_PUBLIC.
    """

    link: Link
    seat: int | None
    host: bool
    sees: int


class Company:
    """All who are connected to a table.

    Args:
        post: sends a message once all that was kept before is written.
        people: which seats are people's.
    """

    def __init__(self, post: Callable[[Link, bytes], None], people: Sequence[bool]) -> None:
        self._post = post
        self.persons = dict[Link, Person]()
        self._sides = dict[int, Side]()
        self._here: list[Link | None] = [None] * len(people)
        self._came = [not person for person in people]

    @property
    def sides(self) -> list[int]:
        """What those who are here see: seats, SEES_ALL, SEES_PUBLIC."""
        return list(self._sides)

    @property
    def complete(self) -> bool:
        """Whether somebody is here, and everybody has been."""
        return bool(self.persons) and all(self._came)

    def enter(self, person: Person) -> None:
        """Let somebody in; a seat goes to the window that came last."""
        if person.seat is not None:
            before = self._here[person.seat]
            self._here[person.seat], self._came[person.seat] = person.link, True
            if before is not None:
                before.close(links.TAKEN)
                self._forget(before)
        self.persons[person.link] = person
        self._sides.setdefault(person.sees, Side(person.sees))

    def leave(self, link: Link) -> None:
        """Let somebody go."""
        person = self.persons.get(link)
        if person is not None:
            if person.seat is not None and self._here[person.seat] is link:
                self._here[person.seat] = None
            self._forget(link)
            self.tell_who_is_here()

    def _forget(self, link: Link) -> None:
        person = self.persons.pop(link, None)
        if person is not None and not self._sides[person.sees].leave(link):
            del self._sides[person.sees]

    def close(self) -> None:
        """Close all sockets."""
        for link in list(self.persons):
            link.close(links.GOING_AWAY)

    def tell(self, link: Link, message: Any) -> None:
        """Send somebody a message."""
        self._post(link, messages.write(message))

    def tell_who_is_here(self) -> None:
        """Tell everybody who is connected."""
        here = [link is not None for link in self._here]
        told = messages.write(messages.People(here, sum(one.seat is None for one in self.persons.values())))
        for link in self.persons:
            self._post(link, told)

    def greet(self, person: Person, state: State, shown: Shown) -> None:
        """Show somebody who has just come how the table stands."""
        rows = shown.looks[person.sees].rows
        self._post(person.link, self._sides[person.sees].greet(person.link, state, rows))

    def show(self, shown: Shown, state: Callable[[Shown, int], State]) -> None:
        """Show everybody a position.

        Args:
            shown: the position, as `sides` see it.
            state: returns what a side is sent, but for the scene.
        """
        for sees, side in self._sides.items():
            if sees in shown.looks:
                for link, message in side.tell(state(shown, sees), shown.looks[sees].rows):
                    self._post(link, message)
