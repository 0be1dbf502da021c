"""Matches between agents."""

from kozyr.agents.arena.match import match
from kozyr.agents.arena.result import AgentResult, MatchResult

__all__ = ["AgentResult", "MatchResult", "match"]
