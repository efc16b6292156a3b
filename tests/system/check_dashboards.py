#!/usr/bin/env python3
"""Every metric, label and rule of dashboard and alerts against an exposition.

check_dashboards.py EXPOSITION DASHBOARD ALERTS: names the faults, ends with 1 if there are any.
"""
import json
import re
import sys

import yaml

SERIES = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
# A name, with its matchers if it has any. Names of functions are followed by a bracket, those of labels stand in brackets.
USED = re.compile(r"\b((?:yunikorn|bayplan|process)_[a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\})?")
MATCHER = re.compile(r'([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"')
OTHER_WORDS = {"rate", "sum", "by", "le", "state", "absent", "time", "histogram_quantile", "and", "or", "ignoring",
               "label_values", "queue"}


def exported(exposition):
    series = {}
    for line in exposition.splitlines():
        if not line.startswith("#"):
            name, labels = SERIES.match(line).groups()
            series.setdefault(name, []).append(dict(LABEL.findall(labels or "")))
    return series


def faults_of(where, expression, series):
    used = USED.findall(expression)
    if not used:
        yield f"{where}: no metric in {expression}"
    for name, matchers in used:
        if name not in series:
            yield f"{where}: nobody exports {name}"
            continue
        for label, kind, value in MATCHER.findall(matchers):
            fits = {"=": lambda has: has == value, "=~": lambda has: re.fullmatch(value, has)}[kind]
            if value != "$queue" and not any(fits(one[label]) for one in series[name] if label in one):
                yield f"{where}: no sample of {name} has {label}{kind}\"{value}\""
    # A misspelt name is none of the above, and would be overlooked.
    rest = re.sub(r'"[^"]*"|\[[^\]]*\]|\{[^}]*\}', " ", USED.sub(" ", expression))
    for word in re.findall(r"[a-zA-Z_]\w*", rest):
        if word not in OTHER_WORDS:
            yield f"{where}: unknown word {word} in {expression}"


def expressions(dashboard, alerts):
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
            yield from ((f"legend of {panel['title']}", (target["expr"], label))
                        for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]
    for group in alerts["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
            yield from ((f"summary of {rule['alert']}", (rule["expr"], label))
                        for label in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))


def main():
    exposition, dashboard, alerts = (open(name).read() for name in sys.argv[1:])
    series = exported(exposition)
    faults, count = [], 0
    for where, what in expressions(json.loads(dashboard), yaml.safe_load(alerts)):
        count += 1
        if isinstance(what, str):
            faults += faults_of(where, what, series)
            continue
        expression, label = what
        names = [name for name, _ in USED.findall(expression)]
        if not any(label in one for name in names for one in series.get(name, [])):
            faults.append(f"{where}: no sample has the label {label}")
    print("\n".join(faults) or f"{count} expressions and labels fit {len(series)} names")
    return 1 if faults else 0


sys.exit(main())
