#!/usr/bin/env bash
# A fresh `pip install rliable` cannot be imported.
#
# Most would expect that what pip resolves to works together. rliable 1.2.0 allows arch 5.3.1 to 7, arch 7.2.0 asks for
# pandas 1.4 or newer without an upper bound, and so pip takes pandas 3. There `deprecate_kwarg`, an inner function of
# pandas that arch imports, has a new first argument. arch raises a TypeError while it is imported, and rliable with it.
# With pandas below 3 both work. arch 8 is of no help: rliable excludes it.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rliable==1.2.0 arch==7.2.0 pandas==3.1.1

if "$folder/venv/bin/python" -c "import rliable.library" 2> "$folder/told"; then
	echo "rliable 1.2.0 is imported beside pandas 3.1.1"
	exit 1
fi
tail -n 1 "$folder/told"
grep -q "deprecate_kwarg" "$folder/told"
"$folder/venv/bin/pip" install --quiet pandas==2.3.3
"$folder/venv/bin/python" -c "import rliable.library; print('beside pandas 2.3.3 rliable is imported')"
