"""The web server: addresses, access, the registry of tables and their store."""
