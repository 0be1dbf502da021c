"""Styles, scripts and the icon of the pages."""
