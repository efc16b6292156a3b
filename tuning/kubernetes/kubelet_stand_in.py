"""A stand-in for the kubelets of nodes that do not exist: their status and the phases of their pods, and nothing else. No
container runs.

A pod that has a node is started, and one that is deleted ends at once. A pod with the annotation `stand-in/seconds` has
succeeded after so many."""
import datetime, threading, time

STRATEGIC = "application/strategic-merge-patch+json"
ROUND_S = 0.2
NODE_INFO = dict.fromkeys(("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "kubeProxyVersion"), "none") | {
    "containerRuntimeVersion": "none", "kubeletVersion": "stand-in", "operatingSystem": "linux", "architecture": "amd64"}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, status="True"):
    return {"type": kind, "status": status, "lastTransitionTime": now()}


class StandIn:
    """`api` has must() and call(), as tests/kube_control/control_plane.py. Its thread ends with stop()."""

    def __init__(self, api):
        self.api, self.nodes, self.started = api, {}, {}
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()

    def add_node(self, name, cpu, memory="16Gi", labels=None, pods="110"):
        amounts = {"cpu": cpu, "memory": memory, "pods": pods}
        self.api.must("POST", "/api/v1/nodes", {
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [condition("Ready")],
                       "nodeInfo": NODE_INFO}})
        self.nodes[name] = len(self.nodes) + 1

    def run(self):
        while not self.ending.wait(ROUND_S):
            status, answer = self.api.call("GET", "/api/v1/pods")
            pods = answer.get("items", []) if status == 200 else []
            for pod in pods:
                if pod["spec"].get("nodeName") in self.nodes:
                    self.look_at(pod)
            present = {pod["metadata"]["uid"] for pod in pods}
            self.started = {uid: at for uid, at in self.started.items() if uid in present or not pods}

    def look_at(self, pod):
        meta, phase = pod["metadata"], pod["status"].get("phase")
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if "deletionTimestamp" in meta:
            self.api.call("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})
        elif phase == "Pending":
            self.started[meta["uid"]] = (time.monotonic(), len(self.started) + 1)
            self.say(path, pod, self.running(pod))
        elif phase == "Running" and "stand-in/seconds" in meta.get("annotations", {}):
            began, _ = self.started.setdefault(meta["uid"], (time.monotonic(), 0))
            if time.monotonic() - began > float(meta["annotations"]["stand-in/seconds"]):
                self.say(path, pod, {"phase": "Succeeded"})

    def say(self, path, pod, status):
        body = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        self.api.call("PATCH", path + "/status", body, STRATEGIC)

    def running(self, pod):
        address = f"10.1.{self.nodes[pod['spec']['nodeName']]}.{self.started[pod['metadata']['uid']][1] % 250 + 1}"
        return {"phase": "Running", "startTime": now(), "podIP": address, "podIPs": [{"ip": address}],
                "conditions": [condition(kind) for kind in ("Initialized", "ContainersReady", "Ready")],
                "containerStatuses": [{"name": one["name"], "image": one["image"], "imageID": "", "restartCount": 0,
                                       "ready": True, "started": True, "state": {"running": {"startedAt": now()}}}
                                      for one in pod["spec"]["containers"]]}
