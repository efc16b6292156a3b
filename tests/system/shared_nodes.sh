#!/bin/sh
# Two shims share a partition: pods of the one run on nodes of the other. The daemon is killed, and the shim with the
# pods is the first to come back: its pods wait for their nodes, take their places as soon as these are stated, and
# no node gets more than it holds.
. "$(dirname "$0")/sessions.sh"

# 40 pods of 100m fit on a node. Afterwards there is room for 50 more on the five nodes of both.
load_a="--nodes 1 --pods 150 --node-prefix a- --journal $work/journal.a --settle 1s"
load_b="--nodes 4 --node-prefix b- --settle 1s"

start_daemon first
# shellcheck disable=SC2086
shim shim-b $load_b --pods 1
end_of "$shim"
[ "$ended" = 0 ] || fail "the load with the nodes ended with $ended"
# shellcheck disable=SC2086
shim shim-a $load_a
end_of "$shim"
[ "$ended" = 0 ] || fail "the load with the pods ended with $ended"
expect shim-a.json placed 150
expect shim-b.json placed 1
elsewhere=$(tr -d '\000' <"$work/journal.a" | grep -ao '	b-node-' | wc -l)
[ "$elsewhere" -ge 110 ] || fail "only $elsewhere pods run on nodes of the other shim"
checked "$elsewhere of 150 pods run on nodes of the other shim"

kill_daemon
start_daemon second
# shellcheck disable=SC2086
shim shim-a $load_a
end_of "$shim"
[ "$ended" = 0 ] || fail "the load with the pods ended with $ended after the restart"
expect shim-a.json restored 150
waiting() { [ "$(field second.status waiting_for_node)" = "$elsewhere" ]; }
until_true 10 waiting
expect second.status allocations $((150 - elsewhere))
checked "back alone, its pods there wait for their nodes"

# shellcheck disable=SC2086
shim shim-b $load_b --pods 100
end_of "$shim"
expect shim-b.json placed 50
expect shim-b.json unplaced 50
checked "the nodes are stated: their other pods get the room that is left, not more"
stop_daemon
expect second.status allocations 200
expect second.status waiting_for_node 0
expect second.status nodes_overcommitted 0
replay_equals_the_live_run second
