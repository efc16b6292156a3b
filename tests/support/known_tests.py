#!/usr/bin/env python3
"""Names of tests and suites that a build does not have: meson passes over them in silence, and less is tested than it seems.

usage: known_tests.py BUILD ARGUMENT...
       arguments of `meson test`: names, --suite NAME, --no-suite NAME; other options are passed over
Exit status: 0 all are there, 1 some are not (one line each).
"""

import fnmatch
import json
import subprocess
import sys

VALUED = {"--num-processes", "--timeout-multiplier", "--logbase"}  # options of which the next word is the value


def unknown(tests, arguments):
    """One line for each name or suite among the arguments that no test has."""
    names = {test["name"] for test in tests}
    suites = {suite.split(":")[-1] for test in tests for suite in test["suite"]}
    words = iter(arguments)
    for word in words:
        if word in ("--suite", "--no-suite"):
            suite = next(words, "")
            if suite not in suites:
                yield f"no suite `{suite}`"
        elif word in VALUED:
            next(words, None)
        elif not word.startswith("-") and not fnmatch.filter(names, word):
            yield f"no test `{word}`"


def main():
    listing = subprocess.run(["meson", "introspect", "--tests", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    lines = list(unknown(json.loads(listing), sys.argv[2:]))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
