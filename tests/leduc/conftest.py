"""The tests of this package need it to be installed; `make test-wheel` does that."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("leduc") else ["tests"]
