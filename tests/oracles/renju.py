"""Tell once more what renju bans, straight from the definitions: stones are put and rows counted, cell by cell."""

from collections.abc import Iterator

Cell = tuple[int, int]
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
STRAIGHT, FIVE = 4, 5


class Board:
    """Squared paper: black stones, and the cells that are free; everything else bars black."""

    def __init__(self, black: set[Cell], free: set[Cell]) -> None:
        self.black, self.free = set(black), set(free)

    def banned(self, cell: Cell) -> bool:
        """Say whether black may not play on a free cell."""
        with_it = Board(self.black | {cell}, self.free - {cell})
        rows = [len(with_it.row(cell, way)) for way in WAYS]
        if FIVE in rows:
            return False
        fours = {four for way in WAYS for four in with_it.fours(cell, way)}
        return max(rows) > FIVE or len(fours) > 1 or sum(with_it.has_three(cell, way) for way in WAYS) > 1

    def row(self, cell: Cell, way: Cell) -> list[Cell]:
        """List the black stones that follow each other through a black stone."""
        return [*reversed([*self.walk(cell, (-way[0], -way[1]))]), cell, *self.walk(cell, way)]

    def walk(self, cell: Cell, way: Cell) -> Iterator[Cell]:
        """List the black stones behind a cell."""
        while (cell := (cell[0] + way[0], cell[1] + way[1])) in self.black:
            yield cell

    def near(self, cell: Cell, way: Cell) -> list[Cell]:
        """List the free cells on a line that may be in five with a cell."""
        places = [(cell[0] + i * way[0], cell[1] + i * way[1]) for i in range(-4, 5)]
        return [place for place in places if place in self.free]

    def fours(self, cell: Cell, way: Cell) -> set[frozenset[Cell]]:
        """Collect the fours of a stone on a line: four stones that one more makes five, and no more."""
        found = set[frozenset[Cell]]()
        for last in self.near(cell, way):
            five = Board(self.black | {last}, self.free - {last}).row(last, way)
            if len(five) == FIVE and cell in five:
                found.add(frozenset(five) - {last})
        return found

    def has_three(self, cell: Cell, way: Cell) -> bool:
        """Say whether a stone has a three on a line: a legal stone makes it a straight four, and nothing five."""
        for more in self.near(cell, way):
            after = Board(self.black | {more}, self.free - {more})
            four = after.row(more, way)
            if len(four) == STRAIGHT and cell in four and after.is_straight(four, way):
                five = any(len(after.row(more, other)) == FIVE for other in WAYS)
                if not five and not self.banned(more):
                    return True
        return False

    def is_straight(self, four: list[Cell], way: Cell) -> bool:
        """Say whether black makes five, and no more, at either end of four stones in a row."""
        ends = (four[0][0] - way[0], four[0][1] - way[1]), (four[-1][0] + way[0], four[-1][1] + way[1])
        if not self.free.issuperset(ends):
            return False
        return all(len(Board(self.black | {end}, self.free).row(end, way)) == FIVE for end in ends)


def read(rows: list[str], black: str = "X") -> Board:
    """Read a diagram of marks without spaces between them; "." is free."""
    cells = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
    return Board({cell for cell in cells if cells[cell] == black}, {cell for cell in cells if cells[cell] == "."})
