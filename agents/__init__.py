"""Agents by name: scripted and search players, trained policies, programs, and a user's own classes."""

from kozyr.agents.agent_names import POLICY
from kozyr.agents.loading import about, bundled_policy, load, names, policies, searchers, trained

__all__ = ["POLICY", "about", "bundled_policy", "load", "names", "policies", "searchers", "trained"]
