"""Scores of agents in a fixed suite of tasks: reports that anybody can play again and compare."""

from kozyr.agents.arena.scores.play import score
from kozyr.agents.arena.scores.report import Report, read
from kozyr.agents.arena.scores.suite import Opponent, Suite, Task, load

__all__ = ["Opponent", "Report", "Suite", "Task", "load", "read", "score"]
