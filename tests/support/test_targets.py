#!/usr/bin/env python3
"""Prints what a run of tests needs to be built: a file a line, as ninja names it.

usage: test_targets.py BUILD ARGUMENT...
       arguments of `meson test`: names, --suite NAME, --no-suite NAME
"""

import fnmatch
import json
import pathlib
import subprocess
import sys


def chosen(tests, arguments):
    """The tests that `meson test` would run."""
    names, suites, left_out = [], set(), set()
    words = iter(arguments)
    for word in words:
        if word in ("--suite", "--no-suite"):
            (suites if word == "--suite" else left_out).add(next(words))
        else:
            names.append(word)
    for test in tests:
        own = {suite.split(":")[-1] for suite in test["suite"]}
        named = not names or any(fnmatch.fnmatch(test["name"], name) for name in names)
        if named and (not suites or own & suites) and not own & left_out:
            yield test


def introspect(what, directory):
    told = subprocess.run(["meson", "introspect", what, str(directory)], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(told.stdout)


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    needed = {target for test in chosen(introspect("--tests", directory), sys.argv[2:]) for target in test["depends"]}
    for target in introspect("--targets", directory):
        if target["id"] in needed:
            for file in target["filename"]:
                print(pathlib.Path(file).relative_to(directory))


if __name__ == "__main__":
    main()
