"""Adds up the JUnit files of a test run and prints what failed and was skipped, then one line:
N passed, N failed, N skipped. Exit status 1 if anything failed or nothing passed."""

import pathlib
import re
import sys
import xml.etree.ElementTree as tree


def count_file(path, totals):
    for case in tree.parse(path).iter("testcase"):
        name = f"{path.stem}: {case.get('classname', '')} {case.get('name', '')}".strip()
        if case.find("failure") is not None or case.find("error") is not None:
            totals["failed"].append(name)
        elif case.find("skipped") is not None or case.get("result") == "skipped" or case.get("status") == "notrun":
            totals["skipped"].append(name)
        else:
            totals["passed"].append(name)


def count_mutants(path, totals):
    for line in path.read_text().splitlines():
        match = re.match(r"(killed|survived|broken) (.*)", line)
        if match:
            totals["passed" if match[1] == "killed" else "failed"].append(f"mutant: {match[2]}")


def main():
    folder = pathlib.Path(sys.argv[1])
    totals = {"passed": [], "failed": [], "skipped": []}
    for path in sorted(folder.glob("*.xml")):
        count_file(path, totals)
    if (folder / "mutants.log").exists():
        count_mutants(folder / "mutants.log", totals)
    if (folder / "extra").exists():
        totals["failed"] += (folder / "extra").read_text().splitlines()
    for kind in ("failed", "skipped"):
        for name in totals[kind]:
            print(f"{kind}: {name}")
    print(", ".join(f"{len(totals[kind])} {kind}" for kind in ("passed", "failed", "skipped")))
    return 1 if totals["failed"] or not totals["passed"] else 0


sys.exit(main())
