"""Agents that play by text: a function from a prompt to an answer, as a language model is one."""

from kozyr.agents.text.text_agent import RETRIES, TextAgent, TextError, TextPlayer
from kozyr.agents.usage import Answer, Usage

__all__ = ["RETRIES", "Answer", "TextAgent", "TextError", "TextPlayer", "Usage"]
