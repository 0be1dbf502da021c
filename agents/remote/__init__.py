"""Remote play: programs on other machines play here, and our agents play there."""
