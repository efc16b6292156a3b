#!/usr/bin/env python3
"""Prints what a build directory makes of all folders but tests/: a file a line, as ninja names it.

usage: product_targets.py BUILD_DIRECTORY
"""

import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    listed = subprocess.run(["meson", "introspect", "--targets", str(directory)], check=True, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for target in json.loads(listed.stdout):
        folder = pathlib.Path(target["defined_in"]).relative_to(TOP).parts[0]
        if target["build_by_default"] and folder != "tests":
            for file in target["filename"]:
                print(pathlib.Path(file).relative_to(directory))


if __name__ == "__main__":
    main()
