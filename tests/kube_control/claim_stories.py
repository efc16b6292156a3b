"""Stories of claims: on storage and on devices."""
import time

from cluster import MERGE
from control_plane import until


def clear(cluster, api, base, claims):
    """The next story begins without pods, claims, slices and classes of devices."""
    for name in cluster.pods():
        cluster.end(name)
    for path in (claims, f"{base}/resourceslices", f"{base}/deviceclasses"):
        for item in api.must("GET", path)["items"]:
            api.call("DELETE", f"{path}/{item['metadata']['name']}")
    until(lambda: not api.must("GET", claims)["items"], "the claims to go")


def storage(cluster, shim, api):
    """Claims that wait for their first consumer: given a volume of the node, or provisioned there, before the pod is bound."""
    cluster.node("n1", labels={"host": "n1"})
    cluster.node("n2", labels={"host": "n2"})
    classes, volumes = "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/persistentvolumes"
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    for name, maker in (("local", "kubernetes.io/no-provisioner"), ("made", "example.com/maker")):
        cluster.create(classes, {"metadata": {"name": name}, "provisioner": maker, "volumeBindingMode": "WaitForFirstConsumer"})

    def volume(name, node, size, kind="local", **more):
        term = {"matchExpressions": [{"key": "host", "operator": "In", "values": [node]}]}
        cluster.create(volumes, {"metadata": {"name": name}, "spec": {
            "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": kind,
            "hostPath": {"path": "/none"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}, **more}})

    def claim(name, kind="local"):
        cluster.create(claims, {"metadata": {"name": name}, "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": kind, "resources": {"requests": {"storage": "1Gi"}}}})

    def uses(*names):
        return {"volumes": [{"name": n, "persistentVolumeClaim": {"claimName": n}} for n in names]}

    volume("large", "n2", "5Gi")
    volume("small", "n2", "2Gi")
    claim("c1")
    claim("c2")
    until(lambda: all(v["status"]["phase"] == "Available" for v in api.must("GET", volumes)["items"]), "volumes to be free")
    cluster.pod("p", **uses("c1", "c2"))
    cluster.placed("p")
    assert cluster.node_of("p") == "n2"
    bound = {c["metadata"]["name"]: c["spec"].get("volumeName") for c in api.must("GET", claims)["items"]}
    assert bound == {"c1": "small", "c2": "large"}, bound
    claim("c3")
    cluster.pod("q", **uses("c3"))
    assert "didn't find available persistent volumes to bind" in cluster.waits("q")
    claim("c4", "made")
    cluster.pod("r", **uses("c4"))

    def selected():
        return api.must("GET", f"{claims}/c4")["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node")

    until(selected, "a node to be selected")
    time.sleep(1)
    assert not cluster.node_of("r"), "bound before its volume is there"
    # The provisioner gives up once, and makes a volume at the second try.
    cluster.api.must("PATCH", f"{claims}/c4", {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": None}}}, MERGE)
    until(selected, "a node to be selected again")
    uid = api.must("GET", f"{claims}/c4")["metadata"]["uid"]
    volume("fresh", selected(), "1Gi", "made", claimRef={"kind": "PersistentVolumeClaim", "apiVersion": "v1",
                                                         "namespace": "default", "name": "c4", "uid": uid})
    node = selected()
    cluster.placed("r")
    assert cluster.node_of("r") == node
    for name in cluster.pods():
        cluster.end(name)
    for path in (claims, volumes, classes):
        for item in api.must("GET", path)["items"]:
            api.call("PATCH", f"{path}/{item['metadata']['name']}", {"metadata": {"finalizers": None}}, MERGE)
            api.call("DELETE", f"{path}/{item['metadata']['name']}")


def devices(cluster, shim, api):
    """Claims on devices: what the engine gives is in the claim's status, and it is reserved, before the pod is bound."""
    base = "/apis/resource.k8s.io/v1"
    claims = f"{base}/namespaces/default/resourceclaims"
    for name in ("n1", "n2"):
        cluster.node(name)
    cluster.create(f"{base}/deviceclasses", {"metadata": {"name": "gpu"}, "spec": {"config": [
        {"opaque": {"driver": "d.example", "parameters": {"share": "none"}}}]}})
    cluster.create(f"{base}/resourceslices", {"metadata": {"name": "s"}, "spec": {
        "driver": "d.example", "nodeName": "n2", "pool": {"name": "n2", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "g0"}, {"name": "g1"}]}})
    for name in ("one", "two", "three"):
        cluster.create(claims, {"metadata": {"name": name}, "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}})

    def uses(name):
        return {"resourceClaims": [{"name": "d", "resourceClaimName": name}]}

    def status(name):
        return api.must("GET", f"{claims}/{name}").get("status", {})

    def given(name):
        return [d["device"] for d in status(name)["allocation"]["devices"]["results"]]

    cluster.pod("a", **uses("one"))
    cluster.pod("b", **uses("one"))
    cluster.pod("c", **uses("two"))
    cluster.placed("a", "b", "c")
    assert {cluster.node_of(n) for n in "abc"} == {"n2"}
    assert sorted(given("one") + given("two")) == ["g0", "g1"]
    assert sorted(r["name"] for r in status("one")["reservedFor"]) == ["a", "b"]
    allocation = status("two")["allocation"]
    assert allocation["devices"]["config"][0]["source"] == "FromClass", allocation
    assert allocation["nodeSelector"]["nodeSelectorTerms"][0]["matchFields"][0]["values"] == ["n2"], allocation
    cluster.pod("d", **uses("three"))
    assert "cannot allocate all claims" in cluster.waits("d")
    freed = given("two")  # which of the two it is hangs on who came first
    cluster.end("c")
    api.must("DELETE", f"{claims}/two")
    cluster.placed("d")
    assert given("three") == freed, (given("three"), freed)
    clear(cluster, api, base, claims)


def given_back(cluster, shim, api):
    """A claim that nobody uses has a device of a node where its pod cannot go: it is cleared, and allocated on another node."""
    base = "/apis/resource.k8s.io/v1"
    claims = f"{base}/namespaces/default/resourceclaims"
    cluster.node("n1", "1")
    cluster.create(f"{base}/deviceclasses", {"metadata": {"name": "gpu"}, "spec": {}})

    def devices_of(node):
        cluster.create(f"{base}/resourceslices", {"metadata": {"name": node}, "spec": {
            "driver": "d.example", "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "g0"}]}})

    def status():
        return api.must("GET", f"{claims}/dev").get("status", {})

    devices_of("n1")
    cluster.create(claims, {"metadata": {"name": "dev"}, "spec": {"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}})
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    result = {"request": "r", "driver": "d.example", "pool": "n1", "device": "g0"}
    api.must("PATCH", f"{claims}/dev/status", {"status": {"allocation": {
        "devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [term]}}}}, MERGE)
    cluster.pod("full", "1")
    cluster.placed("full")
    cluster.node("n2")
    cluster.pod("p", "1", resourceClaims=[{"name": "d", "resourceClaimName": "dev"}])
    assert "deallocation of ResourceClaim completed" in cluster.waits("p")
    until(lambda: "allocation" not in status(), "the claim to be cleared")
    devices_of("n2")
    cluster.placed("p")
    assert cluster.node_of("p") == "n2"
    assert [d["pool"] for d in status()["allocation"]["devices"]["results"]] == ["n2"], status()
    assert [r["name"] for r in status()["reservedFor"]] == ["p"], status()
    clear(cluster, api, base, claims)


def extended(cluster, shim, api):
    """Pods ask for an extended resource: a node that has it gives it, another devices of a class, by a claim made for the pod."""
    base = "/apis/resource.k8s.io/v1"
    claims = f"{base}/namespaces/default/resourceclaims"
    gpu = "example.com/gpu"
    for name in ("n1", "n2"):
        cluster.node(name)
    cluster.change_node("n2", {"status": {"capacity": {gpu: "1"}, "allocatable": {gpu: "1"}}}, "/status")

    def pod(name):
        amounts = {"cpu": "100m", gpu: "1"}
        cluster.pod(name, containers=[{"name": "c", "image": "none", "resources": {"requests": amounts, "limits": amounts}}])

    def made():
        return {c["metadata"]["ownerReferences"][0]["name"]: c for c in api.must("GET", claims)["items"]}

    for name in "abc":
        pod(name)
    until(lambda: [n for n in "abc" if cluster.node_of(n)], "the pod that the resource is enough for")
    cluster.create(f"{base}/resourceslices", {"metadata": {"name": "s"}, "spec": {
        "driver": "d.example", "nodeName": "n1", "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "g0"}, {"name": "g1"}]}})
    cluster.create(f"{base}/deviceclasses", {"metadata": {"name": "gpu"}, "spec": {"extendedResourceName": gpu}})
    cluster.placed(*"abc")
    by_devices = sorted(n for n in "abc" if cluster.node_of(n) == "n1")
    assert len(by_devices) == 2 and sorted(made()) == by_devices, (by_devices, made())
    for name in by_devices:
        claim, status = made()[name], cluster.get(name)["status"]["extendedResourceClaimStatus"]
        assert claim["metadata"]["annotations"]["resource.kubernetes.io/extended-resource-claim"] == "true"
        assert [r["name"] for r in claim["status"]["reservedFor"]] == [name], claim
        results = claim["status"]["allocation"]["devices"]["results"]
        assert [r["request"] for r in results] == ["container-0-request-1"], results
        assert status == {"resourceClaimName": claim["metadata"]["name"], "requestMappings": [
            {"containerName": "c", "resourceName": gpu, "requestName": "container-0-request-1"}]}, status
    pod("d")
    message = cluster.waits("d")
    assert "1 Insufficient example.com/gpu" in message and "1 cannot allocate all claims" in message, message
    cluster.end(by_devices[0])
    cluster.placed("d")
    assert cluster.node_of("d") == "n1"
    for name in cluster.pods():
        cluster.end(name)
    until(lambda: not made(), "the claims to go with their pods")
    clear(cluster, api, base, claims)
