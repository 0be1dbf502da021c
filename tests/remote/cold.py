"""Let a client of ours join from this process, and print how many functions were compiled or loaded before and after.

python -m tests.remote.cold uecda 127.0.0.1:42485 pimc@1ms
"""

import gc
import sys

from numba.core.dispatcher import Dispatcher


def ready() -> int:
    """Return how many compiled functions this process has, each for every type of arguments."""
    return sum(len(one.overloads) for one in gc.get_objects() if isinstance(one, Dispatcher))


def main(wire: str, address: str, agent: str) -> None:
    """Join, play until the server closes, and print both numbers."""
    if wire == "uecda":
        from kozyr.agents.remote.uecda.client import Client, JoinSettings

        host, _, port = address.partition(":")
        client = Client(JoinSettings(host, int(port), "cold", agent), lambda _: None)
    else:
        from kozyr.agents.remote.ttt.client import Client as TttClient
        from kozyr.agents.remote.ttt.client import JoinSettings as TttJoining

        client = TttClient(TttJoining(address, "cold", agent), lambda _: None, lambda _: None)
    before = ready()
    client.run()
    print(before, ready())


if __name__ == "__main__":
    main(*sys.argv[1:])
