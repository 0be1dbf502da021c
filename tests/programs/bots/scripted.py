"""An engine that says what a table tells it: `scripted.py LOG ANSWERS`, with a JSON list of [command, answer].

Each command must be the next one of the list; its answer is written as Latin-1, LONG as a
line of a megabyte. INFO needs no answer.
"""

import json
import sys
from pathlib import Path

answers = iter(json.loads(sys.argv[2]))
with Path(sys.argv[1]).open("ab", buffering=0) as log:
    while line := sys.stdin.buffer.readline():
        log.write(line)
        word = line.split()[0].decode()
        if word == "INFO":
            continue
        if word == "END":
            break
        if word in ("BOARD", "SWAP2BOARD"):
            while (line := sys.stdin.buffer.readline()).strip() != b"DONE":
                log.write(line)
            log.write(line)
        command, answer = next(answers, ("nothing", ""))
        if command != word:
            sys.exit(f"{word} came in place of {command}")
        sys.stdout.buffer.write(answer.encode("latin-1") if answer != "LONG" else b"x" * (1 << 20))
        sys.stdout.buffer.flush()
