"""Draw the gallery's pictures, one a game, into docs/pictures: `python docs/gallery.py`."""

from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image

from kozyr import agents, envs

FOLDER = Path(__file__).parent / "pictures"
SIZE = 640, 400
SHOWN: dict[str, tuple[str, int, int, dict[str, Any]]] = {  # player in all seats, seed, ply, options
    "daifugo": ("heuristic", 4, 43, {}),
    "draw_poker": ("heuristic", 4, 6, {"players": 5}),
    "durak": ("heuristic", 4, 51, {"players": 3}),
    "mnk": ("threat", 5, 40, {}),
    "war": ("high_first", 4, 62, {"pickup": "choice"}),
}


def position(game: str) -> Image.Image:
    """Return a position of a game as its environment draws it, with all cards shown."""
    name, seed, ply, options = SHOWN[game]
    env, player = envs.make(game, render_mode="rgb_array", **options), agents.load(name, game=game, **options)
    env.reset(seed=seed)
    player.reset(-1, seed)
    for _ in islice(env.agent_iter(), ply):
        observation, *_ = env.last()
        env.step(player.act(observation["observation"], observation["action_mask"]))
    pixels: Any = env.render()
    return Image.fromarray(pixels)


def main() -> None:
    """Write all pictures in one size, on the ground that each table has at its edge."""
    for game in SHOWN:
        drawn = position(game)
        ground = Image.new("RGB", SIZE, drawn.getpixel((0, 0)))
        drawn.thumbnail(SIZE, Image.Resampling.LANCZOS)
        ground.paste(drawn, ((SIZE[0] - drawn.width) // 2, (SIZE[1] - drawn.height) // 2))
        ground.save(FOLDER / f"{game}_table.webp", quality=82, method=6)


if __name__ == "__main__":
    main()
