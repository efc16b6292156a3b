#!/usr/bin/env python3
"""tools_test.py --shim PROGRAM --daemon BAYPLAND --build FOLDER: bench/peers/through_api and bench/kube_start with a few nodes.

Their figures mean nothing at that size. They must come to an end, count every pod and every request, and find a shim that takes
over. Prints a line for each and, with --results FILE, JUnit; tests that need the control plane are skipped without Go."""
import argparse, json, pathlib, subprocess, sys, tempfile, time, traceback
from xml.sax.saxutils import quoteattr

import control_plane

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"


class Tools:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def figures(self, tool, *arguments):
        out = self.folder / "figures.json"
        subprocess.run([sys.executable, BENCH / tool, self.options.shim, *arguments, "--json", out], check=True)
        return json.loads(out.read_text())

    def loads(self):
        """Every pod of each load is bound once, by each scheduler."""
        found = self.figures("peers/through_api", "SchedulingBasic", "PreemptionBasic", "--nodes", "30", "--pods", "12",
                             "--programs", self.options.build, "--sides", "kube-scheduler,bayplan,appliance", "--daemon",
                             self.options.daemon)
        assert sorted(found) == ["PreemptionBasic", "SchedulingBasic"], found
        for load, sides in found.items():
            assert sorted(sides) == ["appliance", "bayplan", "kube-scheduler"], sides
            for name, one in sides.items():
                told = one["requests_per_pod"]
                assert one["pods"] == 12 and one["pods_per_s"] > 0, (load, name, one)
                assert told["POST pods"] == 1 and told["POST pods/binding"] == 1, (load, name, told)
                assert ("DELETE pods" in told) == (load == "PreemptionBasic"), (load, name, told)
                assert one["server_cpu_ms_per_pod"] > 0, (load, name, one)

    def waiting(self):
        """The same with pods that are all there first."""
        found = self.figures("peers/through_api", "TopologySpreading", "--nodes", "30", "--pods", "12", "--programs",
                             self.options.build, "--sides", "bayplan", "--waiting")
        assert found["TopologySpreading"]["bayplan"]["pods"] == 12, found

    def real_fail_over(self):
        found = self.figures("kube_start", "--fail-over", "--control-plane", self.options.build, "--nodes", "20", "--pods", "100",
                             "--runs", "2")
        assert len(found["fail_over_s"]) == 2, found

    def start(self):
        """The recorded lists, with an engine in the shim and with a daemon."""
        for daemon in ([], ["--daemon", self.options.daemon]):
            found = self.figures("kube_start", "--nodes", "200", "--pods", "3000", "--waiting", "50", *daemon)
            assert 0 < found["last_page_s"] < found["first_binding_s"] <= found["last_binding_s"], found
            assert found["shim_memory_mb"] > 0 and ("daemon_memory_mb" in found) == bool(daemon), found

    def fail_over(self):
        found = self.figures("kube_start", "--fail-over", "--nodes", "50", "--pods", "600", "--runs", "2")
        assert len(found["fail_over_s"]) == 2, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--daemon", required=True, help="baypland")
    parser.add_argument("--build", required=True, help="where the control plane's programs are, or are built")
    parser.add_argument("--results", default="")
    options = parser.parse_args()
    results, built = [], control_plane.go() is not None
    with tempfile.TemporaryDirectory(prefix="bayplan-tools-") as name:
        tools = Tools(options, pathlib.Path(name))
        for test, real in ((tools.start, False), (tools.fail_over, False), (tools.loads, True), (tools.waiting, True),
                           (tools.real_fail_over, True)):
            began, outcome = time.monotonic(), ""
            if real and not built:
                outcome = "<skipped/>"
            else:
                try:
                    test()
                except Exception:
                    outcome = f"<failure message={quoteattr(traceback.format_exc()[-300:])}/>"
                    traceback.print_exc()
            results.append(f'<testcase classname="kube tools" name="{test.__name__}">{outcome}</testcase>')
            print(f"{outcome.strip('<')[:4] or 'pass'} {time.monotonic() - began:6.1f} s  {test.__name__}", flush=True)
    if options.results:
        pathlib.Path(options.results).write_text(f"<testsuite>{''.join(results)}</testsuite>")
    return 1 if any("<failure" in one for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
