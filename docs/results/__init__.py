"""The home of every number of README and the pages: rows of JSON, tables made from them, and how to measure again."""
