#!/usr/bin/env python3
"""The style as a test: what every tracked or new file must keep to. Prints each fault as file:line: what.

usage: tidy.py TOP
"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mutants"))
import places

import book
import unnamed
import words

# Which folders of src/ a folder may include: the one list of it. base, lanes <- tables <- rules <- placement <- engine <-
# adapters; only the tables among each other go both ways. A new edge is a decision: write it here with the change that
# needs it.
STATE = {"base", "options", "lanes", "cluster", "apps", "queues"}
RULES = {"labels", "claims", "volumes", "topology"}
MAY_INCLUDE = {
    "base": set(),
    "options": set(),
    "instruments": {"base"},
    "threads": {"base"},
    "config": {"base", "options", "threads"},
    "queue_config": {"options", "config"},
    "queue_tree": {"base", "options", "config", "queue_config"},
    "host": {"threads", "config"},
    "wire": {"base"},
    "recorder": {"base", "wire"},
    "lanes": {"base", "options"},
    "cluster": {"base", "options", "lanes", "apps"},
    "apps": {"base", "cluster"},
    "queues": {"base", "apps", "cluster", "queue_config", "queue_tree"},
    "shims": {"base", "options", "cluster", "labels", "apps", "engine"},
    "teller": {"base", "options"},
    "read_model": {"base", "queue_config", "queue_tree"},
    "events": {"base", "queue_config", "queue_tree", "read_model"},
    "answers": {"base", "queue_config", "queue_tree", "read_model", "events"},
    "labels": {"base", "cluster"},
    "cel": {"base"},
    "claims": {"base", "cluster", "labels", "cel"},
    "volumes": {"base", "cluster", "labels"},
    "topology": {"base", "options", "cluster", "apps", "labels", "claims", "volumes"},
    "predicates": STATE | RULES,
    "scoring": STATE | RULES,
    "placement": STATE | RULES | {"predicates", "scoring"},
    "plugins": {"base"},
    "preemption": STATE | RULES | {"predicates"},
    "commit": STATE | RULES | {"placement", "preemption"},
    "engine": STATE | RULES | {"shims", "plugins", "predicates", "scoring", "placement", "preemption", "teller", "commit",
                               "read_model", "config", "queue_config", "queue_tree"},
    "workload": {"base"},
    "measure": {"base", "options", "engine", "workload"},
    "kube": {"base"},
    "terminal": set(),
    "certs": set(),
    "scheduler_config": {"base", "options", "kube"},
    "sim": {"base", "options", "kube", "scheduler_config", "engine", "queue_config", "terminal"},
    "client": {"base", "wire"},
    "kube_shim": {"base", "options", "kube", "scheduler_config", "terminal", "engine", "client"},
    "http": {"threads"},
    "rest": {"answers", "events", "http", "config", "queue_config"},
    "daemon": {"base", "options", "instruments", "threads", "config", "scheduler_config", "queue_config", "wire", "recorder",
               "engine", "read_model", "events", "terminal", "http", "rest"},
    "static_cli": set(),
    "cli": {"base", "options", "threads", "config", "queue_config", "wire", "recorder", "engine",
            "workload", "kube", "scheduler_config", "terminal", "certs", "sim", "client", "daemon", "host", "measure"},
}

# The parts of dataplane/ likewise; what lies in dataplane/ itself may include all of them.
DATAPLANE_MAY_INCLUDE = {"net": set(), "port": {"net"}, "quic": {"net", "port"}}

LINES_MAX = 450
# Spelled in two parts, so that this file keeps to its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
CODE = {".cpp", ".h", ".py", ".sh", ".fbs"}
# Of an ask, only its table changes the state.
ASK_STATE = re.compile(r"(\.|->)state = (AskState::|static_cast<AskState>)")
# What only the transaction changes, so that it can be undone.
WRITES = re.compile(r"world_?\.(nominations|reservations|holds|departures|excluded)\."
                    r"(set|set_victims|drop|take|put_back|suspend|restore|place|begin|end|"
                    r"next_due|exclude|pod_gone|avoid|ask_placed)\(")


def files(top):
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"], cwd=top,
                            check=True, text=True, capture_output=True)
    names = listed.stdout.split("\n")
    return [top / name for name in names if name and (top / name).is_file()]


def all_texts(top):
    """Of every file that is text, by its name; the baseline of the schema is not ours to word."""
    texts = {}
    for path in files(top):
        name = str(path.relative_to(top))
        if name.startswith("fbs/baseline/"):
            continue
        try:
            texts[name] = path.read_text()
        except UnicodeDecodeError:
            pass
    return texts


def included(text):
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^">]+)[">]', line)
        if match:
            yield number, match[1]


def edge_faults(folder, path, text):
    for number, header in included(text):
        other = header.split("/")[0]
        if other not in MAY_INCLUDE or other == folder:
            continue
        if other not in MAY_INCLUDE[folder]:
            yield f"{path}:{number}: src/{folder} may not include {header}"


def dataplane_faults(top, relative, text):
    if relative.parts[0] != "dataplane" or len(relative.parts) < 3 or relative.parts[1] not in DATAPLANE_MAY_INCLUDE:
        return
    part = relative.parts[1]
    for number, header in included(text):
        other = header.split("/")[0]
        known = other in DATAPLANE_MAY_INCLUDE or (top / "dataplane" / header).is_file()
        if known and other != part and other not in DATAPLANE_MAY_INCLUDE[part]:
            yield f"{relative}:{number}: dataplane/{part} may not include {header}"


def dpdk_faults(relative, text):
    if relative.parts[0] == "dataplane" or relative.parts[:2] == ("tests", "dataplane"):
        return
    for number, header in included(text):
        if header.startswith("rte_"):
            yield f"{relative}:{number}: only dataplane/ may include DPDK ({header})"


def code_faults(relative, text):
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        yield f"{relative}:{len(lines)}: longer than {LINES_MAX} lines: is it one concept?"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{relative}:{number}: unfinished by its own words"
        if len(line) > 130:
            yield f"{relative}:{number}: longer than 130 characters"
    if relative.suffix == ".h" and "#pragma once" not in text:
        yield f"{relative}:1: no #pragma once"
    if relative.suffix in (".h", ".cpp") and not text.startswith("//"):
        yield f"{relative}:1: no comment that says what it is"
    if relative.suffix == ".h" and not re.match(r"(//.*\n)*//.*\b[Tt]hread", text):
        yield f"{relative}:1: a header must say what it is, and for which thread, in the comment at its head"


def writer_faults(relative, text):
    if relative.parts[0] != "src":
        return
    for number, line in enumerate(text.split("\n"), 1):
        if relative.parts[1] != "apps" and ASK_STATE.search(line):
            yield f"{relative}:{number}: an ask's state changes by apps/ask_state.h alone"
        if relative.parts[1] != "commit" and WRITES.search(line):
            yield f"{relative}:{number}: only src/commit changes this table"


def plugin_names(top):
    """Names of predicates and scores, as their rows have them."""
    rows = "".join((top / "src/options" / name).read_text() for name in ("predicate_rows.h", "score_rows.h"))
    return set(re.findall(r'ROW\(\w+, (?:\w+, )?"(\w+)"', rows))


def identity_faults(relative, text, names):
    """A plugin is meant by its id; its name is for people, and stands in its row alone."""
    if relative.parts[0] != "src" or relative.parts[1] == "options":
        return
    for number, line in enumerate(text.split("\n"), 1):
        for name in names & set(re.findall(r'"(\w+)"', line)):
            yield f"{relative}:{number}: {name} by its name: take its id, or its row in src/options"


def format_faults(top):
    """Sources that clang-format would write in another way (.clang-format; its version is Debian 12's)."""
    names = [str(path.relative_to(top)) for path in files(top) if path.suffix in (".h", ".cpp")]
    for first in range(0, len(names), 100):
        try:
            done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *names[first:first + 100]],
                                  cwd=top, text=True, stderr=subprocess.PIPE)
        except FileNotFoundError:
            yield "clang-format is not installed: ./tests/run installs what tuning/packages.txt lists"
            return
        for found in re.finditer(r"^([^:\n]+:\d+):\d+: error:", done.stderr, re.M):
            yield f"{found[1]}: not as .clang-format has it: clang-format -i"


def is_in_meson(meson, name):
    """Whether meson.build has the name of a program, whole or (in a loop) as a prefix and a rest."""
    words = set(re.findall(r"'(\w+)'", meson.read_text())) if meson.is_file() else set()
    return name in words or any(name[:at] in words and name[at:] in words for at in range(1, len(name)))


def mutant_faults(top):
    """Faults that could not be put in, or that no test would judge: seen here without building anything."""
    path = pathlib.Path("tests/mutants/mutants.json")
    tests = {}
    names = set()
    for mutant in json.loads((top / path).read_text()):
        name, target = mutant["name"], pathlib.Path(mutant["target"])
        source = top / mutant["file"]
        times = len(places.places(source.read_text(), mutant["from"])) if source.is_file() else 0
        if times != 1:
            yield f"{path}: '{name}': its text is in {mutant['file']} {times} times, not once"
        if mutant["from"] == mutant["to"]:
            yield f"{path}: '{name}': changes nothing"
        if name in names:
            yield f"{path}: '{name}': a name used twice"
        names.add(name)
        if target not in tests:
            tests[target] = is_in_meson(top / target.parent / "meson.build", target.name)
        if not tests[target]:
            yield f"{path}: '{name}': {target.parent}/meson.build does not name {target.name}"


def folders_without_faults(folders, mutants):
    """Folders of src/ that no mutant is about: nothing shows that their tests can fail. static_cli has stubs alone."""
    have = {pathlib.Path(mutant["file"]).parent for mutant in mutants}
    for folder in sorted(folders):
        if folder.parts[0] == "src" and len(folder.parts) == 2 and folder.name != "static_cli" and folder not in have:
            yield f"{folder}: no fault of it in tests/mutants/mutants.json"


def promise_faults(page, mutants):
    """Rows of tests/PROMISES.md whose fault is not in the list of mutants, or is noticed by another test than they say."""
    judged_by = {mutant["name"]: pathlib.Path(mutant["target"]).name for mutant in mutants}
    for number, line in enumerate(page.splitlines(), 1):
        row = re.fullmatch(r"\| (.+) \| `(\w+)`(?: \S+)? \| (.+) \|", line)
        if row and judged_by.get(row[3]) != row[2]:
            yield f"tests/PROMISES.md:{number}: no fault '{row[3]}' that {row[2]} must notice in tests/mutants/mutants.json"
        elif line.startswith("| ") and not row and not line.startswith("| promise "):
            yield f"tests/PROMISES.md:{number}: not `| promise | `test` filter | fault |`"


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    faults = []
    folders = set()
    names = plugin_names(top)
    for path in files(top):
        relative = path.relative_to(top)
        if relative.parts[0] in ("src", "tests", "bench", "dataplane", "fbs", "tuning", "include"):
            folders.add(pathlib.Path(*relative.parts[:min(2, len(relative.parts) - 1)]))
        if relative.suffix not in CODE:
            continue
        text = path.read_text(errors="replace")
        faults += code_faults(relative, text)
        faults += dpdk_faults(relative, text)
        faults += dataplane_faults(top, relative, text)
        faults += identity_faults(relative, text, names)
        faults += writer_faults(relative, text)
        if relative.parts[0] == "src" and len(relative.parts) > 2:
            if relative.parts[1] not in MAY_INCLUDE:
                faults.append(f"{relative}:1: a new folder of src/: say in tests/tidy what it may include")
            else:
                faults += edge_faults(relative.parts[1], relative, text)
    for folder in sorted(folders):
        generated = folder.parts[:2] in (("fbs", "baseline"), ("dataplane", "include"), ("include", "bayplan"),
                                         ("tuning", "profiles"))
        if not generated and not (top / folder / "README.md").exists():
            faults.append(f"{folder}: no README.md")
    faults += mutant_faults(top)
    mutants = json.loads((top / "tests/mutants/mutants.json").read_text())
    faults += folders_without_faults(folders, mutants)
    faults += promise_faults((top / "tests/PROMISES.md").read_text(), mutants)
    faults += format_faults(top)
    texts = all_texts(top)
    faults += book.faults(texts)
    faults += words.faults(texts)
    faults += unnamed.faults(texts)
    print("\n".join(faults) if faults else "tidy")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
