#!/bin/sh
# `bayplan bench` of loads through the wire: daemon and shim as processes, over af_packet where namespaces are
# allowed, else over the kernel with a note; each row has what both sides count. No time is judged. The row of preemption
# is the whole round: pods nominated, victims told and gone, places told. Small rows have a plugin, for all pods and for some.
# Arguments: bayplan.
set -eu
bayplan=$1
report=$("$bayplan" bench 'WireToWire/SchedulingBasic/5000Nodes_50000Pods' 'WireToWire/PreemptionBasic/*' \
    'WireToWirePlugin*/SchedulingBasic/500Nodes_1000Pods' --runs 1 --no-scan --no-latency --quiet -o json) || true
case $report in *"needs the source tree"*)
    echo "skipped: this build directory is not inside the source tree"
    exit 77 ;;
esac
python3 - "$report" <<'END'
import json, sys
rows = json.loads(sys.argv[1])
assert [row["placed"] for row in rows] == [50000, 5000, 1000, 1000], rows
assert [row["wire"]["rate"] for row in rows] == [75000, 5000, 25000, 25000], rows
for row in rows:
    wire = row["wire"]
    assert row["fault"] is None, row["fault"]
    assert row["decisions_per_s"] > 0 and wire["pods_per_s"] > 0, row
    assert 0 < wire["latency_us"]["p50"] <= wire["latency_us"]["p99"] <= wire["latency_us"]["p99.9"], wire
    assert wire["daemon_cores"] > 0 and wire["shim_cores"] > 0, wire
    assert len(wire["digest"]) == 64 and wire["digest"] != row["digest"], wire
    assert wire["port"] == "af_packet" or wire["note"], wire
    print(row["name"], wire)
assert [row["wire"]["without_plugin"] is None for row in rows] == [True, True, True, False], rows
assert rows[2]["wire"]["latency_us"]["p50"] >= 200, "faster than its plugin answers"
others = rows[3]["wire"]["without_plugin"]
assert others["pods_per_s"] > 0 and 0 < others["p50_us"] <= others["p99_us"], others
END
