"""A bot that does something wrong: `wrong.py WHAT [AFTER]`, once it has moved AFTER times."""

import json
import os
import subprocess
import sys
import time

what, after = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
moves = 0


def say(text: str) -> None:
    print(text, flush=True)


if what == "mute":
    time.sleep(1000)
if what == "greets wrongly":
    say('{"type":"hello","kozyr":99}')
if what == "wants wrongly":
    say('{"type":"hello","kozyr":1,"wants":["everything"]}')
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say('{"type":"hello","kozyr":1,"wants":[]}')
    if message["type"] != "act":
        continue
    good = {"type": "move", "id": message["id"], "action": message["legal"][0]}
    moves += 1
    if moves <= after:
        say(json.dumps(good))
    elif what == "dies":
        sys.stderr.write("out of cards\n")
        sys.exit(3)
    elif what == "sleeps":
        time.sleep(1000)
    elif what == "talks":
        say("hello, I am thinking")
    elif what == "illegal":
        say(json.dumps({**good, "action": 10**9}))
    elif what == "float":
        say(json.dumps({**good, "action": 1.0}))
    elif what == "digits":
        say(json.dumps(good)[:-1] + ',"more":' + "9" * 5000 + "}")
    elif what == "deep":
        say("[" * 100_000)
    elif what == "old":
        say(json.dumps({**good, "id": message["id"] - 1}))
    elif what == "list":
        say("[1,2]")
    elif what == "binary":
        os.write(1, b"\xff\xfe\x00\n")
    elif what == "endless":
        while True:
            os.write(1, b"x" * 65536)
    elif what == "many":
        while True:
            os.write(1, b"\n" * 65536)
    elif what == "closes":
        os.close(1)
        time.sleep(1000)
    elif what == "leaves a child":
        subprocess.Popen(["sleep", "1000"])
        sys.exit(0)
