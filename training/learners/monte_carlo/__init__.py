"""Deep Monte-Carlo: a network values pairs of a view and an action by the game's result; everybody learns."""
