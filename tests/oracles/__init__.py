"""Hold slow second implementations of the rules, which the compiled games are compared with."""
