"""Run the command as `python -m kozyr.training.cli`."""

from kozyr.training.cli import app

if __name__ == "__main__":
    app(prog_name="kozyr")
