"""The story of an extender that was written for kube-scheduler."""
import pathlib, subprocess, sys

from control_plane import until
from shim import Shim

EXTENDER = pathlib.Path(__file__).resolve().parents[1] / "kube_shim" / "extender.py"
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: %s/license, filterVerb: filter, prioritizeVerb: prioritize, weight: 2, nodeCacheCapable: true,
   managedResources: [{name: example.com/license}]}
- {urlPrefix: %s/site, filterVerb: filter, managedResources: [{name: example.com/license}]}
"""


class Extender:
    """The program, which ends with the story."""

    def __enter__(self):
        self.child = subprocess.Popen([sys.executable, str(EXTENDER), "http://nowhere"], stdout=subprocess.PIPE, text=True)
        self.url = self.child.stdout.readline().strip()
        return self

    def end(self):
        self.child.kill()
        self.child.wait(30)

    def __exit__(self, *_):
        self.end()


def extender(cluster, shim, api):
    """Pods get the nodes that an extender likes best of those it lets them have, or its reasons; while it is down they wait."""
    shim.end()
    for name, site in (("n1", "north"), ("n2", "north"), ("n3", "south")):
        cluster.node(name, "4", {"site": site})
        amounts = {"status": {part: {"example.com/license": "99"} for part in ("capacity", "allocatable")}}
        cluster.change_node(name, amounts, "/status")

    def pod(name, licensed, site, likes=""):
        spec = cluster.spec("100m")
        licenses = {"example.com/license": "1"}
        spec["containers"][0]["resources"] = {"requests": {"cpu": "100m", **licenses}, "limits": licenses}
        annotations = {"licensed": licensed, "attested": "n1 n2 n3", "site": site, "likes": likes}
        cluster.create("/api/v1/namespaces/default/pods",
                       {"metadata": {"name": name, "annotations": annotations}, "spec": spec})

    with Extender() as program:
        config = shim.log.parent / "extenders.yaml"
        config.write_text(CONFIG % (program.url, program.url))
        more = ["--scheduler-config", str(config)]
        with Shim(shim.program, shim.kubeconfig, shim.log.parent / "extended.log", shim.appliance, more):
            for i in range(20):
                pod(f"south-{i}", "n2 n3", "south")
            pod("north", "n1", "north")
            pod("nowhere", "n1 n2", "south")
            cluster.placed("north", *(f"south-{i}" for i in range(20)))
            assert cluster.node_of("north") == "n1"
            assert {cluster.node_of(f"south-{i}") for i in range(20)} == {"n3"}
            message = cluster.waits("nowhere")
            assert "1 no license left" in message and "2 of another site" in message, message
            pod("likes-n1", "n1 n2", "north", "n1=10")
            pod("likes-n2", "n1 n2", "north", "n2=10")
            cluster.placed("likes-n1", "likes-n2")
            assert (cluster.node_of("likes-n1"), cluster.node_of("likes-n2")) == ("n1", "n2")
            # Down: who needs it waits, and nobody else.
            program.end()
            pod("late", "n1", "north")
            cluster.pod("plain")
            cluster.placed("plain")
            message = cluster.waits("late")
            assert f"plugin extender {program.url}/license" in message, message
            assert not cluster.node_of("late")
    shim.start()
    until(lambda: shim.child.poll() is None, "the story's own shim")
