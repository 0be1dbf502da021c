"""Modules of the games with their usual options, put here when a wheel is built: see `kozyr.agents.play.site.modules`."""
