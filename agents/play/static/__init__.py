"""What a browser loads beside the pages: styles, scripts, the icon."""
