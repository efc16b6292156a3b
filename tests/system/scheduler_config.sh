#!/bin/sh
# A partition with a KubeSchedulerConfiguration: the daemon decides by it, `--check` tells with file and line what of it
# cannot be met, and the record of the run replays without the file.
. "$(dirname "$0")/sessions.sh"

# nodes_used NAME: how many nodes a record's pods got.
nodes_used() { awk '$3 == "place" {print $5}' "$work/$1.decisions" | sort -u | wc -l; }

load() { # NAME
    start_daemon "$1"
    shim shim-a --nodes 100 --pods 200 --settle 2s --timeout 60s
    end_of "$shim"
    [ "$ended" = 0 ] || fail "the load ended with $ended"
    expect shim-a.json placed 200
    stop_daemon
}

load plain
replay_equals_the_live_run plain

cat >"$work/k.yaml" <<'CONFIG'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 5
profiles:
- schedulerName: spread
- schedulerName: packed
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
CONFIG
partition_settings="    scheduler_config: $work/k.yaml
    scheduler_name: packed"
load packed
log_says packed 'k.yaml:3: percentageOfNodesToScore: is not looked at' || fail "the log does not say what means nothing"
rm "$work/k.yaml"
replay_equals_the_live_run packed
plain=$(nodes_used plain)
packed=$(nodes_used packed)
[ "$packed" -lt "$plain" ] || fail "pods are on $packed nodes by the file, on $plain without it"
checked "200 pods take $plain nodes by default, $packed by the profile that packs; it replays without its file"

check_says daemon.yaml 2 "'partitions\[0\].scheduler_config'.*k.yaml"
cat >"$work/k.yaml" <<'CONFIG'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: "http://127.0.0.1:1"}]
profiles:
- schedulerName: packed
  plugins: {filter: {disabled: [{name: NodePort}]}}
CONFIG
check_says daemon.yaml 2 "k.yaml:3: extenders: shims ask them: leave them out here" \
    "k.yaml:6: plugins.filter.disabled: .* did you mean .NodePorts"
sed -i '/extenders/d; s/NodePort/NodePorts/; 2a percentageOfNodesToScore: 5' "$work/k.yaml"
check_says daemon.yaml 0 "warning: .*k.yaml:3: percentageOfNodesToScore: is not looked at" "no faults"
checked "a check tells faults and what means nothing, with file and line"
