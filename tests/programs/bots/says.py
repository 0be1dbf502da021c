"""A bot that answers whatever stands in a file: `says.py FILE`."""

import json
import os
import sys
from pathlib import Path

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","kozyr":1,"wants":[]}', flush=True)
    elif message["type"] == "act":
        os.write(1, Path(sys.argv[1]).read_bytes() + b"\n")
