"""Compiled modules of the games with their usual options, built with the wheel by `kozyr.agents.play.site.modules`."""
