"""Adds up the results of a test run: for each part NAME.xml (cases, by JUnit) and NAME.json (programs, as `meson test`
logs them), the mutants' log and the faults in "extra". Prints what failed and was skipped, then one line:
N passed, N failed, N skipped. Exit status 1 if anything failed or nothing passed.

A program that hung, crashed, leaked or was interrupted leaves no failed case, or none at all: it counts by its end.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree


def program_of(suite, case):
    """A case of googletest stands in a suite PROJECT.PROGRAM.SUITE; a program without cases is a case of PROJECT."""
    name = suite.get("name", "")
    return name.split(".", 1)[1].rsplit(".", 1)[0] if "." in name else case.get("name", "")


def count_cases(path, totals):
    """Returns the programs of which a case failed."""
    with_failures = set()
    for suite in tree.parse(path).iter("testsuite"):
        for case in suite.iter("testcase"):
            name = f"{path.stem}: {case.get('classname', '')} {case.get('name', '')}".strip()
            if case.find("failure") is not None or case.find("error") is not None:
                totals["failed"].append(name)
                with_failures.add(program_of(suite, case))
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                totals["skipped"].append(name)
            else:
                totals["passed"].append(name)
    return with_failures


def count_programs(path, with_failures, totals):
    for line in path.read_text().splitlines():
        program = json.loads(line)
        if program["result"] in ("OK", "SKIP", "EXPECTEDFAIL") or program["name"] in with_failures:
            continue
        totals["failed"].append(f"{path.stem}: {program['name']}: {program['result']}, exit status {program['returncode']}")


def count_mutants(path, totals):
    for line in path.read_text().splitlines():
        match = re.match(r"(killed|survived|broken) (.*)", line)
        if match:
            totals["passed" if match[1] == "killed" else "failed"].append(f"mutant: {match[2]}")


def main():
    folder = pathlib.Path(sys.argv[1])
    totals = {"passed": [], "failed": [], "skipped": []}
    for path in sorted(folder.glob("*.xml")):
        with_failures = count_cases(path, totals)
        if path.with_suffix(".json").exists():
            count_programs(path.with_suffix(".json"), with_failures, totals)
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
