"""The story of Kubernetes' own manifests: workloads of all kinds, each decision judged by kube-scheduler's code."""
import json, pathlib, subprocess

import yaml

import control_plane
from cluster import MERGE
from control_plane import until

ANSWERS = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "kubernetes" / "answers"
MANIFESTS = ["test/e2e/testing-manifests/statefulset/*/*.yaml", "test/e2e/testing-manifests/guestbook/legacy/*.yaml",
             "test/fixtures/doc-yaml/user-guide/*.yaml", "test/fixtures/doc-yaml/user-guide/replicaset/*.yaml",
             "test/fixtures/doc-yaml/admin/daemon.yaml", "cluster/addons/node-problem-detector/npd.yaml",
             "cluster/addons/dns/nodelocaldns/nodelocaldns.yaml",
             "cluster/addons/kube-network-policies/kube-network-policies.yaml"]
CORE, APPS = "/api/v1/namespaces/default/", "/apis/apps/v1/namespaces/default/"
KINDS = {"Pod": CORE + "pods", "Service": CORE + "services", "ReplicationController": CORE + "replicationcontrollers",
         "Deployment": APPS + "deployments", "ReplicaSet": APPS + "replicasets", "StatefulSet": APPS + "statefulsets",
         "DaemonSet": APPS + "daemonsets", "Job": "/apis/batch/v1/namespaces/default/jobs",
         "PodDisruptionBudget": "/apis/policy/v1/namespaces/default/poddisruptionbudgets"}
CLAIMS, VOLUMES = CORE + "persistentvolumeclaims", "/api/v1/persistentvolumes"
CLASSES, PRIORITIES = "/apis/storage.k8s.io/v1/storageclasses", "/apis/scheduling.k8s.io/v1/priorityclasses"
DUMPED = [("v1", "Namespace", "/api/v1/namespaces"), ("v1", "Node", "/api/v1/nodes"), ("v1", "PersistentVolume", VOLUMES),
          ("v1", "PersistentVolumeClaim", CLAIMS), ("storage.k8s.io/v1", "StorageClass", CLASSES),
          ("scheduling.k8s.io/v1", "PriorityClass", PRIORITIES),
          ("policy/v1", "PodDisruptionBudget", KINDS["PodDisruptionBudget"]),
          ("v1", "Service", KINDS["Service"]), ("v1", "ReplicationController", KINDS["ReplicationController"]),
          ("apps/v1", "ReplicaSet", KINDS["ReplicaSet"]), ("apps/v1", "StatefulSet", KINDS["StatefulSet"]),
          ("v1", "Pod", KINDS["Pod"])]
NODES = 8
COUNTED = {"ReplicationController", "ReplicaSet", "StatefulSet", "Deployment"}


def manifests():
    """The objects of the modules' manifests that this cluster has use for, in the default namespace."""
    found = subprocess.run([control_plane.go(), "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], cwd=control_plane.HERE,
                           capture_output=True, text=True, check=True)
    root = pathlib.Path(found.stdout.strip())
    for pattern in MANIFESTS:
        files = sorted(root.glob(pattern))
        assert files, f"no {pattern} in {root}"
        for path in files:
            for body in yaml.safe_load_all(path.read_text()):
                if body and body["kind"] in KINDS:
                    body["metadata"].pop("namespace", None)
                    yield body


def furnish(cluster, api):
    """Nodes in three zones, local volumes on each, a default class of storage."""
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    cluster.create(CLASSES, {"metadata": {"name": "local", "annotations": default},
                             "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"})
    for i in range(NODES):
        cluster.node(f"n{i}", str(4 + i % 3), {"topology.kubernetes.io/zone": f"z{i % 3}", "kubernetes.io/os": "linux"})
        term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [f"n{i}"]}]}
        for of in range(3):
            cluster.create(VOLUMES, {"metadata": {"name": f"disk-{i}-{of}"}, "spec": {
                "capacity": {"storage": f"{1 + of}Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                "local": {"path": f"/disk-{of}"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}})
    until(lambda: all(v["status"]["phase"] == "Available" for v in api.must("GET", VOLUMES)["items"]), "volumes to be free")


def apply(cluster):
    """All manifests, and a Deployment of a higher priority that spreads. No kubelet says ready: sets begin all their pods."""
    cluster.priority("important", 1000)
    zones = [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
              "labelSelector": {"matchLabels": {"app": "front"}}}]
    cluster.workload("deployments", "front", 6, "300m", {"priorityClassName": "important", "topologySpreadConstraints": zones})
    names = set()
    for body in manifests():
        name = (body["kind"], body["metadata"]["name"])
        if name not in names:
            names.add(name)
            if body["kind"] == "StatefulSet":
                body["spec"]["podManagementPolicy"] = "Parallel"
            cluster.create(KINDS[body["kind"]], body)
    return names


def owner(pod):
    """The kind of the pod's controller; None if it has none."""
    return pod["metadata"].get("ownerReferences", [{}])[0].get("kind")


def all_made(api):
    """True once every controller has made its pods."""
    for kind in COUNTED:
        for item in api.must("GET", KINDS[kind])["items"]:
            if item["status"].get("replicas", 0) != item["spec"]["replicas"]:
                return False
    for item in api.must("GET", KINDS["Job"])["items"]:
        if not item["status"].get("active"):
            return False
    daemons = [p for p in api.must("GET", KINDS["Pod"])["items"] if owner(p) == "DaemonSet"]
    sets = api.must("GET", KINDS["DaemonSet"])["items"]
    return (all(s["status"].get("observedGeneration") for s in sets) and
            len(daemons) == sum(s["status"]["desiredNumberScheduled"] for s in sets))


def dump(api):
    return [{"apiVersion": version, "kind": kind, **item} for version, kind, path in DUMPED
            for item in api.must("GET", path)["items"]]


def bayplan(shim, *arguments):
    program = pathlib.Path(shim.program).resolve().parents[1] / "cli" / "bayplan"
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def simulated(shim, items, *arguments):
    """What `bayplan simulate` decides of the objects' pending pods."""
    path = shim.log.parent / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return json.loads(bayplan(shim, "simulate", path, "-o", "json", "--compat", "kubernetes-1.35", *arguments))["decisions"]


def recorded(shim):
    """The decisions of the daemon's record, in their order. The daemon is another one afterwards."""
    shim.appliance.end()
    log = bayplan(shim, "replay", "--log", "-", shim.appliance.record)
    shim.appliance.start()
    placed = [words for words in map(str.split, log.splitlines()) if len(words) > 4 and words[2] == "place"]
    return [{"pod": words[3].partition("/")[2], "node": words[4]} for words in placed]


def name_of(item):
    return (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])


def simulate_each(shim, before, after, decisions):
    """Each decision's node is among the best that `simulate` finds in the cluster that the decisions before it left."""
    world, then = {name_of(i): i for i in before}, {name_of(i): i for i in after}
    for decision in decisions:
        space, name = decision["pod"].split("/")
        said = simulated(shim, list(world.values()), "--only", decision["pod"], "--explain")[0]
        totals = {n: of["total"] for n, of in said["nodes"].items() if of["verdict"] == "feasible"}
        assert totals.get(decision["node"]) == max(totals.values()), (decision, totals)
        pod = ("Pod", space, name)
        world[pod] = {**world[pod], "spec": {**world[pod]["spec"], "nodeName": decision["node"]}}
        for volume in world[pod]["spec"].get("volumes", []):
            if "persistentVolumeClaim" in volume:
                claim = ("PersistentVolumeClaim", space, volume["persistentVolumeClaim"]["claimName"])
                disk = ("PersistentVolume", "", then[claim]["spec"]["volumeName"])
                world[claim], world[disk] = then[claim], then[disk]


def judged(shim, programs, before, after, decisions):
    """What kube-scheduler's own code says of the decisions; its exit status and its words."""
    path = shim.log.parent / "recording.json"
    path.write_text(json.dumps({"before": before, "after": after, "decisions": decisions}))
    done = subprocess.run([programs / "answers", "--check", path], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def clear(cluster, api):
    """No workloads, claims, volumes and classes are left."""
    for kind in ("StatefulSet", "ReplicationController", "ReplicaSet"):
        for item in api.must("GET", KINDS[kind])["items"]:
            if not item["metadata"].get("ownerReferences"):
                api.must("PATCH", f"{KINDS[kind]}/{item['metadata']['name']}", {"spec": {"replicas": 0}}, MERGE)

    def gone():
        for name in cluster.pods():
            cluster.end(name)
        return all(not item["status"].get("replicas") for kind in ("StatefulSet", "ReplicationController")
                   for item in api.must("GET", KINDS[kind])["items"])

    until(gone, "the sets' pods to go")
    for path in (KINDS["StatefulSet"], KINDS["ReplicationController"], KINDS["PodDisruptionBudget"], CLAIMS, VOLUMES, CLASSES):
        for item in api.must("GET", path)["items"]:
            api.call("PATCH", f"{path}/{item['metadata']['name']}", {"metadata": {"finalizers": None}}, MERGE)
            api.call("DELETE", f"{path}/{item['metadata']['name']}")
    for item in api.must("GET", KINDS["Service"])["items"]:
        if item["metadata"]["name"] != "kubernetes":
            api.call("DELETE", f"{KINDS['Service']}/{item['metadata']['name']}")
    api.call("DELETE", f"{PRIORITIES}/important")


def check_record(cluster, shim, api, before, after):
    """The record's decisions are what was bound, and each is one that kube-scheduler's own code and `simulate` would make."""
    programs = pathlib.Path(api.programs)
    subprocess.run([control_plane.go(), "build", "-o", programs / "answers", "."], cwd=ANSWERS, check=True)
    decisions = recorded(shim)
    bound = {f"default/{name}": pod["spec"]["nodeName"] for name, pod in cluster.pods().items()}
    assert {d["pod"]: d["node"] for d in decisions} == bound, (decisions, bound)
    simulate_each(shim, before, after, decisions)
    status, said = judged(shim, programs, before, after, decisions)
    assert status == 0, said
    print(f"     {len(decisions)} pods; kube-scheduler's code: {said.strip().splitlines()[-1]}")
    daemons = {f"default/{n}" for n, p in cluster.pods().items() if owner(p) == "DaemonSet"}
    last = [d for d in decisions if d["pod"] in daemons][-1]
    wrong = [{**d, "node": "n0" if d["node"] != "n0" else "n1"} if d is last else d for d in decisions]
    status, said = judged(shim, programs, before, after, wrong)
    assert status != 0, "an altered decision agrees as well: " + said


def upstream(cluster, shim, api):
    """Pods of Kubernetes' own manifests are bound; with a daemon kube-scheduler's code judges each recorded decision."""
    shim.end()
    if shim.appliance:  # another one: its record begins with this story
        shim.appliance.end()
        shim.appliance.start()
    furnish(cluster, api)
    kinds = {kind for kind, _ in apply(cluster)}
    assert kinds == set(KINDS), kinds
    until(lambda: all_made(api), "the controllers to make all pods")
    before = dump(api)
    shim.start()
    until(lambda: all(p["spec"].get("nodeName") for p in cluster.pods().values()), "all pods to be bound")
    after = dump(api)
    simulation = simulated(shim, before)
    assert {d["pod"] for d in simulation if d["outcome"] == "scheduled"} == {f"default/{n}" for n in cluster.pods()}, simulation
    assert not [d for d in simulated(shim, after) if d["outcome"] != "bound"], "pods are pending in the dump after"
    if shim.appliance:
        check_record(cluster, shim, api, before, after)
    clear(cluster, api)
