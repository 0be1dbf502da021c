"""Actions of a game: named runs of numbers, declared once like the parts of a view.

From the declaration follow how many actions there are, where each kind begins, what a number is taken apart into, the
table of the documentation, texts both ways, and the parts that JSON has.

    class Actions(ActionLayout):
        play = Action("play a card", word="", size=lambda v: v.deck, argument=CARD)
        done = Action("pass", word="pass")

    PLAY, DONE = Actions.kinds()
    split = Actions.split

Rules then ask `kind, card = split(v, action)`, and masks are written at `Actions(v).play + card`. What holds for every
action with a card asks `kind in WITH_CARD`, once `WITH_CARD = Actions.kinds(CARD)`, and never needs to know a new kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from kozyr.envs.compile import compilable
from kozyr.envs.core.labels import Phrase
from kozyr.envs.core.layout import Layout, Part, compiled_source, sums
from kozyr.envs.core.quote import quote


@dataclass(frozen=True)
class Argument:
    """Argument of one kind of action, as a card: its numbers tell the actions apart.

    Attributes:
        write: the text of the argument with a number, from 0, given a variant and the number.
        read: the number of a text, or None for a text of another shape; a ValueError says what is wrong with it.
        parts: what JSON has of it, by name.
    """

    write: Callable[[Any, int], str]
    read: Callable[[Any, str], int | None]
    parts: Callable[[Any, int], dict[str, Any]]


@dataclass(frozen=True)
class Action(Part):
    """One kind of action: a part of a game's mask.

    Attributes:
        meaning: what it does, for the documentation; {first} stands for its first number.
        size: how many actions are of this kind; 0 where a variant has none.
        argument: what these tell apart; None where there is one.
        word: the first word of its text; the name of the declaration if it is None, and no word at all if it is "".
        example: its text in the sentence that refuses another text; the word if it is "".
        absent: why a variant has none, for who asks for one.
    """

    argument: Argument | None = field(default=None, kw_only=True)
    word: str | None = field(default=None, kw_only=True)
    example: str = field(default="", kw_only=True)
    absent: str = field(default="", kw_only=True)

    def text(self, name: str) -> str:
        """Return the text of its phrase; `name` is that of its declaration."""
        word = name if self.word is None else self.word
        return f"{word} {{0}}".lstrip() if self.argument else word


class ActionLayout(Layout):
    """The kinds of a game's actions in the order of their numbers: a class to derive from, as a view's `Layout` is.

    Example:
        >>> class Actions(ActionLayout):
        ...     fold = Action("fold")
        ...     bet = Action("bet", size=lambda v: v["most"], argument=number("bet", lambda v: v["most"]))
        >>> Actions.kinds(), Actions.split({"most": 9}, 3), Actions({"most": 9}).size
        ((0, 1), (1, 2), 10)
        >>> Actions.say({"most": 9}, None, 3), Actions.parse({"most": 9}, "bet 3"), Actions.parts({"most": 9}, 3)
        ('bet 3', 3, {'kind': 'bet', 'bet': 3})
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own: Any = cls
        own.split = staticmethod(_splitting(cls.__module__, cls.declared))

    @staticmethod
    def split(variant: Any, action: int) -> tuple[int, int]:
        """Return the kind and the argument of an action; compiled code calls it under a name of its own module."""
        raise NotImplementedError("a layout with actions of its own takes numbers apart")

    @classmethod
    def kinds(cls, argument: Argument | None = None) -> tuple[int, ...]:
        """Return the number of each kind, in order; of those alone that have an argument, if it is given."""
        declared = enumerate(_actions(cls).values())
        return tuple(kind for kind, one in declared if argument is None or one.argument is argument)

    @classmethod
    def table(cls, variant: Any) -> list[tuple[str, str]]:
        """Return the documentation's rows: numbers and meaning; kinds that a variant does not have are left out."""
        spans = [(name, s) for name, s in cls(variant).spans().items() if s.stop > s.start]
        return [(_range(s), cls.declared[name].meaning.format(first=s.start)) for name, s in spans]

    @classmethod
    def parts(cls, variant: Any, action: int) -> dict[str, Any]:
        """Return the parts of an action by name, as in JSON; none if words alone tell the actions apart."""
        if not any(one.argument for one in _actions(cls).values()):
            return {}
        name, one, argument = cls._declaration(variant, action)
        present = sum(1 for each in _actions(cls).values() if each.entries(variant))
        kind = {"kind": one.word or name} if present > 1 else {}
        return kind | (one.argument.parts(variant, argument) if one.argument else {})

    @classmethod
    def say(cls, variant: Any, state: Any, action: int, seat: int | None = None) -> str:
        """Return an action as text: its word, then its argument; everybody hears the same."""
        name, one, argument = cls._declaration(variant, action)
        words = [name if one.word is None else one.word]
        return " ".join(filter(None, [*words, one.argument.write(variant, argument) if one.argument else ""]))

    @classmethod
    def phrase(cls, variant: Any, action: int) -> Phrase:
        """Return an action as a phrase: its word, and a place for the text of its argument."""
        name, one, argument = cls._declaration(variant, action)
        if one.argument is None:
            return (one.text(name),)
        return one.text(name), one.argument.write(variant, argument)

    @classmethod
    def parse(cls, variant: Any, text: str) -> int:
        """Return the action that `text` names.

        Raises:
            ValueError: if the text names no action of this variant.
        """
        if (action := cls.find(variant, text)) is None:
            raise ValueError(f"{quote(text)} is no action: write {cls.advice(variant)}")
        return action

    @classmethod
    def find(cls, variant: Any, text: str) -> int | None:
        """Return the action that `text` names, or None if it has the shape of none.

        Raises:
            ValueError: if the text has the shape of one, and what is wrong with it.
        """
        begins: Any = cls(variant)
        head, rest = [*text.split(None, 1), "", ""][:2]
        words = {name: name if one.word is None else one.word for name, one in _actions(cls).items()}
        for name, word in sorted(words.items(), key=lambda pair: not pair[1]):  # those without a word come last
            one = _actions(cls)[name]
            if word and (head.lower() != word or bool(one.argument) != bool(rest)):
                continue
            if one.absent and not one.entries(variant):
                raise ValueError(f"{quote(text)} is no action here: {one.absent}")
            argument = one.argument.read(variant, rest if word else text) if one.argument else 0
            if argument is not None:
                return getattr(begins, name) + argument
        return None

    @classmethod
    def advice(cls, variant: Any) -> str:
        """Return an example of each kind of action, as the end of a sentence that begins "write"."""
        begins: Any = cls(variant)
        present = [(name, one) for name, one in _actions(cls).items() if one.entries(variant)]
        *some, last = [one.example or cls.say(variant, None, getattr(begins, name)) for name, one in present]
        return f"{', '.join(some)} or {last}" if some else last

    @classmethod
    def _declaration(cls, variant: Any, action: int) -> tuple[str, Action, int]:
        """Return the name of an action's kind, its declaration and the number of its argument."""
        kind, argument = cls.split(variant, int(action))
        name = list(cls.declared)[kind]
        return name, cast(Action, cls.declared[name]), argument


def number(name: str, most: Callable[[Any], int]) -> Argument:
    """Return the argument that is a whole number from 1 to some most; JSON has it under a name."""

    def read(variant: Any, text: str) -> int | None:
        known = [str(i) for i in range(1, most(variant) + 1)]
        return known.index(text.strip()) if text.strip() in known else None

    return Argument(lambda v, n: str(n + 1), read, lambda v, n: {name: n + 1})


def one_of(name: str, write: Callable[[Any, int], str], count: Callable[[Any], int]) -> Argument:
    """Return the argument that is one of some things, each with a text of its own; JSON has the text under a name."""

    def read(variant: Any, text: str) -> int | None:
        known = [write(variant, i) for i in range(count(variant))]
        return known.index(text.strip().lower()) if text.strip().lower() in known else None

    return Argument(write, read, lambda v, i: {name: write(v, i)})


def _actions(layout: type[ActionLayout]) -> dict[str, Action]:
    return {name: cast(Action, one) for name, one in layout.declared.items()}


def _range(span: slice) -> str:
    return f"{span.start}" if span.stop == span.start + 1 else f"{span.start} … {span.stop - 1}"


def _splitting(module: str, parts: Mapping[str, Part]) -> Callable[[Any, int], tuple[int, int]]:
    """Write the function that finds an action's kind and takes its begin away, in plain Python that can be compiled.

    For a kind of 52 actions, one of a single action and one of a size that depends on the variant:
        def split(_v, _a):
            _size0 = _function0(_v)
            if _a < 52: return 0, _a - (0)
            if _a < 53 or 53 + 1 * _size0 == 53: return 1, _a - (52)
            return 2, _a - (53)

    Where the last kinds may be missing, the one before them asks: code in which they are known to be looks no further.
    """
    lines, begins, known = sums(parts)
    first = max((k + 1 for k, part in enumerate(parts.values()) if not callable(part.size)), default=0)
    cases = list[str]()
    for k, end in enumerate(begins[1:-1]):
        missing = f" or {begins[-1]} == {end}" if k + 1 >= first else ""
        cases.append(f"if _a < {end}{missing}: return {k}, _a - ({begins[k]})")
    last = f"return {len(parts) - 1}, _a - ({begins[-2]})" if parts else "return 0, _a"
    source = ["def split(_v, _a):", *lines, *cases, last]
    return compilable(compiled_source(source, {**known, "__name__": module}))
