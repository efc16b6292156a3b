"""Nodes and pods as the audit of timelines sees them, and what keeps a pod from a node: Kubernetes' predicates in their order,
those that FILTERS names. The dumps that are audited ask for nothing else.
"""

NEVER = float("inf")
LATEST = (1, 0)  # of an unknown start
UNSCHEDULABLE, UNRESOLVABLE = "unschedulable", "unresolvable"  # making room could help, or cannot


def amount(text, cpu=False):
    units = {"m": 0.001, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    for unit, factor in units.items():
        if text.endswith(unit):
            return round(float(text[: -len(unit)]) * factor * (1000 if cpu else 1))
    return round(float(text) * (1000 if cpu else 1))


def amounts(named):
    return {kind: amount(str(text), kind == "cpu") for kind, text in named.items()}


def qos(spec):
    resources = [c.get("resources", {}) for c in spec["containers"]]
    if not any(r.get("requests") or r.get("limits") for r in resources):
        return 1
    full = all(set(r.get("limits", {})) >= {"cpu", "memory"} and r["limits"] == r.get("requests", r["limits"]) for r in resources)
    return 3 if full else 2


def terms(spec, kind):
    """Required ones: pairs of labels and topology key. All are about pods of the one namespace."""
    found = spec.get("affinity", {}).get(kind, {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])
    return [(term["labelSelector"]["matchLabels"], term["topologyKey"]) for term in found]


class Pod:
    def __init__(self, obj, seq):
        self.key = obj["metadata"]["namespace"] + "/" + obj["metadata"]["name"]
        self.seq, self.node, self.terminating, self.preempted, self.end = seq, None, False, False, NEVER
        self.nominated, self.victims, self.left_out, self.stuck_since = None, set(), set(), NEVER
        self.failures, self.backoff, self.message, self.victim = 0, 0, "", False
        self.take(obj)
        self.start = (0, obj["status"]["startTime"]) if obj.get("status", {}).get("startTime") else LATEST

    def take(self, obj):
        spec = obj["spec"]
        self.labels = obj["metadata"].get("labels", {})
        self.stuck = obj["metadata"].get("annotations", {}).get("bayplan.io/stuck") == "true"
        self.priority = spec.get("priority", 0)
        self.grace = spec.get("terminationGracePeriodSeconds", 30) * 1000
        self.selector = spec.get("nodeSelector", {})
        self.tolerates = {t["key"] for t in spec.get("tolerations", [])}
        self.gates = [g["name"] for g in spec.get("schedulingGates", [])]
        self.never = spec.get("preemptionPolicy") == "Never"
        self.near, self.apart = terms(spec, "podAffinity"), terms(spec, "podAntiAffinity")
        self.ports = {p["hostPort"] for c in spec["containers"] for p in c.get("ports", [])}
        self.disks = {v["gcePersistentDisk"]["pdName"] for v in spec.get("volumes", [])}
        self.qos = qos(spec)
        self.requests = {"pods": 1}
        for c in spec["containers"]:
            r = c.get("resources", {})
            for kind, value in amounts(r.get("requests", {})).items():
                self.requests[kind] = self.requests.get(kind, 0) + value


class Node:
    def __init__(self, obj):
        self.name = obj["metadata"]["name"]
        self.labels = obj["metadata"].get("labels", {})
        self.unschedulable = obj.get("spec", {}).get("unschedulable", False)
        self.taints = {t["key"] for t in obj.get("spec", {}).get("taints", [])}
        self.capacity = amounts(obj["status"]["allocatable"])


# --- one filter each: None if the pod may run on the node beside the pods `on` it, those of all nodes being `placed`, pairs of
# pod and node

def itself(p, node, on, placed):
    against = node.unschedulable or node.taints - p.tolerates or any(node.labels.get(k) != v for k, v in p.selector.items())
    return UNRESOLVABLE if against or any(name == node.name for name, _ in p.left_out) else None


def ports(p, node, on, placed):
    return UNSCHEDULABLE if any(p.ports & q.ports for q in on) else None


def room(p, node, on, placed):
    if any(value > node.capacity.get(kind, 0) for kind, value in p.requests.items() if kind != "pods"):
        return UNRESOLVABLE
    used = {}
    for q in on + [p]:
        for kind, value in q.requests.items():
            used[kind] = used.get(kind, 0) + value
    return UNSCHEDULABLE if any(used[kind] > node.capacity.get(kind, 0) for kind in p.requests) else None


def disks(p, node, on, placed):
    return UNSCHEDULABLE if any(p.disks & q.disks for q in on) else None


def matches(labels, p):
    return labels.items() <= p.labels.items()


def same_domain(key, a, b):
    return key in a.labels and a.labels[key] == b.labels.get(key)


def near(p, node, on, placed):
    """All of its terms are to be met by the same pods; if there are none anywhere, it may meet them itself."""
    met = [(q, where) for q, where in placed if p.near and all(matches(labels, q) for labels, _ in p.near)]
    counted = any(key in where.labels for _, where in met for _, key in p.near)
    alone = not counted and all(matches(labels, p) for labels, _ in p.near)
    for _, key in p.near:
        if key not in node.labels or not (alone or any(same_domain(key, where, node) for _, where in met)):
            return UNRESOLVABLE
    return None


def apart(p, node, on, placed):
    for q, where in placed:
        mine = any(matches(labels, q) and same_domain(key, where, node) for labels, key in p.apart)
        if mine or any(matches(labels, p) and same_domain(key, where, node) for labels, key in q.apart):
            return UNSCHEDULABLE
    return None


FILTERS = [itself, ports, room, disks, near, apart]


def refusal(p, node, placed, skipped=()):
    """The verdict of the first filter that refuses, or None."""
    on = [q for q, where in placed if where is node]
    for one in FILTERS:
        verdict = None if one in skipped else one(p, node, on, placed)
        if verdict:
            return verdict
    return None


def skipped_by_kubernetes(p, placed):
    """What Kubernetes 1.35 leaves out of the trials of an attempt, because nothing is there for it to look at as things are."""
    kept_off = any(matches(labels, p) and key in where.labels for q, where in placed for labels, key in q.apart)
    return () if p.near or p.apart or kept_off else (near, apart)
