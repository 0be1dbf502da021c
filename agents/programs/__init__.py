"""Programs of other people as agents: they run beside us and speak a protocol over standard input and output."""
