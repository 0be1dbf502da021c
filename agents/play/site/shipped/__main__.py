"""Compile the games with their usual options into this folder, as a wheel has them."""

from kozyr.agents.play.site.modules import SHIPPED, ship

if __name__ == "__main__":
    for path in ship(SHIPPED):
        print(path.name, path.stat().st_size)
