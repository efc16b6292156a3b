#!/usr/bin/env python3
"""A plugin for `bayplan simulate --plugin`: a pod may run on nodes whose label `site` is its own. It knows the nodes by a dump,
as a plugin of a live cluster knows them by a watch.

Usage: a_plugin.py DUMP [MODE]

MODE spoils it in some way: what each does stands in `spoilt`.
"""
import json
import os
import select
import sys
import time

sites = {one["metadata"]["name"]: one["metadata"].get("labels", {}).get("site")
         for one in json.load(open(sys.argv[1]))["items"] if one["kind"] == "Node"}
mode = sys.argv[2] if len(sys.argv) > 2 else ""


def answer(question):
    site = question["pod"]["metadata"].get("labels", {}).get("site")
    if site == "nowhere":
        return {"query": question["query"], "error": "no such site is planned"}
    found = {"query": question["query"], "feasible": [], "unschedulable": {}, "unresolvable": {}, "lasting": True}
    for node in question["nodes"]:
        if sites[node] == site:
            found["feasible"].append(node)
        else:
            found["unresolvable"][node] = "of another site"
    if mode == "scores":
        leave_the_best(question, found)
    return found


def leave_the_best(question, found):
    """It has a score of its own, 30 for node n2, which counts beside the totals that it is told."""
    totals = dict(zip(question["nodes"], question.get("totals", [])))
    if totals:
        best = max(found["feasible"], key=lambda node: totals[node] + (30 if node == "n2" else 0))
        found["unschedulable"] = {node: "scored lower" for node in found["feasible"] if node != best}
        found["feasible"] = [best]


def choose(question):
    """By the label `site` that the pod has: pods called `keep-...` do not go, and those called `beside-...` go with others."""
    number, node, victims = question["query"], question["node"], question["victims"]
    go = [one for at, one in enumerate(victims) if at < question["needed"] or one.startswith("ns/beside-")]
    there = sites[node] == question["pod"]["metadata"]["labels"]["site"]
    if there and mode == "first":
        return {"query": number, "first": max(question["needed"], 1)}
    if not there or any(one.startswith("ns/keep-") for one in go):
        return {"query": number, "unschedulable": {node: "kept by its site"}}
    return {"query": number, "victims": go}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def spoilt(question):
    """True: the mode has answered, or it is not to be answered."""
    number, nodes = question["query"], question.get("nodes", [question.get("node")])
    if mode == "dies":
        sys.exit(7)
    if mode == "killed":
        os.kill(os.getpid(), 9)
    if mode == "closes":
        os.close(1)
        time.sleep(3)
    if mode == "silent":
        return True
    if mode == "asked":
        print("asked", file=sys.stderr, flush=True)
        return True
    text = {
        "no json": "yes",
        "half": '{"query":1,',
        "list": "[1]",
        "no number": '{"feasible":[]}',
        "negative": '{"query":-1}',
        "other query": '{"query":4711,"feasible":[]}',
        "other node": json.dumps({"query": number, "feasible": nodes + ["n99"]}),
        "twice": json.dumps({"query": number, "feasible": nodes, "unschedulable": {nodes[0]: "no"}}),
        "too few": json.dumps({"query": number, "feasible": nodes[1:]}),
        "no reason": json.dumps({"query": number, "unschedulable": nodes}),
        "misspelt": json.dumps({"query": number, "feasable": nodes}),
        "empty error": json.dumps({"query": number, "error": ""}),
        "long": "x" * (17 << 20),
        "no victims": json.dumps({"query": number, "first": 1}),
        "not offered": json.dumps({"query": number, "victims": ["ns/nobody"]}),
    }.get(mode)
    if text is None or (mode == "not offered" and "victims" not in question):
        return False
    say(text)
    return True


def main():
    if mode == "reversed":  # as many as come together, the last first
        waiting = []
        buffer = b""
        while True:
            readable, _, _ = select.select([0], [], [], 0.05)
            if readable:
                read = os.read(0, 1 << 16)
                if not read:
                    return
                buffer += read
                *lines, buffer = buffer.split(b"\n")
                waiting += lines
            elif waiting:
                for line in reversed(waiting):
                    say(json.dumps(answer(json.loads(line))))
                print("together:", len(waiting), file=sys.stderr, flush=True)
                waiting = []
    for line in sys.stdin:
        question = json.loads(line)
        if not spoilt(question):
            say(json.dumps(choose(question) if "victims" in question else answer(question)))
        if mode == "answers twice":
            say(json.dumps(answer(question)))


main()
