#!/bin/sh
# Predicates that the shim serves, wire to wire: every pod is asked about, some nodes are refused for some pods, the
# connection is cut in between, and the daemon's record of it all replays to the same decisions without a shim.
. "$(dirname "$0")/sessions.sh"

start_daemon daemon
shim shim-a --nodes 40 --pods 600 --plugin-answers-in 2ms --plugin-refuses 0.3 --cut-after 150 --cuts 2
wait "$shim" || fail "the load ended with $?"
expect shim-a.json placed 600
expect shim-a.json lost 0
expect shim-a.json pending 0
expect shim-a.json duplicates 0
expect shim-a.json overcommitted '[]'
answers=$(field shim-a.json plugin_answers)
refusals=$(field shim-a.json plugin_refusals)
[ "$answers" -ge 600 ] || fail "only $answers queries were answered"
[ "$refusals" -ge 200 ] || fail "only $refusals nodes were refused"
checked "$answers queries answered, $refusals nodes refused; 2 cuts; all 600 pods placed, none lost or doubled"

# Six of 1,200 nodes may take a pod: to find them, queries grow to lists far over the length of other texts (4,096 bytes).
stop_daemon
start_daemon daemon-2
shim shim-b --nodes 1200 --pods 40 --plugin-answers-in 0s --plugin-refuses 0.995
wait "$shim" || fail "the load with long queries ended with $?"
expect shim-b.json placed 40
answers=$(field shim-b.json plugin_answers)
refusals=$(field shim-b.json plugin_refusals)
[ "$refusals" -ge 5000 ] || fail "only $refusals nodes were refused"
checked "$answers queries answered, $refusals nodes refused: all 40 pods found a node of 1,200"
stop_daemon

# A plugin that does not answer: the pods that need it wait, and the others have their places. Then kill -9 of the shim, which
# comes back and answers: each pod is asked about again and placed once.
partition_settings="    plugins: {deadline: 1h}"
rest_listen=127.0.0.1:0
start_daemon daemon-3
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon-3.log" | head -n 1)
status_is() { [ "$(field daemon-3.status "$1" 2>/dev/null)" = "$2" ]; }
shim shim-a --nodes 20 --pods 200 --plugin-answers-in 1h --plugin-share 0.1 --settle 10m --journal "$work/journal"
until_true 60 status_is plugin_queries_open 20
until_true 60 status_is allocations 200  # a queried pod counts on its node
"$bayplan" apps --address "$rest" -o json >"$work/apps.json" || fail "apps ended with $?"
waiting=$(python3 - "$work/apps.json" <<'END'
import json, sys
for app in json.load(open(sys.argv[1])):
    for request in app.get("requests", []):
        if any("waits for plugin" in entry["message"] for entry in request.get("allocationLog", [])):
            print(request["allocationKey"])
            sys.exit()
END
)
[ -n "$waiting" ] || fail "no pod is shown that waits for a plugin"
"$bayplan" explain "$waiting" --address "$rest" >"$work/explained" || fail "explain ended with $?"
grep -q '^state  *queried$' "$work/explained" || fail "its state: $(cat "$work/explained")"
grep -q '^asked about  *node-' "$work/explained" || fail "its node: $(cat "$work/explained")"
grep -Eq '^waits  *for plugin load since 20[0-9-]+T[0-9:.]+Z$' "$work/explained" || fail "its reason: $(cat "$work/explained")"
checked "pod $waiting says for which plugin it waits, and since when"
kill -KILL "$shim"
end_of "$shim"
[ "$ended" = 137 ] || fail "the shim ended with $ended before it was killed"
shim shim-a --nodes 20 --pods 200 --plugin-answers-in 2ms --plugin-share 0.1 --journal "$work/journal"
wait "$shim" || fail "the load after the kill ended with $?"
expect shim-a.json placed 200
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json overcommitted '[]'
restored=$(field shim-a.json restored)
[ "$restored" -le 180 ] || fail "$restored places came from the journal, and 20 pods had no answer"
answers=$(field shim-a.json plugin_answers)
[ "$answers" -ge 20 ] || fail "only $answers queries were answered"
stop_daemon
expect daemon-3.status allocations 200
expect daemon-3.status plugin_queries_open 0
replay_equals_the_live_run daemon-3
checked "killed with 20 queries open: $restored places came from the journal, $answers queries answered, all 200 placed once"
