"""The session of one table: connections, messages and its log."""
