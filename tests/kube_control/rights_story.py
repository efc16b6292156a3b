"""The story of the shim's rights: what the manifest grants is allowed, and nothing else is, verb by verb."""
import yaml

from control_plane import RIGHTS, SHIM

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
# Kinds that a scheduler has no business with, beside those of the manifest.
OTHERS = (("", "secrets"), ("", "configmaps"), ("", "serviceaccounts"), ("", "nodes/status"), ("", "pods/exec"),
          ("", "pods/eviction"), ("", "events"), ("apps", "deployments"), ("apps", "daemonsets"), ("batch", "jobs"),
          ("rbac.authorization.k8s.io", "clusterroles"), ("rbac.authorization.k8s.io", "clusterrolebindings"),
          ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
          ("certificates.k8s.io", "certificatesigningrequests"), ("authentication.k8s.io", "tokenreviews"))


def granted():
    """(verb, group, resource) of the cluster; of the lease's namespace likewise, with the names it is bound to."""
    cluster, own = set(), {}
    for body in yaml.safe_load_all(RIGHTS.read_text()):
        for rule in body.get("rules", []):
            rights = {(verb, rule["apiGroups"][0], resource) for resource in rule["resources"] for verb in rule["verbs"]}
            if body["kind"] == "ClusterRole":
                cluster |= rights
            else:
                own.update({right: rule.get("resourceNames", []) for right in rights})
    return cluster, own


def rights(cluster, shim, api):
    """Each verb of each kind, as the API server judges it."""
    wide, own = granted()
    kinds = {(group, resource) for _, group, resource in wide} | set(OTHERS)
    asked = 0
    for group, resource in sorted(kinds):
        for verb in VERBS:
            asked += 1
            allowed = api.allowed(SHIM, verb, group, resource, "default", "some")
            assert allowed == ((verb, group, resource) in wide), (verb, group, resource, allowed)
    assert own and all(resource == "leases" for _, _, resource in own)
    for verb in VERBS:
        right = (verb, "coordination.k8s.io", "leases")
        names = own.get(right, [])
        for name_space, name in (("bayplan", "bayplan-kube"), ("bayplan", "another"), ("default", "bayplan-kube")):
            wanted = right in own and name_space == "bayplan" and (not names or name in names)
            assert api.allowed(SHIM, *right, name_space, name) == wanted, (right, name_space, name)
    print(f"     {asked} questions, {len(wide)} rights")
