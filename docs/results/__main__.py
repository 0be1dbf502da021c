"""Write the store's tables into the pages; with names of rows, measure these first: `python -m docs.results WHAT`."""

import argparse
import sys

from . import check, measure, pages, store, text


def main() -> int:
    """Return how many commands failed, or how many problems the pages have."""
    parser = argparse.ArgumentParser(prog="python -m docs.results", description=__doc__)
    parser.add_argument("what", nargs="*", help="ids of rows or parts of them, as durak_36, ladders/durak or 'speed/*'")
    parser.add_argument("--again", action="store_true", help="measure rows of today again")
    parser.add_argument("--list", action="store_true", help="only list the rows")
    parser.add_argument("--check", action="store_true", help="change nothing, and tell what is wrong with the pages")
    options = parser.parse_args()
    try:
        rows = store.read()
        wanted = measure.chosen(rows, options.what or ["*"])
        if options.list:
            for row in wanted:
                command = row.command if row.read else f"by hand: {row.command or row.note}"
                print(f"{row.id:60} {text.full(row):24} {row.date} {command}")
            return 0
        if options.check:
            found = check.problems(rows)
            print("\n".join(found) or "every number is in docs/results")
            return len(found)
        failed = _measured(wanted, options.again) if options.what else 0
        for path, page in pages.stale(store.read()):
            path.write_text(page, encoding="utf-8")
            print(f"{path.relative_to(pages.ROOT)} is written")
    except store.StoreError as wrong:
        parser.error(str(wrong))
    return failed


def _measured(rows: list[store.Row], again: bool) -> int:
    """Measure rows; where somebody interrupts, the pages get what is there."""
    try:
        return measure.measure(rows, again)
    except KeyboardInterrupt:
        print("stopped: what was measured is stored, and the same command goes on")
        return 1


if __name__ == "__main__":
    sys.exit(min(main(), 1))
