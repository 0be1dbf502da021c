"""Matches between agents."""

from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import AgentResult, MatchResult

__all__ = ["AgentResult", "MatchResult", "match"]
