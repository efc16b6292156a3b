"""scheduler_perf's loads as objects for an API server: nodes of 4 CPUs in three zones, pods of 100m and 500 MiB."""
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
BEFORE, MEASURED = "sched-0", "sched-1"  # namespaces


def near(color, key):
    return {"labelSelector": {"matchLabels": {"color": color}}, "topologyKey": key, "namespaces": [MEASURED, BEFORE]}


def plain(pod):
    pass


def anti_affinity(pod):
    pod["metadata"]["labels"] = {"color": "green", "name": "test"}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near("green", HOSTNAME)]}}


def spread(pod):
    pod["metadata"]["labels"] = {"color": "blue"}
    pod["spec"]["topologySpreadConstraints"] = [{"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                                                 "labelSelector": {"matchLabels": {"color": "blue"}}}]


def affinity(pod):
    pod["metadata"]["labels"] = {"color": "red"}
    pod["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near("red", ZONE)]}}


def preferred_anti_affinity(pod):
    pod["metadata"]["labels"] = {"color": "yellow"}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": near("yellow", HOSTNAME)}]}}


def requests(pod, cpu):
    pod["spec"]["containers"][0]["resources"]["requests"] = {"cpu": cpu, "memory": "500Mi"}


def low(pod):
    requests(pod, "900m")


def high(pod):
    requests(pod, "3000m")
    pod["spec"]["priorityClassName"] = "high"


# name: pods before, by node, of these kinds in turn; how many are measured at 5,000 nodes, of these kinds in turn
LOADS = {
    "SchedulingBasic": (0.2, [plain], 10000, [plain]),
    "SchedulingPodAntiAffinity": (0.2, [anti_affinity], 2000, [anti_affinity]),
    "TopologySpreading": (1, [plain], 5000, [spread]),
    "PreemptionBasic": (4, [low], 1000, [high]),
    "MixedSchedulingBasePod": (1, [plain, affinity, anti_affinity, preferred_anti_affinity, spread], 5000, [plain]),
}


def node_name(at):
    return f"node-{at:05d}"


def node(at):
    amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    return {"metadata": {"name": node_name(at), "labels": {HOSTNAME: node_name(at), ZONE: f"zone{at % 3 + 1}"}},
            "status": {"capacity": amounts, "allocatable": amounts}}


def pod(name, kind, on=None):
    # Its deletion is immediate, as no kubelet ends it.
    made = {"metadata": {"name": name}, "spec": {"terminationGracePeriodSeconds": 0, "containers": [
        {"name": "pause", "image": "registry.k8s.io/pause:3.10", "resources": {}}]}}
    requests(made, "100m")
    kind(made)
    if on is not None:
        made["spec"]["nodeName"] = node_name(on)
    return made


def pods_before(load, nodes):
    share, kinds, _, _ = LOADS[load]
    return [pod(f"before-{at}", kinds[at % len(kinds)], at % nodes) for at in range(int(share * nodes))]


def measured_pods(load, nodes, wanted=0):
    """So many as wanted; 0: as many as scheduler_perf has, fewer on fewer nodes."""
    _, _, at_5000, kinds = LOADS[load]
    return [pod(f"pod-{at}", kinds[at % len(kinds)]) for at in range(wanted or max(10, at_5000 * nodes // 5000))]
