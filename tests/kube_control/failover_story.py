"""The story of two shims and one lease."""
import signal, time

from control_plane import until
from shim import Shim


def failover(cluster, shim, api):
    """Two shims and a lease: one works; when it is held up, killed or ended, the other takes over, and nothing is bound twice."""
    shim.end()
    elect = ["--leader-elect", "--lease-duration", "1", "--renew-deadline", "0.75", "--retry-period", "0.15"]
    folder = shim.log.parent
    shims = [Shim(shim.program, shim.kubeconfig, folder / f"failover-{i}.log", shim.appliance, elect) for i in (0, 1)]
    lease = "/apis/coordination.k8s.io/v1/namespaces/bayplan/leases/bayplan-kube"

    def holder():
        return api.call("GET", lease)[1].get("spec", {}).get("holderIdentity", "")

    def leader():
        held = holder()
        return next((s for s in shims if s.child is not None and held.endswith(f"-{s.child.pid}")), None)

    def crowd(name):
        cluster.workload("deployments", name, 20, "100m")

    for i in range(4):
        cluster.node(f"n{i}", "4")
    try:
        for one in shims:
            one.start()
        until(leader, "one to hold the lease")
        crowd("first")
        cluster.all_placed("first", 20)
        # Held up in the midst of a crowd, the holder wakes up late: it writes nothing and ends by itself.
        late = leader()
        crowd("second")
        late.child.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        cluster.all_placed("second", 20)
        print(f"     taken over after {time.monotonic() - began:.1f} s")
        assert leader() is not late
        late.child.send_signal(signal.SIGCONT)
        assert late.child.wait(10) == 1
        late.child = None
        late.start()
        # Killed: the other one takes over when the lease is over.
        killed = leader()
        crowd("third")
        killed.end(signal.SIGKILL)
        cluster.all_placed("third", 20)
        assert leader() is not killed
        killed.start()
        time.sleep(0.5)
        # Ended: the lease is let go of, so nobody waits for its end.
        until(leader, "a holder")
        ended, name = leader(), f"-{leader().child.pid}"
        ended.end()
        assert not holder().endswith(name), "it has kept the lease"
        until(leader, "another holder")
        crowd("fourth")
        cluster.all_placed("fourth", 20)
        until(lambda: len(cluster.events("Scheduled")) >= 75, "events")
        names = [e["regarding"]["uid"] for e in cluster.events("Scheduled")]
        assert len(names) == len(set(names)), "a pod was bound twice"
    finally:
        for one in shims:
            if one.child is not None:
                one.child.send_signal(signal.SIGCONT)
                one.end()
        shim.start()
