"""The pages' HTML, filled by Jinja2, which escapes whatever it fills in."""
