"""Objects of a test's cluster in a few words, and what became of them."""
from control_plane import until

MERGE = "application/merge-patch+json"


class Cluster:
    def __init__(self, api):
        self.api = api

    def node(self, name, cpu="4", labels=None, pods="110"):
        amounts = {"cpu": cpu, "memory": "16Gi", "pods": pods}
        self.api.must("POST", "/api/v1/nodes", {
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "status": {"capacity": amounts, "allocatable": amounts}})

    def change_node(self, name, change, part=""):
        self.api.must("PATCH", f"/api/v1/nodes/{name}{part}", change, MERGE)

    def spec(self, cpu="1", **more):
        container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": cpu}}}
        return {"containers": [container], "terminationGracePeriodSeconds": 30, **more}

    def pod(self, name, cpu="1", labels=None, **more):
        self.api.must("POST", "/api/v1/namespaces/default/pods",
                      {"metadata": {"name": name, "labels": labels or {}}, "spec": self.spec(cpu, **more)})

    def pods(self):
        return {p["metadata"]["name"]: p for p in self.api.must("GET", "/api/v1/namespaces/default/pods")["items"]}

    def get(self, name):
        return self.pods().get(name, {})

    def end(self, name):
        """Deletes a pod at once, as a kubelet would when it has ended."""
        self.api.call("DELETE", f"/api/v1/namespaces/default/pods/{name}", {"gracePeriodSeconds": 0})

    def node_of(self, name):
        return self.get(name).get("spec", {}).get("nodeName", "")

    def condition(self, name, kind="PodScheduled"):
        found = [c for c in self.get(name).get("status", {}).get("conditions", []) if c["type"] == kind]
        return found[0] if found else {}

    def placed(self, *names):
        until(lambda: all(self.node_of(n) for n in names), f"{', '.join(names)} to be bound")

    def waits(self, name):
        until(lambda: self.condition(name).get("status") == "False", f"{name} to be refused")
        return self.condition(name)["message"]

    def deleted(self):
        return sorted(n for n, p in self.pods().items() if "deletionTimestamp" in p["metadata"])

    def events(self, reason, name=None):
        items = self.api.must("GET", "/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        return [e for e in items if e["reason"] == reason and name in (None, e["regarding"]["name"])]

    def create(self, path, body):
        self.api.must("POST", path, body)

    def priority(self, name, value):
        self.create("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})

    def workload(self, kind, name, replicas, cpu="1", spec=None, **more):
        labels = {"app": name}
        body = {"metadata": {"name": name}, "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": self.spec(cpu, **(spec or {}))}, **more}}
        if replicas is not None:
            body["spec"]["replicas"] = replicas
        self.create(f"/apis/apps/v1/namespaces/default/{kind}", body)

    def of(self, name):
        """The pods of a workload."""
        return [p for p in self.pods().values() if p["metadata"].get("labels", {}).get("app") == name]

    def all_placed(self, name, count):
        until(lambda: len([p for p in self.of(name) if p["spec"].get("nodeName")]) == count,
              f"{count} pods of {name} to be bound")
