"""Sandbox for agents: processes of their own, and time limits."""
