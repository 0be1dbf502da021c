"""People at a table: in the browser and in the terminal."""
