#!/usr/bin/env python3
"""The tables "What happens when" of the top page and of dataplane/: every row must name a test that is there, or
say why there can be none. A test is a file's name in backquotes and, after it, words that stand in that file.

usage: failure_tables.py TOP
"""

import pathlib
import re
import sys

PAGES = ("README.md", "dataplane/README.md")
HEADING = "## What happens when"


def rows(text):
    section = text.split(HEADING, 1)[1].split("\n## ", 1)[0]
    for line in section.splitlines():
        if line.startswith("|") and not line.startswith(("| event |", "|---")):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def named_files(top, name):
    """Of a program its source, of a script itself."""
    return [path for pattern in (name, name + ".cpp") for path in top.glob("tests/**/" + pattern) if path.is_file()]


def row_faults(top, event, tests):
    if tests.startswith("none: ") and len(tests) > len("none: because"):
        return
    cited = re.findall(r"`([^`]+)`([^`]*)", tests)
    if not cited:
        yield f"{event}: names no test"
    for name, words in cited:
        files = named_files(top, name)
        text = "".join(path.read_text() for path in files)
        if not files:
            yield f"{event}: there is no {name}"
        for word in re.findall(r"[\w-]+", words):
            if word not in text:
                yield f"{event}: {name} has no {word}"


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    faults, count = [], 0
    for page in PAGES:
        for cells in rows((top / page).read_text()):
            count += 1
            if len(cells) != 3:
                faults.append(f"{page}: {cells[0]}: three columns, please")
            else:
                faults += [f"{page}: {fault}" for fault in row_faults(top, cells[0], cells[2])]
    if count < 20:
        faults.append(f"{count} rows: are these the tables?")
    print("\n".join(faults) if faults else f"{count} rows, each with its test")
    return 1 if faults else 0


sys.exit(main())
