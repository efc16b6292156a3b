#!/bin/sh
# `bayplan bench` of a load through the wire: daemon and shim as processes, over af_packet where namespaces are
# allowed, else over the kernel with a note; the row has what both sides count. No time is judged.
# Arguments: bayplan.
set -eu
bayplan=$1
report=$("$bayplan" bench 'WireToWire/SchedulingBasic/*' --runs 1 --no-scan --no-latency --quiet -o json) || true
case $report in *"needs the source tree"*)
    echo "skipped: this build directory is not inside the source tree"
    exit 77 ;;
esac
python3 - "$report" <<'END'
import json, sys
[row] = json.loads(sys.argv[1])
wire = row["wire"]
assert row["fault"] is None, row["fault"]
assert row["placed"] == 50000 and row["decisions_per_s"] > 0, row
assert wire["pods_per_s"] > 0 and wire["rate"] == 75000, wire
assert 0 < wire["latency_us"]["p50"] <= wire["latency_us"]["p99"] <= wire["latency_us"]["p99.9"], wire
assert wire["daemon_cores"] > 0 and wire["shim_cores"] > 0, wire
assert len(wire["digest"]) == 64 and wire["digest"] != row["digest"], wire
assert wire["port"] == "af_packet" or wire["note"], wire
print(wire)
END
