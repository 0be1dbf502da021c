"""Compile the games with their usual options into this folder, as a wheel has them."""

from kozyr.agents.play.site.modules import SHIPPED, ship

if __name__ == "__main__":
    for made in ship(SHIPPED):
        print(made.name, made.stat().st_size)
