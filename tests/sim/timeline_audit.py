"""Rebuilds the state of a timeline run at every instant, from the dump, the events and the decisions, and says which
laws the decisions break. It knows nothing of the engine. It understands what timeline_cluster.py does, and gates, budgets,
priorities and everything of deletion; the dumps that it judges hold no other constraints.
"""
import heapq

from timeline_cluster import NEVER, UNRESOLVABLE, UNSCHEDULABLE, Node, Pod, refusal, skipped_by_kubernetes

STUCK_AFTER = 30_000


def ms(text):
    return round(float(text[:-1]) * 1000)


class Audit:
    def __init__(self, dump, events, lines, compat, until):
        self.compat, self.until = compat, NEVER if until is None else until
        self.nodes, self.pods, self.budgets = {}, {}, {}
        self.broken, self.now, self.seq, self.instants = [], 0, 0, []
        self.counts = {"placed": 0, "gone": 0, "preemptions": 0, "victims": 0}
        self.events = [(ms(e["at"]), e) for e in events]
        self.lines = [line for line in lines if "summary" not in line]
        self.summary = lines[-1].get("summary") if lines else None
        for item in dump["items"]:
            self.apply(item)
        for p in self.pods.values():
            self.seq = max(self.seq, p.seq)

    def fault(self, text):
        self.broken.append(f"{self.now / 1000}s: {text}")

    # --- what happens to the cluster
    def at(self, time):
        if time != NEVER:
            heapq.heappush(self.instants, time)

    def apply(self, obj):
        kind, name = obj["kind"], obj["metadata"]["name"]
        if kind == "Node":
            self.nodes[name] = Node(obj)
        elif kind == "PodDisruptionBudget":
            self.budgets[name] = [obj["spec"]["selector"]["matchLabels"], obj["status"]["disruptionsAllowed"]]
        elif kind == "Pod":
            self.apply_pod(obj)

    def apply_pod(self, obj):
        key = obj["metadata"]["namespace"] + "/" + obj["metadata"]["name"]
        node, deleted = obj["spec"].get("nodeName"), "deletionTimestamp" in obj["metadata"]
        p = self.pods.get(key)
        if obj.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            if p:
                self.gone(p)
            return
        if p:
            self.change_pod(p, obj, node, deleted)
            return
        if node and node not in self.nodes:
            return
        if not node and deleted:
            return
        self.seq += 1
        p = self.pods[key] = Pod(obj, self.seq)
        p.node = node
        nominated = obj.get("status", {}).get("nominatedNodeName")
        if not node and nominated in self.nodes:
            p.nominated = nominated
            p.victims = {q.key for q in self.pods.values() if q.node == nominated and q.terminating and q.priority < p.priority}
        if node and deleted:
            self.terminate(p)

    def change_pod(self, p, obj, node, deleted):
        p.take(obj)
        if not p.node and node not in self.nodes and (node or deleted):
            self.gone(p)  # deleted before it ran, or bound to what is not there
            return
        if not p.node and node:
            p.node, p.nominated = node, None
        if p.terminating and p.end <= self.now and not p.stuck:
            self.gone(p)
        elif p.node and deleted and not p.terminating:
            self.terminate(p)

    def terminate(self, p):
        p.terminating = True
        p.end = min(p.end, self.now + p.grace)
        p.stuck_since = p.end + STUCK_AFTER if p.stuck_since == NEVER else p.stuck_since
        self.at(p.end)
        self.at(p.stuck_since)
        if p.end <= self.now and not p.stuck and self.started:
            self.gone(p)

    started = False

    def gone(self, p):
        del self.pods[p.key]
        self.counts["gone"] += 1
        for q in self.pods.values():
            q.left_out = {(n, k) for n, k in q.left_out if k != p.key}
            q.victims.discard(p.key)

    def happen(self, event):
        if "apply" in event:
            self.apply(event["apply"])
            return
        what = event["delete"]
        if what["kind"] == "Node":
            if self.nodes.pop(what["name"], None):
                for p in list(self.pods.values()):
                    if p.nominated == what["name"]:
                        p.nominated = None
                    if p.node == what["name"]:
                        self.gone(p)
        elif what["kind"] == "PodDisruptionBudget":
            self.budgets.pop(what["name"], None)
        elif what["kind"] == "Pod":
            p = self.pods.get(what["namespace"] + "/" + what["name"])
            if p and (not p.node or event.get("now")):
                self.gone(p)
            elif p:
                self.terminate(p)

    # --- what fits where
    def on(self, node):
        return [p for p in self.pods.values() if p.node == node]

    def nominated(self, p, node):
        return [q for q in self.pods.values() if q is not p and not q.node and q.nominated == node and q.priority >= p.priority]

    def refused(self, p, node, gone=(), skipped=()):
        """Why the node does not pass if these pods were gone: first beside those that wait for it, then without them."""
        n = self.nodes.get(node)
        if n is None:
            return UNRESOLVABLE
        placed = [(q, self.nodes[q.node]) for q in self.pods.values() if q.node and q not in gone]
        waiting = [(q, n) for q in self.nominated(p, node)]
        first = refusal(p, n, placed + waiting, skipped) if waiting else None
        return first or refusal(p, n, placed, skipped)

    def skipped(self, p):
        if self.compat == "bayplan":
            return ()
        return skipped_by_kubernetes(p, [(q, self.nodes[q.node]) for q in self.pods.values() if q.node])

    def fits(self, p, node, gone=()):
        return self.refused(p, node, gone, self.skipped(p)) is None

    # --- preemption
    def importance(self, p):
        return (-p.priority, -p.qos if self.compat == "bayplan" else 0, p.start, p.key)

    def candidates(self, p):
        made, skipped = {}, self.skipped(p)
        for node in self.nodes:
            if self.refused(p, node, (), skipped) != UNSCHEDULABLE:
                continue
            pool = sorted((q for q in self.on(node) if q.priority < p.priority), key=self.importance)
            if not pool or self.refused(p, node, pool, skipped):
                continue
            left = {name: allowed for name, (_, allowed) in self.budgets.items()}
            violating = []
            for q in pool:
                hit = [name for name, (labels, _) in self.budgets.items() if q.labels and labels.items() <= q.labels.items()]
                for name in hit:
                    left[name] -= 1
                if any(left[name] < 0 for name in hit):
                    violating.append(q)
            victims = list(pool)
            for q in violating + [q for q in pool if q not in violating]:
                if not self.refused(p, node, [v for v in victims if v is not q], skipped):
                    victims.remove(q)
            if victims:
                victims.sort(key=self.importance)
                top = [q.start for q in victims if q.priority == victims[0].priority]
                cost = (sum(q in violating for q in victims), victims[0].priority, sum(q.priority + 2**31 for q in victims),
                        len(victims), Later(min(top)))
                made[node] = (cost, [q.key for q in victims])
        return made

    def waits(self, p):
        """Pods terminate where it is nominated to, so it does not preempt again."""
        if not p.nominated or self.refused(p, p.nominated, (), self.skipped(p)) == UNRESOLVABLE:
            return False
        return any(q.terminating and q.priority < p.priority and not (q.stuck and self.now >= q.stuck_since) and
                   (self.compat == "bayplan" or q.preempted) for q in self.on(p.nominated))

    # --- decisions
    def decide(self, line, rest):
        p = self.pods.get(line["pod"])
        outcome = line["outcome"]
        if p is None or p.node:
            self.fault(f"{line['pod']} is not pending, and yet {outcome}")
            return
        if outcome == "gated":
            if not p.gates:
                self.fault(f"{p.key} has no gates")
        elif outcome == "nomination-cleared":
            self.cleared(p, line, rest)
        else:
            self.attempt(p, line, rest)

    def attempt(self, p, line, rest):
        if p.gates:
            self.fault(f"{p.key} is gated, and was tried")
        if self.now < p.backoff:
            self.fault(f"{p.key} was tried before its backoff was over ({p.backoff / 1000}s)")
        if line["outcome"] == "scheduled":
            self.scheduled(p, line)
            return
        free = [node for node in self.nodes if self.fits(p, node)]
        if free:
            self.fault(f"{p.key} fits on {free}, and was not placed")
        p.failures += 1
        p.backoff = self.now + min(10_000, 1000 * 2 ** (p.failures - 1))
        p.message = line.get("message", "")
        self.at(p.backoff)
        waits = self.waits(p)
        said = "not eligible due to a terminating pod" in p.message
        if said != (waits and not p.never):
            self.fault(f"{p.key}: waits for victims: {waits}, it says {p.message}")
        found = {} if p.never or waits else self.candidates(p)
        if line["outcome"] == "nominated":
            self.was_nominated(p, line, rest, found)
        elif found:
            self.fault(f"{p.key} could preempt on {list(found)}, and did not")
        elif p.nominated and not (p.never or waits):
            self.fault(f"{p.key} found no node, and its nomination was not cleared")
        if line.get("nominatedNode") != p.nominated:
            self.fault(f"{p.key} has the nomination {p.nominated}, and the line has {line.get('nominatedNode')}")

    def scheduled(self, p, line):
        node = line["node"]
        if node not in self.nodes or not self.fits(p, node):
            self.fault(f"{p.key} was placed on {node}, where it does not fit")
        if node not in self.nodes:
            return
        if self.compat != "bayplan" and p.nominated and self.fits(p, p.nominated) and node != p.nominated:
            self.fault(f"{p.key} was not placed on its nominated node {p.nominated}")
        p.node, p.nominated, p.victims, p.start = node, None, set(), (0, "9" + f"{self.now:015}")
        self.counts["placed"] += 1

    def was_nominated(self, p, line, rest, found):
        node, victims = line["nominatedNode"], line.get("victims", [])
        self.counts["preemptions"] += 1
        if p.nominated not in (None, node):
            self.fault(f"{p.key}: its nomination to {p.nominated} ended without a word")
        if node not in found:
            self.fault(f"{p.key} was nominated to {node}, which is no candidate; {list(found)} are")
        else:
            if found[node][1] != victims:
                self.fault(f"{p.key} on {node}: victims {victims}, but {found[node][1]} are to go")
            best = min(cost for cost, _ in found.values())
            if found[node][0] != best:
                self.fault(f"{p.key} was nominated to {node}, and others cost less: {found}")
        p.nominated = node
        p.victims = {v for v in victims if v in self.pods}
        ends = []
        for q in [self.pods[v] for v in victims if v in self.pods]:
            self.counts["victims"] += not q.victim
            q.victim = q.preempted = True
            if not q.terminating:
                for budget in self.budgets.values():
                    if q.labels and budget[0].items() <= q.labels.items():
                        budget[1] = max(0, budget[1] - 1)
                q.terminating, ends = True, ends + [q]
        self.lower_nominations(p, node, rest)
        for q in ends:
            self.terminate(q)

    def lower_nominations(self, p, node, rest):
        """Whom the lines behind this one have to clear."""
        said = []
        for line in rest:
            if line["outcome"] != "nomination-cleared" or not line.get("message", "").endswith(p.key + " was nominated"):
                break
            said.append(line["pod"])
        lower = [q for q in self.pods.values() if not q.node and q.nominated == node and q.priority < p.priority]
        cleared, kept = [], {q.key: q.nominated for q in lower}
        for q in sorted(lower, key=lambda q: (-q.priority, q.seq)):
            if self.compat != "bayplan" or not self.fits(q, node, [r for r in self.pods.values() if r.node and r.terminating]):
                cleared.append(q.key)
                q.nominated = None
        for q in lower:
            q.nominated = kept[q.key]  # its own line ends it
        if said != cleared:
            self.fault(f"{p.key} on {node}: nominations of {said} were cleared, of {cleared} had to be")

    def cleared(self, p, line, rest):
        if not p.nominated:
            self.fault(f"{p.key} has no nomination to be cleared")
        why = line.get("message", "")
        if "nominatedNode" in line:
            self.fault(f"{p.key} has no nominatedNode after it was cleared")
        if why.endswith(" does not terminate"):
            victim = why.removesuffix(" does not terminate").removeprefix("simulate/")
            q = self.pods.get(victim)
            if q is None or not q.stuck or self.now < q.stuck_since or victim not in p.victims:
                self.fault(f"{p.key}: {victim} does not keep it from {p.nominated}")
            p.left_out.add((p.nominated, victim))
        elif why.startswith("preemption "):
            if not rest or rest[0]["pod"] != p.key:
                self.fault(f"{p.key}: its nomination ended without an attempt")
        elif not why.endswith(" was nominated"):
            self.fault(f"{p.key}: no reason to clear its nomination: {why}")
        p.nominated, p.victims = None, set()

    # --- instants
    def end_of_instant(self):
        for p in self.pods.values():
            if p.node or p.gates or self.now < p.backoff:
                continue
            free = [node for node in self.nodes if self.fits(p, node)]
            if free or not p.failures:
                self.fault(f"{p.key} could be tried at this instant (room on {free}), and was not")
            elif not p.never and not self.waits(p) and self.candidates(p):
                self.fault(f"{p.key} could preempt at this instant on {list(self.candidates(p))}, and was not tried")
        for p in self.pods.values():
            for victim in p.victims if p.nominated else []:
                q = self.pods.get(victim)
                if q and q.stuck and self.now >= q.stuck_since:
                    self.fault(f"{p.key} is still nominated, although {victim} is stuck")

    def run(self):
        self.started = True
        for time, _ in self.events:
            self.at(time)
        self.at(0)
        lines, events = list(self.lines), list(self.events)
        last = 0
        while self.instants:
            time = heapq.heappop(self.instants)
            if time > self.until or (time == self.now and last != 0):
                continue
            self.now, last = time, time
            for p in [p for p in self.pods.values() if p.node and p.terminating and p.end <= time and not p.stuck]:
                self.gone(p)
            while events and events[0][0] == time:
                self.happen(events.pop(0)[1])
            while lines and ms(lines[0]["at"]) == time:
                self.decide(lines.pop(0), lines)
            self.end_of_instant()
        if lines:
            self.fault(f"lines at no instant of the run: {lines[0]}")
        self.judge_end()
        return self.broken

    def judge_end(self):
        pending = {p.key: p.nominated for p in self.pods.values() if not p.node}
        if self.until == NEVER:
            for p in self.pods.values():
                if not p.node and p.nominated and not p.never and not p.gates:
                    self.fault(f"{p.key} is nominated to {p.nominated} for ever")
        if self.summary is None:
            self.fault("there is no summary")
            return
        said = {p["pod"]: p.get("nominatedNode") for p in self.summary["pending"]}
        if said != pending:
            self.fault(f"pending: {said} in the summary, {pending} in fact")
        for name, count in self.counts.items():
            if self.summary[name] != count:
                self.fault(f"{name}: {self.summary[name]} in the summary, {count} in fact")
        all_cpu = sum(n.capacity.get("cpu", 0) for n in self.nodes.values())
        used = sum(p.requests.get("cpu", 0) for p in self.pods.values() if p.node)
        if all_cpu and abs(self.summary["utilisation"].get("cpu", -1) - used / all_cpu) > 0.0001:
            self.fault(f"cpu: {self.summary['utilisation']} in the summary, {used / all_cpu} in fact")


class Later:
    """Orders starts the other way round: of equal costs the latest start is best."""
    def __init__(self, start):
        self.start = start

    def __lt__(self, other):
        return other.start < self.start

    def __eq__(self, other):
        return other.start == self.start


def audit(dump, events, lines, compat, until=None):
    return Audit(dump, events, lines, compat, until).run()
