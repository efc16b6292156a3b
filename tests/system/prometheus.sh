#!/bin/sh
# A real Prometheus scrapes a daemon at work: it takes every sample, the numbers are the daemon's, and the alert rules of
# tuning/grafana can be evaluated over them. Skipped where the package prometheus is not installed.
. "$(dirname "$0")/sessions.sh"
here=$(dirname "$0")
command -v prometheus >/dev/null && command -v promtool >/dev/null || {
    echo "skipped: prometheus is not installed"
    exit 77
}
rest_listen=127.0.0.1:0
start_daemon daemon
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon.log" | head -n 1)
shim shim-a --nodes 3 --pods 200 --settle 120s

grafana=$(cd "$here/../../tuning/grafana" && pwd)
cat >"$work/prometheus.yml" <<CONFIG
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["$grafana/alerts.yaml"]
scrape_configs:
  - job_name: yunikorn
    metrics_path: /ws/v1/metrics
    static_configs: [{targets: ["$rest"]}]
CONFIG
promtool check config "$work/prometheus.yml" >"$work/promtool.log" 2>&1 || fail "promtool: $(cat "$work/promtool.log")"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
web=127.0.0.1:$(free_port)
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address="$web" \
    --log.level=warn >"$work/prometheus.log" 2>&1 &
shims="$shims $!"

# value QUERY: of the one series that it finds.
value() {
    curl -sf -G --data-urlencode "query=$1" "http://$web/api/v1/query" -o "$work/answer" || return 1
    python3 - "$work/answer" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))["data"]["result"]
print(found[0]["value"][1] if len(found) == 1 else f"{len(found)} series")
END
}
is() { [ "$(value "$1")" = "$2" ]; }
until_true 60 is 'up{job="yunikorn"}' 1
until_true 60 is 'bayplan_shims_connected' 1
until_true 60 is 'bayplan_engine_allocations{partition="default"} > bool 0' 1

# What it holds is what the daemon says, sample by sample: of those that do not change any more.
until_true 60 is 'delta(bayplan_engine_attempts_total[3s])' 0
curl -sf "http://$rest/ws/v1/metrics" -o "$work/metrics" || fail "no metrics"
until_true 60 is "timestamp(up{job=\"yunikorn\"}) > bool $(date +%s.%N)" 1
curl -sf -G --data-urlencode 'match[]={job="yunikorn"}' "http://$web/federate" -o "$work/federated" || fail "no federation"
python3 - "$work/metrics" "$work/federated" <<'END' || fail "Prometheus holds other numbers"
import re, sys
SERIES = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
def samples(file):
    found = {}
    for line in open(file):
        if not line.startswith("#") and line.strip():
            name, labels, value = SERIES.match(line).groups()
            kept = [one for one in LABEL.findall(labels or "") if one[0] not in ("job", "instance")]
            # Bounds of buckets are numbers.
            kept = sorted((key, str(float(text)) if key == "le" else text) for key, text in kept)
            found[(name, tuple(kept))] = float(value)
    return found
ours, theirs = samples(sys.argv[1]), samples(sys.argv[2])
missing = [one for one in ours if one not in theirs]
assert not missing, missing[:5]
still = [one for one in ours if re.match(r"yunikorn_(queue_app|queue_resource|scheduler_(node|application|container))", one[0])]
assert len(still) > 20, len(still)
other = [(one, ours[one], theirs[one]) for one in still if ours[one] != theirs[one]]
assert not other, other[:5]
print(f"checked: Prometheus has all {len(ours)} samples of the daemon, {len(still)} of the state with the same value")
END

curl -sf "http://$web/api/v1/targets" -o "$work/targets"
curl -sf "http://$web/api/v1/rules" -o "$work/rules"
rules_are_evaluated() {
    curl -sf "http://$web/api/v1/rules" -o "$work/rules" && ! grep -q '"health":"unknown"' "$work/rules"
}
until_true 30 rules_are_evaluated
python3 - "$work/targets" "$work/rules" <<'END' || fail "a scrape or a rule fails"
import json, sys
targets = json.load(open(sys.argv[1]))["data"]["activeTargets"]
assert len(targets) == 1 and targets[0]["health"] == "up" and targets[0]["lastError"] == "", targets
rules = [rule for group in json.load(open(sys.argv[2]))["data"]["groups"] for rule in group["rules"]]
assert len(rules) > 5 and all(rule["health"] == "ok" for rule in rules), rules
print(f"checked: {len(rules)} alert rules are evaluated without an error")
END
grep -qi 'error\|duplicate\|out of order' "$work/prometheus.log" && fail "Prometheus complains"

# A daemon that is gone is one, for Prometheus.
kill -TERM "$shim"
end_of "$shim"
stop_daemon
until_true 30 is 'up{job="yunikorn"}' 0
checked "a daemon that has ended is down"
