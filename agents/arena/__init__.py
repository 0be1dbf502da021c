"""Matches between agents, and scores in suites of tasks."""

from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import AgentResult, MatchResult
from kozyr.agents.arena.scores.play import score

__all__ = ["AgentResult", "MatchResult", "match", "score"]
