"""Tables as tools of the Model Context Protocol, for language models and whoever else speaks it."""
