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
