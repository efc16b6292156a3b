#!/usr/bin/env python3
"""run.py --shim PROGRAM --build FOLDER [--daemon BAYPLAND] [--only TEXT] [--record FILE --tool RECORD.PY]: bayplan-kube
against a real control plane.

Each story below runs on one control plane, in a cluster that the story before has left empty. Prints a line per story and,
with --results FILE, JUnit; without Go all is skipped. --record writes down the answers of the story that --only names."""
import argparse, pathlib, signal, subprocess, sys, tempfile, time, traceback
from xml.sax.saxutils import quoteattr

import control_plane
from appliance import Appliance
from claim_stories import devices, extended, given_back, storage
from cluster import MERGE, Cluster
from control_plane import until
from extender_story import extender
from failover_story import failover
from rights_story import rights
from shim import Shim
from upstream_story import upstream


def basic(cluster, shim, api):
    """Pods are bound, refused with their reason, and bound when a node comes; each with its event."""
    cluster.node("n1", "2")
    cluster.pod("a")
    cluster.pod("b")
    cluster.placed("a", "b")
    cluster.pod("c")
    message = cluster.waits("c")
    assert message.startswith("0/1 nodes are available: 1 Insufficient cpu."), message
    assert cluster.condition("c")["reason"] == "Unschedulable"
    cluster.node("n2", "2")
    cluster.placed("c")
    assert cluster.node_of("c") == "n2"
    until(lambda: len(cluster.events("Scheduled")) == 3, "an event for each binding")
    assert cluster.events("FailedScheduling", "c")


def preemption(cluster, shim, api):
    """Victims are marked and deleted, the preemptor is nominated and gets their room; no others go."""
    cluster.priority("high", 1000)
    for i in range(3):
        cluster.node(f"n{i}", "2")
    for i in range(6):
        cluster.pod(f"low-{i}")
    cluster.placed(*(f"low-{i}" for i in range(6)))
    cluster.pod("high", "2", priorityClassName="high")
    until(lambda: len(cluster.deleted()) == 2, "two victims")
    victims = cluster.deleted()
    nominated = cluster.get("high")["status"].get("nominatedNodeName")
    assert {cluster.node_of(v) for v in victims} == {nominated}, (victims, nominated)
    for victim in victims:
        assert cluster.condition(victim, "DisruptionTarget")["reason"] == "PreemptionByScheduler"
    for i in range(5):
        cluster.pod(f"late-{i}")
    cluster.waits("late-4")
    cluster.end(victims[0])
    time.sleep(1)
    assert not [n for n in cluster.pods() if n.startswith("late") and cluster.node_of(n)], "the room is the nominated pod's"
    cluster.end(victims[1])
    cluster.placed("high")
    assert cluster.node_of("high") == nominated
    assert len(cluster.deleted()) == 0
    until(lambda: len(cluster.events("Preempted")) == 2, "an event for each victim")


def workloads(cluster, shim, api):
    """Deployments, a DaemonSet, a Job, spread and budgets, made by the real controllers."""
    for i in range(6):
        cluster.node(f"n{i}", "4", {"topology.kubernetes.io/zone": f"z{i % 3}"})
    spread = [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {"matchLabels": {"app": "web"}}}]
    cluster.workload("deployments", "web", 9, "500m", {"topologySpreadConstraints": spread})
    cluster.workload("daemonsets", "agent", None, "100m")
    cluster.create("/apis/batch/v1/namespaces/default/jobs", {"metadata": {"name": "job"}, "spec": {
        "completions": 3, "parallelism": 3, "template": {"metadata": {"labels": {"app": "job"}},
                                                         "spec": cluster.spec("250m", restartPolicy="Never")}}})
    cluster.all_placed("web", 9)
    cluster.all_placed("agent", 6)
    cluster.all_placed("job", 3)
    zones = [int(p["spec"]["nodeName"][1:]) % 3 for p in cluster.of("web")]
    assert sorted(zones.count(z) for z in range(3)) == [3, 3, 3], zones
    assert len({p["spec"]["nodeName"] for p in cluster.of("agent")}) == 6


def restarts(cluster, shim, api):
    """The shim is killed while pods wait and come; then the API server restarts with its history forgotten: nothing is lost."""
    for i in range(4):
        cluster.node(f"n{i}", "10")
    cluster.workload("deployments", "web", 20)
    time.sleep(0.2)
    shim.end(signal.SIGKILL)
    cluster.pod("meanwhile")
    shim.start()
    cluster.all_placed("web", 20)
    cluster.placed("meanwhile")
    api.stop("apiserver")
    api.compact()
    api.start_api_server()
    cluster.pod("after")
    cluster.end("meanwhile")
    cluster.placed("after")
    uses = [sum(1 for p in cluster.pods().values() if p["spec"].get("nodeName") == f"n{i}") for i in range(4)]
    assert max(uses) <= 10, uses


def second_scheduler(cluster, shim, api):
    """Somebody else binds our pods at the same time: each pod is bound once, no node gets more than it has."""
    for i in range(3):
        cluster.node(f"n{i}", "5")
    for i in range(12):
        cluster.pod(f"p{i}")
        api.call("POST", f"/api/v1/namespaces/default/pods/p{i}/binding",
                 {"metadata": {"name": f"p{i}"}, "target": {"kind": "Node", "name": f"n{i % 3}"}})
    cluster.placed(*(f"p{i}" for i in range(12)))
    for i in range(3):
        cluster.pod(f"q{i}")
    cluster.placed("q0", "q1", "q2")
    uses = [sum(1 for p in cluster.pods().values() if p["spec"].get("nodeName") == f"n{i}") for i in range(3)]
    assert uses == [5, 5, 5], uses


def changes(cluster, shim, api):
    """What wakes a refused pod: labels and taints of nodes, gates, other pods that go, a name that is used again."""
    cluster.node("n1", "2", {"disk": "slow"})
    cluster.pod("fast", nodeSelector={"disk": "fast"})
    cluster.waits("fast")
    cluster.change_node("n1", {"metadata": {"labels": {"disk": "fast"}}})
    cluster.placed("fast")
    cluster.change_node("n1", {"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}})
    cluster.pod("clean")
    assert "untolerated taint" in cluster.waits("clean")
    cluster.change_node("n1", {"spec": {"taints": None}})
    cluster.placed("clean")
    cluster.pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    cluster.pod("again")
    cluster.waits("again")
    cluster.end("again")
    cluster.pod("again", "2")
    cluster.waits("again")
    cluster.end("fast")
    api.must("PATCH", "/api/v1/namespaces/default/pods/gated", {"spec": {"schedulingGates": None}}, MERGE)
    cluster.placed("gated")
    cluster.change_node("n1", {"status": {"allocatable": {"cpu": "8"}, "capacity": {"cpu": "8"}}}, "/status")
    cluster.placed("again")


def expired(cluster, shim, api):
    """The API server goes away and comes back with its history forgotten: watches are cut, refused, and begun anew by a list."""
    cluster.node("n1", "8")
    cluster.pod("before")
    cluster.pod("stays")
    cluster.placed("before", "stays")
    api.stop("apiserver")
    api.compact()
    api.start_api_server()
    cluster.end("before")
    cluster.pod("after")
    cluster.placed("after")


def daemon_killed(cluster, shim, api):
    """kill -9 of the daemon while pods wait and come: the shim states everything to the next one. Only with --daemon."""
    if shim.appliance is None:
        return
    for i in range(3):
        cluster.node(f"n{i}", "4")
    cluster.workload("deployments", "web", 9)
    cluster.all_placed("web", 9)
    cluster.pod("large", "3")
    cluster.waits("large")
    shim.appliance.end(signal.SIGKILL)
    for i in range(3):
        cluster.pod(f"late-{i}")
    shim.appliance.start()
    cluster.placed("late-0", "late-1", "late-2")
    uses = [sum(1 for p in cluster.pods().values() if p["spec"].get("nodeName") == f"n{i}") for i in range(3)]
    assert uses == [4, 4, 4], uses
    cluster.node("n3", "3")
    cluster.placed("large")


def gang(cluster, shim, api):
    """A group by its labels: while its minimum has no room none of it is placed; once it has, all of it."""
    for i in range(3):
        cluster.node(f"n{i}", "2")
    labels = {"pod-group.scheduling.x-k8s.io/name": "g", "pod-group.scheduling.x-k8s.io/min-available": "4"}
    names = [f"g{i}" for i in range(4)]
    for name in names:
        cluster.pod(name, "2", labels)
    for name in names:
        cluster.waits(name)
    assert not any(cluster.node_of(name) for name in names), "a part of the group was placed"
    cluster.node("n3", "2")
    cluster.placed(*names)
    assert {cluster.node_of(name) for name in names} == {"n0", "n1", "n2", "n3"}


STORIES = [basic, preemption, workloads, upstream, gang, restarts, second_scheduler, changes, expired, storage, devices,
           given_back, extended, extender, failover, rights, daemon_killed]


APPS = "/apis/apps/v1/namespaces/default/"
JOBS = "/apis/batch/v1/namespaces/default/jobs"


def rest(api):
    """Controllers want no more pods, and know it: a workload that is deleted while its pods go may be given some more."""
    for item in api.must("GET", APPS + "deployments")["items"]:
        api.must("PATCH", f"{APPS}deployments/{item['metadata']['name']}", {"spec": {"replicas": 0}}, MERGE)
    for item in api.must("GET", APPS + "daemonsets")["items"]:
        nowhere = {"spec": {"template": {"spec": {"nodeSelector": {"example.com/nowhere": "true"}}}}}
        api.must("PATCH", f"{APPS}daemonsets/{item['metadata']['name']}", nowhere, MERGE)
    for item in api.must("GET", JOBS)["items"]:
        api.call("PATCH", f"{JOBS}/{item['metadata']['name']}", {"spec": {"suspend": True}}, MERGE)

    def seen():
        items = [i for kind in ("deployments", "replicasets", "daemonsets") for i in api.must("GET", APPS + kind)["items"]]
        return all(i["status"].get("observedGeneration") == i["metadata"]["generation"] and not i["spec"].get("replicas")
                   for i in items)

    until(seen, "the controllers to see that no pods are wanted")


def empty(api, cluster):
    """Leaves nothing of a story behind."""
    rest(api)

    def gone():
        for name in cluster.pods():
            cluster.end(name)
        return not cluster.pods()

    def no_workloads():
        kinds = (APPS + "deployments", APPS + "daemonsets", JOBS, APPS + "replicasets")
        left = [f"{kind}/{item['metadata']['name']}" for kind in kinds for item in api.must("GET", kind)["items"]]
        for path in left:
            api.call("DELETE", path, {"propagationPolicy": "Background"})
        return not left

    until(gone, "the story's pods to go")
    until(no_workloads, "the story's workloads to go")
    for item in api.must("GET", "/api/v1/nodes")["items"]:
        api.call("DELETE", f"/api/v1/nodes/{item['metadata']['name']}")
    api.call("DELETE", "/apis/events.k8s.io/v1/namespaces/default/events")


def tell(story, options, api, folder, appliance):
    cluster = Cluster(api)
    kubeconfig, recorder = api.kubeconfig, None
    if options.record:
        recorder = subprocess.Popen([sys.executable, options.tool, "--kubeconfig", api.kubeconfig, "--out", options.record],
                                    stdout=subprocess.PIPE, text=True)
        port = recorder.stdout.readline().split()[1]
        kubeconfig = folder / "recorded"
        kubeconfig.write_text(api.kubeconfig.read_text().replace(f"https://127.0.0.1:{api.port}", f"http://127.0.0.1:{port}"))
    try:
        gates = [f"--feature-gates={control_plane.GATES}"]
        with Shim(options.shim, kubeconfig, folder / f"{story.__name__}.log", appliance, gates) as shim:
            story(cluster, shim, api)
            assert shim.child.poll() is None, "the shim has ended by itself"
            time.sleep(0.5)  # the last events of a recording
    finally:
        if recorder is not None:
            recorder.terminate()
            recorder.wait()
    empty(api, cluster)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--build", required=True, help="where the control plane's programs are, or are built")
    parser.add_argument("--daemon", default="", help="baypland: the shim drives it, in place of an engine of its own")
    parser.add_argument("--make-certs", default=str(pathlib.Path(__file__).resolve().parents[1] / "support" / "make_certs"))
    parser.add_argument("--only", default="")
    parser.add_argument("--results", default="")
    parser.add_argument("--record", default="")
    parser.add_argument("--tool", default="")
    options = parser.parse_args()
    if control_plane.go() is None:
        print("skipped: Go is missing, so the control plane cannot be built")
        if options.results:
            skipped = '<testcase classname="kube" name="stories"><skipped/></testcase>'
            pathlib.Path(options.results).write_text(f"<testsuite>{skipped}</testsuite>")
        return 0
    options.build = pathlib.Path(options.build).resolve()
    control_plane.build(options.build)
    stories = [s for s in STORIES if options.only in s.__name__]
    results = []
    with tempfile.TemporaryDirectory(prefix="bayplan-kube-") as name:
        folder = pathlib.Path(name)
        with control_plane.ControlPlane(options.build, folder / "plane") as api:
            until(lambda: api.call("GET", "/api/v1/namespaces/default")[0] == 200, "the default namespace")
            appliance = Appliance(options.daemon, options.make_certs, folder / "appliance") if options.daemon else None
            if appliance:
                appliance.start()
            for story in stories:
                began, fault = time.monotonic(), ""
                try:
                    tell(story, options, api, folder, appliance)
                except Exception:
                    fault = traceback.format_exc()
                    log = folder / f"{story.__name__}.log"
                    print(fault, log.read_text(errors="replace")[-4000:] if log.exists() else "")
                results.append((story.__name__ + (" with a daemon" if options.daemon else ""), fault))
                print(f"{'FAIL' if fault else 'pass'} {time.monotonic() - began:6.1f} s  {story.__name__}", flush=True)
                if fault:
                    break  # the cluster is not empty
            if appliance:
                appliance.end()
    if options.results:
        cases = "".join(f'<testcase classname="kube" name={quoteattr(n)}>' +
                        (f"<failure message={quoteattr(f[-300:])}/>" if f else "") + "</testcase>" for n, f in results)
        pathlib.Path(options.results).write_text(f"<testsuite>{cases}</testsuite>")
    return 1 if len(results) < len(stories) or any(f for _, f in results) else 0


if __name__ == "__main__":
    sys.exit(main())
